/* SPDX-License-Identifier: MIT */
/* When the kernel holds back new connections: on a busy loop without silent clients. */
#include "net/accept_deferral.c"

#include "base/util.h"

#include "check.h"

/* A tick in which so many connections were accepted, and so many sent a request. */
static bool tick(struct accept_deferral *deferral, uint32_t accepted, uint32_t spoke)
{
    for (uint32_t i = 0; i < accepted; i++)
        accept_deferral_accepted(deferral);
    for (uint32_t i = 0; i < spoke; i++)
        accept_deferral_spoke(deferral);
    accept_deferral_tick(deferral);
    return deferral->is_on;
}

static void test_on_and_off(void)
{
    static const struct {
        const char *name;
        uint32_t accepted, spoke;
        bool was_on, is_on;
    } rows[] = {
        {"nobody comes", 0, 0, false, false},
        {"few come", ON_FROM - 1, ON_FROM - 1, false, false},
        {"many come", ON_FROM, ON_FROM, false, true},
        {"many come, few speak", 10000, 300, false, false},
        {"many come, one in sixteen is silent", 1600, 1500, false, true},
        {"more are silent", 1600, 1499, false, false},
        {"those who came before speak, too", 300, 900, false, true},
        {"fewer come, not so few", OFF_BELOW, OFF_BELOW, true, true},
        {"too few come", OFF_BELOW - 1, OFF_BELOW - 1, true, false},
        {"nobody comes any more", 0, 0, true, false},
        {"too many are silent now", 1600, 1499, true, false},
        {"the most there can be", 1000000, 937500, true, true},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct accept_deferral deferral = {.is_on = rows[i].was_on};
        bool is_on = tick(&deferral, rows[i].accepted, rows[i].spoke);
        CHECK_INT((int)i, rows[i].name, is_on, rows[i].is_on);
    }
}

static void test_stays_off_after_silence(void)
{
    struct accept_deferral deferral = {.is_on = true};
    bool is_on = tick(&deferral, 1000, 100);

    CHECK_INT(__LINE__, "off", is_on, false);
    for (int i = 1; i < TICKS_OFF; i++) {
        is_on = tick(&deferral, 1000, 1000);
        CHECK_INT(i, "stays off", is_on, false);
    }
    is_on = tick(&deferral, 1000, 1000);
    CHECK_INT(__LINE__, "on again", is_on, true);
    is_on = tick(&deferral, FEW_SILENT, 0);
    CHECK_INT(__LINE__, "who leaves without a word ends it", is_on, false);
    is_on = tick(&deferral, 1000, 1000);
    CHECK_INT(__LINE__, "on again at once", is_on, true);
    CHECK_INT(__LINE__, "counts anew", (int)(deferral.accepted + deferral.spoke), 0);
}

int main(void)
{
    test_on_and_off();
    test_stays_off_after_silence();
    return check_end("accept_deferral");
}
