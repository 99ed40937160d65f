/* Filters for the sections of structured chunks in a creation list (sections.h). */
#include "plist/sections.h"

#include "base/alloc.h"
#include "base/error.h"
#include "filter/filter.h"
#include "format/structured_chunk.h"
#include "plist/engine.h"

#define MAX_SECTION 255

static unsigned asked_type(const struct ts_layout_prop *layout, H5D_density_t density)
{
    unsigned sparse = density == H5D_DENSITY_SPARSE ? TS_STRUCT_SPARSE : 0;
    /* A list begins with contiguous storage: the layout was not chosen. */
    if (layout->cls == H5D_CHUNKED || layout->cls == H5D_CONTIGUOUS)
        return sparse;
    if (layout->cls != H5D_STRUCT_CHUNK)
        return 0;
    /* Without a kind it is the one that every datatype can be. */
    return layout->struct_type ? layout->struct_type | sparse : TS_STRUCT_SPARSE;
}

int ts_dcpl_struct_type(struct ts_plist *pl, unsigned *type)
{
    struct ts_layout_prop layout;
    H5D_density_t density;
    *type = 0;
    if (!ts_plist_is(pl, TS_PLIST_DATASET_CREATE))
        return 0;
    if (ts_dcpl_peek_layout(pl, &layout) < 0 || ts_dcpl_said_density(pl, &density) < 0)
        return -1;
    *type = asked_type(&layout, density);
    return 0;
}

static int make_structured(struct ts_layout_prop *layout, unsigned type, bool heap)
{
    if (type & TS_STRUCT_VL && !heap)
        return TS_ERR(PLIST, BADVALUE, "H5D_VL_CHUNK is for datatypes with variable-length data");
    layout->cls = H5D_STRUCT_CHUNK;
    layout->struct_type = (type & TS_STRUCT_SPARSE) | (heap ? TS_STRUCT_VL : 0u);
    return 0;
}

/* Datasets that are not in chunks of their own cannot be stored sparsely; of virtual ones the sources decide. */
static int check_density(H5D_density_t density, const struct ts_layout_prop *layout)
{
    if (density == H5D_DENSITY_SPARSE && layout->cls == H5D_COMPACT)
        return TS_ERR(PLIST, BADVALUE, "H5D_DENSITY_SPARSE is for chunks: the layout is compact");
    return 0;
}

int ts_dcpl_creation_layout(struct ts_plist *pl, bool heap, struct ts_layout_prop *out)
{
    H5D_density_t density = H5D_DENSITY_DENSE;
    if (ts_dcpl_layout(pl, out) < 0)
        return -1;
    int status = ts_dcpl_said_density(pl, &density);
    unsigned type = ts_plist_is(pl, TS_PLIST_DATASET_CREATE) ? asked_type(out, density) : 0;
    if (status == 0)
        status = type == 0 ? check_density(density, out) : make_structured(out, type, heap);
    if (status < 0)
        ts_layout_prop_deinit(out);
    return status;
}

/* Of a section by its number in chunks of this type. */
static H5_section_type_t kind_of(unsigned type, unsigned section)
{
    return (H5_section_type_t)(type & TS_STRUCT_SPARSE ? section : section + 1);
}

/* With the heap that a datatype may bring along. */
static unsigned possible_sections(unsigned type)
{
    return ts_struct_heap_section(type) + 1;
}

/* Two filters are for numbers, and may lose some of their bits. Sections that others depend on have a checksum already,
 * and references in place of numbers. */
static bool makes_sense(H5Z_filter_t id, unsigned type, H5_section_type_t kind)
{
    switch (id) {
    case TS_FILTER_SELECTION_PACKING:
        return kind == H5_SECTION_SELECTION;
    case H5Z_FILTER_NBIT:
    case H5Z_FILTER_SCALEOFFSET:
    case H5Z_FILTER_FLETCHER32:
        return kind == H5_SECTION_FIXED && !(type & TS_STRUCT_VL);
    default:
        return true;
    }
}

