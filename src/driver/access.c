#define _GNU_SOURCE /* O_PATH */
#include "driver/access.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/env.h"
#include "base/error.h"

#define ORIGIN "${ORIGIN}"

static const struct {
    const char *name;
    unsigned kinds;
} kind_names[] = {{"raw", H5F_EXTERNAL_RAW},
                  {"link", H5F_EXTERNAL_LINK},
                  {"source", H5F_EXTERNAL_SOURCE},
                  {"plugin", H5F_EXTERNAL_PLUGIN},
                  {"all", H5F_EXTERNAL_ALL}};

static const char *const rule_names[] = {[H5F_EXTERNAL_ANYWHERE] = "anywhere",
                                         [H5F_EXTERNAL_FOLDER] = "folder",
                                         [H5F_EXTERNAL_LIST] = "list",
                                         [H5F_EXTERNAL_NONE] = "none"};

struct folders {
    size_t n;
    char **real; /* absolute, without links; of malloc, as realpath gives them */
};

struct ts_access {
    atomic_uint refs;
    struct ts_access *outer; /* more rules; may be NULL */
    char *said;              /* who, and the text */
    bool sense;              /* the text has one */
    H5F_external_access_t rule[TS_ACCESS_KINDS];
    struct folders folders[TS_ACCESS_KINDS];
};

struct ts_access *ts_access_ref(struct ts_access *a)
{
    if (a)
        atomic_fetch_add(&a->refs, 1);
    return a;
}

void ts_access_unref(struct ts_access *a)
{
    while (a && atomic_fetch_sub(&a->refs, 1) == 1) {
        struct ts_access *outer = a->outer;
        for (int k = 0; k < TS_ACCESS_KINDS; k++) {
            for (size_t i = 0; i < a->folders[k].n; i++)
                free(a->folders[k].real[i]);
            ts_free(a->folders[k].real);
        }
        ts_free(a->said);
        ts_free(a);
        a = outer;
    }
}

static bool is(const char *word, size_t n, const char *name)
{
    return strlen(name) == n && memcmp(word, name, n) == 0;
}

static unsigned kind_bit(int k)
{
    return 1u << k;
}

static int kind_index(unsigned kind)
{
    int k = 0;
    while (k < TS_ACCESS_KINDS - 1 && kind_bit(k) != kind)
        k++;
    return k;
}

/* The kinds before the '='; 0 when one is not known. */
static unsigned parse_kinds(const char *at, size_t n)
{
    unsigned kinds = 0;
    while (n > 0) {
        const char *comma = memchr(at, ',', n);
        size_t word = comma ? (size_t)(comma - at) : n;
        unsigned found = 0;
        for (size_t i = 0; i < sizeof kind_names / sizeof *kind_names; i++)
            if (is(at, word, kind_names[i].name))
                found = kind_names[i].kinds;
        if (!found)
            return 0;
        kinds |= found;
        word += comma != NULL;
        at += word;
        n -= word;
    }
    return kinds;
}

static bool parse_rule(const char *at, size_t n, struct ts_access_said *out)
{
    const char *colon = memchr(at, ':', n);
    size_t word = colon ? (size_t)(colon - at) : n;
    for (int r = 0; r <= H5F_EXTERNAL_NONE; r++)
        if (is(at, word, rule_names[r])) {
            *out = (struct ts_access_said){.rule = (H5F_external_access_t)r};
            if (r == H5F_EXTERNAL_LIST && colon)
                *out = (struct ts_access_said){H5F_EXTERNAL_LIST, colon + 1, n - word - 1};
            return (r == H5F_EXTERNAL_LIST) == (colon != NULL);
        }
    return false;
}

static bool parse_entry(const char *at, size_t n, struct ts_access_said said[TS_ACCESS_KINDS])
{
    struct ts_access_said one;
    size_t before = strcspn(at, "=:;");
    bool named = before < n && at[before] == '=';
    unsigned kinds = named ? parse_kinds(at, before) : H5F_EXTERNAL_ALL;
    size_t skip = named ? before + 1 : 0;
    if (!kinds || !parse_rule(at + skip, n - skip, &one))
        return false;
    for (int k = 0; k < TS_ACCESS_KINDS; k++)
        if (kinds & kind_bit(k))
            said[k] = one;
    return true;
}

