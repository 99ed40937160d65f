#!/usr/bin/env python3
"""make_files.py DIR: files with every kind of index and heap, written by stock libhdf5, and DIR/manifest.txt that says
what is in them. Object headers are parsed here, so that the tests on indexes and heaps need nothing above these."""
import ctypes
import os
import struct
import sys
import zlib

import h5py
import numpy as np
from h5py import h5d, h5f, h5g, h5p, h5s, h5t

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import stock  # noqa: E402

hdf5 = stock.load()
hdf5.H5Pset_deflate.argtypes = [ctypes.c_int64, ctypes.c_uint]
UNDEF = (1 << 64) - 1
WRITTEN_STEP = {"/ext_second": 1, "/ext_third": 2}
CHUNKED, SPACE_EARLY = h5d.CHUNKED, h5d.ALLOC_TIME_EARLY


class File:
    """The raw bytes of a file, and the messages of its object headers."""

    def __init__(self, path):
        self.data = open(path, "rb").read()
        version = self.data[8]
        at = 9 if version >= 2 else 13
        self.o, self.l = self.data[at], self.data[at + 1]

    def uint(self, at, width):
        return int.from_bytes(self.data[at:at + width], "little")

    def messages(self, addr):
        """(type, body) of each message."""
        return self.messages2(addr) if self.data[addr:addr + 4] == b"OHDR" else self.messages1(addr)

    def messages1(self, addr):
        left, blocks, found = self.uint(addr + 2, 2), [(addr + 16, self.uint(addr + 8, 4))], []
        while blocks:
            at, size = blocks.pop(0)
            end = at + size
            while at + 8 <= end and left:
                kind, length = struct.unpack_from("<HH", self.data, at)
                body = self.data[at + 8:at + 8 + length]
                left -= 1
                if kind == 0x10:
                    blocks.append((int.from_bytes(body[:self.o], "little"), int.from_bytes(body[self.o:self.o + self.l], "little")))
                else:
                    found.append((kind, body))
                at += 8 + length
        return found

    def messages2(self, addr):
        flags = self.data[addr + 5]
        at = addr + 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
        width = 1 << (flags & 3)
        blocks, found = [(at + width, self.uint(at, width))], []
        head = 6 if flags & 4 else 4
        while blocks:
            at, size = blocks.pop(0)
            end = at + size
            while at + head <= end:
                kind, length = self.data[at], self.uint(at + 1, 2)
                body = self.data[at + head:at + head + length]
                if kind == 0x10:
                    where = int.from_bytes(body[:self.o], "little")
                    blocks.append((where + 4, int.from_bytes(body[self.o:self.o + self.l], "little") - 8))
                elif kind:
                    found.append((kind, body))
                at += head + length
        return found

    def message(self, addr, kind):
        return next(body for k, body in self.messages(addr) if k == kind)


def make(path, latest=True, sizes=None):
    fapl, fcpl = h5p.create(h5p.FILE_ACCESS), h5p.create(h5p.FILE_CREATE)
    if latest:
        fapl.set_libver_bounds(h5f.LIBVER_LATEST, h5f.LIBVER_LATEST)
    if sizes:
        fcpl.set_sizes(*sizes)
    return h5py.File(h5f.create(path.encode(), h5f.ACC_TRUNC, fcpl, fapl))


def chunked(f, name, dims, max_dims, chunk, deflate=False, early=False, dtype="u1"):
    dcpl = h5p.create(h5p.DATASET_CREATE)
    dcpl.set_chunk(chunk)
    dcpl.set_fill_time(h5d.FILL_TIME_NEVER)
    if deflate:
        dcpl.set_deflate(1)
    if early:
        dcpl.set_alloc_time(SPACE_EARLY)
    space = h5s.create_simple(dims, tuple(h5s.UNLIMITED if m is None else m for m in max_dims))
    h5d.create(f.id, name.encode(), h5t.py_create(np.dtype(dtype)), space, dcpl)
    return f[name]


def write_chunks(d, places, mask=0):
    """One chunk each at these places, in units of chunks."""
    for n, place in enumerate(places):
        region = tuple(slice(p * c, min((p + 1) * c, s)) for p, c, s in zip(place, d.chunks, d.shape))
        d[region] = n % 250


