/* What programs in this folder print with: each call with its result, and of errors the outermost record. */
#include <string.h>

/* Tessera has the words of 1.10 for these. */
static const char *in_new_words(const char *text)
{
    return strcmp(text, "Object atom") == 0 ? "Object ID"
           : strcmp(text, "Unable to find atom information (already closed?)") == 0
               ? "Unable to find ID information (already closed?)"
           : strcmp(text, "Unable to register new atom") == 0 ? "Unable to register new ID" : text;
}

/* Errors of the call that was made last. */
static herr_t outermost(unsigned n, const H5E_error2_t *err, void *data)
{
    char major[128] = "", minor[128] = "";
    H5Eget_msg(err->maj_num, NULL, major, sizeof major);
    H5Eget_msg(err->min_num, NULL, minor, sizeof minor);
    if (n == 0)
        printf("  [%s: %s | %s]", err->func_name, in_new_words(major), in_new_words(minor));
    return 0;
}

static void show(const char *call, long long result)
{
    printf("%s = %lld", call, result);
    if (result < 0)
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, outermost, NULL);
    printf("\n");
}

#define SAY(call) show(#call, (long long)(call))
#define HEAD(text) printf("== %s\n", text)

static void begin(void)
{
    H5open();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
}
