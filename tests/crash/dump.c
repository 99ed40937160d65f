#define H5_USE_110_API 1
#include "dump.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload.h"

static void say(struct dump *d, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    size_t size = n < (int)sizeof line ? (size_t)n : sizeof line - 1;
    if (d->size + size + 1 > d->capacity) {
        d->capacity = 2 * (d->size + size + 1);
        d->text = realloc(d->text, d->capacity);
    }
    memcpy(d->text + d->size, line, size + 1);
    d->size += size;
}

static bool good(struct dump *d, bool ok, const char *what)
{
    if (ok)
        return true;
    d->errors++;
    say(d, "ERROR %s\n", what);
    return false;
}

#define GOOD(call) good(d, (call) >= 0, #call)

static void dump_attribute(struct dump *d, hid_t object, const char *name)
{
    hid_t a = H5Aopen(object, name, H5P_DEFAULT);
    if (!GOOD(a))
        return;
    hid_t t = H5Aget_type(a), space = H5Aget_space(a);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    say(d, "  A %s %lld", name, (long long)n);
    if (n > 0 && n <= 64 && H5Tget_class(t) == H5T_INTEGER) {
        int values[64];
        if (GOOD(H5Aread(a, H5T_NATIVE_INT, values)))
            for (hssize_t i = 0; i < n; i++)
                say(d, " %d", values[i]);
    } else if (n == 1) {
        char *text = NULL;
        hid_t memory = H5Tcopy(H5T_C_S1);
        H5Tset_size(memory, H5T_VARIABLE);
        if (GOOD(H5Aread(a, memory, &text)))
            say(d, " '%s'", text ? text : "");
        free(text);
        H5Tclose(memory);
    }
    say(d, "\n");
    H5Sclose(space);
    H5Tclose(t);
    H5Aclose(a);
}

static void dump_attributes(struct dump *d, hid_t object)
{
    H5O_info_t info;
    if (!GOOD(H5Oget_info1(object, &info)))
        return;
    for (hsize_t i = 0; i < info.num_attrs; i++) {
        char name[64];
        if (GOOD(H5Aget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT)))
            dump_attribute(d, object, name);
    }
}

static uint64_t *add_dataset(struct dump *d, struct dump_dataset ds)
{
    ds.first = d->n_cells;
    d->datasets = realloc(d->datasets, (d->n_datasets + 1) * sizeof *d->datasets);
    d->datasets[d->n_datasets++] = ds;
    d->cells = realloc(d->cells, (d->n_cells + ds.n + 1) * sizeof *d->cells);
    uint64_t *cells = d->cells + d->n_cells;
    memset(cells, 0xff, ds.n * sizeof *cells);
    d->n_cells += ds.n;
    return cells;
}

static bool is_in_place(hid_t list)
{
    H5D_layout_t layout = H5Pget_layout(list);
    return layout == H5D_CONTIGUOUS || (layout == H5D_CHUNKED && H5Pget_nfilters(list) == 0);
}

#ifdef H5D_SPARSE_CHUNK
static void mark(struct dump *d, hid_t space, char *marks)
{
    enum { RUNS = 64 };
    hsize_t offsets[RUNS];
    size_t runs = 0, elements, sizes[RUNS];
    hid_t it = H5Ssel_iter_create(space, 1, 0);
    if (!GOOD(it))
        return;
    do {
        if (!GOOD(H5Ssel_iter_get_seq_list(it, RUNS, SIZE_MAX, &runs, &elements, offsets, sizes)))
            break;
        for (size_t i = 0; i < runs; i++)
            memset(marks + offsets[i], 1, sizes[i]);
    } while (runs > 0);
    H5Ssel_iter_close(it);
}

