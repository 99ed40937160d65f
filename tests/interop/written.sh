#!/bin/sh
# written.sh DROPIN STOCK_CANON TESTED_CANON STOCK_EDIT TESTED_EDIT CORPUS WRITTEN: the corpus once more, by h5py on the
# drop-in library in the folder DROPIN, compared with the one of stock; then both are changed by both libraries.
# TESSERA_ALL=1 gives every file to the tools and to the changes, not only a share of them.
set -eu
export PYTHONDONTWRITEBYTECODE=1
here=$(dirname "$(readlink -f "$0")")
python=${PYTHON:-/usr/bin/python3}
rm -rf "$7"
LD_LIBRARY_PATH=$1 "$python" "$here/generate.py" "$7" --written
share=${TESSERA_ALL:-6}
"$python" "$here/written.py" "$2" "$3" "$6" "$7" --tools-every "$share"
"$python" "$here/edited.py" "$2" "$3" "$4" "$5" "$6" "$7" --every "$share"
