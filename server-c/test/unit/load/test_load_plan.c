/* SPDX-License-Identifier: MIT */
/* Plans that are taken, what becomes of them, and what is refused with which sentence. */
#include "load/load_plan.c"
#include "load/load_plan_urls.c"

#include "check.h"

#define HOME "\"targets\":[{\"name\":\"localhost\",\"address\":\"127.0.0.1\",\"port\":8080}]"
#define URLS "\"urls\":[{\"path\":\"/a\"},{\"path\":\"/b?c\",\"head\":true,\"weight\":2.5}]"

static int read_plan(struct load_plan *plan, struct buf *why, const char *text)
{
    buf_init(why);
    return load_plan_read(plan, text, strlen(text), why);
}

static void test_taken(void)
{
    struct load_plan plan;
    struct buf why;
    int err = read_plan(&plan, &why,
                        "{\"mode\":\"open\",\"ratePerSecond\":12.5,\"clients\":3," HOME "," URLS
                        ",\"fields\":\"Accept: x\\r\\n\",\"keepAlive\":false}");

    CHECK_INT(__LINE__, why.data, err, 0);
    CHECK_INT(__LINE__, "clients", plan.clients, 3);
    CHECK_INT(__LINE__, "seconds, when none are said", plan.seconds, 10);
    CHECK_TRUE(plan.rate == 12.5 && plan.urls[1].weight == 2.5, "numbers with fractions");
    CHECK_STR(__LINE__, "GET", plan.urls[0].request,
              "GET /a HTTP/1.1\r\nHost: localhost\r\nUser-Agent: farmload/" FARMSTEAD_VERSION
              "\r\nAccept: x\r\nConnection: close\r\n\r\n");
    CHECK_TRUE(strncmp(plan.urls[1].request, "HEAD /b?c ", 10) == 0, "%s", plan.urls[1].request);
    load_plan_free(&plan);
    buf_fini(&why);
}

static void test_replay(void)
{
    struct load_plan plan;
    struct buf why;
    int err =
        read_plan(&plan, &why, "{\"mode\":\"replay\"," HOME "," URLS "}\n0 1\n1500 0\n1500 1\n");

    CHECK_INT(__LINE__, why.data, err, 0);
    CHECK_INT(__LINE__, "lines", plan.replay_count, 3);
    CHECK_INT(__LINE__, "due", plan.replay[1].due_ns, 1500000);
    CHECK_INT(__LINE__, "URL", plan.replay[2].url, 1);
    load_plan_free(&plan);
    buf_fini(&why);
}

static void test_refused(void)
{
    static const struct {
        int line;
        const char *text, *why;
    } rows[] = {
        {__LINE__, "", "no JSON"},
        {__LINE__, "[]", "an object"},
        {__LINE__, "{\"mode\":\"fast\"}", "\"mode\" must be"},
        {__LINE__, "{\"mode\":\"open\"}", "\"ratePerSecond\" must be"},
        {__LINE__, "{\"mode\":\"open\",\"ratePerSecond\":1e9}", "\"ratePerSecond\" must be"},
        {__LINE__, "{\"mode\":\"closed\",\"clients\":0}", "\"clients\" must be from 1 to 20000"},
        {__LINE__, "{\"mode\":\"closed\",\"seconds\":86401}",
         "\"seconds\" must be from 1 to 86400"},
        {__LINE__, "{\"mode\":\"closed\",\"seconds\":\"1\"}", "\"seconds\" must be a whole number"},
        {__LINE__, "{\"mode\":\"closed\"}", "\"targets\" must be"},
        {__LINE__,
         "{\"mode\":\"closed\",\"targets\":[{\"name\":\"a "
         "b\",\"address\":\"127.0.0.1\",\"port\":1}]}",
         "a name, an address and a port"},
        {__LINE__,
         "{\"mode\":\"closed\",\"targets\":[{\"name\":\"a\",\"address\":\"192.0.2.1\",\"port\":80}]"
         "}",
         "not this machine"},
        {__LINE__,
         "{\"mode\":\"closed\",\"targets\":[{\"name\":\"a\",\"address\":\"::2\",\"port\":80}]}",
         "not this machine"},
        {__LINE__,
         "{\"mode\":\"closed\",\"targets\":[{\"name\":\"a\",\"address\":\"192.0.2.1\",\"port\":80,"
         "\"confirmed\":true}]}",
         "\"urls\" must be"},
        {__LINE__, "{\"mode\":\"closed\"," HOME ",\"urls\":[{\"path\":\"a\"}]}",
         "must have a path"},
        {__LINE__, "{\"mode\":\"closed\"," HOME ",\"urls\":[{\"path\":\"/ HTTP/1.1\"}]}",
         "must have a path"},
        {__LINE__, "{\"mode\":\"closed\"," HOME ",\"urls\":[{\"path\":\"/\",\"target\":1}]}",
         "target that there is not"},
        {__LINE__, "{\"mode\":\"closed\"," HOME ",\"urls\":[{\"path\":\"/\",\"weight\":0}]}",
         "weight must be"},
        {__LINE__, "{\"mode\":\"closed\"," HOME ",\"urls\":[{\"path\":\"/\",\"sha256\":\"0\"}]}",
         "64 hexadecimal"},
        {__LINE__, "{\"mode\":\"closed\"," HOME "," URLS ",\"fields\":\"A: b\"}", "whole lines"},
        {__LINE__, "{\"mode\":\"closed\"," HOME "," URLS ",\"fields\":\"A: b\\nC: d\\r\\n\"}",
         "whole lines"},
        {__LINE__, "{\"mode\":\"closed\"," HOME "," URLS ",\"fields\":\"A\\r\\n\"}", "whole lines"},
        {__LINE__,
         "{\"mode\":\"closed\"," HOME "," URLS ",\"fields\":\"A: b\\r\\n\\r\\nGET\\r\\n\"}",
         "whole lines"},
        {__LINE__, "{\"mode\":\"replay\"," HOME "," URLS "}", "without requests"},
        {__LINE__, "{\"mode\":\"replay\"," HOME "," URLS "}\n1 2\n", "\"DUE_US URL\""},
        {__LINE__, "{\"mode\":\"replay\"," HOME "," URLS "}\n1 1 1\n", "\"DUE_US URL\""},
        {__LINE__, "{\"mode\":\"replay\"," HOME "," URLS "}\n2 1\n1 1\n", "line 2 is due before"},
        {__LINE__, "{\"mode\":\"closed\",\"clients\":20000,\"memoryMb\":16," HOME "," URLS "}",
         "could take 39 MB"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct load_plan plan;
        struct buf why;
        CHECK_INT(rows[i].line, rows[i].text, read_plan(&plan, &why, rows[i].text), -1);
        CHECK_TRUE(strstr(why.data, rows[i].why) != NULL, "row %d: \"%s\"", rows[i].line, why.data);
        load_plan_free(&plan);
        buf_fini(&why);
    }
}

int main(void)
{
    test_taken();
    test_replay();
    test_refused();
    return check_end("load_plan");
}