static bool applies(const struct ts_filter *f, unsigned type, unsigned section)
{
    H5_section_type_t kind = kind_of(type, section);
    if (f->only)
        return f->only == TS_ONLY_NUMBER(section) || f->only == TS_ONLY_KIND(kind);
    return makes_sense(f->id, type, kind);
}

static int choose(const struct ts_pipeline *all, unsigned type, unsigned section, struct ts_pipeline *out)
{
    for (size_t i = 0; i < all->n; i++) {
        if (applies(&all->filters[i], type, section) && ts_pipeline_add(out, &all->filters[i]) < 0)
            return -1;
    }
    return 0;
}

/* The filters of one section of a list; the packing comes before them. */
static int section_filters(struct ts_plist *pl, unsigned type, unsigned section, struct ts_pipeline *out)
{
    static const struct ts_filter packing = {.id = TS_FILTER_SELECTION_PACKING, .flags = H5Z_FLAG_OPTIONAL};
    struct ts_pipeline p = {0};
    bool packed;
    if (ts_dcpl_selection_packing(pl, &packed) < 0)
        return -1;
    if (packed && kind_of(type, section) == H5_SECTION_SELECTION && ts_pipeline_add(&p, &packing) < 0)
        return -1;
    const struct ts_pipeline *all = ts_ocpl_hold_pipeline(pl);
    int status = all ? choose(all, type, section, &p) : -1;
    if (all)
        ts_plist_release(pl);
    if (status < 0)
        ts_pipeline_deinit(&p);
    else
        *out = p;
    return status;
}

int ts_dcpl_section_pipelines(struct ts_plist *pl, unsigned type, struct ts_pipeline_sections *out)
{
    struct ts_pipeline_sections p = {.section = {{0}}};
    unsigned n = ts_struct_sections(type);
    for (unsigned i = 0; i < n; i++)
        if (section_filters(pl, type, i, &p.section[i]) < 0) {
            ts_pipeline_sections_deinit(&p);
            return -1;
        }
    *out = p;
    return 0;
}

/* Filters of all sections in one pipeline; a packing that comes first is left out. */
static int gather(const struct ts_pipeline_sections *sections, unsigned type, bool packed, struct ts_pipeline *out)
{
    unsigned n = ts_struct_sections(type);
    for (unsigned s = 0; s < n; s++)
        for (size_t i = packed && s == 0; i < sections->section[s].n; i++) {
            struct ts_filter f = sections->section[s].filters[i];
            f.only = TS_ONLY_NUMBER(s);
            if (ts_pipeline_add(out, &f) < 0)
                return -1;
        }
    return 0;
}

int ts_dcpl_set_section_pipelines(struct ts_plist *pl, unsigned type, const struct ts_pipeline_sections *sections)
{
    const struct ts_pipeline *first = &sections->section[0];
    bool packed = type & TS_STRUCT_SPARSE && first->n > 0 && first->filters[0].id == TS_FILTER_SELECTION_PACKING;
    struct ts_pipeline p = {0};
    int status = gather(sections, type, packed, &p);
    if (status == 0)
        status = ts_dcpl_set_selection_packing(pl, packed);
    if (status == 0)
        status = ts_ocpl_set_pipeline(pl, &p);
    ts_pipeline_deinit(&p);
    return status;
}

/* The number of the section of a kind in chunks of this type; false when there is none. */
static bool find_kind(unsigned type, H5_section_type_t kind, unsigned *section)
{
    for (unsigned s = 0; s < possible_sections(type); s++)
        if (kind_of(type, s) == kind) {
            *section = s;
            return true;
        }
    return false;
}

