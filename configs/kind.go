package configs

// kind is what is known of an adapter before it is built.
type kind struct {
	baseURL    string // the public address; "": there is none
	apiVersion bool   // it has an api_version
}

// kinds are the adapters that a provider may name. The addresses are those of
// the providers' own quick starts, and the ports their servers' defaults.
func kinds() map[string]kind {
	return map[string]kind{
		"openai":     {baseURL: "https://api.openai.com/v1"},
		"azure":      {apiVersion: true}, // https://RESOURCE.openai.azure.com/openai/v1
		"vllm":       {baseURL: "http://127.0.0.1:8000/v1"},
		"llamacpp":   {baseURL: "http://127.0.0.1:8080/v1"},
		"ollama":     {baseURL: "http://127.0.0.1:11434/v1"},
		"groq":       {baseURL: "https://api.groq.com/openai/v1"},
		"mistral":    {baseURL: "https://api.mistral.ai/v1"},
		"together":   {baseURL: "https://api.together.xyz/v1"},
		"deepseek":   {baseURL: "https://api.deepseek.com/v1"},
		"openrouter": {baseURL: "https://openrouter.ai/api/v1"},
	}
}
