/* SPDX-License-Identifier: MIT */
/* answer_fallback.c — a file that the served version of a release does not have is looked for in the others
 * (site_fallback.h). Each is a look-up like any other, which the cache remembers, also that nothing was there.
 *
 * What was found there is the answer, with its own tags and in its own codings. What is known to have wrong bytes is
 * one, too (503): an older version most probably has the same file. */
#include "answer/answer.h"

static bool is_missing(const struct file_entry *entry, enum http_status status)
{
    return site_try_is_miss(status) || (status == HTTP_OK && (entry->is_folder || entry->index[0]));
}

/* Only for the file at the path itself, below the site's root. */
static bool may_begin(const struct exchange *ex, enum http_status status)
{
    return status == HTTP_NOT_FOUND && ex->place == &ex->site->places.root &&
           (ex->tries.count == 0 || !answer_tries_other(ex));
}

static void look(struct exchange *ex)
{
    const struct site_fallback *fallback = &ex->site->fallbacks.items[ex->fallback - 1];
    struct site_location location = {.place = &fallback->place};
    struct url_path path;
    struct span unused;
    enum http_status status = answer_map(ex, &path, &unused);

    if (status != HTTP_OK) {
        answer_refuse(ex, status);
        return;
    }
    location.key.path = (struct span){ex->loop->path, path.len};
    answer_search(ex, &location);
}

static bool is_for_fallback(struct exchange *ex)
{
    struct url_path path;
    struct span unused;

    return answer_map(ex, &path, &unused) == HTTP_OK &&
           site_fallbacks_have(ex->site->cfg, (struct span){ex->loop->path, path.len});
}

bool answer_fallback(struct exchange *ex, struct file_entry *entry, enum http_status *status)
{
    if (ex->fallback == 0 ? !may_begin(ex, *status) || !is_for_fallback(ex)
                          : !is_missing(entry, *status))
        return false;
    if (ex->fallback == ex->site->fallbacks.count) {
        ex->fallback = 0;
        *status = HTTP_NOT_FOUND;
        return false;
    }
    ex->fallback++;
    file_cache_put(&ex->loop->files, entry);
    look(ex);
    return true;
}
