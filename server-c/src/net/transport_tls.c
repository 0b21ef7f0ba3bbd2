/* SPDX-License-Identifier: MIT */
/* transport_tls.c — the transport over TLS.
 *
 * All connections of a loop share the memory in which encrypted bytes arrive and are made. What a
 * call can't finish moves to memory of the connection: `ahead` was received and not decrypted, since
 * its plain bytes found no room; `held` was encrypted and not sent, since the socket took no more. A
 * connection that idles has neither. The library keeps the part of a record that has arrived. */
#include "net/transport_tls.h"

#include <errno.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define SEND_MOST 32768     /* plain bytes that are encrypted before the socket is asked */
#define ROUNDS_AT_ONCE 4    /* of input without a plain byte; then others get their turn */
#define OUT_KEPT 131072     /* of the loop's memory for output; more is given back */
#define HELD_JOINED 4096    /* so much that is held is sent with what follows, in one call */
#define SIGNING_MOST 32     /* sessions of a loop that the lane has at a time */
#define PLAIN_REQUEST_LEN 4 /* of the method by which a request without TLS is known */

/* Bytes on the heap, those before `pos` used already. */
struct bytes {
    char *start;
    size_t pos, len;
};

/* Where the session is when its key signs slowly. */
enum signing {
    SIGNING_NOT,
    SIGNING_WAITS, /* until the lane takes it */
    SIGNING_OUT,   /* with the lane: the loop does not touch it */
    SIGNING_DONE,  /* back, with a result */
};

struct tls {
    struct loop *loop;
    struct tls_session *session;
    struct bytes ahead, held;
    uint64_t began_ns;
    bool shows_ahead; /* to the session, in a call */
    bool is_blocked;  /* the socket took less than it was given */
    bool is_open;     /* the handshake is over */
    bool is_over;     /* nothing more can be sent: the client has gone, or a record was broken */
    bool is_ended;    /* the sending side has ended */
    bool has_stopped; /* the session reads no more, and says why when it is asked again */
    bool got_plain_http;
    enum signing signing;
    struct list in_line;             /* loop->tls->to_sign; SIGNING_WAITS */
    struct io_job job;               /* SIGNING_OUT */
    struct poller_watch *signed_for; /* to be called then; NULL: the transport has been closed */
};

static struct tls *tls_of(const struct transport *transport)
{
    return transport->state;
}

static void drop(struct bytes *bytes)
{
    free(bytes->start);
    *bytes = (struct bytes){0};
}

static bool keep(struct bytes *bytes, const char *from, size_t len)
{
    size_t left = bytes->len - bytes->pos;
    char *start = malloc(left + len);

    if (!start)
        return false;
    if (left > 0)
        memcpy(start, bytes->start + bytes->pos, left);
    memcpy(start + left, from, len);
    free(bytes->start);
    *bytes = (struct bytes){start, 0, left + len};
    return true;
}

/* --- output ---------------------------------------------------------------------------------- */

static ssize_t give(const struct transport *transport, const char *bytes, size_t len, bool goes_on)
{
    ssize_t n = send(transport->fd, bytes, len, MSG_NOSIGNAL | (goes_on ? MSG_MORE : 0));

    if (n < 0 && errno == EINTR)
        return 0;
    return n < 0 ? -errno : n;
}

static int after_flush(struct transport *transport, struct tls *tls)
{
    drop(&tls->held);
    tls->is_blocked = false;
    return tls->is_ended && shutdown(transport->fd, SHUT_WR) != 0 ? -errno : 0;
}

static int flush(struct transport *transport)
{
    struct tls *tls = tls_of(transport);
    ssize_t n;

    if (tls->held.len == 0)
        return 0;
    n = give(transport, tls->held.start + tls->held.pos, tls->held.len - tls->held.pos, false);
    if (n < 0 && n != -EAGAIN)
        return (int)n;
    tls->held.pos += n > 0 ? (size_t)n : 0;
    if (tls->held.pos == tls->held.len)
        return after_flush(transport, tls);
    tls->is_blocked = true;
    return -EAGAIN;
}

/* Empties the loop's memory for output. `sends` false: what is in it is held for now. */
static int settle_out(struct transport *transport, bool sends, bool goes_on)
{
    struct tls *tls = tls_of(transport);
    struct tls_io *io = &tls->loop->tls->io;
    ssize_t n = 0;
    int err = 0;

    if (io->out_len > 0 && sends && tls->held.len == 0)
        n = give(transport, io->out, io->out_len, goes_on);
    if (n < 0 && n != -EAGAIN)
        err = (int)n;
    n = n < 0 ? 0 : n;
    if (!err && (size_t)n < io->out_len) {
        tls->is_blocked |= sends;
        err = keep(&tls->held, io->out + n, io->out_len - (size_t)n) ? 0 : -ENOMEM;
    }
    io->out_len = 0;
    if (io->out_cap > OUT_KEPT) {
        free(io->out);
        io->out = NULL;
        io->out_cap = 0;
    }
    return err;
}

