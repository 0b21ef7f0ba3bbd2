/* SPDX-License-Identifier: MIT */
/* hash_table.h — an intrusive hash table that grows in small steps, so that no call takes long.
 *
 * The owner has the links in its own structs, computes hashes (with a seed, if clients choose the
 * keys), and compares keys:
 *
 *     for (link = hash_table_chain(&table, hash); link; link = link->next)
 *         if (link->hash == hash && has_key(container_of(link, struct thing, link), key))
 *
 * When there are more links than chains, or far fewer, the links move to another array of chains: a
 * few chains with each link that is added or removed, as in Redis's dict. So the cost of a call
 * does not depend on the number of links. If there is no memory for the other array the chains just
 * become longer. */
#ifndef FARMSTEAD_HASH_TABLE_H
#define FARMSTEAD_HASH_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct hash_link {
    struct hash_link *next, **at; /* at: the pointer that points here */
    uint64_t hash;
};

struct hash_chains {
    struct hash_link **first;
    size_t len; /* a power of two */
};

struct hash_table {
    struct hash_chains chains;
    struct hash_chains old; /* chains before `moved` are empty; first is NULL if nothing moves */
    size_t moved, count;
};

void hash_table_init(struct hash_table *table);
/* Calls free_link for each link that is left; NULL: there must be none. */
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

/* Returns the first link of the chain for this hash. */
static inline struct hash_link *hash_table_chain(const struct hash_table *table, uint64_t hash)
{
    return *hash_table_slot(table, hash);
}

#endif
