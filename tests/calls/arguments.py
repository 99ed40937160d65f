"""Which kind of argument each parameter of each function wants. The first rule that fits counts."""
import functools
import re

import newer

# Functions that get no calls of their own, and why.
LEFT_OUT = {"H5Pset_fapl_windows": "Windows"}

# Calls that end stock's process so often that little would be seen behind them, and arguments that have no meaning in C.
LISTS = {
    "fcpl": r"userblock|sizes|sym_k|istore_k|shared_mesg\w*|file_space\w*|version",
    "fapl": r"alignment|driver\w*|family_offset|multi_type|cache|mdc_config|gc_references|fclose_degree|meta_block_size|"
            r"sieve_buf_size|small_data_block_size|libver_bounds|elink_file_cache_size|file_image\w*|core_write_tracking|"
            r"metadata_read_attempts|object_flush_cb|mdc_log_options|evict_on_close|mdc_image_config|page_buffer_size|"
            r"file_locking|fapl\w*",
    "ocpl": r"attr_phase_change|attr_creation_order|obj_track_times|modify_filter|filter|nfilters|filter1|filter2|"
            r"filter_by_id1|filter_by_id2|all_filters_avail|remove_filter|deflate|fletcher32",
    "dcpl": r"layout|chunk|virtual|virtual_count|virtual_vspace|virtual_srcspace|virtual_filename|virtual_dsetname|chunk_opts|"
            r"external\w*|szip|shuffle|nbit|scaleoffset|fill\w*|alloc_time|dset_no_attrs_hint",
    "dapl": r"chunk_cache|virtual_view|virtual_printf_gap|virtual_prefix|append_flush|efile_prefix",
    "dxpl": r"data_transform|buffer|preserve|edc_check|filter_callback|btree_ratios|hyper_vector_size|vlen_mem_manager|"
            r"type_conv_cb",
    "lcpl": r"create_intermediate_group|char_encoding",
    "gcpl": r"local_heap_size_hint|link_phase_change|est_link_info|link_creation_order",
    "lapl": r"nlinks|elink_\w+",
    "ocpypl": r"copy_object|mcdt_search_cb|\w*merge_committed\w*",
}

