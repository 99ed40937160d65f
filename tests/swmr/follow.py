#!/usr/bin/env python3
"""follow.py read|write FILE SECONDS SEED: the reader and the writer of this folder in h5py, for the sort extensible-deflate
of common.c: new rows only."""
import os
import random
import sys
import time

import h5py
import numpy as np

DATASETS, COLS, CHUNK, GENERATIONS, MOST_ROWS = 2, 16, (8, 8), 1 << 20, 60000


def values(k, first, n, generation=0):
    place = (np.arange(first * COLS, (first + n) * COLS, dtype=np.uint64) * np.uint64(DATASETS) + np.uint64(k))
    base = place * np.uint64(2654435761) % np.uint64(1 << 42)
    return (base.astype(np.int64) * GENERATIONS + generation).reshape(n, COLS)


def progress(path):
    with open(path + ".progress", "ab") as f:
        f.truncate(56)
    return np.memmap(path + ".progress", dtype=np.uint64, mode="r+", shape=(7,))


def write(path, seconds, rnd):
    shared = progress(path)
    with h5py.File(path, "w", libver="latest") as f:
        sets = [f.create_dataset(f"d{k}", (0, COLS), "i8", maxshape=(None, COLS), chunks=CHUNK, compression=1, fillvalue=-1)
                for k in range(DATASETS)]
        for d in sets:
            d.attrs["done"] = np.int64(-1)
        f.swmr_mode = True
        shared[0] = 1
        end, rows = time.monotonic() + seconds, [0] * DATASETS
        while time.monotonic() < end:
            k = rnd.randrange(DATASETS)
            n = min(rnd.randrange(1, 24), MOST_ROWS - rows[k])
            sets[k].resize(rows[k] + n, 0)
            sets[k][rows[k]:] = values(k, rows[k], n)
            rows[k] += n
            if rnd.random() < 0.5:
                sets[k].flush()
                shared[1 + k] = rows[k]
            time.sleep(rnd.random() * 0.003)
        for k, d in enumerate(sets):
            d.attrs.modify("done", np.int64(rows[k]))
            d.flush()
    print("rows", rows)


def look(k, d, first, last):
    found = d[first:last]
    wrong = found // GENERATIONS != values(k, first, last - first) // GENERATIONS
    if wrong.any():
        row, col = np.argwhere(wrong)[0]
        sys.exit(f"dataset {k} row {first + row} column {col}: {found[row, col]}")


def read(path, seconds, rnd):
    del seconds
    shared, refreshes = progress(path), 0
    open(f"{path}.reader{os.getpid()}", "w").close()
    wait = time.monotonic() + 20
    while shared[0] == 0 and time.monotonic() < wait:
        time.sleep(0.001)
    with h5py.File(path, "r", libver="latest", swmr=True) as f:
        sets, rows, done = [f[f"d{k}"] for k in range(DATASETS)], [0] * DATASETS, [False] * DATASETS
        while not all(done):
            for k, d in enumerate(sets):
                flushed = int(shared[1 + k])
                d.refresh()
                refreshes += 1
                now, said = d.shape[0], int(d.attrs["done"])
                if now < rows[k] or now < flushed:
                    sys.exit(f"dataset {k}: {now} rows; there were {rows[k]}, and {flushed} are flushed")
                look(k, d, rows[k], now)
                if now:
                    first = rnd.randrange(now)
                    look(k, d, first, min(now, first + 30))
                rows[k], done[k] = now, said == now
            time.sleep(rnd.random() * 0.003)
        for k, d in enumerate(sets):
            look(k, d, 0, rows[k])
    print("rows", rows, "refreshes", refreshes)


if __name__ == "__main__":
    {"read": read, "write": write}[sys.argv[1]](sys.argv[2], float(sys.argv[3]), random.Random(int(sys.argv[4])))
