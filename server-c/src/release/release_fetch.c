/* SPDX-License-Identifier: MIT */
/* release_fetch.c — contents as they come from the source, which may break off, lie, or be away. */
#include "release/release_build_parts.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum release_end release_fetch_fail(struct build *build, const char *path)
{
    snprintf(build->why, RELEASE_WHY_LEN,
             "%.200s: the bytes that came have another SHA-256 than was named", path);
    return RELEASE_WRONG;
}

/* One that is asked for by itself goes on where an earlier try has ended. */
static int begin(struct build *build, const struct want *want)
{
    struct release_content *content = &build->content;
    int err = build->coming_count > 1
                  ? release_content_begin(content, build->store, want->sha256, want->size)
                  : release_content_go_on(content, build->store, want->sha256, want->size);

    if (err == 0)
        release_build_say(build, 0, content->done);
    return err;
}

/* Ends each content of which all bytes have come, and begins the next. */
static bool step(struct build *build)
{
    while (build->coming_at < build->coming_count) {
        const struct want *want = &build->coming[build->coming_at];

        if (build->content.fd < 0 && begin(build, want) != 0) {
            build->end = release_build_fail_disk(build, want->path);
            return false;
        }
        if (build->content.done < want->size)
            return true;
        if (!release_content_end(&build->content, build->store)) {
            release_build_say(build, 0, 0 - want->size);
            if (build->content.goes_on) /* what an earlier try has left was wrong: it is gone now */
                continue;
            /* Of no bytes nobody gave any: the manifest is wrong. */
            build->begins_anew =
                want->size > 0 && build->source->blame(build->source->arg, want->size);
            if (!build->begins_anew)
                build->end = release_fetch_fail(build, want->path);
            return false;
        }
        memcpy(build->ended[build->ended_count++], want->sha256, RELEASE_SHA256_LEN + 1);
        build->coming_at++;
    }
    return true;
}

static bool take_contents(void *arg, const char *bytes, size_t len)
{
    struct build *build = arg;

    while (len > 0) {
        const struct want *want = &build->coming[build->coming_at];
        size_t part;

        if (build->coming_at == build->coming_count) { /* it has them all, whoever gave them */
            if (build->source->blame(build->source->arg, len))
                return false;
            snprintf(build->why, RELEASE_WHY_LEN, "more bytes came than were asked for");
            build->end = RELEASE_WRONG;
            return false;
        }
        part = (size_t)smaller_of(want->size - build->content.done, len);
        if (release_content_put(&build->content, bytes, part) != 0) {
            build->end = release_build_fail_disk(build, want->path);
            return false;
        }
        release_build_say(build, 0, part);
        bytes += part, len -= part;
        if (!step(build))
            return false;
    }
    return true;
}

enum release_end release_fetch_publish(struct build *build)
{
    size_t count = build->ended_count;

    build->ended_count = 0;
    return release_content_publish(build->store, build->ended, count) == 0
               ? RELEASE_STANDS
               : release_build_fail_disk(build, "contents");
}

static struct release_wanted wanted_of(const struct want *want)
{
    return (struct release_wanted){want->sha256, want->path, want->size};
}

static enum release_end ask(struct build *build)
{
    const struct release_source *source = build->source;
    const struct want *first = &build->coming[build->coming_at];
    size_t count = build->coming_count - build->coming_at;
    struct release_wanted *wanted;
    enum release_end end;

    if (count == 1)
        return source->one(source->arg, false, wanted_of(first), build->content.done, take_contents,
                           build, build->said);
    /* What broke off in the middle begins anew: it is small. */
    release_build_say(build, 0, 0 - build->content.done);
    release_content_drop(&build->content, build->store);
    wanted = xcalloc(count, sizeof(*wanted));
    for (size_t i = 0; i < count; i++)
        wanted[i] = wanted_of(&first[i]);
    if (!step(build))
        end = build->end;
    else
        end = source->many(source->arg, wanted, count, take_contents, build, build->said);
    free(wanted);
    return end;
}

/* What came of a large one stays for the next try, unless that cannot do better. */
void release_fetch_leave(struct build *build)
{
    if (build->end == RELEASE_UNREACHED || build->end == RELEASE_STOPPED)
        release_content_leave(&build->content, build->store);
    else
        release_content_drop(&build->content, build->store);
}

enum release_end release_fetch_contents(struct build *build, const struct want *wants, size_t count)
{
    unsigned failures = 0;
    enum release_end end;

    build->coming = wants;
    build->coming_count = count;
    build->coming_at = 0;
    build->end = step(build) ? RELEASE_STANDS : build->end;
    while (build->end == RELEASE_STANDS && build->coming_at < count) {
        size_t at = build->coming_at;
        uint64_t done = build->content.done;

        build->begins_anew = false;
        end = ask(build);
        if (build->begins_anew && !step(build))
            break;
        if (build->end != RELEASE_STANDS)
            break;
        if (build->begins_anew || end == RELEASE_ELSEWHERE)
            continue;
        snprintf(build->why, RELEASE_WHY_LEN, "%s", build->said);
        if (end == RELEASE_WRONG || end == RELEASE_STOPPED) {
            build->end = end;
            break;
        }
        if (end == RELEASE_STANDS && build->coming_at < count) {
            snprintf(build->why, RELEASE_WHY_LEN, "fewer bytes came than were asked for");
            end = RELEASE_UNREACHED;
        }
        if (end == RELEASE_STANDS)
            continue;
        failures = build->coming_at > at || build->content.done > done ? 1 : failures + 1;
        if (failures > RELEASE_FAILURES_MAX)
            build->end = RELEASE_UNREACHED;
        else if (!build->source->pause(build->source->arg, failures))
            build->end = RELEASE_STOPPED;
    }
    release_fetch_leave(build);
    end = release_fetch_publish(build); /* what came whole is kept, however this ends */
    return build->end == RELEASE_STANDS ? end : build->end;
}
