/* SPDX-License-Identifier: MIT */
/* agent_http_trust.h — who is believed to be whom: the control plane on handles for it, a node on handles for nodes, and
 * neither on the other's. */
#ifndef FARMSTEAD_AGENT_HTTP_TRUST_H
#define FARMSTEAD_AGENT_HTTP_TRUST_H

#include <curl/curl.h>
#include <stdbool.h>

/* All of these: false if libcurl can't do that; the handle is not to be used then. `proxy` NULL: the one in the
 * environment. */
bool agent_http_trust_control_plane(CURL *easy, bool believe_anybody, const char *proxy);
bool agent_http_trust_nodes(CURL *easy);
/* Of nodes the one whose public key has this SHA-256, in hex. */
bool agent_http_trust_key(CURL *easy, const char *key_sha256);

#endif
