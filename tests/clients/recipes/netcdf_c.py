"""netCDF-C 4.9.3: the programs of nc_test4, compiled against Debian's libnetcdf."""

import glob

from kit import Programs, STOCK_PREFIX, compiled, crate, path

DEFINED = ["USE_NETCDF4", "USE_HDF5", "NETCDF_ENABLE_HDF5", "HAVE_UNISTD_H", "HAVE_SYS_TIME_H", "HAVE_STDINT_H", "HAVE_STRDUP",
           "HAVE_GETOPT_H", "HAVE_SYS_STAT_H", "HAVE_FCNTL_H", "HAVE_STRING_H", "HAVE_STDLIB_H"]


def build():
    source = crate("netcdf-src", "0.5.3") + "/source"
    open(path("config.h"), "w").close()
    flags = ["-D" + name for name in DEFINED] + ['-DTEMP_LARGE="."', '-DTOPSRCDIR="."', '-DTOPBINDIR="."']
    flags += ["-I" + path(), "-I" + source + "/include", "-I/usr/include/hdf5/serial", "-L" + STOCK_PREFIX]
    tests = [file for file in sorted(glob.glob(source + "/nc_test4/t*.c")) if "tst_large" not in file]  # gigabytes
    return compiled("netcdf_c", tests, flags + ["-lnetcdf", "-lhdf5_hl", "-lhdf5", "-lm"])


CLIENT = Programs(build, debian=["libnetcdf-dev"])
