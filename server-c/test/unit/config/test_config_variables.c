/* SPDX-License-Identifier: MIT */
/* What becomes of environment variables in a config's strings, and of what they say where an option
 * takes a number or a boolean. */
#include "config/config.h"
#include "config/config_variables.h"

#include "base/util.h"
#include "check.h"

#include <stdlib.h>

static void set_variables(void)
{
    char large[700001];

    memset(large, 'x', sizeof(large) - 1);
    large[sizeof(large) - 1] = '\0';
    setenv("WORD", "sites", 1);
    setenv("EMPTY", "", 1);
    setenv("QUOTED", "a\"b\\c\n${WORD}", 1);
    setenv("LATIN", "\xe9t\xe9", 1);
    setenv("LARGE", large, 1);
    setenv("PORT", "8080", 1);
    setenv("NEGATIVE", "-1", 1);
    setenv("HUGE", "99999999999999999999", 1);
    setenv("YES", "true", 1);
    setenv("AUTO", "auto", 1);
    unsetenv("UNSET");
}

static void test_texts(void)
{
    static const struct {
        int line;
        const char *text, *want; /* of the string; "!": an error with this in it */
    } rows[] = {
        {__LINE__, "plain", "plain"},
        {__LINE__, "${WORD}", "sites"},
        {__LINE__, "/srv/${WORD}/${WORD}", "/srv/sites/sites"},
        {__LINE__, "${WORD}${WORD}", "sitessites"},
        {__LINE__, "${EMPTY}", ""},
        {__LINE__, "${EMPTY:-none}", "none"},
        {__LINE__, "${UNSET:-none}", "none"},
        {__LINE__, "${UNSET:-}", ""},
        {__LINE__, "${WORD:-none}!", "sites!"},
        {__LINE__, "${QUOTED}", "a\"b\\c\n${WORD}"}, /* a value is no text of the config */
        {__LINE__, "https://${host}/$1?${query}", "https://${host}/$1?${query}"},
        {__LINE__, "$WORD $ ${} ${WORD", "$WORD $ ${} ${WORD"},
        {__LINE__, "${WORD:x} ${1A} ${word}", "${WORD:x} ${1A} ${word}"},
        {__LINE__, "$${WORD}", "$sites"},
        {__LINE__, "${UNSET}", "!UNSET is not set"},
        {__LINE__, "${LATIN}", "!LATIN is no UTF-8"},
        {__LINE__, "${LARGE}${LARGE}", "!LARGE makes the config too large"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct config_errors errors = {0};
        struct json_value *root;
        struct buf text;

        buf_init(&text);
        buf_printf(&text, "{\"${WORD}\": [1, [\"%s\"], {}], \"after\": \"${WORD}\"}", rows[i].text);
        root = json_text_parse(text.data, text.len, &errors);
        CHECK_TRUE(root != NULL, "line %d", rows[i].line);
        config_fill_variables(root, &errors);
        if (*rows[i].want == '!') {
            CHECK_INT(rows[i].line, rows[i].text, (int)errors.count, 1);
            CHECK_TRUE(strstr(errors.items[0].message, rows[i].want + 1) != NULL, "%s",
                       errors.items[0].message);
            CHECK_STR(rows[i].line, "where", errors.items[0].pointer, "/${WORD}/1/0");
        } else {
            const struct json_value *string = json_nearest(root, "/${WORD}/1/0");
            CHECK_INT(rows[i].line, rows[i].text, (int)errors.count, 0);
            CHECK_STR(rows[i].line, rows[i].text, string->bytes, rows[i].want);
            CHECK_INT(rows[i].line, "length", (int)string->len, (int)strlen(rows[i].want));
        }
        CHECK_STR(rows[i].line, "the last one", json_nearest(root, "/after")->bytes, "sites");
        config_errors_fini(&errors);
        json_free(root);
        buf_fini(&text);
    }
}

/* How a config with this value of the option comes out. */
static void test_options(void)
{
    static const struct {
        int line;
        const char *option, *value;
        const char *wrong; /* NULL: nothing */
    } rows[] = {
        {__LINE__, "port", "${PORT}", NULL},
        {__LINE__, "port", "${UNSET:-8080}", NULL},
        {__LINE__, "port", "80${EMPTY}", "a whole number from 0 to 65535"},
        {__LINE__, "port", "${NEGATIVE}", "found the string \"-1\""},
        {__LINE__, "port", "${HUGE}", "found the string \"99999999999999999999\""},
        {__LINE__, "port", "${UNSET:-99999}", "found 99999"},
        {__LINE__, "port", "${WORD}", "found the string \"sites\""},
        {__LINE__, "port", "8080", "found the string \"8080\""},
        {__LINE__, "proxyProtocol", "${YES}", NULL},
        {__LINE__, "proxyProtocol", "${PORT}", "must be true or false"},
        {__LINE__, "deferAccept", "${AUTO}", NULL},
        {__LINE__, "deferAccept", "${WORD}", "found the string \"sites\""},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct config_errors errors = {0};
        struct config *cfg;
        struct buf text;

        buf_init(&text);
        buf_printf(&text,
                   "{\"trustedProxies\": [\"10.0.0.1\"], \"workers\": \"${AUTO}\",\n"
                   " \"sites\": [{\"hosts\": [\"*\"], \"root\": \"/srv/${WORD}\"}],\n"
                   " \"listen\": [{\"address\": \"127.0.0.1\"%s, \"%s\": \"%s\"}]}",
                   strcmp(rows[i].option, "port") == 0 ? "" : ", \"port\": 8080", rows[i].option,
                   rows[i].value);
        cfg = config_parse_with_variables(text.data, text.len, &errors);
        CHECK_TRUE((cfg == NULL) == (rows[i].wrong != NULL), "line %d", rows[i].line);
        if (rows[i].wrong != NULL) {
            CHECK_INT(rows[i].line, rows[i].value, (int)errors.count, 1);
            CHECK_TRUE(strstr(errors.items[0].message, rows[i].wrong) != NULL, "%s",
                       errors.items[0].message);
        } else if (cfg != NULL) {
            CHECK_INT(rows[i].line, rows[i].value, cfg->listens[0].port, 8080);
            CHECK_STR(rows[i].line, rows[i].value, cfg->sites[0].root, "/srv/sites");
        }
        config_put(cfg);
        config_errors_fini(&errors);
        CHECK_TRUE(strchr(text.data, '$') != NULL, "a variable");
        cfg = config_parse(text.data, text.len, &errors);
        CHECK_TRUE(cfg == NULL, "line %d: what a control plane sends has no variables",
                   rows[i].line);
        config_errors_fini(&errors);
        buf_fini(&text);
    }
}

int main(void)
{
    set_variables();
    test_texts();
    test_options();
    return check_end("config_variables");
}
