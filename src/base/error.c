#include "base/error.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

static _Thread_local struct ts_err_stack current;

struct ts_err_stack *ts_err_current(void)
{
    return &current;
}

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;
static bool has_key;

static void clear(void *stack)
{
    ts_err_stack_clear(stack);
}

static void make_key(void)
{
    has_key = pthread_key_create(&thread_end, clear) == 0;
}

/* A thread may end with errors on its stack. */
static void clear_at_thread_end(void)
{
    pthread_once(&key_once, make_key);
    if (has_key)
        pthread_setspecific(thread_end, &current);
}

/* Room for what does not fit into a record, if there is any: its beginning will do. */
static char *long_text_room(size_t len)
{
    unsigned mark = ts_err_mark();
    char *room = ts_malloc(len + 1);
    if (room)
        clear_at_thread_end();
    else
        ts_err_rewind(mark);
    return room;
}

void ts_err_format(struct ts_err_record *rec, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(rec->text, sizeof rec->text, fmt, args);
    rec->long_text = len >= TS_ERR_TEXT ? long_text_room((size_t)len) : NULL;
    if (rec->long_text)
        vsnprintf(rec->long_text, (size_t)len + 1, fmt, again);
    va_end(again);
}

char *ts_err_copy_long_text(const struct ts_err_record *rec)
{
    size_t len = rec->long_text ? strlen(rec->long_text) : 0;
    char *copy = len > 0 ? long_text_room(len) : NULL;
    return copy ? memcpy(copy, rec->long_text, len + 1) : NULL;
}

void ts_err_push(enum ts_err_major maj, enum ts_err_minor min, const char *file, const char *func, unsigned line,
                 const char *fmt, ...)
{
    if (current.depth == TS_ERR_DEPTH)
        return;
    struct ts_err_record *rec = &current.rec[current.depth++];
    rec->cls_id = 0;
    rec->maj = maj;
    rec->min = min;
    rec->file = file;
    rec->func = func;
    rec->line = line;
    rec->owns_names = false;
    rec->why = TS_WHY_ANY;
    va_list args;
    va_start(args, fmt);
    ts_err_format(rec, fmt, args);
    va_end(args);
}

void ts_err_stack_truncate(struct ts_err_stack *stack, unsigned depth)
{
    while (stack->depth > depth) {
        struct ts_err_record *rec = &stack->rec[--stack->depth];
        if (rec->owns_names) {
            ts_free((char *)rec->file);
            ts_free((char *)rec->func);
        }
        ts_free(rec->long_text);
    }
}

void ts_err_stack_move(struct ts_err_stack *dst, struct ts_err_stack *src)
{
    ts_err_stack_clear(dst);
    memcpy(dst->rec, src->rec, src->depth * sizeof src->rec[0]);
    dst->depth = src->depth;
    src->depth = 0;
}

bool ts_err_no_memory(unsigned mark)
{
    for (unsigned i = mark; i < current.depth; i++)
        if (current.rec[i].maj == TS_MAJ_RESOURCE && current.rec[i].min == TS_MIN_NOSPACE)
            return true;
    return false;
}

int ts_err_because(enum ts_err_why why)
{
    if (current.depth > 0)
        current.rec[current.depth - 1].why = (uint8_t)why;
    return -1;
}

bool ts_err_was(unsigned mark, enum ts_err_why why)
{
    for (unsigned i = mark; i < current.depth; i++)
        if (current.rec[i].why == why)
            return true;
    return false;
}
