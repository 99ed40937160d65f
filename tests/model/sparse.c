/* Structured datasets of one file, sparse ones and dense ones of variable length, that are written, read, erased, asked
 * for what is defined, grown, shrunk, flushed and reopened at random, by selections and as chunks that are encoded here,
 * their elements in any order, while the chunk cache is far too small and changes its settings, against arrays in memory:
 * a mask of what is defined, and a token for each member of each element, from which a value of any type follows.
 *
 *   sparse [--seeds A-B] [--threads N] [--ops M]
 *
 * Each dataset belongs to one thread, so that all about it is known; the file is common to all. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hdf5.h"

#include "model.h"

enum { SETS = 4, MEMBERS = 3, SLOT = 16, MAX_RANK = 5, POINTS = 40, DEFAULT_OPS = 300, ROUND = 40, FILL_TOKEN = 5 };

enum kind { NUM, STR, SEQ, NESTED };
enum { I8, I16, I32, I64, F32, F64 };

/* A datatype: one member that stands alone, or a compound one. */
static const struct family {
    const char *name;
    bool compound;
    unsigned n;
    enum kind kinds[MEMBERS];
    int nums[MEMBERS]; /* of a number, or of the elements of a sequence */
} families[] = {
    {"int8", false, 1, {NUM}, {I8}},
    {"vlen string", false, 1, {STR}, {0}},
    {"int16", false, 1, {NUM}, {I16}},
    {"vlen of int32", false, 1, {SEQ}, {I32}},
    {"int32", false, 1, {NUM}, {I32}},
    {"vlen of vlen of int16", false, 1, {NESTED}, {I16}},
    {"int64", false, 1, {NUM}, {I64}},
    {"compound with vlen members", true, 3, {NUM, STR, SEQ}, {I32, 0, F32}},
    {"float", false, 1, {NUM}, {F32}},
    {"compound", true, 3, {NUM, NUM, NUM}, {I16, F64, I32}},
    {"compound with nested vlen", true, 2, {NESTED, NUM}, {I32, I64}},
};
enum { FAMILIES = sizeof families / sizeof *families };

static const char *const index_names[] = {"single chunk", "fixed array", "extensible array", "B-tree v2"};
enum { SINGLE, FIXED_ARRAY, EXTENSIBLE_ARRAY, BTREE, INDEXES };

static const char *const filter_names[] = {"no filter",  "deflate", "shuffle, deflate", "selection packing, deflate",
                                           "fletcher32", "nbit",    "scaleoffset",      "another for each section",
                                           "one of the application", "deflate, but not at the edge"};
enum { PLAIN, DEFLATE, SHUFFLE, PACKING, FLETCHER, NBIT, SCALEOFFSET, EACH, OWN, EDGE, FILTERS };
enum { OWN_FILTER = 310 };

struct set {
    char name[8];
    const struct family *f;
    bool sparse, fill, never, big_endian;
    unsigned index, filters;
    int rank;
    hsize_t dims[MAX_RANK], max_dims[MAX_RANK], room[MAX_RANK], chunk[MAX_RANK];
    unsigned *tokens[MEMBERS]; /* in an extent of `room` */
    bool *defined;
    hid_t dset;
};

struct world {
    unsigned seed, threads, ops;
    char path[64];
    hid_t file;
    struct set sets[SETS];
};

struct thread {
    struct world *w;
    unsigned id, op;
    uint64_t state;
    struct set *s;
    const char *doing;
};

static unsigned current_seed;
static H5F_chunk_cache_stats_t total;

static void fail(const struct thread *t, const char *what, int line)
{
    fprintf(stderr, "sparse.c:%d: seed %u, thread %u, operation %u, %s: %s\n", line, current_seed, t->id, t->op,
            t->doing ? t->doing : "main", what);
    if (t->s) {
        const struct set *s = t->s;
        fprintf(stderr, "%s: %s%s, %s, %s, fill %d, rank %d:", s->name, s->sparse ? "sparse " : "dense ", s->f->name,
                index_names[s->index], filter_names[s->filters], s->fill, s->rank);
        for (int d = 0; d < s->rank; d++)
            fprintf(stderr, " %llu/%llu by %llu", (unsigned long long)s->dims[d], (unsigned long long)s->room[d],
                    (unsigned long long)s->chunk[d]);
        fprintf(stderr, "\n");
    }
    H5Eprint2(H5E_DEFAULT, stderr);
    abort();
}

static unsigned below(struct thread *t, unsigned n)
{
    return random_below(&t->state, n);
}

/* Values */

static hid_t native(int num)
{
    hid_t types[] = {H5T_NATIVE_SCHAR, H5T_NATIVE_SHORT, H5T_NATIVE_INT,
                     H5T_NATIVE_LLONG, H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE};
    return types[num];
}

static hid_t stored(int num, bool big)
{
    hid_t little[] = {H5T_STD_I8LE, H5T_STD_I16LE, H5T_STD_I32LE, H5T_STD_I64LE, H5T_IEEE_F32LE, H5T_IEEE_F64LE};
    hid_t bigs[] = {H5T_STD_I8BE, H5T_STD_I16BE, H5T_STD_I32BE, H5T_STD_I64BE, H5T_IEEE_F32BE, H5T_IEEE_F64BE};
    return big ? bigs[num] : little[num];
}

static size_t num_size(int num)
{
    static const size_t sizes[] = {1, 2, 4, 8, 4, 8};
    return sizes[num];
}

/* Such as every type that may stand for `num` holds exactly. */
static int number_of(unsigned token, int num)
{
    int most = num == I8 ? 100 : 30000;
    return token == 0 ? 0 : (int)((uint64_t)token * 2654435761u % (2 * (unsigned)most + 1)) - most;
}

static void put_number(int as, char *p, int v)
{
    switch (as) {
    case I8:
        *(signed char *)p = (signed char)v;
        break;
    case I16:
        *(short *)p = (short)v;
        break;
    case I32:
        *(int *)p = v;
        break;
    case I64:
        *(long long *)p = v;
        break;
    case F32:
        *(float *)p = (float)v;
        break;
    default:
        *(double *)p = v;
    }
}

static unsigned length_of(unsigned token, enum kind k)
{
    if (token == 0)
        return 0;
    return k == STR   ? (token % 7 ? token % 17 : token % 300)
           : k == SEQ ? (token % 9 ? token % 6 : token % 90)
                      : token % 4;
}

/* A member of an element in memory; `num` as it is stored, `as` as it is in memory. */
static void put(const struct thread *t, enum kind k, int num, int as, unsigned token, char *p)
{
    unsigned n = length_of(token, k);
    if (k == NUM) {
        put_number(as, p, number_of(token, num));
        return;
    }
    if (k == STR) {
        char *s = token == 0 || token % 11 == 10 ? NULL : malloc(n + 1);
        for (unsigned i = 0; s && i < n; i++)
            s[i] = (char)('a' + (token + i * i) % 26);
        if (s)
            s[n] = 0;
        memcpy(p, &s, sizeof s);
        return;
    }
    size_t size = k == SEQ ? num_size(as) : sizeof(hvl_t);
    hvl_t v = {.len = n, .p = n ? malloc(n * size) : NULL};
    MUST(t, n == 0 || v.p);
    for (unsigned i = 0; i < n; i++)
        put(t, k == SEQ ? NUM : SEQ, num, as, token * 31 + i + 1, (char *)v.p + i * size);
    memcpy(p, &v, sizeof v);
}

