/* SPDX-License-Identifier: MIT */
/* Events of sockets, another call in the same turn, memory that stays until the end of the turn in
 * which it was given up, and libuv's timers beside all this. */
#include "net/poller.c"

#include "check.h"

#include <sys/socket.h>

struct client {
    struct poller_watch watch;
    struct poller *poller;
    struct client *drops; /* forgets this one when it is called */
    int calls, again, forgotten;
    uint32_t events;
};

static void on_client_ready(struct poller_watch *watch, uint32_t events)
{
    struct client *client = container_of(watch, struct client, watch);

    client->calls++;
    client->events = events;
    if (events && client->again-- > 0)
        poller_call_again(client->poller, watch);
    if (client->drops)
        poller_forget(client->poller, &client->drops->watch);
    client->drops = NULL;
}

static void on_client_forgotten(struct poller_watch *watch)
{
    container_of(watch, struct client, watch)->forgotten++;
}

static const struct poller_kind client_kind = {on_client_ready, on_client_forgotten};
static uv_loop_t uv;
static uv_timer_t timer;
static struct poller poller;
static int ticks;

static void on_timer(uv_timer_t *handle)
{
    (void)handle;
    ticks++;
}

static void add(struct client *client, int pair[2])
{
    *client = (struct client){.poller = &poller};
    CHECK_INT(__LINE__, "a pair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    poller_watch_init(&client->watch, &client_kind);
    CHECK_INT(__LINE__, "added", poller_add(&poller, pair[0], EPOLLIN | EPOLLET, &client->watch),
              0);
}

static void close_pair(const int pair[2])
{
    close(pair[0]);
    close(pair[1]);
}

static void test_changes_only(void)
{
    struct client client;
    int pair[2];

    add(&client, pair);
    CHECK_INT(__LINE__, "sent", write(pair[1], "x", 1), 1);
    poller_turn(&poller);
    CHECK_INT(__LINE__, "told once", client.calls, 1);
    CHECK_INT(__LINE__, "of input", client.events, EPOLLIN);
    poller_turn(&poller); /* the timer ends it */
    CHECK_INT(__LINE__, "not of what it knows", client.calls, 1);
    client.again = 1;
    CHECK_INT(__LINE__, "sent", write(pair[1], "x", 1), 1);
    poller_turn(&poller);
    CHECK_INT(__LINE__, "told, and called again", client.calls, 3);
    CHECK_INT(__LINE__, "for nothing new", client.events, 0);
    CHECK_INT(__LINE__, "changed",
              poller_change(&poller, pair[0], EPOLLOUT | EPOLLET, &client.watch), 0);
    poller_turn(&poller);
    CHECK_INT(__LINE__, "there is room", client.events, EPOLLOUT);
    poller_remove(&poller, pair[0]);
    CHECK_INT(__LINE__, "sent", write(pair[1], "x", 1), 1);
    poller_turn(&poller);
    CHECK_INT(__LINE__, "watched no more", client.calls, 4);
    close_pair(pair);
}

/* Whichever is called first forgets the other, whose event is in the same turn: its memory must
 * still be there. */
static void test_forgotten_in_its_turn(void)
{
    struct client a, b;
    int pairs[2][2];

    add(&a, pairs[0]);
    add(&b, pairs[1]);
    a.drops = &b;
    b.drops = NULL;
    b.again = 1;
    CHECK_INT(__LINE__, "sent", write(pairs[1][1], "x", 1), 1);
    CHECK_INT(__LINE__, "sent", write(pairs[0][1], "x", 1), 1);
    poller_turn(&poller);
    CHECK_INT(__LINE__, "given back once", b.forgotten, 1);
    CHECK_INT(__LINE__, "and not called again", b.calls, 1);
    CHECK_INT(__LINE__, "the other stays", a.forgotten, 0);
    close_pair(pairs[0]);
    close_pair(pairs[1]);
}

int main(void)
{
    uv_loop_init(&uv);
    CHECK_INT(__LINE__, "init", poller_init(&poller, &uv), 0);
    uv_timer_init(&uv, &timer);
    uv_timer_start(&timer, on_timer, 10, 10);
    test_changes_only();
    test_forgotten_in_its_turn();
    CHECK_TRUE(ticks > 0, "timers run beside the sockets");
    uv_close((uv_handle_t *)&timer, NULL);
    while (poller_turn(&poller))
        ;
    poller_fini(&poller);
    CHECK_INT(__LINE__, "nothing is left", uv_loop_close(&uv), 0);
    return check_end("poller");
}
