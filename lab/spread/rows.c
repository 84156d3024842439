/*
 * rows.c - training rows of the switches of a run, written while it runs. The file appears when the run is over, or not
 * at all.
 */
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <string.h>

#include "lab/spread/spread.h"
#include "weir/switch.h"

bool spread_rows_take(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row)
{
    struct spread_rows *rows = context;
    char name[32];
    if (!rows->open || rows->failed)
        return true;
    scenario_memory_name(sw, memory, name);
    rows->failed = !rows_writer_put(&rows->writer, name, row);
    return true;
}

struct rows_about spread_rows_about(const struct run *run)
{
    const struct scenario *scenario = &run->scenario;
    const struct sim *sim = run_sim(run);
    const struct sim_training *settings = &scenario->rows.settings;
    struct rows_about about = {.counters = settings->virtual_counters ? FOREST_COUNTERS_VIRTUAL : FOREST_COUNTERS_REAL,
                               .average_ps = settings->average_ps};
    for (uint32_t sw = 0; sw < scenario->topology.switches; sw++) {
        if (settings->chosen != NULL && !settings->chosen[sw])
            continue;
        for (uint32_t m = 0; m < weir_switch_mmu_count(sim_switch(sim, sw)); m++) {
            uint32_t ports = weir_mmu_view(weir_switch_mmu(sim_switch(sim, sw), m))->geometry.ports;
            about.ports = ports > about.ports ? ports : about.ports;
        }
    }
    return about;
}

bool spread_rows_open(struct spread_rows *rows, const char *path, const struct run *run)
{
    const struct rows_about about = spread_rows_about(run);
    rows->open = rows_writer_open(&rows->writer, path, &about);
    rows->failed = !rows->open;
    return rows->open;
}

void spread_rows_warn(const struct run *run)
{
    uint64_t missed = sim_rows_missed(run_sim(run));
    if (missed > 0)
        cli_error(CLI_OK,
                  "warning: %" PRIu64 " arrivals have no training row: packets before them waited too long (give the "
                  "switches more 'descriptors')",
                  missed);
}

bool spread_rows_commit(struct spread_rows *rows, bool interrupted)
{
    if (!rows->open)
        return true;
    if (rows->failed || (interrupted && !output_file_rename_partial(&rows->writer.file)))
        return false;
    rows->open = false;
    return rows_writer_commit(&rows->writer);
}

void spread_rows_discard(struct spread_rows *rows)
{
    if (rows->open)
        rows_writer_discard(&rows->writer);
    rows->open = false;
}

char *spread_rows_name(const char *file, const char *id)
{
    char *name = NULL;
    const char *slash = strrchr(file, '/'), *base = slash != NULL ? slash + 1 : file;
    const char *dot = base[0] != '\0' ? strchr(base + 1, '.') : NULL;
    int before = (int)(dot != NULL ? (size_t)(dot - file) : strlen(file));
    return asprintf(&name, "%.*s-%s%s", before, file, id, dot != NULL ? dot : "") < 0 ? NULL : name;
}
