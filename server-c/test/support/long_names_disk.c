/* SPDX-License-Identifier: MIT */
/* long_names_disk.c — a file system (FUSE) with one folder and in it one file, whose name is longer
 * than NAME_MAX. Speaks the kernel's protocol itself: linux/fuse.h.
 *
 * Usage: long_names_disk FOLDER NAME. Ends when it is unmounted. Built by long-names-disk.mjs. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FOLDER_ID FUSE_ROOT_ID
#define FILE_ID 2
#define REQUEST_BYTES (1 << 20)

static const char content[] = "what is in it";
static const char *file_name;

static void answer(int fd, const struct fuse_in_header *in, int err, const void *bytes, size_t len)
{
    struct fuse_out_header out = {
        .len = (uint32_t)(sizeof(out) + len), .error = -err, .unique = in->unique};
    struct iovec pieces[] = {{&out, sizeof(out)}, {(void *)(size_t)bytes, len}};

    if (writev(fd, pieces, len > 0 ? 2 : 1) < 0 && errno != ENOENT) /* it was interrupted */
        exit(1);
}

static struct fuse_attr attributes_of(uint64_t id)
{
    return (struct fuse_attr){
        .ino = id,
        .size = id == FILE_ID ? sizeof(content) - 1 : 0,
        .mode = id == FILE_ID ? S_IFREG | 0644 : S_IFDIR | 0755,
        .nlink = 1,
        .mtime = 1000000000,
        .ctime = 1000000000,
        .blksize = 4096,
    };
}

static void look_up(int fd, const struct fuse_in_header *in, const char *name)
{
    struct fuse_entry_out entry = {.nodeid = FILE_ID, .attr = attributes_of(FILE_ID)};

    if (strcmp(name, file_name) == 0)
        answer(fd, in, 0, &entry, sizeof(entry));
    else
        answer(fd, in, ENOENT, NULL, 0);
}

static void read_folder(int fd, const struct fuse_in_header *in, const struct fuse_read_in *read)
{
    static union {
        struct fuse_dirent entry;
        char bytes[FUSE_DIRENT_ALIGN(sizeof(struct fuse_dirent) + 4096)];
    } out;
    size_t len = strlen(file_name);

    if (read->offset > 0) {
        answer(fd, in, 0, NULL, 0);
        return;
    }
    out.entry = (struct fuse_dirent){
        .ino = FILE_ID, .off = 1, .namelen = (uint32_t)len, .type = S_IFREG >> 12};
    memcpy(out.bytes + FUSE_NAME_OFFSET, file_name, len);
    answer(fd, in, 0, &out, FUSE_DIRENT_SIZE(&out.entry));
}

static void read_file(int fd, const struct fuse_in_header *in, const struct fuse_read_in *read)
{
    size_t len = sizeof(content) - 1, from = read->offset < len ? read->offset : len;

    answer(fd, in, 0, content + from, len - from < read->size ? len - from : read->size);
}

static void serve(int fd, const struct fuse_in_header *in, const void *body)
{
    struct fuse_init_out init = {
        .major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 65536, .time_gran = 1};
    struct fuse_attr_out attributes = {.attr = attributes_of(in->nodeid)};
    struct fuse_open_out opened = {0};
    struct fuse_statfs_out space = {.st = {.bsize = 4096, .namelen = 1024}};

    switch (in->opcode) {
    case FUSE_INIT:
        answer(fd, in, 0, &init, sizeof(init));
        break;
    case FUSE_GETATTR:
        answer(fd, in, 0, &attributes, sizeof(attributes));
        break;
    case FUSE_LOOKUP:
        look_up(fd, in, body);
        break;
    case FUSE_OPEN:
    case FUSE_OPENDIR:
        answer(fd, in, 0, &opened, sizeof(opened));
        break;
    case FUSE_READDIR:
        read_folder(fd, in, body);
        break;
    case FUSE_READ:
        read_file(fd, in, body);
        break;
    case FUSE_STATFS:
        answer(fd, in, 0, &space, sizeof(space));
        break;
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
    case FUSE_FLUSH:
        answer(fd, in, 0, NULL, 0);
        break;
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
        break; /* these requests get no answer */
    default:
        answer(fd, in, ENOSYS, NULL, 0);
    }
}

int main(int argc, char **argv)
{
    static _Alignas(8) char request[REQUEST_BYTES];
    int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    char options[100];
    ssize_t n;

    if (argc != 3 || fd < 0)
        return 1;
    file_name = argv[2];
    snprintf(options, sizeof(options), "fd=%d,rootmode=40755,user_id=0,group_id=0,allow_other", fd);
    if (mount("long-names", argv[1], "fuse", MS_NOSUID | MS_NODEV, options) != 0)
        return 1;
    puts("mounted");
    fflush(stdout);
    while ((n = read(fd, request, sizeof(request))) > 0 || errno == EINTR || errno == ENOENT)
        if (n > 0)
            serve(fd, (const void *)request, request + sizeof(struct fuse_in_header));
    return errno == ENODEV ? 0 : 1;
}
