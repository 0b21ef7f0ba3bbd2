/* SPDX-License-Identifier: MIT */
/* What waits for what on the thread of releases: the way back for no sweep, a release that is not here for the room that one
 * makes. */
#include "agent/agent_pull.c"

#include "release_fixture.h"

static struct agent_pull pull;

static const char *release_of(const char *text)
{
    struct buf manifest;

    buf_init(&manifest);
    add_file(&manifest, "d/a", text);
    return keep_manifest(&manifest);
}

static struct agent_releases list_of(const char *manifest)
{
    struct agent_releases list = {xcalloc(1, sizeof(*list.items)), 1};

    snprintf(list.items[0].manifest, sizeof(list.items[0].manifest), "%s", manifest);
    return list;
}

/* The first release is here and stays, the second is to go. */
static void begin(const char **first, const char **second)
{
    fixture_begin();
    *first = release_of("first");
    *second = release_of("second");
    CHECK_INT(__LINE__, "first", fixture_build(*first), RELEASE_STANDS);
    CHECK_INT(__LINE__, "second", fixture_build(*second), RELEASE_STANDS);
    pull = (struct agent_pull){.state_fd = fixture.state_fd};
    pull.store.contents_fd = pull.store.trees_fd = -1;
}

static void end(struct agent_releases *kept)
{
    agent_releases_fini(kept);
    agent_releases_fini(&pull.list);
    agent_releases_fini(&pull.kept);
    release_store_close(&pull.store);
    fixture_end();
}

/* `is_taken`: the thread has taken the order before it sweeps; else the order comes while it does. */
static void order(const char *manifest, bool is_taken)
{
    pull.list = list_of(manifest);
    pull.brings_next = is_taken;
    atomic_store(&pull.is_wanted, !is_taken);
}

static void the_way_back_waits_for_no_sweep(bool is_taken)
{
    const char *first, *second;

    begin(&first, &second);
    struct agent_releases kept = list_of(first);
    order(first, is_taken);
    CHECK_TRUE(!sweep(&pull, &kept, false), "it gave way");
    CHECK_TRUE(release_store_size(&pull.store, second) > 0, "what may go is still here");
    CHECK_TRUE(!release_store_has_tree(&pull.store, second), "but its tree is not");
    pull.brings_next = false;
    atomic_store(&pull.is_wanted, false);
    CHECK_TRUE(sweep(&pull, &kept, false), "it is done afterwards");
    CHECK_INT(__LINE__, "and then it is gone", release_store_size(&pull.store, second), -1);
    CHECK_TRUE(release_store_has_tree(&pull.store, first), "the other stays");
    end(&kept);
}

static void what_is_not_here_waits_for_the_room(bool is_taken)
{
    const char *first, *second;

    begin(&first, &second);
    struct agent_releases kept = list_of(first);
    order(second, is_taken);
    CHECK_TRUE(sweep(&pull, &kept, false), "it is done");
    CHECK_INT(__LINE__, "what may go is gone", release_store_size(&pull.store, second), -1);
    end(&kept);
}

static void what_is_known_by_then_counts(void)
{
    const char *first, *second;

    begin(&first, &second);
    struct agent_releases none = {0}, older = list_of(first), newer = list_of(second);
    sweep_later(&pull, &older, true);
    CHECK_TRUE(pull.has_kept && pull.spares_contents, "it is done later");
    CHECK_STR(__LINE__, "with what was known", pull.kept.items[0].manifest, first);
    agent_pull_keep(&pull, &newer, false);
    older = list_of(first);
    sweep_later(&pull, &older, true);
    CHECK_INT(__LINE__, "dropped", (int64_t)older.count, 0);
    CHECK_STR(__LINE__, "more is known", pull.kept.items[0].manifest, second);
    CHECK_TRUE(!pull.spares_contents, "in all");
    agent_releases_fini(&newer);
    end(&none);
}

int main(void)
{
    for (int is_taken = 0; is_taken < 2; is_taken++) {
        the_way_back_waits_for_no_sweep(is_taken);
        what_is_not_here_waits_for_the_room(is_taken);
    }
    what_is_known_by_then_counts();
    return check_end("agent_pull");
}
