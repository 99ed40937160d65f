#!/usr/bin/env python3
"""seeds_objects.py DIR: inputs for the fuzz targets on object headers and groups, cut from small files of stock libhdf5."""
import pathlib
import struct
import sys
import tempfile

import h5py
import numpy as np


def fill(f, links, attributes):
    g = f.create_group("g", track_order=bool(links % 2))
    for i in range(links):
        g[f"link{i}"] = h5py.SoftLink("/d") if i % 3 else h5py.ExternalLink("no.h5", "/x")
    g.create_group("a/b")
    d = f.create_dataset("d", data=np.arange(12).reshape(3, 4), chunks=(2, 2), compression=1)
    f["type"] = np.dtype("f8,i4")
    f.create_dataset("typed", (2,), dtype=f["type"], fillvalue=None)
    f["again"] = d
    for i in range(attributes):
        d.attrs[f"attribute {i}"] = np.arange(i) if i % 2 else "text"
        f.attrs[f"attribute {i}"] = np.float32(i)


def main(where):
    number = 0
    for libver in ("earliest", "latest"):
        for links, attributes in ((3, 2), (8, 7), (25, 12)):
            with tempfile.NamedTemporaryFile(suffix=".h5") as out:
                with h5py.File(out.name, "w", libver=libver) as f:
                    fill(f, links, attributes)
                with h5py.File(out.name, "r") as f:
                    addresses = [h5py.h5o.get_info(f[n].id).addr for n in ("/", "g", "d", "type", "typed", "g/a")]
                data = pathlib.Path(out.name).read_bytes()
            for target in ("object_header", "group"):
                folder = pathlib.Path(where, target)
                folder.mkdir(parents=True, exist_ok=True)
                for address in addresses:
                    number += 1
                    for first in (0x00, 0x10, 0x20):
                        (folder / f"{number}-{first}").write_bytes(struct.pack("<BI", first, address) + data)


main(sys.argv[1])
