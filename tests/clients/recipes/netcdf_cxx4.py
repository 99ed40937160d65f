"""netCDF-C++4: its test programs, C++."""

import glob

from kit import Programs, compiled, debian_source


def build():
    folder = debian_source("netcdf-cxx") + "/cxx4"
    return compiled("netcdf_cxx4", sorted(glob.glob(folder + "/test*.cpp")), ["-I" + folder, "-lnetcdf_c++4", "-lnetcdf"], "g++")


CLIENT = Programs(build, debian=["libnetcdf-c++4-dev"])
