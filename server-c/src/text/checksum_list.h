/* SPDX-License-Identifier: MIT */
/* checksum_list.h — what `sha256sum` writes: one line for each file, 64 hexadecimal digits, a blank, a
 * blank or '*', and the name. Also a line of digits alone, as many write beside a single file. */
#ifndef FARMSTEAD_CHECKSUM_LIST_H
#define FARMSTEAD_CHECKSUM_LIST_H

#include "base/util.h"

struct checksum_line {
    unsigned char hash[32];
    struct span name; /* as it stands there; empty: there is none */
};

/* Takes the next line of that form off the front of `text`. Others are skipped, among them those whose
 * name is written with backslashes, since it has a line break or a backslash. False at the end. */
bool checksum_list_next(struct span *text, struct checksum_line *line);

#endif
