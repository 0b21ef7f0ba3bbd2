/* SPDX-License-Identifier: MIT */
#include "file_lookup.c"

#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>

static enum http_status status_of(char *root, const char *path)
{
    const struct config_site site = {.symlinks = SYMLINKS_WITHIN_ROOT};
    const struct file_place place = {.site = &site, .folder = root};
    const struct file_key key = {.path = {path, strlen(path)}};
    struct file_found found;

    file_lookup_run(&found, &place, &key);
    if (found.fd >= 0)
        close(found.fd);
    return found.status;
}

/* A file that cannot be opened for now is not a file that is not there. */
static void test_leased_file(char *root)
{
    char path[64];
    int fd;

    snprintf(path, sizeof(path), "%s/leased", root);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    CHECK_INT(__LINE__, "free", status_of(root, "/leased"), HTTP_OK);
    CHECK_INT(__LINE__, "no such file", status_of(root, "/other"), HTTP_NOT_FOUND);
    signal(SIGIO, SIG_IGN); /* the kernel asks for the lease back */
    CHECK_INT(__LINE__, "lease", fcntl(fd, F_SETLEASE, F_WRLCK), 0);
    CHECK_INT(__LINE__, "leased", status_of(root, "/leased"), HTTP_UNAVAILABLE);
    CHECK_INT(__LINE__, "release", fcntl(fd, F_SETLEASE, F_UNLCK), 0);
    CHECK_INT(__LINE__, "free again", status_of(root, "/leased"), HTTP_OK);
    close(fd);
    unlink(path);
}

int main(void)
{
    char root[] = "/tmp/farmstead-lookup-XXXXXX";

    if (!mkdtemp(root))
        return 1;
    test_leased_file(root);
    rmdir(root);
    return check_end("file_lookup");
}
