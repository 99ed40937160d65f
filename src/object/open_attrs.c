/* Attributes that are open see what is done to them through another id. */
#include <string.h>

#include "base/alloc.h"
#include "object/attr.h"
#include "object/open_objects.h"
#include "object/setup.h"

static struct ts_open_objects *of(const struct ts_file *f)
{
    const struct ts_extension *ext = ts_file_extension(f);
    return f->writable && ext ? ext->open : NULL;
}

int ts_open_attrs_enter(struct ts_attr *attr)
{
    struct ts_file *f = attr->owner.fh->file;
    struct ts_open_objects *open = of(f);
    if (!open)
        return 0;
    if (ts_open_objects_enter(f, attr->owner.addr) < 0)
        return -1;
    pthread_mutex_lock(&open->lock);
    struct ts_attr *first = ts_map_get(&open->attrs, attr->owner.addr);
    int status = ts_map_put(&open->attrs, attr->owner.addr, attr);
    if (status == 0) {
        attr->next = first;
        if (first)
            first->prev = attr;
        attr->listed = true;
    }
    pthread_mutex_unlock(&open->lock);
    if (status < 0)
        ts_open_objects_leave(f, attr->owner.addr);
    return status;
}

void ts_open_attrs_leave(struct ts_attr *attr)
{
    struct ts_file *f = attr->owner.fh->file;
    struct ts_open_objects *open = of(f);
    if (!open || !attr->listed)
        return;
    pthread_mutex_lock(&open->lock);
    if (attr->next)
        attr->next->prev = attr->prev;
    if (attr->prev)
        attr->prev->next = attr->next;
    else if (attr->next)
        /* Replacing what a key has needs no memory. */
        (void)ts_map_put(&open->attrs, attr->owner.addr, attr->next);
    else
        ts_map_remove(&open->attrs, attr->owner.addr);
    pthread_mutex_unlock(&open->lock);
    ts_open_objects_leave(f, attr->owner.addr);
}

static int apply(struct ts_attr *attr, const struct ts_attr_event *event)
{
    if (event->data)
        memcpy(attr->data, event->data, attr->data_size);
    attr->gone |= event->gone;
    if (!event->to)
        return 0;
    char *name = ts_strdup(event->to);
    if (!name)
        return -1;
    ts_free(attr->name);
    attr->name = name;
    return 0;
}

int ts_open_attrs_tell(struct ts_file *f, haddr_t addr, const struct ts_attr_event *event)
{
    struct ts_open_objects *open = of(f);
    int status = 0;
    if (!open)
        return 0;
    pthread_mutex_lock(&open->lock);
    for (struct ts_attr *attr = ts_map_get(&open->attrs, addr); attr; attr = attr->next)
        if (!attr->gone && strcmp(attr->name, event->name) == 0 && apply(attr, event) < 0)
            status = -1;
    pthread_mutex_unlock(&open->lock);
    return status;
}

void ts_attr_lock(const struct ts_attr *attr)
{
    struct ts_open_objects *open = of(attr->owner.fh->file);
    if (open)
        pthread_mutex_lock(&open->lock);
}

void ts_attr_unlock(const struct ts_attr *attr)
{
    struct ts_open_objects *open = of(attr->owner.fh->file);
    if (open)
        pthread_mutex_unlock(&open->lock);
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
