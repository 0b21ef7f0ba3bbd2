/* SPDX-License-Identifier: MIT */
/* Any bytes, in two different splits: the same answer, no byte used twice or behind what is there, and no more body
 * than bytes. */
#include "load/response_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct outcome {
    enum response_answer answer;
    size_t used;
    uint64_t body_bytes;
    int status;
    bool may_keep;
};

static struct outcome read_in_steps(const char *bytes, size_t len, size_t step, bool is_head)
{
    struct outcome o = {.answer = RESPONSE_MORE};
    struct response_reader r;
    uint64_t seen = 0;

    response_reader_init(&r, is_head);
    while (o.answer == RESPONSE_MORE && o.used < len) {
        size_t used, have = smaller_of(step, len - o.used);
        struct span body;
        o.answer = response_reader_feed(&r, bytes + o.used, have, &used, &body);
        CHECK(used > 0 && used <= have);
        CHECK(body.len == 0 || (body.ptr >= bytes + o.used && body.len <= used));
        o.used += used;
        seen += body.len;
    }
    if (o.answer == RESPONSE_MORE)
        o.answer = response_reader_end(&r);
    CHECK(seen == r.body_bytes && seen <= len);
    CHECK((o.answer == RESPONSE_BAD) == (r.fault != NULL));
    if (o.answer == RESPONSE_DONE) {
        CHECK(r.status >= 200 && r.status <= 599);
        CHECK(is_head ? seen == 0
                      : !r.has_length || seen == r.length || r.status == 204 || r.status == 304);
    }
    o.body_bytes = r.body_bytes;
    o.status = r.status;
    o.may_keep = r.may_keep;
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const char *bytes = (const char *)data;
    bool is_head = len % 5 == 0;
    struct outcome whole = read_in_steps(bytes, len, len ? len : 1, is_head);
    struct outcome split = read_in_steps(bytes, len, 1 + len % 7, is_head);

    CHECK(whole.answer == split.answer);
    if (whole.answer == RESPONSE_DONE)
        CHECK(whole.used == split.used && whole.body_bytes == split.body_bytes &&
              whole.status == split.status && whole.may_keep == split.may_keep);
    return 0;
}
