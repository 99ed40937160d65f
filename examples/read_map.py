"""Reads by a map (docs/chunk-map.md), without a library for HDF5:  read_map.py MAP [OUT.npy], of a whole file OUT.npz"""
import base64, json, math, struct, sys, zlib
import numpy as np

def dtype(d):
    if isinstance(d, dict):
        return np.dtype({**d, "formats": [dtype(f) for f in d["formats"]]})
    return np.dtype(d) if isinstance(d, str) else np.dtype((dtype(d[0]), tuple(d[1])))

def fletcher32(data):
    words = np.frombuffer(data + b"\0" * (len(data) % 2), ">u2").astype("u8")
    return words.sum() % 65535, (words * (np.arange(len(words), 0, -1, "u8") % 65535)).sum() % 65535

def undo(data, filters, mask):
    for f in [f for i, f in enumerate(filters) if not mask >> i & 1][::-1]:
        if f["id"] == 1:  # deflate
            data = zlib.decompress(data)
        elif f["id"] == 2:  # shuffle
            whole = len(data) // f["values"][0] * f["values"][0]
            data = np.frombuffer(data[:whole], "u1").reshape(f["values"][0], -1).T.tobytes() + data[whole:]
        elif f["id"] == 3:
            data, sums = data[:-4], np.frombuffer(data[-4:], "<u2") % 65535
            assert tuple(sums) == fletcher32(data), "a chunk's checksum is wrong"
        else:
            sys.exit(f"cannot undo filter {f['id']}, {f['name']}")
    return data

def positions(data, shape):  # of the defined elements; docs/structured-chunk-format.md has the encodings
    at, defined = 7 + struct.unpack_from("<I", data, 3)[0], np.zeros(shape, bool)
    kind, version = struct.unpack_from("<2I", data, at)
    if (kind, version) not in ((1, 2), (2, 3)):
        sys.exit(f"cannot decode selection {kind}, version {version}")
    regular, width, at = (0, data[at + 8], at + 13) if kind == 1 else (data[at + 8] & 1, data[at + 9], at + 14)
    v = np.frombuffer(data, f"<u{width}", (len(data) - 4 - at) // width, at).astype(int)
    if kind == 1:
        return np.ravel_multi_index(tuple(v[1:].reshape(-1, len(shape)).T), shape)
    if regular:  # start, stride, count, block of each dimension
        lines = [(a + b * np.arange(c)[:, None] + np.arange(d)).ravel() for a, b, c, d in v.reshape(-1, 4)]
        defined[np.ix_(*lines)] = True
    for low, high in () if regular else v[1:].reshape(-1, 2, len(shape)):
        defined[tuple(slice(a, b + 1) for a, b in zip(low, high))] = True
    return np.flatnonzero(defined)

def collection(file, heaps, address):  # objects of a global heap by their numbers
    long = heaps["length_size"]
    file.seek(heaps["base"] + address)
    data = file.read(8 + long)
    data += file.read(int.from_bytes(data[8:], "little") - len(data))
    objects, at = {}, 8 + long
    while at + 8 + long <= len(data) and (number := int.from_bytes(data[at:at + 2], "little")):
        size = int.from_bytes(data[at + 8:at + 8 + long], "little")
        objects[number] = data[at + 8 + long:at + 8 + long + size]
        at += 8 + long + (size + 7) // 8 * 8
    return objects

def lists(m, file, data, heap):  # strings and lists: each element says where its bytes are
    kind, known = m["dtype"]["vlen"], {}
    if m["layout"] in ("sparse", "variable-length"):
        found = [heap[a:a + n] for a, n in struct.iter_unpack("<2Q", data[:len(data) // 16 * 16])]
    else:
        found, size = [], 8 + m["heaps"]["offset_size"]
        for i in range(0, len(data), size):
            n, at, number = (int.from_bytes(data[i + a:i + b], "little") for a, b in ((0, 4), (4, size - 4), (size - 4, size)))
            if n and at not in known:
                known[at] = collection(file, m["heaps"], at)
            found.append(known[at][number][:n * (1 if kind == "S" else dtype(kind).itemsize)] if n else b"")
    out = np.empty(len(found), object)
    for i, b in enumerate(found):
        out[i] = one_list(kind, b)
    return out

def one_list(kind, data):
    return data.split(b"\0")[0] if kind == "S" else np.frombuffer(data, dtype(kind))

def stored(file, chunk):
    if "data" in chunk:
        return base64.b64decode(chunk["data"])
    data = b""
    for p in chunk.get("parts", [chunk]):  # a file that is too short goes on with zeros
        with open(p["file"], "rb") if "file" in p else open(file.name, "rb") as f:
            f.seek(p["address"])
            data += f.read(p["size"]).ljust(p["size"], b"\0")
    return data

def read(m):
    assert m["tessera_map"] == 1, "cannot read such a map"
    is_list, chunk, sparse = isinstance(m["dtype"], dict) and "vlen" in m["dtype"], m["chunk_shape"], m["layout"] == "sparse"
    t = np.dtype(object) if is_list else dtype(m["dtype"])
    raw, fill = (t if is_list else f"V{t.itemsize}"), base64.b64decode(m["fill_value"] or "")
    out, default = np.empty(m["shape"], raw), np.empty(1, raw)
    default[0] = one_list(m["dtype"]["vlen"], fill) if is_list else np.frombuffer(fill or bytes(t.itemsize), raw)[0]
    out[...] = default.reshape((1,) * len(m["shape"]))
    file = open(m["file"], "rb")
    for c in m["chunks"]:
        data = stored(file, c)
        parts = [undo(data[p["offset"]:p["offset"] + p["size"]], s["filters"], mask) for p, s, mask in
                 zip(c.get("sections", [{"offset": 0, "size": len(data)}]), m["sections"], c["masks"])]
        values = np.empty(math.prod(chunk), raw)
        values[...] = default
        where = positions(parts.pop(0), chunk) if sparse else ...
        values[where] = lists(m, file, parts[0], parts[-1]) if is_list else np.frombuffer(parts[0], raw)
        part = out[(*(slice(o, o + n) for o, n in zip(c["offset"], chunk)), ...)]
        part[...] = values.reshape(chunk)[tuple(slice(n) for n in part.shape)]
    return out if is_list else out.view(t.base).reshape((*m["shape"], *t.shape))

m = json.load(open(sys.argv[1]))
if "datasets" in m:
    arrays = {d["dataset"]: read(d) for d in m["datasets"]}
    np.savez(sys.argv[2], **arrays) if len(sys.argv) > 2 else print(arrays)
else:
    np.save(sys.argv[2], read(m)) if len(sys.argv) > 2 else print(read(m))
