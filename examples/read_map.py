"""Reads a dataset by its map (docs/chunk-map.md), without a library for HDF5:  read_map.py MAP [OUT.npy]"""
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

m = json.load(open(sys.argv[1]))
assert m["tessera_map"] == 1 and m["layout"] != "variable-length", "cannot read such a map"
file, t, chunk, raw = open(m["file"], "rb"), dtype(m["dtype"]), m["chunk_shape"], f"V{dtype(m['dtype']).itemsize}"
fill = np.frombuffer(base64.b64decode(m["fill_value"] or "") or bytes(t.itemsize), raw)[0]
out = np.full(m["shape"], fill, raw)
for c in m["chunks"]:
    file.seek(c.get("address", 0))
    data = base64.b64decode(c["data"]) if "data" in c else file.read(c["size"])
    parts = [undo(data[p["offset"]:p["offset"] + p["size"]], s["filters"], mask) for p, s, mask in
             zip(c.get("sections", [{"offset": 0, "size": len(data)}]), m["sections"], c["masks"])]
    values = np.full(math.prod(chunk), fill, raw)
    values[positions(parts[0], chunk) if m["layout"] == "sparse" else ...] = np.frombuffer(parts[-1], raw)
    part = out[(*(slice(o, o + n) for o, n in zip(c["offset"], chunk)), ...)]
    part[...] = values.reshape(chunk)[tuple(slice(n) for n in part.shape)]
out = out.view(t.base).reshape((*m["shape"], *t.shape))
np.save(sys.argv[2], out) if len(sys.argv) > 2 else print(out)
