/* ops FILE < SCRIPT: one operation a line, `name arguments key=value …`. Prints for each "ok" or "fail", before it what
 * it read; errors go to stderr. `end` of the script closes the file. */
#include "ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 40, IDS = 4000, LINE = 1 << 16 };

struct line {
    int n;
    char *word[WORDS];
};

static const char *file_name;
static hid_t file = -1;
static hid_t ids[IDS];
static int n_ids;
static hid_t held[IDS];
static int n_held;

hid_t own(hid_t id)
{
    if (id >= 0 && n_ids < IDS)
        ids[n_ids++] = id;
    return id;
}

int own_mark(void)
{
    return n_ids;
}

int disown_from(int mark)
{
    int status = 0;
    while (n_ids > mark)
        if (H5Idec_ref(ids[--n_ids]) < 0)
            status = -1;
    return status;
}

static const char *option(const struct line *l, const char *key)
{
    size_t n = strlen(key);
    for (int i = 1; i < l->n; i++)
        if (strncmp(l->word[i], key, n) == 0 && l->word[i][n] == '=')
            return l->word[i] + n + 1;
    return NULL;
}

static long number(const struct line *l, const char *key, long otherwise)
{
    const char *text = option(l, key);
    return text ? atol(text) : otherwise;
}

/* Numbers between commas; -1 is H5S_UNLIMITED too. */
static int numbers(const char *text, hsize_t *out, int max)
{
    int n = 0;
    for (; text && *text && n < max; n++) {
        char *end;
        out[n] = (hsize_t)strtoll(text, &end, 10);
        text = *end == ',' ? end + 1 : NULL;
    }
    return n;
}

static hid_t link_list(const struct line *l)
{
    hid_t lcpl = own(H5Pcreate(H5P_LINK_CREATE));
    if (number(l, "cset", 0))
        H5Pset_char_encoding(lcpl, H5T_CSET_UTF8);
    if (number(l, "between", 0))
        H5Pset_create_intermediate_group(lcpl, 1);
    return lcpl;
}

static void object_list(const struct line *l, hid_t list)
{
    hsize_t phase[2];
    if (option(l, "aorder"))
        H5Pset_attr_creation_order(list, (unsigned)number(l, "aorder", 0));
    if (numbers(option(l, "aphase"), phase, 2) == 2)
        H5Pset_attr_phase_change(list, (unsigned)phase[0], (unsigned)phase[1]);
}

static void group_list(const struct line *l, hid_t list)
{
    hsize_t phase[2];
    if (option(l, "order"))
        H5Pset_link_creation_order(list, (unsigned)number(l, "order", 0));
    if (numbers(option(l, "phase"), phase, 2) == 2)
        H5Pset_link_phase_change(list, (unsigned)phase[0], (unsigned)phase[1]);
}

static hid_t access_list(const struct line *l)
{
    static const struct {
        const char *name;
        H5F_libver_t version;
    } versions[] = {{"earliest", H5F_LIBVER_EARLIEST},  {"v18", H5F_LIBVER_V18},        {"v110", H5F_LIBVER_V110},
                  {"v112", (H5F_libver_t)3},          {"v114", (H5F_libver_t)4},      {"v200", (H5F_libver_t)5}};
    H5F_libver_t bounds[2] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V110};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
            if (l->n > side + 1 && strcmp(l->word[side + 1], versions[i].name) == 0)
                bounds[side] = versions[i].version;
    hid_t fapl = own(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_libver_bounds(fapl, bounds[0], bounds[1]);
    return fapl;
}

static int op_create(const struct line *l)
{
    hid_t fcpl = own(H5Pcreate(H5P_FILE_CREATE));
    hsize_t v[3];
    group_list(l, fcpl);
    object_list(l, fcpl);
    if (option(l, "userblock"))
        H5Pset_userblock(fcpl, (hsize_t)number(l, "userblock", 0));
    if (numbers(option(l, "strategy"), v, 3) == 3)
        H5Pset_file_space_strategy(fcpl, (H5F_fspace_strategy_t)v[0], v[1] != 0, v[2]);
    if (option(l, "page"))
        H5Pset_file_space_page_size(fcpl, (hsize_t)number(l, "page", 4096));
    if (option(l, "sizes"))
        H5Pset_sizes(fcpl, (size_t)number(l, "sizes", 8), (size_t)number(l, "sizes", 8));
    if (numbers(option(l, "shared"), v, 2) == 2) {
        H5Pset_shared_mesg_nindexes(fcpl, 1);
        H5Pset_shared_mesg_index(fcpl, 0, (unsigned)v[0], (unsigned)v[1]);
        H5Pset_shared_mesg_phase_change(fcpl, 6, 4);
    }
    file = H5Fcreate(file_name, H5F_ACC_TRUNC, fcpl, access_list(l));
    kinds_set_file(file);
    return file < 0 ? -1 : 0;
}

