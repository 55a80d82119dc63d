package jobstore

import (
	"strings"
	"testing"
)

func TestEveryScriptIsDescribedOnce(t *testing.T) {
	files, err := luaFiles.ReadDir("lua")
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]int{}
	for _, w := range Writes() {
		described[w.Script]++
		if w.Changes == "" || w.Protection == "" || w.Lost == "" {
			t.Errorf("%s: something is not said: %+v", w.Script, w)
		}
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".lua")
		if name != "common" && name != "pace" && described[name] != 1 {
			t.Errorf("%s is described %d times", name, described[name])
		}
		delete(described, name)
	}
	for name := range described {
		t.Errorf("%s is described and is no script", name)
	}
}
