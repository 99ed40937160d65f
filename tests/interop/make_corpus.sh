#!/bin/sh
# make_corpus.sh FOLDER: the corpus, unless it is there and newer than what makes it.
set -eu
here=$(dirname "$(readlink -f "$0")")
mkdir -p "$1"
if [ -e "$1/manifest.txt" ] && [ -z "$(find "$here" -name '*.py' -newer "$1/manifest.txt")" ]; then
  exit 0
fi
exec "${PYTHON:-/usr/bin/python3}" "$here/generate.py" "$1"
