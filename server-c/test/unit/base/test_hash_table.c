/* SPDX-License-Identifier: MIT */
/* Every link is found at every stage of a move to a larger or smaller array, and no call moves many
 * chains. */
#include "base/hash_table.c"

#include "check.h"

#define LINKS 20000
#define SAME 8 /* links with the same hash */

static struct hash_table table;
static struct hash_link links[LINKS];
static bool is_in[LINKS];
static size_t freed;

static uint64_t hash_of(size_t i)
{
    return i / SAME * UINT64_C(0x9e3779b97f4a7c15) >> 20;
}

static bool is_found(size_t i)
{
    size_t times = 0;

    for (const struct hash_link *link = hash_table_chain(&table, hash_of(i)); link;
         link = link->next)
        times += link == &links[i];
    CHECK_TRUE(times <= 1, "link %zu is on its chain %zu times", i, times);
    return times == 1;
}

static void put_in(size_t i)
{
    hash_table_add(&table, &links[i], hash_of(i));
    is_in[i] = true;
}

static void take_out(size_t i)
{
    hash_table_remove(&table, &links[i]);
    is_in[i] = false;
}

static void expect_all(int line, const char *when)
{
    size_t wrong = 0, count = 0;

    for (size_t i = 0; i < LINKS; i++) {
        wrong += is_found(i) != is_in[i];
        count += is_in[i];
    }
    CHECK_INT(line, when, wrong, 0);
    CHECK_INT(line, "counted", table.count, count);
}

/* Returns how many chains a call has moved; 0 if it began or ended a move, which is not checked
 * here. */
static size_t moved_by(void (*call)(size_t i), size_t i)
{
    const struct hash_link *const *before = (const void *)table.old.first;
    size_t moved = table.moved;

    call(i);
    return before && (const void *)table.old.first == before ? table.moved - moved : 0;
}

static void test_grows(void)
{
    size_t most = 0, moves = 0;

    for (size_t i = 0; i < LINKS; i++) {
        bool was_moving = table.old.first;
        size_t moved = moved_by(put_in, i);
        most = moved > most ? moved : most;
        moves += !was_moving && table.old.first;
        CHECK_TRUE(table.count <= table.chains.len, "%zu links on %zu chains", table.count,
                   table.chains.len);
        if (table.old.first && i % 97 == 0)
            expect_all(__LINE__, "while it moves");
    }
    CHECK_INT(__LINE__, "chains moved by one call", most, CHAINS_MOVED);
    CHECK_INT(__LINE__, "doublings from 64 to 32768", moves, 9);
    expect_all(__LINE__, "grown");
}

static void test_shrinks(void)
{
    size_t most = 0;

    for (size_t i = 0; i < LINKS - 10; i++) {
        size_t moved = moved_by(take_out, i);
        most = moved > most ? moved : most;
        if (table.old.first && i % 97 == 0)
            expect_all(__LINE__, "while it moves");
    }
    CHECK_TRUE(most <= CHAINS_MOVED, "one call moved %zu chains", most);
    expect_all(__LINE__, "nearly empty");
    for (size_t i = 0; i < 2000; i++) { /* adding and removing moves the remaining chains */
        put_in(0);
        take_out(0);
    }
    CHECK_INT(__LINE__, "as at first", table.chains.len, CHAINS_MIN);
    CHECK_TRUE(!table.old.first, "and nothing moves");
    expect_all(__LINE__, "shrunk");
}

/* Adds and removes links at random, around the sizes at which moves begin. */
static void test_by_chance(void)
{
    uint64_t random = 42;

    for (int round = 0; round < 6; round++) {
        size_t range = round % 2 ? 300 : LINKS;
        for (int step = 0; step < 30000; step++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            size_t i = (random >> 33) % range;
            bool comes = (random >> 20 & 7) < (round == 3 ? 1u : 5u);
            if (comes && !is_in[i])
                put_in(i);
            else if (!comes && is_in[i])
                take_out(i);
        }
        expect_all(__LINE__, "by chance");
    }
}

static void count_freed(struct hash_link *link)
{
    is_in[link - links] = false;
    freed++;
}

/* In the middle of a move, when both arrays have links. */
static void test_freed(void)
{
    size_t held;

    for (size_t i = 0; i < LINKS && !table.old.first; i++)
        if (!is_in[i])
            put_in(i);
    CHECK_TRUE(table.old.first, "it moves");
    held = table.count;
    hash_table_fini(&table, count_freed);
    CHECK_INT(__LINE__, "each once", freed, held);
    for (size_t i = 0; i < LINKS; i++)
        CHECK_TRUE(!is_in[i], "%zu was not freed", i);
}

int main(void)
{
    hash_table_init(&table);
    test_grows();
    test_shrinks();
    test_by_chance();
    test_freed();
    return check_end("hash_table");
}
