#!/usr/bin/env python3
"""seeds.py DIR: inputs for the fuzz targets on heaps and indexes, DIR/<target>/*, cut from small files of stock libhdf5."""
import pathlib
import re
import struct
import sys
import tempfile

import h5py
import numpy as np

TARGETS = {"local_heap": b"HEAP\0", "global_heap": b"GCOL\1", "fractal_heap": b"FRHP\0", "btree1": b"TREE", "btree2": b"BTHD\0",
           "fixed_array": b"FAHD\0", "ext_array": b"EAHD\0"}


def latest(path):
    with h5py.File(path, "w", libver="latest") as f:
        f.create_dataset("fixed", (6, 8), chunks=(1, 1), maxshape=(8, 8), dtype="u1")[::2] = 1
        f.create_dataset("fixed_pages", (2500,), chunks=(1,), compression=1, dtype="u1")[[0, 1500, 2499]] = 1
        f.create_dataset("ext", (300,), chunks=(2,), maxshape=(None,), dtype="u1")[...] = 1
        f.create_dataset("btree2", (20, 20), chunks=(1, 1), maxshape=(None, None), dtype="u1")[...] = 1
        g = f.create_group("dense", track_order=True)
        for i in range(60):
            g[f"link{i}" * (i % 9 + 1)] = h5py.SoftLink("/")
        for i in range(12):
            f["dense"].attrs[f"a{i}"] = np.zeros(500 if i < 11 else 5000, "u1")


def earliest(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("btree1", (20, 20), chunks=(1, 1), dtype="u1")[...] = 1
        f["strings"] = np.array(["text"] * 30, dtype=h5py.string_dtype())
        for i in range(100):
            f[f"link{i}"] = h5py.SoftLink("/")


def main(where):
    for number, make in enumerate((latest, earliest)):
        with tempfile.NamedTemporaryFile(suffix=".h5") as out:
            make(out.name)
            data = pathlib.Path(out.name).read_bytes()
        for target, magic in TARGETS.items():
            folder = pathlib.Path(where, target)
            folder.mkdir(parents=True, exist_ok=True)
            for found in re.finditer(re.escape(magic), data):
                first = data[found.start() + 4] << 4 | 1 << 5 if target == "btree1" else 0
                head = struct.pack("<BI", first, found.start())
                (folder / f"{number}-{found.start()}").write_bytes(head + data)


main(sys.argv[1])
