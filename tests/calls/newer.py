"""What 1.12, 1.14 and 2.x added to the public API: which kind of argument, which structures and functions of the application."""
import re

ADDED = re.compile(
    r"H5(ES|VL)\w+|H5\w+_(async|multi)|H5R(create_(object|region|attr)|destroy|copy|equal|open_\w+|get_(type|\w+_name|obj_type3))|"
    r"H5Ssel_iter\w+|H5O(token\w+|open_by_token|get_native\w+|get_info\w*3|visit\w*3)|"
    r"H5L(get_info\w*|iterate\w*|visit\w*)2|H5D(chunk_iter|read_chunk2)|H5E(append|is_paused|pause|resume)\w*|H5Fdelete|"
    r"H5Fis_accessible|H5Fget_fileno|H5FD(ctl|delete|is_driver\w+|\w+_(vector|selection))|H5Iiterate|H5Iregister_(future|type2)|"
    r"H5[PS]encode2|H5Tdecode2|H5T(reclaim|complex_create)|H5(atclose|is_library_terminating)|"
    r"H5P[gs]et_(vol\w*|driver_\w+|selection_io|modify_write_buf|relax\w+|\w+_selection\w*|no_selection_io_cause|virtual_spatial_tree)")

# Not called: they let go of locks there are none of, or have no meaning without parts that Debian's libraries do not have.
LEFT_OUT = r"H5M(?!M)\w+|H5FD_ioc_\w+|H5FDperform_init|H5P[gs]et_(fapl_(ioc|subfiling)|map_\w+)|H5FD_subfiling_init|H5FDsubfiling\w+|" \
           r"H5Iregister_future|H5FD_onion_init|H5FDonion\w+|H5P[gs]et_fapl_(onion|ros3_\w+)"

CLASSES = {"rapl": "REFERENCE_ACCESS", "vipl": "VOL_INITIALIZE"}
TYPES = ["STD_REF", "IEEE_F16LE", "IEEE_F16BE"]
KINDS = {"H5I_EVENTSET": "es", "H5I_VOL": "vol", "H5I_SPACE_SEL_ITER": "seliter"}
# What a line made that is no id.
MADE = [(r"H5Rcreate_(object|region|attr)|H5Rcopy", "ref2"), (r"H5Otoken_from_str", "token"), (r"H5Pencode2", "enc P"), (r"H5Sencode2", "enc S")]
MAKING = {
    "es": ("H5EScreate", []), "vol": ("H5VLget_connector_id_by_name", ['"native"']),
    "seliter": ("H5Ssel_iter_create", ["$space", "4", "0"]), "ref2": ("H5Rcreate_object", ["$file", '"d_int"', "0", "out"]),
}

