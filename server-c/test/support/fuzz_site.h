/* SPDX-License-Identifier: MIT */
/* A loop that serves a small site, for fuzz targets that play a client over a transport in memory. */
#ifndef FARMSTEAD_FUZZ_SITE_H
#define FARMSTEAD_FUZZ_SITE_H

#include "loop_fixture.h"
#include "memory_transport.h"

#define FUZZ_LINK "Link: </s>;rel=modulepreload"

/* The end of a config. */
#define FUZZ_SITES                                                                                 \
    "  \"sites\": [{ \"hosts\": [\"a\"], \"root\": \"ROOT/site\", \"precompressed\": "             \
    "[\"gzip\"],\n"                                                                                \
    "    \"directoryListing\": { \"enabled\": true },\n"                                           \
    "    \"preload\": [{ \"links\": [\"</s>;rel=modulepreload\"] }],\n"                            \
    "    \"rewrites\": [{ \"match\": \"^/r/(.*)\", \"to\": \"/$1\" }],\n"                          \
    "    \"errorPages\": { \"404\": \"/e\" } }] }"

static const char fuzz_files[] =
    "mkdir -p site/d site/l; cd site; printf small > s; seq 1 3000 > m; "
    "seq 1 9000 > b; printf gone > e; printf p > p; printf z > p.gz; "
    "printf i > d/index.html; printf x > l/x; touch -d @1700000000 * */*";

static void never_wait(uv_idle_t *idle)
{
    (void)idle;
}

static void remove_root(void)
{
    shell_in(root, "rm -rf \"$PWD\"");
}

static void fuzz_begin(const char *config)
{
    static uv_idle_t busy;

    begin(config, "ttl");
    shell_in(root, fuzz_files);
    atexit(remove_root);
    uv_idle_init(&the_loop.uv, &busy);
    uv_idle_start(&busy, never_wait);
    for (int i = 0; i < TIMEOUT_COUNT; i++)
        the_loop.timeout_ms[i] = 60000;
}

/* Whether a name that is not in the cache is looked up on the loop first, or waits for a lane at once. */
static void fuzz_glances(bool may)
{
    the_loop.files.glance_again_ms = may ? 0 : UINT64_MAX;
}

/* Until nothing more happens. */
static void fuzz_turn(struct memory_transport *memory)
{
    for (int idle = 0; !memory->is_closed && idle < 8;) {
        size_t before = memory->output_len + memory->input_pos;
        poller_turn(&the_loop.poller);
        idle = the_loop.port.outstanding == 0 && before == memory->output_len + memory->input_pos
                   ? idle + 1
                   : 0;
    }
}

#endif
