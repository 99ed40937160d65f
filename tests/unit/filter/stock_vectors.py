#!/usr/bin/env python3
"""What stock libhdf5 makes of datasets with filters, one per line:

type dims fill pipeline-asked pipeline-stored mask data chunk read-back

type, data, chunk and read-back in hexadecimal, a pipeline as id:flags:value.value/id:..., and - for what is not there:
no pipeline stored when the dataset cannot be created, no chunk when writing fails. What 1.14 writes and cannot read, scale-offset
data whose values take the whole range of the type, is what was written."""
import ctypes as C
import os
import random
import struct
import sys

import h5py  # its lzf filter registers itself with the library

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import stock  # noqa: E402

h5 = stock.load()
hid, u, z, p, i = C.c_int64, C.c_uint, C.c_size_t, C.c_void_p, C.c_int


def call(name, result, *arguments):
    f = getattr(h5, name)
    f.restype, f.argtypes = result, arguments
    return f


call("H5open", i)()
Fcreate = call("H5Fcreate", hid, C.c_char_p, u, hid, hid)
Pcreate = call("H5Pcreate", hid, hid)
Pclose = call("H5Pclose", i, hid)
Pset_chunk = call("H5Pset_chunk", i, hid, i, p)
Pset_filter = call("H5Pset_filter", i, hid, i, u, z, p)
Pset_fill_value = call("H5Pset_fill_value", i, hid, hid, p)
Pget_nfilters = call("H5Pget_nfilters", i, hid)
Pget_filter2 = call("H5Pget_filter2", i, hid, u, p, p, p, z, p, p)
Pset_fapl_core = call("H5Pset_fapl_core", i, hid, z, C.c_bool)
Dcreate2 = call("H5Dcreate2", hid, hid, C.c_char_p, hid, hid, hid, hid, hid)
Dopen2 = call("H5Dopen2", hid, hid, C.c_char_p, hid)
Dwrite = call("H5Dwrite", i, hid, hid, hid, hid, hid, p)
Dread = call("H5Dread", i, hid, hid, hid, hid, hid, p)
Dclose = call("H5Dclose", i, hid)
Dflush = call("H5Dflush", i, hid)
Dget_create_plist = call("H5Dget_create_plist", hid, hid)
Dget_chunk_storage_size = call("H5Dget_chunk_storage_size", i, hid, p, p)
Dread_chunk = call("H5Dread_chunk", i, hid, hid, p, p, p)
Screate_simple = call("H5Screate_simple", hid, i, p, p)
Sclose = call("H5Sclose", i, hid)
Tcopy = call("H5Tcopy", hid, hid)
Tcreate = call("H5Tcreate", hid, i, z)
Tinsert = call("H5Tinsert", i, hid, C.c_char_p, z, hid)
Tset_precision = call("H5Tset_precision", i, hid, z)
Tset_offset = call("H5Tset_offset", i, hid, z)
Tset_size = call("H5Tset_size", i, hid, z)
Tget_size = call("H5Tget_size", z, hid)
Tset_fields = call("H5Tset_fields", i, hid, z, z, z, z, z)
Tset_ebias = call("H5Tset_ebias", i, hid, z)
Tarray = call("H5Tarray_create2", hid, hid, u, p)
Tvlen = call("H5Tvlen_create", hid, hid)
Tenum = call("H5Tenum_create", hid, hid)
Tenum_insert = call("H5Tenum_insert", i, hid, C.c_char_p, p)
Tencode = call("H5Tencode", i, hid, p, p)
call("H5Eset_auto2", i, hid, p, p)(0, None, None)

DEFLATE, SHUFFLE, FLETCHER, SZIP, NBIT, SCALE, LZF = 1, 2, 3, 4, 5, 6, 32000
COMPOUND, STRING, OPAQUE = 6, 3, 5
R = random.Random(1)
SINCE_1_14 = stock.release() >= (1, 14)


