/* Random changes to groups and links, checked against a model in memory.
 *
 *     turns_links FILE SEED FROM TO old|new|v200
 *
 * Replays operations 0 to FROM on the model alone, then opens FILE (with FROM 0 it makes the file), compares it with
 * the model, carries out operations FROM to TO on both, compares again and closes. Built against two libraries, the
 * programs can take turns on one file. With `old` the file is made with the oldest formats of the library. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "turns.h"

enum { BOXES = 6, POOL = 220, OBJECTS = 20000, NAME = 60 };

struct link {
    char name[NAME];
    H5L_type_t type;
    int object; /* hard */
    char value[NAME];
    long corder;
    H5T_cset_t cset;
};

struct box {
    int tracked;
    long next;
    size_t n;
    struct link links[POOL];
};

static struct box boxes[BOXES];
static int counts[OBJECTS]; /* links to each object */
static int n_objects;
static hid_t file = -1; /* -1 while only the model changes */
static int old_style;
static unsigned long long state;
static long op;

static unsigned random_below(unsigned n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((state >> 33) % n);
}

static void fail(const char *what, const char *name)
{
    printf("operation %ld: %s %s\n", op, what, name);
    H5Eprint2(H5E_DEFAULT, stdout);
    exit(1);
}

static void must(long status, const char *what, const char *name)
{
    if (status < 0)
        fail(what, name);
}

static void box_path(char *path, int b, const char *name)
{
    snprintf(path, 2 * NAME, "/box%d/%s", b, name);
}

/* Pairs of names whose checksums are the same: what orders them in an index is the names themselves. */
static const char *const equal[] = {"c11868", "c246645", "c227508", "c381412", "c82689", "c96406", "c221686",
                                    "c390318", "c34702", "c327831", "c69162", "c279502", "c74185", "c236845"};

static void pick_name(char *name)
{
    unsigned k = random_below(POOL);
    unsigned len = k * 7 % 40;
    if (k < sizeof equal / sizeof *equal)
        snprintf(name, NAME, "%s", equal[k]);
    else
        snprintf(name, NAME, "n%u%.*s", k, (int)len, "________________________________________");
}

static struct link *find(int b, const char *name)
{
    for (size_t i = 0; i < boxes[b].n; i++)
        if (strcmp(boxes[b].links[i].name, name) == 0)
            return &boxes[b].links[i];
    return NULL;
}

static void model_insert(int b, const struct link *link, const char *name, H5T_cset_t cset)
{
    struct link *l = &boxes[b].links[boxes[b].n++];
    struct link copy = *link;
    *l = copy;
    snprintf(l->name, sizeof l->name, "%s", name);
    l->cset = cset;
    l->corder = boxes[b].next++;
}

static void model_remove(int b, struct link *link)
{
    *link = boxes[b].links[--boxes[b].n];
    if (boxes[b].n == 0)
        boxes[b].next = 0;
}

static void make_boxes(void)
{
    static const struct {
        unsigned order;
        int max, min, deflate;
    } kinds[BOXES] = {{0, -1, 0, 0},
                      {H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED, -1, 0, 0},
                      {0, 1000, 900, 0},
                      {H5P_CRT_ORDER_TRACKED, 0, 0, 0},
                      {H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED, 20, 15, 0},
                      {0, 4, 2, 1}};
    for (int b = 0; b < BOXES; b++) {
        char path[40];
        snprintf(path, sizeof path, "/box%d", b);
        boxes[b].tracked = kinds[b].order != 0;
        counts[n_objects++] = 1;
        if (file < 0)
            continue;
        hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
        if (kinds[b].order)
            H5Pset_link_creation_order(gcpl, kinds[b].order);
        if (kinds[b].max >= 0)
            H5Pset_link_phase_change(gcpl, (unsigned)kinds[b].max, (unsigned)kinds[b].min);
        if (kinds[b].deflate)
            H5Pset_deflate(gcpl, 6);
        hid_t group = H5Gcreate2(file, path, H5P_DEFAULT, gcpl, H5P_DEFAULT);
        must(group, "create", path);
        H5Gclose(group);
        H5Pclose(gcpl);
    }
}

