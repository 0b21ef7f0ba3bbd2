/* SPDX-License-Identifier: MIT */
/* config_check_exposed.c — are files with passwords or keys in places from which clients could get
 * them? Paths are compared in the form to which the kernel resolves them, so that links can't hide
 * where a file is. The folders of each site are compared with the files of every site. Homes
 * (userDirs), which nobody can list, and links inside a root are not covered here: served_file.h
 * checks each file when it is opened. */
#include "check/config_check_parts.h"

#include "base/mem.h"
#include "base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WELL_KNOWN "/.well-known/"

/* What clients of a site can ask for, resolved. */
struct served {
    char *folder;
    bool hidden_files;
};

struct served_list {
    struct served *items;
    size_t count;
};

/* The caller frees the result. NULL: it does not exist, which another check reports. */
static char *resolve(const struct check *check, const char *path, size_t len)
{
    struct buf seen;
    char *real;

    buf_init(&seen);
    buf_append_str(&seen, check->jail);
    buf_append(&seen, path, len);
    real = realpath(seen.data, NULL);
    buf_fini(&seen);
    return real;
}

static void add_served(struct served_list *list, const struct check *check,
                       const struct config_site *site, const char *path, size_t len)
{
    char *folder = resolve(check, path, len);

    if (folder != NULL)
        list->items[list->count++] = (struct served){folder, site->hidden_files};
}

static void find_served(struct served_list *list, const struct check *check)
{
    const struct config *cfg = check->cfg;
    size_t most = 0;

    for (size_t i = 0; i < cfg->site_count; i++)
        most += 1 + cfg->sites[i].alias_count;
    *list = (struct served_list){.items = xcalloc(most, sizeof(*list->items))};
    for (size_t i = 0; i < cfg->site_count; i++) {
        const struct config_site *site = &cfg->sites[i];

        if (site->root[0] != '\0')
            add_served(list, check, site, site->root, path_fixed_len(site->root));
        for (size_t j = 0; j < site->alias_count; j++)
            add_served(list, check, site, site->aliases[j].folder, strlen(site->aliases[j].folder));
    }
}

static void free_served(struct served_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].folder);
    free(list->items);
}

/* "/x/y" for "/srv/x/y" and "/srv"; NULL if the path is not in the folder. */
static const char *beneath(const char *path, const char *folder)
{
    size_t len = strcmp(folder, "/") == 0 ? 0 : strlen(folder);

    return strncmp(path, folder, len) == 0 && path[len] == '/' ? path + len : NULL;
}

static bool is_hidden(const char *rest)
{
    if (strncmp(rest, WELL_KNOWN, strlen(WELL_KNOWN)) == 0)
        rest += strlen(WELL_KNOWN) - 1;
    return strstr(rest, "/.") != NULL;
}

static const struct served *find_holder(const struct served_list *list, const char *path)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *rest = beneath(path, list->items[i].folder);

        if (rest != NULL && (list->items[i].hidden_files || !is_hidden(rest)))
            return &list->items[i];
    }
    return NULL;
}

static void judge(const struct check *check, const struct served_list *list, const char *path,
                  const char *pointer)
{
    char *real = resolve(check, path, strlen(path));
    const struct served *holder = real != NULL ? find_holder(list, real) : NULL;

    if (holder != NULL)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_EXPOSED_FILE, pointer,
                             "move it to a folder that is not served",
                             "\"%s\" is in \"%s\", which is served: clients may fetch it", path,
                             holder->folder);
    free(real);
}

/* Copies of all sites' files are in it, whoever may have those. It may not be there yet. */
static void judge_copies(const struct check *check, const struct served_list *list)
{
    const char *path = check->cfg->compression.cache_folder;
    char *folder = path_folder(path), *parent = resolve(check, folder, strlen(folder));
    char *real = resolve(check, path, strlen(path));
    struct buf whole;

    buf_init(&whole);
    if (real != NULL)
        buf_printf(&whole, "%s/copies", real);
    else if (parent != NULL)
        buf_printf(&whole, "%s%s", strcmp(parent, "/") == 0 ? "" : parent, strrchr(path, '/'));
    if (whole.len > 0 && find_holder(list, whole.data) != NULL)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_EXPOSED_FILE,
                             "/compression/cacheFolder", "name a folder that is not served",
                             "\"%s\" is in \"%s\", which is served: clients may fetch from it what "
                             "they may not have by its own name",
                             path, find_holder(list, whole.data)->folder);
    buf_fini(&whole);
    free(real);
    free(parent);
    free(folder);
}

static void judge_site(const struct check *check, const struct served_list *list, size_t index)
{
    char pointer[CHECK_POINTER_LEN];
    const char *path;

    for (size_t i = 0; (path = config_check_secret(check->cfg, index, i, pointer)) != NULL; i++)
        if (*path != '\0')
            judge(check, list, path, pointer);
}

void config_check_exposed(const struct check *check)
{
    struct served_list list;

    find_served(&list, check);
    for (size_t i = 0; i < check->cfg->site_count; i++)
        judge_site(check, &list, i);
    if (*check->cfg->compression.cache_folder != '\0')
        judge_copies(check, &list);
    free_served(&list);
}
