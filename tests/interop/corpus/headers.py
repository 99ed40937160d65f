"""Object headers: versions, continuation blocks, times, attribute order, shared messages, comments."""
import h5py
import numpy as np
from h5py import h5a, h5o, h5p, h5s, h5t

from . import native
from .registry import case, dataset, dcpl_of, new, numbers, write


def attribute(obj, name, tid, shape=(), data=None):
    space = h5s.create(h5s.SCALAR) if shape == () else h5s.create_simple(shape)
    attr = h5a.create(obj.id if hasattr(obj, "id") and not isinstance(obj.id, int) else obj, name.encode(), tid, space)
    if data is not None:
        attr.write(np.ascontiguousarray(data), tid)
    return attr


@case("header_{ver}_continuation{n}", ver=["old", "new"], n=[5, 30, 150])
def continuation(path, ver, n):
    """Attributes of two objects added in turn, so that neither header can grow in place."""
    with new(path, ver) as f:
        a, b = f.create_group("a"), f.create_dataset("b", data=numbers((3,)))
        for i in range(n):
            a.attrs["attribute_%03d" % i] = numbers((i % 7 + 1,), "<i8", i)
            b.attrs["x%d" % i] = "value %d" % i


@case("header_{ver}_attrs_deleted", ver=["old", "new"])
def deleted(path, ver):
    with new(path, ver) as f:
        d = f.create_dataset("d", data=numbers((3,)))
        for i in range(40):
            d.attrs["a%02d" % i] = numbers((i + 1,), "<i2")
        for i in range(0, 40, 3):
            del d.attrs["a%02d" % i]
        for i in range(1, 40, 3):
            d.attrs["a%02d" % i] = "changed"


@case("header_{ver}_times{on}", ver=["old", "new"], on=[0, 1])
def times(path, ver, on):
    with new(path, ver) as f:
        f.create_dataset("d", data=numbers((3,)), track_times=bool(on))
        f.create_dataset("c", data=numbers((30,)), chunks=(4,), track_times=bool(on)).attrs["a"] = 1
        gcpl = h5p.create(h5p.GROUP_CREATE)
        gcpl.set_obj_track_times(bool(on))
        h5py.h5g.create(f.id, b"g", None, gcpl)


ORDERS = {"none": 0, "tracked": 1, "indexed": 3}


@case("header_attr_order_{order}_{n}_{ver}", order=ORDERS, n=[3, 20], ver=["old", "new"])
def attr_order(path, order, n, ver):
    with new(path, ver) as f:
        d = h5py.Dataset(dataset(f, "d", h5t.STD_I32LE, (4,), dcpl_of(attr_creation_order=order)))
        d[...] = 5
        for i in range(n):
            d.attrs["%c%d" % ("zyxwvutsrqponmlkjihgfedcba"[i % 26], i)] = i
        del d.attrs["y1"]


@case("header_attr_phase_{most}_{least}", most=[0, 4, 200], least=[0])
def attr_phase(path, most, least):
    with new(path, "new") as f:
        d = h5py.Dataset(dataset(f, "d", h5t.STD_I32LE, (4,), dcpl_of(attr_phase_change=(most, least))))
        for i in range(30):
            d.attrs["attr%02d" % i] = numbers((i,), "<i2") if i else 0


@case("header_{ver}_comments", ver=["old", "new"])
def comments(path, ver):
    with new(path, ver) as f:
        f.create_group("g")
        f.create_dataset("d", data=numbers((3,)))
        h5o.set_comment(f["g"].id, b"a comment on a group")
        h5o.set_comment(f["d"].id, b"a comment on a dataset, long enough to need some room: " + b"x" * 100)
        h5o.set_comment(f.id, b"the root")


@case("header_{ver}_committed_types", ver=["old", "v18", "new"])
def committed(path, ver):
    with new(path, ver) as f:
        f["types/int"] = np.dtype(">i2")
        f["types/pair"] = np.dtype([("x", "<f4"), ("y", "<i8")])
        f["types/text"] = h5py.string_dtype()
        f["types/colour"] = h5py.enum_dtype({"RED": 0, "GREEN": 1, "BLUE": 7}, "u1")
        f["types/pair"].attrs["unit"] = "m"
        for i in range(3):
            f.create_dataset("int%d" % i, (5,), dtype=f["types/int"])[...] = i
        f.create_dataset("pair", (3,), dtype=f["types/pair"])[...] = (1.5, 2)
        f.create_dataset("text", (2,), dtype=f["types/text"])[...] = ["ab", "cde"]
        f.create_dataset("colour", (3,), dtype=f["types/colour"])[...] = [0, 7, 1]
        f["int0"].attrs.create("a", 3, dtype=f["types/int"])
        f.attrs.create("pair", np.array((2.5, 9), f["types/pair"].dtype), dtype=f["types/pair"])


