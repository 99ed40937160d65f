#!/usr/bin/env python3
"""seeds_structured.py LIBRARY DIR: small files with structured chunks for the targets on a whole file, DIR/file/* and,
behind a few steps, DIR/change/*. LIBRARY is libtessera.so, as no other library writes them."""
import ctypes
import pathlib
import random
import struct
import sys
import tempfile

SPARSE, DENSE = 1, 2
NO_LIMIT = 2**64 - 1
SET, TRUNCATE, VARIABLE = 0, 2, 2**64 - 1
RESIZE, WRITE, COPY, FLUSH, ERASE = 12, 11, 15, 17, 19


class Library:
    def __init__(self, path):
        self.dll = ctypes.CDLL(path)
        self.call("H5open")

    def call(self, name, *args):
        function = getattr(self.dll, name)
        function.restype = ctypes.c_int64 if "reate" in name or "copy" in name else ctypes.c_int
        result = function(*args)
        if result < 0:
            sys.exit(f"{name} failed")
        return ctypes.c_int64(result)

    def known(self, name):
        return ctypes.c_int64.in_dll(self.dll, name + "_g")


def sizes(values):
    return (ctypes.c_uint64 * len(values))(*values)


def write(h5, dset, space, kind, dims):
    """Every third row."""
    rows = (dims[0] + 2) // 3
    none = ctypes.c_int64(0)
    ones = [1] * (len(dims) - 1)
    count = [rows, *dims[1:]]
    h5.call("H5Sselect_hyperslab", space, SET, sizes([0] * len(dims)), sizes([3] + ones), sizes(count), None)
    n = 1
    for d in count:
        n *= d
    memory = h5.call("H5Screate_simple", 1, sizes([n]), None)
    if kind == "text":
        data, of = (ctypes.c_char_p * n)(*[b"text" * (i % 4) for i in range(n)]), text(h5)
    else:
        data, of = (ctypes.c_int * n)(*range(n)), h5.known("H5T_NATIVE_INT")
    h5.call("H5Dwrite", dset, of, memory, space, none, data)


def text(h5):
    kind = h5.call("H5Tcopy", h5.known("H5T_C_S1"))
    h5.call("H5Tset_size", kind, ctypes.c_size_t(VARIABLE))
    return kind


def make(h5, path, dims, most, chunk, kind="int", flags=SPARSE, packed=False, deflate=False):
    none = ctypes.c_int64(0)
    dcpl = h5.call("H5Pcreate", h5.known("H5P_CLS_DATASET_CREATE_ID"))
    h5.call("H5Pset_struct_chunk", dcpl, len(chunk), sizes(chunk), flags)
    if packed:
        h5.call("H5Pset_selection_packing", dcpl)
    if deflate:
        h5.call("H5Pset_deflate", dcpl, 6)
    file = h5.call("H5Fcreate", str(path).encode(), TRUNCATE, none, none)
    space = h5.call("H5Screate_simple", len(dims), sizes(dims), sizes(most))
    of = text(h5) if kind == "text" else h5.known("H5T_STD_I32LE")
    dset = h5.call("H5Dcreate2", file, b"d", of, space, none, dcpl, none)
    write(h5, dset, space, kind, dims)
    h5.call("H5Dclose", dset)
    h5.call("H5Fclose", file)


FILES = {
    "single": dict(dims=[10], most=[10], chunk=[10]),
    "single_filtered": dict(dims=[10], most=[10], chunk=[10], packed=True, deflate=True),
    "single_text": dict(dims=[5], most=[5], chunk=[5], kind="text"),
    "fixed": dict(dims=[8, 6], most=[8, 6], chunk=[4, 2]),
    "fixed_filtered": dict(dims=[8, 6], most=[8, 6], chunk=[4, 2], deflate=True),
    "fixed_packed": dict(dims=[8, 6], most=[8, 6], chunk=[4, 4], packed=True),
    "fixed_text": dict(dims=[8], most=[8], chunk=[3], kind="text"),
    "extensible": dict(dims=[30], most=[NO_LIMIT], chunk=[4]),
    "extensible_packed": dict(dims=[30], most=[NO_LIMIT], chunk=[7], packed=True, deflate=True),
    "extensible_text": dict(dims=[12], most=[NO_LIMIT], chunk=[5], kind="text", deflate=True),
    "extensible_dense": dict(dims=[12], most=[NO_LIMIT], chunk=[5], kind="text", flags=DENSE),
    "btree": dict(dims=[8, 6], most=[NO_LIMIT, NO_LIMIT], chunk=[4, 4]),
    "btree_filtered": dict(dims=[8, 6], most=[NO_LIMIT, NO_LIMIT], chunk=[4, 4], deflate=True),
    "btree_text": dict(dims=[4, 3], most=[NO_LIMIT, NO_LIMIT], chunk=[2, 2], kind="text"),
}


def prefix(draw):
    """Steps on the only dataset: it is object 1, the root is 0."""
    kinds = [ERASE, WRITE, RESIZE, FLUSH, ERASE, RESIZE, COPY]
    draw.shuffle(kinds)
    steps = b"".join(struct.pack("4B", kind, 1, draw.randrange(256), draw.randrange(256)) for kind in kinds)
    return bytes([draw.randrange(2, 4), 0, 0, 0]) + steps


def main(library, where):
    h5, draw = Library(library), random.Random(1)
    for name, how in FILES.items():
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "sample.h5")
            make(h5, path, **how)
            image = path.read_bytes()
        for target, data in ("file", image), ("change", prefix(draw) + image):
            into = pathlib.Path(where, target)
            into.mkdir(parents=True, exist_ok=True)
            (into / f"structured_{name}").write_bytes(data)


main(*sys.argv[1:])
