#!/usr/bin/python3
"""The drop-in library exports every public symbol that Debian's libhdf5 exports, under the same symbol version: functions,
and the variables behind the macros (H5T_*_g, H5E_*_g, H5P_*_g)."""

import glob
import os
import re
import sys

import clients
from clients import stock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "dev"))
import dropin_map  # noqa: E402

HEADERS = "/usr/include/hdf5/serial"


def declared():
    """Names that the headers of libhdf5 declare."""
    found = set()
    for header in glob.glob(os.path.join(HEADERS, "H5*.h")):
        with open(header, encoding="utf-8", errors="replace") as text:
            code = re.sub(r"/\*.*?\*/", " ", text.read(), flags=re.S)
        found.update(re.findall(r"H5_DLLVAR\b[^;]*?(H5\w+)\s*;", code))
        for one in re.findall(r"H5_(?:HL)?DLL(?:CPP)?\b(?!VAR)([^;{]*);", code):
            name = re.search(r"\b(H5\w+)\s*\(", one)
            if name:
                found.add(name.group(1))
        # H5FD_multi_init and its like have no mark.
        found.update(re.findall(r"^H5_DLL\s+\w+\s+(H5\w+)\(", code, flags=re.M))
    return found


def main():
    args = clients.arguments(__doc__)
    clients.need("libhdf5-dev", os.path.isdir(HEADERS))
    theirs, ours = (dropin_map.exports(file) for file in (stock.FILE, os.path.join(args.dropin, stock.SONAME)))
    public = declared() & theirs.keys()
    if len(public) < 800:
        sys.exit(f"only {len(public)} public symbols found: the headers are not read right")
    missing = sorted(public - ours.keys())
    other = sorted(name for name in public & ours.keys() if theirs[name] != ours[name])
    for name in missing:
        print(f"{name} is missing")
    for name in other:
        print(f"{name} has version {ours[name] or '-'}, in stock {theirs[name] or '-'}")
    print(f"{len(public)} public symbols, {len(missing)} missing, {len(other)} with another version")
    return bool(missing or other)


if __name__ == "__main__":
    sys.exit(main())
