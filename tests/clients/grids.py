"""grids.py FOLDER: files such as programs of the earth sciences read: grids in time, packed numbers, groups, images, swaths."""

import os
import sys

import h5py
import netCDF4
import numpy as np


def grid(path, kind, **storage):
    """Temperature and rain on a grid in time."""
    values = np.random.default_rng(7)
    with netCDF4.Dataset(path, "w", format=kind) as file:
        file.Conventions, file.title = "CF-1.8", "a grid"
        for name, size in (("time", None), ("lat", 9), ("lon", 18)):
            file.createDimension(name, size)
        time = file.createVariable("time", "f8", ("time",))
        time.units, time.calendar, time.standard_name = "days since 2001-01-01 00:00:00", "standard", "time"
        lat, lon = file.createVariable("lat", "f8", ("lat",)), file.createVariable("lon", "f8", ("lon",))
        lat.units, lat.standard_name = "degrees_north", "latitude"
        lon.units, lon.standard_name = "degrees_east", "longitude"
        warm = file.createVariable("warm", "f4", ("time", "lat", "lon"), fill_value=-9999.0, **storage)
        warm.units, warm.long_name = "K", "temperature"
        rain = file.createVariable("rain", "i2", ("time", "lat", "lon"), **storage)
        rain.scale_factor, rain.add_offset = 0.01, 5.0
        time[:] = np.arange(24) * 15.5
        lat[:], lon[:] = np.linspace(-80, 80, 9), np.arange(0, 360, 20)
        warm[:] = np.ma.masked_less(250 + 50 * values.random((24, 9, 18), dtype="f4"), 255)
        rain[:] = 5 + values.integers(0, 900, (24, 9, 18)) / 100


def groups(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 6)
        for number in range(12):
            group = file.createGroup(f"run{number:02}/inner")
            group.number = np.int64(number)
            group.createVariable("v", "f8", ("x",))[:] = np.arange(6) * number
            group.createVariable("name", str, ("x",))[:] = np.array([f"é{i}" for i in range(6)], dtype=object)


def images(path):
    values = np.random.default_rng(9)
    with h5py.File(path, "w") as file:
        file.attrs["mission"], file.attrs["numbers"] = "none", np.arange(5, dtype="u2")
        for kind in ("u1", "i2", "u2", "i4", "u4", "f4", "f8", ">i2", ">f4"):
            file[f"plain/{kind.replace('>', 'big_')}"] = (200 * values.random((20, 30))).astype(kind)
        file["plain/complex"] = (values.random((8, 8)) + 1j * values.random((8, 8))).astype("c8")
        file.create_dataset("packed/cube", data=values.integers(0, 50, (3, 40, 50)).astype("u2"), chunks=(1, 16, 16),
                            compression="gzip", shuffle=True, fletcher32=True)
        file.create_dataset("packed/empty", (3, 5), "f4", fillvalue=2.5, chunks=(2, 2))
        file.create_dataset("table", data=np.array([(1, 2.5, b"one"), (2, -1.5, b"two")],
                                                   dtype=[("n", "i4"), ("v", "f8"), ("s", "S5")]))
        file.create_dataset("words", data=["a", "bc", ""], dtype=h5py.string_dtype())
        file["soft"], file["hard"] = h5py.SoftLink("/plain/u1"), file["plain/i2"]
        file["seen"] = np.array([file["table"].ref, file["plain"].ref], dtype=h5py.ref_dtype)


def old_and_new(folder):
    """The same in the oldest and in the newest form."""
    for name, libver in (("oldest", ("earliest", "v108")), ("newest", ("latest", "latest"))):
        with h5py.File(os.path.join(folder, name + ".h5"), "w", libver=libver) as file:
            file.create_dataset("grown", data=np.arange(600.0).reshape(30, 20), maxshape=(None, 20), chunks=(7, 6))
            for number in range(30):
                file.attrs[f"a{number}"] = number
                file[f"many/{number}"] = np.full((3, 4), number, "i4")


def main(folder):
    grid(os.path.join(folder, "grid.nc"), "NETCDF4", zlib=True, shuffle=True, chunksizes=(5, 4, 7))
    grid(os.path.join(folder, "flat.nc"), "NETCDF4_CLASSIC")
    grid(os.path.join(folder, "sums.nc"), "NETCDF4", fletcher32=True)
    groups(os.path.join(folder, "groups.nc"))
    images(os.path.join(folder, "images.h5"))
    old_and_new(folder)


if __name__ == "__main__":
    main(sys.argv[1])
