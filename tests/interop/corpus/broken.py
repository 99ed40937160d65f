"""Files that are wrong in one place each: what stock libhdf5 refuses must be refused, and what it still reads, read."""
from .bytes import (CONTINUATION, LAYOUT, LINK, SPACE, SYMBOL_TABLE, TYPE, UNDEFINED, Image, Message, array, attribute,
                    compound, datatype, enum, fill12, fixed, floating, pipeline, string, summed, u8, u16, u32, u64)
from .registry import case

NUMBERS = u32(*range(100, 124))
FAR = 1 << 30

# Stock 1.10.8 crashes on these or reads them without end,
FATAL = ["chunk_tree_cycle", "gheap_object_huge", "group_free_list_cycle", "group_message_heap_undefined",
         "group_message_tree_undefined", "group_tree_cycle", "header1_block_undefined", "header2_block_undefined",
         "layout_chunk_rank0", "type_precision_zero", "type_shared_itself"]
# and finds values in these that the file does not hold, by reading past an end or through a type that makes no sense.
NONSENSE = ["message_attribute_data_cut", "chunk_tree_level", "chunk_unfiltered_size", "gheap_object_past_end",
            "layout_compact_less", "layout_cut", "layout_far", "layout_size_less", "link_address_cut",
            "type_array_dim_zero", "type_array_rank0", "type_array_size", "type_compound_outside", "type_enum_cut",
            "type_enum_of_float", "type_float_exponent_outside", "type_float_mantissa_outside",
            "type_float_sign_outside", "type_offset_too_large", "type_precision_too_large", "type_reference_kind",
            "type_size_zero", "type_string_pad", "type_string_cset", "type_truncated", "message_fill_size",
            "space_huge"]
# It opens these, which contradict themselves, where an error at once is as good; of a group whose listing fails, it
# tells the links before the broken one.
LENIENT = ["header1_block_cycle", "header1_block_itself", "header2_block_cycle", "header2_block_itself",
           "layout_chunk_element_size", "layout_chunk_rank_differs", "space_max_less", "type_compound_same_name",
           "type_vlen_kind", "group_name_far"]
# It refuses these for the free space in the heap of names, which is nothing to one who only reads.
STRICT = ["group_free_block_size", "group_free_list_outside", "group_heap_size_zero", "group_name_unterminated"]
NOT_COMPARED = {"bad_%s.h5" % name for name in FATAL + NONSENSE + LENIENT + STRICT}


def told(name):
    return "none" if name in NOT_COMPARED else "stock"


def whole(version):
    """A file with nothing wrong yet, with its root group."""
    image = Image()
    if version < 2:
        root = image.old_group({"d": image.plain(), "g": image.old_group({"x": image.plain()})})
    else:
        root = image.new_group({"d": image.plain(version=2), "g": image.new_group({"x": image.plain(version=2)})})
    return image, root


def cut(path, size):
    with open(path, "r+b") as f:
        f.truncate(size)


def poke(path, at, data):
    with open(path, "r+b") as f:
        f.seek(at)
        f.write(data)


@case("bad_super{version}_cut_{size}", version=[0, 2], size=[0, 7, 8, 12, 20, 40, 47, 95, 130], reference=told)
def super_cut(path, version, size):
    image, root = whole(version)
    image.save(path, root, version=version)
    cut(path, size)


@case("bad_super{version}_last_byte_missing", version=[0, 2], reference=told)
def super_last(path, version):
    image, root = whole(version)
    image.save(path, root, version=version)
    cut(path, len(image.data) - 1)


SUPER = {"signature": (2, 0, b"\x88"), "version": (2, 8, u8(4)), "version_high": (0, 8, u8(255)),
         "offset_size": (0, 13, u8(3)), "length_size": (0, 14, u8(0)), "offset_size_v2": (2, 9, u8(7)),
         "free_version": (0, 9, u8(1)), "root_version": (0, 10, u8(1)), "shared_version": (0, 12, u8(1)),
         "leaf_k_zero": (0, 16, u16(0)), "node_k_zero": (0, 18, u16(0)), "checksum": (2, 44, b"\0\0\0\0"),
         "checksum_v3": (3, 45, b"\0"), "reserved": (0, 11, u8(1))}


