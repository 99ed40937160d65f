"""Sparse datasets as h5py.Dataset objects: made, asked, erased, and moved as coordinates and values."""

import ctypes
import math
from ctypes import byref, c_int, c_size_t, c_uint, c_uint16, c_uint64
from typing import NamedTuple, Tuple

import h5py
import numpy as np

from ._library import (CHUNK_CALLBACK, STRUCT_CHUNK_CALLBACK, StructChunkInfo, call, hsize_t, phil, require, running)

# h5py's own: a region here means what it means between the brackets of a dataset.
_selections = h5py._hl.selections

_SECTIONS = ("selection", "values", "heap")
_FILTERS = {"gzip": 1, "shuffle": 2, "fletcher32": 3, "szip": 4, "lzf": 32000, "lz4": 32004, "zstd": 32015}
_SZIP = {"ec": 4, "nn": 32}
_OPTIONAL = 1
_RUNS = 1 << 16  # taken from a selection at a time


class Section(NamedTuple):
    """One part of a stored chunk."""

    kind: str
    """"selection" (which elements are defined), "values", or "heap" (the contents of variable length)."""
    size: int
    """Bytes in the file."""
    plain_size: int
    """Bytes before filters."""
    filter_mask: int
    """Bit i is set when filter i of the section was skipped."""


class Chunk(NamedTuple):
    """A chunk that is stored."""

    offset: Tuple[int, ...]
    """Of its first element in the dataset."""
    address: int
    """Of its first byte in the file, counted from the end of a user block."""
    size: int
    """Bytes in the file."""
    defined: int
    """How many of its elements are defined."""
    sections: Tuple[Section, ...]
    """Its parts; a chunk of a dense dataset is one section of values."""


def _filter(spec):
    """(number, parameters) of a filter as users write it: "gzip", ("gzip", 9), 9, 32015, (32015, (3,)), or an object with
    filter_id and filter_options as h5py and hdf5plugin have them."""
    if hasattr(spec, "filter_id"):
        return spec.filter_id, tuple(spec.filter_options)
    name, options = (spec[0], tuple(spec[1:])) if isinstance(spec, tuple) else (spec, ())
    if len(options) == 1 and isinstance(options[0], (tuple, list)):
        options = tuple(options[0])
    if isinstance(name, int) and not isinstance(name, bool):
        return (name, options) if name > 9 or options else (_FILTERS["gzip"], (name,))
    if name not in _FILTERS:
        raise ValueError(f"no filter {name!r}; there are {', '.join(_FILTERS)}, and filters by their number")
    if name == "gzip":
        options = options or (4,)
    elif name == "szip":
        method, pixels = options or ("nn", 8)
        options = (_SZIP[method], pixels)
    return _FILTERS[name], options


def _set_section_filters(dcpl, section, specs):
    """Filters of one section: one, or a list in the order in which they are applied."""
    for number, options in map(_filter, specs if isinstance(specs, list) else [specs]):
        flags = 0 if number == _FILTERS["fletcher32"] else _OPTIONAL
        values = (c_uint * len(options))(*options)
        call("H5Pset_section_filter", dcpl.id, _SECTIONS.index(section), number, flags, len(options), values)


def _check_sections(compression, dtype):
    for section in compression:
        if section not in _SECTIONS:
            raise ValueError(f"no section {section!r}; there are {', '.join(_SECTIONS)}")
    if compression.get("heap") is not None and not np.dtype(getattr(dtype, "dtype", dtype)).hasobject:
        raise ValueError(f"chunks of {dtype!r} have no heap: nothing in it is of variable length")


def _set_filters(dcpl, compression, more):
    """Puts filters of sections into the list; returns those that h5py can set: for all sections alike."""
    if not isinstance(compression, dict):
        if isinstance(compression, tuple) or compression in ("lz4", "zstd"):
            number, options = _filter(compression)
            if number == _FILTERS["gzip"]:
                return {"compression": "gzip", "compression_opts": options[0]}
            return {"compression": number, "compression_opts": options}
        return {"compression": compression}
    for name in ("compression_opts", "shuffle", "fletcher32", "scaleoffset"):
        if more.get(name) not in (None, False):
            raise TypeError(f"{name} and filters for each section exclude each other; say it in the lists")
    for section, specs in compression.items():
        if specs is not None:
            _set_section_filters(dcpl, section, specs)
    return {}


