/* SPDX-License-Identifier: MIT */
/* response_reader.h — where a response of HTTP/1.1 ends, and whether all of it came (RFC 9112).
 *
 * Bytes go in as they arrive; none is kept, but for the line of a head that is not whole yet. What
 * two readers could understand differently is BAD. No I/O, no allocation. */
#ifndef FARMSTEAD_RESPONSE_READER_H
#define FARMSTEAD_RESPONSE_READER_H

#include "base/util.h"

#define RESPONSE_HEAD_MAX 65536
#define RESPONSE_LINE_KEPT 128 /* bytes of a line; what is read of it is shorter */

enum response_answer { RESPONSE_MORE, RESPONSE_DONE, RESPONSE_BAD };

enum response_state {
    RESPONSE_STATUS_LINE,
    RESPONSE_FIELDS,
    RESPONSE_BODY,       /* `left` bytes of it */
    RESPONSE_UNTIL_END,  /* of the connection */
    RESPONSE_CHUNK_SIZE, /* the line before a chunk */
    RESPONSE_CHUNK,      /* `left` bytes of it */
    RESPONSE_CHUNK_END,  /* the line behind a chunk, which is empty */
    RESPONSE_TRAILERS,
    RESPONSE_ENDED
};

struct response_reader {
    enum response_state state;
    bool is_head_request;

    /* Known when the head is whole. */
    int status;
    bool has_length, is_chunked, may_keep;
    uint64_t length;

    uint64_t body_bytes; /* so far */
    const char *fault;   /* after RESPONSE_BAD */

    uint64_t left;
    uint32_t head_bytes;
    uint32_t line_len; /* of a line that is not whole; may be more than was kept */
    char line[RESPONSE_LINE_KEPT];
};

void response_reader_init(struct response_reader *r, bool is_head_request);

/* Reads `len` bytes. *used: how many belong to this response. *body: those of them that are bytes of its body and lie
 * together, maybe none. MORE with *used < len: call again with the rest. */
enum response_answer response_reader_feed(struct response_reader *r, const char *bytes, size_t len,
                                          size_t *used, struct span *body);
/* The connection ended. DONE if this is how the body ends, BAD if something is missing. */
enum response_answer response_reader_end(struct response_reader *r);

#endif
