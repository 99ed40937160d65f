"""gonum's hdf5: the Go binding."""

from kit import Go

CLIENT = Go("gonum.org/v1/hdf5", "v0.0.0-20210714002203-8c5d23bc6946")
