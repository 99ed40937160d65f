"""C types of the public API in ctypes: scalars, structures, functions of the application."""
import ctypes as c

import newer

SCALARS = {
    "herr_t": c.c_int, "htri_t": c.c_int, "int": c.c_int, "unsigned": c.c_uint, "unsigned int": c.c_uint, "hid_t": c.c_int64,
    "size_t": c.c_size_t, "ssize_t": c.c_ssize_t, "hsize_t": c.c_uint64, "hssize_t": c.c_int64, "haddr_t": c.c_uint64,
    "hbool_t": c.c_ubyte, "double": c.c_double, "off_t": c.c_int64, "uint32_t": c.c_uint32, "unsigned long": c.c_ulong,
    "unsigned long long": c.c_ulonglong, "H5Z_filter_t": c.c_int, "H5E_major_t": c.c_int64, "H5E_minor_t": c.c_int64,
    "H5G_link_t": c.c_int, "void": None,
}
# Fields are name:code; i int, I unsigned, q int64, Q uint64, B bool, d double, P pointer, sN text of N bytes, iN and QN arrays.
STRUCTS = {
    "H5L_info_t": "type:i corder_valid:B corder:q cset:i u:Q",
    "H5O_info_t": "fileno:Q addr:Q type:i rc:I atime:q mtime:q ctime:q btime:q num_attrs:Q version:I nmesgs:I nchunks:I flags:I "
                  "total:Q meta:Q mesg:Q free:Q present:Q shared:Q obj_index:Q obj_heap:Q attr_index:Q attr_heap:Q",
    "H5A_info_t": "corder_valid:B corder:I cset:i data_size:Q",
    "H5G_info_t": "storage_type:i nlinks:Q max_corder:q mounted:B",
    "H5G_stat_t": "fileno:Q2 objno:Q2 nlink:I type:i mtime:q linklen:Q ohdr_size:Q ohdr_free:Q ohdr_nmesgs:I ohdr_nchunks:I",
    "H5F_info2_t": "super_version:I super_size:Q super_ext_size:Q free_version:I meta_size:Q tot_space:Q sohm_version:I "
                   "hdr_size:Q index_size:Q heap_size:Q",
    "H5F_info1_t": "super_ext_size:Q hdr_size:Q index_size:Q heap_size:Q",
    "H5F_retry_info_t": "nbins:I retries:Q21",
    "H5F_sect_info_t": "addr:Q size:Q",
    "H5_alloc_stats_t": "total_alloc_bytes:Q curr_alloc_bytes:Q peak_alloc_bytes:Q max_block_size:Q total_alloc_blocks_count:Q "
                        "curr_alloc_blocks_count:Q peak_alloc_blocks_count:Q",
    "H5AC_cache_config_t": "version:i rpt_fcn_enabled:B open_trace_file:B close_trace_file:B trace_file_name:s1025 "
                           "evictions_enabled:B set_initial_size:B initial_size:Q min_clean_fraction:d max_size:Q min_size:Q "
                           "epoch_length:q incr_mode:i lower_hr_threshold:d increment:d apply_max_increment:B max_increment:Q "
                           "flash_incr_mode:i flash_multiple:d flash_threshold:d decr_mode:i upper_hr_threshold:d decrement:d "
                           "apply_max_decrement:B max_decrement:Q epochs_before_eviction:i apply_empty_reserve:B "
                           "empty_reserve:d dirty_bytes_threshold:Q metadata_write_strategy:i",
    "H5AC_cache_image_config_t": "version:i generate_image:B save_resize_status:B entry_ageout:i",
    "H5FD_splitter_vfd_config_t": "magic:i version:I rw_fapl_id:q wo_fapl_id:q wo_path:s4097 log_file_path:s4097 "
                                  "ignore_wo_errs:B",
    "H5FD_hdfs_fapl_t": "version:i namenode_name:s129 namenode_port:i user_name:s129 kerberos_ticket_cache:s129 "
                        "stream_buffer_size:i",
    "H5FD_ros3_fapl_t": "version:i authenticate:B aws_region:s33 secret_id:s129 secret_key:s129",
    "H5FD_file_image_callbacks_t": "image_malloc:P image_memcpy:P image_realloc:P image_free:P udata_copy:P udata_free:P udata:P",
    "H5E_error2_t": "cls_id:q maj_num:q min_num:q line:I func_name:P file_name:P desc:P",
    "H5E_error1_t": "maj_num:q min_num:q func_name:P file_name:P line:I desc:P",
    "H5L_class_t": "version:i id:i comment:P create_func:P move_func:P copy_func:P trav_func:P del_func:P query_func:P",
    "H5Z_class2_t": "version:i id:i encoder_present:I decoder_present:I name:P can_apply:P set_local:P filter:P",
    "H5T_cdata_t": "command:i need_bkg:i recalc:B priv:P",
    "H5FD_class_t": "name:P maxaddr:Q fc_degree:i terminate:P sb_size:P sb_encode:P sb_decode:P fapl_size:Q fapl_get:P "
                    "fapl_copy:P fapl_free:P dxpl_size:Q dxpl_copy:P dxpl_free:P open:P close:P cmp:P query:P get_type_map:P "
                    "alloc:P free:P get_eoa:P set_eoa:P get_eof:P get_handle:P read:P write:P flush:P truncate:P lock:P "
                    "unlock:P fl_map:i7",
}
CODES = {"i": c.c_int, "I": c.c_uint, "q": c.c_int64, "Q": c.c_uint64, "B": c.c_ubyte, "d": c.c_double, "P": c.c_void_p}
# Functions of the application: what they return, then what they are given. i id, s text, p pointer, z size, u unsigned, n int,
# a address or size in a file, or a structure. The last pointer is the application's own.
CALLBACKS = {
    "H5A_operator1_t": "int:isp", "H5A_operator2_t": "int:is{H5A_info_t}p", "H5D_append_cb_t": "int:ipp",
    "H5D_operator_t": "int:piupp", "H5D_scatter_func_t": "int:ppp", "H5D_gather_func_t": "int:pzp", "H5E_auto1_t": "int:p",
    "H5E_auto2_t": "int:ip", "H5E_walk1_t": "int:n{H5E_error1_t}p", "H5E_walk2_t": "int:u{H5E_error2_t}p",
    "H5F_flush_cb_t": "int:ip", "H5G_iterate_t": "int:isp", "H5I_free_t": "int:p", "H5I_search_func_t": "int:pip",
    "H5L_iterate_t": "int:is{H5L_info_t}p", "H5L_elink_traverse_t": "int:sssspip", "H5O_iterate_t": "int:is{H5O_info_t}p",
    "H5O_mcdt_search_cb_t": "int:p", "H5P_cls_create_func_t": "int:ip", "H5P_cls_copy_func_t": "int:iip",
    "H5P_cls_close_func_t": "int:ip", "H5P_prp_create_func_t": "int:szp", "H5P_prp_set_func_t": "int:iszp",
    "H5P_prp_get_func_t": "int:iszp", "H5P_prp_delete_func_t": "int:iszp", "H5P_prp_copy_func_t": "int:szp",
    "H5P_prp_compare_func_t": "int:ppz", "H5P_prp_close_func_t": "int:szp", "H5P_iterate_t": "int:isp",
    "H5T_conv_t": "int:iipzzzppi", "H5T_conv_except_func_t": "int:niippp", "H5Z_filter_func_t": "int:npzp",
    "H5MM_allocate_t": "ptr:zp", "H5MM_free_t": "void:pp",
    "H5L_create_func_t": "int:sipzi", "H5L_move_func_t": "int:sipz", "H5L_copy_func_t": "int:sipz",
    "H5L_traverse_func_t": "id:sipzii", "H5L_delete_func_t": "int:sipz", "H5L_query_func_t": "size:spzpz",
    "H5Z_can_apply_func_t": "int:iii", "H5Z_set_local_func_t": "int:iii", "H5Z_func_t": "size:uzpzpp",
}
STRUCTS.update(newer.STRUCTS)
CALLBACKS.update(newer.CALLBACKS)
SCALARS.update({name: CODES[code] for name, code in newer.SCALARS.items()})
RESULTS = {"int": c.c_int, "ptr": c.c_void_p, "void": None, "id": c.c_int64, "size": c.c_ssize_t}
LETTERS = {"i": c.c_int64, "s": c.c_char_p, "p": c.c_void_p, "z": c.c_size_t, "u": c.c_uint, "n": c.c_int, "a": c.c_uint64}


