/* Functions of property lists with one argument wrong at a time: the codes of the outermost record, and its text up to where
 * ours says more. */
#include "wrong_arguments.h"

static void properties_1(void)
{
    TRY(H5Pcreate(closed));
    TRY(H5Pcreate(dcpl));
    TRY(H5Pcopy(closed));
    TRY(H5Pclose(closed));
    TRY(H5Pclose_class(closed));
    TRY(H5Pclose_class(dcpl));
    TRY(H5Pequal(closed, dxpl));
    TRY(H5Pequal(dcpl, closed));
    TRY(H5Pexist(closed, "prop"));
    TRY(H5Pexist(dcpl, NULL));
    TRY(H5Pget_size(closed, "prop", buf));
    TRY(H5Pget_size(dcpl, NULL, buf));
    TRY(H5Pget_size(dcpl, "missing", buf));
    TRY(H5Pget_size(dcpl, "prop", NULL));
    TRY(H5Pget_nprops(closed, buf));
    TRY(H5Pget_nprops(dcpl, NULL));
    TRY(H5Pget_class(closed));
    TRY(H5Pget_class_parent(closed));
    TRY(H5Pget_class_parent(dcpl));
    TRY(H5Pisa_class(closed, H5P_DATASET_CREATE));
    TRY(H5Piterate(closed, NULL, (void *)nothing, NULL));
    TRY(H5Piterate(dcpl, NULL, NULL, NULL));
    TRY(H5Pget(closed, "prop", buf));
    TRY(H5Pget(dcpl, NULL, buf));
    TRY(H5Pget(dcpl, "missing", buf));
    TRY(H5Pget(dcpl, "prop", NULL));
    TRY(H5Pset(closed, "prop", buf));
    TRY(H5Pset(dcpl, NULL, buf));
    TRY(H5Pset(dcpl, "missing", buf));
    TRY(H5Pset(dcpl, "prop", NULL));
    TRY(H5Premove(closed, "prop"));
    TRY(H5Premove(dcpl, NULL));
    TRY(H5Premove(dcpl, "missing"));
    TRY(H5Pinsert2(closed, "newprop", 4, buf, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pinsert2(dcpl, NULL, 4, buf, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pinsert2(dcpl, "prop", 4, buf, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pinsert2(dcpl, "newprop", 4, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pinsert2(closed, "newprop", 4, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pinsert2(dcpl, NULL, 4, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pinsert2(dcpl, "prop", 4, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pinsert1(closed, "newprop", 4, buf, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pinsert1(dcpl, NULL, 4, buf, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pinsert1(dcpl, "prop", 4, buf, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pinsert1(dcpl, "newprop", 4, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pregister2(closed, "newprop", 4, buf, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pregister2(dcpl, "newprop", 4, buf, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pregister2(ncls, NULL, 4, buf, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pregister2(ncls, "prop", 4, buf, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pregister2(ncls, "newprop", 4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pregister2(closed, "newprop", 4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pregister2(dcpl, "newprop", 4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pregister2(ncls, NULL, 4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pregister2(ncls, "prop", 4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pregister1(closed, "newprop", 4, buf, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pregister1(dcpl, "newprop", 4, buf, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pregister1(ncls, NULL, 4, buf, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pregister1(ncls, "prop", 4, buf, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pregister1(ncls, "newprop", 4, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Punregister(closed, "prop"));
    TRY(H5Punregister(dcpl, "prop"));
    TRY(H5Punregister(ncls, NULL));
    TRY(H5Punregister(ncls, "missing"));
    TRY(H5Pcreate_class(closed, "x", NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pcreate_class(dcpl, "x", NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pcreate_class(ncls, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pcopy_prop(closed, dxpl, "prop"));
    TRY(H5Pcopy_prop(ncls, dxpl, "prop"));
    TRY(H5Pcopy_prop(dcpl, closed, "prop"));
    TRY(H5Pcopy_prop(dcpl, ncls, "prop"));
    TRY(H5Pcopy_prop(dcpl, dxpl, NULL));
}

static void properties_2(void)
{
    TRY(H5Pencode(closed, buf, &sz));
    TRY(H5Pencode(dcpl, buf, NULL));
    TRY(H5Pdecode(NULL));
    TRY(H5Pset_chunk(closed, 2, one));
    TRY(H5Pset_chunk(lcpl, 2, one));
    TRY(H5Pset_chunk(dcpl, 0, one));
    TRY(H5Pset_chunk(dcpl, -1, one));
    TRY(H5Pset_chunk(dcpl, 99, one));
    TRY(H5Pset_chunk(dcpl, 2, NULL));
    TRY(H5Pset_chunk(dcpl, 2, zero4));
    TRY(H5Pget_chunk(closed, 2, buf));
    TRY(H5Pget_chunk(lcpl, 2, buf));
    TRY(H5Pset_layout(closed, H5D_CHUNKED));
    TRY(H5Pset_layout(lcpl, H5D_CHUNKED));
    TRY(H5Pset_layout(dcpl, (H5D_layout_t)-1));
    TRY(H5Pget_layout(closed));
    TRY(H5Pget_layout(lcpl));
    TRY(H5Pset_chunk_opts(closed, 0));
    TRY(H5Pset_chunk_opts(lcpl, 0));
    TRY(H5Pset_chunk_opts(dcpl, 9));
    TRY(H5Pset_alloc_time(closed, H5D_ALLOC_TIME_EARLY));
    TRY(H5Pset_alloc_time(lcpl, H5D_ALLOC_TIME_EARLY));
    TRY(H5Pset_alloc_time(dcpl, (H5D_alloc_time_t)-1));
    TRY(H5Pget_alloc_time(closed, buf));
    TRY(H5Pget_alloc_time(lcpl, buf));
    TRY(H5Pset_fill_time(closed, H5D_FILL_TIME_IFSET));
    TRY(H5Pset_fill_time(lcpl, H5D_FILL_TIME_IFSET));
    TRY(H5Pset_fill_time(dcpl, (H5D_fill_time_t)-1));
    TRY(H5Pset_fill_value(closed, H5T_NATIVE_INT, buf));
    TRY(H5Pset_fill_value(lcpl, H5T_NATIVE_INT, buf));
    TRY(H5Pset_fill_value(dcpl, closed, buf));
    TRY(H5Pget_fill_value(closed, H5T_NATIVE_INT, buf));
    TRY(H5Pget_fill_value(lcpl, H5T_NATIVE_INT, buf));
    TRY(H5Pget_fill_value(dcpl, closed, buf));
    TRY(H5Pget_fill_value(dcpl, H5T_NATIVE_INT, NULL));
    TRY(H5Pfill_value_defined(closed, buf));
    TRY(H5Pfill_value_defined(lcpl, buf));
    TRY(H5Pset_deflate(closed, 6));
    TRY(H5Pset_deflate(dxpl, 6));
    TRY(H5Pset_deflate(dcpl, 10));
    TRY(H5Pset_deflate(dcpl, 99));
    TRY(H5Pset_shuffle(closed));
    TRY(H5Pset_shuffle(dxpl));
    TRY(H5Pset_fletcher32(closed));
    TRY(H5Pset_fletcher32(dxpl));
    TRY(H5Pset_szip(closed, 4, 8));
    TRY(H5Pset_szip(dxpl, 4, 8));
    TRY(H5Pset_szip(dcpl, 4, 7));
    TRY(H5Pset_szip(dcpl, 4, 33));
    TRY(H5Pset_szip(dcpl, 4, 64));
    TRY(H5Pset_nbit(closed));
    TRY(H5Pset_nbit(dxpl));
    TRY(H5Pset_scaleoffset(closed, H5Z_SO_INT, 2));
    TRY(H5Pset_scaleoffset(dxpl, H5Z_SO_INT, 2));
    TRY(H5Pset_scaleoffset(dcpl, (H5Z_SO_scale_type_t)9, 2));
    TRY(H5Pset_scaleoffset(dcpl, H5Z_SO_INT, -1));
    TRY(H5Pset_filter(closed, 1, 0, 0, NULL));
    TRY(H5Pset_filter(dxpl, 1, 0, 0, NULL));
    TRY(H5Pset_filter(dcpl, -1, 0, 0, NULL));
    TRY(H5Pset_filter(dcpl, 70000, 0, 0, NULL));
    TRY(H5Pset_filter(dcpl, 1, 0x8000, 0, NULL));
    TRY(H5Pset_filter(dcpl, 1, 0, 1, NULL));
    TRY(H5Pmodify_filter(closed, 1, 0, 0, NULL));
    TRY(H5Pmodify_filter(dxpl, 1, 0, 0, NULL));
    TRY(H5Pmodify_filter(dcpl, -1, 0, 0, NULL));
    TRY(H5Pmodify_filter(dcpl, 70000, 0, 0, NULL));
    TRY(H5Pmodify_filter(dcpl, 1, 0x8000, 0, NULL));
    TRY(H5Premove_filter(closed, 0));
    TRY(H5Premove_filter(dxpl, 0));
    TRY(H5Pget_nfilters(closed));
    TRY(H5Pget_nfilters(dxpl));
}

static void properties_3(void)
{
    TRY(H5Pget_filter2(dcpl, 0, buf, &sz, buf, 64, buf, buf));
    TRY(H5Pget_filter2(closed, 0, buf, &sz, buf, 64, buf, buf));
    TRY(H5Pget_filter2(dxpl, 0, buf, &sz, buf, 64, buf, buf));
    TRY(H5Pget_filter2(dcpl, 5, buf, &sz, buf, 64, buf, buf));
    TRY(H5Pget_filter2(dcpl, 0, NULL, &sz, buf, 64, buf, buf));
    TRY(H5Pget_filter2(dcpl, 0, buf, &sz, NULL, 64, buf, buf));
    TRY(H5Pget_filter2(dcpl, 0, buf, &sz, buf, 64, NULL, buf));
    TRY(H5Pget_filter2(dcpl, 0, buf, &sz, buf, 64, buf, NULL));
    TRY(H5Pget_filter_by_id2(dcpl, 1, buf, &sz, buf, 64, buf, buf));
    TRY(H5Pget_filter_by_id2(closed, 1, buf, &sz, buf, 64, buf, buf));
    TRY(H5Pget_filter_by_id2(dxpl, 1, buf, &sz, buf, 64, buf, buf));
    TRY(H5Pget_filter_by_id2(dcpl, -1, buf, &sz, buf, 64, buf, buf));
    TRY(H5Pget_filter_by_id2(dcpl, 1, NULL, &sz, buf, 64, buf, buf));
    TRY(H5Pget_filter_by_id2(dcpl, 1, buf, &sz, NULL, 64, buf, buf));
    TRY(H5Pget_filter_by_id2(dcpl, 1, buf, &sz, buf, 64, NULL, buf));
    TRY(H5Pget_filter_by_id2(dcpl, 1, buf, &sz, buf, 64, buf, NULL));
    TRY(H5Pall_filters_avail(closed));
    TRY(H5Pall_filters_avail(dxpl));
    TRY(H5Pset_external(closed, "x", 0, 10));
    TRY(H5Pset_external(lcpl, "x", 0, 10));
    TRY(H5Pset_external(dcpl, NULL, 0, 10));
    TRY(H5Pset_external(dcpl, "x", -1, 10));
    TRY(H5Pget_external(dcpl, 0, 64, buf, NULL, NULL));
    TRY(H5Pget_external(closed, 0, 64, buf, NULL, NULL));
    TRY(H5Pget_external(lcpl, 0, 64, buf, NULL, NULL));
    TRY(H5Pget_external(dcpl, 5, 64, buf, NULL, NULL));
    TRY(H5Pget_external(dcpl, 0, 64, NULL, NULL, NULL));
    TRY(H5Pget_external_count(closed));
    TRY(H5Pget_external_count(lcpl));
    TRY(H5Pset_virtual(lcpl, space, "f", "d", space));
    TRY(H5Pset_virtual(dcpl, space, NULL, "d", space));
    TRY(H5Pset_virtual(dcpl, space, "f", NULL, space));
    TRY(H5Pget_virtual_count(dcpl, buf));
    TRY(H5Pget_virtual_count(closed, buf));
    TRY(H5Pget_virtual_count(lcpl, buf));
    TRY(H5Pget_virtual_vspace(dcpl, 0));
    TRY(H5Pget_virtual_vspace(closed, 0));
    TRY(H5Pget_virtual_vspace(lcpl, 0));
    TRY(H5Pget_virtual_vspace(dcpl, 5));
    TRY(H5Pget_virtual_srcspace(dcpl, 0));
    TRY(H5Pget_virtual_srcspace(closed, 0));
    TRY(H5Pget_virtual_srcspace(lcpl, 0));
    TRY(H5Pget_virtual_srcspace(dcpl, 5));
    TRY(H5Pget_virtual_filename(dcpl, 0, buf, 64));
    TRY(H5Pget_virtual_filename(closed, 0, buf, 64));
    TRY(H5Pget_virtual_filename(lcpl, 0, buf, 64));
    TRY(H5Pget_virtual_filename(dcpl, 5, buf, 64));
    TRY(H5Pget_virtual_filename(dcpl, 0, NULL, 64));
    TRY(H5Pget_virtual_dsetname(dcpl, 0, buf, 64));
    TRY(H5Pget_virtual_dsetname(closed, 0, buf, 64));
    TRY(H5Pget_virtual_dsetname(lcpl, 0, buf, 64));
    TRY(H5Pget_virtual_dsetname(dcpl, 5, buf, 64));
    TRY(H5Pget_virtual_dsetname(dcpl, 0, NULL, 64));
    TRY(H5Pset_userblock(closed, 512));
    TRY(H5Pset_userblock(dcpl, 512));
    TRY(H5Pset_userblock(fcpl, 100));
    TRY(H5Pset_userblock(fcpl, 513));
    TRY(H5Pset_userblock(fcpl, 1000));
    TRY(H5Pget_userblock(closed, buf));
    TRY(H5Pget_userblock(dcpl, buf));
    TRY(H5Pset_sizes(closed, 8, 8));
    TRY(H5Pset_sizes(dcpl, 8, 8));
    TRY(H5Pset_sizes(fcpl, 3, 8));
    TRY(H5Pset_sizes(fcpl, 99, 8));
    TRY(H5Pset_sizes(fcpl, 8, 3));
    TRY(H5Pset_sym_k(closed, 16, 4));
    TRY(H5Pset_sym_k(dcpl, 16, 4));
    TRY(H5Pset_sym_k(fcpl, 70000, 4));
    TRY(H5Pset_istore_k(closed, 16));
    TRY(H5Pset_istore_k(dcpl, 16));
    TRY(H5Pset_istore_k(fcpl, 0));
    TRY(H5Pset_istore_k(fcpl, 70000));
}

static void properties_4(void)
{
    TRY(H5Pset_shared_mesg_nindexes(closed, 2));
    TRY(H5Pset_shared_mesg_nindexes(dcpl, 2));
    TRY(H5Pset_shared_mesg_nindexes(fcpl, 99));
    TRY(H5Pset_shared_mesg_index(fcpl, 0, 1, 10));
    TRY(H5Pset_shared_mesg_index(closed, 0, 1, 10));
    TRY(H5Pset_shared_mesg_index(dcpl, 0, 1, 10));
    TRY(H5Pset_shared_mesg_index(fcpl, 9, 1, 10));
    TRY(H5Pset_shared_mesg_index(fcpl, 0, 0x8000, 10));
    TRY(H5Pset_shared_mesg_phase_change(closed, 10, 5));
    TRY(H5Pset_shared_mesg_phase_change(dcpl, 10, 5));
    TRY(H5Pset_shared_mesg_phase_change(fcpl, 99999, 5));
    TRY(H5Pset_shared_mesg_phase_change(fcpl, 10, 99));
    TRY(H5Pset_shared_mesg_phase_change(fcpl, 10, 99999));
    TRY(H5Pset_file_space_strategy(closed, H5F_FSPACE_STRATEGY_PAGE, 0, 1));
    TRY(H5Pset_file_space_strategy(dcpl, H5F_FSPACE_STRATEGY_PAGE, 0, 1));
    TRY(H5Pset_file_space_strategy(fcpl, (H5F_fspace_strategy_t)-1, 0, 1));
    TRY(H5Pset_file_space_page_size(closed, 4096));
    TRY(H5Pset_file_space_page_size(dcpl, 4096));
    TRY(H5Pset_file_space_page_size(fcpl, 1));
    TRY(H5Pset_file_space_page_size(fcpl, ((hsize_t)1<<40)));
    TRY(H5Pset_link_creation_order(closed, 1));
    TRY(H5Pset_link_creation_order(dxpl, 1));
    TRY(H5Pset_link_creation_order(gcpl, 2));
    TRY(H5Pget_link_creation_order(closed, buf));
    TRY(H5Pget_link_creation_order(dxpl, buf));
    TRY(H5Pset_attr_creation_order(closed, 1));
    TRY(H5Pset_attr_creation_order(dxpl, 1));
    TRY(H5Pset_attr_creation_order(dcpl, 2));
    TRY(H5Pset_attr_phase_change(closed, 8, 6));
    TRY(H5Pset_attr_phase_change(dxpl, 8, 6));
    TRY(H5Pset_attr_phase_change(dcpl, 99999, 6));
    TRY(H5Pset_attr_phase_change(dcpl, 8, 99));
    TRY(H5Pset_attr_phase_change(dcpl, 8, 99999));
    TRY(H5Pset_link_phase_change(closed, 8, 6));
    TRY(H5Pset_link_phase_change(dxpl, 8, 6));
    TRY(H5Pset_link_phase_change(gcpl, 99999, 6));
    TRY(H5Pset_link_phase_change(gcpl, 8, 99));
    TRY(H5Pset_link_phase_change(gcpl, 8, 99999));
    TRY(H5Pset_est_link_info(closed, 4, 8));
    TRY(H5Pset_est_link_info(dxpl, 4, 8));
    TRY(H5Pset_est_link_info(gcpl, 99999, 8));
    TRY(H5Pset_est_link_info(gcpl, 4, 99999));
    TRY(H5Pset_local_heap_size_hint(closed, 8));
    TRY(H5Pset_local_heap_size_hint(dxpl, 8));
    TRY(H5Pset_obj_track_times(closed, 1));
    TRY(H5Pset_obj_track_times(dxpl, 1));
    TRY(H5Pset_char_encoding(closed, H5T_CSET_UTF8));
    TRY(H5Pset_char_encoding(dxpl, H5T_CSET_UTF8));
    TRY(H5Pset_char_encoding(lcpl, (H5T_cset_t)-1));
    TRY(H5Pset_create_intermediate_group(closed, 1));
    TRY(H5Pset_create_intermediate_group(dcpl, 1));
    TRY(H5Pget_create_intermediate_group(closed, buf));
    TRY(H5Pget_create_intermediate_group(dcpl, buf));
    TRY(H5Pset_nlinks(closed, 16));
    TRY(H5Pset_nlinks(dcpl, 16));
    TRY(H5Pset_nlinks(lapl, 0));
    TRY(H5Pget_nlinks(closed, buf));
    TRY(H5Pget_nlinks(dcpl, buf));
    TRY(H5Pget_nlinks(lapl, NULL));
    TRY(H5Pset_elink_prefix(closed, "x"));
    TRY(H5Pset_elink_prefix(dcpl, "x"));
    TRY(H5Pget_elink_prefix(closed, buf, 64));
    TRY(H5Pget_elink_prefix(dcpl, buf, 64));
    TRY(H5Pset_elink_fapl(closed, fapl));
    TRY(H5Pset_elink_fapl(dcpl, fapl));
    TRY(H5Pset_elink_fapl(lapl, closed));
    TRY(H5Pset_elink_fapl(lapl, dcpl));
    TRY(H5Pget_elink_fapl(closed));
    TRY(H5Pget_elink_fapl(dcpl));
    TRY(H5Pset_elink_acc_flags(closed, H5F_ACC_RDWR));
    TRY(H5Pset_elink_acc_flags(dcpl, H5F_ACC_RDWR));
    TRY(H5Pset_elink_acc_flags(lapl, 0x8000));
    TRY(H5Pset_elink_acc_flags(lapl, H5F_ACC_TRUNC));
}

static void properties_5(void)
{
    TRY(H5Pget_elink_acc_flags(closed, buf));
    TRY(H5Pget_elink_acc_flags(dcpl, buf));
    TRY(H5Pset_elink_cb(closed, NULL, NULL));
    TRY(H5Pset_elink_cb(dcpl, NULL, NULL));
    TRY(H5Pset_elink_cb(lapl, NULL, buf));
    TRY(H5Pset_copy_object(closed, 1));
    TRY(H5Pset_copy_object(dcpl, 1));
    TRY(H5Pset_copy_object(ocpypl, 0x8000));
    TRY(H5Pget_copy_object(closed, buf));
    TRY(H5Pget_copy_object(dcpl, buf));
    TRY(H5Padd_merge_committed_dtype_path(closed, "x"));
    TRY(H5Padd_merge_committed_dtype_path(dcpl, "x"));
    TRY(H5Padd_merge_committed_dtype_path(ocpypl, NULL));
    TRY(H5Padd_merge_committed_dtype_path(ocpypl, ""));
    TRY(H5Pset_buffer(closed, 1024, NULL, NULL));
    TRY(H5Pset_buffer(dcpl, 1024, NULL, NULL));
    TRY(H5Pset_buffer(dxpl, 0, NULL, NULL));
    TRY(H5Pset_btree_ratios(closed, 0.1, 0.5, 0.9));
    TRY(H5Pset_btree_ratios(dcpl, 0.1, 0.5, 0.9));
    TRY(H5Pset_btree_ratios(dxpl, -1.0, 0.5, 0.9));
    TRY(H5Pset_btree_ratios(dxpl, 2.0, 0.5, 0.9));
    TRY(H5Pset_btree_ratios(dxpl, 0.1, 9.0, 0.9));
    TRY(H5Pset_btree_ratios(dxpl, 0.1, 0.5, 9.0));
    TRY(H5Pset_edc_check(closed, H5Z_ENABLE_EDC));
    TRY(H5Pset_edc_check(dcpl, H5Z_ENABLE_EDC));
    TRY(H5Pset_edc_check(dxpl, (H5Z_EDC_t)9));
    TRY(H5Pset_hyper_vector_size(closed, 10));
    TRY(H5Pset_hyper_vector_size(dcpl, 10));
    TRY(H5Pset_hyper_vector_size(dxpl, 0));
    TRY(H5Pset_data_transform(closed, "x+1"));
    TRY(H5Pset_data_transform(dcpl, "x+1"));
    TRY(H5Pset_data_transform(dxpl, NULL));
    TRY(H5Pget_data_transform(dxpl, buf, 64));
    TRY(H5Pget_data_transform(closed, buf, 64));
    TRY(H5Pget_data_transform(dcpl, buf, 64));
    TRY(H5Pget_data_transform(dxpl, NULL, 64));
    TRY(H5Pset_chunk_cache(closed, 10, 1000, 0.5));
    TRY(H5Pset_chunk_cache(dcpl, 10, 1000, 0.5));
    TRY(H5Pset_chunk_cache(dapl, 10, 1000, 2.0));
    TRY(H5Pset_virtual_view(closed, H5D_VDS_LAST_AVAILABLE));
    TRY(H5Pset_virtual_view(dcpl, H5D_VDS_LAST_AVAILABLE));
    TRY(H5Pset_virtual_view(dapl, (H5D_vds_view_t)9));
    TRY(H5Pset_virtual_printf_gap(closed, 1));
    TRY(H5Pset_virtual_printf_gap(dcpl, 1));
    TRY(H5Pset_virtual_printf_gap(dapl, HSIZE_UNDEF));
    TRY(H5Pset_append_flush(closed, 2, one, NULL, NULL));
    TRY(H5Pset_append_flush(dcpl, 2, one, NULL, NULL));
    TRY(H5Pset_append_flush(dapl, 0, one, NULL, NULL));
    TRY(H5Pset_append_flush(dapl, 99, one, NULL, NULL));
    TRY(H5Pset_append_flush(dapl, 2, NULL, NULL, NULL));
    TRY(H5Pset_efile_prefix(closed, "x"));
    TRY(H5Pset_efile_prefix(dcpl, "x"));
    TRY(H5Pset_alignment(closed, 1, 1));
    TRY(H5Pset_alignment(dcpl, 1, 1));
    TRY(H5Pset_alignment(fapl, 1, 0));
    TRY(H5Pset_cache(closed, 0, 10, 1000, 0.5));
    TRY(H5Pset_cache(dcpl, 0, 10, 1000, 0.5));
    TRY(H5Pset_cache(fapl, 0, 10, 1000, 2.0));
    TRY(H5Pset_cache(fapl, 0, 10, 1000, -1.0));
    TRY(H5Pset_fclose_degree(closed, H5F_CLOSE_STRONG));
    TRY(H5Pset_fclose_degree(dcpl, H5F_CLOSE_STRONG));
    TRY(H5Pset_libver_bounds(closed, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST));
    TRY(H5Pset_libver_bounds(dcpl, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST));
    TRY(H5Pset_libver_bounds(fapl, (H5F_libver_t)-1, H5F_LIBVER_LATEST));
    TRY(H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, H5F_LIBVER_EARLIEST));
    TRY(H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, (H5F_libver_t)9));
    TRY(H5Pset_family_offset(closed, 0));
    TRY(H5Pset_family_offset(dcpl, 0));
    TRY(H5Pset_meta_block_size(closed, 10));
    TRY(H5Pset_meta_block_size(dcpl, 10));
}

static void properties_6(void)
{
    TRY(H5Pset_sieve_buf_size(closed, 10));
    TRY(H5Pset_sieve_buf_size(dcpl, 10));
    TRY(H5Pset_gc_references(closed, 1));
    TRY(H5Pset_gc_references(dcpl, 1));
    TRY(H5Pset_small_data_block_size(closed, 10));
    TRY(H5Pset_small_data_block_size(dcpl, 10));
    TRY(H5Pset_elink_file_cache_size(closed, 1));
    TRY(H5Pset_elink_file_cache_size(dcpl, 1));
    TRY(H5Pset_file_image(closed, buf, 10));
    TRY(H5Pset_file_image(dcpl, buf, 10));
    TRY(H5Pset_file_image(fapl, NULL, 10));
    TRY(H5Pset_file_image(fapl, buf, 0));
    TRY(H5Pset_core_write_tracking(closed, 1, 10));
    TRY(H5Pset_core_write_tracking(dcpl, 1, 10));
    TRY(H5Pset_core_write_tracking(fapl, 1, 0));
    TRY(H5Pset_metadata_read_attempts(closed, 1));
    TRY(H5Pset_metadata_read_attempts(dcpl, 1));
    TRY(H5Pset_metadata_read_attempts(fapl, 0));
    TRY(H5Pset_page_buffer_size(closed, 4096, 0, 0));
    TRY(H5Pset_page_buffer_size(dcpl, 4096, 0, 0));
    TRY(H5Pset_page_buffer_size(fapl, 4096, 101, 0));
    TRY(H5Pset_page_buffer_size(fapl, 4096, 0, 101));
    TRY(H5Pset_mdc_config(fapl, NULL));
    TRY(H5Pset_mdc_config(closed, NULL));
    TRY(H5Pset_mdc_config(dcpl, NULL));
    TRY(H5Pget_mdc_config(fapl, NULL));
    TRY(H5Pget_mdc_config(closed, NULL));
    TRY(H5Pget_mdc_config(dcpl, NULL));
    TRY(H5Pset_fapl_core(closed, 10, 0));
    TRY(H5Pset_fapl_core(dcpl, 10, 0));
    TRY(H5Pset_fapl_sec2(closed));
    TRY(H5Pset_fapl_sec2(dcpl));
    TRY(H5Pset_fapl_family(closed, 10, 0));
    TRY(H5Pset_fapl_family(dcpl, 10, 0));
    TRY(H5Pset_driver(closed, H5FD_SEC2, NULL));
    TRY(H5Pget_driver(closed));
}

static void drivers(hid_t id)
{
    TRY(H5Pset_fapl_split(id, ".m", H5P_DEFAULT, ".r", H5P_DEFAULT));
    TRY(H5Pset_fapl_multi(id, NULL, NULL, NULL, NULL, 0));
    TRY(H5Pget_fapl_core(id, &sz, NULL));
    TRY(H5Pget_fapl_family(id, &hs, NULL));
    TRY(H5Pget_fapl_multi(id, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pset_file_space(id, H5F_FILE_SPACE_ALL, 1));
}

static void properties_7(void)
{
    H5FD_file_image_callbacks_t calls = {.udata = buf};
    H5AC_cache_image_config_t image = {.version = 7};
    H5AC_cache_config_t cache = {.version = 7};
    hsize_t vast[1] = {1ULL << 33};
#if STOCK_VERSION >= 20000
    hsize_t large[2] = {UINT32_MAX / 2, UINT32_MAX / 2};
#endif
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    drivers(closed);
    drivers(H5T_NATIVE_INT);
    drivers(dcpl);
    TRY(H5Pget_fapl_core(fapl, NULL, NULL));
    TRY(H5Pget_fapl_family(fapl, NULL, NULL));
    TRY(H5Pget_fapl_multi(fapl, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pget_fapl_splitter(fapl, NULL));
    TRY(H5Pget_driver(dcpl));
    TRY(H5Pget_driver_info(dcpl) ? 0 : -1);
    TRY(H5Pset_driver(dcpl, H5FD_SEC2, NULL));
    TRY(H5Pset_driver(fapl, closed, NULL));
    TRY(H5Premove_filter(dcpl, 1234));
    TRY(H5Pset_virtual(dcpl, closed, "a", "b", space));
    TRY(H5Pset_mdc_log_options(H5P_DEFAULT, 0, "x", 0));
    TRY(H5Pget_shared_mesg_index(fcpl, 9, NULL, NULL));
    TRY(H5Pget_file_image_callbacks(fapl, NULL));
    TRY(H5Pset_file_image_callbacks(fapl, NULL));
    TRY(H5Pset_file_image_callbacks(fapl, &calls));
    TRY(H5Pget_mdc_image_config(fapl, NULL));
    TRY(H5Pset_mdc_image_config(fapl, &image));
    image.version = 1;
    image.entry_ageout = 5;
    TRY(H5Pset_mdc_image_config(fapl, &image));
    TRY(H5Pset_mdc_config(fapl, &cache));
    TRY(H5Pset_page_buffer_size(fapl, 4096, 60, 60));
    sz = 1;
    TRY(H5Pget_filter2(dcpl, 0, NULL, &sz, NULL, 0, NULL, NULL));
    sz = 1000;
    TRY(H5Pget_filter2(dcpl, 0, NULL, &sz, &u, 0, NULL, NULL));
    TRY(H5Pget_filter_by_id2(dcpl, 1, NULL, &sz, &u, 0, NULL, NULL));
#if STOCK_VERSION >= 20000 /* where such chunks are good */
    TRY(H5Pset_chunk(list, 1, vast));
    TRY(H5Pset_chunk(list, 2, large));
#endif
    TRY(H5Pget_chunk(list, 1, vast));
    TRY(H5Pset_chunk_opts(list, 1));
    TRY(H5Pset_external(list, "x", 0, H5F_UNLIMITED));
    TRY(H5Pset_external(list, "y", 0, 1));
    TRY(H5Pget_dset_no_attrs_hint(dcpl, NULL));
    TRY(H5Pset_data_transform(dxpl, "2*"));
    TRY(H5Pset_data_transform(dxpl, ""));
    TRY(H5Pisa_class(dcpl, closed));
    TRY(H5Pcreate_class(H5P_ROOT, "x", NULL, buf, NULL, NULL, NULL, NULL));
    TRY(H5Pget_class_parent(H5P_ROOT));
    TRY(H5Pinsert2(dcpl, "none", 0, &iv, NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pinsert2(dcpl, "none", 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    H5Pclose(list);
}

static void links_and_objects(void)
{
    static const char *const values[] = {"\x10" "a\0b", "\1a\0b", "\0a", "\0a\0b"};
    for (int i = 0; i < 4; i++)
        TRY(H5Lunpack_elink_val(values[i], i == 2 ? 3 : 4, NULL, NULL, NULL));
    TRY(H5Lunregister((H5L_type_t)256));
    TRY(H5Lunregister((H5L_type_t)-1));
    TRY(H5Literate(77, H5_INDEX_NAME, H5_ITER_INC, NULL, NULL, NULL));
    TRY(H5Lvisit(77, H5_INDEX_NAME, H5_ITER_INC, NULL, NULL));
    TRY(H5Gget_info(77, buf));
    TRY(H5Gget_info(closed, buf));
    TRY(H5Gget_info(space, buf));
    TRY(H5Gget_info(dset, buf));
    TRY(H5Oclose(H5T_NATIVE_INT));
    TRY(H5Aget_num_attrs(H5T_NATIVE_INT));
}

static void closed_twice(void)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pclose(list);
    TRY(H5Pclose(list));
    TRY(H5Pcopy(list));
}

int main(void)
{
    open_all();
    closed_twice();
    properties_1();
    properties_2();
    properties_3();
    properties_4();
    properties_5();
    properties_6();
    properties_7();
    links_and_objects();
    close_all();
    return 0;
}
