/* SPDX-License-Identifier: MIT */
/* What clients of /metrics ask for, and which form they get. */
#include "http/http_accept.c"

#include "check.h"

enum { PROTOBUF, OPEN, TEXT };

static const struct http_form forms[] = {
    [PROTOBUF] = {"application/vnd.google.protobuf",
                  {{"proto", "io.prometheus.client.metricfamily", true},
                   {"encoding", "delimited", true}}},
    [OPEN] = {"application/openmetrics-text", {{"version", "1.0.0", false}}},
    [TEXT] = {"text/plain", {{"version", "0.0.4", false}}},
};

#define PB                                                                                         \
    "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
#define OM "application/openmetrics-text"

static const struct {
    int line;
    const char *fields;
    int want;
} rows[] = {
    {__LINE__, "", TEXT},
    {__LINE__, "Accept:\r\n", TEXT},
    {__LINE__, "Accept: , ,\t,\r\n", TEXT},
    {__LINE__, "Accept: */*\r\n", TEXT},
    {__LINE__, "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n", TEXT},
    {__LINE__, "Accept: image/png\r\n", TEXT},

    /* Prometheus 2.42 with native histograms, 2.42 without, 3.x. */
    {__LINE__,
     "Accept: " PB ";q=0.6," OM ";version=1.0.0;q=0.5," OM ";version=0.0.1;q=0.4,"
     "text/plain;version=0.0.4;q=0.3,*/*;q=0.2\r\n",
     PROTOBUF},
    {__LINE__,
     "Accept: " OM ";version=1.0.0;q=0.75," OM ";version=0.0.1;q=0.5,"
     "text/plain;version=0.0.4;q=0.3,*/*;q=0.2\r\n",
     OPEN},
    {__LINE__,
     "Accept: " OM ";version=1.0.0;escaping=allow-utf-8;q=0.6," OM ";version=0.0.1;q=0.5,"
     "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,"
     "*/*;q=0.2\r\n",
     OPEN},
    {__LINE__, "Accept: text/plain;version=0.0.4;q=0.9," PB ";q=0.5\r\n", TEXT},

    /* Names and parameters. */
    {__LINE__, "Accept: " PB "\r\n", PROTOBUF},
    {__LINE__,
     "Accept: Application/Vnd.Google.Protobuf ; Encoding=delimited ;\t"
     "proto=\"io.prometheus.client.MetricFamily\"\r\n",
     PROTOBUF},
    {__LINE__, "Accept: application/vnd.google.protobuf\r\n", TEXT},
    {__LINE__, "Accept: application/vnd.google.protobuf;encoding=delimited\r\n", TEXT},
    {__LINE__, "Accept: " PB "x\r\n", TEXT},
    {__LINE__,
     "Accept: application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
     "encoding=text\r\n",
     TEXT},
    {__LINE__, "Accept: " PB ";encoding=text\r\n", TEXT},
    {__LINE__, "Accept: " OM "\r\n", OPEN},
    {__LINE__, "Accept: " OM ";version=1.0.0;charset=utf-8\r\n", OPEN},
    {__LINE__, "Accept: " OM ";version=\"1.0.0\"\r\n", OPEN},
    {__LINE__, "Accept: " OM ";version=0.0.1\r\n", TEXT},
    {__LINE__, "Accept: " OM ";version=1.0.0;q=0.1, " OM ";version=0.0.1\r\n", OPEN},
    {__LINE__, "Accept: application/openmetrics-texts, " OM "s\r\n", TEXT},
    {__LINE__, "Accept: application/*\r\n", TEXT},

    /* Weights. */
    {__LINE__, "Accept: " OM ", text/plain\r\n", OPEN},
    {__LINE__, "Accept: text/plain, " OM ", " PB "\r\n", PROTOBUF},
    {__LINE__, "Accept: " OM ";q=0.3, text/plain;q=0.301\r\n", TEXT},
    {__LINE__, "Accept: " OM ";q=0.301, text/plain;q=0.3\r\n", OPEN},
    {__LINE__, "Accept: " OM ";q=0, */*\r\n", TEXT},
    {__LINE__, "Accept: " OM ";q=0\r\n", TEXT},
    {__LINE__, "Accept: " PB ";q=0, " OM ";q=0.001\r\n", OPEN},
    {__LINE__, "Accept: " OM ";q=0.5, */*\r\n", TEXT},
    {__LINE__, "Accept: " OM ";q=0.5, text/*\r\n", TEXT},
    {__LINE__, "Accept: " OM ";q=0.5, text/*;q=0.4, */*\r\n", OPEN},
    {__LINE__, "Accept: " OM ";q=0.5, text/plain;q=0.4, text/*\r\n", OPEN},
    {__LINE__, "Accept: " OM ";q=0.5, text/plain;version=0.0.4;q=0.4, text/plain\r\n", OPEN},
    {__LINE__, "Accept: " OM ", " OM ";q=0.2, text/plain;q=0.3\r\n", TEXT},
    {__LINE__, "Accept: " OM ";q=0.2\r\nX: y\r\nAccept: text/plain;q=0.1\r\n", OPEN},
    {__LINE__, "Accept: text/plain;q=0.1\r\nACCEPT: " OM ";q=0.2\r\n", OPEN},
    {__LINE__, "Accept: " OM ";q=0.9;anything=0, text/plain;q=0.8\r\n", OPEN},

    /* Malformed elements are ignored, and a comma in quotes does not end an element. */
    {__LINE__, "Accept: " OM ";q=2\r\n", TEXT},
    {__LINE__, "Accept: " OM ";q=x, " OM ";q=0.1\r\n", OPEN},
    {__LINE__, "Accept: " OM ";version\r\n", TEXT},
    {__LINE__, "Accept: " OM ";=1\r\n", TEXT},
    {__LINE__, "Accept: " OM ";version=\"1.0.0\r\n", TEXT},
    {__LINE__, "Accept: " OM ";x=\",\"\r\n", OPEN},
    {__LINE__, "Accept: " OM ";x=\"\\\",text/plain;\";q=0, text/plain;q=0.5\r\n", TEXT},
    {__LINE__, "Accept: a/b;x=\"," OM "\"\r\n", TEXT},
    {__LINE__, "Accept: ;q=1, ;;\r\n", TEXT},
};

int main(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct http_request req;
        char head[2048];
        int len =
            snprintf(head, sizeof(head), "GET / HTTP/1.1\r\nHost: a\r\n%s\r\n", rows[i].fields);
        http_request_init(&req, 8192, 8192);
        CHECK_TRUE(http_parse_request(&req, head, (size_t)len) == PARSE_OK, "%s", rows[i].fields);
        CHECK_INT(rows[i].line, rows[i].fields,
                  http_accept_choose(&req, head, forms, ARRAY_LEN(forms)), rows[i].want);
    }
    return check_end("http_accept");
}