bool ts_access_parse(const char *text, struct ts_access_said said[TS_ACCESS_KINDS])
{
    memset(said, 0, TS_ACCESS_KINDS * sizeof *said);
    while (*text) {
        size_t n = strcspn(text, ";");
        if (n > 0 && !parse_entry(text, n, said))
            return false;
        text += n + (text[n] == ';');
    }
    return true;
}

bool ts_access_read(const char *text, unsigned kind, struct ts_access_said *out)
{
    struct ts_access_said said[TS_ACCESS_KINDS];
    bool sense = ts_access_parse(text ? text : "", said);
    *out = said[kind_index(kind)];
    return sense;
}

int ts_access_change(const char *text, unsigned kinds, H5F_external_access_t rule, const char *folders, char **out)
{
    struct ts_access_said said[TS_ACCESS_KINDS] = {{.rule = H5F_EXTERNAL_ANYWHERE}};
    struct ts_wr w = {0};
    if (text && !ts_access_parse(text, said))
        return TS_ERR(PLIST, BADVALUE, "'%s' is no rule for external access", text);
    for (int k = 0; k < TS_ACCESS_KINDS; k++) {
        if (kinds & kind_bit(k))
            said[k] = (struct ts_access_said){rule, folders, folders ? strlen(folders) : 0};
        ts_wr_bytes(&w, ";", k > 0);
        ts_wr_bytes(&w, kind_names[k].name, strlen(kind_names[k].name));
        ts_wr_bytes(&w, "=", 1);
        ts_wr_bytes(&w, rule_names[said[k].rule], strlen(rule_names[said[k].rule]));
        ts_wr_bytes(&w, ":", said[k].rule == H5F_EXTERNAL_LIST);
        ts_wr_bytes(&w, said[k].folders, said[k].length);
    }
    ts_wr_u8(&w, 0);
    if (w.bad) {
        ts_wr_free(&w);
        return -1;
    }
    *out = (char *)w.data;
    return 0;
}

const char *ts_access_environment(void)
{
    const char *text = ts_env(TS_ACCESS_VARIABLE);
    return text && *text ? text : NULL;
}

/* The folder that a name lies in, its length; 0 for the working directory. */
static size_t folder_length(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash == name ? 1 : slash ? (size_t)(slash - name) : 0;
}

/* Where the folder of a name really is; NULL and errno when it is nowhere. From malloc. */
static char *real_folder(const char *name)
{
    char folder[PATH_MAX];
    size_t n = folder_length(name);
    if (n >= sizeof folder) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    memcpy(folder, name, n);
    folder[n] = '\0';
    return realpath(n > 0 ? folder : ".", NULL);
}

/* The folder of a file, which may have been opened through a symbolic link, or be made of many. */
static char *home_of(const char *file)
{
    char *real = realpath(file, NULL);
    if (!real)
        return real_folder(file);
    size_t n = folder_length(real);
    real[n] = '\0';
    return real;
}

static int add_folder(struct folders *f, char *real)
{
    if (!real)
        return 0;
    char **more = ts_realloc(f->real, (f->n + 1) * sizeof *more);
    if (!more) {
        free(real);
        return -1;
    }
    f->real = more;
    f->real[f->n++] = real;
    return 0;
}

/* A folder that does not exist has nothing in it that could be opened. */
static int add_listed(struct folders *f, const char *folder, size_t n, const char *file)
{
    char path[2 * PATH_MAX];
    size_t origin = strlen(ORIGIN);
    if (n == 0 || n >= PATH_MAX)
        return 0;
    if (n < origin || memcmp(folder, ORIGIN, origin) != 0) {
        snprintf(path, sizeof path, "%.*s", (int)n, folder);
        return add_folder(f, realpath(path, NULL));
    }
    char *home = home_of(file);
    if (!home)
        return 0;
    snprintf(path, sizeof path, "%s%.*s", home, (int)(n - origin), folder + origin);
    free(home);
    return add_folder(f, realpath(path, NULL));
}

static int find_folders(struct folders *f, const struct ts_access_said *said, const char *file)
{
    if (said->rule == H5F_EXTERNAL_FOLDER)
        return file ? add_folder(f, home_of(file)) : 0;
    int status = 0;
    for (size_t at = 0; at < said->length && status == 0;) {
        const char *from = said->folders + at, *colon = memchr(from, ':', said->length - at);
        size_t n = colon ? (size_t)(colon - from) : said->length - at;
        status = add_listed(f, from, n, file ? file : "");
        at += n + 1;
    }
    return status;
}

