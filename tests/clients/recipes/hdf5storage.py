"""hdf5storage: Python objects and MATLAB 7.3 files, on h5py."""

from kit import Pytest

CLIENT = Pytest(pip=["hdf5storage==0.1.19"], sdist="hdf5storage==0.1.19", tests=["{source}/tests"])
