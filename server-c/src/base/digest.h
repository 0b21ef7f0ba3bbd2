/* SPDX-License-Identifier: MIT */
/* digest.h — SHA-256 in the form used everywhere here: "sha256:" and 64 hex digits. */
#ifndef FARMSTEAD_DIGEST_H
#define FARMSTEAD_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#define DIGEST_LEN 71 /* without the NUL */

/* Lower-case hex digits of these bytes, two for each, and a NUL. Any thread. */
void digest_hex(char *out, const unsigned char *bytes, size_t len);
/* The other way round: `len` bytes from two hex digits each. False: one is no hex digit. Any thread. */
bool digest_bytes(unsigned char *out, const char *hex, size_t len);
/* Aborts if OpenSSL has no SHA-256, because nothing works without it. Any thread. */
void digest_sha256(char out[DIGEST_LEN + 1], const void *bytes, size_t len);

#endif
