"""HDF5Array: R's arrays in HDF5 files (Bioconductor), with its RUnit tests."""

from kit import Rscript

CLIENT = Rscript("runit.R", "HDF5Array", ["r-bioc-hdf5array", "r-cran-runit"])
