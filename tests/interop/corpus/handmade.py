"""Files written byte by byte: forms of the format that stock libhdf5 reads but no longer writes."""
import struct
import zlib

from .bytes import (BTREE_K, DRIVER, GROUP_INFO, NIL, REF_COUNT, SPACE, SYMBOL_TABLE, TYPE, UNDEFINED,
                    UNLIMITED, Cached, Image, Message, Soft, array, attribute, bitfield, comment, compound, datatype,
                    double, enum, fill3, fill12, fill_old, fixed, floating, opaque, pipeline, reference, single,
                    string, time_new, time_old, u8, u16, u32, u64, vlen)
from .registry import case

NUMBERS = u32(*range(100, 124))
SEVEN = u32(7)


def save(path, image, objects, **options):
    """The objects by name in a root group of symbol tables, or of link messages from superblock 2 on."""
    make = image.new_group if options.get("version", 0) >= 2 else image.old_group
    image.save(path, make(objects), **options)


# Layouts


def grid_chunks():
    """A grid of 4 by 6 integers in chunks of 2 by 3."""
    rows = [NUMBERS[i * 24:i * 24 + 24] for i in range(4)]
    return [((r, c), rows[r][c * 4:c * 4 + 12] + rows[r + 1][c * 4:c * 4 + 12], 0) for r in (0, 2) for c in (0, 3)]


@case("hand_layout_v{version}_{cls}", version=[1, 2], cls=["compact", "contiguous", "chunked"])
def old_layout(path, version, cls):
    image = Image()
    if cls == "compact":
        layout = image.layout12(version, 0, (4, 6), data=NUMBERS)
    elif cls == "contiguous":
        layout = image.layout12(version, 1, (4, 6), address=image.add(NUMBERS))
    else:
        layout = image.layout12(version, 2, (2, 3), address=image.chunk_tree(grid_chunks(), (4, 0)), element=4)
    save(path, image, {"d": image.dataset(fixed(4), image.space((4, 6)), layout)})


@case("hand_layout_v2_unallocated_{cls}", cls=["contiguous", "chunked"])
def old_layout_unallocated(path, cls):
    image = Image()
    if cls == "contiguous":
        layout = image.layout12(2, 1, (4, 6), address=UNDEFINED)
    else:
        layout = image.layout12(2, 2, (2, 3), address=UNDEFINED, element=4)
    save(path, image, {"d": image.dataset(fixed(4), image.space((4, 6)), layout, fill12(1, 2, 0, 1, SEVEN))})


@case("hand_layout_v3_{cls}", cls=["compact", "contiguous", "chunked", "unallocated"])
def layout3(path, cls):
    image = Image()
    layout = {"compact": lambda: Message(8, u8(3, 0) + u16(96) + NUMBERS),
              "contiguous": lambda: image.contiguous(image.add(NUMBERS), 96),
              "chunked": lambda: image.chunked(image.chunk_tree(grid_chunks(), (4, 0)), (2, 3), 4),
              "unallocated": lambda: image.contiguous(UNDEFINED, 96)}[cls]()
    save(path, image, {"d": image.dataset(fixed(4), image.space((4, 6)), layout)})


@case("hand_layout_v4_{cls}", cls=["compact", "contiguous", "single", "single_missing"])
def layout4(path, cls):
    image = Image()
    chunk = u8(4, 2, 0, 3, 1) + u8(4, 6, 4) + u8(1)
    layout = {"compact": lambda: u8(4, 0) + u16(96) + NUMBERS,
              "contiguous": lambda: u8(4, 1) + image.o(image.add(NUMBERS)) + image.l(96),
              "single": lambda: chunk + image.o(image.add(NUMBERS)),
              "single_missing": lambda: chunk + image.o(UNDEFINED)}[cls]()
    save(path, image, {"d": image.dataset(fixed(4), image.space((4, 6)), Message(8, layout), version=2)}, version=3)


# Chunk trees


def strip(image, n, fanout, skip=(), deflate=None):
    """n chunks of two integers with a tree of the given fanout; deflate tells the mask of each compressed chunk."""
    chunks = []
    for i in range(n):
        data = u32(i * 3, i * 5 + 1)
        mask = deflate(i) if deflate else 0
        if deflate and not mask & 1:
            data = zlib.compress(data)
        if i not in skip:
            chunks.append(((2 * i,), data, mask))
    return image.chunked(image.chunk_tree(chunks, (2 * n,), fanout), (2,), 4)


@case("hand_chunks_{label}", label={"one_node": (5, 10, ()), "two_levels": (20, 4, ()), "three_levels": (60, 4, ()),
                                    "two_levels_holes": (30, 4, (0, 1, 2, 9, 17, 18, 29)), "many_levels": (40, 2, ())})
def chunk_levels(path, label):
    n, fanout, skip = label
    image = Image()
    layout = strip(image, n, fanout, skip)
    fill = fill12(2, 3, 2, 1, SEVEN)
    save(path, image, {"d": image.dataset(fixed(4), image.space((2 * n - 1,), (UNLIMITED,)), layout, fill)})


@case("hand_chunks_v1_small_k{k}", k=[1, 2, 5])
def chunk_k(path, k):
    image = Image(chunk_k=k)
    layout = strip(image, 24, 2 * k)
    save(path, image, {"d": image.dataset(fixed(4), image.space((48,)), layout)}, version=1)


