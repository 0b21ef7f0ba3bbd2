/* SPDX-License-Identifier: MIT */
/* access_line.h — one line of the access log in one of its forms. */
#ifndef FARMSTEAD_ACCESS_LINE_H
#define FARMSTEAD_ACCESS_LINE_H

#include "log/access_log.h"

#define ACCESS_FIELD_BYTES 1024 /* a client's field is cut after so many bytes of the line */
/* All five fields, each with the last character escaped, and what is between them. */
#define ACCESS_LINE_BYTES (5 * (ACCESS_FIELD_BYTES + 16) + 512)

struct access_line {
    char text[ACCESS_LINE_BYTES];
    size_t len;
};

/* The time as the lines have it, made once a second. All zeros at first. One per thread. */
struct access_stamp {
    int64_t second;
    char text[32];
};

/* Ends with a line end, and has no other. */
void access_line_write(struct access_line *line, struct access_stamp *stamp,
                       enum config_log_format format, const struct access_record *record);

#endif
