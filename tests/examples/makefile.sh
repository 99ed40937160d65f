#!/bin/sh
# makefile.sh BUILD SOURCE FLAGS: the examples' Makefile builds all of them against an installed Tessera, and one runs. FLAGS are
# what the build's sanitizers ask of a program.
set -eu
build=$1 source=$2 flags=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
cp -r "$source/examples" "$work/examples"
packages=$(dirname "$(find "$work/prefix" -name tessera.pc)")
cd "$work/examples"
make -s PKG_CONFIG_PATH="$packages" CFLAGS="-Wall -Wextra -Werror $flags"
for example in *.c; do
  [ -x "${example%.c}" ] || { echo "$example was not built"; exit 1; }
done
./csr_matrix >"$work/out"
grep -q '^CSR, 3 x 4, 5 entries$' "$work/out"
make -s clean
if ls sparse_write_read csr_matrix csr_matrix.h5 2>/dev/null; then
  echo "make clean leaves these"
  exit 1
fi
# The header is also one for C++.
printf '#include "csr.h"\nint main() { h5sparse_coo_t m; return h5sparse_read_coo(-1, "", -1, &m) != -1; }\n' >"$work/plus.cc"
PKG_CONFIG_PATH="$packages" c++ -Wall -Wextra -Werror $flags -I. "$work/plus.cc" \
  $(PKG_CONFIG_PATH="$packages" pkg-config --cflags --libs tessera) -Wl,-rpath,"$(dirname "$packages")" -o "$work/plus"
"$work/plus" 2>"$work/err"
