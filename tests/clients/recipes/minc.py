"""MINC 2: medical images, C; the programs of its testdir that need no arguments."""

import glob

from kit import Programs, STOCK_PREFIX, compiled, debian_source


def build():
    folder = debian_source("libminc") + "/testdir"
    flags = ["-DMINC2=1", "-DHAVE_CONFIG_H=0", "-I" + folder, "-I/usr/include/hdf5/serial", "-L" + STOCK_PREFIX]
    return compiled("minc", sorted(glob.glob(folder + "/*.c")), flags + ["-lminc2", "-lnetcdf", "-lhdf5", "-lm"])


CLIENT = Programs(build, debian=["libminc-dev", "libnetcdf-dev"])
