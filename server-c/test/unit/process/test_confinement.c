/* SPDX-License-Identifier: MIT */
/* Each test is a process of its own, because confinement can't be undone. */
#include "process/confinement.c"

#include "check.h"
#include "shell.h"

#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static char folder[] = "/tmp/farmstead-confined-XXXXXX";

static void set_policy(void)
{
    struct config_errors errors = {0};
    char text[256], state[64];

    snprintf(text, sizeof(text), "{\"serve\": [\"%s/www\", \"%s/later\"], \"logs\": [\"%s/log\"]}",
             folder, folder, folder);
    snprintf(state, sizeof(state), "%s/state", folder);
    bounds_set(owner_policy_parse(text, strlen(text), &errors), "", state);
}

/* 0 or an errno. In `name`, "$" stands for the test's folder. */
static int try_open(const char *name, int flags)
{
    char path[96];
    int fd;

    snprintf(path, sizeof(path), "%s%s", *name == '$' ? folder : "", name + (*name == '$'));
    fd = open(path, flags | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    return fd >= 0 ? 0 : errno;
}

#define NEW (O_WRONLY | O_CREAT)

static void check_what_is_left(void)
{
    static const struct {
        int line;
        const char *name;
        int flags, want;
    } rows[] = {
        {__LINE__, "$/www/a", O_RDONLY, 0},
        {__LINE__, "$/www", O_RDONLY | O_DIRECTORY, 0},
        {__LINE__, "$/www/new", NEW, EACCES},
        {__LINE__, "$/www/a", O_WRONLY, EACCES},
        {__LINE__, "$/www/out", O_RDONLY, EACCES},
        {__LINE__, "$/log/a", NEW | O_APPEND, 0},
        {__LINE__, "$/state/x", NEW | O_TRUNC, 0},
        {__LINE__, "$/own/config.json", O_RDONLY, 0},
        {__LINE__, "$/own/config.json", O_WRONLY, EACCES},
        {__LINE__, "$/other/a", O_RDONLY, EACCES},
        {__LINE__, "$/other/new", NEW, EACCES},
        {__LINE__, "/etc/passwd", O_RDONLY, 0},
        {__LINE__, "/proc/self/stat", O_RDONLY, 0},
        {__LINE__, "/etc/farmstead-new", NEW, EACCES},
        {__LINE__, "/dev/null", O_RDWR, 0},
        {__LINE__, "/tmp/farmstead-new", NEW, EACCES},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT(rows[i].line, rows[i].name, try_open(rows[i].name, rows[i].flags), rows[i].want);
}

static void confined(void)
{
    char own[64], *const nothing[] = {NULL};

    set_policy();
    snprintf(own, sizeof(own), "%s/own", folder);
    CHECK_INT(__LINE__, "entered", confinement_enter(own), 0);
    check_what_is_left();
    execve("/bin/true", nothing, nothing);
    CHECK_INT(__LINE__, "no program can be started", errno, EACCES);
    CHECK_TRUE(!confinement_is_outdated(), "all is as it was");
}

static void replaced(void)
{
    char from[64], to[64];

    set_policy();
    snprintf(from, sizeof(from), "%s/later", folder);
    self.is_in_force = true; /* the names are not confined, so that this process may change them */
    remember_folders(bounds_policy());
    CHECK_TRUE(!confinement_is_outdated(), "nothing has changed");
    CHECK_INT(__LINE__, "make", mkdir(from, 0755), 0);
    CHECK_TRUE(confinement_is_outdated(), "one came into being");
    remember_folders(bounds_policy());
    CHECK_TRUE(!confinement_is_outdated(), "it is known");
    CHECK_INT(__LINE__, "remove", rmdir(from), 0);
    CHECK_TRUE(!confinement_is_outdated(), "one that is gone can't be reached by anybody");
    snprintf(from, sizeof(from), "%s/www", folder);
    snprintf(to, sizeof(to), "%s/www.old", folder);
    CHECK_INT(__LINE__, "move", rename(from, to), 0);
    CHECK_INT(__LINE__, "make", mkdir(from, 0755), 0);
    CHECK_TRUE(confinement_is_outdated(), "another one has the name");
}

static void without_a_policy(void)
{
    bounds_clear();
    CHECK_INT(__LINE__, "entered", confinement_enter(NULL), 0);
    CHECK_TRUE(!self.is_in_force, "nothing to be confined to");
}

static void in_a_process(void (*test)(void))
{
    pid_t child = fork();
    int status = 1;

    if (child == 0) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        test();
        fflush(stderr);
        _exit(check_failures > 0);
    }
    waitpid(child, &status, 0);
    CHECK_INT(__LINE__, "the process", status, 0);
}

int main(void)
{
    CHECK_TRUE(mkdtemp(folder) != NULL, "%s", folder);
    shell_in(folder, "mkdir www log state own other && touch www/a other/a own/config.json && "
                     "ln -s ../other/a www/out");
    if (syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0)
        in_a_process(confined);
    in_a_process(replaced);
    in_a_process(without_a_policy);
    shell_in(folder, "rm -rf \"$PWD\"");
    return check_end("confinement");
}
