"""What the files of a folder hold, told through the API alone: links, types, spaces, attributes, elements."""
import ctypes as c
import glob

import abi
import values


class Dump:
    def __init__(self, lib, write):
        self.lib = lib
        self.write = write
        self.seen = {}

    def tell(self, path, what, value):
        self.write({"content": [path, what, value]})

    def file(self, name):
        handle = self.lib.H5Fopen(name.encode(), 0, 0)
        self.tell(name, "opens", handle >= 0)
        if handle < 0:
            return
        self.object(handle, name + ":", b"/")
        self.lib.H5Fclose(handle)

    def object(self, where, path, name):
        thing = self.lib.H5Oopen(where, name, 0)
        if thing < 0:
            return self.tell(path, "object", "does not open")
        info = abi.structures["H5O_info_t"]()
        self.lib.H5Oget_info(thing, c.byref(info))
        key = (info.fileno, info.addr)
        if key in self.seen:
            self.tell(path, "same object as", self.seen[key])
        else:
            self.seen[key] = path
            self.tell(path, "object", [info.type, info.rc])
            [self.group, self.dataset, self.datatype][info.type](thing, path)
            self.attributes(thing, path)
        self.lib.H5Oclose(thing)

    def group(self, group, path):
        info = abi.structures["H5G_info_t"]()
        self.lib.H5Gget_info(group, c.byref(info))
        self.tell(path, "creation order", info.max_corder)
        names = []
        for index in range(min(info.nlinks, 500)):
            text = c.create_string_buffer(2000)
            self.lib.H5Lget_name_by_idx(group, b".", 0, 0, index, text, 2000, 0)
            names.append(text.value)
        for name in names:
            self.link(group, path + "/" + name.decode("latin-1"), name)

    def link(self, group, path, name):
        info = abi.structures["H5L_info_t"]()
        self.lib.H5Lget_info(group, name, c.byref(info), 0)
        self.tell(path, "link", [info.type, info.corder_valid, info.corder, info.cset])
        if info.type == 0:
            return self.object(group, path, name)
        text = c.create_string_buffer(4096)
        self.lib.H5Lget_val(group, name, text, min(info.u, 4096), 0)
        self.tell(path, "value", text.raw[:min(info.u, 4096)].hex())

    def attributes(self, thing, path):
        for index in range(max(self.lib.H5Aget_num_attrs(thing), 0)):
            attribute = self.lib.H5Aopen_by_idx(thing, b".", 0, 0, index, 0, 0)
            if attribute < 0:
                self.tell(path, f"attribute {index}", "does not open")
                continue
            name = c.create_string_buffer(2000)
            self.lib.H5Aget_name(attribute, 2000, name)
            self.elements(attribute, path + "@" + name.value.decode("latin-1"), "A")
            self.lib.H5Aclose(attribute)

    def elements(self, thing, path, letter):
        space = getattr(self.lib, f"H5{letter}get_space")(thing)
        type_id = getattr(self.lib, f"H5{letter}get_type")(thing)
        self.tell(path, "space", self.space(space))
        self.tell(path, "type", self.type(type_id))
        count = self.lib.H5Sget_simple_extent_npoints(space)
        shape = values.Shape(self.lib, type_id)
        if shape.usable() and 0 <= count * shape.size < values.LARGEST // 8:
            memory = c.create_string_buffer(count * shape.size + 64)
            read = self.lib.H5Aread(thing, type_id, memory) if letter == "A" else self.lib.H5Dread(thing, type_id, 0, 0, 0, memory)
            self.tell(path, "elements", values.all_told(shape, memory.raw, count) if read >= 0 else "cannot be read")
        self.lib.H5Tclose(type_id)
        self.lib.H5Sclose(space)

    def space(self, space):
        dims, maximum = (c.c_uint64 * 32)(), (c.c_uint64 * 32)()
        rank = self.lib.H5Sget_simple_extent_dims(space, dims, maximum)
        return [self.lib.H5Sget_simple_extent_type(space), list(dims[:max(rank, 0)]), list(maximum[:max(rank, 0)])]

    def type(self, type_id, depth=0):
        lib = self.lib
        kind = lib.H5Tget_class(type_id)
        told = [kind, lib.H5Tget_size(type_id), lib.H5Tget_order(type_id)]
        if kind in (0, 1, 4):
            told += [lib.H5Tget_precision(type_id), lib.H5Tget_offset(type_id)]
        if kind == 3:
            told += [lib.H5Tget_cset(type_id), lib.H5Tget_strpad(type_id), lib.H5Tis_variable_str(type_id)]
        if kind in (6, 8):
            for index in range(lib.H5Tget_nmembers(type_id)):
                name = lib.H5Tget_member_name(type_id, index)
                told.append(c.string_at(name).decode("latin-1") if name else None)
                if kind == 6 and depth < 6:
                    member = lib.H5Tget_member_type(type_id, index)
                    told += [lib.H5Tget_member_offset(type_id, index), self.type(member, depth + 1)]
                    lib.H5Tclose(member)
        if kind in (8, 9, 10) and depth < 6:
            base = lib.H5Tget_super(type_id)
            told.append(self.type(base, depth + 1))
            lib.H5Tclose(base)
        return told

    def datatype(self, thing, path):
        self.tell(path, "type", self.type(thing))

    def dataset(self, thing, path):
        lib = self.lib
        plist = lib.H5Dget_create_plist(thing)
        dims = (c.c_uint64 * 32)()
        layout = lib.H5Pget_layout(plist)
        self.tell(path, "layout", [layout, list(dims[:max(lib.H5Pget_chunk(plist, 32, dims), 0)]) if layout == 2 else []])
        self.tell(path, "filters", lib.H5Pget_nfilters(plist))
        defined = c.c_int()
        lib.H5Pfill_value_defined(plist, c.byref(defined))
        self.tell(path, "fill value", defined.value)
        lib.H5Pclose(plist)
        self.elements(thing, path, "D")


def folder(lib, write):
    lib.H5open()
    lib.H5Eset_auto2(0, None, None)
    for name in sorted(glob.glob("f?.h5")):
        Dump(lib, write).file(name)
