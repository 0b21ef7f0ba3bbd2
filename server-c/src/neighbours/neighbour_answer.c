/* SPDX-License-Identifier: MIT */
/* neighbour_answer.c — all files are looked at before the first byte of an answer, so that it is whole or none. */
#include "neighbours/neighbour_answer.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/util.h"
#include "neighbours/neighbour_request.h"
#include "neighbours/neighbour_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define HEAD_SECONDS 3u
#define BODY_SECONDS 10u
#define PIECE_BYTES (64u << 10)

struct answer {
    const struct neighbour_giving *giving;
    struct neighbour_channel *channel;
    struct neighbour_request request;
    struct buf in; /* all that has come of the request */
    struct neighbour_paths paths;
    uint64_t sizes[NEIGHBOUR_PATHS_MAX];
    uint64_t bytes; /* that are to be sent */
    int tree;
};

/* --- what comes --- */

static bool read_more(struct answer *answer, size_t most, uint64_t until_ns)
{
    char *room = buf_reserve(&answer->in, most);
    size_t got = neighbour_channel_read(answer->channel, room, most, until_ns);

    buf_advance(&answer->in, got);
    return got > 0;
}

/* PARSE_MORE: it did not come in time, or nobody asks any more. */
static enum parse read_head(struct answer *answer)
{
    uint64_t until_ns = monotonic_ns() + HEAD_SECONDS * NS_PER_SECOND;
    enum parse parsed = PARSE_MORE;

    while (parsed == PARSE_MORE && read_more(answer, NEIGHBOUR_HEAD_BYTES, until_ns))
        parsed = neighbour_request_read(&answer->request, answer->in.data, answer->in.len);
    return parsed;
}

static bool read_body(struct answer *answer)
{
    uint64_t until_ns = monotonic_ns() + BODY_SECONDS * NS_PER_SECOND;
    size_t whole = answer->request.head_len + answer->request.body_len;

    while (answer->in.len < whole)
        if (!read_more(answer, whole - answer->in.len, until_ns))
            return false;
    return answer->in.len == whole; /* nobody says the next thing before the answer */
}

/* --- refusals --- */

/* True: the connection may go on. */
static bool refuse(struct answer *answer, enum http_status status, const char *why)
{
    bool stays = status == HTTP_NOT_FOUND && answer->request.keep_alive;
    struct buf out;
    bool is_sent;

    buf_init(&out);
    buf_printf(&out,
               "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n%s%s\r\n%s\n",
               (int)status, http_status_text(status), strlen(why) + 1,
               status == HTTP_UNAVAILABLE ? "Retry-After: 2\r\n" : "",
               stays ? "" : "Connection: close\r\n", why);
    is_sent = neighbour_channel_write(answer->channel, out.data, out.len);
    buf_fini(&out);
    if (status != HTTP_NOT_FOUND)
        answer->giving->refused(answer->giving->arg, why);
    return is_sent && stays;
}

/* --- what is given --- */

/* NULL, or what is not there. */
static const char *look(struct answer *answer)
{
    answer->tree = neighbour_tree_open(answer->giving->state_fd, answer->request.manifest);
    if (answer->tree < 0)
        return "that release is not here, or not whole";
    for (size_t i = 0; i < answer->paths.count; i++) {
        int fd = neighbour_tree_file(answer->tree, answer->paths.items[i], &answer->sizes[i]);

        if (fd < 0)
            return "a path is no file of that release, or its bytes are wrong here";
        close(fd);
        answer->bytes += answer->sizes[i];
    }
    return NULL;
}

static bool send_head(struct answer *answer)
{
    const struct neighbour_request *request = &answer->request;
    struct buf out;
    bool is_sent;

    buf_init(&out);
    if (request->has_range)
        buf_printf(&out,
                   "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes %" PRIu64 "-%" PRIu64
                   "/%" PRIu64 "\r\n",
                   request->from, answer->sizes[0] - 1, answer->sizes[0]);
    else
        buf_append_str(&out, "HTTP/1.1 200 OK\r\n");
    buf_printf(&out,
               "Content-Type: application/octet-stream\r\nContent-Length: %" PRIu64 "\r\n%s\r\n",
               answer->bytes - request->from, request->keep_alive ? "" : "Connection: close\r\n");
    is_sent = neighbour_channel_write(answer->channel, out.data, out.len);
    buf_fini(&out);
    return is_sent;
}