/* The section of another type that holds the same; false when there is none. */
static bool renumber(unsigned from, unsigned to, unsigned *only)
{
    bool by_kind = *only >= TS_ONLY_KIND(0);
    H5_section_type_t kind = by_kind ? (H5_section_type_t)(*only - TS_ONLY_KIND(0)) : kind_of(from, *only - 1);
    unsigned section;
    if (to == 0) {
        *only = by_kind ? *only : 0;
        return kind == H5_SECTION_FIXED;
    }
    if (!find_kind(to, kind, &section))
        return false;
    *only = by_kind ? *only : TS_ONLY_NUMBER(section);
    return true;
}

static int follow(const struct ts_pipeline *old, unsigned from, unsigned to, struct ts_pipeline *out)
{
    for (size_t i = 0; i < old->n; i++) {
        struct ts_filter f = old->filters[i];
        if ((!f.only || renumber(from, to, &f.only)) && ts_pipeline_add(out, &f) < 0)
            return -1;
    }
    return 0;
}

/* The list's pipeline becomes what `make` makes of it, or stays as it is. */
typedef int rewrite_fn(const struct ts_pipeline *old, const void *how, struct ts_pipeline *out);

static int rewrite(struct ts_plist *pl, rewrite_fn *make, const void *how)
{
    struct ts_pipeline p = {0}, *old = ts_ocpl_edit_pipeline(pl);
    if (!old)
        return -1;
    int status = make(old, how, &p);
    if (status == 0) {
        struct ts_pipeline was = *old;
        *old = p;
        p = was;
    }
    ts_plist_release(pl);
    ts_pipeline_deinit(&p);
    return status;
}

struct types {
    unsigned from, to;
};

static int follow_types(const struct ts_pipeline *old, const void *how, struct ts_pipeline *out)
{
    const struct types *t = how;
    return follow(old, t->from, t->to, out);
}

/* After the layout or the density changed. What was named before there were sections keeps its numbers. */
static int renumber_filters(struct ts_plist *pl, unsigned from)
{
    struct types t = {.from = from};
    if (ts_dcpl_struct_type(pl, &t.to) < 0)
        return -1;
    bool same = t.from == 0 || (t.to != 0 && kind_of(t.from, 0) == kind_of(t.to, 0));
    return same ? 0 : rewrite(pl, follow_types, &t);
}

int ts_dcpl_change_layout(struct ts_plist *pl, const struct ts_layout_prop *layout)
{
    unsigned from;
    if (ts_dcpl_struct_type(pl, &from) < 0 || ts_dcpl_set_layout(pl, layout) < 0)
        return -1;
    return renumber_filters(pl, from);
}

int ts_dcpl_set_density(struct ts_plist *pl, H5D_density_t density)
{
    unsigned from;
    if (ts_dcpl_struct_type(pl, &from) < 0 || ts_dcpl_set_said_density(pl, density) < 0)
        return -1;
    struct ts_layout_prop *layout = ts_dcpl_edit_layout(pl);
    if (!layout)
        return -1;
    if (layout->cls == H5D_STRUCT_CHUNK && density == H5D_DENSITY_SPARSE) {
        layout->struct_type |= TS_STRUCT_SPARSE;
    } else if (layout->cls == H5D_STRUCT_CHUNK) {
        layout->struct_type &= ~(unsigned)TS_STRUCT_SPARSE;
        if (layout->struct_type == 0)
            layout->cls = H5D_CHUNKED;
    }
    ts_plist_release(pl);
    return renumber_filters(pl, from);
}

/* The number of a section in chunks of this type. */
static int check_section(unsigned type, uint64_t *section)
{
    if (*section == TS_SECTION_ALL)
        *section = ts_struct_fixed_section(type);
    if (*section > MAX_SECTION)
        return TS_ERR(ARGS, BADRANGE, "section %llu is not between 0 and %d", (unsigned long long)*section,
                      MAX_SECTION);
    if (type != 0 && *section >= possible_sections(type))
        return TS_ERR(ARGS, BADRANGE, "section %llu: these structured chunks have %u at most",
                      (unsigned long long)*section, possible_sections(type));
    return 0;
}

