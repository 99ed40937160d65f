"""nixio: the NIX data format (neuroscience), on h5py."""

from kit import Pytest

CLIENT = Pytest(pip=["nixio==1.5.3", "six==1.16.0"], sdist="nixio==1.5.3", tests=["{source}/nixio/test"])
