"""The HDF5 library that h5py runs on in this process: found, told apart, and called."""

import contextlib
import ctypes
import os
from ctypes import POINTER, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint8, c_uint16, c_uint64, c_void_p
from typing import NamedTuple, Optional

import h5py

# Every call of h5py into the library holds this lock, and so do ours: threads may use both.
phil = h5py._objects.phil

hid_t, hsize_t, herr_t = c_int64, c_uint64, c_int


class Error(RuntimeError):
    """What the library refused. `stack` has its error records, the innermost first, as tuples of
    (function, major, minor, text)."""

    def __init__(self, function, stack):
        # What the function itself adds is that it failed, unless it is all there is.
        texts = [record[3] for record in stack if record[0] != function] or [record[3] for record in stack]
        said = texts[0] if texts else "failed without a reason"
        around = [text for text in texts[1:] if text != said]
        super().__init__(f"{function}: {said}" + (f" ({'; '.join(around)})" if around else ""))
        self.function, self.stack = function, stack


class NotTessera(RuntimeError):
    """h5py runs on a library that has no sparse datasets."""


class Library(NamedTuple):
    """The library that h5py runs on."""

    path: str
    """The file that is loaded."""
    hdf5: str
    """The version of HDF5 that it says it is."""
    tessera: Optional[str]
    """The version of Tessera, or None when it is another library."""


class StructChunkInfo(ctypes.Structure):
    """H5D_struct_chunk_info_t"""

    _fields_ = [("type", c_int), ("num_sections", c_uint8), ("filter_mask", POINTER(c_uint16)),
                ("section_size", POINTER(c_size_t)), ("section_orig_size", POINTER(c_size_t))]


class _ErrorRecord(ctypes.Structure):
    """H5E_error2_t"""

    _fields_ = [("cls", hid_t), ("major", hid_t), ("minor", hid_t), ("line", c_uint), ("function", c_char_p),
                ("file", c_char_p), ("text", c_char_p)]


class _Place(ctypes.Structure):
    """Dl_info"""

    _fields_ = [("file", c_char_p), ("base", c_void_p), ("symbol", c_char_p), ("address", c_void_p)]


CHUNK_CALLBACK = ctypes.CFUNCTYPE(c_int, POINTER(hsize_t), c_uint, c_uint64, hsize_t, c_void_p)
STRUCT_CHUNK_CALLBACK = ctypes.CFUNCTYPE(c_int, POINTER(hsize_t), POINTER(StructChunkInfo), POINTER(c_uint64),
                                         POINTER(hsize_t), c_void_p)
_WALK_CALLBACK = ctypes.CFUNCTYPE(herr_t, c_uint, POINTER(_ErrorRecord), c_void_p)

# Result, then arguments. A negative result is a failure.
_FUNCTIONS = {
    "H5get_libversion": (herr_t, POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)),
    "H5Eclear2": (herr_t, hid_t),
    "H5Eget_auto2": (herr_t, hid_t, POINTER(c_void_p), POINTER(c_void_p)),
    "H5Eset_auto2": (herr_t, hid_t, c_void_p, c_void_p),
    "H5Eget_msg": (c_int64, hid_t, POINTER(c_int), c_char_p, c_size_t),
    "H5Ewalk2": (herr_t, hid_t, c_int, _WALK_CALLBACK, c_void_p),
    "H5Dchunk_iter": (herr_t, hid_t, hid_t, CHUNK_CALLBACK, c_void_p),
    "H5Derase": (herr_t, hid_t, hid_t, hid_t),
    "H5Dget_chunk_info": (herr_t, hid_t, hid_t, hsize_t, POINTER(hsize_t), POINTER(c_uint), POINTER(c_uint64),
                          POINTER(hsize_t)),
    "H5Dget_defined": (hid_t, hid_t, hid_t, hid_t),
    "H5Dget_num_chunks": (herr_t, hid_t, hid_t, POINTER(hsize_t)),
    "H5Dget_struct_chunk_info": (herr_t, hid_t, hid_t, hsize_t, POINTER(hsize_t), POINTER(StructChunkInfo),
                                 POINTER(c_uint64), POINTER(hsize_t)),
    "H5Dstruct_chunk_iter": (herr_t, hid_t, hid_t, STRUCT_CHUNK_CALLBACK, c_void_p),
    "H5Pget_default_chunk": (c_int, hid_t, hid_t, hid_t, c_int, POINTER(hsize_t)),
    "H5Pget_density": (herr_t, hid_t, POINTER(c_uint)),
    "H5Pget_nfilters2": (herr_t, hid_t, c_uint64, POINTER(c_int)),
    "H5Pget_struct_sections_info": (herr_t, hid_t, POINTER(c_uint), POINTER(c_int)),
    "H5Pset_density": (herr_t, hid_t, c_uint),
    "H5Pset_section_filter": (herr_t, hid_t, c_int, c_int, c_uint, c_size_t, POINTER(c_uint)),
    "H5Pset_selection_packing": (herr_t, hid_t),
    "H5Ssel_iter_close": (herr_t, hid_t),
    "H5Ssel_iter_create": (hid_t, hid_t, c_size_t, c_uint),
    "H5Ssel_iter_get_seq_list": (herr_t, hid_t, c_size_t, c_size_t, POINTER(c_size_t), POINTER(c_size_t), c_void_p,
                                 c_void_p),
}