@case("hand_chunks_filter_mask")
def chunk_masks(path):
    image = Image()
    layout = strip(image, 12, 4, deflate=lambda i: i % 3 == 1)
    filters = pipeline(1, [(1, 1, "deflate", (6,))])
    save(path, image, {"d": image.dataset(fixed(4), image.space((24,)), layout, filters)})


@case("hand_chunks_filter_mask_chain")
def chunk_masks_chain(path):
    """Shuffle and deflate, each of them skipped or not, in turn."""
    image = Image()
    chunks = []
    for i in range(4):
        data = u32(i * 1000, i * 70000, 5, 6)
        if not i & 1:
            data = bytes(data[k * 4 + b] for b in range(4) for k in range(4))
        chunks.append(((4 * i,), data if i & 2 else zlib.compress(data), i))
    layout = image.chunked(image.chunk_tree(chunks, (16,)), (4,), 4)
    filters = pipeline(2, [(2, 1, None, (4,)), (1, 1, None, (6,))])
    save(path, image, {"d": image.dataset(fixed(4), image.space((16,)), layout, filters)})


# Filter pipelines


@case("hand_pipeline_v{version}_{label}", version=[1, 2],
      label={"names": [(2, 1, "shuffle", (4,)), (1, 0, "deflate", (9,))],
             "no_names": [(2, 1, None, (4,)), (1, 0, None, (9,))],
             "odd_values": [(2, 0, "a name that is longer than the usual", (4,)), (999, 1, "d", (5, 0, 0)),
                            (1, 1, "deflate", (6,))],
             "unknown_optional": [(32100, 1, "nobody knows", (1, 2, 3)), (1, 1, "deflate", (1,))],
             "unknown_many": [(300, 1, None, tuple(range(11))), (1, 1, None, (1,)), (40000, 1, "x" * 30, ())]})
def pipelines(path, version, label):
    """Two chunks with every filter but deflate and shuffle marked as skipped."""
    image = Image()
    chunks, skipped = [], sum(1 << i for i, f in enumerate(label) if f[0] > 6)
    for at in (0, 8):
        data = NUMBERS[at * 4:at * 4 + 32]
        if label[0][0] == 2:
            data = bytes(data[k * 4 + b] for b in range(4) for k in range(8))
        chunks.append(((at,), zlib.compress(data), skipped))
    layout = image.chunked(image.chunk_tree(chunks, (16,)), (8,), 4)
    save(path, image, {"d": image.dataset(fixed(4), image.space((16,)), layout, pipeline(version, label))})


# Fill values, times, comments


def unwritten(image, *extra, version=1):
    return image.dataset(fixed(4), image.space((5,)), image.contiguous(UNDEFINED, 20), *extra, version=version)


@case("hand_fill_old")
def fill_values_old(path):
    image = Image()
    save(path, image, {"none": unwritten(image), "old": unwritten(image, fill_old(SEVEN)),
                       "old_empty": unwritten(image, fill_old(b"")),
                       "both": unwritten(image, fill_old(SEVEN), fill12(2, 2, 2, 1, u32(9))),
                       "both_back": unwritten(image, fill12(2, 2, 2, 1, u32(9)), fill_old(SEVEN)),
                       "old_then_default": unwritten(image, fill_old(SEVEN), fill12(2, 2, 2, 0))})


@case("hand_fill_v{version}", version=[1, 2])
def fill_values_12(path, version):
    image = Image()
    objects = {}
    for alloc in (1, 2, 3):
        for when in (0, 1, 2):
            for label, defined, value in (("value", 1, SEVEN), ("empty", 1, b""), ("undefined", 0, None)):
                if version == 1 and value is None:
                    value = b""
                message = fill12(version, alloc, when, defined, value)
                objects["a%d_w%d_%s" % (alloc, when, label)] = unwritten(image, message)
    save(path, image, objects)


@case("hand_fill_v3_header{header}", header=[1, 2])
def fill_values_3(path, header):
    image = Image()
    objects = {}
    for alloc in (1, 2, 3):
        for when in (0, 1, 2):
            for label, options in (("value", {"value": SEVEN}), ("default", {}), ("undefined", {"undefined": True})):
                message = fill3(alloc, when, **options)
                objects["a%d_w%d_%s" % (alloc, when, label)] = unwritten(image, message, version=header)
    save(path, image, objects, version=0 if header == 1 else 2)


@case("hand_times_comments")
def times(path):
    image = Image()
    save(path, image, {"old": image.plain(None, time_old("19980704132559")),
                       "old_epoch": image.plain(None, time_old("19700101000000")),
                       "new": image.plain(None, time_new(1234567890)),
                       "new_high": image.plain(None, time_new(0xFFFFFFF0)),
                       "both": image.plain(None, time_old("20010203040506"), time_new(1000000000)),
                       "both_back": image.plain(None, time_new(1000000000), time_old("20010203040506")),
                       "comment": image.plain(None, comment("a comment on a dataset")),
                       "comment_empty": image.plain(None, comment("")),
                       "group": image.old_group({}, time_new(77), comment("on a group"))})


# Messages nobody knows


@case("hand_unknown_flags{flags}_header{header}", header=[1, 2],
      flags={"%02x" % f: f for f in (0, 6, 8, 0x10, 0x20, 0x30, 0x38, 0x40, 0x80, 0xB8)})
