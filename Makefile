# A thin front of CMake (see CMakePresets.json):
#
#   make demo       compile real models ahead of time and run them
#   make demo-sentences
#                   rank sentences with an encoder that Transformers saved
#   make check      every test, the format and the generated docs
#   make build      the tools, in $(BUILD)/bin
#   make install    to $(PREFIX)
#   make lint       clang-tidy, without a finding
#   make bench      kernels beside what bounds them, in $(BUILD)/bench.json;
#                   BENCH=REGEX chooses (needs Google Benchmark)
#   make check-precision
#                   all layers with rounded factors of products on the emulator,
#                   against references in float32
#   make check-settings
#                   all layers with passes left out, against the references;
#                   FILTER=REGEX chooses, SETTINGS=N says how many random choices
#                   of passes each has, TARGETS=cpu,gpu-emu where, OPTIONS=... go to
#                   gnn-compile, for instance OPTIONS=--topology=sparse
#   make check-random
#                   random programs, compiled with passes left out, against the
#                   interpreter; SEEDS=N says how many, FIRST=SEED where to begin,
#                   FILTER=REGEX chooses by their text, and SETTINGS, TARGETS and
#                   OPTIONS are as above
#   make check-broken-inputs
#                   inputs of the tools, broken at random; CASES=N says how many
#                   of each kind, FIRST=N the number of the first, KINDS=... which
#   make check-passes
#                   each pass by itself on the tests' IR and on what the stages of
#                   the pipelines make of it; of all pairs every EVERY-th, from
#                   FIRST on
#   make check-gpu  the layers' tests on this machine's GPU, if it has one
#   make check-aarch64
#                   models and runtime on AArch64, in an emulator, against the same
#                   references
#   make bench-gpu  kernels on this machine's GPU, if it has one, beside what
#                   bounds them and other libraries that Python has
#   make gpu-bundle the tests and benchmarks as a folder, $(BUILD)/gpu-bundle,
#                   that a machine with a GPU and without LLVM can run, and
#                   packed, $(BUILD)/gpu-bundle.tar.gz
#   make check-san  every test with assertions and sanitizers, in $(BUILD)-san
#   make format     format the sources
#   make docs       regenerate docs/Dialect.md and docs/Passes.md
#   make deps       install the Debian packages that are missing
#
# All of them start with `make deps`; DEPS=no leaves it out. CMAKE_ARGS=... goes
# to the configuration, for instance CMAKE_ARGS=-DMLIR_DIR=.... What is configured
# here compiles eight sources at once, with UNITY=OFF, or by `cmake --preset default`,
# each by itself.

BUILD ?= build
UNITY ?= ON
BENCH ?= .
FILTER ?= .
SETTINGS ?= 2
SEEDS ?= 100
FIRST ?= 0
TARGETS ?= cpu
OPTIONS ?=
CASES ?= 10
EVERY ?= 10
KINDS ?= description,weights,graph,text,encode,mlir
PREFIX ?= /usr/local
CMAKE_ARGS ?=
DEPS ?= yes

.PHONY: build deps configure check check-precision check-settings check-random check-broken-inputs check-passes check-gpu check-aarch64 gpu-bundle bench bench-gpu demo demo-sentences lint check-san format docs clean install
.DEFAULT_GOAL := build

deps:
ifeq ($(DEPS),yes)
	@scripts/install-deps.sh
endif

configure: deps
	@test -f $(BUILD)/build.ninja && test -z "$(CMAKE_ARGS)" || \
	  cmake --preset default -B $(BUILD) -DGNN_UNITY_BUILD=$(UNITY) $(CMAKE_ARGS)

build: configure
	cmake --build $(BUILD)

# -k 0: a stale page does not keep the tests from running.
check: build
	cmake --build $(BUILD) --target check-gnn -- -k 0

