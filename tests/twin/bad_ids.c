/* Every function with every kind of id, most of them wrong, closed or never given out. One line for each function: a letter
 * for each kind, "r" where it is refused, "." where not. */
#include "bad_requests.h"

enum { NEGATIVE, ZERO, NONSENSE, CLOSED_DATASET, CLOSED_FILE, SPACE, TYPE, COMMITTED, LIST, LIST_CLASS, ATTRIBUTE, DATASET,
       GROUP, THE_FILE, STACK, IDS };

static hid_t closed_dataset, closed_file;

/* Opened by way of its dataset: stock libhdf5 takes an attribute that was opened by the name of its object for the group
 * that the name was looked up in. */
static hid_t attribute_of_victim(void)
{
    hid_t victim = H5Dopen2(file, "victim", H5P_DEFAULT), attr = H5Aopen(victim, "a", H5P_DEFAULT);
    H5Dclose(victim);
    return attr;
}

/* A new id each time: what a function closes or changes is nobody else's. */
static hid_t id_of(int kind)
{
    switch (kind) {
    case NEGATIVE:
        return -1;
    case ZERO:
        return 0;
    case NONSENSE:
        return 123456789;
    case CLOSED_DATASET:
        return closed_dataset;
    case CLOSED_FILE:
        return closed_file;
    case SPACE:
        return line(5);
    case TYPE:
        return H5Tcopy(H5T_STD_I16BE);
    case COMMITTED:
        return H5Topen2(file, "type", H5P_DEFAULT);
    case LIST:
        return H5Pcreate(H5P_DATASET_CREATE);
    case LIST_CLASS:
        return H5Pcreate_class(H5P_ROOT, "mine", NULL, NULL, NULL, NULL, NULL, NULL);
    case ATTRIBUTE:
        return attribute_of_victim();
    case DATASET:
        return H5Dopen2(file, "victim", H5P_DEFAULT);
    case GROUP:
        return H5Gopen2(file, "group", H5P_DEFAULT);
    case THE_FILE:
        return H5Freopen(file);
    default:
        return H5Ecreate_stack();
    }
}

static int numbers[5];
static hsize_t dims[1] = {5};
static char text[200];

static herr_t nothing_to_do(hid_t id, const char *name, const H5L_info_t *info, void *ctx)
{
    (void)id, (void)name, (void)info, (void)ctx;
    return 0;
}

static herr_t nothing_to_see(hid_t id, const char *name, const H5A_info_t *info, void *ctx)
{
    (void)id, (void)name, (void)info, (void)ctx;
    return 0;
}

static long long call(int function, hid_t id)
{
    H5O_info_t object;
    H5G_info_t group;
    H5L_info_t link;
    H5A_info_t attr;
    H5F_info_t file_info;
    hsize_t big;
    switch (function) {
#define F(n, e)                                                                                                        \
    case n:                                                                                                            \
        return (long long)(e);
#include "bad_ids_functions.h"
#undef F
    default:
        return 0;
    }
}

static const char *const names[] = {
#define F(n, e) #e,
#include "bad_ids_functions.h"
#undef F
};

static void make_victims(void)
{
    hid_t space = line(5), t = H5Tcopy(H5T_NATIVE_INT);
    hid_t victim = H5Dcreate2(file, "victim", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_int(victim, "a", 1);
    closed_dataset = victim;
    H5Dclose(victim);
    H5Gclose(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Tcommit2(file, "type", t, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Tclose(t);
    H5Sclose(space);
    closed_file = H5Freopen(file);
    H5Fclose(closed_file);
}

static herr_t print_outermost(unsigned n, const H5E_error2_t *record, void *ctx)
{
    char major[64] = "", minor[64] = "";
    (void)ctx;
    if (n > 0)
        return 0;
    H5Eget_msg(record->maj_num, NULL, major, sizeof major);
    H5Eget_msg(record->min_num, NULL, minor, sizeof minor);
    printf("    a type that is in no file: [%s | %s]\n", major, minor);
    return 0;
}

/* Functions for objects in files tell a type that is in none from a failure further down. */
static int wants_location(const char *name)
{
    return strncmp(name, "H5", 2) == 0 && strchr("AGLOR", name[2]);
}

/* Since 1.14 libhdf5 dies of them. */
static int is_deadly(const char *name, int kind)
{
    return STOCK_VERSION >= 11400 && (kind == TYPE || kind == ATTRIBUTE) &&
           (strcmp(name, "H5Oflush(id)") == 0 || strcmp(name, "H5Orefresh(id)") == 0);
}

static void all_ids(void)
{
    make_victims();
    for (size_t f = 0; f < LENGTH(names); f++) {
        char row[IDS + 1] = {0};
        for (int kind = 0; kind < IDS; kind++) {
            hid_t id = id_of(kind);
            long long result = is_deadly(names[f], kind) ? -1 : call((int)f, id);
            row[kind] = result < 0 ? 'r' : '.';
            if (kind == TYPE && result < 0 && wants_location(names[f]))
                H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, print_outermost, NULL);
            if (result > 0xffffff && result != id && H5Iis_valid((hid_t)result) > 0)
                H5Idec_ref((hid_t)result);
            if (kind > CLOSED_FILE && H5Iis_valid(id) > 0)
                H5Idec_ref(id);
        }
        printf("  %s %s\n", row, names[f]);
        work();
    }
    hid_t locked = H5Tcopy(H5T_NATIVE_INT);
    H5Tlock(locked);
    TRY("H5Oclose of a locked type", H5Oclose(locked));
    TRY("H5Oclose of a predefined type", H5Oclose(H5T_NATIVE_INT));
}

int main(void)
{
    group_of_requests("ids", all_ids);
    return 0;
}
