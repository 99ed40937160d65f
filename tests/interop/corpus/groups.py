"""Groups and links: old and new storage, indexes, kinds of link, names."""
import os

import h5py
from h5py import h5g, h5p

from . import native
from .registry import case, new, numbers

ORDERS = {"none": 0, "tracked": 1, "indexed": 3}


def group_of(parent, name, order=0, phase=None, estimate=None, hint=None):
    gcpl = h5p.create(h5p.GROUP_CREATE)
    if order:
        gcpl.set_link_creation_order(order)
    if phase:
        native.call("H5Pset_link_phase_change", gcpl, *phase)
    if estimate:
        native.call("H5Pset_est_link_info", gcpl, *estimate)
    if hint:
        native.call("H5Pset_local_heap_size_hint", gcpl, hint)
    return h5py.Group(h5g.create(parent.id, name.encode(), None, gcpl))


def scrambled(n):
    """The numbers below n, each once, in an order that is neither sorted nor reversed."""
    return [(i * 7919 + 13) % n if n % 7919 else i for i in range(n)]


@case("group_old_{n}links", n=[0, 1, 8, 9, 100, 1000])
def old(path, n):
    with new(path) as f:
        g = f.create_group("g")
        for i in scrambled(n):
            g.create_group("member%d" % i)


@case("group_new_{n}links_{order}", n=[0, 1, 8, 9, 100, 1000], order=ORDERS)
def latest(path, n, order):
    with new(path, "new") as f:
        g = group_of(f, "g", order)
        for i in scrambled(n):
            g.create_group("member%d" % i)


@case("group_old_order_{order}_{n}", order={"tracked": 1, "indexed": 3}, n=[5, 50])
def old_file_order(path, order, n):
    """Creation order asked for in an old file: a new kind of group in an old superblock."""
    with new(path) as f:
        g = group_of(f, "g", order)
        for i in scrambled(n):
            g.create_group("member%d" % i)


def fill_links(g, target, n):
    links, path, f = g.id.links, target.encode(), g.file.id
    for i in scrambled(n):
        name = b"link%06d" % i
        if i % 5000 == 1:
            links.create_soft(name, path)
        else:
            links.create_hard(name, f, path)


@case("group_{ver}_{n}links_{order}", ver=["new"], n=[10000, 100000], order=ORDERS)
def many(path, ver, n, order):
    with new(path, ver) as f:
        f.create_dataset("d", data=numbers((3,)))
        fill_links(group_of(f, "g", order), "/d", n)


@case("group_old_{n}links", n=[10000, 100000])
def many_old(path, n):
    with new(path) as f:
        f.create_dataset("d", data=numbers((3,)))
        fill_links(f.create_group("g"), "/d", n)


@case("group_{ver}_2000_objects", ver=["old", "new"])
def many_objects(path, ver):
    with new(path, ver) as f:
        g = f.create_group("g")
        for i in range(1500):
            g.create_group("group%d" % i)
        for i in range(500):
            g.create_dataset("dataset%d" % i, data=i)


@case("group_{ver}_deleted_links", ver=["old", "new"])
def deleted(path, ver):
    with new(path, ver) as f:
        g = f.create_group("g")
        for i in range(300):
            g.create_group("some_longer_name_%d" % i)
        for i in range(300):
            if i % 3:
                del g["some_longer_name_%d" % i]
        for i in range(40):
            g.create_group("n%d" % i)
        h = f.create_group("shrunk")
        for i in range(50):
            h.create_group("m%d" % i)
        for i in range(48):
            del h["m%d" % i]


@case("group_phase_{limits}", limits={"0_0": (0, 0), "1_0": (1, 0), "1_1": (1, 1), "30_1": (30, 1)})
def phase(path, limits):
    with new(path, "new") as f:
        g = group_of(f, "g", 3, limits)
        for i in range(12):
            g.create_group("member%d" % i)


@case("group_estimate_{count}_{length}", count=[1, 10, 1000], length=[1, 100])
def estimate(path, count, length):
    with new(path, "new") as f:
        g = group_of(f, "g", 0, None, (count, length))
        for i in range(12):
            g.create_group("member%d" % i)


@case("group_local_heap_hint{hint}", hint=[16, 5000])
def heap_hint(path, hint):
    with new(path) as f:
        g = group_of(f, "g", 0, None, None, hint)
        for i in range(20):
            g.create_group("member with a rather long name %d" % i)


@case("links_soft_{ver}", ver=["old", "new"])
def soft(path, ver):
    with new(path, ver) as f:
        f.create_dataset("a/b/data", data=numbers((4,)))
        f["absolute"] = h5py.SoftLink("/a/b/data")
        f["dangling"] = h5py.SoftLink("/nowhere/at/all")
        f["a/relative"] = h5py.SoftLink("b/data")
        f["chain1"] = h5py.SoftLink("/chain2")
        f["chain2"] = h5py.SoftLink("chain3")
        f["chain3"] = h5py.SoftLink("/a/relative")
        f["loop1"] = h5py.SoftLink("/loop2")
        f["loop2"] = h5py.SoftLink("/loop1")
        f["group"] = h5py.SoftLink("/a")
        f["through"] = h5py.SoftLink("/group/b/data")
        f["dots"] = h5py.SoftLink("./a/./b//data")
        f["long"] = h5py.SoftLink("/a/" + "./" * 400 + "b")


