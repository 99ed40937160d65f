#include "file/change.h"

/* Virtual datasets of virtual datasets reach several files; nobody nests them as deeply as that. */
enum { MOST = 16 };

struct work {
    const struct ts_file *f;
    unsigned times;
};

static _Thread_local struct {
    unsigned n;
    struct work of[MOST];
} works;

static struct work *find(const struct ts_file *f)
{
    for (unsigned i = 0; i < works.n; i++)
        if (works.of[i].f == f)
            return &works.of[i];
    return NULL;
}

void ts_raw_work_begin(struct ts_file *f)
{
    struct work *w = find(f);
    if (w)
        w->times++;
    else if (works.n < MOST)
        works.of[works.n++] = (struct work){f, 1};
}

void ts_raw_work_end(struct ts_file *f)
{
    struct work *w = find(f);
    if (w && --w->times == 0)
        *w = works.of[--works.n];
}

bool ts_raw_works(const struct ts_file *f)
{
    return find(f) != NULL;
}
