"""h5py, PyTables and netCDF4 in one process, on one library: each reads what the others have written, also while they have it
open. together.py FOLDER prints what it sees."""

import os
import shutil
import sys
import threading

import h5py
import netCDF4
import numpy as np
import tables

folder = sys.argv[1]
loaded = {os.path.realpath(line.split()[-1]) for line in open("/proc/self/maps") if "libhdf5_serial.so" in line}
print("libraries:", len(loaded), file=sys.stderr)
print("versions:", h5py.version.hdf5_version, tables.hdf5_version, netCDF4.__hdf5libversion__)


def path(name):
    return os.path.join(folder, name)


# A file of each, read by the two others.
with h5py.File(path("h5py.h5"), "w") as file:
    file["x"] = np.arange(5.0)
    file["x"].make_scale("x")
    file.create_dataset("grid", data=np.arange(20).reshape(4, 5), chunks=(2, 5), compression="gzip", shuffle=True)
    file["grid"].dims[1].attach_scale(file["x"])
    file["grid"].attrs["units"] = "m"
    file["text"] = ["a", "bc"]
    file["plain"] = np.arange(6, dtype=">i2").reshape(2, 3)
with tables.open_file(path("tables.h5"), "w") as file:
    table = file.create_table("/", "table", {"id": tables.Int32Col(pos=0), "name": tables.StringCol(8, pos=1)})
    table.append([(i, f"row {i}") for i in range(100)])
    table.cols.id.create_index()
    file.create_earray("/", "grows", obj=np.arange(12).reshape(4, 3))
    file.create_carray("/", "zipped", obj=np.arange(100), filters=tables.Filters(5, "zlib", shuffle=True))
with netCDF4.Dataset(path("netcdf.nc"), "w") as file:
    file.createDimension("t", None)
    file.createVariable("t", "f8", ("t",))[:] = [1, 2, 3]
    file.createVariable("v", "i2", ("t",), zlib=True)[:] = [4, 5, 6]
    file.createGroup("g").note = "here"

for name in ("h5py.h5", "tables.h5", "netcdf.nc"):
    with h5py.File(path(name)) as file:
        def tell(at, node):
            if isinstance(node, h5py.Dataset):
                print("h5py", name, at, node.dtype, node.shape, node[()].tolist() if node.shape is not None else None)
        file.visititems(tell)
    with tables.open_file(path(name)) as file:
        for at in sorted(file.root._v_leaves):
            try:
                leaf = file.get_node("/" + at)
                print("tables", name, at, type(leaf).__name__,
                      leaf.read().tolist() if not isinstance(leaf, tables.UnImplemented) else "")
            except KeyError as error:  # PyTables has no name for references, which dimension scales are made of
                print("tables", name, at, type(error), error)
    with netCDF4.Dataset(path(name)) as file:
        for at, variable in file.variables.items():
            print("netCDF", name, at, variable.dimensions, np.ma.filled(variable[:]).tolist())

# Open in two at a time: one library, so one open file. (A copy: netCDF leaves files open that are not its own.)
shutil.copy(path("tables.h5"), path("shared.h5"))
with tables.open_file(path("shared.h5"), "a") as file, h5py.File(path("shared.h5"), "a") as again:
    file.root.grows.append(np.full((1, 3), 7))
    file.flush()
    print("seen by h5py:", again["grows"].shape, again["grows"][-1].tolist())
    again["fresh"] = [1, 2, 3]
    again["zipped"][5] = -1
    again.flush()
    print("seen by tables:", file.root.zipped[5], [row["id"] for row in file.root.table.where("id > 96")])
with tables.open_file(path("shared.h5")) as file:
    print("afterwards:", file.root.fresh[:].tolist())

# Each in its own thread.
done = {}


def work(which, kind):
    target = path(f"{which}-{kind}")
    for turn in range(10):
        if kind == "h5py":
            with h5py.File(target, "w") as file:
                file.create_dataset("d", data=np.arange(5000) + turn, chunks=(100,), compression="gzip")
            with h5py.File(target) as file:
                done[which, kind] = int(file["d"][:].sum())
        else:
            with netCDF4.Dataset(target, "w") as file:
                file.createDimension("n", 5000)
                file.createVariable("d", "i8", ("n",), zlib=True)[:] = np.arange(5000) + turn
            with netCDF4.Dataset(target) as file:
                done[which, kind] = int(file["d"][:].sum())


# netCDF's own library is not made for threads, so one thread has it.
threads = [threading.Thread(target=work, args=(i, "netCDF" if i == 0 else "h5py")) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("threads:", sorted(done.items()))