static bool same(const struct thread *t, enum kind k, int num, int as, unsigned token, const char *p)
{
    unsigned n = length_of(token, k);
    if (k == NUM) {
        char want[8];
        put_number(as, want, number_of(token, num));
        return memcmp(want, p, num_size(as)) == 0;
    }
    if (k == STR) {
        char *want, *got;
        put(t, k, num, as, token, (char *)&want);
        memcpy(&got, p, sizeof got);
        bool equal = want && got ? strcmp(want, got) == 0 : want == got;
        free(want);
        return equal;
    }
    hvl_t v;
    memcpy(&v, p, sizeof v);
    if (v.len != n || (n > 0 && !v.p))
        return false;
    size_t size = k == SEQ ? num_size(as) : sizeof(hvl_t);
    for (unsigned i = 0; i < n; i++)
        if (!same(t, k == SEQ ? NUM : SEQ, num, as, token * 31 + i + 1, (char *)v.p + i * size))
            return false;
    return true;
}

/* Takes over `base` unless it is predefined. */
static hid_t type_of(const struct thread *t, enum kind k, hid_t base)
{
    hid_t type;
    if (k == NUM)
        return H5Tcopy(base);
    if (k == STR) {
        type = H5Tcopy(H5T_C_S1);
        MUST(t, H5Tset_size(type, H5T_VARIABLE) >= 0);
        return type;
    }
    type = H5Tvlen_create(base);
    if (k == NESTED) {
        hid_t outer = H5Tvlen_create(type);
        MUST(t, H5Tclose(type) >= 0);
        type = outer;
    }
    return type;
}

/* Some members of an element in memory, each in a slot of its own. */
struct image {
    hid_t type;
    size_t size;
    unsigned n;
    struct {
        unsigned member;
        int as;
    } slots[MEMBERS];
};

static hid_t image_type(const struct thread *t, const struct image *im, bool file)
{
    const struct family *f = t->s->f;
    hid_t compound = f->compound ? H5Tcreate(H5T_COMPOUND, im->size) : 0;
    for (unsigned i = 0; i < im->n; i++) {
        unsigned m = im->slots[i].member;
        hid_t type = type_of(t, f->kinds[m], file ? stored(f->nums[m], t->s->big_endian) : native(im->slots[i].as));
        MUST(t, type >= 0);
        if (!f->compound)
            return type;
        MUST(t, H5Tinsert(compound, (const char *[]){"a", "b", "c"}[m], i * SLOT, type) >= 0 && H5Tclose(type) >= 0);
    }
    return compound;
}

/* All members as they are stored, or some of them as something else. */
static struct image make_image(struct thread *t, bool vary)
{
    const struct family *f = t->s->f;
    struct image im = {.n = f->n};
    unsigned first = vary ? below(t, f->n) : 0;
    if (vary && f->compound && below(t, 2))
        im.n = 1 + below(t, f->n);
    for (unsigned i = 0; i < im.n; i++) {
        unsigned m = (first + i) % f->n;
        im.slots[i].member = m;
        im.slots[i].as = f->nums[m];
        if (vary && below(t, 2))
            im.slots[i].as = f->nums[m] == I8 ? (int)below(t, 6) : 1 + (int)below(t, 5);
    }
    im.size = f->compound          ? im.n * SLOT
              : f->kinds[0] == NUM ? num_size(im.slots[0].as)
              : f->kinds[0] == STR ? sizeof(char *)
                                   : sizeof(hvl_t);
    im.type = image_type(t, &im, false);
    return im;
}

/* Coordinates */

static hsize_t volume(int rank, const hsize_t *dims)
{
    hsize_t n = 1;
    for (int d = 0; d < rank; d++)
        n *= dims[d];
    return n;
}

static size_t place(const struct set *s, const hsize_t *at)
{
    size_t i = 0;
    for (int d = 0; d < s->rank; d++)
        i = i * s->room[d] + at[d];
    return i;
}

static bool next(int rank, const hsize_t *dims, hsize_t *at)
{
    for (int d = rank; d-- > 0;) {
        if (++at[d] < dims[d])
            return true;
        at[d] = 0;
    }
    return false;
}

/* Elements in the order of a selection. */
struct chosen {
    hid_t space;
    size_t n;
    size_t *at;
};

static void drop(const struct thread *t, struct chosen *c)
{
    MUST(t, H5Sclose(c->space) >= 0);
    free(c->at);
}

static void choose_points(struct thread *t, struct chosen *c, unsigned most)
{
    const struct set *s = t->s;
    hsize_t coords[POINTS * MAX_RANK];
    c->n = 1 + below(t, most);
    for (size_t i = 0; i < c->n; i++) {
        for (int d = 0; d < s->rank; d++)
            coords[i * s->rank + d] = below(t, (unsigned)s->dims[d]);
        c->at[i] = place(s, coords + i * s->rank);
    }
    MUST(t, H5Sselect_elements(c->space, H5S_SELECT_SET, c->n, coords) >= 0);
}

static void choose_slab(struct thread *t, hid_t space, H5S_seloper_t op, bool *mask)
{
    const struct set *s = t->s;
    hsize_t start[MAX_RANK], stride[MAX_RANK], count[MAX_RANK], block[MAX_RANK], at[MAX_RANK] = {0}, to[MAX_RANK],
                                                                                 shape[MAX_RANK];
    for (int d = 0; d < s->rank; d++) {
        start[d] = below(t, 3) ? below(t, (unsigned)s->dims[d]) : 0;
        block[d] = 1 + below(t, (unsigned)(s->dims[d] - start[d]));
        if (below(t, 3) == 0)
            block[d] = 1;
        stride[d] = block[d] + below(t, 3);
        count[d] = 1 + below(t, (unsigned)((s->dims[d] - start[d] - block[d]) / stride[d] + 1));
        shape[d] = count[d] * block[d];
    }
    do {
        for (int d = 0; d < s->rank; d++)
            to[d] = start[d] + at[d] / block[d] * stride[d] + at[d] % block[d];
        mask[place(s, to)] = true;
    } while (next(s->rank, shape, at));
    MUST(t, H5Sselect_hyperslab(space, op, start, stride, count, block) >= 0);
}

