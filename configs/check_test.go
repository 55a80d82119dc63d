package configs

import (
	"strings"
	"testing"
)

const someHash = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

func TestProvidersTargetsAndRoutesMustFitTogether(t *testing.T) {
	runRows(t, []struct{ name, from, to, want string }{
		{"an unknown kind", "openai: {kind: openai", "openai: {kind: opnai",
			`4:18 providers.openai.kind: unknown word; did you mean "openai"?`},
		{"no kind", "local: {kind: openai, ", "local: {",
			`5:3 providers.local.kind: is missing; known here: anthropic, azure, bedrock, deepseek, gemini, groq, llamacpp, mistral, ollama, openai, openai_responses, openrouter, together, vllm`},
		{"a kind without a public address", `local: {kind: openai, base_url: "http://127.0.0.1:8080/v1"`, "local: {kind: azure",
			`5:3 providers.local.base_url: is missing; write the address up to and including /v1`},
		{"an api_version where there is none", "local: {kind: openai, ", "local: {kind: vllm, api_version: x, ",
			`5:36 providers.local.api_version: this kind has none; take it out, or write kind: azure`},
		{"an api_version for Azure's v1 API", `local: {kind: openai, base_url: "http://127.0.0.1:8080/v1"`, `local: {kind: azure, api_version: x, base_url: "http://127.0.0.1:8080/openai/v1"`,
			`5:37 providers.local.api_version: the v1 API has none; take it out, or end base_url before /openai`},
		{"a proxy that is none", "local: {kind: openai, ", "local: {kind: vllm, proxy: 'https://proxy:3128', ",
			`5:30 providers.local.proxy: not the address of an http proxy; write it such as http://proxy.internal:3128, without user and password`},
		{"a proxy with a password", "local: {kind: openai, ", "local: {kind: vllm, proxy: 'http://u:p@proxy:3128', ",
			`5:30 providers.local.proxy: not the address of an http proxy; write it such as http://proxy.internal:3128, without user and password`},
		{"two keys of one name", `{kind: openai, api_key: "${OPENAI_API_KEY}"}`, `{kind: openai, keys: [{name: a, api_key: "${SINGLE}"}, {name: a, api_key: "${SINGLE}"}]}`,
			`4:73 providers.openai.keys[1].name: stands twice; give every key a name of its own`},
		{"a key among several that is none", `{kind: openai, api_key: "${OPENAI_API_KEY}"}`, `{kind: openai, keys: [{name: a}]}`,
			`4:34 providers.openai.keys[0].api_key: is missing; add api_key: "${NAME}" with the variable that holds it, or file:PATH`},
		{"one key beside several", `{kind: openai, api_key: "${OPENAI_API_KEY}"}`, `{kind: openai, api_key: "${SINGLE}", keys: [{name: a, api_key: "${SINGLE}"}]}`,
			`4:35 providers.openai.api_key: stands beside keys; keep one of the two`},
		{"a public provider without a key", `{kind: openai, api_key: "${OPENAI_API_KEY}"}`, `{kind: openai}`,
			`4:3 providers.openai.api_key: is missing; add api_key: "${NAME}" with the variable that holds it, or file:PATH`},
		{"Bedrock without a region", "{kind: openai, api_key", "{kind: bedrock, api_key",
			`4:3 providers.openai.region: is missing; write the region that the models are called in, such as eu-central-1`},
		{"a region that is none", "{kind: openai, api_key", "{kind: bedrock, region: eu-central-1.evil.example/, api_key",
			`4:35 providers.openai.region: not the name of a region; write it as AWS does, such as eu-central-1`},
		{"Bedrock without a key", `{kind: openai, api_key: "${OPENAI_API_KEY}"}`, "{kind: bedrock, region: eu-central-1}",
			`4:3 providers.openai.api_key: is missing; add api_key: "${NAME}", or access_key_id and secret_access_key`},
		{"half of an access key", "{kind: openai, api_key", "{kind: bedrock, region: eu-central-1, access_key_id",
			`4:3 providers.openai.secret_access_key: is missing; give access_key_id and secret_access_key together, each as "${NAME}" or file:PATH`},
		{"the other half", "{kind: openai, api_key", "{kind: bedrock, region: eu-central-1, secret_access_key",
			`4:3 providers.openai.access_key_id: is missing; give access_key_id and secret_access_key together, each as "${NAME}" or file:PATH`},
		{"a session of nobody", "{kind: openai, api_key", "{kind: bedrock, region: eu-central-1, session_token",
			`4:3 providers.openai.access_key_id: is missing; give access_key_id and secret_access_key together, each as "${NAME}" or file:PATH`},
		{"two ways to say who calls", "{kind: openai, api_key", `{kind: bedrock, region: eu-central-1, access_key_id: "${SINGLE}", secret_access_key: "${SINGLE}", api_key`,
			`4:118 providers.openai.api_key: stands beside an access key; keep one of the two: they are two ways to say who calls`},
		{"an access key that stands in the file", "{kind: openai, api_key", `{kind: bedrock, region: eu-central-1, secret_access_key: "${SINGLE}", access_key_id: AKIDEXAMPLE, session_token`,
			`4:96 providers.openai.access_key_id: a secret must not stand in the file; take it from a variable, "${NAME}", or from a file, file:PATH`},
		{"a region where there is none", "{kind: openai, api_key", "{kind: openai_responses, region: eu-central-1, api_key",
			`4:44 providers.openai.region: this kind has none; take it out, or write kind: bedrock`},
		{"plain http beyond this machine", "http://127.0.0.1:8080/v1", "http://10.0.0.7:8080/v1",
			`5:35 providers.local.base_url: plain http beyond this machine; use https, or set allow_http: true if the network between is trusted`},
		{"a name that only looks like this machine", "http://127.0.0.1:8080/v1", "http://localhost.example.com/v1",
			`5:35 providers.local.base_url: plain http beyond this machine; use https, or set allow_http: true if the network between is trusted`},
		{"an address without a scheme", "http://127.0.0.1:8080/v1", "127.0.0.1:8080/v1",
			`5:35 providers.local.base_url: not the address of a provider; write it up to and including /v1, such as https://api.openai.com/v1`},
		{"a password in an address", "http://127.0.0.1:8080/v1", "http://u:p@127.0.0.1:8080/v1",
			`5:35 providers.local.base_url: holds a user or a password; give the key as api_key`},
		{"a query in an address", "http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1?x=1",
			`5:35 providers.local.base_url: goes on after the path; take out what follows ? or #`},
		{"a schema profile of nobody's", `"http://127.0.0.1:8080/v1"}`, `"http://127.0.0.1:8080/v1", schema_profile: openai-strict}`,
			`5:79 providers.local.schema_profile: unknown word; did you mean "openai_strict"?`},
		{"a server that shows nothing", `"http://127.0.0.1:8080/v1"}`, `"http://127.0.0.1:8080/v1", renders: ollama}`,
			`5:72 providers.local.renders: unknown word; known here: llama.cpp, vllm`},
		{"a target at no known provider", "llama: {provider: local", "llama: {provider: locla",
			`8:21 targets.llama.provider: not one of the providers; did you mean "local"?`},
		{"a target without a model", "{provider: local, model: m2}", "{provider: local}",
			`8:3 targets.llama.model: is missing; write the provider's name of the model`},
		{"a breaker that opens at nothing", "model: m2", "model: m2, breaker: {failures: 0}",
			`8:59 targets.llama.breaker.failures: out of range; give a whole number from 1 to 1000`},
		{"a breaker that stays open", "model: m2", "model: m2, breaker: {open_for: 2h}",
			`8:59 targets.llama.breaker.open_for: out of range; give a time up to an hour, such as 30s`},
		{"a target that runs nothing at once", "model: m2", "model: m2, max_concurrency: 0",
			`8:56 targets.llama.max_concurrency: out of range; give a whole number from 1 to 1048576`},
		{"a price without a date", "model: m2", "model: m2, price: {input: 0.15, output: 0.60}",
			`8:39 targets.llama.price.as_of: is missing; write the day on which the price was looked up, such as 2026-10-01: prices change`},
		{"a price with a date that is none", "model: m2", "model: m2, price: {input: 0.15, output: 0.60, as_of: 2026-02-30}",
			`8:81 targets.llama.price.as_of: not a day; write it as YEAR-MONTH-DAY, such as 2026-10-01`},
		{"half a price", "model: m2", "model: m2, price: {input: 0.15, as_of: 2026-10-01}",
			`8:39 targets.llama.price.output: is missing; write the dollars for a million tokens, such as 0.15; 0 if they are free`},
		{"a price finer than a micro-dollar", "model: m2", "model: m2, price: {input: 0.1234567, output: 1, as_of: 2026-10-01}",
			`8:54 targets.llama.price.input: not an amount in dollars; write digits with up to six decimals, such as 0.15`},
		{"a cap over a target without a price", "    primary: mini\n", "    primary: mini\n    max_cost: 0.05\n",
			`13:15 routes.triage.max_cost: the target mini has no price; give it one, such as price: {input: 0.15, output: 0.60, as_of: 2026-10-01}`},
		{"a price below zero", "model: m2", "model: m2, price: {input: -1, output: 1, as_of: 2026-10-01}",
			`8:54 targets.llama.price.input: not an amount in dollars; write digits with up to six decimals, such as 0.15`},
		{"a temperature that isn't a rule", "model: m2", "model: m2, temperature: low",
			`8:52 targets.llama.temperature: not a rule for the temperature; write omit, fixed:N or min:N with N from 0 to 2, such as fixed:1`},
		{"a primary that is no target", "primary: mini", "primary: minni",
			`12:14 routes.triage.primary: not one of the targets; did you mean "mini"?`},
		{"a fallback that is no target", "[llama]", "[ollama]",
			`13:17 routes.triage.fallbacks[0]: not one of the targets; did you mean "llama"?`},
		{"the primary as its own fallback", "[llama]", "[llama, mini]",
			`13:24 routes.triage.fallbacks[1]: the primary cannot be its own fallback; take it out of the list`},
		{"a fallback listed twice", "[llama]", "[llama, llama]",
			`13:24 routes.triage.fallbacks[1]: listed twice; take it out once; the order of the list is the order of the tries`},
		{"a route without a primary", "    primary: mini\n", "",
			`10:3 routes.triage.primary: is missing; known here: llama, mini`},
		{"a route without a contract", "    contract: ticket-triage\n", "",
			`10:3 routes.triage.contract: is missing; write the contract's name, or name@version`},
		{"a contract's version that is none", "contract: ticket-triage", "contract: ticket-triage@0",
			`11:15 routes.triage.contract: not the name of a contract; write name or name@version, such as ticket-triage@1`},
		{"an address to listen at without a port", "listen: 127.0.0.1:8787", "listen: localhost",
			`1:9 listen: not a host and a port; write HOST:PORT, such as 127.0.0.1:8787 or [::1]:8787`},
		{"a canary without a schedule", "listen: 127.0.0.1:8787", "canary: {contracts: [ticket-triage]}",
			`1:1 canary.every: is missing; write how often, such as 1h, or take canary out`},
		{"a canary of nothing", "listen: 127.0.0.1:8787", "canary: {every: 1h}",
			`1:1 canary.contracts: is missing; list the contracts to run, such as [ticket-triage]`},
		{"a canary that never rests", "listen: 127.0.0.1:8787", "canary: {every: 1m, contracts: [ticket-triage]}",
			`1:17 canary.every: too often; at least 10m: each run costs real calls`},
		{"a canary of a contract that nobody serves", "listen: 127.0.0.1:8787", "canary: {every: 1h, contracts: [ticket-triage@2, tickets]}",
			`1:50 canary.contracts[1]: no route serves this contract; known here: ticket-triage`},
		{"an unknown answer to drift", "listen: 127.0.0.1:8787", "drift: ignore",
			`1:8 drift: unknown word; known here: off, suspend`},
		{"an unknown level of the log", "listen: 127.0.0.1:8787", "log: {level: warning}",
			`1:14 log.level: unknown word; did you mean "warn"?`},
		{"more requests at once than can be", "listen: 127.0.0.1:8787", "limits: {max_inflight: -1}",
			`1:24 limits.max_inflight: out of range; give a whole number from 1 to 1048576`},
	})
}

