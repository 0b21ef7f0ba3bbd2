/* SPDX-License-Identifier: MIT */
/* certificates_shown.c — two lists that grow. */
#include "tls/certificates_shown.h"

#include "base/mem.h"

#include <string.h>

size_t certificates_shown_load(struct certificates_shown *shown, const char *label, bool has_name,
                               const struct tls_certificate *certificate)
{
    struct loaded_certificate *loaded;

    for (size_t i = 0; i < shown->loaded_count; i++)
        if (shown->loaded[i].has_name == has_name && strcmp(shown->loaded[i].label, label) == 0)
            return i;
    shown->loaded = xreallocarray(shown->loaded, shown->loaded_count + 1, sizeof(*shown->loaded));
    loaded = &shown->loaded[shown->loaded_count];
    *loaded = (struct loaded_certificate){
        .label = xstrdup(label), .has_name = has_name, .ends = tls_certificate_ends(certificate)};
    tls_certificate_fingerprint(certificate, loaded->fingerprint);
    return shown->loaded_count++;
}

void certificates_shown_for(struct certificates_shown *shown, const char *host, size_t certificate)
{
    shown->hosts = xreallocarray(shown->hosts, shown->host_count + 1, sizeof(*shown->hosts));
    shown->hosts[shown->host_count++] = (struct shown_host){xstrdup(host), certificate};
}

void certificates_shown_copy(struct certificates_shown *to, const struct certificates_shown *from)
{
    *to = (struct certificates_shown){.loaded = xcalloc(from->loaded_count, sizeof(*to->loaded)),
                                      .loaded_count = from->loaded_count,
                                      .hosts = xcalloc(from->host_count, sizeof(*to->hosts)),
                                      .host_count = from->host_count};
    for (size_t i = 0; i < from->loaded_count; i++) {
        to->loaded[i] = from->loaded[i];
        to->loaded[i].label = xstrdup(from->loaded[i].label);
    }
    for (size_t i = 0; i < from->host_count; i++)
        to->hosts[i] =
            (struct shown_host){xstrdup(from->hosts[i].host), from->hosts[i].certificate};
}

void certificates_shown_fini(struct certificates_shown *shown)
{
    for (size_t i = 0; i < shown->loaded_count; i++)
        free(shown->loaded[i].label);
    for (size_t i = 0; i < shown->host_count; i++)
        free(shown->hosts[i].host);
    free(shown->loaded);
    free(shown->hosts);
    *shown = (struct certificates_shown){0};
}