static int op_open(const struct line *l)
{
    file = H5Fopen(file_name, number(l, "readonly", 0) ? H5F_ACC_RDONLY : H5F_ACC_RDWR, access_list(l));
    kinds_set_file(file);
    return file < 0 ? -1 : 0;
}

static int op_release(const struct line *l)
{
    int status = 0;
    (void)l;
    while (n_held > 0)
        if (H5Oclose(held[--n_held]) < 0)
            status = -1;
    return status;
}

static int op_close(const struct line *l)
{
    int status = op_release(l);
    if (H5Fclose(file) < 0)
        status = -1;
    file = -1;
    return status;
}

static int op_group(const struct line *l)
{
    hid_t gcpl = own(H5Pcreate(H5P_GROUP_CREATE));
    group_list(l, gcpl);
    object_list(l, gcpl);
    return own(H5Gcreate2(file, l->word[1], link_list(l), gcpl, H5P_DEFAULT)) < 0 ? -1 : 0;
}

static int op_hard(const struct line *l)
{
    return H5Lcreate_hard(file, l->word[1], file, l->word[2], link_list(l), H5P_DEFAULT);
}

static int op_soft(const struct line *l)
{
    return H5Lcreate_soft(l->word[1], file, l->word[2], link_list(l), H5P_DEFAULT);
}

static int op_external(const struct line *l)
{
    return H5Lcreate_external(l->word[1], l->word[2], file, l->word[3], link_list(l), H5P_DEFAULT);
}

static int op_move(const struct line *l)
{
    return H5Lmove(file, l->word[1], file, l->word[2], link_list(l), H5P_DEFAULT);
}

static int op_lcopy(const struct line *l)
{
    return H5Lcopy(file, l->word[1], file, l->word[2], link_list(l), H5P_DEFAULT);
}

static int op_unlink(const struct line *l)
{
    return H5Ldelete(file, l->word[1], H5P_DEFAULT);
}

static int op_unlink_nth(const struct line *l)
{
    return H5Ldelete_by_idx(file, l->word[1], number(l, "by", 0) ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME,
                            number(l, "back", 0) ? H5_ITER_DEC : H5_ITER_INC, (hsize_t)number(l, "n", 0), H5P_DEFAULT);
}

static hid_t file_type(const struct line *l, const struct kind *k)
{
    const char *path = option(l, "type");
    return own(path ? H5Topen2(file, path, H5P_DEFAULT) : H5Tcopy(k->file));
}

static hid_t make_space(const struct line *l)
{
    hsize_t dims[MAX_RANK], max[MAX_RANK];
    const char *text = option(l, "dims");
    if (!text || strcmp(text, "scalar") == 0 || strcmp(text, "null") == 0)
        return own(H5Screate(text && *text == 'n' ? H5S_NULL : H5S_SCALAR));
    int rank = numbers(text, dims, MAX_RANK);
    int has_max = numbers(option(l, "max"), max, MAX_RANK) == rank;
    return own(H5Screate_simple(rank, dims, has_max ? max : NULL));
}

/* `n` elements; number `i` is base + i * step, modulo mod. They lie `stride` elements apart. */
static char *make_elements(const struct line *l, const struct kind *k, size_t n, size_t stride)
{
    long base = number(l, "base", 0), step = number(l, "step", 1), mod = number(l, "mod", 1000);
    char *buf = calloc(n * stride + 1, k->size);
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = kind_put(k, buf + i * stride * k->size, (base + (long)i * step) % mod, option(l, "to"));
    if (status == 0)
        return buf;
    free(buf);
    return NULL;
}

static void drop_elements(const struct kind *k, char *buf, size_t n, size_t stride)
{
    for (size_t i = 0; i < n; i++)
        kind_drop(k, buf + i * stride * k->size);
    free(buf);
}

