/* SPDX-License-Identifier: MIT */
/* agent_ahead.c — a version is known by its manifest, whatever it is called. */
#include "agent/agent_ahead.h"

#include "base/mem.h"
#include "base/util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGAIN_MS 1000u
#define AGAIN_MAX_MS 300000u

void agent_ahead_read(struct agent_reader *outer, struct agent_ahead_told *out)
{
    *out = (struct agent_ahead_told){0};
    if (outer->failed || !agent_reader_has(outer, "ahead"))
        return;
    agent_releases_read_ahead(outer, AGENT_AHEAD_MAX, &out->list);
    out->is_told = !outer->failed;
}

struct agent_ahead_item *agent_ahead_find(struct agent_ahead *ahead, const char *manifest)
{
    for (size_t i = 0; i < ahead->count; i++)
        if (strcmp(ahead->items[i].release.manifest, manifest) == 0)
            return &ahead->items[i];
    return NULL;
}

static void try_again(struct agent_ahead_item *item)
{
    if (item->state != AGENT_AHEAD_REFUSED)
        return;
    item->state = AGENT_AHEAD_FETCHING;
    item->failures = 0;
    item->due_ms = 0;
}

void agent_ahead_retry(struct agent_ahead *ahead)
{
    for (size_t i = 0; i < ahead->count; i++)
        try_again(&ahead->items[i]);
}

bool agent_ahead_take(struct agent_ahead *ahead, const struct agent_releases *list)
{
    struct agent_ahead next = {.count = smaller_of(list->count, AGENT_AHEAD_MAX)};
    bool is_news = next.count != ahead->count;
    for (size_t i = 0; i < next.count; i++) {
        struct agent_ahead_item *item = &next.items[i];
        const struct agent_ahead_item *before = agent_ahead_find(ahead, list->items[i].manifest);
        if (before)
            *item = *before;
        else
            is_news = true;
        item->release = list->items[i];
        try_again(item);
    }
    *ahead = next;
    return is_news;
}

/* It is not whole, and is tried by itself. */
static bool is_coming(const struct agent_ahead_item *item)
{
    return item->state == AGENT_AHEAD_FETCHING ||
           (item->state == AGENT_AHEAD_REFUSED && item->failures > 0);
}

bool agent_ahead_is_coming(const struct agent_ahead *ahead)
{
    for (size_t i = 0; i < ahead->count; i++)
        if (is_coming(&ahead->items[i]))
            return true;
    return false;
}

const struct agent_release *agent_ahead_next(const struct agent_ahead *ahead, uint64_t now_ms)
{
    for (size_t i = 0; i < ahead->count; i++)
        if (is_coming(&ahead->items[i]) && now_ms >= ahead->items[i].due_ms)
            return &ahead->items[i].release;
    return NULL;
}

const char *agent_release_code(enum release_end end)
{
    switch (end) {
    case RELEASE_WRONG:
        return "release_content";
    case RELEASE_NO_ROOM:
        return "resource_limit";
    case RELEASE_STANDS:
    case RELEASE_UNREACHED:
    case RELEASE_ELSEWHERE:
    case RELEASE_STOPPED:
        break;
    }
    return "content_missing";
}

/* Others than those of a network do not go away by themselves. */
static void plan(struct agent_ahead_item *item, enum release_end end, uint64_t now_ms)
{
    unsigned doublings = item->failures < 9 ? item->failures : 9;
    if (end != RELEASE_UNREACHED) {
        item->failures = 0;
        return;
    }
    item->due_ms = now_ms + smaller_of((uint64_t)AGAIN_MS << doublings, AGAIN_MAX_MS);
    item->failures++;
}

void agent_ahead_ended(struct agent_ahead_item *item, enum release_end end, const char *why,
                       uint64_t now_ms)
{
    if (end == RELEASE_STOPPED)
        return; /* it goes on when there is time */
    plan(item, end, now_ms);
    item->state = end == RELEASE_STANDS ? AGENT_AHEAD_HELD : AGENT_AHEAD_REFUSED;
    item->code = agent_release_code(end);
    snprintf(item->message, sizeof(item->message), "version %" PRIu64 " of the release \"%s\": %s",
             item->release.number, item->release.name, why);
}

void agent_ahead_list(const struct agent_ahead *ahead, bool only_held, struct agent_releases *out)
{
    *out = (struct agent_releases){xcalloc(ahead->count, sizeof(*out->items)), 0};
    for (size_t i = 0; i < ahead->count; i++)
        if (!only_held || ahead->items[i].state == AGENT_AHEAD_HELD)
            out->items[out->count++] = ahead->items[i].release;
}

static json_t *item_json(const struct agent_ahead_item *item)
{
    static const char *const states[] = {[AGENT_AHEAD_FETCHING] = "fetching",
                                         [AGENT_AHEAD_HELD] = "held",
                                         [AGENT_AHEAD_REFUSED] = "refused"};
    json_t *object = json_pack("{ss ss}", "manifestSha256", item->release.manifest, "state",
                               states[item->state]);
    if (item->state != AGENT_AHEAD_REFUSED)
        return object;
    json_t *error = json_pack("{ss so}", "code", item->code, "message",
                              agent_text_json(item->message, AGENT_AHEAD_TEXT_LEN));
    if (json_object_set_new(object, "error", error) != 0)
        abort();
    return object;
}

json_t *agent_ahead_json(const struct agent_ahead *ahead)
{
    json_t *array = json_array();
    for (size_t i = 0; i < ahead->count; i++)
        if (json_array_append_new(array, item_json(&ahead->items[i])) != 0)
            abort();
    return array;
}
