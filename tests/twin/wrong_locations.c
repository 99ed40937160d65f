/* Two wrong arguments at once: of these functions libhdf5 tells the location first. */
#include <unistd.h>

#include "wrong_arguments.h"

static void attributes(void)
{
    TRY(H5Aopen(closed, "", 0));
    TRY(H5Aopen_by_name(closed, "", "", 0, 0));
    TRY(H5Aopen_by_name(closed, "x", "", 0, 0));
    TRY(H5Aopen_by_idx(closed, "", 0, 0, 0, 0, 0));
    TRY(H5Aopen_name(closed, ""));
    TRY(H5Acreate1(closed, "", H5T_NATIVE_INT, space, 0));
    TRY(H5Acreate2(closed, "", H5T_NATIVE_INT, space, 0, 0));
    TRY(H5Acreate_by_name(closed, "", "", H5T_NATIVE_INT, space, 0, 0, 0));
    TRY(H5Acreate_by_name(closed, "", "x", H5T_NATIVE_INT, space, 0, 0, dxpl));
    TRY(H5Adelete(closed, ""));
    TRY(H5Adelete_by_name(closed, "", "", 0));
    TRY(H5Adelete_by_name(closed, "x", "x", dxpl));
    TRY(H5Adelete_by_idx(closed, "", 0, 0, 0, 0));
    TRY(H5Aexists(closed, ""));
    TRY(H5Aexists_by_name(closed, "", "x", 0));
    TRY(H5Aexists_by_name(closed, "x", "", 0));
    TRY(H5Aexists_by_name(closed, "x", "y", dxpl));
    TRY(H5Aget_info_by_name(closed, "", "x", buf, 0));
    TRY(H5Aget_info_by_name(closed, "x", "", buf, 0));
    TRY(H5Aget_info_by_name(closed, "x", "y", buf, dxpl));
    TRY(H5Aget_info_by_idx(closed, "", 0, 0, 0, buf, 0));
    TRY(H5Aget_info_by_idx(closed, "x", 0, 0, 0, buf, dxpl));
    TRY(H5Aget_name_by_idx(closed, "", 0, 0, 0, storage, 9, 0));
    TRY(H5Aget_name_by_idx(closed, "x", 0, 0, 0, storage, 9, dxpl));
    TRY(H5Aiterate_by_name(closed, "", 0, 0, 0, vp, 0, 0));
    TRY(H5Aiterate_by_name(closed, "x", 0, 0, 0, vp, 0, dxpl));
}

static void objects(void)
{
    TRY(H5Oopen(closed, "", 0));
    TRY(H5Oopen(closed, "x", dxpl));
    TRY(H5Oopen_by_idx(closed, "", 0, 0, 0, 0));
    TRY(H5Oopen_by_idx(closed, "x", 0, 0, 0, dxpl));
    TRY(H5Oget_info_by_name1(closed, "", buf, 0));
    TRY(H5Oget_info_by_name1(closed, "x", buf, dxpl));
    TRY(H5Oget_info_by_name2(closed, "", buf, 1, 0));
    TRY(H5Oget_info_by_idx1(closed, "", 0, 0, 0, buf, 0));
    TRY(H5Oget_info_by_idx1(closed, "x", 0, 0, 0, buf, dxpl));
    TRY(H5Oget_info_by_idx2(closed, "", 0, 0, 0, buf, 1, 0));
    TRY(H5Oexists_by_name(closed, "", 0));
    TRY(H5Oexists_by_name(closed, "x", dxpl));
    TRY(H5Oset_comment_by_name(closed, "", "x", 0));
    TRY(H5Oget_comment_by_name(closed, "", storage, 9, 0));
    TRY(H5Ovisit_by_name1(closed, "", 0, 0, vp, 0, 0));
    TRY(H5Ovisit_by_name2(closed, "", 0, 0, vp, 0, 1, 0));
    TRY(H5Ocopy(closed, "", closed, "x", 0, 0));
    TRY(H5Olink(closed, closed, "", 0, 0));
    TRY(H5Oget_info1(closed, 0));
    TRY(H5Oget_info2(closed, 0, 1));
    TRY(H5Oopen_by_addr(closed, HADDR_UNDEF));
}

