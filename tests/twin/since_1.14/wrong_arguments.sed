# The outermost record is that of the storage connector's layer, in other words.
s/(\)): \[.*/\1: failed/
# A file stands for its root group, an attribute for its object.
/^H5(Aget_num_attrs|Oflush|Orefresh)\((file|attr)\): /d
