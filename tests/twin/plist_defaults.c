/* What every getter says about a list as it is created, and the names, sizes and encoded bytes of its properties. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "id_types.h"

static herr_t each(hid_t id, const char *name, void *data)
{
    printf(" %s;", name);
    (void)id;
    (void)data;
    return 0;
}

static void bytes(const char *title, hid_t list)
{
    size_t n = 0;
    herr_t ret = H5Pencode(list, NULL, &n);
    unsigned char *buf = calloc(1, n + 1);
    herr_t again = H5Pencode(list, buf, &n);
    printf("%s: encode %d %d %zu ", title, ret, again, n);
    for (size_t i = 0; i < n; i++)
        printf("%02x", buf[i]);
    hid_t back = H5Pdecode(buf);
    printf(" decode %d equal %d\n", back > 0, H5Pequal(list, back));
    H5Pclose(back);
    free(buf);
}

static void fcpl(hid_t p)
{
    hsize_t a, b;
    size_t x, y;
    unsigned i, j, k, l;
    hbool_t t;
    H5F_fspace_strategy_t s;
    H5F_file_space_type_t o;
    printf("userblock %d", H5Pget_userblock(p, &a));
    printf(" %llu\n", (unsigned long long)a);
    printf("sizes %d", H5Pget_sizes(p, &x, &y));
    printf(" %zu %zu\n", x, y);
    printf("sym_k %d", H5Pget_sym_k(p, &i, &j));
    printf(" %u %u\n", i, j);
    printf("istore_k %d", H5Pget_istore_k(p, &i));
    printf(" %u\n", i);
    printf("version %d", H5Pget_version(p, &i, &j, &k, &l));
    printf(" %u %u %u %u\n", i, j, k, l);
    printf("sohm %d", H5Pget_shared_mesg_nindexes(p, &i));
    printf(" %u\n", i);
    printf("sohm index %d\n", H5Pget_shared_mesg_index(p, 0, &i, &j));
    printf("sohm phase %d", H5Pget_shared_mesg_phase_change(p, &i, &j));
    printf(" %u %u\n", i, j);
    printf("strategy %d", H5Pget_file_space_strategy(p, &s, &t, &a));
    printf(" %d %d %llu\n", (int)s, (int)t, (unsigned long long)a);
    printf("page %d", H5Pget_file_space_page_size(p, &b));
    printf(" %llu\n", (unsigned long long)b);
    printf("space %d", H5Pget_file_space(p, &o, &a));
    printf(" %d %llu\n", (int)o, (unsigned long long)a);
    printf("hint %d", H5Pget_local_heap_size_hint(p, &x));
    printf(" %zu\n", x);
    printf("phase %d", H5Pget_link_phase_change(p, &i, &j));
    printf(" %u %u\n", i, j);
    printf("est %d", H5Pget_est_link_info(p, &i, &j));
    printf(" %u %u\n", i, j);
    printf("order %d", H5Pget_link_creation_order(p, &i));
    printf(" %u\n", i);
}

static void ocpl(hid_t p)
{
    unsigned i, j;
    hbool_t t;
    printf("attr phase %d", H5Pget_attr_phase_change(p, &i, &j));
    printf(" %u %u\n", i, j);
    printf("attr order %d", H5Pget_attr_creation_order(p, &i));
    printf(" %u\n", i);
    printf("times %d", H5Pget_obj_track_times(p, &t));
    printf(" %d\n", (int)t);
    printf("filters %d all %d\n", H5Pget_nfilters(p), H5Pall_filters_avail(p));
}

static void mdc(hid_t p)
{
    H5AC_cache_config_t c;
    memset(&c, 0, sizeof c);
    printf("mdc without version %d\n", H5Pget_mdc_config(p, &c));
    c.version = H5AC__CURR_CACHE_CONFIG_VERSION;
    printf("mdc %d", H5Pget_mdc_config(p, &c));
    printf(" %d%d%d '%s' %d%d %zu %.17g %zu %zu %ld", c.rpt_fcn_enabled, c.open_trace_file, c.close_trace_file,
           c.trace_file_name, c.evictions_enabled, c.set_initial_size, c.initial_size, c.min_clean_fraction, c.max_size,
           c.min_size, c.epoch_length);
    printf(" %d %.17g %.17g %d %zu %d %.17g %.17g", (int)c.incr_mode, c.lower_hr_threshold, c.increment,
           c.apply_max_increment, c.max_increment, (int)c.flash_incr_mode, c.flash_multiple, c.flash_threshold);
    printf(" %d %.17g %.17g %d %zu %d %d %.17g %zu %d\n", (int)c.decr_mode, c.upper_hr_threshold, c.decrement,
           c.apply_max_decrement, c.max_decrement, c.epochs_before_eviction, c.apply_empty_reserve, c.empty_reserve,
           c.dirty_bytes_threshold, c.metadata_write_strategy);
    H5AC_cache_image_config_t m = {.version = H5AC__CURR_CACHE_IMAGE_CONFIG_VERSION};
    printf("image %d", H5Pget_mdc_image_config(p, &m));
    printf(" %d %d %d\n", m.generate_image, m.save_resize_status, m.entry_ageout);
    hbool_t a = 1, b = 1;
    char name[20] = "untouched";
    size_t n = sizeof name;
    printf("log %d", H5Pget_mdc_log_options(p, &a, name, &n, &b));
    printf(" %d '%s' %zu %d\n", a, name, n, b);
}

static void fapl(hid_t p)
{
    hsize_t a, b;
    size_t x, y;
    unsigned i, j;
    int e;
    double w;
    hbool_t t, u;
    void *buf = p ? (void *)1 : NULL;
    H5F_close_degree_t d;
    H5F_libver_t low;
    H5F_flush_cb_t flush;
    H5FD_mem_t mem;
    H5FD_file_image_callbacks_t calls;
    printf("alignment %d", H5Pget_alignment(p, &a, &b));
    printf(" %llu %llu\n", (unsigned long long)a, (unsigned long long)b);
    printf("cache %d", H5Pget_cache(p, &e, &x, &y, &w));
    printf(" %d %zu %zu %g\n", e, x, y, w);
    printf("gc %d", H5Pget_gc_references(p, &i));
    printf(" %u\n", i);
    printf("degree %d", H5Pget_fclose_degree(p, &d));
    printf(" %d\n", (int)d);
    printf("meta %d", H5Pget_meta_block_size(p, &a));
    printf(" small %d", H5Pget_small_data_block_size(p, &b));
    printf(" %llu %llu\n", (unsigned long long)a, (unsigned long long)b);
    printf("sieve %d", H5Pget_sieve_buf_size(p, &x));
    printf(" %zu\n", x);
    printf("libver %d", H5Pget_libver_bounds(p, &low, NULL));
    printf(" %d\n", (int)low);
    printf("efc %d", H5Pget_elink_file_cache_size(p, &i));
    printf(" %u\n", i);
    printf("file image %d", H5Pget_file_image(p, &buf, &x));
    printf(" %d %zu\n", buf != NULL, x);
    printf("image calls %d", H5Pget_file_image_callbacks(p, &calls));
    printf(" %d %d\n", calls.image_malloc != NULL, calls.udata != NULL);
    printf("core %d", H5Pget_core_write_tracking(p, &t, &x));
    printf(" %d %zu\n", t, x);
    printf("attempts %d", H5Pget_metadata_read_attempts(p, &i));
    printf(" %u\n", i);
    printf("flush %d", H5Pget_object_flush_cb(p, &flush, &buf));
    printf(" %d\n", flush != NULL);
    printf("evict %d", H5Pget_evict_on_close(p, &t));
    printf(" %d\n", t);
    printf("locking %d", H5Pget_file_locking(p, &t, &u));
    printf(" %d %d\n", t, u);
    printf("page %d", H5Pget_page_buffer_size(p, &x, &i, &j));
    printf(" %zu %u %u\n", x, i, j);
    printf("family %d", H5Pget_family_offset(p, &a));
    printf(" %llu\n", (unsigned long long)a);
    printf("multi %d", H5Pget_multi_type(p, &mem));
    printf(" %d\n", (int)mem);
    printf("driver %d info %d\n", H5Pget_driver(p) == H5FD_SEC2, H5Pget_driver_info(p) != NULL);
    printf("other drivers %d %d %d\n", H5Pget_fapl_core(p, &x, &t), H5Pget_fapl_family(p, &a, NULL),
           H5Pget_fapl_multi(p, NULL, NULL, NULL, NULL, &t));
    mdc(p);
}

static void dcpl(hid_t p)
{
    hsize_t dims[4] = {9, 9, 9, 9}, size;
    H5D_fill_value_t defined;
    H5D_alloc_time_t alloc;
    H5D_fill_time_t fill;
    hbool_t t;
    unsigned i;
    size_t n = 99;
    char name[10];
    off_t offset;
    int v = 77;
    printf("layout %d chunk %d opts %d\n", H5Pget_layout(p), H5Pget_chunk(p, 4, dims), H5Pget_chunk_opts(p, &i));
    printf("virtual %d %d %d", H5Pget_virtual_count(p, &n), (int)H5Pget_virtual_vspace(p, 0),
           (int)H5Pget_virtual_filename(p, 0, name, 10));
    printf(" %zu\n", n);
    printf("external %d %d\n", H5Pget_external_count(p), H5Pget_external(p, 0, 10, name, &offset, &size));
    printf("defined %d", H5Pfill_value_defined(p, &defined));
    printf(" %d\n", (int)defined);
    printf("fill %d", H5Pget_fill_value(p, H5T_NATIVE_INT, &v));
    printf(" %d\n", v);
    printf("alloc %d", H5Pget_alloc_time(p, &alloc));
    printf(" %d\n", (int)alloc);
    printf("time %d", H5Pget_fill_time(p, &fill));
    printf(" %d\n", (int)fill);
    printf("hint %d", H5Pget_dset_no_attrs_hint(p, &t));
    printf(" %d\n", t);
}

static void dapl(hid_t p)
{
    size_t x, y;
    double w;
    hsize_t gap, bound[3] = {7, 7, 7};
    H5D_vds_view_t view;
    H5D_append_cb_t append;
    void *data;
    char buf[10] = "untouched";
    printf("cache %d", H5Pget_chunk_cache(p, &x, &y, &w));
    printf(" %zu %zu %g\n", x, y, w);
    printf("view %d", H5Pget_virtual_view(p, &view));
    printf(" %d\n", (int)view);
    printf("gap %d", H5Pget_virtual_printf_gap(p, &gap));
    printf(" %llu\n", (unsigned long long)gap);
    printf("prefix %d", (int)H5Pget_virtual_prefix(p, buf, sizeof buf));
    printf(" '%s'\n", buf);
    strcpy(buf, "untouched");
    printf("efile %d", (int)H5Pget_efile_prefix(p, buf, sizeof buf));
    printf(" '%s'\n", buf);
    printf("append %d", H5Pget_append_flush(p, 3, bound, &append, &data));
    printf(" %d %d %d %d %d\n", (int)bound[0], (int)bound[1], (int)bound[2], append != NULL, data != NULL);
}

static void dxpl(hid_t p)
{
    void *a = (void *)1, *b = (void *)1;
    double l, m, r;
    size_t n;
    H5MM_allocate_t alloc;
    H5MM_free_t release;
    H5T_conv_except_func_t except;
    char text[10];
    printf("buffer %zu", H5Pget_buffer(p, &a, &b));
    printf(" %d %d\n", a != NULL, b != NULL);
    printf("preserve %d edc %d\n", H5Pget_preserve(p), (int)H5Pget_edc_check(p));
    printf("ratios %d", H5Pget_btree_ratios(p, &l, &m, &r));
    printf(" %.17g %.17g %.17g\n", l, m, r);
    printf("vlen %d", H5Pget_vlen_mem_manager(p, &alloc, &a, &release, &b));
    printf(" %d %d %d %d\n", alloc != NULL, a != NULL, release != NULL, b != NULL);
    printf("vector %d", H5Pget_hyper_vector_size(p, &n));
    printf(" %zu\n", n);
    printf("conv %d", H5Pget_type_conv_cb(p, &except, &a));
    printf(" %d\n", except != NULL);
    printf("transform %d\n", (int)H5Pget_data_transform(p, text, sizeof text));
}

static void links(hid_t lapl, hid_t lcpl, hid_t acpl, hid_t ocpypl)
{
    size_t n;
    unsigned i;
    char buf[10] = "untouched";
    H5L_elink_traverse_t func;
    H5O_mcdt_search_cb_t search;
    H5T_cset_t cset;
    void *data;
    printf("nlinks %d", H5Pget_nlinks(lapl, &n));
    printf(" %zu\n", n);
    printf("prefix %d", (int)H5Pget_elink_prefix(lapl, buf, sizeof buf));
    printf(" '%s'\n", buf);
    printf("fapl %lld\n", (long long)H5Pget_elink_fapl(lapl));
    printf("flags %d", H5Pget_elink_acc_flags(lapl, &i));
    printf(" %#x\n", i);
    printf("cb %d", H5Pget_elink_cb(lapl, &func, &data));
    printf(" %d %d\n", func != NULL, data != NULL);
    printf("intermediate %d", H5Pget_create_intermediate_group(lcpl, &i));
    printf(" %u\n", i);
    printf("encoding %d", H5Pget_char_encoding(lcpl, &cset));
    printf(" %d", (int)cset);
    printf(" %d", H5Pget_char_encoding(acpl, &cset));
    printf(" %d\n", (int)cset);
    printf("copy %d", H5Pget_copy_object(ocpypl, &i));
    printf(" %u\n", i);
    printf("search %d", H5Pget_mcdt_search_cb(ocpypl, &search, &data));
    printf(" %d %d\n", search != NULL, data != NULL);
}

int main(void)
{
    struct {
        const char *name;
        hid_t cls, list;
    } all[] = {
        {"root", H5P_ROOT, -1},
        {"object create", H5P_OBJECT_CREATE, -1},
        {"file create", H5P_FILE_CREATE, H5P_FILE_CREATE_DEFAULT},
        {"file access", H5P_FILE_ACCESS, H5P_FILE_ACCESS_DEFAULT},
        {"dataset create", H5P_DATASET_CREATE, H5P_DATASET_CREATE_DEFAULT},
        {"dataset access", H5P_DATASET_ACCESS, H5P_DATASET_ACCESS_DEFAULT},
        {"dataset xfer", H5P_DATASET_XFER, H5P_DATASET_XFER_DEFAULT},
        {"file mount", H5P_FILE_MOUNT, H5P_FILE_MOUNT_DEFAULT},
        {"group create", H5P_GROUP_CREATE, H5P_GROUP_CREATE_DEFAULT},
        {"group access", H5P_GROUP_ACCESS, H5P_GROUP_ACCESS_DEFAULT},
        {"datatype create", H5P_DATATYPE_CREATE, H5P_DATATYPE_CREATE_DEFAULT},
        {"datatype access", H5P_DATATYPE_ACCESS, H5P_DATATYPE_ACCESS_DEFAULT},
        {"string create", H5P_STRING_CREATE, -1},
        {"attribute create", H5P_ATTRIBUTE_CREATE, H5P_ATTRIBUTE_CREATE_DEFAULT},
        {"object copy", H5P_OBJECT_COPY, H5P_OBJECT_COPY_DEFAULT},
        {"link create", H5P_LINK_CREATE, H5P_LINK_CREATE_DEFAULT},
        {"link access", H5P_LINK_ACCESS, H5P_LINK_ACCESS_DEFAULT},
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t lists[20];
    int n = (int)(sizeof all / sizeof *all);
    for (int i = 0; i < n; i++) {
        char *name = H5Pget_class_name(all[i].cls);
        hid_t parent = H5Pget_class_parent(all[i].cls);
        char *above = parent > 0 ? H5Pget_class_name(parent) : NULL;
        size_t np = 0, nl = 0;
        H5Pget_nprops(all[i].cls, &np);
        lists[i] = H5Pcreate(all[i].cls);
        H5Pget_nprops(lists[i], &nl);
        printf("%s: class '%s' parent '%s' properties %zu %zu\n", all[i].name, name, above ? above : "", np, nl);
        int idx = 0;
        H5Piterate(lists[i], &idx, each, NULL);
        printf("\n");
        if (all[i].list > 0)
            printf("default list: type %s ref %d valid %d equal %d\n", id_type(all[i].list), H5Iget_ref(all[i].list),
                   H5Iis_valid(all[i].list), H5Pequal(all[i].list, lists[i]));
        printf("class: type %s ref %d valid %d\n", id_type(all[i].cls), H5Iget_ref(all[i].cls),
               H5Iis_valid(all[i].cls));
        if (i == 3) /* the newest release is another one */
            H5Pset_libver_bounds(lists[i], H5F_LIBVER_EARLIEST, H5F_LIBVER_V110);
        bytes(all[i].name, lists[i]);
        for (int k = 0; k < n; k++)
            printf("%d", H5Pisa_class(lists[i], all[k].cls));
        printf("\n");
        H5free_memory(name);
        H5free_memory(above);
        H5Pclose_class(parent);
    }
    fcpl(lists[2]);
    ocpl(lists[4]);
    fapl(lists[3]);
    dcpl(lists[4]);
    dapl(lists[5]);
    dxpl(lists[6]);
    links(lists[16], lists[15], lists[13], lists[14]);
    hsize_t size;
    size_t nlinks;
    printf("wrong class %d %d %d\n", H5Pget_userblock(lists[3], &size), H5Pget_nlinks(lists[3], &nlinks),
           H5Pget_layout(lists[3]));
    printf("H5P_DEFAULT %d %d %d\n", H5Pget_userblock(H5P_DEFAULT, &size), H5Pget_nlinks(H5P_DEFAULT, &nlinks),
           H5Pget_layout(H5P_DEFAULT));
    for (int i = 0; i < n; i++)
        H5Pclose(lists[i]);
    return 0;
}
