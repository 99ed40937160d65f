#include "container/space.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "container/setup.h"
#include "file/alloc.h"
#include "file/change.h"
#include "format/free_space.h"
#include "meta/block.h"
#include "object/ohdr.h"

/* Of the twelve managers: metadata, raw data, and large pieces. */
enum { MANAGER_META = 0, MANAGER_RAW = 2, MANAGER_GHEAP = 3, MANAGER_LARGE = TS_FSPACE_MANAGERS / 2 };
/* Types of sections in files in pages. */
enum { SECTION_SIMPLE, SECTION_SMALL, SECTION_LARGE };

const struct ts_file_space ts_container_space_default = {
    .version = 1, .strategy = H5F_FSPACE_STRATEGY_FSM_AGGR, .threshold = 1, .page_size = 4096};

static struct ts_extension *extension(struct ts_file *f)
{
    return ts_file_client(f, TS_CLIENT_EXTENSION);
}

static enum ts_free_kind kind_of(unsigned manager)
{
    if (manager >= MANAGER_LARGE)
        return TS_FREE_LARGE;
    return manager == MANAGER_RAW || manager == MANAGER_GHEAP ? TS_FREE_RAW : TS_FREE_META;
}

int ts_free_manager_read(struct ts_file *f, haddr_t addr, struct ts_free_space *out)
{
    unsigned addr_size = ts_file_addr_size(f), len_size = ts_file_len_size(f);
    size_t size = ts_free_space_size(addr_size, len_size);
    uint8_t *buf;
    if (ts_meta_read_block(f, addr, size, &buf) < 0)
        return -1;
    int status = ts_free_space_decode(buf, size, addr_size, len_size, out);
    ts_free(buf);
    return status;
}

int ts_free_manager_sections(struct ts_file *f, haddr_t addr, struct ts_free_section **out, size_t *n)
{
    struct ts_free_space manager;
    uint8_t *buf;
    *out = NULL;
    *n = 0;
    if (ts_free_manager_read(f, addr, &manager) < 0)
        return -1;
    if (manager.list == HADDR_UNDEF || manager.serialized == 0)
        return 0;
    if (ts_meta_read_block(f, manager.list, manager.list_used, &buf) < 0)
        return -1;
    int status = ts_free_sections_decode(buf, (size_t)manager.list_used, ts_file_addr_size(f), &manager, addr, out);
    ts_free(buf);
    *n = status == 0 ? (size_t)manager.serialized : 0;
    return status;
}

/* A list that cannot be read (stock writes such with sizes of 4 bytes) costs the space in it, not the file. */
static void load_manager(struct ts_file *f, unsigned which, haddr_t addr)
{
    struct ts_free_section *sections;
    size_t n;
    unsigned mark = ts_err_mark();
    if (ts_free_manager_sections(f, addr, &sections, &n) < 0) {
        ts_err_rewind(mark);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct ts_free_piece piece = {.addr = sections[i].addr, .size = sections[i].size, .kind = kind_of(which)};
        ts_alloc_give(f, &piece);
    }
    ts_free(sections);
}

static void free_manager(struct ts_file *f, haddr_t addr)
{
    struct ts_free_space manager;
    unsigned mark = ts_err_mark();
    if (ts_free_manager_read(f, addr, &manager) == 0)
        ts_file_free(f, H5FD_MEM_SUPER, manager.list, manager.list_allocated);
    ts_err_rewind(mark);
    ts_file_free(f, H5FD_MEM_SUPER, addr, ts_free_space_size(ts_file_addr_size(f), ts_file_len_size(f)));
}

static int put_space(struct ts_file *f, struct ts_ohdr *oh)
{
    struct ts_wr body = {0};
    int status = ts_file_space_encode(&extension(f)->space, ts_file_addr_size(f), ts_file_len_size(f), &body);
    if (status == 0)
        status = ts_ohdr_put(oh, TS_MSG_FILE_SPACE, TS_FILE_SPACE_MSG_FLAGS, body.data, body.size);
    ts_wr_free(&body);
    return status;
}

/* The end that the file had before its managers counts, too: stock libhdf5 goes back to it, managers or not. */
static bool has_managers(const struct ts_file_space *space)
{
    if (space->persist && space->end_before_managers != HADDR_UNDEF)
        return true;
    for (int i = 0; space->persist && i < TS_FSPACE_MANAGERS; i++)
        if (space->managers[i] != HADDR_UNDEF)
            return true;
    return false;
}

