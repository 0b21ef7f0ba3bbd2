/* SPDX-License-Identifier: MIT */
/* agent_source.c — one question after the other. Whether a neighbour is asked, waited for or passed over is the control
 * plane's to say; when it says nothing that can be used, it is asked for the contents itself. */
#include "agent/agent_source.h"

#include "base/buf.h"
#include "base/mem.h"
#include "log/log.h"
#include "neighbours/neighbour_channel.h"
#include "neighbours/neighbour_request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_MS 250 /* how soon a stop is noticed while nothing comes */
#define PAUSE_MS 250
#define PAUSE_MAX_MS 5000
#define QUESTION_TIMEOUT_MS 15000
/* From the request on, connecting included. */
#define FIRST_BYTE_MS 6000
#define PASS_MS 3000000u /* it lasts for an hour */
/* After so many answers that were of no use the control plane is asked for the rest, whatever it says. */
#define FRUITLESS_MAX 4
#define FRUIT_BYTES (1u << 20)

/* --- what comes --- */

/* libcurl's own limit lets the first megabytes of each answer pass. What is not taken yet waits at the other side. */
static bool take_in_time(void *arg, const char *bytes, size_t len)
{
    struct agent_source *source = arg;

    source->taken += len;
    if (source->is_neighbours)
        atomic_fetch_add(&source->neighbour_bytes, len);
    if (!source->take(source->taker, bytes, len)) {
        source->is_enough = true;
        return false;
    }
    if (source->rate > 0)
        source->wait_until(source->owner,
                           byte_pace_take(&source->pace, len, source->rate, monotonic_ns()));
    return true;
}

static void begin_answer(struct agent_source *source, bool is_neighbours, uint64_t from,
                         release_take *take, void *taker)
{
    source->take = take;
    source->taker = taker;
    source->taken = 0;
    source->is_neighbours = is_neighbours;
    source->is_enough = false;
    source->stream = (struct agent_stream){take_in_time, source, from};
}

/* --- the control plane --- */

static enum release_end await(struct agent_source *source, char why[RELEASE_WHY_LEN])
{
    struct agent_reply reply;

    while (!source->is_over(source->owner)) {
        if (!agent_http_next(source->http, LOOK_MS, &reply))
            continue;
        if (reply.status == 200 || reply.status == 206 || reply.status == 416)
            return RELEASE_STANDS; /* 416: all of it came before; its digest says whether it did */
        if (reply.status == 404) {
            snprintf(why, RELEASE_WHY_LEN, "the control plane has it not, or not for this node");
            return RELEASE_WRONG;
        }
        if (reply.status == 0)
            snprintf(why, RELEASE_WHY_LEN, "%s", reply.error);
        else
            snprintf(why, RELEASE_WHY_LEN, "HTTP %d: %.200s", reply.status,
                     reply.body ? reply.body : "");
        return RELEASE_UNREACHED;
    }
    return RELEASE_STOPPED;
}

static enum release_end ask(struct agent_source *source, const char *message, char *body,
                            uint64_t from, release_take *take, void *taker,
                            char why[RELEASE_WHY_LEN])
{
    begin_answer(source, false, from, take, taker);
    agent_http_stream(source->http, AGENT_SLOT_FETCH, message, body, &source->stream);
    return await(source, why);
}

/* --- whom the control plane names --- */

static const struct agent_neighbour *current(const struct agent_source *source)
{
    return &source->named.items[source->at];
}

static void pass_over(struct agent_source *source, enum agent_neighbour_fault fault)
{
    struct agent_neighbour_failures *failures = &source->failures;

    if (failures->count < AGENT_NEIGHBOURS_MAX) {
        snprintf(failures->items[failures->count].key_sha256, NEIGHBOUR_KEY_LEN + 1, "%s",
                 current(source)->key_sha256);
        failures->items[failures->count++].fault = fault;
    }
    log_info("agent: the neighbour at %s is passed over: %s", current(source)->address,
             agent_neighbour_fault_name(fault));
    source->at++;
}

/* False: there is no answer that can be used. */
static bool ask_whom(struct agent_source *source, bool is_held, struct agent_neighbours *out)
{
    struct agent_reply reply;
    char why[RELEASE_WHY_LEN];

    if (source->is_over(source->owner))
        return false;
    agent_http_post(
        source->http, AGENT_SLOT_TALK, "releases/neighbours",
        agent_neighbours_ask(source->incarnation, source->manifest, is_held, &source->failures),
        QUESTION_TIMEOUT_MS);
    while (!source->is_over(source->owner)) {
        if (!agent_http_next(source->http, LOOK_MS, &reply))
            continue;
        if (reply.status != 200 ||
            agent_neighbours_read(reply.body, reply.len, out, why, sizeof(why)))
            return false;
        source->failures.count = 0;
        return true;
    }
    agent_http_drop(source->http, AGENT_SLOT_TALK);
    return false;
}

