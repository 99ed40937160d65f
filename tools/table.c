#include <stdlib.h>
#include <string.h>

#include "tool.h"

/* Rows are printed in blocks, so that a file of any size needs little memory and shows something soon. */
#define BLOCK_ROWS 500
/* A longer cell pushes the rest of its row aside; it does not widen the column for all. */
#define WIDEST 48

struct row {
    char *cells[TABLE_COLUMNS];
};

struct table {
    struct row rows[BLOCK_ROWS];
    size_t n;
    size_t width[TABLE_COLUMNS];
    bool right[TABLE_COLUMNS];
    FILE *cell;
    size_t cell_size;
};

struct table *table_new(void)
{
    return calloc(1, sizeof(struct table));
}

void table_right(struct table *t, size_t column)
{
    t->right[column] = true;
}

/* Characters on the screen: UTF-8's continuation bytes take no room. */
static size_t text_width(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += (*text & 0xc0) != 0x80;
    return n;
}

static void print_cells(const struct table *t, const struct row *row)
{
    size_t last = 0;
    for (size_t c = 0; c < TABLE_COLUMNS; c++)
        if (row->cells[c] && *row->cells[c])
            last = c;
    for (size_t c = 0; c <= last; c++) {
        const char *text = row->cells[c] ? row->cells[c] : "";
        size_t used = text_width(text);
        int room = used < t->width[c] ? (int)(t->width[c] - used) : 0;
        if (t->right[c])
            printf("%*s%s%s", room, "", text, c < last ? "  " : "");
        else if (c < last)
            printf("%s%*s", text, room + 2, "");
        else
            fputs(text, stdout);
    }
    fputc('\n', stdout);
}

static void print_block(struct table *t)
{
    for (size_t r = 0; r < t->n; r++)
        for (size_t c = 0; c < TABLE_COLUMNS; c++) {
            /* What nothing follows needs no room beside it. */
            bool followed = c + 1 < TABLE_COLUMNS && t->rows[r].cells[c + 1];
            size_t width = followed && t->rows[r].cells[c] ? text_width(t->rows[r].cells[c]) : 0;
            if (width <= WIDEST && width > t->width[c])
                t->width[c] = width;
        }
    for (size_t r = 0; r < t->n; r++) {
        print_cells(t, &t->rows[r]);
        for (size_t c = 0; c < TABLE_COLUMNS; c++)
            free(t->rows[r].cells[c]);
    }
    memset(t->rows, 0, sizeof t->rows);
    t->n = 0;
    fflush(stdout);
}

void table_row(struct table *t)
{
    if (t->n == BLOCK_ROWS)
        print_block(t);
    t->n++;
}

FILE *table_cell(struct table *t, size_t column)
{
    t->cell = open_memstream(&t->rows[t->n - 1].cells[column], &t->cell_size);
    return t->cell;
}

void table_cell_end(struct table *t)
{
    fclose(t->cell);
}

void table_free(struct table *t)
{
    print_block(t);
    free(t);
}