func TestTheSchemaProfileFollowsFromThePublicAddressAlone(t *testing.T) {
	for address, want := range map[string]string{
		"https://api.openai.com/v1": SchemaOpenAIStrict, "https://api.openai.com.example.com/v1": SchemaNone,
		"https://example.com/api.openai.com/v1": SchemaNone, "http://127.0.0.1:8080/v1": SchemaNone,
	} {
		if got := publicProfile(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	cfg, err := Parse("c.yaml", []byte(change(t, `{kind: openai, api_key`, `{kind: openai, schema_profile: none, api_key`)), testEnv)
	if err != nil || cfg.Providers["openai"].SchemaProfile != SchemaNone {
		t.Errorf("what the file says goes first: %+v, %v", cfg.Providers["openai"], err)
	}
}

func TestTheKindsThatHaveAnAPIOfTheirOwn(t *testing.T) {
	for from, want := range map[string]string{
		`{kind: openai_responses, api_key: "${OPENAI_API_KEY}"}`:                                                                          "https://api.openai.com/v1",
		`{kind: bedrock, region: us-gov-west-1, api_key: "${OPENAI_API_KEY}"}`:                                                            "https://bedrock-runtime.us-gov-west-1.amazonaws.com",
		`{kind: bedrock, region: eu-central-1, access_key_id: "${SINGLE}", secret_access_key: "${SINGLE}", session_token: "${SINGLE}"}`:   "https://bedrock-runtime.eu-central-1.amazonaws.com",
		`{kind: bedrock, region: eu-central-1, api_key: "${SINGLE}", base_url: "https://vpce-1.bedrock-runtime.eu-central-1.vpce.test/"}`: "https://vpce-1.bedrock-runtime.eu-central-1.vpce.test",
	} {
		cfg, err := Parse("c.yaml", []byte(change(t, `{kind: openai, api_key: "${OPENAI_API_KEY}"}`, from)), testEnv)
		if err != nil {
			t.Errorf("%s: %v", from, err)
		} else if got := cfg.Providers["openai"].BaseURL; got != want {
			t.Errorf("%s: base_url %s, want %s", from, got, want)
		} else if strings.Contains(show(t, cfg), "single\"") {
			t.Errorf("%s: a secret is shown", from)
		}
	}
}

func TestALimitMustLieWithinItsOuterOne(t *testing.T) {
	runRows(t, []struct{ name, from, to, want string }{
		{"connect beyond first_byte", "connect: 2s", "connect: 11s",
			`14:14 routes.triage.connect: connect (11s) is longer than first_byte (10s by default); set connect to at most 10s, or first_byte to at least 11s`},
		{"first_byte beyond answer_within", "connect: 2s", "first_byte: 21s",
			`14:17 routes.triage.first_byte: first_byte (21s) is longer than answer_within (20s by default); set first_byte to at most 20s, or answer_within to at least 21s`},
		{"answer_within beyond the budget", "connect: 2s", "answer_within: 31s",
			`14:20 routes.triage.answer_within: answer_within (31s) is longer than budget (30s by default); set answer_within to at most 30s, or budget to at least 31s`},
		{"a budget below a default is the budget's problem", "connect: 2s", "budget: 15s",
			`14:13 routes.triage.budget: answer_within (20s by default) is longer than budget (15s); set answer_within to at most 15s, or budget to at least 20s`},
		{"listen_for below answer_within", "connect: 2s", "listen_for: 19s",
			`14:17 routes.triage.listen_for: answer_within (20s by default) is longer than listen_for (19s); set answer_within to at most 19s, or listen_for to at least 20s`},
		{"needs beyond the budget", "connect: 2s", "needs: 1m",
			`14:12 routes.triage.needs: needs (1m) is longer than budget (30s by default); set needs to at most 30s, or budget to at least 1m`},
		{"no attempt at all", "attempts: 3", "attempts: 0",
			`15:15 routes.triage.attempts: out of range; allow from 1 to 8`},
		{"more attempts than make sense", "attempts: 3", "attempts: 9",
			`15:15 routes.triage.attempts: out of range; allow from 1 to 8`},
	})
	for _, limits := range []string{"attempts: 1", "attempts: 8", "first_byte: 2s", "answer_within: 30s", "listen_for: 20s", "needs: 30s"} {
		if got := problemsOf(t, change(t, "    attempts: 3", "    "+limits)); got != nil {
			t.Errorf("%s, just allowed: %s", limits, strings.Join(got, "\n"))
		}
	}
}

func TestTheStoreMustBeFoundAndKeepJobsLongEnough(t *testing.T) {
	const redis = `redis: "redis://127.0.0.1:6379"`
	runRows(t, []struct{ name, from, to, want string }{
		{"no address", redis + ", ", "",
			`2:1 store.redis: is missing; say where the jobs are kept, such as redis: redis://127.0.0.1:6379`},
		{"another kind of address", redis, "redis: http://127.0.0.1",
			`2:16 store.redis: not the address of a Redis; write redis://HOST:PORT, rediss:// for TLS, or sentinel: or cluster: with a list of addresses`},
		{"a password in the file", redis, `redis: "redis://:canary@127.0.0.1:6379"`,
			`2:16 store.redis: a password must not stand in the file; take it from a variable, as in redis://:${REDIS_PASSWORD}@HOST:PORT`},
		{"two forms at once", redis, `redis: {sentinel: ["h:1"], master: m, cluster: ["h:2"]}`,
			`2:16 store.redis: has more than one of url, sentinel and cluster; keep one of them`},
		{"Sentinel without a master", redis, `redis: {sentinel: ["h:1"]}`,
			`2:9 store.redis.master: is missing; write the name by which the Sentinels know the master, such as mymaster`},
		{"a node without a port", redis, `redis: {cluster: ["h:1", h2]}`,
			`2:34 store.redis.cluster[1]: not a host and a port; write HOST:PORT, such as 127.0.0.1:8787 or [::1]:8787`},
		{"a list without addresses", redis, `redis: {cluster: []}`,
			`2:26 store.redis.cluster: lists no address; write at least one HOST:PORT`},
		{"a password that would not be used", redis, `redis: {url: "redis://h:1", password: "${OPENAI_API_KEY}"}`,
			`2:47 store.redis.password: has no effect here; use it with sentinel or cluster; a url holds its own`},
		{"an unknown durability", "durability: single", "durability: strickt",
			`2:54 store.durability: unknown word; did you mean "strict"?`},
		{"a retention shorter than clients retry", "durability: single", "retention: 59m",
			`2:53 store.retention: too short: a repeat after it would run again; keep ended jobs for at least 1h`},
		{"a prefix that moves the slot", "durability: single", `prefix: "{a}"`,
			`2:50 store.prefix: not usable before a key; use up to 64 letters, digits, colons, dots, hyphens and underscores`},
	})
}

func TestKeysMustBeToldApart(t *testing.T) {
	runRows(t, []struct{ name, from, to, want string }{
		{"an empty hash", "hash: " + someHash, `hash: ""`,
			`18:11 keys[0].hash: is missing; inferonce keys new prints a key and its hash`},
		{"a hash cut short", someHash, someHash[:70],
			`18:11 keys[0].hash: not the hash of a key; write sha256: and 64 small hex digits, as inferonce keys new prints them; never the key itself`},
		{"a hash in capitals", someHash, "sha256:" + strings.Repeat("A", 64),
			`18:11 keys[0].hash: not the hash of a key; write sha256: and 64 small hex digits, as inferonce keys new prints them; never the key itself`},
		{"the key in place of its hash", someHash, "dev",
			`18:11 keys[0].hash: not the hash of a key; write sha256: and 64 small hex digits, as inferonce keys new prints them; never the key itself`},
		{"one hash twice", "    scopes: [infer]", "    scopes: [infer]\n  - {owner: b, hash: \"" + someHash + "\", scopes: [infer]}",
			`20:22 keys[1].hash: the same key as keys[0]; make another key with inferonce keys new`},
		{"an unknown scope", "[infer]", "[infer, opperate]",
			`19:21 keys[0].scopes[1]: unknown word; did you mean "operate"?`},
		{"a scope twice", "[infer]", "[infer, infer]",
			`19:21 keys[0].scopes[1]: listed twice; take it out once`},
		{"no scopes", "    scopes: [infer]\n", "",
			`17:5 keys[0].scopes: is missing; list what the key may do, such as [infer]; known here: admin, infer, operate, report`},
		{"no owner", "  - owner: acme\n    hash", "  - hash",
			`17:5 keys[0].owner: is missing; name the user or app that the key belongs to`},
		{"an owner with a space", "owner: acme", "owner: ac me",
			`17:12 keys[0].owner: not usable as an owner's name; use up to 128 visible ASCII characters without spaces`},
	})
}

func TestPlainHTTPIsForThisMachineOrOnRequest(t *testing.T) {
	for _, address := range []string{
		`"http://localhost:8080/v1"`, `"http://[::1]:8080/v1"`, `"http://127.8.9.1/v1"`,
		`"http://10.0.0.7/v1", allow_http: true`,
	} {
		if got := problemsOf(t, change(t, `"http://127.0.0.1:8080/v1"`, address)); got != nil {
			t.Errorf("%s: %s", address, strings.Join(got, "\n"))
		}
	}
}

func TestDefaultsAreFilledIn(t *testing.T) {
	cfg, err := Parse("c.yaml", []byte(valid), testEnv)
	if err != nil {
		t.Fatal(err)
	}
	if got := cfg.Providers["openai"].BaseURL; got != "https://api.openai.com/v1" {
		t.Errorf("base_url %q", got)
	}
	r := cfg.Routes["triage"]
	if short(r.Budget) != "30s" || short(r.FirstByte) != "10s" || short(r.AnswerWithin) != "20s" || short(r.ListenFor) != "10m" || short(r.Needs) != "1s" || r.Attempts != 3 {
		t.Errorf("route %+v", r)
	}
	if short(cfg.Store.Retention) != "24h" || cfg.Store.Durability != Single || cfg.Limits.BodyBytes != 4194304 || cfg.Log != (Log{"info", "json"}) {
		t.Errorf("store %+v, limits %+v, log %+v", cfg.Store, cfg.Limits, cfg.Log)
	}
}
