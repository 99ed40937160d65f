/* Groups that are made on the way to a new object: which properties they take from the group they are made in. */
#include <hdf5.h>
#include <stdio.h>
#include <unistd.h>

static void show(hid_t file, const char *name)
{
    unsigned order, phase[2], expected[2], aorder, aphase[2];
    hbool_t times;
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT), gcpl = H5Gget_create_plist(group);
    H5Pget_link_creation_order(gcpl, &order);
    H5Pget_link_phase_change(gcpl, &phase[0], &phase[1]);
    H5Pget_est_link_info(gcpl, &expected[0], &expected[1]);
    H5Pget_attr_creation_order(gcpl, &aorder);
    H5Pget_attr_phase_change(gcpl, &aphase[0], &aphase[1]);
    H5Pget_obj_track_times(gcpl, &times);
    printf("%s: order %u, phase %u %u, expected %u %u, attributes %u, phase %u %u, times %d, filters %d\n", name, order,
           phase[0], phase[1], expected[0], expected[1], aorder, aphase[0], aphase[1], times, H5Pget_nfilters(gcpl));
    H5Pclose(gcpl);
    H5Gclose(group);
}

static void make(H5F_libver_t low)
{
    static const char *const paths[] = {"/", "p", "p/a", "p/a/b", "p/a/b/c", "q", "q/a"};
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), gcpl = H5Pcreate(H5P_GROUP_CREATE), lcpl = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate("between.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pset_create_intermediate_group(lcpl, 1);
    H5Pset_link_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_link_phase_change(gcpl, 5, 3);
    H5Pset_est_link_info(gcpl, 7, 9);
    H5Pset_attr_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_attr_phase_change(gcpl, 4, 1);
    H5Pset_obj_track_times(gcpl, 0);
    H5Pset_deflate(gcpl, 3);
    H5Gclose(H5Gcreate2(file, "p", H5P_DEFAULT, gcpl, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(file, "p/a/b/c", lcpl, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(file, "q/a", lcpl, gcpl, H5P_DEFAULT));
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        show(file, paths[i]);
    H5Pclose(fapl);
    H5Pclose(gcpl);
    H5Pclose(lcpl);
    H5Fclose(file);
}

int main(void)
{
    make(H5F_LIBVER_EARLIEST);
    make(H5F_LIBVER_LATEST);
    return unlink("between.h5");
}
