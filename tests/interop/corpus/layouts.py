"""Layouts: compact, contiguous, external; allocation times and fill values."""
import os

import h5py
import numpy as np
from h5py import h5d, h5f, h5t

from .registry import case, dataset, dcpl_of, new, noise, numbers, write

ALLOC = {"early": h5d.ALLOC_TIME_EARLY, "late": h5d.ALLOC_TIME_LATE, "incr": h5d.ALLOC_TIME_INCR}
FILL_TIME = {"alloc": h5d.FILL_TIME_ALLOC, "never": h5d.FILL_TIME_NEVER, "ifset": h5d.FILL_TIME_IFSET}


@case("layout_compact_{n}_{ver}", n=[1, 100, 65000], ver=["old", "new"])
def compact(path, n, ver):
    with new(path, ver) as f:
        d = dataset(f, "d", h5t.STD_U8LE, (n,), dcpl_of(layout=h5d.COMPACT))
        write(d, np.frombuffer(noise(n, 1), "u1"))
        dataset(f, "unwritten", h5t.STD_I16BE, (5,), dcpl_of(layout=h5d.COMPACT, fill_value=np.array(9, "<i2")))


@case("layout_compact_types_{ver}", ver=["old", "new"])
def compact_types(path, ver):
    with new(path, ver) as f:
        compound = np.dtype([("a", "<i2"), ("b", ">f8"), ("s", "S3")])
        for name, dt in (("compound", compound), ("text", h5py.string_dtype()), ("seq", h5py.vlen_dtype("<i4"))):
            d = h5py.Dataset(dataset(f, name, h5t.py_create(dt, logical=True), (3,), dcpl_of(layout=h5d.COMPACT)))
            if name == "compound":
                d[...] = (4, 2.5, b"xyz")
            elif name == "text":
                d[...] = ["one", "two", "three"]
            else:
                d[1] = [1, 2, 3]
        write(dataset(f, "scalar", h5t.STD_I64BE, (), dcpl_of(layout=h5d.COMPACT)), np.array(-5, "<i8"))


def fill_cases(f, alloc, when):
    for name, chunk in (("contiguous", None), ("chunked", (3, 4))):
        for fill in (None, 7):
            for state in ("empty", "part"):
                settings = dict(alloc_time=alloc, fill_time=when)
                if fill is not None:
                    settings["fill_value"] = np.array(fill, "<i4")
                d = h5py.Dataset(dataset(f, "%s_%s_%s" % (name, fill, state), h5t.STD_I32BE, (8, 10),
                                         dcpl_of(chunk, **settings)))
                # With fill time "never" what was not written is undefined, and so cannot be compared.
                if when == h5d.FILL_TIME_NEVER:
                    d[...] = numbers((8, 10))
                elif state == "part":
                    d[2:4, 3:9] = numbers((2, 6))


@case("layout_fill_{alloc}_{when}_{ver}", alloc=ALLOC, when=FILL_TIME, ver=["old", "new"])
def fills(path, alloc, when, ver):
    with new(path, ver) as f:
        if alloc == h5d.ALLOC_TIME_INCR:
            fill_cases_chunked(f, when)
        else:
            fill_cases(f, alloc, when)


def fill_cases_chunked(f, when):
    settings = dict(alloc_time=h5d.ALLOC_TIME_INCR, fill_time=when, fill_value=np.array(-2, "<i4"))
    d = h5py.Dataset(dataset(f, "chunked", h5t.STD_I32LE, (8, 10), dcpl_of((3, 4), **settings)))
    if when == h5d.FILL_TIME_NEVER:
        d[...] = numbers((8, 10))
    else:
        d[4, 5] = 1


@case("layout_fill_types_{ver}", ver=["old", "v18", "new"])
def fill_types(path, ver):
    with new(path, ver) as f:
        for name in ("<i1", ">u2", "<i8", ">f4", "<f8"):
            f.create_dataset("n" + name[1:], (6,), name, fillvalue=3)
            f.create_dataset("c" + name[1:], (6,), name, fillvalue=3, chunks=(4,))[5] = 1
        compound = np.dtype([("a", "<i2"), ("b", ">f8"), ("c", "S3")])
        f.create_dataset("compound", (4,), compound, fillvalue=np.array((1, 2.5, b"ab"), compound))
        f.create_dataset("string", (4,), "S5", fillvalue=b"none")
        d = f.create_dataset("string_chunked", (8,), "S5", fillvalue=b"none", chunks=(3,))
        d[4] = b"four"
        tid = h5t.array_create(h5t.STD_I32LE, (2,))
        dataset(f, "array", tid, (3,), dcpl_of())
        f.create_dataset("enum", (3,), h5py.enum_dtype({"A": 1, "B": 2}, "<i2"), fillvalue=2)
        f.create_dataset("big", (3,), "V3000", chunks=(2,))


EXTERNALS = {
    "one": [("one", 0, 400)],
    "several": [("a", 0, 100), ("b", 0, 150), ("c", 0, 150)],
    "offsets": [("a", 10, 100), ("a", 500, 200), ("b", 7, 100)],
    "unlimited": [("one", 16, h5f.UNLIMITED)],
    "short": [("one", 0, 400)],
    "missing": [("a", 0, 200), ("gone", 0, 200)],
    "absent": [("gone", 0, 400)],
}


@case("layout_external_{form}_{ver}", form={k: k for k in EXTERNALS}, ver=["old", "new"])
def external(path, form, ver):
    stem = os.path.basename(path)[:-3]
    with new(path, ver) as f:
        dcpl = dcpl_of()
        for name, offset, size in EXTERNALS[form]:
            dcpl.set_external(("%s_%s.raw" % (stem, name)).encode(), offset, size)
        d = dataset(f, "d", h5t.STD_I32LE, (10, 10), dcpl)
        write(d, numbers((10, 10)))
    folder = os.path.dirname(path)
    for name in {e[0] for e in EXTERNALS[form]}:
        raw = os.path.join(folder, "%s_%s.raw" % (stem, name))
        if name == "gone":
            os.remove(raw)
        elif form == "short":
            os.truncate(raw, 130)


@case("layout_external_growing")
def external_growing(path):
    with new(path) as f:
        dcpl = dcpl_of()
        dcpl.set_external(b"layout_external_growing_a.raw", 0, h5f.UNLIMITED)
        d = h5py.Dataset(dataset(f, "d", h5t.STD_I16BE, (4, 5), dcpl, (h5py.h5s.UNLIMITED, 5)))
        d[...] = numbers((4, 5))
        d.id.set_extent((9, 5))
        d[7] = 3


@case("layout_contiguous_wide_{ver}", ver=["old", "new"])
def wide(path, ver):
    """Elements larger than any conversion buffer piece, and rows that are not."""
    with new(path, ver) as f:
        f.create_dataset("big_elements", data=np.frombuffer(noise(20000 * 4, 4), "V20000"))
        f.create_dataset("rows", data=numbers((300, 700), ">i4"))
