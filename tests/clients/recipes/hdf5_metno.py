"""hdf5-metno: the Rust binding."""

from kit import Cargo

CLIENT = Cargo("hdf5-metno", "0.15.1")
