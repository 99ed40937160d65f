# A source that is no HDF5 file is told when the dataset is read; gaps are filled up to what is there.
/^noise.h5, d: /d
/^gap [01]: /d
