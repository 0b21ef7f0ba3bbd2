/* SPDX-License-Identifier: MIT */
/* site_forecast.h — finds out with which status a GET would be answered, without a connection:
 * applies the same rules and does the same look-up, but reads and sends nothing. */
#ifndef FARMSTEAD_SITE_FORECAST_H
#define FARMSTEAD_SITE_FORECAST_H

#include "base/util.h"
#include "http/http_status.h"
#include "site/site.h"

#define SITE_FORECAST_TARGET_MAX 2048

/* `target` is as in a request line, with at most SITE_FORECAST_TARGET_MAX bytes. The request has no
 * credentials and no address, so a path behind a password is a 401. Waits for the disk: not for a
 * loop's thread. */
enum http_status site_forecast(const struct site_set *sites, struct span host, struct span target);

#endif