def _default_chunks(dcpl, shape, maxshape, dtype):
    """What the library chooses, or the list says."""
    kind = dtype.id if isinstance(dtype, h5py.Datatype) else h5py.h5t.py_create(np.dtype(dtype), logical=True)
    limits = tuple(h5py.h5s.UNLIMITED if most is None else most for most in maxshape or shape)
    space, sides = h5py.h5s.create_simple(shape, limits), (hsize_t * len(shape))()
    call("H5Pget_default_chunk", dcpl.id, kind.id, space.id, len(sides), sides)
    return tuple(sides)


def _plain_shape(shape):
    return (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)


def create_sparse(group, name, shape, dtype, chunks=None, maxshape=None, compression=None, fillvalue=None, packing=None,
                  **more):
    """Creates a dataset that stores only the elements that are written, and knows which they are. All others read as the
    fill value. Returns an h5py.Dataset; everything h5py does with datasets works on it.

    group, name, shape, dtype, maxshape, fillvalue, and whatever else `Group.create_dataset` takes mean what they mean there.

    chunks: the shape of chunks; None: as many whole frames, of the last two dimensions, as have about 1 MiB of defined elements
    when 1 of 100 is defined.

    compression: "gzip", "lzf", "szip", "lz4", "zstd", a level of gzip, the number of a filter, or a tuple of one of these and
    its parameters, for all sections of the chunks; or a dict with filters for each: "selection" (which elements are
    defined), "values", "heap" (contents of variable length). A list means several filters, in this order.

    packing: whether selections are stored as gaps between elements, which compresses much better. None: if anything
    compresses them.

    >>> f = h5py.File("frames.h5", "w")
    >>> d = tessera.create_sparse(f, "hits", (1000, 352, 384), "u2", chunks=(10, 352, 384), compression="gzip")
    >>> d[17, 40:42, 7] = [5, 9]
    >>> d[17, 40, 6:9]
    array([0, 5, 0], dtype=uint16)
    >>> tessera.defined(d)
    array([[17, 40,  7],
           [17, 41,  7]])

    Filters of their own for positions and values:

    >>> e = tessera.create_sparse(f, "energies", (1000, 2048), "f4", chunks=(100, 2048), fillvalue=-1,
    ...                           compression={"selection": ("gzip", 9), "values": ["shuffle", "lzf"]})
    >>> float(e[3, 3])
    -1.0
    """
    require()
    if not isinstance(group, h5py.Group):
        raise TypeError(f"a dataset is created in an h5py.Group or h5py.File, not in {group!r}")
    if shape is None or not _plain_shape(shape):
        raise TypeError("a sparse dataset has one dimension or more")
    shape = _plain_shape(shape)
    if maxshape is not None:
        maxshape = (None,) * len(shape) if maxshape is True else _plain_shape(maxshape)
    if packing is None:
        packing = compression.get("selection") is not None if isinstance(compression, dict) else compression is not None
    if isinstance(compression, dict):
        _check_sections(compression, dtype)
    with phil:
        dcpl = more.pop("dcpl", None)
        dcpl = dcpl.copy() if dcpl is not None else h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        call("H5Pset_density", dcpl.id, 1)
        if chunks is None or chunks is True:
            chunks = _default_chunks(dcpl, shape, maxshape, dtype)
        if packing:
            call("H5Pset_selection_packing", dcpl.id)
        more = {**_set_filters(dcpl, compression, more), **more}
        return group.create_dataset(name, shape=shape, dtype=dtype, chunks=chunks, maxshape=maxshape,
                                    fillvalue=fillvalue, dcpl=dcpl, **more)


