#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "mark.h"
#include "tool.h"

static const char help[] =
    "usage: tessera recover [-f] FILE\n\n"
    "Repairs a file whose writer died: finishes a flush that was cut short, clears the mark of a file\n"
    "that is open for writing, and cuts off what was never flushed. Everything that was flushed is\n"
    "there. A file that needs no repair is left as it is.\n\n"
    "Tessera does this whenever it opens a file for writing; other programs want it done before.\n\n"
    "  -f, --force  also when the file cannot be locked: make sure that nobody is writing it\n"
    "  -h, --help   this text\n";

#define TRAILER 64 /* the end of a journal; it begins with this: */
static const char journal_magic[] = "TSJRNL\r\n";

struct look {
    long size;
    bool journal, marked; /* a commit to be finished; open for writing */
};

/* Others are dead, unless the superblock says that they are needed. */
static bool needs_no_mark(const unsigned char tail[TRAILER])
{
    return tail[8] == 1 || tail[10] & 1;
}

/* The bytes of the file itself: the library would show the file repaired. */
static bool look_at(const char *name, struct look *out)
{
    unsigned char tail[TRAILER];
    FILE *in = fopen(name, "rb");
    if (!in)
        return false;
    *out = (struct look){0};
    bool good = fseek(in, 0, SEEK_END) == 0 && (out->size = ftell(in)) >= 0;
    if (good && out->size >= TRAILER && fseek(in, -TRAILER, SEEK_END) == 0 && fread(tail, 1, TRAILER, in) == TRAILER)
        out->journal = memcmp(tail, journal_magic, sizeof journal_magic - 1) == 0 && needs_no_mark(tail);
    out->journal = out->journal || is_half_written(fileno(in), out->size);
    out->marked = read_mark(fileno(in)) & (MARK_WRITING | MARK_SWMR);
    fclose(in);
    return good;
}

static int open_and_close(const char *name, hid_t fapl)
{
    hid_t file = H5Fopen(name, H5F_ACC_RDWR, fapl);
    if (file < 0)
        return tool_cannot_open(name, "repair");
    return H5Fclose(file) < 0 ? tool_error("cannot repair %s", name) : 0;
}

static int repair(const char *name, bool force)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    unsigned yes = 1;
    if (force)
        H5Pinsert2(fapl, "tessera_recover", sizeof yes, &yes, NULL, NULL, NULL, NULL, NULL, NULL);
    int status = open_and_close(name, fapl);
    H5Pclose(fapl);
    return status;
}

static int recover(const char *name, bool force)
{
    struct look before, after;
    if (!look_at(name, &before)) {
        fprintf(stderr, "tessera: %s: %s\n", name, strerror(errno));
        return 1;
    }
    int status = repair(name, force);
    if (status != 0 || !look_at(name, &after))
        return 1;
    if (before.journal && !after.journal)
        printf("%s: finished a flush that was cut short\n", name);
    if (before.marked && !after.marked)
        printf("%s: cleared the mark of a file open for writing\n", name);
    if (!before.journal && before.size > after.size)
        printf("%s: cut off %ld bytes behind the end\n", name, before.size - after.size);
    if (before.journal == after.journal && before.marked == after.marked && before.size == after.size)
        printf("%s: needs no repair\n", name);
    return 0;
}

int tool_recover(int argc, char **argv)
{
    static const struct option options[] = {
        {"force", no_argument, NULL, 'f'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    bool force = false;
    for (int option; (option = getopt_long(argc, argv, "fh", options, NULL)) != -1;)
        switch (option) {
        case 'f':
            force = true;
            break;
        case 'h':
            return tool_help(help, true);
        default:
            return tool_help(help, false);
        }
    if (argc - optind != 1)
        return tool_help(help, false);
    return recover(argv[optind], force);
}
