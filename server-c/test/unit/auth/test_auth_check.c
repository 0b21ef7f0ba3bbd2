/* SPDX-License-Identifier: MIT */
/* Checks with real lanes: what passes, what is refused, what each costs, and the effect of a change
 * of the file. Verifications are counted, and the test sets the clock of the files. */
#include "auth/auth_files.c"

#include "auth/auth_hash.h"

#include <stdatomic.h>

static _Atomic int verifications;
static enum auth_hash_verdict counted_verify(const char *hash, const char *password)
{
    atomic_fetch_add(&verifications, 1);
    return auth_hash_verify(hash, password);
}
#define auth_hash_verify counted_verify
#include "auth/auth_check.c"
#undef auth_hash_verify

#include "check.h"

#include <unistd.h>

/* "sesame", "changed", and "changed" with another salt; at the lowest cost that bcrypt allows. */
#define SESAME "$2y$04$KBCwKxOzLha2MUDgW0PjXexpfJpcmyhZB2fRGE3GraFO6JmGHqpYq"
#define CHANGED "$2y$04$KBCwKxOzLha2MUDgW0PjXe.CLRBrf4z78FJu7Nr42pLfrFqJT2PB2"
#define QUEUED "$5$queued$4S2oOTVyKc7e/3rNygVJT0vqtxzwtP8lk4vBSFU4krC"
#define UNSEEN "$2b$04$ABCwKxOzLha2MUDgW0PjXexqgVgpg/TXSHdqG1MlZrW91/TkaVORC"
#define SESAME_SHA "$5$abcdefgh$4PbtPZdUc33o7LmNsM4HTsjYbIhyCeh4aCe.rEbHkq1"

static char folder[] = "/tmp/farmstead-auth-check-XXXXXX";
static char path[64];
static uv_loop_t loop;
static struct io_port port;
static struct io_lane *stat_lane, *auth_lane;
static struct auth_store *store;
static struct config_auth rule = {.file = path};

struct asker {
    struct auth_waiter waiter;
    enum auth_verdict verdict;
    int calls;
};

static void on_verdict(struct auth_waiter *waiter, enum auth_verdict verdict)
{
    struct asker *asker = container_of(waiter, struct asker, waiter);

    asker->verdict = verdict;
    asker->calls++;
}

static void write_users(const char *text)
{
    FILE *file = fopen(path, "w");

    fputs(text, file);
    fclose(file);
}

static void make_stale(void)
{
    struct auth_file *file = auth_files_find(store->files, path);

    file->fresh_until_ns = 0;
    auth_file_put(store->files, file);
}

/* As if the file had just been looked at, for as long as the tests may take. */
static void make_fresh(void)
{
    struct auth_file *file = auth_files_find(store->files, path);

    auth_file_look(store->files, file);
    file->looked_ns = monotonic_ns() + 600 * NS_PER_SECOND;
    file->fresh_until_ns = file->looked_ns + TRUST_NS;
    auth_file_put(store->files, file);
}

static enum auth_verdict ask(struct asker *asker, const char *user, const char *password)
{
    struct http_credentials who = {{user, strlen(user)}, {password, strlen(password)}};

    memset(asker, 0, sizeof(*asker));
    asker->waiter.on_verdict = on_verdict;
    return auth_check(store, &port, &rule, &who, &asker->waiter);
}

static void run_until_idle(void)
{
    while (port.outstanding > 0)
        uv_run(&loop, UV_RUN_ONCE);
}

/* Returns the verdict, waiting for it if necessary. */
static enum auth_verdict wait_for(const char *user, const char *password)
{
    struct asker asker;
    enum auth_verdict verdict = ask(&asker, user, password);

    if (verdict != AUTH_WAIT)
        return verdict;
    run_until_idle();
    CHECK_INT(__LINE__, "called once", asker.calls, 1);
    CHECK_TRUE(asker.waiter.job == NULL, "waits no more");
    return asker.verdict;
}

