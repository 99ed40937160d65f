"""Builds HDF5 files byte by byte, from the file format specification alone.

The functions make messages; an Image lays them out in a file. Lengths and addresses that depend on the file's own
sizes are made by methods of the Image.
"""

UNDEFINED = -1
UNLIMITED = -1
MASK = 0xFFFFFFFF
SIGNATURE = b"\x89HDF\r\n\x1a\n"

NIL, SPACE, LINK_INFO, TYPE, FILL_OLD, FILL, LINK, LAYOUT = 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x08
GROUP_INFO, PIPELINE, ATTRIBUTE, COMMENT, TIME_OLD = 0x0A, 0x0B, 0x0C, 0x0D, 0x0E
CONTINUATION, SYMBOL_TABLE, TIME, BTREE_K, DRIVER, ATTRIBUTE_INFO, REF_COUNT = 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16


def le(value, size):
    """A little-endian integer; -1 is all ones, the undefined address and the unlimited size."""
    return (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def u8(*values):
    return b"".join(le(v, 1) for v in values)


def u16(*values):
    return b"".join(le(v, 2) for v in values)


def u32(*values):
    return b"".join(le(v, 4) for v in values)


def u64(*values):
    return b"".join(le(v, 8) for v in values)


def pad8(data):
    return data + bytes(-len(data) % 8)


def name8(text):
    """A name ended by a null and padded with nulls to a multiple of eight."""
    return pad8(text.encode() + b"\0")


def rotate(x, k):
    return (x << k | x >> (32 - k)) & MASK


def lookup3(data):
    """Jenkins' lookup3 checksum."""
    state = [(0xDEADBEEF + len(data)) & MASK] * 3
    raw = data + bytes(-len(data) % 12)
    words = [int.from_bytes(raw[i:i + 4], "little") for i in range(0, len(raw), 4)]
    for i in range(0, len(words), 3):
        state = [s + w & MASK for s, w in zip(state, words[i:i + 3])]
        if i + 3 < len(words):
            for turn, k in enumerate((4, 6, 8, 16, 19, 4)):
                x, y, z = turn % 3, (turn + 1) % 3, (turn + 2) % 3
                state[x] = (state[x] - state[z] & MASK) ^ rotate(state[z], k)
                state[z] = state[z] + state[y] & MASK
    for turn, k in enumerate((14, 11, 25, 16, 4, 14, 24) if data else ()):
        x, y = (turn + 2) % 3, (turn + 1) % 3
        state[x] = (state[x] ^ state[y]) - rotate(state[y], k) & MASK
    return state[2]


def summed(data):
    return data + u32(lookup3(data))


class Message:
    def __init__(self, kind, data=b"", flags=0, order=0):
        self.kind, self.data, self.flags, self.order = kind, data, flags, order


class Soft:
    """A soft link, as the value of a name in a group."""

    def __init__(self, value):
        self.value = value


class Cached:
    """A group of symbol tables whose tree and heap are repeated in the link's scratch space."""

    def __init__(self, address):
        self.address = address


# Datatypes


def datatype(version, cls, bits, size, properties=b""):
    return u8(version << 4 | cls) + le(bits, 3) + u32(size) + properties


def fixed(size, signed=True, big=False, version=1, offset=0, precision=None, pads=0):
    bits = int(big) | pads << 1 | int(signed) << 3
    return datatype(version, 0, bits, size, u16(offset, 8 * size if precision is None else precision))


def floating(size, fields, bias, sign, order=0, version=1, offset=0, precision=None, norm=2, pads=0):
    """fields: exponent position and size, mantissa position and size; order 0 little, 1 big, 0x41 VAX."""
    bits = order | pads << 1 | norm << 4 | sign << 8
    return datatype(version, 1, bits, size,
                    u16(offset, 8 * size if precision is None else precision) + u8(*fields) + u32(bias))


def single(big=False, version=1):
    return floating(4, (23, 8, 0, 23), 127, 31, int(big), version)


def double(big=False, version=1):
    return floating(8, (52, 11, 0, 52), 1023, 63, int(big), version)


def string(size, padding=0, charset=0, version=1):
    return datatype(version, 3, padding | charset << 4, size)


def bitfield(size, big=False, version=1, offset=0, precision=None, pads=0):
    return datatype(version, 4, int(big) | pads << 1, size,
                    u16(offset, 8 * size if precision is None else precision))


def opaque(size, tag, version=1):
    text = name8(tag)
    return datatype(version, 5, len(text), size, text)


def compound(version, size, members):
    """Members are (name, offset, type) or, in version 1 alone, (name, offset, type, dims)."""
    data = b""
    for name, offset, kind, *dims in members:
        if version == 3:
            data += name.encode() + b"\0" + le(offset, (size.bit_length() + 7) // 8) + kind
            continue
        data += name8(name) + u32(offset)
        if version == 1:
            dims = list(dims[0]) if dims else []
            data += u8(len(dims)) + bytes(3) + u32(0, 0) + u32(*dims, *[0] * (4 - len(dims)))
        data += kind
    return datatype(version, 6, len(members), size, data)


def enum(version, base, size, members):
    names = [n.encode() + b"\0" if version == 3 else name8(n) for n, _ in members]
    return datatype(version, 8, len(members), size, base + b"".join(names) + b"".join(v for _, v in members))


def array(version, base, size, dims):
    if version == 2:
        head = u8(len(dims)) + bytes(3) + u32(*dims) + u32(*range(len(dims)))
    else:
        head = u8(len(dims)) + u32(*dims)
    count = 1
    for d in dims:
        count *= d
    return datatype(version, 10, 0, size * count, head + base)


def vlen(size, base, text=0, padding=0, charset=0, version=1):
    return datatype(version, 9, text | padding << 4 | charset << 8, size, base)


def reference(size, region=False, version=1):
    return datatype(version, 7, int(region), size)


# Messages whose form does not depend on the sizes of the file


def fill_old(value):
    return Message(FILL_OLD, u32(len(value)) + value)


def fill12(version, alloc, when, defined, value=None):
    data = u8(version, alloc, when, defined)
    return Message(FILL, data + (u32(len(value)) + value if value is not None else b""))


def fill3(alloc, when, value=None, undefined=False):
    flags = alloc | when << 2 | int(undefined) << 4 | int(value is not None) << 5
    return Message(FILL, u8(3, flags) + (u32(len(value)) + value if value is not None else b""))


def time_old(text):
    return Message(TIME_OLD, text.encode() + u16(0))


def time_new(seconds):
    return Message(TIME, u8(1, 0, 0, 0) + u32(seconds))


def comment(text):
    return Message(COMMENT, text.encode() + b"\0")


def pipeline(version, filters):
    """Filters are (identifier, flags, name, client values)."""
    data = u8(version, len(filters)) + (bytes(6) if version == 1 else b"")
    for code, flags, name, values in filters:
        text = b"" if not name else name8(name) if version == 1 else name.encode() + b"\0"
        has_length = version == 1 or code >= 256
        data += u16(code) + (u16(len(text)) if has_length else b"") + u16(flags, len(values))
        data += (text if has_length else b"") + u32(*values)
        if version == 1 and len(values) % 2:
            data += u32(0)
    return Message(PIPELINE, data)


def attribute(version, name, kind, space, data, flags=0, charset=0):
    text = name.encode() + b"\0"
    head = u8(version, flags) + u16(len(text), len(kind), len(space))
    if version == 1:
        return Message(ATTRIBUTE, head + pad8(text) + pad8(kind) + pad8(space) + data)
    return Message(ATTRIBUTE, head + (u8(charset) if version == 3 else b"") + text + kind + space + data)


class Image:
    """A file being built. Addresses count from the start of the superblock."""

    def __init__(self, offsets=8, lengths=8, leaf_k=4, node_k=16, chunk_k=32):
        self.offsets, self.lengths = offsets, lengths
        self.leaf_k, self.node_k, self.chunk_k = leaf_k, node_k, chunk_k
        self.data = bytearray(128)
        self.tables = {}

    def o(self, *values):
        return b"".join(le(v, self.offsets) for v in values)

    def l(self, *values):
        return b"".join(le(v, self.lengths) for v in values)

    def reserve(self, size):
        address = len(self.data)
        self.data += bytes(size + -size % 8)
        return address

    def put(self, address, data):
        self.data[address:address + len(data)] = data

    def add(self, data):
        address = self.reserve(len(data))
        self.put(address, data)
        return address

    # Dataspaces, shared messages and layouts

    def space(self, dims=(), maximum=None, version=1, kind=None, permutation=None):
        flags = int(maximum is not None) | int(permutation is not None) << 1
        if version == 1:
            head = u8(1, len(dims), flags, 0) + u32(0)
        else:
            head = u8(2, len(dims), flags, kind if kind is not None else int(bool(dims)))
        return head + self.l(*dims, *(maximum or ()), *(permutation or ()))

    def shared(self, version, address):
        """What stands for a message that is kept in the header of a committed datatype."""
        if version == 1:
            return u8(1, 0) + bytes(6) + self.o(address)
        return u8(version, 2 if version == 3 else 0) + self.o(address)

    def layout12(self, version, cls, dims, address=None, data=None, element=None):
        head = u8(version, len(dims) + int(element is not None), cls) + bytes(5)
        if address is not None:
            head += self.o(address)
        head += u32(*dims) + (u32(element) if element is not None else b"")
        return Message(LAYOUT, head + (u32(len(data)) + data if data is not None else b""))

    def contiguous(self, address, size):
        return Message(LAYOUT, u8(3, 1) + self.o(address) + self.l(size))

    def chunked(self, address, chunk, element):
        return Message(LAYOUT, u8(3, 2, len(chunk) + 1) + self.o(address) + u32(*chunk, element))

    # Object headers

    def header1(self, messages, rest=(), references=1, count=None):
        """A version 1 header; the lists in rest go to continuation blocks, each pointed to by the one before."""
        blocks = [list(messages)] + [list(block) for block in rest]
        follow = 0
        for i in range(len(blocks) - 1, 0, -1):
            body = self.messages1(blocks[i] + follow_on(follow))
            follow = self.o(self.add(body)) + self.l(len(body))
        body = self.messages1(blocks[0] + follow_on(follow))
        total = sum(map(len, blocks)) + len(blocks) - 1
        prefix = u8(1, 0) + u16(total if count is None else count) + u32(references, len(body), 0)
        return self.add(prefix + body)

    def messages1(self, messages):
        data = b""
        for m in messages:
            body = pad8(m.data)
            data += u16(m.kind, len(body)) + u8(m.flags, 0, 0, 0) + body
        return data

    def attribute_info(self, flags):
        """What a version 2 header with attributes tells about them; flags are those of the header."""
        data = u8(0, flags >> 2 & 3) + (u16(9) if flags & 4 else b"") + self.o(UNDEFINED, UNDEFINED)
        return Message(ATTRIBUTE_INFO, data + (self.o(UNDEFINED) if flags & 8 else b""))

    def header2(self, messages, rest=(), flags=0, times=(1, 2, 3, 4), phase=(8, 6), gap=0, info=True):
        """A version 2 header; gap is the number of bytes left over at the end of each block."""
        blocks = [list(messages)] + [list(block) for block in rest]
        if info and any(m.kind == ATTRIBUTE for block in blocks for m in block):
            blocks[0].append(self.attribute_info(flags))
        follow = 0
        for i in range(len(blocks) - 1, 0, -1):
            body = summed(b"OCHK" + self.messages2(blocks[i] + follow_on(follow), flags) + bytes(gap))
            follow = self.o(self.add(body)) + self.l(len(body))
        body = self.messages2(blocks[0] + follow_on(follow), flags) + bytes(gap)
        prefix = b"OHDR" + u8(2, flags)
        prefix += u32(*times) if flags & 0x20 else b""
        prefix += u16(*phase) if flags & 0x10 else b""
        return self.add(summed(prefix + le(len(body), 1 << (flags & 3)) + body))

    def messages2(self, messages, flags):
        data = b""
        for m in messages:
            data += u8(m.kind) + u16(len(m.data)) + u8(m.flags) + (u16(m.order) if flags & 4 else b"") + m.data
        return data

    def dataset(self, kind, space, layout, *extra, version=1, **options):
        """A dataset from encoded datatype and dataspace and the layout message."""
        messages = [Message(SPACE, space), Message(TYPE, kind, 1), layout, *extra]
        return (self.header1 if version == 1 else self.header2)(messages, **options)

    def plain(self, data=None, *extra, kind=None, element=4, **options):
        """A one-dimensional contiguous dataset of little-endian 32-bit integers, or of what is said."""
        data = u32(*range(1, 9)) if data is None else data
        return self.dataset(kind or fixed(element), self.space((len(data) // element,)),
                            self.contiguous(self.add(data), len(data)), *extra, **options)

    # Groups

    def heap(self, names, free=0, apart=False):
        """A local heap with the names; returns its address and a dict of their offsets."""
        segment, where = bytes(8), {}
        for name in names:
            where[name] = len(segment)
            segment += name8(name)
        first = 1
        if free:
            first = len(segment)
            segment += (self.l(1, free)).ljust(free, b"\xEE")
        size = 8 + 2 * self.lengths + self.offsets
        size += -size % 8
        address = self.reserve(size)
        if apart:
            self.reserve(64)
        data = self.add(segment)
        self.put(address, b"HEAP" + u32(0) + self.l(len(segment), first) + self.o(data))
        return address, where

    def symbol(self, name, address, cache, scratch):
        """A symbol table entry. The name's offset has the size of a length, as stock has it: the specification's
        drawing says that of an address, which stock cannot read where the two differ."""
        return self.l(name) + self.o(address) + u32(cache, 0) + scratch.ljust(16, b"\0")

    def entry(self, where, name, target):
        value, cache, scratch = target, 0, b""
        if isinstance(target, Soft):
            value, cache, scratch = 0, 2, u32(where[target.value])
        elif isinstance(target, Cached):
            value, cache, scratch = target.address, 1, self.o(*self.tables[target.address])
        return self.symbol(where[name], value, cache, scratch)

    def node(self, entries):
        size = 2 * self.leaf_k * (self.lengths + self.offsets + 24)
        return self.add(b"SNOD" + u8(1, 0) + u16(len(entries)) + b"".join(entries).ljust(size, b"\0"))

    def tree_level(self, kind, level, children, fanout, k):
        """Nodes of one level. A child is (left key, address, right key); so is what is returned for each node."""
        key_size = len(children[0][0]) if children else self.lengths
        size = 8 + 2 * self.offsets + 2 * k * (key_size + self.offsets) + key_size
        parts = [children[i:i + fanout] for i in range(0, len(children), fanout)] or [[]]
        address = [self.reserve(size) for _ in parts]
        for i, part in enumerate(parts):
            left = address[i - 1] if i else UNDEFINED
            right = address[i + 1] if i + 1 < len(parts) else UNDEFINED
            body = b"".join(key + self.o(child) for key, child, _ in part) + (part[-1][2] if part else b"")
            self.put(address[i], b"TREE" + u8(kind, level) + u16(len(part)) + self.o(left, right) + body)
        return [(part[0][0] if part else b"", a, part[-1][2] if part else b"") for part, a in zip(parts, address)]

    def tree(self, kind, children, fanout, k):
        level, nodes = 0, self.tree_level(kind, 0, children, fanout, k)
        while len(nodes) > 1:
            level += 1
            nodes = self.tree_level(kind, level, nodes, fanout, k)
        return nodes[0][1]

    def old_group(self, links, *extra, per_node=None, fanout=None, empty_nodes=(), references=1, **heap_options):
        """A group of symbol tables; empty_nodes tells before which nodes an empty one stands."""
        per_node = per_node or 2 * self.leaf_k
        names = sorted(links, key=lambda n: n.encode())
        values = [t.value for t in links.values() if isinstance(t, Soft)]
        heap, where = self.heap(names + [v for v in values if v not in links], **heap_options)
        children, key = [], self.l(0)
        for i in range(0, len(names), per_node):
            part = names[i:i + per_node]
            if i // per_node in empty_nodes:
                children.append((key, self.node([]), key))
            node = self.node([self.entry(where, n, links[n]) for n in part])
            children.append((key, node, self.l(where[part[-1]])))
            key = children[-1][2]
        tree = self.tree(0, children, fanout or 2 * self.node_k, self.node_k)
        header = self.header1([Message(SYMBOL_TABLE, self.o(tree, heap)), *extra], references=references)
        self.tables[header] = (tree, heap)
        return header

    def link(self, name, target, order=None, charset=None, width=0):
        text = name.encode()
        flags = width | int(order is not None) << 2 | int(isinstance(target, Soft)) << 3 | int(charset is not None) << 4
        data = u8(1, flags) + (u8(1) if isinstance(target, Soft) else b"")
        data += (u64(order) if order is not None else b"") + (u8(charset) if charset is not None else b"")
        data += le(len(text), 1 << width) + text
        if isinstance(target, Soft):
            data += u16(len(target.value)) + target.value.encode()
        else:
            data += self.o(target)
        return Message(LINK, data)

    def link_info(self, flags=0, highest=0):
        data = u8(0, flags) + (u64(highest) if flags & 1 else b"") + self.o(UNDEFINED, UNDEFINED)
        return Message(LINK_INFO, data + (self.o(UNDEFINED) if flags & 2 else b""))

    def group_messages(self, links):
        return [self.link_info(), Message(GROUP_INFO, u8(0, 0))] + [self.link(n, t) for n, t in links.items()]

    def new_group(self, links, *extra, version=2):
        messages = self.group_messages(links) + list(extra)
        return self.header1(messages) if version == 1 else self.header2(messages, flags=1)

    # Chunks and global heaps

    def chunk_tree(self, chunks, end, fanout=None):
        """Chunks are (offset, stored bytes, mask); end is the offset that closes the last key."""
        children = []
        offsets = [c[0] for c in chunks[1:]] + [end]
        keys = [u32(len(data), mask) + u64(*at, 0) for at, data, mask in chunks]
        keys.append(u32(0, 0) + u64(*offsets[-1], 0))
        for i, (_, data, _) in enumerate(chunks):
            children.append((keys[i], self.add(data), keys[i + 1]))
        return self.tree(1, children, fanout or 2 * self.chunk_k, self.chunk_k)

    def collection(self, objects, size=4096, free=True):
        """A global heap collection of (index, references, data). The heads are padded to eight bytes: the
        specification only draws them with lengths of eight, where there is nothing to pad."""
        data = pad8(b"GCOL" + u8(1, 0, 0, 0) + self.l(size))
        for index, references, body in objects:
            data += pad8(u16(index, references) + u32(0) + self.l(len(body))) + pad8(body)
        left = size - len(data)
        if free and left >= 16:
            data += u16(0, 0) + u32(0) + self.l(left)
        return self.add(data.ljust(size, b"\0"))

    def heap_id(self, length, collection, index):
        """A variable-length element: how many, and where in the global heap."""
        return u32(length) + self.o(collection) + u32(index)

    # The file

    def super01(self, version, root, base, end, driver, cached):
        data = SIGNATURE + u8(version, 0, 0, 0, 0, self.offsets, self.lengths, 0)
        data += u16(self.leaf_k, self.node_k) + u32(0)
        data += u16(self.chunk_k, 0) if version == 1 else b""
        scratch = self.o(*self.tables[root]) if cached else b""
        return data + self.o(base, UNDEFINED, end, driver) + self.symbol(0, root, int(cached), scratch)

    def super23(self, version, root, base, end, extension, flags):
        return summed(SIGNATURE + u8(version, self.offsets, self.lengths, flags)
                      + self.o(base, extension, end, root))

    def save(self, path, root, version=0, userblock=b"", base=None, end=None, extension=UNDEFINED, flags=0,
             driver=UNDEFINED, cached=False, tail=b""):
        base = len(userblock) if base is None else base
        end = base + len(self.data) if end is None else base + end
        if version < 2:
            self.put(0, self.super01(version, root, base, end, driver, cached))
        else:
            self.put(0, self.super23(version, root, base, end, extension, flags))
        with open(path, "wb") as f:
            f.write(userblock + self.data + tail)


def follow_on(where):
    return [Message(CONTINUATION, where)] if where else []
