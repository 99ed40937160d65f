"""Files that were changed after they were made: groups and attributes that grew and shrank across their thresholds,
links moved and copied, objects copied, datasets resized, files opened again under other bounds."""
import itertools

import h5py
import numpy as np
from h5py import h5d, h5f, h5g, h5o, h5p, h5s, h5t

from . import native
from .registry import LIBVERS, case, dataset, dcpl_of, libver, new, numbers

PHASES = {"default": None, "0_0": (0, 0), "4_2": (4, 2), "20_3": (20, 3)}


@case("change_group_phase_{phase}_order{order}", phase=PHASES, order=[0, 1, 3])
def group_phase(path, phase, order):
    """Eleven links, then five, then two, then nine again."""
    with new(path, "new") as f:
        gcpl = h5p.create(h5p.GROUP_CREATE)
        gcpl.set_link_creation_order(order)
        if phase:
            native.call("H5Pset_link_phase_change", gcpl, *phase)
        for stop, group in ((2, b"two"), (5, b"five"), (0, b"none"), (9, b"nine")):
            g = h5py.Group(h5g.create(f.id, group, None, gcpl))
            for i in range(11):
                g["link %d" % (i * 7 % 11)] = h5py.SoftLink("/target %d" % i)
            for i in range(11 - min(stop, 2)):
                del g["link %d" % (i * 3 % 11)]
            for i in range(stop - 2):
                g["new %d" % i] = h5py.SoftLink("/again")


@case("change_attr_phase_{phase}_order{order}", phase=PHASES, order=[0, 1, 3])
def attr_phase(path, phase, order):
    with new(path, "new") as f:
        for stop in (0, 2, 5, 9):
            dcpl = dcpl_of(attr_creation_order=order)
            if phase:
                dcpl.set_attr_phase_change(*phase)
            d = h5py.Dataset(dataset(f, "d%d" % stop, h5t.STD_I8LE, (), dcpl))
            for i in range(11):
                d.attrs["attribute %d" % (i * 7 % 11)] = numbers((i + 1,), "<i4", i)
            for i in range(11 - min(stop, 2)):
                del d.attrs["attribute %d" % (i * 3 % 11)]
            for i in range(stop - 2):
                d.attrs["new %d" % i] = "text %d" % i
            if stop and order < 3:  # stock spoils its index of creation order when it renames
                native.call("H5Arename", d.id, sorted(d.attrs)[0].encode(), b"renamed")


@case("change_links_{ver}", ver=list(LIBVERS))
def links(path, ver):
    with new(path, ver) as f:
        for i in range(30):
            f["a/g%02d" % i] = h5py.SoftLink("/a/g%02d" % (i + 1)) if i % 3 else h5py.ExternalLink("no.h5", "/%d" % i)
            f["b/d%02d" % i] = numbers((i + 1,))
        for i in range(0, 30, 2):
            f.move("b/d%02d" % i, "moved/below/x%d" % i)
        for i in range(1, 30, 4):
            f["hard%d" % i] = f["b/d%02d" % i]
            f.id.links.move(b"a/g%02d" % i, f.id, b"soft%d" % i)
        for i in range(3, 30, 4):
            del f["b/d%02d" % i]
        del f["a"]


# A file of 1.10 cannot be opened under a high bound of 1.8.
PAIRS = {"%s_%s" % pair: pair for pair in itertools.product(LIBVERS, LIBVERS) if pair != ("v110", "v18")}


@case("change_bounds_{pair}", pair=PAIRS)
def bounds(path, pair):
    """Made under one pair of bounds, continued under another."""
    for ver, name in zip(pair, ("first", "second")):
        f = new(path, ver) if name == "first" else h5py.File(path, "r+", libver=libver(ver))
        with f:
            g = f.create_group(name)
            for i in range(12):
                g.create_group("g%d" % i)
                g.attrs["a%d" % i] = i
            g.create_dataset("grows", data=numbers((9,)), chunks=(2,), maxshape=(None,))
            g.create_dataset("plane", data=numbers((6, 6)), chunks=(2, 2), maxshape=(None, None), compression="gzip")
            g.create_dataset("fixed", data=numbers((20,)), chunks=(3,))
            g["type"] = np.dtype([("x", "<i2"), ("y", "S3")])
            if name == "second":
                f["first"].attrs["more"] = "text"
                f["first/grows"].resize((31,))
                f["first/grows"][20:] = 7
                f["first/plane"].resize((2, 9))
                del f["first/g3"], f["first"].attrs["a4"]


LAYOUTS = {"compact": (h5d.COMPACT, None, None), "contiguous": (h5d.CONTIGUOUS, None, None),
           "single": (h5d.CHUNKED, (9, 7), None), "fixed": (h5d.CHUNKED, (4, 3), None),
           "bounded": (h5d.CHUNKED, (4, 3), (20, 20)), "growing": (h5d.CHUNKED, (4, 3), (h5s.UNLIMITED, 9)),
           "free": (h5d.CHUNKED, (4, 3), (h5s.UNLIMITED, h5s.UNLIMITED))}
