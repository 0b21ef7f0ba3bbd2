/* SPDX-License-Identifier: MIT */
/* Which folders on the path are watched, and for which results all changes would be reported. */
#include "files/folder_chain.c"

#include "check.h"
#include "shell.h"

#include <stdlib.h>
#include <sys/mount.h>

static char root[] = "/tmp/farmstead-chain-XXXXXX";
static char html[] = "index.html", gz[] = "gzip", br[] = "br";
static char *index_names[] = {html}, *codings[] = {gz, br};
static const struct config_site site = {
    .index = index_names, .index_count = 1, .precompressed = codings, .precompressed_count = 2};

static void run(struct folder_chain *chain, const char *folder, const char *path)
{
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

    chain->inotify = inotify_init1(IN_CLOEXEC);
    chain->folder = -1;
    folder_chain_begin(chain, fd, path);
    folder_chain_end(chain, &site, path);
    close(chain->inotify);
    close(fd);
}

static void test_reported(void)
{
    const struct {
        int line;
        const char *path;
        size_t watched_len;
        bool is_reported;
    } rows[] = {
        {__LINE__, "/a.js", 1, true},
        {__LINE__, "/missing", 1, true},
        {__LINE__, "/missing/deeper/x", 1, true},
        {__LINE__, "/a.js/x", 1, true}, /* a file is not a folder, until it is replaced */
        {__LINE__, "/d", 1, true},      /* a redirect */
        {__LINE__, "/d/", 3, true},     /* its index */
        {__LINE__, "/d/e/x.js", 5, true},
        {__LINE__, "/d/e/no/x.js", 5, true},
        {__LINE__, "/", 1, true},
        {__LINE__, "/link.js", 1, false},
        {__LINE__, "/dangling", 1, false},
        {__LINE__, "/linked/x.js", 1, false},
        {__LINE__, "/linked/", 1, false},
        {__LINE__, "/twice.js", 1, false},
        {__LINE__, "/coded.js", 1, false}, /* its sibling has a second name */
        {__LINE__, "/odd/", 5, false},     /* its index is a link */
        {__LINE__, "/fifo", 1, true},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct folder_chain chain = {.may_add = FOLDER_CHAIN_MAX};

        run(&chain, root, rows[i].path);
        CHECK_INT(rows[i].line, rows[i].path, chain.is_reported, rows[i].is_reported);
        CHECK_INT(rows[i].line, rows[i].path, chain.watched_len, rows[i].watched_len);
        CHECK_TRUE(chain.has_root && !chain.error && chain.folder == -1, "row %d", rows[i].line);
    }
}

static void test_order(void)
{
    struct folder_chain chain = {.may_add = 2}, deeper, other;

    run(&chain, root, "/d/e/x.js");
    CHECK_INT(__LINE__, "no more than allowed", chain.added_count, 2);
    CHECK_INT(__LINE__, "from above", chain.watched_len, 3);
    CHECK_TRUE(!chain.is_reported, "what lies deeper is not");

    deeper = (struct folder_chain){
        .may_add = 5, .known_len = 3, .device = chain.root_device, .inode = chain.root_inode};
    run(&deeper, root, "/d/e/x.js");
    CHECK_INT(__LINE__, "what is known is not watched again", deeper.added_count, 1);
    CHECK_INT(__LINE__, "only what is beneath", deeper.added[0].len, 5);
    CHECK_TRUE(deeper.is_reported, "and all is");

    other = (struct folder_chain){
        .may_add = 5, .known_len = 5, .device = chain.root_device, .inode = chain.root_inode + 1};
    run(&other, root, "/d/e/x.js");
    CHECK_INT(__LINE__, "another root: all anew", other.added_count, 3);
    CHECK_INT(__LINE__, "with the root", other.added[0].len, 1);
}

static void test_foreign(void)
{
    struct folder_chain chain = {.may_add = 5};

    run(&chain, "/proc/self", "/status");
    CHECK_TRUE(chain.is_foreign && !chain.is_reported && chain.added_count == 0,
               "a file system that reports nothing");
    chain = (struct folder_chain){.inotify = -1, .folder = -1};
    folder_chain_begin(&chain, -1, "/x");
    folder_chain_end(&chain, &site, "/x");
    CHECK_TRUE(!chain.has_root && !chain.is_reported, "nothing was wanted");
}

/* Needs to be root, and says so when it is not. */
static void test_mounts(void)
{
    struct folder_chain chain = {.may_add = 5};
    char from[100], to[100];

    snprintf(from, sizeof(from), "%s/d", root);
    snprintf(to, sizeof(to), "%s/mounted", root);
    shell_in(root, "mkdir mounted");
    if (mount(from, to, NULL, MS_BIND, NULL) != 0) {
        printf("folder_chain: mounts not tested: %s\n", strerror(errno));
        return;
    }
    run(&chain, root, "/mounted/e/x.js");
    CHECK_TRUE(!chain.is_reported && chain.watched_len == 1, "a mount point on the way");
    umount2(to, MNT_DETACH);
}

int main(void)
{
    if (!mkdtemp(root))
        return 1;
    shell_in(
        root,
        "mkdir -p d/e odd && echo 1 | tee a.js d/index.html d/e/x.js twice.js coded.js >real.gz");
    shell_in(root,
             "ln -s a.js link.js; ln -s nowhere dangling; ln -s d linked; ln twice.js second");
    shell_in(root, "ln real.gz coded.js.gz; ln -s ../a.js odd/index.html; mkfifo fifo");
    test_reported();
    test_order();
    test_foreign();
    test_mounts();
    shell_in(root, "rm -rf \"$PWD\"");
    return check_end("folder_chain");
}
