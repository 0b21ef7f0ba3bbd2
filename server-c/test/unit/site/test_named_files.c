/* SPDX-License-Identifier: MIT */
/* The files that a config names, read from disk: what is kept when one becomes unusable, and when a
 * change counts. */
#include "base/util.h"

static int64_t seconds_later;

static int64_t test_clock(void)
{
    return wall_clock_seconds() + seconds_later;
}

#define wall_clock_seconds test_clock
#include "site/named_files.c"

#include "check.h"
#include "tls_pki.h"

#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#define S(text) ((char *)(uintptr_t)(text))
#define FIRST "the first key of all"
#define SECOND "a second and longer key"

static char folder[] = "/tmp/farmstead-named-XXXXXX";
static char path[64], other[64];

static struct config_signed_url rules[] = {
    {.secret_file = path}, {.secret_file = other}, {.secret_file = path}};
static struct config_site site = {.signed_urls = rules, .signed_url_count = ARRAY_LEN(rules)};
static struct config cfg = {.sites = &site, .site_count = 1};

static void write_key(const char *where, const char *text)
{
    FILE *file = fopen(where, "w");

    fputs(text, file);
    fclose(file);
    chmod(where, 0600);
}

static const struct named_file *key_of(const struct named_files *files)
{
    return named_files_find(files, NAMED_KEY, path, NULL);
}

static bool is_key(const struct named_files *files, const char *text)
{
    const struct named_file *file = key_of(files);

    return file->len == strlen(text) && memcmp(file->bytes, text, file->len) == 0;
}

static void test_sets(void)
{
    struct named_files first, second, third;

    write_key(path, FIRST "\n");
    named_files_read(&first, &cfg, NULL);
    CHECK_INT(__LINE__, "each file once", first.count, 2);
    CHECK_TRUE(is_key(&first, FIRST), "read");
    CHECK_INT(__LINE__, "one was never there", named_files_unusable(&first), 1);
    CHECK_INT(__LINE__, "", named_files_find(&first, NAMED_KEY, other, NULL)->len, 0);
    CHECK_TRUE(named_files_find(&first, NAMED_KEY, "/elsewhere", NULL) == NULL, "not named");

    named_files_read(&second, &cfg, &first);
    CHECK_TRUE(named_files_equal(&first, &second), "nothing has changed");
    named_files_fini(&second);

    write_key(path, "short");
    named_files_read(&second, &cfg, &first);
    CHECK_INT(__LINE__, "can't be used", key_of(&second)->err, UV_EINVAL);
    CHECK_TRUE(is_key(&second, FIRST), "and is what it was");
    CHECK_TRUE(!named_files_equal(&first, &second), "which is something to say");
    named_files_read(&third, &cfg, &second);
    CHECK_TRUE(is_key(&third, FIRST), "however often it is read");
    named_files_fini(&third);
    named_files_read(&third, &cfg, NULL);
    CHECK_INT(__LINE__, "without a past there is none", key_of(&third)->len, 0);
    named_files_fini(&third);

    write_key(path, SECOND);
    named_files_read(&third, &cfg, &second);
    CHECK_TRUE(is_key(&third, SECOND) && key_of(&third)->err == 0, "mended");
    chmod(path, 0644);
    named_files_fini(&second);
    named_files_read(&second, &cfg, &third);
    CHECK_TRUE(key_of(&second)->is_exposed && !named_files_equal(&second, &third), "exposed");
    named_files_fini(&first);
    named_files_fini(&second);
    named_files_fini(&third);
}

/* True: `files` is now the next set. */
static bool look_on(struct named_watch *watch, struct named_files *files)
{
    struct named_files next;

    if (!named_watch_look(watch, files, &next))
        return false;
    named_files_fini(files);
    *files = next;
    return true;
}

