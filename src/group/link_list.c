#include "group/group.h"

#include "base/alloc.h"

int ts_link_list_add(struct ts_link_list *list, struct ts_link *link)
{
    if (TS_GROW(list->links, list->capacity, list->n + 1) < 0) {
        ts_link_deinit(link);
        return -1;
    }
    list->links[list->n++] = *link;
    return 0;
}

void ts_link_list_deinit(struct ts_link_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        ts_link_deinit(&list->links[i]);
    ts_free(list->links);
    *list = (struct ts_link_list){0};
}
