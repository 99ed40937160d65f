"""CGNS: computational fluid dynamics, C; the programs of its tests folder that need no arguments."""

import glob
import os

from kit import Programs, compiled, debian_source

WITH_ARGUMENTS = {"dbtest", "open_cgns", "utils"}


def build():
    folder = debian_source("libcgns") + "/src/tests"
    sources = [[file, folder + "/utils.c"] for file in sorted(glob.glob(folder + "/*.c"))
               if os.path.basename(file)[:-2] not in WITH_ARGUMENTS]
    return compiled("cgns", sources, ["-I" + folder, "-I/usr/include/hdf5/serial", "-lcgns", "-lm"])


CLIENT = Programs(build, debian=["libcgns-dev"])