IDS = [
    (r"\w+", r"es_id", "es"), (r"\w+", r"vol_id|new_vol_id|connector_id", "vol"), (r"\w+", r"sel_iter_id", "seliter"),
    (r"H5VLget_connector_name", r"id", "obj"), (r"H5VL\w+", r"vipl_id", "vipl"), (r"H5R\w+", r"rapl_id", "rapl"),
    (r"H5[DTG]open", r"loc_id", "loc:group"), (r"H5R\w+", r"oapl_id", "dapl"), (r"H5E\w+", r"(dst|src|)_?stack_id", "estack"), (r"H5[PS]encode2", r"fapl(_id)?", "fapl"),
    (r"H5Sencode2", r"obj_id", "space"), (r"H5Pencode2", r"plist_id", "plist"), (r"H5Rcreate_(object|attr)", r"loc_id", "loc:group"),
    (r"H5Rcreate_region", r"loc_id", "loc:group"), (r"H5Ssel_iter\w+", r"space_?id", "space"), (r"H5Aread_async", r"dtype_id", "type"),
    (r"H5Tcomplex_create", r"base_type_id", "type:float"), (r"H5Dread_chunk2", r"dset_id", "dset:chunked"),
    (r"H5Treclaim", r"type_id", "type:vlen"), (r"H5Dchunk_iter", r"dset_id", "dset:chunked"), (r"H5[OF](flush|refresh)\w*", r"o\w*id", "obj"),
    (r"H5P[sg]et_(vol\w*|relax_file_integrity_checks)", r"\w+", "fapl"),
    (r"H5P[sg]et_(selection_io|modify_write_buf|dataset_io_hyperslab_selection|actual_selection_io_mode|no_selection_io_cause)", r"\w+", "dxpl"),
    (r"H5P[sg]et_virtual_spatial_tree", r"\w+", "dcpl"), (r"H5Oopen_by_token|H5Otoken\w+", r"loc_id", "loc"),
]
STRINGS = [
    (r"\w+_async", r"app_\w+", "text"), (r"H5VL\w+", r"\w*name", "connector"), (r"H5Pset_driver_by_name|H5FDis_driver\w+", r"driver_name", "driver"),
    (r"H5Pset_driver_by_\w+", r"driver_config", "text"), (r"H5FDdelete", r"name", "driver file"), (r"H5Otoken_from_str", r"token_str", "token"),
    (r"H5Rcreate_region", r"name", "dataset path"), (r"H5Rcreate_(object|attr)", r"name", "object path"),
    (r"H5Rcreate_attr", r"attr_name", "attribute"), (r"H5Dopen", r"name", "dataset path"), (r"H5Topen", r"name", "type path"),
    (r"H5Gopen", r"name", "group path"), (r"H5Fis_accessible", r"container_name", "file name"),
]
TEXTS = {
    "connector": (["native", "native", "missing"], ["", "pass_through", "x" * 300]),
    "driver": (["sec2", "core", "stdio", "family", "log", "multi"], ["", "missing", "splitter", "x" * 300]),
    "token": (["@800", "@96"], ["", "800", "@", "text", "@99999999999999999999999"]),
}
NUMBERS = [
    (r"\w+", r"app_line", "1 100", "0 -1"), (r"H5ESwait", r"timeout", "-1 0 1000", "1"), (r"H5ES\w+", r"num_err_info", "1 1 5", "0"),
    (r"H5VL\w+", r"connector_value", "0 0", "1 100 255 256 -1"), (r"H5VLquery_optional", r"opt_type", "0 1 2 3 5", "100 -1"),
    (r"H5FDis_driver\w+|H5Pset_driver_by_value", r"driver_value", "0 1 2 4 5", "3 8 100 255 -1"),
    (r"H5FDctl", r"op_code", "0 1 3 100", "-1 512"), (r"H5FDctl", r"flags", "0 1 2 3", "4 -1"),
    (r"H5Ssel_iter_create", r"elmt_size", "1 4 8", "0"), (r"H5Ssel_iter_create", r"flags", "0 1 2 3", "4 -1"),
    (r"H5Ssel_iter_get_seq_list", r"maxseq|maxelmts", "1 2 10 100", "0"), (r"H5FD\w+", r"count", "1 1 2", "0"),
    (r"H5D(read|write)_multi", r"count", "0 1 2", "8 64"), (r"H5Pset_relax\w+", r"flags", "0 1", "-1 2"), (r"H5[OF]\w*(native_info|info|visit)\w*", r"fields", "1 2 4 8 16 31 0", "32 -1"),
    (r"H5Pset_dataset_io_hyperslab_selection", r"rank", "1 2 2", "0 33"), (r"H5Rget_\w+", r"size", "0 1 8 64 256", "3"),
    (r"H5Tdecode2", r"buf_size", "4096 1000 40", "0 1 8"), (r"H5Iregister_type2", r"reserved", "0 1 5", "100"),
]
POOLS = {"uint64_t": ("0 1 2", "-1"), "uint8_t": ("0 1", "255"), "H5FD_class_value_t": ("0 1", "-1"), "H5VL_class_value_t": ("0", "-1 100")}

