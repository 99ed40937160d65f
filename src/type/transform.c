#include "type/transform.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

/* A stack machine whose slots hold a block of elements each. C is the constant of the step. */
enum code { LOAD, ADD_C, SUB_C, C_SUB, MUL_C, DIV_C, C_DIV, ADD, SUB, MUL, DIV };

struct step {
    enum code code;
    double c;
};

/* What an expression or a part of it comes to. */
struct operand {
    enum { INTEGER, REAL, ELEMENTS } kind;
    bool leaf; /* a number or a symbol, without a sign */
    int64_t i;
    double f;
};

struct ts_transform {
    struct step *steps;
    size_t n, capacity;
    size_t depth; /* slots needed */
    struct operand result;
    bool identity;
};

struct parse {
    const char *text, *p;
    struct ts_transform *t;
    struct operand *operands;
    size_t n_operands, operands_capacity;
    char *operators; /* + - * / ( and for signs p m */
    size_t n_operators, operators_capacity;
    size_t used; /* slots */
};

static int not_understood(const struct parse *s, const char *why)
{
    return TS_ERR(ARGS, BADVALUE, "data transform '%.200s': %s at offset %zu", s->text, why, (size_t)(s->p - s->text));
}

static int emit(struct parse *s, enum code code, double c)
{
    struct ts_transform *t = s->t;
    if (TS_GROW(t->steps, t->capacity, t->n + 1) < 0)
        return -1;
    t->steps[t->n++] = (struct step){code, c};
    if (code == LOAD && ++s->used > t->depth)
        t->depth = s->used;
    if (code >= ADD)
        s->used--;
    return 0;
}

static int push_operand(struct parse *s, struct operand o)
{
    if (TS_GROW(s->operands, s->operands_capacity, s->n_operands + 1) < 0)
        return -1;
    s->operands[s->n_operands++] = o;
    return 0;
}

static int push_operator(struct parse *s, char op)
{
    if (TS_GROW(s->operators, s->operators_capacity, s->n_operators + 1) < 0)
        return -1;
    s->operators[s->n_operators++] = op;
    return 0;
}

static char top_operator(const struct parse *s)
{
    return s->n_operators > 0 ? s->operators[s->n_operators - 1] : '\0';
}

static double value(const struct operand *o)
{
    return o->kind == INTEGER ? (double)o->i : o->f;
}

static int fold_integers(const struct parse *s, char op, int64_t a, int64_t b, int64_t *out)
{
    uint64_t u = (uint64_t)a, v = (uint64_t)b;
    if (op == '/' && b == 0)
        return not_understood(s, "an integer divided by 0");
    if (op == '/')
        *out = b == -1 ? (int64_t)(0 - u) : a / b;
    else
        *out = (int64_t)(op == '+' ? u + v : op == '-' ? u - v : u * v);
    return 0;
}

static double fold_reals(char op, double a, double b)
{
    return op == '+' ? a + b : op == '-' ? a - b : op == '*' ? a * b : a / b;
}

static int combine(struct parse *s, char op, const struct operand *a, const struct operand *b, struct operand *out)
{
    *out = (struct operand){.kind = ELEMENTS};
    if (a->kind == ELEMENTS && b->kind == ELEMENTS)
        return emit(s, op == '+' ? ADD : op == '-' ? SUB : op == '*' ? MUL : DIV, 0);
    if (a->kind == ELEMENTS)
        return emit(s, op == '+' ? ADD_C : op == '-' ? SUB_C : op == '*' ? MUL_C : DIV_C, value(b));
    if (b->kind == ELEMENTS)
        return emit(s, op == '+' ? ADD_C : op == '-' ? C_SUB : op == '*' ? MUL_C : C_DIV, value(a));
    if (a->kind == INTEGER && b->kind == INTEGER) {
        out->kind = INTEGER;
        return fold_integers(s, op, a->i, b->i, &out->i);
    }
    out->kind = REAL;
    out->f = fold_reals(op, value(a), value(b));
    return 0;
}

