/* Native types in each direction, equality of all pairs. */
#include "type_print.h"
#include "type_set.h"

int main(void)
{
    static struct type_set s;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    make_types(&s);
    for (size_t i = 0; i < s.n; i++)
        for (int dir = -1; dir <= 3; dir++) {
            hid_t t = H5Tget_native_type(s.t[i].id, (H5T_direction_t)dir);
            printf("%s dir %d: %d\n", s.t[i].name, dir, t >= 0);
            if (t < 0)
                continue;
            print_type(t, 1);
            H5Tclose(t);
        }
    for (size_t i = 0; i < s.n; i++) {
        printf("%s:", s.t[i].name);
        for (size_t j = 0; j < s.n; j++)
            if (H5Tequal(s.t[i].id, s.t[j].id) != 0)
                printf(" %zu", j);
        printf("\n");
    }
    close_types(&s);
    return 0;
}
