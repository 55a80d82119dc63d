package contracts

// besideChat are the fields that a chat contract can't have: its requests bring
// the prompt, the tools and the schema, and each brings its own key.
var besideChat = []string{"prompt", "input_schema", "output_schema", "open_paths", "tools", "tool_choice", "identity"}

// chat makes a contract whose input is a chat request.
func (l *loader) chat(c *Contract, root *node) {
	for _, name := range besideChat {
		if n := root.field(name); n != nil {
			l.fault(n, FileFault, name+" stands beside chat, where each request brings its own", "remove it, or remove chat")
		}
	}
	at := root.field("chat")
	c.input = l.made(schemaURI(c.Name, c.Version, "input"), chatInput, at)
	c.output = l.made(schemaURI(c.Name, c.Version, "output"), chatOutput, at)
	if c.output != nil {
		c.shown = c.output.raw
	}
	c.schemas = &schemaCache{}
}
