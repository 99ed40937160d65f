/* Access lists on the way to an object and in opening it: what those of groups, datasets and datatypes say of external links,
 * and datasets that are opened by functions for any object. And where the library keeps settings of two kinds. */
#include <hdf5.h>
#include <stdio.h>
#include <unistd.h>

#define DO(call) printf("%s: %s\n", #call, (call) < 0 ? "fails" : "works")

static herr_t told(const char *parent, const char *group, const char *child, const char *name, unsigned *flags, hid_t fapl,
                   void *data)
{
    (void)fapl, (void)data;
    printf("  from %s %s to %s %s with %u\n", parent, group, child, name, *flags);
    return 0;
}

static hid_t read_only_list(hid_t cls)
{
    hid_t list = H5Pcreate(cls);
    H5Pset_elink_acc_flags(list, H5F_ACC_RDONLY);
    H5Pset_elink_cb(list, told, NULL);
    return list;
}

static void through_links(hid_t file)
{
    hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_NATIVE_INT), id;
    hid_t gapl = read_only_list(H5P_GROUP_ACCESS), dapl = read_only_list(H5P_DATASET_ACCESS);
    hid_t tapl = read_only_list(H5P_DATATYPE_ACCESS), lapl = read_only_list(H5P_LINK_ACCESS);
    DO(H5Gcreate2(file, "out/group", H5P_DEFAULT, H5P_DEFAULT, gapl));
    DO(id = H5Gopen2(file, "out", gapl));
    H5Gclose(id);
    DO(H5Dcreate2(file, "out/dset", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, dapl));
    DO(H5Tcommit2(file, "out/type", type, H5P_DEFAULT, H5P_DEFAULT, tapl));
    DO(H5Lcreate_soft("x", file, "out/soft", H5P_DEFAULT, lapl));
    DO(H5Acreate_by_name(file, "out", "attr", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, lapl));
    DO(H5Oset_comment_by_name(file, "out", "comment", lapl));
    DO(id = H5Gcreate2(file, "out/group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(id);
    H5Pclose(gapl);
    H5Pclose(dapl);
    H5Pclose(tapl);
    H5Pclose(lapl);
    H5Tclose(type);
    H5Sclose(space);
}

static void show_cache(const char *how, hid_t dset)
{
    size_t slots = 0, bytes = 0;
    double w0 = 0;
    hid_t dapl = H5Dget_access_plist(dset);
    H5Pget_chunk_cache(dapl, &slots, &bytes, &w0);
    printf("%s: %lu %lu %g\n", how, (unsigned long)slots, (unsigned long)bytes, w0);
    H5Pclose(dapl);
    H5Dclose(dset);
}

static void any_object(hid_t file)
{
    hsize_t size = 10, chunk = 5;
    hid_t space = H5Screate_simple(1, &size, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    hobj_ref_t ref;
    H5Pset_chunk(dcpl, 1, &chunk);
    H5Pset_chunk_cache(dapl, 77, 7777, 0.3);
    H5Dclose(H5Dcreate2(file, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Rcreate(&ref, file, "a", H5R_OBJECT, -1);
    show_cache("H5Dopen2", H5Dopen2(file, "a", dapl));
    show_cache("H5Oopen", H5Oopen(file, "a", dapl));
    show_cache("H5Oopen_by_idx", H5Oopen_by_idx(file, "/", H5_INDEX_NAME, H5_ITER_INC, 0, dapl));
    show_cache("H5Rdereference2", H5Rdereference2(file, dapl, H5R_OBJECT, &ref));
    show_cache("H5Oopen", H5Oopen(file, "a", H5P_DEFAULT));
    H5Pclose(dapl);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void error_functions(void)
{
    H5E_auto2_t two;
    H5E_auto1_t one;
    void *data;
    H5Eset_auto1((H5E_auto1_t)H5Eprint1, stderr);
    DO(H5Eget_auto2(H5E_DEFAULT, &two, &data));
    H5Eset_auto2(H5E_DEFAULT, two, data);
    DO(H5Eget_auto1(&one, &data));
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void shared_twice(void)
{
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_shared_mesg_nindexes(fcpl, 2);
    DO(H5Pset_shared_mesg_index(fcpl, 0, H5O_SHMESG_DTYPE_FLAG, 10));
    DO(H5Pset_shared_mesg_index(fcpl, 1, H5O_SHMESG_DTYPE_FLAG | H5O_SHMESG_ATTR_FLAG, 10));
    DO(H5Fcreate("shared_twice.h5", H5F_ACC_TRUNC, fcpl, H5P_DEFAULT));
    DO(H5Pset_shared_mesg_index(fcpl, 1, H5O_SHMESG_ATTR_FLAG, 10));
    DO(H5Fcreate("shared_once.h5", H5F_ACC_TRUNC, fcpl, H5P_DEFAULT));
    H5Pclose(fcpl);
}

int main(void)
{
    hid_t other = H5Fcreate("access_other.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t file = H5Fcreate("access_of_paths.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    error_functions();
    H5Gclose(H5Gcreate2(other, "in", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(other);
    H5Lcreate_external("access_other.h5", "/in", file, "out", H5P_DEFAULT, H5P_DEFAULT);
    through_links(file);
    any_object(file);
    shared_twice();
    H5Fclose(file);
    H5close();
    unlink("access_of_paths.h5");
    unlink("access_other.h5");
    unlink("shared_twice.h5");
    unlink("shared_once.h5");
    return 0;
}
