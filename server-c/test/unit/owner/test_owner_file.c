/* SPDX-License-Identifier: MIT */
#include "owner/owner_file.c"

#include "check.h"
#include "shell.h"

static char folder[] = "/tmp/farmstead-owner-XXXXXX";
static char path[64];

/* `said` NULL: the file must be accepted. */
static void check_read(int line, const char *name, const char *said)
{
    bool is_missing = false;
    struct buf why;
    struct owner_policy *policy;

    buf_init(&why);
    buf_append_str(&why, "");
    policy = owner_file_read(path, &is_missing, &why);
    CHECK_TRUE((policy != NULL) == (said == NULL), "row %d \"%s\": %s", line, name, why.data);
    CHECK_TRUE(said == NULL || strstr(why.data, said) != NULL, "row %d \"%s\": %s", line, name,
               why.data);
    owner_policy_free(policy);
    buf_fini(&why);
}

/* --- whom it is believed --------------------------------------------------------------------- */

static void test_who_could_have_written_it(void)
{
    static const struct {
        int line;
        const char *name, *script, *said;
    } rows[] = {
        {__LINE__, "ours", "echo '{}' > policy.json && chmod 644 policy.json", NULL},
        {__LINE__, "a group's", "chmod 664 policy.json", "others may change this policy"},
        {__LINE__, "everybody's", "chmod 646 policy.json", "others may change this policy"},
        {__LINE__, "in a folder of everybody", "chmod 644 policy.json && chmod 777 .",
         "others may put another policy"},
        {__LINE__, "in a sticky folder", "chmod 1777 .", NULL},
        {__LINE__, "a folder", "chmod 700 . && rm policy.json && mkdir policy.json",
         "a regular file"},
        {__LINE__, "a FIFO", "rmdir policy.json && mkfifo -m 600 policy.json", "a regular file"},
        {__LINE__, "a device", "rm policy.json && ln -s /dev/zero policy.json", "a regular file"},
        {__LINE__, "too long", "rm policy.json && truncate -s 2M policy.json", "at most 1 MiB"},
        {__LINE__, "wrong", "printf '{\\n \"serve\": 1}' > policy.json",
         "policy.json:2:11: /serve must be a list"},
        {__LINE__, "gone", "rm policy.json", "can't read the policy: No such file"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        shell_in(folder, rows[i].script);
        check_read(rows[i].line, rows[i].name, rows[i].said);
    }
}

static void test_of_another_user(void)
{
    if (geteuid() != 0)
        return;
    shell_in(folder, "echo '{}' > policy.json && chmod 644 policy.json && chown 65534 policy.json");
    check_read(__LINE__, "another's file", "others may change this policy");
    shell_in(folder, "chown 0 policy.json && chown 65534 .");
    check_read(__LINE__, "in another's folder", "others may put another policy");
    shell_in(folder, "chown 0 . && rm policy.json");
}

/* --- the bounds ------------------------------------------------------------------------------ */

static int set_bounds(const char *file, struct buf *why)
{
    buf_init(why);
    buf_append_str(why, "");
    return owner_file_set_bounds(file, "/var/lib/farmstead", why);
}

static void test_bounds_of_a_file(void)
{
    struct buf why;

    shell_in(folder, "echo '{\"serve\": [\"/srv\"]}' > policy.json && chmod 644 policy.json");
    CHECK_INT(__LINE__, "set", set_bounds(path, &why), 0);
    CHECK_STR(__LINE__, "path", bounds_policy_path(), path);
    CHECK_TRUE(bounds_is_own(path), "the policy is nobody's to write");
    CHECK_TRUE(bounds_is_own("/var/lib/farmstead/identity.json"), "nor is the state");
    CHECK_INT(__LINE__, "users", bounds_policy()->lists[OWNER_USERS].count, 0);
    buf_fini(&why);
    shell_in(folder, "echo '{\"serv\": []}' > policy.json");
    CHECK_INT(__LINE__, "wrong", set_bounds(path, &why), -1);
    buf_fini(&why);
    shell_in(folder, "rm policy.json");
    CHECK_INT(__LINE__, "named and not there", set_bounds(path, &why), -1);
    buf_fini(&why);
    bounds_clear();
}

/* --- writing --------------------------------------------------------------------------------- */

static int write_built_in(const char *to, struct buf *why)
{
    struct owner_policy *policy = owner_policy_built_in();
    int err;

    buf_init(why);
    buf_append_str(why, "");
    err = owner_file_write(to, policy, why);
    owner_policy_free(policy);
    return err;
}

static void test_writing(void)
{
    char deep[96];
    struct stat st;
    struct buf why;

    CHECK_INT(__LINE__, "new", write_built_in(path, &why), 0);
    buf_fini(&why);
    check_read(__LINE__, "what was written", NULL);
    CHECK_TRUE(stat(path, &st) == 0 && (st.st_mode & 0777) == 0644, "mode");
    shell_in(folder, "echo '{}' > policy.json");
    CHECK_INT(__LINE__, "there already", write_built_in(path, &why), 1);
    buf_fini(&why);
    shell_in(folder, "test \"$(cat policy.json)\" = '{}' && test $(ls | wc -l) = 1");
    snprintf(deep, sizeof(deep), "%s/farmstead/policy.json", folder);
    CHECK_INT(__LINE__, "its folder is made", write_built_in(deep, &why), 0);
    buf_fini(&why);
    CHECK_INT(__LINE__, "no place", write_built_in("/proc/farmstead/policy.json", &why), -1);
    CHECK_TRUE(strstr(why.data, "can't write the policy") != NULL, "%s", why.data);
    buf_fini(&why);
}

int main(void)
{
    CHECK_TRUE(mkdtemp(folder) != NULL, "%s", folder);
    snprintf(path, sizeof(path), "%s/policy.json", folder);
    test_who_could_have_written_it();
    test_of_another_user();
    test_bounds_of_a_file();
    test_writing();
    shell_in(folder, "rm -rf \"$PWD\"");
    return check_end("owner_file");
}
