# What a person or a machine does with this project. Every target sets up what it needs; `make help` lists them.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.NOTPARALLEL:

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
# Settings of a machine belong under /etc, wherever the programs are; a private PREFIX keeps its own.
SYSCONFDIR ?= $(if $(filter /usr /usr/local,$(PREFIX)),/etc,$(PREFIX)/etc)
# KEEP=1 leaves the demo running.
KEEP ?=
# Seconds; a test that hangs must not hang the caller.
TEST_TIMEOUT ?= 900
# More arguments for swift test, for example TEST_FLAGS='--filter TelemetryTests'.
TEST_FLAGS ?=

BINDIR = $(PREFIX)/bin
UNITDIR = $(PREFIX)/lib/systemd/system
UDEVDIR = $(PREFIX)/lib/udev/rules.d
SYSUSERSDIR = $(PREFIX)/lib/sysusers.d
SHAREDIR = $(PREFIX)/share
PROGRAMS = judder-node judder-fleet
UNITS = judder-node.service judder-fleet.service

# Debug and release builds stay apart, so that one does not undo the other.
BUILD = .build
# Holds nothing but links to the static C++ run time, so that the linker takes it before the shared one:
# 1.1 MB less resident memory, and a device needs no libstdc++.
STATIC = $(BUILD)/static-libraries
SELF_CONTAINED = -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker --gc-sections \
  -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -L$(CURDIR)/$(STATIC)
RELEASE_FLAGS = $(SELF_CONTAINED) -Xlinker -s
RELEASE = $(BUILD)/release

.PHONY: help demo test faults endure simulate fuzz sanitize hil bench instructions latency lint format config build
.PHONY: release install uninstall clean
.PHONY: dependencies lint-format static-libraries

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: dependencies ## three nodes, a broker, gpsd and the fleet tool, about 40 s (KEEP=1: until Ctrl-C)
	@$(SWIFT) build --product judder-node
	@$(SWIFT) build --product judder-fleet
	@$(SWIFT) build --product judder-demo
	@exec $(BUILD)/debug/judder-demo $(if $(KEEP),--keep)

test: dependencies lint-format ## lint, build and run every test
	@$(SWIFT) build --build-tests
	@SWIFT='$(SWIFT)' Tests/run $(BUILD) $(TEST_TIMEOUT) $(TEST_FLAGS)

# How many, and the seed that a failure names: make faults FAULTS=1000 SEED=7
FAULTS ?= 200
SEED ?= 20261
faults: dependencies ## a seeded sequence of faults of a real gpsd, with its costs, about 2 minutes
	@$(SWIFT) build --build-tests
	@JUDDER_FAULTS=$(FAULTS) JUDDER_FAULTS_SEED=$(SEED) timeout --kill-after=10 $$((300 + $(FAULTS))) \
	  $(SWIFT) test --skip-build --disable-xctest --filter GpsdSequenceTests >$(BUILD)/faults.log 2>&1 </dev/null; \
	status=$$?; cat $(BUILD)/faults.log; exit $$status

# Tests/endure has the numbers: make endure ONLY=DeliveryTests JUDDER_NODE_KILLS=100
endure: dependencies ## kills, power cuts, full disks, damage and bad links in full numbers (as root: all), 2 hours
	@$(SWIFT) build --build-tests
	@SWIFT='$(SWIFT)' Tests/endure $(BUILD)/endure.log

# A failure names its seed: make simulate SEEDS=1 SEED=4711 TRACE=1 shows all that happened in it.
SEEDS ?= 1000
TRACE ?=
SHORT ?=
simulate: dependencies ## node, spool, network, broker and fleet tool from seeds, everything going wrong (SEEDS=, SEED=)
	@$(SWIFT) build -c release --product Simulate
	@$(RELEASE)/Simulate --seeds $(SEEDS) --from $(if $(filter file,$(origin SEED)),1,$(SEED)) \
	  $(if $(SHORT),--short) $(if $(TRACE),--trace)