/* Which elements a selection has. */
static void mask_of(const struct thread *t, hid_t space, bool *mask)
{
    const struct set *s = t->s;
    hssize_t n = H5Sget_select_npoints(space);
    MUST(t, n >= 0);
    bool points = n > 0 && H5Sget_select_type(space) == H5S_SEL_POINTS,
         all = n > 0 && H5Sget_select_type(space) == H5S_SEL_ALL;
    hsize_t blocks = n == 0 ? 0 : points ? (hsize_t)n : all ? 1 : (hsize_t)H5Sget_select_hyper_nblocks(space);
    hsize_t *list = calloc(blocks * 2 * MAX_RANK + 1, sizeof *list), found = 0;
    MUST(t, list);
    if (points)
        MUST(t, H5Sget_select_elem_pointlist(space, 0, blocks, list) >= 0);
    else if (all)
        for (int d = 0; d < s->rank; d++)
            list[s->rank + d] = s->dims[d] - 1;
    else if (blocks > 0)
        MUST(t, H5Sget_select_hyper_blocklist(space, 0, blocks, list) >= 0);
    for (hsize_t b = 0; b < blocks; b++) {
        const hsize_t *from = list + b * s->rank * (points ? 1 : 2);
        hsize_t shape[MAX_RANK], at[MAX_RANK] = {0}, to[MAX_RANK];
        for (int d = 0; d < s->rank; d++)
            shape[d] = points ? 1 : from[s->rank + d] - from[d] + 1;
        do {
            for (int d = 0; d < s->rank; d++) {
                to[d] = from[d] + at[d];
                MUST(t, to[d] < s->dims[d]);
            }
            mask[place(s, to)] = true;
            found++;
        } while (next(s->rank, shape, at));
    }
    MUST(t, found == (hsize_t)n);
    free(list);
}

/* What is defined within a slab, as the library says: such elements have a place in the file. */
static bool choose_defined(struct thread *t, struct chosen *c, bool *mask)
{
    const struct set *s = t->s;
    choose_slab(t, c->space, H5S_SELECT_SET, mask);
    hid_t space = H5Dget_defined(s->dset, c->space, H5P_DEFAULT);
    MUST(t, space >= 0 && H5Sclose(c->space) >= 0);
    c->space = space;
    memset(mask, 0, volume(s->rank, s->room));
    mask_of(t, space, mask);
    c->n = (size_t)H5Sget_select_npoints(space);
    if (c->n == 0 || H5Sget_select_type(space) != H5S_SEL_POINTS)
        return false;
    hsize_t *coords = malloc(c->n * (size_t)s->rank * sizeof *coords);
    MUST(t, coords && H5Sget_select_elem_pointlist(space, 0, c->n, coords) >= 0);
    for (size_t i = 0; i < c->n; i++)
        c->at[i] = place(s, coords + i * (size_t)s->rank);
    free(coords);
    return true;
}

/* False: there is nothing to choose from. */
static bool choose(struct thread *t, struct chosen *c)
{
    const struct set *s = t->s;
    hsize_t at[MAX_RANK] = {0}, room = volume(s->rank, s->room);
    unsigned what = below(t, 12);
    bool listed = what < 3;
    if (volume(s->rank, s->dims) == 0)
        return false;
    c->n = 0;
    c->at = malloc((room > POINTS ? room : POINTS) * sizeof *c->at);
    c->space = H5Screate_simple(s->rank, s->dims, NULL);
    bool *mask = calloc(room, 1);
    MUST(t, c->at && mask && c->space >= 0);
    if (what < 3)
        choose_points(t, c, what ? POINTS : 2);
    else if (what > 9 && s->sparse)
        listed = choose_defined(t, c, mask);
    else if (what > 3) {
        choose_slab(t, c->space, H5S_SELECT_SET, mask);
        if (what > 7)
            choose_slab(t, c->space, H5S_SELECT_OR, mask);
    }
    if (!listed) {
        c->n = 0;
        do
            if (what == 3 || mask[place(s, at)])
                c->at[c->n++] = place(s, at);
        while (next(s->rank, s->dims, at));
    }
    free(mask);
    if (c->n > 0)
        return true;
    drop(t, c);
    return false;
}

/* One after the other in memory, or only every other one. */
static hid_t memory_space(const struct thread *t, size_t n, size_t gap)
{
    hsize_t size = n * gap, start = 0, stride = gap, count = n;
    hid_t mem = H5Screate_simple(1, &size, NULL);
    MUST(t, mem >= 0 && H5Sselect_hyperslab(mem, H5S_SELECT_SET, &start, &stride, &count, NULL) >= 0);
    return mem;
}

/* Operations */

static unsigned token_at(const struct set *s, unsigned member, size_t at)
{
    return s->defined[at] ? s->tokens[member][at] : s->fill ? FILL_TOKEN : 0;
}

static void write_some(struct thread *t)
{
    struct set *s = t->s;
    struct chosen c;
    t->doing = "write";
    if (!choose(t, &c))
        return;
    struct image im = make_image(t, below(t, 2));
    size_t gap = 1 + below(t, 2);
    char *buf = calloc(c.n * gap, im.size);
    hid_t mem = memory_space(t, c.n, gap);
    MUST(t, buf);
    for (size_t i = 0; i < c.n; i++) {
        unsigned tokens[MEMBERS];
        for (unsigned m = 0; m < s->f->n; m++)
            tokens[m] = token_at(s, m, c.at[i]);
        for (unsigned j = 0; j < im.n; j++) {
            unsigned m = im.slots[j].member, token = tokens[m] = 1 + below(t, 1000000);
            put(t, s->f->kinds[m], s->f->nums[m], im.slots[j].as, token, buf + i * gap * im.size + j * SLOT);
        }
        for (unsigned m = 0; m < s->f->n; m++)
            s->tokens[m][c.at[i]] = tokens[m];
        s->defined[c.at[i]] = true;
    }
    MUST(t, H5Dwrite(s->dset, im.type, mem, c.space, H5P_DEFAULT, buf) >= 0);
    MUST(t, H5Dvlen_reclaim(im.type, mem, H5P_DEFAULT, buf) >= 0);
    MUST(t, H5Sclose(mem) >= 0 && H5Tclose(im.type) >= 0);
    free(buf);
    drop(t, &c);
}

static void check_element(const struct thread *t, const struct image *im, size_t at, const char *p)
{
    const struct set *s = t->s;
    for (unsigned j = 0; j < im->n; j++) {
        unsigned m = im->slots[j].member, token = token_at(s, m, at);
        if (same(t, s->f->kinds[m], s->f->nums[m], im->slots[j].as, token, p + j * SLOT))
            continue;
        fprintf(stderr, "element %zu, member %u, read as %d, %s, is not as token %u says\n", at, m, im->slots[j].as,
                s->defined[at] ? "defined" : "not defined", token);
        fail(t, "value", __LINE__);
    }
}

static void read_chosen(struct thread *t, struct chosen *c, bool vary)
{
    struct image im = make_image(t, vary);
    size_t gap = vary ? 1 + below(t, 2) : 1;
    char *buf = malloc(c->n * gap * im.size);
    hid_t mem = memory_space(t, c->n, gap);
    MUST(t, buf);
    memset(buf, 0x5a, c->n * gap * im.size);
    hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
    if (vary && below(t, 3) == 0)
        MUST(t, H5Pset_edc_check(dxpl, H5Z_DISABLE_EDC) >= 0);
    MUST(t, H5Dread(t->s->dset, im.type, mem, c->space, dxpl, buf) >= 0);
    MUST(t, H5Pclose(dxpl) >= 0);
    for (size_t i = 0; i < c->n; i++) {
        check_element(t, &im, c->at[i], buf + i * gap * im.size);
        for (size_t j = im.size; j < gap * im.size; j++)
            MUST(t, buf[i * gap * im.size + j] == 0x5a);
    }
    MUST(t, H5Dvlen_reclaim(im.type, mem, H5P_DEFAULT, buf) >= 0);
    MUST(t, H5Sclose(mem) >= 0 && H5Tclose(im.type) >= 0);
    free(buf);
}

