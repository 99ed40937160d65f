"""h5io: nested dictionaries in HDF5 files (neuroscience), on h5py."""

from kit import Pytest

CLIENT = Pytest(pip=["h5io==0.1.9", "pandas==1.5.3", "python-dateutil==2.8.2", "pytz==2023.3"],
                tests=["{site}/h5io/tests"])