def places(d, step=1):
    grid = [range(-(-s // c)) for s, c in zip(d.shape, d.chunks)]
    every = [tuple(int(x) for x in p) for p in np.stack(np.meshgrid(*grid, indexing="ij"), -1).reshape(-1, len(grid))]
    return every[::step]


def datasets(path, sizes=None):
    """Every kind of chunk index; returns names."""
    f = make(path, sizes=sizes)
    if sizes is None:
        d = chunked(f, "single", (10, 12), (10, 12), (10, 12)); d[...] = 1
        d = chunked(f, "single_deflate", (10, 12), (10, 12), (10, 12), deflate=True); d[...] = 1
        chunked(f, "implicit", (7, 9), (12, 20), (3, 4), early=True)
        chunked(f, "empty_fixed", (7, 9), (12, 20), (3, 4))
        d = chunked(f, "fixed_pages", (5000,), (5000,), (1,)); write_chunks(d, [(0,), (1500,), (4095,), (4096,), (4999,)])
        d = chunked(f, "fixed_pages_deflate", (70, 60), (80, 60), (1, 1), deflate=True); write_chunks(d, places(d, 37))
        d = chunked(f, "ext_long", (400000,), (None,), (1,))
        write_chunks(d, [(i,) for i in (0, 3, 4, 19, 20, 99, 100, 131059, 131060, 131061, 132083, 132084, 133107, 133108,
                                        134131, 134132, 135155, 135156, 262131, 262132, 263155, 263156, 264180, 270000,
                                        299999, 399999)])
        d = chunked(f, "ext_long_deflate", (3000,), (None,), (1,), deflate=True); write_chunks(d, places(d, 3))
        d = chunked(f, "ext_third", (4, 5, 30), (8, 5, None), (1, 2, 3)); write_chunks(d, places(d, 2))
        d = chunked(f, "btree2", (90, 50), (None, None), (1, 1)); write_chunks(d, places(d))
        d = chunked(f, "btree2_deflate", (50, 50), (None, None), (1, 1), deflate=True); write_chunks(d, places(d, 2))
        # Rank 14 is where "records in a child and below" needs a second byte that a smaller estimate does not give.
        d = chunked(f, "btree2_rank14", (2,) * 9 + (1,) * 5, (None,) * 14, (1,) * 14); write_chunks(d, places(d))
    d = chunked(f, "fixed", (7, 9), (12, 20), (3, 4)); write_chunks(d, places(d, 2))
    d = chunked(f, "fixed_deflate", (7, 9), (12, 20), (3, 4), deflate=True); write_chunks(d, places(d))
    d = chunked(f, "ext", (70, 9), (None, 20), (3, 4)); write_chunks(d, places(d, 2))
    d = chunked(f, "ext_second", (9, 70), (20, None), (4, 3), deflate=True); write_chunks(d, places(d))
    d = chunked(f, "btree2_small", (9, 7), (None, None), (4, 3)); write_chunks(d, places(d))
    names = list(f)
    f.close()
    return names


def old_datasets(path):
    f = make(path, latest=False)
    d = chunked(f, "btree1", (90, 50), (None, None), (1, 1)); write_chunks(d, places(d))
    d = chunked(f, "btree1_deflate", (70, 9, 5), (None, 20, 5), (3, 4, 2), deflate=True, dtype="u2")
    write_chunks(d, places(d, 3))
    chunked(f, "btree1_none", (70,), (None,), (3,))
    names = list(f)
    f.close()
    return names


def chunk_infos(raw, d):
    """(place, address, size, mask) in the order of the index. libhdf5 mistakes the dimensions when it lists an extensible
    array whose unlimited dimension is not the first: there the content of a chunk says which it is."""
    infos = [d.id.get_chunk_info(i) for i in range(d.id.get_num_chunks())]
    found = [tuple(o // c for o, c in zip(info.chunk_offset, d.chunks)) for info in infos]
    unlimited = [i for i, m in enumerate(d.maxshape) if m is None]
    if len(unlimited) == 1 and unlimited != [0]:
        written = places(d, WRITTEN_STEP[d.name])
        stored = [raw.data[i.byte_offset:i.byte_offset + i.size] for i in infos]
        found = [written[(zlib.decompress(s) if d.compression else s)[0]] for s in stored]
    return [(place, info.byte_offset, info.size, info.filter_mask) for place, info in zip(found, infos)]


def describe_datasets(out, path, names):
    raw = File(path)
    with h5py.File(path, "r") as f:
        for name in names:
            d = f[name]
            layout = raw.message(h5py.h5o.get_info(d.id).addr, 8)
            infos = chunk_infos(raw, d)
            rank = len(d.shape)
            print("dataset", name, path, rank, file=out)
            print(*d.shape, *(UNDEF if m is None else m for m in d.maxshape), *d.chunks, file=out)
            print(int(np.prod(d.chunks)) * d.dtype.itemsize, int(d.compression is not None), len(layout), layout.hex(),
                  index_size(d), len(infos), file=out)
            for place, *rest in infos:
                print(*place, *rest, file=out)


class InfoPart(ctypes.Structure):
    _fields_ = [("index_size", ctypes.c_uint64), ("heap_size", ctypes.c_uint64)]


class ObjectInfo(ctypes.Structure):
    """H5O_info_t of libhdf5 1.10."""
    _fields_ = [("fileno", ctypes.c_ulong), ("addr", ctypes.c_uint64), ("type", ctypes.c_int), ("rc", ctypes.c_uint),
                ("times", ctypes.c_int64 * 4), ("num_attrs", ctypes.c_uint64),
                ("hdr", ctypes.c_uint64 * 8), ("obj", InfoPart), ("attr", InfoPart)]


def object_info(obj):
    info = ObjectInfo()
    hdf5.H5Oget_info2.argtypes = [ctypes.c_int64, ctypes.c_void_p, ctypes.c_uint]
    if hdf5.H5Oget_info2(obj.id.id, ctypes.byref(info), 0x1f) < 0:
        raise RuntimeError("H5Oget_info2")
    if info.addr != h5py.h5o.get_info(obj.id).addr:
        raise RuntimeError("H5O_info_t is not laid out as here")
    return info


def index_size(d):
    return object_info(d).obj.index_size


def dense_group(f, name, count, length, deflate=False, huge=()):
    gcpl = h5p.create(h5p.GROUP_CREATE)
    gcpl.set_link_creation_order(h5p.CRT_ORDER_TRACKED | h5p.CRT_ORDER_INDEXED)
    if deflate and hdf5.H5Pset_deflate(gcpl.id, 6) < 0:
        raise RuntimeError("H5Pset_deflate")
    g = h5py.Group(h5g.create(f.id, name.encode(), gcpl=gcpl))
    for i in range(count):
        g[f"link{i:06d}".ljust(length, "x")] = h5py.SoftLink("/nowhere")
    for size in huge:
        g["h" * size] = h5py.SoftLink("/nowhere")


def dense_attributes(f, name, sizes):
    g = f.create_group(name)
    for i, size in enumerate(sizes):
        g.attrs.create(f"attr{i:04d}", np.full(size, i % 251, "u1"))


def heap_file(path, sizes=None):
    f = make(path, sizes=sizes)
    if sizes is None:
        dense_group(f, "many", 20000, 12)
        dense_group(f, "wide", 3000, 600)
        dense_group(f, "filtered", 3000, 300, deflate=True, huge=(5000, 70000))
        dense_group(f, "huge", 10, 20, huge=(5000, 6000, 70000))
        dense_group(f, "filtered_root", 9, 20, deflate=True)
        dense_attributes(f, "attrs_huge", [10, 5000, 30, 20000, 4096] * 60)
    dense_group(f, "few", 9, 12)
    dense_attributes(f, "attrs", [10, 200, 3000, 1] * 3 + ([5000, 4500] if sizes else []))
    names = list(f)
    f.close()
    return names


def describe_heaps(out, path, names):
    raw = File(path)
    with h5py.File(path, "r") as f:
        for name in names:
            addr = h5py.h5o.get_info(f[name].id).addr
            attrs = name.startswith("attrs")
            body = raw.message(addr, 0x15 if attrs else 2)
            flags, at = body[1], 2
            at += (2 if attrs else 8) if flags & 1 else 0
            fields = [int.from_bytes(body[at + i * raw.o:at + (i + 1) * raw.o], "little") for i in range(2 + (flags >> 1 & 1))]
            info = object_info(f[name])
            part = info.attr if attrs else info.obj
            items = list(f[name].attrs) if attrs else list(f[name])
            print("heap", name, path, 1 if attrs else 0, fields[0], fields[1], fields[2] if len(fields) > 2 else 0,
                  part.heap_size, part.index_size, len(items), file=out)
            for item in items:
                print(item, f[name].attrs[item].size if attrs else 0, file=out)


def old_file(path, sizes=None):
    """Groups of the old style and variable-length data."""
    f = make(path, latest=False, sizes=sizes)
    g = f.create_group("names")
    for i in range(20 if sizes else 700):
        g[f"name{i * 7919 % 1000:04d}"] = h5py.SoftLink("/")
    f["strings"] = np.array([f"text {i} " + "z" * (i % 40) for i in range(20 if sizes else 600)], dtype=h5py.string_dtype())
    f.close()


def describe_old(out, path):
    raw = File(path)
    with h5py.File(path, "r") as f:
        body = raw.message(h5py.h5o.get_info(f["names"].id).addr, 0x11)
        info = object_info(f["names"])
        names = list(f["names"])
        print("group", path, int.from_bytes(body[:raw.o], "little"), int.from_bytes(body[raw.o:2 * raw.o], "little"),
              info.obj.index_size, info.obj.heap_size, len(names), *names, file=out)
        strings = f["strings"].asstr()[...]
        print("vlen", path, f["strings"].id.get_offset(), len(strings), file=out)
        for s in strings:
            print(s.replace(" ", "_"), file=out)


def main(where):
    with open(f"{where}/manifest.txt", "w") as out:
        for path, sizes in ((f"{where}/chunks.h5", None), (f"{where}/chunks48.h5", (4, 8))):
            describe_datasets(out, path, datasets(path, sizes))
        path = f"{where}/chunks_old.h5"
        describe_datasets(out, path, old_datasets(path))
        for path, sizes in ((f"{where}/heaps.h5", None), (f"{where}/heaps24.h5", (2, 4)), (f"{where}/heaps44.h5", (4, 4))):
            describe_heaps(out, path, heap_file(path, sizes))
        for path, sizes in ((f"{where}/old.h5", None), (f"{where}/old44.h5", (4, 4)), (f"{where}/old22.h5", (2, 2))):
            old_file(path, sizes)
            describe_old(out, path)
        print("end", file=out)


main(sys.argv[1])