static void read_some(struct thread *t)
{
    struct chosen c;
    t->doing = "read";
    if (!choose(t, &c))
        return;
    read_chosen(t, &c, below(t, 2));
    drop(t, &c);
}

/* Chunks with nothing left are gone. */
static void check_storage(struct thread *t)
{
    const struct set *s = t->s;
    bool any = false;
    t->doing = "storage";
    if (!s->sparse)
        return;
    for (hsize_t i = 0; i < volume(s->rank, s->room); i++)
        any |= s->defined[i];
    MUST(t, H5Dflush(s->dset) >= 0);
    MUST(t, (H5Dget_storage_size(s->dset) > 0) == any);
}

static void erase_some(struct thread *t)
{
    struct chosen c;
    t->doing = "erase";
    if (t->s->sparse && below(t, 6) == 0) {
        MUST(t, H5Derase(t->s->dset, H5S_ALL, H5P_DEFAULT) >= 0);
        memset(t->s->defined, 0, volume(t->s->rank, t->s->room));
        check_storage(t);
        return;
    }
    if (!t->s->sparse || !choose(t, &c))
        return;
    MUST(t, H5Derase(t->s->dset, c.space, H5P_DEFAULT) >= 0);
    for (size_t i = 0; i < c.n; i++)
        t->s->defined[c.at[i]] = false;
    drop(t, &c);
}

/* Everywhere, or in a selection. */
static void check_defined(struct thread *t)
{
    const struct set *s = t->s;
    struct chosen c;
    hsize_t at[MAX_RANK] = {0}, room = volume(s->rank, s->room);
    t->doing = "defined";
    bool some = below(t, 2) && choose(t, &c);
    if (!some)
        c.space = H5S_ALL;
    bool *want = calloc(room, 1), *got = calloc(room, 1);
    MUST(t, want && got);
    if (some)
        for (size_t i = 0; i < c.n; i++)
            want[c.at[i]] = !s->sparse || s->defined[c.at[i]];
    else if (s->sparse)
        memcpy(want, s->defined, room);
    else if (volume(s->rank, s->dims) > 0)
        do
            want[place(s, at)] = true;
        while (next(s->rank, s->dims, at));
    hid_t space = H5Dget_defined(s->dset, c.space, H5P_DEFAULT);
    MUST(t, space >= 0);
    mask_of(t, space, got);
    MUST(t, memcmp(want, got, room) == 0);
    MUST(t, H5Sclose(space) >= 0);
    free(want);
    free(got);
    if (some)
        drop(t, &c);
}

/* Chunks that are encoded here */

enum { MOST_SECTIONS = 3, FIELD = 16 };

struct bytes {
    unsigned char *p;
    size_t n;
};

