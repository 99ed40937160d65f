#define _GNU_SOURCE /* locks of open files */
#include "mark.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Where the SWMR writers of Tessera keep the lock that says that they live. */
#define LIFE_AT ((off_t)1 << 62)

#define HEAD 64 /* of a superblock: up to its end of file and behind, in every version */

static bool find_superblock(int fd, unsigned char head[HEAD])
{
    memset(head, 0, HEAD);
    for (off_t at = 0; pread(fd, head, HEAD, at) >= 12; at = at ? at * 2 : 512)
        if (memcmp(head, "\211HDF\r\n\032\n", 8) == 0)
            return true;
    return false;
}

unsigned read_mark(int fd)
{
    unsigned char head[HEAD];
    return find_superblock(fd, head) && head[8] >= 3 ? head[11] : 0;
}

bool is_half_written(int fd, long size)
{
    unsigned char head[HEAD];
    if (!find_superblock(fd, head))
        return false;
    unsigned width = head[head[8] < 2 ? 13 : 9], at = (head[8] == 0 ? 24 : head[8] == 1 ? 28 : 12) + 2 * width;
    unsigned long long end = 0;
    if (width > 8)
        return false;
    for (unsigned i = width; i-- > 0;)
        end = end << 8 | head[at + i];
    return end > (unsigned long long)size;
}

enum writer look_for_writer(int fd)
{
    unsigned mark = read_mark(fd);
    if (!(mark & MARK_SWMR))
        return WRITER_CLOSED;
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = LIFE_AT, .l_len = 1};
    if (mark & MARK_LIFE && fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK)
        return WRITER_DIED;
    return WRITER_LIVES;
}
