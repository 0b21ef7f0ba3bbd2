/* SPDX-License-Identifier: MIT */
/* agent_neighbours.h — what is said with the control plane of nodes that give each other contents of releases: the rules,
 * who is asked, who failed, and what this node gives. Pure: no I/O, no clock. Any thread. */
#ifndef FARMSTEAD_AGENT_NEIGHBOURS_H
#define FARMSTEAD_AGENT_NEIGHBOURS_H

#include "agent/agent_json.h"
#include "neighbours/neighbour_giver.h"
#include "neighbours/neighbour_pass.h"
#include "release/release_line.h"

#define AGENT_NEIGHBOURS_MAX 4
#define AGENT_NEIGHBOUR_ADDRESS_LEN 64
#define AGENT_HOLDS_MAX 64

/* What an answer says of the rules. */
struct agent_neighbours_told {
    bool is_told;                 /* false: nothing changes */
    struct neighbour_rules rules; /* without keys: off */
};
/* Reads the member `neighbours`, if there is one. */
void agent_neighbours_read_rules(struct agent_reader *outer, struct agent_neighbours_told *out);

struct agent_neighbour {
    char address[AGENT_NEIGHBOUR_ADDRESS_LEN + 1]; /* with its port */
    char key_sha256[NEIGHBOUR_KEY_LEN + 1];
};

/* The answer to releases/neighbours. */
struct agent_neighbours {
    struct agent_neighbour items[AGENT_NEIGHBOURS_MAX]; /* to be asked in this order */
    size_t count;
    uint32_t wait_ms; /* with none: ask again then; 0: the control plane gives it itself */
    char pass[NEIGHBOUR_PASS_LEN + 1];
};
/* 0, or -1 with a sentence. */
int agent_neighbours_read(const char *body, size_t len, struct agent_neighbours *out, char *why,
                          size_t why_len);

enum agent_neighbour_fault {
    AGENT_NEIGHBOUR_UNREACHED,
    AGENT_NEIGHBOUR_REFUSED,
    AGENT_NEIGHBOUR_BUSY,
    AGENT_NEIGHBOUR_SLOW,
    AGENT_NEIGHBOUR_MISSING,
    AGENT_NEIGHBOUR_WRONG_BYTES
};
const char *agent_neighbour_fault_name(enum agent_neighbour_fault fault);

struct agent_neighbour_failures {
    struct {
        char key_sha256[NEIGHBOUR_KEY_LEN + 1];
        enum agent_neighbour_fault fault;
    } items[AGENT_NEIGHBOURS_MAX];
    size_t count;
};

/* The question; `is_held`: it is none, the tree stands. The caller frees it. */
char *agent_neighbours_ask(const char *incarnation, const char *manifest, bool is_held,
                           const struct agent_neighbour_failures *failures);

/* What this node gives, for report. */
struct agent_holds {
    char items[AGENT_HOLDS_MAX][RELEASE_SHA256_LEN + 1]; /* the newest first */
    size_t count;
};
/* `address` NULL: it gives nothing. */
json_t *agent_neighbours_giving(const char *address, const struct agent_holds *holds);

#endif