# Ids: function, parameter, kind; behind a colon, what it must be like.
IDS = [
    (r"H5T(insert|pack)", r"type_id|parent_id", "type:compound"),
    (r"H5Tget_(nmembers|member_index|member_name|member_class|member_type|member_offset)", r"type_id", "type:members"),
    (r"H5T(enum_(insert|nameof|valueof)|get_member_value)", r"type|type_id", "type:enum"),
    (r"H5T(get_array_\w+)", r"type_id", "type:array"),
    (r"H5T[gs]et_(cset|strpad)|H5Tis_variable_str", r"type_id", "type:string"),
    (r"H5T[gs]et_(fields|ebias|norm|inpad)", r"type_id", "type:float"),
    (r"H5T[gs]et_(sign)", r"type_id", "type:integer"),
    (r"H5T[gs]et_tag", r"type", "type:opaque"),
    (r"H5T(flush|refresh|get_create_plist)", r"type_id", "type:committed"),
    (r"H5T(set_\w+|lock|commit\w*|close)", r"type_id", "type:own"),
    (r"H5Tget_super", r"type", "type:derived"),
    (r"H5Tenum_create", r"base_id", "type:integer"),
    (r"H5Dvlen_(reclaim|get_buf_size)", r"type_id", "type:vlen"),
    (r"H5Sget_select_elem_\w+", r"spaceid", "space:points"),
    (r"H5S(get_select_hyper_\w+|get_regular_hyperslab|is_regular_hyperslab|combine_select|modify_select)", r"space\w*", "space:hyperslab"),
    (r"H5D\w*chunk\w*|H5D(extend|set_extent)", r"dset_id|did", "dset:chunked"),
    (r"H5Pget_virtual_(count|vspace|srcspace|filename|dsetname)", r"dcpl_id", "dcpl:virtual"),
    (r"H5Pget_external\w*", r"plist_id", "dcpl:external"),
    (r"H5P(get_filter\w+|modify_filter|remove_filter|get_nfilters|all_filters_avail)", r"plist_id", "dcpl:filters"),
    (r"H5P(get_chunk|[sg]et_chunk_opts)", r"plist_id", "dcpl:chunked"),
    (r"H5P[sg]et_shared_mesg_index", r"plist_id", "fcpl:shared"),
    (r"H5P(get|set|remove|get_size)", r"plist_id|id", "dcpl:p0"), (r"H5Punregister", r"pclass_id", "pclass:p0"),
    (r"H5P[sg]et_hyper_vector_size", r"\w+", "dxpl"), (r"H5Pget_data_transform", r"plist_id", "dxpl:transform"),
    (r"H5Pcopy_prop", r"src_id", "dcpl:p0"), (r"H5Pcopy_prop", r"dst_id", "dcpl"),
    (r"H5Pget_fapl_(core|family|multi|splitter)|H5Pget_(family_offset|multi_type|driver_info)|H5Pset_(family_offset|multi_type)", r"fapl_id|plist_id", "fapl:driver"),
    (r"H5(L|G|O)\w*_by_idx|H5L(iterate|visit)|H5G\w+", r"loc_id|grp_id", "loc:group"),
    (r"H5(L\w+|Dcreate\w*|Gcreate\w*|Tcommit\w*|Tcreate\w*|[DTG]open\d|Oopen|Olink|Ocopy|Fmount|Funmount)", r"\w*loc\w*", "loc:group"),
    (r"H5A\w+", r"loc_id|obj_id", "loc:attributes"),
    (r"H5P(set|get)_fill_value", r"type_id", "type"),
    (r"H5Tget_tag|H5T\w+", r"type|type_id|type1_id|type2_id|base_id|parent_id|member_id|src_id|dst_id", "type"),
    (r"H5T(en|de)code", r"obj_id", "type"),
    (r"H5Sencode", r"obj_id", "space"),
    (r"H5S\w+", r"(src|dst)_id", "space"),
    (r"H5Pcopy_prop", r"(src|dst)_id", "plist"),
    (r"H5Pget_(nprops|size)|H5Piterate|H5Pequal", r"id\d?", "plist"),
    (r"H5Pclose_class|H5Pget_class_(name|parent)", r"\w+", "pclass"),
    (r"H5P\w+", r"cls_id|pclass_id|parent", "pclass"),
    (r"H5Punregister|H5Pregister\d", r"\w+", "pclass"),
    (r"H5P\w+", r"driver_id", "driver"),
    (r"H5FD\w+", r"driver_id", "driver"),
    (r"H5Epush2|H5Ecreate_msg|H5Eget_class_name|H5Eunregister_class", r"cls_id|cls|class_id", "eclass"),
    (r"H5Epush2", r"maj_id", "major"), (r"H5Epush2", r"min_id", "minor"),
    (r"H5E\w+", r"msg_id|err_id", "emsg"),
    (r"H5E\w+", r"err_stack|estack_id|stack_id|err_stack_id|error_stack_id", "estack"),
    (r"H5Fmount", r"child", "file"),
    (r"H5Fmount", r"plist", "plist"),
    (r"H5R(dereference\d|get_obj_type\d|get_region|get_name)", r"id|obj_id|loc_id|dataset", "loc"),
    (r"H5I\w+", r"id", "any"),
    (r"\w+", r"mem_space_id|file_space_id|fspace_id", "space or all"),
    (r"\w+", r"\w*space\w*id|vspace_id|space1_id|space2_id", "space"),
    (r"\w+", r"\w*type_id", "type"),
    (r"\w+", r"file_id|fid", "file"),
    (r"\w+", r"group_id|grp_id", "group"),
    (r"\w+", r"dset_id|did|dataset", "dset"),
    (r"\w+", r"attr_id", "attr"),
    (r"\w+", r"obj_id|object_id|oid", "obj"),
    (r"\w+", r"\w*loc\w*", "loc"),
    (r"\w+", r"lapl_id|lcpl_id|dxpl_id|dcpl_id|dapl_id|acpl_id|aapl_id|gapl_id|gcpl_id|tcpl_id|tapl_id|fcpl_id|fapl_id|ocpypl_id", "list"),
    (r"\w+", r"fapl|meta_plist_id|raw_plist_id|memb_fapl_id|fapl_id", "fapl"),
    (r"\w+", r"oapl_id", "dapl"),
    (r"H5T\w+|H5D\w+", r"plist_id", "dxpl"),
    (r"H5P\w+", r"plist_id|plist", "by name"),
]

