#!/usr/bin/env python3
"""map.py TESSERA READ_MAP SPARSE: maps of datasets that stock h5py made, and of sparse ones that the program SPARSE
makes with Tessera, are read by the example alone; the values must be those that h5py and Tessera read."""
import itertools
import json
import pathlib
import runpy
import subprocess
import sys
import tempfile
import zlib

import h5py
import numpy as np

TESSERA, READ_MAP, SPARSE = sys.argv[1:]
random = np.random.default_rng(1)
mapped = 0


def check(good, what):
    if not good:
        sys.exit(f"map.py: {what}")


def read_by_map(folder, name):
    """The array, what the example says and the map, each None if there is none."""
    global mapped
    mapped += 1
    map_file, out = folder / "map.json", folder / "out.npy"
    for old in (map_file, out):
        old.unlink(missing_ok=True)
    said = subprocess.run([TESSERA, "chunks", name, "--map", map_file], capture_output=True, text=True)
    if said.returncode != 0:
        check(not map_file.exists(), f"{name}: a map is left though it was refused")
        return None, said.stderr, None
    sys.argv[1:] = [map_file, out]
    try:
        runpy.run_path(READ_MAP)
    except SystemExit as end:
        return None, f"{end}\n", None
    return np.load(out), "", json.loads(map_file.read_text())


