"""Stock libhdf5's turn in changing a file: links and attributes come and go, and what is there is checked.

turns.py FILE ROUND
"""
import ctypes
import random
import sys

import h5py
import numpy


def link_target(i, version):
    return "/t%d" % i + "x" * ((i * 37 + version * 11) % (2500 if i % 50 == 0 else 40))


def attr_value(i, version):
    n = 1500 if i % 20 == 3 else (i * 7 + version) % 90 + 1
    return numpy.arange(n, dtype="i8") + i + version


def make_group(f, name, deflate):
    """libhdf5 takes a pipeline for the links of a group, though h5py has no such call."""
    plist = h5py.h5p.create(h5py.h5p.GROUP_CREATE)
    if deflate:
        library = ctypes.CDLL(next(line.split()[-1] for line in open("/proc/self/maps") if "libhdf5_serial.so" in line))
        library.H5Pset_deflate.argtypes = [ctypes.c_int64, ctypes.c_uint]
        assert library.H5Pset_deflate(plist.id, 6) >= 0
    h5py.h5g.create(f.id, name, gcpl=plist)


def check(f, links, attrs):
    for g in f["g"], f["deflated"]:
        check_group(g, links)
    assert sorted(f.attrs) == sorted("a%d" % i for i in attrs), "names of attributes"
    for i, version in attrs.items():
        assert numpy.array_equal(f.attrs["a%d" % i], attr_value(i, version)), i


def check_group(g, links):
    assert sorted(g.keys()) == sorted("link%d" % i for i in links), "names of links"
    for i, version in links.items():
        assert g.get("link%d" % i, getlink=True).path == link_target(i, version), i


def turn(path, n):
    rng = random.Random(n)
    with h5py.File(path, "w" if n == 0 else "r+", libver="latest") as f:
        if n == 0:
            make_group(f, b"g", False)
            make_group(f, b"deflated", True)
            f["state"] = "{}"
        state = eval(f["state"][()])
        links, attrs = state.get("links", {}), state.get("attrs", {})
        check(f, links, attrs)
        del f["state"]
        groups = f["g"], f["deflated"]
        for _ in range(600):
            i = rng.randrange(400)
            if i in links and (n > 2 or rng.random() < 0.5):
                for g in groups:
                    del g["link%d" % i]
                del links[i]
            elif i not in links:
                for g in groups:
                    g["link%d" % i] = h5py.SoftLink(link_target(i, n))
                links[i] = n
        for _ in range(150):
            i = rng.randrange(80)
            if i in attrs and (n > 2 or rng.random() < 0.5):
                del f.attrs["a%d" % i]
                del attrs[i]
            elif i not in attrs:
                f.attrs["a%d" % i] = attr_value(i, n)
                attrs[i] = n
        f["state"] = repr({"links": links, "attrs": attrs})
    with h5py.File(path, "r") as f:
        check(f, links, attrs)


turn(sys.argv[1], int(sys.argv[2]))
