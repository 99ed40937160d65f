"""Attributes: compact and dense, from nothing to more than a header message can hold."""
import h5py
import numpy as np
from h5py import h5a, h5s, h5t

from .registry import case, new, noise, numbers

SMALL = [1, 100, 8000, 64000]
LARGE = [65500, 70000, 100000]


@case("attr_size{n}_{ver}", n=SMALL, ver=["old", "new"])
def size(path, n, ver):
    with new(path, ver) as f:
        f.attrs["bytes"] = np.frombuffer(noise(n, n), "u1")
        f.create_dataset("d", data=1).attrs["again"] = np.frombuffer(noise(n, n + 1), "u1")


@case("attr_size{n}_new", n=LARGE)
def large(path, n):
    with new(path, "new") as f:
        f.attrs["bytes"] = np.frombuffer(noise(n, n), "u1")
        f.attrs["second"] = np.frombuffer(noise(n, n + 1), "u1")
        f.attrs["small"] = 1


@case("attr_count{n}_{ver}", n=[1, 8, 9, 50, 200], ver=["old", "new"])
def count(path, n, ver):
    with new(path, ver) as f:
        d = f.create_dataset("d", data=numbers((2,)))
        for i in range(n):
            d.attrs["attr%03d" % ((i * 7) % n if n % 7 else i)] = numbers((i % 5 + 1,), "<i4", i)


@case("attr_count2000_dense")
def very_many(path):
    with new(path, "new") as f:
        for i in range(2000):
            f.attrs.create("attribute number %d" % i, i, dtype="<i2")


@case("attr_spaces_{ver}", ver=["old", "new"])
def spaces(path, ver):
    with new(path, ver) as f:
        f.attrs["null"] = h5py.Empty("<i4")
        f.attrs["null string"] = h5py.Empty("S5")
        f.attrs["scalar"] = np.float32(1.5)
        f.attrs["zero"] = np.zeros((0,), "<i4")
        f.attrs["zero2"] = np.zeros((3, 0, 2), "<i4")
        for rank in range(1, 9):
            f.attrs["rank%d" % rank] = numbers((2,) * rank, "<i2", rank)
        f.attrs["rank32"] = numbers((1,) * 30 + (2, 2), "<i2")


@case("attr_strings_{ver}", ver=["old", "new"])
def strings(path, ver):
    with new(path, ver) as f:
        f.attrs["vlen"] = "héllo"
        f.attrs["ascii"] = np.bytes_(b"fixed")
        f.attrs["empty"] = ""
        f.attrs.create("list", ["a", "", "ccc"], dtype=h5py.string_dtype())
        f.attrs.create("fixed list", np.array([b"a", b"bb", b""], "S4"))
        f.attrs["long"] = "x" * 40000
        f.attrs["name with / and \u00e9"] = 1


@case("attr_sequences_{ver}", ver=["old", "new"])
def sequences(path, ver):
    with new(path, ver) as f:
        d = f.create_dataset("d", data=numbers((4, 4)))
        attr = np.empty((3,), object)
        for i in range(3):
            attr[i] = numbers((i * 2,), "<i4")
        f.attrs.create("vlen", attr, dtype=h5py.vlen_dtype("<i4"))
        f.attrs["ref"] = d.ref
        f.attrs.create("refs", np.array([d.ref, f.ref, h5py.Reference()], h5py.ref_dtype), dtype=h5py.ref_dtype)
        f.attrs.create("region", np.array([d.regionref[1:3, 2:4]], h5py.regionref_dtype), dtype=h5py.regionref_dtype)
        f.attrs["compound"] = np.array((1, 2.5), [("a", "<i2"), ("b", ">f8")])
        f.attrs["bool"] = np.array([True, False])
        f.attrs["complex"] = 1 + 2j


@case("attr_on_everything_{ver}", ver=["old", "new"])
def everything(path, ver):
    with new(path, ver) as f:
        f["type"] = np.dtype("<i4")
        f.create_group("g")
        f.create_dataset("d", data=1)
        for name in ("/", "type", "g", "d"):
            for i in range(12):
                f[name].attrs["%s %d" % (name.strip("/") or "root", i)] = i


@case("attr_huge_dense")
def huge_dense(path):
    """Dense attributes that are tiny, managed and huge objects of the fractal heap."""
    with new(path, "new") as f:
        for i in range(12):
            f.attrs["managed%d" % i] = numbers((10 * i + 1,), "<i4", i)
        for i in range(5):
            f.attrs["huge%d" % i] = numbers((2000 * (i + 1),), "<i8", i)


@case("attr_heap_many_blocks")
def many_blocks(path):
    """A fractal heap with several rows of direct blocks and an indirect root."""
    with new(path, "new") as f:
        for i in range(150):
            f.attrs["block%03d" % i] = numbers((300 + i,), "<i8", i)
        for i in range(0, 150, 4):
            del f.attrs["block%03d" % i]


@case("attr_renamed_{ver}", ver=["old", "new"])
def renamed(path, ver):
    with new(path, ver) as f:
        for i in range(15):
            f.attrs["a%d" % i] = i
        for i in range(0, 15, 2):
            h5a.rename(f.id, b"a%d" % i, b"renamed to something longer %d" % i)


@case("attr_big_endian_{ver}", ver=["old", "new"])
def big_endian(path, ver):
    with new(path, ver) as f:
        for t in (">i2", ">u4", ">i8", ">f4", ">f8", ">f2"):
            f.attrs[t[1:]] = numbers((5,), t)
        tid = h5t.STD_B16BE.copy()
        attr = h5a.create(f.id, b"bits", tid, h5s.create_simple((2,)))
        attr.write(np.array([0x1234, 0xABCD], ">u2"), tid)
