#!/usr/bin/python3
"""fill_pytables.py FOLDER LIMIT: as fill_h5py.py, with PyTables."""

import numpy
import tables

import filling

rng = numpy.random.default_rng(1)


def extended(f, **how):
    array = f.create_earray("/", "d", tables.Float64Atom(), (0,), **how)
    for _ in range(100):
        array.append(rng.random(1000))


def compressed(f):
    extended(f, filters=tables.Filters(complevel=1, complib="zlib"))


def table(f):
    rows = f.create_table("/", "d", {"a": tables.Float64Col(), "b": tables.StringCol(40)})
    for i in range(200):
        rows.append([(x, f"row {i}") for x in rng.random(100)])


def strings(f):
    array = f.create_vlarray("/", "d", tables.VLUnicodeAtom())
    for i in range(3000):
        array.append(f"string {i} " * 10)


def groups(f):
    for i in range(1000):
        f.create_group("/", f"group_{i}", f"the title of group {i}" * 20)


def within(path, write):
    with tables.open_file(path, "w") as f:
        write(f)


def flushed(path, write):
    with tables.open_file(path, "w") as f:
        write(f)
        f.flush()


def left_open(path, write):
    filling.keep(tables.open_file(path, "w"))
    write(filling.kept[-1])


filling.main([(within, write) for write in (extended, compressed, table, strings, groups)] +
             [(flushed, extended), (left_open, extended)])
