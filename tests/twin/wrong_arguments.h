/* What programs that give wrong arguments need: an object of each kind, and how a failure is shown. A file in memory, for no
 * call changes it. */
#ifndef WRONG_ARGUMENTS_H
#define WRONG_ARGUMENTS_H

#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static hid_t file, group, dset, type, attr, space, closed, newtype, ncls, udid;
static hid_t dcpl, lcpl, lapl, fapl, fcpl, gcpl, dxpl, dapl, ocpypl;
static H5I_type_t udtype;
static haddr_t addr;
static hobj_ref_t oref;
static hdset_reg_ref_t rref;
static hsize_t hs, one[4] = {1, 1, 1, 1}, zero4[4];
static unsigned u;
static int iv;
static size_t sz;
static void *vp;
static char storage[65536];
#define buf ((void *)storage)

static int nothing(void)
{
    return 0;
}

static hsize_t *past_end(void)
{
    hs = 999;
    return &hs;
}

static herr_t show(unsigned n, const H5E_error2_t *e, void *data)
{
    char major[128] = "", minor[128] = "";
    const char *more = strstr(e->desc, ": ");
    if (n > 0)
        return 0;
    H5Eget_msg(e->maj_num, NULL, major, sizeof major);
    H5Eget_msg(e->min_num, NULL, minor, sizeof minor);
    printf("%s: [%s | %s] %.*s\n", (const char *)data, major, minor, more ? (int)(more - e->desc) : 1000, e->desc);
    return 0;
}

static void report(const char *call, long status)
{
    hid_t stack = H5Eget_current_stack();
    if (status >= 0)
        printf("%s: works\n", call);
    else
        H5Ewalk2(stack, H5E_WALK_DOWNWARD, show, (void *)call);
    H5Eclose_stack(stack);
}

#define TRY(call) report(#call, (long)(call))

static void make_lists(void)
{
    hsize_t chunk[2] = {4, 4};
    int value = 5;
    dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 2, chunk);
    lcpl = H5Pcreate(H5P_LINK_CREATE);
    lapl = H5Pcreate(H5P_LINK_ACCESS);
    fcpl = H5Pcreate(H5P_FILE_CREATE);
    gcpl = H5Pcreate(H5P_GROUP_CREATE);
    dxpl = H5Pcreate(H5P_DATASET_XFER);
    dapl = H5Pcreate(H5P_DATASET_ACCESS);
    ocpypl = H5Pcreate(H5P_OBJECT_COPY);
    fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 65536, 0);
    H5Pinsert2(dcpl, "prop", sizeof value, &value, NULL, NULL, NULL, NULL, NULL, NULL);
    ncls = H5Pcreate_class(H5P_ROOT, "own", NULL, NULL, NULL, NULL, NULL, NULL);
    H5Pregister2(ncls, "prop", sizeof value, &value, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
}

static void open_all(void)
{
    hsize_t dims[2] = {8, 8}, most[2] = {16, H5S_UNLIMITED};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    make_lists();
    file = H5Fcreate("wrong_arguments.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    space = H5Screate_simple(2, dims, most);
    dset = H5Dcreate2(file, "dset", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    type = H5Tcopy(H5T_NATIVE_INT);
    H5Tcommit2(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    newtype = H5Tcopy(H5T_NATIVE_INT);
    attr = H5Acreate2(group, "attr", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Aclose(H5Acreate2(file, "attr", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(group, "sub", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Lcreate_soft("/group", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT);
    closed = H5Gopen2(file, "group", H5P_DEFAULT);
    H5Gclose(closed);
    udtype = H5Iregister_type(64, 0, NULL);
    udid = H5Iregister(udtype, &u);
    H5Rcreate(&oref, file, "group", H5R_OBJECT, -1);
    H5Rcreate(&rref, file, "dset", H5R_DATASET_REGION, space);
    H5O_info_t info = {0};
    H5Oget_info(group, &info);
    addr = info.addr;
    (void)newtype, (void)vp, (void)sz, (void)iv, (void)one, (void)zero4, (void)udid, (void)past_end, (void)nothing;
}

static void close_all(void)
{
    H5Fclose(file);
    H5close();
}

#endif
