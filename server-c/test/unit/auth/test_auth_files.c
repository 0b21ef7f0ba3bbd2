/* SPDX-License-Identifier: MIT */
/* Files that change, break and are repaired while in use; the test sets the clock. */
#include "auth/auth_files.c"

#include "check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define HASH "$2y$04$KBCwKxOzLha2MUDgW0PjXexpfJpcmyhZB2fRGE3GraFO6JmGHqpYq"

static char folder[] = "/tmp/farmstead-auth-files-XXXXXX";
static char path[64];

static void write_users(const char *text)
{
    FILE *file = fopen(path, "w");

    fputs(text, file);
    fclose(file);
}

static bool has_user(struct auth_files *files, struct auth_file *file, const char *name)
{
    struct htpasswd *users = auth_file_users(files, file);
    bool found = users && htpasswd_find(users, (struct span){name, strlen(name)});

    htpasswd_put(users);
    return found;
}

static enum auth_file_state state_of(struct auth_files *files, struct auth_file *file)
{
    struct htpasswd *users;
    enum auth_file_state state = auth_file_state(files, file, &users);

    CHECK_INT(__LINE__, "users when ready", users != NULL, state == AUTH_FILE_READY);
    htpasswd_put(users);
    return state;
}

static void test_life_of_a_file(struct auth_files *files)
{
    struct auth_file *file = auth_files_find(files, path);

    CHECK_TRUE(auth_files_find(files, path) == file, "the same one");
    auth_file_put(files, file);
    CHECK_INT(__LINE__, "nobody looked", state_of(files, file), AUTH_FILE_STALE);
    auth_file_look(files, file);
    CHECK_INT(__LINE__, "missing", state_of(files, file), AUTH_FILE_BROKEN);
    CHECK_TRUE(file->warned_ns != 0, "it was said");

    write_users("zoe:" HASH "\n");
    CHECK_INT(__LINE__, "nobody looked again", state_of(files, file), AUTH_FILE_BROKEN);
    auth_file_look(files, file);
    CHECK_INT(__LINE__, "mended", state_of(files, file), AUTH_FILE_READY);
    CHECK_TRUE(has_user(files, file, "zoe"), "zoe is in it");
    CHECK_TRUE(file->warned_ns == 0, "the next trouble is said at once");
    CHECK_TRUE(!file->is_settled, "it has just been written");
    CHECK_TRUE(file->fresh_until_ns <= monotonic_ns() + SHORT_TRUST_NS, "so trusted briefly");

    write_users("adam:" HASH "\n"); /* the same size, and perhaps the same time */
    auth_file_look(files, file);
    CHECK_TRUE(has_user(files, file, "adam") && !has_user(files, file, "zoe"), "read again");
    write_users("adam:sesame\n");
    auth_file_look(files, file);
    CHECK_INT(__LINE__, "a line we can't take", state_of(files, file), AUTH_FILE_BROKEN);
    CHECK_TRUE(!has_user(files, file, "adam"), "lets nobody in");
    file->fresh_until_ns = monotonic_ns();
    CHECK_INT(__LINE__, "time is over", state_of(files, file), AUTH_FILE_STALE);
    auth_file_put(files, file);
}

static void test_settled_file(struct auth_files *files)
{
    struct auth_file *file = auth_files_find(files, path);
    struct htpasswd *before, *after;

    write_users("zoe:" HASH "\n");
    auth_file_look(files, file);
    file->is_settled = true; /* as if it had been read long after it was written */
    file->fresh_until_ns = 0;
    before = auth_file_users(files, file);
    auth_file_look(files, file);
    after = auth_file_users(files, file);
    CHECK_TRUE(before == after, "unchanged: not read again");
    CHECK_TRUE(file->fresh_until_ns > monotonic_ns() + SHORT_TRUST_NS, "and trusted in full");
    htpasswd_put(before);
    htpasswd_put(after);
    write_users("eve:" HASH "\nzoe:" HASH "\n");
    auth_file_look(files, file);
    CHECK_TRUE(has_user(files, file, "eve"), "changed: read again");
    file->is_settled = true;
    remove(path);
    auth_file_look(files, file);
    CHECK_INT(__LINE__, "gone", state_of(files, file), AUTH_FILE_BROKEN);
    auth_file_put(files, file);
}