/* False: the answer ends in its middle, since the disk or the other side did. */
static bool send_bytes(struct answer *answer, int fd, uint64_t from, uint64_t size, char *room)
{
    while (from < size) {
        ssize_t got = pread(fd, room, (size_t)smaller_of(size - from, PIECE_BYTES), (off_t)from);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0 || !answer->giving->pace(answer->giving->arg, (uint64_t)got) ||
            !neighbour_channel_write(answer->channel, room, (size_t)got))
            return false;
        from += (uint64_t)got;
    }
    return true;
}

static bool send_contents(struct answer *answer)
{
    char *room = xmalloc(PIECE_BYTES);
    bool goes_on = send_head(answer);

    for (size_t i = 0; goes_on && i < answer->paths.count; i++) {
        uint64_t size = 0;
        int fd = neighbour_tree_file(answer->tree, answer->paths.items[i], &size);

        goes_on = fd >= 0 && size == answer->sizes[i] &&
                  send_bytes(answer, fd, answer->request.from, size, room);
        if (fd >= 0)
            close(fd);
    }
    free(room);
    return goes_on && answer->request.keep_alive;
}

static bool give(struct answer *answer)
{
    const struct neighbour_request *request = &answer->request;
    const char *lacking = look(answer);

    if (lacking)
        return refuse(answer, HTTP_NOT_FOUND, lacking);
    if (answer->paths.count > 1 && answer->bytes > NEIGHBOUR_ANSWER_BYTES)
        return refuse(answer, HTTP_BAD_REQUEST, "the contents have more than 16 MiB together");
    if (request->has_range && request->from >= answer->bytes)
        return refuse(answer, HTTP_RANGE_NOT_SATISFIABLE, "the content ends before that byte");
    return send_contents(answer);
}

static bool judge(struct answer *answer)
{
    const struct neighbour_giving *giving = answer->giving;
    const struct neighbour_request *request = &answer->request;
    struct neighbour_pass_keys keys;
    const char *wrong;
    bool goes_on;

    if (!read_body(
            answer)) /* before a refusal, which would be lost if the connection ended with bytes unread */
        return false;
    if (!giving->keys(giving->arg, &keys))
        return refuse(answer, HTTP_UNAVAILABLE, "nothing is given now");
    wrong = neighbour_pass_fault(request->pass, &keys, request->manifest,
                                 answer->channel->taker_key, wall_clock_seconds());
    if (wrong)
        return refuse(answer, HTTP_FORBIDDEN, wrong);
    wrong = neighbour_paths_read(&answer->paths, answer->in.data + request->head_len,
                                 request->body_len);
    if (!wrong && request->has_range && answer->paths.count != 1)
        wrong = "a range is of one content";
    if (wrong)
        return refuse(answer, HTTP_BAD_REQUEST, wrong);
    if (!giving->begin(giving->arg))
        return refuse(answer, HTTP_UNAVAILABLE, "too many are answered, or visitors wait");
    goes_on = give(answer);
    giving->end(giving->arg);
    return goes_on;
}

bool neighbour_answer_next(const struct neighbour_giving *giving, struct neighbour_channel *channel)
{
    struct answer *answer = xcalloc(1, sizeof(*answer));
    enum parse parsed;
    bool goes_on = false;

    answer->giving = giving;
    answer->channel = channel;
    answer->tree = -1;
    buf_init(&answer->in);
    parsed = read_head(answer);
    if (parsed == PARSE_OK)
        goes_on = judge(answer);
    else if (parsed == PARSE_BAD)
        refuse(answer, answer->request.status, answer->request.why);
    if (answer->tree >= 0)
        close(answer->tree);
    buf_fini(&answer->in);
    free(answer);
    return goes_on;
}
