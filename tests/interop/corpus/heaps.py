"""Global heap collections behind strings, sequences and region references."""
import h5py
import numpy as np
from h5py import h5r

from .registry import case, new, numbers


@case("heap_strings{n}_{ver}", n=[100, 10000, 100000], ver=["old", "new"])
def strings(path, n, ver):
    with new(path, ver) as f:
        f.create_dataset("d", data=["s%d" % (i * i) * (i % 4) for i in range(n)], dtype=h5py.string_dtype())


@case("heap_large_objects_{ver}", ver=["old", "new"])
def large(path, ver):
    with new(path, ver) as f:
        d = f.create_dataset("d", (8,), dtype=h5py.vlen_dtype("<i4"))
        for i, n in enumerate((0, 1, 1000, 1022, 1024, 5000, 100000, 500000)):
            d[i] = numbers((n,), "<i4", i)
        f.create_dataset("text", data=["x" * n for n in (4000, 4080, 4096, 70000)], dtype=h5py.string_dtype())


@case("heap_rewritten_{ver}", ver=["old", "new"])
def rewritten(path, ver):
    """Freed heap objects, and new ones in their place."""
    with new(path, ver) as f:
        d = f.create_dataset("d", (200,), dtype=h5py.string_dtype())
        d[...] = ["first value %d" % i for i in range(200)]
        for i in range(0, 200, 3):
            d[i] = "a rather longer second value %d" % i
        for i in range(0, 200, 5):
            d[i] = ""


@case("heap_null_{ver}", ver=["old", "new"])
def null(path, ver):
    with new(path, ver) as f:
        f.create_dataset("seq", (5,), dtype=h5py.vlen_dtype("<f8"))[2] = [1.5]
        f.create_dataset("text", (5,), dtype=h5py.string_dtype())[1] = ""
        f.create_dataset("chunked", (50,), dtype=h5py.vlen_dtype("<i2"), chunks=(8,))[17] = [1, 2]
        f.create_dataset("never", (50,), dtype=h5py.vlen_dtype("<i2"), chunks=(8,))


@case("heap_regions{n}_{ver}", n=[10, 300], ver=["old", "new"])
def regions(path, n, ver):
    with new(path, ver) as f:
        d = f.create_dataset("g/target", data=numbers((100, 100)))
        refs = np.empty((n,), h5py.regionref_dtype)
        for i in range(n):
            space = d.id.get_space()
            if i % 3 == 0:
                space.select_elements(np.array([[(i * k) % 100, (i + k) % 100] for k in range(1, i % 7 + 2)], "u8"))
                refs[i] = h5r.create(d.id, b".", h5r.DATASET_REGION, space)
            elif i % 3 == 1:
                refs[i] = d.regionref[i % 50:i % 50 + 10, ::7]
            else:
                space.select_hyperslab((i % 30, 3), (3, 4), (20, 9), (i % 5 + 1, 2))
                refs[i] = h5r.create(d.id, b".", h5r.DATASET_REGION, space)
        f.create_dataset("refs", data=refs, dtype=h5py.regionref_dtype)


@case("heap_object_refs_{ver}", ver=["old", "new"])
def objects(path, ver):
    with new(path, ver) as f:
        f["type"] = np.dtype("<f4")
        for i in range(30):
            f.create_group("groups/g%d" % i)
            f.create_dataset("data/d%d" % i, data=i)
        refs = [f["groups/g%d" % i].ref for i in range(30)] + [f["data/d%d" % i].ref for i in range(30)]
        refs += [f["type"].ref, f["/"].ref, h5py.Reference()]
        f.create_dataset("refs", data=np.array(refs, h5py.ref_dtype), dtype=h5py.ref_dtype, chunks=(10,),
                         compression="gzip")
