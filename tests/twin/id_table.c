/* Ids: reference counts, types of the application, what is refused. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

static int freed[20], refuse = -1;

static herr_t release(void *obj)
{
    int n = *(int *)obj;
    printf("    [free %d]\n", n);
    freed[n]++;
    return n == refuse ? -1 : 0;
}

static int look_for(void *obj, hid_t id, void *key)
{
    (void)id;
    printf("    [look at %d]\n", *(int *)obj);
    return *(int *)obj == *(int *)key;
}

static int give_up(void *obj, hid_t id, void *key)
{
    (void)obj, (void)id, (void)key;
    return -1;
}

static void user_types(void)
{
    puts("user types");
    static int values[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    H5I_type_t t = H5Iregister_type(64, 0, (H5I_free_t)(void (*)(void))release), u = H5Iregister_type(64, 0, NULL);
    hsize_t n = 99;
    printf("different %d exists %d %d\n", t != u, H5Itype_exists(t), H5Itype_exists((H5I_type_t)100));
    hid_t ids[5];
    for (int i = 0; i < 5; i++)
        ids[i] = H5Iregister(t, &values[i]);
    printf("members %d", H5Inmembers(t, &n));
    printf(" %llu empty %d", (unsigned long long)n, H5Inmembers(u, &n));
    printf(" %llu\n", (unsigned long long)n);
    printf("type %d object %d wrong type %d gone %d\n", H5Iget_type(ids[1]) == t,
           H5Iobject_verify(ids[1], t) == &values[1], H5Iobject_verify(ids[1], u) == NULL, H5Iobject_verify(ids[1] + 100, t) == NULL);
    printf("ref %d valid %d\n", H5Iget_ref(ids[0]), H5Iis_valid(ids[0]));
    printf("inc %d", H5Iinc_ref(ids[0]));
    printf(" ref %d", H5Iget_ref(ids[0]));
    printf(" dec %d\n", H5Idec_ref(ids[0]));
    printf("dec %d\n", H5Idec_ref(ids[0]));
    printf("after: %d %d %d %d\n", H5Iis_valid(ids[0]), H5Iget_type(ids[0]), H5Idec_ref(ids[0]), H5Iget_ref(ids[0]));
    int key = 1;
    printf("search %d\n", H5Isearch(t, look_for, &key) == &values[1]);
    printf("search gives up %d\n", H5Isearch(t, give_up, &key) == NULL);
    printf("removed %d", H5Iremove_verify(ids[1], t) == &values[1]);
    printf(" again %d wrong type %d valid %d freed %d\n", H5Iremove_verify(ids[1], t) == NULL,
           H5Iremove_verify(ids[2], u) == NULL, H5Iis_valid(ids[1]), freed[1]);
    refuse = 2;
    printf("refused %d", H5Idec_ref(ids[2]));
    printf(" valid %d ref %d\n", H5Iis_valid(ids[2]), H5Iget_ref(ids[2]));
    H5Iinc_ref(ids[3]);
    puts("clear");
    printf("%d", H5Iclear_type(t, 0));
    H5Inmembers(t, &n);
    printf(" left %llu: %d %d %d\n", (unsigned long long)n, H5Iis_valid(ids[2]), H5Iis_valid(ids[3]), H5Iis_valid(ids[4]));
    puts("clear by force");
    printf("%d", H5Iclear_type(t, 1));
    H5Inmembers(t, &n);
    printf(" left %llu\n", (unsigned long long)n);
    refuse = -1;
    hid_t late = H5Iregister(t, &values[7]);
    printf("type refs %d", H5Iget_type_ref(t));
    printf(" inc %d", H5Iinc_type_ref(t));
    printf(" dec %d\n", H5Idec_type_ref(t));
    puts("last");
    printf("dec %d\n", H5Idec_type_ref(t));
    printf("gone %d %d %d %d\n", H5Itype_exists(t), H5Iis_valid(late), H5Iget_type_ref(t), H5Iregister(t, &values[1]) < 0);
    hid_t other = H5Iregister(u, &values[8]);
    printf("destroy %d", H5Idestroy_type(u));
    printf(" again %d valid %d\n", H5Idestroy_type(u), H5Iis_valid(other));
}

static herr_t show_record(unsigned n, const H5E_error2_t *e, void *data)
{
    char major[40] = "", minor[80] = "";
    (void)data;
    if (n > 0)
        return 1;
    H5Eget_msg(e->maj_num, NULL, major, sizeof major);
    H5Eget_msg(e->min_num, NULL, minor, sizeof minor);
    printf(" %s | %s | %.20s", major, minor, e->desc);
    return 0;
}

static void show_error(void)
{
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, show_record, NULL);
    puts("");
}

/* What a call says is left on the stack, also by functions whose NULL may mean that nothing was found. */
static void nothing_there(void)
{
    puts("ids of nothing, and of types that are no more");
    static int value;
    hsize_t n = 9;
    H5I_type_t t = H5Iregister_type(64, 0, NULL), u = H5Iregister_type(64, 0, NULL);
    hid_t none = H5Iregister(t, NULL), one = H5Iregister(t, &value);
    printf("type %d %d valid %d ref %d\n", H5Iget_type(none), H5Iget_type(one) == t, H5Iis_valid(none), H5Iget_ref(none));
    printf("verify %d", H5Iobject_verify(none, t) == NULL);
    show_error();
    printf("remove %d", H5Iremove_verify(none, t) == NULL);
    show_error();
    printf("valid %d members %d", H5Iis_valid(none), H5Inmembers(t, &n));
    printf(" %d\n", (int)n);
    none = H5Iregister(t, NULL);
    printf("dec %d valid %d\n", H5Idec_ref(none), H5Iis_valid(none));
    printf("other type: verify %d", H5Iobject_verify(one, u) == NULL);
    show_error();
    printf("remove %d", H5Iremove_verify(one, u) == NULL);
    show_error();
    H5Idestroy_type(t);
    printf("destroyed: verify %d", H5Iobject_verify(one, t) == NULL);
    show_error();
    printf("remove %d", H5Iremove_verify(one, t) == NULL);
    show_error();
    printf("search %d", H5Isearch(t, look_for, &value) == NULL);
    show_error();
    printf("refs %d", H5Iget_type_ref(t));
    show_error();
    printf("inc %d", H5Iinc_type_ref(t));
    show_error();
    printf("dec %d", H5Idec_type_ref(t));
    show_error();
}