static int write_attribute(const struct line *l, hid_t a)
{
    const struct kind *k = kind_of(own(H5Aget_type(a)));
    size_t n = (size_t)H5Sget_simple_extent_npoints(own(H5Aget_space(a)));
    char *buf = k ? make_elements(l, k, n, 1) : NULL;
    if (!buf)
        return -1;
    int status = H5Awrite(a, k->mem, buf);
    drop_elements(k, buf, n, 1);
    return status;
}

static int op_attribute(const struct line *l)
{
    hid_t object = own(H5Oopen(file, l->word[1], H5P_DEFAULT));
    hid_t acpl = own(H5Pcreate(H5P_ATTRIBUTE_CREATE));
    hid_t type = file_type(l, kind_named(l->word[3]));
    if (number(l, "cset", 0))
        H5Pset_char_encoding(acpl, H5T_CSET_UTF8);
    hid_t a = own(H5Acreate2(object, l->word[2], type, make_space(l), acpl, H5P_DEFAULT));
    return a < 0 ? -1 : write_attribute(l, a);
}

static int op_awrite(const struct line *l)
{
    hid_t a = own(H5Aopen(own(H5Oopen(file, l->word[1], H5P_DEFAULT)), l->word[2], H5P_DEFAULT));
    return a < 0 ? -1 : write_attribute(l, a);
}

static int op_arename(const struct line *l)
{
    return H5Arename_by_name(file, l->word[1], l->word[2], l->word[3], H5P_DEFAULT);
}

static int op_adelete(const struct line *l)
{
    return H5Adelete_by_name(file, l->word[1], l->word[2], H5P_DEFAULT);
}

static int set_filters(hid_t dcpl, const char *filters)
{
    for (; filters && *filters; filters++)
        switch (*filters) {
        case 's': H5Pset_shuffle(dcpl); break;
        case 'd': H5Pset_deflate(dcpl, 4); break;
        case 'f': H5Pset_fletcher32(dcpl); break;
        case 'n': H5Pset_nbit(dcpl); break;
        case 'o': H5Pset_scaleoffset(dcpl, H5Z_SO_INT, 0); break;
        case 'z': H5Pset_szip(dcpl, H5_SZIP_NN_OPTION_MASK, 4); break;
        case 'p': H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS); break;
        default: return -1;
        }
    return 0;
}

/* The whole of each source, one below the other. */
static int set_sources(const struct line *l, hid_t dcpl, hid_t space)
{
    char names[600];
    hsize_t dims[MAX_RANK], start[MAX_RANK] = {0, 0, 0};
    snprintf(names, sizeof names, "%s", option(l, "sources"));
    H5Sget_simple_extent_dims(space, dims, NULL);
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        hid_t d = own(H5Dopen2(file, name, H5P_DEFAULT)), source = own(H5Dget_space(d));
        if (H5Sget_simple_extent_dims(source, dims, NULL) < 0 ||
            H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL) < 0 ||
            H5Pset_virtual(dcpl, space, ".", name, source) < 0)
            return -1;
        start[0] += dims[0];
    }
    return H5Sselect_all(space);
}

/* Of zeros: reading what was never written of a file that is not there is an error. */
static int make_raw_file(const char *name)
{
    static const char zeros[1 << 15];
    FILE *raw = fopen(name, "wb");
    if (!raw)
        return -1;
    size_t n = fwrite(zeros, 1, sizeof zeros, raw);
    return fclose(raw) == 0 && n == sizeof zeros ? 0 : -1;
}

static int set_layout(const struct line *l, hid_t dcpl, hid_t space)
{
    const char *layout = option(l, "layout");
    hsize_t chunk[MAX_RANK];
    if (strcmp(layout, "compact") == 0)
        return H5Pset_layout(dcpl, H5D_COMPACT);
    if (strcmp(layout, "chunked") == 0)
        return H5Pset_chunk(dcpl, numbers(option(l, "chunk"), chunk, MAX_RANK), chunk);
    if (strcmp(layout, "virtual") == 0)
        return set_sources(l, dcpl, space);
    if (strcmp(layout, "external") == 0)
        return make_raw_file(option(l, "raw")) < 0 ? -1 : H5Pset_external(dcpl, option(l, "raw"), 8, H5F_UNLIMITED);
    return H5Pset_layout(dcpl, H5D_CONTIGUOUS);
}

