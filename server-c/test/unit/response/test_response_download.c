/* SPDX-License-Identifier: MIT */
/* Names to save under, in whatever letters. */
#include "response/response_download.c"

#include "check.h"

#define S(text) ((char *)(uintptr_t)(text))

static void check_row(int line, const char *given, const char *own, const char *want)
{
    struct config_download rule = {.file_name = S(given)};
    char text[DOWNLOAD_MAX + 1];
    struct response_head out = {.out = text, .cap = DOWNLOAD_MAX};

    response_download_append(&out, &rule, (struct span){own, strlen(own)});
    text[out.len] = '\0';
    CHECK_STR(line, own, text, want);
}

/* The longest name, of bytes that take the most room. */
static void test_longest(void)
{
    struct config_download rule = {.file_name = S(""), .is_inline = false};
    char name[255], text[DOWNLOAD_MAX];
    struct response_head out = {.out = text, .cap = sizeof(text)};

    memset(name, '%', sizeof(name));
    response_download_append(&out, &rule, (struct span){name, sizeof(name)});
    CHECK_TRUE(!out.overflow && out.len > 1000, "it fits");
}

#define ATTACHMENT(plain) "Content-Disposition: attachment; filename=\"" plain "\""

int main(void)
{
    check_row(__LINE__, "", "a b.txt", ATTACHMENT("a b.txt") "\r\n");
    check_row(__LINE__, "", "/x/y.txt", ATTACHMENT("y.txt") "\r\n");
    check_row(__LINE__, "c.txt", "a.txt", ATTACHMENT("c.txt") "\r\n");
    check_row(__LINE__, "", "100%.txt", ATTACHMENT("100_.txt") "; filename*=UTF-8''100%25.txt\r\n");
    check_row(__LINE__, "", "\xc3\xa4'(x)*",
              ATTACHMENT("_'(x)*") "; filename*=UTF-8''%C3%A4%27%28x%29%2A\r\n");
    check_row(__LINE__, "", "\xe4.txt",
              ATTACHMENT("_.txt") "\r\n"); /* no UTF-8: nothing to encode */
    check_row(__LINE__, "", "\xf0\x9f\x98\x80.png",
              ATTACHMENT("_.png") "; filename*=UTF-8''%F0%9F%98%80.png\r\n");
    test_longest();
    return check_end("response_download");
}