static uv_sem_t gate;
static struct io_job holder;

static void run_holder(struct io_job *job)
{
    (void)job;
    uv_sem_wait(&gate);
}

static void on_holder_done(struct io_job *job)
{
    (void)job;
}

static void hold_auth_lane(void)
{
    holder = (struct io_job){.run = run_holder, .on_done = on_holder_done};
    io_lane_submit(auth_lane, &port, &holder);
}

static void release_auth_lane(void)
{
    uv_sem_post(&gate);
}

static int count_verifications(void)
{
    return atomic_exchange(&verifications, 0);
}

static void test_verdicts(void)
{
    static const struct {
        int line;
        const char *name, *user, *password;
        enum auth_verdict first, then; /* at once, and finally */
        int verifications;
    } rows[] = {
        {__LINE__, "right", "zoe", "sesame", AUTH_WAIT, AUTH_PASSED, 1},
        {__LINE__, "right again", "zoe", "sesame", AUTH_PASSED, AUTH_PASSED, 0},
        {__LINE__, "wrong", "zoe", "Sesame", AUTH_WAIT, AUTH_REFUSED, 1},
        {__LINE__, "wrong again", "zoe", "Sesame", AUTH_WAIT, AUTH_REFUSED, 1},
        {__LINE__, "empty", "zoe", "", AUTH_WAIT, AUTH_REFUSED, 1},
        {__LINE__, "nobody costs as much", "eve", "sesame", AUTH_WAIT, AUTH_REFUSED, 1},
        {__LINE__, "nobody again", "eve", "sesame", AUTH_WAIT, AUTH_REFUSED, 1},
        {__LINE__, "another with the same password", "adam", "sesame", AUTH_WAIT, AUTH_PASSED, 1},
        {__LINE__, "a name that is a part", "zo", "sesame", AUTH_WAIT, AUTH_REFUSED, 1},
    };

    write_users("zoe:" SESAME "\nadam:" SESAME_SHA "\n");
    make_fresh();
    count_verifications();
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct asker asker;
        enum auth_verdict verdict = ask(&asker, rows[i].user, rows[i].password);

        CHECK_INT(rows[i].line, rows[i].name, verdict, rows[i].first);
        CHECK_INT(rows[i].line, rows[i].name, asker.calls, 0);
        run_until_idle();
        if (verdict == AUTH_WAIT)
            verdict = asker.verdict;
        CHECK_INT(rows[i].line, rows[i].name, verdict, rows[i].then);
        CHECK_INT(rows[i].line, rows[i].name, count_verifications(), rows[i].verifications);
    }
}

static void test_listed_users(void)
{
    static char adam[] = "adam";
    char *users[] = {adam};

    rule.users = users, rule.user_count = 1;
    CHECK_INT(__LINE__, "listed", wait_for("adam", "sesame"), AUTH_PASSED);
    count_verifications();
    CHECK_INT(__LINE__, "right, but not listed", wait_for("zoe", "sesame"), AUTH_REFUSED);
    CHECK_INT(__LINE__, "costs as much", count_verifications(), 1);
    rule.users = NULL, rule.user_count = 0;
    CHECK_INT(__LINE__, "another rule", wait_for("zoe", "sesame"), AUTH_PASSED);
}

static void test_changes(void)
{
    struct asker asker;

    write_users("zoe:" CHANGED "\nadam:" SESAME_SHA "\n");
    CHECK_INT(__LINE__, "nobody looked yet", wait_for("zoe", "sesame"), AUTH_PASSED);
    make_stale();
    CHECK_INT(__LINE__, "the file is looked at first", ask(&asker, "zoe", "sesame"), AUTH_WAIT);
    run_until_idle();
    CHECK_INT(__LINE__, "the old password", asker.verdict, AUTH_REFUSED);
    CHECK_INT(__LINE__, "the new one", wait_for("zoe", "changed"), AUTH_PASSED);
    count_verifications();
    CHECK_INT(__LINE__, "whose line stayed", wait_for("adam", "sesame"), AUTH_PASSED);
    CHECK_INT(__LINE__, "was not verified again", count_verifications(), 0);
    write_users("adam:" SESAME_SHA "\n");
    make_stale();
    CHECK_INT(__LINE__, "removed", wait_for("zoe", "changed"), AUTH_REFUSED);
    make_stale();
    count_verifications();
    CHECK_INT(__LINE__, "a look is no verification", wait_for("adam", "sesame"), AUTH_PASSED);
    CHECK_INT(__LINE__, "none", count_verifications(), 0);
}