static void add(const struct thread *t, struct bytes *b, const void *p, size_t n)
{
    b->p = realloc(b->p, b->n + n + 1);
    MUST(t, b->p);
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

static void add_number(const struct thread *t, struct bytes *b, unsigned token, int num)
{
    char native[8], stored[8];
    size_t size = num_size(num);
    put_number(num, native, number_of(token, num));
    for (size_t i = 0; i < size; i++)
        stored[i] = native[t->s->big_endian ? size - 1 - i : i];
    add(t, b, stored, size);
}

static void add_sequence(const struct thread *t, struct bytes *heap, unsigned token, int num)
{
    for (unsigned i = 0; i < length_of(token, SEQ); i++)
        add_number(t, heap, token * 31 + i + 1, num);
}

/* What a field of variable length leads to; nothing when that is nothing. */
static void add_segment(const struct thread *t, struct bytes *heap, enum kind k, int num, unsigned token)
{
    unsigned n = length_of(token, k);
    if (k == STR && token != 0 && token % 11 != 10) {
        for (unsigned i = 0; i < n; i++)
            add(t, heap, &(char){(char)('a' + (token + i * i) % 26)}, 1);
        if (n == 0)
            add(t, heap, "", 1);
    }
    if (k == SEQ)
        add_sequence(t, heap, token, num);
    for (unsigned i = 0; k == NESTED && i < n; i++) {
        uint64_t count = length_of(token * 31 + i + 1, SEQ);
        add(t, heap, &count, sizeof count);
        add_sequence(t, heap, token * 31 + i + 1, num);
    }
}

/* One element behind the others: members in slots, each of variable length a field that leads to the heap. */
static void add_element(const struct thread *t, const unsigned *tokens, struct bytes *fixed, struct bytes *heap)
{
    const struct family *f = t->s->f;
    size_t start = fixed->n, moved = 0;
    for (unsigned m = 0; m < f->n; m++) {
        size_t at = start + m * SLOT + moved;
        while (fixed->n < at)
            add(t, fixed, "", 1);
        if (f->kinds[m] == NUM) {
            add_number(t, fixed, tokens[m], f->nums[m]);
            continue;
        }
        uint64_t field[2] = {heap->n, 0};
        add_segment(t, heap, f->kinds[m], f->nums[m], tokens[m]);
        field[1] = heap->n - field[0];
        if (field[1] == 0)
            field[0] = 0;
        add(t, fixed, field, sizeof field);
        /* In memory a string is a pointer. */
        moved += f->kinds[m] == STR ? FIELD - sizeof(char *) : 0;
    }
    while (f->compound && fixed->n < start + f->n * SLOT + moved)
        add(t, fixed, "", 1);
}

/* As deflate stores what it does not compress. */
static void store_deflated(const struct thread *t, struct bytes *b)
{
    struct bytes out = {0};
    unsigned a = 1, c = 0;
    unsigned char head[] = {0x78, 1, 1, (unsigned char)b->n, (unsigned char)(b->n >> 8), (unsigned char)~b->n,
                            (unsigned char)(~b->n >> 8)};
    for (size_t i = 0; i < b->n; i++) {
        a = (a + b->p[i]) % 65521;
        c = (c + a) % 65521;
    }
    unsigned char sum[] = {(unsigned char)(c >> 8), (unsigned char)c, (unsigned char)(a >> 8), (unsigned char)a};
    add(t, &out, head, sizeof head);
    add(t, &out, b->p, b->n);
    add(t, &out, sum, sizeof sum);
    free(b->p);
    *b = out;
}

/* Filters of a section are skipped, but for a deflate at the end now and then. The mask says so. */
static unsigned filter_section(struct thread *t, hid_t dcpl, unsigned section, struct bytes *b)
{
    int n;
    size_t no_values = 0;
    MUST(t, H5Pget_nfilters2(dcpl, section, &n) >= 0);
    unsigned all = (1u << n) - 1;
    if (b->n == 0 || n == 0)
        return 0;
    H5Z_filter_t last = H5Pget_filter3(dcpl, section, (unsigned)n - 1, NULL, &no_values, NULL, 0, NULL, NULL);
    if (last != H5Z_FILTER_DEFLATE || b->n > UINT16_MAX || below(t, 2))
        return all;
    store_deflated(t, b);
    return all >> 1;
}

/* Elements of a chunk, in the order of their values. */
struct picked {
    hsize_t offset[MAX_RANK], limit[MAX_RANK]; /* of the chunk, and what of it is in the extent */
    size_t n;
    hsize_t *at;   /* coordinates in the chunk */
    hsize_t *runs; /* or boxes, or NULL: they are points */
    size_t n_runs;
    bool boxes;
};

static void pick_points(struct thread *t, struct picked *p)
{
    int rank = t->s->rank;
    p->n = 1 + below(t, POINTS);
    p->at = malloc(p->n * (size_t)rank * sizeof *p->at);
    MUST(t, p->at);
    for (size_t i = 0; i < p->n; i++)
        for (int d = 0; d < rank; d++)
            p->at[i * (size_t)rank + d] = below(t, (unsigned)p->limit[d]);
}

/* All elements inside for which the function says so, in their order. */
static void pick_where(struct thread *t, struct picked *p, bool (*inside)(const struct picked *, int rank, const hsize_t *at))
{
    const struct set *s = t->s;
    hsize_t at[MAX_RANK] = {0};
    p->n = 0;
    p->at = malloc(volume(s->rank, s->chunk) * (size_t)s->rank * sizeof *p->at);
    MUST(t, p->at);
    do
        if (inside(p, s->rank, at))
            memcpy(p->at + p->n++ * (size_t)s->rank, at, (size_t)s->rank * sizeof *at);
    while (next(s->rank, s->chunk, at));
}

static bool is_in_box(const struct picked *p, int rank, const hsize_t *at)
{
    for (size_t b = 0; b < p->n_runs; b++) {
        const hsize_t *first = p->runs + 2 * b * (size_t)rank;
        bool in = true;
        for (int d = 0; d < rank; d++)
            in &= at[d] >= first[d] && at[d] <= first[rank + d];
        if (in)
            return true;
    }
    return false;
}

static bool is_anywhere(const struct picked *p, int rank, const hsize_t *at)
{
    (void)p, (void)rank, (void)at;
    return true;
}

/* Two boxes that are apart in the first dimension, the later one first; or one. */
static void pick_boxes(struct thread *t, struct picked *p)
{
    int rank = t->s->rank;
    p->boxes = true;
    p->n_runs = p->limit[0] > 1 && below(t, 3) ? 2 : 1;
    p->runs = malloc(4 * (size_t)rank * sizeof *p->runs);
    MUST(t, p->runs);
    hsize_t middle = p->n_runs == 2 ? 1 + below(t, (unsigned)p->limit[0] - 1) : p->limit[0];
    for (size_t b = 0; b < p->n_runs; b++)
        for (int d = 0; d < rank; d++) {
            hsize_t from = d == 0 && p->n_runs == 2 && b == 0 ? middle : 0;
            hsize_t end = d == 0 && b == p->n_runs - 1 ? middle : p->limit[d];
            hsize_t first = from + below(t, (unsigned)(end - from));
            p->runs[(2 * b) * (size_t)rank + d] = first;
            p->runs[(2 * b + 1) * (size_t)rank + d] = first + below(t, (unsigned)(end - first));
        }
    pick_where(t, p, is_in_box);
}

/* Parts of rows, from top to bottom. */
static void pick_runs(struct thread *t, struct picked *p)
{
    const struct set *s = t->s;
    int last = s->rank - 1;
    hsize_t rows = volume(last, s->chunk), row[MAX_RANK] = {0};
    p->runs = malloc(2 * (rows + 1) * sizeof *p->runs);
    p->at = malloc(volume(s->rank, s->chunk) * (size_t)s->rank * sizeof *p->at);
    MUST(t, p->runs && p->at);
    for (hsize_t r = 0; r < rows; r++, next(last, s->chunk, row)) {
        bool inside = r == 0 || below(t, 2);
        for (int d = 0; d < last; d++)
            inside &= row[d] < p->limit[d];
        if (!inside)
            continue;
        hsize_t first = below(t, (unsigned)p->limit[last]), n = 1 + below(t, (unsigned)(p->limit[last] - first));
        p->runs[2 * p->n_runs] = r * s->chunk[last] + first;
        p->runs[2 * p->n_runs++ + 1] = n;
        for (hsize_t k = 0; k < n; k++, p->n++) {
            memcpy(p->at + p->n * (size_t)s->rank, row, (size_t)last * sizeof *row);
            p->at[p->n * (size_t)s->rank + last] = first + k;
        }
    }
}

static void pick(struct thread *t, struct picked *p)
{
    const struct set *s = t->s;
    *p = (struct picked){0};
    for (int d = 0; d < s->rank; d++) {
        p->offset[d] = below(t, (unsigned)((s->dims[d] + s->chunk[d] - 1) / s->chunk[d])) * s->chunk[d];
        p->limit[d] = s->dims[d] - p->offset[d] < s->chunk[d] ? s->dims[d] - p->offset[d] : s->chunk[d];
    }
    unsigned what = below(t, 4);
    if (!s->sparse)
        pick_where(t, p, is_anywhere);
    else if (what < 2)
        pick_points(t, p);
    else if (what == 2)
        pick_boxes(t, p);
    else
        pick_runs(t, p);
}

/* From a dataspace, or from the lists themselves. */
static void encode_selection(struct thread *t, const struct picked *p, struct bytes *out)
{
    const struct set *s = t->s;
    herr_t (*encode)(int, const hsize_t *, size_t, const hsize_t *, void *, size_t *) =
        !p->runs ? H5Dstruct_chunk_encode_points : p->boxes ? H5Dstruct_chunk_encode_boxes : H5Dstruct_chunk_encode_runs;
    const hsize_t *list = p->runs ? p->runs : p->at;
    size_t n = p->runs ? p->n_runs : p->n;
    hid_t space = H5Screate_simple(s->rank, s->chunk, NULL);
    if (p->runs || below(t, 2)) {
        MUST(t, encode(s->rank, s->chunk, n, list, NULL, &out->n) >= 0);
        MUST(t, (out->p = malloc(out->n)) && encode(s->rank, s->chunk, n, list, out->p, &out->n) >= 0);
    } else {
        MUST(t, H5Sselect_elements(space, H5S_SELECT_SET, n, list) >= 0);
        MUST(t, H5Sencode2(space, NULL, &out->n, H5P_DEFAULT) >= 0);
        MUST(t, (out->p = malloc(out->n)) && H5Sencode2(space, out->p, &out->n, H5P_DEFAULT) >= 0);
    }
    MUST(t, H5Sclose(space) >= 0);
}

/* An element of a picked chunk in the extent; false: it is outside. */
static bool find_place(const struct set *s, const struct picked *p, const hsize_t *at, size_t *out)
{
    hsize_t to[MAX_RANK];
    for (int d = 0; d < s->rank; d++) {
        if (at[d] >= p->limit[d])
            return false;
        to[d] = p->offset[d] + at[d];
    }
    *out = place(s, to);
    return true;
}

/* Chunks that reach over the extent go without. */
static bool goes_unfiltered(const struct set *s, const struct picked *p)
{
    return s->filters == EDGE && memcmp(p->limit, s->chunk, (size_t)s->rank * sizeof *s->chunk) != 0;
}

/* What the chunk has is all that is defined there. */
static void forget_chunk(struct set *s, const struct picked *p)
{
    hsize_t at[MAX_RANK] = {0};
    size_t to;
    do
        if (find_place(s, p, at, &to))
            s->defined[to] = false;
    while (next(s->rank, p->limit, at));
}

static void make_values(struct thread *t, const struct picked *p, struct bytes *fixed, struct bytes *heap)
{
    struct set *s = t->s;
    add(t, heap, "\0\0\0", 4); /* unused bytes */
    for (size_t i = 0; i < p->n; i++) {
        unsigned tokens[MEMBERS] = {0};
        size_t to;
        bool inside = find_place(s, p, p->at + i * (size_t)s->rank, &to);
        for (unsigned m = 0; m < s->f->n; m++) {
            tokens[m] = inside ? 1 + below(t, 1000000) : s->fill ? FILL_TOKEN : 0;
            if (inside)
                s->tokens[m][to] = tokens[m];
        }
        if (inside)
            s->defined[to] = true;
        add_element(t, tokens, fixed, heap);
    }
    if (heap->n == 4)
        heap->n = 0;
}

static void write_chunk(struct thread *t)
{
    struct set *s = t->s;
    struct picked p;
    struct bytes all[MOST_SECTIONS] = {{0}};
    uint16_t masks[MOST_SECTIONS];
    size_t sizes[MOST_SECTIONS];
    void *bufs[MOST_SECTIONS];
    unsigned fixed = s->sparse, n = s->sparse ? 2 : 1;
    t->doing = "chunk";
    if (volume(s->rank, s->dims) == 0)
        return;
    for (unsigned m = 0; m < s->f->n; m++)
        if (s->f->kinds[m] != NUM)
            n = s->sparse ? 3 : 2;
    pick(t, &p);
    forget_chunk(s, &p);
    struct bytes heap = {0};
    make_values(t, &p, &all[fixed], &heap);
    if (n > fixed + 1)
        all[fixed + 1] = heap;
    else
        free(heap.p);
    if (s->sparse)
        encode_selection(t, &p, &all[0]);
    hid_t dcpl = H5Dget_create_plist(s->dset);
    for (unsigned i = 0; i < n; i++) {
        masks[i] = goes_unfiltered(s, &p) ? 0 : (uint16_t)filter_section(t, dcpl, i, &all[i]);
        sizes[i] = all[i].n;
        bufs[i] = all[i].p;
    }
    H5D_struct_chunk_info_t info = {.type = H5D_STRUCT_CHUNK, .num_sections = (uint8_t)n, .filter_mask = masks,
                                    .section_size = sizes};
    MUST(t, H5Dwrite_struct_chunk(s->dset, H5P_DEFAULT, p.offset, &info, bufs) >= 0);
    MUST(t, H5Pclose(dcpl) >= 0);
    for (unsigned i = 0; i < n; i++)
        free(all[i].p);
    free(p.at);
    free(p.runs);
}

/* What is stored of a chunk, and in its place once more. */
static void rewrite_chunk(struct thread *t)
{
    struct set *s = t->s;
    hsize_t chunks, offset[MAX_RANK];
    uint16_t masks[MOST_SECTIONS];
    size_t sizes[MOST_SECTIONS];
    void *bufs[MOST_SECTIONS];
    H5D_struct_chunk_info_t info = {.num_sections = MOST_SECTIONS, .filter_mask = masks, .section_size = sizes};
    t->doing = "chunk again";
    MUST(t, H5Dget_num_chunks(s->dset, H5S_ALL, &chunks) >= 0);
    if (chunks == 0)
        return;
    MUST(t, H5Dget_struct_chunk_info(s->dset, H5S_ALL, below(t, (unsigned)chunks), offset, &info, NULL, NULL) >= 0);
    for (unsigned i = 0; i < info.num_sections; i++)
        MUST(t, (bufs[i] = malloc(sizes[i] + 1)));
    MUST(t, H5Dread_struct_chunk(s->dset, H5P_DEFAULT, offset, &info, bufs) >= 0);
    MUST(t, H5Dwrite_struct_chunk(s->dset, H5P_DEFAULT, offset, &info, bufs) >= 0);
    for (unsigned i = 0; i < info.num_sections; i++)
        free(bufs[i]);
}

static void change_extent(struct thread *t)
{
    struct set *s = t->s;
    hsize_t dims[MAX_RANK], at[MAX_RANK] = {0};
    t->doing = "extent";
    for (int d = 0; d < s->rank; d++)
        dims[d] = below(t, 3)         ? s->dims[d]
                  : below(t, 25) == 0 ? 0
                  : below(t, 2)       ? s->room[d]
                                      : 1 + below(t, (unsigned)s->room[d]);
    MUST(t, H5Dset_extent(s->dset, dims) >= 0);
    memcpy(s->dims, dims, sizeof dims);
    do
        for (int d = 0; d < s->rank; d++)
            if (at[d] >= dims[d])
                s->defined[place(s, at)] = false;
    while (next(s->rank, s->room, at));
}

static void reopen(struct thread *t)
{
    t->doing = "reopen";
    MUST(t, t->s->dset < 0 || H5Dclose(t->s->dset) >= 0);
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    if (below(t, 4) == 0) /* nothing of it is kept */
        MUST(t, H5Pset_chunk_cache(dapl, 0, 0, 0) >= 0);
    t->s->dset = H5Dopen2(t->w->file, t->s->name, dapl);
    MUST(t, t->s->dset >= 0 && H5Pclose(dapl) >= 0);
}

static void random_settings(struct thread *t, H5F_shared_chunk_cache_t *c)
{
    static const size_t budgets[] = {0, 1, 300, 2000, 10000, 100000, 1 << 26};
    c->budget = budgets[below(t, 7)];
    c->reserve = below(t, 2) ? 0 : c->budget / 4;
    c->threads = below(t, 3);
    c->w0 = below(t, 5) / 4.0;
    c->encode_ahead = below(t, 2) ? 0 : c->budget / 2;
    c->read_ahead = below(t, 4);
}

static void change_settings(struct thread *t)
{
    H5F_shared_chunk_cache_t c = {.version = H5F_SHARED_CHUNK_CACHE_VERSION};
    t->doing = "settings";
    MUST(t, H5Fget_shared_chunk_cache(t->w->file, &c) >= 0);
    random_settings(t, &c);
    MUST(t, H5Fset_shared_chunk_cache(t->w->file, &c) >= 0);
}

static void step(struct thread *t)
{
    unsigned what = below(t, 112);
    if (what >= 103)
        write_chunk(t);
    else if (what >= 100)
        rewrite_chunk(t);
    else if (what < 36)
        write_some(t);
    else if (what < 66)
        read_some(t);
    else if (what < 75)
        erase_some(t);
    else if (what < 80)
        check_defined(t);
    else if (what < 82)
        check_storage(t);
    else if (what < 88)
        change_extent(t);
    else if (what < 91)
        reopen(t);
    else if (what < 95)
        change_settings(t);
    else if (what < 98) {
        t->doing = "flush";
        MUST(t, H5Dflush(t->s->dset) >= 0);
    } else {
        t->doing = "flush of the file";
        MUST(t, H5Fflush(t->w->file, H5F_SCOPE_LOCAL) >= 0);
    }
}

/* Making datasets */

static void make_shape(struct thread *t, struct set *s)
{
    static const unsigned rooms[] = {300, 18, 8, 5, 4};
    unsigned grows = s->index == EXTENSIBLE_ARRAY ? 1 : s->index == BTREE ? 2 : 0;
    s->rank = 1 + (int)below(t, MAX_RANK);
    if (s->rank < (int)grows)
        s->rank = 2;
    unsigned room = rooms[s->rank - 1];
    if (s->rank == 1 && s->f->kinds[0] == NUM && !s->f->compound && below(t, 3) == 0)
        room = 20000;
    unsigned first = below(t, (unsigned)s->rank);
    for (int i = 0; i < s->rank; i++) {
        unsigned d = (first + (unsigned)i) % (unsigned)s->rank;
        s->room[d] = room / 2 + below(t, room / 2 + 1);
        s->max_dims[d] = i < (int)grows ? H5S_UNLIMITED : s->room[d];
        s->chunk[d] = s->index == SINGLE ? s->room[d]
                      : room == 20000    ? 500 + below(t, (unsigned)s->room[d] - 500)
                      : s->rank == 1     ? 1 + below(t, 40)
                                         : 1 + below(t, (unsigned)s->room[d]);
        s->dims[d] = s->index == SINGLE ? s->room[d] : 1 + below(t, (unsigned)s->room[d]);
    }
}

static size_t run_own_filter(unsigned flags, size_t n_values, const unsigned *values, size_t n, size_t *capacity, void **buf)
{
    unsigned char *bytes = *buf;
    (void)n_values, (void)values, (void)capacity;
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(flags & H5Z_FLAG_REVERSE ? bytes[i] - i : bytes[i] + i);
    return n;
}

/* Mandatory ones: none may be skipped. */
static void set_section_filters(const struct thread *t, const struct set *s, hid_t dcpl)
{
    enum { LZ4 = 32004, ZSTD = 32015 };
    unsigned level = 6, n;
    H5_section_type_t kinds[H5_SECTION_NUM];
    if (s->sparse) {
        MUST(t, H5Pset_section_filter(dcpl, H5_SECTION_SELECTION, H5Z_FILTER_SHUFFLE, 0, 0, NULL) >= 0);
        MUST(t, H5Pset_section_filter(dcpl, H5_SECTION_SELECTION, H5Z_FILTER_DEFLATE, 0, 1, &level) >= 0);
    }
    MUST(t, H5Pset_section_filter(dcpl, H5_SECTION_FIXED, H5Z_FILTER_FLETCHER32, 0, 0, NULL) >= 0);
    MUST(t, H5Pset_section_filter(dcpl, H5_SECTION_FIXED, ZSTD, 0, 0, NULL) >= 0);
    MUST(t, H5Pget_struct_chunk_sections(dcpl, &n, kinds) >= 0);
    if (kinds[n - 1] == H5_SECTION_VL)
        MUST(t, H5Pset_section_filter(dcpl, H5_SECTION_VL, LZ4, 0, 0, NULL) >= 0);
}

static void set_filters(const struct thread *t, const struct set *s, hid_t dcpl)
{
    unsigned level = 6;
    switch (s->filters) {
    case SHUFFLE:
        MUST(t, H5Pset_shuffle(dcpl) >= 0);
        /* fall through */
    case DEFLATE:
        MUST(t, H5Pset_deflate(dcpl, 3) >= 0);
        break;
    case PACKING:
        MUST(t, H5Pset_selection_packing(dcpl) >= 0);
        MUST(t, H5Pset_filter2(dcpl, H5_SECTION_SELECTION, H5Z_FILTER_DEFLATE, H5Z_FLAG_OPTIONAL, sizeof level,
                               &level) >= 0);
        if (s->big_endian) /* otherwise values may still go past the cache */
            MUST(t, H5Pset_filter2(dcpl, H5_SECTION_FIXED, H5Z_FILTER_DEFLATE, H5Z_FLAG_OPTIONAL, sizeof level,
                                   &level) >= 0);
        break;
    case FLETCHER:
        MUST(t, H5Pset_fletcher32(dcpl) >= 0);
        break;
    case NBIT:
        MUST(t, H5Pset_nbit(dcpl) >= 0);
        break;
    case SCALEOFFSET:
        MUST(t, H5Pset_scaleoffset(dcpl, H5Z_SO_INT, 0) >= 0);
        break;
    case EACH:
        set_section_filters(t, s, dcpl);
        break;
    case OWN:
        MUST(t, H5Pset_filter(dcpl, OWN_FILTER, H5Z_FLAG_MANDATORY, 0, NULL) >= 0);
        break;
    case EDGE:
        MUST(t, H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) >= 0);
        MUST(t, H5Pset_deflate(dcpl, 3) >= 0);
        break;
    default:
        break;
    }
}

