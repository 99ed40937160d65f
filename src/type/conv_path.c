/* Finds conversion paths: a table of those in use, and the conversions that the application registered. */
#include <string.h>

#include "base/alloc.h"
#include "base/count.h"
#include "base/error.h"
#include "base/lock.h"
#include "type/conv_internal.h"

/* When the table has this many, it is emptied: programs that use more pairs of types at a time are rare. */
#define MAX_PATHS 1024
#define NAME_SIZE 32

struct ts_conv_path {
    struct ts_count refs;
    struct ts_strangers strangers; /* of one in the table */
    struct ts_type *src, *dst;
    struct ts_node *root;
    H5T_cdata_t cdata;
};

struct registered {
    atomic_uint refs;
    H5T_pers_t pers;
    char name[NAME_SIZE];
    struct ts_type *src, *dst;
    H5T_conv_t func;
    int (*invoke)(H5T_conv_t func, const struct ts_conv_call *call);
};

/* Sorted, and never changed: another one takes its place. */
struct path_table {
    size_t n;
    struct ts_conv_path *at[];
};

/* Guarded by its lock; but paths are found without it (ts_look_begin). Registrations are in the order they came.
 * `exported` are paths whose client data the application may hold. */
static struct {
    struct ts_rwlock lock;
    _Atomic(struct path_table *) paths; /* NULL: none */
    struct ts_conv_path **exported;
    size_t n_exported, exported_capacity;
    struct registered **regs;
    size_t n_regs, reg_capacity;
    atomic_ulong generation; /* grows with every change of the registrations; also read without the lock */
} table = {.lock = TS_RWLOCK_INIT(TS_RANK_CONVERSIONS)};

struct ts_conv_path *ts_conv_path_ref(struct ts_conv_path *p)
{
    ts_count_add(&p->refs);
    return p;
}

void ts_conv_path_unref(struct ts_conv_path *p)
{
    if (!p || !ts_count_drop(&p->refs))
        return;
    ts_node_free(p->root);
    ts_type_unref(p->src);
    ts_type_unref(p->dst);
    ts_count_deinit(&p->refs);
    ts_free(p);
}

static void registered_unref(struct registered *r)
{
    if (!r || atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) != 1)
        return;
    ts_type_unref(r->src);
    ts_type_unref(r->dst);
    ts_free(r);
}

/* A reference to the type, or a copy when it or a part of it is committed: the table must not keep files open. */
static int hold(const struct ts_type *t, struct ts_type **out)
{
    if (!ts_type_has_named(t)) {
        *out = ts_type_ref((struct ts_type *)(uintptr_t)t);
        return 0;
    }
    struct ts_type *copy, *child;
    if (ts_type_copy(t, &copy) < 0)
        return -1;
    int r = 0;
    if (copy->base && (r = hold(copy->base, &child)) == 0) {
        ts_type_unref(copy->base);
        copy->base = child;
    }
    for (size_t i = 0; r == 0 && copy->cls == H5T_COMPOUND && i < copy->u.compound.n; i++) {
        struct ts_member *m = &copy->u.compound.members[i];
        if ((r = hold(m->type, &child)) == 0) {
            ts_type_unref(m->type);
            m->type = child;
        }
    }
    if (r < 0) {
        ts_type_unref(copy);
        return -1;
    }
    *out = copy;
    return 0;
}

/* Of equal types. Variable-length strings are equal whatever their character set, but a conversion of the application
 * asks for it once, when its path is made. */
static int order_of_charsets(const struct ts_type *a, const struct ts_type *b)
{
    if (ts_type_is_vlen_string(a) && a->u.str.cset != b->u.str.cset)
        return a->u.str.cset < b->u.str.cset ? -1 : 1;
    int r = a->base ? order_of_charsets(a->base, b->base) : 0;
    for (size_t i = 0; r == 0 && a->cls == H5T_COMPOUND && i < a->u.compound.n; i++)
        r = order_of_charsets(a->u.compound.members[i].type, b->u.compound.members[i].type);
    return r;
}

static int order_of_types(const struct ts_type *a, const struct ts_type *b)
{
    int r = ts_type_cmp(a, b);
    return r || a == b ? r : order_of_charsets(a, b);
}

