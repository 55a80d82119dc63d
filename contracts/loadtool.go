package contracts

import (
	"fmt"
	"regexp"
)

// maxTools is how many tools a contract may offer: OpenAI's own limit
// (platform.openai.com/docs/api-reference/chat/create, tools).
const maxTools = 128

// toolName is what OpenAI takes as the name of a function (same page), and
// other providers take too.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// tools reads the tools and makes the output schema of them.
func (l *loader) tools(c *Contract, root *node) {
	for _, other := range []string{"output_schema", "open_paths"} {
		if n := root.field(other); n != nil {
			l.fault(n, FileFault, other+" stands beside tools, which make the output schema", "remove it")
		}
	}
	c.ToolChoice = l.toolChoice(root.field("tool_choice"))
	list := root.field("tools")
	if !l.is(list, "tools", kindList) {
		return
	}
	before := len(l.faults)
	for _, item := range list.items {
		if t, ok := l.tool(c, item); ok {
			c.Tools = append(c.Tools, t)
		}
	}
	if n := len(list.items); n == 0 || n > maxTools {
		l.fault(list, FileFault, fmt.Sprintf("%d tools are offered", n), fmt.Sprintf("offer 1 to %d", maxTools))
	}
	if len(l.faults) > before {
		return
	}
	c.output = l.made(schemaURI(c.Name, c.Version, "output"), callsSchema(c.Tools, c.ToolChoice), list)
	c.shown = shownCalls(schemaURI(c.Name, c.Version, "tools"), c.Tools, c.ToolChoice)
}

func (l *loader) toolChoice(n *node) string {
	if n == nil {
		return ToolAuto
	}
	choice := l.text(n, "tool_choice")
	if choice != ToolAuto && choice != ToolRequired && n.kind == kindString {
		l.fault(n, FileFault, "tool_choice is neither auto nor required", "write auto")
	}
	return choice
}

// tool reads one tool. Its parameters are held to the rules of an output
// schema, with nothing open: an argument that nobody declared is an argument
// that nobody checks.
func (l *loader) tool(c *Contract, n *node) (Tool, bool) {
	if !l.is(n, "a tool", kindMap) {
		return Tool{}, false
	}
	l.known(n, "a tool", "name", "description", "parameters")
	name := l.need(n, "a tool", "name")
	t := Tool{Name: l.text(name, "name"), Description: l.text(n.field("description"), "description")}
	switch {
	case name == nil || name.kind != kindString:
	case !toolName.MatchString(t.Name):
		l.fault(name, FileFault, "a tool's name has other characters than a-z, A-Z, 0-9, _ and -, or more than 64", "write something like get_weather")
	case c.tool(t.Name) != nil:
		l.fault(name, FileFault, fmt.Sprintf("the tool %q stands here twice", t.Name), "give each tool its own name")
	}
	parameters := l.need(n, "a tool", "parameters")
	if !l.is(parameters, "parameters", kindString) {
		return t, false
	}
	t.parameters = l.made(schemaURI(c.Name, c.Version, "tools/"+t.Name), parameters.text, parameters)
	if t.parameters == nil {
		return t, false
	}
	if !isObject(t.parameters) {
		l.fault(parameters, LintSchema, "the parameters are not an object", `write "type": "object"`)
		return t, false
	}
	for _, f := range checkClosed(t.parameters, nil) {
		l.faultAt(parameters, f.offset, f.id, f.message, `add "additionalProperties": false`)
	}
	return t, true
}
