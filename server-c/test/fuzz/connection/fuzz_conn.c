/* SPDX-License-Identifier: MIT */
/* A client that says any bytes: cut in two ways it is answered alike (but for a 103, which is for what is not
 * yet in memory), what it is told is whole answers one after the other, and when it has gone nothing is left
 * of it. */
#include "connection/conn.h"
#include "fuzz_site.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* HTTP/2 has a target of its own (fuzz_http2): how soon its client is told something depends on the cuts. */
static const char config[] =
    "{ \"http2\": false, \"statCache\": { \"engine\": \"ENGINE\", \"ttlMillis\": 60000 },\n"
    "  \"fileCache\": { \"maxBytes\": 1048576, \"maxFileBytes\": 8192 },\n"
    "  \"limits\": { \"keepAliveRequests\": 50, \"bodyBytes\": 100 },\n" FUZZ_SITES;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_begin(config);
    return 0;
}

/* Until nothing more happens; then the client goes. */
static void run(struct memory_transport *memory)
{
    fuzz_turn(memory);
    conn_close_all(&the_loop);
    poller_turn(&the_loop.poller);
    CHECK(memory->is_closed && the_loop.connection_count == 0 && shared.connections == 0 &&
          shared.listings == 0 && shared.listing_bytes == 0);
}

static void talk(struct memory_transport *memory, const char *says, size_t len, size_t input_most,
                 size_t output_most)
{
    struct sockaddr_storage peer = {0};

    memcpy(&peer, &fake_peer, sizeof(fake_peer));
    memset(memory, 0, offsetof(struct memory_transport, output));
    memory->output_len = 0;
    memory->is_ended = memory->is_closed = false;
    memory->input = says;
    memory->input_len = len;
    memory->input_most = input_most;
    memory->output_most = output_most;
    memory->output_cap = MEMORY_BYTES_MAX - 1;
    the_loop.random[0] = 1; /* the same boundaries each time */
    the_loop.random[1] = 2;
    shared.connections++;
    conn_start(&the_loop, memory_transport_open(memory), &peer, false, false);
    run(memory);
    memory->output[memory->output_len] = '\0';
}

/* None is ever cut: it is shorter than what the transport takes in one call. */
static void drop_hints(struct memory_transport *memory)
{
    static const char hint[] = "HTTP/1.1 103 Early Hints\r\n" FUZZ_LINK "\r\n\r\n";
    const size_t hint_len = sizeof(hint) - 1;
    char *at = memory->output, *end = at + memory->output_len;

    while ((at = memmem(at, (size_t)(end - at), hint, hint_len)) != NULL) {
        memmove(at, at + hint_len, (size_t)(end - at) - hint_len);
        end -= hint_len;
    }
    memory->output_len = (size_t)(end - memory->output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct memory_transport whole, cut;
    const char *says;

    if (len < 2 || len > 4096)
        return 0;
    says = (const char *)data + 2;
    fuzz_glances(data[1] % 2 == 0);
    talk(&whole, says, len - 2, SIZE_MAX, SIZE_MAX);
    talk(&cut, says, len - 2, (size_t)data[0] + 1, (size_t)data[1] * 16 + 64);
    CHECK(whole.output_len == 0 || strncmp(whole.output, "HTTP/1.1 ", 9) == 0);
    drop_hints(&whole);
    drop_hints(&cut);
    blank_dates(whole.output);
    blank_dates(cut.output);
    CHECK(whole.output_len == cut.output_len &&
          memcmp(whole.output, cut.output, whole.output_len) == 0);
    CHECK(check_failures == 0);
    return 0;
}
