/* SPDX-License-Identifier: MIT */
/* named_files.h — files that a config names and that are read together with it: the keys of signed
 * URLs, certificates with their keys, the authorities of clients' certificates, and redirects in
 * bulk.
 *
 * A set is what was read from them at one moment, and does not change. The files can change while
 * the config does not, so two configs are the same only if their files are too, and the files are
 * checked once a second. A file that can't be used any more keeps the bytes it had, so that a slip
 * does not cause an outage. (Password files are not among them: auth_files.h reads those when
 * somebody signs in.)
 *
 * A certificate is one item with two files: while only one of them is new they do not fit, and what
 * was read before stays. Redirects are kept as the list that was made of them, which sets share: it
 * may have 100,000 rules. Another kind of file takes one more value of named_kind, one more reader,
 * and one more line where the files of a config are listed. Everything here waits for the disk, so
 * it must not run on a loop's thread. */
#ifndef FARMSTEAD_NAMED_FILES_H
#define FARMSTEAD_NAMED_FILES_H

#include "config/config.h"
#include "match/redirect_list.h"
#include "tls/tls_certificate.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum named_kind { NAMED_KEY, NAMED_CERTIFICATE, NAMED_AUTHORITIES, NAMED_REDIRECTS };

struct named_file {
    enum named_kind kind;
    char *path;
    char *key_path;  /* of a certificate; NULL for other kinds */
    int err;         /* UV_E*, or a fault of a certificate: why it can't be used; the bytes are then
                        the earlier ones */
    char *wrong;     /* what is wrong in a text, and where; NULL: nothing, or `err` says all */
    bool is_exposed; /* every user of the machine may read the file, or the key */
    size_t len;      /* 0: there are no bytes, not even earlier ones */
    unsigned char *bytes;
    size_t chain_len;          /* of a certificate: its key's bytes follow those of its chain */
    struct tls_verdict remark; /* of a certificate that is used: what clients may refuse */
    struct redirect_list *redirects; /* in place of bytes; NULL: none, not even earlier ones */
};

static inline struct span named_file_chain(const struct named_file *file)
{
    return (struct span){(const char *)file->bytes, file->chain_len};
}

static inline struct span named_file_key(const struct named_file *file)
{
    return (struct span){(const char *)file->bytes + file->chain_len, file->len - file->chain_len};
}

struct named_files {
    struct named_file *items; /* each file once */
    size_t count;
};

/* Reads the files that `cfg` names. A file that can't be used keeps the bytes it has in `previous`,
 * which may be NULL. */
void named_files_read(struct named_files *files, const struct config *cfg,
                      const struct named_files *previous);
/* Lists them and reads none: each is as if it could not be read. */
void named_files_name(struct named_files *files, const struct config *cfg);
void named_files_fini(struct named_files *files);

/* Returns NULL if the file is not in the set. `key_path` is NULL unless it is a certificate's. */
const struct named_file *named_files_find(const struct named_files *files, enum named_kind kind,
                                          const char *path, const char *key_path);

/* For two sets of one config: do they have the same bytes and the same problems? */
bool named_files_equal(const struct named_files *a, const struct named_files *b);
size_t named_files_unusable(const struct named_files *files);

/* Logs what has changed since `previous`, which may be NULL. */
void named_files_say(const struct named_files *files, const struct named_files *previous);

/* The state in which each file of a set was last seen. */
struct named_stamp {
    struct stat st[2]; /* of the file and its key's; all zero: could not be found */
    bool is_due;       /* to be read at the next look, if it has not changed again */
};
struct named_watch {
    struct named_stamp *stamps;
    size_t count;
};
void named_watch_init(struct named_watch *watch, const struct named_files *files);
void named_watch_fini(struct named_watch *watch);

/* Looks at the files; call it once a second. True: something differs, and *next is what the files
 * hold now. A file is read only if it was the same in two consecutive looks, since one that has
 * just changed may be half written. It is read again until a later change can't have the same
 * time. */
bool named_watch_look(struct named_watch *watch, const struct named_files *files,
                      struct named_files *next);

#endif
