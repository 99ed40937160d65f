#!/bin/sh
# run.sh MODEL SEEDS OPERATIONS [PYTHON CHECK]: the model test; with a Python that has h5py, another library reads some of
# the files.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$1" --seeds "$2" --ops "$3" --keep "$dir"
if [ -n "$4" ]; then
    "$4" -B "$5" "$dir"/model-0-*.h5
fi
