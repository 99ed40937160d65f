"""Every class of datatype, as a dataset, an attribute and a committed type."""
import h5py
import numpy as np
from h5py import h5a, h5d, h5s, h5t

from . import native
from .registry import case, dataset, new, noise, numbers, write

N = 12


def integers():
    types = {}
    for size in (8, 16, 32, 64):
        for sign in "IU":
            for order in ("LE", "BE"):
                types["%s%d%s" % (sign.lower(), size, order.lower())] = getattr(h5t, "STD_%s%d%s" % (sign, size, order))
    return types


def odd_integer(base, precision, offset, pads=(h5t.PAD_ZERO, h5t.PAD_ZERO)):
    t = base.copy()
    t.set_precision(precision)
    t.set_offset(offset)
    t.set_pad(*pads)
    return t


ODD = {
    "12in16": lambda: odd_integer(h5t.STD_I16LE, 12, 0),
    "12in16_off3": lambda: odd_integer(h5t.STD_I16LE, 12, 3),
    "12in16_off3_be": lambda: odd_integer(h5t.STD_I16BE, 12, 3),
    "u7in8": lambda: odd_integer(h5t.STD_U8LE, 7, 1),
    "17in32": lambda: odd_integer(h5t.STD_I32LE, 17, 5),
    "u17in32_be": lambda: odd_integer(h5t.STD_U32BE, 17, 9),
    "33in64": lambda: odd_integer(h5t.STD_I64LE, 33, 20),
    "pad_one": lambda: odd_integer(h5t.STD_I32LE, 10, 4, (h5t.PAD_ONE, h5t.PAD_ONE)),
    "pad_mixed": lambda: odd_integer(h5t.STD_U32BE, 10, 4, (h5t.PAD_ONE, h5t.PAD_ZERO)),
    "24bit": lambda: narrow(h5t.STD_I32LE),
    "24bit_be": lambda: narrow(h5t.STD_U32BE),
    "40bit": lambda: narrow(h5t.STD_I64LE, 5),
}


def narrow(base, size=3):
    t = base.copy()
    t.set_precision(size * 8)
    t.set_size(size)
    return t


def custom_float(base, fields, bias, precision, size, order=None):
    """Fields are sign position, exponent position and size, mantissa position and size."""
    t = base.copy()
    if size > t.get_size():
        t.set_size(size)
    t.set_fields(*fields)
    t.set_offset(0)
    t.set_precision(precision)
    t.set_size(size)
    t.set_ebias(bias)
    if order is not None:
        t.set_order(order)
    return t


FLOATS = {
    "f16le": lambda: h5t.IEEE_F16LE, "f16be": lambda: h5t.IEEE_F16BE,
    "f32le": lambda: h5t.IEEE_F32LE, "f32be": lambda: h5t.IEEE_F32BE,
    "f64le": lambda: h5t.IEEE_F64LE, "f64be": lambda: h5t.IEEE_F64BE,
    "ldouble": lambda: h5t.NATIVE_LDOUBLE,
    "bfloat16": lambda: custom_float(h5t.IEEE_F32LE, (15, 7, 8, 0, 7), 127, 16, 2),
    "bfloat16_be": lambda: custom_float(h5t.IEEE_F32BE, (15, 7, 8, 0, 7), 127, 16, 2),
    "f8e5m2": lambda: custom_float(h5t.IEEE_F32LE, (7, 2, 5, 0, 2), 15, 8, 1),
    "f8e4m3": lambda: custom_float(h5t.IEEE_F32LE, (7, 3, 4, 0, 3), 7, 8, 1),
    "f24": lambda: custom_float(h5t.IEEE_F32LE, (23, 16, 7, 0, 16), 63, 24, 3),
    "f20in32": lambda: f20in32(),
    "f48": lambda: custom_float(h5t.IEEE_F64LE, (47, 36, 11, 0, 36), 1023, 48, 6),
    "vax32": lambda: vax(h5t.IEEE_F32LE, 129),
    "vax64": lambda: vax(h5t.IEEE_F64LE, 1025),
    "norm_none": lambda: normed(h5t.NORM_NONE),
}


def f20in32():
    """Twenty bits placed seven above the bottom of four bytes."""
    t = h5t.IEEE_F32LE.copy()
    t.set_fields(26, 20, 6, 7, 13)
    t.set_offset(7)
    t.set_precision(20)
    t.set_ebias(31)
    return t


