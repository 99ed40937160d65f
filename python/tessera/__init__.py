"""Sparse datasets with h5py on Tessera.

A sparse dataset stores only the elements that were written, and knows which they are; for h5py it is a dataset like any
other. This module makes such datasets and answers what h5py has no words for: which elements are defined, making them
undefined again, moving coordinates and values, matrices of scipy, and the chunks in the file.

    create_sparse(group, name, shape, dtype, chunks, ...)   a new dataset
    defined(dset, region)                                   coordinates of what is defined, or a mask
    erase(dset, region)                                     makes elements undefined
    read_coo(dset, region), write_coo(dset, coords, values) coordinates and values
    to_scipy(dset, format), from_scipy(group, name, matrix) CSR, CSC and COO matrices
    chunks(dset, region)                                    what is in the file
    is_sparse(dset), points(dset, coords), library(), running()

A region is what h5py takes between the brackets of a dataset: integers, slices, lists, masks, an Ellipsis, a
MultiBlockSlice, a RegionReference, or what `points` gives; np.s_[...] writes it down.

h5py must run on Tessera in place of libhdf5: start the program with `tessera run -- python3 …`. On another library every
function raises NotTessera, except library(), running() and is_sparse().
"""

from ._library import Error, Library, NotTessera, library, running
from ._scipy import from_scipy, to_scipy
from ._sparse import (Chunk, Section, chunks, create_sparse, defined, erase, is_sparse, points, read_coo, write_coo)

__all__ = ["Chunk", "Error", "Library", "NotTessera", "Section", "chunks", "create_sparse", "defined", "erase", "from_scipy",
           "is_sparse", "library", "points", "read_coo", "running", "to_scipy", "write_coo"]

for _public in (Chunk, Error, Library, NotTessera, Section):
    _public.__module__ = __name__  # what tracebacks and help() call them
