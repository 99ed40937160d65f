#include "container/info.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "container/setup.h"
#include "container/space.h"
#include "file/alloc.h"
#include "file/change.h"
#include "format/free_space.h"
#include "object/ohdr.h"
#include "object/sohm.h"
#include "object/storage.h"

static int add_free_space(struct ts_file *f, H5F_info2_t *out)
{
    const struct ts_file_space *space = &ts_container_extension(f)->space;
    for (unsigned i = 0; space->persist && i < TS_FSPACE_MANAGERS; i++) {
        struct ts_free_space manager;
        if (space->managers[i] == HADDR_UNDEF)
            continue;
        if (ts_free_manager_read(f, space->managers[i], &manager) < 0)
            return -1;
        out->free.tot_space += manager.bytes;
        out->free.meta_size += ts_free_space_size(ts_file_addr_size(f), ts_file_len_size(f)) + manager.list_allocated;
    }
    return 0;
}

/* In a file open for writing memory knows what is free, not the managers in the file. */
static int list_free(struct ts_file *f, struct ts_free_piece **out, size_t *n)
{
    ts_file_lock(f);
    int status = ts_alloc_list(f, out, n);
    ts_file_unlock(f);
    return status;
}

static int free_bytes_now(struct ts_file *f, uint64_t *out)
{
    struct ts_free_piece *list;
    size_t n;
    if (list_free(f, &list, &n) < 0)
        return -1;
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out += list[i].size;
    ts_free(list);
    return 0;
}

int ts_container_free_bytes(struct ts_file *f, uint64_t *out)
{
    if (f->writable)
        return free_bytes_now(f, out);
    H5F_info2_t info = {.free.tot_space = 0};
    if (add_free_space(f, &info) < 0)
        return -1;
    *out = info.free.tot_space;
    return 0;
}

struct section_list {
    H5F_sect_info_t *items;
    size_t n, capacity;
};

static int by_size(const void *a, const void *b)
{
    const H5F_sect_info_t *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int append(struct section_list *list, const struct ts_free_section *sections, size_t n)
{
    if (TS_GROW(list->items, list->capacity, list->n + n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        list->items[list->n + i] = (H5F_sect_info_t){.addr = sections[i].addr, .size = sections[i].size};
    if (n > 0)
        qsort(list->items + list->n, n, sizeof *list->items, by_size);
    list->n += n;
    return 0;
}

static int add_sections(struct ts_file *f, haddr_t addr, struct section_list *list)
{
    struct ts_free_section *sections;
    size_t n;
    if (ts_free_manager_sections(f, addr, &sections, &n) < 0)
        return -1;
    int status = append(list, sections, n);
    ts_free(sections);
    return status;
}

/* Metadata and raw data share what is free, but for the rest of pages that have begun. */
static bool serves(const struct ts_free_piece *piece, H5F_mem_t type)
{
    bool raw = type == H5FD_MEM_DRAW || type == H5FD_MEM_GHEAP;
    return type == H5FD_MEM_DEFAULT || piece->kind == TS_FREE_LARGE || (piece->kind == TS_FREE_RAW) == raw;
}

static int free_sections_now(struct ts_file *f, H5F_mem_t type, H5F_sect_info_t **out, size_t *n)
{
    struct ts_free_piece *list;
    size_t count;
    if (list_free(f, &list, &count) < 0)
        return -1;
    H5F_sect_info_t *sections = ts_malloc((count + 1) * sizeof *sections);
    *n = 0;
    for (size_t i = 0; sections && i < count; i++)
        if (serves(&list[i], type))
            sections[(*n)++] = (H5F_sect_info_t){.addr = list[i].addr, .size = list[i].size};
    ts_free(list);
    if (!sections)
        return -1;
    qsort(sections, *n, sizeof *sections, by_size);
    *out = sections;
    return 0;
}

int ts_container_free_sections(struct ts_file *f, H5F_mem_t type, H5F_sect_info_t **out, size_t *n)
{
    if (f->writable)
        return free_sections_now(f, type, out, n);
    const struct ts_file_space *space = &ts_container_extension(f)->space;
    struct section_list list = {.n = 0};
    for (unsigned i = 0; space->persist && i < TS_FSPACE_MANAGERS; i++) {
        /* Six kinds of memory, first of small sections, then of large ones. */
        unsigned kind = i % (TS_FSPACE_MANAGERS / 2) + 1;
        if (space->managers[i] == HADDR_UNDEF || (type != H5FD_MEM_DEFAULT && kind != (unsigned)type))
            continue;
        if (add_sections(f, space->managers[i], &list) < 0) {
            ts_free(list.items);
            return -1;
        }
    }
    *out = list.items;
    *n = list.n;
    return 0;
}

/* A list is as long as it may become, and counts before it has a place; a record is the longer of its two forms. */
static uint64_t list_size(const struct ts_sohm_index *index, unsigned addr_size)
{
    unsigned in_heap = 4 + 8, in_header = 4 + addr_size;
    return 4 + (uint64_t)index->list_max * (5 + (in_heap > in_header ? in_heap : in_header)) + 4;
}

static int add_shared_messages(struct ts_file *f, H5F_info2_t *out)
{
    const struct ts_sohm_table *table = ts_sohm_table(f);
    if (table->n == 0)
        return 0;
    out->sohm.hdr_size = ts_sohm_table_size(table->n, ts_file_addr_size(f));
    for (unsigned i = 0; i < table->n; i++) {
        const struct ts_sohm_index *index = &table->index[i];
        if (index->kind == TS_SOHM_LIST)
            out->sohm.msgs_info.index_size += list_size(index, ts_file_addr_size(f));
        else if (ts_storage_add_btree2(f, index->index, &out->sohm.msgs_info.index_size) < 0)
            return -1;
        if (ts_storage_add_fheap(f, index->heap, &out->sohm.msgs_info.heap_size) < 0)
            return -1;
    }
    return 0;
}

static int add_extension(struct ts_file *f, H5F_info2_t *out)
{
    struct ts_ohdr *oh;
    H5O_hdr_info_t header;
    if (f->sb.extension == HADDR_UNDEF)
        return 0;
    if (ts_ohdr_open(f, f->sb.extension, &oh) < 0)
        return -1;
    ts_ohdr_stats(oh, &header);
    ts_ohdr_close(oh);
    out->super.super_ext_size = header.space.total;
    return 0;
}

int ts_container_info(struct ts_file *f, H5F_info2_t *out)
{
    *out = (H5F_info2_t){.super.version = f->sb.version};
    out->super.super_size = ts_superblock_size(f->sb.version, f->sb.addr_size, f->sb.len_size);
    if (add_extension(f, out) < 0 || add_free_space(f, out) < 0 || add_shared_messages(f, out) < 0)
        return TS_ERR(FILE, CANTGET, "%s: cannot say what the file's own structures take", f->name);
    return 0;
}
