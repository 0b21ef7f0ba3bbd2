/* SPDX-License-Identifier: MIT */
/* site_forecast.h — the status that a GET would be answered with, found out without a connection: the
 * same rules, places and look-up, but nothing is read and nothing is sent. */
#ifndef FARMSTEAD_SITE_FORECAST_H
#define FARMSTEAD_SITE_FORECAST_H

#include "base/util.h"
#include "http/http_status.h"
#include "site/site.h"

#define SITE_FORECAST_TARGET_MAX 2048

/* `target` is as in a request line, at most SITE_FORECAST_TARGET_MAX bytes. Who asks has no name and no
 * address: behind a password it is 401. Blocks on the disk: never a loop's thread. */
enum http_status site_forecast(const struct site_set *sites, struct span host, struct span target);

#endif
