/* What a file that shares messages keeps in memory. */
#include "object/sohm.h"

#include "base/alloc.h"
#include "base/error.h"
#include "format/messages.h"

const struct ts_sohm_table *ts_sohm_table(const struct ts_file *f)
{
    static const struct ts_sohm_table none;
    const struct ts_sohm *shared = ts_sohm_of(f);
    return shared ? &shared->table : &none;
}

static void drop(struct ts_file *f, void *state)
{
    (void)f;
    ts_free(state);
}

static const struct ts_client_ops client = {.drop = drop};

struct ts_sohm *ts_sohm_attach(struct ts_file *f)
{
    struct ts_sohm *shared = ts_sohm_of(f);
    if (!shared && (shared = ts_calloc(1, sizeof *shared)))
        ts_file_attach(f, TS_CLIENT_SHARED_MESSAGES, &client, shared);
    return shared;
}

int ts_sohm_load(struct ts_file *f, const struct ts_ohdr_msg *msg)
{
    struct ts_sohm_msg where;
    uint8_t buf[4 + H5O_SHMESG_MAX_NINDEXES * (14 + 2 * 8) + 4];
    if (ts_sohm_msg_decode(msg->body, msg->size, ts_file_addr_size(f), &where) < 0)
        return -1;
    if (where.n_indexes > H5O_SHMESG_MAX_NINDEXES || ts_file_addr_size(f) > 8)
        return TS_ERR(SOHM, CANTDECODE, "%s: %u indexes of shared messages", f->name, where.n_indexes);
    struct ts_sohm *shared = ts_sohm_attach(f);
    if (!shared)
        return -1;
    shared->addr = where.table;
    if (ts_file_read(f, where.table, ts_sohm_table_size(where.n_indexes, ts_file_addr_size(f)), buf) < 0)
        return -1;
    return ts_sohm_table_decode(buf, where.n_indexes, ts_file_addr_size(f), &shared->table);
}
