"""Memory that calls read and fill: how much of it, of what type, and what is told of it."""
import ctypes as c
import re

import abi
import driver
import newer
import values

FEW = 64
CANARY = b"\xa5"


# How many elements of which type a buffer has, from the other arguments: (type id, count), and which way they go.

def _space_points(player, space):
    return player.lib.H5Sget_simple_extent_npoints(space)


def _dataset_points(player, dataset):
    space = player.lib.H5Dget_space(dataset)
    points = _space_points(player, space) if space >= 0 else -1
    player.lib.H5Sclose(space)
    return points


def _attribute_points(player, attribute):
    space = player.lib.H5Aget_space(attribute)
    points = _space_points(player, space) if space >= 0 else -1
    player.lib.H5Sclose(space)
    return points


def _transfer(player, a):
    return a[1], _space_points(player, a[2]) if a[2] else _dataset_points(player, a[0])


def _enum_value(player, a):
    return a[0], 1


TYPED = {
    ("H5Dread", "buf"): (_transfer, "out"),
    ("H5Dwrite", "buf"): (_transfer, "in"),
    ("H5Aread", "buf"): (lambda p, a: (a[1], _attribute_points(p, a[0])), "out"),
    ("H5Awrite", "buf"): (lambda p, a: (a[1], _attribute_points(p, a[0])), "in"),
    ("H5Tconvert", "buf"): (lambda p, a: (a[0], a[2]), "convert"),
    ("H5Tconvert", "background"): (lambda p, a: (a[1], a[2]), "in"),
    ("H5Dfill", "fill"): (lambda p, a: (a[1], 1), "in"),
    ("H5Dfill", "buf"): (lambda p, a: (a[3], _space_points(p, a[4])), "inout"),
    ("H5Dscatter", "dst_buf"): (lambda p, a: (a[2], _space_points(p, a[3])), "out"),
    ("H5Dgather", "src_buf"): (lambda p, a: (a[2], _space_points(p, a[0])), "in"),
    ("H5Dgather", "dst_buf"): (lambda p, a: (a[2], a[3] // max(p.lib.H5Tget_size(a[2]), 1)), "out"),
    ("H5Diterate", "buf"): (lambda p, a: (a[1], _space_points(p, a[2])), "inout"),
    ("H5Dvlen_reclaim", "buf"): (lambda p, a: (a[0], _space_points(p, a[1])), "zero"),
    ("H5Treclaim", "buf"): (lambda p, a: (a[0], _space_points(p, a[1])), "zero"),
    ("H5Pset_fill_value", "value"): (lambda p, a: (a[1], 1), "in"),
    ("H5Pget_fill_value", "value"): (lambda p, a: (a[1], 1), "out"),
    ("H5Tenum_insert", "value"): (_enum_value, "in"),
    ("H5Tenum_nameof", "value"): (_enum_value, "in"),
    ("H5Tenum_valueof", "value"): (_enum_value, "out"),
    ("H5Tget_member_value", "value"): (_enum_value, "out"),
}


def _plain(value):
    return getattr(value, "value", value)


def typed(player, call, index):
    """The memory for a typed argument, filled as its token says; what comes back is reported by value."""
    parameter = call.function.parameters[index]
    if newer.MULTI.fullmatch(call.function.name):
        return _transfers(player, call, index)
    where, way = TYPED[newer.base(call.function.name), parameter.name]
    type_id, count = where(player, [_plain(value) for value in _arguments(call, call.values)])
    shape = values.Shape(player.lib, type_id)
    if count is None or count < 0 or not shape.usable():
        return _untyped(call)
    size = shape.size
    target = values.Shape(player.lib, _plain(call.values[1])) if way == "convert" else shape
    if way == "convert" and not target.usable():
        return _untyped(call)
    if count * max(size, target.size) > values.LARGEST:
        from play import Skip
        raise Skip("too large")
    total = count * max(size, target.size) + FEW
    if way in ("in", "inout", "convert"):
        maker = values.Maker(int(call.tokens[index].partition(":")[2] or 0))
        data = b"".join(maker.element(shape) for _ in range(count))
        call.kept.append(maker)
    else:
        data = bytes(count * size) if shape.points() or way == "zero" else CANARY * (count * size)
    memory = c.create_string_buffer(data + CANARY * (total - len(data)), total)
    call.kept.append(memory)
    if way != "in":
        call.reports.append((parameter.name, lambda: _told(target, memory, count)))
    return c.cast(memory, c.c_void_p)


def _arguments(call, those):
    """Without the place in the application's source, which calls with an event set are given."""
    return those[3:] if call.function.name.endswith("_async") else those


def is_typed(function, parameter):
    return (newer.base(function), parameter) in TYPED or parameter == "buf" and newer.MULTI.fullmatch(function) is not None


def _transfers(player, call, index):
    """Memory for each dataset of a transfer."""
    count, *lists = _arguments(call, call.tokens)[:5]
    lists = [re.findall(r"[^,]+", each[1:-1]) if each.startswith("[") else [] for each in lists]
    count = min(int(count), values.LARGEST)
    room = max(count, 1)
    pointers = (c.c_void_p * room)(*[c.addressof(_untyped_memory(call))] * room)
    for at, (dataset, type_id, space, _) in enumerate(zip(*lists)):
        if at < room:
            pointers[at] = _one_transfer(player, call, at, *(player.number(token) for token in (dataset, type_id, space)))
    call.kept.append(pointers)
    return c.cast(pointers, c.c_void_p)


def _one_transfer(player, call, at, dataset, type_id, space):
    shape = values.Shape(player.lib, type_id)
    points = _space_points(player, space) if space else _dataset_points(player, dataset)
    if points < 0 or not shape.usable():
        return c.addressof(_untyped_memory(call))
    if points * shape.size > values.LARGEST:
        from play import Skip
        raise Skip("too large")
    maker = values.Maker(at)
    data = b"".join(maker.element(shape) for _ in range(points)) if "write" in call.function.name else \
        bytes(points * shape.size) if shape.points() else CANARY * (points * shape.size)
    memory = c.create_string_buffer(data + CANARY * FEW, len(data) + FEW)
    call.kept += [maker, memory]
    if "read" in call.function.name:
        call.reports.append((f"buf {at}", lambda: _told(shape, memory, points)))
    return c.addressof(memory)


def several(call, parameter):
    """Four times 64 KiB, each behind a pointer."""
    parts = [c.create_string_buffer(CANARY * 65536, 65536) for _ in range(4)]
    pointers = (c.c_void_p * 64)(*[c.addressof(parts[at % 4]) for at in range(64)])
    call.kept += [pointers, parts]
    call.reports.append((parameter.name, lambda: [_elements_told(c.c_ubyte, part) for part in parts]))
    return c.cast(pointers, c.c_void_p)


def _told(shape, memory, count):
    told = values.all_told(shape, memory.raw, count)
    if memory.raw[-FEW // 2:] != CANARY * (FEW // 2):
        told.append("written behind its end")
    return told


def _untyped(call):
    return c.cast(_untyped_memory(call), c.c_void_p)


def _untyped_memory(call):
    memory = c.create_string_buffer(bytes(values.LARGEST // 4))
    call.kept.append(memory)
    return memory


# What is told of memory that a call filled.

def reporter(player, call, parameter, base, element, memory):
    if parameter.ctype in ("void**", "const char**", "char**") or parameter.ctype.endswith("_func_t*") or \
            parameter.ctype.endswith("_cb_t*") or parameter.ctype in ("H5E_auto1_t*", "H5E_auto2_t*", "H5T_cdata_t**",
                                                                     "H5MM_allocate_t*", "H5MM_free_t*", "H5L_elink_traverse_t*"):
        return lambda: _pointer_told(parameter, memory)
    if base == "char":
        return lambda: _text_told(call, memory)
    if base == "hid_t":
        return lambda: _ids_told(player, memory)
    return lambda: _elements_told(element, memory)


def _pointer_told(parameter, memory):
    address = c.c_uint64.from_buffer(memory).value
    if address == int.from_bytes(CANARY * 8, "little"):
        return "~"
    if parameter.ctype == "const char**" and address:
        return c.string_at(address).decode("latin-1")
    return "pointer" if address else None


def _text_told(call, memory):
    raw = memory.raw
    if raw[:1] == CANARY:
        return "~"
    return raw.partition(b"\0")[0].partition(CANARY * 4)[0].decode("latin-1")


def _ids_told(player, memory):
    ids = (c.c_int64 * 64).from_buffer(memory)
    return [player.id_kind(value) for value in ids if value not in (-1, int.from_bytes(CANARY * 8, "little", signed=True))]


def _elements_told(element, memory):
    raw = memory.raw.rstrip(CANARY)
    size = c.sizeof(element)
    count = (len(raw) + size - 1) // size
    if count == 0:
        return "~"
    if element is c.c_ubyte:
        return raw[:256].hex() + (f"... {len(raw)}" if len(raw) > 256 else "")
    items = (element * count).from_buffer(memory)
    untouched = element.from_buffer_copy(CANARY * size).value
    return [("~" if value == untouched else repr(value) if isinstance(value, float) else value) for value in items[:64]]


# Structures that are valid as they are.

FIELD_FUNCTIONS = {
    "create_func": "H5L_create_func_t", "move_func": "H5L_move_func_t", "copy_func": "H5L_copy_func_t",
    "trav_func": "H5L_traverse_func_t", "del_func": "H5L_delete_func_t", "query_func": "H5L_query_func_t",
    "can_apply": "H5Z_can_apply_func_t", "set_local": "H5Z_set_local_func_t", "filter": "H5Z_func_t",
}


def valid_structure(player, call, name):
    item = abi.structures[name]()
    if name == "H5AC_cache_config_t":
        item.version = 1
        player.lib.H5Pget_mdc_config(player.lib.variable("H5P_LST_FILE_ACCESS_ID_g"), c.byref(item))
    elif name == "H5AC_cache_image_config_t":
        item.version, item.entry_ageout = 1, -1
    elif name == "H5FD_splitter_vfd_config_t":
        item.magic, item.version, item.wo_path, item.log_file_path = 0x2B916880, 1, b"wo.h5", b"log.txt"
    elif name in ("H5FD_hdfs_fapl_t", "H5FD_ros3_fapl_t"):
        item.version = 1
    elif name == "H5FD_class_t":
        made = driver.Driver()
        made.fill(item)
        player.kept.append(made)
    elif name == "H5L_class_t":
        item.version, item.id = 1, 200
        item.trav_func = player._function(call, "cb", "H5L_traverse_func_t").value
    elif name == "H5Z_class2_t":
        item.version, item.id, item.encoder_present, item.decoder_present = 1, 300, 1, 1
        item.filter = player._function(call, "cb", "H5Z_func_t").value
        text = c.create_string_buffer(b"a filter")
        player.kept.append(text)
        item.name = c.addressof(text)
    return item


# What functions of the application do beside telling.

_libc = c.CDLL(None)
_libc.malloc.restype = c.c_void_p
_libc.malloc.argtypes = [c.c_size_t]
_libc.free.argtypes = [c.c_void_p]


def _scatter(player, call, arguments):
    """Gives 192 bytes at a time: zeros, where others would be taken for pointers."""
    active = player.calls[-1] if player.calls else call
    pointers = values.Shape(player.lib, _plain(active.values[2])).points()
    memory = c.create_string_buffer((bytes(24) if pointers else bytes(range(24))) * 40)
    player.kept.append(memory)
    c.c_uint64.from_address(arguments[0]).value = c.addressof(memory)
    c.c_uint64.from_address(arguments[1]).value = 24 * 8
    return 0


def _query(player, call, arguments):
    if arguments[3] and arguments[4] > 0:
        c.memset(arguments[3], 0x51, min(4, arguments[4]))
    return 4


def _compare(player, call, arguments):
    one, other = (c.string_at(argument, arguments[2]) for argument in arguments[:2])
    return (one > other) - (one < other)


def _convert(player, call, arguments):
    """Makes zeros, which every type has."""
    _, target, cdata, count, stride, _, memory, _, _ = arguments
    if cdata and c.c_int.from_address(cdata).value == player.facts.constants["H5T_CONV_CONV"] and memory:
        size = player.lib.H5Tget_size(target)
        for index in range(count):
            c.memset(memory + index * (stride or size), 0, size)
    return 0


def _traverse(player, call, arguments):
    return player.lib.H5Oopen(arguments[1], b"/", 0)


ANSWERS = {
    "H5D_scatter_func_t": _scatter,
    "H5L_query_func_t": _query,
    "H5T_conv_t": _convert,
    "H5L_traverse_func_t": _traverse,
    "H5P_prp_compare_func_t": _compare,
    "H5MM_allocate_t": lambda player, call, a: _libc.malloc(a[0]),
    "H5MM_free_t": lambda player, call, a: _libc.free(a[0]),
    "H5Z_can_apply_func_t": lambda player, call, a: 1,
    "H5Z_func_t": lambda player, call, a: a[3],
    "H5Z_filter_func_t": lambda player, call, a: 1,
}


def _nested(player, call, deed, arguments):
    """What a function of the application does with the library, of the place and name that it is given."""
    lib = player.lib
    place = arguments[0] if arguments and isinstance(arguments[0], int) else -1
    name = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], bytes) else b"g1"
    if deed == "open":
        results = [lib.H5Oopen(place, name, 0)]
        results.append(lib.H5Oclose(results[0]))
    elif deed == "unlink":
        results = [lib.H5Ldelete(place, name, 0)]
    elif deed == "create":
        results = [lib.H5Gcreate2(place, b"made", 0, 0, 0)]
        results.append(lib.H5Gclose(results[0]))
    elif deed == "attribute":
        results = [lib.H5Adelete(place, name), lib.H5Aget_num_attrs(place)]
    else:
        results = [lib.H5Idec_ref(place)]
    (player.calls[-1] if player.calls else call).told.append([deed] + [(result > 0) - (result < 0) for result in results])
    return 0


def answer(player, call, ctype, arguments, special):
    """What a function of the application returns: what its token says, or what makes sense."""
    if special is not None and not re.fullmatch(r"-?\d+", special):
        return _nested(player, call, special, arguments)
    if special is not None:
        return None if ctype in ("H5MM_allocate_t", "H5MM_free_t") else int(special)
    return ANSWERS[ctype](player, call, arguments) if ctype in ANSWERS else 0
