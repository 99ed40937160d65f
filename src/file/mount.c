#include "file/mount.h"

#include "base/alloc.h"
#include "base/error.h"

/* Guards the mounts of all files. Nobody who meets no mount takes it. */
static struct ts_mutex trees_lock = TS_MUTEX_INIT(TS_RANK_MOUNTS);

/* Mounts can lead in a circle when files are mounted through several handles. */
enum { MAX_CROSSINGS = 256 };

static struct ts_mount *find(const struct ts_file *f, haddr_t addr)
{
    struct ts_mount *m = f->mounts.first;
    while (m && m->addr != addr)
        m = m->next;
    return m;
}

static struct ts_fhandle *parent_of(const struct ts_fhandle *fh)
{
    return fh->mount ? fh->mount->parent : NULL;
}

static struct ts_fhandle *top_of(struct ts_fhandle *fh)
{
    while (fh->mount)
        fh = fh->mount->parent;
    return fh;
}

static int check_mount(const struct ts_fhandle *parent, haddr_t addr, const struct ts_fhandle *child)
{
    if (child->mount)
        return TS_ERR(FILE, MOUNT, "'%s' is already mounted", child->name);
    for (const struct ts_fhandle *up = parent; up; up = parent_of(up))
        if (up->file == child->file)
            return TS_ERR_AS(FILE, MOUNT, "mount would introduce a cycle", "mounting '%s' on '%s'", child->name,
                             parent->name);
    if (parent->file->agreed.close_degree != child->file->agreed.close_degree)
        return TS_ERR_AS(FILE, MOUNT, "mounted file has different file close degree than parent",
                         "'%s' has close degree %d, its parent '%s' has %d", child->name,
                         (int)child->file->agreed.close_degree, parent->name, (int)parent->file->agreed.close_degree);
    if (find(parent->file, addr))
        return TS_ERR(FILE, MOUNT, "the group at %#llx of '%s' is already a mount point", (unsigned long long)addr,
                      parent->name);
    return 0;
}

static void hold(struct ts_fhandle *fh)
{
    ts_fhandle_ref(fh);
    fh->held++;
    atomic_fetch_or(&fh->refs.n, TS_FHANDLE_MOUNTS);
}

/* The reference itself is dropped later, without the lock. */
static void release(struct ts_fhandle *fh)
{
    if (--fh->held == 0)
        atomic_fetch_and(&fh->refs.n, ~TS_FHANDLE_MOUNTS);
}

static bool in_tree(const struct ts_fhandle *fh)
{
    return atomic_load(&fh->refs.n) & TS_FHANDLE_MOUNTS;
}

static void attach(struct ts_mount *m)
{
    struct ts_file *f = m->parent->file;
    hold(m->parent);
    hold(m->child);
    m->child->mount = m;
    m->next = f->mounts.first;
    f->mounts.first = m;
    atomic_fetch_add(&f->mounts.n, 1);
    atomic_store(&f->mounts.renamed, true);
    atomic_store(&m->child->file->mounts.renamed, true);
}

static void detach(struct ts_mount *m)
{
    struct ts_mount **at = &m->parent->file->mounts.first;
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    atomic_fetch_sub(&m->parent->file->mounts.n, 1);
    m->child->mount = NULL;
    release(m->parent);
    release(m->child);
}

static void drop(struct ts_mount *m)
{
    ts_fhandle_unref(m->child);
    ts_fhandle_unref(m->parent);
    ts_free(m);
}

int ts_mount_add(struct ts_fhandle *parent, haddr_t addr, struct ts_fhandle *child)
{
    struct ts_mount *m = ts_calloc(1, sizeof *m);
    if (!m)
        return -1;
    *m = (struct ts_mount){.addr = addr, .parent = parent, .child = child};
    ts_mutex_lock(&trees_lock);
    int status = check_mount(parent, addr, child);
    if (status == 0)
        attach(m);
    ts_mutex_unlock(&trees_lock);
    if (status < 0)
        ts_free(m);
    return status;
}

