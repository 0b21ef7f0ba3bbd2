/* SPDX-License-Identifier: MIT */
/* agent_json.h — reading known members of a JSON object, each with its type and range, and the
 * first thing that is wrong kept as a sentence. Used for messages and for the state folder's files.
 */
#ifndef FARMSTEAD_AGENT_JSON_H
#define FARMSTEAD_AGENT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGENT_JSON_MAX_INTEGER 9007199254740991 /* 2^53 - 1, what JSON's other readers hold */

struct agent_reader {
    json_t *object; /* borrowed */
    char *why;
    size_t why_len;
    bool failed; /* `why` says the first reason; every later read does nothing */
};

/* The document, which must be an object, or NULL with a sentence in `why`. */
json_t *agent_json_load(const char *text, size_t len, char *why, size_t why_len);

void agent_reader_fail(struct agent_reader *reader, const char *member, const char *what);
/* Whether `member` is there and not null, for those that may be left out. */
bool agent_reader_has(const struct agent_reader *reader, const char *member);
uint64_t agent_read_integer(struct agent_reader *reader, const char *member, uint64_t min,
                            uint64_t max);
bool agent_read_boolean(struct agent_reader *reader, const char *member);
/* Copies into out[size]; fails when the text is shorter than `min`, does not fit or holds a NUL. */
void agent_read_string(struct agent_reader *reader, const char *member, char *out, size_t size,
                       size_t min);
void agent_read_id(struct agent_reader *reader, const char *member, const char *prefix, char *out,
                   size_t size);
void agent_read_digest(struct agent_reader *reader, const char *member, char *out, size_t size);
/* A heap copy with its length; any bytes but at most `max`. NULL after a failure. */
char *agent_read_text(struct agent_reader *reader, const char *member, size_t max, size_t *len);

#endif
