/* SPDX-License-Identifier: MIT */
/* A standard error that takes nothing: the parent goes on, and reports how many lines were lost
 * when it takes lines again. */
#include "process/supervisor_log.c"

#include "check.h"

#include <fcntl.h>

static int reader, own_stderr;

static void take_stderr(void)
{
    int ends[2];

    CHECK_INT(__LINE__, "pipe", pipe2(ends, O_CLOEXEC), 0);
    own_stderr = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    reader = ends[0];
    fcntl(reader, F_SETPIPE_SZ, 4096);
}

/* Waits for children like the parent and reads what they write, until `text` has come. */
static bool read_until(const char *text)
{
    static char all[256 * 1024];
    size_t len = 0;

    fcntl(reader, F_SETFL, O_NONBLOCK);
    for (int i = 0; i < 1000 && !strstr(all, text); i++) {
        struct pollfd ready = {.fd = reader, .events = POLLIN};
        poll(&ready, 1, 10);
        ssize_t n = read(reader, all + len, sizeof(all) - 1 - len);
        len += n > 0 ? (size_t)n : 0;
        all[len] = '\0';
        for (pid_t pid = waitpid(-1, NULL, WNOHANG); pid > 0; pid = waitpid(-1, NULL, WNOHANG))
            supervisor_log_on_end(pid);
    }
    return strstr(all, text) != NULL;
}

int main(void)
{
    take_stderr();
    supervisor_log_start();
    log_error("the first");
    bool has_first = read_until("the first\n");
    for (int i = 0; i < 1000; i++)
        log_error("line %d of many that nobody reads", i);
    bool is_bounded = queue.dropped > 0;
    bool has_told = read_until("lines were dropped");
    log_error("the last");
    supervisor_log_stop();
    bool has_last = read_until("the last\n");
    dup2(own_stderr, STDERR_FILENO);
    CHECK_TRUE(has_first, "a line is written");
    CHECK_TRUE(is_bounded, "what waits is bounded");
    CHECK_TRUE(has_told, "what was dropped is told");
    CHECK_TRUE(has_last, "the end waits for the last line");
    return check_end("supervisor_log");
}