/* The two operands on top become one. */
static int reduce(struct parse *s)
{
    struct operand out;
    struct operand *b = &s->operands[s->n_operands - 1], *a = b - 1;
    if (combine(s, s->operators[--s->n_operators], a, b, &out) < 0)
        return -1;
    s->n_operands--;
    *a = out;
    return 0;
}

static bool is_product(char op)
{
    return op == '*' || op == '/';
}

static bool is_sum(char op)
{
    return op == '+' || op == '-';
}

/* Everything since the last open parenthesis, or only what binds as tightly as a product. */
static int reduce_all(struct parse *s, bool only_products)
{
    for (char op; op = top_operator(s), is_product(op) || (is_sum(op) && !only_products);)
        if (reduce(s) < 0)
            return -1;
    return 0;
}

/* A factor is complete: a sign that stands before it is due. */
static int apply_sign(struct parse *s)
{
    static const struct operand zero = {.kind = INTEGER};
    struct operand *o = &s->operands[s->n_operands - 1], out;
    char sign = top_operator(s);
    if (sign != 'p' && sign != 'm')
        return 0;
    if (!o->leaf)
        return not_understood(s, "a sign before more than a number or a symbol");
    s->n_operators--;
    if (combine(s, sign == 'p' ? '+' : '-', &zero, o, &out) < 0)
        return -1;
    *o = out;
    /* A second sign would now stand before a sign. */
    return apply_sign(s);
}

static const char *skip_digits(const char *p)
{
    while (isdigit((unsigned char)*p))
        p++;
    return p;
}

static bool begins_exponent(const char *p)
{
    if (*p != 'e' && *p != 'E')
        return false;
    p += p[1] == '+' || p[1] == '-' ? 2 : 1;
    return isdigit((unsigned char)*p);
}

static int64_t integer_value(const char *p, const char *end)
{
    int64_t v = 0;
    for (; p < end; p++)
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p - '0', &v))
            return INT64_MAX;
    return v;
}

static int number(struct parse *s)
{
    const char *begin = s->p, *end = skip_digits(begin);
    struct operand o = {.kind = INTEGER, .leaf = true};
    if (*end == '.') {
        o.kind = REAL;
        end = skip_digits(end + 1);
    }
    if (begins_exponent(end)) {
        o.kind = REAL;
        end = skip_digits(end + 2);
    }
    /* A point without digits counts as zero. */
    if (o.kind == REAL)
        o.f = strtod(begin, NULL);
    else
        o.i = integer_value(begin, end);
    s->p = end;
    return push_operand(s, o);
}

static int symbol(struct parse *s)
{
    s->p = skip_digits(s->p + 1);
    if (emit(s, LOAD, 0) < 0)
        return -1;
    return push_operand(s, (struct operand){.kind = ELEMENTS, .leaf = true});
}

/* 1 when the operand is complete, 0 when a sign or a parenthesis was read. */
static int read_operand(struct parse *s)
{
    char c = *s->p;
    if (is_sum(c) || c == '(') {
        s->p++;
        return push_operator(s, c == '+' ? 'p' : c == '-' ? 'm' : c);
    }
    int status;
    if (isdigit((unsigned char)c) || c == '.')
        status = number(s);
    else if (isalpha((unsigned char)c))
        status = symbol(s);
    else
        return not_understood(s, "no number, symbol or parenthesis");
    return status < 0 || apply_sign(s) < 0 ? -1 : 1;
}

/* HDF5 stops at a closing parenthesis that was never opened, but does not take a symbol behind it. */
static int ignore_rest(struct parse *s)
{
    for (; *s->p; s->p++) {
        const char *p = s->p;
        bool exponent = (*p == 'e' || *p == 'E') && (isdigit((unsigned char)p[-1]) || p[-1] == '.') &&
                        (isdigit((unsigned char)p[1]) || is_sum(p[1]));
        if (isalpha((unsigned char)*p) && !exponent)
            return not_understood(s, "a symbol behind the end of the expression");
    }
    return 0;
}

