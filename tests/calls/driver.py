"""A file driver of the application: files in memory, each call told."""
import ctypes as c

FILE_SIZE = 256  # Room for the public part of a file, H5FD_t.
FUNCTIONS = {
    "open": (c.c_void_p, c.c_char_p, c.c_uint, c.c_int64, c.c_uint64),
    "close": (c.c_int, c.c_void_p),
    "get_eoa": (c.c_uint64, c.c_void_p, c.c_int),
    "set_eoa": (c.c_int, c.c_void_p, c.c_int, c.c_uint64),
    "get_eof": (c.c_uint64, c.c_void_p, c.c_int),
    "read": (c.c_int, c.c_void_p, c.c_int, c.c_int64, c.c_uint64, c.c_size_t, c.c_void_p),
    "write": (c.c_int, c.c_void_p, c.c_int, c.c_int64, c.c_uint64, c.c_size_t, c.c_void_p),
}


class Driver:
    """One driver; its functions live as long as it does."""

    def __init__(self):
        self.disk = {}
        self.files = {}
        self.kept = []

    def fill(self, item):
        """Makes a class of these functions."""
        self.name = c.create_string_buffer(b"a driver")
        if hasattr(item, "version"):
            item.version, item.value = 1, 600
        item.name, item.maxaddr, item.fc_degree = c.addressof(self.name), 2**40, 1
        for name, kinds in FUNCTIONS.items():
            function = c.CFUNCTYPE(*kinds)(getattr(self, name))
            self.kept.append(function)
            setattr(item, name, c.cast(function, c.c_void_p).value)
        for index in range(len(item.fl_map)):
            item.fl_map[index] = 0

    def open(self, name, flags, fapl, maximum):
        create = flags & 0x10
        if name not in self.disk and not create:
            return None
        if flags & 2 or name not in self.disk:
            self.disk[name] = bytearray()
        memory = c.create_string_buffer(FILE_SIZE)
        self.files[c.addressof(memory)] = {"memory": memory, "data": self.disk[name], "eoa": 0}
        return c.addressof(memory)

    def close(self, file):
        self.files.pop(file)
        return 0

    def get_eoa(self, file, kind):
        return self.files[file]["eoa"]

    def set_eoa(self, file, kind, address):
        self.files[file]["eoa"] = address
        return 0

    def get_eof(self, file, kind):
        return len(self.files[file]["data"])

    def read(self, file, kind, dxpl, address, size, memory):
        data = bytes(self.files[file]["data"][address:address + size])
        c.memmove(memory, data + bytes(size - len(data)), size)
        return 0

    def write(self, file, kind, dxpl, address, size, memory):
        data = self.files[file]["data"]
        if address + size > 1 << 24:
            return -1
        if len(data) < address:
            data.extend(bytes(address - len(data)))
        data[address:address + size] = c.string_at(memory, size)
        return 0
