"""What is not compared of the calls that 1.12, 1.14 and 2.x added, and why; the lists are those of masks.py."""
WHERE = "where things lie in a file is each library's own choice"
SIZES = "how much room things take in a file is each library's own choice"
REFERENCE = "what a reference looks like in memory is each library's own choice"
NO_SETS = "libhdf5 does nothing later without a connector: its sets stay empty, and are not looked at"

MASKS = [
    (r"H5[OLG]\w+", r"(\w+\.)?token(\.data)?", WHERE), (r"H5Otoken_from_str", r"token.*", WHERE),
    (r"H5Oget_native_info\w*", r".*", SIZES),
    (r"H5R\w+", r"\w*ref_ptr\.data", REFERENCE),
    (r"H5Fget_fileno", r"fileno", WHERE),
    (r"H5ESget_op_counter", r"counter", NO_SETS),
    (r"H5Dread_chunk2", r"buf|buf_size", "compressors differ in what they make of the same bytes"),
    (r"H5FD(read|write)_\w+", r"bufs", WHERE),
]
EXCUSED = [
    (r"H5\w+_async", r"stock ok, ours fail .*(event set)", NO_SETS),
    (r"H5Pset_selection_io", r"stock ok, ours fail .*no selection I/O mode", "it means nothing, and stock does not look"),
]
OVERRUNS = {("H5Pencode2", "buf"), ("H5Sencode2", "buf"), ("H5Rget_obj_name", "name"), ("H5Rget_attr_name", "name"), ("H5Rget_file_name", "name")}
