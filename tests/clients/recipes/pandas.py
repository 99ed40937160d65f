"""pandas: HDFStore, on PyTables."""

from kit import Pytest

CLIENT = Pytest(pip=["pandas==1.5.3", "hypothesis==6.75.9", "sortedcontainers==2.4.0", "attrs==23.1.0", "pytz==2023.3",
                     "python-dateutil==2.8.2"],
                tests=["{site}/pandas/tests/io/pytables"])
