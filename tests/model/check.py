#!/usr/bin/env python3
"""Files that model.c kept, as another library reads them: h5py against the values beside each file."""
import sys

import h5py
import numpy as np


def check(path):
    with h5py.File(path, "r") as f, open(path + ".values") as values:
        for line in values:
            name, rows, cols, *rest = line.split()
            want = np.array(rest, dtype="i4").reshape(int(rows), int(cols))
            got = f[name][...]
            if got.shape != want.shape or (got != want).any():
                print(f"{path}: {name} {got.shape} is not as the model says, {want.shape}")
                if got.shape == want.shape:
                    where = np.argwhere(got != want)
                    print(f"  {len(where)} elements, the first at {where[0]}: {got[tuple(where[0])]}, not {want[tuple(where[0])]}")
                return False
    return True


if len(sys.argv) < 2:
    sys.exit("no files")
sys.exit(0 if all([check(path) for path in sys.argv[1:]]) else 1)
