/* Copying objects, within a file or into another. An object is made first, as a header that lacks what is outside of
 * it, and filled later: so objects that lead to each other in circles are each copied once, and nothing nests on the
 * stack.
 *
 * Whatever fails because of the source leaves the destination's file sound: what is read from the source is read
 * before, not inside, the changes of the destination. The new objects hang on nothing until all is done; each has one
 * link more until then, and taking it back removes those of a copy that failed. */
#ifndef TS_OBJECT_COPY_H
#define TS_OBJECT_COPY_H

#include "base/cursor.h"
#include "base/map.h"
#include "object/object.h"

struct ts_copy_item {
    struct ts_loc from; /* the handle is owned; held open meanwhile */
    haddr_t to;         /* HADDR_UNDEF until it is made */
    H5O_type_t type;
    bool top;          /* what was asked for; all else was met on the way */
    bool by_reference; /* a reference led here first: perhaps no link does */
    bool merged;       /* was in the destination before */
};

struct ts_copy_source {
    struct ts_file *file;
    struct ts_map items; /* by address */
};

struct ts_copy {
    struct ts_fhandle *to; /* borrowed */
    unsigned flags;        /* H5O_COPY_* */
    /* A committed datatype of the destination that is like the one of the source: 1 and *addr, 0 none, negative on
     * error. NULL: none is looked for. The locks of both files may be held. */
    int (*find_type)(struct ts_copy *copy, const struct ts_loc *from, haddr_t *addr);
    void *find_ctx;
    size_t n, capacity, filled;
    struct ts_copy_item **items; /* in the order in which they were met */
    size_t n_sources, sources_capacity;
    struct ts_copy_source *sources;
    struct ts_map made; /* the items by the address of their copy */
};

static inline struct ts_file *ts_copy_file(const struct ts_copy *copy)
{
    return copy->to->file;
}

/* How the copy of an object was come by. */
enum ts_copy_way { TS_COPY_TOP, TS_COPY_LINK, TS_COPY_REFERENCE };
/* The copy of an object, made now unless it was before. Its count of links does not know of this use. */
int ts_copy_object(struct ts_copy *copy, const struct ts_loc *from, enum ts_copy_way way, haddr_t *to);
/* Fills all, with those that are met meanwhile. Without locks. */
int ts_copy_run(struct ts_copy *copy);
/* The end: the objects are on their own. Those of a copy that failed, to which nothing leads, go. */
int ts_copy_let_go(struct ts_copy *copy);
void ts_copy_deinit(struct ts_copy *copy);

/* A message of the new header. */
struct ts_copy_msg {
    unsigned type;
    uint8_t flags;
    struct ts_wr body;
    haddr_t child; /* the structure of the destination that it points at, or HADDR_UNDEF */
};

/* Elements as they are on disk in both files; copy_elements.c. */
enum ts_copy_refs {
    TS_COPY_KEEP_REFS,  /* they lead to the same object: in one file */
    TS_COPY_CLEAR_REFS, /* they lead nowhere */
    TS_COPY_MOVE_REFS,  /* they lead to the copy of the object */
};

struct ts_copy_elements {
    struct ts_copy *copy;
    struct ts_fhandle *from;
    const struct ts_type *src, *dst; /* alike, but for the sizes of addresses */
    enum ts_copy_refs refs;
};

/* The type of elements in the destination: of the source's on disk. */
int ts_copy_disk_type(const struct ts_copy *copy, const struct ts_type *src, struct ts_type **out);
/* What references in raw data become. */
enum ts_copy_refs ts_copy_refs(const struct ts_copy *copy, const struct ts_file *from);
/* n elements; what they refer to is put into the destination's heap. Takes the locks of both files. */
int ts_copy_elements(const struct ts_copy_elements *how, size_t n, const void *src, void *dst);

#endif
