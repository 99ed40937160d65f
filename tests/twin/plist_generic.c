/* Classes and lists of the application: what is called when, and what every function answers. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse; /* the callback that fails: 's'et, 'g'et, 'd'elete; 'X': close of a class */

static herr_t say1(const char *what, int code, const char *name, size_t size, void *value)
{
    int v = 0;
    if (size == sizeof v)
        memcpy(&v, value, sizeof v);
    printf("    [%s %s %zu %d]\n", what, name, size, v);
    return refuse == code ? -1 : 0;
}

static herr_t on_create(const char *name, size_t size, void *value)
{
    herr_t ret = say1("create", 'c', name, size, value);
    if (size == sizeof(int))
        ++*(int *)value;
    return ret;
}
static herr_t on_set(hid_t id, const char *name, size_t size, void *value)
{
    herr_t ret = say1(H5Iis_valid(id) > 0 ? "set" : "set?", 's', name, size, value);
    *(int *)value += 100;
    return ret;
}
static herr_t on_get(hid_t id, const char *name, size_t size, void *value)
{
    herr_t ret = say1(H5Iis_valid(id) > 0 ? "get" : "get?", 'g', name, size, value);
    *(int *)value += 1000;
    return ret;
}
static herr_t on_delete(hid_t id, const char *name, size_t size, void *value)
{
    return say1(H5Iis_valid(id) > 0 ? "delete" : "delete?", 'd', name, size, value);
}
static herr_t on_copy(const char *name, size_t size, void *value)
{
    return say1("copy", 'y', name, size, value);
}
static int on_compare(const void *a, const void *b, size_t size)
{
    printf("    [compare %d %d %zu]\n", *(const int *)a, *(const int *)b, size);
    return memcmp(a, b, size);
}
static herr_t on_close(const char *name, size_t size, void *value)
{
    return say1("close", 'x', name, size, value);
}

static herr_t cls_create(hid_t id, void *data)
{
    printf("    <create %s %d>\n", (char *)data, H5Iis_valid(id));
    return refuse == 'C' ? -1 : 0;
}
static herr_t cls_copy(hid_t a, hid_t b, void *data)
{
    printf("    <copy %s %d %d>\n", (char *)data, H5Iis_valid(a), H5Iis_valid(b));
    return refuse == 'Y' ? -1 : 0;
}
static herr_t cls_close(hid_t id, void *data)
{
    printf("    <close %s %d>\n", (char *)data, H5Iis_valid(id));
    return refuse == 'X' ? -1 : 0;
}

static herr_t each(hid_t id, const char *name, void *data)
{
    int *left = data;
    size_t size = 99;
    herr_t got = H5Pget_size(id, name, &size);
    printf("    %s %d %zu\n", name, got, size);
    return --*left == 0 ? 7 : 0;
}

static void walk(const char *title, hid_t id, int from, int stop_after)
{
    int idx = from, left = stop_after;
    int ret = H5Piterate(id, &idx, each, &left);
    size_t n = 99;
    herr_t counted = H5Pget_nprops(id, &n);
    printf("  walk %s: %d idx %d nprops %d %zu\n", title, ret, idx, counted, n);
}

static void show(const char *title, hid_t list, const char *name)
{
    int v = -5;
    printf("  get %s.%s: ", title, name);
    fflush(stdout);
    herr_t ret = H5Pget(list, name, &v);
    size_t size = 99;
    herr_t sized = H5Pget_size(list, name, &size);
    printf("  = %d %d exist %d size %d %zu\n", ret, v, H5Pexist(list, name), sized, size);
}

static void names(hid_t cls)
{
    char *name = H5Pget_class_name(cls);
    printf("  class %s", name ? name : "(none)");
    H5free_memory(name);
    hid_t parent = H5Pget_class_parent(cls);
    name = parent >= 0 ? H5Pget_class_name(parent) : NULL;
    printf(" parent %s\n", name ? name : "(none)");
    H5free_memory(name);
    if (parent >= 0)
        H5Pclose_class(parent);
}

/* Data of a callback: not const in the releases after 1.10. */
static void *tag(const char *text)
{
    return (void *)(uintptr_t)text;
}

