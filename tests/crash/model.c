#include "model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void model_add(struct model *m, const struct world *world, hid_t file, bool flushed)
{
    m->states = realloc(m->states, (m->n + 1) * sizeof *m->states);
    struct state *s = &m->states[m->n++];
    s->tick = world->tick;
    s->flushed = flushed;
    dump_file(&s->dump, file);
    if (s->dump.errors) {
        fprintf(stderr, "the file cannot be read while it is written:\n%s", s->dump.text);
        abort();
    }
}

void model_free(struct model *m)
{
    for (unsigned i = 0; i < m->n; i++)
        dump_free(&m->states[i].dump);
    free(m->states);
    m->states = NULL;
    m->n = 0;
}

static bool no(struct model *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(m->why, sizeof m->why, format, args);
    va_end(args);
    return false;
}

/* What was written between two states. */
struct span {
    uint64_t after, until;
};

static bool shrunk(const struct model *m, unsigned oid, struct span span)
{
    for (unsigned i = 0; i < m->world->n_shrinks; i++) {
        const struct shrink *s = &m->world->shrinks[i];
        if (s->oid == oid && s->tick > span.after && s->tick <= span.until)
            return true;
    }
    return false;
}

/* An element: where it is, what it was in the state that is compared, and when it may have been written over. */
struct place {
    const struct dump_dataset *ds;
    uint64_t index, old;
    struct span span;
};

static bool may_be(const struct model *m, const struct place *p, uint64_t v)
{
    if (!cell_belongs(v, p->ds->oid, p->index))
        return false;
    uint64_t tick = cell_tick(v);
    return tick ? tick > p->span.after && tick <= p->span.until : shrunk(m, p->ds->oid, p->span);
}

/* Whether some value that may be there, or the old one, has these bytes of v. */
static bool has_part(const struct model *m, const struct place *p, uint64_t v, uint64_t part)
{
    bool found = ((v ^ p->old) & part) == 0;
    for (uint64_t tick = 0; tick <= p->span.until && !found; tick++) {
        uint64_t with = cell(tick, p->ds->oid, p->index);
        found = ((v ^ with) & part) == 0 && may_be(m, p, with);
    }
    return found;
}

/* Made of two values that may be there. */
static bool may_be_torn(const struct model *m, const struct place *p, uint64_t v)
{
    for (int bytes = 1; bytes < 8; bytes++) {
        uint64_t low = (UINT64_C(1) << 8 * bytes) - 1;
        if (has_part(m, p, v, low) && has_part(m, p, v, ~low))
            return true;
    }
    return false;
}

static uint64_t index_of(const struct dump_dataset *ds, size_t i)
{
    return ds->rank == 2 ? i / ds->columns * CELL_ROW + i % ds->columns : i;
}

/* In a mixed state an element is as old as it was at the flush, or newer. */
static bool mixed_cell(const struct model *m, const struct dump *base, const struct place *p, uint64_t v)
{
    if (may_be(m, p, v))
        return true;
    for (size_t k = 0; k < base->n_datasets; k++) {
        const struct dump_dataset *old = &base->datasets[k];
        if (old->oid != p->ds->oid)
            continue;
        for (size_t i = 0; i < old->n; i++)
            if (index_of(old, i) == p->index)
                return v == base->cells[old->first + i];
        break;
    }
    return v == cell(0, p->ds->oid, 0);
}

static bool cells_fit(struct model *m, const struct dump *got, const struct state *s, const struct state *base,
                      struct span span, bool torn)
{
    for (size_t k = 0; k < got->n_datasets; k++) {
        const struct dump_dataset *ds = &got->datasets[k];
        for (size_t i = 0; i < ds->n; i++) {
            uint64_t v = got->cells[ds->first + i], want = s->dump.cells[ds->first + i];
            struct place p = {.ds = ds, .index = index_of(ds, i), .old = want, .span = span};
            if (v == want || (m->mixed && mixed_cell(m, &base->dump, &p, v)) || (ds->in_place && may_be(m, &p, v)))
                continue;
            if (ds->in_place && torn && !ds->texts && may_be_torn(m, &p, v))
                continue;
            return no(m, "state %td: element %zu of dataset %zu (number %u, %s) is of time %llu, not %llu (%llx, %llx)",
                      s - m->states + 1, i, k, ds->oid, ds->in_place ? "in place" : "elsewhere",
                      (unsigned long long)cell_tick(v), (unsigned long long)cell_tick(want), (unsigned long long)v,
                      (unsigned long long)want);
        }
    }
    return true;
}