/* The workload writes no fill values: an element is defined if it is none. */
static void check_defined(struct dump *d, hid_t ds, hid_t list, const uint64_t *cells, size_t n)
{
    hsize_t chunk[H5S_MAX_RANK];
    unsigned flags = 0;
    if (H5Pget_layout(list) != H5D_STRUCT_CHUNK || !GOOD(H5Pget_struct_chunk(list, H5S_MAX_RANK, chunk, &flags)) ||
        !(flags & H5D_SPARSE_CHUNK) || n == 0)
        return;
    hid_t defined = H5Dget_defined(ds, H5S_ALL, H5P_DEFAULT);
    if (!GOOD(defined))
        return;
    char *marks = calloc(n, 1);
    if (H5Sget_select_npoints(defined) > 0)
        mark(d, defined, marks);
    for (size_t i = 0; i < n; i++)
        if (!good(d, marks[i] == (cell_tick(cells[i]) > 0), "what is defined is not what has a value"))
            break;
    free(marks);
    H5Sclose(defined);
}
#else
static void check_defined(struct dump *d, hid_t ds, hid_t list, const uint64_t *cells, size_t n)
{
    (void)d, (void)ds, (void)list, (void)cells, (void)n;
}
#endif

static void dump_cells(struct dump *d, hid_t ds, hid_t list, size_t n, int rank, const hsize_t *dims)
{
    uint64_t fill = 0;
    GOOD(H5Pget_fill_value(list, H5T_NATIVE_UINT64, &fill));
    uint64_t *cells = add_dataset(d, (struct dump_dataset){.oid = (unsigned)(fill >> 12) & 0xfff,
                                                           .in_place = is_in_place(list),
                                                           .rank = rank,
                                                           .columns = rank == 2 ? dims[1] : 1,
                                                           .n = n});
    if (n > 0)
        GOOD(H5Dread(ds, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells));
    check_defined(d, ds, list, cells, n);
}

static uint64_t text_cell(const char *text, unsigned oid)
{
    char *end;
    if (!text || !*text)
        return cell(0, oid, 0);
    uint64_t value = strtoull(text, &end, 16);
    return *end == ' ' && strspn(end + 1, "x") == strlen(end + 1) ? value : UINT64_MAX;
}

static void dump_texts(struct dump *d, hid_t ds, hid_t list, hid_t space, size_t n)
{
    char **texts = calloc(n + 1, sizeof *texts), comment[16] = "0";
    hid_t memory = H5Tcopy(H5T_C_S1);
    H5Tset_size(memory, H5T_VARIABLE);
    H5Oget_comment(ds, comment, sizeof comment);
    say(d, "  comment %s\n", comment);
    unsigned oid = (unsigned)atoi(comment);
    uint64_t *cells = add_dataset(
        d, (struct dump_dataset){.oid = oid, .texts = true, .in_place = is_in_place(list), .rank = 1, .columns = 1, .n = n});
    if (GOOD(H5Dread(ds, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts))) {
        for (size_t i = 0; i < n; i++)
            cells[i] = text_cell(texts[i], oid);
        H5Dvlen_reclaim(memory, space, H5P_DEFAULT, texts);
        check_defined(d, ds, list, cells, n);
    }
    H5Tclose(memory);
    free(texts);
}

static void dump_dataset(struct dump *d, hid_t ds)
{
    enum { MOST = 100000 };
    hid_t space = H5Dget_space(ds), list = H5Dget_create_plist(ds), t = H5Dget_type(ds);
    hsize_t dims[H5S_MAX_RANK] = {0}, most[H5S_MAX_RANK] = {0};
    int rank = H5Sget_simple_extent_dims(space, dims, most);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    say(d, "  D layout %d filters %d type %d", (int)H5Pget_layout(list), H5Pget_nfilters(list), (int)H5Tget_class(t));
    for (int i = 0; i < rank; i++)
        say(d, " %llu/%lld", (unsigned long long)dims[i], (long long)most[i]);
    say(d, "\n");
    if (good(d, n >= 0 && n <= MOST && rank >= 0 && rank <= 2, "extent")) {
        if (H5Tget_class(t) == H5T_INTEGER)
            dump_cells(d, ds, list, (size_t)n, rank, dims);
        else
            dump_texts(d, ds, list, space, (size_t)n);
    }
    H5Tclose(t);
    H5Pclose(list);
    H5Sclose(space);
}

static void dump_type(struct dump *d, hid_t t)
{
    say(d, "  T size %zu", H5Tget_size(t));
    for (int i = 0; i < H5Tget_nmembers(t); i++) {
        char *name = H5Tget_member_name(t, (unsigned)i);
        say(d, " %s", name ? name : "?");
        H5free_memory(name);
    }
    say(d, "\n");
}

static void dump_object(struct dump *d, hid_t o, const char *path);

