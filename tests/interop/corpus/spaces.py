"""Dataspaces: null, scalar, every rank, limits, nothing at all."""
import h5py
import numpy as np
from h5py import h5d, h5s, h5t

from .registry import case, dataset, dcpl_of, new, numbers

SHAPES = {1: (30,), 2: (7, 9), 3: (4, 5, 6), 4: (3, 4, 2, 5), 5: (2, 3, 2, 3, 2), 6: (2, 2, 3, 2, 2, 3),
          7: (2, 1, 3, 2, 2, 2, 2), 8: (2, 2, 2, 1, 2, 3, 2, 2), 32: (1,) * 28 + (2, 2, 1, 2)}


def deadly_rank(name):
    """Reading selections of 32 dimensions, libhdf5 1.14 writes over memory that is not its own."""
    return "none" if "rank32" in name and h5py.version.hdf5_version_tuple >= (1, 14) else "both"


@case("space_rank{rank}_{ver}", reference=deadly_rank, rank=list(SHAPES), ver=["old", "new"])
def rank(path, rank, ver):
    shape = SHAPES[rank]
    with new(path, ver) as f:
        f.create_dataset("contiguous", data=numbers(shape))
        if rank < 32:
            chunk = tuple(max(1, (n + 1) // 2) for n in shape)
            f.create_dataset("chunked", data=numbers(shape, "<i2"), chunks=chunk)
            f.create_dataset("limited", data=numbers(shape), chunks=chunk, maxshape=tuple(n + 3 for n in shape))
            f.create_dataset("growing", data=numbers(shape), chunks=chunk, maxshape=(None,) + shape[1:])
            f.create_dataset("all_growing", data=numbers(shape), chunks=chunk, maxshape=(None,) * rank)


@case("space_kinds_{ver}", ver=["old", "new"])
def kinds(path, ver):
    with new(path, ver) as f:
        f.create_dataset("null", data=h5py.Empty("<i4"))
        f.create_dataset("null_compound", data=h5py.Empty(np.dtype([("a", "<i4"), ("b", "<f8")])))
        f.create_dataset("scalar", data=3.5)
        f.create_dataset("scalar_string", data="text")
        f.create_dataset("scalar_compound", data=np.array((1, 2.5), [("a", "<i4"), ("b", "<f8")]))
        f.create_dataset("one", data=numbers((1,)))
        f.create_dataset("one_by_one", data=numbers((1, 1)))
        f.create_dataset("zero", (0,), "<i4")
        f.create_dataset("zero_middle", (4, 0, 3), "<i4")
        f.create_dataset("zero_growing", (0, 5), "<i4", maxshape=(None, 5), chunks=(2, 5))
        f.create_dataset("zero_growing2", (0, 0), "<i4", maxshape=(None, None), chunks=(2, 5))
        f.create_dataset("zero_limited", (0, 5), "<i4", maxshape=(10, 5), chunks=(2, 5))


@case("space_shrunk_{ver}", ver=["old", "new"])
def shrunk(path, ver):
    with new(path, ver) as f:
        for name, limit in (("one", (None, 20)), ("two", (None, None)), ("none", (20, 20))):
            d = f.create_dataset(name, data=numbers((20, 20)), chunks=(3, 4), maxshape=limit, fillvalue=-1)
            d.resize((7, 9))
            d.resize((12, 20))


@case("space_huge_extent_{ver}", ver=["old", "new"])
def huge(path, ver):
    """Extents far beyond memory, with a few elements stored."""
    with new(path, ver) as f:
        d = f.create_dataset("d", (2**34, 3), "<i4", chunks=(2**14, 3), maxshape=(None, 3), fillvalue=7)
        d[2**33 - 2:2**33 + 1] = numbers((3, 3))
        e = f.create_dataset("e", (2**34,), "<i1", chunks=(2**18,), maxshape=(2**34,), compression="gzip")
        e[2**33:2**33 + 5] = numbers((5,), "<i1")
        f.create_dataset("unallocated", (2**40,), "<f8")


@case("space_many_datasets_{ver}", ver=["old", "new"])
def many(path, ver):
    with new(path, ver) as f:
        for i in range(120):
            f.create_dataset("d%d" % i, data=numbers((i % 4 + 1, i % 3 + 1), ["<i2", ">f4", "<u8"][i % 3], i))


@case("space_late_space")
def late(path):
    """Early allocation of scalar and simple extents that are never written."""
    with new(path) as f:
        dcpl = dcpl_of(alloc_time=h5d.ALLOC_TIME_EARLY)
        dataset(f, "scalar", h5t.STD_I32LE, (), dcpl)
        dataset(f, "simple", h5t.STD_I32LE, (5,), dcpl)
        h5d.create(f.id, b"null", h5t.STD_I32LE, h5s.create(h5s.NULL), dcpl)
