"""Chunk indexes: every kind, every depth, with filters and without."""
import h5py
import numpy as np
from h5py import h5d, h5s, h5t

from . import native
from .registry import case, dataset, dcpl_of, new, numbers

FILTERED = {"plain": False, "filtered": True}


def chunked(f, name, shape, chunk, maxshape=None, filtered=False, dtype="<i4", fill=None):
    extra = dict(compression="gzip", compression_opts=1) if filtered else {}
    if maxshape is not None:
        extra["maxshape"] = maxshape
    return f.create_dataset(name, shape, dtype, chunks=chunk, fillvalue=fill, **extra)


def sparse(d, every):
    """Writes one element of each `every`-th chunk along the first dimension."""
    step = d.chunks[0]
    for start in range(0, d.shape[0], step * every):
        d[start] = start % 97 + 1


@case("index_btree1_{n}chunks_{filtered}", n=[1, 2, 64, 65, 1000, 20000], filtered=FILTERED)
def btree1(path, n, filtered):
    with new(path) as f:
        chunked(f, "d", (2 * n,), (2,), filtered=filtered)[...] = numbers((2 * n,))


@case("index_btree1_2d_{filtered}", filtered=FILTERED)
def btree1_2d(path, filtered):
    with new(path) as f:
        d = chunked(f, "d", (205, 103), (5, 4), (None, None), filtered)
        d[...] = numbers((205, 103))
        e = chunked(f, "sparse", (400, 30), (3, 7), (None, 30), filtered, fill=-5)
        sparse(e, 4)
        chunked(f, "empty", (40, 30), (3, 7), (None, 30), filtered, fill=-5)


@case("index_btree1_reverse")
def btree1_reverse(path):
    with new(path) as f:
        d = chunked(f, "d", (3000,), (2,))
        for i in range(2998, -1, -20):
            d[i] = i


@case("index_single_{filtered}", filtered=FILTERED)
def single(path, filtered):
    with new(path, "new") as f:
        chunked(f, "exact", (6, 8), (6, 8), filtered=filtered)[...] = numbers((6, 8))
        chunked(f, "limited", (4, 5), (6, 8), (6, 8), filtered)[...] = numbers((4, 5))
        chunked(f, "unwritten", (6, 8), (6, 8), filtered=filtered, fill=4)
        chunked(f, "one_element", (1,), (1,), filtered=filtered)[...] = 9


@case("index_implicit_{n}chunks", n=[1, 20, 3000])
def implicit(path, n):
    with new(path, "new") as f:
        dcpl = dcpl_of((2,), alloc_time=h5d.ALLOC_TIME_EARLY)
        h5py.Dataset(dataset(f, "d", h5t.STD_I32LE, (2 * n + 1,), dcpl))[...] = numbers((2 * n + 1,))
        dcpl = dcpl_of((3, 2), alloc_time=h5d.ALLOC_TIME_EARLY, fill_value=np.array(6, "<i2"))
        d = h5py.Dataset(dataset(f, "limited", h5t.STD_I16BE, (7, 9), dcpl, (20, 9)))
        d[3, 4] = 1


@case("index_farray_{n}chunks_{filtered}", n=[2, 20, 1000, 1024, 1025, 2048, 5000, 70000], filtered=FILTERED)
def farray(path, n, filtered):
    with new(path, "new") as f:
        chunked(f, "d", (2 * n,), (2,), filtered=filtered)[...] = numbers((2 * n,))


@case("index_farray_sparse_{filtered}", filtered=FILTERED)
def farray_sparse(path, filtered):
    """Pages of the fixed array that are never initialised."""
    with new(path, "new") as f:
        d = chunked(f, "d", (20000,), (2,), filtered=filtered, fill=-1)
        d[5000:5010] = 3
        d[19990:] = 4
        chunked(f, "empty", (20000,), (2,), filtered=filtered, fill=-1)
        e = chunked(f, "limited", (50, 60), (4, 7), (100, 60), filtered, fill=2)
        e[10:30, 20:30] = numbers((20, 10))


@case("index_farray_2d_{filtered}", filtered=FILTERED)
def farray_2d(path, filtered):
    with new(path, "new") as f:
        chunked(f, "d", (103, 207), (4, 5), filtered=filtered)[...] = numbers((103, 207))
        chunked(f, "limited", (30, 20), (4, 5), (60, 45), filtered)[...] = numbers((30, 20))
        chunked(f, "cube", (9, 10, 11), (2, 3, 4), filtered=filtered, dtype=">f8")[...] = numbers((9, 10, 11), ">f8")


@case("index_ea_{n}chunks_{filtered}", n=[1, 4, 5, 20, 100, 3000, 70000, 200000], filtered=FILTERED)
def ea(path, n, filtered):
    with new(path, "new") as f:
        size = 1 if n > 100000 else 2
        chunked(f, "d", (size * n,), (size,), (None,), filtered, dtype="<i2")[...] = numbers((size * n,), "<i2")


@case("index_ea_sparse_{filtered}", filtered=FILTERED)
def ea_sparse(path, filtered):
    """Far chunks only: data blocks and pages before them do not exist."""
    with new(path, "new") as f:
        d = chunked(f, "d", (400000,), (2,), (None,), filtered, fill=-1)
        d[300000:300004] = 3
        d[399998] = 4
        chunked(f, "empty", (1000,), (2,), (None,), filtered, fill=-1)
        e = chunked(f, "grown", (10,), (2,), (None,), filtered, fill=8)
        e[...] = 1
        e.resize((3000,))
        e[2500] = 2


