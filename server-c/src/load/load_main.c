/* SPDX-License-Identifier: MIT */
/* load_main.c — farmload: a plan on standard input, what was counted on standard output.
 *
 * Exit codes: 0 it ran, whatever it counted; 2 it refused the plan, and says why on standard
 * error. */
#include "load/load_plan.h"
#include "load/load_run.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define PLAN_MAX ((size_t)128 << 20)
#define OTHER_DESCRIPTORS 64

static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
    (void)signal;
    stop = 1;
}

static int refuse(const char *why)
{
    fprintf(stderr, "farmload: %s\n", why);
    return 2;
}

static int read_plan(struct buf *text, struct buf *why)
{
    for (;;) {
        char *to = buf_reserve(text, 65536);
        ssize_t n = read(STDIN_FILENO, to, 65536);
        if (n < 0 && errno != EINTR)
            buf_printf(why, "standard input: %s", strerror(errno));
        if (n > 0)
            buf_advance(text, (size_t)n);
        if (text->len > PLAN_MAX)
            buf_printf(why, "a plan is at most %zu MB", PLAN_MAX >> 20);
        if (why->len)
            return -1;
        if (n == 0)
            return 0;
    }
}

/* One descriptor a client. */
static int allow_descriptors(const struct load_plan *plan, struct buf *why)
{
    uint64_t wanted =
        plan->clients + plan->slow_clients + plan->aborting_clients + OTHER_DESCRIPTORS;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 0;
    if (limit.rlim_max < wanted) {
        buf_printf(
            why,
            "%llu clients need as many descriptors, and there may be %llu: fewer clients, or a "
            "higher limit (ulimit -n)",
            (unsigned long long)wanted, (unsigned long long)limit.rlim_max);
        return -1;
    }
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = wanted;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
    return 0;
}

static uint64_t processor_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * NS_PER_SECOND + (uint64_t)ts.tv_nsec;
}

static int run_plan(const struct load_plan *plan, struct buf *why)
{
    static struct load_run run; /* large, for what is received */
    uint64_t elapsed_ns, before_ns = processor_ns();
    struct buf out;
    int err = load_run_init(&run, plan, why);

    if (!err) {
        elapsed_ns = load_run(&run, &stop);
        buf_init(&out);
        load_result_append_json(&out, &run.result, elapsed_ns, processor_ns() - before_ns);
        if (fwrite(out.data, 1, out.len, stdout) != out.len || fflush(stdout) != 0) {
            buf_printf(why, "the result could not be written: %s", strerror(errno));
            err = -1;
        }
        buf_fini(&out);
    }
    load_run_free(&run);
    return err;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct load_plan plan = {0};
    struct buf text, why;
    int code = 0;

    /* Whoever asked for the load must be able to end it, and nobody goes on without him. */
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    buf_init(&text);
    buf_init(&why);
    if (read_plan(&text, &why) || load_plan_read(&plan, text.data, text.len, &why) ||
        allow_descriptors(&plan, &why) || run_plan(&plan, &why))
        code = refuse(why.data);
    load_plan_free(&plan);
    buf_fini(&text);
    buf_fini(&why);
    return code;
}
