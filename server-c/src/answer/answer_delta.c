/* SPDX-License-Identifier: MIT */
/* answer_delta.c — a file for a client that has it from another version of the release: compressed with the help of that
 * (RFC 9842), as a copy like others (answer_copy.c), if there is one; else as for anybody, and it is made for those who ask
 * later.
 *
 * Only a whole file is sent so, to who asks for it anew or names the copy's own tag. And only where a client could not
 * learn from the length what it may not read, and what it is sent is for everybody (RFC 9842 section 9.3). */
#include "answer/answer.h"

#include "http/http_cond.h"
#include "http/http_dictionary.h"
#include "response/response.h"

/* --- which dictionaries there are ------------------------------------------------------------ */

struct dictionaries_job {
    struct io_job job;
    struct loop *loop;
    struct live_config *live; /* a reference */
    struct site_dictionaries *dictionaries;
};

static void run_load(struct io_job *job)
{
    struct dictionaries_job *load = container_of(job, struct dictionaries_job, job);

    site_dictionaries_load(load->dictionaries, load->loop->shared->contents,
                           load->loop->shared->checksums);
}

static void on_loaded(struct io_job *job)
{
    struct dictionaries_job *load = container_of(job, struct dictionaries_job, job);

    live_config_put(load->live);
    free(load);
}

/* Has it found out, once, when the first file is asked for that could be one. */
static void learn(struct exchange *ex)
{
    struct site_dictionaries *dictionaries = ex->site->dictionaries;
    struct dictionaries_job *load;

    if (site_dictionaries_are_known(dictionaries) || !site_dictionaries_begin(dictionaries))
        return;
    load = malloc(sizeof(*load));
    if (load) {
        *load = (struct dictionaries_job){.job = {.run = run_load, .on_done = on_loaded},
                                          .loop = ex->loop,
                                          .live = live_config_get(ex->live),
                                          .dictionaries = dictionaries};
        if (io_lane_submit(ex->loop->shared->copy_lane, &ex->loop->port, &load->job) == 0)
            return;
        on_loaded(&load->job);
    }
    site_dictionaries_give_up(dictionaries);
}

/* --- for whom -------------------------------------------------------------------------------- */

static bool is_loopback(const struct sockaddr *peer)
{
    static const uint8_t v6[ADDRESS_LEN] = {[ADDRESS_LEN - 1] = 1};
    uint8_t bytes[ADDRESS_LEN];
    const uint8_t *address = visitor_address(peer, bytes),
                  *v4 = address ? address_v4(address) : NULL;

    return v4 ? v4[0] == 127 : address && memcmp(address, v6, ADDRESS_LEN) == 0;
}

/* Nobody on the way may have chosen what is a dictionary, and nothing is sent that depends on who asks. */
static bool is_open(const struct exchange *ex)
{
    return (ex->is_secure || is_loopback(ex->peer)) && !ex->is_signed_in &&
           !http_request_has(&ex->req, FIELD_AUTHORIZATION);
}

struct span answer_dictionary_line(struct exchange *ex, struct file_entry *entry)
{
    struct file_entry *named = ex->plain ? ex->plain : entry;
    uint8_t pattern = is_open(ex) ? answer_delta_fits(ex, named) : 0;

    if (pattern == 0)
        return (struct span){0};
    learn(ex);
    return site_dictionaries_line(ex->site->dictionaries, pattern);
}

/* --- which of them --------------------------------------------------------------------------- */

/* The dictionary that the client has, if that is one of ours. */
static bool find_dictionary(struct exchange *ex, struct file_entry *entry)
{
    struct site_dictionaries *dictionaries = ex->site->dictionaries;
    unsigned char hash[HTTP_DICTIONARY_HASH_BYTES];
    unsigned index = 0;
    uint8_t pattern = answer_delta_fits(ex, entry);

    if (pattern == 0 || !http_available_dictionary(&ex->req, ex->head, hash))
        return false;
    learn(ex);
    ex->dictionary = site_dictionaries_find(dictionaries, pattern, hash, &index);
    ex->dictionary_index = (uint8_t)index;
    if (!ex->dictionary && site_dictionaries_are_known(dictionaries))
        loop_count(ex->live, COUNTER_DICTIONARIES_UNKNOWN, 1);
    return ex->dictionary != NULL;
}

/* A coding that the client likes better, or at least as well as any other. */
static bool prefers_it(const struct exchange *ex)
{
    static const enum http_coding preference[] = {CODING_DCZ, CODING_BR, CODING_ZSTD, CODING_GZIP};
    unsigned all = 1u << CODING_DCZ | 1u << CODING_BR | 1u << CODING_ZSTD | 1u << CODING_GZIP;

    return http_coding_choose(&ex->req, ex->head, all, preference, ARRAY_LEN(preference)) ==
           CODING_DCZ;
}

/* Does it ask for a part, or only if it has another state? */
static bool has_condition(const struct exchange *ex)
{
    return http_request_has(&ex->req, FIELD_RANGE) || http_request_has(&ex->req, FIELD_IF_RANGE) ||
           http_request_has(&ex->req, FIELD_IF_MATCH) ||
           http_request_has(&ex->req, FIELD_IF_NONE_MATCH) ||
           http_request_has(&ex->req, FIELD_IF_MODIFIED_SINCE) ||
           http_request_has(&ex->req, FIELD_IF_UNMODIFIED_SINCE);
}

bool answer_delta(struct exchange *ex, struct file_entry *entry)
{
    struct file_facts coded;

    if (!http_request_has(&ex->req, FIELD_AVAILABLE_DICTIONARY) || !is_open(ex) ||
        !http_dictionary_is_readable(&ex->req, ex->head, ex->cors.preflight != NULL) ||
        !prefers_it(ex) || !answer_may_compress(ex, entry) || !find_dictionary(ex, entry) ||
        (entry->copies.deltas_worthless & UINT64_C(1) << ex->dictionary_index) != 0)
        return false;
    coded = answer_copy_facts(ex, entry, CODING_DCZ, entry->facts.size);
    if (has_condition(ex) &&
        !http_cond_names(&ex->req, ex->head, (struct span){coded.etag, coded.etag_len}))
        return false;
    return answer_seek_copy(ex, entry, CODING_DCZ, &coded);
}
