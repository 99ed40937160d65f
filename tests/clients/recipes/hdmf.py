"""hdmf: the data model under NWB (neuroscience), on h5py."""

from kit import Pytest

CLIENT = Pytest(pip=["hdmf==3.14.5", "pandas==1.5.3", "ruamel.yaml==0.17.40", "jsonschema==4.17.3", "pyrsistent==0.19.3",
                     "attrs==23.1.0", "python-dateutil==2.8.2", "pytz==2023.3"],
                sdist="hdmf==3.14.5", tests=["{source}/tests/unit"])
