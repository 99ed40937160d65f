# hsize_t is unsigned long, of the same size.
/^PRI.HSIZE = /d