def is_sparse(dset):
    """Whether a dataset stores only what was written.

    >>> f = h5py.File("kinds.h5", "w")
    >>> tessera.is_sparse(tessera.create_sparse(f, "s", (10,), "f8", chunks=(5,)))
    True
    >>> tessera.is_sparse(f.create_dataset("d", (10,), "f8", chunks=(5,)))
    False
    """
    if not running():
        return False  # another library does not open one
    density = c_uint()
    with phil:
        dcpl = dset.id.get_create_plist()
        call("H5Pget_density", dcpl.id, byref(density))
        return density.value == 1


def _section_kinds(dset):
    """Of a dataset in chunks; none for others."""
    count, kinds = c_uint(), (c_int * len(_SECTIONS))()
    with phil:
        if dset.id.get_create_plist().get_layout() in (h5py.h5d.COMPACT, h5py.h5d.CONTIGUOUS, h5py.h5d.VIRTUAL):
            return []
        call("H5Pget_struct_sections_info", dset.id.id, byref(count), kinds)
    return [_SECTIONS[kind] for kind in kinds[:count.value]]


def _select(dset, region):
    if isinstance(region, list) and region and all(isinstance(one, (bool, np.bool_)) for one in region):
        region = np.array(region)  # h5py knows a mask by its type
    return _selections.select(dset.shape, Ellipsis if region is None else region, dataset=dset)


def _defined_space(dset, selection):
    return h5py.h5s.SpaceID(call("H5Dget_defined", dset.id.id, selection.id.id, 0))


def _numbers(space):
    """The selected elements of a dataspace as numbers in row-major order of its extent, in the order of the selection."""
    n = space.get_select_npoints()
    numbers = np.empty(n, dtype=np.uint64)
    if n == 0:
        return numbers
    first, length = np.empty(_RUNS, dtype=np.uint64), np.empty(_RUNS, dtype=np.uint64)
    runs, elements, done = c_size_t(), c_size_t(), 0
    iterator = call("H5Ssel_iter_create", space.id, 1, 0)
    try:
        while done < n:
            call("H5Ssel_iter_get_seq_list", iterator, _RUNS, n - done, byref(runs), byref(elements), first.ctypes.data,
                 length.ctypes.data)
            if elements.value == 0:
                raise RuntimeError(f"a selection of {n} elements ended after {done}")
            _expand(first[:runs.value], length[:runs.value], numbers[done:done + elements.value])
            done += elements.value
    finally:
        call("H5Ssel_iter_close", iterator)
    return numbers


def _expand(first, length, into):
    """first[0], first[0] + 1, ... (length[0] of them), first[1], ..."""
    if len(into) == len(first):
        into[:] = first
        return
    into[:] = np.arange(len(into), dtype=np.uint64)
    into += np.repeat(first - (np.cumsum(length) - length), length.astype(np.int64))


def _points_of(numbers, shape):
    """Coordinates (n, rank) of elements by their number in row-major order."""
    found = np.empty((len(numbers), len(shape)), dtype=np.int64)
    for axis in range(len(shape) - 1, 0, -1):
        upper = numbers // np.uint64(shape[axis])
        found[:, axis] = numbers - upper * np.uint64(shape[axis])
        numbers = upper
    found[:, 0] = numbers
    return found


def _numbers_of(coords, shape):
    """The other way round. No dataset has so many elements that their numbers would not fit."""
    numbers = np.zeros(len(coords), dtype=np.uint64)
    for axis, length in enumerate(shape):
        numbers *= np.uint64(length)
        numbers += coords[:, axis].astype(np.uint64)
    return numbers


def _coordinates(space):
    """(n, rank) int64, in the order in which elements are read and written."""
    if space.get_select_npoints() and space.get_select_type() == h5py.h5s.SEL_POINTS:
        return space.get_select_elem_pointlist().astype(np.int64, copy=False)
    return _points_of(_numbers(space), space.shape)


def _positions(selection, points):
    """Where in the array that a region reads as each of its points is, counted in row-major order."""
    space = selection.id
    shape = space.shape
    if space.get_select_type() == h5py.h5s.SEL_ALL:
        start, stride, block, count = (0,) * len(shape), (1,) * len(shape), (1,) * len(shape), shape
    elif space.get_select_type() == h5py.h5s.SEL_HYPERSLABS and space.is_regular_hyperslab():
        start, stride, count, block = space.get_regular_hyperslab()
    else:
        return None
    position = np.zeros(len(points), dtype=np.int64)
    for axis in range(len(shape)):
        # The stride of a single block says nothing.
        period, inside = np.divmod(points[:, axis] - start[axis], max(stride[axis], block[axis]))
        position *= count[axis] * block[axis]
        position += period * block[axis] + inside
    return position