@case("bad_super_{label}", label=SUPER, reference=told)
def super_fields(path, label):
    version, at, data = label
    image, root = whole(version)
    image.save(path, root, version=version)
    poke(path, at, data)


@case("bad_root{version}_{label}", version=[0, 3], reference=told,
      label={"far": FAR, "undefined": UNDEFINED, "on_superblock": 0, "odd": 131})
def root_address(path, version, label):
    image, _ = whole(version)
    image.save(path, label, version=version)


@case("bad_root{version}_dataset", version=[0, 2], reference=told)
def root_dataset(path, version):
    image = Image()
    image.save(path, image.plain(), version=version)


# Object headers


def with_header(path, version, change):
    """A file whose dataset "d" has its header's bytes changed in place; "good" stays as it was."""
    image = Image()
    good, d = image.plain(version=version), image.plain(version=version)
    end = len(image.data)
    image.put(d, change(bytes(image.data[d:end]))[:end - d])
    make = image.old_group if version == 1 else image.new_group
    image.save(path, make({"d": d, "good": good}), version=0 if version == 1 else 2)


def changed(at, data):
    return lambda raw: raw[:at] + data + raw[at + len(data):]


HEADER1 = {"version": (0, u8(3)), "version_zero": (0, u8(0)), "fewer_messages": (2, u16(2)),
           "more_messages": (2, u16(9)), "no_messages": (2, u16(0)), "size_zero": (8, u32(0)),
           "size_huge": (8, u32(FAR)), "size_odd": (8, u32(43)), "message_size_huge": (18, u16(0xFFF8)),
           "message_size_odd": (18, u16(13)), "message_type": (16, u16(0x17)),
           "bogus_message": (16, u16(9)), "reserved": (1, u8(7))}


@case("bad_header1_{label}", label=HEADER1, reference=told)
def header1(path, label):
    with_header(path, 1, changed(*label))


HEADER2 = {"signature": (0, b"OHDX"), "version": (4, u8(3)), "checksum": (10, u8(0xAA)),
           "reserved_flags": (5, u8(0xC0)), "size": (6, u8(200)), "type_in_message": (7, u8(0x19))}


@case("bad_header2_{label}", label=HEADER2, reference=told)
def header2(path, label):
    with_header(path, 2, changed(*label))


@case("bad_header{version}_block_{label}", version=[1, 2], reference=told,
      label=["far", "undefined", "length_zero", "length_huge", "itself", "signature", "checksum", "cycle"])
def continuation(path, version, label):
    image = Image()
    note = attribute(2, "note", fixed(4), image.space(), u32(7))
    body = image.messages1([note]) if version == 1 else summed(b"OCHK" + image.messages2([note], 0))
    block = image.add(body)
    address, length = {"far": (FAR, 40), "undefined": (UNDEFINED, 40), "length_zero": (block, 0),
                       "length_huge": (block, FAR), "itself": (block, len(body))}.get(label, (block, len(body)))
    if label == "signature":
        image.put(block, b"XXXX")
    elif label == "checksum":
        image.put(block + len(body) - 1, b"\xFE")
    elif label in ("itself", "cycle"):
        back = Message(CONTINUATION, image.o(block) + image.l(len(body)))
        body = image.messages1([back]) if version == 1 else summed(b"OCHK" + image.messages2([back], 0))
        length = len(body)
        back.data = image.o(block) + image.l(length)
        body = image.messages1([back]) if version == 1 else summed(b"OCHK" + image.messages2([back], 0))
        image.put(block, body)
    d = image.plain(None, Message(CONTINUATION, image.o(address) + image.l(length)), version=version)
    make = image.old_group if version == 1 else image.new_group
    image.save(path, make({"d": d, "good": image.plain()}), version=0 if version == 1 else 2)


# Messages of a dataset