# For each target, and which: make fuzz SECONDS=600 FUZZ='json gpsd'. A build of its own, 3 minutes the first time.
SECONDS ?= 30
FUZZ ?=
fuzz: dependencies ## feed every reader of outside bytes with anything, 30 s each (SECONDS=, FUZZ=)
	@JUDDER_FUZZ=1 $(SWIFT) build -c release --scratch-path $(BUILD)/fuzz --product Fuzz --sanitize=address \
	  -Xswiftc -sanitize=fuzzer -Xcxx -fsanitize=fuzzer-no-link -Xswiftc -use-ld=lld
	@Tests/FuzzTests/run $(BUILD)/fuzz/release/Fuzz $(SECONDS) $(FUZZ)

# SANITIZERS=thread runs only this one; each has a build of its own.
SANITIZERS ?= address thread
sanitize: dependencies ## the tests of what has threads, files and C, under ASan and TSan, some minutes
	@SWIFT='$(SWIFT)' Tests/sanitize $(BUILD) $(SANITIZERS)

# SCENARIOS='hid-200 evdev' runs only these.
SCENARIOS ?=
hil: release ## the node on real drivers: a real kernel and emulated sensors under QEMU, about a minute
	@Tests/HardwareInTheLoop/run $(RELEASE)/judder-node $(SCENARIOS)

bench: instructions latency ## what a sample and a big fleet cost, and how long an alert takes

# Built as a release is, but with the symbols, so that a profile has names.
instructions: dependencies static-libraries
	@deploy/install-dependencies --benchmark
	@for program in MotionBenchmark FleetBenchmark; do \
	  $(SWIFT) build $(SELF_CONTAINED) --product $$program || exit; \
	done
	@Benchmarks/run $(RELEASE)/MotionBenchmark
	@Benchmarks/fleet $(RELEASE)/FleetBenchmark

# A minute and a half. Its figures mean something only on a machine that does nothing else; the store is beside the
# build, since /tmp may be in memory.
latency: dependencies static-libraries ## an alert's way to each sink at 1000 messages/s, beside mosquitto_sub
	@deploy/install-dependencies --benchmark
	@for product in judder-fleet LatencyBenchmark; do $(SWIFT) build $(SELF_CONTAINED) --product $$product || exit; done
	@mkdir -p $(BUILD)/bench
	@TMPDIR=$(CURDIR)/$(BUILD)/bench $(RELEASE)/LatencyBenchmark $(RELEASE)/judder-fleet

lint: dependencies lint-format ## check the format and the house rules
	@$(SWIFT) test --disable-xctest --filter TidyTests

lint-format: dependencies
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Benchmarks Simulation Tests

format: dependencies ## format every Swift file in place
	@$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Benchmarks Simulation Tests

config: build ## write config/*.toml anew from the programs' own tables
	@$(BUILD)/debug/judder-node config > config/node.toml
	@$(BUILD)/debug/judder-fleet config > config/fleet.toml

build: dependencies ## a debug build
	@$(SWIFT) build

release: dependencies static-libraries ## the small, self-contained programs
	@for program in $(PROGRAMS); do $(SWIFT) build $(RELEASE_FLAGS) --product $$program || exit; done
	@ls -l $(addprefix $(RELEASE)/,$(PROGRAMS))