static int order(const struct ts_conv_path *p, const struct ts_type *src, const struct ts_type *dst)
{
    int r = order_of_types(p->src, src);
    return r ? r : order_of_types(p->dst, dst);
}

/* Where the pair is, or belongs. */
static size_t position(const struct path_table *paths, const struct ts_type *src, const struct ts_type *dst,
                       bool *found)
{
    size_t low = 0, high = paths ? paths->n : 0;
    *found = false;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int r = order(paths->at[mid], src, dst);
        if (r == 0) {
            *found = true;
            return mid;
        }
        if (r < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Under the lock: takes all paths out of the table, for the caller to let go of without the lock. */
static struct path_table *take_paths(void)
{
    TS_HELD_ALONE(&table.lock);
    struct path_table *paths = atomic_load(&table.paths);
    atomic_store(&table.paths, NULL);
    ts_look_wait();
    for (size_t i = 0; paths && i < paths->n; i++)
        if (ts_strangers_end(&paths->at[i]->strangers))
            ts_count_gather(&paths->at[i]->refs);
    return paths;
}

/* Those whose data an application was given: it must not use them once a function they may call is gone. */
static struct ts_conv_path **take_exported(size_t *n)
{
    struct ts_conv_path **paths = table.exported;
    *n = table.n_exported;
    table.exported = NULL;
    table.n_exported = table.exported_capacity = 0;
    return paths;
}

static void drop_paths(struct ts_conv_path **paths, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ts_conv_path_unref(paths[i]);
    ts_free(paths);
}

static void drop_table(struct path_table *paths)
{
    for (size_t i = 0; paths && i < paths->n; i++)
        ts_conv_path_unref(paths->at[i]);
    ts_free(paths);
}

static int path_new(const struct ts_type *src, const struct ts_type *dst, struct ts_conv_path **out)
{
    struct ts_conv_path *p = ts_calloc(1, sizeof *p);
    if (!p)
        return -1;
    ts_count_init(&p->refs, 1);
    ts_strangers_init(&p->strangers);
    if (hold(src, &p->src) < 0 || hold(dst, &p->dst) < 0 || ts_node_build(p->src, p->dst, &p->root) < 0) {
        ts_conv_path_unref(p);
        return -1;
    }
    p->cdata.need_bkg = p->root->background ? H5T_BKG_YES : H5T_BKG_NO;
    *out = p;
    return 0;
}

/* Keeps the path for others, unless the registrations changed while it was made. That there is no memory to keep it is
 * no error: it is good for its caller. */
static void keep(struct ts_conv_path *p, unsigned long generation)
{
    struct path_table *old = NULL, *paths, *longer = NULL;
    bool found;
    unsigned mark = ts_err_mark();
    ts_rwlock_write(&table.lock);
    if ((paths = atomic_load(&table.paths)) && paths->n >= MAX_PATHS) {
        old = take_paths();
        paths = NULL;
    }
    size_t at = position(paths, p->src, p->dst, &found), n = paths ? paths->n : 0;
    if (!found && generation == table.generation)
        longer = ts_malloc(sizeof *longer + (n + 1) * sizeof longer->at[0]);
    if (longer) {
        longer->n = n + 1;
        if (n > 0) {
            memcpy(longer->at, paths->at, at * sizeof longer->at[0]);
            memcpy(longer->at + at + 1, paths->at + at, (n - at) * sizeof longer->at[0]);
        }
        longer->at[at] = ts_conv_path_ref(p);
        atomic_store(&table.paths, longer);
        if (paths)
            ts_look_wait();
        ts_free(paths);
    }
    ts_rwlock_unlock(&table.lock);
    drop_table(old);
    ts_err_rewind(mark);
}

/* A reference to what is in the table, or NULL. */
static struct ts_conv_path *look(const struct ts_type *src, const struct ts_type *dst)
{
    bool found;
    struct ts_conv_path *p = NULL;
    ts_look_begin();
    const struct path_table *paths = atomic_load(&table.paths);
    size_t at = position(paths, src, dst, &found);
    if (found) {
        p = paths->at[at];
        if (ts_strangers_come(&p->strangers))
            ts_count_spread(&p->refs);
        ts_count_add(&p->refs);
    }
    ts_look_end();
    return p;
}

int ts_conv_find(const struct ts_type *src, const struct ts_type *dst, struct ts_conv_path **out)
{
    unsigned long generation = ts_conv_generation();
    if ((*out = look(src, dst)))
        return 0;
    if (path_new(src, dst, out) < 0)
        return -1;
    keep(*out, generation);
    return 0;
}

unsigned long ts_conv_generation(void)
{
    return atomic_load_explicit(&table.generation, memory_order_acquire);
}

bool ts_conv_is_noop(const struct ts_conv_path *p)
{
    return p->root->kind == TS_NODE_COPY && p->root->src_size == p->root->dst_size;
}

bool ts_conv_needs_background(const struct ts_conv_path *p)
{
    return p->root->background;
}

static bool is_own(const struct ts_node *node)
{
    switch (node->kind) {
    case TS_NODE_USER:
        return false;
    case TS_NODE_ARRAY:
        return is_own(node->u.array.base);
    case TS_NODE_VLEN:
        return !node->u.vlen.base || is_own(node->u.vlen.base);
    case TS_NODE_COMPOUND:
        for (size_t i = 0; i < node->u.compound.n; i++)
            if (!is_own(node->u.compound.parts[i].node))
                return false;
        return true;
    default:
        return true;
    }
}

bool ts_conv_is_own(const struct ts_conv_path *p)
{
    return is_own(p->root);
}

bool ts_conv_is_hard(const struct ts_conv_path *p)
{
    const struct ts_node *root = p->root;
    return !root->part &&
           ((root->kind == TS_NODE_NUM && root->u.num.hard) || (root->kind == TS_NODE_USER && root->u.user.hard) ||
            (root->kind == TS_NODE_COMPLEX && root->u.complex.hard));
}

int ts_conv_run(struct ts_conv_path *p, const struct ts_conv_env *env, size_t n, void *buf, const void *bkg)
{
    return ts_node_run_in_place(p->root, env, n, buf, bkg);
}

int ts_conv_copy(struct ts_conv_path *p, const struct ts_conv_env *env, size_t n, const void *src, void *dst)
{
    return ts_node_run_copy(p->root, env, n, src, dst);
}

/* A hard conversion between equal types is never used, as in libhdf5; a soft one is between variable-length ones. */
static bool is_idle(const struct registered *r)
{
    return r->pers == H5T_PERS_HARD && ts_type_equal(r->src, r->dst);
}

static bool applies(const struct registered *r, bool hard, const struct ts_type *src, const struct ts_type *dst)
{
    if ((r->pers == H5T_PERS_HARD) != hard)
        return false;
    if (hard)
        return !is_idle(r) && ts_type_equal(r->src, src) && ts_type_equal(r->dst, dst);
    return r->src->cls == src->cls && r->dst->cls == dst->cls;
}

/* 1: the function takes it, 0: it declines. */
static int try_user(const struct registered *r, const struct ts_type *src, const struct ts_type *dst,
                    struct ts_node **out)
{
    struct ts_node *node = ts_calloc(1, sizeof *node);
    if (!node)
        return -1;
    node->src = src;
    node->dst = dst;
    node->src_size = src->size;
    node->dst_size = dst->size;
    node->u.user.func = r->func;
    node->u.user.invoke = r->invoke;
    node->u.user.cdata.command = H5T_CONV_INIT;
    struct ts_conv_call call = {.src = src, .dst = dst, .cdata = &node->u.user.cdata};
    unsigned mark = ts_err_mark();
    if (r->invoke(r->func, &call) < 0) {
        ts_err_rewind(mark);
        ts_free(node);
        return 0;
    }
    node->kind = TS_NODE_USER;
    node->u.user.hard = r->pers == H5T_PERS_HARD;
    node->background = node->u.user.cdata.need_bkg != H5T_BKG_NO;
    *out = node;
    return 1;
}

/* The n-th registration from the newest on, with a reference; NULL at the end. */
static struct registered *registered_at(size_t n)
{
    struct registered *r = NULL;
    ts_rwlock_read(&table.lock);
    if (n < table.n_regs) {
        r = table.regs[table.n_regs - 1 - n];
        atomic_fetch_add_explicit(&r->refs, 1, memory_order_relaxed);
    }
    ts_rwlock_unlock(&table.lock);
    return r;
}

int ts_conv_user_node(const struct ts_type *src, const struct ts_type *dst, bool hard, struct ts_node **out)
{
    struct registered *r;
    int done = 0;
    for (size_t n = 0; done == 0 && (r = registered_at(n)); n++) {
        if (applies(r, hard, src, dst))
            done = try_user(r, src, dst, out);
        registered_unref(r);
    }
    return done;
}

static int registered_new(const struct ts_conv_user *user, struct registered **out)
{
    struct registered *r = ts_calloc(1, sizeof *r);
    if (!r)
        return -1;
    atomic_init(&r->refs, 1);
    r->pers = user->pers;
    strncpy(r->name, user->name, NAME_SIZE - 1);
    r->func = user->func;
    r->invoke = user->invoke;
    if (hold(user->src, &r->src) < 0 || hold(user->dst, &r->dst) < 0) {
        registered_unref(r);
        return -1;
    }
    *out = r;
    return 0;
}

/* The path of a hard conversion is made at once: its function may decline. None for one that nothing will ever use. */
static int hard_path(const struct registered *r, struct ts_conv_path **out)
{
    *out = NULL;
    if (r->pers != H5T_PERS_HARD || is_idle(r))
        return 0;
    struct ts_conv_path *p = ts_calloc(1, sizeof *p);
    if (!p)
        return -1;
    ts_count_init(&p->refs, 1);
    ts_strangers_init(&p->strangers);
    if (hold(r->src, &p->src) < 0 || hold(r->dst, &p->dst) < 0 || try_user(r, p->src, p->dst, &p->root) < 0) {
        ts_conv_path_unref(p);
        return -1;
    }
    if (!p->root) {
        ts_conv_path_unref(p);
        return TS_ERR(DATATYPE, CANTINIT, "the function '%s' does not convert between these datatypes", r->name);
    }
    *out = p;
    return 0;
}

/* A change of the registrations changes nothing for it: it has no parts that a function may have taken over. */
static bool stays_own(const struct ts_conv_path *p)
{
    return is_own(p->root) && ts_type_is_atomic(p->src) && ts_type_is_atomic(p->dst);
}

/* What the application is told of paths that were there before: those of other functions stay, and a soft conversion is
 * asked now whether it takes over. */
static void renew(const struct registered *r, const struct path_table *paths, unsigned long generation)
{
    unsigned mark = ts_err_mark();
    struct ts_conv_path *const *old = paths->at;
    for (size_t i = 0; i < paths->n; i++) {
        struct ts_conv_path *p;
        bool soft_only = !ts_conv_is_hard(old[i]),
             taken = applies(r, r->pers == H5T_PERS_HARD, old[i]->src, old[i]->dst);
        bool user = old[i]->root->kind == TS_NODE_USER, asked = taken && soft_only && r->pers == H5T_PERS_SOFT;
        if (user && asked)
            old[i]->root->u.user.replaced = true;
        if ((user && !(taken && (soft_only || r->pers == H5T_PERS_HARD))) || (!taken && stays_own(old[i])))
            keep(old[i], generation);
        else if (asked && ts_conv_find(old[i]->src, old[i]->dst, &p) == 0)
            ts_conv_path_unref(p);
    }
    ts_err_rewind(mark);
}

int ts_conv_register(const struct ts_conv_user *user)
{
    struct registered *r;
    struct ts_conv_path *own;
    struct path_table *old = NULL;
    unsigned long generation = 0;
    if (registered_new(user, &r) < 0)
        return -1;
    if (hard_path(r, &own) < 0) {
        registered_unref(r);
        return -1;
    }
    ts_rwlock_write(&table.lock);
    int grown = TS_GROW(table.regs, table.reg_capacity, table.n_regs + 1);
    if (grown == 0) {
        atomic_fetch_add_explicit(&r->refs, 1, memory_order_relaxed);
        table.regs[table.n_regs++] = r;
        generation = ++table.generation;
        old = take_paths();
    }
    ts_rwlock_unlock(&table.lock);
    if (grown == 0 && own)
        keep(own, generation);
    if (old)
        renew(r, old, generation);
    ts_conv_path_unref(own);
    drop_table(old);
    registered_unref(r);
    return grown;
}

static bool same_or_any(const struct ts_type *pattern, const struct ts_type *t, bool hard)
{
    return !pattern || (hard ? ts_type_equal(pattern, t) : pattern->cls == t->cls);
}

static bool matches(const struct registered *r, const struct ts_conv_user *p)
{
    bool hard = r->pers == H5T_PERS_HARD;
    return (p->pers == H5T_PERS_DONTCARE || p->pers == r->pers) &&
           (!p->name || !*p->name || strncmp(p->name, r->name, NAME_SIZE - 1) == 0) &&
           (!p->func || p->func == r->func) && same_or_any(p->src, r->src, hard) && same_or_any(p->dst, r->dst, hard);
}

/* A function of the application that the pattern does not stand for goes on with its path. The path does not know its
 * name. */
static bool goes_on(const struct ts_conv_path *path, const struct ts_conv_user *p)
{
    const struct ts_node *root = path->root;
    if (root->kind != TS_NODE_USER)
        return false;
    bool hard = root->u.user.hard;
    return (p->pers != H5T_PERS_DONTCARE && (p->pers == H5T_PERS_HARD) != hard) ||
           (p->func && p->func != root->u.user.func) || !same_or_any(p->src, path->src, hard) ||
           !same_or_any(p->dst, path->dst, hard);
}

int ts_conv_unregister(const struct ts_conv_user *pattern)
{
    struct ts_conv_path **exported;
    struct path_table *paths;
    size_t n_exported, kept = 0, n;
    ts_rwlock_write(&table.lock);
    n = table.n_regs;
    for (size_t i = 0; i < n; i++) {
        if (matches(table.regs[i], pattern))
            registered_unref(table.regs[i]);
        else
            table.regs[kept++] = table.regs[i];
    }
    table.n_regs = kept;
    unsigned long generation = ++table.generation;
    paths = take_paths();
    exported = take_exported(&n_exported);
    ts_rwlock_unlock(&table.lock);
    for (size_t i = 0; paths && i < paths->n; i++) {
        struct ts_conv_path *old = paths->at[i];
        bool same = kept == n && old->root->kind != TS_NODE_USER; /* nothing is gone that could be a part of it */
        if (same || goes_on(old, pattern) || stays_own(old))
            keep(old, generation);
    }
    drop_table(paths);
    drop_paths(exported, n_exported);
    return 0;
}

H5T_conv_t ts_conv_user_func(const struct ts_conv_path *p)
{
    return p->root->kind == TS_NODE_USER ? p->root->u.user.func : NULL;
}

H5T_cdata_t *ts_conv_cdata(struct ts_conv_path *p)
{
    bool kept = false;
    ts_rwlock_write(&table.lock);
    for (size_t i = 0; i < table.n_exported; i++)
        kept = kept || table.exported[i] == p;
    if (!kept && TS_GROW(table.exported, table.exported_capacity, table.n_exported + 1) == 0) {
        table.exported[table.n_exported++] = ts_conv_path_ref(p);
        kept = true;
    }
    ts_rwlock_unlock(&table.lock);
    if (!kept)
        return NULL;
    return p->root->kind == TS_NODE_USER ? &p->root->u.user.cdata : &p->cdata;
}

void ts_conv_close(void)
{
    size_t n_exported;
    ts_rwlock_write(&table.lock);
    struct path_table *old = take_paths();
    struct ts_conv_path **exported = take_exported(&n_exported);
    struct registered **regs = table.regs;
    size_t n_regs = table.n_regs;
    table.regs = NULL;
    table.n_regs = table.reg_capacity = 0;
    table.generation++;
    ts_rwlock_unlock(&table.lock);
    drop_table(old);
    drop_paths(exported, n_exported);
    for (size_t i = 0; i < n_regs; i++)
        registered_unref(regs[i]);
    ts_free(regs);
}
