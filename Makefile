# Every target works on a machine with Go, make and git. What else a target
# needs, it installs or says.

GO      ?= go
BIN     := bin/inferonce

.PHONY: build demo test vet redis verify model-check bench model serve-model test-model test-clients fuzz clean

build:
	$(GO) build -trimpath -o $(BIN) ./cmd/inferonce

# The main job on real input: nothing to install, no account, no network.
demo: build
	$(BIN) demo

# Everything, with the race detector, on a real redis-server and on the
# embedded store.
test: redis vet
	$(GO) test -race -timeout 15m ./...
	$(GO) test ./jobstore/jobmodel

vet:
	@test -z "$$(gofmt -l cmd router providers contracts conformance jobstore configs)" || { gofmt -l cmd router providers contracts conformance jobstore configs; echo 'run gofmt -w on these'; exit 1; }
	$(GO) vet ./...

# redis-server, for the tests. Installed where that needs no password.
redis:
	@command -v redis-server >/dev/null && exit 0; \
	echo 'redis-server is missing; installing it'; \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		apt-get update -qq && apt-get install -y -qq redis-server >/dev/null; \
	else \
		echo 'Install Redis 7.0 or newer (Debian: apt-get install redis-server; macOS: brew install redis) and run make again.'; exit 1; \
	fi

# The failover stories against a router started for them.
verify: build
	$(BIN) verify

# Every state of a small model of one job, and its mutants. Part of make test.
model-check:
	$(GO) test -count=1 -v ./jobstore/jobmodel

# Throughput and added latency beside a plain reverse proxy, in one run.
bench: redis
	$(GO) test -run '^$$' -bench 'RouterBesideProxy|Inference' -benchtime 3s ./cmd/inferonce ./jobstore

# node-llama-cpp for a real model, once: about 83 MB from npm's registry.
model:
	@conformance/realmodel/install.sh

# A real model behind chat completions, on this machine only:
# make serve-model MODEL=triage|drifted|random PORT=8080
MODEL ?= triage
PORT  ?= 8080
serve-model: model
	MODEL_API_KEY=$${MODEL_API_KEY:-local} exec node conformance/realmodel/server.mjs --model '$(MODEL)' --port '$(PORT)'

# The trained model is certified; the drifted and the random one are not.
test-model: model
	node --test conformance/realmodel/server.test.mjs
	$(GO) vet -tags realmodel ./conformance/realmodel
	$(GO) test -tags realmodel -count=1 -timeout 10m -v ./conformance/realmodel

# Node's SDKs for chat completions, with their own retries on, against the
# simulated providers. npm's registry is needed once; nothing is installed twice.
test-clients: build
	@router/httpapi/clients/install.sh
	cd router/httpapi/clients && node --test

# A short look at every fuzz target.
fuzz:
	@for p in $$($(GO) list ./...); do for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
		echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime 10s -fuzzminimizetime 1x $$p || exit 1; done; done

clean:
	rm -rf bin conformance/realmodel/node_modules router/httpapi/clients/node_modules
