/* Tokens, and what is told of objects and links since 1.12. */
#include <hdf5.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "later.h"

static herr_t on_link(hid_t group, const char *name, const H5L_info2_t *info, void *data)
{
    printf("  link %s: type %d, order %d %d, set %d, size %d\n", name, (int)info->type, (int)info->corder_valid, (int)info->corder,
           (int)info->cset, info->type == H5L_TYPE_HARD ? -1 : (int)info->u.val_size);
    return data && strcmp(name, data) == 0;
}

static herr_t on_object(hid_t obj, const char *name, const H5O_info2_t *info, void *data)
{
    printf("  object %s: type %d, links %d, attributes %d\n", name, (int)info->type, (int)info->rc, (int)info->num_attrs);
    return data && strcmp(name, data) == 0;
}

static void make(hid_t file)
{
    hid_t list = H5Pcreate(H5P_GROUP_CREATE), scalar = H5Screate(H5S_SCALAR);
    H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    hid_t g = H5Gcreate2(file, "g", H5P_DEFAULT, list, H5P_DEFAULT);
    H5Dclose(H5Dcreate2(g, "z", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(g, "a", H5P_DEFAULT, list, H5P_DEFAULT));
    H5Lcreate_soft("/g/z", g, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/x", g, "external", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(g, "z", g, "again", H5P_DEFAULT, H5P_DEFAULT);
    hid_t t = H5Tcopy(H5T_NATIVE_INT);
    H5Tcommit2(g, "a/type", t, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Aclose(H5Acreate2(t, "note", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT));
    H5Tclose(t);
    H5Gclose(g);
    H5Sclose(scalar);
    H5Pclose(list);
}

static void walks(hid_t file)
{
    hsize_t at = 0;
    HEAD("walks");
    SAY(H5Literate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, on_link, NULL));
    hid_t g = H5Gopen2(file, "g", H5P_DEFAULT);
    SAY(H5Literate2(g, H5_INDEX_NAME, H5_ITER_INC, &at, on_link, (void *)"external"));
    printf("  at %d\n", (int)at);
    SAY(H5Literate2(g, H5_INDEX_NAME, H5_ITER_INC, &at, on_link, NULL));
    printf("  at %d\n", (int)at);
    SAY(H5Literate2(g, H5_INDEX_CRT_ORDER, H5_ITER_DEC, NULL, on_link, NULL));
    SAY(H5Literate_by_name2(file, "g/a", H5_INDEX_NAME, H5_ITER_INC, NULL, on_link, NULL, H5P_DEFAULT));
    SAY(H5Lvisit2(file, H5_INDEX_NAME, H5_ITER_INC, on_link, NULL));
    SAY(H5Lvisit_by_name2(file, "g", H5_INDEX_CRT_ORDER, H5_ITER_INC, on_link, NULL, H5P_DEFAULT));
    SAY(H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, on_object, NULL, H5O_INFO_ALL));
    SAY(H5Ovisit_by_name3(file, "g", H5_INDEX_NAME, H5_ITER_INC, on_object, (void *)"a", H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS, H5P_DEFAULT));
    H5Gclose(g);
    SAY(H5Literate2(file, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, on_link, NULL) < 0);
    SAY(H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, on_object, NULL, 0x8000));
    SAY(H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, NULL, NULL, H5O_INFO_ALL));
}

static void tokens(hid_t file)
{
    H5L_info2_t link;
    H5O_info2_t info, other;
    H5O_native_info_t native;
    int cmp = 77;
    char *text;
    HEAD("tokens");
    SAY(H5Lget_info2(file, "g/z", &link, H5P_DEFAULT));
    SAY(H5Oget_info_by_name3(file, "g/again", &info, H5O_INFO_BASIC, H5P_DEFAULT));
    SAY(H5Otoken_cmp(file, &link.u.token, &info.token, &cmp));
    printf("  the same: %d\n", cmp);
    SAY(H5Oget_info_by_name3(file, "g", &other, H5O_INFO_BASIC, H5P_DEFAULT));
    SAY(H5Otoken_cmp(file, &other.token, &info.token, &cmp));
    printf("  another: %d\n", cmp != 0);
    SAY(H5Otoken_cmp(file, NULL, &info.token, &cmp));
    printf("  none and one: %d\n", cmp);
    SAY(H5Otoken_cmp(file, &info.token, NULL, &cmp));
    printf("  one and none: %d\n", cmp);
    SAY(H5Otoken_cmp(file, NULL, NULL, &cmp));
    printf("  none: %d\n", cmp);
    SAY(H5Otoken_cmp(file, NULL, NULL, NULL));
    SAY(H5Otoken_to_str(file, &info.token, &text));
    H5O_token_t back;
    SAY(H5Otoken_from_str(file, text, &back));
    SAY(H5Otoken_cmp(file, &back, &info.token, &cmp));
    printf("  by its text: %d\n", cmp);
    H5free_memory(text);
    SAY(H5Otoken_from_str(file, NULL, &back));
    SAY(H5Otoken_to_str(file, NULL, &text));
    hid_t o = H5Oopen_by_token(file, info.token);
    SAY(H5Iget_type(o) == H5I_DATASET);
    SAY(H5Oget_native_info(o, &native, H5O_NATIVE_INFO_ALL));
    printf("  messages: %d\n", native.hdr.nmesgs > 0);
    SAY(H5Oget_native_info(o, &native, 0x8000));
    SAY(H5Oget_native_info(o, NULL, H5O_NATIVE_INFO_ALL));
    H5Oclose(o);
    SAY(H5Oopen_by_token(file, H5O_TOKEN_UNDEF));
    SAY(H5Oget_info3(file, &info, H5O_INFO_ALL));
    printf("  type %d, links %d, attributes %d\n", (int)info.type, (int)info.rc, (int)info.num_attrs);
    SAY(H5Oget_info3(file, NULL, H5O_INFO_ALL));
    SAY(H5Oget_info3(file, &info, 0x8000));
    SAY(H5Oget_info_by_idx3(file, "g", H5_INDEX_NAME, H5_ITER_INC, 0, &info, H5O_INFO_BASIC, H5P_DEFAULT));
    printf("  type %d\n", (int)info.type);
    SAY(H5Oget_info_by_idx3(file, "g", H5_INDEX_NAME, H5_ITER_INC, 90, &info, H5O_INFO_BASIC, H5P_DEFAULT));
    SAY(H5Oget_info_by_name3(file, "nothing", &info, H5O_INFO_BASIC, H5P_DEFAULT));
    SAY(H5Oget_native_info_by_name(file, "g/z", &native, H5O_NATIVE_INFO_HDR, H5P_DEFAULT));
    SAY(H5Oget_native_info_by_idx(file, "g", H5_INDEX_NAME, H5_ITER_INC, 0, &native, H5O_NATIVE_INFO_HDR, H5P_DEFAULT));
    SAY(H5Lget_info_by_idx2(file, "g", H5_INDEX_CRT_ORDER, H5_ITER_INC, 2, &link, H5P_DEFAULT));
    printf("  type %d\n", (int)link.type);
    SAY(H5Lget_info2(file, "nothing", &link, H5P_DEFAULT));
    SAY(H5Lget_info2(file, "", &link, H5P_DEFAULT));
}

int main(void)
{
    begin();
    hid_t file = H5Fcreate("objects.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    make(file);
    walks(file);
    tokens(file);
    SAY(H5Fclose(file));
    return 0;
}