def symbol(name):
    return hid.in_dll(h5, name + "_g").value


def T(name):
    return symbol("H5T_" + name)


def sizes(*values):
    return (C.c_uint64 * len(values))(*values)


def array(base, *dims):
    return Tarray(base, len(dims), sizes(*dims))


def compound(size, *members):
    t = Tcreate(COMPOUND, size)
    for k, (offset, member) in enumerate(members):
        assert Tinsert(t, b"m%d" % k, offset, member) >= 0
    return t


def number(base, size=None, precision=None, offset=None):
    t = Tcopy(T(base))
    if size:
        assert Tset_size(t, size) >= 0
    if precision:
        assert Tset_precision(t, precision) >= 0
    if offset:
        assert Tset_offset(t, offset) >= 0
    return t


def enum(base):
    t = Tenum(base)
    Tenum_insert(t, b"one", C.create_string_buffer(b"\1" + bytes(15)))
    return t


def opaque(size):
    return Tcreate(OPAQUE, size)


def string(size):
    t = Tcopy(T("C_S1"))
    Tset_size(t, size)
    return t


def encoded(t):
    n = z(0)
    Tencode(t, None, C.byref(n))
    b = C.create_string_buffer(n.value)
    Tencode(t, b, C.byref(n))
    return b.raw[2:]


fapl = Pcreate(symbol("H5P_CLS_FILE_ACCESS_ID"))
Pset_fapl_core(fapl, 1 << 16, False)
if hasattr(h5, "H5Pset_relax_file_integrity_checks"):
    call("H5Pset_relax_file_integrity_checks", i, hid, C.c_uint64)(fapl, 1)  # numbers with many unused bits
FILE = Fcreate(b"stock-vectors", 2, 0, fapl)
made = 0


def filters_of(plist):
    out = []
    for k in range(Pget_nfilters(plist)):
        flags, n, values = u(0), z(256), (u * 256)()
        fid = Pget_filter2(plist, k, C.byref(flags), C.byref(n), values, 0, None, None)
        assert n.value <= 256
        out.append((fid, flags.value, list(values[:n.value])))
    return out


def shown(filters):
    return "/".join("%d:%d:%s" % (f, g, ".".join(map(str, v))) for f, g, v in filters)


def write_and_look(d, t, dims, data):
    """mask, chunk and what is read back."""
    n, mask, origin = C.c_uint64(0), C.c_uint32(0), sizes(*[0] * len(dims))
    if Dwrite(d, t, 0, 0, 0, data) < 0 or Dflush(d) < 0:
        return None
    Dget_chunk_storage_size(d, origin, C.byref(n))
    chunk = C.create_string_buffer(n.value)
    Dread_chunk(d, 0, origin, C.byref(mask), chunk)
    Dclose(d)
    back = C.create_string_buffer(len(data))
    again = Dopen2(FILE, b"d%d" % made, 0)
    read = Dread(again, t, 0, 0, 0, back)
    Dclose(again)
    return mask.value, chunk.raw, back.raw if read >= 0 else data if SINCE_1_14 else b""


def case(t, dims, filters, data=None, fill=None):
    global made
    made += 1
    plist = Pcreate(symbol("H5P_CLS_DATASET_CREATE_ID"))
    Pset_chunk(plist, len(dims), sizes(*dims))
    for f, flags, values in filters:
        assert Pset_filter(plist, f, flags, len(values), (u * max(1, len(values)))(*values)) >= 0
    if fill is not None:
        assert Pset_fill_value(plist, t, None if fill == "undefined" else fill) >= 0
    asked = shown(filters_of(plist))
    space = Screate_simple(len(dims), sizes(*dims), None)
    d = Dcreate2(FILE, b"d%d" % made, t, space, 0, plist, 0)
    stored, result = "-", None
    if d >= 0:
        local = Dget_create_plist(d)
        stored = shown(filters_of(local))
        Pclose(local)
        if data is not None:
            result = write_and_look(d, t, dims, data)
        else:
            Dclose(d)
    Sclose(space)
    Pclose(plist)
    fields = [encoded(t).hex(), ",".join(map(str, dims)), fill.hex() if isinstance(fill, bytes) else fill or "-", asked, stored]
    fields += [str(result[0]) if result else "-", data.hex() if data else "-"]
    fields += [result[1].hex(), result[2].hex() or "-"] if result else ["-", "-"]
    print(" ".join(fields))


