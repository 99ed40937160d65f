"""hdf5r: the R binding, with its testthat tests as Debian ships them."""

from kit import Rscript

CLIENT = Rscript("testthat.R", "hdf5r", ["r-cran-hdf5r", "r-cran-testthat"])
