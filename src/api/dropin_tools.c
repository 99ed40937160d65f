/*
 * Debian's HDF5 tools are linked with the shared library and call some of its private symbols: a table of objects by
 * address, and the reading of their command lines. They are in the drop-in library alone, with the arguments that the
 * tools pass.
 */
#include <stdio.h>
#include <string.h>

#include "H5public.h"
#include "base/alloc.h"
#include "base/map.h"

#define EXPORTED __attribute__((visibility("default")))

enum { KEY_ADDRESS = 1 }; /* the only kind of key that the tools ask for */

struct entry {
    void *item;
    void *key;
};

typedef herr_t (*entry_op)(void *item, void *key, void *op_data);

EXPORTED struct ts_map *H5SL_create(int kind, const void *compare);
EXPORTED herr_t H5SL_insert(struct ts_map *list, void *item, void *key);
EXPORTED void *H5SL_search(const struct ts_map *list, const void *key);
EXPORTED herr_t H5SL_destroy(struct ts_map *list, entry_op op, void *op_data);

static uint64_t address_at(const void *key)
{
    uint64_t address;
    memcpy(&address, key, sizeof address);
    return address;
}

struct ts_map *H5SL_create(int kind, const void *compare)
{
    return kind == KEY_ADDRESS && !compare ? ts_calloc(1, sizeof(struct ts_map)) : NULL;
}

herr_t H5SL_insert(struct ts_map *list, void *item, void *key)
{
    uint64_t address = address_at(key);
    struct entry *entry;
    if (ts_map_get(list, address) || !(entry = ts_malloc(sizeof *entry)))
        return -1;
    *entry = (struct entry){item, key};
    if (ts_map_put(list, address, entry) < 0) {
        ts_free(entry);
        return -1;
    }
    return 0;
}

void *H5SL_search(const struct ts_map *list, const void *key)
{
    const struct entry *entry = ts_map_get(list, address_at(key));
    return entry ? entry->item : NULL;
}

herr_t H5SL_destroy(struct ts_map *list, entry_op op, void *op_data)
{
    size_t pos = 0;
    uint64_t address;
    void *entry;
    while (ts_map_next(list, &pos, &address, &entry)) {
        if (op)
            op(((struct entry *)entry)->item, ((struct entry *)entry)->key, op_data);
        ts_free(entry);
    }
    ts_map_deinit(list);
    ts_free(list);
    return 0;
}

enum { NO_VALUE, VALUE, OPTIONAL_VALUE };

struct long_option {
    const char *name;
    int value;
    char letter;
};

EXPORTED int H5_opterr = 1, H5_optind = 1;
EXPORTED const char *H5_optarg = NULL;
EXPORTED int H5_get_option(int argc, const char *const *argv, const char *letters, const struct long_option *names);

static int complain(const char *program, const char *what, const char *option, const char *after)
{
    if (H5_opterr)
        fprintf(stderr, "%s: %s \"%s\"%s\n", program, what, option, after);
    return '?';
}

/* --name, --name=value, --name value */
static int long_option(int argc, const char *const *argv, const struct long_option *names)
{
    char name[128];
    const char *given = argv[H5_optind++] + 2, *equals = strchr(given, '=');
    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - given) : (int)strlen(given), given);
    H5_optarg = equals ? equals + 1 : NULL;
    const struct long_option *option = names;
    while (option && option->name && strcmp(option->name, name) != 0)
        option++;
    if (!option || !option->name)
        return complain(argv[0], "unknown option", name, "");
    if (option->value == NO_VALUE && equals)
        return complain(argv[0], "no option required for", name, " flag");
    if (option->value == VALUE && !equals && H5_optind < argc && argv[H5_optind][0] != '-')
        H5_optarg = argv[H5_optind++];
    return option->letter;
}

/* The letter at *at, which moves on, or becomes NULL at the end of its word. */
static int short_option(int argc, const char *const *argv, const char *letters, const char **at)
{
    char letter[2] = {*(*at)++, '\0'};
    const char *known = letter[0] == ':' ? NULL : strchr(letters, letter[0]);
    H5_optarg = NULL;
    if (known && known[1] == ':') {
        const char *rest = *at;
        *at = NULL;
        H5_optind++;
        if (*rest)
            H5_optarg = rest;
        else if (H5_optind < argc)
            H5_optarg = argv[H5_optind++];
        else
            return complain(argv[0], "value expected for option", letter, "");
        return letter[0];
    }
    if (known && known[1] == '*') {
        *at = NULL;
        H5_optind++;
        /* The last word is the file the tool works on, not a value that might have been left out. */
        if (H5_optind + 1 < argc && argv[H5_optind][0] != '-')
            H5_optarg = argv[H5_optind++];
        return letter[0];
    }
    if (!**at) {
        *at = NULL;
        H5_optind++;
    }
    return known ? letter[0] : complain(argv[0], "unknown option", letter, "");
}

int H5_get_option(int argc, const char *const *argv, const char *letters, const struct long_option *names)
{
    static const char *at; /* where in a word of several letters */
    if (!at) {
        if (H5_optind >= argc || argv[H5_optind][0] != '-' || !argv[H5_optind][1])
            return -1;
        if (strcmp(argv[H5_optind], "--") == 0) {
            H5_optind++;
            return -1;
        }
        if (argv[H5_optind][1] == '-')
            return long_option(argc, argv, names);
        at = argv[H5_optind] + 1;
    }
    return short_option(argc, argv, letters, &at);
}
