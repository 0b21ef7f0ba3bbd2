/* SPDX-License-Identifier: MIT */
/* http2_state.h — a connection of HTTP/2 and its streams, shared by http2_*.c; nobody else includes
 * this. */
#ifndef FARMSTEAD_HTTP2_STATE_H
#define FARMSTEAD_HTTP2_STATE_H

#include "answer/exchange.h"
#include "http2/http2_guard.h"
#include "http2/http2_request.h"
#include "net/progress.h"
#include "net/tcp_waits.h"
#include "net/transport.h"
#include "site/pace.h"

#include <netinet/in.h>
#include <nghttp2/nghttp2.h>

enum http2_state { HTTP2_OPEN, HTTP2_LINGERING, HTTP2_CLOSED };

/* How far the client has been told to make no more requests (RFC 9113 section 6.8). */
enum http2_farewell {
    FAREWELL_NONE,
    FAREWELL_SOON, /* GOAWAY with the highest id: requests under way to us will be answered */
    FAREWELL_SAID  /* GOAWAY with the last id that is answered */
};

struct http2_conn {
    struct poller_watch watch;
    struct loop *loop;
    struct transport transport;
    const struct tls_session *tls; /* of the transport, or NULL */
    bool is_secure;                /* as of a carrier */
    nghttp2_session *protocol;
    struct list link; /* in loop->http2.idle, busy or lingering */
    uint64_t deadline_ms;
    struct list head_link, leave_link; /* in loop->http2.in_head, leaving, or in none */
    uint64_t head_deadline_ms, leave_deadline_ms;
    struct list streams; /* under way */
    struct list over;    /* streams with their last bytes in the batch or in `left` */
    uint32_t stream_count, served;
    uint8_t state;    /* enum http2_state */
    uint8_t farewell; /* enum http2_farewell */
    uint8_t ends_for; /* an enum end_reason once it is to end, or END_NONE */
    bool is_counted;  /* in the peer table */
    bool has_input;   /* there may be bytes or the end of input to receive */
    bool reads_to_end;
    bool is_watched, is_output_watched;
    bool is_blocked; /* the transport took less than it was given */
    bool is_calling; /* the library is at work, and must not be called into */
    bool has_reset;  /* we have reset a stream */
    bool is_busy;    /* in loop->http2.busy */
    struct http2_guard guard;
    struct progress progress;
    struct tcp_waits waits; /* what responses waited for, all together */
    uint64_t held_ns;       /* when its window was used up; 0: it has room, or nobody waits */
    uint64_t given;         /* bytes that the transport has taken */
    char *left;             /* bytes that it has not taken, on the heap */
    size_t left_pos, left_len;
    uint64_t skip;           /* while lingering: bytes that may still come */
    struct body_slice shown; /* what the frame that is being made consists of */
    struct rate_limit rate;
    union visitor peer;
};

struct http2_stream {
    struct carrier carrier;
    struct exchange ex;
    struct http2_conn *conn;
    struct list link; /* in conn->streams or conn->over */
    struct list wait; /* in loop->http2.at_disk or throttled */
    uint64_t disk_deadline_ms;
    int32_t id;
    struct http2_head head; /* of the request */
    uint64_t received;      /* bytes of the request's content */
    char *text; /* our response's head, on the heap; kept for the next one while it is small */
    size_t text_len, text_cap;
    char status[3];   /* its digits */
    bool has_text;    /* it waits for the first bytes of its body, or for its turn */
    bool has_begun;   /* the response's head was given to the library */
    bool is_complete; /* so was its last frame */
    bool is_limited;  /* `pace` is in use */
    bool is_waiting;  /* for a lane, or in loop->http2.throttled */
    uint8_t ends_for; /* an enum end_reason when we end it ourselves, or END_NONE */
    struct pace pace;
    uint64_t quota; /* of the frame that is being made */
    uint64_t sent;  /* bytes of the response: its head as compressed, and its body */
    struct progress progress;
    struct tcp_waited waited_before; /* conn->waits when its response began */
    uint64_t held_ns;                /* when its own window was used up; 0: it has room */
    struct http2_stream *next_spare;
};

