/* SPDX-License-Identifier: MIT */
/* release_fixture.h — a store in a folder of its own, and a source of releases in memory that can break off,
 * lie and count. */
#ifndef FARMSTEAD_TEST_RELEASE_FIXTURE_H
#define FARMSTEAD_TEST_RELEASE_FIXTURE_H

#include "base/digest.h"
#include "release/release_build.h"

#include "check.h"
#include "shell.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define THINGS_MAX 1100

struct thing {
    char sha256[RELEASE_SHA256_LEN + 1];
    char *bytes;
    size_t len;
};

static struct {
    char folder[64];
    int state_fd;
    atomic_bool stopping;
    struct release_store store;
    struct release_progress progress;
    char why[RELEASE_WHY_LEN];

    struct thing things[THINGS_MAX];
    size_t thing_count;
    int requests, pauses;
    size_t asked;      /* contents, in all requests */
    uint64_t from;     /* where the last request began that asked for one */
    size_t breaks_off; /* after so many bytes of each request; 0: never */
    const char *lies;  /* the digest of which other bytes come */
    bool is_gone;      /* it has nothing */
    bool stops;        /* the node stops with the first byte */
    bool stops_at_pause;
    const char *delta; /* what comes as one; NULL: there is none */
    int blames;        /* so often wrong bytes are somebody's who is not asked again */
    int elsewheres;    /* so many requests for contents are for somebody else */
    int deltas;        /* how often one was asked for */
    char base[RELEASE_SHA256_LEN + 1]; /* of the last of them */
} fixture;

static const char *keep_thing(const char *bytes, size_t len)
{
    struct thing *thing = &fixture.things[fixture.thing_count++];
    char digest[DIGEST_LEN + 1];

    digest_sha256(digest, bytes, len);
    memcpy(thing->sha256, digest + strlen("sha256:"), sizeof(thing->sha256));
    thing->bytes = malloc(len + 1);
    memcpy(thing->bytes, bytes, len);
    thing->bytes[len] = '\0';
    thing->len = len;
    return thing->sha256;
}

static const char *keep_text(const char *text)
{
    return keep_thing(text, strlen(text));
}

static void add_file(struct buf *manifest, const char *path, const char *text)
{
    buf_printf(
        manifest,
        "{\"mode\":\"644\",\"path\":\"%s\",\"sha256\":\"%s\",\"size\":%zu,\"type\":\"file\"}\n",
        path, keep_text(text), strlen(text));
}

static inline void add_link(struct buf *manifest, const char *path, const char *target)
{
    buf_printf(manifest, "{\"path\":\"%s\",\"target\":\"%s\",\"type\":\"link\"}\n", path, target);
}

/* Ends the manifest; returns its digest. */
static inline const char *keep_manifest(struct buf *manifest)
{
    const char *sha256 = keep_thing(manifest->data, manifest->len);

    buf_fini(manifest);
    return sha256;
}

/* Gives it in pieces of 1000 bytes. False: nothing more is taken, or it broke off. */
static bool give(const char *sha256, uint64_t from, size_t *left, release_take *take, void *taker)
{
    for (size_t i = 0; i < fixture.thing_count; i++) {
        const struct thing *thing = &fixture.things[i];
        size_t piece;

        if (strcmp(thing->sha256, sha256) != 0)
            continue;
        for (size_t at = (size_t)from; at < thing->len; at += piece) {
            char bytes[1000];

            piece = (size_t)smaller_of(smaller_of(thing->len - at, sizeof(bytes)), *left);
            if (piece == 0)
                return false;
            memcpy(bytes, thing->bytes + at, piece);
            if (fixture.lies && strcmp(fixture.lies, sha256) == 0)
                bytes[0] ^= 1;
            *left -= piece;
            if (fixture.stops)
                atomic_store(&fixture.stopping, true);
            if (!take(taker, bytes, piece))
                return false;
        }
        return true;
    }
    return false;
}

static enum release_end give_many(void *arg, const struct release_wanted *wanted, size_t count,
                                  release_take *take, void *taker, char why[RELEASE_WHY_LEN])
{
    size_t left = fixture.breaks_off ? fixture.breaks_off : SIZE_MAX;

    (void)arg;
    if (fixture.elsewheres > 0) {
        fixture.elsewheres--;
        return RELEASE_ELSEWHERE;
    }
    fixture.requests++;
    fixture.asked += count;
    size_t given = 0;
    while (!fixture.is_gone && given < count && give(wanted[given].sha256, 0, &left, take, taker))
        given++;
    snprintf(why, RELEASE_WHY_LEN, fixture.is_gone ? "there is none" : "it broke off");
    return fixture.is_gone ? RELEASE_WRONG : given < count ? RELEASE_UNREACHED : RELEASE_STANDS;
}

