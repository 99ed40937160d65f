# A thin layer over CMake: what a person types. Every target installs the Debian packages it needs and lacks.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 10
ARM64_PACKAGES = libc6-dev libdeflate-dev libaec-dev libzstd-dev liblz4-dev liblzf-dev libcmocka-dev libhdf5-dev python3-h5py python3-numpy

.PHONY: run test test-dropin test-clients test-arm64 roots bench fuzz fuzzers install release dev tsan clean

# The main job: build the release and show what it does.
run: release
	@build/release/tools/tessera demo --output build/release/demo

release:
	@tools/dev/packages build
	@cmake --preset release >/dev/null
	@ninja -C build/release -j$(JOBS)

dev:
	@tools/dev/packages build test
	@tools/dev/packages clients || echo "some clients of the drop-in library cannot be installed; their tests are skipped"
	@cmake --preset dev >/dev/null
	@ninja -C build/dev -j$(JOBS)

tsan:
	@tools/dev/packages build test
	@cmake --preset tsan >/dev/null
	@ninja -C build/tsan -j$(JOBS) thread-tests

test: dev tsan fuzzers roots
	@tools/dev/test -j$(JOBS)

# libhdf5 1.14.5 and 2.2.0, to be compared with: unpacked below build/, not installed.
roots:
	@tools/dev/stock_roots build/roots

# Programs that know nothing of Tessera, whole: h5py's and PyTables' own tests, the HDF5 tools over every file.
test-dropin: release
	@tools/dev/packages build test clients
	@cmake --preset dev >/dev/null
	@tools/dev/test_dropin build/release/dropin build/dev/tests/corpus

# The tests of other projects, fetched and unchanged, on stock libhdf5 and on the drop-in: all, or CLIENTS="pandas silx".
test-clients: release
	@tools/dev/packages build test clients
	@tests/clients/run.py build/release/dropin $(CLIENTS)

# The library for arm64: a cross build, its tests under emulation, and its files beside those of this machine. As root.
test-arm64: release
	@tools/dev/packages build test arm64
	@tools/dev/debian_root build/arm64-root - arm64 $(ARM64_PACKAGES)
	@cmake --preset arm64 >/dev/null
	@ninja -C build/arm64 -j$(JOBS)
	@tools/dev/test_arm64 -j$(JOBS)

fuzzers:
	@tools/dev/packages build fuzz
	@cmake --preset fuzz >/dev/null
	@ninja -C build/fuzz -j$(JOBS)

# A short run of every fuzz target, starting from the kept corpora and the interoperability files.
fuzz: dev fuzzers
	@tools/dev/fuzz --seconds $(FUZZ_SECONDS)

bench: release
	@tools/dev/packages build test
	@cmake -S bench -B build/bench -G Ninja >/dev/null
	@ninja -C build/bench
	@bench/run build/bench

install: release
	@cmake --install build/release --prefix $(PREFIX)

clean:
	rm -rf build
