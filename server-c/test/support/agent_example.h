/* SPDX-License-Identifier: MIT */
/* agent_example.h — reads the examples of the agent protocol, which both sides' tests share. */
#ifndef FARMSTEAD_TEST_AGENT_EXAMPLE_H
#define FARMSTEAD_TEST_AGENT_EXAMPLE_H

#include "check.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static inline json_t *example_load(const char *name)
{
    char path[512];
    json_error_t error;
    snprintf(path, sizeof(path), "%s/agent-protocol/examples/%s.json", SOURCE_DIR, name);
    json_t *document = json_load_file(path, 0, &error);
    CHECK_TRUE(document != NULL, "%s: %s", path, error.text);
    return document;
}

/* The example's bytes as the control plane would send them. */
static inline char *example_text(const char *name)
{
    json_t *document = example_load(name);
    char *text = json_dumps(document, JSON_COMPACT);
    json_decref(document);
    return text;
}

/* Frees `built`; takes over `example`. */
static inline void example_expect(int line, const char *name, char *built, json_t *example)
{
    json_error_t error;
    json_t *document = json_loads(built, 0, &error);
    CHECK_TRUE(document != NULL, "row %d \"%s\": what was built is not JSON: %s", line, name,
               built);
    char *want = json_dumps(example, JSON_COMPACT | JSON_SORT_KEYS);
    char *got = document ? json_dumps(document, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    CHECK_TRUE(document && json_equal(document, example), "row %d \"%s\":\n got %s\nwant %s", line,
               name, got ? got : "nothing", want);
    free(got);
    free(want);
    free(built);
    json_decref(document);
    json_decref(example);
}

#endif
