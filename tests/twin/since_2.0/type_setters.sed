# A sign below the offset is refused.
/^H5Tset_fields\(t, 0, 1, 8, 9, 10\) .* off 4 /d
