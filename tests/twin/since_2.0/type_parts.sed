# The size of an array cannot be set.
s/^(member\(compound\(array\(of\)\), 0\): order 0 set 0 size) (-1|0) /\1 /
