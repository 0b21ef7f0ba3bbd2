/* SPDX-License-Identifier: MIT */
/* confinement.c — the rules, and what the policy's folders were when the rules were made. */
#include "process/confinement.h"

#include "base/util.h"
#include "log/log.h"
#include "owner/bounds.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Rights that kernels have which are newer than our headers. */
#define RIGHT_TRUNCATE (UINT64_C(1) << 14)
#define RIGHT_IOCTL_DEV (UINT64_C(1) << 15)

#define READING (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITING                                                                                    \
    (READING | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE |                    \
     LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | RIGHT_TRUNCATE)
/* The rights that apply to files, for rules whose path is a file. */
#define OF_FILES                                                                                   \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |   \
     RIGHT_TRUNCATE | RIGHT_IOCTL_DEV)
/* Certificates and releases have folders and links of their own in the state folder, and a file of a release
 * has a name in several of them. */
#define FOLDERS                                                                                    \
    (LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_SYM |   \
     LANDLOCK_ACCESS_FS_REFER)

/* What name services, TLS and the measurements of the machine read. */
static const char *const system_folders[] = {
    "/etc",
    "/usr",
    "/lib",
    "/lib64",
    "/proc",
    "/sys",
    "/run/systemd/resolve",
    "/run/resolvconf",
    "/run/NetworkManager",
    "/dev/urandom",
};

/* Includes the time of birth, as the number of an inode is used again. */
struct identity {
    bool is_there;
    uint32_t device_major, device_minor;
    uint64_t inode;
    struct statx_timestamp born;
};

static struct {
    bool is_in_force;
    struct identity folders[(OWNER_RUNTIME + 1) * OWNER_POLICY_ITEMS]; /* in the policy's order */
} self;

/* Returns all rights that this kernel can take away. */
static uint64_t rights_of(long version)
{
    uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

    if (version >= 2)
        rights |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3)
        rights |= RIGHT_TRUNCATE;
    if (version >= 5)
        rights |= RIGHT_IOCTL_DEV;
    return rights;
}

/* Allows rights on a path. What does not exist needs no rule. */
static int allow(int ruleset, const char *path, uint64_t rights)
{
    struct landlock_path_beneath_attr rule = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
    struct stat st;
    int err;

    if (rule.parent_fd < 0)
        return 0;
    rule.allowed_access = rights;
    if (fstat(rule.parent_fd, &st) == 0 && !S_ISDIR(st.st_mode))
        rule.allowed_access &= OF_FILES;
    err =
        syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0 ? 0 : -1;
    close(rule.parent_fd);
    return err;
}

static int allow_system(int ruleset, uint64_t handled)
{
    int err = allow(ruleset, "/dev/null", (READING | WRITING) & handled);

    for (size_t i = 0; i < ARRAY_LEN(system_folders) && err == 0; i++)
        err = allow(ruleset, system_folders[i], READING & handled);
    return err;
}

static struct identity identity_of(const char *path)
{
    struct statx st;

    if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &st) != 0)
        return (struct identity){0};
    return (struct identity){true, st.stx_dev_major, st.stx_dev_minor, st.stx_ino, st.stx_btime};
}

static bool is_same(const struct identity *a, const struct identity *b)
{
    return a->is_there == b->is_there && a->device_major == b->device_major &&
           a->device_minor == b->device_minor && a->inode == b->inode &&
           a->born.tv_sec == b->born.tv_sec && a->born.tv_nsec == b->born.tv_nsec;
}

static void remember_folders(const struct owner_policy *policy)
{
    size_t at = 0;

    for (enum owner_list list = 0; list <= OWNER_RUNTIME; list++)
        for (size_t i = 0; i < policy->lists[list].count; i++)
            self.folders[at++] = identity_of(policy->lists[list].items[i]);
}

static int allow_policy(int ruleset, uint64_t handled, const struct owner_policy *policy)
{
    int err = 0;

    for (enum owner_list list = 0; list <= OWNER_RUNTIME; list++) {
        uint64_t rights = list == OWNER_LOGS || list == OWNER_RUNTIME ? WRITING : READING;
        for (size_t i = 0; i < policy->lists[list].count && err == 0; i++)
            err = allow(ruleset, policy->lists[list].items[i], rights & handled);
    }
    return err;
}

static int allow_all(int ruleset, uint64_t handled, const char *own_folder)
{
    int err = allow_policy(ruleset, handled, bounds_policy());

    if (err == 0)
        err = allow_system(ruleset, handled);
    if (err == 0 && *bounds_state_dir() != '\0')
        err = allow(ruleset, bounds_state_dir(), (WRITING | FOLDERS) & handled);
    if (err == 0 && own_folder != NULL)
        err = allow(ruleset, own_folder, READING & handled);
    return err;
}

static int enter(long version, const char *own_folder)
{
    struct landlock_ruleset_attr attributes = {.handled_access_fs = rights_of(version)};
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0);
    int err;

    if (ruleset < 0)
        return -1;
    err = allow_all(ruleset, attributes.handled_access_fs, own_folder);
    if (err == 0)
        err = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0 ? 0 : -1;
    close(ruleset);
    return err;
}

int confinement_enter(const char *own_folder)
{
    long version;

    if (bounds_policy() == NULL)
        return 0;
    /* Before the rules are made, so that a folder replaced in between is noticed. */
    remember_folders(bounds_policy());
    version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version <= 0) {
        log_info(
            "policy: this kernel has no Landlock (%s): the policy is held by our own checks alone",
            strerror(errno));
        return 0;
    }
    if (enter(version, own_folder) != 0) {
        log_error("policy: can't be confined to its folders: %s", strerror(errno));
        return -1;
    }
    self.is_in_force = true;
    log_info("policy: the kernel holds this process to its folders (Landlock %ld)", version);
    return 0;
}

bool confinement_is_outdated(void)
{
    const struct owner_policy *policy = bounds_policy();
    size_t at = 0;

    for (enum owner_list list = 0; self.is_in_force && list <= OWNER_RUNTIME; list++)
        for (size_t i = 0; i < policy->lists[list].count; i++) {
            struct identity was = self.folders[at++];
            struct identity now = identity_of(policy->lists[list].items[i]);
            if (now.is_there && !is_same(&now, &was))
                return true;
        }
    return false;
}
