/* What the API says about several hundred datatypes, with their encodings. */
#include "type_print.h"
#include "type_set.h"

int main(void)
{
    static struct type_set s;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    make_types(&s);
    for (size_t i = 0; i < s.n; i++) {
        printf("%s\n", s.t[i].name);
        if (s.t[i].id >= 0)
            print_type(s.t[i].id, 1);
    }
    close_types(&s);
    return 0;
}
