/* SPDX-License-Identifier: MIT */
/* Which files are refused, replaced and removed. */
#include "machine/pid_file.c"

#include "check.h"

#include <sys/prctl.h>
#include <sys/wait.h>

static char folder[] = "/tmp/farmstead-pid-XXXXXX";
static char path[64], why[PID_FILE_WHY_LEN];

static void put(const char *text)
{
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

/* A file left by a node of ours is replaced; any other belongs to somebody and is left as it is. */
static void test_contents(void)
{
    static const struct {
        const char *name, *text;
        bool is_ours;
    } rows[] = {
        {"empty", "", true},
        {"no number", "farmstead\n", false},
        {"zero", "0\n", true},
        {"negative", "-1\n", false},
        {"one that is gone", "4194305\n", true},
        {"huge", "99999999999999999999999\n", false},
        {"another program", "1\n", true}, /* init is not called as we are */
        {"a number and more", "1\nPATH=/tmp\n", false},
        {"a script", "#!/bin/sh\nexec something, and then something else\n", false},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[TEXT_LEN], want[TEXT_LEN];
        struct pid_file *file;
        put(rows[i].text);
        file = pid_file_write(path, getpid(), why);
        CHECK_TRUE((file != NULL) == rows[i].is_ours, "\"%s\": %s", rows[i].name, file ? "" : why);
        read_text(path, text);
        snprintf(want, sizeof(want), "%ld\n", (long)getpid());
        if (!rows[i].is_ours)
            snprintf(want, sizeof(want), "%.*s", TEXT_LEN - 1, rows[i].text);
        CHECK_STR((int)i, rows[i].name, text, want);
        pid_file_remove(file);
        CHECK_TRUE((access(path, F_OK) != 0) == rows[i].is_ours, "\"%s\"", rows[i].name);
        unlink(path);
    }
}

static void check_refused(const char *name, const char *sentence)
{
    CHECK_TRUE(!pid_file_write(path, getpid(), why), "%s", name);
    CHECK_TRUE(strstr(why, sentence), "%s: %s", name, why);
}

static void test_kinds(void)
{
    char target[64];

    snprintf(target, sizeof(target), "%s/target", folder);
    put("1\n");
    CHECK_INT(__LINE__, "rename", rename(path, target), 0);
    CHECK_INT(__LINE__, "link", symlink(target, path), 0);
    check_refused("a link", "is a link");
    unlink(path);
    CHECK_INT(__LINE__, "hard link", link(target, path), 0);
    check_refused("a second name", "another name");
    unlink(path);
    unlink(target);
    CHECK_INT(__LINE__, "fifo", mkfifo(path, 0600), 0);
    check_refused("a FIFO", "no regular file");
    unlink(path);
}

static void test_one_that_runs(void)
{
    pid_t child = fork();
    char text[TEXT_LEN];

    if (child == 0) {
        pause();
        _exit(0);
    }
    snprintf(text, sizeof(text), "%ld\n", (long)child);
    put(text);
    CHECK_TRUE(!pid_file_write(path, getpid(), why), "one of the same name is refused");
    CHECK_TRUE(strstr(why, "which runs"), "%s", why);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    struct pid_file *file = pid_file_write(path, getpid(), why);
    CHECK_TRUE(file, "it is dead now: %s", why);
    put(text);
    pid_file_remove(file); /* the same file, whatever its contents */
    CHECK_TRUE(access(path, F_OK) != 0, "gone");
}

static void test_places(void)
{
    struct pid_file *file;
    struct stat st;

    CHECK_TRUE(!pid_file_write("/nonexistent/x.pid", getpid(), why), "no folder");
    CHECK_TRUE(strstr(why, "No such file"), "%s", why);
    CHECK_TRUE(!pid_file_write(folder, getpid(), why), "a folder");
    file = pid_file_write(path, getpid(), why);
    CHECK_TRUE(file && stat(path, &st) == 0 && (st.st_mode & 0777) == 0644, "mode");
    unlink(path);
    put("somebody else's\n");
    pid_file_remove(file);
    CHECK_INT(__LINE__, "another's file stays", access(path, F_OK), 0);
    unlink(path);
    file = pid_file_write(path, getpid(), why);
    rename(path, "/tmp/farmstead-pid-moved");
    pid_file_remove(file);
    CHECK_TRUE(stat("/tmp/farmstead-pid-moved", &st) == 0 && st.st_size == 0,
               "what can't be removed names nobody");
    unlink("/tmp/farmstead-pid-moved");
    pid_file_remove(NULL);
}

int main(void)
{
    prctl(PR_SET_NAME, "pid-file-test");
    CHECK_TRUE(mkdtemp(folder), "folder");
    snprintf(path, sizeof(path), "%s/a.pid", folder);
    test_contents();
    test_kinds();
    test_one_that_runs();
    test_places();
    rmdir(folder);
    return check_end("pid_file");
}