/* Where a filter is not for the type, another. */
static void fit_filters(struct set *s)
{
    bool numbers = true;
    for (unsigned m = 0; m < s->f->n; m++)
        numbers &= s->f->kinds[m] == NUM;
    if (s->filters == NBIT && !numbers)
        s->filters = SHUFFLE;
    if (s->filters == SCALEOFFSET && (!numbers || s->f->n > 1 || s->f->nums[0] >= F32))
        s->filters = FLETCHER;
    if (s->filters == PACKING && !s->sparse)
        s->filters = DEFLATE;
    if (numbers)
        s->sparse = true;
}

static void make_set(struct thread *t, unsigned k)
{
    struct set *s = t->s = &t->w->sets[k];
    unsigned n = (t->w->seed - 1) * SETS + k;
    bool vlen = false;
    snprintf(s->name, sizeof s->name, "d%u", k);
    s->f = &families[n % FAMILIES];
    s->index = (n + n / FAMILIES) % INDEXES;
    s->filters = below(t, 3) ? below(t, FILTERS) : PLAIN;
    s->sparse = below(t, 4) > 0;
    s->fill = below(t, 2);
    s->big_endian = below(t, 2);
    s->never = below(t, 3) == 0;
    fit_filters(s);
    make_shape(t, s);
    for (unsigned m = 0; m < s->f->n; m++) {
        vlen |= s->f->kinds[m] != NUM;
        MUST(t, (s->tokens[m] = calloc(volume(s->rank, s->room), sizeof *s->tokens[m])));
    }
    MUST(t, (s->defined = calloc(volume(s->rank, s->room), 1)));
    struct image im = make_image(t, false);
    hid_t type = image_type(t, &im, true), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(s->rank, s->dims, s->max_dims);
    t->doing = "create";
    MUST(t, H5Pset_struct_chunk(dcpl, s->rank, s->chunk,
                                (s->sparse ? H5D_SPARSE_CHUNK : 0) | (vlen ? H5D_VL_CHUNK : 0)) >= 0);
    if (s->fill) {
        char value[MEMBERS * SLOT] = {0};
        for (unsigned m = 0; m < s->f->n; m++)
            put(t, s->f->kinds[m], s->f->nums[m], s->f->nums[m], FILL_TOKEN, value + m * SLOT);
        hid_t one = H5Screate(H5S_SCALAR);
        MUST(t, H5Pset_fill_value(dcpl, im.type, value) >= 0 && H5Dvlen_reclaim(im.type, one, H5P_DEFAULT, value) >= 0);
        MUST(t, H5Sclose(one) >= 0);
    }
    /* Undefined elements read as the fill value in any case. */
    if (s->never && s->sparse && !vlen)
        MUST(t, H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER) >= 0);
    set_filters(t, s, dcpl);
    s->dset = H5Dcreate2(t->w->file, s->name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    MUST(t, s->dset >= 0 && H5Dclose(s->dset) >= 0);
    s->dset = H5I_INVALID_HID;
    MUST(t, H5Sclose(space) >= 0 && H5Pclose(dcpl) >= 0 && H5Tclose(type) >= 0 && H5Tclose(im.type) >= 0);
}

