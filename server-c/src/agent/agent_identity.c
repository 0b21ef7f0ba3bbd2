/* SPDX-License-Identifier: MIT */
/* agent_identity.c — what is read is checked again as it was when it was written: a certificate
 * that does not fit the key would only be refused later, by somebody else. */
#include "agent/agent_identity.h"

#include "agent/agent_keys.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PEM_BYTES (64u << 10)

void agent_identity_fini(struct agent_identity *identity)
{
    agent_secret_free(identity->key);
    free(identity->certificate);
    free(identity->ca_certificates);
    explicit_bzero(identity, sizeof(*identity));
}

void agent_identity_copy(struct agent_identity *to, const struct agent_identity *from)
{
    *to = *from;
    if (from->key)
        to->key = xstrdup(from->key);
    if (from->certificate)
        to->certificate = xstrdup(from->certificate);
    if (from->ca_certificates)
        to->ca_certificates = xstrdup(from->ca_certificates);
}

void agent_identity_take(struct agent_identity *identity, char *key, struct agent_issued *issued)
{
    agent_secret_free(identity->key);
    free(identity->certificate);
    free(identity->ca_certificates);
    identity->key = key;
    identity->certificate = issued->certificate;
    identity->ca_certificates = issued->ca_certificates;
    memset(issued, 0, sizeof(*issued));
}

static char *read_pem(struct agent_reader *reader, const char *member)
{
    size_t len = 0;
    return agent_read_text(reader, member, PEM_BYTES, &len);
}

static void read_certificates(struct agent_reader *reader, struct agent_identity *out)
{
    char why[160];
    out->key = read_pem(reader, "privateKey");
    out->certificate = read_pem(reader, "certificate");
    out->ca_certificates = read_pem(reader, "caCertificates");
    if (reader->failed)
        return;
    if (agent_certificate_check(out->certificate, out->key, why, sizeof(why)) != 0 ||
        agent_ca_check(out->ca_certificates, why, sizeof(why)) != 0) {
        reader->failed = true;
        snprintf(reader->why, reader->why_len, "%s", why);
    }
}

void agent_identity_read(struct agent_reader *reader, struct agent_identity *out)
{
    struct agent_enrolled *enrolled = &out->enrolled;
    memset(out, 0, sizeof(*out));
    agent_read_string(reader, "controlPlaneUrl", out->control_plane_url,
                      sizeof(out->control_plane_url), 1);
    if (agent_reader_has(reader, "proxy"))
        agent_read_string(reader, "proxy", out->proxy, sizeof(out->proxy), 1);
    agent_read_id(reader, "nodeId", "node_", enrolled->node_id, sizeof(enrolled->node_id));
    agent_read_string(reader, "name", enrolled->name, sizeof(enrolled->name), 1);
    agent_read_string(reader, "controlPlaneId", enrolled->control_plane_id,
                      sizeof(enrolled->control_plane_id), 1);
    out->insecure_http = agent_read_boolean(reader, "insecureHttp");
    if (out->insecure_http)
        agent_read_string(reader, "credential", enrolled->credential, sizeof(enrolled->credential),
                          32);
    else
        read_certificates(reader, out);
    if (reader->failed)
        agent_identity_fini(out);
}

json_t *agent_identity_json(const struct agent_identity *identity)
{
    const struct agent_enrolled *enrolled = &identity->enrolled;
    const char *credential = identity->insecure_http ? enrolled->credential : NULL;
    const char *proxy = identity->proxy[0] ? identity->proxy : NULL;
    return json_pack("{ss ss ss ss sb ss* ss* ss* ss* ss*}", "controlPlaneUrl",
                     identity->control_plane_url, "nodeId", enrolled->node_id, "name",
                     enrolled->name, "controlPlaneId", enrolled->control_plane_id, "insecureHttp",
                     identity->insecure_http, "proxy", proxy, "credential", credential,
                     "privateKey", identity->key, "certificate", identity->certificate,
                     "caCertificates", identity->ca_certificates);
}
