/* SPDX-License-Identifier: MIT */
/* The folder of copies, in a real folder: what gets a name, what is left after a crash, what gives way,
 * and what happens when the folder can't be used. */
#include "files/copy_store.c"

#include "check.h"
#include "shell.h"

#include <openssl/evp.h>
#include <signal.h>
#include <sys/resource.h>

static char base[] = "/tmp/test_copy_store.XXXXXX", folder[PATH_MAX];
static char text[100000], noise[100000];

static struct copy_store *open_store(uint64_t max_bytes)
{
    struct copy_store *store = copy_store_new();

    copy_store_configure(store, folder, max_bytes);
    return store;
}

/* A work for bytes in memory; `inode` tells one file from another. */
static struct copy_work work_of(const char *bytes, size_t size, uint64_t inode)
{
    return (struct copy_work){.source = {.device = 0x803,
                                         .inode = inode,
                                         .size = size,
                                         .mtime = {1700000000, 5},
                                         .ctime = {1700000001, 6},
                                         .coding = CODING_GZIP,
                                         .level = 6,
                                         .mark = 0xabc},
                              .bytes = bytes,
                              .fd = -1};
}

/* -1: it was not begun. */
static int run(struct copy_store *store, struct copy_work *work)
{
    if (!copy_store_begin(store, work))
        return (enum copy_end) - 1;
    copy_store_make(store, work);
    copy_store_end(store, work);
    return (int)work->end;
}

static int64_t size_of(const char *name)
{
    char path[PATH_MAX + COPY_NAME_BYTES];
    struct stat st;

    snprintf(path, sizeof(path), "%s%s", folder, name);
    return stat(path, &st) == 0 ? (int64_t)st.st_size : -1;
}

static size_t count_files(void)
{
    DIR *names = opendir(folder);
    size_t count = 0;

    while (names && readdir(names) != NULL)
        count++;
    if (names)
        closedir(names);
    return count > 2 ? count - 2 : 0;
}

static void start_anew(void)
{
    shell_in(base, "rm -rf copies");
}

static void test_names(void)
{
    struct copy_source source = work_of(text, 1000, 7).source, other;
    char name[COPY_NAME_BYTES], its[COPY_NAME_BYTES];
    static const char *const foreign[] = {"",
                                          "a.br",
                                          "index.html.gz",
                                          "803-7-3e8-6553f100.5-6553f101.6-6-abc",
                                          "803-7-3e8-6553f100.5-6553f101.6-6-abc.txt",
                                          "803-7-3e8-6553f100.5-6553f101.6-6.gz",
                                          "803-7-3e8-6553f100.5-6553f101.6-6-abc.gz.gz",
                                          "g03-7-3e8-6553f100.5-6553f101.6-6-abc.gz",
                                          "803-7-3e8-6553f100.5-6553f101.6-6-abc.dcz",
                                          "803-7-3e8-6553f100.5-6553f101.6-6-abc-0f.gz"};
    struct copy_dictionary dictionary = {.hash = {0, 1}};

    copy_name(name, &source);
    CHECK_STR(__LINE__, "name", name, "/803-7-3e8-6553f100.5-6553f101.6-6-abc.gz");
    CHECK_TRUE(copy_name_is_one(name + 1), "%s", name);
    for (size_t i = 0; i < ARRAY_LEN(foreign); i++)
        CHECK_TRUE(!copy_name_is_one(foreign[i]), "%s", foreign[i]);
#define DIFFERS(change)                                                                            \
    other = source;                                                                                \
    other.change;                                                                                  \
    copy_name(its, &other);                                                                        \
    CHECK_TRUE(strcmp(its, name) != 0 && copy_name_is_one(its + 1), "%s", its)
    DIFFERS(device++);
    DIFFERS(inode++);
    DIFFERS(size++);
    DIFFERS(mtime.tv_sec++);
    DIFFERS(mtime.tv_nsec++);
    DIFFERS(ctime.tv_sec++);
    DIFFERS(ctime.tv_nsec++);
    DIFFERS(coding = CODING_BR);
    DIFFERS(level++);
    DIFFERS(mark++);
    source.coding = CODING_DCZ;
    source.dictionary = &dictionary;
    copy_name(name, &source);
    dictionary.hash[31]++;
    DIFFERS(dictionary = &dictionary);
    memset(dictionary.hash, 0xff, sizeof(dictionary.hash));
    other =
        (struct copy_source){UINT64_MAX, UINT64_MAX, UINT64_MAX, {-1, 999999999}, {-1, 999999999},
                             CODING_DCZ, 19,         UINT32_MAX, &dictionary};
    copy_name(its, &other);
    CHECK_TRUE(strlen(its) < COPY_NAME_BYTES - 1 && copy_name_is_one(its + 1), "%s", its);
}