SCALARS = {"uint64_t": "Q", "H5FD_class_value_t": "i", "H5VL_class_value_t": "i"}
STRUCTS = {
    "H5L_info2_t": "type:i corder_valid:B corder:q cset:i u:Q2",
    "H5O_info2_t": "fileno:Q token:B16 type:i rc:I atime:q mtime:q ctime:q btime:q num_attrs:Q",
    "H5O_native_info_t": "version:I nmesgs:I nchunks:I flags:I total:Q meta:Q mesg:Q free:Q present:Q shared:Q obj_index:Q obj_heap:Q "
                         "attr_index:Q attr_heap:Q",
    "H5O_token_t": "data:B16", "H5R_ref_t": "data:B64",
    "H5ES_err_info_t": "api_name:P api_args:P app_file_name:P app_func_name:P app_line_num:I op_ins_count:Q op_ins_ts:Q op_exec_ts:Q "
                       "op_exec_time:Q err_stack_id:q",
    "H5ES_op_info_t": "api_name:P api_args:P app_file_name:P app_func_name:P app_line_num:I op_ins_count:Q op_ins_ts:Q op_exec_ts:Q "
                      "op_exec_time:Q",
    # Since 1.14, where it begins with a version and a number.
    "H5FD_class_1_t": "version:I value:i name:P maxaddr:Q fc_degree:i terminate:P sb_size:P sb_encode:P sb_decode:P fapl_size:Q fapl_get:P "
                      "fapl_copy:P fapl_free:P dxpl_size:Q dxpl_copy:P dxpl_free:P open:P close:P cmp:P query:P get_type_map:P alloc:P "
                      "free:P get_eoa:P set_eoa:P get_eof:P get_handle:P read:P write:P read_vector:P write_vector:P read_selection:P "
                      "write_selection:P flush:P truncate:P lock:P unlock:P del:P ctl:P fl_map:i7",
}
# Structures whose memory later calls take.
KEPT = {"H5O_token_t", "H5R_ref_t"}
CALLBACKS = {
    "H5L_iterate2_t": "int:is{H5L_info2_t}p", "H5O_iterate2_t": "int:is{H5O_info2_t}p", "H5D_chunk_iter_op_t": "int:puaap",
    "H5ES_event_insert_func_t": "int:pp", "H5ES_event_complete_func_t": "int:pnip", "H5I_iterate_func_t": "int:ip",
    "H5_atclose_func_t": "void:p",
}
# Libraries that do nothing later have no event to tell of.
UNTOLD = {"H5ES_event_insert_func_t", "H5ES_event_complete_func_t"}
# What arrays hold, by the name of the parameter.
ARRAYS = {
    "offsets": ["[0,512]", "[100,0]", "[-1]"], "addrs": ["[0,512]", "[0,0]", "[-1]"], "element_sizes": ["[1,0]", "[4,4]", "[0]"],
    "sizes": ["[16,0]", "[64,512]", "[0]"], "types": ["[3,0]", "[3,3]", "[0]", "[100]"], "idx_p": ["NULL", "[0]", "[0]", "[1]", "[100]"],
}
SPACES = {"mem_spaces", "file_spaces", "mem_space_ids", "file_space_ids"}

# Transfers of several datasets at once.
MULTI = re.compile(r"H5D(read|write)_multi(_async)?")


def base(function):
    """The rules for calls with an event set are those for the same calls without."""
    return re.sub(r"_async$", "", function)


# How 1.10 says the same. Calls with an event set lose what they have besides, others what comes last.
SAME = {"H5Acreate": "H5Acreate2", "H5Dcreate": "H5Dcreate2", "H5Dopen": "H5Dopen2", "H5Gcreate": "H5Gcreate2", "H5Gopen": "H5Gopen2",
        "H5Tcommit": "H5Tcommit2", "H5Topen": "H5Topen2", "H5Oget_info3": "H5Oget_info2", "H5Oget_info_by_idx3": "H5Oget_info_by_idx2",
        "H5Oget_info_by_name": "H5Oget_info_by_name2", "H5Oget_info_by_name3": "H5Oget_info_by_name2", "H5Ovisit3": "H5Ovisit2",
        "H5Ovisit_by_name3": "H5Ovisit_by_name2"}
SAME.update({name + "2": name for name in ("H5Lget_info", "H5Lget_info_by_idx", "H5Literate", "H5Literate_by_name", "H5Lvisit",
                                           "H5Lvisit_by_name")})
SHORTER = {"H5Pencode2": "H5Pencode", "H5Sencode2": "H5Sencode", "H5Dread_chunk2": "H5Dread_chunk", "H5Tdecode2": "H5Tdecode"}


def alike(name):
    """What has the rules of another call: several datasets, those of one."""
    return re.sub(r"_multi$", "", old_name(name)).replace("H5Treclaim", "H5Dvlen_reclaim")


def old_name(name):
    return SHORTER.get(name) or SAME.get(base(name), base(name))


def in_old_words(label, name, tokens):
    """A line for 1.10."""
    if re.fullmatch(r"H5\w+exists\w*_async", name):
        return " ".join([f"{label}:", name, *tokens])  # The answer comes elsewhere.
    if name.endswith("_async"):
        tokens = tokens[3:-1]
    elif name in SHORTER:
        tokens = tokens[:-1]
    return " ".join([f"{label}:", old_name(name), *tokens])
