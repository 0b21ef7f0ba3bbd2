/* SPDX-License-Identifier: MIT */
/* A log whose file hangs, or with a wrong clock: whoever logs never waits, and the next file gets
 * the lines. */
#include "log/log_out.c"

#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static char folder[] = "/tmp/farmstead-log-out-XXXXXX";
static char path[64], other[64];
static struct log_file_problem problem;
static int own_stderr;

/* The wall clock before somebody sets it back by an hour, for this program only. */
static atomic_bool was_ahead;

int clock_gettime(clockid_t clock, struct timespec *out)
{
    long err = syscall(SYS_clock_gettime, clock, out);

    if (was_ahead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        out->tv_sec += 3600;
    return (int)err;
}

/* --- a source -------------------------------------------------------------------------------- */

static pthread_mutex_t lines_lock = PTHREAD_MUTEX_INITIALIZER;
static char lines[2 * LOG_OUT_BATCH_BYTES];
static size_t lines_len;
static int times_taken;

static size_t take_lines(void *arg, char *batch, size_t cap)
{
    (void)arg;
    pthread_mutex_lock(&lines_lock);
    times_taken++;
    size_t len = lines_len < cap ? lines_len : cap;
    memcpy(batch, lines, len);
    memmove(lines, lines + len, lines_len - len);
    lines_len -= len;
    pthread_mutex_unlock(&lines_lock);
    return len;
}

static void say(const char *text)
{
    size_t len = strlen(text);

    pthread_mutex_lock(&lines_lock);
    memcpy(lines + lines_len, text, len);
    lines_len += len;
    pthread_mutex_unlock(&lines_lock);
}

static int count_takes(void)
{
    pthread_mutex_lock(&lines_lock);
    int count = times_taken;
    pthread_mutex_unlock(&lines_lock);
    return count;
}

static const struct log_out_source source = {
    .thread_name = "test", .kind = LOG_FILE_ERROR, .uses_stderr = true, .take = take_lines};

/* --- what came of it ------------------------------------------------------------------------- */

static bool has(const char *name, const char *text)
{
    char content[4096] = "";
    FILE *file = fopen(name, "r");

    if (!file)
        return false;
    content[fread(content, 1, sizeof(content) - 1, file)] = '\0';
    fclose(file);
    return strcmp(content, text) == 0;
}

static void expect(int line, const char *name, const char *text)
{
    for (int i = 0; i < 500 && !has(name, text); i++)
        usleep(10000);
    CHECK_TRUE(has(name, text), "row %d: \"%s\" is not in %s", line, text, name);
}

static bool within(uint64_t start_ns, uint64_t seconds)
{
    return monotonic_ns() - start_ns < seconds * NS_PER_SECOND;
}

/* --- tests ----------------------------------------------------------------------------------- */

#define LINE "2026-11-21T09:14:43.123Z info "

static void test_a_clock_that_is_set_back(void)
{
    struct log_out *out = log_out_new(&source);

    was_ahead = true;
    CHECK_INT(__LINE__, "a file", log_out_configure(out, path, &problem), 0);
    /* The thread is told, not woken: it waits for more lines, by whichever clock it uses. */
    say(LINE "one\n");
    log_out_has_lines(out);
    expect(__LINE__, path, LINE "one\n");
    say(LINE "two\n");
    log_out_has_lines(out);
    expect(__LINE__, path, LINE "one\n" LINE "two\n");
    say(LINE "three\n");
    log_out_has_lines(out);
    expect(__LINE__, path, LINE "one\n" LINE "two\n" LINE "three\n");
    CHECK_TRUE(log_out_free(out), "ended");
    was_ahead = false;
    unlink(path);
}

/* Says so, and has looked for lines since: it does both under the lock. */
static bool sleeps(struct log_out *out)
{
    pthread_mutex_lock(&out->lock);
    bool is_asleep = atomic_load(&out->is_asleep);
    pthread_mutex_unlock(&out->lock);
    return is_asleep;
}

static void wait_until_asleep(struct log_out *out)
{
    for (int i = 0; i < 500 && !sleeps(out); i++)
        usleep(10000);
    CHECK_TRUE(sleeps(out), "it sleeps");
}

static void test_that_it_sleeps(void)
{
    struct log_out *out = log_out_new(&source);

    CHECK_INT(__LINE__, "a file", log_out_configure(out, path, &problem), 0);
    wait_until_asleep(out);
    /* What woke it for its turn may wake it once more. */
    int takes = -1;
    for (int i = 0; i < 5 && count_takes() != takes; i++) {
        takes = count_takes();
        usleep(5 * GATHER_MS * 1000);
    }
    CHECK_INT(__LINE__, "nothing is looked for", count_takes(), takes);

    /* Those that come together are written together, and then it sleeps again. */
    for (int i = 0; i < 3; i++) {
        say(LINE "one\n");
        log_out_has_lines(out);
        usleep(1000);
    }
    expect(__LINE__, path, LINE "one\n" LINE "one\n" LINE "one\n");
    wait_until_asleep(out);
    say(LINE "two\n");
    log_out_wake(out);
    expect(__LINE__, path, LINE "one\n" LINE "one\n" LINE "one\n" LINE "two\n");
    wait_until_asleep(out);
    say(LINE "left\n"); /* at the end it is not told at all */
    CHECK_TRUE(log_out_free(out), "ended");
    CHECK_TRUE(has(path, LINE "one\n" LINE "one\n" LINE "one\n" LINE "two\n" LINE "left\n"), "all");
    unlink(path);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit = {bytes, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void test_a_limit_of_the_size(void)
{
    struct log_out *out = log_out_new(&source);

    log_out_configure(out, path, &problem);
    limit_files(sizeof(LINE "one\n") + 10);
    say(LINE "one\n" LINE "two\n");
    log_out_wake(out);
    expect(__LINE__, path,
           LINE "one\n"
                "2026-11-21T");
    CHECK_INT(__LINE__, "another file", log_out_configure(out, other, &problem), 0);
    expect(__LINE__, other, LINE "two\n");
    limit_files(RLIM_INFINITY);
    say(LINE "three\n");
    log_out_has_lines(out);
    expect(__LINE__, other, LINE "two\n" LINE "three\n");
    CHECK_TRUE(log_out_free(out), "ended");
    unlink(path);
    unlink(other);
}

/* Makes standard error a full pipe that nobody reads. */
static int make_stderr_full(void)
{
    char bytes[4096] = {0};
    int ends[2];

    CHECK_INT(__LINE__, "pipe", pipe2(ends, O_CLOEXEC), 0);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    while (write(ends[1], bytes, sizeof(bytes)) > 0)
        ;
    fcntl(ends[1], F_SETFL, 0);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    return ends[0];
}

static bool hangs(struct log_out *out)
{
    pthread_mutex_lock(&out->lock);
    bool has_taken = out->current && out->current->len > 0;
    pthread_mutex_unlock(&out->lock);
    return has_taken;
}

static void test_a_pipe_that_nobody_reads(void)
{
    int reader = make_stderr_full();
    struct log_out *out = log_out_new(&source);

    say(LINE "lost\n");
    log_out_wake(out);
    for (int i = 0; i < 500 && !hangs(out); i++)
        usleep(10000);
    say(LINE "one\n");
    uint64_t start = monotonic_ns();
    int err = log_out_configure(out, path, &problem);
    expect(__LINE__, path, LINE "one\n");
    bool goes_back = log_out_configure(out, "", &problem) == 0;
    say(LINE "lost, too\n");
    bool ended = log_out_free(out), is_quick = within(start, 60);
    dup2(own_stderr, STDERR_FILENO);
    CHECK_TRUE(err == 0 && goes_back, "another file is taken: %d", err);
    CHECK_TRUE(!ended && is_quick, "the end does not wait for it");
    unlink(path);
    (void)reader; /* stays open and full until this program ends */
}

int main(void)
{
    signal(SIGXFSZ, SIG_IGN);
    own_stderr = dup(STDERR_FILENO);
    CHECK_TRUE(mkdtemp(folder), "folder");
    snprintf(path, sizeof(path), "%s/log", folder);
    snprintf(other, sizeof(other), "%s/other", folder);
    test_that_it_sleeps();
    test_a_clock_that_is_set_back();
    test_a_limit_of_the_size();
    test_a_pipe_that_nobody_reads();
    rmdir(folder);
    return check_end("log_out");
}
