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
    if (w) {
        w->times++;
    } else if (works.n < MOST) {
        works.of[works.n].f = f;
        works.of[works.n++].times = 1;
    }
}

void ts_raw_work_end(struct ts_file *f)
{
    struct work *w = find(f);
    if (!w || --w->times > 0)
        return;
    /* Mostly it is the last, and was just written in parts: to copy it as a whole makes the processor wait. */
    const struct work *last = &works.of[--works.n];
    if (w != last)
        *w = *last;
}

bool ts_raw_works(const struct ts_file *f)
{
    return find(f) != NULL;
}