static int forget_managers(struct ts_file *f, struct ts_ohdr *oh)
{
    struct ts_file_space *space = &extension(f)->space;
    if (!has_managers(space))
        return 0;
    if (ts_undo_bytes(f, space, sizeof *space) < 0)
        return -1;
    for (int i = 0; i < TS_FSPACE_MANAGERS; i++) {
        if (space->managers[i] != HADDR_UNDEF)
            free_manager(f, space->managers[i]);
        space->managers[i] = HADDR_UNDEF;
    }
    space->end_before_managers = HADDR_UNDEF;
    return put_space(f, oh);
}

/* Its blocks are written by the same commit, see commit.c. */
static int forget_image(struct ts_file *f, struct ts_ohdr *oh)
{
    struct ts_cache_image *image = &extension(f)->image;
    if (image->addr == HADDR_UNDEF)
        return 0;
    if (ts_undo_bytes(f, image, sizeof *image) < 0)
        return -1;
    ts_file_free(f, H5FD_MEM_SUPER, image->addr, image->size);
    image->addr = HADDR_UNDEF;
    return ts_ohdr_remove_all(oh, TS_MSG_CACHE_IMAGE) < 0 ? -1 : 0;
}

/* An extension that says nothing goes. */
static int drop_space_message(struct ts_file *f)
{
    struct ts_ohdr *oh;
    if (ts_ohdr_open(f, f->sb.extension, &oh) < 0)
        return -1;
    int status = forget_managers(f, oh);
    if (status == 0 && ts_ohdr_remove_all(oh, TS_MSG_FILE_SPACE) < 0)
        status = -1;
    if (status == 0 && oh->n_msgs == 0 && ts_undo_bytes(f, &f->sb.extension, sizeof f->sb.extension) < 0)
        status = -1;
    if (status == 0 && oh->n_msgs == 0) {
        f->sb.extension = HADDR_UNDEF;
        ts_ohdr_destroy(oh);
    }
    ts_ohdr_close(oh);
    return status;
}

int ts_container_downgrade(struct ts_file *f)
{
    struct ts_file_space *space = &extension(f)->space;
    bool special = space->persist || space->strategy != H5F_FSPACE_STRATEGY_FSM_AGGR || space->threshold != 1;
    if (f->sb.version < 3 && !special)
        return 0;
    if (ts_change_begin(f) < 0)
        return -1;
    int status = ts_undo_bytes(f, &f->sb, sizeof f->sb) < 0 ? -1 : ts_undo_bytes(f, space, sizeof *space);
    if (status == 0) {
        f->sb.version = f->sb.version > 2 ? 2 : f->sb.version;
        f->sb.flags = 0;
    }
    if (status == 0 && special && f->sb.extension != HADDR_UNDEF)
        status = drop_space_message(f);
    if (status == 0 && special)
        *space = ts_container_space_default;
    return ts_change_end(f, status);
}

static int first_change(struct ts_file *f)
{
    struct ts_ohdr *oh;
    if (f->sb.extension == HADDR_UNDEF)
        return 0;
    if (ts_ohdr_open(f, f->sb.extension, &oh) < 0)
        return -1;
    int status = forget_managers(f, oh);
    if (status == 0)
        status = forget_image(f, oh);
    ts_ohdr_close(oh);
    return status;
}

