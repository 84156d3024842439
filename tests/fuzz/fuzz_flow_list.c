/*
 * fuzz_flow_list.c - any bytes at all through the reader of flow lists: it gives a sorted list of possible flows, or
 * complains.
 */
#include <stdlib.h>

#include "sim/workload/flow_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HOSTS = 16 };
    struct flow_tags tags = {0};
    struct listed_flows list = {0};
    struct flow_list_setup setup = {.hosts = HOSTS, .tag = FLOW_TAGS_MAX, .tags = &tags};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!flow_list_read(&list, (const char *)data, size, &setup, &error) && (error.code == WEIR_ERROR_NONE || list.at))
        abort();
    for (uint32_t i = 0; i < list.count; i++) {
        const struct listed_flow *flow = &list.at[i];
        if (flow->start_ps < 0 || flow->start_ps > WEIR_TIME_MAX || (i > 0 && flow->start_ps < flow[-1].start_ps))
            abort();
        if (flow->source >= HOSTS || flow->destination >= HOSTS || flow->source == flow->destination)
            abort();
        if (flow->bytes < 1 || flow->bytes == INT64_MAX || (flow->tag >= tags.count && flow->tag != FLOW_TAGS_MAX))
            abort();
    }
    listed_flows_free(&list);
    flow_tags_free(&tags);
    return 0;
}
