/*
 * run_csv.c - the files of `weir run`: a row per tag, per flow, per point, per queue, per port and class. What does not
 * exist (the finish of a flow that did not finish) is empty.
 */
#include <stdio.h>

#include "show/writers/run.h"
#include "show/writers/run_frames.h"
#include "show/writers/write.h"
#include "sim/transport/flow.h"

/* Takes the frame. */
static bool put_frame(struct data_frame *frame, FILE *out)
{
    bool good = !data_frame_failed(frame);
    if (good)
        write_csv(frame, out);
    data_frame_free(frame);
    return good;
}

bool run_csv_tags(const struct run_result *result, FILE *out)
{
    struct run_numbers numbers;
    bool good = run_numbers_make(&numbers, result) && put_frame(run_frame_tags(result, &numbers), out);
    run_numbers_free(&numbers);
    return good;
}

bool run_csv_losses(const struct run_result *result, FILE *out)
{
    return put_frame(run_frame_losses(result, true), out);
}

bool run_csv_pauses(const struct run_result *result, FILE *out)
{
    return put_frame(run_frame_pauses(result), out);
}

bool run_csv_records(const struct run_result *result, FILE *out)
{
    const struct records *records = sim_records(result->sim);
    struct data_frame *frame = data_frame_new_row(run_record_columns, RUN_RECORD_COLUMNS);
    bool good = !data_frame_failed(frame);
    if (good)
        write_csv(frame, out); /* its heading */
    for (uint32_t i = 0; i < records->count && good; i++) {
        run_frame_record(frame, &records->at[i], result->scenario->config.tag_names[records->at[i].tag]);
        good = write_csv_rows(frame, out);
    }
    data_frame_free(frame);
    return good;
}

static bool put_probe(struct data_frame *frame, const struct run_result *result, uint32_t index, FILE *out)
{
    const struct sim_config *config = &result->scenario->config;
    const struct sim_probe *probe = &config->probes[index];
    const struct series *series = &sim_measure(result->sim)->probe[index];
    int64_t cell_bytes = sim_config_tier(config, result->scenario->topology.tier[probe->sw])->mmu.cell_bytes;
    char place[40], tc[16] = "all";
    bool good = true;
    run_probe_place(result, index, place);
    if (probe->tc != SIM_ALL_CLASSES)
        snprintf(tc, sizeof tc, "%u", probe->tc);
    for (uint32_t i = 0; i < series->count && good; i++) {
        const struct series_point *point = &series->points[i];
        data_row(frame, cell_text("queue"), cell_integer(index), cell_text(place), cell_text(tc),
                 cell_integer(point->when), cell_integer(point->queue_cells * cell_bytes),
                 cell_if(point->threshold_cells >= 0, cell_integer(point->threshold_cells * cell_bytes)),
                 cell_integer(point->used_cells * cell_bytes), cell_integer(point->reading_bps), cell_none());
        good = write_csv_rows(frame, out);
    }
    return good;
}

bool run_csv_series(const struct run_result *result, FILE *out)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("series", NULL, WORD),          DATA_COLUMN("number", NULL, INTEGER),
        DATA_COLUMN("place", NULL, TEXT),           DATA_COLUMN("class", NULL, WORD),
        DATA_COLUMN("time_ps", NULL, PS),           DATA_COLUMN("queue_bytes", NULL, SIZE),
        DATA_COLUMN("threshold_bytes", NULL, SIZE), DATA_COLUMN("buffer_bytes", NULL, SIZE),
        DATA_COLUMN("reading_bps", NULL, RATE),     DATA_COLUMN("goodput_bps", NULL, RATE)};
    const struct measure *measure = sim_measure(result->sim);
    weir_ps interval = result->scenario->config.goodput_interval_ps;
    struct data_frame *frame = data_frame_new_row(DATA_COLUMNS(columns));
    bool good = !data_frame_failed(frame);
    if (good)
        write_csv(frame, out); /* its heading */
    for (uint32_t i = 0; i < measure->probe_count && good; i++)
        good = put_probe(frame, result, i, out);
    for (uint32_t tag = 0; interval > 0 && tag < measure->tag_count && good; tag++) {
        for (uint32_t bin = 0; bin < run_goodput_bins(result) && good; bin++) {
            data_row(frame, cell_text("goodput"), cell_integer(tag), cell_text(result->scenario->config.tag_names[tag]),
                     cell_none(), cell_integer((int64_t)bin * interval), cell_none(), cell_none(), cell_none(),
                     cell_none(), cell_number(run_goodput_bps(result, tag, bin)));
            good = write_csv_rows(frame, out);
        }
    }
    data_frame_free(frame);
    return good;
}