static void dump_value(struct dump *d, hid_t g, const char *name, const H5L_info_t *info)
{
    char value[128] = "";
    if (info->u.val_size > sizeof value || !GOOD(H5Lget_val(g, name, value, sizeof value, H5P_DEFAULT)))
        return;
    for (size_t i = 0; i < info->u.val_size; i++)
        say(d, "%c", value[i] >= ' ' && value[i] < 127 ? value[i] : '.');
    say(d, "\n");
}

static void dump_link(struct dump *d, hid_t g, const char *dir, const char *name)
{
    H5L_info_t info;
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (!GOOD(H5Lget_info(g, name, &info, H5P_DEFAULT)))
        return;
    say(d, "%s link %d ", path, (int)info.type);
    if (info.type != H5L_TYPE_HARD) {
        dump_value(d, g, name, &info);
        return;
    }
    for (size_t i = 0; i < d->n_seen; i++)
        if (d->seen[i].addr == info.u.address) {
            say(d, "is %s\n", d->seen[i].path);
            return;
        }
    hid_t o = H5Oopen(g, name, H5P_DEFAULT);
    if (!GOOD(o))
        return;
    d->seen = realloc(d->seen, (d->n_seen + 1) * sizeof *d->seen);
    d->seen[d->n_seen++] = (struct dump_seen){.addr = info.u.address, .path = strdup(path)};
    dump_object(d, o, path);
    H5Oclose(o);
}

static void dump_group(struct dump *d, hid_t g, const char *path)
{
    H5G_info_t info;
    if (!GOOD(H5Gget_info(g, &info)))
        return;
    say(d, "  G %llu links\n", (unsigned long long)info.nlinks);
    for (hsize_t i = 0; i < info.nlinks; i++) {
        char name[128];
        if (GOOD(H5Lget_name_by_idx(g, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT)))
            dump_link(d, g, path, name);
    }
}

static void dump_object(struct dump *d, hid_t o, const char *path)
{
    H5O_info_t info;
    if (!GOOD(H5Oget_info1(o, &info)))
        return;
    say(d, "references %u attributes %llu\n", info.rc, (unsigned long long)info.num_attrs);
    dump_attributes(d, o);
    if (info.type == H5O_TYPE_DATASET)
        dump_dataset(d, o);
    else if (info.type == H5O_TYPE_NAMED_DATATYPE)
        dump_type(d, o);
    else
        dump_group(d, o, path);
}

void dump_file(struct dump *d, hid_t file)
{
    memset(d, 0, sizeof *d);
    say(d, "/ ");
    hid_t root = H5Oopen(file, "/", H5P_DEFAULT);
    if (!GOOD(root))
        return;
    dump_object(d, root, "");
    H5Oclose(root);
}

void dump_free(struct dump *d)
{
    for (size_t i = 0; i < d->n_seen; i++)
        free(d->seen[i].path);
    free(d->seen);
    free(d->text);
    free(d->datasets);
    free(d->cells);
    memset(d, 0, sizeof *d);
}

static bool send_array(const void *items, size_t n, size_t size, FILE *out)
{
    return fwrite(&n, sizeof n, 1, out) == 1 && (n == 0 || fwrite(items, size, n, out) == n);
}

static void *receive_array(size_t *n, size_t size, FILE *in)
{
    if (fread(n, sizeof *n, 1, in) != 1)
        return NULL;
    void *items = malloc((*n + 1) * size);
    return items && (*n == 0 || fread(items, size, *n, in) == *n) ? items : NULL;
}

bool dump_send(const struct dump *d, FILE *out)
{
    return fwrite(&d->errors, sizeof d->errors, 1, out) == 1 && send_array(d->text, d->size, 1, out) &&
           send_array(d->datasets, d->n_datasets, sizeof *d->datasets, out) &&
           send_array(d->cells, d->n_cells, sizeof *d->cells, out);
}

bool dump_receive(struct dump *d, FILE *in)
{
    memset(d, 0, sizeof *d);
    if (fread(&d->errors, sizeof d->errors, 1, in) != 1 || !(d->text = receive_array(&d->size, 1, in)))
        return false;
    d->text[d->size] = 0;
    return (d->datasets = receive_array(&d->n_datasets, sizeof *d->datasets, in)) &&
           (d->cells = receive_array(&d->n_cells, sizeof *d->cells, in));
}