/* 1 when an operand is next, 0 when an operator is. */
static int read_operator(struct parse *s)
{
    char c = *s->p;
    if (c == ')') {
        if (reduce_all(s, false) < 0)
            return -1;
        if (s->n_operators == 0)
            return ignore_rest(s);
        s->n_operators--;
        s->p++;
        return apply_sign(s);
    }
    if (!is_sum(c) && !is_product(c))
        return not_understood(s, "no operator");
    if (reduce_all(s, is_product(c)) < 0 || push_operator(s, c) < 0)
        return -1;
    s->p++;
    return 1;
}

static int parse(struct parse *s)
{
    bool complete = false;
    for (;;) {
        while (isspace((unsigned char)*s->p))
            s->p++;
        if (!*s->p)
            break;
        int r = complete ? read_operator(s) : read_operand(s);
        if (r < 0)
            return -1;
        complete = complete ? r == 0 : r == 1;
    }
    if (!complete)
        return not_understood(s, "the end of the text");
    if (reduce_all(s, false) < 0)
        return -1;
    if (s->n_operators > 0)
        return not_understood(s, "a parenthesis is not closed");
    s->t->result = s->operands[0];
    s->t->identity = s->t->result.kind == ELEMENTS && s->text[1] == '\0';
    return 0;
}

int ts_transform_parse(const char *text, struct ts_transform **out)
{
    struct parse s = {.text = text, .p = text, .t = ts_calloc(1, sizeof *s.t)};
    if (!s.t)
        return -1;
    int status = parse(&s);
    ts_free(s.operands);
    ts_free(s.operators);
    if (status < 0)
        ts_transform_free(s.t);
    else
        *out = s.t;
    return status;
}

void ts_transform_free(struct ts_transform *t)
{
    if (t)
        ts_free(t->steps);
    ts_free(t);
}

bool ts_transform_is_identity(const struct ts_transform *t)
{
    return t->identity;
}

/* What does not fit becomes what the conversion instructions of x86-64 make of it, on every machine: the smallest
 * number of 32 bits for the short types, of 64 bits for the others, cut to the size of the type. */
static inline int32_t to_i32(double d)
{
    return d > -2147483649.0 && d < 2147483648.0 ? (int32_t)d : INT32_MIN;
}

static inline int64_t to_i64(double d)
{
    return d >= -0x1p63 && d < 0x1p63 ? (int64_t)d : INT64_MIN;
}

static inline uint64_t to_u64(double d)
{
    return d >= 0x1p63 ? (uint64_t)to_i64(d - 0x1p63) ^ UINT64_C(1) << 63 : (uint64_t)to_i64(d);
}

struct ts_transform_kernel {
    size_t size;
    void (*set)(const struct operand *value, void *out, size_t n);
    void (*by_constant)(const struct step *s, void *elements, size_t n);
    int (*by_element)(enum code code, void *elements, const void *others, size_t n); /* negative: divided by 0 */
};

#define EACH(expression)                                                                                               \
    for (size_t i = 0; i < n; i++)                                                                                     \
        a[i] = (expression);                                                                                           \
    break

