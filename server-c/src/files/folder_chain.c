/* SPDX-License-Identifier: MIT */
/* folder_chain.c — watches one folder after another, then looks at the names that the result
 * depends on. */
#include "files/folder_chain.h"

#include "files/confined_open.h"
#include "http/http_coding.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)

/* IN_CLOSE_WRITE: for writers through a mapping, who close the file in the end. */
#define WATCHED_EVENTS                                                                             \
    (IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM |              \
     IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK)

#ifndef FS_CASEFOLD_FL
#define FS_CASEFOLD_FL 0x40000000
#endif

/* On a file system of the network, in user space or shared by machines, others can change files
 * unseen. On those that are not in this list, a name may also be found in another spelling. */
static bool reports_all(int folder)
{
    static const uint32_t local[] = {
        EXT4_SUPER_MAGIC,          XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,    TMPFS_MAGIC,
        F2FS_SUPER_MAGIC,          RAMFS_MAGIC,     NILFS_SUPER_MAGIC,    OVERLAYFS_SUPER_MAGIC,
        0xca451a4e /* bcachefs */, SQUASHFS_MAGIC,  EROFS_SUPER_MAGIC_V1,
    };
    struct statfs fs;
    int flags = 0;

    if (fstatfs(folder, &fs) != 0)
        return false;
    if (ioctl(folder, FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_CASEFOLD_FL) != 0)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(local); i++)
        if ((uint32_t)fs.f_type == local[i])
            return true;
    return false;
}

/* Uses the descriptor, because by now the path might lead to another folder. */
static bool watch(struct folder_chain *chain, int folder, size_t len)
{
    char path[32];
    int wd;

    if (chain->added_count == chain->may_add || chain->added_count == FOLDER_CHAIN_MAX)
        return false;
    if (!reports_all(folder)) {
        chain->is_foreign = len == 1;
        return false;
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", folder);
    wd = inotify_add_watch(chain->inotify, path, WATCHED_EVENTS);
    if (wd < 0) {
        if (errno != EACCES)
            chain->error = -errno;
        return false;
    }
    chain->added[chain->added_count].wd = wd;
    chain->added[chain->added_count++].len = len;
    chain->watched_len = len;
    return true;
}

static int open_straight(struct folder_chain *chain, int folder, const char *name, size_t len,
                         int flags)
{
    char copy[PATH_MAX];
    int fd;

    if (len >= sizeof(copy))
        return -ENAMETOOLONG;
    memcpy(copy, name, len);
    copy[len] = '\0';
    fd = confined_open_straight(folder, copy, flags);
    if (fd == -ENOSYS)
        chain->error = -ENOSYS;
    return fd;
}

/* Returns a descriptor of the deepest folder that is watched so far, or of a new root. */
static int open_start(struct folder_chain *chain, int root, const char *path)
{
    int fd = chain->known_len > 1
                 ? open_straight(chain, root, path + 1, chain->known_len - 2, FOLDER_FLAGS)
                 : open_straight(chain, root, ".", 1, FOLDER_FLAGS);

    if (fd == -EACCES && chain->known_len == 0)
        chain->is_foreign = true; /* the folder may be passed through but not read */
    if (fd >= 0 && chain->known_len == 0 && !watch(chain, fd, 1)) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool go_down(struct folder_chain *chain, const char *path)
{
    const char *name = path + chain->watched_len, *slash = strchr(name, '/');
    int fd;

    if (!slash)
        return false;
    fd = open_straight(chain, chain->folder, name, (size_t)(slash - name), FOLDER_FLAGS);
    if (fd < 0)
        return false;
    if (!watch(chain, fd, (size_t)(slash - path) + 1)) {
        close(fd);
        return false;
    }
    close(chain->folder);
    chain->folder = fd;
    return true;
}

void folder_chain_begin(struct folder_chain *chain, int root, const char *path)
{
    struct stat st;

    if (chain->inotify < 0 || fstat(root, &st) != 0)
        return;
    chain->has_root = true;
    chain->root_device = st.st_dev;
    chain->root_inode = st.st_ino;
    if (chain->device != chain->root_device || chain->inode != chain->root_inode)
        chain->known_len = 0;
    chain->watched_len = chain->known_len;
    chain->folder = open_start(chain, root, path);
    while (chain->folder >= 0 && go_down(chain, path))
        ;
}

/* --- is every change reported? --------------------------------------------------------------- */

/* Is every change to the file of this name reported, or to there being none? */
static bool is_name_reported(struct folder_chain *chain, const char *name, size_t len,
                             bool may_be_folder)
{
    int fd = open_straight(chain, chain->folder, name, len, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    bool is_known;

    if (fd < 0)
        return fd == -ENOENT || fd == -ENAMETOOLONG;
    is_known = fstat(fd, &st) == 0;
    close(fd);
    if (!is_known || S_ISLNK(st.st_mode))
        return false;
    if (S_ISDIR(st.st_mode))
        return may_be_folder;
    /* A change by its second name would not be reported. */
    return !S_ISREG(st.st_mode) || st.st_nlink <= 1;
}

static bool is_file_reported(struct folder_chain *chain, const struct config_site *site,
                             const char *name)
{
    size_t len = strlen(name);
    char sibling[PATH_MAX];

    if (!is_name_reported(chain, name, len, true))
        return false;
    for (size_t i = 0; i < site->precompressed_count; i++) {
        enum http_coding coding = http_coding_named(site->precompressed[i]);
        int sibling_len;

        if (coding == CODING_COUNT || coding == CODING_IDENTITY)
            continue;
        sibling_len = snprintf(sibling, sizeof(sibling), "%s%s", name, http_coding_suffix(coding));
        if (sibling_len >= (int)sizeof(sibling) ||
            !is_name_reported(chain, sibling, (size_t)sibling_len, true))
            return false;
    }
    return true;
}

/* `rest` is the path below the deepest watched folder. */
static bool is_answer_reported(struct folder_chain *chain, const struct config_site *site,
                               const char *rest)
{
    const char *slash = strchr(rest, '/');

    if (slash) /* the next folder does not exist, or is not watched */
        return is_name_reported(chain, rest, (size_t)(slash - rest), false);
    if (rest[0])
        return is_file_reported(chain, site, rest);
    for (size_t i = 0; i < site->index_count; i++)
        if (!is_file_reported(chain, site, site->index[i]))
            return false;
    return true;
}

void folder_chain_end(struct folder_chain *chain, const struct config_site *site, const char *path)
{
    if (chain->inotify < 0 || chain->folder < 0)
        return;
    chain->is_reported = is_answer_reported(chain, site, path + chain->watched_len);
    close(chain->folder);
    chain->folder = -1;
}
