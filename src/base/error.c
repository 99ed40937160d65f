#include "base/error.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

static _Thread_local struct ts_err_stack current;

struct ts_err_stack *ts_err_current(void)
{
    return &current;
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
    rec->long_text = NULL;
    rec->why = TS_WHY_ANY;
    va_list args;
    va_start(args, fmt);
    vsnprintf(rec->text, sizeof rec->text, fmt, args);
    va_end(args);
}

void ts_err_stack_truncate(struct ts_err_stack *stack, unsigned depth)
{
    while (stack->depth > depth) {
        struct ts_err_record *rec = &stack->rec[--stack->depth];
        if (rec->owns_names) {
            ts_free((char *)rec->file);
            ts_free((char *)rec->func);
            ts_free(rec->long_text);
        }
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