/* The sections of one manager, in ascending order of size. */
static int by_size(const void *a, const void *b)
{
    const struct ts_free_section *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

struct manager {
    struct ts_free_space header;
    struct ts_free_section *list;
    haddr_t addr;
};

static unsigned manager_of(bool pages, enum ts_free_kind kind)
{
    if (!pages || kind == TS_FREE_META)
        return MANAGER_META;
    return kind == TS_FREE_RAW ? MANAGER_RAW : MANAGER_LARGE;
}

/* The percentages are those of stock libhdf5: they say when it makes a list smaller or larger. */
static const struct ts_free_space empty = {
    .client = 1, .classes = 3, .shrink_percent = 80, .expand_percent = 120, .list = HADDR_UNDEF};

/* What is free now, shared out to the managers. */
static int collect(struct ts_file *f, struct manager *m)
{
    bool pages = extension(f)->space.strategy == H5F_FSPACE_STRATEGY_PAGE;
    unsigned len_size = ts_file_len_size(f);
    uint64_t most = len_size < 8 ? (UINT64_C(1) << 8 * len_size) - 1 : INT64_MAX;
    struct ts_free_piece *all;
    size_t n;
    if (ts_alloc_list(f, &all, &n) < 0)
        return -1;
    int status = 0;
    for (unsigned k = 0; k < TS_FSPACE_MANAGERS && status == 0; k++) {
        ts_free(m[k].list);
        m[k].header = empty;
        m[k].header.addr_bits = 8 * ts_file_addr_size(f);
        m[k].header.max_section = most;
        m[k].list = ts_malloc((n + 1) * sizeof *m[k].list);
        status = m[k].list ? 0 : -1;
    }
    for (size_t i = 0; i < n && status == 0; i++) {
        struct manager *to = &m[manager_of(pages, all[i].kind)];
        unsigned type = !pages ? SECTION_SIMPLE : all[i].kind == TS_FREE_LARGE ? SECTION_LARGE : SECTION_SMALL;
        to->list[to->header.serialized++] =
            (struct ts_free_section){.addr = all[i].addr, .size = all[i].size, .type = type};
        to->header.bytes += all[i].size;
    }
    ts_free(all);
    for (unsigned k = 0; k < TS_FSPACE_MANAGERS && status == 0; k++) {
        struct ts_free_space *h = &m[k].header;
        h->sections = h->serialized;
        qsort(m[k].list, (size_t)h->serialized, sizeof *m[k].list, by_size);
        h->list_used = ts_free_sections_size(m[k].list, ts_file_addr_size(f), h);
    }
    return status;
}

static int write_manager(struct ts_file *f, struct manager *m)
{
    unsigned addr_size = ts_file_addr_size(f), len_size = ts_file_len_size(f);
    struct ts_wr head = {0}, list = {0};
    int status = ts_free_space_encode(&m->header, addr_size, len_size, &head);
    if (status == 0)
        status = ts_free_sections_encode(m->list, addr_size, &m->header, m->addr, &list);
    if (status == 0)
        status = ts_file_write(f, m->header.list, list.size, list.data);
    if (status == 0)
        status = ts_file_write(f, m->addr, head.size, head.data);
    ts_wr_free(&head);
    ts_wr_free(&list);
    return status;
}

/* Stock libhdf5 wants a list to fill its room. Giving the managers their own space may split a section or use one up,
 * so the size is found by trying; a manager whose list never fits is not kept, which costs the space in it. */
enum { TRIES = 16 };

struct room {
    haddr_t list;
    uint64_t size; /* 0: none */
    unsigned tries;
};

static int take_room(struct ts_file *f, struct manager *m, struct room *room)
{
    size_t head = ts_free_space_size(ts_file_addr_size(f), ts_file_len_size(f));
    for (unsigned k = 0; k < TS_FSPACE_MANAGERS; k++)
        if (room[k].size > 0 && (ts_file_alloc(f, H5FD_MEM_SUPER, head, &m[k].addr) < 0 ||
                                 ts_file_alloc(f, H5FD_MEM_SUPER, room[k].size, &room[k].list) < 0))
            return -1;
    return collect(f, m);
}

static uint64_t wanted_room(const struct manager *m, const struct room *room)
{
    return m->header.serialized == 0 || room->tries >= TRIES ? 0 : m->header.list_used;
}

/* True if there was a list that does not fill its room. The next try is with the room that it wants. */
static bool find_misfits(const struct manager *m, struct room *room)
{
    bool any = false;
    for (unsigned k = 0; k < TS_FSPACE_MANAGERS; k++) {
        uint64_t wanted = wanted_room(&m[k], &room[k]);
        if (room[k].size == wanted)
            continue;
        room[k].tries++;
        room[k].size = wanted_room(&m[k], &room[k]);
        any = true;
    }
    return any;
}

/* Space for the managers is taken first, then what is still free is theirs to say. The space of one that does not fit
 * goes back at once, by undoing all, to be counted with the rest. */
static int place_managers(struct ts_file *f, struct manager *m, struct room *room)
{
    if (collect(f, m) < 0)
        return -1;
    find_misfits(m, room);
    for (;;) {
        if (ts_change_begin(f) < 0)
            return -1;
        int status = take_room(f, m, room);
        bool again = status == 0 && find_misfits(m, room);
        if (ts_change_end(f, again ? -1 : status) == 0)
            return 0;
        if (!again)
            return -1;
    }
}

static int write_managers(struct ts_file *f, struct manager *m)
{
    struct ts_file_space *space = &extension(f)->space;
    struct room room[TS_FSPACE_MANAGERS] = {{0, 0, 0}};
    if (ts_undo_bytes(f, space, sizeof *space) < 0 || place_managers(f, m, room) < 0)
        return -1;
    for (unsigned k = 0; k < TS_FSPACE_MANAGERS; k++) {
        if (room[k].size == 0)
            continue;
        m[k].header.list = room[k].list;
        m[k].header.list_allocated = room[k].size;
        if (write_manager(f, &m[k]) < 0)
            return -1;
        space->managers[k] = m[k].addr;
    }
    /* Stock libhdf5 cuts the file off here, and 2.x does not take files without the number. The managers may lie
     * anywhere in the file and are given back one by one, so that nothing is to be cut off. */
    space->end_before_managers = f->end;
    return 0;
}

static int save_managers(struct ts_file *f, struct ts_ohdr *oh)
{
    struct manager m[TS_FSPACE_MANAGERS];
    memset(m, 0, sizeof m);
    int status = write_managers(f, m);
    for (unsigned k = 0; k < TS_FSPACE_MANAGERS; k++)
        ts_free(m[k].list);
    return status < 0 ? -1 : put_space(f, oh);
}

int ts_container_space_put_driver(struct ts_file *f, struct ts_ohdr *oh)
{
    TS_IN_CHANGE(f);
    const struct ts_driver_writing *w = f->driver->cls->writing;
    struct ts_driver_msg msg = {.name = ""};
    struct ts_wr info = {0}, body = {0};
    if (!w->info)
        return 0;
    int status = w->info(f->driver, msg.name, &info);
    msg.info = info.data;
    msg.size = info.size;
    if (status == 0)
        status = ts_driver_msg_encode(&msg, &body);
    const struct ts_ohdr_msg *old = ts_ohdr_find(oh, TS_MSG_DRIVER_INFO);
    bool same = status == 0 && old && old->size == body.size && memcmp(old->body, body.data, body.size) == 0;
    if (status == 0 && !same)
        status = ts_ohdr_put(oh, TS_MSG_DRIVER_INFO, 0, body.data, body.size);
    ts_wr_free(&info);
    ts_wr_free(&body);
    return status;
}

static int put_all(struct ts_file *f, bool managers)
{
    struct ts_ohdr *oh;
    if (ts_ohdr_open(f, f->sb.extension, &oh) < 0)
        return -1;
    int status = ts_container_space_put_driver(f, oh);
    if (status == 0 && managers)
        status = save_managers(f, oh);
    ts_ohdr_close(oh);
    return status;
}

/* Managers are saved when the file is closed, unless nothing has changed and the old ones are right. */
static int finish_locked(struct ts_file *f)
{
    bool save = f->commits.closing && extension(f)->space.persist && !ts_change_awaited(f);
    if (f->sb.extension == HADDR_UNDEF || (!save && !f->driver->cls->writing->info))
        return 0;
    if (ts_change_begin(f) < 0 || ts_change_end(f, put_all(f, save)) < 0)
        return -1;
    /* Any change from here on makes them wrong again. */
    if (save)
        ts_change_await(f);
    return 0;
}

static int finish(struct ts_file *f)
{
    ts_file_lock(f);
    int status = finish_locked(f);
    ts_file_unlock(f);
    return status;
}

void ts_container_space_set(struct ts_file *f, const struct ts_file_space *space)
{
    extension(f)->space = *space;
}

void ts_container_space_watch(struct ts_file *f)
{
    if (f->sb.extension != HADDR_UNDEF && (extension(f)->space.persist || f->driver->cls->writing->info))
        extension(f)->in_flushes = true;
}

static bool unfinished(struct ts_file *f)
{
    return extension(f)->in_flushes;
}

static void drop(struct ts_file *f, void *state)
{
    (void)f;
    ts_free(state);
}

static const struct ts_client_ops client = {
    .unfinished = unfinished, .finish = finish, .first_change = first_change, .drop = drop};

void ts_container_space_attach(struct ts_file *f, struct ts_extension *ext)
{
    ts_file_attach(f, TS_CLIENT_EXTENSION, &client, ext);
}

int ts_container_space_load(struct ts_file *f)
{
    struct ts_extension *ext = extension(f);
    if (ts_alloc_strategy(f, &ext->space) < 0)
        return -1;
    for (unsigned i = 0; ext->space.persist && i < TS_FSPACE_MANAGERS; i++)
        if (ext->space.managers[i] != HADDR_UNDEF)
            load_manager(f, i, ext->space.managers[i]);
    if (has_managers(&ext->space) || ext->image.addr != HADDR_UNDEF)
        ts_change_await(f);
    ts_container_space_watch(f);
    return 0;
}
