/* Conversion of data from one datatype to another.
 *
 * ts_conv_find gives a path, which knows how; paths are cached, so finding the same one again is cheap. A path says
 * nothing about where data lives: what a conversion needs from outside (heaps of the file, callbacks of the
 * application) comes with each run in struct ts_conv_env. */
#ifndef TS_TYPE_CONV_H
#define TS_TYPE_CONV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5MMpublic.h"
#include "H5Rpublic.h"
#include "H5Tpublic.h"

struct ts_chunk_heap;
struct ts_conv_path;
struct ts_type;
struct ts_wr;

/* Resolves what elements on disk refer to. */
struct ts_vl_source {
    /* The object of a global heap id (file address, then 4 bytes of index): *data is allocated with ts_malloc. */
    int (*read)(void *ctx, const uint8_t *heap_id, void **data, size_t *size);
    /* The same without a copy, for who reads many: *data is the source's until the next call with *held, or until
     * give_back. In between nothing of the application and of another file may run. *held is NULL at first. */
    int (*borrow)(void *ctx, void **held, const uint8_t *heap_id, const uint8_t **data, size_t *size);
    void (*give_back)(void *ctx, void *held);
    /* Makes an H5R_ref_t, which owns what destroy_reference lets go, of a reference as it is stored: an old one of the
     * kind H5R_OBJECT1 or H5R_DATASET_REGION1, a revised one of any other. NULL when only those that refer to nothing
     * can be read. */
    int (*make_reference)(void *ctx, H5R_type_t kind, const uint8_t *disk, size_t disk_size, void *ref);
    void (*destroy_reference)(void *ref);
    /* The same of a revised one in the segment of a structured chunk's heap; NULL: they cannot be read. */
    int (*decode_reference)(void *ctx, const uint8_t *segment, size_t size, void *ref);
    void *ctx;
};

/* Stores what elements on disk refer to. What it holds of the file from one call to the next (a lock) ends with pause:
 * the conversion calls it before anything of the application or of another file runs, and at its end. */
struct ts_vl_sink {
    /* Puts the bytes of a sequence into the file; disk gets the global heap id (file address, then 4 bytes of index).
     */
    int (*write)(void *ctx, const void *data, size_t size, uint8_t *heap_id);
    /* An element that is overwritten referred to this; it goes once the new element is on file. */
    int (*release)(void *ctx, const uint8_t *heap_id);
    /* The disk form of an H5R_ref_t, all disk_size bytes, which is an old one or a revised one, as of the kind; and the
     * end of what a revised one that is overwritten referred to. */
    int (*store_reference)(void *ctx, H5R_type_t kind, const void *ref, uint8_t *disk, size_t disk_size);
    int (*release_reference)(void *ctx, const uint8_t *disk, size_t disk_size);
    /* The segment in a structured chunk's heap for an H5R_ref_t; NULL: they cannot be written. */
    int (*encode_reference)(void *ctx, const void *ref, struct ts_wr *segment);
    int (*pause)(void *ctx);
    unsigned addr_size; /* of the file */
    void *ctx;
};

struct ts_conv_except {
    H5T_conv_except_func_t func; /* NULL: no callback */
    void *data;
};

/* Ids for the datatypes that a callback of the application is told about. */
struct ts_conv_ids {
    hid_t (*make)(const struct ts_type *type);
    void (*drop)(hid_t id);
};

/* What several runs made in memory for variable-length elements and references. */
struct ts_conv_made {
    void **memory;
    size_t n_memory, capacity_memory;
    H5R_ref_t *refs;
    size_t n_refs, capacity_refs;
};