static-libraries:
	@mkdir -p $(STATIC)
	@library=$$(ls /usr/lib/gcc/*/*/libstdc++.a | tail -n 1); folder=$${library%/*}; \
	ln -sf "$$library" $(STATIC)/libstdc++.a && ln -sf "$$folder/libgcc_eh.a" $(STATIC)/libgcc_s.a

# Nothing is built here with root's rights: as root, `make install` takes what `make release` left, if it is there.
install: ## install under PREFIX (DESTDIR= for packaging); build with `make release` first
	@for program in $(PROGRAMS); do \
	  [ -x $(RELEASE)/$$program ] || { echo "$(RELEASE)/$$program is missing: run 'make release' first" >&2; exit 69; }; \
	done
	@install -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(UNITDIR)' '$(DESTDIR)$(UDEVDIR)' '$(DESTDIR)$(SYSUSERSDIR)' \
	  '$(DESTDIR)$(SYSCONFDIR)/judder' '$(DESTDIR)$(SHAREDIR)/judder/mosquitto' \
	  '$(DESTDIR)$(SHAREDIR)/man/man1' '$(DESTDIR)$(SHAREDIR)/man/man8' \
	  '$(DESTDIR)$(SHAREDIR)/bash-completion/completions' '$(DESTDIR)$(SHAREDIR)/zsh/site-functions' \
	  '$(DESTDIR)$(SHAREDIR)/fish/vendor_completions.d'
	@for program in $(PROGRAMS); do \
	  run=$(RELEASE)/$$program; share='$(DESTDIR)$(SHAREDIR)'; \
	  install -m 755 $$run '$(DESTDIR)$(BINDIR)/' && \
	  case $$program in *-node) section=8 ;; *) section=1 ;; esac; \
	  $$run manual >"$$share/man/man$$section/$$program.$$section" && \
	  $$run completion bash >"$$share/bash-completion/completions/$$program" && \
	  $$run completion zsh >"$$share/zsh/site-functions/_$$program" && \
	  $$run completion fish >"$$share/fish/vendor_completions.d/$$program.fish" || exit; \
	done
	@for unit in $(UNITS); do \
	  sed 's|/usr/bin/judder|$(BINDIR)/judder|; s|/etc/judder|$(SYSCONFDIR)/judder|' deploy/systemd/$$unit \
	    >'$(DESTDIR)$(UNITDIR)'/$$unit || exit; \
	done
	@install -m 644 deploy/udev/60-judder-iio.rules '$(DESTDIR)$(UDEVDIR)/'
	@install -m 644 deploy/sysusers.d/judder.conf '$(DESTDIR)$(SYSUSERSDIR)/'
	@install -m 644 config/node.toml config/fleet.toml '$(DESTDIR)$(SHAREDIR)/judder/'
	@install -m 644 deploy/mosquitto/judder.conf deploy/mosquitto/judder.acl '$(DESTDIR)$(SHAREDIR)/judder/mosquitto/'
	@install -m 755 deploy/certificates '$(DESTDIR)$(SHAREDIR)/judder/'
	@for file in node.toml fleet.toml; do \
	  [ -e '$(DESTDIR)$(SYSCONFDIR)'/judder/$$file ] || \
	    install -m 644 config/$$file '$(DESTDIR)$(SYSCONFDIR)/judder/' || exit; \
	done
	@echo "Installed under $(DESTDIR)$(PREFIX); settings in $(DESTDIR)$(SYSCONFDIR)/judder."
	@[ -n '$(DESTDIR)' ] || printf '%s\n' \
	  'As root, once: systemd-sysusers && systemctl daemon-reload && udevadm control --reload &&' \
	  '  udevadm trigger --subsystem-match=iio --subsystem-match=input --action=add' \
	  'Then set broker.host in $(SYSCONFDIR)/judder/node.toml, and see what judder-node check says.'

uninstall: ## remove what install installed; settings stay
	@cd '$(DESTDIR)$(PREFIX)' && rm -f $(addprefix bin/,$(PROGRAMS)) $(addprefix lib/systemd/system/,$(UNITS)) \
	  lib/udev/rules.d/60-judder-iio.rules lib/sysusers.d/judder.conf \
	  share/man/man8/judder-node.8 share/man/man1/judder-fleet.1 \
	  $(foreach p,$(PROGRAMS),share/bash-completion/completions/$(p) \
	    share/zsh/site-functions/_$(p) share/fish/vendor_completions.d/$(p).fish)
	@rm -rf '$(DESTDIR)$(SHAREDIR)/judder'

clean: ## remove everything that was built
	@rm -rf $(BUILD)

dependencies:
	@deploy/install-dependencies
	@command -v $(SWIFT) >/dev/null || { echo "$(SWIFT) is not in PATH: install Swift 6.3 from swift.org" >&2; exit 69; }
