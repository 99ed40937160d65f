/* Attributes that are open see what is done to them through another id. */
#include <string.h>

#include "base/alloc.h"
#include "object/attr.h"
#include "object/open_objects.h"

int ts_open_attrs_enter(struct ts_attr *attr)
{
    struct ts_file *f = attr->owner.fh->file;
    struct ts_open_objects *open = ts_open_objects_of(f);
    if (!open)
        return 0;
    if (ts_open_objects_enter(f, attr->owner.addr) < 0)
        return -1;
    ts_mutex_lock(&open->lock);
    struct ts_attr *first = ts_map_get(&open->attrs, attr->owner.addr);
    int status = ts_map_put(&open->attrs, attr->owner.addr, attr);
    if (status == 0) {
        attr->next = first;
        if (first)
            first->prev = attr;
        attr->listed = true;
    }
    ts_mutex_unlock(&open->lock);
    if (status < 0)
        ts_open_objects_leave(f, attr->owner.addr);
    return status;
}

void ts_open_attrs_leave(struct ts_attr *attr)
{
    struct ts_file *f = attr->owner.fh->file;
    struct ts_open_objects *open = ts_open_objects_of(f);
    if (!open || !attr->listed)
        return;
    ts_mutex_lock(&open->lock);
    if (attr->next)
        attr->next->prev = attr->prev;
    if (attr->prev)
        attr->prev->next = attr->next;
    else if (attr->next)
        /* Replacing what a key has needs no memory. */
        (void)ts_map_put(&open->attrs, attr->owner.addr, attr->next);
    else
        ts_map_remove(&open->attrs, attr->owner.addr);
    ts_mutex_unlock(&open->lock);
    ts_open_objects_leave(f, attr->owner.addr);
}

/* What waits for the end of a change. */
struct news {
    struct ts_attr_event event;
    size_t n_names;
    char *names[]; /* the new one, once for each that is open now: when the change is made none can be asked for */
};

static bool concerns(const struct ts_attr *attr, const struct ts_attr_event *event)
{
    return !attr->gone && strcmp(attr->name, event->name) == 0;
}

static void apply(struct ts_attr *attr, struct news *news)
{
    const struct ts_attr_event *event = &news->event;
    if (event->data)
        memcpy(attr->data, event->data, attr->data_size);
    attr->gone |= event->gone;
    if (!event->to || news->n_names == 0)
        return;
    ts_free(attr->name);
    attr->name = news->names[--news->n_names];
}

static void news_free(struct news *news)
{
    while (news->n_names > 0)
        ts_free(news->names[--news->n_names]);
    ts_free(news);
}

static void tell(struct ts_file *f, const struct ts_undo_step *step)
{
    struct ts_open_objects *open = ts_open_objects_of(f);
    struct news *news = step->at;
    ts_mutex_lock(&open->lock);
    for (struct ts_attr *attr = ts_map_get(&open->attrs, step->a); attr; attr = attr->next)
        if (concerns(attr, &news->event))
            apply(attr, news);
    ts_mutex_unlock(&open->lock);
    news_free(news);
}

static void say_nothing(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    news_free(step->at);
}

static struct news *news_new(const struct ts_attr_event *event, size_t n)
{
    struct news *news = ts_malloc(sizeof *news + n * sizeof *news->names);
    if (!news)
        return NULL;
    *news = (struct news){.event = *event};
    for (; event->to && news->n_names < n; news->n_names++)
        if (!(news->names[news->n_names] = ts_strdup(event->to))) {
            news_free(news);
            return NULL;
        }
    return news;
}

bool ts_open_attrs_has(struct ts_file *f, haddr_t addr, const char *name)
{
    struct ts_open_objects *open = ts_open_objects_of(f);
    bool found = false;
    if (!open)
        return false;
    ts_mutex_lock(&open->lock);
    for (struct ts_attr *attr = ts_map_get(&open->attrs, addr); attr && !found; attr = attr->next)
        found = !attr->gone && strcmp(attr->name, name) == 0;
    ts_mutex_unlock(&open->lock);
    return found;
}

/* Most often an attribute is written by the only one who has it open. */
static int tell_self(struct ts_file *f, struct ts_open_objects *open, const struct ts_attr_event *event)
{
    struct ts_attr *self = event->self;
    ts_mutex_lock(&open->lock);
    int status = ts_undo_bytes(f, self->data, self->data_size);
    if (status == 0)
        memcpy(self->data, event->data, self->data_size);
    ts_mutex_unlock(&open->lock);
    return status;
}

int ts_open_attrs_tell(struct ts_file *f, haddr_t addr, const struct ts_attr_event *event)
{
    struct ts_open_objects *open = ts_open_objects_of(f);
    size_t n = 0;
    if (!open)
        return 0;
    ts_mutex_lock(&open->lock);
    for (struct ts_attr *attr = ts_map_get(&open->attrs, addr); attr; attr = attr->next)
        n += concerns(attr, event);
    ts_mutex_unlock(&open->lock);
    if (n == 0)
        return 0;
    if (n == 1 && event->self)
        return tell_self(f, open, event);
    struct news *news = ts_undo_reserve(f) == 0 ? news_new(event, n) : NULL;
    return news ? ts_undo_add(f, (struct ts_undo_step){.back = say_nothing, .done = tell, .at = news, .a = addr}) : -1;
}

void ts_attr_lock(const struct ts_attr *attr)
{
    struct ts_open_objects *open = ts_open_objects_of(attr->owner.fh->file);
    if (open)
        ts_mutex_lock(&open->lock);
}

void ts_attr_unlock(const struct ts_attr *attr)
{
    struct ts_open_objects *open = ts_open_objects_of(attr->owner.fh->file);
    if (open)
        ts_mutex_unlock(&open->lock);
}

void ts_attr_copy_data(const struct ts_attr *attr, void *buf)
{
    ts_attr_lock(attr);
    memcpy(buf, attr->data, attr->data_size);
    ts_attr_unlock(attr);
}

char *ts_attr_copy_name(const struct ts_attr *attr)
{
    ts_attr_lock(attr);
    char *copy = ts_strdup(attr->name);
    ts_attr_unlock(attr);
    return copy;
}