int ts_mount_remove(struct ts_fhandle *fh, haddr_t addr)
{
    ts_mutex_lock(&trees_lock);
    struct ts_mount *m = fh->mount && addr == fh->file->sb.root ? fh->mount : find(fh->file, addr);
    if (m)
        detach(m);
    ts_mutex_unlock(&trees_lock);
    if (!m)
        return TS_ERR_AS(FILE, UNMOUNT, "not a mount point", "the group at %#llx of '%s' is not a mount point",
                         (unsigned long long)addr, fh->name);
    drop(m);
    return 0;
}

bool ts_mount_is_point(struct ts_file *f, haddr_t addr)
{
    if (!ts_mount_any(f))
        return false;
    ts_mutex_lock(&trees_lock);
    bool found = find(f, addr) != NULL;
    ts_mutex_unlock(&trees_lock);
    return found;
}

/* What is mounted there: a new reference, or NULL. */
static struct ts_fhandle *mounted_at(struct ts_file *f, haddr_t addr)
{
    ts_mutex_lock(&trees_lock);
    const struct ts_mount *m = find(f, addr);
    struct ts_fhandle *child = m ? m->child : NULL;
    if (child)
        ts_fhandle_ref(child);
    ts_mutex_unlock(&trees_lock);
    return child;
}

int ts_mount_cross(struct ts_fhandle **fh, haddr_t *addr)
{
    for (unsigned n = 0; ts_mount_any((*fh)->file); n++) {
        struct ts_fhandle *child = mounted_at((*fh)->file, *addr);
        if (!child)
            break;
        ts_fhandle_unref(*fh);
        *fh = child;
        *addr = child->file->sb.root;
        if (n == MAX_CROSSINGS)
            return TS_ERR(SYM, MOUNT, "'%s': more than %d files are mounted on each other's roots", child->name,
                          MAX_CROSSINGS);
    }
    return 0;
}

struct ts_fhandle *ts_mount_top(struct ts_fhandle *fh)
{
    if (!in_tree(fh)) {
        ts_fhandle_ref(fh);
        return fh;
    }
    ts_mutex_lock(&trees_lock);
    struct ts_fhandle *top = top_of(fh);
    ts_fhandle_ref(top);
    ts_mutex_unlock(&trees_lock);
    return top;
}

struct ts_fhandle *ts_mount_parent(struct ts_fhandle *fh)
{
    if (!in_tree(fh))
        return NULL;
    ts_mutex_lock(&trees_lock);
    struct ts_fhandle *parent = parent_of(fh);
    if (parent)
        ts_fhandle_ref(parent);
    ts_mutex_unlock(&trees_lock);
    return parent;
}

bool ts_mount_same_tree(struct ts_fhandle *a, struct ts_fhandle *b)
{
    if (a == b)
        return true;
    if (!in_tree(a))
        return false;
    ts_mutex_lock(&trees_lock);
    bool same = top_of(a) == top_of(b);
    ts_mutex_unlock(&trees_lock);
    return same;
}

/* Nobody but its mounts refers to a handle and those below it. */
static bool all_idle(const struct ts_fhandle *fh)
{
    if ((atomic_load(&fh->refs.n) & ~TS_FHANDLE_MOUNTS) != (long)fh->held)
        return false;
    for (const struct ts_mount *m = fh->file->mounts.first; m; m = m->next)
        if (m->parent == fh && !all_idle(m->child))
            return false;
    return true;
}

static struct ts_mount *first_on(const struct ts_fhandle *fh)
{
    struct ts_mount *m = fh->file->mounts.first;
    while (m && m->parent != fh)
        m = m->next;
    return m;
}

/* Moves all mounts on a handle and those below it to a list. */
static void detach_all(struct ts_fhandle *fh, struct ts_mount **list)
{
    struct ts_mount *m;
    while ((m = first_on(fh))) {
        detach(m);
        m->next = *list;
        *list = m;
        detach_all(m->child, list);
    }
}

bool ts_mount_unref(struct ts_fhandle *fh)
{
    struct ts_mount *ended = NULL, *next;
    ts_mutex_lock(&trees_lock);
    long left = (atomic_fetch_sub(&fh->refs.n, 1) & ~TS_FHANDLE_MOUNTS) - 1;
    if (left > 0 && all_idle(top_of(fh)))
        detach_all(top_of(fh), &ended);
    ts_mutex_unlock(&trees_lock);
    for (struct ts_mount *m = ended; m; m = next) {
        next = m->next;
        drop(m);
    }
    return left == 0;
}