static void library_types(void)
{
    puts("library types");
    static int value;
    hsize_t n;
    int left = -1;
    hid_t p = H5Pcreate(H5P_DATASET_XFER), s = H5Screate(H5S_SCALAR), t = H5Tcopy(H5T_NATIVE_INT);
    printf("types %d %d %d\n", H5Iget_type(p) == H5I_GENPROP_LST, H5Iget_type(s), H5Iget_type(t));
    printf("predefined: type %d ref %d valid %d\n", H5Iget_type(H5T_NATIVE_INT), H5Iget_ref(H5T_NATIVE_INT),
           H5Iis_valid(H5T_NATIVE_INT));
    printf("refused: register %d search %d members %d clear %d destroy %d\n", H5Iregister(H5I_DATASPACE, &value) < 0,
           H5Isearch(H5I_DATASPACE, look_for, &left) == NULL, H5Inmembers(H5I_DATASPACE, &n), H5Iclear_type(H5I_DATASPACE, 1),
           H5Idestroy_type(H5I_DATASPACE));
    printf("refused: inc %d dec %d get %d exists %d verify %d remove %d\n", H5Iinc_type_ref(H5I_FILE), H5Idec_type_ref(H5I_FILE),
           H5Iget_type_ref(H5I_FILE), H5Itype_exists(H5I_FILE), H5Iobject_verify(s, H5I_DATASPACE) == NULL,
           H5Iremove_verify(s, H5I_DATASPACE) == NULL);
    printf("inc %d", H5Iinc_ref(s));
    printf(" close %d", H5Sclose(s));
    printf(" valid %d ref %d", H5Iis_valid(s), H5Iget_ref(s));
    printf(" dec %d", H5Idec_ref(s));
    printf(" valid %d close %d\n", H5Iis_valid(s), H5Sclose(s));
    printf("wrong kind: %d %d %d\n", H5Sclose(p), H5Tclose(p), H5Pclose(t));
    printf("nonsense: %d %d %d %d\n", H5Iget_type(0), H5Iget_type(-1), H5Iis_valid(12345), H5Iinc_ref(7));
    H5Pclose(p);
    H5Tclose(t);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    user_types();
    nothing_there();
    library_types();
    return 0;
}