static int set_rules(struct ts_access *a, const char *text, const char *file)
{
    struct ts_access_said said[TS_ACCESS_KINDS];
    a->sense = ts_access_parse(text, said);
    for (int k = 0; k < TS_ACCESS_KINDS; k++) {
        a->rule[k] = a->sense ? said[k].rule : H5F_EXTERNAL_NONE;
        if (a->sense && find_folders(&a->folders[k], &said[k], file) < 0)
            return -1;
    }
    return 0;
}

static bool restricts(const struct ts_access *a)
{
    for (int k = 0; k < TS_ACCESS_KINDS; k++)
        if (a->rule[k] != H5F_EXTERNAL_ANYWHERE)
            return true;
    return false;
}

static char *join_said(const char *who, const char *text)
{
    size_t n = strlen(who) + 1 + strlen(text) + 1;
    char *said = ts_malloc(n);
    if (said)
        snprintf(said, n, "%s=%s", who, text);
    return said;
}

static bool has_said(const struct ts_access *a, const char *said)
{
    while (a && strcmp(a->said, said) != 0)
        a = a->outer;
    return a != NULL;
}

int ts_access_add(struct ts_access *outer, const char *who, const char *text, const char *file, struct ts_access **out)
{
    *out = NULL;
    struct ts_access *a = text ? ts_calloc(1, sizeof *a) : NULL;
    if (!text) {
        *out = ts_access_ref(outer);
        return 0;
    }
    if (!a)
        return -1;
    atomic_init(&a->refs, 1);
    a->said = join_said(who, text);
    if (!a->said || (!has_said(outer, a->said) && set_rules(a, text, file) < 0)) {
        ts_access_unref(a);
        return -1;
    }
    if (!restricts(a)) {
        ts_access_unref(a);
        *out = ts_access_ref(outer);
        return 0;
    }
    a->outer = ts_access_ref(outer);
    *out = a;
    return 0;
}

static bool same_folders(const struct folders *a, const struct folders *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->real[i], b->real[i]) != 0)
            return false;
    return true;
}

static bool same_rules(const struct ts_access *a, const struct ts_access *b)
{
    for (int k = 0; k < TS_ACCESS_KINDS; k++)
        if (a->rule[k] != b->rule[k] || !same_folders(&a->folders[k], &b->folders[k]))
            return false;
    return strcmp(a->said, b->said) == 0;
}

static bool has_rules(const struct ts_access *a, const struct ts_access *rules)
{
    while (a && a != rules && !same_rules(a, rules))
        a = a->outer;
    return a != NULL;
}

static int copy_folders(struct folders *to, const struct folders *from)
{
    for (size_t i = 0; i < from->n; i++) {
        char *copy = strdup(from->real[i]);
        if (!copy)
            return TS_ERR(RESOURCE, NOSPACE, "no memory for the name of a folder");
        if (add_folder(to, copy) < 0)
            return -1;
    }
    return 0;
}

/* One link of b's chain on top of a; takes over the reference to a, also on failure. */
static struct ts_access *put_on(struct ts_access *a, const struct ts_access *rules)
{
    struct ts_access *top = ts_calloc(1, sizeof *top);
    if (!top) {
        ts_access_unref(a);
        return NULL;
    }
    atomic_init(&top->refs, 1);
    top->outer = a;
    top->sense = rules->sense;
    top->said = ts_strdup(rules->said);
    int status = top->said ? 0 : -1;
    for (int k = 0; k < TS_ACCESS_KINDS && status == 0; k++) {
        top->rule[k] = rules->rule[k];
        status = copy_folders(&top->folders[k], &rules->folders[k]);
    }
    if (status == 0)
        return top;
    ts_access_unref(top);
    return NULL;
}

int ts_access_join(struct ts_access *a, struct ts_access *b, struct ts_access **out)
{
    struct ts_access *joined = ts_access_ref(a ? a : b);
    for (const struct ts_access *r = a ? b : NULL; r; r = r->outer)
        if (!has_rules(joined, r) && !(joined = put_on(joined, r)))
            return -1;
    *out = joined;
    return 0;
}

