"""What people do with h5py, timed: a line for each case, with its title, seconds, and a checksum of what was read or written.
It knows nothing of the library that h5py runs on; bench/run gives it stock libhdf5 and Tessera by turns.

    /usr/bin/python3 bench/h5py_script.py FOLDER [WORDS]"""

import os
import sys
import time

import h5py
import numpy as np

FOLDER, WORDS = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
RNG = np.random.default_rng(1)
WALK = np.cumsum(RNG.integers(-15, 16, (4096, 2048)), axis=1, dtype=np.int32).astype(np.float32)
TABLE = np.zeros(200000, [("time", "f8"), ("station", "S8"), ("where", "f4", 3), ("count", "i4"), ("good", "?")])
TABLE["time"], TABLE["count"] = np.arange(len(TABLE)) * 0.5, RNG.integers(0, 1000, len(TABLE))
TABLE["station"], TABLE["good"] = b"north", TABLE["count"] % 3 == 0
WORDS_10 = ["a", "of", "the", "some", "value", "longer", "strings", "measured", "otherwise", "äöü"]
STRINGS = [WORDS_10[i % 10] + str(i) for i in range(100000)]
ROWS = np.sort(RNG.choice(100000, 10000, replace=False))
ROW_DATA = RNG.random((100000, 16))
CASES = []


def case(title, repeats=3, needs=None):
    """needs: makes the file of that name, untimed, unless it is there. Without it each turn starts without a file."""
    def add(run):
        CASES.append((title, repeats, needs, run))
        return run
    return add


def rows_file(path):
    with h5py.File(path, "w") as f:
        f["contiguous"] = ROW_DATA
        f.create_dataset("chunked", data=ROW_DATA, chunks=(1024, 16))
        f.create_dataset("gzip", data=ROW_DATA.round(2), chunks=(1024, 16), compression="gzip", shuffle=True)


