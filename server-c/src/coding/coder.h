/* SPDX-License-Identifier: MIT */
/* coder.h — compresses bytes to a content coding (RFC 9110 section 8.4.1): gzip (RFC 1952), br
 * (RFC 7932) or zstd (RFC 8878, with the window of at most 8 MiB that RFC 9659 asks for). With a dictionary:
 * coder_delta.h. */
#ifndef FARMSTEAD_CODER_H
#define FARMSTEAD_CODER_H

#include "base/util.h"
#include "http/http_coding.h"

#include <stdatomic.h>

#define CODER_MAX_BYTES (64 * 1024 * 1024) /* of one call's input */

/* The greatest level of a coding; the least is 1. */
int coder_max_level(enum http_coding coding);

enum coder_end {
    CODER_DONE,
    CODER_NO_ROOM, /* the result is longer than `cap` */
    CODER_STOPPED,
    CODER_NO_MEMORY
};

/* Compresses all of `in` into `out`. CODER_DONE: *len of its `cap` bytes are the result. Once *stop
 * is true it ends as soon as it can; NULL: nobody stops it. Computes for long: never on a loop. */
enum coder_end coder_compress(enum http_coding coding, int level, struct span in, char *out,
                              size_t cap, size_t *len, const atomic_bool *stop);

/* A number for what the library makes at this level: another release of it, or one for another
 * processor, that packs otherwise has another number. Compresses a sample to find out. Any thread
 * but a loop's. */
uint32_t coder_mark(enum http_coding coding, int level);

#endif
