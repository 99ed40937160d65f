/* Error stacks, classes, messages, and what is reported by itself. The library's own records differ between libraries in
 * file, line and text, so only what the program pushes is printed in full. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "id_types.h"

static herr_t show(unsigned n, const H5E_error2_t *e, void *data)
{
    char text[100] = "";
    H5E_type_t type = (H5E_type_t)9;
    ssize_t len = H5Eget_msg(e->maj_num, &type, text, sizeof text);
    printf("    %u %s %s %u '%s' major %d %d '%s'", n, e->file_name, e->func_name, e->line, e->desc, (int)len, (int)type, text);
    len = H5Eget_msg(e->min_num, &type, text, sizeof text);
    printf(" minor %d %d '%s'", (int)len, (int)type, text);
    printf(" class %d\n", e->cls_id > 0);
    int *stop = data;
    return stop && (int)n == *stop ? 5 : stop && (int)n == -*stop ? -5 : 0;
}

static herr_t show1(int n, H5E_error1_t *e, void *data)
{
    printf("    %d %s %s %u '%s' %d\n", n, e->file_name, e->func_name, e->line, e->desc, data != NULL);
    return 0;
}

static int reports;

static herr_t on_error(hid_t stack, void *data)
{
    printf("    reported: stack %lld data %d\n", (long long)stack, data != NULL);
    reports++;
    return 0;
}

static herr_t on_error1(void *data)
{
    printf("    reported the old way: data %d\n", data != NULL);
    reports++;
    return 0;
}

static void push(hid_t stack, hid_t cls, hid_t maj, hid_t min, int n)
{
    char func[20];
    snprintf(func, sizeof func, "func_%d", n);
    printf("  push %d: %d\n", n, H5Epush2(stack, "file.c", func, 10 + (unsigned)n, cls, maj, min, "number %d of %s", n, "many"));
}

static void messages(void)
{
    puts("classes and messages");
    char text[12] = "";
    H5E_type_t type;
    hid_t cls = H5Eregister_class("Mine", "my library", "7.1");
    printf("class %d null %d %d %d\n", cls > 0, H5Eregister_class(NULL, "a", "b") > 0, H5Eregister_class("a", NULL, "b") > 0,
           H5Eregister_class("a", "b", NULL) > 0);
    printf("name %d", (int)H5Eget_class_name(cls, text, sizeof text));
    printf(" '%s' %d", text, (int)H5Eget_class_name(cls, text, 3));
    printf(" '%s' %d bad %d\n", text, (int)H5Eget_class_name(cls, NULL, 0), (int)H5Eget_class_name(77, text, 3));
    hid_t maj = H5Ecreate_msg(cls, H5E_MAJOR, "a major thing"), min = H5Ecreate_msg(cls, H5E_MINOR, "minor");
    printf("messages %d %d bad %d %d %d\n", maj > 0, min > 0, H5Ecreate_msg(cls, (H5E_type_t)5, "x") > 0,
           H5Ecreate_msg(77, H5E_MAJOR, "x") > 0, H5Ecreate_msg(cls, H5E_MAJOR, NULL) > 0);
    printf("get %d", (int)H5Eget_msg(maj, &type, text, sizeof text));
    printf(" %d '%s'", (int)type, text);
    printf(" %d", (int)H5Eget_msg(min, NULL, text, sizeof text));
    printf(" '%s' bad %d\n", text, (int)H5Eget_msg(77, NULL, text, sizeof text));
    printf("types %s %s ref %d\n", id_type(cls), id_type(maj), H5Iget_ref(maj));
    char *old = H5Eget_major(H5E_ARGS), *low = H5Eget_minor(H5E_BADVALUE);
    printf("old '%s' '%s'\n", old, low);
    free(old);
    free(low);
    printf("close %d again %d unregister %d\n", H5Eclose_msg(maj), 0, H5Eunregister_class(cls));
    printf("after: class %s message %s %s\n", id_type(cls), id_type(maj), id_type(min));
}

static void stacks(void)
{
    puts("stacks");
    hid_t cls = H5Eregister_class("Mine", "my library", "7.1");
    hid_t maj = H5Ecreate_msg(cls, H5E_MAJOR, "a major thing"), min = H5Ecreate_msg(cls, H5E_MINOR, "a minor one");
    int stop = 1, fail = -1, none = 99;
    H5Eclear2(H5E_DEFAULT);
    printf("num %d\n", (int)H5Eget_num(H5E_DEFAULT));
    for (int i = 0; i < 3; i++)
        push(H5E_DEFAULT, cls, maj, min, i);
    push(H5E_DEFAULT, H5E_ERR_CLS, H5E_DATASET, H5E_NOTFOUND, 3);
    printf("num %d\n", (int)H5Eget_num(H5E_DEFAULT));
    puts("up");
    printf("  %d\n", H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, show, NULL));
    puts("down");
    printf("  %d\n", H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, show, &none));
    puts("stopping");
    printf("  %d\n", H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, show, &stop));
    puts("old");
    printf("  %d\n", H5Ewalk1(H5E_WALK_UPWARD, show1, &stop));
    printf("pop %d", H5Epop(H5E_DEFAULT, 1));
    printf(" %d\n", (int)H5Eget_num(H5E_DEFAULT));
    hid_t s = H5Eget_current_stack();
    printf("taken %d: %d left %d type %s\n", s > 0, (int)H5Eget_num(s), (int)H5Eget_num(H5E_DEFAULT), id_type(s));
    push(s, cls, maj, min, 9);
    printf("  %d\n", H5Ewalk2(s, H5E_WALK_UPWARD, show, NULL));
    puts("printed");
    fflush(stdout);
    printf("  %d\n", H5Epop(s, 2));
    printf("num %d\n", (int)H5Eget_num(s));
    hid_t empty = H5Ecreate_stack();
    printf("empty %d\n", (int)H5Eget_num(empty));
    for (int i = 0; i < 3; i++)
        push(empty, cls, maj, min, 20 + i);
    printf("pop many %d", H5Epop(empty, 10));
    printf(" %d\n", (int)H5Eget_num(empty));
    push(empty, cls, maj, min, 30);
    printf("clear %d", H5Eclear2(empty));
    printf(" %d\n", (int)H5Eget_num(empty));
    printf("set %d", H5Eset_current_stack(s));
    printf(" now %d id %s\n", (int)H5Eget_num(H5E_DEFAULT), id_type(s));
    push(H5E_DEFAULT, cls, maj, min, 40);
    printf("  %d\n", H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, show, NULL));
    printf("close %d default %d bad %d\n", H5Eclose_stack(empty), H5Eclose_stack(H5E_DEFAULT), H5Eclose_stack(77));
    printf("push1 %d\n", H5Epush1("old.c", "old_func", 5, H5E_FILE, H5E_CANTOPENFILE, "the old way"));
    printf("  %d\n", H5Ewalk1(H5E_WALK_DOWNWARD, show1, NULL));
    printf("clear1 %d", H5Eclear1());
    printf(" %d\n", (int)H5Eget_num(H5E_DEFAULT));
    for (int i = 0; i < 40; i++)
        H5Epush2(H5E_DEFAULT, "f", "g", 1, cls, maj, min, "x");
    printf("full %d\n", (int)H5Eget_num(H5E_DEFAULT));
    H5Eclear2(H5E_DEFAULT);
    printf("fails %d", H5Pclose(12345));
    printf(" some %d", H5Eget_num(H5E_DEFAULT) > 0);
    hid_t p = H5Pcreate(H5P_DATASET_XFER);
    printf(" a good call clears %d\n", (int)H5Eget_num(H5E_DEFAULT));
    H5Pclose(p);
    H5Eclose_msg(maj);
    H5Eclose_msg(min);
    H5Eunregister_class(cls);
    (void)fail;
}

static void reporting(void)
{
    puts("reporting");
    H5E_auto2_t f2 = NULL;
    H5E_auto1_t f1 = NULL;
    void *data = NULL;
    unsigned v2 = 9;
    int mark = 1;
    H5Eauto_is_v2(H5E_DEFAULT, &v2);
    printf("v2 %u\n", v2);
    printf("set %d\n", H5Eset_auto2(H5E_DEFAULT, on_error, &mark));
    printf("get %d", H5Eget_auto2(H5E_DEFAULT, &f2, &data));
    printf(" %d %d old %d\n", f2 == on_error, data == &mark, H5Eget_auto1(&f1, &data));
    printf("fails %d\n", H5Pclose(12345));
    printf("trying\n");
    H5E_BEGIN_TRY
    {
        printf("  quiet %d\n", H5Pclose(12345));
    }
    H5E_END_TRY
    printf("fails %d reports %d\n", H5Pclose(12345), reports);
    printf("set old %d", H5Eset_auto1(on_error1, &mark));
    H5Eauto_is_v2(H5E_DEFAULT, &v2);
    printf(" v2 %u get %d\n", v2, H5Eget_auto1(&f1, &data));
    printf("%d %d new %d\n", f1 == on_error1, data == &mark, H5Eget_auto2(H5E_DEFAULT, &f2, &data));
    printf("fails %d\n", H5Pclose(12345));
    H5E_BEGIN_TRY
    {
        printf("  quiet %d\n", H5Pclose(12345));
    }
    H5E_END_TRY
    printf("fails %d reports %d\n", H5Pclose(12345), reports);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    printf("off %d reports %d\n", H5Pclose(12345), reports);
    hid_t s = H5Ecreate_stack();
    printf("of a stack %d", H5Eset_auto2(s, on_error, NULL));
    f2 = NULL;
    H5Eget_auto2(s, &f2, &data);
    printf(" %d default", f2 == on_error);
    H5Eget_auto2(H5E_DEFAULT, &f2, &data);
    printf(" %d bad %d\n", f2 == NULL, H5Eset_auto2(77, NULL, NULL));
    H5Eclose_stack(s);
}

static void printing(void)
{
    puts("printing");
    hid_t cls = H5Eregister_class("Mine", "my library", "7.1");
    hid_t maj = H5Ecreate_msg(cls, H5E_MAJOR, "a major thing"), min = H5Ecreate_msg(cls, H5E_MINOR, "a minor one");
    H5Eclear2(H5E_DEFAULT);
    push(H5E_DEFAULT, cls, maj, min, 1);
    push(H5E_DEFAULT, cls, maj, min, 2);
    fflush(stdout);
    FILE *f = tmpfile();
    printf("%d\n", H5Eprint2(H5E_DEFAULT, f));
    rewind(f);
    char line[200];
    while (fgets(line, sizeof line, f))
        printf("  |%s", line);
    fclose(f);
    H5Eclear2(H5E_DEFAULT);
    H5Eclose_msg(maj);
    H5Eclose_msg(min);
    H5Eunregister_class(cls);
}

/* No text is too long: as it is, in a copy of the stack, and printed. */
static void long_texts(void)
{
    static char text[3000];
    puts("long texts");
    for (size_t i = 0; i + 1 < sizeof text; i++)
        text[i] = (char)('a' + i % 26);
    for (size_t n = 382; n < 387; n++) {
        H5Eclear2(H5E_DEFAULT);
        H5Epush2(H5E_DEFAULT, "f", "g", 1, H5E_ERR_CLS, H5E_FILE, H5E_CANTINIT, "%.*s", (int)n, text);
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, show, NULL);
    }
    H5Epush1("old.c", "old_func", 5, H5E_FILE, H5E_CANTOPENFILE, text);
    H5Epush2(H5E_DEFAULT, "f", "g", 1, H5E_ERR_CLS, H5E_FILE, H5E_CANTINIT, "%s and %s", text, text);
    hid_t stack = H5Eget_current_stack();
    H5Ewalk2(stack, H5E_WALK_UPWARD, show, NULL);
    H5Eset_current_stack(stack);
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, show, NULL);
    H5Eprint2(H5E_DEFAULT, stderr);
    H5Epop(H5E_DEFAULT, 1);
    for (int i = 0; i < 40; i++)
        H5Epush2(H5E_DEFAULT, "f", "g", 1, H5E_ERR_CLS, H5E_FILE, H5E_CANTINIT, "%s", text);
    H5Eclear2(H5E_DEFAULT);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    H5E_auto2_t f2 = NULL;
    void *data = &f2;
    int got = H5Eget_auto2(H5E_DEFAULT, &f2, &data);
    printf("default %d %d %d\n", got, f2 != NULL, data == NULL);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    messages();
    stacks();
    reporting();
    printing();
    long_texts();
    return 0;
}
