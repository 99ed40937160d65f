"""Filters, alone and in chains, on every class they accept."""
import h5py
import numpy as np
from h5py import h5t, h5z

from . import native
from .registry import case, dataset, dcpl_of, new, noise, numbers, write

INTS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
SO_FLOAT_DSCALE, SO_INT = 0, 2
SZIP_ENTROPY, SZIP_NEAREST = 4, 32


def store(f, name, array, *filters, chunk=None, tid=None, fill=None):
    """A chunked dataset with the given filters: functions that add one to the creation list."""
    chunk = chunk or tuple(max(1, n // 2) for n in array.shape)
    dcpl = dcpl_of(chunk)
    if fill is not None:
        dcpl.set_fill_value(np.array(fill, array.dtype))
    for add in filters:
        add(dcpl)
    d = dataset(f, name, tid or h5t.py_create(array.dtype, logical=True), array.shape, dcpl)
    write(d, array)
    return d


def deflate(level=6):
    return lambda p: p.set_deflate(level)


def shuffle(p):
    p.set_shuffle()


def fletcher32(p):
    p.set_fletcher32()


def nbit(p):
    native.call("H5Pset_nbit", p)


def scaleoffset(kind, factor):
    return lambda p: native.call("H5Pset_scaleoffset", p, kind, factor)


def szip(mask, pixels):
    return lambda p: p.set_szip(mask, pixels)


def lzf(p):
    p.set_filter(h5py.h5z.FILTER_LZF, h5z.FLAG_OPTIONAL)


def sample(dtype, shape=(40, 30)):
    n = int(np.prod(shape))
    if np.dtype(dtype).kind == "f":
        return np.round(np.sin(np.arange(n) / 17) * 50, 9).astype(dtype).reshape(shape)
    return (np.arange(n, dtype="i8") // 3 % 97).astype(dtype).reshape(shape)


@case("filter_deflate{level}", level=[0, 1, 6, 9])
def deflates(path, level):
    with new(path) as f:
        store(f, "int", sample("<i4"), deflate(level))
        store(f, "noise", np.frombuffer(noise(4000, 3), "u1"), deflate(level))
        store(f, "zeros", np.zeros((100, 100), ">f8"), deflate(level))


TYPES = INTS + ["f2", "f4", "f8"]


@case("filter_shuffle_{ver}", ver=["old", "new"])
def shuffles(path, ver):
    with new(path, ver) as f:
        for t in TYPES:
            store(f, "le_" + t, sample("<" + t), shuffle)
            store(f, "be_" + t, sample(">" + t), shuffle, deflate())
        store(f, "odd", np.frombuffer(noise(700, 1), "V7"), shuffle)
        store(f, "string", np.array([b"abc%d" % i for i in range(50)], "S9"), shuffle, chunk=(7,))


@case("filter_fletcher32_{ver}", ver=["old", "new"])
def fletchers(path, ver):
    with new(path, ver) as f:
        for t in TYPES:
            store(f, t, sample("<" + t), fletcher32)
        for n in (1, 2, 3, 719, 721, 1500):
            store(f, "bytes%d" % n, np.frombuffer(noise(n, n), "u1"), fletcher32, chunk=(n,))
        store(f, "first", sample("<i4"), fletcher32, deflate())
        store(f, "last", sample("<i4"), deflate(), fletcher32)
        store(f, "twice", sample("<i4"), fletcher32, shuffle, fletcher32)


SZIP = {"nn8": (SZIP_NEAREST, 8), "nn32": (SZIP_NEAREST, 32), "ec4": (SZIP_ENTROPY, 4), "ec16": (SZIP_ENTROPY, 16)}


@case("filter_szip_{form}_{ver}", form=SZIP, ver=["old", "new"])
def szips(path, form, ver):
    with new(path, ver) as f:
        for t in TYPES:
            store(f, "le_" + t, sample("<" + t), szip(*form), chunk=(20, 30))
            store(f, "be_" + t, sample(">" + t), szip(*form), chunk=(20, 30))
        store(f, "odd_row", sample("<i2", (33, 37)), szip(*form), chunk=(33, 37))
        store(f, "constant", np.full((40, 64), 5, "<u2"), szip(*form), chunk=(20, 64))
        store(f, "noise", np.frombuffer(noise(4096, 7), "u1").reshape(64, 64), szip(*form), chunk=(32, 64))
        store(f, "line", sample("<i4", (500,)), szip(*form), chunk=(200,))
        store(f, "shuffled", sample("<i4"), shuffle, szip(*form), chunk=(20, 30))


def narrow(base, precision, offset):
    t = base.copy()
    t.set_precision(precision)
    t.set_offset(offset)
    return t


NBIT_INTS = {"u8": (h5t.STD_U8LE, 5, 2), "i16": (h5t.STD_I16LE, 12, 3), "i16be": (h5t.STD_I16BE, 11, 0),
             "u32": (h5t.STD_U32LE, 17, 7), "i32be": (h5t.STD_I32BE, 20, 5), "i64": (h5t.STD_I64LE, 33, 9),
             "full": (h5t.STD_I32LE, 32, 0)}


@case("filter_nbit_int_{form}", form=NBIT_INTS)
def nbit_ints(path, form):
    with new(path) as f:
        tid = narrow(*form)
        values = (np.arange(600, dtype="<i8") % 31).reshape(20, 30)
        store(f, "d", values, nbit, tid=tid)
        store(f, "deflated", values, nbit, deflate(), tid=tid)
        store(f, "checked", values, nbit, fletcher32, tid=tid)
        store(f, "edge", values, nbit, tid=tid, chunk=(7, 11))


@case("filter_nbit_float")
def nbit_floats(path):
    with new(path) as f:
        t = h5t.IEEE_F32LE.copy()
        t.set_fields(26, 20, 6, 7, 13)
        t.set_offset(7)
        t.set_precision(20)
        t.set_ebias(31)
        values = (np.arange(200, dtype="<f8") / 4 - 20).reshape(10, 20)
        store(f, "f20", values, nbit, tid=t)
        store(f, "f64", values, nbit, tid=h5t.IEEE_F64BE)


@case("filter_nbit_compound_{ver}", ver=["old", "new"])
def nbit_compounds(path, ver):
    with new(path, ver) as f:
        tid = h5t.create(h5t.COMPOUND, 32)
        tid.insert(b"a", 0, narrow(h5t.STD_I32LE, 13, 3))
        tid.insert(b"b", 6, narrow(h5t.STD_U16BE, 9, 2))
        tid.insert(b"c", 8, h5t.array_create(narrow(h5t.STD_I16LE, 7, 1), (3,)))
        tid.insert(b"d", 16, h5t.IEEE_F64LE)
        tid.insert(b"e", 24, h5t.py_create(np.dtype("S5")))
        plain = np.dtype([("a", "<i4"), ("b", "<u2"), ("c", "<i2", (3,)), ("d", "<f8"), ("e", "S5")])
        data = np.zeros((30,), plain)
        for i in range(30):
            data[i] = (i * 7 - 50, i, [i % 9, 1, 2], i / 2, b"s%d" % i)
        store(f, "d", data, nbit, tid=tid, chunk=(8,))
        store(f, "deflated", data, nbit, deflate(), tid=tid, chunk=(8,))


@case("filter_nbit_array")
def nbit_arrays(path):
    with new(path) as f:
        tid = h5t.array_create(narrow(h5t.STD_I32LE, 11, 4), (2, 3))
        plain = h5t.array_create(h5t.NATIVE_INT32, (2, 3))
        dcpl = dcpl_of((4,))
        nbit(dcpl)
        write(dataset(f, "d", tid, (10,), dcpl), np.arange(60, dtype="<i4"), plain)


@case("filter_nbit_other")
def nbit_other(path):
    """Classes the filter leaves as they are."""
    with new(path) as f:
        store(f, "opaque", np.frombuffer(noise(300, 2), "V3"), nbit, chunk=(10,))
        store(f, "string", np.array([b"text%d" % i for i in range(30)], "S7"), nbit, chunk=(10,))
        store(f, "enum", np.arange(30, dtype="<i2") % 3, nbit, chunk=(10,),
              tid=h5t.py_create(h5py.enum_dtype({"A": 0, "B": 1, "C": 2}, "<i2")))


@case("filter_scaleoffset_int_{t}_{bits}", t=INTS, bits={"auto": 0, "bits7": 7})
def scaleoffset_ints(path, t, bits):
    with new(path) as f:
        for order in ("<", ">"):
            name = {"<": "le", ">": "be"}[order]
            values = sample(order + t) if t[0] == "u" else sample(order + t) - 48
            store(f, name, values.astype(order + t), scaleoffset(SO_INT, bits))
            store(f, name + "_fill", values.astype(order + t), scaleoffset(SO_INT, bits), fill=96 - 48)
        store(f, "constant", np.full((20, 20), 9, "<" + t), scaleoffset(SO_INT, bits))
        store(f, "edge", values.astype("<" + t), scaleoffset(SO_INT, bits), chunk=(11, 13))


@case("filter_scaleoffset_range_{t}", t=["i4", "u4", "i8", "u8", "i2", "u1"])
def scaleoffset_range(path, t):
    """Values so far apart that all bits are kept."""
    with new(path) as f:
        info = np.iinfo(t)
        store(f, "full", np.array([info.min, info.max, 0, 1, 5, 7], "<" + t), scaleoffset(SO_INT, 0), chunk=(6,))
        store(f, "half", np.array([0, info.max, 0, 1, 5, 7], ">" + t), scaleoffset(SO_INT, 0), chunk=(6,))
        store(f, "high", np.array([info.max - 3, info.max, info.max - 1], "<" + t), scaleoffset(SO_INT, 0), chunk=(3,))


@case("filter_scaleoffset_float_{t}_d{digits}", t=["f4", "f8"], digits=[0, 2, 5])
def scaleoffset_floats(path, t, digits):
    with new(path) as f:
        store(f, "le", sample("<" + t), scaleoffset(SO_FLOAT_DSCALE, digits))
        store(f, "be", sample(">" + t), scaleoffset(SO_FLOAT_DSCALE, digits))
        store(f, "fill", np.where(sample("<" + t) > 30, -9.5, sample("<" + t)).astype("<" + t),
              scaleoffset(SO_FLOAT_DSCALE, digits), fill=-9.5)
        store(f, "constant", np.full((20, 20), 2.25, "<" + t), scaleoffset(SO_FLOAT_DSCALE, digits))


@case("filter_scaleoffset_partly_written")
def scaleoffset_partial(path):
    with new(path) as f:
        dcpl = dcpl_of((10,), fill_value=np.array(-7, "<i4"))
        scaleoffset(SO_INT, 0)(dcpl)
        d = h5py.Dataset(dataset(f, "d", h5t.STD_I32LE, (40,), dcpl))
        d[3:6] = [100, 105, 110]
        d[15:27] = numbers((12,))


@case("filter_lzf_{ver}", reference="h5py", ver=["old", "new"])
def lzfs(path, ver):
    with new(path, ver) as f:
        for t in TYPES:
            f.create_dataset(t, data=sample("<" + t), compression="lzf", chunks=(20, 15))
            f.create_dataset("shuffled_" + t, data=sample(">" + t), compression="lzf", shuffle=True, chunks=(20, 15))
        f.create_dataset("noise", data=np.frombuffer(noise(5000, 4), "u1"), compression="lzf", chunks=(1000,))
        f.create_dataset("zeros", data=np.zeros(50000, "u1"), compression="lzf", chunks=(20000,))
        f.create_dataset("checked", data=sample("<i4"), compression="lzf", fletcher32=True, chunks=(20, 15))


CHAINS = {
    "shuffle_deflate_fletcher32": (shuffle, deflate(), fletcher32),
    "nbit_deflate": (nbit, deflate()),
    "scaleoffset_fletcher32": (scaleoffset(SO_INT, 0), fletcher32),
    "scaleoffset_shuffle_deflate": (scaleoffset(SO_INT, 0), shuffle, deflate()),
    "shuffle_szip": (shuffle, szip(SZIP_NEAREST, 8)),
    "deflate_deflate": (deflate(1), deflate(9)),
    "shuffle_shuffle": (shuffle, shuffle),
    "fletcher32_shuffle_deflate": (fletcher32, shuffle, deflate()),
    "seven": (shuffle, deflate(1), fletcher32, shuffle, deflate(2), fletcher32, deflate(3)),
}


@case("filter_chain_{chain}_{ver}", chain=CHAINS, ver=["old", "new"])
def chains(path, chain, ver):
    with new(path, ver) as f:
        store(f, "d", sample("<i4"), *chain, chunk=(12, 30))
        store(f, "be", sample(">i2"), *chain, chunk=(40, 30))


@case("filter_chain_shuffle_lzf_fletcher32_{ver}", reference="h5py", ver=["old", "new"])
def lzf_chain(path, ver):
    chains(path, (shuffle, lzf, fletcher32), ver)


ON_TYPES = {"gzip": dict(compression="gzip"), "all": dict(compression="gzip", shuffle=True, fletcher32=True)}


@case("filter_on_types_{name}_{ver}", name={k: k for k in ON_TYPES}, ver=["old", "new"])
def on_types(path, name, ver):
    store_types(path, ver, name != "all", ON_TYPES[name])  # a checksum of heap addresses is refused


@case("filter_lzf_on_types_{ver}", reference="h5py", ver=["old", "new"])
def lzf_on_types(path, ver):
    store_types(path, ver, True, dict(compression="lzf", shuffle=True))


def store_types(path, ver, sequences, extra):
    compound = np.dtype([("a", "<i2"), ("b", ">f8"), ("c", "S3"), ("d", "<i4", (2,))])
    data = np.frombuffer(bytes(i % 50 + 32 for i in range(compound.itemsize * 60)), compound)
    with new(path, ver) as f:
        f.create_dataset("compound", data=data, chunks=(25,), **extra)
        f.create_dataset("string", data=np.array([b"x" * (i % 9) for i in range(60)], "S9"), chunks=(25,), **extra)
        if sequences:
            f.create_dataset("vlen", data=["t" * (i % 5) for i in range(60)], chunks=(25,), dtype=h5py.string_dtype(),
                             **extra)


@case("filter_unknown_{ver}", ver=["old", "new"])
def unknown(path, ver):
    """A filter no reader has: chunks that went without it can be read, the others cannot."""
    with new(path, ver) as f:
        for name, masks in (("skipped", (1, 1)), ("used", (1, 0))):
            d = dataset(f, name, h5t.STD_I32LE, (8,), dcpl_of((4,), filter=(300, h5z.FLAG_OPTIONAL, (1, 2, 3))))
            for i, mask in enumerate(masks):
                d.write_direct_chunk((i * 4,), numbers((4,), "<i4", i).tobytes(), mask)


@case("filter_optional_skipped")
def optional(path):
    """An optional filter that could not shrink its chunk and so was left out of it."""
    with new(path) as f:
        store(f, "szip_tiny", sample("<i4", (3, 5)), lambda p: p.set_filter(1, h5z.FLAG_OPTIONAL, (9,)), chunk=(1, 5))
        store(f, "lzf_noise", np.frombuffer(noise(3000, 8), "u1"), lzf, chunk=(500,))
