"""Makes dense.h5 with stock h5py: make.py OUT. sparse.h5 is what ../sparse.c makes."""
import ctypes
import os
import sys
import zlib

import h5py
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import stock  # noqa: E402

with h5py.File(sys.argv[1], "w", libver=("v110", "v110")) as f:
    # Written from the last to the first, growing in the second dimension: three different orders.
    grow = f.create_dataset("grow", (3, 8), "u1", maxshape=(3, None), chunks=(2, 4))
    for start in reversed(range(0, 8, 4)):
        for row in 2, 0:
            grow[row:row + 2, start:start + 4] = row + start

    masks = f.create_dataset("masks", (16,), "<u2", chunks=(4,), shuffle=True, compression=6, fillvalue=9)
    masks[0:4] = 1
    masks.id.write_direct_chunk((4,), zlib.compress(np.arange(4, dtype="<u2").tobytes()), 1)
    masks.id.write_direct_chunk((12,), np.arange(4, dtype="<u2").tobytes(), 3)

    f.create_dataset("unwritten", (10, 10), "i4", chunks=(5, 5))
    f.create_dataset("single", data=np.arange(4), chunks=(4,))
    f.create_dataset("tree", data=np.zeros((2, 2), "i2"), maxshape=(None, None), chunks=(1, 2))
    early = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    early.set_chunk((3,))
    early.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    h5py.h5d.create(f.id, b"implicit", h5py.h5t.STD_U8LE, h5py.h5s.create_simple((6,)), early)
    edges = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    edges.set_chunk((4, 4))
    edges.set_deflate(6)
    # H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS, which h5py does not know.
    stock.load().H5Pset_chunk_opts(ctypes.c_int64(edges.id), 2)
    dset = h5py.h5d.create(f.id, b"edges", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((6, 6)), edges)
    dset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(36, dtype="<i4") % 5)