def count(dims):
    n = 1
    for d in dims:
        n *= d
    return n


def noise(t, *dims):
    return R.randbytes(Tget_size(t) * count(dims))


def simple_filters():
    for size in (1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24):
        for n in (1, 2, 15, 16, 17, 47, 130):
            case(opaque(size), (n,), [(SHUFFLE, 1, [])], noise(opaque(size), n))
    for n in (1, 2, 3, 720, 721, 5000, 5001):
        for data in (R.randbytes(n), b"\xff" * n, bytes(n)):
            case(T("STD_U8LE"), (n,), [(FLETCHER, 0, [])], data)
    for n in (3, 40, 400, 4000):
        for data in (bytes(n), R.randbytes(n), bytes(k * k >> 7 & 255 for k in range(n))):
            for flags in (0, 1):
                case(T("STD_U8LE"), (n,), [(LZF, flags, [])], data)
    for values in ([9], [0, 0, 9], [4, 261, 5, 6, 7]):
        case(T("STD_I32LE"), (10,), [(LZF, 1, values)])
    for values in ([], [0], [1], [9], [10], [1, 2]):
        for flags in (0, 1):
            case(T("STD_I32LE"), (500,), [(DEFLATE, flags, values)], noise(T("STD_I32LE"), 500))
            case(T("STD_I32LE"), (500,), [(DEFLATE, flags, values)], bytes(2000))
    i32, n12 = T("STD_I32LE"), number("STD_I32LE", precision=12, offset=3)
    ramp = struct.pack("<300i", *range(300))
    case(i32, (300,), [(SHUFFLE, 1, []), (FLETCHER, 0, [])], ramp)
    case(i32, (300,), [(SHUFFLE, 1, []), (SHUFFLE, 1, [])], ramp)
    case(i32, (300,), [(SHUFFLE, 1, []), (SHUFFLE, 0, [])], ramp)
    case(i32, (300,), [(SCALE, 1, [2, 0]), (SHUFFLE, 1, []), (FLETCHER, 0, [])], ramp)
    case(i32, (300,), [(SZIP, 1, [169, 8]), (FLETCHER, 0, [])], ramp)
    case(i32, (300,), [(SHUFFLE, 1, []), (LZF, 1, []), (FLETCHER, 0, [])], ramp)
    case(n12, (300,), [(NBIT, 0, []), (FLETCHER, 0, [])], ramp)
    case(i32, (300,), [(399, 1, []), (SHUFFLE, 0, [])], ramp)
    case(i32, (300,), [(399, 0, []), (SHUFFLE, 0, [])], ramp)
    for filters in ([(SHUFFLE, 1, [])], [(SHUFFLE, 0, [])], [(DEFLATE, 1, [1])], [(DEFLATE, 1, [1]), (FLETCHER, 0, [])]):
        case(Tvlen(i32), (4,), filters)
        case(string(2**64 - 1), (4,), filters)
        case(compound(24, (0, Tvlen(i32)), (16, i32)), (4,), filters)


def odd_float():
    t = Tcopy(T("IEEE_F32BE"))
    Tset_fields(t, 26, 20, 6, 7, 13)
    Tset_offset(t, 7)
    Tset_precision(t, 20)
    Tset_size(t, 4)
    Tset_ebias(t, 31)
    return t