static enum release_end give_one(void *arg, bool is_manifest, struct release_wanted wanted,
                                 uint64_t from, release_take *take, void *taker,
                                 char why[RELEASE_WHY_LEN])
{
    size_t left = fixture.breaks_off ? fixture.breaks_off : SIZE_MAX;

    (void)arg, (void)is_manifest;
    fixture.requests++;
    fixture.asked++;
    fixture.from = from;
    enum release_end end = fixture.is_gone                                 ? RELEASE_WRONG
                           : give(wanted.sha256, from, &left, take, taker) ? RELEASE_STANDS
                                                                           : RELEASE_UNREACHED;
    snprintf(why, RELEASE_WHY_LEN, fixture.is_gone ? "there is none" : "it broke off");
    return end;
}

/* What `fixture.delta` is called. */
static enum release_end give_delta(void *arg, const char *manifest, const char *base, uint64_t from,
                                   release_take *take, void *taker, char why[RELEASE_WHY_LEN])
{
    (void)arg, (void)manifest;
    fixture.deltas++;
    snprintf(fixture.base, sizeof(fixture.base), "%s", base);
    snprintf(why, RELEASE_WHY_LEN, "it broke off");
    if (!fixture.delta)
        return RELEASE_WRONG;
    size_t left = fixture.breaks_off ? fixture.breaks_off : SIZE_MAX;
    return give(fixture.delta, from, &left, take, taker) ? RELEASE_STANDS : RELEASE_UNREACHED;
}

static bool pause_not(void *arg, unsigned failures)
{
    (void)arg, (void)failures;
    fixture.pauses++;
    return !fixture.stops_at_pause && !atomic_load(&fixture.stopping);
}

/* The source lies as long as `blames` says that it is somebody else's fault. */
static bool blame(void *arg, uint64_t size)
{
    (void)arg, (void)size;
    if (fixture.blames == 0)
        return false;
    if (--fixture.blames == 0)
        fixture.lies = NULL;
    return true;
}

static const struct release_source fixture_source = {NULL,      give_one, give_delta,
                                                     give_many, blame,    pause_not};

static void fixture_open(void)
{
    CHECK_INT(__LINE__, "open",
              release_store_open(&fixture.store, fixture.state_fd, 64u << 20, &fixture.stopping,
                                 fixture.why, sizeof(fixture.why)),
              0);
}

static void fixture_begin(void)
{
    snprintf(fixture.folder, sizeof(fixture.folder), "/tmp/farmstead-release-XXXXXX");
    CHECK_TRUE(mkdtemp(fixture.folder) != NULL, "a folder");
    fixture.state_fd = open(fixture.folder, O_RDONLY | O_DIRECTORY);
    pthread_mutex_init(&fixture.progress.lock, NULL);
    fixture_open();
}

static void fixture_end(void)
{
    release_store_close(&fixture.store);
    close(fixture.state_fd);
    char script[128];
    snprintf(script, sizeof(script), "rm -rf %s", fixture.folder);
    shell_in("/", script);
    for (size_t i = 0; i < fixture.thing_count; i++)
        free(fixture.things[i].bytes);
    pthread_mutex_destroy(&fixture.progress.lock);
    memset(&fixture, 0, sizeof(fixture));
}

static inline enum release_end fixture_build(const char *manifest)
{
    return release_build(&fixture.store, &fixture_source, manifest, NULL, &fixture.progress,
                         fixture.why);
}

static inline enum release_end fixture_build_of(const char *manifest, const char *base)
{
    return release_build(&fixture.store, &fixture_source, manifest, base, &fixture.progress,
                         fixture.why);
}

/* Text of so many bytes. */
static inline const char *keep_large(struct buf *manifest, const char *path, size_t len)
{
    char *bytes = malloc(len + 1);

    for (size_t i = 0; i < len; i++)
        bytes[i] = (char)('a' + i % 26 + i / 4096 % 3);
    bytes[len] = '\0';
    add_file(manifest, path, bytes);
    free(bytes);
    return fixture.things[fixture.thing_count - 1].sha256;
}

/* Runs a script in the tree, or in the store for NULL. */
static inline void expect_in(const char *manifest, const char *script)
{
    char folder[200];

    snprintf(folder, sizeof(folder), "%s/releases/%s%s", fixture.folder, manifest ? "trees/" : "",
             manifest ? manifest : "");
    shell_in(folder, script);
}

#endif
