/* SPDX-License-Identifier: MIT */
/* What the parent does with signals, silence and a service manager, with a fake child. The system
 * tests have a real one. */
#include "process/supervisor.c"

#include "check.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#define CHILD 4711

/* --- the child --- */

static struct {
    unsigned starts;
    bool cannot_start, is_held;
    int signals[16];
    size_t signal_count;
    struct supervisor_note heard[8];
    size_t heard_count;
    struct supervisor_order order;
} fake;

int supervisor_child_memory(void)
{
    return open("/dev/null", O_RDWR | O_CLOEXEC);
}

int supervisor_child_start(struct supervisor_child *child, const char *state_dir,
                           const char *policy_path, const struct supervisor_order *order,
                           int memory_fd, int lock_fd)
{
    (void)state_dir, (void)policy_path, (void)memory_fd, (void)lock_fd;
    fake.starts++;
    fake.order = *order;
    errno = EAGAIN;
    if (fake.cannot_start)
        return -1;
    *child = (struct supervisor_child){CHILD, -1};
    return 0;
}

bool supervisor_child_hear(struct supervisor_child *child, struct supervisor_note *note)
{
    (void)child;
    if (fake.heard_count == 0)
        return false;
    *note = fake.heard[0];
    memmove(fake.heard, fake.heard + 1, --fake.heard_count * sizeof(fake.heard[0]));
    return true;
}

void supervisor_child_signal(const struct supervisor_child *child, int number)
{
    if (child->pid > 0)
        fake.signals[fake.signal_count++ % 16] = number;
}

bool supervisor_child_is_held(const struct supervisor_child *child)
{
    (void)child;
    return fake.is_held;
}

void supervisor_child_forget(struct supervisor_child *child)
{
    *child = (struct supervisor_child){0, -1};
}

void supervisor_child_say_ending(int status, char *out, size_t size)
{
    snprintf(out, size, "status %d", status);
}

/* --- the service manager --- */

static int manager_fd = -1;
static char manager_said[512];

static void listen_as_manager(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char name[64];
    snprintf(name, sizeof(name), "farmstead-test-%ld", (long)getpid());
    memcpy(address.sun_path + 1, name, strlen(name));
    manager_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    CHECK_TRUE(bind(manager_fd, (struct sockaddr *)&address,
                    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) == 0,
               "bind: %s", strerror(errno));
    char path[80];
    snprintf(path, sizeof(path), "@%s", name);
    setenv("NOTIFY_SOCKET", path, 1);
    setenv("WATCHDOG_USEC", "20000000", 1);
    unsetenv("WATCHDOG_PID");
    service_notify_init();
    CHECK_TRUE(!getenv("NOTIFY_SOCKET") && !getenv("WATCHDOG_USEC"), "not for the child");
    CHECK_INT(__LINE__, "half of it", service_notify_watchdog_ms(), 10000);
}

static const char *next_said(void)
{
    ssize_t len = recv(manager_fd, manager_said, sizeof(manager_said) - 1, 0);
    manager_said[len > 0 ? len : 0] = '\0';
    return manager_said;
}

static void expect_said(int line, const char *want)
{
    next_said();
    CHECK_TRUE(strncmp(manager_said, want, strlen(want)) == 0, "row %d: got \"%s\", want \"%s\"",
               line, manager_said, want);
}

/* --- the tests --- */

static struct supervisor sup;

static void begin(void)
{
    memset(&fake, 0, sizeof(fake));
    sup = (struct supervisor){.state_dir = "/nowhere", .child = {0, -1}, .turn_at_ms = NEVER};
    sup.watchdog_at_ms = NEVER;
    on_time(&sup);
}

static void hear(enum supervisor_said said)
{
    fake.heard[fake.heard_count++] = (struct supervisor_note){.said = said};
    hear_child(&sup);
}

static void turns(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        count_silence(&sup);
}

static void a_life(void)
{
    begin();
    CHECK_INT(__LINE__, "started", fake.starts, 1);
    CHECK_INT(__LINE__, "by whom", fake.order.parent_pid, getpid());
    CHECK_STR(__LINE__, "nothing before", fake.order.ending, "");
    CHECK_STR(__LINE__, "not ready yet", next_said(), "");
    hear(SUPERVISOR_SAID_READY);
    expect_said(__LINE__, "READY=1\nSTATUS=Process 4711 serves.");
    on_signal(&sup, SIGHUP);
    expect_said(__LINE__, "RELOADING=1\nMONOTONIC_USEC=");
    hear(SUPERVISOR_SAID_READY);
    expect_said(__LINE__, "READY=1");
    on_signal(&sup, SIGUSR1);
    on_signal(&sup, SIGTERM);
    expect_said(__LINE__, "STOPPING=1");
    on_signal(&sup, SIGINT);
    CHECK_STR(__LINE__, "said once", next_said(), "");
    CHECK_INT(__LINE__, "passed on", fake.signal_count, 4);
    CHECK_TRUE(fake.signals[0] == SIGHUP && fake.signals[1] == SIGUSR1 &&
                   fake.signals[2] == SIGTERM && fake.signals[3] == SIGINT,
               "in order");
    CHECK_TRUE(!sup.is_over, "until it has ended");
    on_child_end(&sup, 0);
    CHECK_TRUE(sup.is_over && sup.exit_code == 0, "a clean end");
}