bool ts_access_confines(const struct ts_access *a, unsigned kind)
{
    int k = kind_index(kind);
    while (a && a->rule[k] == H5F_EXTERNAL_ANYWHERE)
        a = a->outer;
    return a != NULL;
}

static int refuse(const struct ts_access *a, int k, const char *name, const char *real)
{
    static const char *const what[TS_ACCESS_KINDS] = {"raw data file", "target of an external link",
                                                      "source of a virtual dataset", "plugin"};
    const char *why = a->sense ? "" : ", which makes no sense and forbids everything";
    if (real)
        TS_ERR(FILE, CANTOPENFILE, "%s '%s' is '%s', which the rule %s does not allow", what[k], name, real, a->said);
    else
        TS_ERR(FILE, CANTOPENFILE, "%s '%s' is not allowed by the rule %s%s", what[k], name, a->said, why);
    return ts_err_because(TS_WHY_REFUSED);
}

int ts_access_allowed(const struct ts_access *a, unsigned kind, const char *name)
{
    int k = kind_index(kind);
    for (; a; a = a->outer)
        if (a->rule[k] == H5F_EXTERNAL_NONE)
            return refuse(a, k, name, NULL);
    return 0;
}

static bool beneath(const char *folder, const char *real)
{
    size_t n = strlen(folder);
    if (n == 1)
        return true; /* the root */
    return strncmp(folder, real, n) == 0 && real[n] == '/';
}

static bool in_folders(const struct folders *f, const char *real)
{
    for (size_t i = 0; i < f->n; i++)
        if (beneath(f->real[i], real))
            return true;
    return false;
}

static int check_real(const struct ts_access *a, unsigned kind, const char *name, const char *real)
{
    int k = kind_index(kind);
    for (; a; a = a->outer)
        if (a->rule[k] != H5F_EXTERNAL_ANYWHERE &&
            (a->rule[k] == H5F_EXTERNAL_NONE || !in_folders(&a->folders[k], real)))
            return refuse(a, k, name, real);
    return 0;
}

int ts_access_check(const struct ts_access *a, unsigned kind, const char *name)
{
    if (!ts_access_confines(a, kind))
        return 0;
    if (ts_access_allowed(a, kind, name) < 0)
        return -1;
    char *real = realpath(name, NULL);
    if (!real)
        return 0;
    int status = check_real(a, kind, name, real);
    free(real);
    return status;
}

/* A file that is yet to be made lies in its folder. From malloc. */
static char *real_new(const char *name)
{
    char *folder = real_folder(name);
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    if (!folder || !*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0) {
        if (folder)
            errno = EISDIR;
        free(folder);
        return NULL;
    }
    size_t n = strlen(folder);
    char *real = realloc(folder, n + 1 + strlen(last) + 1);
    if (!real) {
        free(folder);
        return NULL;
    }
    sprintf(real + n, "%s%s", n == 1 ? "" : "/", last);
    return real;
}

/* An absolute name in which nothing is to be resolved: a link that has come into it since is not followed. */
static int open_plainly(const char *real, int flags)
{
    int folder = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    const char *at = real + 1;
    while (folder >= 0 && strchr(at, '/')) {
        char name[NAME_MAX + 1];
        size_t n = strcspn(at, "/");
        if (n > NAME_MAX)
            n = NAME_MAX;
        memcpy(name, at, n);
        name[n] = '\0';
        int next = openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int error = errno;
        close(folder);
        errno = error;
        folder = next;
        at += n + 1;
    }
    if (folder < 0)
        return -1;
    int fd = openat(folder, *at ? at : ".", flags | O_NOFOLLOW, 0666), error = errno;
    close(folder);
    errno = error;
    return fd;
}

int ts_access_open(const struct ts_access *a, unsigned kind, const char *name, int flags)
{
    if (ts_access_allowed(a, kind, name) < 0)
        return -2;
    char *real = realpath(name, NULL);
    if (!real && errno == ENOENT && flags & O_CREAT)
        real = real_new(name);
    if (!real)
        return -1;
    int fd = check_real(a, kind, name, real) < 0 ? -2 : open_plainly(real, flags);
    int error = errno;
    free(real);
    errno = error;
    return fd;
}
