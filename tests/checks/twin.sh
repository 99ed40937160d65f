#!/bin/sh
# twin.sh STOCK TESSERA [RELEASE]: runs both builds of one program, each in a folder of its own, and compares what they print.
# What stock of this release (11405 for 1.14.5) does otherwise than 1.10.8 and Tessera is taken out first, by
# ../twin/since_1.14/<program>.sed; a line "# skipped: WHY" there leaves the program out.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=${1##*/twin-}
differences=$(dirname "$0")/../twin/since_1.14/${name%-stock}.sed
if [ "${3:-0}" -lt 11400 ] || [ ! -e "$differences" ]; then
  differences=/dev/null
fi
grep '^# skipped: ' "$differences" && exit 77
mkdir "$work/stock" "$work/tessera"
(cd "$work/stock" && "$1" >../stock.all 2>../stock.err); stock=$?
(cd "$work/tessera" && "$2" >../tessera.all 2>../tessera.err); tessera=$?
for side in stock tessera; do
  sed -E -f "$differences" "$work/$side.all" >"$work/$side.out"
done
if [ "$stock" != "$tessera" ]; then
  echo "exit status: stock $stock, tessera $tessera"
  tail -20 "$work/tessera.err"
  diff "$work/stock.out" "$work/tessera.out" | head -20
  exit 1
fi
[ -s "$work/stock.out" ] || { echo "the program printed nothing"; exit 1; }
cmp -s "$work/stock.out" "$work/tessera.out" && exit 0
diff "$work/stock.out" "$work/tessera.out" | head -40
exit 1