def vax(base, bias):
    t = base.copy()
    t.set_order(h5t.ORDER_VAX)
    t.set_ebias(bias)
    return t


def normed(norm):
    t = h5t.IEEE_F32LE.copy()
    t.set_norm(norm)
    return t


def put_everywhere(f, tid, array, mtype):
    """The same values as dataset, chunked dataset, attribute and scalar; the type committed as well."""
    write(dataset(f, "dataset", tid, (len(array),)), array, mtype)
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_chunk((5,))
    dcpl.set_deflate(3)
    write(dataset(f, "chunked", tid, (len(array),), dcpl), array, mtype)
    write(dataset(f, "scalar", tid, ()), array[3:4], mtype)
    attr = h5a.create(f.id, b"attribute", tid, h5s.create_simple((len(array),)))
    attr.write(np.ascontiguousarray(array), mtype)
    named = tid.copy()
    named.commit(f.id, b"committed")


VERSIONS = ["old", "new"]


@case("type_int_{name}_{ver}", name=integers(), ver=VERSIONS)
def plain_integers(path, name, ver):
    with new(path, ver) as f:
        values = numbers((N,), "<i8") if name.get_size() == 1 else numbers((N,), "<i8") * 301
        if name.get_sign() == h5t.SGN_2:
            values -= 50
        if name.get_size() == 8:
            values = values << 40
        put_everywhere(f, name, values, h5t.NATIVE_INT64)


@case("type_int_odd_{name}", name=ODD)
def odd_integers(path, name):
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    native.allow_odd_numbers(fapl)
    with new(path, fapl=fapl) as f:
        put_everywhere(f, name(), numbers((N,), "<i8") - 20, h5t.NATIVE_INT64)


@case("type_float_{name}_{ver}", name=FLOATS, ver=["old"])
def floats(path, name, ver):
    with new(path, ver) as f:
        values = np.array([0, 1, -1, 0.5, -2.25, 3, 1.75, -0.0, 12, -14, 0.125, 1.5])
        put_everywhere(f, name(), values, h5t.NATIVE_DOUBLE)


@case("type_float_range_{name}", name=["f4", "f8", "f2"])
def float_range(path, name):
    with new(path) as f:
        info = np.finfo(name)
        values = np.array([info.max, info.min, info.tiny, info.eps, info.tiny / 4, 1 / 3, np.inf, -np.inf, -0.0], name)
        f["le"] = values.astype("<" + name)
        f["be"] = values.astype(">" + name)
        f["noise"] = np.round(np.random.RandomState(5).standard_normal(1000), 9).astype(">" + name)
        if name != "f2":
            f["nan"] = np.array([np.nan, 1], "<" + name)


@case("type_time_{ver}", ver=VERSIONS)
def time(path, ver):
    with new(path, ver) as f:
        for name in ("UNIX_D32LE", "UNIX_D32BE", "UNIX_D64LE", "UNIX_D64BE"):
            tid = getattr(h5t, name)
            raw = np.frombuffer(noise(tid.get_size() * 4, 9), "V%d" % tid.get_size())
            write(dataset(f, name, tid, (4,)), raw, tid)
            h5a.create(f.id, name.encode(), tid, h5s.create_simple((4,))).write(raw, tid)


@case("type_bitfield_{ver}", ver=VERSIONS)
def bitfield(path, ver):
    with new(path, ver) as f:
        for bits in (8, 16, 32, 64):
            for order in ("LE", "BE"):
                tid = getattr(h5t, "STD_B%d%s" % (bits, order))
                raw = np.frombuffer(noise(tid.get_size() * N, bits), "V%d" % tid.get_size())
                write(dataset(f, "b%d%s" % (bits, order), tid, (N,)), raw, tid)


@case("type_string_fixed_{ver}", ver=VERSIONS)
def fixed_strings(path, ver):
    words = [b"", b"a", b"abcdefgh", b"with space", b"trail   ", b"\xc3\xa9"]
    with new(path, ver) as f:
        for pad, code in (("term", h5t.STR_NULLTERM), ("nullpad", h5t.STR_NULLPAD), ("space", h5t.STR_SPACEPAD)):
            for cset in (h5t.CSET_ASCII, h5t.CSET_UTF8):
                for size in (1, 8, 13):
                    tid = h5t.C_S1.copy()
                    tid.set_size(size)
                    tid.set_strpad(code)
                    tid.set_cset(cset)
                    fill = b" " if pad == "space" else b"\0"
                    raw = np.frombuffer(b"".join(w[:size].ljust(size, fill) for w in words), "V%d" % size)
                    write(dataset(f, "%s_%d_%d" % (pad, cset, size), tid, (len(words),)), raw, tid)
        tid = h5t.FORTRAN_S1.copy()
        tid.set_size(6)
        write(dataset(f, "fortran", tid, (2,)), np.frombuffer(b"abc   def   ", "V6"), tid)


