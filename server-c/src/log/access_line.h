/* SPDX-License-Identifier: MIT */
/* access_line.h — writes one line of the access log in one of its formats. */
#ifndef FARMSTEAD_ACCESS_LINE_H
#define FARMSTEAD_ACCESS_LINE_H

#include "log/access_log.h"

#define ACCESS_FIELD_BYTES 1024 /* a client's field is cut after so many bytes */
/* Five fields, each with its last character escaped, and what is between them. */
#define ACCESS_LINE_BYTES (5 * (ACCESS_FIELD_BYTES + 16) + 512)

struct access_line {
    char text[ACCESS_LINE_BYTES];
    size_t len;
};

/* The time in the form of the lines, made once a second. All zero at first. One per thread. */
struct access_stamp {
    int64_t second;
    char text[32];
};

/* Writes a line that ends with a line feed and contains no other. */
void access_line_write(struct access_line *line, struct access_stamp *stamp,
                       enum config_log_format format, const struct access_record *record);

#endif
