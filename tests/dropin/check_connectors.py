#!/usr/bin/python3
"""What only connectors call (H5VLconnector.h) is there in the drop-in library, and refused, whatever it is given; but for the questions
after the connector that there is."""

import ctypes
import os
import re
import sys

import clients
from clients import stock

HEADERS = "/usr/include/hdf5/serial"
RESULTS = {"herr_t": (ctypes.c_int, -1), "hid_t": (ctypes.c_int64, -1), "void *": (ctypes.c_void_p, None)}
# Here for everyone, or done.
NOT_REFUSED = {"H5VLpeek_connector_id_by_name", "H5VLpeek_connector_id_by_value", "H5VLquery_optional"}


def declared(header):
    with open(os.path.join(HEADERS, header), encoding="utf-8", errors="replace") as text:
        code = re.sub(r"/\*.*?\*/", " ", text.read(), flags=re.S)
    return {name: " ".join(result.split()) for result, name in re.findall(r"H5_DLL\s+([^;(]*?)\s*(H5VL\w+)\s*\(", code)}


def main():
    args = clients.arguments(__doc__)
    clients.need("libhdf5 1.14", os.path.exists(os.path.join(HEADERS, "H5VLconnector.h")))
    library = ctypes.CDLL(os.path.join(args.dropin, stock.SONAME))
    library.H5open()
    library.H5Eset_auto2(ctypes.c_int64(0), None, None)
    names = declared("H5VLconnector.h") | declared("H5VLconnector_passthru.h")
    wrong = 0
    for name in sorted(names.keys() - NOT_REFUSED):
        function = getattr(library, name)
        function.restype, refused = RESULTS[names[name]]
        if function() != refused:
            wrong += 1
            print(f"{name} is not refused")
    for name, native, other in (("H5VLpeek_connector_id_by_name", b"native", b"none"), ("H5VLpeek_connector_id_by_value", 0, 500)):
        peek = getattr(library, name)
        library.H5VL_native_register.restype = peek.restype = ctypes.c_int64
        if peek(native) != library.H5VL_native_register() or peek(other) != -1:
            wrong += 1
            print(f"{name} finds something else than the native connector")
    if len(names) < 90:
        sys.exit(f"only {len(names)} functions found: the headers are not read right")
    print(f"{len(names)} functions, {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
