/* SPDX-License-Identifier: MIT */
/* Any bytes as a date: one that is read comes back from its IMF-fixdate. */
#include "http/http_date.h"
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const int64_t now = 1795252483;
    int64_t seconds = -1, again = -1;
    char text[HTTP_DATE_LEN + 1];

    if (!http_date_parse((struct span){(const char *)data, len}, now, &seconds)) {
        CHECK(seconds == -1);
        return 0;
    }
    if (seconds < 0) /* before 1970, only IMF-fixdate and asctime can say so */
        return 0;
    http_date_format(text, seconds);
    CHECK(http_date_parse((struct span){text, HTTP_DATE_LEN}, now, &again));
    /* 23:59:60 on the last day of 9999 has no other form. */
    CHECK(again == seconds || seconds == INT64_C(253402300800));
    return 0;
}
