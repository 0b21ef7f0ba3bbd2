/* SPDX-License-Identifier: MIT */
#include "files/served_file.c"

#include "check.h"
#include "shell.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static char folder[] = "/tmp/farmstead-served-XXXXXX";

static char *in_folder(const char *name)
{
    static char path[96];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void check_served(int line, const struct kept_files *kept, const char *name, bool want)
{
    struct stat st = {0};
    int fd = open(in_folder(name), O_RDONLY | O_CLOEXEC);

    CHECK_TRUE(fd >= 0 && fstat(fd, &st) == 0, "row %d: %s", line, name);
    CHECK_INT(line, name, served_file_is_allowed(kept, fd, &st), want);
    if (fd >= 0)
        close(fd);
}

static struct kept_files *keep_key(void)
{
    struct config_signed_url signed_url = {.secret_file = in_folder("keys/k")};
    struct config_site site = {.signed_urls = &signed_url, .signed_url_count = 1};
    struct config cfg = {.sites = &site, .site_count = 1};

    return kept_files_new(&cfg);
}

static void test_keys(void)
{
    struct kept_files *kept = keep_key();

    check_served(__LINE__, kept, "www/a", true);
    check_served(__LINE__, kept, "keys/k", false);
    check_served(__LINE__, kept, "www/link", false);
    check_served(__LINE__, kept, "www/second-name", false);
    shell_in(folder, "echo new > keys/n && mv keys/n keys/k");
    check_served(__LINE__, kept, "keys/k", false); /* the one that has taken its place */
    check_served(__LINE__, kept, "www/link", false);
    CHECK_TRUE(kept_files_new(&(struct config){0}) == NULL, "no keys, no list");
    kept_files_free(kept);
}

static void test_all_kinds(void)
{
    char key[96], certificate[96], list[96];
    struct config_signed_url signed_url = {.secret_file = key};
    struct config_certificate certificates[] = {{.key_file = certificate},
                                                {.key_file = certificate}};
    struct config_site site = {.signed_urls = &signed_url,
                               .signed_url_count = 1,
                               .certificates = certificates,
                               .certificate_count = ARRAY_LEN(certificates),
                               .redirect_file = list};
    struct config cfg = {.sites = &site, .site_count = 1};
    struct kept_files *kept;

    strcpy(key, in_folder("keys/k"));
    strcpy(certificate, in_folder("keys/tls"));
    strcpy(list, in_folder("www/redirects"));
    shell_in(folder, "echo tls > keys/tls && echo /a /b > www/redirects");
    kept = kept_files_new(&cfg);
    CHECK_INT(__LINE__, "each is kept", kept->count, 4);
    check_served(__LINE__, kept, "keys/k", false);
    check_served(__LINE__, kept, "keys/tls", false);
    check_served(__LINE__, kept, "www/redirects", false);
    check_served(__LINE__, kept, "www/a", true);
    kept_files_free(kept);
    site.signed_url_count = 0;
    site.redirect_file = NULL;
    kept = kept_files_new(&cfg);
    CHECK_TRUE(kept != NULL, "keys of certificates alone are kept");
    check_served(__LINE__, kept, "keys/tls", false);
    kept_files_free(kept);
}

/* Creates files until one has the inode number of the key that is gone, which mostly is the next
 * one. */
static void test_a_number_used_again(void)
{
    struct kept_files *kept = keep_key();
    ino_t key = kept->items[0].inode;
    struct stat st = {0};

    shell_in(folder, "rm -f keys/k www/second-name");
    for (int i = 0; i < 100 && st.st_ino != key; i++) {
        char name[32];
        int fd;
        snprintf(name, sizeof(name), "www/new-%d", i);
        fd = open(in_folder(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
        CHECK_TRUE(fd >= 0 && fstat(fd, &st) == 0, "%s", name);
        close(fd);
        check_served(i, kept, name, true);
    }
    kept_files_free(kept);
}

static void test_own_files(void)
{
    bounds_set(NULL, "", in_folder("state"));
    check_served(__LINE__, NULL, "www/a", true);
    check_served(__LINE__, NULL, "state/identity.json", false);
    check_served(__LINE__, NULL, "state", false);
    check_served(__LINE__, NULL, "www/state/identity.json", false);
    bounds_clear();
    check_served(__LINE__, NULL, "state/identity.json", true);
}

static void test_policy(void)
{
    struct config_errors errors = {0};
    char text[128];

    snprintf(text, sizeof(text), "{\"serve\": [\"%s/www\"]}", folder);
    bounds_set(owner_policy_parse(text, strlen(text), &errors), "", NULL);
    check_served(__LINE__, NULL, "www/a", true);
    check_served(__LINE__, NULL, "www", true);
    check_served(__LINE__, NULL, "keys/k", false);
    check_served(__LINE__, NULL, "www/link", false);
    check_served(__LINE__, NULL, "www2/a", false);
    bounds_clear();
}

int main(void)
{
    CHECK_TRUE(mkdtemp(folder) != NULL, "%s", folder);
    shell_in(folder,
             "mkdir www www2 keys state && touch www/a www2/a keys/k state/identity.json && "
             "ln -s ../keys/k www/link && ln keys/k www/second-name && ln -s ../state www");
    test_keys();
    test_all_kinds();
    test_own_files();
    test_policy();
    test_a_number_used_again();
    shell_in(folder, "rm -rf \"$PWD\"");
    return check_end("served_file");
}