@case("links_external_{ver}", ver=["old", "new"])
def external(path, ver):
    target = "links_external_target_%s.h5" % ver
    with new(os.path.join(os.path.dirname(path), target), ver) as t:
        t.create_dataset("data", data=numbers((5,)))
        t.create_group("g").attrs["a"] = 1
        t["back"] = h5py.ExternalLink(os.path.basename(path), "/own")
        t["soft"] = h5py.SoftLink("/data")
    with new(path, ver) as f:
        f.create_dataset("own", data=numbers((2,)))
        f["data"] = h5py.ExternalLink(target, "/data")
        f["group"] = h5py.ExternalLink(target, "g")
        f["root"] = h5py.ExternalLink(target, "/")
        f["round"] = h5py.ExternalLink(target, "/back")
        f["soft"] = h5py.ExternalLink(target, "/soft")
        f["no_object"] = h5py.ExternalLink(target, "/none")
        f["no_file"] = h5py.ExternalLink("not_there.h5", "/data")
        f["through"] = h5py.SoftLink("/root/data")
        for i in range(20):
            f["dense/link%02d" % i] = h5py.ExternalLink(target if i % 2 else "not_there.h5", "/data")


@case("links_user_defined_{ver}", ver=["old", "new"])
def user_defined(path, ver):
    with new(path, ver) as f:
        f.create_dataset("d", data=numbers((2,)))
        native.create_user_link(f, "user65", 65, b"some value\0\1\2")
        native.create_user_link(f, "user255", 255, b"x" * 300)
        native.create_user_link(f, "empty", 100, b"")


@case("links_nested_{ver}_{depth}", ver=["old", "new"], depth=[10, 200])
def nested(path, ver, depth):
    with new(path, ver) as f:
        g = f
        for i in range(depth):
            g = g.create_group("n%d" % i)
        g.create_dataset("deep", data=numbers((3,)))


@case("links_long_names_{ver}", ver=["old", "new"])
def long_names(path, ver):
    with new(path, ver) as f:
        for n in (1, 7, 8, 255, 256, 300, 1000, 5000):
            f.create_group("n%d_" % n + "x" * n)
        for n in (100, 3000):
            f["soft" + "y" * n] = h5py.SoftLink("/target" + "z" * n)


@case("links_huge_names")
def huge_names(path):
    """Names too long for a header message, in dense storage."""
    with new(path, "new") as f:
        g = group_of(f, "g", 3, (0, 0))
        for n in (10, 4000, 5000, 65000, 70000):
            g.create_group("n%d_" % n + "x" * n)


@case("links_utf8_{ver}", ver=["old", "new"])
def utf8(path, ver):
    with new(path, ver) as f:
        for name in ("ångström", "данные", "数据", "emoji \U0001f600", "tab\tname", "back\\slash", " space ", "é"):
            f.create_group(name).attrs[name] = name
        f["soft ü"] = h5py.SoftLink("/数据")
        f.create_dataset("数据/δ", data=numbers((2,)))


@case("links_cycles_{ver}", ver=["old", "new"])
def cycles(path, ver):
    with new(path, ver) as f:
        a = f.create_group("a")
        b = a.create_group("b")
        b["up"] = a
        b["root"] = f["/"]
        a["self"] = a
        f["again"] = b


@case("links_moved_{ver}", ver=["old", "new"])
def moved(path, ver):
    with new(path, ver) as f:
        for i in range(20):
            f.create_group("g%02d" % i)
        for i in range(0, 20, 2):
            f.move("g%02d" % i, "moved/renamed_to_something_longer_%02d" % i)


@case("group_dense_heap_{form}", form={"deflate": 0, "deflate_fletcher32": 1})
def filtered_heap(path, form):
    """Links and attributes in fractal heaps whose blocks and huge objects are filtered."""
    gcpl = h5p.create(h5p.GROUP_CREATE)
    native.call("H5Pset_deflate", gcpl, 6)
    if form:
        native.call("H5Pset_fletcher32", gcpl)
    with new(path, "new") as f:
        g = h5py.Group(h5g.create(f.id, b"g", None, gcpl))
        for i in scrambled(400):
            g.create_group("member%d" % i)
        for i in range(20):
            g.attrs["a%d" % i] = numbers((i * 40 + 1,), "<i4", i)
        g.attrs["huge"] = numbers((20000,), "<i4")
        g.create_group("n" * 5000)


@case("links_mixed_dense_{order}", order=ORDERS)
def mixed(path, order):
    with new(path, "new") as f:
        g = group_of(f, "g", order)
        for i in scrambled(300):
            name = "m%d" % i
            if i % 3 == 0:
                g.create_group(name)
            elif i % 3 == 1:
                g[name] = h5py.SoftLink("/g/m%d" % (i - 1))
            else:
                g[name] = h5py.ExternalLink("not_there.h5", "/m%d" % i)


@case("group_root_order_{order}", order={"tracked": 1, "indexed": 3})
def root_order(path, order):
    fcpl = h5p.create(h5p.FILE_CREATE)
    fcpl.set_link_creation_order(order)
    fcpl.set_attr_creation_order(order)
    with new(path, "new", fcpl) as f:
        for i in scrambled(15):
            f.create_group("member%d" % i)
            f.attrs["attr%d" % i] = i
