"""Sparse datasets of two dimensions and scipy's sparse matrices."""

import math

import numpy as np

from ._library import phil, require
from ._sparse import create_sparse, read_coo, write_coo

_DEFINED_IN_A_CHUNK = 16384
_FEW_ELEMENTS, _MANY_ELEMENTS = 1 << 12, 1 << 26


def _scipy_sparse():
    try:
        import scipy.sparse
    except ImportError as error:
        raise ImportError("to_scipy and from_scipy need scipy (package python3-scipy)") from error
    return scipy.sparse


def to_scipy(dset, format="csr"):
    """A dataset of two dimensions as a matrix of scipy: "csr", "csc" or "coo". What is defined is stored in the matrix, zeros
    too. What is not defined is 0 in a matrix: a dataset with another fill value is refused.

    >>> f = h5py.File("to_scipy.h5", "w")
    >>> d = tessera.create_sparse(f, "d", (3, 4), "f8", chunks=(3, 4))
    >>> tessera.write_coo(d, [(0, 1), (2, 0), (2, 3)], [1.0, 2.0, 0.0])
    >>> m = tessera.to_scipy(d)
    >>> m.indptr, m.indices, m.data
    (array([0, 1, 1, 3], dtype=int32), array([1, 0, 3], dtype=int32), array([1., 2., 0.]))
    >>> tessera.to_scipy(d, "csc").indptr
    array([0, 1, 2, 2, 3], dtype=int32)
    """
    require()
    sparse = _scipy_sparse()
    if format not in ("csr", "csc", "coo"):
        raise ValueError(f"no format {format!r}; there are csr, csc, coo")
    if len(dset.shape) != 2:
        raise ValueError(f"a matrix has 2 dimensions, {dset.name} has {len(dset.shape)}")
    if dset.dtype.kind not in "biufc":
        raise TypeError(f"scipy has no matrices of {dset.dtype}")
    if dset.fillvalue != 0:
        raise ValueError(f"{dset.name} is {dset.fillvalue} where nothing is defined, and a matrix is 0 there; see read_coo")
    with phil:
        coords, values = read_coo(dset)
        rows, columns = dset.shape
    width = np.int32 if max(rows, columns, len(values)) < 2 ** 31 else np.int64
    across = coords[:, 1].astype(width)
    if format == "coo":
        matrix = sparse.coo_matrix((values, (coords[:, 0].astype(width), across)), shape=(rows, columns))
        matrix.has_canonical_format = True
        return matrix
    # Elements come in row-major order: the rows only have to be counted.
    starts = np.zeros(rows + 1, dtype=width)
    np.cumsum(np.bincount(coords[:, 0], minlength=rows), out=starts[1:])
    matrix = sparse.csr_matrix((values, across, starts), shape=(rows, columns), copy=False)
    matrix.has_canonical_format = True
    return matrix if format == "csr" else matrix.tocsc()


def from_scipy(group, name, matrix, chunks=None, compression=None, **more):
    """Creates a sparse dataset with what a matrix of scipy stores, zeros too; elements that it stores twice are summed, as
    scipy does. chunks None: chosen by the shape and by how many elements there are. The rest as in `create_sparse`.

    >>> import scipy.sparse
    >>> m = scipy.sparse.random(1000, 2000, density=0.01, format="csc", random_state=1)
    >>> f = h5py.File("from_scipy.h5", "w")
    >>> d = tessera.from_scipy(f, "m", m, compression="gzip")
    >>> d
    <HDF5 dataset "m": shape (1000, 2000), type "<f8">
    >>> (tessera.to_scipy(d, "csc") != m).nnz
    0
    >>> v = np.ones(2000)
    >>> np.allclose(tessera.to_scipy(d) @ v, m @ v)
    True
    """
    require()
    sparse = _scipy_sparse()
    if not sparse.issparse(matrix):
        raise TypeError(f"not a sparse matrix of scipy: {type(matrix).__name__}")
    if matrix.dtype.kind not in "biufc":
        raise TypeError(f"a dataset has no elements of {matrix.dtype}")
    rows = matrix.tocsr(copy=True) if matrix.format == "csr" else matrix.tocsr()
    rows.sum_duplicates()  # which sorts, too
    if chunks is None:
        chunks = _chunks_for(matrix.shape, rows.nnz, more.get("maxshape"))
    with phil:
        dset = create_sparse(group, name, matrix.shape, rows.dtype, chunks, compression=compression, **more)
        if rows.nnz:
            coords = np.empty((rows.nnz, 2), dtype=np.int64)
            coords[:, 0] = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
            coords[:, 1] = rows.indices
            write_coo(dset, coords, rows.data)
        return dset


def _chunks_for(shape, stored, maxshape):
    """Chunks that hold enough elements to be worth a place in the index, and not so many that a row costs the matrix."""
    elements = shape[0] * shape[1] * _DEFINED_IN_A_CHUNK // max(stored, 1)
    elements = min(max(elements, _FEW_ELEMENTS), _MANY_ELEMENTS)
    return _square(shape, (None, None) if maxshape is True else maxshape, elements)


def _square(shape, maxshape, elements):
    """A chunk shape of about so many elements with sides of about the same length, within the extent."""
    limits = [max(length, 1024) if most is None else max(most, 1) for length, most in zip(shape, maxshape or shape)]
    sides = [0] * len(limits)
    left = float(elements)
    for done, axis in enumerate(sorted(range(len(limits)), key=limits.__getitem__)):
        side = left ** (1.0 / (len(limits) - done))
        sides[axis] = max(1, min(limits[axis], math.ceil(side)))
        left = max(1.0, left / sides[axis])
    return tuple(sides)
