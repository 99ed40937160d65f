#!/bin/sh
# Compares the library under test with stock libhdf5 and h5py on every file of the corpus.
#
#   run.sh CANON_TESSERA CORPUSDIR [option of compare.py ...]
#
# The corpus is made when CORPUSDIR has none. STOCK_CANON may name a canon built against stock libhdf5; otherwise one
# is built beside the corpus. CC is the compiler for that.
set -eu
export PYTHONDONTWRITEBYTECODE=1
here=$(dirname "$(readlink -f "$0")")
python=${PYTHON:-/usr/bin/python3}
tested=$1
corpus=$2
shift 2
mkdir -p "$corpus"
if [ ! -e "$corpus/manifest.txt" ]; then
    "$python" "$here/generate.py" "$corpus"
fi
stock=${STOCK_CANON:-$corpus/canon_stock}
if [ -z "${STOCK_CANON:-}" ] && { [ ! -e "$stock" ] || [ "$here/canon.c" -nt "$stock" ]; }; then
    ${CC:-cc} -std=gnu11 -O1 -I/usr/include/hdf5/serial "$here/canon.c" -o "$stock" \
        -L/usr/lib/x86_64-linux-gnu/hdf5/serial -lhdf5
fi
exec "$python" "$here/compare.py" "$stock" "$tested" "$corpus" "$@"
