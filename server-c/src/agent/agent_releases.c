/* SPDX-License-Identifier: MIT */
/* agent_releases.c — reads, writes and compares lists of releases. */
#include "agent/agent_releases.h"

#include "base/buf.h"
#include "base/mem.h"
#include "owner/bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 2147483647u

void agent_releases_fini(struct agent_releases *list)
{
    free(list->items);
    *list = (struct agent_releases){0};
}

void agent_releases_copy(struct agent_releases *to, const struct agent_releases *from)
{
    *to = (struct agent_releases){xcalloc(from->count, sizeof(*from->items)), from->count};
    if (from->count > 0)
        memcpy(to->items, from->items, from->count * sizeof(*from->items));
}

static void read_one(struct agent_reader *reader, struct agent_release *out)
{
    agent_read_name(reader, "name", out->name, sizeof(out->name));
    out->number = agent_read_integer(reader, "number", 1, NUMBER_MAX);
    agent_read_sha256(reader, "manifestSha256", out->manifest, sizeof(out->manifest));
}

/* How a list is sorted; what is equal stands once. */
enum order { BY_NAME, BY_NAME_AND_NUMBER, ANY_ORDER };

static bool follows(const struct agent_release *item, enum order order)
{
    int names = strcmp(item->name, item[-1].name);
    return names > 0 ||
           (order == BY_NAME_AND_NUMBER && names == 0 && item->number > item[-1].number);
}

static void read_versions(struct agent_reader *outer, const char *member, size_t most,
                          enum order order, struct agent_releases *out)
{
    *out = (struct agent_releases){0};
    if (outer->failed || !agent_reader_has(outer, member))
        return;
    json_t *array = json_object_get(outer->object, member);
    if (!json_is_array(array) || json_array_size(array) > most) {
        char what[48];
        snprintf(what, sizeof(what), "must be an array of at most %zu", most);
        agent_reader_fail(outer, member, what);
        return;
    }
    out->items = xcalloc(json_array_size(array), sizeof(*out->items));
    for (; out->count < json_array_size(array) && !outer->failed; out->count++) {
        struct agent_release *item = &out->items[out->count];
        struct agent_reader reader = {json_array_get(array, out->count), outer->why, outer->why_len,
                                      false};
        if (!json_is_object(reader.object))
            agent_reader_fail(outer, member, "must hold objects");
        else
            read_one(&reader, item);
        outer->failed |= reader.failed;
        if (!outer->failed && order != ANY_ORDER && out->count > 0 && !follows(item, order))
            agent_reader_fail(outer, member, "must be sorted by name, each once");
    }
    if (outer->failed)
        agent_releases_fini(out);
}

void agent_releases_read(struct agent_reader *outer, struct agent_releases *out)
{
    read_versions(outer, "releases", AGENT_RELEASES_MAX, BY_NAME, out);
}

void agent_releases_read_history(struct agent_reader *outer, struct agent_releases *out)
{
    read_versions(outer, "releases", AGENT_RELEASES_MAX, ANY_ORDER, out);
}

void agent_releases_read_ahead(struct agent_reader *outer, size_t most, struct agent_releases *out)
{
    read_versions(outer, "ahead", most, BY_NAME_AND_NUMBER, out);
}

json_t *agent_releases_json(const struct agent_releases *list)
{
    json_t *array = json_array();
    for (size_t i = 0; i < list->count; i++) {
        const struct agent_release *item = &list->items[i];
        json_t *object = json_pack("{ss sI ss}", "name", item->name, "number",
                                   (json_int_t)item->number, "manifestSha256", item->manifest);
        if (json_array_append_new(array, object) != 0)
            abort();
    }
    return array;
}

json_t *agent_fetching_json(const struct agent_fetching *fetching)
{
    return json_pack("{ss sI sI sI sI}", "manifestSha256", fetching->manifest, "files",
                     (json_int_t)fetching->files, "filesDone", (json_int_t)fetching->files_done,
                     "bytes", (json_int_t)fetching->bytes, "bytesDone",
                     (json_int_t)fetching->bytes_done);
}

const struct agent_release *agent_releases_find(const struct agent_releases *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    return NULL;
}