static void test_watch(void)
{
    struct named_files files;
    struct named_watch watch;

    write_key(path, FIRST);
    write_key(other, FIRST);
    named_files_read(&files, &cfg, NULL);
    named_watch_init(&watch, &files);
    for (int i = 0; i < 3; i++)
        CHECK_TRUE(!look_on(&watch, &files), "look %d: nothing has changed", i);

    write_key(path, SECOND);
    CHECK_TRUE(!look_on(&watch, &files) && is_key(&files, FIRST), "it may be half written");
    CHECK_TRUE(look_on(&watch, &files) && is_key(&files, SECOND), "the same in two looks");

    write_key(path, "a second and longer kez"); /* the same size, and perhaps the same time */
    CHECK_TRUE(look_on(&watch, &files) || look_on(&watch, &files), "seen all the same");
    CHECK_TRUE(is_key(&files, "a second and longer kez"), "and read");

    unlink(path);
    CHECK_TRUE(!look_on(&watch, &files), "a new one may be on its way");
    CHECK_TRUE(look_on(&watch, &files), "gone");
    CHECK_INT(__LINE__, "why", key_of(&files)->err, UV_ENOENT);
    CHECK_TRUE(is_key(&files, "a second and longer kez"), "and still in force");
    CHECK_TRUE(!look_on(&watch, &files), "said once");
    write_key(path, FIRST);
    CHECK_TRUE(!look_on(&watch, &files) && look_on(&watch, &files), "there again");
    CHECK_TRUE(is_key(&files, FIRST) && named_files_unusable(&files) == 0, "and in use");
    named_watch_fini(&watch);
    named_files_fini(&files);
}

/* --- certificates ---------------------------------------------------------------------------- */

static char chain_path[64], key_path[64], authorities_path[64];
static struct config_certificate certificates[] = {
    {.name = S(""), .chain_file = chain_path, .key_file = key_path},
    {.name = S(""), .chain_file = chain_path, .key_file = key_path}};
static struct config_site secure_site = {
    .certificates = certificates,
    .certificate_count = ARRAY_LEN(certificates),
    .client_certificates = {CLIENT_CERTIFICATES_OPTIONAL, authorities_path}};
static struct config secure = {.sites = &secure_site, .site_count = 1};

static void write_text(const char *where, const struct buf *text, size_t len)
{
    FILE *file = fopen(where, "w");

    fwrite(text->data, 1, len, file);
    fclose(file);
    chmod(where, 0600);
}

static const struct named_file *certificate_of(const struct named_files *files)
{
    return named_files_find(files, NAMED_CERTIFICATE, chain_path, key_path);
}

static bool is_pair(const struct named_files *files, const struct pki_pair *pair)
{
    const struct named_file *file = certificate_of(files);
    struct span chain = named_file_chain(file), key = named_file_key(file);

    return chain.len == pair->chain.len && memcmp(chain.ptr, pair->chain.data, chain.len) == 0 &&
           key.len == pair->key_text.len && memcmp(key.ptr, pair->key_text.data, key.len) == 0;
}

static enum tls_fault fault_of(const struct named_files *files)
{
    return (enum tls_fault)(FAULT_BASE - certificate_of(files)->err);
}

static void write_pair(const struct pki_pair *pair)
{
    write_text(chain_path, &pair->chain, pair->chain.len);
    write_text(key_path, &pair->key_text, pair->key_text.len);
}

static void read_again(struct named_files *files)
{
    struct named_files next;

    named_files_read(&next, &secure, files);
    named_files_fini(files);
    *files = next;
}

static void test_pairs(const struct pki_pair *first, const struct pki_pair *second)
{
    struct named_files files;

    write_pair(first);
    write_text(authorities_path, &first->chain, first->chain.len);
    named_files_read(&files, &secure, NULL);
    CHECK_INT(__LINE__, "each once", files.count, 2);
    CHECK_INT(__LINE__, "usable", named_files_unusable(&files), 0);
    CHECK_TRUE(is_pair(&files, first), "read");
    CHECK_INT(__LINE__, "", certificate_of(&files)->remark.fault, TLS_FAULT_NONE);
    CHECK_TRUE(named_files_find(&files, NAMED_CERTIFICATE, chain_path, chain_path) == NULL &&
                   named_files_find(&files, NAMED_CERTIFICATE, chain_path, NULL) == NULL,
               "a pair is known by both");

    write_text(chain_path, &second->chain, second->chain.len);
    read_again(&files);
    CHECK_INT(__LINE__, "half a pair", fault_of(&files), TLS_FAULT_KEY_OF_ANOTHER);
    CHECK_TRUE(is_pair(&files, first), "what it was");
    write_text(key_path, &second->key_text, second->key_text.len);
    read_again(&files);
    CHECK_TRUE(is_pair(&files, second) && certificate_of(&files)->err == 0, "the whole");

    write_text(key_path, &first->key_text, first->key_text.len); /* the key before the chain */
    read_again(&files);
    CHECK_TRUE(is_pair(&files, second) && certificate_of(&files)->err != 0, "half a pair");
    write_text(key_path, &first->key_text, 100);
    read_again(&files);
    CHECK_INT(__LINE__, "half a file", fault_of(&files), TLS_FAULT_BAD_KEY);
    unlink(key_path);
    read_again(&files);
    CHECK_INT(__LINE__, "none", certificate_of(&files)->err, UV_ENOENT);
    CHECK_TRUE(is_pair(&files, second), "still");
    write_pair(first);
    chmod(chain_path, 0644);
    read_again(&files);
    CHECK_TRUE(is_pair(&files, first) && !certificate_of(&files)->is_exposed,
               "a chain is for everybody");
    chmod(key_path, 0644);
    read_again(&files);
    CHECK_TRUE(certificate_of(&files)->is_exposed, "a key is not");
    named_files_fini(&files);

    write_text(authorities_path, &first->key_text, first->key_text.len);
    named_files_read(&files, &secure, NULL);
    CHECK_INT(__LINE__, "no authorities", named_files_unusable(&files), 1);
    CHECK_INT(__LINE__, "nor bytes",
              named_files_find(&files, NAMED_AUTHORITIES, authorities_path, NULL)->len, 0);
    named_files_fini(&files);
}

