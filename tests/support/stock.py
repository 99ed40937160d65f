"""Debian's own libhdf5 on this system: the name that programs load it by."""
import ctypes
import glob
import os
import re

_NAME = re.compile(r"/(libhdf5_serial\.so\.(\d+))$")


def _installed():
    """Of several, the latest: the clients that are installed were built for that. Python of another root has its own."""
    home = os.environ.get("PYTHONHOME", "/usr")
    found = [_NAME.search(file) for file in glob.glob(home + "/lib/*/libhdf5_serial.so.*")]
    return max((match for match in found if match), key=lambda match: int(match.group(2)), default=None)


_found = _installed()
# libhdf5_serial.so.103 on Debian 12; None where there is no libhdf5.
SONAME = _found.group(1) if _found else None
FILE = _found.string if _found else None


def load():
    """The library for ctypes; where LD_LIBRARY_PATH leads to a drop-in library, that one."""
    return ctypes.CDLL(SONAME)


def release():
    """Of what `load` gives, (1, 10, 8), unless STOCK_RELEASE names one that stands in for it."""
    if os.environ.get("STOCK_RELEASE"):
        return tuple(map(int, os.environ["STOCK_RELEASE"].split(".")))
    numbers = [ctypes.c_uint() for _ in range(3)]
    load().H5get_libversion(*map(ctypes.byref, numbers))
    return tuple(number.value for number in numbers)
