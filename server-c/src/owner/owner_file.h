/* SPDX-License-Identifier: MIT */
/* owner_file.h — the file in which the owner of a machine has written the policy.
 *
 * It is believed only if nobody else can have written it. It is read at the start, so changes take
 * effect at the next start. Waits for the disk. */
#ifndef FARMSTEAD_OWNER_FILE_H
#define FARMSTEAD_OWNER_FILE_H

#include "base/buf.h"
#include "owner/owner_policy.h"

/* NULL with a sentence in `why`; *is_missing: there is no such file. */
struct owner_policy *owner_file_read(const char *path, bool *is_missing, struct buf *why);

/* Sets the bounds of this process. `path` NULL: the usual place, and the tight built-in policy if
 * there is no file. 0, or -1 with a sentence. Call it before there are other threads. */
int owner_file_set_bounds(const char *path, const char *state_dir, struct buf *why);

/* Writes a new file that only root or the caller can change, and creates its folder if necessary.
 * 0; 1 if there is a file already, which is left as it is; -1 with a sentence. */
int owner_file_write(const char *path, const struct owner_policy *policy, struct buf *why);

#endif
