/* SPDX-License-Identifier: MIT */
/* load_result.h — what is counted in a run, and its JSON. One writer. */
#ifndef FARMSTEAD_LOAD_RESULT_H
#define FARMSTEAD_LOAD_RESULT_H

#include "base/buf.h"
#include "load/load_schedule.h"
#include "measure/histogram.h"

#define LOAD_SLOTS 600 /* of time: the pictures have no more points */

enum load_fault {
    FAULT_NONE,
#define F(name, wire, is_socket, help) FAULT_##name,
#include "load/load_faults.def"
#undef F
    FAULT_COUNT
};

enum load_stage {
#define S(name, wire, help) LOAD_##name,
#include "load/load_stages.def"
#undef S
    LOAD_STAGE_COUNT
};

/* One request, ended. Times in nanoseconds; 0: there was no such stage. */
struct load_record {
    uint64_t due_ns; /* from the beginning of the run */
    uint64_t stages_ns[LOAD_STAGE_COUNT];
    const struct load_url *url;
    enum load_fault fault;
    int status;
    bool has_new_connection, is_sent;
};

struct load_slot {
    uint64_t count, faults, max_ns;
};

/* Of clients that misbehave: their answers are in no other count. */
struct load_misbehaved {
    uint64_t requests, bytes, failed;
};

struct load_result {
    const struct load_plan *plan;
    struct histogram stages[LOAD_STAGE_COUNT];
    uint64_t requests, good;
    uint64_t faults[FAULT_COUNT], statuses[600];
    uint64_t body_bytes, wire_bytes;  /* received */
    uint64_t connections, sent_again; /* opened; requests sent again as a kept one had ended */
    uint64_t most_under_way;
    const char *bad_answer;    /* the first one's fault, a literal */
    char handshake_fault[160]; /* the first one's */
    struct load_misbehaved slow, aborting;
    struct load_slot slots[LOAD_SLOTS];
    uint64_t slot_ns;
    struct load_record *samples; /* each request is in it with the same chance */
    uint64_t sample_count;
};

void load_result_init(struct load_result *result, const struct load_plan *plan);
void load_result_fini(struct load_result *result);
void load_result_add(struct load_result *result, struct load_schedule *random,
                     const struct load_record *record);

/* `elapsed_ns` and `processor_ns`: of the whole run, of this process. */
void load_result_append_json(struct buf *out, const struct load_result *result, uint64_t elapsed_ns,
                             uint64_t processor_ns);

#endif