/* The queue may be long: the file's state at the time of the job's turn counts. */
static void test_change_while_queued(void)
{
    struct asker asker;

    write_users("zoe:" QUEUED "\n");
    make_fresh();
    io_lane_resize(stat_lane, 1, 0); /* the stat lane takes no jobs, so nobody else looks */
    hold_auth_lane();
    CHECK_INT(__LINE__, "right", ask(&asker, "zoe", "sesame"), AUTH_WAIT);
    write_users("adam:" SESAME_SHA "\n");
    make_stale();
    release_auth_lane();
    run_until_idle();
    CHECK_INT(__LINE__, "removed meanwhile", asker.verdict, AUTH_REFUSED);
    io_lane_resize(stat_lane, 1, AUTH_LANE_QUEUE);
}

static void test_broken_files(void)
{
    struct asker asker;

    remove(path);
    make_stale();
    CHECK_INT(__LINE__, "gone", wait_for("adam", "sesame"), AUTH_UNAVAILABLE);
    CHECK_INT(__LINE__, "known to be gone", ask(&asker, "adam", "sesame"), AUTH_UNAVAILABLE);
    write_users("adam:sesame\n");
    make_stale();
    CHECK_INT(__LINE__, "plain text", wait_for("adam", "sesame"), AUTH_UNAVAILABLE);
    write_users("# nobody\n");
    make_stale();
    CHECK_INT(__LINE__, "empty", wait_for("adam", "sesame"), AUTH_REFUSED);
    CHECK_INT(__LINE__, "empty, at once", ask(&asker, "adam", "sesame"), AUTH_REFUSED);
    write_users("zoe:" SESAME "\n");
    make_stale();
    CHECK_INT(__LINE__, "mended", wait_for("zoe", "sesame"), AUTH_PASSED);
}

static void test_many_at_once(void)
{
    struct asker askers[AUTH_LANE_QUEUE];
    enum auth_verdict now[AUTH_LANE_QUEUE];

    write_users("zoe:" UNSEEN "\n");
    make_fresh();
    count_verifications();
    /* Those that come when the first one has been verified pass at once. */
    for (size_t i = 0; i < ARRAY_LEN(askers); i++) {
        now[i] = ask(&askers[i], "zoe", "changed");
        CHECK_TRUE(now[i] == AUTH_WAIT || (i > 0 && now[i] == AUTH_PASSED), "asker %zu", i);
    }
    run_until_idle();
    for (size_t i = 0; i < ARRAY_LEN(askers); i++)
        CHECK_INT(__LINE__, "passes", now[i] == AUTH_WAIT ? askers[i].verdict : now[i],
                  AUTH_PASSED);
    CHECK_INT(__LINE__, "the first one was verified", count_verifications(), 1);
}

static void test_giving_up(void)
{
    struct asker askers[8];

    make_fresh();
    for (size_t i = 0; i < ARRAY_LEN(askers); i++) {
        if (i % 2)
            make_stale();
        else
            make_fresh();
        CHECK_INT(__LINE__, "waits", ask(&askers[i], "zoe", "wrong"), AUTH_WAIT);
        auth_cancel(&askers[i].waiter);
        auth_cancel(&askers[i].waiter);
    }
    run_until_idle();
    for (size_t i = 0; i < ARRAY_LEN(askers); i++)
        CHECK_INT(__LINE__, "hears nothing", askers[i].calls, 0);
}