static int set_fill(const struct line *l, hid_t dcpl, const struct kind *k)
{
    char element[KIND_SIZE];
    if (option(l, "fill")) {
        kind_put(k, element, number(l, "fill", 0), NULL);
        int status = H5Pset_fill_value(dcpl, k->mem, element);
        kind_drop(k, element);
        if (status < 0)
            return -1;
    }
    if (option(l, "filled"))
        H5Pset_fill_time(dcpl, (H5D_fill_time_t)number(l, "filled", 0));
    if (option(l, "space"))
        H5Pset_alloc_time(dcpl, (H5D_alloc_time_t)number(l, "space", 0));
    return 0;
}

static int op_dataset(const struct line *l)
{
    const struct kind *k = kind_named(l->word[2]);
    hid_t dcpl = own(H5Pcreate(H5P_DATASET_CREATE)), type = file_type(l, k), space = make_space(l);
    object_list(l, dcpl);
    if (set_layout(l, dcpl, space) < 0 || set_filters(dcpl, option(l, "filters")) < 0 || set_fill(l, dcpl, k) < 0)
        return -1;
    return own(H5Dcreate2(file, l->word[1], type, space, link_list(l), dcpl, H5P_DEFAULT)) < 0 ? -1 : 0;
}

/* slab=START:STRIDE:COUNT:BLOCK, the first of which sets the selection and others are joined to it as by op=; or
 * points=ROW,COL,…; without either all. */
static int select_part(const struct line *l, hid_t space)
{
    static hsize_t points[LINE];
    int rank = H5Sget_simple_extent_ndims(space);
    int how = (int)number(l, "op", H5S_SELECT_OR), first = 1;
    if (option(l, "points")) {
        int n = numbers(option(l, "points"), points, LINE);
        return H5Sselect_elements(space, H5S_SELECT_SET, (size_t)(n / rank), points);
    }
    for (int i = 2; i < l->n; i++) {
        hsize_t v[4][MAX_RANK];
        const char *text = l->word[i];
        if (strncmp(text, "slab=", 5) != 0)
            continue;
        for (int part = 0; part < 4; part++) {
            if (numbers(strpbrk(text, "=:") + 1, v[part], rank) != rank)
                return -1;
            text = strpbrk(text, "=:") + 1;
        }
        if (H5Sselect_hyperslab(space, first ? H5S_SELECT_SET : (H5S_seloper_t)how, v[0], v[1], v[2], v[3]) < 0)
            return -1;
        first = 0;
    }
    return 0;
}

/* Memory is one line of elements, or every second of one. */
static hid_t memory_space(size_t n, size_t stride)
{
    hsize_t size = n * stride, start = 0, step = stride, count = n;
    hid_t space = own(H5Screate_simple(1, &size, NULL));
    if (stride > 1 && n > 0)
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &step, &count, NULL);
    return space;
}

struct part {
    hid_t d, space, memory;
    size_t n, stride;
    const struct kind *k;
};

static int open_part(const struct line *l, struct part *p)
{
    p->d = own(H5Dopen2(file, l->word[1], H5P_DEFAULT));
    if (p->d < 0)
        return -1;
    p->space = own(H5Dget_space(p->d));
    p->k = kind_of(own(H5Dget_type(p->d)));
    p->stride = (size_t)number(l, "stride", 1);
    if (!p->k || select_part(l, p->space) < 0)
        return -1;
    p->n = (size_t)H5Sget_select_npoints(p->space);
    p->memory = memory_space(p->n, p->stride);
    return 0;
}

static int op_write(const struct line *l)
{
    struct part p;
    char *buf;
    if (open_part(l, &p) < 0 || !(buf = make_elements(l, p.k, p.n, p.stride)))
        return -1;
    int status = H5Dwrite(p.d, own(kind_members(p.k, option(l, "members"))), p.memory, p.space, H5P_DEFAULT, buf);
    drop_elements(p.k, buf, p.n, p.stride);
    return status;
}

static int op_read(const struct line *l)
{
    struct part p;
    if (open_part(l, &p) < 0)
        return -1;
    char *buf = calloc(p.n * p.stride + 1, p.k->size);
    int status = H5Dread(p.d, p.k->mem, p.memory, p.space, H5P_DEFAULT, buf);
    for (size_t i = 0; i < p.n && status >= 0; i++) {
        kind_print(p.k, buf + i * p.stride * p.k->size);
        putchar(' ');
    }
    if (status >= 0 && p.k->variable && p.n > 0)
        H5Dvlen_reclaim(p.k->mem, p.memory, H5P_DEFAULT, buf);
    free(buf);
    return status;
}

