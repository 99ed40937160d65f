/* One address space cut into members of equal size: a name with a printf integer conversion makes their names. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "driver/classes.h"

#define MEMBER_NAME_MAX 4096

struct family {
    struct ts_driver base;
    struct ts_driver **members;
    size_t n, capacity;
    hsize_t member_size;
};

static void family_close(struct ts_driver *d)
{
    struct family *f = (struct family *)d;
    for (size_t i = 0; i < f->n; i++)
        ts_driver_close(f->members[i]);
    ts_free(f->members);
    ts_free(f);
}

static int family_eof(struct ts_driver *d, haddr_t *eof)
{
    struct family *f = (struct family *)d;
    haddr_t last;
    if (ts_driver_eof(f->members[f->n - 1], &last) < 0)
        return -1;
    *eof = (f->n - 1) * f->member_size + last;
    return 0;
}

static int read_pieces(struct family *f, const struct ts_io_vec *v)
{
    uint8_t *at = v->buf;
    size_t left = v->size;
    haddr_t addr = v->addr;
    while (left > 0) {
        haddr_t member = addr / f->member_size, offset = addr % f->member_size;
        size_t here = left < f->member_size - offset ? left : (size_t)(f->member_size - offset);
        if (member >= f->n)
            return TS_ERR(IO, READERROR, "address %#llx lies in member %llu of a family of %zu", (unsigned long long)addr,
                          (unsigned long long)member, f->n);
        if (ts_driver_read(f->members[member], offset, here, at) < 0)
            return -1;
        at += here;
        left -= here;
        addr += here;
    }
    return 0;
}

static int family_readv(struct ts_driver *d, const struct ts_io_vec *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (read_pieces((struct family *)d, &v[i]) < 0)
            return -1;
    return 0;
}

static int family_identity(struct ts_driver *d, struct ts_driver_identity *id)
{
    struct ts_driver *first = ((struct family *)d)->members[0];
    return first->cls->identity(first, id);
}

static int family_handle(struct ts_driver *d, void **handle)
{
    struct ts_driver *first = ((struct family *)d)->members[0];
    return first->cls->handle(first, handle);
}

/* The superblock knows the member size the file was written with. */
static int family_apply_info(struct ts_driver *d, const char id[8], const uint8_t *info, size_t size)
{
    struct family *f = (struct family *)d;
    struct ts_rd r = ts_rd_init(info, size);
    uint64_t member_size = ts_rd_u64(&r);
    if (memcmp(id, "NCSAfami", 8) != 0)
        return TS_ERR(VFL, BADVALUE, "the file was written by driver '%.8s', not as a family", id);
    if (r.bad || member_size == 0)
        return TS_ERR(VFL, CANTDECODE, "the driver information of a family has a member size of %llu", (unsigned long long)member_size);
    if (f->n > 1 && member_size != f->member_size)
        return TS_ERR(VFL, BADVALUE, "the family's member size should be %llu, the access property list or the first member says %llu",
                      (unsigned long long)member_size, (unsigned long long)f->member_size);
    f->member_size = member_size;
    return 0;
}

static const struct ts_driver_class family_class = {.name = "family",
                                                    .close = family_close,
                                                    .eof = family_eof,
                                                    .readv = family_readv,
                                                    .identity = family_identity,
                                                    .handle = family_handle,
                                                    .apply_info = family_apply_info};

/* The one conversion must take an int: anything else would let a file name drive printf. */
static int check_pattern(const char *pattern)
{
    unsigned conversions = 0;
    for (const char *p = strchr(pattern, '%'); p; p = strchr(p, '%')) {
        p++;
        if (*p == '%') {
            p++;
            continue;
        }
        p += strspn(p, "0123456789-+ #");
        if (*p != 'd' && *p != 'u' && *p != 'x' && *p != 'X' && *p != 'o' && *p != 'i')
            return TS_ERR(VFL, BADVALUE, "the name '%s' of a file family has a conversion other than for one integer", pattern);
        conversions++;
    }
    if (conversions != 1)
        return TS_ERR(VFL, BADVALUE, "the name '%s' of a file family needs exactly one integer conversion such as %%d", pattern);
    return 0;
}

static int member_name(const char *pattern, size_t index, char name[MEMBER_NAME_MAX])
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int length = snprintf(name, MEMBER_NAME_MAX, pattern, (int)index);
#pragma GCC diagnostic pop
    if (length < 0 || length >= MEMBER_NAME_MAX)
        return TS_ERR(VFL, BADVALUE, "the name '%s' of a file family is too long", pattern);
    return 0;
}

static int open_members(struct family *f, const char *pattern, unsigned flags, const struct ts_driver_config *member)
{
    char name[MEMBER_NAME_MAX];
    for (size_t i = 0;; i++) {
        if (member_name(pattern, i, name) < 0)
            return -1;
        if (i > 0 && access(name, F_OK) != 0)
            return 0;
        if (TS_GROW(f->members, f->capacity, f->n + 1) < 0 || ts_driver_open(name, flags, member, &f->members[f->n]) < 0)
            return -1;
        f->n++;
    }
}

static int settle_member_size(struct family *f, hsize_t wanted)
{
    haddr_t first;
    if (ts_driver_eof(f->members[0], &first) < 0)
        return -1;
    f->member_size = wanted ? wanted : first;
    if (f->member_size == 0)
        return TS_ERR(VFL, BADVALUE, "the first member of the file family is empty");
    return 0;
}

int ts_family_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out)
{
    static const struct ts_driver_config sec2 = {.kind = TS_DRIVER_SEC2};
    const struct ts_driver_config *member = config->family.member ? config->family.member : &sec2;
    if (check_pattern(name) < 0)
        return -1;
    struct family *f = ts_calloc(1, sizeof *f);
    if (!f)
        return -1;
    f->base.cls = &family_class;
    if (open_members(f, name, flags, member) < 0 || settle_member_size(f, config->family.member_size) < 0) {
        family_close(&f->base);
        return -1;
    }
    *out = &f->base;
    return 0;
}
