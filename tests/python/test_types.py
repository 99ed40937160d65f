"""Every kind of element that h5py has, as sparse values."""

import unittest

import h5py
import numpy as np

import tessera

N = 40
rng = np.random.default_rng(5)
COMPOUND = np.dtype([("x", "f8"), ("n", "i2"), ("name", "S5"), ("pair", "u1", (2,))])
COLOUR = h5py.enum_dtype({"red": 0, "green": 1, "blue": 7}, basetype="u1")


def records():
    found = np.zeros(N, dtype=COMPOUND)
    found["x"], found["n"] = rng.random(N), rng.integers(-99, 99, N)
    found["name"] = [b"n%d" % i for i in range(N)]
    found["pair"] = rng.integers(0, 255, (N, 2))
    return found


def sequences():
    found = np.empty(N, dtype=object)
    for i in range(N):
        found[i] = np.arange(i % 5, dtype="i4") * i
    return found


PLAIN = {name: rng.integers(0, 100, N).astype(name) for name in
         ("i1", "u1", "<i2", ">i2", "<u4", ">u4", "<i8", ">i8", "u8", "f2", "<f4", ">f4", "<f8", ">f8")}
PLAIN["bool"] = rng.random(N) < 0.5
PLAIN["c8"] = (rng.random(N) + 1j * rng.random(N)).astype("c8")
PLAIN["c16"] = rng.random(N) + 1j * rng.random(N)
PLAIN["S7"] = np.array([b"t%d" % i for i in range(N)], dtype="S7")
PLAIN["V6"] = np.array([b"opaque"] * N, dtype="V6")


class Types(unittest.TestCase):
    def setUp(self):
        self.file = h5py.File(f"{self.id()}.h5", "w")
        self.addCleanup(self.file.close)
        self.coords = np.unravel_index(np.sort(rng.choice(600, N, replace=False)), (20, 30))
        self.coords = np.array(self.coords).T

    def make(self, dtype, **more):
        return tessera.create_sparse(self.file, "d", (20, 30), dtype, chunks=(7, 9), **more)

    def again(self):
        """The dataset from the file."""
        name = self.file.filename
        self.file.close()
        self.file = h5py.File(name, "r+")
        self.addCleanup(self.file.close)
        return self.file["d"]

    def check(self, dset, values, shuffled=True):
        order = rng.permutation(N) if shuffled else np.arange(N)
        tessera.write_coo(dset, self.coords[order], values[order])
        for get in (lambda: dset, self.again):
            now = get()
            coords, found = tessera.read_coo(now)
            np.testing.assert_array_equal(coords, self.coords)
            self.assertEqual(found.dtype, now.dtype)
            self.assertEqual(len(found), N)
            for one, other in zip(found, values):
                np.testing.assert_array_equal(one, other)

    def test_plain(self):
        for name, values in PLAIN.items():
            with self.subTest(dtype=name):
                for compression in (None, "gzip"):
                    self.check(self.make(values.dtype, compression=compression), values)
                    del self.file["d"]

    def test_compound(self):
        values = records()
        dset = self.make(COMPOUND, compression={"selection": 9, "values": ["shuffle", "gzip"]})
        self.check(dset, values)
        dset = self.file["d"]
        one = np.array((1.5, 2, b"abc", (3, 4)), dtype=COMPOUND)
        tessera.write_coo(dset, [(0, 0), (19, 29)], one)
        self.assertEqual(dset[19, 29], one)
        np.testing.assert_array_equal(dset["x", 0, 0], 1.5)

    def test_enum(self):
        values = rng.choice([0, 1, 7], N).astype("u1")
        self.check(self.make(COLOUR), values)
        self.assertEqual(h5py.check_enum_dtype(self.file["d"].dtype), {"red": 0, "green": 1, "blue": 7})

    def test_array(self):
        dset = self.make(np.dtype(("f4", (3,))))
        values = rng.random((N, 3)).astype("f4")
        tessera.write_coo(dset, self.coords, values)
        coords, found = tessera.read_coo(self.again())
        np.testing.assert_array_equal(coords, self.coords)
        np.testing.assert_array_equal(found, values)

    def test_strings(self):
        for filters in (None, "gzip", {"selection": "gzip", "heap": ["gzip"], "values": "shuffle"}):
            dset = self.make(h5py.string_dtype(), compression=filters)
            texts = ["", "ä" * 3] + [f"number {i}" for i in range(2, N)]
            tessera.write_coo(dset, self.coords, texts)
            for get in (lambda: dset, self.again):
                now = get()
                coords, found = tessera.read_coo(now)
                np.testing.assert_array_equal(coords, self.coords)
                self.assertEqual([text.decode() for text in found], texts)
                kinds = {tuple(section.kind for section in chunk.sections) for chunk in tessera.chunks(now)}
                self.assertEqual(kinds, {("selection", "values", "heap")})
                self.assertEqual(sum(chunk.defined for chunk in tessera.chunks(now)), N)
            tessera.erase(self.file["d"], np.s_[:, :15])
            left = self.coords[:, 1] >= 15
            self.assertEqual([text.decode() for text in tessera.read_coo(self.file["d"])[1]],
                             [text for text, there in zip(texts, left) if there])
            tessera.write_coo(self.file["d"], [(1, 1), (2, 2)], "same")
            self.assertEqual(self.file["d"].asstr()[2, 2], "same")
            del self.file["d"]

    def test_fixed_utf8(self):
        dset = self.make(h5py.string_dtype("utf-8", 8))
        tessera.write_coo(dset, self.coords[:2], ["ä", "zwei"])
        self.assertEqual(sorted(tessera.read_coo(dset)[1].tolist()), sorted(["ä".encode(), b"zwei"]))

    def test_sequences(self):
        self.check(self.make(h5py.vlen_dtype("i4")), sequences())

    def test_references(self):
        dset = self.make(h5py.ref_dtype)
        group = self.file.create_group("g")
        dset[3, 4] = group.ref
        coords, found = tessera.read_coo(dset)
        self.assertEqual(coords.tolist(), [[3, 4]])
        self.assertEqual(self.file[found[0]], group)

    def test_fill_values(self):
        for dtype, fill in (("i2", -7), ("f8", np.nan), ("c8", 1 + 2j), ("S3", b"abc"), (bool, True)):
            with self.subTest(dtype=dtype):
                dset = self.make(dtype, fillvalue=fill)
                np.testing.assert_array_equal(dset[0, 0], np.array(fill, dtype=dtype)[()])
                dset[1, 1] = fill
                self.assertEqual(tessera.defined(dset).tolist(), [[1, 1]])
                del self.file["d"]

    def test_conversion(self):
        dset = self.make("i2")
        tessera.write_coo(dset, [(1, 2), (3, 4)], np.array([1.0, 70000.0]))
        self.assertEqual(tessera.read_coo(dset)[1].tolist(), [1, 32767])


if __name__ == "__main__":
    unittest.main()