def _structure(name, text):
    fields = []
    for field in text.split():
        label, code = field.split(":")
        if code[0] == "s":
            kind = c.c_char * int(code[1:])
        elif len(code) > 1:
            kind = CODES[code[0]] * int(code[1:])
        else:
            kind = CODES[code]
        fields.append((label, kind))
    return type(name, (c.Structure,), {"_fields_": fields})


structures = {name: _structure(name, text) for name, text in STRUCTS.items()}


def adapt(facts):
    """What has another layout in this release."""
    if "H5FD_CLASS_VERSION" in facts.constants:
        structures["H5FD_class_t"] = structures["H5FD_class_1_t"]


def letters(signature):
    """The parts of a signature behind its colon: single letters, or a structure's name."""
    rest = signature.partition(":")[2]
    while rest:
        if rest[0] == "{":
            name, _, rest = rest[1:].partition("}")
            yield name
        else:
            letter, rest = rest[0], rest[1:]
            yield letter


def callback_type(name):
    signature = CALLBACKS[name]
    kinds = [LETTERS.get(letter, c.c_void_p) for letter in letters(signature)]
    return c.CFUNCTYPE(RESULTS[signature.partition(":")[0]], *kinds)


def passed(ctype, facts):
    """The ctypes type of a parameter."""
    return structures[ctype] if ctype == "H5O_token_t" else scalar(ctype, facts) or c.c_void_p


def scalar(ctype, facts):
    """The ctypes type of a C scalar, or None where it is none."""
    if ctype in SCALARS:
        return SCALARS[ctype]
    if ctype in facts.enums or ctype == "H5FD_mem_t":
        return c.c_int
    return None