static void test_makes(void)
{
    struct copy_store *store;
    struct copy_work one = work_of(text, sizeof(text), 1), again = one,
                     two = work_of(noise, sizeof(noise), 2);
    struct copy_store_state state;
    uint32_t round;

    start_anew();
    store = open_store(16 << 20);
    round = store->ended;
    CHECK_INT(__LINE__, "text", run(store, &one), COPY_MADE);
    CHECK_TRUE(size_of(one.name) > 0 && size_of(one.name) < 50000, "%s", one.name);
    CHECK_INT(__LINE__, "noise", run(store, &two), COPY_WORTHLESS);
    CHECK_INT(__LINE__, "an empty one", size_of(two.name), 0);
    CHECK_INT(__LINE__, "no others", count_files(), 2);
    CHECK_INT(__LINE__, "told", store->ended - round, 2);
    copy_store_state(store, &state);
    CHECK_INT(__LINE__, "copies", state.copies, 2);
    CHECK_INT(__LINE__, "bytes", state.bytes, cost_of((uint64_t)size_of(one.name)) + BLOCK_BYTES);
    shell_in(folder, "rm -f *"); /* somebody cleans up: it is made again, and counted once */
    CHECK_INT(__LINE__, "again", run(store, &again), COPY_MADE);
    copy_store_state(store, &state);
    CHECK_INT(__LINE__, "copies", state.copies, 2);
    shell_in(base, "rm -rf copies");
    CHECK_INT(__LINE__, "the folder, too", run(store, &again), COPY_MADE);
    CHECK_TRUE(size_of(again.name) > 0, "%s", again.name);
    copy_store_free(store);
}

/* With a file in `base` as the dictionary. */
static void test_deltas(void)
{
    char path[] = "/old.js";
    struct copy_dictionary dictionary = {.folder = base, .path = path};
    struct copy_store *store;
    struct copy_work work = work_of(text, sizeof(text), 1), plain = work;
    char *old = xmalloc(sizeof(text)), file[PATH_MAX];
    int fd;

    start_anew();
    store = open_store(16 << 20);
    work.source.coding = CODING_DCZ;
    work.source.dictionary = &dictionary;
    plain.source.coding = CODING_ZSTD;
    memcpy(old, text, sizeof(text));
    memcpy(old + 5000, "other", 5);
    EVP_Digest(old, sizeof(text), dictionary.hash, NULL, EVP_sha256(), NULL);
    CHECK_INT(__LINE__, "no such file", run(store, &work), COPY_CHANGED);
    snprintf(file, sizeof(file), "%s%s", base, path);
    fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK_TRUE(write(fd, old, sizeof(text)) == (ssize_t)sizeof(text), "%s", path);
    CHECK_INT(__LINE__, "made", run(store, &work), COPY_MADE);
    CHECK_INT(__LINE__, "without", run(store, &plain), COPY_MADE);
    CHECK_TRUE(size_of(work.name) > CODER_DELTA_HEAD_BYTES &&
                   size_of(work.name) < size_of(plain.name) / 50,
               "%s", work.name);
    CHECK_TRUE(pwrite(fd, "X", 1, 9) == 1, "%s", path); /* it is not what the client has */
    CHECK_INT(__LINE__, "other bytes", run(store, &work), COPY_CHANGED);
    CHECK_TRUE(pwrite(fd, noise, sizeof(noise), 0) == (ssize_t)sizeof(noise), "%s", path);
    EVP_Digest(noise, sizeof(noise), dictionary.hash, NULL, EVP_sha256(), NULL);
    CHECK_INT(__LINE__, "no help", run(store, &work), COPY_WORTHLESS);
    CHECK_INT(__LINE__, "an empty one", size_of(work.name), 0);
    close(fd);
    free(old);
    copy_store_free(store);
}