check-precision: build
	python3 test/Tools/check-precision.py --tools $(BUILD)/bin \
	  --graphs test/EndToEnd/Inputs/graphs --scratch $(BUILD)/precision \
	  --bounds test/EndToEnd/Precision/bounds.txt test/EndToEnd/Layers/*/

# Verified after each pass, as in tests. Idle threads must not spin, as little as two
# threads have to do here.
check-settings: build
	GNN_COMPILE_OPTIONS=--verify-every=1 KMP_BLOCKTIME=0 \
	  python3 test/Tools/check-settings.py --tools $(BUILD)/bin \
	  --graphs test/EndToEnd/Inputs/graphs --scratch $(BUILD)/settings \
	  --targets $(TARGETS) --settings $(SETTINGS) --filter '$(FILTER)' \
	  --compile='$(OPTIONS)' \
	  test/EndToEnd/Layers/*/

check-random: build
	GNN_COMPILE_OPTIONS=--verify-every=1 KMP_BLOCKTIME=0 \
	  python3 test/Tools/random-programs.py --tools $(BUILD)/bin \
	  --graphs test/EndToEnd/Inputs/graphs --scratch $(BUILD)/random/program \
	  --targets $(TARGETS) --settings $(SETTINGS) --filter '$(FILTER)' \
	  --options='$(OPTIONS)' --first $(FIRST) --seeds $(SEEDS)

check-broken-inputs: build
	KMP_BLOCKTIME=0 python3 test/Tools/check-broken-inputs.py --tools $(BUILD)/bin \
	  --graphs test/EndToEnd/Inputs/graphs --scratch $(BUILD)/broken-inputs \
	  --cases $(CASES) --first $(FIRST) --kinds $(KINDS) \
	  test/EndToEnd/Layers/*/ test/*/*.mlir

check-passes: build
	python3 test/Tools/check-passes.py --tools $(BUILD)/bin \
	  --scratch $(BUILD)/passes --stages --every $(EVERY) --first $(FIRST) \
	  test/*/*.mlir test/*/*/*.mlir

check-gpu: build
	scripts/check-gpu.sh $(BUILD)

check-aarch64: build
ifeq ($(DEPS),yes)
	@scripts/install-deps.sh qemu-user
endif
	scripts/check-aarch64.sh $(BUILD)

gpu-bundle: build
	scripts/gpu-bundle.sh $(BUILD) $(BUILD)/gpu-bundle

bench-gpu: build
	scripts/bench-gpu.sh $(BUILD)

demo: build
	scripts/demo.sh $(BUILD)/bin

demo-sentences: build
ifeq ($(DEPS),yes)
	@scripts/install-deps.sh python3-venv
endif
	examples/sentences/demo.sh $(BUILD)/bin

bench: configure
ifeq ($(DEPS),yes)
	@scripts/install-deps.sh --bench
endif
	cmake -DGNN_ENABLE_BENCHMARKS=ON -B $(BUILD)
	cmake --build $(BUILD) --target gnn-bench
	$(BUILD)/bin/gnn-bench --benchmark_filter='$(BENCH)' \
	  --benchmark_out=$(BUILD)/bench.json

# In a folder of its own, whose database has each source by itself.
lint: deps
ifeq ($(DEPS),yes)
	@scripts/install-deps.sh clang-tidy-22
endif
	cmake --preset default -B $(BUILD)-lint $(CMAKE_ARGS)
	cmake --build $(BUILD)-lint --target gnn-headers gnn_pch
	scripts/lint.sh $(BUILD)-lint

check-san: deps
	@test -f $(BUILD)-san/build.ninja && test -z "$(CMAKE_ARGS)" || \
	  cmake --preset san -B $(BUILD)-san -DGNN_UNITY_BUILD=$(UNITY) $(CMAKE_ARGS)
	cmake --build $(BUILD)-san
	cmake --build $(BUILD)-san --target check-gnn-tests

format docs: configure
	cmake --build $(BUILD) --target $(subst docs,update-docs,$@)

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf $(BUILD) $(BUILD)-debug $(BUILD)-lint $(BUILD)-san