class _Loaded:
    """The library as h5py sees it: names are looked up from the module of h5py that makes its calls."""

    def __init__(self):
        self._module = ctypes.CDLL(h5py.defs.__file__, mode=os.RTLD_NOW | os.RTLD_NOLOAD)
        self._known = {}
        self.about = Library(self._path(), self._hdf5_version(), self._tessera_version())

    def __getattr__(self, name):
        if name not in self._known:
            function = getattr(self._module, name)
            function.restype, function.argtypes = _FUNCTIONS[name][0], _FUNCTIONS[name][1:]
            self._known[name] = function
        return self._known[name]

    def _path(self):
        place = _Place()
        address = ctypes.cast(self._module.H5get_libversion, c_void_p)
        found = ctypes.CDLL(None).dladdr(address, ctypes.byref(place))
        return os.path.realpath(os.fsdecode(place.file)) if found else "an unknown place"

    def _hdf5_version(self):
        numbers = [c_uint() for _ in range(3)]
        self.H5get_libversion(*map(ctypes.byref, numbers))
        return ".".join(str(number.value) for number in numbers)

    def _tessera_version(self):
        try:
            return ctypes.string_at(ctypes.addressof(c_uint8.in_dll(self._module, "H5_TESSERA_VERSION_g"))).decode()
        except ValueError:
            return None


_loaded = _Loaded()


def library():
    """The library that h5py runs on: where it is, and which.

    >>> tessera.library().tessera is not None
    True
    >>> tessera.library().hdf5 in ("1.10.8", "1.14.5")
    True
    """
    return _loaded.about


def running():
    """Whether h5py runs on Tessera.

    >>> tessera.running()
    True
    """
    return _loaded.about.tessera is not None


def require():
    """Raises NotTessera unless h5py runs on Tessera."""
    about = _loaded.about
    if about.tessera:
        return
    if os.path.basename(about.path).startswith("libhdf5_serial.so."):
        advice = "Start the program with: tessera run -- python3 …"
    else:
        advice = ("That library is part of this h5py and cannot be exchanged. Take an h5py that uses Debian's libhdf5 "
                  "(package python3-h5py, /usr/bin/python3), and start it with: tessera run -- /usr/bin/python3 …")
    raise NotTessera(f"h5py runs on HDF5 {about.hdf5} ({about.path}), not on Tessera, and that library has no sparse "
                     f"datasets. {advice}")


@contextlib.contextmanager
def _quiet():
    """No report on stderr: h5py has turned it off in the thread that imported it, and there only."""
    report, data = c_void_p(), c_void_p()
    known = _loaded.H5Eget_auto2(0, ctypes.byref(report), ctypes.byref(data)) >= 0 and report.value
    if known:
        _loaded.H5Eset_auto2(0, None, None)
    try:
        yield
    finally:
        if known:
            _loaded.H5Eset_auto2(0, report, data)


def _message(number):
    text = ctypes.create_string_buffer(256)
    return text.value.decode(errors="replace") if _loaded.H5Eget_msg(number, None, text, len(text)) >= 0 else ""


def _error_stack():
    """Takes the records from this thread's error stack."""
    records = []

    @_WALK_CALLBACK
    def visit(_, record, __):
        one = record.contents
        texts = ((one.function or b"").decode(errors="replace"), (one.text or b"").decode(errors="replace"))
        records.append((texts[0], _message(one.major), _message(one.minor), texts[1]))
        return 0

    _loaded.H5Ewalk2(0, 0, visit, None)
    _loaded.H5Eclear2(0)
    return records


def call(name, *arguments):
    """Calls a function of the library and returns its result; a failure is an Error."""
    with phil, _quiet():
        result = getattr(_loaded, name)(*arguments)
        if result < 0:
            raise Error(name, _error_stack())
        return result
