/*
 * fuzz_htsim.c - any bytes at all through the readers of htsim's files: flows that are possible and in order, a map of
 * links, or a complaint with its line.
 */
#include <stdlib.h>
#include <string.h>

#include "scenario/read/htsim.h"
#include "tests/support/error_line.h"

#define HOSTS 16u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_fault(bool good, const struct weir_error *error)
{
    if (!good && (error->code == WEIR_ERROR_NONE ||
                  (error->code != WEIR_ERROR_MEMORY && strncmp(ERROR_LINE(error), "f:", 2) != 0)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct arena arena = {0};
    struct scenario_list named = {.path = "f"};
    struct scenario scenario = {.lists = &named};
    struct build build = {.reader = {.arena = &arena, .error = &error}, .scenario = &scenario};
    struct listed_flows flows = {0};
    struct flow_tags tags = {0};
    const struct flow_list_setup setup = {.hosts = HOSTS, .tags = &tags};
    const struct node at = {.mark = {.origin = "f", .line = 1, .column = 1}};
    if (!htsim_is(text, size))
        return 0;
    check_fault(htsim_read_flows(&flows, text, size, &setup, &build), &error);
    for (uint32_t i = 0; i < flows.count; i++)
        if (flows.at[i].source >= HOSTS || flows.at[i].destination >= HOSTS || flows.at[i].bytes < 1 ||
            flows.at[i].source == flows.at[i].destination || flows.at[i].start_ps < 0 ||
            (i > 0 && flows.at[i].start_ps < flows.at[i - 1].start_ps) || flows.at[i].waits > flows.trigger_count ||
            flows.at[i].when_sent > flows.trigger_count || flows.at[i].when_there > flows.trigger_count ||
            (flows.at[i].waits > 0) != (flows.at[i].start_ps == WEIR_TIME_MAX))
            abort();
    listed_flows_free(&flows);
    error = (struct weir_error){.code = WEIR_ERROR_NONE};
    check_fault(htsim_read_topology(&build, &at, text, size, "f") != NULL, &error);
    arena_free(&arena);
    return 0;
}