@case("type_string_vlen_{ver}", ver=VERSIONS)
def vlen_strings(path, ver):
    with new(path, ver) as f:
        for cset in ("ascii", "utf-8"):
            words = ["", "a", "hello", "x" * 300] + (["é", "数据"] if cset == "utf-8" else [])
            f.create_dataset(cset, data=words, dtype=h5py.string_dtype(cset))
            f.create_dataset(cset + " scalar", data=words[2], dtype=h5py.string_dtype(cset))
        f.create_dataset("unwritten", (4,), dtype=h5py.string_dtype())
        f.create_dataset("chunked", (10,), chunks=(3,), dtype=h5py.string_dtype())[4:6] = ["four", "five"]
        for pad in (h5t.STR_NULLPAD, h5t.STR_SPACEPAD):
            tid = h5t.C_S1.copy()
            tid.set_size(h5t.VARIABLE)
            tid.set_strpad(pad)
            h5py.Dataset(dataset(f, "pad%d" % pad, tid, (2,)))[...] = [b"ab", b"c "]


def opaque_values(f, size, tag):
    tid = h5t.create(h5t.OPAQUE, size)
    tid.set_tag(tag)
    raw = np.frombuffer(noise(size * 5, size), "V%d" % size)
    write(dataset(f, "opaque%d" % size, tid, (5,)), raw, tid)
    h5a.create(f.id, b"opaque%d" % size, tid, h5s.create_simple((5,))).write(raw, tid)


@case("type_opaque_{ver}", ver=VERSIONS)
def opaque(path, ver):
    with new(path, ver) as f:
        for size, tag in ((1, b""), (3, b"abc"), (8, b"eight by"), (100, b"a longer tag that says something" * 3)):
            opaque_values(f, size, tag)


@case("type_opaque_long_tag_{ver}", ver=VERSIONS)
def opaque_long_tag(path, ver):
    with new(path, ver) as f:
        opaque_values(f, 7, b"t" * 255)


COMPOUNDS = {
    "simple": np.dtype([("a", "<i4"), ("b", "<f8")]),
    "mixed_order": np.dtype([("a", ">i2"), ("b", "<u8"), ("c", ">f4"), ("d", "<i1")]),
    "padded": np.dtype({"names": ["a", "b", "c"], "formats": ["<i1", "<f8", ">i2"], "offsets": [3, 16, 40],
                        "itemsize": 64}),
    "aligned": np.dtype([("a", "i1"), ("b", "<f8"), ("c", "<i2")], align=True),
    "nested": np.dtype([("p", [("x", "<i2"), ("q", [("y", ">f4"), ("z", "u1")])]), ("n", "<i8")]),
    "arrays": np.dtype([("v", "<f4", (3,)), ("m", ">i2", (2, 2)), ("s", "S5"), ("n", [("k", "<i4", (2,))], (2,))]),
    "single": np.dtype([("only", "<i2")]),
    "strings": np.dtype([("s1", "S1"), ("s8", "S8"), ("s20", "S20")]),
    "complex": np.dtype("<c16"),
    "many300": np.dtype([("member_%03d" % i, ["<i4", ">f8", "u1"][i % 3]) for i in range(300)]),
    "long_names": np.dtype([("n" * k, "<i4") for k in (1, 7, 8, 9, 200)]),
    "utf8_names": np.dtype([("größe", "<i4"), ("数", "<f4")]),
    "enum": np.dtype([("e", h5py.enum_dtype({"A": 1, "B": 2}, "<i2")), ("b", "?")]),
}


@case("type_compound_{name}_{ver}", name=COMPOUNDS, ver=["old", "v18", "new"])
def compounds(path, name, ver):
    with new(path, ver) as f:
        raw = np.frombuffer(bytes(i % 64 for i in range(name.itemsize * N)), "V%d" % name.itemsize)
        tid = h5t.py_create(name, logical=True)
        put_everywhere(f, tid, raw, tid)