int ts_dcpl_kind_section(struct ts_plist *pl, H5_section_type_t kind, uint64_t *section)
{
    static const char *const names[H5_SECTION_NUM] = {"selections", "fixed data", "variable-length data"};
    unsigned type, number = 0;
    if (kind <= H5_SECTION_UNKNOWN || kind >= H5_SECTION_NUM)
        return TS_ERR(ARGS, BADRANGE, "no kind of section %d", (int)kind);
    if (ts_dcpl_struct_type(pl, &type) < 0)
        return -1;
    if (type == 0 ? kind != H5_SECTION_FIXED : !find_kind(type, kind, &number))
        return TS_ERR(ARGS, BADVALUE, "the list asks for chunks without a section of %s", names[kind]);
    *section = number;
    return 0;
}

int ts_dcpl_filters(struct ts_plist *pl, uint64_t section, struct ts_pipeline *out)
{
    unsigned type;
    if (ts_dcpl_struct_type(pl, &type) < 0 || check_section(type, &section) < 0)
        return -1;
    return type == 0 ? ts_ocpl_pipeline(pl, out) : section_filters(pl, type, (unsigned)section, out);
}

/* Takes the section from filter->only. */
static int append(struct ts_plist *pl, const struct ts_filter *filter)
{
    struct ts_pipeline *p = ts_ocpl_edit_pipeline(pl);
    if (!p)
        return -1;
    int status = p->n >= H5Z_MAX_NFILTERS ? TS_ERR(PLINE, CANTINIT, "more than %d filters", H5Z_MAX_NFILTERS)
                                          : ts_pipeline_add(p, filter);
    ts_plist_release(pl);
    return status;
}

int ts_dcpl_add_filter(struct ts_plist *pl, uint64_t section, const struct ts_filter *filter)
{
    struct ts_filter f = *filter;
    unsigned type;
    bool all = section == TS_SECTION_ALL || !ts_plist_is(pl, TS_PLIST_DATASET_CREATE);
    if (ts_dcpl_struct_type(pl, &type) < 0 || check_section(type, &section) < 0)
        return -1;
    f.only = all ? 0 : TS_ONLY_NUMBER((unsigned)section);
    return append(pl, &f);
}

int ts_dcpl_add_kind_filter(struct ts_plist *pl, H5_section_type_t kind, const struct ts_filter *filter)
{
    struct ts_filter f = *filter;
    uint64_t section;
    if (ts_dcpl_kind_section(pl, kind, &section) < 0)
        return -1;
    f.only = ts_plist_is(pl, TS_PLIST_DATASET_CREATE) ? TS_ONLY_KIND(kind) : 0;
    return append(pl, &f);
}

/* A change of the filters of one section. */
struct change {
    unsigned type, section;
    bool everywhere;
    H5Z_filter_t id;
    const struct ts_filter *other; /* NULL: removed */
    size_t *done;
};

/* A filter for all sections becomes one for each of the others. */
static int keep_others(const struct change *c, const struct ts_filter *f, struct ts_pipeline *out, bool *any)
{
    *any = false;
    for (unsigned s = 0; !f->only && s < possible_sections(c->type); s++) {
        struct ts_filter one = *f;
        if (s == c->section || !applies(f, c->type, s))
            continue;
        *any = true;
        one.only = TS_ONLY_NUMBER(s);
        if (ts_pipeline_add(out, &one) < 0)
            return -1;
    }
    return 0;
}

static int add_other(const struct change *c, const struct ts_filter *f, unsigned only, struct ts_pipeline *out)
{
    struct ts_filter other = *f;
    other.flags = c->other->flags;
    other.n_values = c->other->n_values;
    other.values = c->other->values;
    other.only = only;
    return ts_pipeline_add(out, &other);
}

