/* SPDX-License-Identifier: MIT */
/* A log begins where no file exists, or continues in a log of its kind; everything else is left as
 * it is. */
#include "log/log_file.c"

#include "check.h"
#include "shell.h"

static char folder[] = "/tmp/farmstead-log-file-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[200];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

#define STAMP "[14/Nov/2023:22:13:20 +0000]"

static const struct {
    const char *name, *text;
    bool is_access, is_error;
} contents[] = {
    {"nothing", "", true, true},
    {"common", "192.0.2.1 - - " STAMP " \"GET / HTTP/1.1\" 200 12\n", true, false},
    {"combined", "::1 - jo " STAMP " \"GET / HTTP/1.1\" 304 - \"-\" \"curl\"\n", true, false},
    {"lighttpd's own", "192.0.2.1 www.example jo " STAMP " \"GET / HTTP/1.1\" 200 5\n", true,
     false},
    {"Apache with a virtual host", "www:80 192.0.2.1 - - " STAMP " \"GET / HTTP/1.1\" 200 5\n",
     true, false},
    {"a user with a space", "192.0.2.1 - frank smith " STAMP " \"-\" 400 0\n", true, false},
    {"our JSON", "{\"time\":\"2023-11-14T22:13:20Z\",\"peer\":\"192.0.2.1\",\"user\":\"\"", true,
     false},
    {"our error log", "2026-11-21T09:14:43.123Z info listening\n", false, true},
    {"our error log, a warning", "2026-11-21T09:14:43.123Z warn x\n", false, true},
    {"a .profile", "# ~/.profile\nexport PATH\n", false, false},
    {"identity.json", "{\"nodeId\":\"n-1\",\"name\":\"edge\"}\n", false, false},
    {"a config", "{\n  \"listen\": []\n}\n", false, false},
    {"authorized_keys", "ssh-ed25519 AAAAC3 root@host\n", false, false},
    {"a line feed", "\n", false, false},
    {"a zero byte", "", false, false},
    {"a time alone", "2026-11-21T09:14:43.123Z ", false, false},
    {"another's error log", "2026/11/21 09:14:43 [error] 1#1: x\n", false, false},
    {"a format of one's own", "a.test 200 2023-11-14T22:13:20Z\n", true, false},
    {"a log further down", "#!/bin/sh\n192.0.2.1 - - " STAMP " \"GET / HTTP/1.1\" 200 12\n", false,
     false},
};

static void write_file(const char *path, const char *text, size_t len)
{
    FILE *file = fopen(path, "w");

    CHECK_TRUE(file && fwrite(text, 1, len, file) == len, "%s", path);
    if (file)
        fclose(file);
}

static off_t size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? st.st_size : -1;
}

static void expect(int line, const char *name, enum log_file_kind kind, int want)
{
    struct log_file_problem problem = {0};
    struct log_file file = {.fd = -1};
    int err = log_file_open(in_folder(name), kind, &file, &problem);

    CHECK_INT(line, name, err, want);
    CHECK_INT(line, "what check says", log_file_look(in_folder(name), kind, &problem), want);
    CHECK_TRUE(want == 0 || (problem.what[0] && problem.hint), "%s: what, and what to do", name);
    if (file.fd >= 0)
        close(file.fd);
}

static void test_contents(void)
{
    for (size_t i = 0; i < ARRAY_LEN(contents); i++) {
        const char *text = contents[i].text, *path = in_folder("file");
        size_t len = strcmp(contents[i].name, "a zero byte") == 0 ? 1 : strlen(text);
        write_file(path, text, len);
        expect((int)i, "file", LOG_FILE_ACCESS, contents[i].is_access ? 0 : UV_EINVAL);
        expect((int)i, "file", LOG_FILE_ERROR, contents[i].is_error ? 0 : UV_EINVAL);
        CHECK_INT((int)i, "nothing is written yet", size_of(in_folder("file")), len);
    }
    unlink(in_folder("file"));
}