def defined(dset, region=None, as_mask=False):
    """The elements of a region (None: of the dataset) that are defined: their coordinates, an array of int64 with a row for
    each, in row-major order; with as_mask an array of bool in the shape of dset[region]. In a dataset that is not sparse all
    are defined.

    >>> f = h5py.File("defined.h5", "w")
    >>> d = tessera.create_sparse(f, "d", (4, 6), "i4", chunks=(2, 3))
    >>> d[1, 2:5] = 7
    >>> d[3, 0] = 0
    >>> tessera.defined(d)
    array([[1, 2],
           [1, 3],
           [1, 4],
           [3, 0]])
    >>> tessera.defined(d, np.s_[:2, ::2])
    array([[1, 2],
           [1, 4]])
    >>> tessera.defined(d, np.s_[:2, ::2], as_mask=True)
    array([[False, False, False],
           [False,  True,  True]])

    What is defined does not depend on the values; the zero at (3, 0) was written:

    >>> tessera.defined(d, 3, as_mask=True)
    array([ True, False, False, False, False, False])
    """
    require()
    with phil:
        selection = _select(dset, region)
        points = _coordinates(_defined_space(dset, selection))
        if not as_mask:
            return points
        mask = np.zeros(selection.nselect, dtype=bool)
        position = _positions(selection, points)
        if position is not None:
            mask[position] = True
        elif len(points):
            mask = np.isin(_numbers(selection.id), _numbers_of(points, dset.shape))
        return mask.reshape(selection.array_shape)


def erase(dset, region=None):
    """The elements of a region (None: all) become undefined, and read as the fill value. Chunks of which nothing is left go
    from the file.

    >>> f = h5py.File("erase.h5", "w")
    >>> d = tessera.create_sparse(f, "d", (100,), "f8", chunks=(10,), fillvalue=-1)
    >>> d[10:20] = np.arange(10)
    >>> tessera.erase(d, slice(12, 19))
    >>> tessera.read_coo(d)
    (array([[10],
           [11],
           [19]]), array([0., 1., 9.]))
    >>> d[11:14]
    array([ 1., -1., -1.])
    """
    require()
    with phil:
        selection = _select(dset, region)
        if selection.nselect:
            call("H5Derase", dset.id.id, selection.id.id, 0)


def points(dset, coords):
    """Elements by their coordinates, an array of integers with a row for each (for datasets of one dimension a list will do),
    as a region: for h5py (dset[...]) and for the functions here. Its order is that of the rows.

    >>> f = h5py.File("points.h5", "w")
    >>> d = tessera.create_sparse(f, "d", (4, 4), "i4", chunks=(2, 2))
    >>> d[...] = np.arange(16).reshape(4, 4)
    >>> d[tessera.points(d, [(3, 3), (0, 1)])]
    array([15,  1], dtype=int32)
    >>> tessera.erase(d, tessera.points(d, [(3, 3), (0, 1)]))
    >>> len(tessera.defined(d))
    14
    """
    with phil:
        return _selections.PointSelection(dset.shape, points=_checked(dset, coords))


def _checked(dset, coords):
    """Coordinates (n, rank) that lie in the dataset."""
    rank = len(dset.shape)
    coords = np.asarray(coords)
    if coords.size == 0:
        coords = np.empty((0, rank), dtype=np.int64)
    if coords.dtype.kind not in "iu":
        raise TypeError(f"coordinates are integers, not {coords.dtype}")
    if coords.ndim == 1 and rank == 1:
        coords = coords.reshape(-1, 1)
    if coords.ndim != 2 or coords.shape[1] != rank:
        raise ValueError(f"coordinates of shape {coords.shape}: a dataset of rank {rank} takes (n, {rank})")
    for axis, length in enumerate(dset.shape if len(coords) else ()):
        low, high = coords[:, axis].min(), coords[:, axis].max()
        if low < 0 or high >= length:
            raise IndexError(f"coordinate {low if low < 0 else high} of axis {axis}, which has {length} elements")
    return coords


