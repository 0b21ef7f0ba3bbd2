/* SPDX-License-Identifier: MIT */
/* load_schedule.c — see the header. With one seed a run asks for the same URLs in the same order. */
#include "load/load_schedule.h"

#include "base/mem.h"

void load_schedule_init(struct load_schedule *s, const struct load_plan *plan)
{
    double sum = 0;

    *s = (struct load_schedule){.plan = plan, .random = plan->seed};
    s->sums = xcalloc(plan->url_count, sizeof(*s->sums));
    for (size_t i = 0; i < plan->url_count; i++)
        s->sums[i] = sum += plan->urls[i].weight;
}

void load_schedule_fini(struct load_schedule *s)
{
    free(s->sums);
}

/* splitmix64: any seed is as good as another. */
static uint64_t next_random(struct load_schedule *s)
{
    uint64_t z = s->random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t load_schedule_random(struct load_schedule *s, uint64_t below)
{
    return next_random(s) % below;
}

uint64_t load_schedule_due(const struct load_schedule *s)
{
    const struct load_plan *plan = s->plan;
    uint64_t end_ns = plan->seconds * NS_PER_SECOND, due_ns = LOAD_WHENEVER;

    if (plan->requests && s->taken >= plan->requests)
        return LOAD_NEVER;
    if (plan->mode == LOAD_REPLAY && s->taken >= plan->replay_count)
        return LOAD_NEVER;
    if (plan->mode == LOAD_OPEN)
        due_ns = (uint64_t)((double)s->taken * (double)NS_PER_SECOND / plan->rate);
    else if (plan->mode == LOAD_REPLAY)
        due_ns = plan->replay[s->taken].due_ns;
    return due_ns < end_ns ? due_ns : LOAD_NEVER;
}

const struct load_url *load_schedule_any(struct load_schedule *s)
{
    size_t low = 0, high = s->plan->url_count - 1;
    double at;

    if (high == 0)
        return &s->plan->urls[0];
    at = (double)(next_random(s) >> 11) * 0x1p-53 * s->sums[high];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (at < s->sums[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return &s->plan->urls[low];
}

const struct load_url *load_schedule_take(struct load_schedule *s)
{
    const struct load_plan *plan = s->plan;
    uint64_t n = s->taken++;

    return plan->mode == LOAD_REPLAY ? &plan->urls[plan->replay[n].url] : load_schedule_any(s);
}
