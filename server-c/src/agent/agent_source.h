/* SPDX-License-Identifier: MIT */
/* agent_source.h — where manifests and contents of releases come from: the control plane, and for contents neighbours
 * that it names, in the order that it says. Who fails is not asked again, and the control plane is told why; what comes
 * is compared by others (release_build.h), who say when somebody is to blame.
 *
 * The thread that brings releases; its counters: any thread. */
#ifndef FARMSTEAD_AGENT_SOURCE_H
#define FARMSTEAD_AGENT_SOURCE_H

#include "agent/agent_http.h"
#include "agent/agent_neighbours.h"
#include "base/byte_pace.h"
#include "release/release_build.h"

#include <stdatomic.h>

/* Whose bytes are in the content under way: bits of agent_source.givers, above those of the named. */
#define AGENT_GIVER_EARLIER (1u << AGENT_NEIGHBOURS_MAX) /* neighbours that were named before */
#define AGENT_GIVER_CONTROL_PLANE (2u << AGENT_NEIGHBOURS_MAX)

struct agent_source {
    /* Its owner's. */
    struct agent_http *http;       /* for the control plane */
    struct agent_http *neighbours; /* NULL: none is asked */
    const char *incarnation;
    uint64_t rate; /* bytes per second; 0: any */
    void *owner;
    bool (*is_over)(void *owner); /* it is to end */
    void (*wait_until)(void *owner, uint64_t at_ns);

    /* Of the answer under way. */
    struct agent_stream stream;
    release_take *take;
    void *taker;
    uint64_t taken;
    bool is_neighbours, is_enough; /* is_enough: no more of it is taken */
    struct byte_pace pace;

    /* Of the release under way. */
    char manifest[RELEASE_SHA256_LEN + 1]; /* "": neighbours are asked for nothing */
    bool is_direct;                        /* what is lacking comes from the control plane */
    struct agent_neighbours named;
    size_t at; /* of the named, who is asked now */
    uint64_t named_ns;
    unsigned fruitless; /* answers in a row of whose neighbours nothing came */
    struct agent_neighbour_failures failures; /* that were not told */
    char content[RELEASE_SHA256_LEN + 1];     /* that was asked for alone, last */
    unsigned givers;

    atomic_uint_fast64_t neighbour_bytes, wrong_bytes;
};

/* Before a release is built; NULL: of something else, neighbours are not asked. */
void agent_source_begin(struct agent_source *source, const char *manifest);
/* The tree of that release stands: the control plane is told, if it wants to know of such things. */
void agent_source_held(struct agent_source *source);

struct release_source agent_source_of(struct agent_source *source);

#endif