def read_coo(dset, region=None):
    """What is defined in a region (None: in the dataset): coordinates, as `defined` gives them, and the values, as h5py
    reads them.

    >>> f = h5py.File("read.h5", "w")
    >>> d = tessera.create_sparse(f, "d", (1000, 1000), "f4", chunks=(100, 100))
    >>> tessera.write_coo(d, [(3, 14), (15, 926), (535, 8)], [1.5, 2.5, 3.5])
    >>> coords, values = tessera.read_coo(d)
    >>> coords.T
    array([[  3,  15, 535],
           [ 14, 926,   8]])
    >>> values
    array([1.5, 2.5, 3.5], dtype=float32)
    >>> tessera.read_coo(d, np.s_[10:20])
    (array([[ 15, 926]]), array([2.5], dtype=float32))
    """
    require()
    with phil:
        space = _defined_space(dset, _select(dset, region))
        return _coordinates(space), dset[_selections.Selection(dset.shape, spaceid=space)]


def write_coo(dset, coords, values):
    """Writes elements by their coordinates, an array of integers with a row for each; values has one for each of them, or is
    one for all. Of an element that is named twice the last value stays.

    >>> f = h5py.File("write.h5", "w")
    >>> d = tessera.create_sparse(f, "d", (5, 5), "i8", chunks=(5, 5))
    >>> tessera.write_coo(d, [(4, 0), (0, 2), (4, 0)], [1, 2, 3])
    >>> tessera.read_coo(d)
    (array([[0, 2],
           [4, 0]]), array([2, 3]))
    >>> g = tessera.create_sparse(f, "g", (100,), h5py.string_dtype(), chunks=(10,))
    >>> tessera.write_coo(g, [7, 77], ["seven", "many"])
    >>> g[77]
    b'many'
    """
    require()
    with phil:
        coords = _checked(dset, coords)
        n = len(coords)
        if not _one_for_all(dset, values) and len(values) != n:
            raise ValueError(f"{len(values)} values for {n} coordinates")
        if n == 0:
            return
        if isinstance(values, np.ndarray) and values.ndim and len(values) == n:
            coords, values = _ascending(coords, values, dset.shape)
        dset[_selections.PointSelection(dset.shape, points=coords)] = values


def _one_for_all(dset, values):
    """Whether values is a single value, or may be one: sequences and records, about which h5py decides."""
    kind = dset.dtype
    sequence = h5py.check_vlen_dtype(kind) is not None
    return sequence or kind.names or kind.shape or not isinstance(values, (list, tuple, np.ndarray)) or np.ndim(values) == 0


def _ascending(coords, values, shape):
    """The same in row-major order, which is that of chunks and of the elements in them; equal ones keep theirs."""
    numbers = _numbers_of(coords, shape)
    if (numbers[1:] >= numbers[:-1]).all():
        return coords, values
    order = np.argsort(numbers, kind="stable")
    return coords[order], values[order]


def chunks(dset, region=None):
    """The chunks that are in the file, or those of them that hold an element of a region: a list of `Chunk`.

    >>> f = h5py.File("chunks.h5", "w")
    >>> d = tessera.create_sparse(f, "d", (100, 100), "u2", chunks=(10, 50))
    >>> tessera.write_coo(d, [(0, 0), (55, 70), (55, 71)], [1, 2, 3])
    >>> [(chunk.offset, chunk.defined) for chunk in tessera.chunks(d)]
    [((0, 0), 1), ((50, 50), 2)]
    >>> [section.kind for section in tessera.chunks(d)[0].sections]
    ['selection', 'values']
    >>> tessera.chunks(d, np.s_[:, 60:])[0].sections[1].size
    4
    """
    require()
    with phil:
        kinds = _section_kinds(dset)
        if not kinds:
            raise TypeError(f"{dset.name}: the dataset has no chunks")
        read = _dense_chunks if kinds == ["values"] else _struct_chunks
        return read(dset, None if region is None else _select(dset, region), kinds)