@case("header_{ver}_many_hard_links{n}", ver=["old", "new"], n=[2, 70, 3000])
def hard_links(path, ver, n):
    with new(path, ver) as f:
        d = f.create_dataset("first", data=numbers((4,)))
        for i in range(n - 1):
            f["g/link%04d" % i] = d


KINDS = {"space": native.SHARE_SPACE, "type": native.SHARE_TYPE, "fill": native.SHARE_FILL,
         "pipeline": native.SHARE_PIPELINE, "attribute": native.SHARE_ATTRIBUTE, "all": native.SHARE_ALL}
FORMS = {"list": (50, 40), "btree": (0, 0), "grown": (6, 3)}


def shared_content(f, n):
    pair = np.dtype([("x", "<f4"), ("y", "<i8"), ("z", "S6")])
    for i in range(n):
        d = f.create_dataset("d%03d" % i, (6, i % 5 + 4), dtype=pair if i % 3 else "<i4", chunks=(3, 2),
                             compression="gzip", compression_opts=i % 4 + 1, shuffle=True,
                             fillvalue=None if i % 3 else i % 7)
        d[...] = (i, i, b"abc") if i % 3 else i
        d.attrs["shared attribute"] = "the same text in every dataset, long enough to be shared"
        d.attrs["number %d" % (i % 9)] = numbers((20,), "<i4", i % 9)


@case("sohm_{kind}_{form}_{ver}", kind=KINDS, form=FORMS, ver=["old", "new"])
def shared(path, kind, form, ver):
    fcpl = h5p.create(h5p.FILE_CREATE)
    native.call("H5Pset_shared_mesg_nindexes", fcpl, 1)
    native.call("H5Pset_shared_mesg_index", fcpl, 0, kind, 20)
    native.call("H5Pset_shared_mesg_phase_change", fcpl, *form)
    with new(path, ver, fcpl) as f:
        shared_content(f, 24)


@case("sohm_five_indexes_{n}", n=[10, 120])
def five_indexes(path, n):
    fcpl = h5p.create(h5p.FILE_CREATE)
    native.call("H5Pset_shared_mesg_nindexes", fcpl, 5)
    for i, kind in enumerate(list(KINDS.values())[:5]):
        native.call("H5Pset_shared_mesg_index", fcpl, i, kind, 10 + i)
    with new(path, "new", fcpl) as f:
        shared_content(f, n)


@case("sohm_huge_attributes")
def sohm_huge(path):
    """Shared messages too large to be managed objects of the fractal heap."""
    fcpl = h5p.create(h5p.FILE_CREATE)
    native.call("H5Pset_shared_mesg_nindexes", fcpl, 1)
    native.call("H5Pset_shared_mesg_index", fcpl, 0, native.SHARE_ATTRIBUTE, 20)
    with new(path, "new", fcpl) as f:
        for i in range(6):
            g = f.create_group("g%d" % i)
            for k in range(4):
                g.attrs["big%d" % k] = numbers((1500 * (k + 1),), "<i8", k)


@case("header_{ver}_every_message", ver=["old", "new"])
def every_message(path, ver):
    """One header with as many kinds of message as a dataset can hold."""
    with new(path, ver) as f:
        d = f.create_dataset("d", (10, 10), dtype=">i4", chunks=(4, 4), maxshape=(None, 20), fillvalue=-3,
                             compression="gzip", shuffle=True, fletcher32=True, track_times=True)
        d[2:7, 3:9] = numbers((5, 6))
        d.attrs["a"] = 1
        h5o.set_comment(d.id, b"comment")
        raw = dataset(f, "external", h5t.STD_I16BE, (8,), dcpl_of(external=(b"header_every.raw", 0, 16)))
        write(raw, numbers((8,), "<i2"))
