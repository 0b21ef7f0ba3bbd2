/* SPDX-License-Identifier: MIT */
/* What the serving process takes over from its parent, and what it reports to it. */
#include "process/supervised.c"

#include "check.h"

#include <sys/types.h>

static int parents_end;

static bool start(bool with_memory, struct supervised_past *past)
{
    struct supervisor_order order = {.parent_pid = getppid(), .generation = 7};
    int pair[2], lock = open("/dev/null", O_RDONLY), got = -1;
    int memory = with_memory ? memfd_create("tail", 0) : -1;
    char text[64];

    CHECK_INT(__LINE__, "pair", socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    CHECK_INT(__LINE__, "order", send(pair[0], &order, sizeof(order), 0), sizeof(order));
    if (with_memory)
        CHECK_INT(__LINE__, "memory", ftruncate(memory, sizeof(struct log_tail)), 0);
    snprintf(text, sizeof(text), "%d,%d,%d", pair[1], memory, lock);
    parents_end = pair[0];
    return supervised_start(text, past, &got) == 0 && got == lock;
}

static uint32_t next_said(void)
{
    struct supervisor_note note = {.said = UINT32_MAX};

    (void)!recv(parents_end, &note, sizeof(note), MSG_DONTWAIT);
    return note.said;
}

static void end(struct supervised_past *past)
{
    supervised_past_fini(past);
    close(self.socket);
    close(parents_end);
}

static void test_start(void)
{
    struct supervised_past past;
    int lock;

    CHECK_TRUE(start(true, &past), "with memory");
    CHECK_INT(__LINE__, "the order", past.order.generation, 7);
    end(&past);
    CHECK_TRUE(start(false, &past), "a limit of the size of files leaves none");
    CHECK_STR(__LINE__, "no lines of the one before", past.last_lines, "");
    end(&past);
    CHECK_TRUE(supervised_start("-1,-1,-1", &past, &lock) != 0, "no socket");
    CHECK_TRUE(supervised_start("1,2,0", &past, &lock) != 0, "the standard ones");
    CHECK_TRUE(supervised_start("", &past, &lock) != 0, "nothing");
}

static void test_the_agents_beat(void)
{
    struct supervised_past past;

    CHECK_TRUE(start(true, &past), "start");
    supervised_agent_turns();
    CHECK_INT(__LINE__, "said", next_said(), SUPERVISOR_SAID_AGENT);
    for (int i = 0; i < 1000; i++)
        supervised_agent_turns();
    CHECK_INT(__LINE__, "not at each turn", next_said(), UINT32_MAX);
    end(&past);
}

int main(void)
{
    test_start();
    test_the_agents_beat();
    return check_end("supervised");
}
