/* SPDX-License-Identifier: MIT */
/* agent_json.h — reads known members of a JSON object, each with its type and range, and keeps a
 * sentence about the first error. Used for messages and for the files of the state folder. */
#ifndef FARMSTEAD_AGENT_JSON_H
#define FARMSTEAD_AGENT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGENT_JSON_MAX_INTEGER 9007199254740991 /* 2^53 - 1, the limit of other readers of JSON */

struct agent_reader {
    json_t *object; /* not owned */
    char *why;
    size_t why_len;
    bool failed; /* `why` has the first error; all later reads do nothing */
};

/* Returns the document, which must be an object, or NULL with a sentence in `why`. */
json_t *agent_json_load(const char *text, size_t len, char *why, size_t why_len);

void agent_reader_fail(struct agent_reader *reader, const char *member, const char *what);
/* Is an optional member there, and not null? */
bool agent_reader_has(const struct agent_reader *reader, const char *member);
uint64_t agent_read_integer(struct agent_reader *reader, const char *member, uint64_t min,
                            uint64_t max);
bool agent_read_boolean(struct agent_reader *reader, const char *member);
/* Copies the text to out[size]. Fails if it is shorter than `min`, does not fit, or contains a
 * NUL. */
void agent_read_string(struct agent_reader *reader, const char *member, char *out, size_t size,
                       size_t min);
void agent_read_id(struct agent_reader *reader, const char *member, const char *prefix, char *out,
                   size_t size);
void agent_read_digest(struct agent_reader *reader, const char *member, char *out, size_t size);
/* 64 hex digits without anything before them. */
void agent_read_sha256(struct agent_reader *reader, const char *member, char *out, size_t size);
/* The name of a certificate or a release, which becomes a part of a path. */
void agent_read_name(struct agent_reader *reader, const char *member, char *out, size_t size);
/* Returns a copy on the heap and its length. Any bytes are allowed, but at most `max`. NULL after a
 * failure. */
char *agent_read_text(struct agent_reader *reader, const char *member, size_t max, size_t *len);

/* A text from elsewhere as a value of a message: made valid, and cut to so many bytes. */
json_t *agent_text_json(const char *text, size_t max_bytes);

#endif
