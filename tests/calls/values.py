"""Elements of a datatype in memory: made from a seed, and told by value, whatever the type is."""
import ctypes as c
import random
import struct

LARGEST = 1 << 22
CLASSES = ["integer", "float", "time", "string", "bitfield", "opaque", "compound", "reference", "enum", "vlen", "array"]


class Shape:
    """What the library says of a datatype, as far as elements need it."""

    def __init__(self, lib, type_id, depth=0):
        self.size = lib.H5Tget_size(type_id)
        number = lib.H5Tget_class(type_id)
        self.kind = CLASSES[number] if 0 <= number < len(CLASSES) else None
        self.parts = []
        if depth > 6 or self.size == 0 or self.size > LARGEST:
            self.kind = None
        if self.kind == "string" and lib.H5Tis_variable_str(type_id) > 0:
            self.kind = "text"
        elif self.kind == "float":
            self.exact = (self.size * 8, 0) == (lib.H5Tget_precision(type_id), lib.H5Tget_offset(type_id))
            self.little = lib.H5Tget_order(type_id) == 0
        elif self.kind == "compound":
            self._members(lib, type_id, depth)
        elif self.kind in ("enum", "vlen", "array"):
            base = lib.H5Tget_super(type_id)
            self.base = Shape(lib, base, depth + 1)
            lib.H5Tclose(base)
            self._complete_base(lib, type_id)

    def _members(self, lib, type_id, depth):
        for index in range(lib.H5Tget_nmembers(type_id)):
            member = lib.H5Tget_member_type(type_id, index)
            self.parts.append((lib.H5Tget_member_offset(type_id, index), Shape(lib, member, depth + 1)))
            lib.H5Tclose(member)

    def _complete_base(self, lib, type_id):
        if self.base.kind is None:
            self.kind = None
        elif self.kind == "array":
            self.count = self.size // max(self.base.size, 1)
        elif self.kind == "enum":
            self.values = []
            for index in range(lib.H5Tget_nmembers(type_id)):
                value = (c.c_ubyte * max(self.size, 8))()
                lib.H5Tget_member_value(type_id, index, value)
                self.values.append(bytes(value)[:self.size])

    def usable(self):
        """Whether every part of it is understood."""
        return self.kind is not None and all(part.usable() for _, part in self.parts) and \
            (self.kind not in ("vlen", "array") or self.base.usable())

    def points(self):
        """Whether elements have pointers in them."""
        return self.kind in ("text", "vlen") or any(part.points() for _, part in self.parts) or \
            (self.kind == "array" and self.base.points())


class Maker:
    """Makes elements; what they point at lives as long as the maker."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.kept = []

    def element(self, shape):
        return getattr(self, "_" + shape.kind)(shape)

    def _integer(self, shape):
        if self.random.random() < 0.7:
            value = self.random.randrange(0, 100)
            return value.to_bytes(shape.size, "little") if shape.size > 0 else b""
        return self.random.randbytes(shape.size)

    _bitfield = _time = _opaque = _integer

    def _float(self, shape):
        value = self.random.choice([0.0, 1.5, -2.25, 100.0, 3e5, -1e30, 0.1, 70000.0])
        codes = {4: "f", 8: "d"}
        if shape.size in codes and shape.exact:
            return struct.pack(("<" if shape.little else ">") + codes[shape.size], value)
        if shape.size == 16:
            return bytes(c.c_longdouble(value))[:10] + bytes(6)
        return bytes(shape.size)

    def _string(self, shape):
        text = self.random.choice([b"", b"a", b"text", b"some more", b"\xc3\xa9"])[:shape.size]
        return text + bytes(shape.size - len(text))

    def _text(self, shape):
        if self.random.random() < 0.1:
            return bytes(8)
        text = c.create_string_buffer(self.random.choice([b"", b"one", b"a longer one", b"x" * 50]))
        self.kept.append(text)
        return struct.pack("<Q", c.addressof(text))

    def _vlen(self, shape):
        count = self.random.choice([0, 1, 2, 5])
        data = b"".join(self.element(shape.base) for _ in range(count))
        memory = c.create_string_buffer(data, len(data) + 1)
        self.kept.append(memory)
        return struct.pack("<QQ", count, c.addressof(memory) if count else 0)

    def _array(self, shape):
        return b"".join(self.element(shape.base) for _ in range(shape.count))

    def _compound(self, shape):
        data = bytearray(shape.size)
        for offset, part in shape.parts:
            data[offset:offset + part.size] = self.element(part)
        return bytes(data)

    def _enum(self, shape):
        if shape.values and self.random.random() < 0.9:
            return self.random.choice(shape.values)
        return self._integer(shape)

    def _reference(self, shape):
        return bytes(shape.size)


def told(shape, data):
    """One element in words; `data` are its bytes."""
    if shape.kind == "compound":
        return [told(part, data[offset:offset + part.size]) for offset, part in shape.parts]
    if shape.kind == "array":
        size = shape.base.size
        return [told(shape.base, data[at:at + size]) for at in range(0, shape.count * size, size)]
    if shape.kind == "text":
        address = struct.unpack("<Q", data)[0]
        return c.string_at(address).hex() if address else None
    if shape.kind == "vlen":
        count, address = struct.unpack("<QQ", data)
        if count > 100000:
            return "too long"
        memory = c.string_at(address, count * shape.base.size) if count else b""
        return [told(shape.base, memory[at:at + shape.base.size]) for at in range(0, len(memory), shape.base.size)]
    if shape.kind == "reference":
        # Where objects lie is each library's own business.
        return "null" if not any(data) else "reference"
    if shape.kind == "float" and shape.size == 16:
        return data[:10].hex()
    return data.hex()


def all_told(shape, data, count):
    return [told(shape, data[at:at + shape.size]) for at in range(0, count * shape.size, shape.size)]
