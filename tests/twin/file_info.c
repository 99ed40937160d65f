/* What H5F says about the files of the corpus: sizes, free space, creation properties, settings. */
#include "read_util.h"

static void print_info(hid_t file)
{
    H5F_info2_t info;
    H5F_info1_t old;
    memset(&info, 0, sizeof info);
    memset(&old, 0, sizeof old);
    printf("info2 %d:", H5Fget_info2(file, &info));
    printf(" super %u %llu %llu, free %u %llu %llu, sohm %u %llu %llu %llu\n", info.super.version, (unsigned long long)info.super.super_size, (unsigned long long)info.super.super_ext_size,
           info.free.version, (unsigned long long)info.free.meta_size, (unsigned long long)info.free.tot_space,
           info.sohm.version, (unsigned long long)info.sohm.hdr_size, (unsigned long long)info.sohm.msgs_info.index_size,
           (unsigned long long)info.sohm.msgs_info.heap_size);
    printf("info1 %d:", H5Fget_info1(file, &old));
    printf(" %llu %llu %llu %llu\n", (unsigned long long)old.super_ext_size,
           (unsigned long long)old.sohm.hdr_size, (unsigned long long)old.sohm.msgs_info.index_size,
           (unsigned long long)old.sohm.msgs_info.heap_size);
}

static void print_sections(hid_t file)
{
    H5F_sect_info_t sections[200];
    printf("free %lld\n", (long long)H5Fget_freespace(file));
    for (int type = 0; type < H5FD_MEM_NTYPES; type++) {
        ssize_t n = H5Fget_free_sections(file, (H5F_mem_t)type, 0, NULL), got = -9;
        if (n > 0 && n <= 200)
            got = H5Fget_free_sections(file, (H5F_mem_t)type, (size_t)n, sections);
        printf("  type %d: %zd %zd", type, n, got);
        for (ssize_t i = 0; i < got; i++)
            printf(" %llu+%llu", (unsigned long long)sections[i].addr, (unsigned long long)sections[i].size);
        if (n > 1) {
            got = H5Fget_free_sections(file, (H5F_mem_t)type, 1, sections);
            printf(" first of %zd: %llu", got, (unsigned long long)sections[0].addr);
        }
        printf("\n");
    }
    printf("sections without room: %zd\n", H5Fget_free_sections(file, H5FD_MEM_DEFAULT, 1, NULL));
    printf("sections, none: %zd\n", H5Fget_free_sections(file, H5FD_MEM_DEFAULT, 0, sections));
}

static void print_create_list(hid_t file)
{
    hid_t fcpl = H5Fget_create_plist(file);
    unsigned v[6] = {99, 99, 99, 99, 99, 99};
    hsize_t size = 99, threshold = 99;
    size_t addr = 99, len = 99, heap = 99;
    hbool_t persist = 9;
    H5F_fspace_strategy_t strategy = -7;
    char cls[64] = "?";
    hid_t class_id = H5Pget_class(fcpl);
    char *name = H5Pget_class_name(class_id);
    snprintf(cls, sizeof cls, "%s", name ? name : "none");
    H5free_memory(name);
    H5Pclose_class(class_id);
    printf("fcpl %s:", cls);
    printf(" user block %d", H5Pget_userblock(fcpl, &size));
    printf(" %llu", (unsigned long long)size);
    printf(" sizes %d", H5Pget_sizes(fcpl, &addr, &len));
    printf(" %zu %zu", addr, len);
    printf(" symk %d", H5Pget_sym_k(fcpl, &v[0], &v[1]));
    printf(" %u %u", v[0], v[1]);
    printf(" istore %d", H5Pget_istore_k(fcpl, &v[0]));
    printf(" %u", v[0]);
    printf(" version %d", H5Pget_version(fcpl, &v[0], &v[1], &v[2], &v[3]));
    printf(" %u %u %u %u\n", v[0], v[1], v[2], v[3]);
    printf("  space %d", H5Pget_file_space_strategy(fcpl, &strategy, &persist, &threshold));
    printf(" %d %d %llu", (int)strategy, (int)persist, (unsigned long long)threshold);
    printf(" page %d", H5Pget_file_space_page_size(fcpl, &size));
    printf(" %llu\n", (unsigned long long)size);
    printf("  shared %d", H5Pget_shared_mesg_nindexes(fcpl, &v[0]));
    unsigned n = v[0];
    printf(" %u", n);
    for (unsigned i = 0; i < n && i < 9; i++) {
        printf(" index %d", H5Pget_shared_mesg_index(fcpl, i, &v[0], &v[1]));
        printf(" %#x %u", v[0], v[1]);
    }
    printf(" phases %d", H5Pget_shared_mesg_phase_change(fcpl, &v[0], &v[1]));
    printf(" %u %u\n", v[0], v[1]);
    printf("  root: order %d", H5Pget_link_creation_order(fcpl, &v[0]));
    printf(" %u", v[0]);
    printf(" phases %d", H5Pget_link_phase_change(fcpl, &v[1], &v[2]));
    printf(" %u %u", v[1], v[2]);
    printf(" estimates %d", H5Pget_est_link_info(fcpl, &v[3], &v[4]));
    printf(" %u %u", v[3], v[4]);
    printf(" heap %d", H5Pget_local_heap_size_hint(fcpl, &heap));
    printf(" %zu", heap);
    printf(" attrs %d", H5Pget_attr_phase_change(fcpl, &v[0], &v[1]));
    printf(" %u %u", v[0], v[1]);
    printf(" attr order %d", H5Pget_attr_creation_order(fcpl, &v[0]));
    hbool_t times = 9;
    printf(" %u", v[0]);
    printf(" times %d", H5Pget_obj_track_times(fcpl, &times));
    printf(" %d filters %d\n", times, H5Pget_nfilters(fcpl));
    H5Pclose(fcpl);
}

static void print_cache(hid_t file)
{
    haddr_t addr = 5;
    hsize_t size = 5;
    unsigned n2[2], intent = 99;
    double rate;
    hbool_t a = 9, b = 9;
    H5F_retry_info_t retry;
    H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    printf("image %d", H5Fget_mdc_image_info(file, &addr, &size));
    printf(" %lld %llu", (long long)addr, (unsigned long long)size);
    printf(" and nothing %d\n", H5Fget_mdc_image_info(file, NULL, NULL));
    printf("page buffer %d", H5Fget_page_buffering_stats(file, n2, n2, n2, n2, n2));
    printf(" reset %d\n", H5Freset_page_buffering_stats(file));
    printf("hint %d", H5Fget_dset_no_attrs_hint(file, &a));
    printf(" %d\n", a);
    printf("logging %d", H5Fget_mdc_logging_status(file, &a, &b));
    printf(" %d %d start %d stop %d\n", a, b, H5Fstart_mdc_logging(file), H5Fstop_mdc_logging(file));
    memset(&retry, 7, sizeof retry);
    printf("retries %d", H5Fget_metadata_read_retry_info(file, &retry));
    printf(" %u", retry.nbins);
    for (int i = 0; i < 21; i++)
        printf("%s", retry.retries[i] ? "x" : ".");
    printf("\nconfig %d:", H5Fget_mdc_config(file, &config));
    printf(" %d %d %d %zu %g %zu %zu %ld %d %g %g %d %zu %d %g %g %d %g %g %d %zu %d %d %g %zu %d\n", config.version,
           config.rpt_fcn_enabled, config.set_initial_size, config.initial_size, config.min_clean_fraction,
           config.max_size, config.min_size, config.epoch_length, config.incr_mode, config.lower_hr_threshold,
           config.increment, config.apply_max_increment, config.max_increment, config.flash_incr_mode,
           config.flash_multiple, config.flash_threshold, config.decr_mode, config.upper_hr_threshold, config.decrement,
           config.apply_max_decrement, config.max_decrement, config.epochs_before_eviction, config.apply_empty_reserve,
           config.empty_reserve, config.dirty_bytes_threshold, config.metadata_write_strategy);
    config.version = 77;
    printf("config of version 77: %d, none: %d\n", H5Fget_mdc_config(file, &config), H5Fget_mdc_config(file, NULL));
    printf("rate %d", H5Fget_mdc_hit_rate(file, &rate));
    printf(" sane %d", rate >= 0 && rate <= 1);
    printf(" reset %d", H5Freset_mdc_hit_rate_stats(file));
    printf(" rate %d", H5Fget_mdc_hit_rate(file, &rate));
    printf(" %g\n", rate);
    H5G_info_t root;
    size_t max = 0, min = 0, current = 0;
    H5Gget_info(file, &root);
    int entries = -1;
    printf("size %d", H5Fget_mdc_size(file, &max, &min, &current, &entries));
    printf(" sane %d", max > 0 && min <= max && current > 0 && current <= max && entries > 0);
    printf(" nothing wanted %d\n", H5Fget_mdc_size(file, NULL, NULL, NULL, NULL));
    printf("intent %d", H5Fget_intent(file, &intent));
    printf(" %u\n", intent);
}

static void print_rest(hid_t file)
{
    hsize_t size = 0;
    haddr_t eoa = 0;
    printf("filesize %d", H5Fget_filesize(file, &size));
    printf(" %llu", (unsigned long long)size);
    printf(" eoa %d", H5Fget_eoa(file, &eoa));
    printf(" %llu\n", (unsigned long long)eoa);
    printf("bounds %d", H5Fset_libver_bounds(file, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST));
    printf(" earliest both %d", H5Fset_libver_bounds(file, H5F_LIBVER_EARLIEST, H5F_LIBVER_EARLIEST));
    printf(" elink cache %d\n", H5Fclear_elink_file_cache(file));
    printf("set hint %d", H5Fset_dset_no_attrs_hint(file, 1));
    hbool_t hint = 9;
    printf(" get %d", H5Fget_dset_no_attrs_hint(file, &hint));
    printf(" %d\n", hint);
    printf("swmr %d", H5Fstart_swmr_write(file));
    printf(" flush %d\n", H5Fflush(file, H5F_SCOPE_LOCAL));
}

static void each(const char *name, hid_t file)
{
    (void)name;
    print_info(file);
    print_sections(file);
    print_info(file);
    print_create_list(file);
    print_cache(file);
    print_rest(file);
}

static void print_misuse(void)
{
    H5F_info2_t info;
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t ids[] = {-1, 0, space, H5P_DEFAULT, H5T_NATIVE_INT};
    for (int i = 0; i < 5; i++) {
        size_t size;
        hsize_t hs;
        double d;
        printf("misuse %d: %d %zd %zd %d %d %d %d\n", i, H5Fget_info2(ids[i], &info), (ssize_t)H5Fget_freespace(ids[i]),
               H5Fget_free_sections(ids[i], H5FD_MEM_DEFAULT, 0, NULL), H5Fget_mdc_size(ids[i], &size, NULL, NULL, NULL),
               H5Fget_mdc_hit_rate(ids[i], &d), H5Fget_filesize(ids[i], &hs), H5Freset_mdc_hit_rate_stats(ids[i]));
    }
    H5Sclose(space);
}

int main(void)
{
    static const char *const patterns[] = {"superblock_*.h5", "space_*persist*.h5", "space_page*.h5", "space_shrunk*.h5",
                                           "sohm_*.h5", "group_root_order*.h5", "group_old_9links.h5", "header_attr_phase*.h5",
                                           "group_new_100links_indexed.h5", "header_new_times*.h5", "attr_count9_*.h5", "links_external_new.h5",
                                           NULL};
    int status = for_files(patterns, each);
    print_misuse();
    return status;
}