/* http2_conn.c */
/* Sends what there is to send and arms time-outs. Call it last after anything that happened. */
void http2_run(struct http2_conn *c);
/* The same at the end of this turn, when a lane may have answered others of its streams. */
void http2_run_later(struct http2_conn *c);
void http2_close(struct http2_conn *c, enum end_reason reason); /* does nothing if it is closed */
/* Begins to leave, or does nothing if it has begun already. */
void http2_leave(struct http2_conn *c, enum end_reason reason);
void http2_say_last(struct http2_conn *c); /* from now on no request is answered */
/* Ends with GOAWAY and `code`, at once. */
void http2_give_up(struct http2_conn *c, uint32_t code, enum end_reason reason);

/* http2_callbacks.c */
nghttp2_session *http2_protocol_new(struct http2_conn *c); /* NULL: no memory */

/* http2_stream.c */
struct http2_stream *http2_stream_new(struct http2_conn *c, int32_t id); /* NULL: no memory */
void http2_stream_answer(struct http2_stream *stream);                   /* its head is whole */
/* The library has closed it. What it held is given back once its bytes have left. */
void http2_stream_closed(struct http2_stream *stream, uint32_t code);
/* Ends the exchange of a stream that is not complete, and resets the stream. */
void http2_stream_abort(struct http2_stream *stream, uint32_t code, enum end_reason reason);
/* Gives back everything. It counts as answered if it is complete. */
void http2_stream_free(struct http2_stream *stream);

/* http2_waits.c */
void http2_waits_begin(struct http2_stream *stream); /* its response begins */
void http2_waits_end(struct http2_stream *stream);   /* before its exchange is recorded */
/* Call it before a frame of `len` bytes is made that is not the last. */
void http2_waits_use_window(struct http2_stream *stream, size_t len);
/* Call it when a frame may be made, if `held_ns` is set of the stream or its connection. */
void http2_waits_reopen(struct http2_stream *stream);

/* http2_body.c */
/* Sends the head, and the body after it, as soon as the body's first bytes are there. */
void http2_body_begin(struct http2_stream *stream, const char *head, size_t head_len);
void http2_body_on_ready(struct body *body);
void http2_body_unthrottle(struct http2_stream *stream); /* does nothing if it is not throttled */
/* The disk does not answer. */
void http2_body_give_up_disk(struct http2_stream *stream);
int http2_body_send_frame(nghttp2_session *protocol, nghttp2_frame *frame, const uint8_t *head,
                          size_t len, nghttp2_data_source *source, void *user);

/* http2_head.c */
/* Copies the response's head, whose lines are in the form of HTTP/1.1 without the status line. False:
 * no memory. */
bool http2_head_keep(struct http2_stream *stream, const char *head, size_t len);
/* Gives it to the library, which refers to the copy. False: no memory. */
bool http2_head_submit(struct http2_stream *stream, const nghttp2_data_provider *body);
/* Gives a 103 with these lines to the library, before there is a response's head. */
bool http2_head_hint(struct http2_stream *stream, const char *lines, size_t len);
void http2_head_forget(struct http2_stream *stream); /* keeps a little memory for the next one */
void http2_head_free(struct http2_stream *stream);

/* http2_output.c */
enum http2_output { OUTPUT_ALL, OUTPUT_BLOCKED, OUTPUT_WANTS_TURN, OUTPUT_GONE, OUTPUT_FAILED };
/* Has the library make frames of all streams, and gives them to the transport in batches. */
enum http2_output http2_output_send(struct http2_conn *c);
ssize_t http2_output_take(nghttp2_session *protocol, const uint8_t *bytes, size_t len, int flags,
                          void *user);
bool http2_output_init(struct loop *loop);                          /* false: no memory */
bool http2_output_has_room(const struct http2_conn *c, size_t len); /* for one frame more */
/* Adds bytes that are copied, or that stay valid until the stream is freed. */
void http2_output_copy(struct http2_conn *c, const void *bytes, size_t len);
void http2_output_refer(struct http2_conn *c, const void *bytes, size_t len);
bool http2_output_is_empty(const struct http2_conn *c); /* between turns it always is */

/* http2_timeout.c */
void http2_arm(struct http2_conn *c);      /* by what it waits for */
void http2_arm_head(struct http2_conn *c); /* a head has begun */
void http2_arm_linger(struct http2_conn *c);
void http2_arm_leave(struct http2_conn *c);
void http2_arm_disk(struct http2_stream *stream);

#endif
