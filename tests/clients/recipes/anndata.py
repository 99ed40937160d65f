"""anndata: annotated matrices (single cells), on h5py; .h5ad files."""

from kit import Pytest

CLIENT = Pytest(pip=["anndata==0.10.9", "array-api-compat==1.9", "natsort==8.4.0", "packaging==23.1", "pandas==1.5.3",
                     "python-dateutil==2.8.2", "pytz==2023.3", "boltons==23.0.0"],
                tests=["{site}/anndata/tests"])