def write_parts(dset):
    """A corner and a far part: chunks between them stay unwritten."""
    if 0 in dset.shape:
        return
    data = random.integers(0, 50, dset.shape).astype(dset.dtype)
    low = tuple(slice(0, n // 2 + 1) for n in dset.shape)
    dset[low] = data[low]
    last = tuple(slice(n - 1, n) for n in dset.shape)
    dset[last] = data[last]


def chunked(f):
    filters = {"plain": {}, "deflate": {"compression": 4}, "shuffle": {"shuffle": True, "compression": 1},
               "sum": {"fletcher32": True}, "all": {"shuffle": True, "compression": 9, "fletcher32": True}}
    shapes = {"line": ((37,), (37,), (8,)), "plane": ((13, 17), (13, 17), (4, 5)),
              "grow": ((13, 17), (None, 17), (4, 5)), "free": ((9, 8, 7), (None, None, 7), (2, 3, 4)),
              "one": ((6, 6), (6, 6), (6, 6)), "none": ((0, 4), (None, 4), (2, 2))}
    kinds = itertools.cycle(("<i2", ">f8", "|u1", "<i4"))
    for what, options in filters.items():
        for shape, (dims, most, chunk) in shapes.items():
            dset = f.create_dataset(f"{what}-{shape}", dims, next(kinds), maxshape=most, chunks=chunk, fillvalue=3,
                                    **options)
            write_parts(dset)


def types(f):
    inner = np.dtype([("a", "<i2"), ("b", ">f4", (2,))], align=True)
    record = np.dtype({"names": ["x", "in", "s"], "formats": ["<f8", inner, "S5"], "offsets": [4, 16, 40],
                       "itemsize": 48})
    for name, kind in {"half": "<f2", "text": "S7", "record": record, "bytes": "V6", "long": ">u8"}.items():
        data = np.frombuffer(random.bytes(20 * np.dtype(kind).itemsize), kind)
        for layout in {}, {"chunks": (6,), "compression": 1}:
            f.create_dataset(f"{name}-{'chunks' if layout else 'contiguous'}", data=data, **layout)
    f.create_dataset("sky", data=np.array([1, 0, 2], "i1"), dtype=h5py.enum_dtype({"A": 0, "B": 1, "C": 2}, "i1"))
    f.create_dataset("triples", (4, 3), np.dtype(("<i4", (3, 2))), chunks=(3, 2))[1:3] = np.full((2, 3, 3, 2), 7)
    f["scalar"] = np.float32(2.5)
    f.create_dataset("unwritten", (3, 2), "<i4", fillvalue=-1)
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_layout(h5py.h5d.COMPACT)
    dset = h5py.h5d.create(f.id, b"compact", h5py.h5t.STD_I16BE, h5py.h5s.create_simple((5,)), dcpl)
    dset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(5, dtype=">i2") - 2)


def masks(f):
    """Chunks written directly, each with other filters skipped."""
    dset = f.create_dataset("masks", (8, 8), "<i4", chunks=(4, 4), shuffle=True, compression=6)
    data = np.arange(64, dtype="<i4").reshape(8, 8)
    dset[...] = data
    for mask, place in enumerate(((0, 0), (0, 4), (4, 0), (4, 4))):
        block = data[place[0]:place[0] + 4, place[1]:place[1] + 4].copy()
        raw = block.tobytes() if mask & 1 else block.view("u1").reshape(-1, 4).T.tobytes()
        dset.id.write_direct_chunk(place, raw if mask & 2 else zlib.compress(raw), mask)
    check((dset[...] == data).all(), "h5py does not read its masks")


def compare(folder, file_name):
    with h5py.File(file_name) as f:
        for name, dset in f.items():
            want = np.asarray(dset[()])
            got, said, _ = read_by_map(folder, f"{file_name}/{name}")
            check(got is not None, f"{file_name}/{name}: {said}")
            check(got.shape == want.shape and got.dtype == want.dtype, f"{name}: {got.shape} {got.dtype} is wrong")
            check(got.tobytes() == want.tobytes(), f"{name}: values differ")


def refused(folder):
    with h5py.File(folder / "refused.h5", "w") as f:
        f["strings"] = ["a", "bc"]
        f.create_dataset("lists", (3,), h5py.vlen_dtype("i4"))
        f.create_dataset("lzf", data=np.zeros(100), chunks=(50,), compression="lzf")
        f["empty"] = h5py.Empty("f4")
        layout = h5py.VirtualLayout((3,), "i4")
        layout[...] = h5py.VirtualSource("elsewhere.h5", "d", (3,))
        f.create_virtual_dataset("virtual", layout)
        f.create_dataset("outside", (3,), "i4", external=[("outside.raw", 0, 12)])
        f.create_group("group")
        names = [*f]
    for name in names:
        got, said, _ = read_by_map(folder, f"{folder}/refused.h5/{name}")
        check(got is None and said.count("\n") == 1, f"{name}: not refused in one line: {said}")


def sparse(folder):
    subprocess.run([SPARSE, folder], check=True)
    names = ["fixed", "extensible", "tree", "single"]
    for dataset in names + [f"{name}-filtered" for name in names + ["edge"]]:
        got, said, found = read_by_map(folder, f"{folder}/sparse.h5/{dataset}")
        check(got is not None, f"{dataset}: {said}")
        want = np.fromfile(folder / f"{dataset}.raw", "<i2").reshape(got.shape)
        check((got == want).all() and (want == -7).any(), f"{dataset}: values differ")
        check(sum(c["defined"] for c in found["chunks"]) == (want != -7).sum(), f"{dataset}: defined is wrong")
    got, said, _ = read_by_map(folder, f"{folder}/sparse.h5/packed")
    check(got is None and "filter 60010" in said, f"packed: {said}")
    got, said, _ = read_by_map(folder, f"{folder}/sparse.h5/words")
    check(got is None and "no map can say" in said, f"words: {said}")


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    for bounds in ("earliest", "v108"), ("v110", "v110"):
        for block in 0, 1024:
            name = folder / f"{bounds[0]}-{block}.h5"
            with h5py.File(name, "w", libver=bounds, userblock_size=block) as f:
                chunked(f)
                types(f)
                masks(f)
            compare(folder, name)
    compare(folder, pathlib.Path(__file__).parent / "chunks" / "dense.h5")
    refused(folder)
    sparse(folder)
print(f"{mapped} maps")
