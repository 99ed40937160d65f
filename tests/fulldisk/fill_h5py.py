#!/usr/bin/python3
"""fill_h5py.py FOLDER LIMIT: writes files with h5py until the disk takes no more (LIMIT: bytes that no file may exceed; 0: the
folder is on a small disk), one case after the other, each in a process of its own. Prints for each whether anybody was told:
an exception, or words on stderr where Python lets no exception out. run.py compares stock libhdf5 and Tessera."""

import errno

import h5py
import numpy

import filling

rng = numpy.random.default_rng(1)


def contiguous(f):
    d = f.create_dataset("d", (100000,), "f8")
    for i in range(100):
        d[i * 1000:(i + 1) * 1000] = rng.random(1000)


def chunks(f, **how):
    d = f.create_dataset("d", (100000,), "f8", chunks=(1500,), **how)
    for i in range(100):
        d[i * 1000:(i + 1) * 1000] = rng.random(1000)


def gzip(f):
    chunks(f, compression="gzip")


def strings(f):
    d = f.create_dataset("d", (0,), h5py.string_dtype(), maxshape=(None,), chunks=(100,))
    for i in range(100):
        d.resize((100 * (i + 1),))
        d[100 * i:] = [f"string {i} {k} " * 8 for k in range(100)]


def attributes(f):
    for i in range(100):
        f.attrs[f"attribute {i}"] = rng.random(1000)


def groups(f):
    for i in range(5000):
        f.create_group(f"a group whose name takes room, number {i}" * 2)


def in_one(f):
    f["d"] = rng.random(100000)


def within(path, write):
    with h5py.File(path, "w") as f:
        write(f)


def closed(path, write):
    f = h5py.File(path, "w")
    try:
        write(f)
    finally:
        f.close()


def flushed(path, write):
    """What fails in a flush, fails again at closing; the exception that is seen is the first."""
    f = h5py.File(path, "w")
    try:
        write(f)
        f.flush()
    finally:
        f.close()


def dropped(path, write):
    f = h5py.File(path, "w")
    write(f)
    del f


def left_open(path, write):
    filling.keep(h5py.File(path, "w"))
    write(filling.kept[-1])


def latest(path, write):
    with h5py.File(path, "w", libver="latest") as f:
        write(f)


def number_is_known(path, write):
    """Where the write itself fails, the exception says which error it was, as a number."""
    try:
        within(path, write)
    except OSError as e:
        if e.errno not in (errno.ENOSPC, errno.EFBIG):
            filling.wrong(f"errno is {e.errno}: {e}")
        raise


WRITES = [contiguous, chunks, gzip, strings, attributes, groups, in_one]
CASES = ([(within, write) for write in WRITES] + [(latest, write) for write in WRITES] +
         [(way, chunks) for way in (closed, flushed, dropped, left_open)] + [(closed, groups), (left_open, groups),
                                                                             (number_is_known, in_one)])

filling.main(CASES)