def atoms():
    return [number("STD_I32LE", precision=12, offset=3), number("STD_U16BE", precision=9), number("STD_I64LE", precision=37, offset=20),
            number("STD_I64BE", precision=63, offset=1), number("STD_I8LE", precision=1, offset=7), number("STD_U32BE", size=16, precision=100, offset=5),
            number("STD_I32LE", size=3, precision=17, offset=2), odd_float(), T("STD_I32LE"), T("IEEE_F64BE"), T("STD_I8LE")]


def whole_types():
    return [string(5), opaque(7), enum(T("STD_I16LE")), enum(number("STD_I16LE", precision=10)), number("STD_B16LE", precision=9, offset=2),
            T("UNIX_D32LE")]


def random_type(depth, is_last=True):
    """Stock loses its way behind an array of arrays or compounds, so such a one is only made where nothing follows."""
    kind = R.randrange(4) if depth else R.randrange(2)
    if kind < 2:
        # Without the last, time: stock crashes on compounds with it.
        return R.choice(atoms() + whole_types()[:-1])
    if kind == 2:
        return array(random_type(depth - 1 if is_last else 0), *[R.randrange(1, 4) for _ in range(R.randrange(1, 3))])
    n = R.randrange(1, 5)
    types = [random_type(depth - 1, is_last and k == n - 1) for k in range(n)]
    places, at = [0] * n, 0
    for k in R.sample(range(n), n):
        at += R.randrange(0, 3)
        places[k] = at
        at += Tget_size(types[k])
    return compound(at + R.randrange(0, 3), *zip(places, types))


def nbit():
    def both(t, *dims):
        case(t, dims, [(NBIT, R.randrange(2), [])], noise(t, *dims))
    for t in atoms() + whole_types():
        for n in (1, 2, 3, 8, 31):
            both(t, n)
        both(array(t, 2, 3), 5)
        both(array(array(t, 2), 3), 2, 3)
        both(compound(40, (1, t), (20, atoms()[0]), (30, atoms()[1])), 5)
    done = 0
    while done < 150:
        t = random_type(3)
        if Tget_size(t) < 400:
            both(t, R.randrange(1, 9))
            done += 1
    i32, i8, n12, vlen = T("STD_I32LE"), T("STD_I8LE"), atoms()[0], Tvlen(T("STD_I32LE"))
    ref, region, inner = T("STD_REF_OBJ"), T("STD_REF_DSETREG"), compound(16, (8, n12), (0, i8))
    inner_vlen = compound(32, (20, n12), (0, vlen))
    for t in (vlen, array(vlen, 3), ref, region, string(2**64 - 1), compound(64, (0, n12), (8, string(2**64 - 1))), compound(64, (0, string(2**64 - 1)), (8, n12)),
              compound(64, (24, n12), (0, vlen), (40, i32)), compound(64, (0, vlen)), compound(64, (0, n12), (8, array(vlen, 2))),
              compound(32, (8, n12), (0, ref), (16, i8)),
              compound(48, (32, i8), (16, inner), (0, vlen)), compound(64, (40, i8), (4, inner_vlen), (0, n12)), array(inner_vlen, 2),
              compound(72, (64, i8), (32, array(inner, 2)), (0, vlen)),
              # Whose members 1.14 puts in order, and 1.10 does not.
              *([] if SINCE_1_14 else [compound(32, (16, n12), (0, region), (20, i8))])):
        for flags in (0, 1):
            case(t, (3, 4), [(NBIT, flags, [])])
    # Where stock goes astray, but not out of its buffers.
    both(compound(51, (0, array(array(number("STD_I32LE", size=3, precision=17, offset=2), 3, 2), 1)),
                  (21, array(number("STD_I64LE", precision=37, offset=20), 3)), (45, compound(5, (0, n12))), (18, i8)), 8)
    both(compound(34, (8, array(array(opaque(2), 3), 4)), (0, number("STD_I64LE", precision=37, offset=20))), 8)
    for values in ([7, 7, 7], [1] * 20):
        case(n12, (4,), [(NBIT, 1, values)], noise(n12, 4))


