/* SPDX-License-Identifier: MIT */
/* Fields of a request become the text that the exchange reads; what contradicts itself or has no end does
 * not. */
#include "http2/http2_request.c"

#include "check.h"

static struct http2_head head;
static struct http_request req;

/* The library makes such memory only from compressed fields: so these are compressed first. */
static nghttp2_hd_deflater *deflater;
static nghttp2_session *session;
static enum http2_field result;

static int on_header(nghttp2_session *unused, const nghttp2_frame *frame, nghttp2_rcbuf *name,
                     nghttp2_rcbuf *value, uint8_t flags, void *user)
{
    (void)unused, (void)frame, (void)flags, (void)user;
    if (result == HTTP2_FIELD_OK)
        result = http2_head_add(&head, name, value);
    return 0;
}

static void begin_session(void)
{
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x4\0\0\0\0\0";
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *options;

    nghttp2_option_new(&options);
    nghttp2_option_set_no_http_messaging(options, 1); /* not what is tested here */
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback2(callbacks, on_header);
    nghttp2_session_server_new2(&session, callbacks, NULL, options);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(options);
    nghttp2_hd_deflate_new(&deflater, 4096);
    CHECK(nghttp2_session_mem_recv(session, (const uint8_t *)preface, sizeof(preface) - 1) ==
          sizeof(preface) - 1);
}

static size_t split(char *text, nghttp2_nv *fields)
{
    size_t count = 0;

    for (char *line = text; *line; line = strchr(line, '\n') + 1) {
        char *colon = strchr(line + 1, ':');
        char *end = strchr(line, '\n');
        fields[count++] = (nghttp2_nv){(uint8_t *)line, (uint8_t *)colon + 2,
                                       (size_t)(colon - line), (size_t)(end - colon - 2), 0};
    }
    return count;
}

/* Takes fields, one a line, with limits of 1,000 bytes for the head and 100 for the target. */
static enum parse take(const char *text)
{
    static int32_t id = -1;
    static char copy[20000], frame[20009];
    nghttp2_nv fields[128];
    enum parse parsed = PARSE_MORE;
    ssize_t len;

    snprintf(copy, sizeof(copy), "%s", text);
    len = nghttp2_hd_deflate_hd(deflater, (uint8_t *)frame + 9, sizeof(frame) - 9, fields,
                                split(copy, fields));
    CHECK(len >= 0 && len < 16384);
    id += 2;
    memcpy(frame, (char[]){0, (char)(len >> 8), (char)len, 1, 5, 0, 0, (char)(id >> 8), (char)id},
           9);
    http2_head_reset(&head);
    http2_head_init(&head, 1000);
    result = HTTP2_FIELD_OK;
    CHECK(nghttp2_session_mem_recv(session, (const uint8_t *)frame, (size_t)len + 9) == len + 9);
    if (result == HTTP2_FIELD_OK)
        CHECK(http2_head_parse(&head, &req, 100, &parsed));
    return parsed;
}

#define USUAL ":method: GET\n:scheme: http\n:authority: a.test:80\n:path: /x?y\n"

static bool text_is(const char *text)
{
    return head.len == strlen(text) && memcmp(head.bytes, text, head.len) == 0;
}

static void test_texts(void)
{
    CHECK_INT(__LINE__, "usual", take(USUAL), PARSE_OK);
    CHECK_TRUE(text_is("GET /x?y HTTP/2.0\r\nhost: a.test:80\r\n\r\n"), "%.*s", (int)head.len,
               head.bytes);
    CHECK_TRUE(span_is(http_slice_of(head.bytes, req.host), "a.test"), "host");
    CHECK_TRUE(span_is(http_slice_of(head.bytes, req.query), "y"), "query");
    CHECK_INT(__LINE__, "fields that count",
              take(USUAL "cookie: a=b\nrange: bytes=0-1\nx: y\naccept-encoding: br\n"), PARSE_OK);
    CHECK_TRUE(text_is("GET /x?y HTTP/2.0\r\nhost: a.test:80\r\nrange: bytes=0-1\r\n"
                       "accept-encoding: br\r\n\r\n"),
               "%.*s", (int)head.len, head.bytes);
    CHECK_INT(__LINE__, "Host alone", take(":method: GET\n:scheme: https\n:path: /\nhost: b\n"),
              PARSE_OK);
    CHECK_TRUE(text_is("GET / HTTP/2.0\r\nhost: b\r\n\r\n"), "%.*s", (int)head.len, head.bytes);
    CHECK_INT(__LINE__, "Host that is the same", take(USUAL "host: A.test:80\n"), PARSE_OK);
    CHECK_INT(__LINE__, "CONNECT", take(":method: CONNECT\n:authority: a:1\n"), PARSE_OK);
    CHECK_INT(__LINE__, "CONNECT", req.method, HTTP_KNOWN_METHOD);
}

static void test_refusals(void)
{
    static char large[3000], target[300];

    take(USUAL "host: b\n");
    CHECK_INT(__LINE__, "Host that differs", result, HTTP2_FIELD_MALFORMED);
    take(":method: GET\nx: y\n:path: /\n");
    CHECK_INT(__LINE__, "too late", result, HTTP2_FIELD_MALFORMED);
    take(":method: GET\n:method: PUT\n");
    CHECK_INT(__LINE__, "twice", result, HTTP2_FIELD_MALFORMED);
    take(USUAL ":protocol: x\n");
    CHECK_INT(__LINE__, "unknown", result, HTTP2_FIELD_MALFORMED);
    CHECK_INT(__LINE__, "scheme", take(":method: GET\n:scheme: gopher\n:authority: a\n:path: /\n"),
              PARSE_BAD);
    CHECK_INT(__LINE__, "scheme", req.status, HTTP_BAD_REQUEST);
    CHECK_INT(__LINE__, "authority",
              take(":method: GET\n:scheme: http\n:authority: u@a\n:path: /\n"), PARSE_BAD);
    snprintf(large, sizeof(large), USUAL "x: %0900d\n", 0);
    CHECK_INT(__LINE__, "large", take(large), PARSE_BAD);
    CHECK_INT(__LINE__, "large", req.status, HTTP_HEADER_FIELDS_TOO_LARGE);
    snprintf(target, sizeof(target),
             ":method: HEAD\n:scheme: http\n:authority: a\n:path: /%0200d\n", 0);
    CHECK_INT(__LINE__, "target", take(target), PARSE_BAD);
    CHECK_INT(__LINE__, "target", req.status, HTTP_URI_TOO_LONG);
    CHECK_INT(__LINE__, "and its method", req.method, HTTP_HEAD);
    snprintf(large, sizeof(large), USUAL "x: %01400d\ny: %01400d\nz: z\n", 0, 0);
    CHECK_INT(__LINE__, "not endless", take(large), PARSE_BAD);
    CHECK_INT(__LINE__, "a few small ones", take(USUAL "a: \nb: \nc: \nd: \ne: \n"), PARSE_OK);
}

static void test_endless(void)
{
    static char many[4000];
    size_t len = (size_t)snprintf(many, sizeof(many), "%s", USUAL);

    for (int i = 0; i < 120; i++) /* each counts as 33 bytes */
        len += (size_t)snprintf(many + len, sizeof(many) - len, "%c: \n", 'a' + i % 26);
    take(many);
    CHECK_INT(__LINE__, "a hundred and more", result, HTTP2_FIELD_ENDLESS);
}

int main(void)
{
    begin_session();
    test_texts();
    test_refusals();
    test_endless();
    http2_head_fini(&head);
    nghttp2_session_del(session);
    nghttp2_hd_deflate_del(deflater);
    return check_end("http2_request");
}
