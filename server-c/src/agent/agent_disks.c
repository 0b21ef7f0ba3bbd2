/* SPDX-License-Identifier: MIT */
/* agent_disks.c — handles one request at a time. The thread owns the list that it works on. */
#include "agent/agent_disks.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/util.h"
#include "machine/left_threads.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define STOP_SECONDS 1
#define SECTOR_BYTES 512 /* the unit of the kernel's counters, whatever the disk's is */

struct agent_disks {
    pthread_t thread;
    pthread_mutex_t lock; /* protects everything below */
    pthread_cond_t changed;
    bool is_asked, is_busy, is_ending;
    struct agent_roots question, answer;
};

void agent_roots_fini(struct agent_roots *roots)
{
    for (size_t i = 0; i < roots->count; i++)
        free(roots->items[i].path);
    free(roots->items);
    memset(roots, 0, sizeof(*roots));
}

/* --- which disks ----------------------------------------------------------------------------- */

static void forget_facts(struct agent_root *root)
{
    root->device[0] = '\0';
    root->total_bytes = root->free_bytes = AGENT_FACT_UNKNOWN;
    root->read_bytes = root->reads = root->read_millis = AGENT_FACT_UNKNOWN;
}

/* Returns the length of the part without variables: of "/srv/{host}/www" only "/srv" is always a
 * folder. */
static size_t fixed_len(const char *root)
{
    size_t len = path_fixed_len(root);
    while (len > 1 && root[len - 1] == '/')
        len--;
    return len;
}

static void add_root(struct agent_roots *roots, const char *path, size_t len)
{
    for (size_t i = 0; i < roots->count; i++)
        if (strlen(roots->items[i].path) == len && memcmp(roots->items[i].path, path, len) == 0)
            return;
    if (len == 0 || len > AGENT_ROOT_PATH_LEN || roots->count == AGENT_ROOTS_MAX)
        return;
    struct agent_root *root = &roots->items[roots->count++];
    root->path = xstrndup(path, len);
    forget_facts(root);
}

static void list_roots(struct agent_roots *out, const struct config *cfg)
{
    size_t count = cfg ? cfg->site_count : 0;
    out->items = xcalloc(count < AGENT_ROOTS_MAX ? count : AGENT_ROOTS_MAX, sizeof(*out->items));
    for (size_t i = 0; i < count; i++)
        add_root(out, cfg->sites[i].root, fixed_len(cfg->sites[i].root));
}

/* --- asking them; may wait for ever ---------------------------------------------------------- */

/* Documentation/block/stat.rst: reads, merged, sectors, milliseconds, … */
static bool parse_counters(const char *text, struct agent_root *root)
{
    uint64_t values[4];
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        char *end;
        values[i] = strtoull(text, &end, 10);
        if (end == text)
            return false;
        text = end;
    }
    root->reads = values[0];
    root->read_bytes = values[2] * SECTOR_BYTES;
    root->read_millis = values[3];
    return true;
}

static void read_counters(const char *block_devices, dev_t device, struct agent_root *root)
{
    char path[PATH_MAX], target[PATH_MAX], text[512];
    snprintf(path, sizeof(path), "%s/%u:%u", block_devices, major(device), minor(device));
    ssize_t len = readlink(path, target, sizeof(target) - 1);
    if (len <= 0)
        return;
    target[len] = '\0';
    const char *name = strrchr(target, '/');
    strncat(path, "/stat", sizeof(path) - strlen(path) - 1);
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (fgets(text, sizeof(text), file) && parse_counters(text, root))
        snprintf(root->device, sizeof(root->device), "%.128s", name ? name + 1 : target);
    fclose(file);
}

static void look(struct agent_root *root, const char *block_devices)
{
    struct statvfs fs;
    struct stat st;
    if (statvfs(root->path, &fs) != 0 || stat(root->path, &st) != 0)
        return;
    root->total_bytes = (uint64_t)fs.f_blocks * fs.f_frsize;
    root->free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
    read_counters(block_devices, st.st_dev, root);
}

static void *run(void *arg)
{
    struct agent_disks *disks = arg;
    pthread_setname_np(pthread_self(), "disks");
    pthread_mutex_lock(&disks->lock);
    while (!disks->is_ending) {
        if (!disks->is_asked) {
            pthread_cond_wait(&disks->changed, &disks->lock);
            continue;
        }
        struct agent_roots roots = disks->question;
        memset(&disks->question, 0, sizeof(disks->question));
        disks->is_asked = false;
        disks->is_busy = true;
        pthread_mutex_unlock(&disks->lock);
        for (size_t i = 0; i < roots.count; i++)
            look(&roots.items[i], "/sys/dev/block");
        pthread_mutex_lock(&disks->lock);
        agent_roots_fini(&disks->answer);
        disks->answer = roots;
        disks->is_busy = false;
        pthread_cond_broadcast(&disks->changed);
    }
    pthread_mutex_unlock(&disks->lock);
    return NULL;
}

/* --- the agent's side --- */

struct agent_disks *agent_disks_start(void)
{
    struct agent_disks *disks = xcalloc(1, sizeof(*disks));
    pthread_mutex_init(&disks->lock, NULL);
    pthread_cond_init(&disks->changed, NULL);
    if (pthread_create(&disks->thread, NULL, run, disks) == 0)
        return disks;
    free(disks);
    return NULL;
}

/* False while the thread is waiting for a disk. */
static bool await_rest(struct agent_disks *disks)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += STOP_SECONDS;
    while (disks->is_busy)
        if (pthread_cond_clockwait(&disks->changed, &disks->lock, CLOCK_MONOTONIC, &until) != 0)
            return !disks->is_busy;
    return true;
}

void agent_disks_stop(struct agent_disks *disks)
{
    if (!disks)
        return;
    pthread_mutex_lock(&disks->lock);
    disks->is_ending = true;
    pthread_cond_broadcast(&disks->changed);
    bool is_at_rest = await_rest(disks);
    pthread_mutex_unlock(&disks->lock);
    if (!left_threads_end(disks->thread, is_at_rest))
        return;
    agent_roots_fini(&disks->question);
    agent_roots_fini(&disks->answer);
    pthread_cond_destroy(&disks->changed);
    pthread_mutex_destroy(&disks->lock);
    free(disks);
}

void agent_disks_ask(struct agent_disks *disks, const struct config *cfg, struct agent_roots *roots)
{
    struct agent_roots wanted = {0};
    list_roots(&wanted, cfg);
    agent_roots_fini(roots);
    pthread_mutex_lock(&disks->lock);
    bool is_waiting = disks->is_busy || disks->is_asked;
    if (is_waiting) {
        *roots = wanted;
    } else {
        *roots = disks->answer;
        memset(&disks->answer, 0, sizeof(disks->answer));
        disks->question = wanted;
        disks->is_asked = true;
        pthread_cond_signal(&disks->changed);
    }
    pthread_mutex_unlock(&disks->lock);
}