# Strings.
STRINGS = [
    (r"H5A\w+", r"obj_name", "object path"), (r"H5Dopen\d", r"name", "dataset path"), (r"H5Topen\d", r"name", "type path"),
    (r"H5Gopen\d|H5Fu?n?mount|H5Giterate", r"name", "group path"), (r"\w+", r"group_name", "group path"),
    (r"H5FDopen", r"name", "driver file"), (r"H5F\w+", r"filename|name", "file name"),
    (r"H5Fu?n?mount", r"name", "path"),
    (r"H5Pset_virtual", r"src_file_name", "file name"), (r"H5Pset_external", r"name", "raw name"),
    (r"H5Lcreate_external", r"file_name", "file name"),
    (r"H5A\w+", r"attr_name|old_name|new_name|old_attr_name|new_attr_name", "attribute"),
    (r"H5A(open_name|create1)", r"name", "attribute"),
    (r"H5T(insert|enum_\w+|get_member_index|register|unregister)", r"name", "member"),
    (r"H5Tset_tag", r"tag", "text"),
    (r"H5P(insert\d|register\d|exist|get|set|get_size|remove|unregister|copy_prop|create_class)", r"name", "property"),
    (r"H5Pset_data_transform", r"expression", "expression"),
    (r"H5PL\w+", r"search_path", "folder"),
    (r"H5P\w+", r"prefix", "folder"),
    (r"H5P\w+", r"logfile|location", "raw name"),
    (r"H5P\w+", r"(meta|raw)_ext", "extension"),
    (r"H5E\w+", r"\w+", "text"), (r"\w+", r"comment", "text"),
    (r"H5[LGDTO](create\w*|link2?|move2?|copy|commit\d?)", r"name|new_name|link_name|dst_name", "new path"),
    (r"\w+", r"\w+", "path"),
]

