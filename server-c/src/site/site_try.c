/* SPDX-License-Identifier: MIT */
/* site_try.c — see the table of candidates in docs/serving-files.md. A candidate is a file unless it ends
 * with a slash: then it is a folder, with its index file or its list. */
#include "site/site_try.h"

#include "match/glob.h"
#include "response/mime.h"

#include <stdlib.h>
#include <string.h>

#define SAME "{path}"
#define SAME_LEN (sizeof(SAME) - 1)
#define HTML ".html"
#define HTML_LEN (sizeof(HTML) - 1)
#define WELL_KNOWN "/.well-known/"

/* Where no rule says otherwise. */
static char same[] = SAME, folder[] = SAME "/";
static char *const usual[] = {same, folder};

void site_try_init(struct site_try *tries, const struct config *cfg, const struct config_site *site,
                   struct span path)
{
    *tries = (struct site_try){cfg, site, NULL, 0};
    for (size_t i = 0; i < site->try_files_count; i++) {
        const struct config_try_files *rule = &site->try_files[i];
        if (!glob_path_in(rule->paths, rule->path_count, path))
            continue;
        tries->candidates = rule->candidates;
        tries->count = rule->candidate_count;
        return;
    }
    if (site->trailing_slash != SLASH_OF_FOLDERS) {
        tries->candidates = usual;
        tries->count = ARRAY_LEN(usual);
    }
}

/* --- candidates ------------------------------------------------------------------------------ */

static struct span name_of(struct span path)
{
    const char *slash = memrchr(path.ptr, '/', path.len);

    return (struct span){slash + 1, (size_t)(path.ptr + path.len - slash - 1)};
}

static bool begins_with(struct span path, const char *prefix)
{
    size_t len = strlen(prefix);

    return path.len >= len && memcmp(path.ptr, prefix, len) == 0;
}

/* A picture or a script that is missing has to be missing: a page in its place would be stored by
 * caches, and be an error in the browser that nobody understands. */
static bool may_stand_for(const struct config *cfg, struct span path)
{
    const char *type = mime_type(cfg, path).name;

    if (begins_with(path, WELL_KNOWN))
        return false;
    return !memchr(name_of(path).ptr, '.', name_of(path).len) || strcmp(type, "text/html") == 0 ||
           strcmp(type, cfg->default_type) == 0;
}

/* What follows {path}. Behind a folder's path it goes after the folder's name. */
static bool append(struct url_path *path, char *bytes, size_t cap, const char *suffix)
{
    size_t len = path->len, suffix_len = strlen(suffix);

    if (suffix_len > 0 && bytes[len - 1] == '/')
        len--;
    if (suffix_len > 0 && len == 0 && suffix[0] != '/')
        return false; /* "/.html" is nobody's page */
    if (len + suffix_len + 1 > cap)
        return false;
    memcpy(bytes + len, suffix, suffix_len + 1);
    path->len = len + suffix_len;
    return true;
}

enum site_candidate site_try_path(const struct site_try *tries, size_t index, struct url_path *path,
                                  char *bytes, size_t cap, enum http_status *status)
{
    const char *candidate = tries->candidates[index];
    size_t len = strlen(candidate);

    if (strncmp(candidate, SAME, SAME_LEN) == 0) {
        /* A folder's path is no file's. */
        bool is_folder = bytes[path->len - 1] == '/' && candidate[SAME_LEN] == '\0';
        return !is_folder && append(path, bytes, cap, candidate + SAME_LEN) ? CANDIDATE_PATH
                                                                            : CANDIDATE_NONE;
    }
    if (candidate[0] != '/') {
        *status = (enum http_status)strtol(candidate, NULL, 10);
        return CANDIDATE_STATUS;
    }
    if (len + 1 > cap || !may_stand_for(tries->cfg, (struct span){bytes, path->len}))
        return CANDIDATE_NONE;
    memcpy(bytes, candidate, len + 1);
    path->len = len;
    return CANDIDATE_OF_ALL;
}

