/* Ids that are closed, given where an id of their type is wanted: libhdf5 has other words for them than for ids of other types. */
#include "wrong_arguments.h"

static void lists(void)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pclose(list);
    TRY(H5Pclose(list));
    TRY(H5Pcopy(list));
    TRY(H5Pget_nprops(list, buf));
    TRY(H5Pget_nprops(list, NULL));
    TRY(H5Pexist(list, "prop"));
    TRY(H5Pexist(list, ""));
    TRY(H5Pget_size(list, "prop", buf));
    TRY(H5Pget_size(list, "prop", NULL));
    TRY(H5Pget_size(list, "", buf));
    TRY(H5Piterate(list, NULL, (void *)nothing, NULL));
    TRY(H5Pequal(list, dcpl));
    TRY(H5Pequal(dcpl, list));
    TRY(H5Pequal(list, ncls));
    TRY(H5Pisa_class(list, H5P_DATASET_CREATE));
    TRY(H5Pisa_class(list, list));
    TRY(H5Pcopy_prop(dcpl, list, "prop"));
    TRY(H5Pcopy_prop(list, dcpl, "prop"));
    TRY(H5Pcopy_prop(list, dcpl, ""));
    TRY(H5Pcopy_prop(list, ncls, "prop"));
    TRY(H5Pget_class(list));
    TRY(H5Premove(list, "prop"));
}

static void classes(void)
{
    hid_t cls = H5Pcreate_class(H5P_ROOT, "closed", NULL, NULL, NULL, NULL, NULL, NULL);
    H5Pclose_class(cls);
    TRY(H5Pclose_class(cls));
    TRY(H5Pclose(cls));
    TRY(H5Pcopy(cls));
    TRY(H5Pget_nprops(cls, buf));
    TRY(H5Pexist(cls, "prop"));
    TRY(H5Pget_size(cls, "prop", buf));
    TRY(H5Piterate(cls, NULL, (void *)nothing, NULL));
    TRY(H5Pequal(cls, ncls));
    TRY(H5Pequal(cls, dcpl));
    TRY(H5Pisa_class(dcpl, cls));
    TRY(H5Pcopy_prop(ncls, cls, "prop"));
    TRY(H5Pcopy_prop(dcpl, cls, "prop"));
    TRY(H5Pcreate_class(cls, "x", NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pcreate_class(cls, "", NULL, NULL, NULL, NULL, NULL, NULL));
    TRY(H5Pcreate(cls));
}

static void of_files(hid_t id)
{
    TRY(H5Fclose(id));
    TRY(H5Fflush(id, H5F_SCOPE_LOCAL));
    TRY(H5Fget_name(id, buf, 10));
    TRY(H5Freopen(id));
    TRY(H5Fmount(file, "group", id, H5P_DEFAULT));
    TRY(H5Fmount(id, "group", file, H5P_DEFAULT));
    TRY(H5Fmount(id, "", file, H5P_DEFAULT));
    TRY(H5Funmount(id, "group"));
    TRY(H5Gclose(id));
    TRY(H5Dclose(id));
    TRY(H5Aclose(id));
    TRY(H5Tclose(id));
    TRY(H5Tcopy(id));
    TRY(H5Oclose(id));
    TRY(H5Eclose_stack(id));
    TRY(H5Eclose_msg(id));
    TRY(H5Eunregister_class(id));
    TRY(H5Pcopy(id));
    TRY(H5Idec_ref(id));
}

static void as_types(hid_t id)
{
    TRY(H5Dcreate1(file, "made", id, space, H5P_DEFAULT));
    TRY(H5Dcreate2(file, "made", id, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Dcreate2(file, "made", id, closed, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Dcreate2(file, "made", id, space, H5P_DEFAULT, closed, H5P_DEFAULT));
    TRY(H5Dcreate_anon(file, id, space, H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Diterate(buf, id, space, (void *)nothing, NULL));
    TRY(H5Diterate(NULL, id, space, (void *)nothing, NULL));
    TRY(H5Diterate(buf, id, closed, (void *)nothing, NULL));
}

int main(void)
{
    open_all();
    lists();
    classes();
    hid_t again = H5Freopen(file);
    hid_t ids[] = {again, H5Dopen2(file, "dset", H5P_DEFAULT), H5Aopen(group, "attr", H5P_DEFAULT), H5Tcopy(H5T_NATIVE_INT),
                   H5Topen2(file, "type", H5P_DEFAULT), H5Screate(H5S_SCALAR), H5Ecreate_stack(),
                   H5Ecreate_msg(H5E_ERR_CLS, H5E_MAJOR, "own"), H5Eregister_class("a", "b", "c")};
    of_files(closed);
    as_types(closed);
    for (unsigned i = 0; i < sizeof ids / sizeof *ids; i++) {
        printf("kind %u\n", i);
        H5Idec_ref(ids[i]);
        of_files(ids[i]);
        as_types(ids[i]);
    }
    close_all();
    return 0;
}
