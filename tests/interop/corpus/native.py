"""Calls of the C library that h5py does not wrap. Handles are shared with h5py: it is the same library."""
import ctypes
import os
import sys

import h5py  # noqa: F401: the handles are its own

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import stock  # noqa: E402

_lib = stock.load()

SHARE_SPACE, SHARE_TYPE, SHARE_FILL, SHARE_PIPELINE, SHARE_ATTRIBUTE = 1 << 1, 1 << 3, 1 << 5, 1 << 11, 1 << 12
SHARE_ALL = SHARE_SPACE | SHARE_TYPE | SHARE_FILL | SHARE_PIPELINE | SHARE_ATTRIBUTE
DONT_FILTER_PARTIAL_CHUNKS = 2


def _argument(value):
    if isinstance(value, bytes):
        return ctypes.c_char_p(value)
    if hasattr(value, "id"):
        value = value.id
        return _argument(value)
    return ctypes.c_int64(value) if isinstance(value, int) else value


def call(name, *args):
    function = getattr(_lib, name)
    function.restype = ctypes.c_int
    result = function(*map(_argument, args))
    if result < 0:
        raise RuntimeError(name)
    return result


class _CacheImage(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("generate", ctypes.c_bool), ("resize", ctypes.c_bool),
                ("ageout", ctypes.c_int)]


def set_cache_image(fapl):
    config = _CacheImage(1, True, False, -1)
    call("H5Pset_mdc_image_config", fapl, ctypes.byref(config))


_Traverse = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_char_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_size_t,
                             ctypes.c_int64)


class _LinkClass(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("id", ctypes.c_int), ("comment", ctypes.c_char_p),
                ("create", ctypes.c_void_p), ("move", ctypes.c_void_p), ("copy", ctypes.c_void_p),
                ("traverse", _Traverse), ("delete", ctypes.c_void_p), ("query", ctypes.c_void_p)]


_traverse = _Traverse(lambda name, group, data, size, lapl: -1)


def create_user_link(group, name, kind, value):
    """A link of a user-defined class, which no reader is expected to know."""
    link = _LinkClass(1, kind, b"corpus", None, None, None, _traverse, None, None)
    call("H5Lregister", ctypes.byref(link))
    call("H5Lcreate_ud", group.id, name.encode(), kind, value, len(value), 0, 0)
    call("H5Lunregister", kind)


def allow_odd_numbers(fapl):
    """Since 1.14.4 libhdf5 takes numbers in far too many bytes for signs of damage, unless told otherwise."""
    if hasattr(_lib, "H5Pset_relax_file_integrity_checks"):
        call("H5Pset_relax_file_integrity_checks", fapl, 1)


def set_multi(fapl):
    call("H5Pset_fapl_multi", fapl, None, None, None, None, 1)


def set_split(fapl):
    call("H5Pset_fapl_split", fapl, b"-m.h5", 0, b"-r.h5", 0)
