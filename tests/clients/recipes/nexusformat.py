"""nexusformat: NeXus files (neutrons, X-rays), on h5py."""

from kit import Pytest

CLIENT = Pytest(debian=["python3-hdf5plugin"], pip=["nexusformat==1.0.4"], sdist="nexusformat==1.0.4", tests=["{source}/tests"])
