"""The list of corpus files, and what every module that makes some of them needs."""
import itertools

import h5py
import numpy as np
from h5py import h5d, h5f, h5p, h5s
from h5py._hl.files import libver_dict

CASES = {}


class Case:
    def __init__(self, name, module, make, driver, reference):
        self.name = name
        self.module = module
        self.make = make
        self.driver = driver
        self.reference = reference


def case(pattern, /, driver="sec2", reference="both", **choices):
    """Registers a function(path, **values) that makes one file, or one per combination of the choices.

    A choice is a list, or a dict from the label used in the file's name to the value. The reference tells whose
    word counts on the file: "both", "stock" where h5py cannot open it, "h5py" where it needs h5py's own filter, "none"
    where stock crashes, never ends or reads what is not there, and the library under test must only come to an end.
    It may be a function of the file's name.
    """
    def register(function):
        keys = list(choices)
        spread = [c.items() if isinstance(c, dict) else [(str(v), v) for v in c] for c in choices.values()]
        for combination in itertools.product(*spread):
            labels = {k: label for k, (label, _) in zip(keys, combination)}
            values = {k: value for k, (_, value) in zip(keys, combination)}
            full = pattern.format(**labels)
            full += "" if "." in full or driver != "sec2" else ".h5"
            assert full not in CASES, full
            told_by = reference(full) if callable(reference) else reference
            CASES[full] = Case(full, function.__module__, lambda path, v=values: function(path, **v), driver, told_by)
        return function
    return register


LIBVERS = {"v0": ("earliest", "v110"), "v18": ("v108", "v108"), "v110": ("v110", "v110")}
FIXED = []  # bounds that all files are made with, whatever their names say
OLD_NEW = {"old": "old", "new": "new"}


def libver(ver):
    return tuple(FIXED) or {"old": ("earliest", "latest"), "new": ("latest", "latest")}.get(ver) or LIBVERS[ver]


def new(path, ver="old", fcpl=None, fapl=None, **options):
    """A new file: "old" writes the earliest formats, "new" the latest, otherwise a key of LIBVERS."""
    if fcpl is None and fapl is None:
        return h5py.File(path, "w", libver=libver(ver), **options)
    fcpl = fcpl or h5p.create(h5p.FILE_CREATE)
    fapl = fapl or h5p.create(h5p.FILE_ACCESS)
    fapl.set_libver_bounds(*(libver_dict[bound] for bound in libver(ver)))
    return h5py.File(h5f.create(path.encode(), h5f.ACC_TRUNC, fcpl, fapl))


def numbers(shape, dtype="<i4", seed=0):
    """Deterministic values that any numeric type can hold without leaving its range."""
    n = int(np.prod(shape)) if shape != () else 1
    base = (np.arange(n, dtype="i8") * 37 + seed * 11) % 101
    return base.astype(dtype).reshape(shape)


def noise(n, seed=0):
    return np.random.RandomState(seed).bytes(n)


def dataset(parent, name, tid, shape, dcpl=None, maxshape=None):
    """A dataset made at low level, where h5py's own create_dataset has no way to say what is wanted."""
    space = h5s.create(h5s.SCALAR) if shape == () else h5s.create_simple(shape, maxshape)
    return h5d.create(parent.id, name.encode(), tid, space, dcpl)


def dcpl_of(chunk=None, **settings):
    dcpl = h5p.create(h5p.DATASET_CREATE)
    if chunk:
        dcpl.set_chunk(chunk)
    for key, value in settings.items():
        getattr(dcpl, "set_" + key)(*(value if isinstance(value, tuple) else (value,)))
    return dcpl


def write(ds, array, mtype=None):
    ds.write(h5s.ALL, h5s.ALL, np.ascontiguousarray(array), mtype)
