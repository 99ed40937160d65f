#!/bin/sh
# run.sh TESSERA SAMPLE CASE: runs one golden test of the command-line tool.
#
# CASE is a file of blocks: "$ arguments", the expected lines of stdout and stderr together, and "[status]". SAMPLE stands
# as sample.h5 in the folder the commands run in, beside text (no HDF5 file), cut.h5 (half of one), folder, the files of
# crashed/, whose writers died, and those of chunks/.
set -u
tessera=$1
sample=$2
case_file=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/run" "$work/run/folder"
cp "$sample" "$work/run/sample.h5"
cp "$(dirname "$case_file")"/crashed/*.h5 "$(dirname "$case_file")"/chunks/*.h5 "$work/run"
head -c 5000 "$sample" >"$work/run/cut.h5"
echo "just some text" >"$work/run/text"
cd "$work/run" || exit 1
grep '^\$ ' "$case_file" | while IFS= read -r line; do
  printf '%s\n' "$line"
  eval "\"\$tessera\" ${line#\$ }" 2>&1
  echo "[$?]"
done >"$work/got"
diff -u "$case_file" "$work/got"
