"""Which library is there, what it reports, filters and chunks, threads, speed."""

import ctypes
import os
import subprocess
import sys
import threading
import time
import unittest

import h5py
import numpy as np

import tessera


def other_python(code, **environment):
    """A fresh Python with another environment: its exit status and output."""
    env = {**os.environ, **environment}
    for name in [name for name, value in env.items() if value is None]:
        del env[name]
    done = subprocess.run([sys.executable, "-B", "-c", code], env=env, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Which(unittest.TestCase):
    def test_here(self):
        about = tessera.library()
        self.assertTrue(tessera.running())
        self.assertRegex(about.tessera, r"^\d+\.\d+\.\d+$")
        self.assertEqual(about.hdf5, h5py.version.hdf5_version)
        self.assertEqual(os.path.dirname(about.path), os.path.realpath(os.environ["LD_LIBRARY_PATH"]))

    def test_stock(self):
        """On stock libhdf5 the module loads, says so, and refuses."""
        code = """
import h5py, tessera
assert not tessera.running() and tessera.library().tessera is None
f = h5py.File("stock.h5", "w")
d = f.create_dataset("d", (4,), "i4")
assert not tessera.is_sparse(d)
for call in (lambda: tessera.create_sparse(f, "x", (4,), "i4"), lambda: tessera.defined(d), lambda: tessera.erase(d),
             lambda: tessera.read_coo(d), lambda: tessera.write_coo(d, [1], [1]), lambda: tessera.chunks(d),
             lambda: tessera.to_scipy(d), lambda: tessera.from_scipy(f, "x", None)):
    try:
        call()
    except tessera.NotTessera as error:
        message = str(error)
    else:
        raise AssertionError("not refused")
print(message)
"""
        status, said = other_python(code, LD_LIBRARY_PATH=None)
        self.assertEqual(status, 0, said)
        self.assertRegex(said, r"h5py runs on HDF5 [\d.]+ \(/.*libhdf5_serial.*\), not on Tessera")
        self.assertIn("tessera run -- python3", said)

    def test_bundled(self):
        """An h5py with a library of its own gets another advice."""
        code = """
from tessera import _library
_library._loaded.about = _library.Library("/x/h5py.libs/libhdf5-346dd8fb.so.200.2.0", "1.12.2", None)
try:
    _library.require()
except _library.NotTessera as error:
    print(error)
"""
        self.assertIn("is part of this h5py and cannot be exchanged", other_python(code)[1])


class Reports(unittest.TestCase):
    def setUp(self):
        self.file = h5py.File(f"{self.id()}.h5", "w")
        self.addCleanup(self.file.close)
        self.dset = tessera.create_sparse(self.file, "d", (40, 60), "i4", chunks=(10, 20))

    def test_error_stack(self):
        dense = self.file.create_dataset("dense", (10,), "i4", chunks=(5,))
        with self.assertRaisesRegex(tessera.Error, "^H5Derase: dataset '/dense' of file .* is not sparse") as caught:
            tessera.erase(dense, slice(0, 2))
        self.assertIsInstance(caught.exception, RuntimeError)
        function, major, minor, text = caught.exception.stack[0]
        self.assertEqual((major, minor), ("Dataset", "Feature is unsupported"))
        self.assertIn("not sparse", text)
        self.assertEqual(caught.exception.stack[-1][0], "H5Derase")
        self.assertEqual(tessera.defined(self.dset).shape, (0, 2))  # the next call knows nothing of it

    def test_read_only(self):
        self.dset[0, 0] = 1
        name = self.file.filename
        self.file.close()
        with h5py.File(name, "r") as file:
            with self.assertRaisesRegex(tessera.Error, "open for reading only"):
                tessera.erase(file["d"])
            self.assertEqual(len(tessera.chunks(file["d"])), 1)

    def test_nothing_on_stderr(self):
        """Also in a thread, where h5py has not turned reports off."""
        code = """
import threading, h5py, tessera
d = h5py.File("quiet.h5", "w").create_dataset("d", (10,), "i4", chunks=(5,))
def work():
    try:
        tessera.erase(d)
    except tessera.Error:
        print("refused")
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
        self.assertEqual(other_python(code), (0, "refused\n"))

    def test_coordinates(self):
        for coords, values, error, said in (
                ([(1, 2, 3)], [4], ValueError, r"of shape \(1, 3\): a dataset of rank 2 takes \(n, 2\)"),
                ([1, 2], [4, 5], ValueError, "rank 2"),
                ([(1, 60)], [4], IndexError, "coordinate 60 of axis 1, which has 60"),
                ([(-1, 6)], [4], IndexError, "coordinate -1 of axis 0"),
                ([(1, 6), (2, 3)], [4], ValueError, "1 values for 2 coordinates"),
                ([(1, 6)], np.arange(3), ValueError, "3 values for 1 coordinates"),
                ([], [4], ValueError, "1 values for 0 coordinates"),
                ([(1.0, 6)], [4], TypeError, "integers, not float64")):
            with self.subTest(coords=coords), self.assertRaisesRegex(error, said):
                tessera.write_coo(self.dset, coords, values)
        self.assertEqual(len(tessera.defined(self.dset)), 0)
        tessera.write_coo(self.dset, [], [])
        tessera.write_coo(self.dset, [(1, 1), (2, 2)], 5)
        self.assertEqual(tessera.read_coo(self.dset)[1].tolist(), [5, 5])

    def test_regions(self):
        with self.assertRaises(ValueError):
            tessera.defined(self.dset, np.s_[1, 2, 3])
        with self.assertRaises(IndexError):
            tessera.defined(self.dset, 40)
        with self.assertRaises(TypeError):
            tessera.defined(self.dset, np.ones((3, 3), dtype=bool))
        self.assertEqual(tessera.defined(self.dset, np.s_[3:3]).shape, (0, 2))
        self.assertEqual(tessera.defined(self.dset, np.s_[3:3], as_mask=True).shape, (0, 60))
        tessera.erase(self.dset, np.s_[3:3])

    def test_region_reference(self):
        self.dset[5:8, 5:8] = 1
        self.assertEqual(tessera.defined(self.dset, self.dset.regionref[7:, :7]).tolist(), [[7, 5], [7, 6]])

    def test_order_of_points(self):
        self.dset[5:8, 5:8] = np.arange(9).reshape(3, 3)
        asked = tessera.points(self.dset, [(7, 7), (0, 0), (5, 5), (5, 6)])
        coords, values = tessera.read_coo(self.dset, asked)
        self.assertEqual(coords.tolist(), [[7, 7], [5, 5], [5, 6]])
        self.assertEqual(values.tolist(), [8, 0, 1])
        self.assertEqual(tessera.defined(self.dset, asked, as_mask=True).tolist(), [True, False, True, True])

    def test_creation(self):
        create = tessera.create_sparse
        for error, said, arguments in (
                (TypeError, "h5py.Group or h5py.File", ("name", "x", (4,), "i4")),
                (TypeError, "one dimension", (self.file, "x", (), "i4")),
                (TypeError, "one dimension", (self.file, "x", None, "i4")),
                (ValueError, "Chunk shape", (self.file, "x", (4,), "i4", (5,))),
                (ValueError, "already exists", (self.file, "d", (4,), "i4", (2,)))):
            with self.subTest(said=said), self.assertRaisesRegex(error, said):
                create(*arguments)
        for compression, said in (("foo", "foo"), ({"foo": "gzip"}, "no section 'foo'"),
                                  ({"values": "foo"}, "no filter 'foo'"), ({"heap": "gzip"}, "have no heap")):
            with self.subTest(compression=compression), self.assertRaisesRegex(ValueError, said):
                create(self.file, "x", (4,), "i4", compression=compression)
        with self.assertRaisesRegex(TypeError, "shuffle"):
            create(self.file, "x", (4,), "i4", compression={"values": "gzip"}, shuffle=True)
        self.assertNotIn("x", self.file)
        create(self.file, "strings", (4,), h5py.string_dtype(), compression={"heap": "gzip"})
        with h5py.File("old.h5", "w", libver=("earliest", "v108")) as old:
            with self.assertRaisesRegex(ValueError, "high bound"):
                create(old, "x", (4,), "i4")
        with h5py.File("new.h5", "w", libver="latest") as new:
            self.assertTrue(tessera.is_sparse(create(new, "x", (4,), "i4")))

    def test_as_h5py_sees_it(self):
        dset = tessera.create_sparse(self.file, "e", (10, 10), "f4", chunks=(5, 5), maxshape=(None, 10), compression="gzip",
                                     compression_opts=7, shuffle=True, fillvalue=2.5, track_order=True)
        self.assertEqual((dset.chunks, dset.maxshape, dset.compression, dset.compression_opts, dset.shuffle, dset.fillvalue),
                         ((5, 5), (None, 10), "gzip", 7, True, 2.5))
        dset.attrs["unit"] = "K"
        dset.resize(20, axis=0)
        self.assertEqual(dset[19, 9], 2.5)
        self.assertEqual(len(list(dset.iter_chunks())), 8)
        self.file.copy("e", "copy")
        self.assertTrue(tessera.is_sparse(self.file["copy"]))
        self.assertIsNone(tessera.create_sparse(self.file, None, (4,), "i4").name)

    def test_default_chunks(self):
        """Frames stay whole: the library's rule, not one of Python."""
        create = tessera.create_sparse
        cases = [((1000, 1024, 1024), None, "u2", (50, 1024, 1024)),
                 ((0, 1024, 1024), (None, 1024, 1024), "u2", (50, 1024, 1024)),
                 ((10, 256, 256), True, "u2", (800, 256, 256)), ((100, 100), None, "f8", (100, 100)), (7, None, "i4", (7,)),
                 ((0, 1000), (None, 1000), "f8", (13107, 1000)), ((4, 8, 8), None, h5py.string_dtype(), (4, 8, 8))]
        for i, (shape, maxshape, dtype, chunks) in enumerate(cases):
            for asked in (None, True):
                dset = create(self.file, f"{i}{asked}", shape, dtype, maxshape=maxshape, chunks=asked)
                self.assertEqual(dset.chunks, chunks)
                self.assertTrue(tessera.is_sparse(dset))
        self.file["float"] = np.dtype("f8")
        self.assertEqual(create(self.file, "committed", (9, 50, 50), self.file["float"]).chunks, (9, 50, 50))
        dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        dcpl.set_chunk((2, 3))
        self.assertEqual(create(self.file, "listed", (20, 20), "i4", dcpl=dcpl).chunks, (2, 3))

    def test_vast(self):
        """What it costs depends on the chunks that are there, not on those that could be."""
        dset = tessera.create_sparse(self.file, "vast", (2 ** 31, 2 ** 31), "u1", chunks=(1000, 1000), maxshape=(None, None))
        self.assertEqual(len(tessera.defined(dset)), 0)
        dset[2 ** 30, 2 ** 30] = 1
        dset[5:7, 3:8] = 2
        tessera.write_coo(dset, [(2 ** 31 - 1, 2 ** 31 - 1), (7, 7)], [3, 4])
        box = [[row, column] for row in (5, 6) for column in range(3, 8)]
        coords, values = tessera.read_coo(dset)
        self.assertEqual(coords.tolist(), box + [[7, 7], [2 ** 30] * 2, [2 ** 31 - 1] * 2])
        self.assertEqual(values.tolist(), [2] * 10 + [4, 1, 3])
        self.assertEqual(tessera.defined(dset, np.s_[6:, 6:]).tolist(), [[6, 6], [6, 7]] + coords[-3:].tolist())
        tessera.erase(dset, np.s_[:2 ** 31 - 1])
        self.assertEqual(tessera.defined(dset).tolist(), [[2 ** 31 - 1] * 2])
        tessera.erase(dset)
        self.assertEqual(tessera.chunks(dset), [])


class Chunks(unittest.TestCase):
    def setUp(self):
        self.file = h5py.File(f"{self.id()}.h5", "w")
        self.addCleanup(self.file.close)

    def filters(self, dset, section):
        """(number, parameters) of the filters of a section, from the library."""
        from tessera import _library

        library, found = _library._loaded._module, []
        library.H5Pget_filter3.argtypes = [ctypes.c_int64, ctypes.c_uint64, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p,
                                           ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
        library.H5Pget_nfilters2.argtypes = [ctypes.c_int64, ctypes.c_uint64, ctypes.c_void_p]
        dcpl, count = dset.id.get_create_plist(), ctypes.c_int()
        self.assertGreaterEqual(library.H5Pget_nfilters2(dcpl.id, section, ctypes.byref(count)), 0)
        for i in range(count.value):
            words, size = (ctypes.c_uint32 * 8)(), ctypes.c_size_t(32)
            number = library.H5Pget_filter3(dcpl.id, section, i, None, ctypes.byref(size), words, 0, None, None)
            found.append((number, tuple(words[:size.value // 4])))
        return found

    def test_sections(self):
        create = tessera.create_sparse
        dset = create(self.file, "a", (100, 100), "f8", chunks=(50, 50),
                      compression={"selection": ("gzip", 9), "values": ["shuffle", ("gzip", 2), "fletcher32"]})
        self.assertEqual(self.filters(dset, 0), [(60010, ()), (1, (9,))])
        self.assertEqual(self.filters(dset, 1), [(2, (8,)), (1, (2,)), (3, ())])
        dset = create(self.file, "b", (100, 100), "f8", chunks=(50, 50), compression=("gzip", 3), shuffle=True, packing=False)
        self.assertEqual(self.filters(dset, 0), [(2, (4,)), (1, (3,))])
        self.assertEqual(self.filters(dset, 1), [(2, (8,)), (1, (3,))])
        dset = create(self.file, "c", (100, 100), "f8", chunks=(50, 50), compression={"values": 7})
        self.assertEqual(self.filters(dset, 0), [])
        self.assertEqual(self.filters(dset, 1), [(1, (7,))])
        dset = create(self.file, "d", (100, 100), "f8", chunks=(50, 50), compression={"values": [(32015, 3), "lzf"]},
                      packing=True)
        self.assertEqual(self.filters(dset, 0), [(60010, ())])
        self.assertEqual([number for number, _ in self.filters(dset, 1)], [32015, 32000])
        dset = create(self.file, "e", (100, 100), "f8", chunks=(50, 50), compression=h5py.filters.Gzip(level=6))
        self.assertEqual(self.filters(dset, 1), [(1, (6,))])

    def test_records(self):
        dset = tessera.create_sparse(self.file, "a", (100, 100), "f8", chunks=(50, 40), compression="gzip")
        self.assertEqual(tessera.chunks(dset), [])
        dset[:60, 45] = np.arange(60)
        found = tessera.chunks(dset)
        self.assertEqual([(chunk.offset, chunk.defined) for chunk in found], [((0, 40), 50), ((50, 40), 10)])
        for chunk in found:
            selection, values = chunk.sections
            self.assertEqual(chunk.size, selection.size + values.size)
            self.assertEqual(values.plain_size, 8 * chunk.defined)
            self.assertLess(values.size, values.plain_size)
            self.assertGreater(chunk.address, 0)
            self.assertEqual(values.filter_mask, 0)
        self.assertEqual(tessera.chunks(dset, np.s_[55:]), found[1:])
        self.assertEqual(tessera.chunks(dset, np.s_[:, 80:]), [])
        # The bytes are there.
        self.file.flush()
        import zlib

        with open(self.file.filename, "rb") as raw:
            raw.seek(found[0].address + found[0].sections[0].size)
            packed = raw.read(found[0].sections[1].size)
        np.testing.assert_array_equal(np.frombuffer(zlib.decompress(packed), "<f8"), np.arange(50))

    def test_dense(self):
        dset = self.file.create_dataset("a", (15, 10), "u2", chunks=(10, 10), compression="gzip")
        dset[12:] = 3
        chunk, = tessera.chunks(dset)
        self.assertEqual((chunk.offset, chunk.defined), ((10, 0), 50))
        self.assertEqual((chunk.sections[0].kind, chunk.sections[0].plain_size), ("values", 200))
        self.assertEqual(tessera.chunks(dset, np.s_[:10]), [])
        self.assertEqual(tessera.chunks(dset, np.s_[10]), [chunk])
        with self.assertRaisesRegex(TypeError, "no chunks"):
            tessera.chunks(self.file.create_dataset("b", data=[1, 2]))
        self.assertEqual(len(tessera.defined(dset)), 150)
        self.assertEqual(tessera.defined(self.file["b"], [True, False], as_mask=True).tolist(), [True])


class Together(unittest.TestCase):
    def test_threads(self):
        """Threads on datasets of one file, with h5py's calls in between."""
        with h5py.File("threads.h5", "w") as file:
            dsets = [tessera.create_sparse(file, f"d{i}", (200, 200), "i4", chunks=(20, 20)) for i in range(4)]
            wrong = []

            def work(i):
                rng, model = np.random.default_rng(i), {}
                try:
                    for _ in range(30):
                        coords = rng.integers(0, 200, (50, 2))
                        values = rng.integers(0, 1000, 50)
                        tessera.write_coo(dsets[i], coords, values)
                        model.update(zip(map(tuple, coords.tolist()), values.tolist()))
                        found = tessera.read_coo(dsets[i])
                        assert dict(zip(map(tuple, found[0].tolist()), found[1].tolist())) == model
                        assert np.count_nonzero(dsets[i][...]) == np.count_nonzero(list(model.values()))
                        try:
                            tessera.write_coo(dsets[i], [(999, 0)], [1])
                        except IndexError:
                            pass
                except Exception as error:
                    wrong.append(error)

            threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])

    def test_swmr(self):
        """A reader in another process follows what is defined."""
        code = """
import h5py, tessera
f = h5py.File("swmr.h5", "r", swmr=True)
d = f["d"]
print(d.shape, tessera.read_coo(d)[0].tolist(), flush=True)
input()
d.refresh()
print(d.shape, tessera.read_coo(d)[0].tolist(), tessera.read_coo(d)[1].tolist(), len(tessera.chunks(d)))
"""
        with h5py.File("swmr.h5", "w", libver="latest") as file:
            dset = tessera.create_sparse(file, "d", (4, 8), "i4", chunks=(2, 8), maxshape=(None, 8), compression="gzip")
            dset[1, 2] = 5
            file.swmr_mode = True
            reader = subprocess.Popen([sys.executable, "-B", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      text=True)
            with reader:
                self.assertEqual(reader.stdout.readline(), "(4, 8) [[1, 2]]\n")
                dset.resize(6, axis=0)
                tessera.write_coo(dset, [(5, 7), (1, 3)], [6, 7])
                tessera.erase(dset, (1, 2))
                dset.flush()
                reader.stdin.write("\n")
                reader.stdin.flush()
                self.assertEqual(reader.stdout.readline(), "(6, 8) [[1, 3], [5, 7]] [7, 6] 2\n")
            self.assertEqual(reader.returncode, 0)

    def test_speed(self):
        """A million points in no order: no time for a loop over them."""
        rng, n = np.random.default_rng(1), 1000000
        with h5py.File("speed.h5", "w") as file:
            dset = tessera.create_sparse(file, "d", (10000, 10000), "f4", chunks=(500, 500), compression=("gzip", 1))
            numbers = rng.choice(10 ** 8, n, replace=False)
            coords, values = np.array(np.unravel_index(numbers, (10000, 10000))).T, rng.random(n).astype("f4")
            began = time.process_time()
            tessera.write_coo(dset, coords, values)
            file.flush()
            there, found = tessera.read_coo(dset)
            tessera.defined(dset, np.s_[:5000, ::2], as_mask=True)
            took = time.process_time() - began
            order = np.argsort(numbers)
            np.testing.assert_array_equal(there, coords[order])
            np.testing.assert_array_equal(found, values[order])
            print(f"a million points there and back: {took:.2f} s of CPU")
            self.assertLess(took, 5)


if __name__ == "__main__":
    unittest.main()