# Numbers: what makes sense, and what does not.
NUMBERS = [
    (r"H5Fcreate", r"flags", "H5F_ACC_TRUNC H5F_ACC_EXCL 3 6 2", "0 1 17 999 -1"),
    (r"H5FDopen", r"flags", "17 17 19 1 0", "2 999 -1"),
    (r"H5Fopen", r"flags", "H5F_ACC_RDONLY H5F_ACC_RDWR 32 64 33 16", "2 4 8 999 -1"),
    (r"H5Pset_elink_acc_flags", r"flags", "0 1 65535 33", "2 7 -1"),
    (r"H5F\w+", r"types", "1 2 4 8 16 31 63 32 33", "0 64 -1"),
    (r"H5F\w+", r"max_objs", "0 1 5 60", "-1"),
    (r"H5FDopen", r"maxaddr", "0 -1 1000000", "1 -2"),
    (r"H5FD\w+", r"addr|eoa", "0 8 100 512 2048 5000", "-1 -2 9223372036854775808"),
    (r"H5FD\w+", r"size", "0 1 16 512 2048", "-1"),
    (r"H5Pset_(chunk)$", r"ndims", "1 2 2 3", "0 -1 4 32 33 34"),
    (r"H5S\w+", r"rank", "0 1 2 2 3", "-1 4 32 33 100"),
    (r"H5Tarray_create\d", r"ndims", "1 2 3", "0 -1 32 33"),
    (r"H5Pset_append_flush", r"ndims", "1 2", "0 33 -1"), (r"H5Pget_append_flush", r"dims", "0 1 2 3", "33"),
    (r"H5Pget_chunk", r"max_ndims", "0 1 2 3 10", "-1"),
    (r"H5Tcreate", r"size", "1 2 4 8 16 24 -1", "0 1000000000000"),
    (r"H5Tset_size", r"size", "1 2 4 8 10 16 -1", "0 1000000000000"),
    (r"H5Tset_precision", r"prec", "1 7 8 16 31 32 64", "0 -1 1000"),
    (r"H5Tset_offset", r"offset", "0 1 4 8", "-1 1000 100000"),
    (r"H5Tset_fields", r"spos", "31 31 15 0", "64 -1"), (r"H5Tset_fields", r"epos", "23 23 20 10", "0 64 -1"),
    (r"H5Tset_fields", r"esize", "8 8 5 1", "0 64 -1"), (r"H5Tset_fields", r"mpos", "0 0 1", "23 -1"),
    (r"H5Tset_fields", r"msize", "23 23 20 10", "0 64 -1"),
    (r"H5Tset_ebias", r"ebias", "0 127 1023", "-1"),
    (r"H5Tinsert", r"offset", "0 4 8 16 20", "1000 -1 3"),
    (r"H5Tconvert", r"nelmts", "0 1 3 8", "2"),
    (r"H5Dgather", r"dst_buf_size", "4 8 16 64 1024", "0 1 3"),
    (r"H5Dwrite_chunk", r"data_size", "12 12 24 48 8", "0 1 4096"),
    (r"H5Dwrite_chunk", r"filters", "0 1", "-1 2"),
    (r"H5Pset_deflate", r"level", "0 1 6 9", "10 -1"),
    (r"H5Pset_szip", r"options_mask", "4 32 36", "0 1 255 -1"), (r"H5Pset_szip", r"pixels_per_block", "2 8 16 32", "0 7 64 -1"),
    (r"H5Pset_scaleoffset", r"scale_factor", "0 2 4 16", "-1 100"),
    (r"H5Pset_userblock", r"size", "0 512 1024 4096", "1 256 513 1000 -1"),
    (r"H5Pset_sizes", r"\w+", "0 4 8 2 16", "1 3 5 32 -1"),
    (r"H5Pset_(sym|istore)_k", r"\w+", "0 1 2 4 16 32", "32768 65536 -1"),
    (r"H5Pset_shared_mesg_nindexes", r"nindexes", "0 1 2 8", "9 -1"),
    (r"H5P\w+shared_mesg_index", r"index_num", "0 1", "8 -1"),
    (r"H5P\w+shared_mesg_index", r"mesg_type_flags", "0 2 8 31 0x1a", "1 64 -1"),
    (r"H5Pset_fapl_family", r"memb_size", "0 1000 4096 1000000", "1 -1"),
    (r"H5Pset_fapl_core", r"increment", "0 64 4096 1000000", "1 -1"),
    (r"H5Pset_fapl_log", r"flags", "0 1 0xff 0x1ffff 0x80000", "-1"), (r"H5Pset_fapl_log", r"buf_size", "0 1024 65536", "1"),
    (r"H5Pset_file_image", r"buf_len", "0 16 512 4096", "1"),
    (r"H5Pset_buffer", r"size", "64 1024 8192", "0 1"),
    (r"H5Pset_hyper_vector_size", r"size", "1 2 1024", "0 -1"),
    (r"H5Pset_file_space_page_size", r"fsp_size", "512 4096 65536", "0 1 100 511 2000000000 -1"),
    (r"H5Pset_page_buffer_size", r"buf_size", "0 4096 65536 1000000", "1 -1"),
    (r"H5Pset_page_buffer_size", r"min_\w+", "0 10 50", "60 100 101 -1"),
    (r"H5Pset_(link|attr|shared_mesg)_\w*phase_change", r"\w+", "0 1 2 4 6 8", "5 65535 65536 -1"),
    (r"H5Pset_(link|attr)_creation_order", r"\w+", "0 1 3", "2 4 -1"),
    (r"H5Pset_create_intermediate_group", r"\w+", "0 1", "2 -1"),
    (r"H5Pset_copy_object", r"\w+", "0 1 2 4 8 16 32 127", "128 -1"),
    (r"H5Pset_chunk_opts", r"opts", "0 2", "1 3 4 -1"),
    (r"H5Pset_est_link_info", r"\w+", "0 4 8 100", "65535 65536 -1"),
    (r"H5Pset_metadata_read_attempts", r"attempts", "1 5 100", "0 -1"),
    (r"H5Pset_external", r"offset", "0 8 100", "-1"), (r"H5Pset_external", r"size", "96 192 400 -1", "0 1"),
    (r"H5Pset_alignment", r"\w+", "0 1 64 512", "-1"),
    (r"H5Lcreate_ud|H5Lregister|H5Lunregister|H5Lis_registered", r"link_type|id", "200 201 64 255", "0 1 2 63 256 -1 1000"),
    (r"H5Lcreate_ud", r"udata_size", "0 1 16 64", "-1 100000"),
    (r"H5Lunpack_elink_val", r"link_size", "0 2 8 12 20", "1"),
    (r"\w+", r"filter|filter_id|id", "H5Z_FILTER_DEFLATE H5Z_FILTER_SHUFFLE H5Z_FILTER_FLETCHER32 H5Z_FILTER_NBIT 4 6 300 300 301",
     "0 -1 255 256 65535 65536 400"),
    (r"H5check_version", r"majnum", "1", "1"), (r"H5check_version", r"minnum", "10", "10"), (r"H5check_version", r"relnum", "8", "8"),
    (r"H5Iregister_type", r"hash_size", "0 16 64", "1"), (r"H5Iregister_type", r"reserved", "0 1 5", "100"),
    (r"H5(allocate|resize)_memory", r"size", "0 1 16 1000", "3"),
    (r"H5Epop", r"count", "0 1 2", "100 -1"),
    (r"H5PL\w+", r"plugin_control_mask", "0 1 3", "-1 8"),
    (r"H5Fincrement_filesize", r"increment", "0 1 512 5000", "-1"),
    (r"H5P(insert|register)\d", r"size", "0 4 8 16", "1 100"),
    (r"H5O(get_info|visit)\w*2", r"fields", "0x1f 1 2 4 8 16 0", "32 -1"),
    (r"H5Oopen_by_addr", r"addr", "address", "0 8 96 -1 100000"),
    (r"\w+", r"idx|n|index|membno|chk_idx|startpoint|startblock", "0 0 1 2", "3 10 100 -1"),
    (r"\w+", r"numpoints|numblocks|num_elem", "1 2 3", "0 5 -1"),
    (r"\w+", r"cd_nelmts", "0 1 2 3", "5"),
    (r"\w+", r"nsects", "0 1 10", "60"),
    (r"\w+", r"\w*(size|len|bufsize|namelen)", "0 1 3 16 64 256", "-1 4096"),
]

