/* SPDX-License-Identifier: MIT */
/* certificates_shown.h — which certificates are loaded, and for which hosts each is shown.
 *
 * No I/O. One thread at a time. */
#ifndef FARMSTEAD_CERTIFICATES_SHOWN_H
#define FARMSTEAD_CERTIFICATES_SHOWN_H

#include "tls/tls_certificate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loaded_certificate {
    char *label; /* its name or, without one, the file of its chain */
    bool has_name;
    char fingerprint[TLS_FINGERPRINT_LEN + 1];
    int64_t ends; /* seconds since 1970 */
};

struct shown_host {
    char *host; /* as the config says it; "*": for clients that name none */
    size_t certificate;
};

struct certificates_shown {
    struct loaded_certificate *loaded; /* each once */
    size_t loaded_count;
    struct shown_host *hosts; /* a host has one for each of its certificates */
    size_t host_count;
};

/* Returns the certificate's place in `loaded`. */
size_t certificates_shown_load(struct certificates_shown *shown, const char *label, bool has_name,
                               const struct tls_certificate *certificate);
void certificates_shown_for(struct certificates_shown *shown, const char *host, size_t certificate);
void certificates_shown_copy(struct certificates_shown *to, const struct certificates_shown *from);
void certificates_shown_fini(struct certificates_shown *shown); /* leaves it empty */

#endif
