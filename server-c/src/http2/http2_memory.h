/* SPDX-License-Identifier: MIT */
/* http2_memory.h — small blocks for the library, which takes and gives back several of them for each
 * request.
 *
 * Blocks that were given back are kept in lists by their size, as many as a rush of requests needs,
 * and go back to the system when it is over. One thread. */
#ifndef FARMSTEAD_HTTP2_MEMORY_H
#define FARMSTEAD_HTTP2_MEMORY_H

#include <nghttp2/nghttp2.h>
#include <stdbool.h>

struct http2_memory;

struct http2_memory *http2_memory_new(void); /* NULL: no memory */
void http2_memory_free(struct http2_memory *memory);
nghttp2_mem http2_memory_of(struct http2_memory *memory);
/* Gives back what is kept and was not used since the last call. */
void http2_memory_trim(struct http2_memory *memory);

#endif
