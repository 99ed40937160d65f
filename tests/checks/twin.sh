#!/bin/sh
# twin.sh STOCK TESSERA [RELEASE]: runs both builds of one program, each in a folder of its own, and compares what they print.
# What stock of this release (11405 for 1.14.5) does otherwise than 1.10.8 and Tessera is taken out first, by
# ../twin/since_1.14/<program>.sed, and from 2.0 on by since_2.0/<program>.sed, too; a line "# skipped: WHY" there leaves the program out.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=${1##*/twin-}
differences() { # SINCE FOLDER
  file=$(dirname "$0")/../twin/$2/${name%-stock}.sed
  if [ "$release" -ge "$1" ] && [ -e "$file" ]; then echo "$file"; else echo /dev/null; fi
}
release=${3:-0}
since_114=$(differences 11400 since_1.14)
since_200=$(differences 20000 since_2.0)
grep -h '^# skipped: ' "$since_114" "$since_200" && exit 77
mkdir "$work/stock" "$work/tessera"
(cd "$work/stock" && "$1" >../stock.all 2>../stock.err); stock=$?
(cd "$work/tessera" && "$2" >../tessera.all 2>../tessera.err); tessera=$?
for side in stock tessera; do
  sed -E -f "$since_114" "$work/$side.all" | sed -E -f "$since_200" >"$work/$side.out"
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
