# A file stands for its root group.
/^H5O(incr_refcount|flush|refresh)\(file\): /d