/* A whole chunk of the kind i32le past the filters. */
static int op_chunk(const struct line *l)
{
    hsize_t at[MAX_RANK];
    size_t n = (size_t)number(l, "n", 0);
    hid_t d = own(H5Dopen2(file, l->word[1], H5P_DEFAULT));
    numbers(option(l, "at"), at, MAX_RANK);
    char *buf = make_elements(l, kind_named("i32le"), n, 1);
    int status = H5Dwrite_chunk(d, H5P_DEFAULT, 0, at, 4 * n, buf);
    free(buf);
    return status;
}

static int op_extent(const struct line *l)
{
    hsize_t dims[MAX_RANK];
    numbers(option(l, "dims"), dims, MAX_RANK);
    return H5Dset_extent(own(H5Dopen2(file, l->word[1], H5P_DEFAULT)), dims);
}

static int op_commit(const struct line *l)
{
    hid_t type = own(H5Tcopy(kind_named(l->word[2])->file)), tcpl = own(H5Pcreate(H5P_DATATYPE_CREATE));
    object_list(l, tcpl);
    return H5Tcommit2(file, l->word[1], type, link_list(l), tcpl, H5P_DEFAULT);
}

static int op_comment(const struct line *l)
{
    return H5Oset_comment_by_name(file, l->word[1], l->n > 2 ? l->word[2] : NULL, H5P_DEFAULT);
}

static int op_count(const struct line *l)
{
    hid_t object = own(H5Oopen(file, l->word[1], H5P_DEFAULT));
    return number(l, "by", 1) > 0 ? H5Oincr_refcount(object) : H5Odecr_refcount(object);
}

static int op_hold(const struct line *l)
{
    hid_t object = n_held < IDS ? H5Oopen(file, l->word[1], H5P_DEFAULT) : -1;
    if (object < 0)
        return -1;
    held[n_held++] = object;
    return 0;
}

static int op_flush(const struct line *l)
{
    (void)l;
    return H5Fflush(file, H5F_SCOPE_LOCAL);
}

static int op_copy(const struct line *l)
{
    hid_t ocpypl = own(H5Pcreate(H5P_OBJECT_COPY));
    H5Pset_copy_object(ocpypl, (unsigned)number(l, "flags", 0));
    return H5Ocopy(file, l->word[1], file, l->word[2], ocpypl, link_list(l));
}

static int op_dump(const struct line *l)
{
    (void)l;
    return dump_file(file);
}

static const struct {
    const char *name;
    int (*run)(const struct line *l);
    int words;
} operations[] = {
    {"create", op_create, 3},     {"open", op_open, 3},           {"close", op_close, 1},   {"release", op_release, 1},
    {"group", op_group, 2},       {"hard", op_hard, 3},           {"soft", op_soft, 3},     {"external", op_external, 4},
    {"move", op_move, 3},         {"lcopy", op_lcopy, 3},         {"unlink", op_unlink, 2}, {"unlink_nth", op_unlink_nth, 2},
    {"attribute", op_attribute, 4}, {"awrite", op_awrite, 3},     {"arename", op_arename, 4}, {"adelete", op_adelete, 3},
    {"dataset", op_dataset, 3},   {"write", op_write, 2},         {"read", op_read, 2},     {"chunk", op_chunk, 2},
    {"extent", op_extent, 2},     {"commit", op_commit, 3},       {"comment", op_comment, 2}, {"count", op_count, 2},
    {"hold", op_hold, 2},         {"flush", op_flush, 1},         {"copy", op_copy, 3},     {"dump", op_dump, 1},
};

static void run_line(struct line *l, int at)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(l->word[0], operations[i].name) != 0 || l->n < operations[i].words)
            continue;
        fprintf(stderr, "@%d\n", at);
        int mark = own_mark(), status = operations[i].run(l);
        if (disown_from(mark) < 0)
            status = -1;
        puts(status < 0 ? "fail" : "ok");
        fflush(stdout);
        return;
    }
    fprintf(stderr, "line %d: no operation %s with %d words\n", at, l->word[0], l->n);
    exit(2);
}

int main(int argc, char **argv)
{
    static char text[LINE];
    int at = 0;
    if (argc != 2)
        return 2;
    file_name = argv[1];
    kinds_init();
    while (fgets(text, sizeof text, stdin)) {
        struct line l = {0, {NULL}};
        for (char *word = strtok(text, " \n"); word && l.n < WORDS; word = strtok(NULL, " \n"))
            l.word[l.n++] = word;
        if (l.n > 0)
            run_line(&l, at);
        at++;
    }
    return 0;
}
