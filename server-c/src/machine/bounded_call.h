/* SPDX-License-Identifier: MIT */
/* bounded_call.h — a call that may hang on a disk or a network file system, for a caller who waits
 * only for a limited time. Any thread but that of an event loop. */
#ifndef FARMSTEAD_BOUNDED_CALL_H
#define FARMSTEAD_BOUNDED_CALL_H

enum bounded {
    BOUNDED_DONE, /* `arg` belongs to the caller again */
    /* It took too long: `arg` belongs to the thread, which will free it by `forget` at some
     * time. */
    BOUNDED_LEFT,
    /* No thread is available, or too many hang: nothing was done. */
    BOUNDED_REFUSED
};

/* Runs work(arg) on a thread of its own, and waits for it for at most `seconds`. */
enum bounded bounded_call(void (*work)(void *arg), void (*forget)(void *arg), void *arg,
                          unsigned seconds);

#endif