/* Whoever was asked has other numbers now. */
static void use_named(struct agent_source *source, const struct agent_neighbours *named)
{
    if ((source->givers & (AGENT_GIVER_EARLIER - 1)) != 0)
        source->givers = (source->givers & AGENT_GIVER_CONTROL_PLANE) | AGENT_GIVER_EARLIER;
    source->named = *named;
    source->fruitless += named->count > 0;
    source->at = 0;
    source->named_ns = monotonic_ns();
}

static bool is_somebody_left(const struct agent_source *source)
{
    return source->at < source->named.count &&
           monotonic_ns() - source->named_ns < PASS_MS * NS_PER_MS;
}

/* RELEASE_STANDS: the current one is to be asked; RELEASE_WRONG: the control plane is. */
static enum release_end find_neighbour(struct agent_source *source)
{
    /* A giver lets go of who takes less than that, whatever its reason is. */
    if (source->rate > 0 && source->rate < 2 * NEIGHBOUR_SLOW_BYTES_PER_SECOND)
        source->is_direct = true;
    while (!source->is_direct) {
        struct agent_neighbours named;

        if (is_somebody_left(source))
            return RELEASE_STANDS;
        bool is_answered = ask_whom(source, false, &named);
        if (source->is_over(source->owner))
            return RELEASE_STOPPED;
        source->is_direct = !is_answered || (named.count == 0 && named.wait_ms == 0) ||
                            (named.count > 0 && source->fruitless >= FRUITLESS_MAX);
        if (source->is_direct)
            break;
        use_named(source, &named);
        if (named.count == 0)
            source->wait_until(source->owner, monotonic_ns() + named.wait_ms * NS_PER_MS);
    }
    return RELEASE_WRONG;
}

/* --- a neighbour --- */

/* Paths, each in a line. NULL: the control plane is to be asked for these. */
static char *paths_of(const struct agent_source *source, const struct release_wanted *wanted,
                      size_t count, uint64_t *bytes)
{
    struct buf body;
    bool is_good = source->neighbours != NULL && source->manifest[0] != '\0';

    buf_init(&body);
    *bytes = 0;
    for (size_t i = 0; is_good && i < count; i++) {
        is_good = wanted[i].path != NULL && strchr(wanted[i].path, '\n') == NULL;
        if (is_good)
            buf_printf(&body, "%s\n", wanted[i].path);
        *bytes += wanted[i].size;
    }
    if (is_good && body.len <= NEIGHBOUR_BODY_BYTES)
        return buf_take(&body);
    buf_fini(&body);
    return NULL;
}

static enum agent_neighbour_fault fault_of(const struct agent_source *source,
                                           const struct agent_reply *reply)
{
    switch (reply->status) {
    case 0:
        return reply->timed_out && source->taken > 0 ? AGENT_NEIGHBOUR_SLOW
                                                     : AGENT_NEIGHBOUR_UNREACHED;
    case 404:
    case 416:
        return AGENT_NEIGHBOUR_MISSING;
    case 503:
        return AGENT_NEIGHBOUR_BUSY;
    default:
        return AGENT_NEIGHBOUR_REFUSED;
    }
}

/* False: none came in time, or it is over. */
static bool await_neighbour(struct agent_source *source, struct agent_reply *reply)
{
    uint64_t first_ns = monotonic_ns() + FIRST_BYTE_MS * NS_PER_MS;

    while (!source->is_over(source->owner)) {
        if (agent_http_next(source->neighbours, LOOK_MS, reply))
            return true;
        if (source->taken == 0 && monotonic_ns() >= first_ns)
            break;
    }
    agent_http_drop(source->neighbours, AGENT_SLOT_FETCH);
    return false;
}

static enum release_end ask_neighbour(struct agent_source *source, char *paths, uint64_t bytes,
                                      uint64_t from, release_take *take, void *taker)
{
    const struct agent_neighbour *one = current(source);
    size_t at = source->at;
    struct agent_reply reply;

    if (!agent_http_ask_neighbour(source->neighbours, one->address, one->key_sha256,
                                  source->named.pass, from)) {
        free(paths);
        pass_over(source, AGENT_NEIGHBOUR_UNREACHED);
        return RELEASE_ELSEWHERE;
    }
    begin_answer(source, true, from, take, taker);
    agent_http_stream(source->neighbours, AGENT_SLOT_FETCH, source->manifest, paths,
                      &source->stream);
    bool is_answered = await_neighbour(source, &reply);
    if (source->is_over(source->owner))
        return RELEASE_STOPPED;
    if (source->at != at || source->is_enough) /* it was blamed, or our disk failed */
        return RELEASE_ELSEWHERE;
    if (source->taken >= FRUIT_BYTES || source->taken == bytes - from)
        source->fruitless = 0;
    if (is_answered && (reply.status == 200 || reply.status == 206) &&
        source->taken == bytes - from)
        return RELEASE_STANDS;
    pass_over(source, is_answered ? fault_of(source, &reply) : AGENT_NEIGHBOUR_UNREACHED);
    return RELEASE_ELSEWHERE;
}