TIMES = {"alloc": h5d.FILL_TIME_ALLOC, "never": h5d.FILL_TIME_NEVER, "ifset": h5d.FILL_TIME_IFSET}
ALLOCATIONS = {"early": h5d.ALLOC_TIME_EARLY, "late": h5d.ALLOC_TIME_LATE, "incremental": h5d.ALLOC_TIME_INCR}


def filled(layout, alloc, time, value):
    kind, chunk, _ = LAYOUTS[layout]
    dcpl = h5p.create(h5p.DATASET_CREATE)
    dcpl.set_layout(kind)
    if chunk:
        dcpl.set_chunk(chunk)
    if kind != h5d.COMPACT:
        dcpl.set_alloc_time(ALLOCATIONS[alloc])
    dcpl.set_fill_time(TIMES[time])
    if value:
        dcpl.set_fill_value(np.array(-5, "<i4"))
    return dcpl


@case("change_storage_{layout}_{ver}", layout=list(LAYOUTS), ver=["old", "new"])
def storage(path, layout, ver):
    """Each allocation time with each fill time: untouched, written in part, resized where that may be."""
    most = LAYOUTS[layout][2]
    with new(path, ver) as f:
        for alloc, time, value in itertools.product(ALLOCATIONS, TIMES, (0, 1)):
            if time == "never":
                value = 1 - value  # what is not filled is not compared: it is written as a whole
            for filters in ((), ("gzip",)) if LAYOUTS[layout][1] else ((),):
                dcpl = filled(layout, alloc, time, value)
                for _ in filters:
                    dcpl.set_deflate(4)
                for use in ("whole",) if time == "never" else ("untouched", "part", "whole"):
                    name = "_".join((alloc, time, str(value), use) + filters)
                    d = h5py.Dataset(dataset(f, name, h5t.STD_I32LE, (9, 7), dcpl, most))
                    if use == "whole":
                        d[...] = numbers((9, 7))
                    if use == "part":
                        d[2:6, 1:5] = numbers((4, 4))
                    if most and time != "never":
                        d.resize((3, 9))
                        d.resize((14, 8))


@case("change_partial_chunks_{kind}", kind=["fixed", "growing", "free"])
def partial_chunks(path, kind):
    """Edge chunks that are not filtered, and then are no longer at the edge."""
    most = LAYOUTS[kind][2]
    with new(path, "new") as f:
        dcpl = dcpl_of((4, 3), deflate=6)
        native.call("H5Pset_chunk_opts", dcpl, native.DONT_FILTER_PARTIAL_CHUNKS)
        d = h5py.Dataset(dataset(f, "d", h5t.STD_I32LE, (9, 7), dcpl, most))
        d[...] = numbers((9, 7))
        if most:
            d.resize((13, 9))
            d[9:, :] = 3
            d.resize((10, 8))


COPIES = {"plain": 0, "shallow": h5o.COPY_SHALLOW_HIERARCHY_FLAG, "soft": h5o.COPY_EXPAND_SOFT_LINK_FLAG,
          "refs": h5o.COPY_EXPAND_REFERENCE_FLAG, "no_attrs": h5o.COPY_WITHOUT_ATTR_FLAG}


@case("change_copy_{flags}_{ver}", flags=COPIES, ver=["old", "new"])
def copies(path, flags, ver):
    with new(path, ver) as f:
        f["type"] = np.dtype([("x", "<i2"), ("y", "S3")])
        d = f.create_dataset("g/d", data=numbers((30, 4)), chunks=(4, 3), compression="gzip", maxshape=(None, 4))
        d.attrs["a"] = ["vlen", "strings", ""]
        f.create_dataset("g/text", data=["one", "two", ""] * 9, dtype=h5py.string_dtype())
        f.create_dataset("g/sub/typed", (3,), dtype=f["type"])
        f.create_dataset("g/refs", data=[d.ref, f["g/sub"].ref], dtype=h5py.ref_dtype)
        f["g/sub/hard"] = d
        # A path of 5 letters: stock gives an expanded link the room of the soft one, which must be that of an address.
        f["g/soft"] = h5py.SoftLink("/type")
        for i in range(12):
            f["g"].attrs["attribute %d" % i] = numbers((i + 1,))
        ocpl = h5p.create(h5p.OBJECT_COPY)
        ocpl.set_copy_object(flags)
        h5o.copy(f.id, b"g", f.id, b"copy", ocpl)
        h5o.copy(f.id, b"g/d", f.id, b"copy of d", ocpl)
        h5o.copy(f.id, b"type", f.id, b"copy of type", ocpl)


@case("change_image")
def image(path):
    """Made in memory; the image that the library hands out is the file. (Newer superblocks mark it as still open.)"""
    fapl = h5p.create(h5p.FILE_ACCESS)
    fapl.set_fapl_core(65536, False)
    with h5py.File(h5f.create(path.encode(), h5f.ACC_TRUNC, None, fapl)) as f:
        f["g/d"] = numbers((40, 3))
        f["g/text"] = ["a", "bc"]
        f.flush()
        content = f.id.get_file_image()
    with open(path, "wb") as raw:
        raw.write(content)