def dataset_of(image, kind=None, space=None, layout=None, extra=()):
    messages = [Message(SPACE, space if space is not None else image.space((8,))),
                Message(TYPE, kind if kind is not None else fixed(4)),
                layout or image.contiguous(image.add(NUMBERS[:32]), 32), *extra]
    return image.header1(messages)


def save_with_good(path, image, d):
    image.save(path, image.old_group({"d": d, "good": image.plain()}))


@case("bad_dataset_without_{label}", label={"space": 0, "type": 1, "layout": 2}, reference=told)
def missing_message(path, label):
    image = Image()
    messages = [Message(SPACE, image.space((8,))), Message(TYPE, fixed(4)),
                image.contiguous(image.add(NUMBERS[:32]), 32)]
    del messages[label]
    save_with_good(path, image, image.header1(messages))


TYPES = {"version0": datatype(0, 0, 8, 4, u16(0, 32)), "version6": datatype(6, 0, 8, 4, u16(0, 32)),
         "class12": datatype(1, 12, 0, 4, u16(0, 32)), "size_zero": datatype(1, 0, 8, 0, u16(0, 32)),
         "precision_zero": fixed(4, precision=0), "precision_too_large": fixed(4, precision=40),
         "offset_too_large": fixed(4, offset=20), "truncated": datatype(1, 0, 8, 4)[:4],
         "float_exponent_outside": floating(4, (40, 8, 0, 23), 127, 31),
         "float_mantissa_outside": floating(4, (23, 8, 10, 40), 127, 31),
         "float_sign_outside": floating(4, (23, 8, 0, 23), 127, 77),
         "float_norm3": floating(4, (23, 8, 0, 23), 127, 31, norm=3),
         "float_order_reserved": floating(4, (23, 8, 0, 23), 127, 31, 0x40, 3),
         "compound_no_members": compound(1, 4, []), "compound_outside": compound(2, 4, [("a", 2, fixed(4))]),
         "compound_overlap": compound(2, 4, [("a", 0, fixed(4)), ("b", 2, fixed(2))]),
         "compound_same_name": compound(2, 8, [("a", 0, fixed(4)), ("a", 4, fixed(4))]),
         "compound_dims5": compound(1, 4, [("a", 0, fixed(4), (1, 1, 1, 1))]).replace(u8(4, 0, 0, 0), u8(5, 0, 0, 0)),
         "compound_cut": compound(2, 8, [("a", 0, fixed(4)), ("b", 4, fixed(4))])[:30],
         "compound_many": datatype(3, 6, 60000, 8, b"a\0\0" + fixed(4)),
         "enum_of_float": enum(1, floating(4, (23, 8, 0, 23), 127, 31), 4, [("a", u32(0))]),
         "enum_no_members": enum(1, fixed(4), 4, []), "enum_cut": enum(1, fixed(4), 4, [("a", u32(1))])[:26],
         "array_rank33": array(2, fixed(4), 4, (1,) * 33), "array_rank0": array(3, fixed(4), 4, ()),
         "array_size": datatype(3, 10, 0, 5, u8(1) + u32(3) + fixed(4)),
         "array_dim_zero": array(3, fixed(4), 4, (0,)), "string_pad": string(4, 5), "string_cset": string(4, 0, 5),
         "vlen_kind": datatype(1, 9, 3, 16, fixed(1)), "reference_kind": datatype(1, 7, 9, 8)}


@case("bad_type_{label}", label=TYPES, reference=told)
def bad_type(path, label):
    image = Image()
    save_with_good(path, image, dataset_of(image, kind=label))


@case("bad_type_shared_{label}", label=["far", "itself", "no_type", "version"], reference=told)
def bad_shared(path, label):
    image = Image()
    group = image.old_group({})
    here = len(image.data) + 32
    target = {"far": FAR, "itself": here, "no_type": group, "version": group}[label]
    shared = u8(9 if label == "version" else 3, 2) + image.o(target)
    data = image.reserve(32)
    d = image.header1([Message(SPACE, image.space((8,))), Message(TYPE, shared, 2), image.contiguous(data, 32)])
    assert d == here
    save_with_good(path, image, d)


