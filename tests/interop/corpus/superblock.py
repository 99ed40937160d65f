"""Superblock versions, user blocks, sizes of addresses and lengths, drivers, file space strategies."""
import h5py
import numpy as np
from h5py import h5f, h5p

from . import native
from .registry import LIBVERS, case, new, numbers


def fill_small(f, growing=True):
    g = f.create_group("g")
    g.create_dataset("contiguous", data=numbers((7, 5), "<i4"))
    g.create_dataset("chunked", data=numbers((6, 4), "<i2"), chunks=(2, 2), maxshape=(None, 4) if growing else None)
    g.create_dataset("text", data=["one", "two", ""], dtype=h5py.string_dtype())
    f.attrs["scalar"] = 42
    g.attrs["array"] = numbers((4,), "<f8")
    f["soft"] = h5py.SoftLink("/g/contiguous")


@case("superblock_{ver}_userblock{size}", ver=list(LIBVERS), size=[0, 512, 1024, 2048, 4096])
def superblock(path, ver, size):
    with new(path, ver, userblock_size=size) if size else new(path, ver) as f:
        fill_small(f)
    if size:
        with open(path, "r+b") as raw:
            raw.write(b"user block text".ljust(size, b"."))


@case("superblock_sizes_addr{addr}_len{length}_{ver}", addr=[2, 4, 8], length=[2, 4, 8], ver=["old", "new"])
def sizes(path, addr, length, ver):
    fcpl = h5p.create(h5p.FILE_CREATE)
    fcpl.set_sizes(addr, length)
    with new(path, ver, fcpl) as f:
        if addr == 2 or length == 2:
            f.create_dataset("d", data=numbers((7, 5)))
            f.create_group("g").attrs["a"] = numbers((4,), "<f8")
        else:
            # Stock cannot open an extensible array it wrote with lengths of four bytes.
            fill_small(f, growing=ver == "old" or length == 8)


@case("superblock_sizes4_dense")
def sizes_dense(path):
    fcpl = h5p.create(h5p.FILE_CREATE)
    fcpl.set_sizes(4, 4)
    with new(path, "new", fcpl) as f:
        for i in range(60):
            f.create_group("group%03d" % i)
            f.attrs["a%03d" % i] = i
        f.create_dataset("fa", data=numbers((3000,)), chunks=(2,))
        f.create_dataset("bt2", data=numbers((40, 40)), chunks=(2, 2), maxshape=(None, None), compression="gzip")


@case("superblock_v1_istore{k}", k=[4, 64, 500])
def istore(path, k):
    fcpl = h5p.create(h5p.FILE_CREATE)
    native.call("H5Pset_istore_k", fcpl, k)
    with new(path, "old", fcpl) as f:
        fill_small(f)
        f.create_dataset("many", data=numbers((300, 4)), chunks=(1, 2))


@case("superblock_sym_k{k}_leaf{leaf}", k=[1, 16, 100], leaf=[1, 4, 50])
def sym(path, k, leaf):
    fcpl = h5p.create(h5p.FILE_CREATE)
    native.call("H5Pset_sym_k", fcpl, k, leaf)
    with new(path, "old", fcpl) as f:
        fill_small(f)
        for i in range(150):
            f.create_group("sub/group%03d" % i)


@case("superblock_{ver}_k_in_extension", ver=["v18", "v110"])
def k_extension(path, ver):
    fcpl = h5p.create(h5p.FILE_CREATE)
    native.call("H5Pset_istore_k", fcpl, 7)
    native.call("H5Pset_sym_k", fcpl, 5, 3)
    with new(path, ver, fcpl) as f:
        fill_small(f)


@case("driver_family-%05d.h5", driver="family:65536")
def family(path):
    fapl = h5p.create(h5p.FILE_ACCESS)
    fapl.set_fapl_family(65536)
    with new(path, "old", None, fapl) as f:
        fill_small(f)
        f.create_dataset("large", data=numbers((60000,)))


@case("driver_family_new-%05d.h5", driver="family:16384")
def family_new(path):
    fapl = h5p.create(h5p.FILE_ACCESS)
    fapl.set_fapl_family(16384)
    with new(path, "new", None, fapl) as f:
        fill_small(f)
        f.create_dataset("large", data=numbers((30000,)), chunks=(1000,))


@case("driver_split_{ver}", driver="split", ver=["old", "new"])
def split(path, ver):
    fapl = h5p.create(h5p.FILE_ACCESS)
    native.set_split(fapl)
    with new(path, ver, None, fapl) as f:
        fill_small(f)


@case("driver_multi_{ver}", driver="multi", reference="stock", ver=["old", "new"])
def multi(path, ver):
    fapl = h5p.create(h5p.FILE_ACCESS)
    native.set_multi(fapl)
    with new(path, ver, None, fapl) as f:
        fill_small(f)


STRATEGIES = {"fsm": h5f.FSPACE_STRATEGY_FSM_AGGR, "page": h5f.FSPACE_STRATEGY_PAGE,
              "aggr": h5f.FSPACE_STRATEGY_AGGR, "none": h5f.FSPACE_STRATEGY_NONE}


@case("space_{strategy}_persist{persist}_{ver}", strategy=STRATEGIES, persist=[0, 1], ver=["old", "new"])
def strategies(path, strategy, persist, ver):
    fcpl = h5p.create(h5p.FILE_CREATE)
    fcpl.set_file_space_strategy(strategy, bool(persist), 1)
    with new(path, ver, fcpl) as f:
        fill_small(f)
        for i in range(20):
            f.create_dataset("temp%d" % i, data=numbers((100 + i * 10,)))
        for i in range(0, 20, 2):
            del f["temp%d" % i]


@case("space_page_size{size}", size=[512, 8192, 65536])
def page_size(path, size):
    fcpl = h5p.create(h5p.FILE_CREATE)
    fcpl.set_file_space_strategy(h5f.FSPACE_STRATEGY_PAGE, True, 1)
    fcpl.set_file_space_page_size(size)
    with new(path, "new", fcpl) as f:
        fill_small(f)
        f.create_dataset("large", data=numbers((20000,)))


@case("space_alignment{align}", align=[64, 4096])
def alignment(path, align):
    fapl = h5p.create(h5p.FILE_ACCESS)
    fapl.set_alignment(256, align)
    with new(path, "old", None, fapl) as f:
        fill_small(f)


@case("space_cache_image")
def cache_image(path):
    fapl = h5p.create(h5p.FILE_ACCESS)
    native.set_cache_image(fapl)
    with new(path, "new", None, fapl) as f:
        fill_small(f)
        for i in range(40):
            f.create_group("many/group%02d" % i)


@case("large_contiguous_64mb")
def large_contiguous(path):
    with new(path) as f:
        f.create_dataset("d", data=np.arange(16 << 20, dtype="<u4").reshape(4096, 4096) * 2654435761 % 1000003,
                         dtype="<u4")


@case("large_chunked_deflate_32mb_{ver}", ver=["old", "new"])
def large_chunked(path, ver):
    with new(path, ver) as f:
        f.create_dataset("d", data=(np.arange(8 << 20, dtype="<i4") // 7 % 1000).reshape(2048, 4096), dtype="<i4",
                         chunks=(256, 256), compression="gzip", compression_opts=1, shuffle=True)
