/* SPDX-License-Identifier: MIT */
/* copy_dictionary.c — no link is followed on the way to it, and its hash is made of what was read. */
#include "files/copy_dictionary.h"

#include "files/confined_open.h"
#include "files/file_read.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_file(const struct copy_dictionary *dictionary, struct stat *st)
{
    int root = confined_root(dictionary->folder);
    int fd =
        root >= 0 ? confined_open(root, dictionary->path, SYMLINKS_NEVER, CONFINED_READ, st) : root;

    if (root >= 0)
        close(root);
    return fd;
}

static bool has_hash(struct span bytes, const unsigned char *hash)
{
    unsigned char its[EVP_MAX_MD_SIZE];
    unsigned int len = 0;

    return EVP_Digest(bytes.ptr, bytes.len, its, &len, EVP_sha256(), NULL) == 1 &&
           len == CODER_DICTIONARY_HASH_BYTES && memcmp(its, hash, len) == 0;
}

char *copy_dictionary_read(struct coder_dictionary *out, const struct copy_dictionary *dictionary)
{
    struct stat st;
    int fd = open_file(dictionary, &st);
    char *bytes = NULL;
    bool is_read = false;

    if (fd >= 0 && S_ISREG(st.st_mode) && st.st_size > 0 && (uint64_t)st.st_size <= CODER_MAX_BYTES)
        bytes = malloc((size_t)st.st_size);
    if (bytes) {
        out->bytes = (struct span){bytes, (size_t)st.st_size};
        memcpy(out->hash, dictionary->hash, sizeof(out->hash));
        is_read = file_read_fully(fd, bytes, out->bytes.len, 0) == (ssize_t)out->bytes.len &&
                  has_hash(out->bytes, out->hash);
    }
    if (fd >= 0)
        close(fd);
    if (is_read)
        return bytes;
    free(bytes);
    return NULL;
}