@case("bad_space_{label}", reference=told,
      label=["version0", "version3", "rank33", "cut", "max_less", "type3", "type_mismatch", "huge"])
def bad_space(path, label):
    image = Image()
    space = {"version0": u8(0, 1, 0, 0) + u32(0) + u64(8), "version3": u8(3, 1, 0, 1) + u64(8),
             "rank33": image.space((1,) * 33), "cut": image.space((2, 4))[:16], "max_less": image.space((8,), (4,)),
             "type3": u8(2, 1, 0, 3) + u64(8), "type_mismatch": u8(2, 1, 0, 0) + u64(8),
             "huge": image.space((1 << 40, 1 << 40))}[label]
    save_with_good(path, image, dataset_of(image, space=space))


LAYOUTS = {"version0": u8(0, 1) + u64(200, 32), "version6": u8(6, 1) + u64(200, 32), "class7": u8(3, 7) + u64(200, 32),
           "far": u8(3, 1) + u64(FAR, 32), "size_less": u8(3, 1) + u64(128, 16), "size_more": u8(3, 1) + u64(128, 64),
           "compact_less": u8(3, 0) + u16(16) + NUMBERS[:16], "compact_cut": u8(3, 0) + u16(32) + NUMBERS[:8],
           "chunk_rank0": u8(3, 2, 0) + u64(128), "chunk_rank_large": u8(3, 2, 40) + u64(128) + u32(*[1] * 40),
           "chunk_zero": u8(3, 2, 2) + u64(UNDEFINED) + u32(0, 4),
           "chunk_element_size": u8(3, 2, 2) + u64(UNDEFINED) + u32(2, 8),
           "chunk_rank_differs": u8(3, 2, 3) + u64(UNDEFINED) + u32(2, 2, 4),
           "tree_far": u8(3, 2, 2) + u64(FAR) + u32(2, 4),
           "tree_not_a_tree": u8(3, 2, 2) + u64(128) + u32(2, 4), "cut": u8(3, 1) + u32(200)}


@case("bad_layout_{label}", label=LAYOUTS, reference=told)
def bad_layout(path, label):
    image = Image()
    image.add(NUMBERS)
    save_with_good(path, image, dataset_of(image, layout=Message(LAYOUT, label)))


EXTRA = {"fill_version": fill12(4, 1, 0, 1, u32(1)), "fill_size": fill12(2, 1, 0, 1, b"ab"),
         "fill_cut": Message(5, u8(2, 2, 2, 1) + u32(400) + b"abcd"),
         "pipeline_version": pipeline(3, [(1, 1, None, (6,))]),
         "pipeline_many": Message(11, u8(1, 33) + bytes(6)), "pipeline_cut": Message(11, u8(1, 2) + bytes(6)),
         "attribute_version": attribute(4, "a", fixed(4), b"\2\0\0\0", u32(7)),
         "attribute_name_size": Message(12, u8(1, 0) + u16(400, 16, 8) + bytes(16)),
         "attribute_type_size": Message(12, u8(2, 0) + u16(2, 4000, 4) + b"a\0" + fixed(4) + b"\2\0\0\0" + u32(7)),
         "attribute_data_cut": attribute(2, "a", fixed(4), b"\2\1\0\1" + u64(5), u32(7)),
         "attribute_data_huge": attribute(2, "a", fixed(4), b"\2\1\0\1" + u64(1 << 40), u32(7)),
         "attribute_no_name": attribute(2, "", fixed(4), b"\2\0\0\0", u32(7))}


@case("bad_message_{label}", label=EXTRA, reference=told)
def bad_message(path, label):
    image = Image()
    save_with_good(path, image, dataset_of(image, extra=[label]))


# Chunks


@case("bad_chunk_{label}", reference=told,
      label=["garbage", "far", "size", "no_filter", "fletcher", "cut", "unfiltered_size", "overrun"])
