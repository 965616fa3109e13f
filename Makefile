# Needs Go, Node and npm. The database and, for tests, the browser are fetched when they are not installed.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := run

LEJEK_SRC := $(shell find backend engine ai migrations -type f -not -path 'backend/web/dist/*' 2>/dev/null) go.mod go.sum
FRONTEND_SRC := $(shell find frontend -type f -not -path 'frontend/node_modules/*' -not -path 'frontend/src/locales/*.js' 2>/dev/null)
UI := backend/web/dist/index.html
MODULES := frontend/node_modules/.package-lock.json
TESTDB := .lejek/testdb

.PHONY: run test dev gen lint bench e2e chaos mutate-kinds mutate-canvas clean

run: bin/lejek ## Start the product on http://127.0.0.1:8080 with its own Postgres and the sample workspace
	@exec bin/lejek serve --sample

bin/lejek: $(LEJEK_SRC) $(UI)
	@echo "Building lejek ..."
	@go build -o $@ ./backend

$(MODULES): frontend/package.json frontend/package-lock.json
	@echo "Installing frontend packages ..."
	@cd frontend && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

$(UI): $(MODULES) $(FRONTEND_SRC)
	@echo "Building the interface ..."
	@cd frontend && npm run --silent build
	@touch $@

test: $(UI) bin/lejek ## Everything: generated files, lint of both languages, unit, database, fault and browser tests
	@.ci/gen check
	@go vet ./...
	@cd frontend && npm run --silent lint && npm run --silent test
	@chromium=$$(.ci/browser); \
	  url=$$(go run ./backend/embedpg/testdb start $(TESTDB)); \
	  trap 'go run ./backend/embedpg/testdb stop $(TESTDB)' EXIT; \
	  LEJEK_TEST_DATABASE_URL="$$url" LEJEK_BIN="$$PWD/bin/lejek" LEJEK_CHROMIUM="$$chromium" go test -timeout 45m ./...

e2e: $(UI) bin/lejek ## The browser journeys alone
	@chromium=$$(.ci/browser); \
	  url=$$(go run ./backend/embedpg/testdb start $(TESTDB)); \
	  trap 'go run ./backend/embedpg/testdb stop $(TESTDB)' EXIT; \
	  LEJEK_TEST_DATABASE_URL="$$url" LEJEK_BIN="$$PWD/bin/lejek" LEJEK_CHROMIUM="$$chromium" go test -count=1 -v ./e2e/...

chaos: ## Faults at full length and with the real bounds, half an hour on two cores; SEED=7 begins with the schedule of that seed
	@url=$$(go run ./backend/embedpg/testdb start $(TESTDB)); \
	  trap 'go run ./backend/embedpg/testdb stop $(TESTDB)' EXIT; \
	  LEJEK_TEST_DATABASE_URL="$$url" LEJEK_CHAOS=full LEJEK_CHAOS_SEED="$(SEED)" go test -count=1 -timeout 60m -parallel 1 -v -run TestFault ./backend/chaos

mutate-kinds: ## Empty each kind of step and trigger in turn; its tests in backend/kindtest must fail
	@url=$$(go run ./backend/embedpg/testdb start $(TESTDB)); \
	  trap 'go run ./backend/embedpg/testdb stop $(TESTDB)' EXIT; \
	  LEJEK_TEST_DATABASE_URL="$$url" go run ./e2e/mutatekinds

mutate-canvas: $(MODULES) $(UI) ## Take each command of the editor out of the registry in turn; its browser test must fail. ONLY="undo copy" tries these alone
	@chromium=$$(.ci/browser); \
	  url=$$(go run ./backend/embedpg/testdb start $(TESTDB)); \
	  trap 'go run ./backend/embedpg/testdb stop $(TESTDB)' EXIT; \
	  LEJEK_TEST_DATABASE_URL="$$url" LEJEK_CHROMIUM="$$chromium" go run ./e2e/mutatecanvas $(ONLY)

dev: $(MODULES) ## Backend on :8080, interface with live reload on :5173
	@go build -o bin/lejek ./backend
	@trap 'kill 0' EXIT; bin/lejek serve --sample & cd frontend && npm run dev

gen: $(MODULES) ## Make generated code anew
	@.ci/gen gen

lint: $(MODULES) ## golangci-lint (built from source, pinned), Biome, tsc
	@go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...
	@cd frontend && npm run --silent lint

bench: bin/lejek ## The measured numbers of the design, each on its own database
	@bin/lejek bench engine --json
	@bin/lejek bench lateness --json
	@bin/lejek bench waiting --json
	@bin/lejek bench ingest --json
	@bin/lejek bench audience --json
	@bin/lejek bench e2e --json

clean: ## Remove what was built; the data of 'make run' in .lejek/data stays
	@rm -rf bin frontend/node_modules $(TESTDB)
	@find backend/web/dist -mindepth 1 -not -name placeholder.html -delete