@case("index_ea_2d_{filtered}", filtered=FILTERED)
def ea_2d(path, filtered):
    with new(path, "new") as f:
        chunked(f, "first", (103, 47), (4, 5), (None, 47), filtered)[...] = numbers((103, 47))
        chunked(f, "second", (47, 103), (5, 4), (47, None), filtered)[...] = numbers((47, 103))
        chunked(f, "second_wider", (30, 50), (5, 4), (60, None), filtered)[...] = numbers((30, 50))
        chunked(f, "cube", (6, 17, 7), (2, 3, 4), (6, None, 7), filtered)[...] = numbers((6, 17, 7))


@case("index_bt2_{n}chunks_{filtered}", n={"1": (1, 1), "100": (10, 10), "1000": (40, 25), "20000": (200, 100)},
      filtered=FILTERED)
def bt2(path, n, filtered):
    shape = (2 * n[0], n[1])
    with new(path, "new") as f:
        chunked(f, "d", shape, (2, 1), (None, None), filtered, "<i2")[...] = numbers(shape, "<i2")


@case("index_bt2_sparse_{filtered}", filtered=FILTERED)
def bt2_sparse(path, filtered):
    with new(path, "new") as f:
        d = chunked(f, "d", (900, 900), (4, 4), (None, None), filtered, fill=-1)
        for i in range(0, 900, 13):
            d[i, (i * 7) % 900] = i
        chunked(f, "empty", (100, 100), (4, 4), (None, None), filtered, fill=-1)
        e = chunked(f, "cube", (9, 10, 11), (2, 3, 4), (None, 20, None), filtered)
        e[...] = numbers((9, 10, 11))
        d.resize((700, 800))


@case("index_ranks_{ver}_{filtered}", ver=["old", "new"], filtered=FILTERED)
def ranks(path, ver, filtered):
    with new(path, ver) as f:
        for rank in range(1, 9):
            shape = tuple([5, 3, 4, 2, 3, 2, 3, 2][:rank])
            chunk = tuple([2, 2, 3, 1, 2, 2, 2, 1][:rank])
            chunked(f, "fixed%d" % rank, shape, chunk, None, filtered)[...] = numbers(shape)
            chunked(f, "one%d" % rank, shape, chunk, (None,) + shape[1:], filtered)[...] = numbers(shape)
            chunked(f, "all%d" % rank, shape, chunk, (None,) * rank, filtered)[...] = numbers(shape)


@case("index_edge_chunks_{ver}_{opts}", ver=["old", "new"], opts={"filter_all": 0, "filter_whole": 1})
def edges(path, ver, opts):
    """Partial edge chunks, filtered or left raw."""
    with new(path, ver) as f:
        for name, limit in (("fixed", (11, 13)), ("single", None), ("one", (None, 13)), ("two", (None, None)),
                            ("wide", (20, 30))):
            if ver == "old" and opts:
                continue
            shape, chunk = ((11, 13), (4, 5)) if name != "single" else ((5, 3), (8, 8))
            limit = limit or (8, 8)
            dcpl = dcpl_of(chunk)
            dcpl.set_shuffle()
            dcpl.set_deflate(5)
            if opts:
                native.call("H5Pset_chunk_opts", dcpl, native.DONT_FILTER_PARTIAL_CHUNKS)
            limit = tuple(h5s.UNLIMITED if n is None else n for n in limit)
            h5py.Dataset(dataset(f, name, h5t.STD_I32LE, shape, dcpl, limit))[...] = numbers(shape)
        if ver == "old":
            chunked(f, "plain", (11, 13), (4, 5), None, True)[...] = numbers((11, 13))


@case("index_filter_mask_{ver}", ver=["old", "new"])
def filter_mask(path, ver):
    """Chunks that say some filters were skipped for them."""
    with new(path, ver) as f:
        for name, limit in (("fixed", (12,)), ("ea", (None,))):
            d = f.create_dataset(name, (12,), "<i4", chunks=(4,), maxshape=limit, compression="gzip", shuffle=True)
            d[...] = numbers((12,))
            d.id.write_direct_chunk((4,), numbers((4,), "<i4", 5).tobytes(), 3)
            shuffled = numbers((4,), "<i4", 9).view("u1").reshape(4, 4).T.tobytes()
            d.id.write_direct_chunk((8,), shuffled, 2)
        d = f.create_dataset("single", (6,), "<i4", chunks=(6,), compression="gzip")
        d.id.write_direct_chunk((0,), numbers((6,)).tobytes(), 1)


@case("index_big_chunks_{ver}", ver=["old", "new"])
def big_chunks(path, ver):
    """Chunks larger than the default chunk cache."""
    with new(path, ver) as f:
        chunked(f, "plain", (600, 1200), (500, 1000), dtype="<i2")[...] = numbers((600, 1200), "<i2")
        chunked(f, "filtered", (600, 1200), (500, 1000), (None, 1200), True, "<i2")[...] = numbers((600, 1200), "<i2")


@case("index_strings_{ver}", ver=["old", "new"])
def strings(path, ver):
    with new(path, ver) as f:
        d = f.create_dataset("d", (50,), dtype=h5py.string_dtype(), chunks=(7,), maxshape=(None,))
        d[10:40] = ["string %d" % i * (i % 3) for i in range(30)]
