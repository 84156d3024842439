/*
 * progress.h - how far long work is.
 */
#ifndef SLOT_PROGRESS_H
#define SLOT_PROGRESS_H

#include <stdint.h>

struct slot_progress {
    void (*report)(void *context, uint32_t done, uint32_t all);
    void *context;
};

/* `progress` null: no listener. */
static inline void slot_progress_report(const struct slot_progress *progress, uint32_t done, uint32_t all)
{
    if (progress != 0)
        progress->report(progress->context, done, all);
}

#endif
