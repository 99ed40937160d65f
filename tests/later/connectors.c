/* Connectors: the native one is there, and said to be; others are not. */
#include <hdf5.h>

#include <stdio.h>
#include <string.h>

#include "later.h"

static void lists(void)
{
    uint64_t flags = 0;
    void *info = &flags;
    hid_t id = -5;
    HEAD("access lists");
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), native = H5VLget_connector_id_by_name("native");
    SAY(H5Pget_vol_id(fapl, &id));
    SAY(H5Iget_type(id) == H5I_VOL);
    int cmp = 7;
    SAY(H5VLcmp_connector_cls(&cmp, id, native));
    printf("  compared: %d\n", cmp);
    SAY(H5Pget_vol_info(fapl, &info));
    printf("  info %s\n", info ? "something" : "none");
    SAY(H5Pget_vol_cap_flags(fapl, &flags));
    printf("  flags %#llx\n", (unsigned long long)flags);
    SAY(H5Pset_vol(fapl, native, NULL));
    SAY(H5Pset_vol(fapl, H5P_FILE_ACCESS, NULL));
    SAY(H5Pset_vol(H5P_DATASET_CREATE, native, NULL));
    SAY(H5Pset_vol(H5P_DEFAULT, native, NULL));
    SAY(H5Pget_vol_info(H5P_DEFAULT, &info));
    SAY(H5Pget_vol_id(H5P_DATASET_CREATE, &id));
    SAY(H5Pget_vol_id(H5P_DEFAULT, &id));
    SAY(H5Iget_type(id) == H5I_VOL);
    hid_t file = H5Fcreate("list.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hid_t of_file = H5Fget_access_plist(file);
    SAY(H5Pget_vol_id(of_file, &id));
    SAY(H5Iget_type(id) == H5I_VOL);
    H5Pclose(of_file);
    H5Fclose(file);
    H5Pclose(fapl);
}

static void registered(void)
{
    HEAD("registered");
    SAY(H5VLis_connector_registered_by_name("native"));
    SAY(H5VLis_connector_registered_by_name("nobody"));
    SAY(H5VLis_connector_registered_by_value(H5_VOL_NATIVE));
    SAY(H5VLis_connector_registered_by_value(400));
    SAY(H5VLregister_connector_by_name("nobody", H5P_DEFAULT));
    SAY(H5VLregister_connector_by_value(400, H5P_DEFAULT));
    SAY(H5VLregister_connector_by_name(NULL, H5P_DEFAULT));
    SAY(H5VLregister_connector_by_name("", H5P_DEFAULT));
    SAY(H5VLregister_connector_by_value(-3, H5P_DEFAULT));
    SAY(H5VLregister_connector_by_name("native", H5P_FILE_ACCESS_DEFAULT));
    SAY(H5VLregister_connector_by_value(H5_VOL_NATIVE, H5T_NATIVE_INT));
    SAY(H5VLis_connector_registered_by_name(""));
    SAY(H5VLget_connector_id_by_name("nobody"));
    hid_t again = H5VLregister_connector_by_name("native", H5P_DEFAULT);
    SAY(H5Iget_type(again) == H5I_VOL);
    SAY(H5VLclose(again));
    again = H5VLregister_connector_by_value(H5_VOL_NATIVE, H5P_DEFAULT);
    SAY(H5Iget_type(again) == H5I_VOL);
    SAY(H5VLclose(again));
    SAY(H5VLclose(H5P_FILE_ACCESS));
    hid_t native = H5VLget_connector_id_by_name("native");
    uint64_t flags = 0;
    H5VL_class_value_t value = 7;
    SAY(H5VLget_cap_flags(native, &flags));
    SAY(H5VLget_value(native, &value));
    printf("  flags %#llx, value %d\n", (unsigned long long)flags, (int)value);
    SAY(H5VLget_cap_flags(H5P_FILE_ACCESS, &flags));
    SAY(H5VLget_value(H5P_FILE_ACCESS, &value));
    SAY(H5VLunregister_connector(native));
    SAY(H5VLunregister_connector(H5P_FILE_ACCESS));
}

static void objects(void)
{
    HEAD("objects");
    hid_t file = H5Fcreate("objects.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    hid_t d = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5O_token_t token;
    haddr_t addr = 0, other = 0;
    H5O_info2_t info;
    H5Oget_info3(d, &info, H5O_INFO_BASIC);
    SAY(H5VLnative_token_to_addr(file, info.token, &addr));
    SAY(H5VLnative_addr_to_token(d, addr, &token));
    int same = 1;
    H5Otoken_cmp(file, &token, &info.token, &same);
    printf("  the same token: %d\n", same);
    SAY(H5VLnative_token_to_addr(d, H5O_TOKEN_UNDEF, &other));
    printf("  undefined: %d\n", other == HADDR_UNDEF);
    SAY(H5VLnative_addr_to_token(d, addr, NULL));
    SAY(H5VLnative_token_to_addr(d, token, NULL));
    SAY(H5VLnative_addr_to_token(H5T_NATIVE_INT, addr, &token));
    SAY(H5VLnative_token_to_addr(space, token, &addr));
    char name[32] = "";
    SAY(H5VLget_connector_name(d, name, sizeof name));
    printf("  '%s'\n", name);
    SAY(H5VLget_connector_name(d, name, 4));
    printf("  '%s'\n", name);
    SAY(H5VLget_connector_name(d, NULL, 0));
    SAY(H5VLget_connector_name(space, name, sizeof name) < 0);
    hid_t id = H5VLget_connector_id(d);
    SAY(H5Iget_type(id) == H5I_VOL);
    SAY(H5VLclose(id));
    id = H5VLget_connector_id_by_value(H5_VOL_NATIVE);
    SAY(H5Iget_type(id) == H5I_VOL);
    SAY(H5VLclose(id));
    SAY(H5VLget_connector_id_by_value(400));
    SAY(H5VLget_connector_id(space) < 0);
    hbool_t native = 7;
    SAY(H5VLobject_is_native(d, &native));
    printf("  native: %d\n", native);
    SAY(H5VLquery_optional(space, H5VL_SUBCLS_DATASET, 1, (uint64_t[1]){0}));
    SAY(H5VLquery_optional(d, H5VL_SUBCLS_DATASET, 1, NULL));
    H5Dclose(d);
    H5Sclose(space);
    H5Fclose(file);
}

int main(void)
{
    begin();
    lists();
    registered();
    objects();
    return 0;
}
