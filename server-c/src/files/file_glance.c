/* SPDX-License-Identifier: MIT */
/* file_glance.c — when a look-up may be tried on the loop, and for how long not after one that took
 * long.
 *
 * The kernel can give the number of a device that is gone to another device. So what was learnt
 * about a device is valid only for a short time; look-ups on the lane renew it. */
#include "files/file_glance.h"

#include "base/util.h"
#include "files/confined_open.h"
#include "files/file_entry.h"
#include "files/file_store.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LEARNT_MS 10000
#define TOO_LONG_NS UINT64_C(10000000)
#define PAUSE_TIMES 10
/* How long a root is kept open. An entry counts as being as old as the root it was found in. */
#define ROOT_MS 100

/* overlayfs is not in the list: any file system can be below it. */
bool file_glance_is_local(int fd)
{
    static const uint32_t local[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC,
                                     TMPFS_MAGIC,      F2FS_SUPER_MAGIC, RAMFS_MAGIC};
    struct statfs fs;

    if (fstatfs(fd, &fs) != 0)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(local); i++)
        if ((uint32_t)fs.f_type == local[i])
            return true;
    return false;
}

void file_glance_learn(struct file_cache *cache, uint64_t device)
{
    struct file_disk *disk = &cache->disks[0];

    for (size_t i = 0; i < ARRAY_LEN(cache->disks); i++) {
        if (cache->disks[i].device == device) {
            disk = &cache->disks[i];
            break;
        }
        if (cache->disks[i].until_ms < disk->until_ms)
            disk = &cache->disks[i];
    }
    *disk = (struct file_disk){device, cache->now_ms + LEARNT_MS};
}

/* --- the root -------------------------------------------------------------------------------- */

/* Does not ask the file system, which might be one that has to be waited for. */
static bool is_known_local(const struct file_cache *cache, int root)
{
    struct statx st;
    uint64_t device;

    if (statx(root, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &st) != 0)
        return false;
    device = makedev(st.stx_dev_major, st.stx_dev_minor);
    for (size_t i = 0; i < ARRAY_LEN(cache->disks); i++)
        if (cache->disks[i].device == device && cache->now_ms < cache->disks[i].until_ms)
            return true;
    return false;
}

static bool is_over(const struct file_cache *cache, uint64_t now_ns)
{
    uint64_t kept_ms = cache->limits.ttl_ms / 8 < ROOT_MS ? cache->limits.ttl_ms / 8 : ROOT_MS;

    return !cache->root.is_reusable || now_ns - cache->root.opened_ns >= kept_ms * NS_PER_MS;
}

static void close_root(struct file_cache *cache)
{
    if (cache->root.is_open)
        close(cache->root.fd);
    cache->root.is_open = false;
}

/* Makes the cache's root that of the place. True if look-ups below it don't wait. */
static bool open_root(struct file_cache *cache, const struct file_place *place,
                      struct span variable, uint64_t now_ns)
{
    struct file_root *root = &cache->root;

    if (root->is_open && root->lookup_id == place->lookup_id && variable.len == 0 &&
        !is_over(cache, now_ns))
        return root->is_local;
    close_root(cache);
    root->fd = file_place_open_cached(place, variable);
    if (root->fd < 0)
        return false;
    root->is_open = true;
    root->is_reusable = variable.len == 0;
    root->lookup_id = place->lookup_id;
    root->opened_ns = now_ns;
    root->is_local = is_known_local(cache, root->fd);
    return root->is_local;
}

void file_glance_sweep(struct file_cache *cache, bool all)
{
    if (all || is_over(cache, monotonic_ns()))
        close_root(cache);
}

/* --- looking up ------------------------------------------------------------------------------ */

static void close_file(void *arg, int fd)
{
    file_entry_close(arg, fd);
}

static bool knows_any(const struct file_cache *cache)
{
    for (size_t i = 0; i < ARRAY_LEN(cache->disks); i++)
        if (cache->now_ms < cache->disks[i].until_ms)
            return true;
    return false;
}

bool file_glance_is_wanted(const struct file_cache *cache)
{
    return cache->limits.watches == 0 && confined_may_open_cached();
}

static bool may_look(const struct file_cache *cache)
{
    return cache->now_ms >= cache->glance_again_ms && knows_any(cache);
}

/* After a look-up that took long, even if only because another thread had the core, there is a
 * pause. */
static void judge(struct file_cache *cache, uint64_t took_ns)
{
    if (took_ns > TOO_LONG_NS)
        cache->glance_again_ms = cache->now_ms + took_ns * PAUSE_TIMES / NS_PER_MS;
}

bool file_glance_run(struct file_cache *cache, struct file_found *found,
                     const struct file_place *place, const struct file_key *key, uint64_t *began_ns)
{
    struct file_glance glance = {.close = close_file, .arg = cache};
    uint64_t now_ns = monotonic_ns();
    bool is_known = false;

    if (!may_look(cache))
        return false;
    if (open_root(cache, place, key->variable, now_ns)) {
        glance.root = cache->root.fd;
        *began_ns = cache->root.opened_ns;
        is_known = file_lookup_glance(found, place, key, &glance);
    }
    judge(cache, monotonic_ns() - now_ns);
    return is_known;
}

/* --- opening again --------------------------------------------------------------------------- */

/* Returns the path of the file itself; NULL if it does not fit. */
static const char *path_of(const struct file_entry *entry, char out[PATH_MAX])
{
    struct span path = file_entry_path(entry);
    size_t index_len = strlen(entry->index);

    if (index_len == 0)
        return path.ptr;
    if (path.len + index_len >= PATH_MAX)
        return NULL;
    memcpy(out, path.ptr, path.len);
    memcpy(out + path.len, entry->index, index_len + 1);
    return out;
}

static bool is_that_file(const struct file_entry *entry, const struct stat *st)
{
    return (entry->is_folder ? S_ISDIR(st->st_mode) : S_ISREG(st->st_mode)) &&
           file_entry_is_of(entry, st);
}

static bool reopen(struct file_cache *cache, const struct file_place *place,
                   struct file_entry *entry)
{
    char buffer[PATH_MAX];
    const char *path = path_of(entry, buffer);
    struct stat st;
    int fd;

    if (!path)
        return false;
    fd = confined_open_cached(cache->root.fd, path, place->site->symlinks, &st);
    if (fd < 0)
        return false;
    if (!is_that_file(entry, &st)) {
        file_entry_close(cache, fd);
        return false;
    }
    entry->fd = fd;
    file_store_count_descriptor(cache, entry);
    return true;
}

bool file_glance_reopen(struct file_cache *cache, const struct file_place *place,
                        struct file_entry *entry)
{
    uint64_t now_ns = monotonic_ns();
    bool is_open;

    if (!file_glance_is_wanted(cache) || !may_look(cache))
        return false;
    is_open =
        open_root(cache, place, file_entry_variable(entry), now_ns) && reopen(cache, place, entry);
    judge(cache, monotonic_ns() - now_ns);
    return is_open;
}
