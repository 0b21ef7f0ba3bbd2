/* SPDX-License-Identifier: MIT */
/* sink.c — sends slice after slice. The head and bytes in memory go out in one call. Bytes of a
 * file then go straight from the page cache if the transport can do that. */
#include "connection/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLICES_AT_ONCE 16 /* then other connections get their turn */
#define PARTS (1 + BODY_SLICE_PARTS)

/* The pieces of memory to be sent next. */
struct parts {
    struct iovec bytes[PARTS];
    int count;
    size_t len;
};

/* What follows from a negative errno. */
static enum sink_step after_error(ssize_t err)
{
    if (err == -EINTR)
        return SINK_WANTS_TURN;
    return err == -EAGAIN || err == -EWOULDBLOCK ? SINK_WANTS_WRITE : SINK_GONE;
}

/* Nothing was sent in this step. If nothing was sent before either, the time of the first byte is
 * still to come. */
static enum sink_step put_off(struct sink *sink, enum sink_step step)
{
    if (sink->sent == 0)
        sink->clock->first_ns = 0;
    return step;
}

static enum sink_step step_of(enum body_step step)
{
    switch (step) {
    case BODY_WAITING:
        return SINK_WAITING;
    case BODY_REFUSED:
        return SINK_REFUSED;
    case BODY_UNSURE:
        return SINK_UNSURE;
    case BODY_BYTES:
    case BODY_FAILED:
        break;
    }
    return SINK_FAILED;
}

static void count_sent(struct sink *sink, size_t n)
{
    sink->sent += n;
    sink->quota -= n; /* a quota of UINT64_MAX, no limit, is never used up */
}

/* --- memory ---------------------------------------------------------------------------------- */

/* Memory that directly follows the last part is joined to it, since one part costs the kernel less
 * than two. A prepared head is stored right before its body. */
static void add(struct parts *parts, const void *bytes, size_t len)
{
    struct iovec *next = &parts->bytes[parts->count];

    parts->len += len;
    if (parts->count > 0 && (const char *)next[-1].iov_base + next[-1].iov_len == bytes) {
        next[-1].iov_len += len;
        return;
    }
    *next = (struct iovec){(void *)(uintptr_t)bytes, len};
    parts->count++;
}

static void add_within(struct parts *parts, const void *bytes, size_t len, uint64_t quota)
{
    len = (size_t)smaller_of(len, quota - parts->len);
    if (len > 0)
        add(parts, bytes, len);
}

static void take(struct sink *sink, struct body *body, size_t n)
{
    size_t of_head = (size_t)smaller_of(n, sink->head_len);

    count_sent(sink, n);
    sink->head += of_head;
    sink->head_len -= of_head;
    body_took(body, n - of_head);
}

/* Sends what is in memory, within the quota: SINK_SENT if all of it went out. If more follows at
 * once, even if only the end of the connection, the kernel may put it in the same segment. */
static enum sink_step send_memory(struct sink *sink, struct body *body, struct transport *transport,
                                  const struct body_slice *slice)
{
    bool goes_on = slice->has_more || slice->len > 0 || (slice->is_last && sink->ends_connection);
    struct parts parts; /* not zeroed: this is on every request's way */
    ssize_t n;

    parts.count = 0;
    parts.len = 0;
    add_within(&parts, sink->head, sink->head_len, sink->quota);
    for (int i = 0; i < slice->count; i++)
        add_within(&parts, slice->bytes[i].iov_base, slice->bytes[i].iov_len, sink->quota);
    if (parts.len == 0)
        return SINK_SENT;
    n = transport_send(transport, parts.bytes, parts.count, goes_on);
    if (n < 0)
        return put_off(sink, after_error(n));
    take(sink, body, (size_t)n);
    return (size_t)n < parts.len ? SINK_WANTS_WRITE : SINK_SENT;
}

/* --- a file ---------------------------------------------------------------------------------- */

static enum sink_step send_file(struct sink *sink, struct body *body, struct transport *transport,
                                const struct body_slice *slice)
{
    size_t left = (size_t)smaller_of(slice->len, sink->quota);
    uint64_t offset = slice->offset;

    while (left > 0) {
        ssize_t n = transport_send_file(transport, slice->fd, offset, left);
        if (n < 0)
            return after_error(n);
        if (n == 0) /* the file has become shorter */
            return SINK_FAILED;
        count_sent(sink, (size_t)n);
        body_took(body, (size_t)n);
        offset += (uint64_t)n;
        left -= (size_t)n;
    }
    return SINK_SENT;
}

/* --- steps ----------------------------------------------------------------------------------- */

/* Everything was taken. A transport that holds some of it has to send that, too. */
static enum sink_step send_held(struct transport *transport)
{
    int err = transport_flush(transport);

    return err ? after_error(err) : SINK_SENT;
}

/* The slice was sent. True: stop and return *step. False: go on with the next slice. */
static bool is_enough(const struct sink *sink, const struct body *body,
                      const struct body_slice *slice, enum sink_step *step)
{
    *step = SINK_SENT;
    if (sink->head_len == 0 && body_is_spent(body))
        return true;
    *step = sink->quota == 0 ? SINK_THROTTLED : SINK_WANTS_TURN;
    return sink->quota == 0 || slice->ends_turn;
}

static enum sink_step send_slice(struct sink *sink, struct body *body, struct loop *loop,
                                 struct transport *transport, struct body_slice *slice)
{
    const struct body_want want = {
        .most = sink->quota,
        .in_memory = sink->receiver_is_local || !transport_takes_files(transport),
    };
    enum body_step found = body_next(body, loop, &want, slice);
    enum sink_step step;

    if (found != BODY_BYTES)
        return step_of(found);
    if (sink->clock->first_ns == 0)
        sink->clock->first_ns = stage_now();
    step = send_memory(sink, body, transport, slice);
    if (step == SINK_SENT && slice->len > 0)
        step = send_file(sink, body, transport, slice);
    return step;
}

enum sink_step sink_send(struct sink *sink, struct body *body, struct loop *loop,
                         struct transport *transport)
{
    for (int left = SLICES_AT_ONCE; left > 0; left--) {
        struct body_slice slice;
        enum sink_step step;
        if (sink->quota == 0)
            return put_off(sink, SINK_THROTTLED);
        step = send_slice(sink, body, loop, transport, &slice);
        if (step != SINK_SENT)
            return step;
        if (is_enough(sink, body, &slice, &step))
            return step == SINK_SENT ? send_held(transport) : step;
    }
    return SINK_WANTS_TURN;
}

/* Copies the head: its memory is reused for the next response. */
static bool keep_head(struct sink *sink)
{
    sink->kept = malloc(sink->head_len);
    if (!sink->kept)
        return false;
    sink->head = memcpy(sink->kept, sink->head, sink->head_len);
    return true;
}

enum sink_step sink_start(struct sink *sink, struct body *body, struct loop *loop,
                          struct transport *transport, const char *head, size_t head_len)
{
    enum sink_step step;

    sink->sent = 0;
    sink->head = head;
    sink->head_len = head_len;
    sink->kept = NULL;
    step = sink_send(sink, body, loop, transport);
    if (sink->head_len > 0 && step != SINK_FAILED && step != SINK_GONE && !keep_head(sink))
        return SINK_FAILED;
    return step;
}

void sink_end(struct sink *sink)
{
    free(sink->kept);
    sink->kept = NULL;
    sink->head_len = 0;
}