def unknown(path, flags, header):
    """Bit 7 asks every reader to refuse the object; the others do not bear on one that only reads, unless they
    contradict each other: shared and not to be shared, bit 5 without bit 4 or with bit 3."""
    image = Image()
    strange = Message(0x50, b"what is this".ljust(16, b"!"), flags)
    objects = {"plain": image.plain(version=header), "strange": image.plain(None, strange, version=header)}
    objects["group"] = (image.old_group({"in": image.plain()}, strange) if header == 1 else
                        image.new_group({"in": image.plain(version=2)}, strange))
    save(path, image, objects, version=0 if header == 1 else 3)


@case("hand_unknown_high_type_flags{flags}", flags={"00": 0, "80": 0x80})
def unknown_high(path, flags):
    image = Image()
    save(path, image, {"d": image.plain(None, Message(0x1234, b"high".ljust(8), flags))})


# Dataspaces


@case("hand_space_v{version}", version=[1, 2])
def spaces(path, version):
    image = Image()
    shapes = {"scalar": ((), None), "line": ((6,), None), "line_max": ((6,), (6,)), "line_more": ((6,), (9,)),
              "grid": ((2, 3), (2, 3)), "cube": ((1, 2, 3), None), "one": ((1,), None), "zero": ((0, 3), None)}
    objects = {}
    for name, (dims, maximum) in shapes.items():
        count = 0 if 0 in dims else {"scalar": 1, "one": 1}.get(name, 6)
        data = NUMBERS[:4 * count]
        objects[name] = image.dataset(fixed(4), image.space(dims, maximum, version),
                                      image.contiguous(image.add(data) if count else UNDEFINED, len(data)),
                                      attribute(2, "a", fixed(4), image.space(dims, maximum, version), data))
    if version == 2:
        objects["null"] = image.dataset(fixed(4), image.space((), None, 2, 2), image.contiguous(UNDEFINED, 0),
                                        attribute(2, "a", fixed(4), image.space((), None, 2, 2), b""))
    save(path, image, objects)


@case("hand_space_v1_permutation")
def permutation(path):
    image = Image()
    space = image.space((2, 3), (2, 3), permutation=(0, 1))
    save(path, image, {"d": image.dataset(fixed(4), space, image.contiguous(image.add(NUMBERS[:24]), 24))})


@case("hand_space_unlimited_contiguous")
def unlimited(path):
    image = Image()
    space = image.space((2, 3), (UNLIMITED, 3))
    save(path, image, {"chunked": image.dataset(fixed(4), space, image.chunked(
        image.chunk_tree([((0, 0), NUMBERS[:24], 0)], (2, 0)), (2, 3), 4))})


# Datatypes


def typed(image, kind, size, data, n, **options):
    assert len(data) == size * n
    return image.dataset(kind, image.space((n,)), image.contiguous(image.add(data), len(data)),
                         attribute(2, "a", kind, image.space((n,)), data), **options)


@case("hand_type_compound_v{version}", version=[1, 2, 3])
def compounds(path, version):
    image = Image()
    values = b"".join(struct.pack("<hxxif", i, i * 1000, i / 4) for i in range(5))
    flat = compound(version, 12, [("a", 0, fixed(2)), ("a longer name", 4, fixed(4)), ("f", 8, single())])
    wide = compound(version, 300, [("x", 290, fixed(8, big=True)), ("y", 3, fixed(1, False))])
    inner = compound(version, 8, [("p", 0, fixed(4)), ("q", 4, single(big=True))])
    outer = compound(version, 20, [("i", 2, inner), ("s", 12, string(8))])
    big = bytes(range(250)) + bytes(50)
    save(path, image, {"flat": typed(image, flat, 12, values, 5), "wide": typed(image, wide, 300, big * 2, 2),
                       "nested": typed(image, outer, 20, bytes(range(60)), 3)})


@case("hand_type_compound_v1_arrays")
def compound_arrays(path):
    image = Image()
    inner = compound(1, 8, [("p", 0, fixed(2), (2,)), ("q", 4, fixed(4))])
    kind = compound(1, 80, [("one", 0, fixed(2), (3,)), ("two", 8, fixed(4), (2, 3)), ("scalar", 32, fixed(4)),
                            ("four", 36, fixed(1), (1, 2, 2, 3)), ("nested", 48, inner, (2, 2))])
    save(path, image, {"d": typed(image, kind, 80, bytes(i % 251 for i in range(240)), 3)})


@case("hand_type_enum_v{version}", version=[1, 2, 3])
def enums(path, version):
    image = Image()
    colours = enum(version, fixed(2), 2, [("red", u16(1)), ("green", u16(7)), ("a very long colour", u16(0xFFFF))])
    swapped = enum(version, fixed(4, big=True), 4, [("lo", bytes([0, 0, 0, 1])), ("hi", bytes([1, 0, 0, 0]))])
    save(path, image, {"little": typed(image, colours, 2, u16(1, 7, 0xFFFF, 7), 4),
                       "big": typed(image, swapped, 4, bytes([0, 0, 0, 1, 1, 0, 0, 0]), 2)})


@case("hand_type_array_v{version}", version=[2, 3])
def arrays(path, version):
    image = Image()
    line = array(version, fixed(2), 2, (3,))
    cube = array(version, single(), 4, (2, 1, 2))
    nested = array(version, array(version, fixed(1), 1, (2, 2)), 4, (3,))
    member = compound(version, 10, [("n", 0, fixed(4)), ("v", 4, line)])
    save(path, image, {"line": typed(image, line, 6, bytes(range(24)), 4),
                       "cube": typed(image, cube, 16, struct.pack("<8f", *range(8)), 2),
                       "nested": typed(image, nested, 12, bytes(range(24)), 2),
                       "member": typed(image, member, 10, bytes(range(30)), 3)})


