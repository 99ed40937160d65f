"""Random writes, erasures, growth and questions, against an array and a mask in memory."""

import os
import random
import unittest

import h5py
import numpy as np

import tessera

SEEDS = range(int(os.environ.get("PYTHON_SEEDS", "24")))
STEPS = 40


class Model:
    """A sparse dataset beside the values and the mask that it should have."""

    def __init__(self, file, name, r):
        self.r = r
        rank = 1 + r.randrange(4)
        most = {1: 300, 2: 40, 3: 14, 4: 8}[rank]
        shape = tuple(r.randint(1, most) for _ in range(rank))
        self.grows = r.random() < 0.5
        chunks = tuple(r.randint(1, side if not self.grows else side + 3) for side in shape)
        self.fill = r.choice([0, 0, 7, -3])
        compression = r.choice([None, "gzip", ("gzip", 1), "lzf", "zstd", {"selection": "gzip"},
                                {"selection": ["lz4"], "values": ["shuffle", 6]}, {"values": ["shuffle", "gzip"]}])
        self.dset = tessera.create_sparse(file, name, shape, "i4", chunks, (None,) * rank if self.grows else None, compression,
                                          self.fill, packing=r.choice([None, True, False]))
        self.values = np.full(shape, self.fill, dtype="i4")
        self.mask = np.zeros(shape, dtype=bool)

    def region(self):
        """What h5py takes, and what numpy takes for the same elements."""
        r, shape = self.r, self.values.shape
        kind = r.random()
        if kind < 0.05:
            return None, Ellipsis
        if kind < 0.15:
            mask = np.random.default_rng(r.randrange(1 << 30)).random(shape) < r.choice([0, 0.1, 0.5, 1])
            return mask, mask
        if kind < 0.2:
            first = self.axis(shape[0])
            return (first, Ellipsis), (first,) + (slice(None),) * (len(shape) - 1)
        asked = [self.axis(length) for length in shape]
        used = list(asked)
        axis = r.randrange(len(shape))
        length = shape[axis]
        if kind < 0.4 and length:
            asked[axis] = sorted(r.sample(range(length), r.randint(1, min(5, length))))
            used[axis] = asked[axis]
        elif kind < 0.55 and length > 3:
            block = r.randint(1, 2)
            stride = r.randint(block, 3)
            start = r.randint(0, 1)
            count = (length - start - block) // stride + 1
            asked[axis] = h5py.MultiBlockSlice(start=start, count=count, stride=stride, block=block)
            used[axis] = [start + i * stride + j for i in range(count) for j in range(block)]
        return tuple(asked), tuple(used)

    def axis(self, length):
        r, kind = self.r, self.r.random()
        if kind < 0.2 and length:
            return r.randrange(length)
        if kind < 0.4:
            return slice(None)
        ends = sorted((r.randint(0, length), r.randint(0, length)))
        return slice(*ends, r.choice([None, 1, 2, 3]))

    def elements(self, used):
        """The numbers of a region's elements in their order, and its shape: each axis for itself, as h5py takes them."""
        numbers = np.arange(self.values.size).reshape(self.values.shape)
        if not isinstance(used, tuple):
            numbers = numbers[used]
        else:
            for axis, item in reversed(list(enumerate(used))):
                numbers = numbers[(slice(None),) * axis + (item,)]
        return np.ravel(numbers), np.shape(numbers)

    def write(self):
        asked, used = self.region()
        numbers, shape = self.elements(used)
        values = np.random.default_rng(self.r.randrange(1 << 30)).integers(-5, 5, shape).astype("i4")
        self.dset[Ellipsis if asked is None else asked] = values
        self.values.reshape(-1)[numbers] = values.ravel()
        self.mask.reshape(-1)[numbers] = True

    def write_coo(self):
        n = self.r.choice([0, 1, 5, 50])
        if self.values.size == 0:
            n = 0
        rng = np.random.default_rng(self.r.randrange(1 << 30))
        coords = np.array([rng.integers(0, length or 1, n) for length in self.values.shape]).T
        coords = coords.astype(self.r.choice(["i8", "u8", "i4", "u2"]))
        values = rng.integers(-5, 5, n).astype(self.r.choice(["i4", "f8", "i2"]))
        tessera.write_coo(self.dset, coords, values if self.r.random() < 0.7 else values.tolist())
        for at, value in zip(coords, values):  # the last one stays
            self.values[tuple(at)] = value
            self.mask[tuple(at)] = True

    def erase(self):
        asked, used = self.region()
        tessera.erase(self.dset, asked)
        numbers, _ = self.elements(used)
        self.values.reshape(-1)[numbers] = self.fill
        self.mask.reshape(-1)[numbers] = False

    def resize(self):
        if not self.grows:
            return
        shape = tuple(max(0, length + self.r.randint(-3, 4)) for length in self.values.shape)
        self.dset.resize(shape)
        kept = tuple(slice(0, min(a, b)) for a, b in zip(shape, self.values.shape))
        values, mask = np.full(shape, self.fill, dtype="i4"), np.zeros(shape, dtype=bool)
        values[kept], mask[kept] = self.values[kept], self.mask[kept]
        self.values, self.mask = values, mask

    def check(self, case):
        asked, used = self.region()
        numbers, shape = self.elements(used)
        there = self.mask.reshape(-1)[numbers]
        expected = np.array(np.unravel_index(numbers[there], self.values.shape)).T.reshape(-1, self.values.ndim) \
            if there.any() else np.empty((0, self.values.ndim), dtype=np.int64)
        found = tessera.defined(self.dset, asked)
        case.assertEqual(found.dtype, np.int64)
        np.testing.assert_array_equal(found, expected)
        mask = tessera.defined(self.dset, asked, as_mask=True)
        case.assertEqual(mask.dtype, bool)
        np.testing.assert_array_equal(mask, there.reshape(shape))
        case.assertEqual(mask.shape, np.shape(self.dset[Ellipsis if asked is None else asked]))
        coords, values = tessera.read_coo(self.dset, asked)
        np.testing.assert_array_equal(coords, expected)
        np.testing.assert_array_equal(values, self.values.reshape(-1)[numbers][there])
        np.testing.assert_array_equal(self.dset[...], self.values)

    def check_chunks(self, case):
        """The records of chunks count every defined element once."""
        sides = self.dset.chunks
        where = {}
        for at in np.argwhere(self.mask):
            offset = tuple(int(a // side * side) for a, side in zip(at, sides))
            where[offset] = where.get(offset, 0) + 1
        found = tessera.chunks(self.dset)
        case.assertEqual({chunk.offset: chunk.defined for chunk in found}, where)
        for chunk in found:
            case.assertEqual(chunk.size, sum(section.size for section in chunk.sections))
            case.assertEqual([section.kind for section in chunk.sections], ["selection", "values"])
        asked, used = self.region()
        if np.size(self.elements(used)[0]):
            meets = {tuple(int(a // side * side) for a, side in zip(at, sides))
                     for at in np.array(np.unravel_index(self.elements(used)[0], self.values.shape)).T}
            case.assertEqual({chunk.offset for chunk in tessera.chunks(self.dset, asked)}, meets & set(where))


class Random(unittest.TestCase):
    def test_all(self):
        for seed in SEEDS:
            with self.subTest(seed=seed), h5py.File(f"model{seed}.h5", "w") as file:
                r = random.Random(seed)
                model = Model(file, "d", r)
                for _ in range(STEPS):
                    r.choice([model.write, model.write_coo, model.erase, model.resize])()
                    model.check(self)
                    if r.random() < 0.1:
                        model.check_chunks(self)
                    if r.random() < 0.1:
                        file.flush()
                model.check_chunks(self)
                file.close()
                with h5py.File(f"model{seed}.h5", "r") as again:
                    model.dset = again["d"]
                    self.assertTrue(tessera.is_sparse(model.dset))
                    for _ in range(10):
                        model.check(self)


if __name__ == "__main__":
    unittest.main()
