/* H5O: opening objects, their comments and tokens. */
#include "H5Opublic.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/place.h"
#include "object/token.h"

#define ALL_ONES_8 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
const H5O_token_t H5O_TOKEN_UNDEF_g = {{ALL_ONES_8, ALL_ONES_8}};

hid_t H5Oopen(hid_t loc_id, const char *name, hid_t lapl_id)
{
    TS_API_ENTER(OHDR, CANTOPENOBJ, "unable to open object",
                 TS_SYNCHRONOUS(OHDR, CANTOPENOBJ, "unable to synchronously open object"));
    TS_API_AT(loc_id);
    struct ts_plist *lapl = ts_api_name_list(&ts_scope_, name, lapl_id, TS_PLIST_LINK_ACCESS);
    TS_AUTO_PLACE place = {.path = NULL};
    if (!lapl || ts_api_find(loc_id, name, lapl, &place) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_api_object_id_by(&place, lapl));
}

hid_t H5Oopen_by_idx(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t n,
                     hid_t lapl_id)
{
    TS_API_ENTER(OHDR, CANTOPENOBJ, "unable to open object", TS_WRONG(NAME, ARGS, BADVALUE, "no name specified"),
                 TS_CAUSE(SYM, NOTFOUND, SYM, NOTFOUND, "group doesn't exist"),
                 TS_SYNCHRONOUS(OHDR, CANTOPENOBJ, "unable to synchronously open object"));
    TS_API_AT(loc_id);
    struct ts_api_index at = {idx_type, order, n};
    struct ts_plist *lapl = ts_api_nth_list(&ts_scope_, group_name, &at, lapl_id);
    TS_AUTO_PLACE place = {.path = NULL};
    if (!lapl || ts_api_nth_object(loc_id, group_name, &at, lapl, &place) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_api_object_id_by(&place, lapl));
}

static hid_t open_at(hid_t loc_id, haddr_t addr)
{
    TS_AUTO_PLACE start = {.path = NULL};
    if (ts_place_from_id(loc_id, &start) < 0)
        return -1;
    if (addr == HADDR_UNDEF)
        return TS_ERR(ARGS, BADVALUE, "no address supplied");
    if (addr == 0)
        return TS_ERR(OHDR, BADVALUE, "no object is at address 0");
    struct ts_place place = {.loc = {start.loc.fh, addr}};
    return ts_api_object_id(&place);
}

hid_t H5Oopen_by_addr(hid_t loc_id, haddr_t addr)
{
    TS_API_ENTER(OHDR, CANTOPENOBJ, "unable to open object");
    TS_API_AT(loc_id);
    return TS_API_RET(open_at(loc_id, addr));
}

