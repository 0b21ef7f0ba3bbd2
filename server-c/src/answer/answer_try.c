/* SPDX-License-Identifier: MIT */
/* answer_try.c — looks for one candidate after the other (site_try.h). Each is a look-up like any other,
 * which the cache remembers, also that nothing was there.
 *
 * The path is computed anew for each, as what was looked for lies in memory of the whole loop. */
#include "answer/answer.h"

static enum site_candidate write_candidate(struct exchange *ex, struct url_path *path,
                                           enum http_status *status)
{
    return site_try_path(&ex->tries, ex->candidate, path, ex->loop->path, ex->loop->path_cap,
                         status);
}

bool answer_try_path(struct exchange *ex, struct url_path *path)
{
    enum http_status status;

    if (ex->tries.count == 0)
        return true;
    switch (write_candidate(ex, path, &status)) {
    case CANDIDATE_PATH:
    case CANDIDATE_OF_ALL:
        return true;
    case CANDIDATE_STATUS:
    case CANDIDATE_NONE:
        break;
    }
    return false;
}

bool answer_tries_other(const struct exchange *ex)
{
    return ex->tries.count > 0 && !site_try_is_same(&ex->tries, ex->candidate);
}

/* False: there can be nothing. */
static bool look(struct exchange *ex)
{
    struct url_path path;
    struct span unused;
    struct site_location location;
    enum site_candidate kind;
    enum http_status status = answer_map(ex, &path, &unused);

    if (status != HTTP_OK) {
        answer_refuse(ex, status);
        return true;
    }
    kind = write_candidate(ex, &path, &status);
    if (kind == CANDIDATE_NONE)
        return false;
    if (kind != CANDIDATE_STATUS)
        status =
            site_try_locate(&ex->site->places, kind, exchange_slice(ex, ex->req.host),
                            (struct span){ex->loop->path, path.len}, &ex->loop->scratch, &location);
    if (kind != CANDIDATE_STATUS && site_try_is_miss(status))
        return false;
    if (status == HTTP_OK)
        answer_search(ex, &location);
    else
        answer_refuse(ex, status);
    return true;
}

void answer_try(struct exchange *ex)
{
    for (; ex->candidate < ex->tries.count; ex->candidate++)
        if (look(ex))
            return;
    answer_refuse(ex, HTTP_NOT_FOUND);
}

static enum site_address address_of(struct exchange *ex, const struct file_entry *entry)
{
    struct url_path path;
    struct span unused;
    const struct response_match match = ex->scope.match;
    struct site_page page = {.candidate = ex->tries.candidates[ex->candidate],
                             .is_list = entry->is_folder};

    if (!answer_tries_other(ex) && !ex->site->cfg->clean_urls)
        return ADDRESS_RIGHT;
    if (answer_map(ex, &path, &unused) != HTTP_OK)
        return ADDRESS_RIGHT;
    ex->scope.match = match; /* which is for the file that was found, too */
    page.asked = (struct span){ex->loop->path, path.len};
    return site_try_address(&ex->tries, &page);
}

bool answer_try_goes_on(struct exchange *ex, struct file_entry *entry, enum http_status status)
{
    enum site_address address;

    if (site_try_is_miss(status)) {
        file_cache_put(&ex->loop->files, entry);
        ex->candidate++;
        answer_try(ex);
        return true;
    }
    /* At another address nobody would look for it in other versions. */
    address = status == HTTP_OK && ex->fallback == 0 ? address_of(ex, entry) : ADDRESS_RIGHT;
    if (address == ADDRESS_RIGHT)
        return false;
    file_cache_put(&ex->loop->files, entry);
    answer_redirect_page(ex, address);
    return true;
}
