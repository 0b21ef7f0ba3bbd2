/* SPDX-License-Identifier: MIT */
/* Whether a release finds room: it is refused beforehand only where nothing could make room for it. */
#include "agent/agent_room.c"

#include "check.h"

#include <string.h>

#define M (1ull << 20)

static char why[256];

static void row(int line, struct agent_need need, uint64_t store_max, struct agent_room room,
                const char *refusal)
{
    why[0] = '\0';
    bool fits = agent_room_fits(&need, store_max, &room, why, sizeof(why));
    CHECK_INT(line, refusal, fits, !refusal[0]);
    if (refusal[0] && !strstr(why, refusal))
        CHECK_STR(line, "reason", why, refusal);
}

static void room_is_reckoned_with_what_runs(void)
{
    const struct agent_room plenty = {true, 10 * M, 1000 * M}, unknown = {false, 0, 0};

    row(__LINE__, (struct agent_need){5 * M, 12 * M}, 12 * M, plenty, "");
    row(__LINE__, (struct agent_need){5 * M, 12 * M}, 12 * M - 1, plenty,
        "with what runs it takes 12.0 MiB, and releases.storeMaxBytes is 12.0 MiB");
    row(__LINE__, (struct agent_need){5 * M, 12 * M}, 1 * M, unknown, "storeMaxBytes is 1.0 MiB");
    /* 64 MiB stay free. */
    row(__LINE__, (struct agent_need){936 * M, 936 * M}, 2000 * M,
        (struct agent_room){true, 0, 1000 * M}, "");
    row(__LINE__, (struct agent_need){936 * M + 1, 936 * M + 1}, 2000 * M,
        (struct agent_room){true, 0, 1000 * M},
        "936.0 MiB are to be fetched: the state folder's disk has 1000.0 MiB free, of which "
        "64 MiB stay free, and releases that do not run take 0.0 MiB");
    /* What was kept of older ones may go; what runs (7 MiB) may not. */
    row(__LINE__, (struct agent_need){40 * M, 47 * M}, 2000 * M,
        (struct agent_room){true, 20 * M, 91 * M}, "");
    row(__LINE__, (struct agent_need){40 * M, 47 * M}, 2000 * M,
        (struct agent_room){true, 20 * M, 91 * M - 1}, "releases that do not run take 13.0 MiB");
    row(__LINE__, (struct agent_need){40 * M, 47 * M}, 2000 * M, unknown, "");
    /* The control plane does not know that the node has more of it than it says, or less. */
    row(__LINE__, (struct agent_need){40 * M, 47 * M}, 2000 * M,
        (struct agent_room){true, 3 * M, 104 * M}, "");
    row(__LINE__, (struct agent_need){UINT64_MAX, UINT64_MAX}, UINT64_MAX, plenty, "to be fetched");
}

int main(void)
{
    room_is_reckoned_with_what_runs();
    return check_end("agent_room");
}
