#!/usr/bin/env python3
"""seeds_damage.py DIR FILE...: inputs for the target that damages headers and then writes, DIR/damage/*: small files made
here by stock libhdf5 and those given, each behind a few steps and the places of its blocks of metadata."""
import ctypes
import pathlib
import random
import struct
import sys
import tempfile

import h5py
import numpy as np

STEPS, KINDS = 7, 21
MOST = 26 * 1024
HAS_CHECKSUM = 1 << 31
SUMMED = [b"OHDR", b"OCHK", b"FRHP", b"FHIB", b"FHDB", b"BTHD", b"BTIN", b"BTLF", b"FAHD", b"FADB", b"EAHD", b"EAIB", b"EASB",
          b"EADB", b"FSHD", b"FSSE", b"SMTB", b"SMLI", b"\x89HDF"]
# Blocks without a checksum, and how much of each is worth damaging.
PLAIN = {b"TREE": 96, b"SNOD": 64, b"HEAP": 32, b"GCOL": 64, b"\x89HDF": 96}


def rotate(x, k):
    return (x << np.uint32(k)) | (x >> np.uint32(32 - k))


def checksums(data):
    """The checksum of HDF5 metadata (Jenkins' lookup3) of data[:n] for every n at once."""
    n = np.arange(len(data) + 1, dtype=np.uint32)
    words = np.frombuffer(data + bytes(12 - len(data) % 12 + 12), "<u4")
    a, b, c = (np.uint32(0xDEADBEEF) + n for _ in range(3))
    tail = np.zeros((3, len(n)), np.uint32)
    for at in range(0, len(data), 12):
        w = words[at // 4:at // 4 + 3]
        more = n > at + 12
        last = (n > at) & ~more
        x, y, z = a[more] + w[0], b[more] + w[1], c[more] + w[2]
        for one, two, three, k in ((0, 2, 1, 4), (1, 0, 2, 6), (2, 1, 0, 8), (0, 2, 1, 16), (1, 0, 2, 19), (2, 1, 0, 4)):
            v = [x, y, z]
            v[one] = (v[one] - v[two]) ^ rotate(v[two], k)
            v[two] = v[two] + v[three]
            x, y, z = v
        a[more], b[more], c[more] = x, y, z
        for i in range(3):
            bytes_left = np.clip(n[last].astype(int) - at - 4 * i, 0, 4)
            mask = np.where(bytes_left == 4, 0xFFFFFFFF, (1 << (8 * bytes_left)) - 1).astype(np.uint32)
            tail[i][last] = w[i] & mask
    a, b, c = a + tail[0], b + tail[1], c + tail[2]
    for x, y, k in ((2, 1, 14), (0, 2, 11), (1, 0, 25), (2, 1, 16), (0, 2, 4), (1, 0, 14), (2, 1, 24)):
        v = [a, b, c]
        v[x] = (v[x] ^ v[y]) - rotate(v[y], k)
        a, b, c = v
    return np.where(n == 0, np.uint32(0xDEADBEEF), c)


def summed_block(data, at):
    """The bytes before the checksum of the block, or 0: where four bytes are the checksum of all before them."""
    part = data[at:at + 5000]
    sums = checksums(part)
    for n in range(8, len(part) - 3):
        if sums[n] == struct.unpack_from("<I", part, n)[0]:
            return n
    return 0


def places(data, signature):
    at = data.find(signature)
    while at >= 0:
        yield at
        at = data.find(signature, at + 1)


def old_headers(data):
    """Object headers of version 1 have no signature: a version, a count of messages, one link, and a size that fits."""
    for at in range(0, len(data) - 16, 8):
        version, _, count, links, size = struct.unpack_from("<BBHII", data, at)
        if version == 1 and data[at + 1] == 0 and 0 < count < 64 and 0 < links < 16 and 8 <= size < 2048 and at + 16 + size <= len(data):
            yield at, 16 + size


def blocks(data):
    found = []
    for signature in SUMMED:
        for at in places(data, signature):
            n = summed_block(data, at)
            if n:
                found.append((at, n | HAS_CHECKSUM))
    known = {at for at, _ in found}
    for signature, n in PLAIN.items():
        found += [(at, min(n, len(data) - at)) for at in places(data, signature) if at not in known]
    return found + list(old_headers(data))


def steps(draw):
    kinds = draw.sample(range(KINDS), STEPS)
    return b"".join(bytes([kind, *draw.randbytes(3)]) for kind in kinds)


def seed(data, draw):
    table = blocks(data)
    head = bytes([draw.randrange(8), 0]) + struct.pack("<H", len(table))
    return head + steps(draw) + b"".join(struct.pack("<2I", *block) for block in table) + data


def fixed(f):
    f.create_dataset("fixed", (6, 8), chunks=(2, 2), maxshape=(8, 8), dtype="i2")[::2] = 1


def fixed_packed(f):
    f.create_dataset("fixed", (6, 8), chunks=(3, 2), dtype="i2", compression=1)[...] = 1


def paged(f):
    f.create_dataset("pages", (1100,), chunks=(1,), dtype="u1")[[0, 1050]] = 1


def extensible(f):
    f.create_dataset("ext", (30,), chunks=(2,), maxshape=(None,), dtype="i2")[...] = 1


def extensible_packed(f):
    f.create_dataset("ext", (40,), chunks=(8,), maxshape=(None,), dtype="i4", compression=1)[...] = 1


def btree2(f):
    f.create_dataset("btree2", (6, 6), chunks=(2, 2), maxshape=(None, None), dtype="i2", fillvalue=7)[...] = 1


def btree2_packed(f):
    f.create_dataset("btree2", (6, 6), chunks=(3, 3), maxshape=(None, None), dtype="i2", compression=1)[...] = 1


def single(f):
    f.create_dataset("single", (6, 8), chunks=(6, 8), dtype="i2")[...] = 1
    f.create_dataset("packed", (6, 8), chunks=(6, 8), dtype="i2", compression=1)[...] = 1


def implicit(f):
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_chunk((4,))
    dcpl.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    h5py.h5d.create(f.id, b"implicit", h5py.h5t.STD_I16LE, h5py.h5s.create_simple((17,)), dcpl)


def late(f):
    f.create_dataset("late", (40,), dtype="i4", fillvalue=3)
    f["small"] = np.arange(4)


def text(f):
    f["text"] = np.array(["text", "more text"], dtype=h5py.string_dtype())
    f.create_dataset("growing", (3,), chunks=(2,), maxshape=(None,), dtype=h5py.string_dtype())[...] = "text"


def dense_links(f):
    g = f.create_group("dense", track_order=True)
    for i in range(12):
        g[f"link{i}" * (i % 4 + 1)] = h5py.SoftLink("/")


def dense_attributes(f):
    for i in range(12):
        f.attrs[f"a{i}"] = np.zeros(60, "u1")


def dense_large(f):
    g = f.create_group("dense")
    for i in range(90):
        g[f"a name of some length {i}"] = h5py.SoftLink("/nowhere")


def chunks(f):
    f.create_dataset("chunks", (10, 10), chunks=(5, 4), maxshape=(None, 12), dtype="i2")[...] = 1


def chunks_packed(f):
    f.create_dataset("packed", (40,), chunks=(8,), maxshape=(None,), dtype="i4", compression=1)[...] = 1


def groups(f):
    f["plain"] = np.arange(20)
    f["group/inside"] = h5py.SoftLink("/plain")
    f["plain"].attrs["a"] = "text"


def freed(f):
    groups(f)
    extensible(f)


NEW = (fixed, fixed_packed, paged, extensible, extensible_packed, btree2, btree2_packed, single, implicit, late, text, dense_links,
       dense_attributes, dense_large)
OLD = (chunks, chunks_packed, late, text, groups)


def shared(f):
    """Shared messages: h5py has no function that asks for them."""
    for i in range(3):
        d = f.create_dataset(f"data{i}", (3,), dtype="i4", fillvalue=7)
        d.attrs["a"] = np.arange(20)


def share(fcpl, most):
    dll = ctypes.CDLL("libhdf5_serial.so.103")
    fcpl_id = ctypes.c_int64(fcpl.id)
    dll.H5Pset_shared_mesg_nindexes(fcpl_id, 1)
    dll.H5Pset_shared_mesg_index(fcpl_id, 0, 0x1F, 20)
    dll.H5Pset_shared_mesg_phase_change(fcpl_id, most, most)


def created(path, make, latest, strategy=None, most_shared=None):
    fcpl = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    if most_shared is not None:
        share(fcpl, most_shared)
    if strategy is not None:
        fcpl.set_file_space_strategy(strategy, True, 1)
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    if latest:
        fapl.set_libver_bounds(h5py.h5f.LIBVER_LATEST, h5py.h5f.LIBVER_LATEST)
    with h5py.File(h5py.h5f.create(str(path).encode(), h5py.h5f.ACC_TRUNC, fcpl, fapl)) as f:
        make(f)
    if strategy is not None:
        with h5py.File(path, "r+") as f:
            del f["plain"]


def made(folder):
    for make in NEW:
        created(folder / f"{make.__name__}_new", make, True)
    for make in OLD:
        created(folder / f"{make.__name__}_old", make, False)
    for name, strategy in ("aggregated", h5py.h5f.FSPACE_STRATEGY_FSM_AGGR), ("pages", h5py.h5f.FSPACE_STRATEGY_PAGE):
        created(folder / f"{name}_old", freed, False, strategy)
        created(folder / f"{name}_new", freed, True, strategy)
    created(folder / "shared_list", shared, True, most_shared=50)
    created(folder / "shared_tree", shared, True, most_shared=0)
    return sorted(folder.iterdir())


def main(where, *files):
    out = pathlib.Path(where, "damage")
    out.mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        for path in made(pathlib.Path(folder)) + [pathlib.Path(f) for f in files]:
            data = path.read_bytes()
            if len(data) <= MOST:
                (out / path.stem).write_bytes(seed(data, draw))
            else:
                print(f"{path}: {len(data)} bytes are too many")


main(*sys.argv[1:])