static bool same_text(const struct dump *a, const struct dump *b)
{
    return a->size == b->size && a->n_cells == b->n_cells && memcmp(a->text, b->text, a->size) == 0;
}

static bool differs(struct model *m, const struct dump *got, const struct dump *want, unsigned number)
{
    size_t i = 0;
    while (i < got->size && i < want->size && got->text[i] == want->text[i])
        i++;
    size_t from = i < 300 ? 0 : i - 300;
    return no(m, "not state %u: got\n%.600s\n-- instead of\n%.600s", number, got->text + from, want->text + from);
}

/* One of the states from the flushed one `base` on, when `last` was the last to be noted. */
static bool fits_since(struct model *m, const struct dump *got, unsigned base, unsigned last, bool torn)
{
    unsigned next = last < m->n ? last + 1 : last;
    const struct state *from = &m->states[base - 1];
    bool known = false;
    for (unsigned k = base; k <= next; k++) {
        const struct state *s = &m->states[k - 1];
        /* When the state was brought to the file all elements were there. */
        struct span span = {.after = from->tick, .until = k > base && !m->mixed ? from->tick : m->states[next - 1].tick};
        if (!same_text(got, &s->dump))
            continue;
        known = true;
        if (cells_fit(m, got, s, from, span, torn))
            return true;
    }
    return known ? false : differs(m, got, &m->states[last - 1].dump, last);
}

static unsigned flushed_before(const struct model *m, unsigned state)
{
    while (state > 1 && !m->states[state - 1].flushed)
        state--;
    return state;
}

static bool fits(struct model *m, const struct dump *got, unsigned last, bool torn)
{
    return fits_since(m, got, flushed_before(m, last), last, torn);
}

static bool fits_any(struct model *m, const struct dump *got, unsigned last, bool torn)
{
    for (unsigned base = flushed_before(m, last); base > 0; base = base > 1 ? flushed_before(m, base - 1) : 0)
        if (fits_since(m, got, base, last, torn))
            return true;
    return false;
}

typedef bool fits_fn(struct model *m, const struct dump *got, unsigned last, bool torn);

static bool allows_dump(struct model *m, const struct dump *got, fits_fn *fn, unsigned last, bool torn)
{
    m->why[0] = 0;
    return got->errors == 0 ? fn(m, got, last, torn) : differs(m, got, &m->states[last - 1].dump, last);
}

bool model_allows_dump(struct model *m, const struct dump *got, unsigned last, bool torn)
{
    return allows_dump(m, got, fits, last, torn);
}

static bool allows(struct model *m, hid_t file, fits_fn *fn, unsigned last, bool torn)
{
    struct dump got;
    dump_file(&got, file);
    bool ok = allows_dump(m, &got, fn, last, torn);
    dump_free(&got);
    return ok;
}

bool model_allows(struct model *m, hid_t file, unsigned last, bool torn)
{
    return allows(m, file, fits, last, torn);
}

bool model_allows_any(struct model *m, hid_t file, unsigned last, bool torn)
{
    return allows(m, file, fits_any, last, torn);
}

bool model_allows_file(struct model *m, const char *path, unsigned flags, unsigned last, bool torn)
{
    hid_t file = H5Fopen(path, flags, H5P_DEFAULT);
    if (file < 0)
        return no(m, "the file does not open");
    bool ok = model_allows(m, file, last, torn);
    if (H5Fclose(file) < 0)
        return no(m, "the file does not close");
    return ok;
}
