"""hdf5storage: Python objects and MATLAB 7.3 files, on h5py."""

from kit import Pytest

CLIENT = Pytest(pip=["hdf5storage==0.1.19", "pynose==1.5.1"], sdist="hdf5storage==0.1.19", tests=["{source}/tests"])
