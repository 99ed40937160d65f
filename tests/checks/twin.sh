#!/bin/sh
# twin.sh STOCK TESSERA: runs both builds of one program, each in a folder of its own, and compares what they print.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/stock" "$work/tessera"
(cd "$work/stock" && "$1" >../stock.out 2>../stock.err); stock=$?
(cd "$work/tessera" && "$2" >../tessera.out 2>../tessera.err); tessera=$?
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
