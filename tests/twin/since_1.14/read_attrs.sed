# H5Aget_num_attrs takes the file for its root group; sizes of open types may be set.
/^  on the file /d
/^ *set size /d
