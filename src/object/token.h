/* Tokens of objects: the address, in the first bytes. */
#ifndef TS_OBJECT_TOKEN_H
#define TS_OBJECT_TOKEN_H

#include <string.h>

#include "H5Opublic.h"

static inline void ts_token_from_addr(haddr_t addr, H5O_token_t *out)
{
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < 8; i++)
        out->__data[i] = (uint8_t)(addr >> 8 * i);
}

static inline haddr_t ts_token_to_addr(const H5O_token_t *token)
{
    haddr_t addr = 0;
    for (unsigned i = 8; i-- > 0;)
        addr = addr << 8 | token->__data[i];
    return addr;
}

#endif
