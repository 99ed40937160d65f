/* Error stacks that are paused: nothing is pushed on them until as many resumes came. */
#include <hdf5.h>

#include <stdio.h>
#include <string.h>

#include "later.h"

static void paused(hid_t stack)
{
    hbool_t is = 2;
    herr_t ret = H5Eis_paused(stack, &is);
    printf("  is paused: %d, %d\n", (int)ret, (int)is);
}

static void count(const char *when)
{
    printf("  records %s: %s\n", when, H5Eget_num(H5E_DEFAULT) > 0 ? "some" : "none");
}

static void fail(void)
{
    printf("  a call fails: %d\n", (int)H5Fclose(H5P_FILE_CREATE));
}

static void of_the_thread(void)
{
    HEAD("the thread's own");
    paused(H5E_DEFAULT);
    fail();
    count("not paused");
    SAY(H5Epause_stack(H5E_DEFAULT));
    count("paused");
    paused(H5E_DEFAULT);
    fail();
    count("after a failure");
    SAY(H5Epush2(H5E_DEFAULT, "file", "function", 1, H5E_ERR_CLS, H5E_ARGS, H5E_BADVALUE, "text %d", 1));
    count("after a push");
    SAY(H5Epause_stack(H5E_DEFAULT));
    paused(H5E_DEFAULT);
    SAY(H5Eresume_stack(H5E_DEFAULT));
    paused(H5E_DEFAULT);
    fail();
    count("resumed once of twice");
    SAY(H5Eresume_stack(H5E_DEFAULT));
    paused(H5E_DEFAULT);
    fail();
    count("resumed");
    SAY(H5Eresume_stack(H5E_DEFAULT));
    paused(H5E_DEFAULT);
}

static void of_others(void)
{
    HEAD("others");
    hid_t stack = H5Ecreate_stack();
    paused(stack);
    SAY(H5Epause_stack(stack));
    paused(stack);
    SAY(H5Epush2(stack, "file", "function", 1, H5E_ERR_CLS, H5E_ARGS, H5E_BADVALUE, "text"));
    SAY(H5Eget_num(stack));
    hid_t more = H5Ecreate_stack();
    SAY(H5Epush2(more, "file", "function", 2, H5E_ERR_CLS, H5E_ARGS, H5E_BADVALUE, "more"));
    SAY(H5Eappend_stack(stack, more, 0));
    SAY(H5Eget_num(stack));
    SAY(H5Eresume_stack(stack));
    SAY(H5Epush2(stack, "file", "function", 1, H5E_ERR_CLS, H5E_ARGS, H5E_BADVALUE, "text"));
    SAY(H5Eget_num(stack));
    SAY(H5Epause_stack(stack));
    SAY(H5Eclear2(stack));
    SAY(H5Eget_num(stack));
    paused(stack);
    SAY(H5Eset_current_stack(stack));
    paused(H5E_DEFAULT);
    SAY(H5Epause_stack(more));
    SAY(H5Eset_current_stack(more));
    paused(H5E_DEFAULT);
    SAY(H5Epause_stack(H5E_DEFAULT));
    hid_t copy = H5Eget_current_stack();
    paused(copy);
    SAY(H5Eresume_stack(H5E_DEFAULT));
    H5Eclose_stack(copy);
}

static void wrong(void)
{
    hbool_t is;
    HEAD("wrong arguments");
    SAY(H5Epause_stack(H5P_FILE_CREATE));
    SAY(H5Eresume_stack(H5P_FILE_CREATE));
    SAY(H5Epause_stack(-1));
    SAY(H5Eis_paused(-1, &is));
    SAY(H5Eis_paused(H5E_DEFAULT, NULL));
    hid_t stack = H5Ecreate_stack();
    SAY(H5Eappend_stack(H5E_DEFAULT, stack, 0));
    SAY(H5Eappend_stack(stack, H5E_DEFAULT, 0));
    SAY(H5Eappend_stack(stack, H5P_FILE_CREATE, 0));
    SAY(H5Eclose_stack(stack));
}

int main(void)
{
    begin();
    of_the_thread();
    of_others();
    wrong();
    return 0;
}
