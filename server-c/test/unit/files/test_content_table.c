/* SPDX-License-Identifier: MIT */
/* What is known by which key, who hashes what, and what goes when there is too much. */
#include "files/content_table.c"

#include "check.h"

static struct content_work work_of(uint64_t inode, unsigned char first)
{
    struct content_work work = {.end = CONTENT_HASHED, .hash = {first}};

    work.key.device = 0x803;
    work.key.inode = inode;
    work.key.size = 1000;
    work.key.mtime = (struct timespec){1700000000, 5};
    work.key.ctime = (struct timespec){1700000001, 6};
    return work;
}

/* The first byte of what is known; -1: nothing is. */
static int known_of(struct content_table *table, const struct content_key *key)
{
    unsigned char hash[CONTENT_HASH_BYTES];

    return content_table_find(table, key, hash) ? hash[0] : -1;
}

static void learn(struct content_table *table, struct content_work *work)
{
    CHECK_TRUE(content_table_begin(table, work), "inode %" PRIu64, work->key.inode);
    content_table_end(table, work);
}

static void test_keys(void)
{
    struct content_table *table = content_table_new();
    struct content_work work = work_of(7, 42);
    struct content_key other[7];

    CHECK_INT(__LINE__, "not yet", known_of(table, &work.key), -1);
    learn(table, &work);
    CHECK_INT(__LINE__, "known", known_of(table, &work.key), 42);
    for (size_t i = 0; i < ARRAY_LEN(other); i++)
        other[i] = work.key;
    other[0].device++;
    other[1].inode++;
    other[2].size++;
    other[3].mtime.tv_sec++;
    other[4].mtime.tv_nsec++;
    other[5].ctime.tv_sec++;
    other[6].ctime.tv_nsec++;
    for (size_t i = 0; i < ARRAY_LEN(other); i++)
        CHECK_INT(__LINE__, "another state", known_of(table, &other[i]), -1);
    content_table_free(table);
}

static void test_works(void)
{
    struct content_table *table = content_table_new();
    struct content_work first = work_of(1, 1), again = work_of(1, 1), other = work_of(2, 2);
    uint32_t round = content_table_round(table);

    CHECK_TRUE(round > 0, "0 means that nobody has asked");
    CHECK_TRUE(content_table_begin(table, &first), "first");
    CHECK_TRUE(!content_table_begin(table, &again), "somebody is at it");
    CHECK_TRUE(content_table_begin(table, &other), "another file");
    first.end = CONTENT_CHANGED;
    content_table_end(table, &first);
    CHECK_TRUE(content_table_round(table) != round, "its end is told");
    CHECK_INT(__LINE__, "it had changed", known_of(table, &first.key), -1);
    CHECK_TRUE(content_table_begin(table, &again), "again");
    content_table_stop(table);
    CHECK_TRUE(content_table_is_stopping(table), "stopped");
    again.end = CONTENT_STOPPED;
    content_table_end(table, &again);
    content_table_end(table, &other);
    CHECK_INT(__LINE__, "stopped", known_of(table, &again.key), -1);
    CHECK_TRUE(!content_table_begin(table, &again), "nothing begins any more");
    content_table_free(table);
}

/* Large files are few at once, so that they do not fill the lane; who is refused was not tried. */
static void test_large(void)
{
    struct content_table *table = content_table_new();
    struct content_work works[CONTENT_LARGE_MAX + 1], small = work_of(100, 1);
    uint32_t round;

    for (uint64_t i = 0; i <= CONTENT_LARGE_MAX; i++) {
        works[i] = work_of(i, 1);
        works[i].key.size = CONTENT_LARGE_BYTES + 1;
        CHECK_INT(__LINE__, "large", content_table_begin(table, &works[i]), i < CONTENT_LARGE_MAX);
    }
    learn(table, &small);
    round = content_table_round(table);
    works[0].end = CONTENT_STOPPED;
    content_table_end(table, &works[0]);
    CHECK_INT(__LINE__, "nothing has become known", content_table_round(table), round);
    CHECK_TRUE(content_table_begin(table, &works[CONTENT_LARGE_MAX]), "its turn");
    for (uint64_t i = 1; i <= CONTENT_LARGE_MAX; i++)
        content_table_end(table, &works[i]);
    content_table_free(table);
}

static void test_settled(void)
{
    static const struct {
        int line;
        struct timespec ctime;
        int64_t now;
        bool want;
    } rows[] = {
        {__LINE__, {100, 5}, 101, false}, {__LINE__, {100, 5}, 102, true},
        {__LINE__, {100, 0}, 102, false}, {__LINE__, {100, 0}, 103, true},
        {__LINE__, {100, 5}, 99, false},  {__LINE__, {100, 5}, 90, true}, /* a clock set back */
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT(rows[i].line, "settled", content_is_settled(&rows[i].ctime, rows[i].now),
                  rows[i].want);
}

static void test_bound(void)
{
    struct content_table *table = content_table_new();
    struct content_work work, first = work_of(0, 1), second = work_of(1, 1);

    for (uint64_t i = 0; i < CONTENT_TABLE_MAX; i++) {
        work = work_of(i, 1);
        learn(table, &work);
    }
    CHECK_INT(__LINE__, "full", known_of(table, &first.key), 1);
    work = work_of(CONTENT_TABLE_MAX, 1);
    learn(table, &work);
    CHECK_INT(__LINE__, "asked for just now", known_of(table, &first.key), 1);
    CHECK_INT(__LINE__, "the one that was not", known_of(table, &second.key), -1);
    CHECK_INT(__LINE__, "the new one", known_of(table, &work.key), 1);
    CHECK_INT(__LINE__, "count", table->known.count, CONTENT_TABLE_MAX);
    content_table_free(table);
}

int main(void)
{
    test_keys();
    test_works();
    test_large();
    test_settled();
    test_bound();
    return check_end("content_table");
}
