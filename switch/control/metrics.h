/*
 * metrics.h - the names of the counters: SAI's where SAI has one, and Prometheus's. One table per kind of thing
 * that counts; replies of the control socket and Prometheus texts are both made from them.
 */
#ifndef CONTROL_METRICS_H
#define CONTROL_METRICS_H

#include "switch/control/snapshot.h"

enum switch_metric_kind {
    METRIC_COUNTER,  /* a uint64_t that only grows */
    METRIC_GAUGE,    /* a uint64_t */
    METRIC_WATERMARK /* [WEIR_WM_COUNT] of them, one per view */
};

struct switch_metric {
    const char *name;       /* in JSON: SAI's, or our own in small letters */
    const char *prometheus; /* without "weir_"; null: it is exported in parts */
    const char *help;
    enum switch_metric_kind kind;
    size_t offset; /* of the field in its struct */
};

/* Each ends with an entry without a name. */
extern const struct switch_metric switch_port_metrics[];  /* struct dataplane_port_counters */
extern const struct switch_metric switch_queue_metrics[]; /* struct weir_account_counters */
extern const struct switch_metric switch_group_metrics[]; /* struct weir_group_counters */
extern const struct switch_metric switch_input_metrics[]; /* struct weir_pause_counters */
extern const struct switch_metric switch_pool_metrics[];  /* struct weir_pool_counters */

/* The value of a field; of a watermark: of that view. */
uint64_t switch_metric_value(const struct switch_metric *metric, const void *counters, uint32_t view);

#endif