static void test_one_at_a_time(void)
{
    struct copy_store *store;
    struct copy_work one = work_of(text, sizeof(text), 1), same = one,
                     other = work_of(text, sizeof(text), 2);

    start_anew();
    store = open_store(16 << 20);
    CHECK_TRUE(copy_store_begin(store, &one), "the first");
    CHECK_TRUE(!copy_store_begin(store, &same), "the same");
    CHECK_TRUE(copy_store_begin(store, &other), "another");
    copy_store_make(store, &one);
    copy_store_end(store, &one);
    CHECK_TRUE(copy_store_begin(store, &same), "when it has ended");
    same.end = COPY_CHANGED;
    copy_store_end(store, &same);
    copy_store_make(store, &other);
    copy_store_end(store, &other);
    copy_store_stop(store);
    CHECK_TRUE(!copy_store_begin(store, &one), "none is begun at the end");
    copy_store_free(store);
}

static void test_file_changes(void)
{
    struct copy_store *store;
    struct copy_work work = work_of(NULL, sizeof(text), 1);
    char path[PATH_MAX + 8];
    struct stat st;

    start_anew();
    store = open_store(16 << 20);
    snprintf(path, sizeof(path), "%s.txt", folder);
    work.fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK_TRUE(write(work.fd, text, sizeof(text)) == (ssize_t)sizeof(text), "%s", path);
    fstat(work.fd, &st);
    work.source.mtime = st.st_mtim;
    work.source.ctime = st.st_ctim;
    CHECK_INT(__LINE__, "as it was", run(store, &work), COPY_MADE);
    futimens(work.fd, (struct timespec[]){{1, 0}, st.st_mtim}); /* another ctime */
    CHECK_INT(__LINE__, "another state", run(store, &work), COPY_CHANGED);
    CHECK_TRUE(ftruncate(work.fd, 10) == 0, "cut");
    CHECK_INT(__LINE__, "cut", run(store, &work), COPY_CHANGED);
    CHECK_INT(__LINE__, "nothing is left", count_files(), 1);
    close(work.fd);
    unlink(path);
    copy_store_free(store);
}

/* What a process that was killed leaves: names of ours that are whole, and unfinished files. */
static void test_leftovers(void)
{
    struct copy_store *store;
    struct copy_work one = work_of(text, sizeof(text), 1);
    struct copy_store_state state;

    start_anew();
    store = open_store(16 << 20);
    CHECK_INT(__LINE__, "made", run(store, &one), COPY_MADE);
    copy_store_free(store);
    shell_in(folder, "echo half > unfinished-1-1 && echo mine > notes.txt && mkdir sub && "
                     "ln -s notes.txt 803-8-3e8-6553f100.5-6553f101.6-6-abc.gz");
    store = open_store(16 << 20);
    copy_store_tidy(store);
    copy_store_state(store, &state);
    CHECK_INT(__LINE__, "copies", state.copies, 1);
    CHECK_INT(__LINE__, "half a file is gone", size_of("/unfinished-1-1"), -1);
    CHECK_INT(__LINE__, "what is not ours stays", size_of("/notes.txt"), 5);
    CHECK_INT(__LINE__, "and so all else", count_files(), 4);
    copy_store_configure(store, "", 0);
    copy_store_state(store, &state);
    CHECK_INT(__LINE__, "no folder, no copies", state.copies, 0);
    copy_store_tidy(store);
    copy_store_free(store);
}

