"""anndata: annotated matrices (single cells), on h5py; .h5ad files."""

from kit import Pytest

CLIENT = Pytest(pip=["anndata==0.10.9", "array-api-compat==1.9", "natsort==8.4.0", "packaging==23.1", "pandas==1.5.3",
                     "python-dateutil==2.8.2", "pytz==2023.3", "boltons==23.0.0", "zarr==2.13.6", "numcodecs==0.11.0", "asciitree==0.3.3", "fasteners==0.18",
                     "entrypoints==0.4", "joblib==1.2.0", "exceptiongroup==1.1.1", "typing-extensions==4.6.3"],
                sdist="anndata==0.10.9",
                tests=["{source}/tests/test_readwrite.py", "{source}/tests/test_io_elementwise.py",
                       "{source}/tests/test_io_utils.py", "{source}/tests/test_io_partial.py",
                       "{source}/tests/test_backed_hdf5.py", "{source}/tests/test_backed_sparse.py"])
