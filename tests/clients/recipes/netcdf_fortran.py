"""netCDF-Fortran: its test programs for netCDF 4, Fortran 77 and 90."""

import glob

from kit import Programs, compiled, debian_source


def build():
    source = debian_source("netcdf-fortran")
    tests = sorted(glob.glob(source + "/nf_test4/*.F") + glob.glob(source + "/nf03_test4/*.f90"))
    flags = ["-I/usr/include", "-fallow-argument-mismatch", "-ffree-line-length-none", "-lnetcdff", "-lnetcdf"]
    return compiled("netcdf_fortran", tests, flags, "gfortran")


CLIENT = Programs(build, debian=["libnetcdff-dev", "gfortran"])