def bad_chunk(path, label):
    image = Image()
    data, filters = NUMBERS[:16], [(1, 0, "deflate", (6,))]
    if label in ("far", "size", "unfiltered_size", "overrun"):
        filters = []
    elif label in ("no_filter", "fletcher"):
        filters = [(32200, 0, "unheard of", ())] if label == "no_filter" else [(3, 0, None, ())]
        data += u32(12345)
    first = {"unfiltered_size": data[:12]}.get(label, data)
    tree = image.chunk_tree([((0,), first, 0), ((4,), data, 0)], (8,))
    if label == "far":
        image.put(tree + 24 + 24, u64(FAR))
    elif label == "size":
        image.put(tree + 24, u32(FAR))
    elif label == "overrun":
        image.put(tree + 6, u16(900))
    elif label == "cut":
        image.put(tree + 24, u32(3))
    layout = image.chunked(tree, (4,), 4)
    save_with_good(path, image, dataset_of(image, layout=layout, extra=[pipeline(1, filters)] if filters else []))


@case("bad_chunk_tree_{label}", reference=told,
      label=["signature", "type", "level", "cycle", "child_far", "child_data"])
def bad_chunk_tree(path, label):
    image = Image()
    tree = image.chunk_tree([((2 * i,), u32(i, i), 0) for i in range(4)], (8,), fanout=2)
    child = tree + 24 + 24
    at, data = {"signature": (tree, b"TREX"), "type": (tree + 4, u8(0)), "level": (tree + 5, u8(2)),
                "cycle": (child, u64(tree)), "child_far": (child, u64(FAR)), "child_data": (child, u64(128))}[label]
    image.put(at, data)
    save_with_good(path, image, dataset_of(image, layout=image.chunked(tree, (2,), 4)))


# Groups


GROUP = ["tree_signature", "tree_type", "tree_level", "tree_used", "tree_cycle", "tree_child_far", "node_signature",
         "node_version", "node_count", "name_far", "target_far", "target_undefined", "target_garbage", "heap_signature",
         "heap_version", "heap_data_far", "heap_size_zero", "heap_size_huge", "free_list_outside", "free_list_cycle",
         "free_block_size", "soft_value_far", "cache_type", "name_unterminated", "names_unsorted"]


@case("bad_group_{label}", label=GROUP, reference=told)
def bad_group(path, label):
    image = Image()
    links = {"a": image.plain(), "b": image.plain(), "c": image.plain()}
    group = image.old_group(links, free=32)
    tree, heap = image.tables[group]
    node = int.from_bytes(image.data[tree + 32:tree + 40], "little")
    segment = int.from_bytes(image.data[heap + 24:heap + 32], "little")
    free = int.from_bytes(image.data[heap + 16:heap + 24], "little")
    entry = node + 8
    at, data = {
        "tree_signature": (tree, b"EERT"), "tree_type": (tree + 4, u8(1)), "tree_level": (tree + 5, u8(1)),
        "tree_used": (tree + 6, u16(500)), "tree_cycle": (tree + 5, u8(1)), "tree_child_far": (tree + 32, u64(FAR)),
        "node_signature": (node, b"DONS"), "node_version": (node + 4, u8(2)), "node_count": (node + 6, u16(400)),
        "name_far": (entry + 40, u64(FAR)), "target_far": (entry + 8, u64(FAR)),
        "target_undefined": (entry + 8, u64(UNDEFINED)), "target_garbage": (entry + 8, u64(segment)),
        "heap_signature": (heap, b"PAEH"), "heap_version": (heap + 4, u8(1)), "heap_data_far": (heap + 24, u64(FAR)),
        "heap_size_zero": (heap + 8, u64(0)), "heap_size_huge": (heap + 8, u64(FAR)),
        "free_list_outside": (heap + 16, u64(FAR)), "free_list_cycle": (segment + free, u64(free)),
        "free_block_size": (segment + free + 8, u64(FAR)), "soft_value_far": (entry + 16, u32(2, 0, FAR)),
        "cache_type": (entry + 16, u32(9)), "name_unterminated": (segment, b"z" * 64),
        "names_unsorted": (segment + 8, b"q")}[label]
    image.put(at, data)
    if label == "tree_cycle":
        image.put(tree + 32, u64(tree))
    elif label == "name_unterminated":
        image.put(segment + free, b"z" * 32)
    image.save(path, image.old_group({"good": image.plain(), "group": group}))


