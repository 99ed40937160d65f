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
    return np.load(out, allow_pickle=True), "", json.loads(map_file.read_text())


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
        f.create_dataset("members", (3,), np.dtype([("a", "i4"), ("b", h5py.string_dtype())]))
        f.create_dataset("lzf", data=np.zeros(100), chunks=(50,), compression="lzf")
        f["empty"] = h5py.Empty("f4")
        layout = h5py.VirtualLayout((3,), "i4")
        layout[...] = h5py.VirtualSource("elsewhere.h5", "d", (3,))
        f.create_virtual_dataset("virtual", layout)
        names = [*f]
    for name in names:
        got, said, _ = read_by_map(folder, f"{folder}/refused.h5/{name}")
        check(got is None and said.count("\n") == 1, f"{name}: not refused in one line: {said}")


def same_lists(got, want):
    return got.shape == want.shape and all(np.array_equal(a, b) for a, b in zip(got.ravel(), want.ravel()))


def lists(folder, block):
    """Strings and lists of variable length: contiguous, in chunks, filtered; some of them never written."""
    name = folder / f"lists-{block}.h5"
    with h5py.File(name, "w", userblock_size=block) as f:
        texts = [b"", b"one", b"a longer text, " * 40, b"\xc3\xa4"]
        for where, how in ("whole", {}), ("chunks", {"chunks": (3,)}), ("packed", {"chunks": (3,), "compression": 4, "shuffle": True}):
            f.create_dataset(f"text-{where}", (20,), h5py.string_dtype(), **how)[:7] = (texts * 2)[:7]
            dset = f.create_dataset(f"list-{where}", (20,), h5py.vlen_dtype("<i2"), **how)
            for i in range(0, 20, 3):
                dset[i] = np.arange(i, dtype="<i2")
            f.create_dataset(f"fill-{where}", (8,), h5py.string_dtype(), fillvalue=b"none", **how)[2:4] = ["x", "yy"]
    with h5py.File(name, "r+") as f:  # HDF5 1.10 cannot read a fill value of variable length where nothing may be written
        wanted = {key: dset[()] for key, dset in f.items()}
    for key, want in wanted.items():
        got, said, _ = read_by_map(folder, f"{name}/{key}")
        check(got is not None and same_lists(got, want), f"{name}/{key}: {said} {got} is not {want}")


def outside(folder):
    """In other files, the last of which is too short."""
    name, data = folder / "outside.h5", np.arange(30, dtype="<i4").reshape(5, 6)
    (folder / "a.raw").write_bytes(b"abc" + data.tobytes()[:50])
    (folder / "b.raw").write_bytes(data.tobytes()[50:100])
    with h5py.File(name, "w") as f:
        f.create_dataset("outside", (5, 6), "<i4", external=[(str(folder / "a.raw"), 3, 50), (str(folder / "b.raw"), 0, h5py.h5f.UNLIMITED)])
    with h5py.File(name) as f:
        want = f["outside"][()]
    got, said, found = read_by_map(folder, f"{name}/outside")
    check(got is not None and (got == want).all() and (got.ravel()[:25] == data.ravel()[:25]).all(), f"outside: {said} {got}")
    check([p["size"] for p in found["chunks"][0]["parts"]] == [50, 70], "outside: wrong parts")


def whole_file(folder, name):
    """All datasets at once, and what is left out."""
    with h5py.File(name, "a") as f:
        layout = h5py.VirtualLayout((3,), "i4")
        layout[...] = h5py.VirtualSource("elsewhere.h5", "d", (3,))
        f.create_virtual_dataset("group/virtual", layout)
        f["group/again"] = f["masks"]
        f["group/numbers"] = np.arange(5)
    map_file, out = folder / "all.json", folder / "all.npz"
    subprocess.run([TESSERA, "chunks", name, "--map", map_file], check=True)
    sys.argv[1:] = [map_file, out]
    runpy.run_path(READ_MAP)
    found, arrays, names = json.loads(map_file.read_text()), np.load(out), []
    with h5py.File(name) as f:
        f.visititems(lambda key, it: names.append(f"/{key}") if isinstance(it, h5py.Dataset) else None)
        for key in arrays.files:
            check(arrays[key].tobytes() == np.asarray(f[key][()]).tobytes(), f"{name}{key}: values differ in the whole map")
    check([d["dataset"] for d in found["left_out"]] == ["/group/virtual"], f"left out: {found['left_out']}")
    check({*arrays.files} | {"/group/virtual"} == {*names}, f"{name}: {set(names) - set(arrays.files)} is missing")
    subprocess.run([TESSERA, "chunks", f"{name}/group", "--map", map_file], check=True)
    check(len(json.loads(map_file.read_text())["datasets"]) == 2, "the map of a group")


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
    got, said, found = read_by_map(folder, f"{folder}/sparse.h5/words")
    check(got is not None and found["dtype"] == {"vlen": "S"}, f"words: {said}")
    check(got.tolist() == [b"alpha" if i == 1 else b"gamma" if i == 9 else b"" for i in range(12)], f"words: {got}")


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
            lists(folder, block)
    outside(folder)
    whole_file(folder, folder / "v110-1024.h5")
    compare(folder, pathlib.Path(__file__).parent / "chunks" / "dense.h5")
    refused(folder)
    sparse(folder)
print(f"{mapped} maps")
