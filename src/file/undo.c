#include "file/undo.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "file/file.h"

/* What is kept for the next change; more is given back. */
enum { KEPT_STEPS = 4096, KEPT_BYTES = 256 << 10 };

bool ts_undo_touched(const struct ts_file *f)
{
    return f->undo.n > f->undo.begin || f->undo.doomed;
}

/* Whoever could not keep a step must not go on as if it had; not all can say so. */
static int doom(struct ts_file *f)
{
    f->undo.doomed = true;
    return -1;
}

int ts_undo_reserve(struct ts_file *f)
{
    struct ts_undo *u = &f->undo;
    return !ts_undo_keeps(f) || u->n < u->capacity || TS_GROW(u->steps, u->capacity, u->n + 1) == 0 ? 0 : doom(f);
}

int ts_undo_push(struct ts_file *f, ts_undo_fn *back, ts_undo_fn *done, void *at, uint64_t a, uint64_t b)
{
    struct ts_undo *u = &f->undo;
    if (!ts_undo_keeps(f)) {
        if (done)
            done(f, &(struct ts_undo_step){.at = at, .a = a, .b = b});
        return 0;
    }
    if (u->n == u->capacity && ts_undo_reserve(f) < 0)
        return -1;
    u->steps[u->n++] = (struct ts_undo_step){back, done, at, a, b};
    return 0;
}

static void bytes_back(struct ts_file *f, const struct ts_undo_step *step)
{
    memcpy(step->at, f->undo.bytes + step->b, step->a);
    f->undo.n_bytes = step->b;
}

static int make_room(struct ts_file *f, size_t size)
{
    struct ts_undo *u = &f->undo;
    if (TS_GROW(u->steps, u->capacity, u->n + 1) < 0 || TS_GROW(u->bytes, u->bytes_capacity, u->n_bytes + size) < 0)
        return doom(f);
    return 0;
}

int ts_undo_bytes(struct ts_file *f, void *at, size_t size)
{
    struct ts_undo *u = &f->undo;
    if (!ts_undo_keeps(f) || size == 0)
        return 0;
    if ((u->n == u->capacity || size > u->bytes_capacity - u->n_bytes) && make_room(f, size) < 0)
        return -1;
    memcpy(u->bytes + u->n_bytes, at, size);
    u->steps[u->n++] = (struct ts_undo_step){.back = bytes_back, .at = at, .a = size, .b = u->n_bytes};
    u->n_bytes += size;
    return 0;
}

static void free_memory(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    ts_free(step->at);
}

int ts_undo_free(struct ts_file *f, void *memory)
{
    return memory ? ts_undo_add(f, (struct ts_undo_step){.done = free_memory, .at = memory}) : 0;
}

int ts_undo_new(struct ts_file *f, void *memory)
{
    return memory ? ts_undo_add(f, (struct ts_undo_step){.back = free_memory, .at = memory}) : 0;
}

static int replace_array(struct ts_file *f, void **items, size_t *capacity, void *grown, size_t new_capacity)
{
    if (ts_undo_bytes(f, items, sizeof *items) < 0 || ts_undo_bytes(f, capacity, sizeof *capacity) < 0 ||
        ts_undo_free(f, *items) < 0 || ts_undo_new(f, grown) < 0)
        return -1;
    *items = grown;
    *capacity = new_capacity;
    return 0;
}

int ts_undo_grow(struct ts_file *f, void **items, size_t *capacity, size_t need, size_t size)
{
    if (!ts_undo_keeps(f) || need <= *capacity)
        return ts_grow(items, capacity, need, size);
    void *grown = NULL;
    size_t wanted = 0, twice;
    /* By less it would be new memory more often, and finding its pages costs more than what is written to them. */
    if (!ts_add_size(*capacity, *capacity, &twice) || ts_grow(&grown, &wanted, twice > need ? twice : need, size) < 0)
        return -1;
    if (*capacity > 0)
        memcpy(grown, *items, *capacity * size);
    if (replace_array(f, items, capacity, grown, wanted) == 0)
        return 0;
    ts_free(grown);
    return -1;
}

/* A change that is inside another begins with a step that says where that one began, and its number. */
int ts_undo_begin(struct ts_file *f)
{
    struct ts_undo *u = &f->undo;
    if (u->begin == 0)
        u->doomed = false;
    if (u->n == u->capacity && TS_GROW(u->steps, u->capacity, u->n + 1) < 0)
        return -1;
    u->steps[u->n++] = (struct ts_undo_step){.a = u->begin, .b = u->change};
    u->begin = u->n;
    u->change = ++u->numbered;
    return 0;
}

static void end_innermost(struct ts_undo *u)
{
    const struct ts_undo_step *begin = &u->steps[u->begin - 1];
    u->begin = begin->a;
    u->change = begin->b;
}

static void clear(struct ts_undo *u)
{
    u->n = u->n_bytes = 0;
    if (u->capacity > KEPT_STEPS) {
        ts_free(u->steps);
        u->steps = NULL;
        u->capacity = 0;
    }
    if (u->bytes_capacity > KEPT_BYTES) {
        ts_free(u->bytes);
        u->bytes = NULL;
        u->bytes_capacity = 0;
    }
}

void ts_undo_made(struct ts_file *f)
{
    struct ts_undo *u = &f->undo;
    end_innermost(u);
    if (u->begin > 0)
        return;
    /* What is done now cannot be undone, and keeps nothing: begin is 0. */
    for (size_t i = 0; i < u->n; i++) {
        const struct ts_undo_step *step = &u->steps[i];
        /* Nearly all there is to do is this: called by its name it costs half. */
        if (step->done == free_memory)
            ts_free(step->at);
        else if (step->done)
            step->done(f, step);
    }
    clear(u);
}

void ts_undo_go_back(struct ts_file *f)
{
    struct ts_undo *u = &f->undo;
    u->going_back = true;
    while (u->n > u->begin) {
        struct ts_undo_step step = u->steps[--u->n];
        if (step.back)
            step.back(f, &step);
    }
    u->going_back = false;
    end_innermost(u);
    u->n--;
    if (u->begin == 0)
        clear(u);
}

void ts_undo_deinit(struct ts_undo *undo)
{
    ts_free(undo->steps);
    ts_free(undo->bytes);
    *undo = (struct ts_undo){0};
}
