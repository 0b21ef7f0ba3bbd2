/* SPDX-License-Identifier: MIT */
/* agent_http_address.c — checks addresses that people type: of a control plane and of a proxy. */
#include "agent/agent_http.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

static bool part_is_absent(CURLU *url, CURLUPart part)
{
    char *text = NULL;
    CURLUcode found = curl_url_get(url, part, &text, 0);
    curl_free(text);
    return found != CURLUE_OK;
}

/* Is it "https://::1:9701", an IPv6 address without its brackets (RFC 3986 section 3.2.2)? */
static bool lacks_brackets(const char *text)
{
    const char *host = strstr(text, "://");
    size_t len, colons = 0;

    if (!host)
        return false;
    host += 3;
    len = strcspn(host, "/");
    for (size_t i = 0; i < len; i++)
        colons += host[i] == ':';
    return colons > 1 && !memchr(host, '[', len);
}

static void say_why(const char *text, char *why, size_t why_len)
{
    snprintf(why, why_len, "\"%.120s\" is no https:// or http:// address%s", text,
             lacks_brackets(text) ? ": an IPv6 address stands in brackets, as in https://[::1]:9701"
                                  : "");
}

int agent_http_check_url(const char *text, char *out, size_t size, bool *is_plain, char *why,
                         size_t why_len)
{
    CURLU *url = curl_url();
    char *scheme = NULL;
    int err = -1;
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == '/')
        len--;
    if (!url || curl_url_set(url, CURLUPART_URL, text, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        (strcmp(scheme, "https") != 0 && strcmp(scheme, "http") != 0))
        say_why(text, why, why_len);
    else if (len >= size)
        snprintf(why, why_len, "the address is longer than %zu bytes", size - 1);
    else if (!part_is_absent(url, CURLUPART_USER) || !part_is_absent(url, CURLUPART_QUERY) ||
             !part_is_absent(url, CURLUPART_FRAGMENT))
        snprintf(why, why_len, "the address may have no user, \"?\" or \"#\" in it");
    else
        err = 0;
    if (!err) {
        memcpy(out, text, len);
        out[len] = '\0';
        *is_plain = strcmp(scheme, "http") == 0;
    }
    curl_free(scheme);
    curl_url_cleanup(url);
    return err;
}

int agent_http_check_proxy(const char *text, char *why, size_t why_len)
{
    CURLU *url = curl_url();
    char *scheme = NULL;
    int err = -1;
    if (!url || curl_url_set(url, CURLUPART_URL, text, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        (strcmp(scheme, "https") != 0 && strcmp(scheme, "http") != 0))
        snprintf(why, why_len, "--proxy takes the http:// or https:// address of an HTTP proxy");
    else
        err = 0;
    curl_free(scheme);
    curl_url_cleanup(url);
    return err;
}
