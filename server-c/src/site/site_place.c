/* SPDX-License-Identifier: MIT */
/* site_place.c — tries the longest alias first, then user folders, then the root.
 *
 * The id of a place is a digest of everything that determines what a look-up there finds. So cached
 * results survive a reload that does not change any of it, and two sites with the same root share
 * them. */
#include "site/site_place.h"

#include "base/buf.h"
#include "base/digest.h"
#include "base/mem.h"

#include <string.h>

/* --- preparing ------------------------------------------------------------------------------- */

static void append_strings(struct buf *out, char *const *strings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_append(out, strings[i], strlen(strings[i]) + 1);
    buf_append_char(out, '\0');
}

static uint64_t id_of(const struct config_site *cfg, const char *folder,
                      const struct kept_files *kept)
{
    char digest[DIGEST_LEN + 1], number[17] = "";
    struct buf facts;

    buf_init(&facts);
    buf_append(&facts, folder, strlen(folder) + 1);
    buf_printf(&facts, "%d %d %d %d %d ", (int)cfg->symlinks, (int)cfg->etag, cfg->etag_inode,
               cfg->listing.enabled, cfg->hidden_files);
    append_strings(&facts, cfg->index, cfg->index_count);
    append_strings(&facts, cfg->precompressed, cfg->precompressed_count);
    kept_files_append(&facts, kept);
    digest_sha256(digest, facts.data, facts.len);
    buf_fini(&facts);
    memcpy(number, strchr(digest, ':') + 1, 16);
    return strtoull(number, NULL, 16);
}

static void init_place(struct file_place *place, const struct config_site *cfg, const char *folder,
                       const struct kept_files *kept)
{
    place->site = cfg;
    place->folder = folder;
    place->is_template = strchr(folder, '{') != NULL;
    place->kept = kept;
    place->lookup_id = id_of(cfg, folder, kept);
}

void site_place_init(struct file_place *place, const struct config_site *cfg, const char *folder,
                     const struct kept_files *kept)
{
    init_place(place, cfg, folder, kept);
    place->is_template = false;
}

void site_place_init_own(struct file_place *place, const struct config_site *rules,
                         const char *folder)
{
    site_place_init(place, rules, folder, NULL);
    place->is_own = true;
    place->lookup_id = ~place->lookup_id;
}

void site_places_init(struct site_places *places, const struct config_site *cfg,
                      const struct kept_files *kept)
{
    struct buf homes;

    init_place(&places->root, cfg, cfg->root, kept);
    places->aliases = xcalloc(cfg->alias_count, sizeof(*places->aliases));
    for (size_t i = 0; i < cfg->alias_count; i++)
        site_place_init(&places->aliases[i], cfg, cfg->aliases[i].folder, kept);
    buf_init(&homes);
    if (cfg->user_dirs.folder[0])
        buf_printf(&homes, "%s/{user}", cfg->user_dirs.base);
    places->homes_folder = buf_take(&homes);
    init_place(&places->homes, cfg, places->homes_folder, kept);
}

void site_places_fini(struct site_places *places)
{
    free(places->aliases);
    free(places->homes_folder);
}

/* --- locating -------------------------------------------------------------------------------- */

/* Returns the part of `path` below the alias, with its leading slash; empty if `path` is not below
 * it. `lacks_slash`: `path` is the alias itself without its final slash. */
static struct span beneath(const char *alias, struct span path, bool *lacks_slash)
{
    size_t len = strlen(alias);

    *lacks_slash = path.len == len - 1 && memcmp(path.ptr, alias, path.len) == 0;
    if (path.len < len || memcmp(path.ptr, alias, len) != 0)
        return (struct span){0};
    return (struct span){path.ptr + len - 1, path.len - len + 1};
}

/* Returns HTTP_OK, 301, or 404 if the path is below no alias. */
static enum http_status locate_alias(const struct site_places *places, struct span path,
                                     struct site_location *location)
{
    const struct config_site *cfg = places->root.site;
    enum http_status status = HTTP_NOT_FOUND;
    struct span shortest = {NULL, path.len + 1};

    for (size_t i = 0; i < cfg->alias_count; i++) {
        bool lacks_slash;
        struct span rest = beneath(cfg->aliases[i].path, path, &lacks_slash);

        if (lacks_slash)
            return HTTP_MOVED_PERMANENTLY;
        if (rest.len == 0 || rest.len >= shortest.len)
            continue;
        shortest = rest;
        *location = (struct site_location){&places->aliases[i], {.path = rest}};
        status = HTTP_OK;
    }
    return status;
}

static bool is_in(char *const *names, size_t count, struct span name)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == name.len && memcmp(names[i], name.ptr, name.len) == 0)
            return true;
    return false;
}

static bool may_show(const struct config_site *cfg, struct span user)
{
    if (!site_host_is_name(user)) /* the same characters, and no dot at either end */
        return false;
    if (cfg->user_dirs.user_count > 0 &&
        !is_in(cfg->user_dirs.users, cfg->user_dirs.user_count, user))
        return false;
    return !is_in(cfg->user_dirs.excluded, cfg->user_dirs.excluded_count, user);
}

/* Maps "/~user/rest" to "rest" in the user's folder. The place is the home, and the folder is part
 * of the path: so a folder that is a symbolic link can't lead out of the home. */
static enum http_status locate_home(const struct site_places *places, struct span path,
                                    struct site_scratch *scratch, struct site_location *location)
{
    const char *folder = places->root.site->user_dirs.folder;
    const char *slash = memchr(path.ptr + 2, '/', path.len - 2);
    struct span user = {path.ptr + 2, (slash ? (size_t)(slash - path.ptr) : path.len) - 2};
    size_t folder_len = strlen(folder), rest_len = path.len - 2 - user.len;

    if (!may_show(places->root.site, user))
        return HTTP_NOT_FOUND;
    if (!slash)
        return HTTP_MOVED_PERMANENTLY;
    if (1 + folder_len + rest_len + 1 > scratch->cap)
        return HTTP_URI_TOO_LONG;
    scratch->bytes[0] = '/';
    memcpy(scratch->bytes + 1, folder, folder_len);
    memcpy(scratch->bytes + 1 + folder_len, slash, rest_len);
    scratch->bytes[1 + folder_len + rest_len] = '\0';
    *location = (struct site_location){
        &places->homes, {.variable = user, .path = {scratch->bytes, 1 + folder_len + rest_len}}};
    return HTTP_OK;
}

enum http_status site_places_locate_root(const struct site_places *places, struct span host,
                                         struct span path, struct site_scratch *scratch,
                                         struct site_location *location)
{
    struct span variable = {0};

    if (places->root.is_template) {
        variable = (struct span){scratch->host, site_host_normalise(scratch->host, host)};
        if (!site_host_is_name(variable))
            return HTTP_NOT_FOUND;
    }
    *location = (struct site_location){&places->root, {.variable = variable, .path = path}};
    return HTTP_OK;
}

enum http_status site_places_locate(const struct site_places *places, struct span host,
                                    struct span path, struct site_scratch *scratch,
                                    struct site_location *location)
{
    if (places->root.site->alias_count > 0) {
        enum http_status status = locate_alias(places, path, location);
        if (status != HTTP_NOT_FOUND)
            return status;
    }
    if (places->homes_folder[0] && path.len > 2 && path.ptr[1] == '~')
        return locate_home(places, path, scratch, location);
    return site_places_locate_root(places, host, path, scratch, location);
}
