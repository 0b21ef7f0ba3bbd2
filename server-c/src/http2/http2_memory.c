/* SPDX-License-Identifier: MIT */
/* http2_memory.c — lists of blocks by their size, which stands before each. */
#include "http2/http2_memory.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define STEP 64  /* sizes are multiples of this */
#define STEPS 16 /* larger blocks are not kept */

struct block {
    struct block *next; /* while it is kept */
    size_t size;        /* of what follows */
};

_Static_assert(sizeof(struct block) % _Alignof(max_align_t) == 0, "what follows is aligned");

struct http2_memory {
    struct {
        struct block *kept;
        size_t count, least; /* least: the fewest that were kept since the last trim */
    } lists[STEPS];
};

static void *allocate(size_t wanted, void *user)
{
    struct http2_memory *memory = user;
    size_t step = (wanted + STEP - 1) / STEP - (wanted > 0);
    struct block *block;

    if (step < STEPS && memory->lists[step].kept) {
        block = memory->lists[step].kept;
        memory->lists[step].kept = block->next;
        if (--memory->lists[step].count < memory->lists[step].least)
            memory->lists[step].least = memory->lists[step].count;
        return block + 1;
    }
    block = malloc(sizeof(*block) + (step < STEPS ? (step + 1) * STEP : wanted));
    if (!block)
        return NULL;
    block->size = step < STEPS ? (step + 1) * STEP : wanted;
    return block + 1;
}

static void give_back(void *bytes, void *user)
{
    struct http2_memory *memory = user;
    struct block *block;
    size_t step;

    if (!bytes)
        return;
    block = (struct block *)bytes - 1;
    step = block->size / STEP - 1;
    if (step >= STEPS) {
        free(block);
        return;
    }
    block->next = memory->lists[step].kept;
    memory->lists[step].kept = block;
    memory->lists[step].count++;
}

static void *allocate_zeroed(size_t count, size_t size, void *user)
{
    void *bytes = size == 0 || count <= SIZE_MAX / size ? allocate(count * size, user) : NULL;

    return bytes ? memset(bytes, 0, count * size) : NULL;
}

static void *grow(void *bytes, size_t wanted, void *user)
{
    size_t size = bytes ? ((struct block *)bytes - 1)->size : 0;
    void *grown;

    if (bytes && wanted <= size)
        return bytes;
    grown = allocate(wanted, user);
    if (grown && bytes) {
        memcpy(grown, bytes, size);
        give_back(bytes, user);
    }
    return grown;
}

struct http2_memory *http2_memory_new(void)
{
    return calloc(1, sizeof(struct http2_memory));
}

nghttp2_mem http2_memory_of(struct http2_memory *memory)
{
    return (nghttp2_mem){memory, allocate, give_back, allocate_zeroed, grow};
}

static void give_up(struct http2_memory *memory, size_t step, size_t count)
{
    for (; count > 0; count--) {
        struct block *block = memory->lists[step].kept;
        memory->lists[step].kept = block->next;
        memory->lists[step].count--;
        free(block);
    }
}

void http2_memory_trim(struct http2_memory *memory)
{
    for (size_t step = 0; step < STEPS; step++) {
        give_up(memory, step, memory->lists[step].least);
        memory->lists[step].least = memory->lists[step].count;
    }
}

void http2_memory_free(struct http2_memory *memory)
{
    if (!memory)
        return;
    for (size_t step = 0; step < STEPS; step++)
        give_up(memory, step, memory->lists[step].count);
    free(memory);
}
