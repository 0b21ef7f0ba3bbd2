/* SPDX-License-Identifier: MIT */
/* site_tls.h — the certificates of a set of sites, made ready for one loop: which are shown for the
 * name that a client asks for. */
#ifndef FARMSTEAD_SITE_TLS_H
#define FARMSTEAD_SITE_TLS_H

#include "tls/certificates_shown.h"
#include "site/site.h"
#include "tls/tls.h"

/* Does any address of the config speak TLS? */
bool site_tls_is_wanted(const struct config *cfg);
/* Does it speak TLS, or name certificates? Those are loaded and told of although nobody is shown them
 * yet: what a node was given, it says that it has. */
bool site_tls_is_loaded(const struct config *cfg);

/* The site whose clients' certificates a session is about in which the client asked for `name`;
 * empty: for none. */
const struct site *site_tls_site(const struct site_set *sites, struct span name);

/* Takes its own reference to `sites`. Certificates that can't be used are left out: a handshake for
 * their names fails. NULL: no memory. Computes much: not on a loop's thread, whose `engine` is
 * only noted. */
struct tls_set *site_tls_new(struct site_set *sites, struct tls_engine *engine);
/* What is really loaded in a set made by site_tls_new(). */
const struct certificates_shown *site_tls_shown(const struct tls_set *set);

#endif