static void a_crash(void)
{
    begin();
    hear(SUPERVISOR_SAID_READY);
    next_said();
    /* What the child sent just before its end is read before the verdict. */
    fake.heard[fake.heard_count++] = (struct supervisor_note){SUPERVISOR_SAID_TRIAL, 60000, 7};
    on_child_end(&sup, SIGSEGV);
    expect_said(__LINE__, "STATUS=The serving process ended (status 11), starting it again.");
    CHECK_TRUE(!sup.is_over && sup.child.pid == 0, "goes on");
    CHECK_TRUE(sup.start_at_ms > now_ms() && sup.start_at_ms <= now_ms() + 100, "in a moment");
    on_time(&sup);
    CHECK_INT(__LINE__, "not before", fake.starts, 1);
    sup.start_at_ms = 0;
    on_time(&sup);
    CHECK_INT(__LINE__, "again", fake.starts, 2);
    CHECK_INT(__LINE__, "a second try", fake.order.start, SUPERVISOR_START_RESUME);
    CHECK_STR(__LINE__, "after what", fake.order.ending, "status 11");
    on_child_end(&sup, SIGSEGV);
    on_signal(&sup, SIGTERM);
    CHECK_TRUE(sup.is_over && sup.exit_code == 0, "stopped between two");
    while (next_said()[0])
        ;
}

static void no_process_to_be_had(void)
{
    memset(&fake, 0, sizeof(fake));
    fake.cannot_start = true;
    sup = (struct supervisor){.child = {0, -1}};
    start_child(&sup);
    CHECK_TRUE(sup.is_over && sup.exit_code == 1, "the first: the end");
    sup = (struct supervisor){.child = {0, -1}, .policy.was_ready = true};
    start_child(&sup);
    CHECK_TRUE(!sup.is_over && sup.start_at_ms > now_ms(), "a later one: again");
}

static void silent_loops(void)
{
    begin();
    hear(SUPERVISOR_SAID_READY);
    turns(100);
    CHECK_INT(__LINE__, "it never said that it would beat", fake.signal_count, 0);
    hear(SUPERVISOR_SAID_BEAT);
    turns(5);
    hear(SUPERVISOR_SAID_BEAT);
    turns(5);
    CHECK_INT(__LINE__, "not yet", fake.signal_count, 0);
    fake.is_held = true;
    turns(100);
    CHECK_INT(__LINE__, "somebody looks into it", fake.signal_count, 0);
    fake.is_held = false;
    hear(SUPERVISOR_SAID_AGENT); /* a message of another thread says nothing about the loops */
    turns(1);
    CHECK_TRUE(fake.signal_count == 1 && fake.signals[0] == SIGABRT, "30 s: it hangs");
    turns(1);
    CHECK_TRUE(fake.signal_count == 2 && fake.signals[1] == SIGKILL, "not even that");
    on_child_end(&sup, SIGKILL);
    CHECK_STR(__LINE__, "why", sup.ending, "its event loops did not answer for 30 s");
    CHECK_TRUE(!sup.is_over, "and again");
    turns(100);
    CHECK_INT(__LINE__, "there is none", fake.signal_count, 2);
    while (next_said()[0])
        ;
}

/* The loops answer all the while. */
static unsigned turns_until_signal(void)
{
    size_t before = fake.signal_count;
    unsigned count = 0;

    while (fake.signal_count == before && count < 10000) {
        hear(SUPERVISOR_SAID_BEAT);
        turns(1);
        count++;
    }
    return count;
}

static void a_silent_agent(void)
{
    begin();
    hear(SUPERVISOR_SAID_READY);
    hear(SUPERVISOR_SAID_AGENT);
    CHECK_INT(__LINE__, "60 s", turns_until_signal(), 12);
    CHECK_INT(__LINE__, "how", fake.signals[0], SIGABRT);
    on_child_end(&sup, SIGABRT);
    CHECK_STR(__LINE__, "why", sup.ending, "its agent did not answer for 60 s");
    sup.start_at_ms = 0;
    on_time(&sup);
    hear(SUPERVISOR_SAID_AGENT);
    CHECK_INT(__LINE__, "twice the time for the next one", turns_until_signal(), 24);
    on_child_end(&sup, SIGSEGV);
    CHECK_STR(__LINE__, "an end of its own is told as that", sup.ending, "status 11");
    sup.start_at_ms = 0;
    on_time(&sup);
    for (int i = 0; i < 1440; i++) {
        turns(1);
        hear(SUPERVISOR_SAID_AGENT);
    }
    CHECK_INT(__LINE__, "after a steady time as at first", turns_until_signal(), 12);
    while (next_said()[0])
        ;
}

static void one_that_does_not_stop(void)
{
    begin();
    hear(SUPERVISOR_SAID_READY);
    fake.is_held = true; /* whoever does: it was told to stop */
    on_signal(&sup, SIGTERM);
    turns(2);
    CHECK_INT(__LINE__, "it has its time", fake.signal_count, 1);
    hear(SUPERVISOR_SAID_BEAT);
    turns(1);
    CHECK_TRUE(fake.signal_count == 2 && fake.signals[1] == SIGKILL, "it does not end");
    on_child_end(&sup, SIGKILL);
    CHECK_STR(__LINE__, "why", sup.ending, "it did not end within 15 s");
    CHECK_TRUE(sup.is_over, "over");
    while (next_said()[0])
        ;
}

static void the_watchdog_is_fed(void)
{
    begin();
    sup.watchdog_at_ms = 0;
    on_time(&sup);
    expect_said(__LINE__, "WATCHDOG=1");
    on_time(&sup);
    CHECK_STR(__LINE__, "in time, not more often", next_said(), "");
    CHECK_TRUE(sup.watchdog_at_ms > now_ms() + 9000, "the next");
}

int main(void)
{
    listen_as_manager();
    a_life();
    a_crash();
    no_process_to_be_had();
    silent_loops();
    a_silent_agent();
    one_that_does_not_stop();
    the_watchdog_is_fed();
    close(manager_fd);
    return check_end("supervisor");
}