hid_t H5Oopen_by_token(hid_t loc_id, H5O_token_t token)
{
    TS_API_ENTER(OHDR, CANTOPENOBJ, "unable to open object", TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"));
    if (memcmp(&token, &H5O_TOKEN_UNDEF_g, sizeof token) == 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "can't open H5O_TOKEN_UNDEF");
    return TS_API_RET(open_at(loc_id, ts_token_to_addr(&token)));
}

static bool is_object_type(H5I_type_t type)
{
    return type == H5I_GROUP || type == H5I_DATASET || type == H5I_DATATYPE || type == H5I_MAP;
}

herr_t H5Oclose(hid_t object_id)
{
    TS_API_ENTER(OHDR, CANTRELEASE, "unable to close object",
                 TS_BAD_ID(ARGS, CANTRELEASE, "not a valid file object ID (dataset, group, or datatype)"));
    H5I_type_t type;
    void *obj = TS_API_OBJ_ANY(object_id, &type);
    if (!obj && ts_id_forget_broken(object_id)) {
        ts_err_clear();
        return 0;
    }
    if (!obj && is_object_type(ts_id_made_for(object_id)))
        return TS_API_ERR(-1, ARGS, BADVALUE, "not a valid object");
    if (!obj)
        return TS_API_FAIL(-1);
    if (!is_object_type(type))
        return TS_API_ERR(-1, ARGS, CANTRELEASE, "not a valid file object ID (dataset, group, or datatype)");
    if (ts_api_check_not_last(&ts_scope_, object_id) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_id_dec(object_id) < 0 ? -1 : 0);
}

/* A link that leads nowhere is no object; a path that breaks off is an error. */
static int object_exists(hid_t loc_id, const char *name, struct ts_plist *lapl)
{
    TS_AUTO_PLACE start = {.path = NULL};
    TS_AUTO_TARGET target = {.has_link = false};
    if (ts_api_check_name(name) < 0 || ts_place_from_id(loc_id, &start) < 0)
        return -1;
    return ts_path_walk(&start, name, TS_PATH_DANGLING, lapl, &target);
}

htri_t H5Oexists_by_name(hid_t loc_id, const char *name, hid_t lapl_id)
{
    TS_API_ENTER(OHDR, CANTGET, "unable to determine if '%s' exists", TS_WRONG(NAME, ARGS, BADVALUE, "no name"));
    TS_API_AT(loc_id);
    TS_API_ABOUT(name);
    struct ts_plist *lapl = ts_api_name_list(&ts_scope_, name, lapl_id, TS_PLIST_LINK_ACCESS);
    if (!lapl)
        return TS_API_FAIL(-1);
    return TS_API_RET(object_exists(loc_id, name, lapl));
}

ssize_t H5Oget_comment(hid_t obj_id, char *comment, size_t bufsize)
{
    TS_API_ENTER(OHDR, CANTGET, "can't get comment for object");
    TS_AUTO_PLACE place = {.path = NULL};
    if (ts_place_from_id(obj_id, &place) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_object_comment(&place.loc, comment, bufsize));
}

ssize_t H5Oget_comment_by_name(hid_t loc_id, const char *name, char *comment, size_t bufsize, hid_t lapl_id)
{
    TS_API_ENTER(OHDR, CANTGET, "can't get comment for object: '%s'", TS_WRONG(NAME, ARGS, BADVALUE, "no name"),
                 TS_CAUSE(SYM, NOTFOUND, SYM, NOTFOUND, "name doesn't exist"));
    TS_API_AT(loc_id);
    TS_API_ABOUT(name);
    struct ts_plist *lapl = ts_api_name_list(&ts_scope_, name, lapl_id, TS_PLIST_LINK_ACCESS);
    TS_AUTO_PLACE place = {.path = NULL};
    if (!lapl || ts_api_find(loc_id, name, lapl, &place) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_object_comment(&place.loc, comment, bufsize));
}

static int check_location(hid_t loc_id)
{
    TS_AUTO_PLACE place = {.path = NULL};
    return ts_place_from_id(loc_id, &place);
}

herr_t H5Otoken_cmp(hid_t loc_id, const H5O_token_t *token1, const H5O_token_t *token2, int *cmp_value)
{
    TS_API_ENTER(OHDR, CANTOPERATE, "can't operate on object", TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"));
    if (!cmp_value)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid cmp_value pointer");
    if (check_location(loc_id) < 0)
        return TS_API_FAIL(-1);
    if (!token1 || !token2) {
        *cmp_value = token1 ? 1 : token2 ? -1 : 0;
        return 0;
    }
    int order = memcmp(token1, token2, sizeof *token1);
    *cmp_value = order < 0 ? -1 : order > 0;
    return 0;
}

herr_t H5Otoken_to_str(hid_t loc_id, const H5O_token_t *token, char **token_str)
{
    TS_API_ENTER(OHDR, CANTOPERATE, "can't operate on object", TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"));
    if (!token || !token_str)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no token, or no place for its string");
    if (check_location(loc_id) < 0)
        return TS_API_FAIL(-1);
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, (uint64_t)ts_token_to_addr(token));
    /* The application gives it back with H5free_memory. */
    *token_str = strdup(text);
    return *token_str ? 0 : TS_API_ERR(-1, RESOURCE, NOSPACE, "no memory for a token's string");
}

herr_t H5Otoken_from_str(hid_t loc_id, const char *token_str, H5O_token_t *token)
{
    TS_API_ENTER(OHDR, CANTOPERATE, "can't operate on object", TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"));
    if (!token || !token_str)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no string, or no place for its token");
    if (check_location(loc_id) < 0)
        return TS_API_FAIL(-1);
    char *end;
    errno = 0;
    unsigned long long addr = strtoull(token_str, &end, 10);
    if (end == token_str || *end || errno)
        return TS_API_ERR(-1, ARGS, BADVALUE, "'%s' is no token", token_str);
    ts_token_from_addr(addr, token);
    return 0;
}