enum http_status site_try_locate(const struct site_places *places, enum site_candidate kind,
                                 struct span host, struct span path, struct site_scratch *scratch,
                                 struct site_location *location)
{
    return kind == CANDIDATE_OF_ALL ? site_places_locate_root(places, host, path, scratch, location)
                                    : site_places_locate(places, host, path, scratch, location);
}

bool site_try_is_same(const struct site_try *tries, size_t index)
{
    return strcmp(tries->candidates[index], SAME) == 0;
}

/* 301: a folder is there, and the candidate is a file. */
bool site_try_is_miss(enum http_status status)
{
    return status == HTTP_NOT_FOUND || status == HTTP_MOVED_PERMANENTLY;
}

/* --- addresses ------------------------------------------------------------------------------- */

static bool has_html_candidate(const struct site_try *tries)
{
    for (size_t i = 0; i < tries->count; i++)
        if (strcmp(tries->candidates[i], SAME HTML) == 0)
            return true;
    return false;
}

static bool is_index_name(const struct config_site *site, struct span name)
{
    for (size_t i = 0; i < site->index_count; i++)
        if (strlen(site->index[i]) == name.len && memcmp(site->index[i], name.ptr, name.len) == 0)
            return true;
    return false;
}

static enum site_address cleaned(const struct site_try *tries, struct span asked)
{
    struct span name = name_of(asked);

    if (!tries->site->clean_urls || !has_html_candidate(tries))
        return ADDRESS_RIGHT;
    if (is_index_name(tries->site, name))
        return ADDRESS_DROP_NAME;
    return name.len > HTML_LEN && memcmp(name.ptr + name.len - HTML_LEN, HTML, HTML_LEN) == 0
               ? ADDRESS_DROP_HTML
               : ADDRESS_RIGHT;
}

enum site_address site_try_address(const struct site_try *tries, const struct site_page *page)
{
    bool has_slash = page->asked.ptr[page->asked.len - 1] == '/';

    if (page->candidate[0] == '/')
        return ADDRESS_RIGHT;
    if (page->candidate[SAME_LEN] == '\0')
        return cleaned(tries, page->asked);
    /* The links in a list are below its folder. */
    if (page->is_list)
        return has_slash ? ADDRESS_RIGHT : ADDRESS_ADD_SLASH;
    switch (tries->site->trailing_slash) {
    case SLASH_OF_FOLDERS:
        return page->candidate[SAME_LEN] == '/' && !has_slash ? ADDRESS_ADD_SLASH : ADDRESS_RIGHT;
    case SLASH_ADD:
        return has_slash ? ADDRESS_RIGHT : ADDRESS_ADD_SLASH;
    case SLASH_REMOVE:
        return has_slash && page->asked.len > 1 ? ADDRESS_DROP_SLASH : ADDRESS_RIGHT;
    case SLASH_KEEP:
        break;
    }
    return ADDRESS_RIGHT;
}

static size_t moved_len(enum site_address address, const struct config_site *site, char *bytes,
                        size_t len)
{
    bool removes = site->trailing_slash == SLASH_REMOVE;

    switch (address) {
    case ADDRESS_ADD_SLASH:
        bytes[len++] = '/';
        break;
    case ADDRESS_DROP_SLASH:
        len--;
        break;
    case ADDRESS_DROP_HTML:
        len -= HTML_LEN;
        if (site->trailing_slash == SLASH_ADD)
            bytes[len++] = '/';
        break;
    case ADDRESS_DROP_NAME:
        len -= name_of((struct span){bytes, len}).len;
        if (removes && len > 1)
            len--;
        break;
    case ADDRESS_RIGHT:
        break;
    }
    return len;
}

void site_try_move(enum site_address address, const struct config_site *site, struct url_path *path,
                   char *bytes)
{
    path->len = moved_len(address, site, bytes, path->len);
    bytes[path->len] = '\0';
}
