/* SPDX-License-Identifier: MIT */
/* owner_file.h — the file that a machine's owner has written the policy into.
 *
 * It is believed only when nobody else can have written it. Read at the start; a change of it holds
 * from the next start on. Blocks on the disk. */
#ifndef FARMSTEAD_OWNER_FILE_H
#define FARMSTEAD_OWNER_FILE_H

#include "base/buf.h"
#include "owner/owner_policy.h"

/* NULL with a sentence in `why`; *is_missing says that there is no such file. */
struct owner_policy *owner_file_read(const char *path, bool *is_missing, struct buf *why);

/* Sets the bounds of this process. `path` NULL: the usual place, and the tight built-in policy where
 * nothing is there. 0, or -1 with a sentence. Before there is a second thread. */
int owner_file_set_bounds(const char *path, const char *state_dir, struct buf *why);

/* Writes a new file that only root, or whoever calls, can change, and its folder where that is missing.
 * 0; 1 when there is one already, which is left as it is; -1 with a sentence. */
int owner_file_write(const char *path, const struct owner_policy *policy, struct buf *why);

#endif