#define DEFINE_CONSTANT(name, T, from)                                                                                 \
    static void set_##name(const struct operand *v, void *out, size_t n)                                               \
    {                                                                                                                  \
        T *a = out, t = v->kind == INTEGER ? (T)v->i : (T)from(v->f);                                                  \
        for (size_t i = 0; i < n; i++)                                                                                 \
            a[i] = t;                                                                                                  \
    }                                                                                                                  \
    static void constant_##name(const struct step *s, void *elements, size_t n)                                        \
    {                                                                                                                  \
        T *a = elements;                                                                                               \
        double c = s->c;                                                                                               \
        switch (s->code) {                                                                                             \
        case ADD_C:                                                                                                    \
            EACH((T)from((double)a[i] + c));                                                                           \
        case SUB_C:                                                                                                    \
            EACH((T)from((double)a[i] - c));                                                                           \
        case C_SUB:                                                                                                    \
            EACH((T)from(c - (double)a[i]));                                                                           \
        case MUL_C:                                                                                                    \
            EACH((T)from((double)a[i] * c));                                                                           \
        case DIV_C:                                                                                                    \
            EACH((T)from((double)a[i] / c));                                                                           \
        default:                                                                                                       \
            EACH((T)from(c / (double)a[i]));                                                                           \
        }                                                                                                              \
    }

/* W wraps around where T must not overflow. */
#define DEFINE_ELEMENT(name, T, W, divide)                                                                             \
    static int element_##name(enum code code, void *elements, const void *others, size_t n)                            \
    {                                                                                                                  \
        T *a = elements;                                                                                               \
        const T *b = others;                                                                                           \
        switch (code) {                                                                                                \
        case ADD:                                                                                                      \
            EACH((T)((W)a[i] + (W)b[i]));                                                                              \
        case SUB:                                                                                                      \
            EACH((T)((W)a[i] - (W)b[i]));                                                                              \
        case MUL:                                                                                                      \
            EACH((T)((W)a[i] * (W)b[i]));                                                                              \
        default:                                                                                                       \
            divide(T)                                                                                                  \
        }                                                                                                              \
        return 0;                                                                                                      \
    }

#define DIVIDE_REAL(T) EACH(a[i] / b[i]);

#define DIVIDE_INTEGER(T)                                                                                              \
    for (size_t i = 0; i < n; i++) {                                                                                   \
        if (b[i] == 0)                                                                                                 \
            return -1;                                                                                                 \
        a[i] = (T)(a[i] / b[i]);                                                                                       \
    }

/* The smallest number divided by -1 has no place in its type. */
#define DIVIDE_SIGNED(T)                                                                                               \
    for (size_t i = 0; i < n; i++) {                                                                                   \
        if (b[i] == 0)                                                                                                 \
            return -1;                                                                                                 \
        a[i] = b[i] == -1 ? (T)(0 - (uint64_t)a[i]) : (T)(a[i] / b[i]);                                                \
    }

#define DEFINE(name, T, W, from, divide)                                                                               \
    DEFINE_CONSTANT(name, T, from)                                                                                     \
    DEFINE_ELEMENT(name, T, W, divide)                                                                                 \
    static const struct ts_transform_kernel kernel_##name = {sizeof(T), set_##name, constant_##name, element_##name};

DEFINE(i8, int8_t, uint32_t, to_i32, DIVIDE_SIGNED)
DEFINE(u8, uint8_t, uint32_t, to_i32, DIVIDE_INTEGER)
DEFINE(i16, int16_t, uint32_t, to_i32, DIVIDE_SIGNED)
DEFINE(u16, uint16_t, uint32_t, to_i32, DIVIDE_INTEGER)
DEFINE(i32, int32_t, uint32_t, to_i32, DIVIDE_SIGNED)
DEFINE(u32, uint32_t, uint32_t, to_i64, DIVIDE_INTEGER)
DEFINE(i64, int64_t, uint64_t, to_i64, DIVIDE_SIGNED)
DEFINE(u64, uint64_t, uint64_t, to_u64, DIVIDE_INTEGER)
DEFINE(f32, float, float, (double), DIVIDE_REAL)
DEFINE(f64, double, double, (double), DIVIDE_REAL)
DEFINE(ld, long double, long double, (double), DIVIDE_REAL)