static void groups(void)
{
    TRY(H5Gopen2(closed, "", 0));
    TRY(H5Gopen2(closed, "x", dxpl));
    TRY(H5Gopen1(closed, ""));
    TRY(H5Gcreate2(closed, "", 0, 0, 0));
    TRY(H5Gcreate1(closed, "", 0));
    TRY(H5Gget_info_by_name(closed, "", buf, 0));
    TRY(H5Gget_info_by_name(closed, "x", 0, 0));
    TRY(H5Gget_info_by_idx(closed, "", 0, 0, 0, buf, 0));
    TRY(H5Gget_objinfo(closed, "", 0, buf));
    TRY(H5Gget_linkval(closed, "", 9, storage));
    TRY(H5Gget_comment(closed, "", 9, storage));
    TRY(H5Gset_comment(closed, "", "x"));
    TRY(H5Gunlink(closed, ""));
}

static void links(void)
{
    TRY(H5Lexists(closed, "", 0));
    TRY(H5Lexists(closed, "x", dxpl));
    TRY(H5Lget_info(closed, "", buf, 0));
    TRY(H5Lget_info(closed, "x", buf, dxpl));
    TRY(H5Lget_val(closed, "", storage, 9, 0));
    TRY(H5Lget_info_by_idx(closed, "", 0, 0, 0, buf, 0));
    TRY(H5Lget_val_by_idx(closed, "", 0, 0, 0, storage, 9, 0));
    TRY(H5Lget_name_by_idx(closed, "", 0, 0, 0, storage, 9, 0));
    TRY(H5Ldelete(closed, "", 0));
    TRY(H5Ldelete_by_idx(closed, "", 0, 0, 0, 0));
    TRY(H5Lcreate_soft("x", closed, "", 0, 0));
    TRY(H5Lcreate_external("f", "x", closed, "", 0, 0));
    TRY(H5Lcreate_ud(closed, "", 200, "x", 1, 0, 0));
    TRY(H5Lcreate_hard(closed, "", closed, "y", 0, 0));
    TRY(H5Lcreate_hard(closed, "x", closed, "", 0, 0));
    TRY(H5Lmove(closed, "", closed, "x", 0, 0));
    TRY(H5Lcopy(closed, "x", closed, "", 0, 0));
    TRY(H5Literate_by_name(closed, "", 0, 0, 0, vp, 0, 0));
    TRY(H5Lvisit_by_name(closed, "", 0, 0, vp, 0, 0));
}

static void others(void)
{
    TRY(H5Dopen2(closed, "", 0));
    TRY(H5Topen2(closed, "", 0));
}

/* H5L_SAME_LOC is as good as the other location. */
static void same_location(void)
{
    hid_t other = H5Fcreate("wrong_locations.h5", H5F_ACC_TRUNC, 0, 0);
    TRY(H5Lcreate_hard(H5L_SAME_LOC, "group", file, "", 0, 0));
    TRY(H5Lcreate_hard(file, "", H5L_SAME_LOC, "x", 0, 0));
    TRY(H5Lmove(H5L_SAME_LOC, "", file, "x", 0, 0));
    TRY(H5Lcopy(H5L_SAME_LOC, "x", file, "", 0, 0));
    TRY(H5Lcreate_hard(file, "group", other, "x", 0, 0));
    TRY(H5Aiterate_by_name(file, "group", (H5_index_t)-2, 0, 0, vp, 0, 0));
    H5Fclose(other);
    unlink("wrong_locations.h5");
}

int main(void)
{
    open_all();
    vp = storage;
    attributes();
    objects();
    groups();
    links();
    others();
    same_location();
    close_all();
    return 0;
}
