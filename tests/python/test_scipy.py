"""Matrices of scipy, there and back."""

import sys
import unittest

import h5py
import numpy as np

import tessera

try:
    import scipy.sparse as sparse
except ImportError:
    print("skipped: python3-scipy is not installed (tools/dev/packages clients)")
    sys.exit(77)

FORMATS = ("csr", "csc", "coo")


class Matrices(unittest.TestCase):
    def setUp(self):
        self.file = h5py.File(f"{self.id()}.h5", "w")
        self.addCleanup(self.file.close)
        self.made = 0

    def trip(self, matrix, **more):
        """There, and back in every format."""
        self.made += 1
        dset = tessera.from_scipy(self.file, f"m{self.made}", matrix, **more)
        self.assertTrue(tessera.is_sparse(dset))
        self.assertEqual(dset.shape, matrix.shape)
        self.assertEqual(dset.dtype, matrix.dtype)
        expected = matrix.tocsr(copy=True)
        expected.sum_duplicates()
        for name in FORMATS:
            back = tessera.to_scipy(dset, name)
            self.assertEqual(back.format, name)
            self.assertEqual(back.dtype, matrix.dtype)
            self.assertEqual(back.shape, matrix.shape)
            self.assertEqual(back.nnz, expected.nnz)
            if name != "coo":
                back.check_format(full_check=True)
            self.same(back.tocsr(), expected)
            self.same(back.asformat(name), expected.asformat(name))
        np.testing.assert_array_equal(dset[...], expected.toarray())
        return dset

    def same(self, one, other):
        names = ("row", "col", "data") if one.format == "coo" else ("indptr", "indices", "data")
        for name in names:
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))

    def test_random(self):
        for seed, (shape, density) in enumerate((((1, 1), 1), ((50, 70), 0.1), ((70, 50), 0.5), ((1, 300), 0.2),
                                                 ((300, 1), 0.2), ((1000, 1000), 0.001), ((20, 20), 1))):
            for name in FORMATS:
                with self.subTest(shape=shape, format=name):
                    self.trip(sparse.random(*shape, density=density, format=name, random_state=seed))

    def test_types(self):
        for dtype in ("i1", "u2", "i4", "i8", "f4", "f8", "c8", "c16", bool):
            with self.subTest(dtype=dtype):
                matrix = sparse.random(30, 40, density=0.2, format="csr", random_state=3)
                self.trip((matrix * 100).astype(dtype))

    def test_empty(self):
        self.trip(sparse.csr_matrix((5, 7), dtype="f8"))
        rows = sparse.lil_matrix((10, 10))
        rows[3, 4] = rows[9, 9] = 1.5
        self.trip(rows.tocsr())
        self.trip(rows.tocsc())

    def test_zeros_stay(self):
        matrix = sparse.csr_matrix((np.array([1.0, 0.0, 2.0]), np.array([1, 2, 0]), np.array([0, 2, 2, 3])), shape=(3, 4))
        self.assertEqual(tessera.defined(self.trip(matrix)).tolist(), [[0, 1], [0, 2], [2, 0]])

    def test_duplicates(self):
        row, column, data = [0, 2, 0, 2, 2], [1, 3, 1, 3, 0], [1, 2, 3, 4, 5]
        coo = sparse.coo_matrix((data, (row, column)), shape=(3, 4))
        dset = self.trip(coo)
        self.assertEqual(tessera.read_coo(dset)[1].tolist(), [4, 5, 6])
        self.assertEqual(coo.nnz, 5)  # the matrix is as it was
        csr = sparse.csr_matrix((np.array([1, 2, 4]), np.array([3, 1, 3]), np.array([0, 3])), shape=(1, 4))
        self.assertEqual(tessera.read_coo(self.trip(csr))[1].tolist(), [2, 5])
        self.assertEqual(csr.indices.tolist(), [3, 1, 3])

    def test_index_types(self):
        for dtype in ("i4", "i8"):
            matrix = sparse.random(50, 60, density=0.1, format="csr", random_state=9)
            matrix.indices, matrix.indptr = matrix.indices.astype(dtype), matrix.indptr.astype(dtype)
            self.trip(matrix)
        wide = sparse.coo_matrix(([1.0, 2.0], ([0, 5], [2 ** 33, 7])), shape=(6, 2 ** 40))
        dset = tessera.from_scipy(self.file, "wide", wide)
        back = tessera.to_scipy(dset)
        self.assertEqual(back.indices.dtype, np.int64)
        self.assertEqual(back.indices.tolist(), [2 ** 33, 7])

    def test_other_formats(self):
        for name in ("lil", "dok", "bsr", "dia"):
            self.trip(sparse.random(12, 12, density=0.3, random_state=2).asformat(name))

    def test_options(self):
        matrix = sparse.random(100, 100, density=0.05, random_state=1)
        dset = self.trip(matrix, chunks=(10, 100), compression={"selection": "gzip", "values": ["shuffle", "zstd"]})
        self.assertEqual(dset.chunks, (10, 100))
        dset = self.trip(matrix, maxshape=(None, None), compression="gzip")
        dset.resize((200, 200))
        self.assertEqual(tessera.to_scipy(dset).shape, (200, 200))

    def test_dense_datasets(self):
        dset = self.file.create_dataset("dense", data=np.arange(6).reshape(2, 3))
        self.assertEqual(tessera.to_scipy(dset).nnz, 6)

    def test_refused(self):
        with self.assertRaisesRegex(TypeError, "not a sparse matrix"):
            tessera.from_scipy(self.file, "x", np.eye(3))
        cube = tessera.create_sparse(self.file, "cube", (2, 2, 2), "f4", chunks=(2, 2, 2))
        with self.assertRaisesRegex(ValueError, "2 dimensions"):
            tessera.to_scipy(cube)
        filled = tessera.create_sparse(self.file, "filled", (2, 2), "f4", chunks=(2, 2), fillvalue=3)
        with self.assertRaisesRegex(ValueError, "is 3.0 where nothing is defined"):
            tessera.to_scipy(filled)
        texts = tessera.create_sparse(self.file, "texts", (2, 2), "S3", chunks=(2, 2))
        with self.assertRaisesRegex(TypeError, "no matrices"):
            tessera.to_scipy(texts)
        with self.assertRaisesRegex(ValueError, "no format"):
            tessera.to_scipy(filled, "dok")


if __name__ == "__main__":
    unittest.main()
