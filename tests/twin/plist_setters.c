/* Every setter with good and bad values; what the getters say afterwards. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fcpl(void)
{
    hid_t p = H5Pcreate(H5P_FILE_CREATE);
    unsigned i, j;
    size_t x, y;
    hsize_t a;
    hbool_t t;
    H5F_fspace_strategy_t s;
    H5F_file_space_type_t o;
    const hsize_t blocks[] = {0, 1, 256, 511, 512, 513, 1024, 1536, 1ull << 40};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        int r = H5Pset_userblock(p, blocks[k]);
        H5Pget_userblock(p, &a);
        printf("userblock %llu: %d %llu\n", (unsigned long long)blocks[k], r, (unsigned long long)a);
    }
    for (size_t k = 0; k < 18; k++) {
        int r = H5Pset_sizes(p, k, 0), q = H5Pset_sizes(p, 0, k);
        H5Pget_sizes(p, &x, &y);
        printf("sizes %zu: %d %d %zu %zu\n", k, r, q, x, y);
    }
    const unsigned ks[] = {0, 1, 100, 32767, 32768, 65535, 65536, 100000};
    for (size_t k = 0; k < sizeof ks / sizeof *ks; k++) {
        int r = H5Pset_sym_k(p, ks[k], 0), q = H5Pset_sym_k(p, 0, ks[k]), u = H5Pset_istore_k(p, ks[k]);
        H5Pget_sym_k(p, &i, &j);
        printf("k %u: %d %d %d %u %u", ks[k], r, q, u, i, j);
        H5Pget_istore_k(p, &i);
        printf(" %u\n", i);
    }
    for (unsigned k = 0; k < 10; k++) {
        int r = H5Pset_shared_mesg_nindexes(p, k), q = H5Pset_shared_mesg_index(p, k, H5O_SHMESG_DTYPE_FLAG, 10 * k);
        int u = H5Pset_shared_mesg_index(p, 0, H5O_SHMESG_ALL_FLAG, 7);
        H5Pget_shared_mesg_nindexes(p, &i);
        printf("sohm %u: %d %d %d %u\n", k, r, q, u, i);
    }
    printf("sohm flags %d %d\n", H5Pset_shared_mesg_index(p, 1, H5O_SHMESG_ALL_FLAG + 1, 1),
           H5Pset_shared_mesg_index(p, 1, H5O_SHMESG_NONE_FLAG, 1));
    printf("sohm get %d", H5Pget_shared_mesg_index(p, 1, &i, &j));
    printf(" %u %u, %d\n", i, j, H5Pget_shared_mesg_index(p, 8, &i, &j));
    const unsigned phases[][2] = {{50, 40},     {0, 0},     {0, 1},      {0, 2},   {10, 11},
                                  {10, 12},     {5000, 5000}, {5001, 10}, {5000, 5001}};
    for (size_t k = 0; k < sizeof phases / sizeof *phases; k++) {
        int r = H5Pset_shared_mesg_phase_change(p, phases[k][0], phases[k][1]);
        H5Pget_shared_mesg_phase_change(p, &i, &j);
        printf("phase %u %u: %d %u %u\n", phases[k][0], phases[k][1], r, i, j);
    }
    for (int k = -1; k < 6; k++) {
        int r = H5Pset_file_space_strategy(p, (H5F_fspace_strategy_t)k, 1, 5);
        H5Pget_file_space_strategy(p, &s, &t, &a);
        printf("strategy %d: %d %d %d %llu", k, r, (int)s, (int)t, (unsigned long long)a);
        H5Pset_file_space_strategy(p, H5F_FSPACE_STRATEGY_FSM_AGGR, 0, 1);
        r = H5Pset_file_space(p, (H5F_file_space_type_t)k, k > 1 ? 9 : 0);
        H5Pget_file_space_strategy(p, &s, &t, &a);
        printf(", old %d %d %d %llu", r, (int)s, (int)t, (unsigned long long)a);
        H5Pget_file_space(p, &o, &a);
        printf(" %d %llu\n", (int)o, (unsigned long long)a);
    }
    const hsize_t pages[] = {0, 1, 511, 512, 513, 4096, 1ull << 30, (1ull << 30) + 1};
    for (size_t k = 0; k < sizeof pages / sizeof *pages; k++) {
        int r = H5Pset_file_space_page_size(p, pages[k]);
        H5Pget_file_space_page_size(p, &a);
        printf("page %llu: %d %llu\n", (unsigned long long)pages[k], r, (unsigned long long)a);
    }
    printf("hint %d", H5Pset_local_heap_size_hint(p, 1234));
    H5Pget_local_heap_size_hint(p, &x);
    printf(" %zu\n", x);
    const unsigned pairs[][2] = {{0, 0}, {8, 6}, {6, 8}, {65535, 0}, {65536, 0}, {65536, 65536}, {10, 10}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        int r = H5Pset_link_phase_change(p, pairs[k][0], pairs[k][1]);
        int q = H5Pset_attr_phase_change(p, pairs[k][0], pairs[k][1]);
        int e = H5Pset_est_link_info(p, pairs[k][0], pairs[k][1]);
        H5Pget_link_phase_change(p, &i, &j);
        printf("pair %u %u: %d %d %d %u %u", pairs[k][0], pairs[k][1], r, q, e, i, j);
        H5Pget_attr_phase_change(p, &i, &j);
        printf(" %u %u", i, j);
        H5Pget_est_link_info(p, &i, &j);
        printf(" %u %u\n", i, j);
    }
    for (unsigned k = 0; k < 6; k++) {
        int r = H5Pset_link_creation_order(p, k), q = H5Pset_attr_creation_order(p, k);
        H5Pget_link_creation_order(p, &i);
        H5Pget_attr_creation_order(p, &j);
        printf("order %u: %d %d %u %u\n", k, r, q, i, j);
    }
    printf("times %d", H5Pset_obj_track_times(p, 0));
    H5Pget_obj_track_times(p, &t);
    H5Pget_attr_creation_order(p, &j);
    printf(" %d %u\n", t, j);
    H5Pclose(p);
}

static void fapl(void)
{
    hid_t p = H5Pcreate(H5P_FILE_ACCESS);
    hsize_t a, b;
    size_t x, y;
    unsigned i, j;
    double w;
    hbool_t t, u;
    H5F_close_degree_t d;
    H5F_libver_t low, high;
    printf("alignment %d %d", H5Pset_alignment(p, 10, 0), H5Pset_alignment(p, 10, 512));
    H5Pget_alignment(p, &a, &b);
    printf(" %llu %llu\n", (unsigned long long)a, (unsigned long long)b);
    const double ws[] = {-0.1, 0, 0.5, 1, 1.1};
    for (size_t k = 0; k < 5; k++) {
        int r = H5Pset_cache(p, 3, k, 10 * k, ws[k]);
        H5Pget_cache(p, NULL, &x, &y, &w);
        printf("cache %g: %d %zu %zu %g\n", ws[k], r, x, y, w);
    }
    printf("gc %d", H5Pset_gc_references(p, 2));
    H5Pget_gc_references(p, &i);
    printf(" %u\n", i);
    for (int k = 0; k < 4; k++) {
        int r = H5Pset_fclose_degree(p, (H5F_close_degree_t)k);
        H5Pget_fclose_degree(p, &d);
        printf("degree %d: %d %d\n", k, r, (int)d);
    }
    printf("blocks %d %d %d", H5Pset_meta_block_size(p, 0), H5Pset_small_data_block_size(p, 5),
           H5Pset_sieve_buf_size(p, 6));
    H5Pget_meta_block_size(p, &a);
    H5Pget_small_data_block_size(p, &b);
    H5Pget_sieve_buf_size(p, &x);
    printf(" %llu %llu %zu\n", (unsigned long long)a, (unsigned long long)b, x);
    for (int k = -1; k < 3; k++)
        for (int l = -1; l < 3; l++) {
            int r = H5Pset_libver_bounds(p, (H5F_libver_t)k, (H5F_libver_t)l);
            H5Pget_libver_bounds(p, &low, &high);
            printf("libver %d %d: %d", k, l, r);
            if (r >= 0)
                printf(" %d %d", (int)low, (int)high);
            printf("\n");
        }
    printf("efc %d", H5Pset_elink_file_cache_size(p, 9));
    H5Pget_elink_file_cache_size(p, &i);
    printf(" %u\n", i);
    printf("core %d %d", H5Pset_core_write_tracking(p, 1, 0), H5Pset_core_write_tracking(p, 1, 77));
    H5Pget_core_write_tracking(p, &t, &x);
    printf(" %d %zu\n", t, x);
    printf("attempts %d %d", H5Pset_metadata_read_attempts(p, 0), H5Pset_metadata_read_attempts(p, 9));
    H5Pget_metadata_read_attempts(p, &i);
    printf(" %u\n", i);
    printf("flush %d %d\n", H5Pset_object_flush_cb(p, NULL, &i), H5Pset_object_flush_cb(p, NULL, NULL));
    printf("evict %d", H5Pset_evict_on_close(p, 1));
    H5Pget_evict_on_close(p, &t);
    printf(" %d\n", t);
    printf("locking %d", H5Pset_file_locking(p, 0, 1));
    H5Pget_file_locking(p, &t, &u);
    printf(" %d %d\n", t, u);
    const unsigned shares[][2] = {{0, 0}, {50, 50}, {51, 50}, {101, 0}, {0, 101}, {100, 0}};
    for (size_t k = 0; k < 6; k++) {
        int r = H5Pset_page_buffer_size(p, 100 * k, shares[k][0], shares[k][1]);
        H5Pget_page_buffer_size(p, &x, &i, &j);
        printf("page buffer %u %u: %d %zu %u %u\n", shares[k][0], shares[k][1], r, x, i, j);
    }
    printf("family offset %d multi type %d %d\n", H5Pset_family_offset(p, 5), H5Pset_multi_type(p, H5FD_MEM_OHDR),
           H5Pset_multi_type(p, (H5FD_mem_t)77));
    char name[40] = "";
    size_t n;
    printf("log %d %d", H5Pset_mdc_log_options(p, 1, NULL, 1), H5Pset_mdc_log_options(p, 1, "some/where", 1));
    n = strlen("some/where") + 1;
    H5Pget_mdc_log_options(p, &t, name, &n, &u);
    printf(" %d '%s' %zu %d\n", t, name, n, u);
    H5Pset_mdc_log_options(p, 0, "", 0);
    H5Pclose(p);
}

static void image(void)
{
    hid_t p = H5Pcreate(H5P_FILE_ACCESS);
    char buf[8] = "abcdefg";
    void *got = NULL;
    size_t n;
    printf("image %d %d %d\n", H5Pset_file_image(p, NULL, 5), H5Pset_file_image(p, buf, 0),
           H5Pset_file_image(p, buf, 8));
    int r = H5Pget_file_image(p, &got, &n);
    printf("%d %zu %s %d\n", r, n, (char *)got, got != (void *)buf);
    free(got);
    H5FD_file_image_callbacks_t c;
    memset(&c, 0, sizeof c);
    printf("callbacks with image %d null %d\n", H5Pset_file_image_callbacks(p, &c),
           H5Pset_file_image_callbacks(p, NULL));
    hid_t q = H5Pcopy(p);
    got = NULL;
    r = H5Pget_file_image(q, &got, &n);
    printf("copy %d %zu %s\n", r, n, (char *)got);
    free(got);
    printf("clear %d", H5Pset_file_image(p, NULL, 0));
    got = buf;
    H5Pget_file_image(p, &got, &n);
    printf(" %d %zu\n", got == NULL, n);
    c.udata = buf;
    printf("udata %d\n", H5Pset_file_image_callbacks(p, &c));
    H5Pclose(p);
    H5Pclose(q);
}

static void mdc_one(hid_t p, const char *what, H5AC_cache_config_t c)
{
    printf("mdc %s: %d\n", what, H5Pset_mdc_config(p, &c));
}

static void mdc(void)
{
    hid_t p = H5Pcreate(H5P_FILE_ACCESS);
    H5AC_cache_config_t d, c;
    d.version = H5AC__CURR_CACHE_CONFIG_VERSION;
    H5Pget_mdc_config(p, &d);
    mdc_one(p, "default", d);
#define TRY(field, value)                                                                                              \
    c = d;                                                                                                             \
    c.field = value;                                                                                                   \
    mdc_one(p, #field " " #value, c)
    TRY(version, 2);
    TRY(open_trace_file, 1);
    TRY(evictions_enabled, 0);
    TRY(initial_size, 1024);
    TRY(initial_size, 1024 * 1024);
    TRY(initial_size, 64 * 1024 * 1024);
    TRY(min_clean_fraction, -0.1);
    TRY(min_clean_fraction, 1.1);
    TRY(min_clean_fraction, 1.0);
    TRY(max_size, 128 * 1024 * 1024);
    TRY(max_size, 128 * 1024 * 1024 + 1);
    TRY(max_size, 1024 * 1024);
    TRY(max_size, 2 * 1024 * 1024);
    TRY(min_size, 1024);
    TRY(min_size, 1023);
    TRY(min_size, 3 * 1024 * 1024);
    TRY(epoch_length, 99);
    TRY(epoch_length, 100);
    TRY(epoch_length, 1000000);
    TRY(epoch_length, 1000001);
    TRY(incr_mode, (enum H5C_cache_incr_mode)2);
    TRY(incr_mode, H5C_incr__off);
    TRY(lower_hr_threshold, -0.1);
    TRY(lower_hr_threshold, 1.1);
    TRY(lower_hr_threshold, 0.9995);
    TRY(increment, 0.9);
    TRY(increment, 1.0);
    TRY(flash_incr_mode, (enum H5C_cache_flash_incr_mode)2);
    TRY(flash_multiple, 0.09);
    TRY(flash_multiple, 0.1);
    TRY(flash_multiple, 10.0);
    TRY(flash_multiple, 10.1);
    TRY(flash_threshold, 0.09);
    TRY(flash_threshold, 1.0);
    TRY(flash_threshold, 1.1);
    TRY(decr_mode, (enum H5C_cache_decr_mode)4);
    TRY(decr_mode, H5C_decr__threshold);
    TRY(decr_mode, H5C_decr__age_out);
    TRY(upper_hr_threshold, -0.1);
    TRY(upper_hr_threshold, 1.1);
    TRY(upper_hr_threshold, 0.9);
    TRY(decrement, 1.1);
    TRY(epochs_before_eviction, 0);
    TRY(epochs_before_eviction, 10);
    TRY(epochs_before_eviction, 11);
    TRY(empty_reserve, -0.1);
    TRY(empty_reserve, 1.1);
    TRY(dirty_bytes_threshold, 511);
    TRY(dirty_bytes_threshold, 512);
    TRY(dirty_bytes_threshold, 32 * 1024 * 1024);
    TRY(dirty_bytes_threshold, 32 * 1024 * 1024 + 1);
    TRY(metadata_write_strategy, 2);
    TRY(metadata_write_strategy, 0);
    c = d;
    c.decr_mode = H5C_decr__threshold;
    c.decrement = 1.5;
    mdc_one(p, "threshold, decrement 1.5", c);
    c.decrement = 0.5;
    c.upper_hr_threshold = 0.5;
    mdc_one(p, "threshold below the lower one", c);
    c = d;
    c.evictions_enabled = 0;
    c.incr_mode = H5C_incr__off;
    c.flash_incr_mode = H5C_flash_incr__off;
    c.decr_mode = H5C_decr__off;
    mdc_one(p, "no evictions, fixed size", c);
    printf("null %d %d\n", H5Pset_mdc_config(p, NULL), H5Pget_mdc_config(p, NULL));
    for (int k = -2; k < 103; k += k < 2 || k > 98 ? 1 : 97) {
        H5AC_cache_image_config_t m = {H5AC__CURR_CACHE_IMAGE_CONFIG_VERSION, 1, 0, k}, g = m;
        int r = H5Pset_mdc_image_config(p, &m), q = H5Pget_mdc_image_config(p, &g);
        printf("image %d: %d %d %d %d %d\n", k, r, q, g.generate_image, g.save_resize_status, g.entry_ageout);
    }
    H5AC_cache_image_config_t m = {H5AC__CURR_CACHE_IMAGE_CONFIG_VERSION, 1, 1, -1}, bad = {7, 1, 0, -1};
    printf("image resize %d version %d\n", H5Pset_mdc_image_config(p, &m), H5Pset_mdc_image_config(p, &bad));
    H5Pclose(p);
}

static void show_multi(hid_t p)
{
    H5FD_mem_t map[H5FD_MEM_NTYPES];
    hid_t fapl[H5FD_MEM_NTYPES];
    char *name[H5FD_MEM_NTYPES];
    haddr_t addr[H5FD_MEM_NTYPES];
    hbool_t relax;
    if (H5Pget_fapl_multi(p, map, fapl, name, addr, &relax) < 0)
        return;
    printf("  relax %d\n", relax);
    for (int i = 0; i < H5FD_MEM_NTYPES; i++) {
        printf("  %d %d %s %llx\n", (int)map[i], fapl[i] > 0, name[i] ? name[i] : "-", (unsigned long long)addr[i]);
        if (fapl[i] > 0)
            H5Pclose(fapl[i]);
        free(name[i]);
    }
}

static void drivers(void)
{
    hid_t p = H5Pcreate(H5P_FILE_ACCESS), q, member = -1;
    size_t n;
    hbool_t t;
    hsize_t size;
    const hid_t ids[] = {H5FD_SEC2, H5FD_CORE, H5FD_FAMILY, H5FD_MULTI, H5FD_LOG, H5FD_STDIO};
    for (int i = 0; i < 6; i++) {
        unsigned long flags = 0;
        int r = H5FDdriver_query(ids[i], &flags);
        printf("driver %d: %d %lx type %d\n", i, r, flags, H5Iget_type(ids[i]));
    }
    printf("core %d", H5Pset_fapl_core(p, 4096, 1));
    printf(" %d", H5Pget_fapl_core(p, &n, &t));
    printf(" %zu %d %d\n", n, t, H5Pget_driver(p) == H5FD_CORE);
    q = H5Pcopy(p);
    printf("copy %d", H5Pget_fapl_core(q, &n, &t));
    printf(" %zu %d equal %d\n", n, t, H5Pequal(p, q));
    H5Pset_fapl_core(q, 4096, 0);
    printf("equal %d\n", H5Pequal(p, q));
    printf("family %d", H5Pset_fapl_family(q, 1024, p));
    printf(" %d", H5Pget_fapl_family(q, &size, &member));
    printf(" %llu member core %d\n", (unsigned long long)size, H5Pget_driver(member) == H5FD_CORE);
    H5Pclose(member);
    printf("family bad %d\n", H5Pset_fapl_family(q, 1024, H5P_DATASET_XFER_DEFAULT));
    printf("multi %d\n", H5Pset_fapl_multi(p, NULL, NULL, NULL, NULL, 1));
    show_multi(p);
    printf("split %d\n", H5Pset_fapl_split(p, NULL, H5P_DEFAULT, NULL, H5P_DEFAULT));
    show_multi(p);
    printf("split %d\n", H5Pset_fapl_split(p, "-m.h5", H5P_DEFAULT, "%s-raw", q));
    show_multi(p);
    printf("driver %d info %d core %d\n", H5Pget_driver(p) == H5FD_MULTI, H5Pget_driver_info(p) != NULL,
           H5Pget_fapl_core(p, &n, &t));
    H5Pset_fapl_core(q, 11, 1);
    printf("set_driver %d", H5Pset_driver(p, H5Pget_driver(q), H5Pget_driver_info(q)));
    H5Pget_fapl_core(p, &n, &t);
    printf(" %zu %d\n", n, t);
    printf("stdio %d", H5Pset_fapl_stdio(p));
    printf(" %d log %d", H5Pget_driver(p) == H5FD_STDIO, H5Pset_fapl_log(p, "x.log", 0, 0));
    printf(" %d sec2 %d", H5Pget_driver(p) == H5FD_LOG, H5Pset_fapl_sec2(p));
    printf(" %d %d\n", H5Pget_driver(p) == H5FD_SEC2, H5Pget_driver_info(p) != NULL);
    printf("by id %d", H5Pset_driver(p, H5FD_CORE, NULL));
    printf(" %d %d bad %d wrong list %d\n", H5Pget_driver(p) == H5FD_CORE, H5Pget_fapl_core(p, &n, &t),
           H5Pset_driver(p, 12, NULL), H5Pset_driver(H5P_DATASET_XFER_DEFAULT, H5FD_SEC2, NULL));
    H5Pclose(p);
    H5Pclose(q);
}

static herr_t elink(const char *a, const char *b, const char *c, const char *d, unsigned *f, hid_t g, void *h)
{
    (void)a, (void)b, (void)c, (void)d, (void)f, (void)g, (void)h;
    return 0;
}

static void links(void)
{
    hid_t p = H5Pcreate(H5P_LINK_ACCESS), q, f = H5Pcreate(H5P_FILE_ACCESS);
    size_t n;
    unsigned i;
    char buf[30] = "", small[4] = "zzz";
    H5L_elink_traverse_t func;
    void *data;
    H5T_cset_t cset;
    printf("nlinks %d %d", H5Pset_nlinks(p, 0), H5Pset_nlinks(p, 3));
    H5Pget_nlinks(p, &n);
    printf(" %zu null %d\n", n, H5Pget_nlinks(p, NULL));
    printf("prefix %d", H5Pset_elink_prefix(p, "/some/where"));
    printf(" %d %d %d", (int)H5Pget_elink_prefix(p, NULL, 0), (int)H5Pget_elink_prefix(p, buf, sizeof buf),
           (int)H5Pget_elink_prefix(p, small, sizeof small));
    printf(" '%s' '%s'\n", buf, small);
    printf("unset %d", H5Pset_elink_prefix(p, NULL));
    printf(" %d\n", (int)H5Pget_elink_prefix(p, buf, sizeof buf));
    H5Pset_sieve_buf_size(f, 4711);
    printf("fapl %d bad %d\n", H5Pset_elink_fapl(p, f), H5Pset_elink_fapl(p, p));
    q = H5Pget_elink_fapl(p);
    H5Pget_sieve_buf_size(q, &n);
    printf("%zu equal %d same %d\n", n, H5Pequal(q, f), q == f);
    H5Pclose(q);
    printf("reset %d", H5Pset_elink_fapl(p, H5P_DEFAULT));
    printf(" %d\n", H5Pget_elink_fapl(p) == H5P_DEFAULT);
    const unsigned flags[] = {H5F_ACC_RDONLY, H5F_ACC_RDWR, H5F_ACC_TRUNC, H5F_ACC_DEFAULT, H5F_ACC_SWMR_READ,
                              H5F_ACC_SWMR_WRITE, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, H5F_ACC_CREAT, 0xff00};
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
        int r = H5Pset_elink_acc_flags(p, flags[k]);
        H5Pget_elink_acc_flags(p, &i);
        printf("flags %#x: %d %#x\n", flags[k], r, i);
    }
    printf("cb %d %d", H5Pset_elink_cb(p, NULL, &n), H5Pset_elink_cb(p, elink, &n));
    H5Pget_elink_cb(p, &func, &data);
    printf(" %d %d\n", func == elink, data == &n);
    hid_t c = H5Pcreate(H5P_LINK_CREATE);
    for (int k = -2; k < 4; k++) {
        int r = H5Pset_char_encoding(c, (H5T_cset_t)k);
        H5Pget_char_encoding(c, &cset);
        printf("cset %d: %d %d\n", k, r, (int)cset);
    }
    printf("intermediate %d", H5Pset_create_intermediate_group(c, 7));
    H5Pget_create_intermediate_group(c, &i);
    printf(" %u\n", i);
    hid_t o = H5Pcreate(H5P_OBJECT_COPY);
    const unsigned options[] = {0, 1, 0x7f, 0x80, 0x40};
    for (size_t k = 0; k < 5; k++) {
        int r = H5Pset_copy_object(o, options[k]);
        H5Pget_copy_object(o, &i);
        printf("copy %#x: %d %#x\n", options[k], r, i);
    }
    printf("paths %d %d %d", H5Padd_merge_committed_dtype_path(o, NULL), H5Padd_merge_committed_dtype_path(o, ""),
           H5Padd_merge_committed_dtype_path(o, "/a"));
    printf(" %d\n", H5Pfree_merge_committed_dtype_paths(o));
    printf("search %d %d\n", H5Pset_mcdt_search_cb(o, NULL, &n), H5Pset_mcdt_search_cb(o, NULL, NULL));
    H5Pclose(p);
    H5Pclose(f);
    H5Pclose(c);
    H5Pclose(o);
}

static H5Z_cb_return_t on_filter(H5Z_filter_t f, void *buf, size_t n, void *data)
{
    (void)f, (void)buf, (void)n, (void)data;
    return H5Z_CB_CONT;
}

static void dxpl(void)
{
    hid_t p = H5Pcreate(H5P_DATASET_XFER);
    void *a, *b;
    size_t n;
    double l, m, r;
    char text[40] = "", small[4] = "";
    printf("buffer %d %d", H5Pset_buffer(p, 0, NULL, NULL), H5Pset_buffer(p, 100, &n, &l));
    n = H5Pget_buffer(p, &a, &b);
    printf(" %zu %d %d\n", n, a == &n, b == &l);
    printf("preserve %d %d", H5Pset_preserve(p, 1), H5Pget_preserve(p));
    printf(" %d\n", H5Pget_preserve(p));
    const double ratios[][3] = {{0, 0, 0}, {1, 1, 1}, {-0.1, 0, 0}, {0, 1.1, 0}, {0, 0, 2}, {0.2, 0.4, 0.6}};
    for (size_t k = 0; k < 6; k++) {
        int s = H5Pset_btree_ratios(p, ratios[k][0], ratios[k][1], ratios[k][2]);
        H5Pget_btree_ratios(p, &l, &m, &r);
        printf("ratios %d %g %g %g\n", s, l, m, r);
    }
    printf("vector %d %d", H5Pset_hyper_vector_size(p, 0), H5Pset_hyper_vector_size(p, 5));
    H5Pget_hyper_vector_size(p, &n);
    printf(" %zu\n", n);
    for (int k = -1; k < 4; k++) {
        int s = H5Pset_edc_check(p, (H5Z_EDC_t)k);
        printf("edc %d: %d %d\n", k, s, (int)H5Pget_edc_check(p));
    }
    printf("filter %d\n", H5Pset_filter_callback(p, on_filter, &n));
    const char *good[] = {"x", "x+1", "2*x", "(x-32)*5/9", "-x", "x*-2", "1.5e3*x", "5", "x/(2+x)", "((x))"};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        int s = H5Pset_data_transform(p, good[k]);
        int len = (int)H5Pget_data_transform(p, text, sizeof text);
        printf("transform '%s': %d %d '%s'\n", good[k], s, len, text);
    }
    printf("short %d", (int)H5Pget_data_transform(p, small, sizeof small));
    printf(" '%s' null %d\n", small, H5Pset_data_transform(p, NULL));
    H5Pclose(p);
}

static herr_t on_append(hid_t d, hsize_t *dims, void *data)
{
    (void)d, (void)dims, (void)data;
    return 0;
}

static void dapl(void)
{
    hid_t p = H5Pcreate(H5P_DATASET_ACCESS);
    size_t x, y;
    double w;
    hsize_t gap, bound[4] = {1, 2, 3, 4}, huge[1] = {1ull << 40}, out[5];
    H5D_vds_view_t view;
    H5D_append_cb_t func;
    void *data;
    char buf[20];
    const double ws[] = {-1, -0.5, 0, 0.3, 1, 1.01};
    for (size_t k = 0; k < 6; k++) {
        int r = H5Pset_chunk_cache(p, 10 + k, 20 + k, ws[k]);
        H5Pget_chunk_cache(p, &x, &y, &w);
        printf("cache %g: %d %zu %zu %g\n", ws[k], r, x, y, w);
    }
    H5Pset_chunk_cache(p, H5D_CHUNK_CACHE_NSLOTS_DEFAULT, 5, H5D_CHUNK_CACHE_W0_DEFAULT);
    H5Pget_chunk_cache(p, &x, &y, &w);
    printf("defaults %zu %zu %g\n", x, y, w);
    for (int k = -1; k < 3; k++) {
        int r = H5Pset_virtual_view(p, (H5D_vds_view_t)k);
        H5Pget_virtual_view(p, &view);
        printf("view %d: %d %d\n", k, r, (int)view);
    }
    printf("gap %d %d", H5Pset_virtual_printf_gap(p, 9), H5Pset_virtual_printf_gap(p, (hsize_t)-1));
    H5Pget_virtual_printf_gap(p, &gap);
    printf(" %llu\n", (unsigned long long)gap);
    printf("prefixes %d %d", H5Pset_virtual_prefix(p, "one"), H5Pset_efile_prefix(p, "two"));
    int n = (int)H5Pget_virtual_prefix(p, buf, sizeof buf);
    printf(" %d %s", n, buf);
    n = (int)H5Pget_efile_prefix(p, buf, sizeof buf);
    printf(" %d %s\n", n, buf);
    printf("append %d %d %d %d %d %d", H5Pset_append_flush(p, 0, bound, on_append, NULL),
           H5Pset_append_flush(p, 33, bound, on_append, NULL), H5Pset_append_flush(p, 2, NULL, on_append, NULL),
           H5Pset_append_flush(p, 2, bound, NULL, &x), H5Pset_append_flush(p, 1, huge, on_append, NULL),
           H5Pset_append_flush(p, 2, bound, on_append, &x));
    n = H5Pget_append_flush(p, 1, out, &func, &data);
    printf(" %d %d %d\n", n, (int)out[0], func == on_append);
    n = H5Pget_append_flush(p, 4, out, NULL, NULL);
    printf("%d %d %d %d %d\n", n, (int)out[0], (int)out[1], (int)out[2], (int)out[3]);
    H5Pclose(p);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    fcpl();
    fapl();
    image();
    mdc();
    drivers();
    links();
    dxpl();
    dapl();
    return 0;
}
