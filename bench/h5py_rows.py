"""h5py_rows.py FOLDER: an h5py program that appends rows of 4 KiB and flushes after each; prints seconds for each row: the median, and the
fastest tenth."""
import pathlib
import sys
import time

import h5py
import numpy

ROWS = 200


def main():
    path = pathlib.Path(sys.argv[1]) / "h5py_rows.h5"
    row = numpy.arange(1024, dtype="f4")
    with h5py.File(path, "w") as file:
        rows = file.create_dataset("rows", (0, 1024), "f4", maxshape=(None, 1024), chunks=(64, 1024))
        file.flush()
        took = []
        for i in range(ROWS):
            start = time.perf_counter()
            rows.resize(i + 1, axis=0)
            rows[i] = row
            file.flush()
            took.append(time.perf_counter() - start)
    took.sort()
    print(took[ROWS // 2], took[ROWS // 10])
    path.unlink()


main()
