# Thin over meson: each variant is built in build/<variant>, configured on first use. `make help` lists the targets.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 20
ROUNDS ?= 10
WEIR = build/release/apps/weir/weir
RELEASE = -Dtests=disabled
CHECKED = -Dbuildtype=debugoptimized -Dchecks=true $(if $(CI),-Dwerror=true)
SANITIZED = -Dbuildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false -Dc_args=-fno-sanitize-recover=all

WASI = --cross-file tools/wasi.ini

TSAN = -Dbuildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false

# $(call compile,VARIANT,OPTIONS): configure once, then build what changed. On a terminal a line counts the steps.
define compile
@command -v meson >/dev/null && command -v ninja >/dev/null || { echo 'meson or ninja is missing: run `make deps`, as root'; exit 1; }
@[ -f build/$(1)/build.ninja ] || meson setup build/$(1) $(2)
@if [ -t 1 ]; then ninja -C build/$(1); else ninja --quiet -C build/$(1); fi
endef

# $(call deps,MODE): whoever cannot install goes on with what there is; CI does not.
define deps
@tools/deps $(1) || { [ -z '$(CI)' ] && echo '$@: going on with what there is'; }
endef

.DEFAULT_GOAL := build
.PHONY: build demo deb dist test test-long test-mpich sanitize tsan valgrind mutants coverage pictures playground site bench peers rtl-report kernel-agreement fuzz fuzz-night soak sbom tidy format deps install clean help

build: ## Build the library and the weir command (the default)
	@tools/lookagain build/release weir-switch:libdpdk
	$(call compile,release,$(RELEASE))

demo: ## Install what is missing, build, compare seven policies, and draw the result
	$(call deps,build)
	@tools/lookagain build/release weir-traffic weir-switch:libdpdk
	$(call compile,release,$(RELEASE))
	@[ -x $(WEIR) ] || { echo 'demo: the weir command was not built; it needs jansson, zstd, sqlite3, libyaml and libpcap'; exit 1; }
	@mkdir -p build/demo
	$(WEIR) run --output build/demo/demo.db scenarios/demo.yaml
	@$(WEIR) report build/demo/demo.db
	@echo 'Open build/demo/demo.html in a browser. docs/tutorial/first-policy.md goes on from here.'

test: ## Install what is missing, build with invariant checks, and run all tests and tidy
	$(call deps,test)
	@tools/lookagain build/checked weir-switch
	$(call compile,checked,$(CHECKED))
	@tools/runtests build/checked

test-long: ## The same with ROUNDS (10) times as many random rounds, and two whole builds compared (an hour)
	@tools/deps test
	$(call compile,checked,$(CHECKED))
	@WEIR_TEST_ROUNDS=$(ROUNDS) tools/runtests build/checked --setup long

test-mpich: ## The tests of mpirun by MPICH (installs it beside Open MPI, 120 MB)
	@tools/deps test
	@tools/deps mpich
	@tools/lookagain build/checked weir-mpi-mpich
	$(call compile,checked,$(CHECKED))
	@tools/runtests build/checked ranks_mpich fabric_mpich

sanitize: ## The tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(call compile,sanitize,$(SANITIZED))
	@tools/runtests build/sanitize --no-suite shell --no-suite tidy --no-suite rtl

valgrind: ## The unit and formula tests under valgrind
	$(call compile,valgrind,-Dbuildtype=debugoptimized)
	@tools/runtests build/valgrind --setup valgrind --suite unit --suite formula

MINUTES ?= 10
mutants: ## Break one thing at a time, MINUTES (10) long, and report by room what no test notices; SEED, MUTANTS (60) per room, ROOMS
	$(call compile,checked,$(CHECKED))
	@nice tools/mutants build/checked --minutes $(MINUTES) --seed $(or $(SEED),1) --count $(or $(MUTANTS),60) $(foreach room,$(ROOMS),--room $(room))

coverage: ## Branch coverage of lib/core/ and lib/policies/ by the C tests; fails under 95 %
	$(call compile,coverage,-Dbuildtype=debug -Db_ndebug=true -Db_coverage=true)
	@find build/coverage -name '*.gcda' -delete
	@tools/runtests build/coverage --suite unit --suite formula --suite swarm
	@gcovr --root . --filter lib/core/ --filter lib/policies/ --branches --fail-under-branch 95 build/coverage

# From a commit alone: the pages in the pictures say which one drew them.
pictures: ## Draw the pictures of the docs again, from the last commit: pages in Chromium, a trace of the switch, and the gallery
	@[ -z "$$(git status --porcelain)" ] || { echo 'pictures: the tree has changes (commit them first: pictures name the commit that drew them)'; exit 1; }
	$(call compile,release,$(RELEASE))
	@rm -rf build/pictures && mkdir -p build/pictures/gallery
	WEIR=$(CURDIR)/$(WEIR) WEIR_SWITCH=$(CURDIR)/build/release/apps/weir-switch/weir-switch WEIR_ROOT=$(CURDIR) PICTURES=$(CURDIR)/build/pictures bash tests/browser/run.sh
	WEIR_ROOT=$(CURDIR) PICTURES=$(CURDIR)/build/pictures bash tests/browser/playground.sh || [ $$? -eq 77 ]
	WEIR=$(CURDIR)/$(WEIR) tools/gallery build/pictures/gallery
	cp -r build/pictures/. docs/images

playground: ## Build the playground, a page that simulates in the browser, into build/playground.html
	@tools/deps playground
	$(call compile,wasi,$(WASI))
	@cp build/wasi/show/playground/wasm/playground.html build/playground.html
	@echo 'Open build/playground.html in a browser.'

