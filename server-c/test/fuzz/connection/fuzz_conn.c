/* SPDX-License-Identifier: MIT */
/* A client that says any bytes: cut in two ways it is answered alike, what it is told is whole answers one
 * after the other, and when it has gone nothing is left of it. */
#include "connection/conn.h"
#include "loop_fixture.h"
#include "memory_transport.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const char config[] =
    "{ \"statCache\": { \"engine\": \"ENGINE\", \"ttlMillis\": 60000 },\n"
    "  \"fileCache\": { \"maxBytes\": 1048576, \"maxFileBytes\": 8192 },\n"
    "  \"limits\": { \"keepAliveRequests\": 50, \"bodyBytes\": 100 },\n"
    "  \"sites\": [{ \"hosts\": [\"a\"], \"root\": \"ROOT/site\", \"precompressed\": [\"gzip\"],\n"
    "    \"directoryListing\": { \"enabled\": true },\n"
    "    \"rewrites\": [{ \"match\": \"^/r/(.*)\", \"to\": \"/$1\" }],\n"
    "    \"errorPages\": { \"404\": \"/e\" } }] }";

static const char files[] = "mkdir -p site/d site/l; cd site; printf small > s; seq 1 3000 > m; "
                            "seq 1 9000 > b; printf gone > e; printf p > p; printf z > p.gz; "
                            "printf i > d/index.html; printf x > l/x; touch -d @1700000000 * */*";

static void never_wait(uv_idle_t *idle)
{
    (void)idle;
}

static void remove_root(void)
{
    shell_in(root, "rm -rf \"$PWD\"");
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static uv_idle_t busy;

    (void)argc, (void)argv;
    begin(config, "ttl");
    shell_in(root, files);
    atexit(remove_root);
    uv_idle_init(&the_loop.uv, &busy);
    uv_idle_start(&busy, never_wait);
    for (int i = 0; i < TIMEOUT_COUNT; i++)
        the_loop.timeout_ms[i] = 60000;
    return 0;
}

/* Until nothing more happens; then the client goes. */
static void run(struct memory_transport *memory)
{
    for (int idle = 0; !memory->is_closed && idle < 8;) {
        size_t before = memory->output_len + memory->input_pos;
        poller_turn(&the_loop.poller);
        idle = the_loop.port.outstanding == 0 && before == memory->output_len + memory->input_pos
                   ? idle + 1
                   : 0;
    }
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
    conn_start(&the_loop, memory_transport_open(memory), &peer, false);
    run(memory);
    memory->output[memory->output_len] = '\0';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct memory_transport whole, cut;
    const char *says;

    if (len < 2 || len > 4096)
        return 0;
    says = (const char *)data + 2;
    talk(&whole, says, len - 2, SIZE_MAX, SIZE_MAX);
    talk(&cut, says, len - 2, (size_t)data[0] + 1, (size_t)data[1] * 16 + 64);
    CHECK(whole.output_len == 0 || strncmp(whole.output, "HTTP/1.1 ", 9) == 0);
    blank_dates(whole.output);
    blank_dates(cut.output);
    CHECK(whole.output_len == cut.output_len &&
          memcmp(whole.output, cut.output, whole.output_len) == 0);
    CHECK(check_failures == 0);
    return 0;
}
