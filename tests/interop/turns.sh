#!/bin/sh
# turns.sh STOCK TESSERA [SEEDS [FORMATS]]: two builds of one program take turns on a file, whoever begins; in between the tools of
# stock libhdf5 must accept it. The program is called as PROGRAM FILE SEED FROM TO old|new|v200.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seeds=${3:-20}
file=$work/file.h5

turn() { # PROGRAM SEED FROM TO FORMAT
  "$1" "$file" "$2" "$3" "$4" "$5" >"$work/out" 2>&1 && return
  echo "seed $2, $5 formats, operations $3 to $4 by $(basename "$1"):"
  head -20 "$work/out"
  exit 1
}

accepted() {
  for tool in h5dump h5stat "h5ls -rv"; do
    $tool "$file" >"$work/out" 2>&1 || { echo "$tool: $(tail -5 "$work/out")"; exit 1; }
  done
}

seed=1
while [ "$seed" -le "$seeds" ]; do
  for format in ${4:-new old}; do
    if [ $((seed % 2)) = 0 ]; then a=$1 b=$2; else a=$2 b=$1; fi
    turn "$a" $seed 0 300 $format
    turn "$b" $seed 300 800 $format
    turn "$a" $seed 800 1500 $format
    turn "$b" $seed 1500 2100 $format
    accepted
    turn "$a" $seed 2100 2101 $format
  done
  seed=$((seed + 1))
done