def words_swapped(data, size):
    """The VAX order of a little-endian value: its 16-bit words from the last to the first."""
    out = b""
    for i in range(0, len(data), size):
        words = [data[i + k:i + k + 2] for k in range(0, size, 2)]
        out += b"".join(reversed(words))
    return out


@case("hand_type_vax_float")
def vax(path):
    image = Image()
    f = floating(4, (23, 8, 0, 23), 129, 31, 0x41, 3)
    g = floating(8, (52, 11, 0, 52), 1025, 63, 0x41, 3)
    d = floating(8, (55, 8, 0, 55), 129, 63, 0x41, 3)
    singles = words_swapped(struct.pack("<6f", 0, 1, -2.5, 1e10, 3e-9, 1 / 3), 4)
    doubles = words_swapped(struct.pack("<6d", 0, 1, -2.5, 1e10, 3e-9, 1 / 3), 8)
    d_raw = words_swapped(u64(0, 0x4080 << 48, 0xC120 << 48, 0x4080123456789ABC), 8)
    save(path, image, {"f": typed(image, f, 4, singles, 6), "g": typed(image, g, 8, doubles, 6),
                       "d": typed(image, d, 8, d_raw, 4)})


@case("hand_type_odd_floats")
def odd_floats(path):
    image = Image()
    half = floating(2, (10, 5, 0, 10), 15, 15)
    brain = floating(2, (7, 8, 0, 7), 127, 15, version=3)
    three = floating(3, (15, 8, 0, 15), 127, 23)
    shifted = floating(4, (18, 5, 4, 14), 15, 23, offset=4, precision=20)
    plain = floating(4, (24, 7, 0, 24), 63, 31, norm=0)
    six = floating(6, (36, 11, 0, 36), 1023, 47, 1)
    raw = bytes((i * 37 + 11) % 251 for i in range(48))
    save(path, image, {"half": typed(image, half, 2, raw[:24], 12), "brain": typed(image, brain, 2, raw[:24], 12),
                       "three": typed(image, three, 3, raw[:24], 8), "shifted": typed(image, shifted, 4, raw[:24], 6),
                       "plain": typed(image, plain, 4, u32(0, 0x3F800000, 0xC0C00000, 0x41FFFFFF), 4),
                       "six_big": typed(image, six, 6, raw[:24], 4),
                       "double_big": typed(image, double(True), 8, raw, 6)})


@case("hand_type_float_msbset", reference="none")
def float_msbset(path):
    """A float that stores the leading bit of its mantissa: stock describes the type and cannot convert from it."""
    image = Image()
    kind = floating(4, (24, 7, 0, 24), 63, 31, norm=1)
    save(path, image, {"d": typed(image, kind, 4, u32(0, 0x3F800000, 0xC0C00000, 0x41FFFFFF), 4)})