/* --- input ----------------------------------------------------------------------------------- */

/* Shows the session what was received, if it has nothing left: 0; or -EAGAIN, -EPIPE at the end of
 * input, or another negative errno. *is_full: there may be more. */
static int fetch(struct transport *transport, bool *is_full)
{
    struct tls *tls = tls_of(transport);
    struct tls_io *io = &tls->loop->tls->io;
    ssize_t n;

    *is_full = true;
    io->in_len = 0;
    if (tls->has_stopped || (tls->is_open && tls_session_has_pending(tls->session)))
        return 0;
    if (tls->ahead.len > 0) {
        tls->shows_ahead = true;
        io->in = tls->ahead.start + tls->ahead.pos;
        io->in_len = tls->ahead.len - tls->ahead.pos;
        return 0;
    }
    n = recv(transport->fd, tls->loop->tls->input, sizeof(tls->loop->tls->input), 0);
    *is_full = n == (ssize_t)sizeof(tls->loop->tls->input) || (n < 0 && errno == EINTR);
    if (n <= 0)
        return n == 0 ? -EPIPE : -errno;
    io->in = tls->loop->tls->input;
    io->in_len = (size_t)n;
    return 0;
}

/* Keeps what the session did not use. */
static bool settle_in(struct tls *tls)
{
    struct tls_io *io = &tls->loop->tls->io;
    bool is_kept = true;

    if (tls->shows_ahead) {
        tls->shows_ahead = false;
        tls->ahead.pos = tls->ahead.len - io->in_len;
        if (io->in_len == 0)
            drop(&tls->ahead);
    } else if (io->in_len > 0) {
        is_kept = keep(&tls->ahead, io->in, io->in_len);
    }
    io->in_len = 0;
    return is_kept;
}

/* --- signing --------------------------------------------------------------------------------- */

static void free_tls(struct tls *tls)
{
    tls_session_free(tls->session);
    free(tls);
}

static void sign(struct io_job *job)
{
    tls_session_sign(container_of(job, struct tls, job)->session);
}

static void on_signed(struct io_job *job);

/* Those that wait here and not in the lane's queue are gone when their clients are: a flood of clients
 * that do not stay fills no memory. */
static void give_to_lane(struct loop *loop)
{
    while (loop->tls->signing < SIGNING_MOST && !list_empty(&loop->tls->to_sign)) {
        struct tls *tls = container_of(loop->tls->to_sign.next, struct tls, in_line);
        list_remove(&tls->in_line);
        tls->signing = SIGNING_OUT;
        tls->job = (struct io_job){.run = sign, .on_done = on_signed};
        loop->tls->signing++;
        io_lane_submit_next(loop->shared->sign_lane, &loop->port, &tls->job);
    }
}

static void on_signed(struct io_job *job)
{
    struct tls *tls = container_of(job, struct tls, job);
    struct loop *loop = tls->loop;

    tls->signing = SIGNING_DONE;
    loop->tls->signing--;
    give_to_lane(loop);
    if (tls->signed_for)
        poller_call_again(&loop->poller, tls->signed_for);
    else
        free_tls(tls);
}

static int begin_signing(struct tls *tls, struct poller_watch *watch)
{
    if (!tls_session_begin_signing(tls->session))
        return -ENOMEM;
    tls->signed_for = watch;
    tls->signing = SIGNING_WAITS;
    list_append(&tls->loop->tls->to_sign, &tls->in_line);
    give_to_lane(tls->loop);
    return -EINPROGRESS;
}

/* --- the handshake --------------------------------------------------------------------------- */

/* Four letters are a method; a record of TLS begins with its type, 22. */
static bool is_plain_http(const struct tls_io *io)
{
    if (io->in_len < PLAIN_REQUEST_LEN)
        return false;
    for (int i = 0; i < PLAIN_REQUEST_LEN; i++)
        if (io->in[i] != ' ' && (io->in[i] < 'A' || io->in[i] > 'Z'))
            return false;
    return true;
}

/* A session begins under the config that is in force when the first bytes arrive: a silent client
 * costs no memory for one. */
static int begin_session(struct tls *tls)
{
    struct loop *loop = tls->loop;

    tls->began_ns = monotonic_ns();
    if (is_plain_http(&loop->tls->io)) {
        tls->got_plain_http = true;
        return -EPROTO;
    }
    if (!loop->live || !loop->live->tls)
        return -EPROTO;
    tls->session = tls_session_new(loop->live->tls);
    return tls->session ? 0 : -ENOMEM;
}

