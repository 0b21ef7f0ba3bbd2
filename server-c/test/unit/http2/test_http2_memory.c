/* SPDX-License-Identifier: MIT */
/* Blocks of all sizes: used again, moved whole, and given back when nobody wanted them for a while. */
#include "http2/http2_memory.c"

#include "base/util.h"
#include "check.h"

static struct http2_memory *memory;

static size_t kept(void)
{
    size_t count = 0;

    for (size_t step = 0; step < STEPS; step++)
        count += memory->lists[step].count;
    return count;
}

static void test_sizes(void)
{
    static const size_t sizes[] = {0,    1,    63,   64,   65,   128,   1000,
                                   1023, 1024, 1025, 1087, 1088, 100000};

    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        char *first = allocate(sizes[i], memory), *second;
        bool is_kept = sizes[i] <= 1087;
        CHECK_TRUE((uintptr_t)first % _Alignof(max_align_t) == 0, "%zu: aligned", sizes[i]);
        memset(first, 'x', sizes[i]);
        give_back(first, memory);
        second = allocate(sizes[i] <= 1024 ? sizes[i] : 1024, memory);
        CHECK_INT((int)i, "used again", kept() == 0 && is_kept, is_kept);
        give_back(second, memory);
        http2_memory_trim(memory);
        http2_memory_trim(memory);
        CHECK_INT((int)i, "none is kept", kept(), 0);
    }
}

static void test_zeros(void)
{
    char *bytes = allocate(100, memory);

    memset(bytes, 'x', 100);
    give_back(bytes, memory);
    bytes = allocate_zeroed(10, 10, memory);
    for (int i = 0; i < 100; i++)
        CHECK_TRUE(bytes[i] == 0, "byte %d", i);
    give_back(bytes, memory);
    CHECK_TRUE(allocate_zeroed(SIZE_MAX / 2, 3, memory) == NULL, "more than there is");
}

static void test_growth(void)
{
    char *bytes = grow(NULL, 10, memory);

    memcpy(bytes, "0123456789", 10);
    CHECK_TRUE(grow(bytes, 64, memory) == bytes, "there was room");
    bytes = grow(bytes, 5000, memory);
    CHECK_TRUE(memcmp(bytes, "0123456789", 10) == 0, "moved whole");
    give_back(bytes, memory);
    give_back(NULL, memory);
}

/* What a rush needed is given back once nobody needed it from one trim to the next. */
static void test_trim(void)
{
    void *blocks[100];

    http2_memory_trim(memory);
    http2_memory_trim(memory);
    for (int i = 0; i < 100; i++)
        blocks[i] = allocate(50, memory);
    for (int i = 0; i < 100; i++)
        give_back(blocks[i], memory);
    http2_memory_trim(memory);
    CHECK_INT(__LINE__, "all were used", kept(), 100);
    for (int i = 0; i < 30; i++)
        blocks[i] = allocate(50, memory);
    for (int i = 0; i < 30; i++)
        give_back(blocks[i], memory);
    http2_memory_trim(memory);
    CHECK_INT(__LINE__, "30 were used", kept(), 30);
    http2_memory_trim(memory);
    CHECK_INT(__LINE__, "none was used", kept(), 0);
}

int main(void)
{
    memory = http2_memory_new();
    test_sizes();
    test_zeros();
    test_growth();
    test_trim();
    http2_memory_free(memory);
    http2_memory_free(NULL);
    return check_end("http2_memory");
}
