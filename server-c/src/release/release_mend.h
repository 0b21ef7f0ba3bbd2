/* SPDX-License-Identifier: MIT */
/* release_mend.h — gets a content anew that is wrong on the disk, and puts it in its place. On the store's thread. */
#ifndef FARMSTEAD_RELEASE_MEND_H
#define FARMSTEAD_RELEASE_MEND_H

#include "release/release_build.h"

/* One try. RELEASE_STANDS: it is right now, or gone, and no tree has the wrong one; anything else leaves a sentence in `why`, and
 * the wrong one marked as it was. */
enum release_end release_mend(struct release_store *store, const struct release_source *source,
                              const char *sha256, char why[RELEASE_WHY_LEN]);

#endif
