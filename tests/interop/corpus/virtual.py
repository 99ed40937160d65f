"""Virtual datasets: one source or many, gaps, patterns, growing sources, sources that are not there."""
import os

import h5py
import numpy as np
from h5py import h5d, h5p, h5s, h5t

from .registry import case, dataset, new, numbers

INF = h5s.UNLIMITED


def source(path, tag, shape=(10,), dtype="<i4", seed=0, maxshape=None):
    """A file beside the virtual one, holding /data."""
    name = "%s_%s.h5" % (os.path.basename(path)[:-3], tag)
    with new(os.path.join(os.path.dirname(path), name), "new") as f:
        f.create_dataset("data", data=numbers(shape, dtype, seed), maxshape=maxshape,
                         chunks=None if maxshape is None else tuple(max(1, n // 2) for n in shape))
    return name


def slab(shape, start, count, stride=None, block=None, limit=None):
    space = h5s.create_simple(shape, limit)
    space.select_hyperslab(start, count, stride, block)
    return space


def virtual(f, name, shape, maps, tid=h5t.STD_I32LE, fill=None, limit=None):
    """Maps are (space of the virtual dataset, file, dataset, space of the source)."""
    dcpl = h5p.create(h5p.DATASET_CREATE)
    dcpl.set_layout(h5d.VIRTUAL)
    if fill is not None:
        dcpl.set_fill_value(np.array(fill, "<i4"))
    for here, file, path, there in maps:
        dcpl.set_virtual(here, file.encode(), path.encode(), there)
    return dataset(f, name, tid, shape, dcpl, limit)


def whole(shape):
    return slab(shape, (0,) * len(shape), (1,) * len(shape), None, shape)


@case("virtual_simple_{ver}", ver=["v0", "new"])
def simple(path, ver):
    name = source(path, "a", (4, 5))
    with new(path, ver) as f:
        virtual(f, "all", (4, 5), [(h5s.create_simple((4, 5)), name, "/data", h5s.create_simple((4, 5)))])
        virtual(f, "block", (4, 5), [(whole((4, 5)), name, "/data", whole((4, 5)))])
        virtual(f, "part", (2, 2), [(whole((2, 2)), name, "data", slab((4, 5), (1, 2), (1, 1), None, (2, 2)))])
        virtual(f, "strided", (2, 3), [(whole((2, 3)), name, "data", slab((4, 5), (0, 0), (2, 3), (2, 2)))])


@case("virtual_several{n}", n=[2, 10, 60])
def several(path, n):
    with new(path, "new") as f:
        maps, columns = [], []
        for i in range(n):
            name = source(path, str(i % 10), (10,), "<i4", i % 10)
            maps.append((slab((n, 10), (i, 0), (1, 1), None, (1, 10)), name, "data", h5s.create_simple((10,))))
            columns.append((slab((10, n), (0, i), (10, 1)), name, "data", h5s.create_simple((10,))))
        virtual(f, "rows", (n, 10), maps)
        virtual(f, "columns", (10, n), columns)


@case("virtual_gaps_fill{fill}", fill={"none": None, "set": -7})
def gaps(path, fill):
    name = source(path, "a")
    with new(path, "new") as f:
        maps = [(slab((40,), (5,), (1,), None, (10,)), name, "data", h5s.create_simple((10,))),
                (slab((40,), (20,), (5,), (3,)), name, "data", slab((10,), (0,), (5,), (2,)))]
        virtual(f, "d", (40,), maps, fill=fill)


@case("virtual_missing_source")
def missing(path):
    name = source(path, "a")
    with new(path, "new") as f:
        maps = [(slab((30,), (0,), (1,), None, (10,)), name, "data", h5s.create_simple((10,))),
                (slab((30,), (10,), (1,), None, (10,)), "not_there.h5", "data", h5s.create_simple((10,))),
                (slab((30,), (20,), (1,), None, (10,)), name, "no_such_dataset", h5s.create_simple((10,)))]
        virtual(f, "d", (30,), maps, fill=-3)


@case("virtual_same_file_{ver}", ver=["v0", "new"])
def same_file(path, ver):
    with new(path, ver) as f:
        f.create_dataset("a", data=numbers((6, 6)))
        f.create_dataset("b", data=numbers((6, 6), ">f8", 3), chunks=(4, 4), compression="gzip")
        maps = [(slab((12, 6), (0, 0), (1, 1), None, (6, 6)), ".", "/a", h5s.create_simple((6, 6))),
                (slab((12, 6), (6, 0), (1, 1), None, (6, 6)), ".", "/b", h5s.create_simple((6, 6)))]
        virtual(f, "d", (12, 6), maps)
        virtual(f, "of_virtual", (3, 3), [(whole((3, 3)), ".", "/d", slab((12, 6), (5, 1), (3, 3), (2, 2)))])


CONVERSIONS = {"i2": "<i2", "be": ">i4", "f8": "<f8", "u1": "u1"}


@case("virtual_converts_{kind}", kind=CONVERSIONS)
def converts(path, kind):
    name = source(path, "a", (5, 6), kind)
    with new(path, "new") as f:
        for label, tid in (("int", h5t.STD_I32LE), ("float", h5t.IEEE_F32BE), ("long", h5t.STD_I64BE)):
            virtual(f, label, (5, 6), [(h5s.create_simple((5, 6)), name, "data", h5s.create_simple((5, 6)))], tid)


@case("virtual_printf_{n}blocks", n=[1, 4, 12])
def printf(path, n):
    stem = os.path.basename(path)[:-3]
    for i in range(n):
        source(path, "b%d" % i, (5,), "<i4", i)
    with new(path, "new") as f:
        here = slab((5 * n,), (0,), (INF,), (5,), (5,), (INF,))
        virtual(f, "d", (5 * n,), [(here, stem + "_b%b.h5", "data", h5s.create_simple((5,)))], fill=-1, limit=(INF,))
        here = slab((n, 5), (0, 0), (INF, 1), (1, 1), (1, 5), (INF, 5))
        virtual(f, "rows", (n, 5), [(here, stem + "_b%b.h5", "data", h5s.create_simple((5,)))], limit=(INF, 5))


@case("virtual_printf_gap")
def printf_gap(path):
    """Blocks 2 and 3 of six do not exist."""
    stem = os.path.basename(path)[:-3]
    for i in (0, 1, 4, 5):
        source(path, "b%d" % i, (5,), "<i4", i)
    with new(path, "new") as f:
        here = slab((30,), (0,), (INF,), (5,), (5,), (INF,))
        virtual(f, "d", (30,), [(here, stem + "_b%b.h5", "data", h5s.create_simple((5,)))], fill=-1, limit=(INF,))


@case("virtual_printf_datasets")
def printf_datasets(path):
    with new(path, "new") as f:
        for i in range(4):
            f.create_dataset("part%d" % i, data=numbers((3,), "<i4", i))
        here = slab((12,), (0,), (INF,), (3,), (3,), (INF,))
        virtual(f, "d", (12,), [(here, ".", "/part%b", h5s.create_simple((3,)))], limit=(INF,))
        f.create_dataset("100%", data=numbers((3,)))
        virtual(f, "percent", (3,), [(h5s.create_simple((3,)), ".", "/100%%", h5s.create_simple((3,)))])


@case("virtual_unlimited")
def unlimited(path):
    """The extent follows that of growing sources."""
    a = source(path, "a", (7, 4), "<i4", 1, (None, 4))
    b = source(path, "b", (5, 4), "<i4", 2, (None, 4))
    with new(path, "new") as f:
        there = slab((7, 4), (0, 0), (INF, 1), (1, 4), (1, 4), (INF, 4))
        one = slab((7, 4), (0, 0), (INF, 1), (1, 4), (1, 4), (INF, 4))
        virtual(f, "one", (7, 4), [(one, a, "data", there)], limit=(INF, 4))
        left = slab((7, 8), (0, 0), (INF, 1), (1, 4), (1, 4), (INF, 8))
        right = slab((7, 8), (0, 4), (INF, 1), (1, 4), (1, 4), (INF, 8))
        shorter = slab((5, 4), (0, 0), (INF, 1), (1, 4), (1, 4), (INF, 4))
        virtual(f, "two", (7, 8), [(left, a, "data", there), (right, b, "data", shorter)], fill=-1, limit=(INF, 8))
        even = slab((10, 4), (0, 0), (INF, 1), (2, 4), (1, 4), (INF, 4))
        odd = slab((10, 4), (1, 0), (INF, 1), (2, 4), (1, 4), (INF, 4))
        virtual(f, "woven", (10, 4), [(even, a, "data", there), (odd, b, "data", shorter)], fill=-1, limit=(INF, 4))


@case("virtual_types")
def types(path):
    """Compound and string sources in the same file."""
    compound = np.dtype([("a", "<i4"), ("b", "<f8")])
    with new(path, "new") as f:
        f.create_dataset("c", data=np.array([(i, i / 2) for i in range(6)], compound))
        f.create_dataset("s", data=np.array([b"word%d" % i for i in range(6)], "S8"))
        for name in ("c", "s"):
            tid = f[name].id.get_type()
            maps = [(slab((12,), (3,), (1,), None, (6,)), ".", "/" + name, h5s.create_simple((6,)))]
            virtual(f, "v" + name, (12,), maps, tid)


@case("virtual_layout_api")
def high_level(path):
    names = [source(path, str(i), (20,), "<f4", i) for i in range(4)]
    with new(path, "new") as f:
        layout = h5py.VirtualLayout(shape=(4, 20), dtype="<f4")
        for i, name in enumerate(names):
            layout[i] = h5py.VirtualSource(name, "data", shape=(20,))
        f.create_virtual_dataset("d", layout, fillvalue=-1)
        layout = h5py.VirtualLayout(shape=(4, 10), dtype="<f4")
        for i, name in enumerate(names):
            layout[i, ::2] = h5py.VirtualSource(name, "data", shape=(20,))[5:15:2]
        f.create_virtual_dataset("strided", layout, fillvalue=-1)