POOLS = {
    "int": ("0 1 2 5", "-1 100 2147483647 -2147483648"),
    "unsigned": ("0 1 2 4 8 100", "65536 -1"),
    "unsigned int": ("0 1 2", "100 -1"),
    "size_t": ("0 1 8 64 1024", "1000000 -1"),
    "hsize_t": ("0 1 8 64 4096", "1000000 -1"),
    "haddr_t": ("0 64 512 2048", "-1 -2"),
    "off_t": ("0 8", "-1"),
    "double": ("0.0 0.25 0.5 0.75 1.0", "-0.5 1.5 nan inf"),
    "uint32_t": ("0 1", "-1"),
    "unsigned long long": ("0 1", "-1"),
    "H5G_link_t": ("0 1", "2 -1"),
}

IDS, STRINGS, NUMBERS = newer.IDS + IDS, newer.STRINGS + STRINGS, newer.NUMBERS + NUMBERS
POOLS.update(newer.POOLS)


@functools.lru_cache(None)
def list_of(function):
    """The class of property list that an H5P function is about."""
    match = re.fullmatch(r"H5P(?:set|get|add|free)?_?(\w+)", function)
    for kind, pattern in LISTS.items():
        if match and re.fullmatch(pattern, match.group(1)):
            return kind
    return "plist"


@functools.lru_cache(None)
def id_kind(function, parameter):
    function = newer.base(function) if parameter != "es_id" else function
    for name, argument, kind in IDS:
        if re.fullmatch(name, function) and re.fullmatch(argument, parameter):
            if kind == "list":
                return re.sub(r"_id$", "", parameter)
            return list_of(function) if kind == "by name" else kind
    return "any"


@functools.lru_cache(None)
def string_kind(function, parameter):
    function = newer.base(function) if not parameter.startswith("app_") else function
    for name, argument, kind in STRINGS:
        if re.fullmatch(name, function) and re.fullmatch(argument, parameter):
            return kind


@functools.lru_cache(None)
def numbers(function, parameter):
    """Two lists of tokens: sensible values, and others."""
    function = newer.base(function)
    for name, argument, good, bad in NUMBERS:
        if re.fullmatch(name, function) and re.fullmatch(argument, parameter.name):
            return good.split(), bad.split()
    good, bad = POOLS[parameter.ctype]
    return good.split(), bad.split()


@functools.lru_cache(None)
def left_out(name):
    """Why a function has no calls of its own, or None."""
    if re.search(r"mpio?|MPI|_coll_|coll_metadata", name):
        return "MPI"
    if re.search(r"direct|mirror", name):
        return "not built in Debian"
    if re.fullmatch(newer.LEFT_OUT, name):
        return "of no use without other parts"
    return LEFT_OUT.get(name)


def warm(facts):
    """Decides everything once, before processes are made that would each do it again."""
    for function in facts.functions.values():
        left_out(function.name)
        for parameter in function.parameters:
            id_kind(function.name, parameter.name)
            string_kind(function.name, parameter.name)
            if parameter.ctype in POOLS:
                numbers(function.name, parameter)
