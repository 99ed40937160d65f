# The outermost record is that of the storage connector's layer, with other codes.
/^    a type that is in no file: /d
# H5Aget_num_attrs, H5Oflush and H5Orefresh take a file for its root group, the first an attribute for its object.
s/^(  [r.]{10})[r.](..)[r.]([r.] H5Aget_num_attrs)/\1 \2 \3/
s/^(  [r.]{13})[r.]([r.] H5O(flush|refresh))/\1 \2/
# The size of a committed type may be set.
s/^(  [r.]{7})[r.]([r.]* H5Tset_size)/\1 \2/