static void test_places(void)
{
    shell_in(folder, "mkdir dir; mkfifo fifo; touch real; ln -s real link; ln -s none dangling; "
                     "ln -s /dev/null device; touch twice; ln twice second");
    expect(__LINE__, "dir", LOG_FILE_ACCESS, UV_EISDIR);
    expect(__LINE__, "fifo", LOG_FILE_ACCESS, UV_EINVAL);
    expect(__LINE__, "link", LOG_FILE_ACCESS, UV_ELOOP);
    expect(__LINE__, "dangling", LOG_FILE_ERROR, UV_ELOOP);
    expect(__LINE__, "device", LOG_FILE_ERROR, UV_ELOOP);
    expect(__LINE__, "../../dev/null", LOG_FILE_ERROR, UV_EINVAL);
    expect(__LINE__, "../../dev/stderr", LOG_FILE_ERROR, UV_ELOOP);
    expect(__LINE__, "twice", LOG_FILE_ACCESS, UV_EINVAL);
    expect(__LINE__, "none/log", LOG_FILE_ACCESS, UV_ENOENT);
    expect(__LINE__, "real/log", LOG_FILE_ACCESS, UV_ENOTDIR);
    CHECK_INT(__LINE__, "made by nobody", size_of(in_folder("none")), -1);
}

static void test_a_new_file(void)
{
    struct log_file_problem problem;
    struct stat st = {0};
    struct log_file file = {.fd = -1};

    CHECK_INT(__LINE__, "check makes none",
              log_file_look(in_folder("new"), LOG_FILE_ACCESS, &problem), UV_ENOENT);
    CHECK_INT(__LINE__, "none", size_of(in_folder("new")), -1);
    CHECK_INT(__LINE__, "made", log_file_open(in_folder("new"), LOG_FILE_ACCESS, &file, &problem),
              0);
    CHECK_TRUE(file.is_made, "by us");
    CHECK_INT(__LINE__, "the mode", fstat(file.fd, &st) == 0 ? st.st_mode & 0777 : 0, 0640);
    CHECK_INT(__LINE__, "for appending", fcntl(file.fd, F_GETFL) & (O_APPEND | O_ACCMODE),
              O_APPEND | O_RDWR);
    CHECK_INT(__LINE__, "not for children", fcntl(file.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    close(file.fd);
    CHECK_INT(__LINE__, "again", log_file_open(in_folder("new"), LOG_FILE_ACCESS, &file, &problem),
              0);
    CHECK_TRUE(!file.is_made, "it was there");
    close(file.fd);
}

static void test_whether_it_was_moved(void)
{
    struct log_file_problem problem;
    struct log_file file = {.fd = -1};
    char path[64];

    snprintf(path, sizeof(path), "%s", in_folder("held"));
    CHECK_INT(__LINE__, "open", log_file_open(path, LOG_FILE_ERROR, &file, &problem), 0);
    CHECK_TRUE(log_file_is_at(path, &file), "it is where it was");
    CHECK_INT(__LINE__, "move", rename(path, in_folder("held.1")), 0);
    CHECK_TRUE(!log_file_is_at(path, &file), "nothing is there");
    shell_in(folder, "touch held");
    CHECK_TRUE(!log_file_is_at(path, &file), "another one is there");
    shell_in(folder, "rm held; ln -s held.1 held");
    CHECK_TRUE(!log_file_is_at(path, &file), "a link to it is not it");
    close(file.fd);
}

/* A folder may have been replaced by a link after the config was checked. */
static void test_bounds(void)
{
    struct config_errors errors = {0};
    struct log_file_problem problem = {0};
    struct log_file file = {.fd = -1};
    char text[128];

    shell_in(folder, "mkdir logs elsewhere; ln -s ../elsewhere logs/sub");
    snprintf(text, sizeof(text), "{\"logs\": [\"%s/logs\"]}", folder);
    bounds_set(owner_policy_parse(text, strlen(text), &errors), "", NULL);
    CHECK_INT(__LINE__, "in it",
              log_file_open(in_folder("logs/a"), LOG_FILE_ERROR, &file, &problem), 0);
    close(file.fd);
    CHECK_INT(__LINE__, "by a link",
              log_file_open(in_folder("logs/sub/a"), LOG_FILE_ERROR, &file, &problem), UV_EACCES);
    CHECK_INT(__LINE__, "code", problem.code, CONFIG_CODE_POLICY);
    CHECK_INT(__LINE__, "nothing is left behind", size_of(in_folder("elsewhere/a")), -1);
    bounds_clear();
}

int main(void)
{
    umask(022);
    CHECK_TRUE(mkdtemp(folder), "folder");
    test_contents();
    test_places();
    test_a_new_file();
    test_whether_it_was_moved();
    test_bounds();
    shell_in(folder, "rm -rf dir fifo real link dangling device twice second new");
    rmdir(folder);
    return check_end("log_file");
}
