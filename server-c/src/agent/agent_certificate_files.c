/* SPDX-License-Identifier: MIT */
/* agent_certificate_files.c — no path is followed through a link but the one in use, and names come
 * from agent_certificates.c, which lets no "/" through. */
#include "agent/agent_certificate_files.h"

#include "base/mem.h"
#include "base/util.h"
#include "site/certificate_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSIONS ".versions" /* no certificate has a name like this */
#define NEW ".new"
#define VERSION_LEN 32 /* "9007199254740991.new" */
#define TARGET_LEN 128 /* ".versions/NAME/VERSION" */

static int fail(char *why, size_t why_len, const char *name, const char *what)
{
    snprintf(why, why_len, "the certificate \"%s\": %s: %s", name, what, strerror(errno));
    return -1;
}

/* Closes `fd`, but keeps errno. */
static void close_quietly(int fd)
{
    int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
}

static int open_folder(int dir_fd, const char *name)
{
    return openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/* The folder of that name, which is made if it is not there. */
static int make_folder(int dir_fd, const char *name)
{
    if (mkdirat(dir_fd, name, 0700) == 0) {
        if (fsync(dir_fd) != 0)
            return -1;
    } else if (errno != EEXIST) {
        return -1;
    }
    return open_folder(dir_fd, name);
}

/* Opens a folder below another, which is closed. */
static int step(int dir_fd, const char *name, bool create)
{
    int fd = dir_fd < 0 ? -1 : create ? make_folder(dir_fd, name) : open_folder(dir_fd, name);
    close_quietly(dir_fd);
    return fd;
}

/* The folder with the versions of a certificate, or with `name` NULL that of all certificates. */
static int open_versions(int dir_fd, const char *name, bool create)
{
    int fd = create ? make_folder(dir_fd, CERTIFICATES) : open_folder(dir_fd, CERTIFICATES);
    fd = step(fd, VERSIONS, create);
    return name ? step(fd, name, create) : fd;
}

static void name_version(char out[VERSION_LEN], uint64_t version, const char *suffix)
{
    snprintf(out, VERSION_LEN, "%" PRIu64 "%s", version, suffix);
}

static void remove_version(int dir_fd, const char *version)
{
    int fd = open_folder(dir_fd, version);
    if (fd >= 0) {
        unlinkat(fd, CERTIFICATE_CHAIN, 0);
        unlinkat(fd, CERTIFICATE_KEY, 0);
        close(fd);
    }
    unlinkat(dir_fd, version, AT_REMOVEDIR);
}

/* --- reading --- */

static char *read_file(int dir_fd, const char *name)
{
    struct stat st;
    int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    char *text = NULL;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
        st.st_size <= CERTIFICATE_FILE_MAX) {
        text = xcalloc(1, (size_t)st.st_size + 1);
        if (read(fd, text, (size_t)st.st_size) != st.st_size) {
            free(text);
            text = NULL;
        }
    }
    close_quietly(fd);
    return text;
}

static struct span span_of(const char *text)
{
    return (struct span){text, strlen(text)};
}

int agent_certificate_judge(const struct agent_certificate *certificate,
                            const struct agent_certificate_text *text, char *why, size_t why_len)
{
    char fingerprint[TLS_FINGERPRINT_LEN + 1] = "";
    struct tls_certificate *read =
        tls_certificate_read(span_of(text->chain), span_of(text->key), wall_clock_seconds());
    enum tls_fault fault = tls_certificate_verdict(read).fault;
    bool is_fatal = tls_fault_is_fatal(fault);
    if (!is_fatal)
        tls_certificate_fingerprint(read, fingerprint);
    tls_certificate_free(read);
    if (is_fatal)
        snprintf(why, why_len, "it %s", tls_fault_sentence(fault));
    else if (strcmp(fingerprint, certificate->fingerprint) != 0)
        snprintf(why, why_len, "it has another fingerprint than the one that was named");
    else
        return 0;
    return -1;
}

bool agent_certificate_files_has(int dir_fd, const struct agent_certificate *certificate)
{
    char version[VERSION_LEN], why[256];
    name_version(version, certificate->version, "");
    int fd = step(open_versions(dir_fd, certificate->name, false), version, false);
    if (fd < 0)
        return false;
    struct agent_certificate_text text = {read_file(fd, CERTIFICATE_CHAIN),
                                          read_file(fd, CERTIFICATE_KEY)};
    bool has = text.chain && text.key &&
               agent_certificate_judge(certificate, &text, why, sizeof(why)) == 0;
    agent_certificate_text_fini(&text);
    close(fd);
    return has;
}

/* --- writing --- */

