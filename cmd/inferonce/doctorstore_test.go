package main

import (
	"testing"

	"inferonce/configs"
	"inferonce/jobstore/jobstoretest"
)

func TestDoctorExaminesARealStore(t *testing.T) {
	catalog, err := loadCatalog("")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		args []string
		want string // verdict of the store itself
	}{
		{"one that keeps its promises", []string{"--appendonly", "yes", "--maxmemory", "1gb"}, verdictOK},
		{"one that evicts", []string{"--appendonly", "yes", "--maxmemory", "1gb", "--maxmemory-policy", "allkeys-lru"}, verdictFail},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := jobstoretest.StartRedis(t, row.args...)
			c := &configs.Config{Store: configs.Store{Redis: configs.Redis{URL: configs.NewRedisURL(r.URL())}, Durability: configs.Single}}
			all := examineStore(t.Context(), c, catalog)
			if all[0].Name != "store" || all[0].Verdict != row.want {
				t.Errorf("%+v", all)
			}
			for _, f := range all[1:] {
				if f.Verdict != verdictOK {
					t.Errorf("%+v", f)
				}
			}
			if row.want == verdictOK && len(all) != 4 {
				t.Errorf("%d findings: %+v", len(all), all)
			}
		})
	}
}
