/* SPDX-License-Identifier: MIT */
/* agent_http_trust.c — of both the host's name is not compared: certificates of the farm's CA are for what their owner
 * is, and addresses change. */
#include "agent/agent_http_trust.h"

#include "base/digest.h"

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

#define SHA256_BYTES 32
#define BASE64_LEN 44

static bool believe_only_ours(CURL *easy, long least_version)
{
    return curl_easy_setopt(easy, CURLOPT_SSLVERSION, least_version) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L) == CURLE_OK &&
           /* Without these two, libcurl trusts the system's authorities as well as ours, and any of
            * them could vouch for any host. */
           curl_easy_setopt(easy, CURLOPT_CAINFO, NULL) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) == CURLE_OK &&
           /* A cached TLS session would go on with an earlier certificate. */
           curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L) == CURLE_OK;
}

/* Only the control plane ever has a server's certificate from this CA (those of nodes are for
 * clients, and OpenSSL refuses them for servers). So its addresses and names may change, and a node
 * can reach it through any tunnel. */
bool agent_http_trust_control_plane(CURL *easy, bool believe_anybody, const char *proxy)
{
    bool ok = believe_only_ours(easy, (long)CURL_SSLVERSION_TLSv1_2);

    if (ok && believe_anybody)
        ok = curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L) == CURLE_OK;
    if (ok && proxy)
        ok = curl_easy_setopt(easy, CURLOPT_PROXY, proxy) == CURLE_OK &&
             curl_easy_setopt(easy, CURLOPT_NOPROXY, "") == CURLE_OK;
    return ok;
}

/* A node's certificate is for clients: that is what is asked of the other side here, and the control plane's is
 * refused. */
static CURLcode turn_purpose_round(CURL *easy, void *settings, void *arg)
{
    (void)easy, (void)arg;
    return SSL_CTX_set_purpose(settings, X509_PURPOSE_SSL_CLIENT) == 1 &&
                   SSL_CTX_set_trust(settings, X509_TRUST_SSL_CLIENT) == 1
               ? CURLE_OK
               : CURLE_SSL_CERTPROBLEM;
}

/* What stands between the machine and the control plane does not stand between neighbours. */
bool agent_http_trust_nodes(CURL *easy)
{
    return believe_only_ours(easy, (long)CURL_SSLVERSION_TLSv1_3) &&
           curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, turn_purpose_round) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOPROXY, "*") == CURLE_OK;
}

bool agent_http_trust_key(CURL *easy, const char *key_sha256)
{
    unsigned char bytes[SHA256_BYTES], base64[BASE64_LEN + 1];
    char pin[sizeof("sha256//") + BASE64_LEN];

    if (strlen(key_sha256) != 2 * (size_t)SHA256_BYTES ||
        !digest_bytes(bytes, key_sha256, SHA256_BYTES))
        return false;
    EVP_EncodeBlock(base64, bytes, SHA256_BYTES);
    snprintf(pin, sizeof(pin), "sha256//%s", (const char *)base64);
    return curl_easy_setopt(easy, CURLOPT_PINNEDPUBLICKEY, pin) == CURLE_OK;
}