static void test_full_lane(void)
{
    struct asker asker;

    make_fresh();
    CHECK_INT(__LINE__, "known", wait_for("zoe", "changed"), AUTH_PASSED);
    io_lane_resize(auth_lane, 1, 0);
    CHECK_INT(__LINE__, "at once", ask(&asker, "zoe", "wrong"), AUTH_UNAVAILABLE);
    CHECK_INT(__LINE__, "known ones pass", ask(&asker, "zoe", "changed"), AUTH_PASSED);
    make_stale();
    CHECK_INT(__LINE__, "after the look", wait_for("zoe", "wrong"), AUTH_UNAVAILABLE);
    make_stale();
    CHECK_INT(__LINE__, "known ones pass after a look", wait_for("zoe", "changed"), AUTH_PASSED);
    io_lane_resize(stat_lane, 1, 0);
    make_stale();
    CHECK_INT(__LINE__, "no look either", ask(&asker, "zoe", "changed"), AUTH_UNAVAILABLE);
    io_lane_resize(auth_lane, 1, AUTH_LANE_QUEUE);
    io_lane_resize(stat_lane, 1, AUTH_LANE_QUEUE);
}

static void test_renewal(void)
{
    struct auth_file *file = auth_files_find(store->files, path);
    struct asker asker;

    make_fresh();
    CHECK_INT(__LINE__, "known", ask(&asker, "zoe", "changed"), AUTH_PASSED);
    CHECK_INT(__LINE__, "nothing to do", port.outstanding, 0);
    file->looked_ns = 0;
    CHECK_INT(__LINE__, "does not wait", ask(&asker, "zoe", "changed"), AUTH_PASSED);
    CHECK_INT(__LINE__, "nor does the next", ask(&asker, "zoe", "changed"), AUTH_PASSED);
    CHECK_INT(__LINE__, "one look", port.outstanding, 1);
    run_until_idle();
    CHECK_TRUE(file->looked_ns > 0 && !file->is_claimed, "it was looked at");
    file->looked_ns = 0;
    file->fresh_until_ns = monotonic_ns() + TRUST_NS;
    io_lane_resize(stat_lane, 1, 0);
    CHECK_INT(__LINE__, "no room to look", ask(&asker, "zoe", "changed"), AUTH_PASSED);
    CHECK_TRUE(!file->is_claimed, "somebody else may");
    io_lane_resize(stat_lane, 1, AUTH_LANE_QUEUE);
    CHECK_INT(__LINE__, "held by us only", file->holders, 1);
    auth_file_put(store->files, file);
}

/* Swallows the log's lines about refusals, which are expected here. */
static void hush(const char *line, size_t len)
{
    (void)line, (void)len;
}

int main(void)
{
    CHECK_TRUE(mkdtemp(folder) != NULL, "%s", folder);
    snprintf(path, sizeof(path), "%s/users", folder);
    log_divert(hush);
    uv_sem_init(&gate, 0);
    uv_loop_init(&loop);
    CHECK_INT(__LINE__, "port", io_port_init(&port, &loop), 0);
    stat_lane = io_lane_new("stat", 1, AUTH_LANE_QUEUE);
    auth_lane = io_lane_new("auth", 1, AUTH_LANE_QUEUE);
    store = auth_store_new(stat_lane, auth_lane);
    test_verdicts();
    test_listed_users();
    test_changes();
    test_change_while_queued();
    test_broken_files();
    test_many_at_once();
    test_giving_up();
    test_full_lane();
    test_renewal();
    auth_store_free(store);
    auth_store_free(NULL);
    io_lane_free(auth_lane);
    io_lane_free(stat_lane);
    io_port_close(&port, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    io_port_fini(&port);
    uv_loop_close(&loop);
    remove(path);
    rmdir(folder);
    return check_end("auth_check");
}
