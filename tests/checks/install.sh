#!/bin/sh
# install.sh BUILD SOURCE FLAGS: installs into a scratch prefix and builds README's example as a user would, with
# pkg-config and with CMake. FLAGS are what the build's sanitizers ask of a program.
set -eu
build=$1 source=$2 flags=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
awk '/^```c$/ {on = 1; next} /^```$/ {on = 0} on' "$source/README.md" >"$work/example.c"

library=$(dirname "$(find "$work/prefix" -name 'libtessera.so')")
export PKG_CONFIG_PATH="$library/pkgconfig" LD_LIBRARY_PATH="$library"
cc $flags "$work/example.c" $(pkg-config --cflags --libs tessera) -o "$work/example"
cd "$work"
"$work/example" >"$work/out"
echo '3 of a million million: 10 20 30' | cmp - "$work/out" || { cat "$work/out"; exit 1; }
# Stock's tool, which knows no sparse datasets, on the drop-in library.
"$work/prefix/bin/tessera" run -- h5dump -d /hits -s 5,8 -c 1,1 hits.h5 | grep -q '(5,8): 20'

cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(example C)
find_package(tessera REQUIRED)
add_executable(example example.c)
target_link_libraries(example PRIVATE tessera::tessera)
END
cmake -S "$work" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_FLAGS="$flags" >/dev/null
ninja -C "$work/cmake" >/dev/null
"$work/cmake/example" | cmp - "$work/out"
test -f "$work/prefix/share/man/man1/tessera-demo.1"
test -f "$work/prefix/share/bash-completion/completions/tessera"
PYTHONPATH="$work/prefix/share/tessera/python" "$work/prefix/bin/tessera" run -- \
  /usr/bin/python3 -B -c 'import tessera; assert tessera.running(), tessera.library()'
"$work/prefix/bin/tessera" doctor h5ls | grep -q "under 'tessera run': Tessera .*/tessera/libhdf5_serial.so.[0-9]"
"$work/prefix/bin/tessera" --version