static const struct ts_transform_kernel *find_kernel(const struct ts_type *t)
{
    static const struct ts_transform_kernel *const reals[] = {&kernel_f32, &kernel_f64, &kernel_ld};
    static const struct ts_transform_kernel *const integers[2][4] = {
        {&kernel_u8, &kernel_u16, &kernel_u32, &kernel_u64}, {&kernel_i8, &kernel_i16, &kernel_i32, &kernel_i64}};
    bool real = ts_type_class(t) == H5T_FLOAT;
    const struct ts_transform_kernel *const *k = real ? reals : integers[t->u.sign == H5T_SGN_2];
    for (size_t i = 0; i < (real ? 3 : 4); i++)
        if (k[i]->size == ts_type_size(t))
            return k[i];
    return NULL;
}

/* C's own number of that size, with nothing special about order, precision or padding. */
static int is_native(const struct ts_type *t, bool *out)
{
    H5T_order_t order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? H5T_ORDER_LE : H5T_ORDER_BE;
    struct ts_type *native;
    int r = ts_type_class(t) == H5T_FLOAT ? ts_type_new_float(ts_type_size(t), order, &native)
                                          : ts_type_new_integer(ts_type_size(t), order, t->u.sign, &native);
    if (r < 0)
        return -1;
    *out = ts_type_equal(t, native);
    ts_type_unref(native);
    return 0;
}

int ts_transform_work_init(struct ts_transform_work *r, const struct ts_transform *t, const struct ts_type *type)
{
    enum { USUAL_BLOCK = 1024, SMALLEST_BLOCK = 8 };
    bool native = false;
    size_t slots = t->depth > 0 ? t->depth : 1, bytes;
    bool number = ts_type_class(type) == H5T_INTEGER || ts_type_class(type) == H5T_FLOAT;
    *r = (struct ts_transform_work){.transform = t, .kernel = number ? find_kernel(type) : NULL};
    if (r->kernel && is_native(type, &native) < 0)
        return -1;
    if (!native)
        return TS_ERR(DATATYPE, UNSUPPORTED, "a data transform works on native numbers, not class %d of %zu bytes",
                      (int)ts_type_class(type), ts_type_size(type));
    /* All slots stay in the first cache as long as the expression is not absurd. */
    r->block = USUAL_BLOCK / slots > SMALLEST_BLOCK ? USUAL_BLOCK / slots : SMALLEST_BLOCK;
    if (!ts_mul_size(slots, r->block * r->kernel->size, &bytes))
        return TS_ERR(DATATYPE, BADRANGE, "a data transform with %zu intermediate results", slots);
    r->slots = ts_malloc_aligned(bytes);
    if (!r->slots)
        return -1;
    if (t->result.kind != ELEMENTS)
        r->kernel->set(&t->result, r->slots, r->block);
    return 0;
}

void ts_transform_work_deinit(struct ts_transform_work *r)
{
    ts_free(r->slots);
    r->slots = NULL;
}

/* The result is in the first slot. */
static int run_steps(const struct ts_transform_work *r, size_t n, const void *elements)
{
    const struct ts_transform *t = r->transform;
    size_t slot = r->block * r->kernel->size;
    uint8_t *free_slot = r->slots;
    for (size_t i = 0; i < t->n; i++) {
        const struct step *s = &t->steps[i];
        if (s->code == LOAD) {
            memcpy(free_slot, elements, n * r->kernel->size);
            free_slot += slot;
        } else if (s->code < ADD) {
            r->kernel->by_constant(s, free_slot - slot, n);
        } else {
            free_slot -= slot;
            if (r->kernel->by_element(s->code, free_slot - slot, free_slot, n) < 0)
                return TS_ERR(DATATYPE, CANTCONVERT, "data transform: an integer is divided by 0");
        }
    }
    return 0;
}

int ts_transform_apply(const struct ts_transform_work *r, size_t n, void *elements)
{
    uint8_t *at = elements;
    while (n > 0) {
        size_t now = n < r->block ? n : r->block;
        if (run_steps(r, now, at) < 0)
            return -1;
        memcpy(at, r->slots, now * r->kernel->size);
        at += now * r->kernel->size;
        n -= now;
    }
    return 0;
}
