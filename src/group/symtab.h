/* Links of an old-style group: a version 1 B-tree of symbol table nodes, names in a local heap. */
#ifndef TS_GROUP_SYMTAB_H
#define TS_GROUP_SYMTAB_H

#include "group/group.h"

int ts_symtab_find(struct ts_file *f, const struct ts_symbol_table *t, const char *name, struct ts_link *out);
/* By increasing name. */
int ts_symtab_list(struct ts_file *f, const struct ts_symbol_table *t, struct ts_link_list *out);
int ts_symtab_at(struct ts_file *f, const struct ts_symbol_table *t, hsize_t n, struct ts_link *out);
int ts_symtab_count(struct ts_file *f, const struct ts_symbol_table *t, hsize_t *out);
int ts_symtab_meta_size(struct ts_file *f, const struct ts_symbol_table *t, H5_ih_info_t *out);

/* Changes; inside ts_change_begin/end. Neither the tree's root nor the heap move. */

/* An empty one, whose heap has room for this many bytes of names. */
int ts_symtab_create(struct ts_file *f, uint64_t room, struct ts_symbol_table *out);
/* The name must be new, the link hard or soft and of ASCII characters. With a hard link, cached_btree and cached_heap
 * are stored too. */
int ts_symtab_insert(struct ts_file *f, const struct ts_symbol_table *t, const struct ts_link *link);
/* 1 removed, 0 none. */
int ts_symtab_remove(struct ts_file *f, const struct ts_symbol_table *t, const char *name);
/* Frees tree, nodes and heap. */
int ts_symtab_delete(struct ts_file *f, const struct ts_symbol_table *t);
/* Negative and an error when the tree, its nodes or the heap are not sound or not in order. */
int ts_symtab_verify(struct ts_file *f, const struct ts_symbol_table *t);

#endif