static void make_group(int b, const char *name, hid_t lcpl, H5T_cset_t cset)
{
    char path[2 * NAME];
    struct link link = {.type = H5L_TYPE_HARD, .object = n_objects};
    counts[n_objects++] = 1;
    model_insert(b, &link, name, cset);
    int below = (int)random_below(4);
    if (file < 0)
        return;
    box_path(path, b, name);
    hid_t group = H5Gcreate2(file, path, lcpl, H5P_DEFAULT, H5P_DEFAULT);
    must(group, "create group", path);
    for (int i = 0; i < below; i++) {
        char inner[20];
        snprintf(inner, sizeof inner, "in%d", i);
        hid_t sub = H5Gcreate2(group, inner, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        must(sub, "create below", path);
        H5Gclose(sub);
    }
    H5Gclose(group);
}

static void make_symbolic(int b, const char *name, hid_t lcpl, H5T_cset_t cset)
{
    char path[2 * NAME];
    struct link link = {.type = H5L_TYPE_SOFT};
    if (random_below(3) == 0)
        link.type = H5L_TYPE_EXTERNAL;
    unsigned len = 1 + random_below(40);
    memset(link.value, 'v', len);
    link.value[len] = 0;
    model_insert(b, &link, name, cset);
    if (file < 0)
        return;
    box_path(path, b, name);
    if (link.type == H5L_TYPE_SOFT)
        must(H5Lcreate_soft(link.value, file, path, lcpl, H5P_DEFAULT), "soft link", path);
    else
        must(H5Lcreate_external(link.value, "/x", file, path, lcpl, H5P_DEFAULT), "external link", path);
}

/* Never to a box: libhdf5 1.10.8 damages a group that links to itself. */
static void make_hard(int b, const char *name, hid_t lcpl, H5T_cset_t cset)
{
    int from = (int)random_below(BOXES);
    char source[2 * NAME], path[2 * NAME];
    struct link link = {.type = H5L_TYPE_HARD};
    struct link *other = boxes[from].n > 0 ? &boxes[from].links[random_below((unsigned)boxes[from].n)] : NULL;
    if (!other || other->type != H5L_TYPE_HARD) {
        make_symbolic(b, name, lcpl, cset);
        return;
    }
    link.object = other->object;
    box_path(source, from, other->name);
    counts[link.object]++;
    model_insert(b, &link, name, cset);
    if (file < 0)
        return;
    box_path(path, b, name);
    must(H5Lcreate_hard(file, source, file, path, lcpl, H5P_DEFAULT), "hard link", path);
}

static void transfer(int b, struct link *link, int move, hid_t lcpl, H5T_cset_t cset)
{
    char name[NAME], from[2 * NAME], to[2 * NAME];
    int there = (int)random_below(BOXES);
    pick_name(name);
    if (find(there, name))
        return;
    box_path(from, b, link->name);
    box_path(to, there, name);
    struct link copy = *link;
    if (!move && copy.type == H5L_TYPE_HARD)
        counts[copy.object]++;
    model_insert(there, &copy, name, cset);
    if (move)
        model_remove(b, find(b, copy.name));
    if (file < 0)
        return;
    if (move)
        must(H5Lmove(file, from, file, to, lcpl, H5P_DEFAULT), "move", from);
    else
        must(H5Lcopy(file, from, file, to, lcpl, H5P_DEFAULT), "copy", from);
}

static void drop(int b, struct link *link)
{
    char path[2 * NAME];
    box_path(path, b, link->name);
    if (link->type == H5L_TYPE_HARD)
        counts[link->object]--;
    model_remove(b, link);
    if (file >= 0)
        must(H5Ldelete(file, path, H5P_DEFAULT), "delete", path);
}

/* Phases of growth and of shrinking, so that groups change their storage. */
static void one(hid_t utf8)
{
    int b = (int)random_below(BOXES);
    char name[NAME];
    unsigned shrink = op / 700 % 2 ? 75 : 25;
    H5T_cset_t cset = random_below(4) == 0 && !old_style ? H5T_CSET_UTF8 : H5T_CSET_ASCII;
    hid_t lcpl = cset == H5T_CSET_UTF8 ? utf8 : H5P_DEFAULT;
    pick_name(name);
    struct link *link = find(b, name);
    if (!link && random_below(100) < shrink && boxes[b].n > 0)
        link = &boxes[b].links[random_below((unsigned)boxes[b].n)];
    unsigned what = random_below(10);
    if (link && what < 2)
        transfer(b, link, what, lcpl, cset);
    else if (link)
        drop(b, link);
    else if (what < 4)
        make_group(b, name, lcpl, cset);
    else if (what < 6)
        make_hard(b, name, lcpl, cset);
    else
        make_symbolic(b, name, lcpl, cset);
}

static haddr_t addresses[OBJECTS];
static int seen[BOXES];

static herr_t check_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    int b = *(int *)data;
    struct link *link = find(b, name);
    char value[200] = "";
    if (!link || link->type != info->type || link->cset != info->cset)
        fail("an unexpected link", name);
    if (boxes[b].tracked && !old_style && (!info->corder_valid || info->corder != link->corder))
        fail("the creation order of", name);
    seen[b]++;
    if (info->type != H5L_TYPE_HARD) {
        must(H5Lget_val(group, name, value, sizeof value, H5P_DEFAULT), "value", name);
        if (strcmp(value + (info->type == H5L_TYPE_EXTERNAL), link->value) != 0)
            fail("the value of", name);
        return 0;
    }
    H5O_info_t obj;
    must(H5Oget_info_by_name(group, name, &obj, H5P_DEFAULT), "info of", name);
    if (obj.rc != (unsigned)counts[link->object])
        fail("the count of links of", name);
    if (addresses[link->object] == HADDR_UNDEF)
        addresses[link->object] = obj.addr;
    if (addresses[link->object] != obj.addr)
        fail("the object of", name);
    return 0;
}