INTEGERS = [("STD_I8LE", "<b"), ("STD_U8BE", ">B"), ("STD_I16BE", ">h"), ("STD_U16LE", "<H"), ("STD_I32LE", "<i"), ("STD_U32BE", ">I"),
            ("STD_I64BE", ">q"), ("STD_U64LE", "<Q")]


def scale_integers():
    for name, form in INTEGERS:
        bits = 8 * struct.calcsize(form)
        lowest = -2**(bits - 1) if form[1].islower() else 0
        highest = lowest + 2**bits - 1

        def one(values, factor, fill=None):
            fill = struct.pack(form, fill) if isinstance(fill, int) else fill
            case(T(name), (len(values),), [(SCALE, 1 if factor > bits else 0, [2, factor & 0xffffffff])], b"".join(struct.pack(form, v) for v in values), fill)
        for span_bits in sorted({0, 1, 2, 3, 5, 7, 8, bits - 1, bits}):
            span = 2**span_bits
            for n in (1, 2, 9, 40):
                low = R.randrange(lowest, highest - span + 2)
                values = [low + R.randrange(span) for _ in range(n)]
                for fill in (None, "undefined", values[0], R.randrange(lowest, highest + 1)):
                    one(values, 0, fill)
                one(values, R.randrange(1, bits), R.choice(values))
        for span in range(2**bits - 5, 2**bits):
            for low in range(lowest, highest - span + 1):
                for fill in ("undefined", lowest + span // 2):
                    one([low + span, low], 0, fill)
        for factor in (-1, 1, 3, bits - 1, bits, bits + 1):
            one([lowest, highest, lowest + 5, lowest + 6], factor, R.choice((None, "undefined")))
        one([highest - 3] * 5, 0, highest - 3)
        one([highest - 3] * 5, 3, highest - 3)
        one([highest - 3] * 5, 0, "undefined")


def scale_floats():
    for name, form in (("IEEE_F32LE", "<f"), ("IEEE_F64LE", "<d"), ("IEEE_F32BE", ">f"), ("IEEE_F64BE", ">d")):
        def one(values, factor, fill=None):
            fill = struct.pack(form, fill) if isinstance(fill, (int, float)) else fill
            case(T(name), (len(values),), [(SCALE, 0, [0, factor & 0xffffffff])], b"".join(struct.pack(form, v) for v in values), fill)
        # Nothing exactly one unit away from the fill value: there stock takes a float for the fill value when it looks
        # for the minimum and not when it packs.
        for factor in (-3, -1, 0, 1, 2, 3, 5):
            for n in (1, 7, 30, 60):
                scale = 10.0 ** R.randrange(-3, 7)
                values = [R.uniform(-scale, scale) for _ in range(n)]
                near = [v + R.choice((0, 0.25, 0.5, 0.999, 1.001, 2, -1.001)) * 10.0 ** -factor for v in [values[0]] * n]
                for fill in (None, "undefined", values[0], values[-1] + 1.01 * 10.0 ** -factor):
                    one(values, factor, fill)
                    one(near, factor, fill)
                one([k / 2 * 10.0 ** -factor for k in range(-5, 12)], factor, "undefined")
        for values in ([5, 5, 5], [5, 5, 5.4], [-0.0, 0.0, -1], [1, 2e30], [1, float("inf"), 2], [float("-inf"), 1, 2], [0, 2.0**31], [0, 2.0**31 - 128],
                       [-2.0**31, 2.0**31 - 128], [0, 2.0**62], [0, 2.0**63], [-0.0, 2.0**63 + 2**40], [0, 2.2e7]):
            for fill in (None, "undefined", 5, 1):
                one(values, 0, fill)
                one(values, 2, fill)


def scale_types():
    for t in whole_types() + atoms() + [array(T("STD_I32LE"), 3), compound(4, (0, T("STD_I32LE"))), T("STD_REF_OBJ"), T("NATIVE_LDOUBLE")]:
        for flags in (0, 1):
            case(t, (3, 4), [(SCALE, flags, [2, 0])])
    for method in (0, 1, 2, 7):
        for flags in (0, 1):
            case(T("STD_I32LE"), (9,), [(SCALE, flags, [method, 1])], bytes(36))
            case(T("IEEE_F32LE"), (9,), [(SCALE, flags, [method, 1])], bytes(36))
    for values in ([], [2], [2, 0, 5], [2, 0] + [9] * 30):
        case(T("STD_I8LE"), (3, 4), [(SCALE, 1, values)], bytes(range(12)))


def szip():
    chunks = [(8,), (7,), (16,), (100,), (3, 5), (3, 8), (100, 7), (4, 3, 3), (64, 2), (1, 1, 9), (2, 4, 1)]
    for dims in chunks:
        for block in (2, 8, 32):
            t = R.choice((T("STD_I32LE"), T("STD_U16BE"), T("STD_U8LE"), T("IEEE_F64LE")))
            flags = R.randrange(2)
            case(t, dims, [(SZIP, flags, [R.choice((133, 161)), block])], noise(t, *dims))
            case(t, dims, [(SZIP, 1, [R.choice((133, 161)), block])], bytes(Tget_size(t) * count(dims)))
    for dims in ((4095,), (4096,), (4097,), (9999,), (2, 4096), (2, 5000), (1000, 2)):
        for block in (2, 8, 32, 64, 40, 0, 3):
            case(T("STD_I32LE"), dims, [(SZIP, 1, [141, block])])
    for t in whole_types() + atoms() + [array(T("STD_I32LE"), 3), array(T("STD_I32LE"), 2), array(T("STD_I8LE"), 2), compound(4, (0, T("STD_I32LE"))),
                                        T("STD_REF_OBJ"), T("NATIVE_LDOUBLE"), number("STD_I32LE", precision=17), number("STD_I32LE", precision=30),
                                        number("STD_I64LE", precision=32), number("STD_I64LE", precision=33), number("STD_I16LE", precision=9),
                                        array(number("STD_I32LE", precision=12, offset=3), 3), number("STD_I32LE", size=16)]:
        # In 3 bytes stock loses data.
        for flags in (0, 1) if Tget_size(t) != 3 else ():
            case(t, (20,), [(SZIP, flags, [133, 8])])
    for mask in (0, 1, 4, 32, 36, 141, 169, 0xffffffff):
        case(T("STD_I32LE"), (100,), [(SZIP, 1, [mask, 8])])
        case(T("STD_I32BE"), (100,), [(SZIP, 1, [mask, 8])])
    for values in ([], [4], [4, 8, 9, 9, 9]):
        case(T("STD_I32LE"), (100,), [(SZIP, 1, values)])
    # Just about compressible, to find where it gives up.
    for bits in range(20, 33):
        for n in (16, 17, 64, 200):
            data = b"".join(struct.pack("<I", R.getrandbits(bits)) for _ in range(n))
            case(T("STD_I32LE"), (n,), [(SZIP, 1, [R.choice((141, 169)), R.choice((2, 8, 16))])], data)
    for form, t in (("<H", "STD_U16LE"), (">I", "STD_U32BE"), ("<q", "STD_I64LE"), ("<f", "IEEE_F32LE"), (">d", "IEEE_F64BE")):
        for block in (4, 16, 32):
            for mask in (133, 161):
                data = b"".join(struct.pack(form, k * k // 7) for k in range(0, 600, 2))
                case(T(t), (300,), [(SZIP, 0, [mask, block])], data)


simple_filters()
nbit()
scale_integers()
scale_floats()
scale_types()
szip()