/* What is said of a certificate changes with what it is. */
static void test_remarks(const struct pki_pair *first)
{
    struct named_files files;
    X509 *old = pki_certificate_of(&(struct pki_wish){
        .name = "old", .key = first->key, .from = time(NULL) - 99, .to = time(NULL) - 9});
    struct buf text;

    buf_init(&text);
    pki_append(&text, old);
    write_pair(first);
    named_files_read(&files, &secure, NULL);
    write_text(chain_path, &text, text.len);
    read_again(&files);
    CHECK_INT(__LINE__, "used all the same", certificate_of(&files)->err, 0);
    CHECK_INT(__LINE__, "remarked", certificate_of(&files)->remark.fault, TLS_FAULT_EXPIRED);
    write_text(chain_path, &text, 50);
    read_again(&files);
    CHECK_INT(__LINE__, "the one that stays", certificate_of(&files)->remark.fault,
              TLS_FAULT_EXPIRED);
    write_pair(first);
    read_again(&files);
    CHECK_INT(__LINE__, "mended", certificate_of(&files)->remark.fault, TLS_FAULT_NONE);
    named_files_fini(&files);
    buf_fini(&text);
    X509_free(old);
}

static void test_watched_pair(const struct pki_pair *first, const struct pki_pair *second)
{
    struct named_files files;
    struct named_watch watch;

    write_pair(first);
    write_text(authorities_path, &first->chain, first->chain.len);
    named_files_read(&files, &secure, NULL);
    named_watch_init(&watch, &files);
    while (look_on(&watch, &files))
        ;
    write_pair(second);
    CHECK_TRUE(!look_on(&watch, &files), "it may be half written");
    CHECK_TRUE(look_on(&watch, &files) && is_pair(&files, second), "both at once");
    write_text(key_path, &first->key_text, first->key_text.len);
    CHECK_TRUE(!look_on(&watch, &files), "the key is looked at, too");
    CHECK_TRUE(look_on(&watch, &files) && is_pair(&files, second), "half a pair is said");
    write_text(chain_path, &first->chain, first->chain.len);
    CHECK_TRUE(!look_on(&watch, &files), "the other half");
    CHECK_TRUE(look_on(&watch, &files) && is_pair(&files, first), "is the pair");
    CHECK_INT(__LINE__, "usable", named_files_unusable(&files), 0);
    named_watch_fini(&watch);
    named_files_fini(&files);
}

static void test_certificates(void)
{
    struct pki_pair first, second;

    snprintf(chain_path, sizeof(chain_path), "%s/chain.pem", folder);
    snprintf(key_path, sizeof(key_path), "%s/key.pem", folder);
    snprintf(authorities_path, sizeof(authorities_path), "%s/people.pem", folder);
    pki_pair_init(&first, PKI_P256, "DNS:a.test");
    pki_pair_init(&second, PKI_RSA, "DNS:a.test");
    test_pairs(&first, &second);
    test_remarks(&first);
    test_watched_pair(&first, &second);
    pki_pair_fini(&first);
    pki_pair_fini(&second);
    unlink(chain_path);
    unlink(key_path);
    unlink(authorities_path);
}

