/* SPDX-License-Identifier: MIT */
/* A client of HTTP/2 that says any bytes behind its preface: what it is told is whole frames, each head can
 * be read and has a status first, and when it has gone nothing is left of it. */
#include "connection/conn.h"
#include "http2/http2.h"
#include "fuzz_site.h"

#include <nghttp2/nghttp2.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#define INPUT_MAX 4096

static const char config[] =
    "{ \"statCache\": { \"engine\": \"ENGINE\", \"ttlMillis\": 60000 },\n"
    "  \"fileCache\": { \"maxBytes\": 1048576, \"maxFileBytes\": 8192 },\n"
    "  \"limits\": { \"keepAliveRequests\": 20, \"bodyBytes\": 100, \"headBytes\": 1024,\n"
    "    \"targetBytes\": 512, \"http2Streams\": 10 },\n" FUZZ_SITES;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_begin(config);
    return 0;
}

/* Until nothing more happens; then the node leaves, and then the client goes. */
static void run(struct memory_transport *memory)
{
    fuzz_turn(memory);
    http2_leave_all(&the_loop);
    fuzz_turn(memory);
    http2_close_all(&the_loop);
    conn_close_all(&the_loop);
    poller_turn(&the_loop.poller);
    CHECK(memory->is_closed && the_loop.connection_count == 0 && shared.connections == 0 &&
          shared.listings == 0 && shared.listing_bytes == 0);
    CHECK(list_empty(&the_loop.http2.at_disk) && list_empty(&the_loop.http2.throttled) &&
          list_empty(&the_loop.http2.in_head) && list_empty(&the_loop.http2.leaving));
}

static void read_block(nghttp2_hd_inflater *inflater, const uint8_t *block, size_t len)
{
    int flags = 0;

    for (int fields = 0; !(flags & NGHTTP2_HD_INFLATE_FINAL); fields++) {
        nghttp2_nv nv;
        ssize_t n = nghttp2_hd_inflate_hd2(inflater, &nv, &flags, block, len, 1);
        CHECK(n >= 0);
        if (n < 0)
            return;
        block += n;
        len -= (size_t)n;
        CHECK(!(flags & NGHTTP2_HD_INFLATE_EMIT) || (fields == 0) == (nv.name[0] == ':'));
    }
    nghttp2_hd_inflate_end_headers(inflater);
}

static void read_frames(const struct memory_transport *memory)
{
    const uint8_t *at = (const uint8_t *)memory->output, *end = at + memory->output_len;
    nghttp2_hd_inflater *inflater;

    nghttp2_hd_inflate_new(&inflater);
    while (end - at >= 9) {
        size_t len = (size_t)at[0] << 16 | (size_t)at[1] << 8 | at[2];
        if ((size_t)(end - at) < 9 + len) /* the connection was cut off: an error, or the end */
            break;
        CHECK(at[3] <= NGHTTP2_CONTINUATION);
        if (at[3] == NGHTTP2_HEADERS)
            read_block(inflater, at + 9, len);
        at += 9 + len;
    }
    nghttp2_hd_inflate_del(inflater);
}

static void talk(const char *says, size_t len, size_t input_most, size_t output_most)
{
    static struct memory_transport memory;
    struct sockaddr_storage peer = {0};

    memcpy(&peer, &fake_peer, sizeof(fake_peer));
    memset(&memory, 0, offsetof(struct memory_transport, output));
    memory.output_len = 0;
    memory.is_ended = memory.is_closed = false;
    memory.input = says;
    memory.input_len = len;
    memory.input_most = input_most;
    memory.output_most = output_most;
    memory.output_cap = MEMORY_BYTES_MAX - 1;
    shared.connections++;
    conn_start(&the_loop, memory_transport_open(&memory), &peer, false, false);
    run(&memory);
    read_frames(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static char says[sizeof(PREFACE) + INPUT_MAX] = PREFACE;

    if (len < 2 || len > INPUT_MAX)
        return 0;
    memcpy(says + sizeof(PREFACE) - 1, data + 2, len - 2);
    len += sizeof(PREFACE) - 3;
    fuzz_glances(data[1] % 2 == 0);
    talk(says, len, SIZE_MAX, SIZE_MAX);
    talk(says, len, (size_t)data[0] + 1, (size_t)data[1] * 16 + 64);
    CHECK(check_failures == 0);
    return 0;
}
