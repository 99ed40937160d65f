#include "file/change.h"

/* Virtual datasets of virtual datasets reach several files; nobody nests them as deeply as that. */
enum { MOST = 16 };

static _Thread_local struct {
    const struct ts_file *f;
    unsigned times;
} work[MOST];

void ts_raw_work_begin(struct ts_file *f)
{
    int i = 0;
    while (i < MOST && work[i].f != f && work[i].f)
        i++;
    if (i == MOST)
        return;
    work[i].f = f;
    work[i].times++;
}

void ts_raw_work_end(struct ts_file *f)
{
    int i = 0, last = MOST - 1;
    while (i < MOST && work[i].f != f)
        i++;
    if (i == MOST || --work[i].times > 0)
        return;
    while (!work[last].f)
        last--;
    work[i] = work[last];
    work[last].f = NULL;
    work[last].times = 0;
}

bool ts_raw_works(const struct ts_file *f)
{
    for (int i = 0; i < MOST && work[i].f; i++)
        if (work[i].f == f)
            return true;
    return false;
}