static void classes(void)
{
    puts("classes");
    hid_t a = H5Pcreate_class(H5P_ROOT, "alpha", cls_create, tag("a1"), NULL, NULL, cls_close, tag("a3"));
    hid_t b = H5Pcreate_class(a, "beta", cls_create, tag("b1"), cls_copy, tag("b2"), cls_close, tag("b3"));
    hid_t none = H5Pcreate_class(H5P_ROOT, "", NULL, NULL, NULL, NULL, NULL, NULL);
    hid_t no_name = H5Pcreate_class(H5P_ROOT, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    hid_t bad = H5Pcreate_class(12345, "x", NULL, NULL, NULL, NULL, NULL, NULL);
    hid_t data_only = H5Pcreate_class(H5P_ROOT, "x", NULL, tag("data"), NULL, NULL, NULL, NULL);
    printf("  %d %d empty %d null %d bad %d data %d\n", a > 0, b > 0, none > 0, no_name > 0, bad > 0, data_only > 0);
    names(a);
    names(b);
    int one = 1, two = 2, three = 3;
    printf("  register %d\n", H5Pregister2(a, "one", sizeof one, &one, on_create, on_set, on_get, on_delete, on_copy,
                                         on_compare, on_close));
    printf("  again %d\n", H5Pregister2(a, "one", sizeof one, &one, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    printf("  no value %d\n", H5Pregister2(a, "nil", sizeof one, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    printf("  empty %d\n", H5Pregister2(a, "empty", 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    printf("  plain %d\n", H5Pregister2(a, "plain", sizeof two, &two, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    printf("  no name %d\n", H5Pregister2(a, "", sizeof two, &two, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    printf("  in child %d\n",
           H5Pregister1(b, "three", sizeof three, &three, NULL, NULL, NULL, NULL, on_copy, on_close));
    walk("a", a, 0, -1);
    walk("b", b, 0, -1);
    printf("  exist a one %d b one %d b plain %d b three %d a three %d\n", H5Pexist(a, "one"), H5Pexist(b, "one"),
           H5Pexist(b, "plain"), H5Pexist(b, "three"), H5Pexist(a, "three"));
    size_t size = 99;
    herr_t sized = H5Pget_size(b, "one", &size);
    printf("  size through child %d %zu\n", sized, size);
    printf("  isa b,a %d a,b %d b,root %d a,a %d root,a %d\n", H5Pisa_class(b, a), H5Pisa_class(a, b),
           H5Pisa_class(b, H5P_ROOT), H5Pisa_class(a, a), H5Pisa_class(H5P_ROOT, a));
    hid_t c = H5Pcopy(a);
    printf("  copy equal %d\n", H5Pequal(a, c));
    printf("  a,b equal %d\n", H5Pequal(a, b));
    hid_t list_b = H5Pcreate(b);
    printf("  isa list b of b %d of a %d\n", H5Pisa_class(list_b, b), H5Pisa_class(list_b, a));
    walk("list b", list_b, 0, -1);
    walk("list b from 2", list_b, 2, -1);
    walk("list b stop", list_b, 1, 2);
    puts("  copying the list");
    hid_t list_c = H5Pcopy(list_b);
    walk("list c", list_c, 0, -1);
    printf("  equal %d\n", H5Pequal(list_b, list_c));
    puts("  closing the copy");
    printf("  %d\n", H5Pclose(list_c));
    puts("  closing the list");
    printf("  %d\n", H5Pclose(list_b));
    printf("  unregister %d again %d\n", H5Punregister(a, "plain"), H5Punregister(a, "plain"));
    walk("a", a, 0, -1);
    hid_t list_a = H5Pcreate(a);
    printf("  late %d\n", H5Pregister2(a, "late", sizeof two, &two, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    walk("a", a, 0, -1);
    walk("list made before", list_a, 0, -1);
    printf("  list isa a %d\n", H5Pisa_class(list_a, a));
    printf("  H5Pclose of a class %d, close_class of a list %d\n", H5Pclose(a), H5Pclose_class(list_a));
    printf("  close %d %d %d\n", H5Pclose(list_a), H5Pclose_class(a), H5Pclose_class(b));
    printf("  twice %d\n", H5Pclose_class(b));
    H5Pclose_class(c);
    hid_t d = H5Pcreate_class(H5P_DATASET_CREATE, "mine", NULL, NULL, NULL, NULL, NULL, NULL);
    hid_t list_d = H5Pcreate(d);
    printf("  derived: isa dcpl %d, chunk %d\n", H5Pisa_class(list_d, H5P_DATASET_CREATE),
           H5Pset_layout(list_d, H5D_COMPACT));
    H5Pclose(list_d);
    H5Pclose_class(d);
}

static void lists(void)
{
    puts("lists");
    int one = 1, two = 2, five = 5, out = 0;
    hid_t a = H5Pcreate_class(H5P_ROOT, "alpha", NULL, NULL, NULL, NULL, NULL, NULL);
    H5Pregister2(a, "one", sizeof one, &one, on_create, on_set, on_get, on_delete, on_copy, on_compare, on_close);
    H5Pregister2(a, "two", sizeof two, &two, NULL, on_set, on_get, on_delete, on_copy, on_compare, on_close);
    H5Pregister2(a, "empty", 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    puts("  create");
    hid_t x = H5Pcreate(a);
    show("x", x, "one");
    show("x", x, "two");
    show("x", x, "empty");
    show("x", x, "nowhere");
    printf("  set one %d\n", H5Pset(x, "one", &five));
    show("x", x, "one");
    printf("  set two %d\n", H5Pset(x, "two", &five));
    printf("  set two again %d\n", H5Pset(x, "two", &one));
    show("x", x, "two");
    printf("  set empty %d nowhere %d null %d no name %d\n", H5Pset(x, "empty", &five), H5Pset(x, "nowhere", &five),
           H5Pset(x, "one", NULL), H5Pset(x, "", &five));
    printf("  get null %d no name %d\n", H5Pget(x, "one", NULL), H5Pget(x, "", &out));
    refuse = 's';
    printf("  set refused %d\n", H5Pset(x, "one", &two));
    refuse = 'g';
    printf("  get refused %d\n", H5Pget(x, "one", &out));
    refuse = 0;
    show("x", x, "one");
    puts("  insert");
    printf("  %d\n", H5Pinsert2(x, "temp", sizeof one, &one, on_set, on_get, on_delete, on_copy, on_compare, on_close));
    printf("  again %d\n", H5Pinsert2(x, "temp", sizeof one, &one, NULL, NULL, NULL, NULL, NULL, NULL));
    printf("  of class %d\n", H5Pinsert2(x, "one", sizeof one, &one, NULL, NULL, NULL, NULL, NULL, NULL));
    printf("  old %d\n", H5Pinsert1(x, "old", sizeof one, &two, NULL, NULL, NULL, NULL, NULL));
    printf("  no value %d empty %d\n", H5Pinsert1(x, "nil", sizeof one, NULL, NULL, NULL, NULL, NULL, NULL),
           H5Pinsert1(x, "void", 0, NULL, NULL, NULL, NULL, NULL, NULL));
    walk("x", x, 0, -1);
    show("x", x, "temp");
    puts("  copy");
    hid_t y = H5Pcopy(x);
    walk("y", y, 0, -1);
    printf("  equal %d\n", H5Pequal(x, y));
    printf("  set temp %d\n", H5Pset(y, "temp", &five));
    printf("  equal %d\n", H5Pequal(x, y));
    puts("  remove");
    printf("  one %d\n", H5Premove(x, "one"));
    printf("  one again %d\n", H5Premove(x, "one"));
    printf("  temp %d\n", H5Premove(x, "temp"));
    printf("  nowhere %d\n", H5Premove(x, "nowhere"));
    walk("x", x, 0, -1);
    show("x", x, "one");
    printf("  set removed %d\n", H5Pset(x, "one", &one));
    printf("  equal %d\n", H5Pequal(x, y));
    puts("  insert what was removed");
    printf("  %d\n", H5Pinsert2(x, "one", sizeof one, &five, NULL, NULL, NULL, NULL, NULL, NULL));
    show("x", x, "one");
    puts("  copy a property");
    hid_t w = H5Pcreate(a);
    printf("  temp %d\n", H5Pcopy_prop(w, y, "temp"));
    show("w", w, "temp");
    printf("  two %d\n", H5Pcopy_prop(w, y, "old"));
    walk("w", w, 0, -1);
    printf("  close %d\n", H5Pclose(w));
    puts("  untouched property of the class removed");
    hid_t z = H5Pcreate(a);
    printf("  two %d\n", H5Premove(z, "two"));
    walk("z", z, 0, -1);
    refuse = 'd';
    printf("  refused %d\n", H5Premove(z, "one"));
    refuse = 0;
    puts("  close");
    printf("  %d\n", H5Pclose(x));
    printf("  %d\n", H5Pclose(y));
    printf("  %d\n", H5Pclose(z));
    printf("  closed twice %d, get after %d\n", H5Pclose(z), H5Pget(z, "one", &out));
    H5Pclose_class(a);
}

static void class_props(void)
{
    puts("properties between classes");
    int one = 1;
    hid_t a = H5Pcreate_class(H5P_ROOT, "a", NULL, NULL, NULL, NULL, NULL, NULL);
    hid_t b = H5Pcreate_class(H5P_ROOT, "b", NULL, NULL, NULL, NULL, NULL, NULL);
    H5Pregister2(a, "p", sizeof one, &one, NULL, NULL, NULL, NULL, on_copy, NULL, NULL);
    printf("  %d %d\n", H5Pcopy_prop(b, a, "p"), H5Pcopy_prop(b, a, "q"));
    walk("b", b, 0, -1);
    hid_t c = H5Pcreate_class(a, "c", cls_create, tag("c"), cls_copy, tag("c"), cls_close, tag("c"));
    hid_t list = H5Pcreate(c);
    refuse = 'X';
    printf("  close refused %d\n", H5Pclose(list));
    refuse = 0;
    printf("  mixed %d %d\n", H5Pequal(a, list), H5Pequal(12345, a));
    hid_t same1 = H5Pcreate(H5P_DATASET_XFER), same2 = H5Pcreate(H5P_DATASET_XFER);
    printf("  fresh lists equal %d\n", H5Pequal(same1, same2));
    H5Pset_buffer(same1, 1024 * 1024, NULL, NULL);
    printf("  set to the default value %d\n", H5Pequal(same1, same2));
    H5Pset_buffer(same2, 1024 * 1024, NULL, NULL);
    printf("  both set %d\n", H5Pequal(same1, same2));
    H5Pset_buffer(same2, 4096, NULL, NULL);
    printf("  different %d\n", H5Pequal(same1, same2));
    H5Pclose(same1);
    H5Pclose(same2);
    H5Pclose_class(c);
    H5Pclose_class(a);
    H5Pclose_class(b);
}

static void bad_arguments(void)
{
    puts("bad arguments");
    size_t n;
    int idx = 0, neg = -1, left = -1;
    hid_t list = H5Pcreate(H5P_LINK_CREATE);
    printf("  %d %d %d %d\n", H5Pcreate(77) > 0, H5Pcopy(77) > 0, H5Pget_class(77) > 0, H5Pexist(77, "a"));
    printf("  %d %d %d\n", H5Pget_nprops(77, &n), H5Pget_nprops(list, NULL), H5Pget_size(list, "", &n));
    printf("  %d %d %d\n", H5Piterate(list, &neg, each, &left), H5Piterate(list, &idx, NULL, NULL),
           H5Piterate(77, &idx, each, &left));
    printf("  %d %d\n", H5Piterate(list, NULL, each, &left), H5Pget_class_name(list) != NULL);
    printf("  %d %d %d\n", H5Pisa_class(list, list), H5Pisa_class(77, H5P_ROOT), H5Pisa_class(list, 77));
    printf("  default: %d %d\n", H5Pclose(H5P_DEFAULT), H5Pcopy(H5P_DEFAULT) == H5P_DEFAULT);
    hid_t cls = H5Pget_class(list);
    names(cls);
    H5Pclose_class(cls);
    printf("  root list %d\n", H5Pclose(H5Pcreate(H5P_ROOT)));
    H5Pclose(list);
}

/* A property of the application in a class of the library: lists that are made from then on have it. In libhdf5 those that
 * were made before, the default ones, too, are of no use any more: so it is registered last. */
static void library_classes(void)
{
    puts("properties in classes of the library");
    int seven = 7, got = 0;
    size_t n = 0;
    hsize_t chunk = 4;
    hid_t before = H5Pcreate(H5P_DATASET_CREATE);
    printf("  %d", H5Pregister2(H5P_DATASET_CREATE, "mine", sizeof seven, &seven, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    printf(" again %d", H5Pregister1(H5P_DATASET_CREATE, "mine", sizeof seven, &seven, NULL, NULL, NULL, NULL, NULL, NULL));
    printf(" layout %d\n", H5Pregister2(H5P_DATASET_CREATE, "layout", sizeof seven, &seven, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    hid_t list = H5Pcreate(H5P_DATASET_CREATE), copy = H5Pcopy(list);
    H5Pget_nprops(H5P_DATASET_CREATE, &n);
    printf("  class has %zu", n);
    H5Pget_nprops(list, &n);
    printf(" list %zu: %d %d before %d\n", n, H5Pexist(list, "mine"), H5Pexist(copy, "mine"), H5Pexist(before, "mine"));
    printf("  get %d", H5Pget(list, "mine", &got));
    printf(" %d is one %d chunk %d layout %d\n", got, H5Pisa_class(list, H5P_DATASET_CREATE), H5Pset_chunk(list, 1, &chunk),
           (int)H5Pget_layout(list));
    printf("  %d\n", H5Punregister(H5P_DATASET_CREATE, "mine"));
    printf("  link %d\n", H5Pregister1(H5P_LINK_CREATE, "l", sizeof seven, &seven, NULL, NULL, NULL, NULL, NULL, NULL));
    hid_t lcpl = H5Pcreate(H5P_LINK_CREATE);
    printf("  %d %d\n", H5Pexist(lcpl, "l"), H5Pset_create_intermediate_group(lcpl, 1));
    H5Pclose(lcpl);
    H5Pclose(before);
    H5Pclose(list);
    H5Pclose(copy);
}

/* The one property of the library whose value is an id: each time it is that of a new list. */
static void id_values(void)
{
    puts("values that are ids");
    hid_t lapl = H5Pcreate(H5P_LINK_ACCESS), other = H5Pcreate(H5P_DATASET_ACCESS), fapl = H5Pcreate(H5P_FILE_ACCESS);
    hid_t a = -5, b = -5, bad = H5T_NATIVE_INT;
    size_t sieve = 0;
    printf("  none %d", H5Pget(lapl, "external link fapl", &a));
    printf(" %lld\n", (long long)a);
    H5Pset_sieve_buf_size(fapl, 1234);
    H5Pset_elink_fapl(lapl, fapl);
    printf("  %d %d", H5Pget(lapl, "external link fapl", &a), H5Pget(lapl, "external link fapl", &b));
    printf(" two %d equal %d %d", a != b, H5Pequal(a, fapl), H5Pequal(b, fapl));
    H5Pget_sieve_buf_size(a, &sieve);
    printf(" %zu\n", sieve);
    H5Pclose(a);
    printf("  still %d set %d", H5Pequal(b, fapl), H5Pset(other, "external link fapl", &fapl));
    a = H5Pget_elink_fapl(other);
    printf(" %d own %d\n", H5Pequal(a, fapl), a != fapl);
    H5Pclose(fapl);
    H5Pget_sieve_buf_size(a, &sieve);
    printf("  kept %zu bad %d\n", sieve, H5Pset(lapl, "external link fapl", &bad));
    H5Pclose(a);
    H5Pclose(b);
}

/* Memory that a value points at is each list's own. */
static void text_values(void)
{
    char *text = NULL, room[16] = "";
    char *given = strdup("xyz");
    hid_t lapl = H5Pcreate(H5P_LINK_ACCESS), other = H5Pcreate(H5P_LINK_ACCESS);
    H5Pset_elink_prefix(lapl, "abc");
    printf("  text %d", H5Pget(lapl, "external link prefix", &text));
    printf(" %s set %d", text, H5Pset(lapl, "external link prefix", &given));
    H5free_memory(text);
    memset(given, '?', 3);
    free(given);
    H5Pget_elink_prefix(lapl, room, sizeof room);
    printf(" %s", room);
    printf(" copy %d", H5Pcopy_prop(other, lapl, "external link prefix"));
    H5Pclose(lapl);
    H5Pget_elink_prefix(other, room, sizeof room);
    printf(" %s\n", room);
    H5Pclose(other);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    classes();
    lists();
    class_props();
    bad_arguments();
    id_values();
    text_values();
    library_classes();
    return 0;
}