static int write_file(int dir_fd, const char *name, const char *text)
{
    size_t len = strlen(text), done = 0;
    int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -1;
    while (done < len) {
        ssize_t put = write(fd, text + done, len - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            break;
        done += (size_t)put;
    }
    int err = done < len || fsync(fd) != 0 ? errno : 0;
    if (close(fd) != 0 && !err)
        err = errno;
    errno = err;
    return err ? -1 : 0;
}

static int write_pair(int dir_fd, const char *version, const struct agent_certificate_text *text)
{
    remove_version(dir_fd, version); /* what a crash has left */
    int fd = make_folder(dir_fd, version);
    int err = fd < 0 || write_file(fd, CERTIFICATE_CHAIN, text->chain) != 0 ||
                      write_file(fd, CERTIFICATE_KEY, text->key) != 0 || fsync(fd) != 0
                  ? -1
                  : 0;
    close_quietly(fd);
    return err;
}

int agent_certificate_files_write(int dir_fd, const struct agent_certificate *certificate,
                                  const struct agent_certificate_text *text, char *why,
                                  size_t why_len)
{
    char beside[VERSION_LEN], version[VERSION_LEN];
    name_version(beside, certificate->version, NEW);
    name_version(version, certificate->version, "");
    int fd = open_versions(dir_fd, certificate->name, true), err = fd < 0 ? -1 : 0;
    if (!err)
        err = write_pair(fd, beside, text);
    if (!err) {
        remove_version(fd, version); /* damaged, or it would not be written again */
        err = renameat(fd, beside, fd, version) != 0 || fsync(fd) != 0 ? -1 : 0;
    }
    if (err) {
        snprintf(why, why_len, "cannot write it: %s", strerror(errno));
        if (fd >= 0)
            remove_version(fd, beside);
    }
    close_quietly(fd);
    return err;
}

/* --- in use --- */

static bool is_used(int root_fd, const char *name, const char *target)
{
    char now[TARGET_LEN];
    ssize_t len = readlinkat(root_fd, name, now, sizeof(now));
    return len == (ssize_t)strlen(target) && memcmp(now, target, (size_t)len) == 0;
}

static int use(int root_fd, const struct agent_certificate *certificate, bool *has_changed)
{
    char target[TARGET_LEN];
    snprintf(target, sizeof(target), "%s/%s/%" PRIu64, VERSIONS, certificate->name,
             certificate->version);
    if (is_used(root_fd, certificate->name, target))
        return 0;
    *has_changed = true;
    unlinkat(root_fd, NEW, 0);
    return symlinkat(target, root_fd, NEW) != 0 ||
                   renameat(root_fd, NEW, root_fd, certificate->name) != 0
               ? -1
               : 0;
}

int agent_certificate_files_use(int dir_fd, const struct agent_certificates *list, char *why,
                                size_t why_len)
{
    bool has_changed = false;
    int err = 0;
    if (list->count == 0)
        return 0;
    int fd = open_folder(dir_fd, CERTIFICATES);
    for (size_t i = 0; i < list->count && !err; i++)
        if (fd < 0 || use(fd, &list->items[i], &has_changed) != 0)
            err = fail(why, why_len, list->items[i].name, "cannot put it in use");
    if (!err && has_changed && fsync(fd) != 0)
        err = fail(why, why_len, list->items[0].name, "cannot put it in use");
    close_quietly(fd);
    return err;
}

/* --- what is not needed any more --- */

/* Calls `look` with each name in the folder, and closes it. */
static void each_name(int fd, const struct agent_certificates *list,
                      void (*look)(int fd, const char *name, const struct agent_certificates *list,
                                   const void *arg),
                      const void *arg)
{
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder) {
        close_quietly(fd);
        return;
    }
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            look(dirfd(folder), entry->d_name, list, arg);
    closedir(folder);
}

static void look_at_version(int fd, const char *version, const struct agent_certificates *list,
                            const void *name)
{
    const struct agent_certificate *kept = agent_certificates_find(list, name);
    char keep[VERSION_LEN] = "";
    if (kept)
        name_version(keep, kept->version, "");
    if (strcmp(version, keep) != 0)
        remove_version(fd, version);
}

static void look_at_versions(int fd, const char *name, const struct agent_certificates *list,
                             const void *unused)
{
    (void)unused;
    each_name(open_folder(fd, name), list, look_at_version, name);
    unlinkat(fd, name, AT_REMOVEDIR); /* if it is empty now */
}

/* Folders are somebody's own. */
static void look_at_link(int fd, const char *name, const struct agent_certificates *list,
                         const void *unused)
{
    struct stat st;
    (void)unused;
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode) &&
        !agent_certificates_find(list, name))
        unlinkat(fd, name, 0);
}

void agent_certificate_files_keep(int dir_fd, const struct agent_certificates *list)
{
    each_name(open_folder(dir_fd, CERTIFICATES), list, look_at_link, NULL);
    each_name(open_versions(dir_fd, NULL, false), list, look_at_versions, NULL);
}
