/* Messages of a header by their type. */
#include "object/ohdr_parts.h"

bool ts_ohdr_knows(unsigned type)
{
    return type < TS_MSG_KNOWN_END && type != TS_MSG_BOGUS;
}

const struct ts_ohdr_msg *ts_ohdr_find(const struct ts_ohdr *oh, unsigned type)
{
    /* There may be thousands of others. */
    if (type < 32 && !(oh->types >> type & 1))
        return NULL;
    for (size_t i = 0; i < oh->n_msgs; i++)
        if (oh->msgs[i].type == type)
            return &oh->msgs[i];
    return NULL;
}

size_t ts_ohdr_count(const struct ts_ohdr *oh, unsigned type)
{
    size_t n = 0;
    for (size_t i = 0; i < oh->n_msgs; i++)
        n += oh->msgs[i].type == type;
    return n;
}