@case("type_compound_vlen_{ver}", ver=VERSIONS)
def compound_vlen(path, ver):
    dt = np.dtype([("id", "<i4"), ("name", h5py.string_dtype()), ("seq", h5py.vlen_dtype("<f8")), ("fix", "S4")])
    with new(path, ver) as f:
        d = f.create_dataset("d", (6,), dtype=dt)
        data = np.zeros((6,), dt)
        for i in range(6):
            data[i] = (i, "name%d" % i * i, numbers((i,), "<f8", i), b"f%d" % i)
        d[...] = data
        f.create_dataset("unwritten", (2,), dtype=dt)


@case("type_compound_reference_{ver}", ver=VERSIONS)
def compound_reference(path, ver):
    dt = np.dtype([("o", h5py.ref_dtype), ("r", h5py.regionref_dtype), ("n", ">i4")])
    with new(path, ver) as f:
        t = f.create_dataset("target", data=numbers((5, 5)))
        data = np.zeros((3,), dt)
        for i in range(3):
            data[i] = (t.ref if i else h5py.Reference(), t.regionref[i:i + 2, 1:4], i)
        f.create_dataset("d", (3,), dtype=dt)[...] = data


@case("type_enum_{base}_{ver}", base=["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"], ver=VERSIONS)
def enums(path, base, ver):
    with new(path, ver) as f:
        members = {"ZERO": 0, "ONE": 1, "BIG": 100, "LAST": 127}
        if base[0] == "i":
            members["NEG"] = -3
        for order in "<>":
            f.create_dataset("order" + {"<": "le", ">": "be"}[order], data=np.array([0, 1, 100, 127, 1]),
                             dtype=h5py.enum_dtype(members, order + base))
        f.attrs.create("a", 100, dtype=h5py.enum_dtype(members, "<" + base))


@case("type_enum_many_{ver}", ver=VERSIONS)
def enum_many(path, ver):
    with new(path, ver) as f:
        members = {"member %d" % i: i * 3 for i in range(300)}
        f.create_dataset("d", data=np.arange(50) * 6, dtype=h5py.enum_dtype(members, ">i4"))
        f.create_dataset("bool", data=np.array([True, False, True]))


@case("type_reference_{ver}", ver=VERSIONS)
def references(path, ver):
    with new(path, ver) as f:
        d = f.create_dataset("g/d", data=numbers((10, 10)))
        f["t"] = np.dtype("<i4")
        refs = [d.ref, f["g"].ref, f["t"].ref, f.ref, h5py.Reference()]
        f.create_dataset("objects", data=np.array(refs, h5py.ref_dtype), dtype=h5py.ref_dtype)
        space = d.id.get_space()
        regions = [d.regionref[2:5, 3:9], d.regionref[::3, 1], d.regionref[...]]
        space.select_elements(np.array([[1, 2], [9, 9], [0, 5]], "u8"))
        regions.append(h5py.h5r.create(d.id, b".", h5py.h5r.DATASET_REGION, space))
        space.select_hyperslab((0, 0), (2, 2), (4, 5), (2, 1))
        space.select_hyperslab((5, 5), (1, 1), None, (4, 3), h5s.SELECT_OR)
        regions.append(h5py.h5r.create(d.id, b".", h5py.h5r.DATASET_REGION, space))
        space.select_none()
        f.create_dataset("regions", data=np.array(regions, h5py.regionref_dtype), dtype=h5py.regionref_dtype)
        f.create_dataset("unset", (3,), dtype=h5py.regionref_dtype)


def sequences_of(n, dtype, seed=0):
    data = np.empty((n,), object)
    for i in range(n):
        data[i] = numbers((i * 3 % 7,), dtype, seed + i)
    return data


@case("type_vlen_{base}_{ver}", base=["i1", "i4", "u8", "f4", "f8"], ver=VERSIONS)
def vlens(path, base, ver):
    with new(path, ver) as f:
        f.create_dataset("d", (N,), dtype=h5py.vlen_dtype("<" + base))[...] = sequences_of(N, "<" + base)
        f.create_dataset("be", (N,), dtype=h5py.vlen_dtype(">" + base))
        f["be"][2] = numbers((4,), ">" + base)
        f.create_dataset("chunked", (N,), dtype=h5py.vlen_dtype("<" + base), chunks=(5,), compression="gzip")
        f["chunked"][...] = sequences_of(N, "<" + base, 3)