static int change_one(const struct change *c, const struct ts_filter *f, struct ts_pipeline *out)
{
    bool others = false;
    ++*c->done;
    if (!c->everywhere && keep_others(c, f, out, &others) < 0)
        return -1;
    return c->other ? add_other(c, f, others ? TS_ONLY_NUMBER(c->section) : f->only, out) : 0;
}

static int change_filters(const struct ts_pipeline *old, const void *how, struct ts_pipeline *out)
{
    const struct change *c = how;
    for (size_t i = 0; i < old->n; i++) {
        const struct ts_filter *f = &old->filters[i];
        bool meant = (f->id == c->id || (!c->other && c->id == H5Z_FILTER_ALL)) &&
                     (c->everywhere || applies(f, c->type, c->section)) && !(c->other && c->type == 0 && *c->done > 0);
        if ((meant ? change_one(c, f, out) : ts_pipeline_add(out, f)) < 0) {
            ts_pipeline_deinit(out);
            return -1;
        }
    }
    return 0;
}

/* A list without filters has the class's pipeline, which does not become its own. */
static int change(struct ts_plist *pl, uint64_t section, struct change *c)
{
    struct ts_pipeline p;
    c->everywhere = section == TS_SECTION_ALL;
    if (ts_dcpl_struct_type(pl, &c->type) < 0 || check_section(c->type, &section) < 0)
        return -1;
    c->everywhere |= c->type == 0;
    c->section = (unsigned)section;
    if (ts_ocpl_pipeline(pl, &p) < 0)
        return -1;
    bool any = p.n > 0;
    ts_pipeline_deinit(&p);
    return any ? rewrite(pl, change_filters, c) : 0;
}

int ts_dcpl_modify_filter(struct ts_plist *pl, uint64_t section, const struct ts_filter *filter)
{
    size_t done = 0;
    struct change c = {.id = filter->id, .other = filter, .done = &done};
    if (change(pl, section, &c) < 0)
        return -1;
    return done ? 0 : TS_ERR(PLINE, NOTFOUND, "filter %d is not in the pipeline", (int)filter->id);
}

/* True when the packing of selections was asked for, is meant, and is no longer asked for. */
static int stop_packing(struct ts_plist *pl, const struct change *c, size_t *done)
{
    bool no = false, packed;
    if ((c->id != H5Z_FILTER_ALL && c->id != TS_FILTER_SELECTION_PACKING) || c->type == 0 ||
        (!c->everywhere && kind_of(c->type, c->section) != H5_SECTION_SELECTION))
        return 0;
    if (ts_dcpl_selection_packing(pl, &packed) < 0)
        return -1;
    *done += packed;
    return packed ? ts_dcpl_set_selection_packing(pl, no) : 0;
}

/* Emptying an empty pipeline is fine, removing a filter that it has not is not. */
int ts_dcpl_remove_filter(struct ts_plist *pl, uint64_t section, H5Z_filter_t id)
{
    size_t done = 0;
    struct change c = {.id = id, .done = &done};
    struct ts_pipeline p;
    if (ts_dcpl_filters(pl, section, &p) < 0)
        return -1;
    bool empty = p.n == 0;
    ts_pipeline_deinit(&p);
    if (change(pl, section, &c) < 0 || stop_packing(pl, &c, &done) < 0)
        return -1;
    return done || empty ? 0 : TS_ERR(PLINE, NOTFOUND, "filter %d is not in the pipeline", (int)id);
}

int ts_dcpl_choose_layout(struct ts_plist *pl, const struct ts_layout_prop *layout)
{
    unsigned follows;
    if (ts_dcpl_alloc_time_follows(pl, &follows) < 0)
        return -1;
    if (follows) {
        struct ts_fill *fill = ts_dcpl_edit_fill(pl);
        if (!fill)
            return -1;
        fill->alloc_time = ts_dcpl_natural_alloc_time(layout->cls);
        ts_plist_release(pl);
    }
    return ts_dcpl_change_layout(pl, layout);
}