/* Another thread looks for room: what was not used since the start goes, oldest first. */
static void test_eviction(void)
{
    struct copy_store *store;
    struct copy_work works[4], more = work_of(text, sizeof(text), 9);
    struct copy_store_state state;
    uint64_t one_costs;

    start_anew();
    store = open_store(16 << 20);
    for (size_t i = 0; i < ARRAY_LEN(works); i++) {
        works[i] = work_of(text, sizeof(text), i + 1);
        CHECK_INT(__LINE__, "made", run(store, &works[i]), COPY_MADE);
    }
    one_costs = cost_of((uint64_t)size_of(works[0].name));
    copy_store_configure(store, folder, 4 * one_costs);
    CHECK_INT(__LINE__, "all are in use", run(store, &more), COPY_FAILED);
    CHECK_TRUE(strstr(more.why, "full of copies that are in use") != NULL, "%s", more.why);
    CHECK_INT(__LINE__, "not tried again for a while", run(store, &more), -1);
    copy_store_configure(store, folder, 4 * one_costs);
    copy_store_used(store, works[0].name); /* so the second is the oldest */
    for (struct list *at = store->by_use.next; at != &store->by_use; at = at->next)
        container_of(at, struct copy, by_use)->used_ms = 0;
    CHECK_INT(__LINE__, "made", run(store, &more), COPY_MADE);
    CHECK_TRUE(size_of(works[0].name) > 0 && size_of(works[1].name) < 0 &&
                   size_of(works[2].name) > 0 && size_of(more.name) > 0,
               "the oldest went");
    copy_store_free(store);

    store = open_store(one_costs); /* a start with a lower bound */
    copy_store_tidy(store);
    copy_store_state(store, &state);
    CHECK_INT(__LINE__, "within it", state.bytes, one_costs);
    CHECK_INT(__LINE__, "on the disk, too", count_files(), 1);
    CHECK_TRUE(size_of(more.name) > 0, "the last that was made stays");
    copy_store_free(store);
}

static void test_unusable(void)
{
    static const struct {
        int line;
        const char *spoil, *why;
    } rows[] = {
        {__LINE__, "echo file > copies", "can't be opened or made: Not a directory"},
        {__LINE__, "mkdir copies && chmod 777 copies", "nobody else may write to it"},
        {__LINE__, "mkdir copies && chmod 770 copies", "nobody else may write to it"},
    };
    struct rlimit limit, none = {0, RLIM_INFINITY};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct copy_store *store = open_store(16 << 20);
        struct copy_work work = work_of(text, sizeof(text), 1);
        start_anew();
        shell_in(base, rows[i].spoil);
        CHECK_INT(rows[i].line, rows[i].why, run(store, &work), COPY_FAILED);
        CHECK_TRUE(strstr(work.why, rows[i].why) != NULL, "%s", work.why);
        copy_store_tidy(store);
        copy_store_free(store);
    }
    start_anew();
    signal(SIGXFSZ, SIG_IGN); /* as main() does: like a disk that is full */
    getrlimit(RLIMIT_FSIZE, &limit);
    none.rlim_max = limit.rlim_max;
    {
        struct copy_store *store = open_store(16 << 20);
        struct copy_work work = work_of(text, sizeof(text), 1);
        setrlimit(RLIMIT_FSIZE, &none);
        CHECK_INT(__LINE__, "full", run(store, &work), COPY_FAILED);
        setrlimit(RLIMIT_FSIZE, &limit);
        CHECK_TRUE(strstr(work.why, "can't be written to: ") != NULL, "%s", work.why);
        CHECK_INT(__LINE__, "nothing is left", count_files(), 0);
        CHECK_INT(__LINE__, "not tried again for a while", run(store, &work), -1);
        copy_store_free(store);
    }
    start_anew();
}

int main(void)
{
    uint64_t state = 7;

    for (size_t i = 0; i < sizeof(text); i++) {
        state = state * UINT64_C(6364136223846793005) + 1;
        text[i] = "etaoin "[state >> 33 & 6];
        noise[i] = (char)(state >> 56);
    }
    CHECK_TRUE(mkdtemp(base) != NULL, "%s", base);
    snprintf(folder, sizeof(folder), "%s/copies", base);
    test_names();
    test_makes();
    test_deltas();
    test_one_at_a_time();
    test_file_changes();
    test_leftovers();
    test_eviction();
    test_unusable();
    snprintf(text, sizeof(text), "rm -rf %s", base);
    shell_in("/tmp", text);
    return check_end("copy_store");
}
