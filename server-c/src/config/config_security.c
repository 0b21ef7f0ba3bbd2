/* SPDX-License-Identifier: MIT */
/* config_security.c — a table of presets; what the author says besides goes before it. */
#include "config/config_security.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

#define A_YEAR 31536000

static const struct preset {
    bool has_nosniff;
    enum config_frames frames;
    const char *referrer, *policy, *permissions; /* "": the header is not sent */
    uint32_t hsts_seconds;
} presets[] = {
    [SECURITY_OFF] = {.frames = FRAMES_ANYWHERE, .referrer = "", .policy = "", .permissions = ""},
    [SECURITY_BASIC] = {.has_nosniff = true,
                        .frames = FRAMES_SAME_ORIGIN,
                        .referrer = "strict-origin-when-cross-origin",
                        .policy = "",
                        .permissions = ""},
    [SECURITY_STRICT] = {.has_nosniff = true,
                         .frames = FRAMES_NOWHERE,
                         .referrer = "no-referrer",
                         .policy = "default-src 'self'; base-uri 'none'; form-action 'self'; "
                                   "object-src 'none'",
                         .permissions = "camera=(), geolocation=(), microphone=(), payment=(), "
                                        "usb=()",
                         .hsts_seconds = A_YEAR},
};

/* X-Frame-Options for clients that don't know frame-ancestors (CSP Level 3 section 6.4.2). */
static const struct {
    const char *ancestors, *options;
} frames[] = {
    [FRAMES_AS_PRESET] = {"", ""},
    [FRAMES_ANYWHERE] = {"", ""},
    [FRAMES_SAME_ORIGIN] = {"frame-ancestors 'self'", "SAMEORIGIN"},
    [FRAMES_NOWHERE] = {"frame-ancestors 'none'", "DENY"},
};

static void add(struct config_security *security, const char *name, const char *value)
{
    if (value && *value != '\0')
        security->rules[security->count++] =
            (struct config_header_rule){.action = HEADER_SET,
                                        .name = (char *)(uintptr_t)name,
                                        .value = (char *)(uintptr_t)value};
}

static const char *either(const char *given, const char *of_preset)
{
    return given && *given != '\0' ? given : of_preset;
}

static char *join(const char *policy, const char *ancestors)
{
    struct buf out;

    buf_init(&out);
    buf_append_str(&out, policy);
    if (*ancestors != '\0' && !strstr(policy, "frame-ancestors"))
        buf_printf(&out, "%s%s", *policy != '\0' ? "; " : "", ancestors);
    return buf_take(&out);
}

void config_security_init(struct config_security *security, const struct config_site *site)
{
    const struct preset *preset = &presets[site->security.preset];
    enum config_frames framing =
        site->security.frames == FRAMES_AS_PRESET ? preset->frames : site->security.frames;

    *security = (struct config_security){0};
    security->policy =
        join(either(site->security.policy, preset->policy), frames[framing].ancestors);
    add(security, "X-Content-Type-Options", preset->has_nosniff ? "nosniff" : "");
    add(security, "Content-Security-Policy", security->policy);
    add(security, "X-Frame-Options", frames[framing].options);
    add(security, "Referrer-Policy", either(site->security.referrer, preset->referrer));
    add(security, "Permissions-Policy", either(site->security.permissions, preset->permissions));
}

void config_security_fini(struct config_security *security)
{
    free(security->policy);
}

uint32_t config_hsts_seconds(const struct config_site *site)
{
    return site->hsts.max_age_seconds > 0 ? site->hsts.max_age_seconds
                                          : presets[site->security.preset].hsts_seconds;
}