@case("bad_group_message_{label}", label=["cut", "tree_undefined", "heap_undefined", "twice"], reference=told)
def bad_symbol_table(path, label):
    image = Image()
    group = image.old_group({"a": image.plain()})
    tree, heap = image.tables[group]
    data = {"cut": image.o(tree), "tree_undefined": image.o(UNDEFINED, heap),
            "heap_undefined": image.o(tree, UNDEFINED), "twice": image.o(tree, heap)}[label]
    messages = [Message(SYMBOL_TABLE, data)] * (2 if label == "twice" else 1)
    image.save(path, image.old_group({"good": image.plain(), "group": image.header1(messages)}))


LINKS = {"version": u8(2, 0, 1) + b"a" + u64(128), "flags": u8(1, 0xE0, 1) + b"a" + u64(128),
         "name_cut": u8(1, 0, 90) + b"a" + u64(128), "name_empty": u8(1, 0, 0) + u64(128),
         "type_reserved": u8(1, 8, 5, 1) + b"a" + u16(0), "soft_cut": u8(1, 8, 1, 1) + b"a" + u16(90) + b"x",
         "soft_empty": u8(1, 8, 1, 1) + b"a" + u16(0), "cset": u8(1, 0x10, 9, 1) + b"a" + u64(128),
         "address_cut": u8(1, 0, 1) + b"a" + u16(128), "width": u8(1, 3) + u64(1 << 50) + b"a" + u64(128)}


@case("bad_link_{label}", label=LINKS, reference=told)
def bad_link(path, label):
    image = Image()
    target = image.plain(version=2)
    assert target < 0x10000
    data = label.replace(u64(128), u64(target))
    group = image.header2(image.group_messages({}) + [Message(LINK, data)])
    image.save(path, image.new_group({"good": target, "group": group}), version=2)


@case("bad_group_cyclic_{label}", label=["old", "new"])
def cyclic(path, label):
    """Not broken: a group that holds itself, and two that hold each other."""
    image = Image()
    if label == "old":
        one, two = image.old_group({"me": 0, "other": 0}), image.old_group({"me": 0, "other": 0})
        patch_entries(image, one, one, two)
        patch_entries(image, two, two, one)
        image.save(path, image.old_group({"one": one, "two": two}))
        return
    size = len(image.data)
    probe = Image()
    length = len(probe.data[probe.new_group({"me": 1, "other": 1}):])
    one, two = size, size + length
    assert image.new_group({"me": one, "other": two}) == one
    assert image.new_group({"me": two, "other": one}) == two
    image.save(path, image.new_group({"one": one, "two": two}), version=2)


def patch_entries(image, group, first, second):
    """Sets the two targets of a group once their addresses are known."""
    tree, _ = image.tables[group]
    node = int.from_bytes(image.data[tree + 32:tree + 40], "little")
    image.put(node + 8 + 8, u64(first))
    image.put(node + 8 + 40 + 8, u64(second))


@case("bad_gheap_{label}", label={"signature": (0, b"GCOX"), "version": (4, u8(2)), "size_zero": (8, u64(0)),
                                  "size_huge": (8, u64(FAR)), "object_huge": (24, u64(FAR)),
                                  "object_past_end": (24, u64(5000))}, reference=told)
def bad_gheap(path, label):
    image = Image()
    good, col = image.collection([(1, 1, b"fine text")]), image.collection([(1, 1, b"some text")])
    image.put(col + label[0], label[1])
    size = 16
    kind = datatype(1, 9, 1, size, fixed(1, False))
    objects = {}
    for name, where in (("d", col), ("good", good)):
        data = image.heap_id(9, where, 1)
        objects[name] = image.dataset(kind, image.space((1,)), image.contiguous(image.add(data), size))
    image.save(path, image.old_group(objects))