@case("hand_type_bits_v{version}", version=[1, 2, 3])
def bits(path, version):
    image = Image()
    raw = bytes((i * 73 + 5) % 256 for i in range(24))
    kinds = {"b1": bitfield(1, False, version), "b2_big": bitfield(2, True, version),
             "b4_big": bitfield(4, True, version), "b8_big": bitfield(8, True, version),
             "b4_part": bitfield(4, True, version, 3, 17, 2), "i4_part": fixed(4, True, True, version, 5, 12, 1),
             "u3": fixed(3, False, False, version), "i5_big": fixed(5, True, True, version),
             "u2_part": fixed(2, False, False, version, 3, 9, 3)}
    save(path, image, {name: typed(image, k, k[4], raw[:24 // k[4] * k[4]], 24 // k[4]) for name, k in kinds.items()})


@case("hand_type_misc_v{version}", version=[1, 2, 3])
def misc_types(path, version):
    image = Image()
    text = b"one\0..." b"two    " b"\0\0\0four" b"seven77"
    objects = {"text%d" % p: typed(image, string(7, p, p & 1, version), 7, text, 4) for p in (0, 1, 2)}
    objects["opaque"] = typed(image, opaque(5, "a tag of some kind", version), 5, bytes(range(20)), 4)
    objects["opaque_no_tag"] = typed(image, datatype(version, 5, 0, 5), 5, bytes(range(20)), 4)
    objects["time"] = typed(image, datatype(version, 2, 0, 4, u16(32)), 4, NUMBERS[:16], 4)
    objects["time_big"] = typed(image, datatype(version, 2, 1, 8, u16(64)), 8, NUMBERS[:16], 2)
    objects["ref"] = typed(image, reference(8, False, version), 8, u64(objects["time"], 0, objects["opaque"]), 3)
    save(path, image, objects)


@case("hand_type_committed_v{version}_header{header}", version=[1, 2, 3], header=[1, 2])
def committed(path, version, header):
    """A committed datatype shared by a dataset's own message and by attributes, in each form of sharing."""
    image = Image()
    base = compound(version, 8, [("a", 0, fixed(4)), ("b", 4, single())])
    def make(messages):
        return image.header1(messages) if header == 1 else image.header2(messages, flags=1)

    named = make([Message(TYPE, base, 0), attribute(2, "on the type", fixed(4), image.space(), SEVEN)])
    objects = {"type": named}
    for form in (2, 3):
        shared = image.shared(form, named)
        layout = image.contiguous(image.add(NUMBERS[:32]), 32)
        objects["d%d" % form] = make([
            Message(SPACE, image.space((4,))), Message(TYPE, shared, 2 | 1), layout,
            attribute(2, "v2", shared, image.space((2,)), NUMBERS[:16], flags=1),
            attribute(3, "v3", shared, image.space((1,)), NUMBERS[:8], flags=1),
            attribute(3, "own", base, image.space((1,)), NUMBERS[:8])])
    save(path, image, objects, version=0 if header == 1 else 2)


@case("hand_type_shared_v1_{label}", label=["drawn", "entry"],
      reference=lambda name: "none" if "drawn" in name else "both")
def shared_v1(path, label):
    """Version 1 of a shared message as the specification draws it, which stock does not read, and with the head of a
    symbol table entry before the address, which it does."""
    image = Image()
    named = image.header1([Message(TYPE, fixed(4), 0)])
    shared = image.shared(1, named) if label == "drawn" else u8(1, 0) + bytes(6) + image.l(0) + image.o(named)
    save(path, image, {"type": named, "d": image.header1([
        Message(SPACE, image.space((4,))), Message(TYPE, shared, 2), image.contiguous(image.add(NUMBERS[:16]), 16)])})


# Attributes


@case("hand_attribute_v{version}_header{header}", version=[1, 2, 3], header=[1, 2])
def attributes(path, version, header):
    """Names, types and spaces of every length modulo eight, which version 1 pads."""
    image = Image()
    own = [attribute(version, "n" * k, string(k), image.space((2,) * (k % 3)), (b"x" * k * 4)[:k * 2 ** (k % 3)])
           for k in range(1, 18)]
    own.append(attribute(version, "opaque", opaque(3, "t" * 13), image.space((2,)), b"abcdef"))
    own.append(attribute(version, "enum", enum(1, fixed(1), 1, [("a", b"\1"), ("bcd", b"\2")]), image.space(), b"\2"))
    own.append(attribute(version, "null", fixed(4), image.space((), None, 2, 2), b""))
    if version == 3:
        own.append(attribute(3, "\u00e9t\u00e9", fixed(4), image.space(), SEVEN, charset=1))
    options = {"flags": 1} if header == 2 else {}
    save(path, image, {"d": image.plain(None, *own, version=header, **options)}, version=0 if header == 1 else 2)


# Object headers


def plain_messages(image):
    return [Message(SPACE, image.space((8,))), Message(TYPE, fixed(4), 1),
            image.contiguous(image.add(NUMBERS[:32]), 32)]


def notes(image, n):
    return [attribute(2, "note%02d" % i, fixed(4), image.space(), u32(i * i)) for i in range(n)]


@case("hand_header1_{label}", label={
    "nil": (0, 0), "one_block": (1, 3), "three_blocks": (3, 2), "ten_blocks": (10, 1), "only_blocks": (4, 0)})
def header1(path, label):
    image = Image()
    blocks, per_block = label
    own = plain_messages(image)
    attrs = notes(image, blocks * per_block)
    nil = [Message(NIL, bytes(16)), Message(NIL, b"garbage of a deleted message    "), Message(NIL, b"")]
    rest = [attrs[i * per_block:(i + 1) * per_block] + nil[i % 3:] for i in range(blocks)]
    first = nil + [own[0], nil[1], own[1], nil[0], own[2]]
    if label == (4, 0):
        first, rest = nil[:1], [[m] + nil for m in own] + [nil]
    save(path, image, {"d": image.header1(first, rest)})


@case("hand_header1_fork")
def header1_fork(path):
    """One block with two continuations, the first of which has one of its own."""
    image = Image()
    attrs = notes(image, 6)
    where = []
    for part in (attrs[:2], attrs[2:4]):
        body = image.messages1(part)
        where.append(Message(0x10, image.o(image.add(body)) + image.l(len(body))))
    body = image.messages1([where.pop(0)] + attrs[4:])
    where.append(Message(0x10, image.o(image.add(body)) + image.l(len(body))))
    save(path, image, {"d": image.header1(plain_messages(image) + where, count=3 + 3 + 6)})


@case("hand_header1_padding")
def header1_padding(path):
    """Bytes too few for a message at the end of the first block, and messages larger than what they hold."""
    image = Image()
    own = plain_messages(image)
    own[1].data += bytes(40)
    own[0].data += bytes(8)
    save(path, image, {"d": image.header1(own + [comment("short")])})


@case("hand_header1_references{n}", n=[0, 1, 3])
def header1_references(path, n):
    image = Image()
    target = image.plain(references=n)
    save(path, image, {name: target for name in "abc"[:max(n, 1)]})


@case("hand_header2_flags{flags}", flags={"%02x" % f: f for f in (0, 1, 2, 3, 4, 5, 0x0C, 0x10, 0x14, 0x20, 0x21, 0x30,
                                                                  0x34, 0x3C, 0x3F)})
def header2(path, flags):
    image = Image()
    attrs = notes(image, 4)
    for i, m in enumerate(attrs):
        m.order = 3 - i
    options = {"flags": flags | (0 if flags & 3 else 1), "times": (10, 20, 30, 40), "phase": (7, 2)}
    d = image.header2(plain_messages(image) + attrs, **options)
    short = image.header2(plain_messages(image), **dict(options, flags=flags))
    save(path, image, {"d": d, "short": short}, version=2)


@case("hand_header2_{label}_gap{gap}", label={"whole": 0, "blocks": 3}, gap=[0, 1, 2, 3])
def header2_blocks(path, label, gap):
    image = Image()
    attrs = notes(image, 6)
    rest = [attrs[i * 2:i * 2 + 2] for i in range(label)]
    first = plain_messages(image) + ([] if label else attrs)
    save(path, image, {"d": image.header2(first, rest, flags=1, gap=gap)}, version=2)


@case("hand_header2_no_attribute_info", reference="h5py")
def header2_no_info(path):
    """Stock counts no attributes where nothing tells about them, and yet lists and reads them: only what h5py tells
    is compared, which leaves out the count."""
    image = Image()
    save(path, image, {"d": image.header2(plain_messages(image) + notes(image, 4), flags=1, info=False)}, version=2)


@case("hand_header2_nil_and_references")
def header2_nil(path):
    image = Image()
    nil = Message(NIL, b"old bytes")
    d = image.header2([nil] + plain_messages(image) + [nil, Message(REF_COUNT, u8(0) + u32(2)), Message(NIL, b"")])
    save(path, image, {"d": d, "again": d}, version=2)


@case("hand_header_mixed")
def mixed(path):
    """Headers of either version in groups of either kind."""
    image = Image()
    old = image.old_group({"one": image.plain(), "two": image.plain(version=2), "soft": Soft("one")})
    new = image.new_group({"one": image.plain(), "two": image.plain(version=2), "soft": Soft("two")})
    links_in_v1 = image.new_group({"one": image.plain(), "soft": Soft("/old/two")}, version=1)
    save(path, image, {"old": old, "new": new, "links_in_v1": links_in_v1})


# Groups


@case("hand_group_cache_types")
def cache_types(path):
    image = Image()
    inner = image.old_group({"d": image.plain(), "up": Soft("../plain")})
    image.save(path, image.old_group({
        "cached": Cached(inner), "not_cached": inner, "plain": image.plain(), "soft": Soft("/cached/d"),
        "soft_group": Soft("cached"), "dangling": Soft("/nowhere/at/all"), "chain": Soft("soft"),
        "loop": Soft("loop")}), cached=True)


@case("hand_group_levels_{label}", label={"two": (20, 2, 4), "three": (60, 2, 4), "deep": (40, 1, 2),
                                          "full_nodes": (200, 8, 32)})
def group_levels(path, label):
    n, per_node, fanout = label
    image = Image()
    target = image.plain(references=n)
    image.save(path, image.old_group({"name%04d" % (i * 7 % 1000): target for i in range(n)}, per_node=per_node,
                                     fanout=fanout))


@case("hand_group_small_k{k}", k=[1, 2])
def group_small_k(path, k):
    image = Image(leaf_k=k, node_k=k)
    target = image.plain(references=30)
    image.save(path, image.old_group({"n%02d" % i: target for i in range(30)}, fanout=2 * k))


@case("hand_group_empty_{label}", label={"tree": "tree", "node": "node", "among": "among"})
def group_empty(path, label):
    """No node at all, one node with no entries, and nodes with none among others."""
    image = Image()
    target = image.plain(references=9)
    if label == "tree":
        group = image.old_group({})
    elif label == "node":
        heap, _ = image.heap([])
        tree = image.tree(0, [(image.l(0), image.node([]), image.l(0))], 32, 16)
        group = image.header1([Message(SYMBOL_TABLE, image.o(tree, heap))])
    else:
        group = image.old_group({"n%d" % i: target for i in range(9)}, per_node=3, empty_nodes=(1, 2))
    save(path, image, {"group": group})


@case("hand_group_heap_{label}", label={"apart": {"apart": True}, "free": {"free": 40},
                                        "apart_free": {"apart": True, "free": 64}})
def group_heap(path, label):
    image = Image()
    objects = {"a": image.plain(), "b" * 50: image.plain(), "soft": Soft("a")}
    image.save(path, image.old_group(objects, **label))


@case("hand_group_names")
def group_names(path):
    """Names that end anywhere in their eight bytes, and bytes that sort as unsigned ones."""
    image = Image()
    target = image.plain(references=15)
    names = ["x" * k for k in range(1, 11)] + ["\u00e9", "\u4e2d\u6587", "~", " ", "A.b"]
    image.save(path, image.old_group({n: target for n in names}))


@case("hand_links_widths")
def link_widths(path):
    image = Image()
    target = image.plain(version=2)
    links = [image.link("w%d" % w, target, width=w) for w in range(4)]
    links += [image.link("soft%d" % w, Soft("w%d" % w), width=w) for w in range(4)]
    links += [image.link("utf8", target, charset=1), image.link("ascii", target, charset=0),
              image.link("late \u00e9", Soft("/utf8"), charset=1, width=1)]
    group = image.header2([image.link_info(), Message(GROUP_INFO, u8(0, 0))] + links, flags=1)
    image.save(path, group, version=2)


@case("hand_links_order_flags{flags}", flags=[1, 3])
def link_order(path, flags):
    image = Image()
    target = image.plain(version=2)
    links = [image.link("n%d" % i, target if i % 2 else Soft("n1"), order=9 - i * 2) for i in range(5)]
    group = image.header2([image.link_info(flags, 10), Message(GROUP_INFO, u8(0, 3) + u16(12, 5, 6, 7))] + links,
                          flags=1)
    image.save(path, group, version=3)


@case("hand_links_external_and_user")
def other_links(path):
    image = Image()
    value = u8(0) + b"elsewhere.h5\0/a/b\0"
    external = Message(6, u8(1, 8, 64, 3) + b"ext" + u16(len(value)) + value)
    user = Message(6, u8(1, 8, 187, 4) + b"user" + u16(5) + b"\1\2\3\4\5")
    user_empty = Message(6, u8(1, 8, 100, 2) + b"u0" + u16(0))
    group = image.header2([image.link_info(), Message(GROUP_INFO, u8(0, 0)), external, user, user_empty], flags=1)
    image.save(path, group, version=2)


# Superblocks


def tree_of_all(image, version):
    """A little of everything whose form depends on the sizes of addresses and lengths."""
    chunked = image.dataset(fixed(4), image.space((4, 6), (9, 6)), image.chunked(
        image.chunk_tree(grid_chunks(), (4, 0)), (2, 3), 4))
    texts = image.collection([(1, 1, b"first"), (2, 1, b"the second"), (3, 1, b"3")])
    ids = b"".join(image.heap_id(n, texts, i) for n, i in ((5, 1), (10, 2), (1, 3))) + image.heap_id(0, 0, 0)
    size = 8 + image.offsets
    text = typed(image, vlen(size, fixed(1, False), 1), size, ids, 4)
    plain = image.plain(None, attribute(1, "v1", fixed(4), image.space((2,)), NUMBERS[:8]))
    inner = image.old_group({"x": plain, "up": Soft("/chunked")})
    kept = image.header1(plain_messages(image), [notes(image, 3), notes(image, 5)[3:]])
    named = image.header1([Message(TYPE, fixed(4), 0)])
    uses = image.header1([Message(SPACE, image.space((4,))), Message(TYPE, image.shared(2, named), 2),
                          image.contiguous(image.add(NUMBERS[:16]), 16)])
    objects = {"chunked": chunked, "text": text, "inner": inner, "kept": kept, "named": named, "uses": uses,
               "new": image.plain(version=2)}
    if version >= 2:
        objects["links"] = image.new_group({"a": plain, "b": Soft("a")})
    return objects


SIZES = [(2, 2), (2, 4), (2, 8), (4, 2), (4, 4), (4, 8), (8, 2), (8, 4), (8, 8)]


@case("hand_super{version}_sizes_{label}", version=[0, 1, 2, 3], label={"o%dl%d" % s: s for s in SIZES})
def super_sizes(path, version, label):
    image = Image(*label)
    save(path, image, tree_of_all(image, version), version=version)


@case("hand_super{version}_userblock{size}", version=[0, 1, 2, 3], size=[512, 1024, 8192])
def super_userblock(path, version, size):
    image = Image()
    save(path, image, tree_of_all(image, version), version=version, userblock=b"text".ljust(size, b"."))


@case("hand_super{version}_moved", version=[0, 1, 2, 3])
def super_moved(path, version):
    """Bytes put before a whole file: the base address does not say so."""
    image = Image()
    objects = tree_of_all(image, version)
    save(path, image, objects, version=version, userblock=b"put before".ljust(512), base=0)


@case("hand_super{version}_tail", version=[0, 2, 3])
def super_tail(path, version):
    image = Image()
    save(path, image, tree_of_all(image, version), version=version, tail=b"more than the superblock says" * 40)


@case("hand_super{version}_short", version=[0, 2, 3], reference="stock")
def super_short(path, version):
    """An end of file address beyond the end of the file."""
    image = Image()
    save(path, image, {"d": image.plain()}, version=version, end=1 << 20)


@case("hand_super3_consistency{flags}", flags=[2, 0x80], reference="stock")
def super_consistency(path, flags):
    image = Image()
    save(path, image, {"d": image.plain(version=2)}, version=3, flags=flags)


@case("hand_super3_writing{flags}", flags=[1, 4, 5], reference="none")
def super_writing(path, flags):
    """Marked as open for writing: stock refuses; Tessera sees by the free lock that the writer died (test_locks.c)."""
    image = Image()
    save(path, image, {"d": image.plain(version=2)}, version=3, flags=flags)


@case("hand_super2_consistency{flags}", flags=[1, 5], reference="stock")
def super2_consistency(path, flags):
    image = Image()
    save(path, image, {"d": image.plain(version=2)}, version=2, flags=flags)


@case("hand_super{version}_extension_{label}", version=[2, 3], label=["k", "k_v1", "driver", "unknown", "empty"])
def super_extension(path, version, label):
    image = Image(leaf_k=2, node_k=3, chunk_k=5) if label.startswith("k") else Image()
    k = Message(BTREE_K, u8(0) + u16(5, 3, 2))
    driver = Message(DRIVER, u8(0) + b"MINEdrvr" + u16(4) + b"abcd")
    messages = {"k": [k], "k_v1": [k], "driver": [driver], "unknown": [Message(0x60, b"hello")], "empty": []}[label]
    extension = image.header1(messages) if label == "k_v1" else image.header2(messages)
    target = image.plain(references=12)
    objects = dict(tree_of_all(image, version), many=image.old_group({"n%d" % i: target for i in range(12)}))
    save(path, image, objects, version=version, extension=extension)


@case("hand_super0_driver_block")
def super_driver(path):
    image = Image()
    block = image.add(u8(0, 0, 0, 0) + u32(8) + b"MINEdrvr" + b"whatever")
    save(path, image, {"d": image.plain()}, driver=block)


# Global heaps


def sequences(image, kind, ids, **options):
    size = 8 + image.offsets
    return typed(image, vlen(size, kind, **options), size, b"".join(image.heap_id(*i) for i in ids), len(ids))


@case("hand_gheap_free_objects")
def gheap_free(path):
    """Indexes out of order and with gaps, objects that nothing refers to, one that is referred to often."""
    image = Image()
    col = image.collection([(5, 1, u32(1, 2, 3)), (2, 3, u32(9)), (9, 0, b"nobody refers to this"), (1, 1, u32(4, 5))])
    save(path, image, {"d": sequences(image, fixed(4), [(3, col, 5), (1, col, 2), (2, col, 1), (1, col, 2), (1, col, 5),
                                                        (2, col, 5)])})


@case("hand_gheap_{label}", label={"full": (4096, False), "implied_free": (4096 - 8, False), "large": (16384, True)})
def gheap_sizes(path, label):
    """Collections whose objects leave no room, room for less than the head of a free object, and much."""
    used, free = label
    image = Image()
    size = 4096 if used < 16384 else used
    rest = (used if not free else 6000) - 16 - 32
    col = image.collection([(1, 1, b"small one".ljust(16)), (2, 1, b"z" * (rest - 16))], size=size, free=free)
    save(path, image, {"d": sequences(image, fixed(1, False), [(9, col, 1), (rest - 16, col, 2)], text=1)})


@case("hand_gheap_nothing")
def gheap_nothing(path):
    """Ways to say that there are no elements: no length, no index, no address."""
    image = Image()
    col = image.collection([(1, 1, u32(1, 2, 3)), (2, 1, b"")])
    ways = {"zeros": (0, 0, 0), "length": (0, col, 1), "empty_object": (0, col, 2), "address": (2, 0, 0)}
    objects = {}
    for name, way in ways.items():
        objects[name] = sequences(image, fixed(4), [(3, col, 1), way, (2, col, 1)])
        objects["text_" + name] = sequences(image, fixed(1, False), [(3, col, 1), way], text=1)
    save(path, image, objects)


@case("hand_gheap_undefined", reference="none")
def gheap_undefined(path):
    """No elements at the undefined address, where stock looks for a heap all the same."""
    image = Image()
    col = image.collection([(1, 1, u32(1, 2, 3))])
    save(path, image, {"d": sequences(image, fixed(4), [(3, col, 1), (0, UNDEFINED, 0), (2, col, 1)]),
                       "text": sequences(image, fixed(1, False), [(3, col, 1), (0, UNDEFINED, 0)], text=1)})


@case("hand_gheap_no_index", reference="none")
def gheap_no_index(path):
    """No elements, kept in the object that stands for free space: stock copies that, past the end of its buffer."""
    image = Image()
    col = image.collection([(1, 1, u32(1, 2, 3))])
    save(path, image, {"d": sequences(image, fixed(4), [(3, col, 1), (0, col, 0)])})


@case("hand_gheap_several")
def gheap_several(path):
    image = Image()
    cols = [image.collection([(i + 1, 1, b"%d-%d" % (c, i) * (i + 1)) for i in range(20)]) for c in range(3)]
    ids = [(3 * (i + 1), cols[(i * 7) % 3], i + 1) for i in range(20)]
    inner = image.collection([(1, 1, b"".join(image.heap_id(3, cols[c], 1) for c in range(3)))])
    nested = vlen(16, vlen(16, fixed(1, False)))
    save(path, image, {"text": sequences(image, fixed(1, False), ids, text=1, padding=1, charset=1),
                       "nested": typed(image, nested, 16, image.heap_id(3, inner, 1) + image.heap_id(1, inner, 1), 2)})


@case("hand_gheap_missing_{label}", label=["index", "collection", "zero_address", "past_end"],
      reference=lambda name: "none" if "index" in name or "past_end" in name else "stock")
def gheap_missing(path, label):
    """Elements that are not there; stock makes some up where there is no such object or it is too short."""
    image = Image()
    col = image.collection([(1, 1, u32(1, 2, 3))])
    wrong = {"index": (3, col, 4), "collection": (3, 128, 1), "zero_address": (3, 0, 1), "past_end": (9, col, 1)}[label]
    save(path, image, {"good": sequences(image, fixed(4), [(3, col, 1)]), "d": sequences(image, fixed(4), [wrong])})


@case("hand_region_reference")
def regions(path):
    """Region references to a block and to points, in version 1 of each selection."""
    image = Image()
    grid = image.dataset(fixed(4), image.space((4, 6)), image.contiguous(image.add(NUMBERS), 96))
    block = u64(grid) + u32(2, 1, 0, 8 + 32, 2, 2) + u32(0, 1, 1, 2, 2, 3, 3, 4)
    points = u64(grid) + u32(1, 1, 0, 8 + 24, 2, 3) + u32(0, 0, 3, 5, 1, 2)
    every = u64(grid) + u32(3, 1, 0, 0)
    col = image.collection([(1, 1, block), (2, 1, points), (3, 1, every)])
    ids = b"".join(u64(col) + u32(i) for i in (1, 2, 3)) + bytes(12)
    save(path, image, {"grid": grid, "refs": typed(image, reference(12, True), 12, ids, 4)})
