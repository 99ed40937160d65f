# The outermost record is that of the storage connector's layer, in other words.
s/(\)): \[.*/\1: failed/
