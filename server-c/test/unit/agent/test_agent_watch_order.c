/* SPDX-License-Identifier: MIT */
/* Which paths are to be counted: read from the protocol's example, and refused with the name of the member. */
#include "agent/agent_watch_order.c"

#include "agent_example.h"
#include "check.h"

static char why[256];

/* Takes over `document`. */
static bool read_order(json_t *document, struct agent_watch_order *out)
{
    struct agent_reader reader = {document, why, sizeof(why), false};
    why[0] = '\0';
    agent_watch_read(&reader, out);
    json_decref(document);
    return !reader.failed;
}

static void the_example_is_read(void)
{
    struct agent_watch_order order;
    CHECK_TRUE(read_order(example_load("desired.response.watch"), &order), "%s", why);
    CHECK_STR(__LINE__, "id", order.watch.id, "watch_01jd4q6v2m8w3x5y7z9abcdefq");
    CHECK_INT(__LINE__, "time", order.for_ms, 120000);
    CHECK_INT(__LINE__, "paths", order.watch.count, 2);
    CHECK_STR(__LINE__, "host", order.watch.paths[0].host, "www.example.org");
    CHECK_INT(__LINE__, "path", order.watch.paths[0].path_len, strlen("/docs/"));
    CHECK_INT(__LINE__, "any host", order.watch.paths[1].host_len, 0);
    CHECK_TRUE(read_order(example_load("desired.response.nothing"), &order), "%s", why);
    CHECK_INT(__LINE__, "none", order.for_ms, 0);
}

/* The example with `member` of the order changed, or removed if `value` is NULL. */
static void order_row(int line, const char *member, json_t *value, const char *want_why)
{
    struct agent_watch_order order;
    json_t *document = example_load("desired.response.watch");
    json_t *watch = json_object_get(document, "watch");
    if (value)
        json_object_set_new(watch, member, value);
    else
        json_object_del(watch, member);
    CHECK_TRUE(!read_order(document, &order), "row %d is not refused", line);
    CHECK_TRUE(strstr(why, want_why), "row %d: \"%s\", want \"%s\"", line, why, want_why);
    CHECK_INT(line, "nothing is left", order.watch.count, 0);
}

static json_t *nine_paths(void)
{
    json_t *paths = json_array();
    for (int i = 0; i < 9; i++)
        json_array_append_new(paths, json_pack("{s:s}", "path", "/"));
    return paths;
}

static void what_is_no_order_is_refused(void)
{
    order_row(__LINE__, "id", NULL, "\"id\"");
    order_row(__LINE__, "id", json_string("probe_01jd4q6v2m8w3x5y7z9abcdefq"), "\"id\"");
    order_row(__LINE__, "forMs", json_integer(0), "\"forMs\"");
    order_row(__LINE__, "paths", NULL, "\"paths\"");
    order_row(__LINE__, "paths", json_array(), "\"paths\"");
    order_row(__LINE__, "paths", nine_paths(), "\"paths\"");
    order_row(__LINE__, "paths", json_pack("[s]", "/docs/"), "\"paths\"");
    order_row(__LINE__, "paths", json_pack("[{s:s}]", "path", "docs"), "\"path\"");
    order_row(__LINE__, "paths", json_pack("[{}]"), "\"path\"");
}

int main(void)
{
    the_example_is_read();
    what_is_no_order_is_refused();
    return check_end("agent watch order");
}
