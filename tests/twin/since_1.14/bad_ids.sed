# skipped: libhdf5 1.14.5 dies of H5Oflush of a datatype that is in no file