static struct config_site moved = {.redirect_file = path};
static struct config moves = {.sites = &moved, .site_count = 1};

static bool leads(const struct named_files *files, size_t count)
{
    const struct redirect_list *list = files->items[0].redirects;

    return list && redirect_list_count(list) == count;
}

static void test_redirects(void)
{
    struct named_files first, second, third;

    write_key(path, "/a /b\n/c /d\n");
    named_files_read(&first, &moves, NULL);
    CHECK_TRUE(first.count == 1 && leads(&first, 2), "read");
    named_files_read(&second, &moves, &first);
    CHECK_TRUE(first.items[0].redirects == second.items[0].redirects, "the same list, not a copy");
    CHECK_TRUE(named_files_equal(&first, &second), "nothing has changed");
    named_files_fini(&second);

    write_key(path, "/a /b\n/c\n");
    named_files_read(&second, &moves, &first);
    CHECK_STR(__LINE__, "what is wrong", second.items[0].wrong,
              "is wrong in line 2, column 3: the address to go to is missing");
    CHECK_TRUE(leads(&second, 2) && named_files_unusable(&second) == 1, "the rules from before");
    write_key(path, "/a\n");
    named_files_read(&third, &moves, &second);
    CHECK_TRUE(leads(&third, 2), "still");
    CHECK_TRUE(!named_files_equal(&second, &third), "another mistake is something to say");
    named_files_fini(&third);
    named_files_read(&third, &moves, NULL);
    CHECK_TRUE(!third.items[0].redirects, "without a past there is none");
    named_files_fini(&third);

    write_key(path, "/e /f\n");
    named_files_read(&third, &moves, &second);
    CHECK_TRUE(leads(&third, 1) && !third.items[0].wrong, "mended");
    CHECK_TRUE(!named_files_equal(&second, &third), "which is a change");
    named_files_fini(&first);
    CHECK_TRUE(leads(&second, 2), "who holds a list keeps it");
    named_files_fini(&second);
    named_files_fini(&third);
}

static void test_gone_before_the_first_look(void)
{
    struct named_files files;
    struct named_watch watch;

    write_key(path, "/a /b\n");
    named_files_read(&files, &moves, NULL);
    unlink(path);
    named_watch_init(&watch, &files);
    CHECK_TRUE(look_on(&watch, &files), "seen");
    CHECK_INT(__LINE__, "gone", files.items[0].err, UV_ENOENT);
    CHECK_TRUE(leads(&files, 1), "the rules stay");
    named_watch_fini(&watch);
    named_files_fini(&files);
}

/* A mistake does not have a long file read again each second. */
static void test_watched_redirects(void)
{
    struct named_files files;
    struct named_watch watch;

    write_key(path, "/a /b\n");
    named_files_read(&files, &moves, NULL);
    named_watch_init(&watch, &files);
    while (look_on(&watch, &files))
        ;
    write_key(path, "/a\n/c /d\n");
    CHECK_TRUE(!look_on(&watch, &files), "it may be half written");
    CHECK_TRUE(look_on(&watch, &files) && files.items[0].wrong, "it is wrong");
    CHECK_TRUE(leads(&files, 1), "and changes nothing");
    CHECK_TRUE(watch.stamps[0].is_due, "it may change within one tick of the clock");
    seconds_later = SETTLED_SECONDS + 1;
    CHECK_TRUE(!look_on(&watch, &files), "read once more");
    CHECK_TRUE(!watch.stamps[0].is_due && !look_on(&watch, &files), "and then not any more");
    CHECK_TRUE(files.items[0].wrong && leads(&files, 1), "which changes nothing");
    seconds_later = 0;
    write_key(path, "/a /b\n/c /d\n");
    CHECK_TRUE(!look_on(&watch, &files), "a change is seen");
    CHECK_TRUE(look_on(&watch, &files) && leads(&files, 2), "and taken");
    named_watch_fini(&watch);
    named_files_fini(&files);
}

int main(void)
{
    CHECK_TRUE(mkdtemp(folder) != NULL, "%s", folder);
    snprintf(path, sizeof(path), "%s/key", folder);
    snprintf(other, sizeof(other), "%s/other", folder);
    test_sets();
    test_watch();
    test_redirects();
    test_gone_before_the_first_look();
    test_watched_redirects();
    test_certificates();
    unlink(path);
    unlink(other);
    rmdir(folder);
    return check_end("named_files");
}
