/* SPDX-License-Identifier: MIT */
/* access_line.h — writes one line of the access log in one of its formats. */
#ifndef FARMSTEAD_ACCESS_LINE_H
#define FARMSTEAD_ACCESS_LINE_H

#include "log/access_log.h"

#define ACCESS_FIELD_BYTES 1024 /* a client's field is cut after so many bytes */
/* As many of a client's fields as a format may have, each with its last character escaped; and what is
 * between them: literals, and fields of ours. */
#define ACCESS_LINE_BYTES (ACCESS_FORMAT_CLIENT_FIELDS * (ACCESS_FIELD_BYTES + 16) + 3072)

struct access_line {
    char text[ACCESS_LINE_BYTES];
    size_t len;
};

/* The time in the two forms of the lines, each made once a second. All zero at first. One per
 * thread. */
struct access_stamps {
    struct access_stamp {
        int64_t second;
        char text[32];
    } clf, iso;
};

/* Writes a line that ends with a line feed and contains no other. */
void access_line_write(struct access_line *line, struct access_stamps *stamps,
                       const struct access_form *form, const struct access_record *record);

#endif
