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
    (r"H5Pencode", r"buf|nalloc", "lists for access to files have the properties of 1.10"),
    (r"H5Piterate", r"cb|idx", "properties are those of 1.10"), (r"H5Pget_nprops", r"nprops", "properties are those of 1.10"),
    (r"H5Pget_no_selection_io_cause|H5Pget_actual_selection_io_mode", r"\w+", "what data goes through is each library's own choice"),
    (r"H5Aexists\w*_async", r"exists", "libhdf5 leaves it as it is where there is none"),
    (r"H5Otoken_cmp", r"cmp_value", "which of two tokens comes first is the library's choice"),
]
EXCUSED = [
    (r"H5\w+_async", r"stock ok, ours fail .*(event set)", NO_SETS),
    (r"H5Pset_selection_io", r"stock ok, ours fail .*no selection I/O mode", "it means nothing, and stock does not look"),
    (r"H5Pset_driver_by_(name|value)", r"stock fail, ours ok .*can't set driver info", "since 2.0 drivers need no information to be set"),
    (r"H5Fdelete", r"stock ok, ours fail .*unable to delete the file", "a file that is open is not deleted"),
    (r"H5FD(read|write)_\w*selection", r"stock ok, ours fail .*file selection (read|write) request failed",
     "selections with unequal numbers of elements, of which libhdf5 dies, or reads anything"),
    (r"H5D(read|write)_multi_async", r"stock fail, ours ok .*can't (read|write) data", "of no dataset at all, as without _async"),
    (r"H5Otoken_from_str", r"stock ok, ours fail .*is no token", "libhdf5 takes any text"),
    (r"H5VL(register_connector|get_connector_id)_by_(name|value)", r"stock ok, ours fail .*no connector (but|has|is)",
     "the native connector is the only one"),
    (r"H5Ssel_iter_reset", r"stock ok, ours fail .*can't operate on dataspace", "a selection that is not within its extent"),
    (r"H5Rcreate_\w+", r"stock fail, ours ok .*oapl_id", "the list is for another class of objects, and has nothing that matters"),
    (r"H5P[sg]et_core_write_tracking", r"stock fail, ours ok .*incorrect VFL driver", "of any list, as in 1.10"),
    (r"H5[TO]close", r"stock fail, ours ok .*can't get VOL object for (dataset|object)", "of a type that is in no file"),
    (r"H5Tset_\w+", r"stock ok, ours fail .*datatype is read-only", "what is locked or committed is changed by nobody, as in 1.10"),
    (r"H5[RSP]\w+", r"stock ok, ours fail .*(property list|can't encode dataspace|not a location|argument rapl_id)", "libhdf5 does not look at this list"),
    (r"H5FD(read|write)_\w*selection", r"stock fail, ours ok .*file selection (read|write) request failed", "where nothing is selected"),
    (r"H5Dget_chunk_info", r"stock fail, ours ok .*chunk index is out of range", "a chunk that is not there has no address, as in 1.10"),
    (r"H5Treclaim", r"stock ok, ours fail .*can't get number of elements selected", "the product of the sizes overflows"),
    (r"H5O(flush|refresh)", r"stock ok, ours fail .*(unable to (flush|refresh) object|not an object)", "files are no objects here, as in 1.10"),
    (r"H5O(in|de)cr_refcount|H5Aget_num_attrs", r"stock ok, ours fail .*(invalid location identifier|not a location)",
     "files are no objects here, as in 1.10"),
    (r"H5Ropen_object", r"stock fail, ours ok .*unable to open object", "the list is for another class of objects, and has nothing that matters"),
    (r"H5ESfree_err_info", r"stock fail, ours ok", "of information without a stack of errors"),
    (r"H5Iiterate", r"stock ok, ours fail .*(no function to call|invalid type number)", "where there is nothing to call it with, and of type 0"),
]
REFERRED = r": H5Rcreate_(?:object|region|attr) [\s\S]*: H5Fclose (\$\w+)\n[\s\S]* \1\b[^\n]*\Z"
BECAUSE = [
    (r"\w+_async", r"return stock ok, ours fail", r": H5ESregister_(insert|complete)_func \S+ cb:-", "what the function refuses is not done"),
    (r"H5D(read|write)_multi", r"return stock fail, ours ok", r" \[(?:[^],\n]*,)*(\$\w+)(?:,[^],\n]*)*,\1[],][^\n]*\Z",
     "a chunked dataset twice in one call"),
    (r"H5P\w+", r"return stock fail, ours ok .*(not a dxpl|not a property list|is not a file access property list|can't find object)", r" H5P_LST_\w+ [^\n]*\Z",
     "2.x does not take the default list"),
    (r"\w+", r"\w+ .*\(no record\)", r": H5Epause_stack ", "while the stack is paused no failure has a record"),
    (r"H5FDis_driver_registered_by_(name|value)", r"return returns 0, here 1", r"", "the library's own drivers are known from the start"),
    (r"H5VLis_connector_registered_by_(name|value)", r"return returns 1, here 0", r"", "the native connector is the only one"),
    (r"H5(Dchunk_iter|Iiterate)", r"return returns 0, here [12]", r"", "what the function returned"),
    (r"H5Ovisit\d|H5Ovisit_by_name\d", r"callback ", r" (0|2|4|8|16|30|-2)( \S+)?\Z",
     "without H5O_INFO_BASIC libhdf5 knows no object from another"),
    (r"H5[PF]get_mdc_config", r"output .*stock .*: '0\.[\d]{1,3}'.* ours .*\d{12}'", r"", "2.x has numbers of double precision"),
    (r"H5Fopen", r"return stock fail, ours ok", r": H5Pset_fapl_core (\$\w+) [\s\S]* \1\Z",
     "memory reads what of a file that is open is on disk by then, which is all of a new one here"),
    (r"H5get_libversion", r"output ", r"", "a release of its own"),
    (r"H5Literate", r"return returns [12], here 0", r"", "with an event set the function is called later"),
    (r"H5Pget_cache", r"output .* stock .*(8388608|8191)", r"", "2.x has a larger cache"),
    (r"H5Pget_libver_bounds", r"output .*stock .*('high': \[5\]|'low': \[1\]).* ours .*('high': \[4\]|'low': \[0\])", r"",
     "2.x has other bounds from the start"),
    (r"\w+", r"return stock ok, ours fail", REFERRED, "a reference of libhdf5's keeps the id of the file that it was made with"),
    (r"H5Rget_obj_name", r"(return|output)", r": H5(L\w+|G\w*link\w*|Olink) ", "of several names libhdf5 tells the one that it finds first"),
]
OVERRUNS = {("H5Pencode2", "buf"), ("H5Sencode2", "buf"), ("H5Rget_obj_name", "name"), ("H5Rget_attr_name", "name"), ("H5Rget_file_name", "name")}