/* Everything of the thread's datasets. */
static void check_sets(struct thread *t)
{
    for (unsigned k = t->id; k < SETS; k += t->w->threads) {
        struct chosen c = {.space = H5S_ALL};
        hsize_t at[MAX_RANK] = {0}, dims[MAX_RANK];
        struct set *s = t->s = &t->w->sets[k];
        reopen(t);
        t->doing = "check of all";
        hid_t space = H5Dget_space(s->dset);
        MUST(t, H5Sget_simple_extent_dims(space, dims, NULL) == s->rank && H5Sclose(space) >= 0);
        MUST(t, memcmp(dims, s->dims, (size_t)s->rank * sizeof *dims) == 0);
        c.at = malloc(volume(s->rank, dims) * sizeof *c.at + 1);
        MUST(t, c.at);
        if (volume(s->rank, dims) > 0) {
            do
                c.at[c.n++] = place(s, at);
            while (next(s->rank, dims, at));
            read_chosen(t, &c, false);
        }
        free(c.at);
        check_defined(t);
        check_storage(t);
        MUST(t, H5Dclose(s->dset) >= 0);
        s->dset = H5I_INVALID_HID;
    }
    t->s = NULL;
}

static void *run_round(void *ctx)
{
    struct thread *t = ctx;
    unsigned own = (SETS - t->id + t->w->threads - 1) / t->w->threads;
    for (unsigned i = 0; i < own; i++) {
        t->s = &t->w->sets[t->id + i * t->w->threads];
        reopen(t);
    }
    for (unsigned i = 0; i < ROUND * own; i++, t->op++) {
        t->s = &t->w->sets[t->id + below(t, own) * t->w->threads];
        step(t);
    }
    for (unsigned i = 0; i < own; i++) {
        t->s = &t->w->sets[t->id + i * t->w->threads];
        t->doing = "close";
        MUST(t, H5Dclose(t->s->dset) >= 0);
        t->s->dset = H5I_INVALID_HID;
    }
    return NULL;
}

