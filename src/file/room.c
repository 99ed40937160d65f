/* What waits in memory, and the room there is for it where the file lies. Data that wait cost nobody anything while
 * there is plenty; on a disk that is nearly full they would let a program go on for long before it learns that it
 * is. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "file/file.h"

/* Bytes that the file will grow by, as far as that is known before filters have made them smaller. */
static haddr_t waiting(const struct ts_file *f)
{
    haddr_t end = f->sb.base + f->end, physical = f->bytes.physical;
    return f->room.raw_waiting + (end > physical ? end - physical : 0);
}

/* Nobody knows: there is plenty. */
static haddr_t free_room(struct ts_file *f)
{
    const struct ts_driver_writing *writing = f->driver->cls->writing;
    unsigned mark = ts_err_mark();
    haddr_t room;
    if (!writing->free_room || writing->free_room(f->driver, &room) < 0)
        room = HADDR_UNDEF;
    ts_err_rewind(mark);
    return room;
}

/* Looks at the disk only when more waits than it had room for the last time; then `room` is what it has now. */
static bool is_room_for(struct ts_file *f, haddr_t bytes, haddr_t *room)
{
    if (bytes <= f->room.enough_for)
        return true;
    *room = free_room(f);
    /* Others write to the same disk, too. */
    f->room.enough_for = *room / 2;
    return bytes <= *room / 2;
}

bool ts_file_may_wait(struct ts_file *f, size_t size)
{
    haddr_t room;
    return is_room_for(f, waiting(f) + size, &room);
}

int ts_file_relieve_disk(struct ts_file *f)
{
    haddr_t bytes = f->writable && !ts_file_inherited(f) ? waiting(f) : 0, room;
    if (is_room_for(f, bytes, &room))
        return 0;
    /* Trying again with every object that is closed would take longer and longer, and end the same. */
    if (room == f->room.full && bytes / 2 < f->room.full_for)
        return TS_ERR(IO, WRITEERROR,
                      "no room on disk: filename = '%s', " TS_ERRNO ", %llu bytes wait for it, %llu are free", f->name,
                      TS_ERRNO_OF(ENOSPC), (unsigned long long)bytes, (unsigned long long)room);
    if (ts_file_flush(f) == 0)
        return 0;
    f->room.full = free_room(f);
    f->room.full_for = waiting(f);
    return -1;
}
