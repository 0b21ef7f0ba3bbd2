/* SPDX-License-Identifier: MIT */
/* hash_table.c — while the table grows or shrinks there are two arrays of chains, and a link is in
 * one of them. */
#include "base/hash_table.h"

#include "base/mem.h"
#include "base/util.h"

#define CHAINS_MIN 64
#define CHAINS_MOVED 16 /* with each link added or removed: done long before the next growth */
#define SPARSE 16       /* fewer links than one per so many chains: the array is too large */

static void put(struct hash_link **slot, struct hash_link *link)
{
    link->next = *slot;
    link->at = slot;
    if (link->next)
        link->next->at = &link->next;
    *slot = link;
}

static void begin_move(struct hash_table *table, size_t len)
{
    struct hash_link **first = calloc(len, sizeof(first[0]));

    if (!first)
        return;
    table->old = table->chains;
    table->chains = (struct hash_chains){first, len};
    table->moved = 0;
}

static void move_chain(struct hash_table *table, struct hash_link *link)
{
    for (struct hash_link *next; link; link = next) {
        next = link->next;
        put(&table->chains.first[link->hash & (table->chains.len - 1)], link);
    }
}

static void move_some(struct hash_table *table)
{
    for (int i = 0; i < CHAINS_MOVED && table->old.first; i++) {
        move_chain(table, table->old.first[table->moved]);
        if (++table->moved < table->old.len)
            continue;
        free(table->old.first);
        table->old.first = NULL;
    }
}

void hash_table_add(struct hash_table *table, struct hash_link *link, uint64_t hash)
{
    link->hash = hash;
    table->count++;
    if (table->old.first)
        move_some(table);
    else if (table->count > table->chains.len)
        begin_move(table, 2 * table->chains.len);
    put(hash_table_slot(table, hash), link);
}

void hash_table_remove(struct hash_table *table, struct hash_link *link)
{
    size_t len = table->chains.len;

    *link->at = link->next;
    if (link->next)
        link->next->at = link->at;
    table->count--;
    if (table->old.first)
        move_some(table);
    else if (len > CHAINS_MIN && table->count < len / SPARSE)
        begin_move(table, len / (SPARSE / 2));
}

void hash_table_init(struct hash_table *table)
{
    *table = (struct hash_table){0};
    table->chains.len = CHAINS_MIN;
    table->chains.first = xcalloc(CHAINS_MIN, sizeof(table->chains.first[0]));
}

static void free_chains(struct hash_chains *chains, size_t from,
                        void (*free_link)(struct hash_link *link))
{
    for (size_t i = from; i < chains->len && free_link; i++)
        for (struct hash_link *link = chains->first[i], *next; link; link = next) {
            next = link->next;
            free_link(link);
        }
    free(chains->first);
    chains->first = NULL;
}

void hash_table_fini(struct hash_table *table, void (*free_link)(struct hash_link *link))
{
    CHECK(free_link || table->count == 0);
    if (table->old.first)
        free_chains(&table->old, table->moved, free_link);
    free_chains(&table->chains, 0, free_link);
}