static void *run_check(void *ctx)
{
    check_sets(ctx);
    return NULL;
}

static void on_threads(struct world *w, struct thread *all, void *(*what)(void *))
{
    pthread_t ids[SETS];
    for (unsigned i = 1; i < w->threads; i++)
        MUST(&all[i], pthread_create(&ids[i], NULL, what, &all[i]) == 0);
    what(&all[0]);
    for (unsigned i = 1; i < w->threads; i++)
        pthread_join(ids[i], NULL);
}

static void open_file(struct thread *t, unsigned flags)
{
    H5F_shared_chunk_cache_t cache = {.version = H5F_SHARED_CHUNK_CACHE_VERSION};
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    t->s = NULL;
    t->doing = "open the file";
    if (t->w->seed % 2)
        MUST(t, H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0);
    MUST(t, H5Pget_shared_chunk_cache(fapl, &cache) >= 0);
    random_settings(t, &cache);
    MUST(t, H5Pset_shared_chunk_cache(fapl, &cache) >= 0);
    t->w->file =
        flags == H5F_ACC_TRUNC ? H5Fcreate(t->w->path, flags, H5P_DEFAULT, fapl) : H5Fopen(t->w->path, flags, fapl);
    MUST(t, t->w->file >= 0 && H5Pclose(fapl) >= 0);
}

static void close_file(struct thread *t)
{
    H5F_chunk_cache_stats_t s;
    t->s = NULL;
    t->doing = "close the file";
    MUST(t, H5Fget_chunk_cache_stats(t->w->file, &s) >= 0);
    total.hits += s.hits;
    total.loads += s.loads;
    total.stores += s.stores;
    total.preemptive_encodes += s.preemptive_encodes;
    total.evictions += s.evictions;
    total.bypasses += s.bypasses;
    MUST(t, H5Fclose(t->w->file) >= 0);
}

static void one_seed(unsigned seed, unsigned threads, unsigned ops)
{
    struct thread all[SETS] = {0};
    struct world w = {.seed = seed, .threads = threads, .ops = ops};
    current_seed = seed;
    snprintf(w.path, sizeof w.path, "/tmp/sparse-%ld-%u.h5", (long)getpid(), seed);
    for (unsigned i = 0; i < threads; i++)
        all[i] = (struct thread){.w = &w, .id = i, .state = seed * 1000003ull + i};
    open_file(&all[0], H5F_ACC_TRUNC);
    for (unsigned k = 0; k < SETS; k++)
        make_set(&all[0], k);
    for (unsigned done = 0; done < ops; done += ROUND) {
        on_threads(&w, all, run_round);
        close_file(&all[0]);
        open_file(&all[0], H5F_ACC_RDWR);
    }
    close_file(&all[0]);
    open_file(&all[0], H5F_ACC_RDONLY);
    on_threads(&w, all, run_check);
    close_file(&all[0]);
    unlink(w.path);
    for (unsigned k = 0; k < SETS; k++) {
        for (unsigned m = 0; m < MEMBERS; m++)
            free(w.sets[k].tokens[m]);
        free(w.sets[k].defined);
    }
}

static void too_long(int signal)
{
    char text[64];
    int n = snprintf(text, sizeof text, "seed %u hangs\n", current_seed);
    (void)signal;
    if (write(2, text, (size_t)n) == n)
        abort();
    _exit(1);
}

int main(int argc, char **argv)
{
    unsigned first = 1, last = 30, threads = 1, ops = DEFAULT_OPS;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seeds") == 0) {
            if (sscanf(argv[i + 1], "%u-%u", &first, &last) == 1)
                last = first;
        } else if (strcmp(argv[i], "--threads") == 0)
            threads = (unsigned)atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--ops") == 0)
            ops = (unsigned)atoi(argv[i + 1]);
        else {
            fprintf(stderr, "unknown option %s\n", argv[i]);
            return 2;
        }
    }
    if (threads < 1 || threads > SETS || first < 1) {
        fprintf(stderr, "1 to %d threads, seeds from 1\n", SETS);
        return 2;
    }
    const H5Z_class2_t own = {H5Z_CLASS_T_VERS, OWN_FILTER, 1, 1, "own", NULL, NULL, run_own_filter};
    if (H5Zregister(&own) < 0)
        return 2;
    signal(SIGALRM, too_long);
    for (unsigned seed = first; seed <= last; seed++) {
        alarm(120);
        one_seed(seed, threads, ops);
    }
    printf("seeds %u-%u, %u threads, %u operations on each dataset: all as the model says\n", first, last, threads,
           ops);
    printf("%llu hits, %llu loads; %llu stores, %llu encoded ahead; %llu evictions, %llu bypasses\n",
           (unsigned long long)total.hits, (unsigned long long)total.loads, (unsigned long long)total.stores,
           (unsigned long long)total.preemptive_encodes, (unsigned long long)total.evictions,
           (unsigned long long)total.bypasses);
    return 0;
}