static void test_claim(struct auth_files *files)
{
    struct auth_file *file = auth_files_find(files, path);

    write_users("zoe:" HASH "\n");
    auth_file_look(files, file);
    CHECK_TRUE(!auth_file_claim(files, file), "just looked at");
    file->looked_ns = monotonic_ns() - 3 * NS_PER_SECOND;
    file->fresh_until_ns = monotonic_ns() + 2 * NS_PER_SECOND;
    CHECK_TRUE(auth_file_claim(files, file), "more than half is over");
    CHECK_TRUE(!auth_file_claim(files, file), "one only");
    auth_file_unclaim(files, file);
    CHECK_TRUE(auth_file_claim(files, file), "the other could not");
    auth_file_look(files, file);
    file->looked_ns = 0;
    CHECK_TRUE(auth_file_claim(files, file), "a look ends a claim");
    auth_file_put(files, file);
}

static void test_news(struct auth_files *files)
{
    struct auth_file *file = auth_files_find(files, "/no/such/file");
    const uint64_t now = 1000 * NS_PER_SECOND;

    CHECK_TRUE(is_news(file, now), "broken");
    CHECK_TRUE(!is_news(file, now + WARN_EVERY_NS - 1), "said already");
    CHECK_TRUE(is_news(file, now + WARN_EVERY_NS), "still broken after a minute");
    auth_file_put(files, file);
}

static void test_bound(struct auth_files *files)
{
    struct auth_file *held = auth_files_find(files, "/held");

    for (int i = 0; i < 3 * AUTH_FILES_MAX; i++) {
        char name[32];

        snprintf(name, sizeof(name), "/%d", i);
        auth_file_put(files, auth_files_find(files, name));
        CHECK_TRUE(files->count <= AUTH_FILES_MAX, "%zu files", files->count);
    }
    CHECK_TRUE(find(files, "/held") == held, "one that is held stays");
    CHECK_TRUE(!find(files, "/0"), "the oldest is gone");
    auth_file_get(files, held);
    auth_file_put(files, held);
    auth_file_put(files, held);
}

static void test_expiry(struct auth_files *files)
{
    struct auth_file *file = auth_files_find(files, path);

    write_users("zoe:" HASH "\n");
    auth_file_look(files, file);
    CHECK_INT(__LINE__, "looked at", state_of(files, file), AUTH_FILE_READY);
    auth_files_expire(files);
    CHECK_INT(__LINE__, "before somebody said it changed", state_of(files, file), AUTH_FILE_STALE);
    auth_file_look(files, file);
    CHECK_INT(__LINE__, "and after", state_of(files, file), AUTH_FILE_READY);
    file->looked_ns = files->expired_ns - 1;
    CHECK_INT(__LINE__, "a look that began before", state_of(files, file), AUTH_FILE_STALE);
    auth_file_put(files, file);
}

/* Swallows the log's lines about refusals, which are expected here. */
static void hush(const char *line, size_t len)
{
    (void)line, (void)len;
}

int main(void)
{
    struct auth_files *files = auth_files_new();

    CHECK_TRUE(mkdtemp(folder) != NULL, "%s", folder);
    log_divert(hush);
    snprintf(path, sizeof(path), "%s/users", folder);
    test_life_of_a_file(files);
    test_settled_file(files);
    test_claim(files);
    test_expiry(files);
    test_news(files);
    test_bound(files);
    auth_files_free(files);
    auth_files_free(NULL);
    remove(path);
    rmdir(folder);
    return check_end("auth_files");
}
