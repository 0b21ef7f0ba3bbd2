/* SPDX-License-Identifier: MIT */
/* What came of probes is said as in the protocol's example. */
#include "agent/agent_probed.c"

#include "agent_example.h"
#include "check.h"

static void answers_equal_the_example(void)
{
    struct agent_probed probed = {.id = "probe_01jd4q6v2m8w3x5y7z9abcdefp", .count = 2};
    struct agent_probe_reading reading;
    agent_probe_reading_begin(&reading, true);
    agent_probe_reading_add(&reading, "te", 2);
    agent_probe_reading_add(&reading, "st", 2);
    agent_probe_reading_end(&reading, 200, true, "text/css; charset=utf-8", &probed.answers[0]);
    agent_probe_reading_begin(&reading, true);
    agent_probe_reading_end(&reading, 0, false, NULL, &probed.answers[1]);
    json_t *said = agent_probed_json(&probed), *example = example_load("report.request.probed");
    CHECK_TRUE(json_equal(said, json_object_get(example, "probed")), "it says something else");
    json_decref(said);
    json_decref(example);
}

static void what_did_not_come_whole_has_no_digest(void)
{
    struct agent_probe_reading reading;
    struct agent_probe_answer answer;
    char long_type[200] = {0};
    agent_probe_reading_begin(&reading, true);
    agent_probe_reading_add(&reading, "te", 2);
    agent_probe_reading_end(&reading, 200, false, "text/css", &answer);
    CHECK_INT(__LINE__, "status", answer.status, 200);
    CHECK_INT(__LINE__, "bytes", answer.bytes, 2);
    CHECK_STR(__LINE__, "digest", answer.sha256, "");
    agent_probe_reading_begin(&reading, false);
    memset(long_type, 'a', sizeof(long_type) - 1);
    agent_probe_reading_end(&reading, 200, true, long_type, &answer);
    CHECK_STR(__LINE__, "nobody wanted it", answer.sha256, "");
    CHECK_STR(__LINE__, "no part of a type", answer.type, "");
}

int main(void)
{
    answers_equal_the_example();
    what_did_not_come_whole_has_no_digest();
    return check_end("agent probed");
}
