/* SPDX-License-Identifier: MIT */
/* answer_copy_make.c — has a copy made by a lane, for those who ask later, and counts what came of it. */
#include "answer/answer.h"

#include "log/log.h"

#include <stdlib.h>

struct copy_job {
    struct io_job job;
    struct copy_work work;
    struct loop *loop;
    struct live_config *live; /* a reference */
    struct file_entry *entry; /* a reference, to the file */
    bool holds_descriptor;
};

static void end_job(struct copy_job *copy)
{
    copy_store_end(copy->loop->shared->copies, &copy->work);
    if (copy->holds_descriptor)
        file_entry_release_descriptor(copy->entry);
    file_cache_put(&copy->loop->files, copy->entry);
    live_config_put(copy->live);
    free(copy);
}

static void run_copy(struct io_job *job)
{
    struct copy_job *copy = container_of(job, struct copy_job, job);

    copy_store_make(copy->loop->shared->copies, &copy->work);
}

static void on_copy_done(struct io_job *job)
{
    struct copy_job *copy = container_of(job, struct copy_job, job);
    struct loop *loop = copy->loop;
    enum copy_end end = copy->work.end;

    loop->files.now_ms = uv_now(&loop->uv);
    if (end == COPY_MADE || end == COPY_WORTHLESS)
        loop_count(
            copy->live,
            copy->work.source.coding == CODING_DCZ ? COUNTER_DELTAS_MADE : COUNTER_COPIES_MADE, 1);
    if (end == COPY_FAILED)
        loop_count(copy->live, COUNTER_COPIES_FAILED, 1);
    if (end == COPY_FAILED && loop_may_warn(loop, &loop->warned_copies_ms))
        log_warn("compression.cacheFolder: \"%s\" %s; files are sent as they are meanwhile",
                 copy->live->cfg->compression.cache_folder, copy->work.why);
    end_job(copy);
}

void answer_make_copy(struct exchange *ex, struct file_entry *entry,
                      const struct copy_source *source)
{
    struct loop *loop = ex->loop;
    bool is_in_memory = entry->body_state == FILE_BODY_READY;
    struct copy_job *copy = is_in_memory || entry->fd >= 0 ? malloc(sizeof(*copy)) : NULL;

    if (!copy)
        return;
    *copy = (struct copy_job){
        .job = {.run = run_copy, .on_done = on_copy_done},
        .work = {.source = *source, .bytes = is_in_memory ? entry->body : NULL, .fd = entry->fd},
        .loop = loop,
        .holds_descriptor = !is_in_memory};
    if (!copy_store_begin(loop->shared->copies, &copy->work)) {
        free(copy);
        return;
    }
    copy->entry = file_cache_get(entry);
    copy->live = live_config_get(ex->live);
    if (copy->holds_descriptor)
        file_entry_hold_descriptor(entry);
    if (io_lane_submit(loop->shared->copy_lane, &loop->port, &copy->job) != 0) {
        copy->work.end = COPY_CHANGED;
        end_job(copy);
    }
}