/* After the last step the session's ticket is held, to be sent with the first response. */
static int step(struct transport *transport)
{
    struct tls *tls = tls_of(transport);
    int result = tls->session ? 0 : begin_session(tls);
    int err;

    if (result == 0)
        result = tls_session_handshake(tls->session);
    tls->is_open = result == 0;
    if (!settle_in(tls))
        result = -ENOMEM;
    err = settle_out(transport, result != 0, false);
    return err && result == -EAGAIN ? err : result;
}

/* Sends what was signed. */
static int step_when_signed(struct transport *transport)
{
    struct tls *tls = tls_of(transport);
    int result, err;

    tls->signing = SIGNING_NOT;
    result = tls_session_end_signing(tls->session);
    err = settle_out(transport, true, false);
    return err && result == -EAGAIN ? err : result;
}

static int handshake(struct transport *transport, struct poller_watch *watch)
{
    struct tls *tls = tls_of(transport);
    bool is_full = true;
    int result = -EAGAIN;

    if (tls->signing == SIGNING_WAITS || tls->signing == SIGNING_OUT)
        return -EINPROGRESS;
    if (tls->signing == SIGNING_DONE)
        result = step_when_signed(transport);
    for (int left = ROUNDS_AT_ONCE; result == -EAGAIN; left--) {
        if (left == 0)
            return -EINTR;
        result = fetch(transport, &is_full);
        if (result == 0)
            result = step(transport);
        else if (result == -EAGAIN && !is_full)
            return result;
    }
    if (result == -EINPROGRESS)
        result = begin_signing(tls, watch);
    tls->is_over |= result != 0 && result != -EINPROGRESS;
    return result == -EPIPE ? -ECONNRESET : result;
}

/* --- open ------------------------------------------------------------------------------------ */

/* Decrypts until the room is full or nothing is left. */
static ssize_t decrypt(struct tls *tls, char *room, size_t cap)
{
    size_t done = 0;
    ssize_t n = 1;

    while (done < cap && n > 0) {
        n = tls_session_read(tls->session, room + done, cap - done);
        done += n > 0 ? (size_t)n : 0;
    }
    tls->has_stopped = n <= 0 && n != -EAGAIN;
    return done > 0 ? (ssize_t)done : n;
}

/* What a client asks for between its bytes (a new key) is answered, and nothing more is read until
 * it has taken that. */
static ssize_t receive(struct transport *transport, void *room, size_t cap, bool *has_more)
{
    struct tls *tls = tls_of(transport);
    bool is_full = true;
    ssize_t n = -EAGAIN;
    int err;

    *has_more = false;
    if (tls->is_blocked && (err = flush(transport)) != 0)
        return err;
    for (int left = ROUNDS_AT_ONCE; n == -EAGAIN; left--) {
        *has_more = left == 0;
        if (left == 0)
            return n;
        err = fetch(transport, &is_full);
        if (err) {
            *has_more = err == -EAGAIN && is_full;
            tls->is_over |= err != -EAGAIN;
            return err == -EPIPE ? 0 : err;
        }
        n = decrypt(tls, room, cap);
        if (!settle_in(tls))
            return -ENOMEM;
        err = settle_out(transport, true, false);
        if (err)
            return err;
    }
    tls->is_over |= n < 0 && n != -EAGAIN;
    *has_more = n > 0 && (is_full || tls->ahead.len > 0 || tls->has_stopped ||
                          tls_session_has_pending(tls->session));
    return n;
}

/* What of the pieces is encrypted next. */
struct cursor {
    const struct iovec *bytes;
    int left;      /* pieces, with the present one */
    size_t offset; /* in the present one */
};

static size_t next_bytes(struct cursor *cursor, const char **start, size_t most)
{
    size_t n = smaller_of(cursor->bytes->iov_len - cursor->offset, most);

    *start = (const char *)cursor->bytes->iov_base + cursor->offset;
    cursor->offset += n;
    if (cursor->offset == cursor->bytes->iov_len && cursor->left > 0) {
        cursor->bytes++;
        cursor->left--;
        cursor->offset = 0;
    }
    return n;
}

/* Makes one record: of a large piece as it lies there, else of several, which are copied together
 * first, since records of their own would cost more. */