static const struct agent_release *find_version(const struct agent_releases *const *lists,
                                                size_t count, const char *name,
                                                const char *manifest)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < lists[i]->count; j++)
            if (strcmp(lists[i]->items[j].name, name) == 0 &&
                strcmp(lists[i]->items[j].manifest, manifest) == 0)
                return &lists[i]->items[j];
    return NULL;
}

void agent_releases_add(struct agent_releases *to, const struct agent_releases *more)
{
    const struct agent_releases *const so_far = to;
    to->items = xrealloc(to->items, (to->count + more->count + 1) * sizeof(*to->items));
    for (size_t i = 0; i < more->count; i++)
        if (!find_version(&so_far, 1, more->items[i].name, more->items[i].manifest))
            to->items[to->count++] = more->items[i];
}

/* --- of a config --- */

static bool names(const struct config *cfg, const char *name)
{
    for (size_t i = 0; i < cfg->site_count; i++)
        if (strcmp(cfg->sites[i].release, name) == 0)
            return true;
    return false;
}

const char *agent_releases_fit(struct agent_releases *list, const struct config *cfg)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (names(cfg, list->items[i].name))
            list->items[kept++] = list->items[i];
    list->count = kept;
    for (size_t i = 0; i < cfg->site_count; i++)
        if (config_has_release(&cfg->sites[i]) && !agent_releases_find(list, cfg->sites[i].release))
            return cfg->sites[i].release;
    return NULL;
}

char *agent_releases_folder(const struct agent_release *release)
{
    struct buf folder;
    buf_init(&folder);
    buf_printf(&folder, "%s/" BOUNDS_RELEASE_TREES "/%s", bounds_state_dir(), release->manifest);
    return buf_take(&folder);
}

void agent_releases_place(const struct agent_releases *list, struct config *cfg)
{
    for (size_t i = 0; i < cfg->site_count; i++) {
        const struct agent_release *item = agent_releases_find(list, cfg->sites[i].release);
        if (!item)
            continue;
        char *folder = agent_releases_folder(item);
        config_place_release(cfg, i, folder);
        free(folder);
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct agent_release *)a)->name, ((const struct agent_release *)b)->name);
}

void agent_releases_running(struct agent_releases *out, const struct config *cfg)
{
    *out =
        (struct agent_releases){.items = xcalloc(cfg ? cfg->site_count : 0, sizeof(*out->items))};
    for (size_t i = 0; cfg && i < cfg->site_count; i++) {
        const struct config_site *site = &cfg->sites[i];
        const char *manifest = strrchr(site->root, '/');
        if (!config_has_release(site) || !manifest || agent_releases_find(out, site->release))
            continue;
        struct agent_release *item = &out->items[out->count++];
        snprintf(item->name, sizeof(item->name), "%s", site->release);
        snprintf(item->manifest, sizeof(item->manifest), "%s", manifest + 1);
    }
    if (out->count > 1)
        qsort(out->items, out->count, sizeof(*out->items), compare_names);
}

void agent_releases_served(struct agent_releases *out, const struct config *cfg,
                           const struct agent_releases *const *lists, size_t count)
{
    size_t known = 0;
    agent_releases_running(out, cfg);
    for (size_t i = 0; i < out->count; i++) {
        const struct agent_release *item =
            find_version(lists, count, out->items[i].name, out->items[i].manifest);
        if (item)
            out->items[known++] = *item;
    }
    out->count = known;
}

void agent_releases_remember(struct agent_releases *history, const struct agent_releases *newest,
                             size_t most)
{
    const struct agent_releases *const parts[] = {newest, history};
    struct agent_releases next = {.items =
                                      xcalloc(newest->count + history->count, sizeof(*next.items))};
    for (size_t part = 0; part < 2; part++)
        for (size_t i = 0; i < parts[part]->count && next.count < AGENT_RELEASES_MAX; i++) {
            const struct agent_release *item = &parts[part]->items[i];
            const struct agent_releases *const so_far = &next;
            size_t same = 0;
            for (size_t j = 0; j < next.count; j++)
                same += strcmp(next.items[j].name, item->name) == 0;
            if (same < most && !find_version(&so_far, 1, item->name, item->manifest))
                next.items[next.count++] = *item;
        }
    agent_releases_fini(history);
    *history = next;
}
