#include "group/edit.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "file/change.h"
#include "group/dense.h"
#include "group/link_class.h"
#include "group/open.h"
#include "group/symtab.h"
#include "id/id.h"
#include "object/swmr.h"
#include "plist/lapl.h"

void ts_spot_deinit(struct ts_spot *spot)
{
    ts_place_deinit(&spot->group);
    ts_free(spot->missing);
    ts_free(spot->own);
    spot->missing = spot->own = NULL;
    spot->name = NULL;
}

/* The last component; what comes before it is the path of the group. Negative when the path names no link. */
static int split(const char *path, size_t *group_len, size_t *at, size_t *len)
{
    size_t end = strlen(path);
    while (end > 0 && path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    *at = begin;
    *len = end - begin;
    *group_len = begin;
    if (*len == 0 || (*len == 1 && path[begin] == '.'))
        return TS_ERR(LINK, BADVALUE, "'%s' names no link", path);
    return 0;
}

static int walk(struct ts_place *start, const char *path, size_t len, unsigned flags, struct ts_plist *lapl,
                struct ts_spot *out)
{
    struct ts_target target;
    /* Most names are in the group at hand. */
    if (len == 0) {
        out->group = *start;
        *start = (struct ts_place){.path = NULL};
        return 0;
    }
    char *group = ts_strndup(path, len);
    int found = group ? ts_path_walk(start, group, flags | TS_PATH_GROUP, lapl, &target) : -1;
    ts_free(group);
    if (found != 1)
        return -1;
    out->group = target.place;
    out->missing = target.missing;
    target.place = (struct ts_place){.path = NULL};
    target.missing = NULL;
    ts_target_deinit(&target);
    return 0;
}

static int find(struct ts_place *start, const char *path, unsigned flags, struct ts_plist *lapl, struct ts_spot *out)
{
    size_t group_len, at, len;
    *out = (struct ts_spot){.cset = H5T_CSET_ASCII};
    if (split(path, &group_len, &at, &len) < 0)
        return -1;
    out->own = path[at + len] ? ts_strndup(path + at, len) : NULL;
    out->name = path[at + len] ? out->own : path + at;
    if (out->name && walk(start, path, group_len, flags, lapl, out) == 0)
        return 0;
    ts_spot_deinit(out);
    return -1;
}

int ts_spot_find(struct ts_place *start, const char *path, struct ts_plist *lapl, struct ts_spot *out)
{
    return find(start, path, 0, lapl, out);
}

int ts_spot_find_new(struct ts_place *start, const char *path, struct ts_plist *lcpl, struct ts_plist *lapl,
                     struct ts_spot *out)
{
    unsigned make = 0;
    H5T_cset_t cset = H5T_CSET_ASCII;
    if (lcpl && lcpl != ts_plist_default(TS_PLIST_LINK_CREATE) &&
        (ts_lcpl_intermediate(lcpl, &make) < 0 || ts_strcpl_char_encoding(lcpl, &cset) < 0))
        return -1;
    if (find(start, path, make ? TS_PATH_MAKE : 0, lapl, out) < 0)
        return -1;
    out->cset = cset;
    return 0;
}

/* The next component of a path that has been walked so far, its length 0 at the end. */
static const char *next_component(const char *at, size_t *len)
{
    do {
        while (*at == '/')
            at++;
        *len = strcspn(at, "/");
        if (*len != 1 || *at != '.')
            return at;
        at++;
    } while (true);
}

/* Groups on the way to a new object keep their links as the group they are made in does. */
static int make_like(const struct ts_loc *parent, struct ts_link *link)
{
    struct ts_file *f = parent->fh->file;
    struct ts_plist *gcpl;
    if (ts_group_describe(parent, &gcpl) < 0)
        return -1;
    int status = ts_group_new(f, gcpl, 1, &link->addr);
    ts_plist_unref(gcpl);
    return status < 0 ? -1 : ts_group_insert(f, parent->addr, link);
}

/* One group on the way: 1 and *at is it, 0 when it is not there. Another thread may have made it by now. */
static int enter_group(struct ts_loc *at, char *name, bool make)
{
    struct ts_link link;
    int found = ts_group_lookup(at, name, &link);
    if (found == 1) {
        bool hard = link.type == H5L_TYPE_HARD;
        at->addr = link.addr;
        ts_link_deinit(&link);
        return hard ? 1 : TS_ERR_AS(LINK, EXISTS, "name already exists", "'%s'", name);
    }
    if (found < 0 || !make)
        return found;
    link = (struct ts_link){.type = H5L_TYPE_HARD, .name = name};
    if (make_like(at, &link) < 0)
        return -1;
    at->addr = link.addr;
    return 1;
}

/* The group of the link: 1 and *out, or 0 when it is not there and not to be made. Making is inside a change. */
static int group_of(const struct ts_spot *spot, bool make, struct ts_loc *out)
{
    *out = spot->group.loc;
    size_t len;
    int found = 1;
    for (const char *at = spot->missing; at && found == 1; at += len) {
        at = next_component(at, &len);
        if (len == 0)
            break;
        char *name = ts_strndup(at, len);
        found = name ? enter_group(out, name, make) : -1;
        ts_free(name);
    }
    return found;
}

/* ts_change_begin, and the group that the name is in. */
static int begin(const struct ts_spot *spot, struct ts_loc *group)
{
    struct ts_file *f = ts_spot_file(spot);
    if (ts_swmr_change_names(f, spot->group.loc.addr, "create a link") < 0)
        return -1;
    return group_of(spot, true, group) == 1 ? 0 : ts_change_end(f, -1);
}

int ts_spot_begin(const struct ts_spot *spot)
{
    struct ts_file *f = ts_spot_file(spot);
    struct ts_loc group;
    if (begin(spot, &group) < 0)
        return -1;
    return ts_group_vacant(f, group.addr, spot->name) == 0 ? 0 : ts_change_end(f, -1);
}

int ts_spot_vacant(const struct ts_spot *spot)
{
    struct ts_loc group;
    struct ts_link link;
    int found = group_of(spot, false, &group);
    if (found == 1)
        found = ts_group_lookup(&group, spot->name, &link);
    if (found == 1)
        ts_link_deinit(&link);
    return found < 0 ? -1 : !found;
}

static char *group_path(const struct ts_spot *spot, bool *ok)
{
    *ok = true;
    char *path = spot->group.path ? ts_strdup(spot->group.path) : NULL;
    if (spot->group.path && !path)
        *ok = false;
    size_t len;
    for (const char *at = spot->missing; at && path; at += len) {
        at = next_component(at, &len);
        if (len == 0)
            break;
        char *longer = ts_path_join(path, at, len, ok);
        ts_free(path);
        path = longer;
    }
    return path;
}

char *ts_spot_path(const struct ts_spot *spot, bool *ok)
{
    if (!spot->missing)
        return ts_path_join(spot->group.path, spot->name, strlen(spot->name), ok);
    char *group = group_path(spot, ok);
    char *path = *ok ? ts_path_join(group, spot->name, strlen(spot->name), ok) : NULL;
    ts_free(group);
    return path;
}

/* The name and the character set are the spot's. */
static struct ts_link named(const struct ts_spot *spot, const struct ts_link *link)
{
    struct ts_link own = *link;
    own.name = (char *)spot->name;
    own.cset = spot->cset;
    return own;
}

static int insert_in(const struct ts_spot *spot, const struct ts_loc *group, const struct ts_link *link)
{
    struct ts_link own = named(spot, link);
    return ts_group_insert(ts_spot_file(spot), group->addr, &own);
}

/* After ts_spot_begin, which saw that the name is new. */
static int insert(const struct ts_spot *spot, const struct ts_link *link)
{
    struct ts_link own = named(spot, link);
    struct ts_loc group;
    return group_of(spot, false, &group) < 0 ? -1 : ts_group_insert_new(ts_spot_file(spot), group.addr, &own);
}

int ts_spot_link(const struct ts_spot *spot, haddr_t addr)
{
    struct ts_link link = {.type = H5L_TYPE_HARD, .addr = addr};
    return insert(spot, &link);
}

int ts_group_make(const struct ts_spot *spot, struct ts_plist *gcpl, haddr_t *addr)
{
    struct ts_file *f = ts_spot_file(spot);
    struct ts_loc group;
    if (begin(spot, &group) < 0)
        return -1;
    struct ts_link link = {.type = H5L_TYPE_HARD};
    int status = ts_group_new(f, gcpl, 1, &link.addr);
    if (status == 0)
        status = insert_in(spot, &group, &link);
    *addr = link.addr;
    return ts_change_end(f, status);
}

int ts_link_hard(const struct ts_spot *spot, const struct ts_loc *object)
{
    struct ts_file *f = ts_spot_file(spot);
    if (object->fh->file != f)
        return TS_ERR(LINK, CANTINIT, "source and destination should be in the same file.");
    struct ts_link link = {.type = H5L_TYPE_HARD, .addr = object->addr};
    struct ts_loc group;
    if (begin(spot, &group) < 0)
        return -1;
    int status = insert_in(spot, &group, &link);
    if (status == 0)
        status = ts_object_link(f, object->addr, 1);
    return ts_change_end(f, status);
}

/* One that has a value. */
static int link_value(const struct ts_spot *spot, H5L_type_t type, const void *value, size_t size)
{
    struct ts_link link = {.type = type, .addr = HADDR_UNDEF, .value = (char *)value, .value_size = size};
    if (size > UINT16_MAX)
        return TS_ERR(LINK, CANTINIT, "a link's value of %zu bytes, more than %d", size, UINT16_MAX);
    struct ts_loc group;
    if (begin(spot, &group) < 0)
        return -1;
    return ts_change_end(ts_spot_file(spot), insert_in(spot, &group, &link));
}

static char *without_slashes(const char *path)
{
    char *copy = ts_malloc(strlen(path) + 1);
    size_t n = 0;
    if (!copy)
        return NULL;
    for (const char *p = path; *p; p++)
        if (*p != '/' || n == 0 || copy[n - 1] != '/')
            copy[n++] = *p;
    if (n > 1 && copy[n - 1] == '/')
        n--;
    copy[n] = '\0';
    return copy;
}

int ts_link_soft(const struct ts_spot *spot, const char *value)
{
    size_t len = strlen(value);
    if (!strstr(value, "//") && (len < 2 || value[len - 1] != '/'))
        return link_value(spot, H5L_TYPE_SOFT, value, len);
    char *own = without_slashes(value);
    if (!own)
        return -1;
    int status = link_value(spot, H5L_TYPE_SOFT, own, strlen(own));
    ts_free(own);
    return status;
}

/* Lets f run with the id of a handle's file or of a group, which is taken back. */
static int with_id(hid_t id, const struct ts_link *link, int (*run)(hid_t id, const struct ts_link *link, void *ctx),
                   void *ctx)
{
    if (id < 0)
        return -1;
    TS_MAY_CALL_OUT();
    int status = run(id, link, ctx);
    ts_id_take_back(id);
    return status < 0 ? TS_ERR(LINK, CALLBACK, "the callback of link '%s' failed", link->name) : 0;
}

/* The group of a link that was made. */
static hid_t group_id(const struct ts_spot *spot)
{
    struct ts_object *obj;
    struct ts_loc group;
    bool ok;
    char *path = group_path(spot, &ok);
    int status = ok && group_of(spot, false, &group) == 1 ? ts_group_open(&group, path, &obj) : -1;
    ts_free(path);
    if (status < 0)
        return -1;
    hid_t id = ts_id_register(H5I_GROUP, obj);
    if (id < 0)
        ts_object_unref(obj);
    return id;
}

static hid_t file_id(struct ts_fhandle *fh)
{
    ts_fhandle_ref(fh);
    hid_t id = ts_id_register(H5I_FILE, fh);
    if (id < 0)
        ts_fhandle_unref(fh);
    return id;
}

static const void *data_of(const struct ts_link *link)
{
    return link->value_size ? link->value : NULL;
}

static int run_create(hid_t id, const struct ts_link *link, void *ctx)
{
    const H5L_class_t *cls = ctx;
    /* As in libhdf5: never the list that the link was made with. */
    return cls->create_func(link->name, id, data_of(link), link->value_size, H5P_DEFAULT);
}

static int run_move(hid_t id, const struct ts_link *link, void *ctx)
{
    const H5L_class_t *cls = ctx;
    return cls->move_func(link->name, id, data_of(link), link->value_size);
}

static int run_copy(hid_t id, const struct ts_link *link, void *ctx)
{
    const H5L_class_t *cls = ctx;
    return cls->copy_func(link->name, id, data_of(link), link->value_size);
}

static int run_delete(hid_t id, const struct ts_link *link, void *ctx)
{
    const H5L_class_t *cls = ctx;
    return cls->del_func(link->name, id, data_of(link), link->value_size);
}

int ts_link_user(const struct ts_spot *spot, H5L_type_t type, const void *value, size_t size)
{
    struct ts_link_class cls;
    if (!ts_link_class_get(type, &cls))
        return TS_ERR_AS(LINK, NOTREGISTERED, "link class has not been registered with library",
                         "user-defined link class %d", (int)type);
    if (link_value(spot, type, value, size) < 0)
        return -1;
    if (cls.builtin || !cls.cls.create_func)
        return 0;
    struct ts_link link = {.name = (char *)spot->name, .type = type, .value = (char *)value, .value_size = size};
    return with_id(group_id(spot), &link, run_create, &cls.cls);
}

/* The class may be the application's own, or gone. */
int ts_link_external(const struct ts_spot *spot, const char *file, const char *path)
{
    struct ts_wr w = {0};
    char *own = without_slashes(path);
    if (!own)
        return -1;
    ts_wr_u8(&w, 0);
    ts_wr_bytes(&w, file, strlen(file) + 1);
    ts_wr_bytes(&w, own, strlen(own) + 1);
    int status = w.bad ? -1 : ts_link_user(spot, H5L_TYPE_EXTERNAL, w.data, w.size);
    ts_wr_free(&w);
    ts_free(own);
    return status;
}

int ts_link_tell_deletion(struct ts_fhandle *fh, const struct ts_link *link)
{
    struct ts_link_class cls;
    if (link->type < H5L_TYPE_UD_MIN)
        return 0;
    if (!ts_link_class_get(link->type, &cls))
        return TS_ERR(LINK, NOTREGISTERED, "link class %d of link '%s' is not registered", (int)link->type, link->name);
    return cls.builtin || !cls.cls.del_func ? 0 : with_id(file_id(fh), link, run_delete, &cls.cls);
}

/* Inside a change. */
static int remove_link(const struct ts_spot *spot, bool drop_object)
{
    TS_IN_CHANGE(ts_spot_file(spot));
    struct ts_file *f = ts_spot_file(spot);
    struct ts_link link;
    if (ts_group_remove(f, spot->group.loc.addr, spot->name, &link) < 0)
        return -1;
    atomic_store(&f->mounts.renamed, true);
    int status = drop_object && link.type == H5L_TYPE_HARD ? ts_object_link(f, link.addr, -1) : 0;
    ts_link_deinit(&link);
    return status;
}

static int delete_as_change(const struct ts_spot *spot)
{
    struct ts_file *f = ts_spot_file(spot);
    if (ts_swmr_change_names(f, spot->group.loc.addr, "delete a link") < 0)
        return -1;
    return ts_change_end(f, remove_link(spot, true));
}

static int find_link(const struct ts_spot *spot, struct ts_link *out)
{
    int found = ts_group_lookup(&spot->group.loc, spot->name, out);
    if (found == 0) {
        TS_ERR(SYM, NOTFOUND, "object '%s' doesn't exist", spot->name);
        return ts_err_because(TS_WHY_ABSENT);
    }
    return found < 0 ? -1 : 0;
}

static int find_link_to_move(const struct ts_spot *spot, struct ts_link *out)
{
    int found = ts_group_lookup(&spot->group.loc, spot->name, out);
    if (found == 0)
        TS_ERR_AS(LINK, NOTFOUND, "name doesn't exist", "object '%s' doesn't exist", spot->name);
    return found > 0 ? 0 : -1;
}

int ts_spot_exists(const struct ts_spot *spot)
{
    struct ts_link link;
    if (find_link_to_move(spot, &link) < 0)
        return -1;
    ts_link_deinit(&link);
    return 0;
}

static int need_writable(const struct ts_file *f)
{
    return f->writable ? 0
                       : TS_ERR_AS(FILE, WRITEERROR, "no write intent on file", "%s is open for reading only", f->name);
}

/* A link that led to the object at addr a moment ago. */
static int delete_hard(const struct ts_spot *spot, haddr_t addr)
{
    struct ts_file *f = ts_spot_file(spot);
    struct ts_link now;
    if (ts_object_farewell(f, addr, 1) < 0)
        return -1;
    int status = find_link(spot, &now);
    bool same = status == 0 && now.type == H5L_TYPE_HARD && now.addr == addr;
    if (status == 0)
        ts_link_deinit(&now);
    if (same)
        status = delete_as_change(spot);
    ts_file_unlock(f);
    /* Another thread has put something else there. */
    return status == 0 && !same ? ts_link_delete(spot) : status;
}

int ts_link_delete(const struct ts_spot *spot)
{
    struct ts_link link;
    if (need_writable(ts_spot_file(spot)) < 0 || ts_swmr_check_names(ts_spot_file(spot), "delete a link") < 0 ||
        find_link(spot, &link) < 0)
        return -1;
    int status = ts_link_tell_deletion(spot->group.loc.fh, &link);
    bool hard = link.type == H5L_TYPE_HARD;
    ts_link_deinit(&link);
    if (status < 0)
        return -1;
    return hard ? delete_hard(spot, link.addr) : delete_as_change(spot);
}

/* Inside a change. */
static int transfer_link(const struct ts_spot *from, const struct ts_spot *to, const struct ts_link *link,
                         enum ts_link_transfer how)
{
    TS_IN_CHANGE(ts_spot_file(to));
    struct ts_file *f = ts_spot_file(to);
    if (how == TS_LINK_COPY && link->type == H5L_TYPE_HARD && ts_object_link(f, link->addr, 1) < 0)
        return -1;
    if (insert(to, link) < 0)
        return -1;
    return how == TS_LINK_MOVE ? remove_link(from, false) : 0;
}

/* Within one file a link goes to its new name whole or not at all. */
static int transfer_at_once(const struct ts_spot *from, const struct ts_spot *to, enum ts_link_transfer how)
{
    struct ts_link link;
    if (ts_spot_begin(to) < 0)
        return -1;
    /* Again, now that nobody can change it. */
    int status = find_link(from, &link);
    if (status == 0) {
        status = transfer_link(from, to, &link, how);
        ts_link_deinit(&link);
    }
    return ts_change_end(ts_spot_file(to), status);
}

static int tell_transfer(const struct ts_spot *to, const struct ts_link *link, enum ts_link_transfer how)
{
    struct ts_link_class cls;
    struct ts_link there = *link;
    there.name = (char *)to->name;
    if (link->type < H5L_TYPE_UD_MIN || !ts_link_class_get(link->type, &cls) || cls.builtin)
        return 0;
    if (how == TS_LINK_MOVE)
        return cls.cls.move_func ? with_id(group_id(to), &there, run_move, &cls.cls) : 0;
    return cls.cls.copy_func ? with_id(group_id(to), &there, run_copy, &cls.cls) : 0;
}

/* In steps, for the class is told in between, or because there are two files. */
static int transfer_in_steps(const struct ts_spot *from, const struct ts_spot *to, const struct ts_link *link,
                             enum ts_link_transfer how)
{
    if (how == TS_LINK_MOVE && need_writable(ts_spot_file(from)) < 0)
        return -1;
    if (ts_spot_begin(to) < 0 || ts_change_end(ts_spot_file(to), insert(to, link)) < 0 ||
        tell_transfer(to, link, how) < 0)
        return -1;
    return how == TS_LINK_COPY ? 0 : ts_link_delete(from);
}

int ts_link_transfer(const struct ts_spot *from, const struct ts_spot *to, enum ts_link_transfer how)
{
    struct ts_link link;
    struct ts_link_class cls = {.builtin = true};
    bool same = ts_spot_file(from) == ts_spot_file(to);
    if (find_link_to_move(from, &link) < 0)
        return -1;
    int status;
    if (link.type == H5L_TYPE_HARD && !same)
        status = TS_ERR(LINK, CANTINIT, "moving a link across files is not allowed");
    else if (link.type >= H5L_TYPE_UD_MIN && !ts_link_class_get(link.type, &cls))
        status = TS_ERR(LINK, NOTREGISTERED, "link class %d of link '%s' is not registered", (int)link.type, link.name);
    else if (same && cls.builtin)
        status = transfer_at_once(from, to, how);
    else
        status = transfer_in_steps(from, to, &link, how);
    ts_link_deinit(&link);
    return status;
}

static int unlink_all(struct ts_file *f, const struct ts_link_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->links[i].type == H5L_TYPE_HARD && ts_object_link(f, list->links[i].addr, -1) < 0)
            return -1;
    return 0;
}

int ts_group_destroy(struct ts_file *f, const struct ts_ohdr *oh)
{
    TS_IN_CHANGE(f);
    struct ts_open_group g;
    struct ts_link_list list = {0};
    if (ts_open_group_read((struct ts_ohdr *)oh, &g) < 0)
        return -1;
    int status = ts_open_group_list(&g, H5_INDEX_NAME, &list);
    if (status == 0 && g.storage == H5G_STORAGE_TYPE_DENSE)
        status = ts_dense_delete(f, &g.info);
    else if (status == 0 && g.storage == H5G_STORAGE_TYPE_SYMBOL_TABLE)
        status = ts_symtab_delete(f, &g.table);
    if (status == 0)
        status = unlink_all(f, &list);
    ts_link_list_deinit(&list);
    return status;
}