/* --- what is asked for --- */

/* Of a content that is gone on with, others may have given the beginning. */
static void note_giver(struct agent_source *source, unsigned giver, const char *sha256,
                       uint64_t from)
{
    bool is_same = strcmp(source->content, sha256) == 0;

    snprintf(source->content, sizeof(source->content), "%s", sha256);
    if (from == 0)
        source->givers = giver;
    else if (is_same)
        source->givers |= giver;
    else /* it came with many, or before this pull */
        source->givers = giver | (source->neighbours ? AGENT_GIVER_EARLIER : 0);
}

/* RELEASE_WRONG: nobody was asked, the control plane is to be. */
static enum release_end ask_somebody(struct agent_source *source,
                                     const struct release_wanted *wanted, size_t count,
                                     uint64_t from, release_take *take, void *taker)
{
    uint64_t bytes;
    char *paths = paths_of(source, wanted, count, &bytes);
    enum release_end found = paths ? find_neighbour(source) : RELEASE_WRONG;

    if (found != RELEASE_STANDS) {
        free(paths);
        note_giver(source, AGENT_GIVER_CONTROL_PLANE, wanted->sha256, from);
        return found;
    }
    note_giver(source, 1u << source->at, wanted->sha256, from);
    return ask_neighbour(source, paths, bytes, from, take, taker);
}

static enum release_end get_one(void *arg, bool is_manifest, struct release_wanted wanted,
                                uint64_t from, release_take *take, void *taker,
                                char why[RELEASE_WHY_LEN])
{
    struct agent_source *source = arg;
    enum release_end end = ask_somebody(source, &wanted, 1, from, take, taker);
    char message[128];

    if (end != RELEASE_WRONG)
        return end;
    snprintf(message, sizeof(message), "releases/%s/%s", is_manifest ? "manifests" : "contents",
             wanted.sha256);
    return ask(source, message, NULL, from, take, taker, why);
}

static enum release_end get_delta(void *arg, const char *manifest, const char *base, uint64_t from,
                                  release_take *take, void *taker, char why[RELEASE_WHY_LEN])
{
    char message[192];

    snprintf(message, sizeof(message), "releases/manifests/%s/of/%s", manifest, base);
    return ask(arg, message, NULL, from, take, taker, why);
}

static enum release_end get_many(void *arg, const struct release_wanted *wanted, size_t count,
                                 release_take *take, void *taker, char why[RELEASE_WHY_LEN])
{
    struct agent_source *source = arg;
    enum release_end end = ask_somebody(source, wanted, count, 0, take, taker);
    struct buf body;

    if (end != RELEASE_WRONG)
        return end;
    buf_init(&body);
    for (size_t i = 0; i < count; i++)
        buf_printf(&body, "%s\"%s\"", i ? "," : "{\"sha256\":[", wanted[i].sha256);
    buf_append_str(&body, "]}");
    return ask(source, "releases/contents", buf_take(&body), 0, take, taker, why);
}

/* Where more than one gave of it, nobody knows whose bytes are wrong: the last one is passed over. */
static bool blame(void *arg, uint64_t size)
{
    struct agent_source *source = arg;
    unsigned givers = source->givers;

    source->givers = 0;
    if ((givers & ~AGENT_GIVER_CONTROL_PLANE) == 0)
        return false;
    atomic_fetch_add(&source->wrong_bytes, size);
    if (source->is_neighbours && givers == 1u << source->at)
        pass_over(source, AGENT_NEIGHBOUR_WRONG_BYTES);
    else if (source->is_neighbours)
        source->at++;
    return true;
}

static bool pause_after(void *arg, unsigned failures)
{
    struct agent_source *source = arg;
    uint64_t ms = smaller_of(PAUSE_MS << (failures < 8 ? failures - 1 : 7), PAUSE_MAX_MS);

    source->wait_until(source->owner, monotonic_ns() + ms * NS_PER_MS);
    return !source->is_over(source->owner);
}

struct release_source agent_source_of(struct agent_source *source)
{
    return (struct release_source){source, get_one, get_delta, get_many, blame, pause_after};
}

void agent_source_begin(struct agent_source *source, const char *manifest)
{
    snprintf(source->manifest, sizeof(source->manifest), "%s", manifest ? manifest : "");
    source->is_direct = false;
    source->named = (struct agent_neighbours){0};
    source->at = 0;
    source->fruitless = 0;
    source->failures.count = 0;
    source->content[0] = '\0';
    source->givers = 0;
}

/* There is nothing to be done about an answer that does not come. */
void agent_source_held(struct agent_source *source)
{
    struct agent_neighbours ignored;

    if (source->neighbours)
        ask_whom(source, true, &ignored);
}
