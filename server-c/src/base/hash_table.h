/* SPDX-License-Identifier: MIT */
/* hash_table.h — an intrusive hash table that makes nobody wait while it grows.
 *
 * The owner keeps the links in its own structs, hashes (with a seed, where clients choose the keys)
 * and compares keys:
 *
 *     for (link = hash_table_chain(&table, hash); link; link = link->next)
 *         if (link->hash == hash && has_key(container_of(link, struct thing, link), key))
 *
 * When there are more links than chains, or far fewer, the links move to another array of chains: a
 * few chains with each link that comes or goes, as in Redis's dict. So no call costs more the more
 * links there are. Without memory for the other array the chains get longer, nothing worse. */
#ifndef FARMSTEAD_HASH_TABLE_H
#define FARMSTEAD_HASH_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct hash_link {
    struct hash_link *next, **at; /* at: what points here */
    uint64_t hash;
};

struct hash_chains {
    struct hash_link **first;
    size_t len; /* a power of two */
};

struct hash_table {
    struct hash_chains chains;
    struct hash_chains old; /* those before `moved` are empty; first is NULL when nothing moves */
    size_t moved, count;
};

void hash_table_init(struct hash_table *table);
/* What is still in it goes to free_link; NULL: it must be empty. */
void hash_table_fini(struct hash_table *table, void (*free_link)(struct hash_link *link));

void hash_table_add(struct hash_table *table, struct hash_link *link, uint64_t hash);
void hash_table_remove(struct hash_table *table, struct hash_link *link);

static inline struct hash_link **hash_table_slot(const struct hash_table *table, uint64_t hash)
{
    if (__builtin_expect(table->old.first != NULL, 0) &&
        (hash & (table->old.len - 1)) >= table->moved)
        return &table->old.first[hash & (table->old.len - 1)];
    return &table->chains.first[hash & (table->chains.len - 1)];
}

/* The first link of the chain on which links of this hash are. */
static inline struct hash_link *hash_table_chain(const struct hash_table *table, uint64_t hash)
{
    return *hash_table_slot(table, hash);
}

#endif
