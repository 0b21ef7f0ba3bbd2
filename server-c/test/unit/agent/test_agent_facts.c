/* SPDX-License-Identifier: MIT */
/* What the kernel's files tell, and what becomes of facts that they do not tell. */
#include "agent/agent_facts.c"

#include "agent_example.h"
#include "check.h"

static void the_kernel_s_text_is_read(void)
{
    CHECK_INT(__LINE__, "busy", parse_cpu_busy("cpu  100 20 30 5000 400 5 6 7 1 1\n", 10) * 10,
              168);
    CHECK_TRUE(parse_cpu_busy("cpu  100 20 30\n", 100) < 0, "cut off");
    CHECK_TRUE(parse_cpu_busy("", 100) < 0, "nothing");
    CHECK_INT(__LINE__, "memory",
              parse_memory("MemTotal:       16 kB\nMemFree: 1 kB\n", "MemTotal:"), 16384);
    CHECK_TRUE(parse_memory("MemTotal: 16 kB\n", "MemAvailable:") == AGENT_FACT_UNKNOWN, "none");
    CHECK_TRUE(parse_memory("MemTotal: 16\n", "MemTotal:") == AGENT_FACT_UNKNOWN, "no unit");
    CHECK_INT(__LINE__, "load", parse_load("1.50 0.2 0.1 1/2 3\n") * 100, 150);
    CHECK_TRUE(parse_load("") < 0, "no load");
    CHECK_INT(__LINE__, "resident", parse_resident("900 25 3 4\n", 4096), 102400);
    CHECK_TRUE(parse_resident("900", 4096) == AGENT_FACT_UNKNOWN, "one field");
}

static void the_example_is_built(void)
{
    char first[] = "/srv/www", second[] = "/mnt/archive";
    struct agent_root roots[] = {
        {first, "nvme0n1", 512110190592, 255805095296, 9437184000, 144000, 38120},
        {second, "", AGENT_FACT_UNKNOWN, AGENT_FACT_UNKNOWN, AGENT_FACT_UNKNOWN, AGENT_FACT_UNKNOWN,
         AGENT_FACT_UNKNOWN}};
    struct agent_facts facts = {8,  0.42,  5211.37, 16777216000,   12884901888, 31457280,
                                64, 20000, 3,       1800000000250, {roots, 2},  0};
    json_t *example = example_load("report.request.host"), *host = agent_facts_json(&facts);
    example_expect(__LINE__, "host", json_dumps(host, JSON_COMPACT),
                   json_incref(json_object_get(example, "host")));
    json_decref(host);
    json_decref(example);
}

static void what_is_not_known_is_null(void)
{
    struct agent_facts facts = {
        .load_average_1m = -1, .cpu_busy_seconds = -1, .descriptor_limit = AGENT_FACT_UNKNOWN};
    json_t *host = agent_facts_json(&facts);
    CHECK_TRUE(json_is_null(json_object_get(host, "loadAverage1m")), "load");
    CHECK_TRUE(json_is_null(json_object_get(host, "cpuBusySeconds")), "busy");
    CHECK_TRUE(json_is_null(json_object_get(host, "descriptorLimit")), "limit");
    json_decref(host);
}

/* On this machine: checks only what must hold everywhere. */
static void this_machine_has_facts(void)
{
    struct agent_facts facts = {0};
    int more[3];
    agent_facts_read(&facts);
    CHECK_TRUE(facts.cpu_count >= 1 && facts.cpu_count < 100000, "processors");
    CHECK_TRUE(facts.memory_total_bytes > facts.memory_available_bytes, "memory");
    CHECK_TRUE(facts.resident_bytes > 100000 && facts.resident_bytes < facts.memory_total_bytes,
               "resident");
    CHECK_TRUE(facts.cpu_busy_seconds > 0 && facts.load_average_1m >= 0, "work");
    CHECK_TRUE(llabs(facts.unix_time_ms / 1000 - (int64_t)time(NULL)) <= 1, "clock");
    uint64_t before = facts.open_descriptors;
    for (int i = 0; i < 3; i++)
        more[i] = dup(0);
    agent_facts_read(&facts);
    CHECK_INT(__LINE__, "descriptors", facts.open_descriptors, before + 3);
    CHECK_INT(__LINE__, "counted one by one, the same", count_entries("/proc/self/fd"), before + 3);
    CHECK_TRUE(facts.descriptor_limit >= facts.open_descriptors, "limit");
    for (int i = 0; i < 3; i++)
        close(more[i]);
}

int main(void)
{
    the_kernel_s_text_is_read();
    the_example_is_built();
    what_is_not_known_is_null();
    this_machine_has_facts();
    return check_end("agent_facts");
}
