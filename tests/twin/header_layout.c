/*
 * Sizes and offsets of public structs, values of public enums and constants: a program compiled with the headers of one
 * library must be able to run with the other. Left out are the counts that grew after 1.10.
 */
#ifndef H5_USE_18_API
#define H5_USE_18_API
#endif
#include <hdf5.h>
#include <stdio.h>

/* Values only: the library is not to be started for them. */
#undef H5OPEN
#define H5OPEN
#undef H5CHECK
#define H5CHECK

#define SIZE(type) printf("sizeof(%s) = %zu, signed %d\n", #type, sizeof(type), (type)-1 < (type)1)
#define WIDTH(type) printf("sizeof(%s) = %zu\n", #type, sizeof(type))
#define FIELD(type, field) \
    printf("%s.%s at %zu, %zu bytes\n", #type, #field, offsetof(type, field), sizeof(((type *)0)->field))
#define VALUE(name) printf("%s = %lld\n", #name, (long long)(name))
#define TEXT(name) printf("%s = %s\n", #name, name)

static void h5(void)
{
    SIZE(hsize_t);
    SIZE(hssize_t);
    SIZE(haddr_t);
    SIZE(hid_t);
    WIDTH(H5_iter_order_t);
    WIDTH(H5_index_t);
    SIZE(herr_t);
    WIDTH(hbool_t);
    SIZE(htri_t);
    WIDTH(ssize_t);
    WIDTH(int64_t);
    WIDTH(uint64_t);
    WIDTH(uint32_t);
    WIDTH(H5_ih_info_t);
    FIELD(H5_ih_info_t, index_size);
    FIELD(H5_ih_info_t, heap_size);
#if STOCK_VERSION < 11400
    WIDTH(H5_alloc_stats_t);
    FIELD(H5_alloc_stats_t, total_alloc_bytes);
    FIELD(H5_alloc_stats_t, curr_alloc_bytes);
    FIELD(H5_alloc_stats_t, peak_alloc_bytes);
    FIELD(H5_alloc_stats_t, max_block_size);
    FIELD(H5_alloc_stats_t, total_alloc_blocks_count);
    FIELD(H5_alloc_stats_t, curr_alloc_blocks_count);
    FIELD(H5_alloc_stats_t, peak_alloc_blocks_count);
#endif
    TEXT(PRIdHSIZE);
    TEXT(PRIiHSIZE);
    TEXT(PRIoHSIZE);
    TEXT(PRIuHSIZE);
    TEXT(PRIxHSIZE);
    TEXT(PRIXHSIZE);
    TEXT(PRIdHADDR);
    TEXT(PRIoHADDR);
    TEXT(PRIuHADDR);
    TEXT(PRIxHADDR);
    TEXT(PRIXHADDR);
    TEXT(H5_PRINTF_HADDR_FMT);
    VALUE(H5_ITER_UNKNOWN);
    VALUE(H5_ITER_INC);
    VALUE(H5_ITER_DEC);
    VALUE(H5_ITER_NATIVE);
    VALUE(H5_ITER_N);
    VALUE(H5_INDEX_UNKNOWN);
    VALUE(H5_INDEX_NAME);
    VALUE(H5_INDEX_CRT_ORDER);
    VALUE(H5_INDEX_N);
    VALUE(H5_SIZEOF_HSIZE_T);
    VALUE(H5_SIZEOF_HSSIZE_T);
    VALUE(HSIZE_UNDEF);
    VALUE(HADDR_UNDEF);
    VALUE(H5_SIZEOF_HADDR_T);
    VALUE(HADDR_MAX);
    VALUE(H5_ITER_ERROR);
    VALUE(H5_ITER_CONT);
    VALUE(H5_ITER_STOP);
}

static void h5i(void)
{
    WIDTH(H5I_type_t);
    SIZE(hid_t);
    WIDTH(H5I_free_t);
    WIDTH(H5I_search_func_t);
    VALUE(H5I_UNINIT);
    VALUE(H5I_BADID);
    VALUE(H5I_FILE);
    VALUE(H5I_GROUP);
    VALUE(H5I_DATATYPE);
    VALUE(H5I_DATASPACE);
    VALUE(H5I_DATASET);
    VALUE(H5I_VFL);
#if STOCK_VERSION >= 11200 /* which numbers these anew */
    VALUE(H5I_ATTR);
    VALUE(H5I_GENPROP_CLS);
    VALUE(H5I_GENPROP_LST);
    VALUE(H5I_ERROR_CLASS);
    VALUE(H5I_ERROR_MSG);
    VALUE(H5I_ERROR_STACK);
#endif
    VALUE(H5_SIZEOF_HID_T);
    VALUE(H5I_INVALID_HID);
}

static void h5s(void)
{
    WIDTH(H5S_class_t);
    WIDTH(H5S_seloper_t);
    WIDTH(H5S_sel_type);
    VALUE(H5S_NO_CLASS);
    VALUE(H5S_SCALAR);
    VALUE(H5S_SIMPLE);
    VALUE(H5S_NULL);
    VALUE(H5S_SELECT_NOOP);
    VALUE(H5S_SELECT_SET);
    VALUE(H5S_SELECT_OR);
    VALUE(H5S_SELECT_AND);
    VALUE(H5S_SELECT_XOR);
    VALUE(H5S_SELECT_NOTB);
    VALUE(H5S_SELECT_NOTA);
    VALUE(H5S_SELECT_APPEND);
    VALUE(H5S_SELECT_PREPEND);
    VALUE(H5S_SELECT_INVALID);
    VALUE(H5S_SEL_ERROR);
    VALUE(H5S_SEL_NONE);
    VALUE(H5S_SEL_POINTS);
    VALUE(H5S_SEL_HYPERSLABS);
    VALUE(H5S_SEL_ALL);
    VALUE(H5S_SEL_N);
    VALUE(H5S_ALL);
    VALUE(H5S_UNLIMITED);
    VALUE(H5S_MAX_RANK);
}

static void h5t_1(void)
{
    WIDTH(H5T_class_t);
    WIDTH(H5T_order_t);
    WIDTH(H5T_sign_t);
    WIDTH(H5T_norm_t);
    WIDTH(H5T_cset_t);
    WIDTH(H5T_str_t);
    WIDTH(H5T_pad_t);
    WIDTH(H5T_cmd_t);
    WIDTH(H5T_bkg_t);
    WIDTH(H5T_pers_t);
    WIDTH(H5T_direction_t);
    WIDTH(H5T_conv_except_t);
    WIDTH(H5T_conv_ret_t);
    WIDTH(H5T_conv_t);
    WIDTH(H5T_conv_except_func_t);
    WIDTH(H5T_cdata_t);
    FIELD(H5T_cdata_t, command);
    FIELD(H5T_cdata_t, need_bkg);
    FIELD(H5T_cdata_t, recalc);
    FIELD(H5T_cdata_t, priv);
    WIDTH(hvl_t);
    FIELD(hvl_t, len);
    FIELD(hvl_t, p);
    VALUE(H5T_NO_CLASS);
    VALUE(H5T_INTEGER);
    VALUE(H5T_FLOAT);
    VALUE(H5T_TIME);
    VALUE(H5T_STRING);
    VALUE(H5T_BITFIELD);
    VALUE(H5T_OPAQUE);
    VALUE(H5T_COMPOUND);
    VALUE(H5T_REFERENCE);
    VALUE(H5T_ENUM);
    VALUE(H5T_VLEN);
    VALUE(H5T_ARRAY);
#if STOCK_VERSION >= 20000 /* which brought complex numbers */
    VALUE(H5T_NCLASSES);
#endif
    VALUE(H5T_ORDER_ERROR);
    VALUE(H5T_ORDER_LE);
    VALUE(H5T_ORDER_BE);
    VALUE(H5T_ORDER_VAX);
    VALUE(H5T_ORDER_MIXED);
    VALUE(H5T_ORDER_NONE);
    VALUE(H5T_SGN_ERROR);
    VALUE(H5T_SGN_NONE);
    VALUE(H5T_SGN_2);
    VALUE(H5T_NSGN);
    VALUE(H5T_NORM_ERROR);
    VALUE(H5T_NORM_IMPLIED);
    VALUE(H5T_NORM_MSBSET);
    VALUE(H5T_NORM_NONE);
    VALUE(H5T_CSET_ERROR);
    VALUE(H5T_CSET_ASCII);
    VALUE(H5T_CSET_UTF8);
    VALUE(H5T_CSET_RESERVED_2);
    VALUE(H5T_CSET_RESERVED_3);
    VALUE(H5T_CSET_RESERVED_4);
    VALUE(H5T_CSET_RESERVED_5);
    VALUE(H5T_CSET_RESERVED_6);
    VALUE(H5T_CSET_RESERVED_7);
    VALUE(H5T_CSET_RESERVED_8);
    VALUE(H5T_CSET_RESERVED_9);
    VALUE(H5T_CSET_RESERVED_10);
    VALUE(H5T_CSET_RESERVED_11);
    VALUE(H5T_CSET_RESERVED_12);
    VALUE(H5T_CSET_RESERVED_13);
    VALUE(H5T_CSET_RESERVED_14);
    VALUE(H5T_CSET_RESERVED_15);
    VALUE(H5T_STR_ERROR);
    VALUE(H5T_STR_NULLTERM);
    VALUE(H5T_STR_NULLPAD);
    VALUE(H5T_STR_SPACEPAD);
    VALUE(H5T_STR_RESERVED_3);
    VALUE(H5T_STR_RESERVED_4);
    VALUE(H5T_STR_RESERVED_5);
    VALUE(H5T_STR_RESERVED_6);
    VALUE(H5T_STR_RESERVED_7);
    VALUE(H5T_STR_RESERVED_8);
    VALUE(H5T_STR_RESERVED_9);
    VALUE(H5T_STR_RESERVED_10);
    VALUE(H5T_STR_RESERVED_11);
    VALUE(H5T_STR_RESERVED_12);
    VALUE(H5T_STR_RESERVED_13);
    VALUE(H5T_STR_RESERVED_14);
    VALUE(H5T_STR_RESERVED_15);
    VALUE(H5T_PAD_ERROR);
    VALUE(H5T_PAD_ZERO);
    VALUE(H5T_PAD_ONE);
    VALUE(H5T_PAD_BACKGROUND);
    VALUE(H5T_NPAD);
    VALUE(H5T_CONV_INIT);
}

static void h5t_2(void)
{
    VALUE(H5T_CONV_CONV);
    VALUE(H5T_CONV_FREE);
    VALUE(H5T_BKG_NO);
    VALUE(H5T_BKG_TEMP);
    VALUE(H5T_BKG_YES);
    VALUE(H5T_PERS_DONTCARE);
    VALUE(H5T_PERS_HARD);
    VALUE(H5T_PERS_SOFT);
    VALUE(H5T_DIR_DEFAULT);
    VALUE(H5T_DIR_ASCEND);
    VALUE(H5T_DIR_DESCEND);
    VALUE(H5T_CONV_EXCEPT_RANGE_HI);
    VALUE(H5T_CONV_EXCEPT_RANGE_LOW);
    VALUE(H5T_CONV_EXCEPT_PRECISION);
    VALUE(H5T_CONV_EXCEPT_TRUNCATE);
    VALUE(H5T_CONV_EXCEPT_PINF);
    VALUE(H5T_CONV_EXCEPT_NINF);
    VALUE(H5T_CONV_EXCEPT_NAN);
    VALUE(H5T_CONV_ABORT);
    VALUE(H5T_CONV_UNHANDLED);
    VALUE(H5T_CONV_HANDLED);
    VALUE(H5T_NCSET);
    VALUE(H5T_NSTR);
    VALUE(H5T_VARIABLE);
    VALUE(H5T_OPAQUE_TAG_MAX);
}

static void h5d(void)
{
    WIDTH(H5D_layout_t);
    WIDTH(H5D_chunk_index_t);
    WIDTH(H5D_alloc_time_t);
    WIDTH(H5D_space_status_t);
    WIDTH(H5D_fill_time_t);
    WIDTH(H5D_fill_value_t);
    WIDTH(H5D_vds_view_t);
    WIDTH(H5D_append_cb_t);
    WIDTH(H5D_operator_t);
    WIDTH(H5D_scatter_func_t);
    WIDTH(H5D_gather_func_t);
    TEXT(H5D_XFER_DIRECT_CHUNK_WRITE_FLAG_NAME);
    TEXT(H5D_XFER_DIRECT_CHUNK_WRITE_FILTERS_NAME);
    TEXT(H5D_XFER_DIRECT_CHUNK_WRITE_OFFSET_NAME);
    TEXT(H5D_XFER_DIRECT_CHUNK_WRITE_DATASIZE_NAME);
    TEXT(H5D_XFER_DIRECT_CHUNK_READ_FLAG_NAME);
    TEXT(H5D_XFER_DIRECT_CHUNK_READ_OFFSET_NAME);
    TEXT(H5D_XFER_DIRECT_CHUNK_READ_FILTERS_NAME);
    VALUE(H5D_LAYOUT_ERROR);
    VALUE(H5D_COMPACT);
    VALUE(H5D_CONTIGUOUS);
    VALUE(H5D_CHUNKED);
    VALUE(H5D_VIRTUAL);
    VALUE(H5D_CHUNK_IDX_BTREE);
    VALUE(H5D_CHUNK_IDX_SINGLE);
    VALUE(H5D_CHUNK_IDX_NONE);
    VALUE(H5D_CHUNK_IDX_FARRAY);
    VALUE(H5D_CHUNK_IDX_EARRAY);
    VALUE(H5D_CHUNK_IDX_BT2);
    VALUE(H5D_CHUNK_IDX_NTYPES);
    VALUE(H5D_ALLOC_TIME_ERROR);
    VALUE(H5D_ALLOC_TIME_DEFAULT);
    VALUE(H5D_ALLOC_TIME_EARLY);
    VALUE(H5D_ALLOC_TIME_LATE);
    VALUE(H5D_ALLOC_TIME_INCR);
    VALUE(H5D_SPACE_STATUS_ERROR);
    VALUE(H5D_SPACE_STATUS_NOT_ALLOCATED);
    VALUE(H5D_SPACE_STATUS_PART_ALLOCATED);
    VALUE(H5D_SPACE_STATUS_ALLOCATED);
    VALUE(H5D_FILL_TIME_ERROR);
    VALUE(H5D_FILL_TIME_ALLOC);
    VALUE(H5D_FILL_TIME_NEVER);
    VALUE(H5D_FILL_TIME_IFSET);
    VALUE(H5D_FILL_VALUE_ERROR);
    VALUE(H5D_FILL_VALUE_UNDEFINED);
    VALUE(H5D_FILL_VALUE_DEFAULT);
    VALUE(H5D_FILL_VALUE_USER_DEFINED);
    VALUE(H5D_VDS_ERROR);
    VALUE(H5D_VDS_FIRST_MISSING);
    VALUE(H5D_VDS_LAST_AVAILABLE);
    VALUE(H5D_CHUNK_CACHE_NSLOTS_DEFAULT);
    VALUE(H5D_CHUNK_CACHE_NBYTES_DEFAULT);
    VALUE(H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    VALUE(H5D_CHUNK_BTREE);
}

static void h5z(void)
{
    WIDTH(H5Z_SO_scale_type_t);
    WIDTH(H5Z_EDC_t);
    WIDTH(H5Z_cb_return_t);
    WIDTH(H5Z_filter_t);
    WIDTH(H5Z_filter_func_t);
    WIDTH(H5Z_can_apply_func_t);
    WIDTH(H5Z_set_local_func_t);
    WIDTH(H5Z_func_t);
    WIDTH(H5Z_cb_t);
    FIELD(H5Z_cb_t, func);
    FIELD(H5Z_cb_t, op_data);
    WIDTH(H5Z_class2_t);
    FIELD(H5Z_class2_t, version);
    FIELD(H5Z_class2_t, id);
    FIELD(H5Z_class2_t, encoder_present);
    FIELD(H5Z_class2_t, decoder_present);
    FIELD(H5Z_class2_t, name);
    FIELD(H5Z_class2_t, can_apply);
    FIELD(H5Z_class2_t, set_local);
    FIELD(H5Z_class2_t, filter);
    WIDTH(H5Z_class1_t);
    FIELD(H5Z_class1_t, id);
    FIELD(H5Z_class1_t, name);
    FIELD(H5Z_class1_t, can_apply);
    FIELD(H5Z_class1_t, set_local);
    FIELD(H5Z_class1_t, filter);
    VALUE(H5Z_SO_FLOAT_DSCALE);
    VALUE(H5Z_SO_FLOAT_ESCALE);
    VALUE(H5Z_SO_INT);
    VALUE(H5Z_ERROR_EDC);
    VALUE(H5Z_DISABLE_EDC);
    VALUE(H5Z_ENABLE_EDC);
    VALUE(H5Z_NO_EDC);
    VALUE(H5Z_CB_ERROR);
    VALUE(H5Z_CB_FAIL);
    VALUE(H5Z_CB_CONT);
    VALUE(H5Z_CB_NO);
    VALUE(H5Z_FILTER_ERROR);
    VALUE(H5Z_FILTER_NONE);
    VALUE(H5Z_FILTER_DEFLATE);
    VALUE(H5Z_FILTER_SHUFFLE);
    VALUE(H5Z_FILTER_FLETCHER32);
    VALUE(H5Z_FILTER_SZIP);
    VALUE(H5Z_FILTER_NBIT);
    VALUE(H5Z_FILTER_SCALEOFFSET);
    VALUE(H5Z_FILTER_RESERVED);
    VALUE(H5Z_FILTER_MAX);
    VALUE(H5Z_FILTER_ALL);
    VALUE(H5Z_MAX_NFILTERS);
    VALUE(H5Z_FLAG_DEFMASK);
    VALUE(H5Z_FLAG_MANDATORY);
    VALUE(H5Z_FLAG_OPTIONAL);
    VALUE(H5Z_FLAG_INVMASK);
    VALUE(H5Z_FLAG_REVERSE);
    VALUE(H5Z_FLAG_SKIP_EDC);
    VALUE(H5_SZIP_ALLOW_K13_OPTION_MASK);
    VALUE(H5_SZIP_CHIP_OPTION_MASK);
    VALUE(H5_SZIP_EC_OPTION_MASK);
    VALUE(H5_SZIP_NN_OPTION_MASK);
    VALUE(H5_SZIP_MAX_PIXELS_PER_BLOCK);
    VALUE(H5Z_SHUFFLE_USER_NPARMS);
    VALUE(H5Z_SHUFFLE_TOTAL_NPARMS);
    VALUE(H5Z_SZIP_USER_NPARMS);
    VALUE(H5Z_SZIP_TOTAL_NPARMS);
    VALUE(H5Z_SZIP_PARM_MASK);
    VALUE(H5Z_SZIP_PARM_PPB);
    VALUE(H5Z_SZIP_PARM_BPP);
    VALUE(H5Z_SZIP_PARM_PPS);
    VALUE(H5Z_NBIT_USER_NPARMS);
    VALUE(H5Z_SCALEOFFSET_USER_NPARMS);
    VALUE(H5Z_SO_INT_MINBITS_DEFAULT);
    VALUE(H5Z_CLASS_T_VERS);
    VALUE(H5Z_FILTER_CONFIG_ENCODE_ENABLED);
    VALUE(H5Z_FILTER_CONFIG_DECODE_ENABLED);
}

static void h5f(void)
{
    WIDTH(H5F_scope_t);
    WIDTH(H5F_close_degree_t);
    WIDTH(H5F_mem_t);
    WIDTH(H5F_libver_t);
    WIDTH(H5F_fspace_strategy_t);
    WIDTH(H5F_file_space_type_t);
    WIDTH(H5F_flush_cb_t);
    WIDTH(H5F_info2_t);
    FIELD(H5F_info2_t, super);
    FIELD(H5F_info2_t, super.version);
    FIELD(H5F_info2_t, super.super_size);
    FIELD(H5F_info2_t, super.super_ext_size);
    FIELD(H5F_info2_t, free);
    FIELD(H5F_info2_t, free.version);
    FIELD(H5F_info2_t, free.meta_size);
    FIELD(H5F_info2_t, free.tot_space);
    FIELD(H5F_info2_t, sohm);
    FIELD(H5F_info2_t, sohm.version);
    FIELD(H5F_info2_t, sohm.hdr_size);
    FIELD(H5F_info2_t, sohm.msgs_info);
    WIDTH(H5F_sect_info_t);
    FIELD(H5F_sect_info_t, addr);
    FIELD(H5F_sect_info_t, size);
    WIDTH(H5F_retry_info_t);
    FIELD(H5F_retry_info_t, nbins);
    FIELD(H5F_retry_info_t, retries);
    WIDTH(H5F_info1_t);
    FIELD(H5F_info1_t, super_ext_size);
    FIELD(H5F_info1_t, sohm);
    FIELD(H5F_info1_t, sohm.hdr_size);
    FIELD(H5F_info1_t, sohm.msgs_info);
    VALUE(H5F_SCOPE_LOCAL);
    VALUE(H5F_SCOPE_GLOBAL);
    VALUE(H5F_CLOSE_DEFAULT);
    VALUE(H5F_CLOSE_WEAK);
    VALUE(H5F_CLOSE_SEMI);
    VALUE(H5F_CLOSE_STRONG);
    VALUE(H5FD_MEM_NOLIST);
    VALUE(H5FD_MEM_DEFAULT);
    VALUE(H5FD_MEM_SUPER);
    VALUE(H5FD_MEM_BTREE);
    VALUE(H5FD_MEM_DRAW);
    VALUE(H5FD_MEM_GHEAP);
    VALUE(H5FD_MEM_LHEAP);
    VALUE(H5FD_MEM_OHDR);
    VALUE(H5FD_MEM_NTYPES);
    VALUE(H5F_LIBVER_ERROR);
    VALUE(H5F_LIBVER_EARLIEST);
    VALUE(H5F_LIBVER_V18);
    VALUE(H5F_LIBVER_V110);
    VALUE(H5F_FSPACE_STRATEGY_FSM_AGGR);
    VALUE(H5F_FSPACE_STRATEGY_PAGE);
    VALUE(H5F_FSPACE_STRATEGY_AGGR);
    VALUE(H5F_FSPACE_STRATEGY_NONE);
    VALUE(H5F_FSPACE_STRATEGY_NTYPES);
    VALUE(H5F_FILE_SPACE_DEFAULT);
    VALUE(H5F_FILE_SPACE_ALL_PERSIST);
    VALUE(H5F_FILE_SPACE_ALL);
    VALUE(H5F_FILE_SPACE_AGGR_VFD);
    VALUE(H5F_FILE_SPACE_VFD);
    VALUE(H5F_FILE_SPACE_NTYPES);
    VALUE(H5F_ACC_RDONLY);
    VALUE(H5F_ACC_RDWR);
    VALUE(H5F_ACC_TRUNC);
    VALUE(H5F_ACC_EXCL);
    VALUE(H5F_ACC_CREAT);
    VALUE(H5F_ACC_SWMR_WRITE);
    VALUE(H5F_ACC_SWMR_READ);
    VALUE(H5F_ACC_DEFAULT);
    VALUE(H5F_OBJ_FILE);
    VALUE(H5F_OBJ_DATASET);
    VALUE(H5F_OBJ_GROUP);
    VALUE(H5F_OBJ_DATATYPE);
    VALUE(H5F_OBJ_ATTR);
    VALUE(H5F_OBJ_ALL);
    VALUE(H5F_OBJ_LOCAL);
    VALUE(H5F_FAMILY_DEFAULT);
    VALUE(H5F_UNLIMITED);
    VALUE(H5F_NUM_METADATA_READ_RETRY_TYPES);
    VALUE(H5F_ACC_DEBUG);
}

static void h5fd_1(void)
{
    WIDTH(H5FD_file_image_op_t);
    WIDTH(H5FD_mem_t);
#if STOCK_VERSION >= 11400 /* it grew */
    WIDTH(H5FD_class_t);
    FIELD(H5FD_class_t, name);
    FIELD(H5FD_class_t, maxaddr);
    FIELD(H5FD_class_t, fc_degree);
    FIELD(H5FD_class_t, terminate);
    FIELD(H5FD_class_t, sb_size);
    FIELD(H5FD_class_t, sb_encode);
    FIELD(H5FD_class_t, sb_decode);
    FIELD(H5FD_class_t, fapl_size);
    FIELD(H5FD_class_t, fapl_get);
    FIELD(H5FD_class_t, fapl_copy);
    FIELD(H5FD_class_t, fapl_free);
    FIELD(H5FD_class_t, dxpl_size);
    FIELD(H5FD_class_t, dxpl_copy);
    FIELD(H5FD_class_t, dxpl_free);
    FIELD(H5FD_class_t, open);
    FIELD(H5FD_class_t, close);
    FIELD(H5FD_class_t, cmp);
    FIELD(H5FD_class_t, query);
    FIELD(H5FD_class_t, get_type_map);
    FIELD(H5FD_class_t, alloc);
    FIELD(H5FD_class_t, free);
    FIELD(H5FD_class_t, get_eoa);
    FIELD(H5FD_class_t, set_eoa);
    FIELD(H5FD_class_t, get_eof);
    FIELD(H5FD_class_t, get_handle);
    FIELD(H5FD_class_t, read);
    FIELD(H5FD_class_t, write);
    FIELD(H5FD_class_t, flush);
    FIELD(H5FD_class_t, truncate);
    FIELD(H5FD_class_t, lock);
    FIELD(H5FD_class_t, unlock);
    FIELD(H5FD_class_t, fl_map);
#endif
    WIDTH(H5FD_free_t);
    FIELD(H5FD_free_t, addr);
    FIELD(H5FD_free_t, size);
    FIELD(H5FD_free_t, next);
    WIDTH(struct H5FD_t);
    FIELD(struct H5FD_t, driver_id);
    FIELD(struct H5FD_t, cls);
    FIELD(struct H5FD_t, fileno);
    FIELD(struct H5FD_t, access_flags);
    FIELD(struct H5FD_t, feature_flags);
    FIELD(struct H5FD_t, maxaddr);
    FIELD(struct H5FD_t, base_addr);
    FIELD(struct H5FD_t, threshold);
    FIELD(struct H5FD_t, alignment);
    FIELD(struct H5FD_t, paged_aggr);
    WIDTH(H5FD_file_image_callbacks_t);
    FIELD(H5FD_file_image_callbacks_t, image_malloc);
    FIELD(H5FD_file_image_callbacks_t, image_memcpy);
    FIELD(H5FD_file_image_callbacks_t, image_realloc);
    FIELD(H5FD_file_image_callbacks_t, image_free);
    FIELD(H5FD_file_image_callbacks_t, udata_copy);
    FIELD(H5FD_file_image_callbacks_t, udata_free);
    FIELD(H5FD_file_image_callbacks_t, udata);
    VALUE(H5FD_FILE_IMAGE_OP_NO_OP);
    VALUE(H5FD_FILE_IMAGE_OP_PROPERTY_LIST_SET);
    VALUE(H5FD_FILE_IMAGE_OP_PROPERTY_LIST_COPY);
    VALUE(H5FD_FILE_IMAGE_OP_PROPERTY_LIST_GET);
    VALUE(H5FD_FILE_IMAGE_OP_PROPERTY_LIST_CLOSE);
    VALUE(H5FD_FILE_IMAGE_OP_FILE_OPEN);
    VALUE(H5FD_FILE_IMAGE_OP_FILE_RESIZE);
    VALUE(H5FD_FILE_IMAGE_OP_FILE_CLOSE);
    VALUE(H5FD_VFD_DEFAULT);
    VALUE(H5FD_MEM_FHEAP_HDR);
    VALUE(H5FD_MEM_FHEAP_IBLOCK);
    VALUE(H5FD_MEM_FHEAP_DBLOCK);
    VALUE(H5FD_MEM_FHEAP_HUGE_OBJ);
    VALUE(H5FD_MEM_FSPACE_HDR);
    VALUE(H5FD_MEM_FSPACE_SINFO);
    VALUE(H5FD_MEM_SOHM_TABLE);
    VALUE(H5FD_MEM_SOHM_INDEX);
    VALUE(H5FD_MEM_EARRAY_HDR);
    VALUE(H5FD_MEM_EARRAY_IBLOCK);
    VALUE(H5FD_MEM_EARRAY_SBLOCK);
    VALUE(H5FD_MEM_EARRAY_DBLOCK);
    VALUE(H5FD_MEM_EARRAY_DBLK_PAGE);
    VALUE(H5FD_MEM_FARRAY_HDR);
    VALUE(H5FD_MEM_FARRAY_DBLOCK);
    VALUE(H5FD_MEM_FARRAY_DBLK_PAGE);
    VALUE(H5FD_FEAT_AGGREGATE_METADATA);
    VALUE(H5FD_FEAT_ACCUMULATE_METADATA_WRITE);
    VALUE(H5FD_FEAT_ACCUMULATE_METADATA_READ);
    VALUE(H5FD_FEAT_ACCUMULATE_METADATA);
    VALUE(H5FD_FEAT_DATA_SIEVE);
    VALUE(H5FD_FEAT_AGGREGATE_SMALLDATA);
    VALUE(H5FD_FEAT_IGNORE_DRVRINFO);
}

static void h5fd_2(void)
{
    VALUE(H5FD_FEAT_DIRTY_DRVRINFO_LOAD);
    VALUE(H5FD_FEAT_POSIX_COMPAT_HANDLE);
    VALUE(H5FD_FEAT_HAS_MPI);
    VALUE(H5FD_FEAT_ALLOCATE_EARLY);
    VALUE(H5FD_FEAT_ALLOW_FILE_IMAGE);
    VALUE(H5FD_FEAT_CAN_USE_FILE_IMAGE_CALLBACKS);
    VALUE(H5FD_FEAT_SUPPORTS_SWMR_IO);
    VALUE(H5FD_FEAT_USE_ALLOC_SIZE);
    VALUE(H5FD_FEAT_PAGED_AGGR);
    VALUE(H5FD_FEAT_DEFAULT_VFD_COMPATIBLE);
}

static void h5l(void)
{
    WIDTH(H5L_type_t);
    WIDTH(H5L_create_func_t);
    WIDTH(H5L_move_func_t);
    WIDTH(H5L_copy_func_t);
    WIDTH(H5L_traverse_0_func_t);
    WIDTH(H5L_traverse_func_t);
    WIDTH(H5L_delete_func_t);
    WIDTH(H5L_query_func_t);
    WIDTH(H5L_iterate_t);
    WIDTH(H5L_elink_traverse_t);
    WIDTH(H5L_info_t);
    FIELD(H5L_info_t, type);
    FIELD(H5L_info_t, corder_valid);
    FIELD(H5L_info_t, corder);
    FIELD(H5L_info_t, cset);
    FIELD(H5L_info_t, u);
    FIELD(H5L_info_t, u.address);
    FIELD(H5L_info_t, u.val_size);
    WIDTH(H5L_class_0_t);
    FIELD(H5L_class_0_t, version);
    FIELD(H5L_class_0_t, id);
    FIELD(H5L_class_0_t, comment);
    FIELD(H5L_class_0_t, create_func);
    FIELD(H5L_class_0_t, move_func);
    FIELD(H5L_class_0_t, copy_func);
    FIELD(H5L_class_0_t, trav_func);
    FIELD(H5L_class_0_t, del_func);
    FIELD(H5L_class_0_t, query_func);
    WIDTH(H5L_class_t);
    FIELD(H5L_class_t, version);
    FIELD(H5L_class_t, id);
    FIELD(H5L_class_t, comment);
    FIELD(H5L_class_t, create_func);
    FIELD(H5L_class_t, move_func);
    FIELD(H5L_class_t, copy_func);
    FIELD(H5L_class_t, trav_func);
    FIELD(H5L_class_t, del_func);
    FIELD(H5L_class_t, query_func);
    VALUE(H5L_TYPE_ERROR);
    VALUE(H5L_TYPE_HARD);
    VALUE(H5L_TYPE_SOFT);
    VALUE(H5L_TYPE_EXTERNAL);
    VALUE(H5L_TYPE_MAX);
    VALUE(H5L_MAX_LINK_NAME_LEN);
    VALUE(H5L_SAME_LOC);
    VALUE(H5L_LINK_CLASS_T_VERS);
    VALUE(H5L_LINK_CLASS_T_VERS_0);
    VALUE(H5L_TYPE_BUILTIN_MAX);
    VALUE(H5L_TYPE_UD_MIN);
}

static void h5o(void)
{
    WIDTH(H5O_type_t);
    WIDTH(H5O_mcdt_search_ret_t);
    WIDTH(H5O_msg_crt_idx_t);
    WIDTH(H5O_iterate_t);
    WIDTH(H5O_mcdt_search_cb_t);
    WIDTH(H5O_hdr_info_t);
    FIELD(H5O_hdr_info_t, version);
    FIELD(H5O_hdr_info_t, nmesgs);
    FIELD(H5O_hdr_info_t, nchunks);
    FIELD(H5O_hdr_info_t, flags);
    FIELD(H5O_hdr_info_t, space);
    FIELD(H5O_hdr_info_t, space.total);
    FIELD(H5O_hdr_info_t, space.meta);
    FIELD(H5O_hdr_info_t, space.mesg);
    FIELD(H5O_hdr_info_t, space.free);
    FIELD(H5O_hdr_info_t, mesg);
    FIELD(H5O_hdr_info_t, mesg.present);
    FIELD(H5O_hdr_info_t, mesg.shared);
    WIDTH(H5O_info_t);
    FIELD(H5O_info_t, fileno);
    FIELD(H5O_info_t, addr);
    FIELD(H5O_info_t, type);
    FIELD(H5O_info_t, rc);
    FIELD(H5O_info_t, atime);
    FIELD(H5O_info_t, mtime);
    FIELD(H5O_info_t, ctime);
    FIELD(H5O_info_t, btime);
    FIELD(H5O_info_t, num_attrs);
    FIELD(H5O_info_t, hdr);
    FIELD(H5O_info_t, meta_size);
    FIELD(H5O_info_t, meta_size.obj);
    FIELD(H5O_info_t, meta_size.attr);
    WIDTH(H5O_stat_t);
    FIELD(H5O_stat_t, size);
    FIELD(H5O_stat_t, free);
    FIELD(H5O_stat_t, nmesgs);
    FIELD(H5O_stat_t, nchunks);
    VALUE(H5O_TYPE_UNKNOWN);
    VALUE(H5O_TYPE_GROUP);
    VALUE(H5O_TYPE_DATASET);
    VALUE(H5O_TYPE_NAMED_DATATYPE);
    VALUE(H5O_MCDT_SEARCH_ERROR);
    VALUE(H5O_MCDT_SEARCH_CONT);
    VALUE(H5O_MCDT_SEARCH_STOP);
    VALUE(H5O_COPY_SHALLOW_HIERARCHY_FLAG);
    VALUE(H5O_COPY_EXPAND_SOFT_LINK_FLAG);
    VALUE(H5O_COPY_EXPAND_EXT_LINK_FLAG);
    VALUE(H5O_COPY_EXPAND_REFERENCE_FLAG);
    VALUE(H5O_COPY_WITHOUT_ATTR_FLAG);
    VALUE(H5O_COPY_PRESERVE_NULL_FLAG);
    VALUE(H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG);
    VALUE(H5O_COPY_ALL);
    VALUE(H5O_SHMESG_NONE_FLAG);
    VALUE(H5O_SHMESG_SDSPACE_FLAG);
    VALUE(H5O_SHMESG_DTYPE_FLAG);
    VALUE(H5O_SHMESG_FILL_FLAG);
    VALUE(H5O_SHMESG_PLINE_FLAG);
    VALUE(H5O_SHMESG_ATTR_FLAG);
    VALUE(H5O_SHMESG_ALL_FLAG);
    VALUE(H5O_HDR_CHUNK0_SIZE);
    VALUE(H5O_HDR_ATTR_CRT_ORDER_TRACKED);
    VALUE(H5O_HDR_ATTR_CRT_ORDER_INDEXED);
    VALUE(H5O_HDR_ATTR_STORE_PHASE_CHANGE);
    VALUE(H5O_HDR_STORE_TIMES);
    VALUE(H5O_HDR_ALL_FLAGS);
    VALUE(H5O_SHMESG_MAX_NINDEXES);
    VALUE(H5O_SHMESG_MAX_LIST_SIZE);
    VALUE(H5O_INFO_BASIC);
    VALUE(H5O_INFO_TIME);
    VALUE(H5O_INFO_NUM_ATTRS);
    VALUE(H5O_INFO_HDR);
    VALUE(H5O_INFO_META_SIZE);
    VALUE(H5O_INFO_ALL);
}

static void h5g(void)
{
    WIDTH(H5G_storage_type_t);
    WIDTH(H5G_obj_t);
    WIDTH(H5G_iterate_t);
    WIDTH(H5G_info_t);
    FIELD(H5G_info_t, storage_type);
    FIELD(H5G_info_t, nlinks);
    FIELD(H5G_info_t, max_corder);
    FIELD(H5G_info_t, mounted);
    WIDTH(H5G_stat_t);
    FIELD(H5G_stat_t, fileno);
    FIELD(H5G_stat_t, objno);
    FIELD(H5G_stat_t, nlink);
    FIELD(H5G_stat_t, type);
    FIELD(H5G_stat_t, mtime);
    FIELD(H5G_stat_t, linklen);
    FIELD(H5G_stat_t, ohdr);
    VALUE(H5G_STORAGE_TYPE_UNKNOWN);
    VALUE(H5G_STORAGE_TYPE_SYMBOL_TABLE);
    VALUE(H5G_STORAGE_TYPE_COMPACT);
    VALUE(H5G_STORAGE_TYPE_DENSE);
    VALUE(H5G_UNKNOWN);
    VALUE(H5G_GROUP);
    VALUE(H5G_DATASET);
    VALUE(H5G_TYPE);
    VALUE(H5G_LINK);
    VALUE(H5G_UDLINK);
    VALUE(H5G_RESERVED_5);
    VALUE(H5G_RESERVED_6);
    VALUE(H5G_RESERVED_7);
    VALUE(H5G_SAME_LOC);
    VALUE(H5G_LINK_ERROR);
    VALUE(H5G_LINK_HARD);
    VALUE(H5G_LINK_SOFT);
    VALUE(H5G_NTYPES);
    VALUE(H5G_NLIBTYPES);
    VALUE(H5G_NUSERTYPES);
}

static void h5a(void)
{
    WIDTH(H5A_operator2_t);
    WIDTH(H5A_operator1_t);
    WIDTH(H5A_info_t);
    FIELD(H5A_info_t, corder_valid);
    FIELD(H5A_info_t, corder);
    FIELD(H5A_info_t, cset);
    FIELD(H5A_info_t, data_size);
}

static void h5r(void)
{
    WIDTH(H5R_type_t);
    WIDTH(hobj_ref_t);
    WIDTH(hdset_reg_ref_t);
    VALUE(H5R_BADTYPE);
    VALUE(H5R_OBJECT);
    VALUE(H5R_DATASET_REGION);
    VALUE(H5R_OBJ_REF_BUF_SIZE);
    VALUE(H5R_DSET_REG_REF_BUF_SIZE);
}

static void h5e(void)
{
    WIDTH(H5E_type_t);
    WIDTH(H5E_direction_t);
    WIDTH(H5E_major_t);
    WIDTH(H5E_minor_t);
    WIDTH(H5E_walk2_t);
    WIDTH(H5E_auto2_t);
    WIDTH(H5E_walk1_t);
    WIDTH(H5E_auto1_t);
    WIDTH(H5E_error2_t);
    FIELD(H5E_error2_t, cls_id);
    FIELD(H5E_error2_t, maj_num);
    FIELD(H5E_error2_t, min_num);
    FIELD(H5E_error2_t, line);
    FIELD(H5E_error2_t, func_name);
    FIELD(H5E_error2_t, file_name);
    FIELD(H5E_error2_t, desc);
    WIDTH(H5E_error1_t);
    FIELD(H5E_error1_t, maj_num);
    FIELD(H5E_error1_t, min_num);
    FIELD(H5E_error1_t, func_name);
    FIELD(H5E_error1_t, file_name);
    FIELD(H5E_error1_t, line);
    FIELD(H5E_error1_t, desc);
    VALUE(H5E_MAJOR);
    VALUE(H5E_MINOR);
    VALUE(H5E_WALK_UPWARD);
    VALUE(H5E_WALK_DOWNWARD);
    VALUE(H5E_DEFAULT);
}

static void h5pl(void)
{
    WIDTH(H5PL_type_t);
    TEXT(H5PL_NO_PLUGIN);
    VALUE(H5PL_TYPE_ERROR);
    VALUE(H5PL_TYPE_FILTER);
#if STOCK_VERSION >= 11200
    VALUE(H5PL_TYPE_NONE);
#endif
    VALUE(H5PL_FILTER_PLUGIN);
    VALUE(H5PL_ALL_PLUGIN);
}

static void h5c(void)
{
    WIDTH(enum H5C_cache_incr_mode);
    WIDTH(enum H5C_cache_flash_incr_mode);
    WIDTH(enum H5C_cache_decr_mode);
    VALUE(H5C_incr__off);
    VALUE(H5C_incr__threshold);
    VALUE(H5C_flash_incr__off);
    VALUE(H5C_flash_incr__add_space);
    VALUE(H5C_decr__off);
    VALUE(H5C_decr__threshold);
    VALUE(H5C_decr__age_out);
    VALUE(H5C_decr__age_out_with_threshold);
}

static void h5ac(void)
{
    WIDTH(H5AC_cache_config_t);
    FIELD(H5AC_cache_config_t, version);
    FIELD(H5AC_cache_config_t, rpt_fcn_enabled);
    FIELD(H5AC_cache_config_t, open_trace_file);
    FIELD(H5AC_cache_config_t, close_trace_file);
    FIELD(H5AC_cache_config_t, trace_file_name);
    FIELD(H5AC_cache_config_t, evictions_enabled);
    FIELD(H5AC_cache_config_t, set_initial_size);
    FIELD(H5AC_cache_config_t, initial_size);
    FIELD(H5AC_cache_config_t, min_clean_fraction);
    FIELD(H5AC_cache_config_t, max_size);
    FIELD(H5AC_cache_config_t, min_size);
    FIELD(H5AC_cache_config_t, epoch_length);
    FIELD(H5AC_cache_config_t, incr_mode);
    FIELD(H5AC_cache_config_t, lower_hr_threshold);
    FIELD(H5AC_cache_config_t, increment);
    FIELD(H5AC_cache_config_t, apply_max_increment);
    FIELD(H5AC_cache_config_t, max_increment);
    FIELD(H5AC_cache_config_t, flash_incr_mode);
    FIELD(H5AC_cache_config_t, flash_multiple);
    FIELD(H5AC_cache_config_t, flash_threshold);
    FIELD(H5AC_cache_config_t, decr_mode);
    FIELD(H5AC_cache_config_t, upper_hr_threshold);
    FIELD(H5AC_cache_config_t, decrement);
    FIELD(H5AC_cache_config_t, apply_max_decrement);
    FIELD(H5AC_cache_config_t, max_decrement);
    FIELD(H5AC_cache_config_t, epochs_before_eviction);
    FIELD(H5AC_cache_config_t, apply_empty_reserve);
    FIELD(H5AC_cache_config_t, empty_reserve);
    FIELD(H5AC_cache_config_t, dirty_bytes_threshold);
    FIELD(H5AC_cache_config_t, metadata_write_strategy);
    WIDTH(H5AC_cache_image_config_t);
    FIELD(H5AC_cache_image_config_t, version);
    FIELD(H5AC_cache_image_config_t, generate_image);
    FIELD(H5AC_cache_image_config_t, save_resize_status);
    FIELD(H5AC_cache_image_config_t, entry_ageout);
    VALUE(H5AC__CURR_CACHE_CONFIG_VERSION);
    VALUE(H5AC__MAX_TRACE_FILE_NAME_LEN);
    VALUE(H5AC_METADATA_WRITE_STRATEGY__PROCESS_0_ONLY);
    VALUE(H5AC_METADATA_WRITE_STRATEGY__DISTRIBUTED);
    VALUE(H5AC__CURR_CACHE_IMAGE_CONFIG_VERSION);
    VALUE(H5AC__CACHE_IMAGE__ENTRY_AGEOUT__NONE);
    VALUE(H5AC__CACHE_IMAGE__ENTRY_AGEOUT__MAX);
}

static void h5p(void)
{
    WIDTH(H5D_mpio_actual_chunk_opt_mode_t);
    WIDTH(H5D_mpio_actual_io_mode_t);
    WIDTH(H5D_mpio_no_collective_cause_t);
    WIDTH(H5P_prp_create_func_t);
    WIDTH(H5P_prp_set_func_t);
    WIDTH(H5P_prp_get_func_t);
    WIDTH(H5P_prp_delete_func_t);
    WIDTH(H5P_prp_copy_func_t);
    WIDTH(H5P_prp_close_func_t);
    WIDTH(H5P_cls_create_func_t);
    WIDTH(H5P_cls_copy_func_t);
    WIDTH(H5P_cls_close_func_t);
    WIDTH(H5P_prp_cb1_t);
    WIDTH(H5P_prp_cb2_t);
    WIDTH(H5P_prp_compare_func_t);
    WIDTH(H5P_iterate_t);
    VALUE(H5D_MPIO_NO_CHUNK_OPTIMIZATION);
    VALUE(H5D_MPIO_LINK_CHUNK);
    VALUE(H5D_MPIO_MULTI_CHUNK);
    VALUE(H5D_MPIO_NO_COLLECTIVE);
    VALUE(H5D_MPIO_CHUNK_INDEPENDENT);
    VALUE(H5D_MPIO_CHUNK_COLLECTIVE);
    VALUE(H5D_MPIO_CHUNK_MIXED);
    VALUE(H5D_MPIO_CONTIGUOUS_COLLECTIVE);
    VALUE(H5D_MPIO_COLLECTIVE);
    VALUE(H5D_MPIO_SET_INDEPENDENT);
    VALUE(H5D_MPIO_DATATYPE_CONVERSION);
    VALUE(H5D_MPIO_DATA_TRANSFORMS);
    VALUE(H5D_MPIO_MPI_OPT_TYPES_ENV_VAR_DISABLED);
    VALUE(H5D_MPIO_NOT_SIMPLE_OR_SCALAR_DATASPACES);
    VALUE(H5D_MPIO_NOT_CONTIGUOUS_OR_CHUNKED_DATASET);
    VALUE(H5D_MPIO_PARALLEL_FILTERED_WRITES_DISABLED);
    VALUE(H5D_MPIO_ERROR_WHILE_CHECKING_COLLECTIVE_POSSIBLE);
    VALUE(H5P_CRT_ORDER_TRACKED);
    VALUE(H5P_CRT_ORDER_INDEXED);
    VALUE(H5P_DEFAULT);
}

static void h5fdlog(void)
{
    VALUE(H5FD_LOG_TRUNCATE);
    VALUE(H5FD_LOG_META_IO);
    VALUE(H5FD_LOG_LOC_READ);
    VALUE(H5FD_LOG_LOC_WRITE);
    VALUE(H5FD_LOG_LOC_SEEK);
    VALUE(H5FD_LOG_LOC_IO);
    VALUE(H5FD_LOG_FILE_READ);
    VALUE(H5FD_LOG_FILE_WRITE);
    VALUE(H5FD_LOG_FILE_IO);
    VALUE(H5FD_LOG_FLAVOR);
    VALUE(H5FD_LOG_NUM_READ);
    VALUE(H5FD_LOG_NUM_WRITE);
    VALUE(H5FD_LOG_NUM_SEEK);
    VALUE(H5FD_LOG_NUM_TRUNCATE);
    VALUE(H5FD_LOG_NUM_IO);
    VALUE(H5FD_LOG_TIME_OPEN);
    VALUE(H5FD_LOG_TIME_STAT);
    VALUE(H5FD_LOG_TIME_READ);
    VALUE(H5FD_LOG_TIME_WRITE);
    VALUE(H5FD_LOG_TIME_SEEK);
    VALUE(H5FD_LOG_TIME_TRUNCATE);
    VALUE(H5FD_LOG_TIME_CLOSE);
    VALUE(H5FD_LOG_TIME_IO);
    VALUE(H5FD_LOG_ALLOC);
    VALUE(H5FD_LOG_FREE);
    VALUE(H5FD_LOG_ALL);
}

static void h5fdmpi(void)
{
    WIDTH(H5FD_mpio_xfer_t);
    WIDTH(H5FD_mpio_chunk_opt_t);
    WIDTH(H5FD_mpio_collective_opt_t);
    VALUE(H5FD_MPIO_INDEPENDENT);
    VALUE(H5FD_MPIO_COLLECTIVE);
    VALUE(H5FD_MPIO_CHUNK_DEFAULT);
    VALUE(H5FD_MPIO_CHUNK_ONE_IO);
    VALUE(H5FD_MPIO_CHUNK_MULTI_IO);
    VALUE(H5FD_MPIO_COLLECTIVE_IO);
    VALUE(H5FD_MPIO_INDIVIDUAL_IO);
    VALUE(H5D_ONE_LINK_CHUNK_IO_THRESHOLD);
    VALUE(H5D_MULTI_CHUNK_IO_COL_THRESHOLD);
}

static void h5fdros3(void)
{
#if STOCK_VERSION < 20000 /* later releases declare it where they have it only */
    WIDTH(H5FD_ros3_fapl_t);
    FIELD(H5FD_ros3_fapl_t, version);
    FIELD(H5FD_ros3_fapl_t, authenticate);
    FIELD(H5FD_ros3_fapl_t, aws_region);
    FIELD(H5FD_ros3_fapl_t, secret_id);
    FIELD(H5FD_ros3_fapl_t, secret_key);
    VALUE(H5FD_CURR_ROS3_FAPL_T_VERSION);
    VALUE(H5FD_ROS3_MAX_REGION_LEN);
    VALUE(H5FD_ROS3_MAX_SECRET_ID_LEN);
    VALUE(H5FD_ROS3_MAX_SECRET_KEY_LEN);
#endif
}

static void h5fdhdfs(void)
{
#if STOCK_VERSION < 11400 /* later releases declare it where they have it only */
    WIDTH(H5FD_hdfs_fapl_t);
    FIELD(H5FD_hdfs_fapl_t, version);
    FIELD(H5FD_hdfs_fapl_t, namenode_name);
    FIELD(H5FD_hdfs_fapl_t, namenode_port);
    FIELD(H5FD_hdfs_fapl_t, user_name);
    FIELD(H5FD_hdfs_fapl_t, kerberos_ticket_cache);
    FIELD(H5FD_hdfs_fapl_t, stream_buffer_size);
    VALUE(H5FD__CURR_HDFS_FAPL_T_VERSION);
    VALUE(H5FD__HDFS_NODE_NAME_SPACE);
    VALUE(H5FD__HDFS_USER_NAME_SPACE);
    VALUE(H5FD__HDFS_KERB_CACHE_PATH_SPACE);
#endif
}

static void h5fdsplitter(void)
{
    WIDTH(H5FD_splitter_vfd_config_t);
    FIELD(H5FD_splitter_vfd_config_t, magic);
    FIELD(H5FD_splitter_vfd_config_t, version);
    FIELD(H5FD_splitter_vfd_config_t, rw_fapl_id);
    FIELD(H5FD_splitter_vfd_config_t, wo_fapl_id);
    FIELD(H5FD_splitter_vfd_config_t, wo_path);
    FIELD(H5FD_splitter_vfd_config_t, log_file_path);
    FIELD(H5FD_splitter_vfd_config_t, ignore_wo_errs);
    VALUE(H5FD_CURR_SPLITTER_VFD_CONFIG_VERSION);
    VALUE(H5FD_SPLITTER_PATH_MAX);
    VALUE(H5FD_SPLITTER_MAGIC);
}

static void sizes(void)
{
    VALUE(H5_SIZEOF_CHAR);
    VALUE(H5_SIZEOF_SHORT);
    VALUE(H5_SIZEOF_INT);
    VALUE(H5_SIZEOF_UNSIGNED);
    VALUE(H5_SIZEOF_LONG);
    VALUE(H5_SIZEOF_LONG_LONG);
    VALUE(H5_SIZEOF_FLOAT);
    VALUE(H5_SIZEOF_DOUBLE);
    VALUE(H5_SIZEOF_LONG_DOUBLE);
    VALUE(H5_SIZEOF_BOOL);
    VALUE(H5_SIZEOF_PTRDIFF_T);
    VALUE(H5_SIZEOF_SIZE_T);
    VALUE(H5_SIZEOF_SSIZE_T);
    VALUE(H5_SIZEOF_OFF_T);
    VALUE(H5_SIZEOF_TIME_T);
    VALUE(H5_SIZEOF_INT8_T);
    VALUE(H5_SIZEOF_INT16_T);
    VALUE(H5_SIZEOF_INT32_T);
    VALUE(H5_SIZEOF_INT64_T);
    VALUE(H5_SIZEOF_UINT8_T);
    VALUE(H5_SIZEOF_UINT16_T);
    VALUE(H5_SIZEOF_UINT32_T);
    VALUE(H5_SIZEOF_UINT64_T);
    VALUE(H5_SIZEOF_INT_LEAST8_T);
    VALUE(H5_SIZEOF_INT_LEAST16_T);
    VALUE(H5_SIZEOF_INT_LEAST32_T);
    VALUE(H5_SIZEOF_INT_LEAST64_T);
    VALUE(H5_SIZEOF_INT_FAST8_T);
    VALUE(H5_SIZEOF_INT_FAST16_T);
    VALUE(H5_SIZEOF_INT_FAST32_T);
    VALUE(H5_SIZEOF_INT_FAST64_T);
    VALUE(H5_SIZEOF_UINT_LEAST8_T);
    VALUE(H5_SIZEOF_UINT_LEAST16_T);
    VALUE(H5_SIZEOF_UINT_LEAST32_T);
    VALUE(H5_SIZEOF_UINT_LEAST64_T);
    VALUE(H5_SIZEOF_UINT_FAST8_T);
    VALUE(H5_SIZEOF_UINT_FAST16_T);
    VALUE(H5_SIZEOF_UINT_FAST32_T);
    VALUE(H5_SIZEOF_UINT_FAST64_T);
}

static void maps(void)
{
    const H5FD_mem_t single[] = H5FD_FLMAP_SINGLE;
    const H5FD_mem_t dichotomy[] = H5FD_FLMAP_DICHOTOMY;
    const H5FD_mem_t each[] = H5FD_FLMAP_DEFAULT;
    for (int i = 0; i < H5FD_MEM_NTYPES; i++)
        printf("map %d: %d %d %d\n", i, (int)single[i], (int)dichotomy[i], (int)each[i]);
    printf("H5D_CHUNK_CACHE_W0_DEFAULT = %g\n", H5D_CHUNK_CACHE_W0_DEFAULT);
    printf("H5G_USERTYPE(3) = %d\n", H5G_USERTYPE(3));
    printf("HOFFSET = %d\n", (int)HOFFSET(hvl_t, p));
}

int main(void)
{
    h5();
    h5i();
    h5s();
    h5t_1();
    h5t_2();
    h5d();
    h5z();
    h5f();
    h5fd_1();
    h5fd_2();
    h5l();
    h5o();
    h5g();
    h5a();
    h5r();
    h5e();
    h5pl();
    h5c();
    h5ac();
    h5p();
    h5fdlog();
    h5fdmpi();
    h5fdros3();
    h5fdhdfs();
    h5fdsplitter();
    sizes();
    maps();
    return 0;
}
