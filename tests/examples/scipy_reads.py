"""scipy_reads.py MATRICES DROPIN FILE.mtx...: what csr.h makes of Matrix Market files is what SciPy makes of them, and h5py on the
drop-in library in the folder DROPIN reads the same. Ends with 77 when SciPy or h5py is not installed."""
import os
import subprocess
import sys
import tempfile

try:
    import h5py  # noqa: F401: the child needs it
    import numpy as np
    import scipy.io
except ImportError as missing:
    print(f"skipped: {missing} (tools/dev/packages test clients)")
    sys.exit(77)

READ = """
import h5py, numpy, sys
for name in sys.argv[1:]:
    numpy.save(name, h5py.File(name)["matrix"][()])
"""
matrices, dropin, paths = sys.argv[1], sys.argv[2], sys.argv[3:]


def numbers(line, kind):
    return np.array(line.split(), kind)


def check(path, stored):
    out = subprocess.run([matrices, "--dump", stored, path], check=True, capture_output=True, text=True).stdout.split("\n")
    want = scipy.io.mmread(path).tocoo()
    rows, cols = want.tocsr(), want.tocsc()
    rows.sort_indices()
    cols.sort_indices()
    assert tuple(numbers(out[0], int)) == want.shape, path
    for at, matrix in (1, rows), (4, cols):
        assert np.array_equal(numbers(out[at], int), matrix.indptr), path
        assert np.array_equal(numbers(out[at + 1], int), matrix.indices), path
        assert np.array_equal(numbers(out[at + 2], float), matrix.data), path
    return want.toarray()


with tempfile.TemporaryDirectory() as work:
    stored = [os.path.join(work, f"{i}.h5") for i in range(len(paths))]
    dense = [check(*pair) for pair in zip(paths, stored)]
    env = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "ASAN_OPTIONS")}
    subprocess.run([sys.executable, "-c", READ, *stored], check=True, env={**env, "LD_LIBRARY_PATH": dropin})
    for path, name, want in zip(paths, stored, dense):
        assert np.array_equal(np.load(name + ".npy"), want), path
print(f"{len(paths)} files")
