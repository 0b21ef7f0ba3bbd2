/* SPDX-License-Identifier: MIT */
/* release_fetch_manifest.c — a manifest as what it has other than an earlier one, or whole when there is no earlier one, or
 * anything goes wrong with that. */
#include "log/log.h"
#include "release/release_build_parts.h"
#include "release/release_delta.h"
#include "release/release_scrub.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Then the whole one is asked for: it may be that only what is other cannot be had. */
#define DELTA_FAILURES_MAX 2

/* How it comes. */
struct way {
    struct build *build;
    struct release_delta *delta; /* NULL: whole */
    unsigned failures_max;
};

static bool put(void *arg, const char *bytes, size_t len)
{
    struct build *build = arg;

    if (release_content_put(&build->content, bytes, len) == 0) {
        release_build_say(build, 0, len);
        return true;
    }
    if (errno == EFBIG) {
        snprintf(build->why, RELEASE_WHY_LEN, "the manifest is longer than 2 GiB");
        build->end = RELEASE_WRONG;
    } else {
        build->end = release_build_fail_disk(build, "the manifest");
    }
    return false;
}

static bool take_delta(void *arg, const char *bytes, size_t len)
{
    struct way *way = arg;

    if (release_delta_take(way->delta, bytes, len))
        return true;
    if (way->build->end == RELEASE_STANDS)
        way->build->end = way->delta->wrong ? RELEASE_WRONG : RELEASE_STOPPED;
    return false;
}

static uint64_t come_so_far(const struct way *way)
{
    return way->delta ? way->delta->taken : way->build->content.done;
}

static enum release_end ask(struct way *way)
{
    struct build *build = way->build;
    const struct release_source *source = build->source;

    if (way->delta)
        return source->delta(source->arg, build->manifest, build->base, way->delta->taken,
                             take_delta, way, build->said);
    return source->one(source->arg, true, (struct release_wanted){build->manifest, NULL, 0},
                       build->content.done, put, build, build->said);
}

/* All bytes have come, or build->end says why not. */
static void come(struct way *way)
{
    struct build *build = way->build;
    unsigned failures = 0;

    build->end = RELEASE_STANDS;
    while (build->end == RELEASE_STANDS) {
        uint64_t before = come_so_far(way);
        enum release_end end = ask(way);

        if (build->end != RELEASE_STANDS)
            return;
        snprintf(build->why, RELEASE_WHY_LEN, "%s", build->said);
        if (end == RELEASE_STANDS)
            return;
        failures = come_so_far(way) > before ? 1 : failures + 1;
        if (end != RELEASE_UNREACHED || failures > way->failures_max)
            build->end = end;
        else if (!build->source->pause(build->source->arg, failures))
            build->end = RELEASE_STOPPED;
    }
}

static enum release_end keep(struct build *build)
{
    memcpy(build->ended[build->ended_count++], build->manifest, RELEASE_SHA256_LEN + 1);
    return release_fetch_publish(build);
}

/* RELEASE_WRONG: it is to be asked for whole. */
static enum release_end fetch_delta(struct build *build)
{
    struct release_delta delta;
    struct way way = {build, &delta, DELTA_FAILURES_MAX};

    if (release_delta_init(&delta, build->store, build->base, put, build) != 0)
        return RELEASE_WRONG;
    if (release_content_begin(&build->content, build->store, build->manifest,
                              RELEASE_MANIFEST_BYTES) != 0) {
        release_delta_fini(&delta);
        return release_build_fail_disk(build, "the manifest");
    }
    come(&way);
    if (build->end == RELEASE_STANDS && release_content_end(&build->content, build->store)) {
        release_delta_fini(&delta);
        return keep(build);
    }
    if (build->end == RELEASE_STANDS)
        delta.wrong = "what is made of it and of the earlier manifest has another SHA-256";
    if (delta.wrong) {
        bool is_base = release_scrub_one(build->store, build->base);
        log_warn(
            "agent: the manifest %s comes whole, since what is other in it than in %s is of no "
            "use: %s",
            build->manifest, build->base,
            is_base ? "the earlier one has other bytes on the disk than it had" : delta.wrong);
    }
    release_content_drop(&build->content, build->store);
    release_delta_fini(&delta);
    return build->end == RELEASE_STOPPED || build->end == RELEASE_NO_ROOM ? build->end
                                                                          : RELEASE_WRONG;
}

static enum release_end fetch_whole(struct build *build)
{
    struct way way = {build, NULL, RELEASE_FAILURES_MAX};

    if (release_content_go_on(&build->content, build->store, build->manifest,
                              RELEASE_MANIFEST_BYTES) != 0)
        return release_build_fail_disk(build, "the manifest");
    release_build_say(build, 0, build->content.done);
    come(&way);
    if (build->end != RELEASE_STANDS) {
        release_fetch_leave(build);
        return build->end;
    }
    if (!release_content_end(&build->content, build->store)) {
        if (!build->content.goes_on)
            return release_fetch_fail(build, "the manifest");
        release_build_begin_progress(build->progress, build->manifest);
        return fetch_whole(build); /* what an earlier try has left was wrong, and is gone now */
    }
    return keep(build);
}

enum release_end release_fetch_manifest(struct build *build)
{
    /* Of which a part came whole, for that there was a reason. */
    bool has_begun = strcmp(build->store->rest, build->manifest) == 0;

    if (release_store_size(build->store, build->manifest) >= 0)
        return RELEASE_STANDS;
    if (release_store_room(build->store, 0, build->why, RELEASE_WHY_LEN) != 0)
        return RELEASE_NO_ROOM;
    if (build->base && !has_begun) {
        enum release_end end = fetch_delta(build);

        if (end != RELEASE_WRONG)
            return end;
        release_build_begin_progress(build->progress, build->manifest);
    }
    return fetch_whole(build);
}