static ssize_t encrypt_record(struct tls *tls, struct cursor *cursor)
{
    const char *plain = tls->loop->tls->plain;
    size_t done = 0;
    int err;

    if (cursor->left == 1 || cursor->bytes->iov_len - cursor->offset >= LOOP_TLS_PLAIN_BYTES)
        done = next_bytes(cursor, &plain, LOOP_TLS_PLAIN_BYTES);
    while (cursor->left > 0 && plain == tls->loop->tls->plain && done < LOOP_TLS_PLAIN_BYTES) {
        const char *start;
        size_t n = next_bytes(cursor, &start, LOOP_TLS_PLAIN_BYTES - done);
        memcpy(tls->loop->tls->plain + done, start, n);
        done += n;
    }
    err = tls_session_write(tls->session, plain, done);
    return err ? err : (ssize_t)done;
}

/* Encrypts some SEND_MOST bytes, or what there is. Returns how many, or an errno. */
static ssize_t encrypt(struct tls *tls, struct cursor *cursor)
{
    ssize_t n = 0, done = 0;

    while (n >= 0 && cursor->left > 0 && done < SEND_MOST) {
        n = encrypt_record(tls, cursor);
        done += n;
    }
    return n < 0 ? n : done;
}

static int send_held(struct transport *transport)
{
    struct tls *tls = tls_of(transport);
    bool is_joined;

    if (tls->is_blocked || tls->held.len > HELD_JOINED)
        return flush(transport);
    if (tls->held.len == 0)
        return 0;
    is_joined = tls_io_append(&tls->loop->tls->io, tls->held.start + tls->held.pos,
                              tls->held.len - tls->held.pos);
    drop(&tls->held);
    return is_joined ? 0 : -ENOMEM;
}

/* Until the socket takes no more: what it leaves is held, and counts as taken. */
static ssize_t send_bytes(struct transport *transport, const struct iovec *bytes, int count,
                          bool goes_on)
{
    struct tls *tls = tls_of(transport);
    struct cursor cursor = {bytes, count, 0};
    ssize_t n, taken = 0;
    int err = send_held(transport);

    while (!err && cursor.left > 0 && !tls->is_blocked) {
        n = encrypt(tls, &cursor);
        taken += n > 0 ? n : 0;
        err = n < 0 ? (int)n : settle_out(transport, true, goes_on || cursor.left > 0);
    }
    if (!err)
        return taken;
    tls->is_over |= err != -EAGAIN;
    tls->loop->tls->io.out_len = 0;
    return err;
}

static int64_t unsent(struct transport *transport)
{
    struct tls *tls = tls_of(transport);
    int bytes = 0;

    if (ioctl(transport->fd, SIOCOUTQ, &bytes) != 0)
        return -errno;
    return bytes + (int64_t)(tls->held.len - tls->held.pos);
}

/* --- the end --------------------------------------------------------------------------------- */

static int end(struct transport *transport)
{
    struct tls *tls = tls_of(transport);
    int err;

    if (!tls->is_open || tls->is_over)
        return shutdown(transport->fd, SHUT_WR) == 0 ? 0 : -errno;
    tls_session_end(tls->session);
    tls->is_ended = true;
    err = settle_out(transport, false, false);
    if (!err)
        err = flush(transport);
    return err == -EAGAIN ? 0 : err;
}

/* close_notify goes out if the socket takes it, and is not waited for. */
static void close_tls(struct transport *transport)
{
    struct tls *tls = tls_of(transport);

    if (tls->is_open && !tls->is_over && !tls->is_ended && !tls->is_blocked) {
        tls_session_end(tls->session);
        (void)settle_out(transport, false, false);
        (void)flush(transport);
    }
    close(transport->fd);
    drop(&tls->ahead);
    drop(&tls->held);
    list_remove(&tls->in_line);
    tls->signed_for = NULL;
    if (tls->signing != SIGNING_OUT) /* else it is freed when it is back */
        free_tls(tls);
}

bool transport_of_tls(struct transport *out, struct loop *loop, int fd)
{
    static const struct transport_kind tls_kind = {
        .handshake = handshake,
        .receive = receive,
        .send = send_bytes,
        .flush = flush,
        .unsent = unsent,
        .end = end,
        .close = close_tls,
    };
    struct tls *tls = calloc(1, sizeof(*tls));

    if (!tls) {
        close(fd);
        return false;
    }
    tls->loop = loop;
    list_init(&tls->in_line);
    *out = (struct transport){.kind = &tls_kind, .state = tls, .fd = fd};
    return true;
}

const struct tls_session *transport_tls_session(const struct transport *transport)
{
    return tls_of(transport)->session;
}

uint64_t transport_tls_began_ns(const struct transport *transport)
{
    return tls_of(transport)->began_ns;
}

bool transport_tls_got_plain_http(const struct transport *transport)
{
    return tls_of(transport)->got_plain_http;
}