def walk_file(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("gzip", data=WALK, chunks=(256, 256), compression="gzip")
        f.create_dataset("shuffled", data=WALK, chunks=(256, 256), compression="gzip", shuffle=True)
        f.create_dataset("lzf", data=WALK, chunks=(256, 256), compression="lzf")
        f.create_dataset("chunked", data=WALK, chunks=(256, 256))
        f["plain"] = WALK
        f["integers"] = WALK.astype(np.int16)


def attrs_file(path):
    with h5py.File(path, "w") as f:
        for i in range(10000):
            f.attrs[f"attribute {i}"] = i


def many_file(path):
    with h5py.File(path, "w") as f:
        for i in range(5000):
            f.create_dataset(f"data{i}", data=np.arange(10) + i).attrs["unit"] = "m"


def tree_file(path):
    with h5py.File(path, "w") as f:
        for i in range(100):
            for k in range(100):
                f.create_group(f"run{i:03}/detector{k:03}").attrs["n"] = k


def strings_file(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("vlen", data=STRINGS, dtype=h5py.string_dtype())
        f.create_dataset("chunked", data=STRINGS, dtype=h5py.string_dtype(), chunks=(1000,))
        f["fixed"] = np.array([s.encode() for s in STRINGS])
        ragged = f.create_dataset("ragged", (20000,), dtype=h5py.vlen_dtype("i4"))
        ragged[:] = np.array([np.arange(i % 20, dtype="i4") for i in range(20000)], dtype=object)


def table_file(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("table", data=TABLE, chunks=(4096,))


@case("gzip write, 32 MiB float32")
def gzip_write(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=WALK, chunks=(256, 256), compression="gzip")
    return WALK[-1].sum()


@case("gzip + shuffle write, 32 MiB")
def shuffle_write(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=WALK, chunks=(256, 256), compression="gzip", shuffle=True)
    return WALK[-1].sum()


@case("gzip read, 32 MiB float32", needs=walk_file)
def gzip_read(path):
    with h5py.File(path, "r") as f:
        return f["gzip"][:][::7].sum()


@case("gzip + shuffle read, 32 MiB", needs=walk_file)
def shuffle_read(path):
    with h5py.File(path, "r") as f:
        return f["shuffled"][:][::7].sum()


@case("lzf read, 32 MiB", needs=walk_file)
def lzf_read(path):
    with h5py.File(path, "r") as f:
        return f["lzf"][:][::7].sum()


@case("gzip read, 200 columns one by one", 1, needs=walk_file)
def columns_read(path):
    with h5py.File(path, "r") as f:
        return sum(float(f["gzip"][:, k * 10].sum()) for k in range(200))


@case("contiguous read, 32 MiB", 9, needs=walk_file)
def plain_read(path):
    with h5py.File(path, "r") as f:
        return f["plain"][:][::7].sum()


@case("chunked read, 32 MiB", 9, needs=walk_file)
def chunked_read(path):
    with h5py.File(path, "r") as f:
        return f["chunked"][:][::7].sum()


@case("contiguous write, 32 MiB", 9)
def plain_write(path):
    with h5py.File(path, "w") as f:
        f["x"] = WALK
    return 0


@case("int16 read as float64, 8 M", 5, needs=walk_file)
def convert_read(path):
    with h5py.File(path, "r") as f:
        return f["integers"].astype("f8")[:][::7].sum()


@case("every second row and third column", 5, needs=walk_file)
def strided_read(path):
    with h5py.File(path, "r") as f:
        return f["chunked"][::2, ::3].sum()


@case("1,000 slices of 10x10", 5, needs=walk_file)
def slices_read(path):
    with h5py.File(path, "r") as f:
        dset = f["chunked"]
        return sum(float(dset[i:i + 10, 2 * i:2 * i + 10].sum()) for i in range(1000))


@case("10,000 single elements read", 5, needs=walk_file)
def elements_read(path):
    with h5py.File(path, "r") as f:
        dset = f["chunked"]
        return sum(float(dset[i % 4096, i % 2048]) for i in range(10000))


for kind in ("contiguous", "chunked", "gzip"):
    @case(f"10,000 rows by fancy index, {kind}", 1, needs=rows_file)
    def fancy_read(path, kind=kind):
        with h5py.File(path, "r") as f:
            return f[kind][ROWS].sum()


@case("1,000 rows by fancy index, chunked", 5, needs=rows_file)
def fancy_small(path):
    with h5py.File(path, "r") as f:
        return f["chunked"][ROWS[::10]].sum()


@case("10,000 rows by fancy index, written", 1)
def fancy_write(path):
    with h5py.File(path, "w") as f:
        dset = f.create_dataset("x", (100000, 16), "f8", chunks=(1024, 16))
        dset[ROWS] = ROW_DATA[ROWS]
        return ROW_DATA[ROWS].sum()


@case("boolean mask, 1 in 8 of 1.6 M, read", needs=rows_file)
def mask_read(path):
    with h5py.File(path, "r") as f:
        return f["chunked"][ROW_DATA < 0.125].sum()


@case("boolean mask, 1 in 8 of 1.6 M, written")
def mask_write(path):
    with h5py.File(path, "w") as f:
        dset = f.create_dataset("x", ROW_DATA.shape, "f8", chunks=(1024, 16))
        dset[ROW_DATA < 0.125] = 1
        return dset[:].sum()


@case("10,000 attributes created", 1)
def attrs_create(path):
    attrs_file(path)
    return 0


@case("10,000 attributes read by name", needs=attrs_file)
def attrs_read(path):
    with h5py.File(path, "r") as f:
        return sum(int(f.attrs[f"attribute {i}"]) for i in range(10000))


@case("10,000 attributes iterated", 2, needs=attrs_file)
def attrs_iterate(path):
    with h5py.File(path, "r") as f:
        return sum(int(value) for _, value in f.attrs.items())


@case("10 string attributes for 500 datasets")
def attrs_of_many(path):
    with h5py.File(path, "w") as f:
        for i in range(500):
            dset = f.create_dataset(f"d{i}", (10,), "f4")
            for k in range(10):
                dset.attrs[f"name{k}"] = "value"
        return sum(len(dset.attrs["name7"]) for dset in f.values())


@case("100,000 vlen strings written")
def strings_write(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=STRINGS, dtype=h5py.string_dtype())
    return 0


@case("100,000 vlen strings read", 5, needs=strings_file)
def strings_read(path):
    with h5py.File(path, "r") as f:
        return sum(map(len, f["vlen"][:]))


@case("100,000 vlen strings read as str", 5, needs=strings_file)
def strings_chunked_read(path):
    with h5py.File(path, "r") as f:
        return sum(map(len, f["chunked"].asstr()[:]))


@case("5,000 vlen strings read one by one", needs=strings_file)
def strings_one_by_one(path):
    with h5py.File(path, "r") as f:
        dset = f["vlen"]
        return sum(len(dset[i * 17]) for i in range(5000))


@case("100,000 fixed strings read", 9, needs=strings_file)
def fixed_read(path):
    with h5py.File(path, "r") as f:
        return len(f["fixed"][:].tobytes())


@case("20,000 ragged arrays read", 5, needs=strings_file)
def ragged_read(path):
    with h5py.File(path, "r") as f:
        return sum(int(row.sum()) for row in f["ragged"][:])


@case("5,000 datasets with an attribute made")
def many_create(path):
    many_file(path)
    return 0


@case("5,000 small datasets opened and read", needs=many_file)
def many_read(path):
    with h5py.File(path, "r") as f:
        return sum(int(f[f"data{i}"][3]) for i in range(5000))


@case("5,000 datasets: shape, dtype, attribute", needs=many_file)
def many_look(path):
    with h5py.File(path, "r") as f:
        return sum(dset.shape[0] + dset.dtype.itemsize + len(dset.attrs["unit"]) for dset in f.values())


@case("10,000 groups with an attribute made")
def tree_create(path):
    tree_file(path)
    return 0


@case("10,000 groups iterated", needs=tree_file)
def tree_iterate(path):
    with h5py.File(path, "r") as f:
        return sum(len(name) for run in f.values() for name in run)


@case("10,000 groups visited, attribute read", needs=tree_file)
def tree_visit(path):
    found = []
    with h5py.File(path, "r") as f:
        f.visititems(lambda name, obj: found.append(int(obj.attrs.get("n", 0)) + len(name)))
    return sum(found)


@case("10,000 paths opened", needs=tree_file)
def tree_open(path):
    with h5py.File(path, "r") as f:
        return sum(len(f[f"run{i % 100:03}/detector{i // 100:03}"].name) for i in range(10000))


@case("group of 10,000 copied", needs=tree_file)
def tree_copy(path):
    with h5py.File(path, "r") as f, h5py.File(path + ".copy", "w") as g:
        for name in f:
            f.copy(name, g)
        return len(g)


@case("5,000 rows appended with resize")
def append_rows(path):
    with h5py.File(path, "w") as f:
        dset = f.create_dataset("x", (0, 16), "f8", maxshape=(None, 16), chunks=(256, 16))
        for i in range(5000):
            dset.resize(i + 1, axis=0)
            dset[i] = ROW_DATA[i]
        return dset[:].sum()


@case("5,000 rows appended with resize, gzip")
def append_gzip(path):
    with h5py.File(path, "w") as f:
        dset = f.create_dataset("x", (0, 16), "f8", maxshape=(None, 16), chunks=(256, 16), compression="gzip")
        for i in range(5000):
            dset.resize(i + 1, axis=0)
            dset[i] = ROW_DATA[i]
        return dset[:].sum()


@case("compound table of 200,000 rows written", 5)
def table_write(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=TABLE, chunks=(4096,))
    return 0


@case("compound table of 200,000 rows read", 5, needs=table_file)
def table_read(path):
    with h5py.File(path, "r") as f:
        return f["table"][:]["count"].sum()


@case("one field of the compound table read", 5, needs=table_file)
def field_read(path):
    with h5py.File(path, "r") as f:
        return f["table"]["count"].sum() + f["table"].fields("time")[:].sum()


@case("file opened and closed, 500 times", needs=table_file)
def open_close(path):
    total = 0
    for _ in range(500):
        with h5py.File(path, "r") as f:
            total += len(f)
    return total


def main():
    for title, repeats, needs, run in CASES:
        title = f"h5py: {title}"
        if WORDS not in title:
            continue
        path = os.path.join(FOLDER, f"{needs.__name__ if needs else 'new'}.h5")
        if needs and not os.path.exists(path):
            needs(path)
        best = float("inf")
        for _ in range(repeats):
            if not needs and os.path.exists(path):
                os.unlink(path)
            start = time.perf_counter()
            check = run(path)
            best = min(best, time.perf_counter() - start)
        print(f"{title}\t{best:.9f}\t{float(check):.17g}", flush=True)


main()
