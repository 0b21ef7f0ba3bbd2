/* SPDX-License-Identifier: MIT */
/* kept_versions.c — counts lie by themselves: requests of a set that has just been replaced go on counting. */
#include "site/kept_versions.h"

#include "base/mem.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kept_count {
    _Atomic uint32_t refs;
    _Atomic uint64_t requests, last_unix_ms;
};

static struct kept_count *count_of(const struct kept_version_said *said,
                                   const struct kept_versions *previous)
{
    struct kept_count *count;

    for (size_t i = 0; previous && i < previous->count; i++)
        if (strcmp(previous->items[i].folder, said->folder) == 0 &&
            strcmp(previous->items[i].release, said->release) == 0) {
            count = previous->items[i].count;
            atomic_fetch_add_explicit(&count->refs, 1, memory_order_relaxed);
            return count;
        }
    count = xcalloc(1, sizeof(*count));
    atomic_init(&count->refs, 1);
    return count;
}

static void put_count(struct kept_count *count)
{
    if (atomic_fetch_sub_explicit(&count->refs, 1, memory_order_acq_rel) == 1)
        free(count);
}

struct kept_versions *kept_versions_new(const struct kept_version_said *said, size_t count,
                                        const struct kept_versions *previous)
{
    struct kept_versions *list = xcalloc(1, sizeof(*list));

    atomic_init(&list->refs, 1);
    list->items = xcalloc(count, sizeof(*list->items));
    for (; list->count < count; list->count++) {
        struct kept_version *version = &list->items[list->count];
        const struct kept_version_said *from = &said[list->count];
        snprintf(version->release, sizeof(version->release), "%s", from->release);
        version->number = from->number;
        version->folder = xstrdup(from->folder);
        version->count = count_of(from, previous);
        if (from->preview)
            version->preview = *from->preview;
    }
    return list;
}

static bool is_shown_so(const struct kept_version *version, const struct kept_version_said *said)
{
    const char *host = said->preview ? said->preview->host : "";
    const char *key = said->preview ? said->preview->key_sha256 : "";

    return strcmp(version->preview.host, host) == 0 &&
           strcmp(version->preview.key_sha256, key) == 0;
}

bool kept_versions_are(const struct kept_versions *list, const struct kept_version_said *said,
                       size_t count)
{
    if ((list ? list->count : 0) != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (list->items[i].number != said[i].number ||
            strcmp(list->items[i].release, said[i].release) != 0 ||
            strcmp(list->items[i].folder, said[i].folder) != 0 ||
            !is_shown_so(&list->items[i], &said[i]))
            return false;
    return true;
}

size_t kept_versions_previews(const struct kept_versions *list)
{
    size_t count = 0;

    for (size_t i = 0; list && i < list->count; i++)
        count += list->items[i].preview.host[0] != '\0';
    return count;
}

struct kept_versions *kept_versions_get(struct kept_versions *list)
{
    if (list)
        atomic_fetch_add_explicit(&list->refs, 1, memory_order_relaxed);
    return list;
}

void kept_versions_put(struct kept_versions *list)
{
    if (!list || atomic_fetch_sub_explicit(&list->refs, 1, memory_order_acq_rel) > 1)
        return;
    for (size_t i = 0; i < list->count; i++) {
        put_count(list->items[i].count);
        free(list->items[i].folder);
    }
    free(list->items);
    free(list);
}

void kept_version_count(const struct kept_version *version, uint64_t unix_ms)
{
    atomic_fetch_add_explicit(&version->count->requests, 1, memory_order_relaxed);
    atomic_store_explicit(&version->count->last_unix_ms, unix_ms, memory_order_relaxed);
}

struct kept_asked kept_version_asked(const struct kept_version *version)
{
    return (struct kept_asked){
        atomic_load_explicit(&version->count->requests, memory_order_relaxed),
        atomic_load_explicit(&version->count->last_unix_ms, memory_order_relaxed)};
}
