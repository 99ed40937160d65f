/* Asking the clients of a file, one by one. */
#include "file/client.h"

#include "file/file.h"

void *ts_file_attach(struct ts_file *f, enum ts_client_slot slot, const struct ts_client_ops *ops, void *state)
{
    struct ts_client *client = &f->clients[slot];
    void *there = NULL;
    if (!atomic_compare_exchange_strong(&client->state, &there, state))
        return there;
    atomic_store(&client->ops, ops);
    return state;
}

/* What the client in the slot does; NULL when there is none. */
static const struct ts_client_ops *ops_of(const struct ts_file *f, unsigned slot)
{
    return atomic_load_explicit(&f->clients[slot].ops, memory_order_acquire);
}

int ts_clients_write_raw(struct ts_file *f)
{
    int status = 0;
    for (unsigned slot = 0; slot < TS_CLIENTS; slot++) {
        const struct ts_client_ops *ops = ops_of(f, slot);
        /* What one cannot write keeps nobody else back. */
        if (ops && ops->write_raw && ops->write_raw(f) < 0)
            status = -1;
    }
    return status;
}

int ts_clients_commit(struct ts_file *f)
{
    const struct ts_client_ops *ops = ops_of(f, TS_CLIENT_METADATA);
    return ops ? ops->commit(f) : 0;
}

bool ts_clients_unfinished(struct ts_file *f)
{
    for (unsigned slot = 0; slot < TS_CLIENTS; slot++) {
        const struct ts_client_ops *ops = ops_of(f, slot);
        if (ops && ops->unfinished && ops->unfinished(f))
            return true;
    }
    return false;
}

int ts_clients_finish(struct ts_file *f)
{
    for (unsigned slot = 0; slot < TS_CLIENTS; slot++) {
        const struct ts_client_ops *ops = ops_of(f, slot);
        if (ops && ops->finish && ops->finish(f) < 0)
            return -1;
    }
    return 0;
}

int ts_clients_first_change(struct ts_file *f)
{
    for (unsigned slot = 0; slot < TS_CLIENTS; slot++) {
        const struct ts_client_ops *ops = ops_of(f, slot);
        if (ops && ops->first_change && ops->first_change(f) < 0)
            return -1;
    }
    return 0;
}

/* Every change ends here: one client is quicker to ask than all. */
int ts_clients_relieve(struct ts_file *f)
{
    const struct ts_client_ops *ops = ops_of(f, TS_CLIENT_METADATA);
    return ops && ops->relieve ? ops->relieve(f) : 0;
}

void ts_clients_refresh(struct ts_file *f)
{
    for (unsigned slot = TS_CLIENTS; f->swmr == TS_SWMR_READER && slot-- > 0;) {
        const struct ts_client_ops *ops = ops_of(f, slot);
        if (ops && ops->refresh)
            ops->refresh(f);
    }
}

void ts_clients_drop(struct ts_file *f)
{
    for (unsigned slot = 0; slot < TS_CLIENTS; slot++) {
        const struct ts_client_ops *ops = ops_of(f, slot);
        if (!ops)
            continue;
        ops->drop(f, ts_file_client(f, slot));
        atomic_store(&f->clients[slot].ops, NULL);
        atomic_store(&f->clients[slot].state, NULL);
    }
}