static void check(void)
{
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < n_objects; i++)
        addresses[i] = HADDR_UNDEF;
    for (int b = 0; b < BOXES; b++) {
        char path[40];
        snprintf(path, sizeof path, "/box%d", b);
        hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
        must(group, "open", path);
        must(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, check_link, &b), "iterate", path);
        if ((size_t)seen[b] != boxes[b].n)
            fail("the number of links in", path);
        for (size_t i = 0; i < boxes[b].n; i++)
            if (H5Lexists(group, boxes[b].links[i].name, H5P_DEFAULT) != 1)
                fail("not found:", boxes[b].links[i].name);
        if (boxes[b].tracked && !old_style) {
            seen[b] = 0;
            must(H5Literate(group, H5_INDEX_CRT_ORDER, H5_ITER_DEC, NULL, check_link, &b), "iterate by order", path);
            if ((size_t)seen[b] != boxes[b].n)
                fail("the number of links by order in", path);
        }
        H5Gclose(group);
    }
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    state = strtoull(argv[2], NULL, 10);
    long from = atol(argv[3]), to = atol(argv[4]);
    old_style = strcmp(argv[5], "old") == 0;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), utf8 = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_char_encoding(utf8, H5T_CSET_UTF8);
    if (strcmp(argv[5], "new") == 0)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    else if (!old_style)
        set_format(fapl, argv[5]);
    if (from == 0) {
        file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
        must(file, "create", argv[1]);
    }
    make_boxes();
    for (op = 0; op < from; op++)
        one(utf8);
    if (from > 0)
        file = H5Fopen(argv[1], H5F_ACC_RDWR, fapl);
    must(file, "open", argv[1]);
    check();
    for (; op < to; op++)
        one(utf8);
    check();
    must(H5Fclose(file), "close", argv[1]);
    H5Pclose(fapl);
    H5Pclose(utf8);
    return 0;
}