struct ts_conv_env {
    const struct ts_vl_source *source; /* NULL: no element may refer to a file */
    const struct ts_vl_sink *sink;     /* NULL: none may be made that does. Then source reads what is overwritten */
    /* What elements at TS_LOC_CHUNK refer to. Source and sink serve revised references only, then. Writing, the
     * destination holds what is overwritten, zeros where nothing is, and what that referred to goes when the run has
     * succeeded. */
    struct ts_chunk_heap *chunk;
    struct ts_conv_except except;
    H5MM_allocate_t vl_alloc; /* NULL: malloc, so that the application may use free */
    void *vl_alloc_info;
    H5MM_free_t vl_free;
    void *vl_free_info;
    struct ts_conv_made *made;     /* NULL: only a run that fails takes back what it made */
    const struct ts_conv_ids *ids; /* NULL: callbacks are given src_id and dst_id for parts of a type too */
    hid_t dxpl, src_id, dst_id;    /* for callbacks only */
};

/* The way from src to dst; released with ts_conv_path_unref. An error when there is none. */
int ts_conv_find(const struct ts_type *src, const struct ts_type *dst, struct ts_conv_path **out);
struct ts_conv_path *ts_conv_path_ref(struct ts_conv_path *p);
void ts_conv_path_unref(struct ts_conv_path *p); /* NULL is fine */

/* Tells env->sink all that n elements on disk refer to as no longer needed, sequences in sequences too, which
 * env->source reads. */
int ts_conv_release(const struct ts_conv_env *env, const struct ts_type *t, size_t n, const uint8_t *disk);

/* Another number after each change of what the application has registered: who remembers something about a path
 * compares it with the one from before ts_conv_find. */
unsigned long ts_conv_generation(void);

/* Source bytes are destination bytes. */
bool ts_conv_is_noop(const struct ts_conv_path *p);
/* The result depends on what the destination held before: members that the source lacks, gaps between members; or
 * that referred to something which goes: variable-length elements on disk. */
bool ts_conv_needs_background(const struct ts_conv_path *p);
/* No function of the application takes part. */
bool ts_conv_is_own(const struct ts_conv_path *p);
/* One of the direct conversions between native numbers, or a hard one of the application. */
bool ts_conv_is_hard(const struct ts_conv_path *p);

/* In place: buf holds n packed elements of the source type, then n packed elements of the destination type, and has
 * room for the larger. bkg holds n packed destination elements, or is NULL (then zeros). After an error the content of
 * buf is undefined, and what the run made in memory for variable-length elements and references is gone again; what it
 * put into a file or a chunk's heap stays there unused. */
int ts_conv_run(struct ts_conv_path *p, const struct ts_conv_env *env, size_t n, void *buf, const void *bkg);
/* The same from one buffer to another; they must not overlap. dst holds the background. */
int ts_conv_copy(struct ts_conv_path *p, const struct ts_conv_env *env, size_t n, const void *src, void *dst);
/* Takes back what all runs with env->made have made, which may be none: a later part of the same call has failed. */
void ts_conv_undo(const struct ts_conv_env *env);
void ts_conv_made_deinit(struct ts_conv_made *made);

/* Conversions of the application. */
struct ts_conv_call {
    const struct ts_type *src, *dst;
    H5T_cdata_t *cdata;
    size_t n, buf_stride, bkg_stride;
    void *buf, *bkg;
    const struct ts_conv_env *env; /* NULL for the commands init and free */
};

struct ts_conv_user {
    H5T_pers_t pers;
    const char *name;                /* up to 31 characters count */
    const struct ts_type *src, *dst; /* soft: only their classes matter. NULL in a pattern: any */
    H5T_conv_t func;
    int (*invoke)(H5T_conv_t func, const struct ts_conv_call *call);
};

/* From now on paths use it where it applies, before what the library would do. Fails when a hard one declines its
 * types. */
int ts_conv_register(const struct ts_conv_user *user);
/* Removes every registered conversion that matches: a pers of H5T_PERS_DONTCARE, a NULL name, type or func match all.
 */
int ts_conv_unregister(const struct ts_conv_user *pattern);
/* The application's function that the whole path is, or NULL; *cdata is the path's own. */
H5T_conv_t ts_conv_user_func(const struct ts_conv_path *p);
/* Client data with which the application may call the path; valid until ts_conv_close. */
H5T_cdata_t *ts_conv_cdata(struct ts_conv_path *p);
/* Forgets all paths and registrations: the library closes. */
void ts_conv_close(void);

#endif