def _clipped(dset, offset):
    """How many elements of the chunk there lie inside the extent."""
    return math.prod(min(side, length - at) for side, length, at in zip(_chunk_shape(dset), dset.shape, offset))


def _chunk_shape(dset):
    return dset.id.get_create_plist().get_chunk()


def _dense_chunks(dset, selection, _):
    rank, plain = len(dset.shape), math.prod(_chunk_shape(dset)) * dset.id.get_type().get_size()
    found = []

    def keep(offset, mask, address, size, _):
        found.append((tuple(offset[:rank]), mask, address, size))
        return 0

    if selection is None:
        call("H5Dchunk_iter", dset.id.id, 0, CHUNK_CALLBACK(keep), None)
    else:
        offset, mask, address, size = (hsize_t * rank)(), c_uint(), c_uint64(), hsize_t()
        for i in range(_number(dset, selection)):
            call("H5Dget_chunk_info", dset.id.id, selection.id.id, i, offset, byref(mask), byref(address), byref(size))
            keep(offset, mask.value, address.value, size.value, None)
    return [Chunk(offset, address, size, _clipped(dset, offset), (Section("values", size, plain, mask),))
            for offset, mask, address, size in found]


def _struct_chunks(dset, selection, kinds):
    rank, found = len(dset.shape), []

    def keep(offset, info, address, size, _):
        one, n = info.contents, len(kinds)
        found.append((tuple(offset[:rank]), address[0], size[0], one.section_size[:n], one.section_orig_size[:n],
                      one.filter_mask[:n]))
        return 0

    if selection is None:
        call("H5Dstruct_chunk_iter", dset.id.id, 0, STRUCT_CHUNK_CALLBACK(keep), None)
    else:
        n = len(kinds)
        info = StructChunkInfo(0, n, (c_uint16 * n)(), (c_size_t * n)(), (c_size_t * n)())
        offset, address, size = (hsize_t * rank)(), c_uint64(), hsize_t()
        for i in range(_number(dset, selection)):
            info.num_sections = n
            call("H5Dget_struct_chunk_info", dset.id.id, selection.id.id, i, offset, byref(info), byref(address), byref(size))
            keep(offset, ctypes.pointer(info), ctypes.pointer(address), ctypes.pointer(size), None)
    dcpl = dset.id.get_create_plist()
    filters = [_count_filters(dcpl, i) for i in range(len(kinds))]
    return [Chunk(offset, address, size, _count_defined(dset, kinds, offset, plain),
                  tuple(map(Section, kinds, *_with_checksums(kinds, filters, size, (sizes, plain, masks)), masks)))
            for offset, address, size, sizes, plain, masks in found]


def _count_filters(dcpl, section):
    count = ctypes.c_int()
    call("H5Pget_nfilters2", dcpl.id, section, byref(count))
    return count.value


def _with_checksums(kinds, filters, size, sections):
    """Sizes of sections in the file. The library leaves out the checksum of those that no filter has changed."""
    sizes, plain, masks = sections
    heap = kinds != ["selection", "values"]
    hidden = {i for i, kind in enumerate(kinds) if sizes[i] and (heap or kind == "selection")}
    if 4 * len(hidden) != size - sum(sizes):
        hidden = {i for i in hidden if masks[i] == (1 << filters[i]) - 1}
    return tuple([bytes_ + 4 * (i in hidden) for i, bytes_ in enumerate(column)] for column in (sizes, plain))


def _number(dset, selection):
    count = hsize_t()
    call("H5Dget_num_chunks", dset.id.id, selection.id.id, byref(count))
    return count.value


def _count_defined(dset, kinds, offset, plain):
    if kinds == ["selection", "values"]:
        return plain[1] // dset.id.get_type().get_size()
    if kinds[0] != "selection":
        return _clipped(dset, offset)
    box = tuple(slice(at, at + side) for at, side in zip(offset, _chunk_shape(dset)))
    return _defined_space(dset, _select(dset, box)).get_select_npoints()
