/* SPDX-License-Identifier: MIT */
/* certificate_files.h — where the files of a config's certificates are, and what is in them.
 *
 * Waits for the disk: never on a loop's thread. */
#ifndef FARMSTEAD_CERTIFICATE_FILES_H
#define FARMSTEAD_CERTIFICATE_FILES_H

#include "config/config.h"
#include "tls/tls_certificate.h"

#define CERTIFICATE_FILE_MAX 262144 /* bytes */
/* In the node's state folder: CERTIFICATES/NAME/CERTIFICATE_CHAIN. */
#define CERTIFICATES "certificates"
#define CERTIFICATE_CHAIN "chain.pem"
#define CERTIFICATE_KEY "key.pem"

struct certificate_paths {
    char *chain, *key;
};
/* Those of one with a name are in the node's state folder, where the agent puts them. */
void certificate_paths_of(struct certificate_paths *paths, const struct config_certificate *cfg);
void certificate_paths_fini(struct certificate_paths *paths);

struct certificate_file {
    char *bytes; /* on the heap */
    size_t len;
    bool is_exposed; /* every user of the machine may read it */
};
/* 0; or UV_E*, and there are no bytes. */
int certificate_file_read(struct certificate_file *file, const char *path);
void certificate_file_wipe(struct certificate_file *file);

static inline struct span certificate_file_span(const struct certificate_file *file)
{
    return (struct span){file->bytes ? file->bytes : "", file->len};
}

#endif