@case("type_vlen_compound_{ver}", ver=VERSIONS)
def vlen_compound(path, ver):
    dt = np.dtype([("x", "<i4"), ("y", "<f8")])
    with new(path, ver) as f:
        d = f.create_dataset("d", (4,), dtype=h5py.vlen_dtype(dt))
        for i in range(4):
            d[i] = np.array([(k, k / 2) for k in range(i * 2)], dt)


def raw_vlen(rows):
    """Memory image of hvl_t elements; the returned list keeps the buffers alive."""
    keep = [np.ascontiguousarray(r) for r in rows]
    image = np.array([(len(k), k.ctypes.data if len(k) else 0) for k in keep], [("len", "u8"), ("p", "u8")])
    return image, keep


@case("type_vlen_nested_{ver}", ver=VERSIONS, reference="stock")
def vlen_nested(path, ver):
    from .native import call
    inner = h5t.vlen_create(h5t.STD_I32LE)
    outer = h5t.vlen_create(inner)
    text = h5t.C_S1.copy()
    text.set_size(h5t.VARIABLE)
    of_text = h5t.vlen_create(text)
    with new(path, ver) as f:
        keep, rows = [], []
        for i in range(5):
            image, k = raw_vlen([numbers((j * 2,), "<i4", i) for j in range(i)])
            keep += k
            rows.append(image)
        image, k = raw_vlen(rows)
        ds = dataset(f, "nested", outer, (5,))
        call("H5Dwrite", ds, outer, 0, 0, 0, image.ctypes.data)
        words = [np.frombuffer(w + b"\0", "u1") for w in (b"alpha", b"", b"gamma", b"d" * 50)]
        image, k2 = raw_vlen([np.array([w.ctypes.data for w in words[:i]], "u8") for i in range(5)])
        ds2 = dataset(f, "strings", of_text, (5,))
        call("H5Dwrite", ds2, of_text, 0, 0, 0, image.ctypes.data)


ARRAYS = {"1d": (5,), "2d": (2, 3), "3d": (2, 1, 3), "4d": (2, 2, 1, 2)}


@case("type_array_{dims}_{ver}", dims=ARRAYS, ver=["old", "v18", "new"])
def arrays(path, dims, ver):
    with new(path, ver) as f:
        for name, base in (("int", "<i4"), ("be", ">f8"), ("s", "S3"), ("cmp", [("a", "<i2"), ("b", ">f4")])):
            base = np.dtype(base)
            tid = h5t.array_create(h5t.py_create(base, logical=True), dims)
            size = tid.get_size()
            raw = np.frombuffer(bytes(32 + i % 64 for i in range(size * 4)), "V%d" % size)
            write(dataset(f, name, tid, (4,)), raw, tid)


@case("type_array_of_array_{ver}", ver=VERSIONS)
def nested_arrays(path, ver):
    with new(path, ver) as f:
        tid = h5t.array_create(h5t.array_create(h5t.STD_I16BE, (3,)), (2, 2))
        write(dataset(f, "d", tid, (3,)), np.frombuffer(noise(24 * 3, 2), "V24"), tid)


@case("type_array_of_vlen_{ver}", ver=VERSIONS, reference="stock")
def array_of_vlen(path, ver):
    from .native import call
    tid = h5t.array_create(h5t.vlen_create(h5t.STD_I32LE), (2, 2))
    with new(path, ver) as f:
        image, keep = raw_vlen([numbers((i % 5,), "<i4", i) for i in range(12)])
        ds = dataset(f, "d", tid, (3,))
        call("H5Dwrite", ds, tid, 0, 0, 0, image.ctypes.data)


@case("type_packed_{kind}", kind=["nested_array_compound"])
def deep(path, kind):
    dt = np.dtype([("a", [("b", [("c", [("d", "<i2", (2,)), ("e", "S2")], (2,))])], (2,)), ("z", ">u2")])
    with new(path, "new") as f:
        raw = np.frombuffer(bytes(32 + i % 64 for i in range(dt.itemsize * 3)), "V%d" % dt.itemsize)
        tid = h5t.py_create(dt)
        write(dataset(f, "d", tid, (3,)), raw, tid)