site: ## Build docs, references, reports and the playground into one folder with a search, build/site, and follow its links
	@tools/deps site
	$(call compile,release,$(RELEASE))
	@$(MAKE) --no-print-directory playground
	@tools/site build/site

bench: ## Measure MMU, forests (beside scikit-learn), simulator (beside ns-3) and software switch (beside DPDK's own); tables go to build/bench*.json
	@tools/deps bench || echo 'bench: without what is missing'
	@tools/lookagain build/release weir-switch weir-ns3-leaf-spine
	$(call compile,release,$(RELEASE))
	build/release/bench/weir-bench build/bench.json
	bench/forest.py build/release build/bench-forest.json
	@ninja --quiet -C build/release weir-ns3 >/dev/null 2>&1 || true
	bench/fabric.py build/release build/bench-sim.json
	bench/scale.py build/release build/bench-scale.json
	bench/switch.py build/release build/bench-switch.json
	bench/play.js build/release build/wasi build/bench-play.json

peers: ## Compare simulators on the same flows: weir, ns-3, and PEERS='NAME=PROGRAM ...' (bench/peers.py); build/peers.md, build/peers.svg
	@tools/deps bench || echo 'peers: without what is missing'
	$(call compile,release,$(RELEASE))
	@ninja --quiet -C build/release weir-ns3 >/dev/null 2>&1 || true
	bench/peers.py build/release build/peers.json --page build/peers.md --picture build/peers.svg $(foreach peer,$(PEERS),--peer $(peer))

# With LIBERTY, QUEUES or AUTHORS (src/verilog of Occamy's artifact) it writes into build/; RTL_RECORD and RTL_PAGE say where else.
RTL_CUSTOM = $(LIBERTY)$(QUEUES)$(AUTHORS)
RTL_RECORD ?= $(if $(RTL_CUSTOM),build/hardware.json,docs/hardware.json)
RTL_PAGE ?= $(if $(RTL_CUSTOM),build,docs/reference)/rtl-cost.md
rtl-report: ## Synthesize the hardware (hours): docs/reference/rtl-cost.md, and a page in build/; LIBERTY=file for another cell library
	@tools/deps rtl || echo 'rtl-report: without what is missing'
	@mkdir -p build && test -e $(RTL_RECORD) || cp docs/hardware.json $(RTL_RECORD)
	nice tools/rtl-report --record $(RTL_RECORD) --page $(RTL_PAGE) --html build/rtl-report.html \
	    $(if $(LIBERTY),--liberty $(LIBERTY)) $(if $(QUEUES),--queues $(QUEUES)) $(if $(AUTHORS),--authors $(AUTHORS))
	@echo 'Tables: $(RTL_PAGE); page: build/rtl-report.html'

kernel-agreement: ## Compare the simulator's TCP with this kernel's on real packets (root, 40 minutes); docs/explanation/kernel-agreement.md
	$(call compile,release,$(RELEASE))
	tools/kernel-agreement --seeds 5 --results build/kernel-agreement.db --output docs/explanation/kernel-agreement.md

fuzz: ## Fuzz each target for FUZZ_SECONDS (20; 120 make more than 10^8 executions in all)
	$(call compile,fuzz,$(SANITIZED) -Dchecks=true -Dtests=disabled -Dfuzz=true --native-file tools/clang.ini)
	@tools/runfuzz build/fuzz $(FUZZ_SECONDS)

sbom: ## Write what weir is made of to build/sbom.spdx.json (SPDX 2.3)
	$(call compile,release,$(RELEASE))
	@tools/sbom build/release >build/sbom.spdx.json && echo build/sbom.spdx.json

fuzz-night: ## Fuzz each target for half an hour, and keep what was learned in the tree (8 hours)
	@$(MAKE) fuzz FUZZ_SECONDS=1800
	@tools/runfuzz --keep build/fuzz

tsan: ## The switch's pipeline mode, simulations by threads, random ones too, and the other threads under ThreadSanitizer
	$(call compile,tsan,$(TSAN))
	@TSAN_OPTIONS=suppressions=$(CURDIR)/tests/tsan.supp:halt_on_error=1:second_deadlock_stack=1 \
		tools/runtests build/tsan --timeout-multiplier 10 conformance_pipeline soak packets switch/dpdk/dataplane switch/dpdk/dataplane_line \
		switch/dpdk/dataplane_links switch/dpdk/dataplane_shaping switch/dpdk/dataplane_trace switch/dpdk/drops lib/forest/train sim_golden sim_divided sim/parallel/workers sim/parallel/ranks sim/deadlock

soak: ## The switch with real traffic in namespaces, flaps, kills and changes, for SOAK_SECONDS (1800), as root
	$(call compile,release,$(RELEASE))
	@WEIR=$(CURDIR)/$(WEIR) WEIR_SWITCH=$(CURDIR)/build/release/apps/weir-switch/weir-switch \
		tests/apps/soak_network.sh $(or $(SOAK_SECONDS),1800)

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

DEB_OPTIONS ?= nocheck
deb: ## Debian packages, from the last commit, into build/deb (minutes); DEB_OPTIONS= runs the unit tests too
	@tools/makedeb build/deb "$(DEB_OPTIONS)"

dist: ## The files of a release, from the last commit, into build/dist: source, Linux program, playground, checksums
	@tools/deps playground
	@tools/makedist build/dist

clean: ## Remove everything that was built
	rm -rf build

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile
