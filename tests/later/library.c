/* Lists, files and the library itself: what was added between 1.10 and 1.14. */
#include <hdf5.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "later.h"

static void closed(void *ctx)
{
    printf("closing: %s\n", (const char *)ctx);
}

static void file_lists(void)
{
    hbool_t use = 7, ignore = 7;
    char text[32] = "old";
    H5F_libver_t low, high;
    HEAD("file lists");
    /* libhdf5 knows a driver by its name once it was used. */
    const hid_t used[] = {H5FD_CORE, H5FD_FAMILY, H5FD_SPLITTER};
    SAY(used[0] > 0 && used[1] > 0 && used[2] > 0);
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    SAY(H5Pset_file_locking(list, 1, 1));
    SAY(H5Pget_file_locking(list, &use, &ignore));
    printf("  %d %d\n", use, ignore);
    SAY(H5Pset_file_locking(list, 0, 0));
    SAY(H5Pget_file_locking(list, &use, &ignore));
    printf("  %d %d\n", use, ignore);
    SAY(H5Pset_driver_by_name(list, "core", "some text"));
    SAY(H5Pget_driver(list) == H5FD_CORE);
    SAY(H5Pget_driver_config_str(list, text, sizeof text));
    printf("  '%s'\n", text);
    SAY(H5Pget_driver_config_str(list, text, 5));
    printf("  '%s'\n", text);
    SAY(H5Pget_driver_config_str(list, NULL, 0));
    SAY(H5Pset_driver_by_value(list, H5_VFD_FAMILY, NULL));
    SAY(H5Pget_driver(list) == H5FD_FAMILY);
    SAY(H5Pset_driver_by_name(list, NULL, NULL));
    SAY(H5Pset_driver_by_name(list, "", NULL));
    SAY(H5Pset_driver_by_value(list, -3, NULL) < 0);
    SAY(H5FDis_driver_registered_by_name("sec2"));
    SAY(H5FDis_driver_registered_by_name("nobody"));
    SAY(H5FDis_driver_registered_by_value(H5_VFD_SPLITTER));
    SAY(H5FDis_driver_registered_by_value(400));
    uint64_t relaxed = 77;
    SAY(H5Pget_relax_file_integrity_checks(list, &relaxed));
    printf("  %#llx\n", (unsigned long long)relaxed);
    SAY(H5Pset_relax_file_integrity_checks(list, H5F_RFIC_UNUSUAL_NUM_UNUSED_NUMERIC_BITS));
    SAY(H5Pget_relax_file_integrity_checks(list, &relaxed));
    printf("  %#llx\n", (unsigned long long)relaxed);
    SAY(H5Pset_relax_file_integrity_checks(list, H5F_RFIC_ALL));
    SAY(H5Pget_relax_file_integrity_checks(list, &relaxed));
    printf("  %#llx\n", (unsigned long long)relaxed);
    SAY(H5Pset_relax_file_integrity_checks(list, 0x8000));
    SAY(H5Pset_libver_bounds(list, H5F_LIBVER_V112, H5F_LIBVER_V114));
    SAY(H5Pget_libver_bounds(list, &low, &high));
    printf("  %d %d\n", (int)low, (int)high);
    SAY(H5Pset_libver_bounds(list, H5F_LIBVER_V114, H5F_LIBVER_V112));
    SAY(H5Pclose(list));
}

static void object_lists(void)
{
    hbool_t minimise = 7;
    HEAD("object lists");
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    SAY(H5Pget_dset_no_attrs_hint(list, &minimise));
    printf("  %d\n", minimise);
    SAY(H5Pset_dset_no_attrs_hint(list, 1));
    SAY(H5Pget_dset_no_attrs_hint(list, &minimise));
    printf("  %d\n", minimise);
    SAY(H5Pclose(list));
    hid_t file = H5Fcreate("library.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    SAY(H5Fget_dset_no_attrs_hint(file, &minimise));
    printf("  %d\n", minimise);
    SAY(H5Fset_dset_no_attrs_hint(file, 1));
    SAY(H5Fget_dset_no_attrs_hint(file, &minimise));
    printf("  %d\n", minimise);
    unsigned long number = 0;
    SAY(H5Fget_fileno(file, &number));
    printf("  numbered: %d\n", number > 0);
    SAY(H5Fget_fileno(file, NULL));
    SAY(H5Fis_accessible("library.h5", H5P_DEFAULT));
    SAY(H5Fis_accessible("nothing.h5", H5P_DEFAULT));
    size_t size = 0;
    list = H5Pcreate(H5P_DATASET_XFER);
    SAY(H5Pencode2(list, NULL, &size, H5P_DEFAULT));
    printf("  encoded: %d\n", size > 0);
    SAY(H5Pclose(list));
    SAY(H5Fclose(file));
}

static void spaces(void)
{
    size_t size = 0;
    hsize_t n = 10;
    unsigned char buf[200];
    HEAD("spaces");
    hid_t s = H5Screate_simple(1, &n, NULL), list = H5Pcreate(H5P_FILE_ACCESS);
    SAY(H5Sencode2(s, NULL, &size, H5P_DEFAULT));
    printf("  %d bytes\n", (int)size);
    SAY(H5Pset_libver_bounds(list, H5F_LIBVER_V112, H5F_LIBVER_LATEST));
    SAY(H5Sencode2(s, NULL, &size, list));
    printf("  %d bytes\n", (int)size);
    SAY(H5Sencode2(s, buf, &size, list));
    hid_t again = H5Sdecode(buf);
    SAY(H5Sextent_equal(s, again));
    H5Sclose(again);
    H5Sclose(s);
    H5Pclose(list);
}

static herr_t on_id(hid_t id, void *count)
{
    ++*(int *)count;
    return H5Iget_type(id) == H5I_DATASPACE ? 0 : -1;
}

static void ids(void)
{
    int count = 0;
    HEAD("ids");
    hid_t s[3] = {H5Screate(H5S_SCALAR), H5Screate(H5S_NULL), H5Screate(H5S_SCALAR)};
    SAY(H5Iiterate(H5I_DATASPACE, on_id, &count));
    printf("  %d\n", count);
    SAY(H5Iiterate(H5I_BADID, on_id, &count));
    SAY(H5Iiterate(H5I_NTYPES, on_id, &count));
    for (int i = 0; i < 3; i++)
        H5Sclose(s[i]);
}

static void the_library(void)
{
    hbool_t is = 7;
    size_t a, b, c, d;
    HEAD("the library");
    SAY(H5is_library_terminating(&is));
    printf("  %d\n", is);
    SAY(H5is_library_threadsafe(&is));
    printf("  %d\n", is);
    SAY(H5get_free_list_sizes(&a, &b, &c, &d));
    SAY(H5atclose(closed, (void *)"first"));
    SAY(H5atclose(closed, (void *)"second"));
    SAY(H5atclose(NULL, NULL));
    void *p = H5allocate_memory(10, 1);
    printf("  %d\n", ((char *)p)[9]);
    p = H5resize_memory(p, 100);
    SAY(H5free_memory(p));
    SAY(H5close());
}

int main(void)
{
    begin();
    file_lists();
    object_lists();
    spaces();
    ids();
    the_library();
    return 0;
}
