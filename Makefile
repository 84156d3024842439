# Thin over meson: each variant is built in build/<variant>, configured on first use. `make help` lists the targets.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 20
WEIR = build/release/apps/weir/weir
RELEASE = -Dtests=disabled
CHECKED = -Dbuildtype=debugoptimized -Dchecks=true
SANITIZED = -Dbuildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false -Dc_args=-fno-sanitize-recover=all

# $(call compile,VARIANT,OPTIONS): configure once, then build what changed.
define compile
@command -v meson >/dev/null || { echo 'meson is missing: run `make deps`'; exit 1; }
@[ -f build/$(1)/build.ninja ] || meson setup build/$(1) $(2)
@ninja --quiet -C build/$(1)
endef

.DEFAULT_GOAL := build
.PHONY: build demo test test-long sanitize valgrind coverage bench rtl-report kernel-agreement fuzz tidy format deps install clean help

build: ## Build the library and the weir command (the default)
	$(call compile,release,$(RELEASE))

demo: ## Install what is missing, build, compare seven policies, and draw the result
	@tools/deps build
	$(call compile,release,$(RELEASE))
	@mkdir -p build/demo
	$(WEIR) run --output build/demo/demo.db scenarios/demo.yaml
	@$(WEIR) report build/demo/demo.db
	@echo 'Open build/demo/demo.html in a browser. docs/tutorial.md goes on from here.'

test: ## Install what is missing, build with invariant checks, and run all tests and tidy
	@tools/deps test
	$(call compile,checked,$(CHECKED) -Dwerror=true)
	@tools/runtests build/checked

test-long: ## The same with many more random rounds
	@tools/deps test
	$(call compile,checked,$(CHECKED) -Dwerror=true)
	@tools/runtests build/checked --setup long

sanitize: ## The tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(call compile,sanitize,$(SANITIZED))
	@tools/runtests build/sanitize --no-suite shell --no-suite tidy

valgrind: ## The unit and formula tests under valgrind
	$(call compile,valgrind,-Dbuildtype=debugoptimized)
	@tools/runtests build/valgrind --setup valgrind --suite unit --suite formula

coverage: ## Branch coverage of core/ and policies/ by the C tests; fails under 95 %
	$(call compile,coverage,-Dbuildtype=debug -Db_ndebug=true -Db_coverage=true)
	@find build/coverage -name '*.gcda' -delete
	@tools/runtests build/coverage --suite unit --suite formula --suite swarm
	@gcovr --root . --filter core/ --filter policies/ --branches --fail-under-branch 95 build/coverage

bench: ## Measure MMU, simulator (beside ns-3) and software switch (beside DPDK's own); tables go to build/bench*.json
	@tools/deps bench || echo 'bench: without what is missing'
	$(call compile,release,$(RELEASE))
	build/release/bench/weir-bench build/bench.json
	@ninja --quiet -C build/release weir-ns3 >/dev/null 2>&1 || \
		{ meson setup --reconfigure build/release >/dev/null && ninja --quiet -C build/release weir-ns3 >/dev/null 2>&1; } || true
	bench/fabric.py build/release build/bench-sim.json
	bench/switch.py build/release build/bench-switch.json

rtl-report: ## Synthesize the hardware and print its cost beside Occamy's Table 1; LIBERTY=file for another cell library
	@tools/deps rtl || echo 'rtl-report: without what is missing'
	@mkdir -p build
	nice tools/rtl-report $(if $(LIBERTY),--liberty $(LIBERTY)) $(if $(QUEUES),--queues $(QUEUES)) --output build/rtl-report.md
	@cat build/rtl-report.md

kernel-agreement: ## Compare the simulator's TCP with this kernel's on real packets (root, 40 minutes); docs/kernel-agreement.md
	$(call compile,release,$(RELEASE))
	tools/kernel-agreement --seeds 5 --results build/kernel-agreement.db --output docs/kernel-agreement.md

fuzz: ## Fuzz each target for FUZZ_SECONDS (20)
	$(call compile,fuzz,$(SANITIZED) -Dchecks=true -Dtests=disabled -Dfuzz=true --native-file tools/clang.ini)
	@tools/runfuzz build/fuzz $(FUZZ_SECONDS)

tidy: ## Check layout, include direction, lengths, banned calls, globals, docs
	@tools/tidy

format: ## Apply .clang-format to every C file
	@find . -path ./build -prune -o -path "*/node_modules" -prune -o -name '*.[ch]' -exec clang-format -i {} +

deps: ## Install every package that building and testing need
	@tools/deps test

install: ## Install to PREFIX (/usr/local), under DESTDIR if set
	$(call compile,release,$(RELEASE))
	@meson configure build/release -Dprefix=$(PREFIX)
	@meson install -C build/release --quiet

clean: ## Remove everything that was built
	rm -rf build

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile
