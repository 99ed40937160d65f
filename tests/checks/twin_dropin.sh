#!/bin/sh
# twin_dropin.sh STOCK_PROGRAM DROPIN_FOLDER: the program that was built with stock's headers prints the same on stock and on
# the drop-in library.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s\n' "$2" "$1" >"$work/on-dropin"
chmod +x "$work/on-dropin"
"$(dirname "$0")/twin.sh" "$1" "$work/on-dropin"
