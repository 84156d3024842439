/*
 * run_timeline.c - what ranks of jobs did over time, for other programs: trace events, which Perfetto and Chrome's
 * viewer open, a CSV of operations, and flows as lists that other simulators read.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/measures/run_path.h"
#include "show/writers/run.h"
#include "show/writers/write.h"

static const char *const words[] = {[HISTORY_COMPUTE] = "compute",
                                    [HISTORY_COMMUNICATE] = "communicate",
                                    [HISTORY_WAIT] = "wait",
                                    [HISTORY_IDLE] = "idle"};
static const char *const kinds[] = {[GOAL_SEND] = "send", [GOAL_RECV] = "receive", [GOAL_CALC] = "compute"};
static const char *const steps[] = {[PATH_COMPUTE] = "compute", [PATH_MESSAGE] = "message", [PATH_WAIT] = "wait"};

/* Microseconds, exactly: their fraction are picoseconds. */
static void put_us(const char *key, weir_ps time, FILE *out)
{
    fprintf(out, "\"%s\":%" PRId64 ".%06" PRId64, key, (int64_t)(time / WEIR_PS_PER_US),
            (int64_t)(time % WEIR_PS_PER_US));
}

/* One event of the trace; `more` is what is special to it. */
static void put_event(FILE *out, bool *first, const char *phase, uint32_t process, uint32_t thread)
{
    fprintf(out, "%s\n{\"ph\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",", *first ? "" : ",", phase, process,
            thread);
    *first = false;
}

static void put_name(FILE *out, bool *first, uint32_t process, uint32_t thread, const char *what, const char *name)
{
    put_event(out, first, "M", process, thread);
    fprintf(out, "\"name\":\"%s\",\"args\":{\"name\":", what);
    json_t *text = json_string(name);
    if (text != NULL)
        json_dumpf(text, out, JSON_ENCODE_ANY);
    else
        fputs("\"\"", out);
    fputs("}}", out);
    json_decref(text);
}

static bool put_rank(const struct run_result *result, uint32_t traffic, uint32_t rank, FILE *out, bool *first)
{
    const struct job *job = sim_job(result->sim, traffic);
    const struct job_history *history = job_history(job);
    struct history_stretches all;
    char name[64], host[16];
    scenario_node_name(&result->scenario->topology, sim_job_host(result->sim, traffic, rank), host);
    snprintf(name, sizeof name, "rank %" PRIu32 " on %s", rank, host);
    put_name(out, first, traffic + 1, rank, "thread_name", name);
    bool good = history_stretches_of(history, job_settings(job), rank, result->totals.now, &all);
    for (uint32_t i = 0; good && i < all.count; i++) {
        if (all.at[i].what == HISTORY_IDLE)
            continue;
        put_event(out, first, "X", traffic + 1, rank);
        fprintf(out, "\"cat\":\"rank\",\"name\":\"%s\",", words[all.at[i].what]);
        put_us("ts", all.at[i].from_ps, out);
        fputc(',', out);
        put_us("dur", all.at[i].to_ps - all.at[i].from_ps, out);
        fputc('}', out);
    }
    free(all.at);
    return good;
}

/* From when a send starts until its receiver has all. */
static void put_messages(const struct run_result *result, uint32_t traffic, FILE *out, bool *first)
{
    const struct job_history *history = job_history(sim_job(result->sim, traffic));
    const struct goal *goal = history->goal;
    for (uint32_t round = 0; round < history->rounds; round++)
        for (uint64_t place = 0; place < goal->ops; place++) {
            const struct history_op *op = history_at(history, round, place);
            if (op->start_ps == WEIR_NEVER || op->arrived_ps == WEIR_NEVER)
                continue;
            uint32_t rank = goal_rank_of(goal, (uint32_t)place);
            const struct goal_op send = goal_op(&goal->rank[rank], (uint32_t)(place - goal->rank[rank].first_place));
            for (uint32_t end = 0; end < 2; end++) {
                put_event(out, first, end ? "e" : "b", traffic + 1, rank);
                fprintf(out, "\"cat\":\"message\",\"id\":%" PRIu64 ",\"name\":\"%" PRIu64 " B to rank %" PRIu32 "\",",
                        round * goal->ops + place, send.size, send.peer);
                put_us("ts", end ? op->arrived_ps : op->start_ps, out);
                fputc('}', out);
            }
        }
}

static bool put_path(const struct run_result *result, uint32_t traffic, FILE *out, bool *first)
{
    const uint32_t process = 1 + result->scenario->config.traffic_count + traffic;
    struct run_path path;
    if (!run_path_make(&path, result, traffic))
        return false;
    put_name(out, first, process, 0, "process_name", "critical path");
    for (uint64_t i = path.steps.count; i-- > 0;) {
        const struct path_step *step = &path.steps.at[i];
        put_event(out, first, "X", process, 0);
        fprintf(out, "\"cat\":\"path\",\"name\":\"%s of rank %" PRIu32 "\",", steps[step->what], step->rank);
        put_us("ts", step->from_ps, out);
        fputc(',', out);
        put_us("dur", step->to_ps - step->from_ps, out);
        fprintf(out, ",\"args\":{\"round\":%" PRIu32 ",\"operation\":%" PRIu64 ",\"flow\":%" PRIu32 "}}", step->round,
                step->place - job_goal(path.job)->rank[step->rank].first_place, step->flow);
    }
    for (uint32_t i = 0; i < path.worst_count; i++) {
        char text[RUN_PATH_TEXT_MAX];
        run_path_text(&path, result, i, text);
        put_event(out, first, "i", process, 0);
        fprintf(out, "\"s\":\"p\",\"cat\":\"path\",\"name\":\"%s\",", text);
        put_us("ts", path.worst[i].step->to_ps, out);
        fputc('}', out);
    }
    run_path_free(&path);
    return true;
}

bool run_timeline_events(const struct run_result *result, FILE *out)
{
    const struct sim_config *config = &result->scenario->config;
    bool first = true, good = true;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
    for (uint32_t i = 0; i < config->traffic_count && good; i++) {
        const struct job *job = sim_job(result->sim, i);
        if (job == NULL)
            continue;
        put_name(out, &first, i + 1, 0, "process_name", config->tag_names[config->traffic[i].tag]);
        for (uint32_t r = 0; r < job_goal(job)->ranks && good; r++)
            good = put_rank(result, i, r, out, &first);
        put_messages(result, i, out, &first);
        good = good && put_path(result, i, out, &first);
    }
    fputs("\n]}\n", out);
    return good;
}

static bool put_operations(struct data_frame *frame, const struct run_result *result, uint32_t traffic, FILE *out)
{
    const struct job *job = sim_job(result->sim, traffic);
    const struct job_history *history = job_history(job);
    const struct goal *goal = job_goal(job);
    const char *tag = result->scenario->config.tag_names[result->scenario->config.traffic[traffic].tag];
    bool good = true;
    for (uint32_t round = 0; round < history->rounds; round++)
        for (uint64_t place = 0; place < goal->ops && good; place++) {
            uint32_t rank = goal_rank_of(goal, (uint32_t)place);
            uint32_t number = (uint32_t)(place - goal->rank[rank].first_place);
            const struct goal_op op = goal_op(&goal->rank[rank], number);
            const struct history_op *known = history_at(history, round, place);
            bool sends = op.type == GOAL_SEND;
            data_row(frame, cell_text(tag), cell_integer(rank), cell_integer(sim_job_host(result->sim, traffic, rank)),
                     cell_integer(round), cell_integer(number), cell_text(kinds[op.type]),
                     cell_if(op.type != GOAL_CALC && op.peer != GOAL_ANY, cell_integer(op.peer)),
                     cell_if(op.type != GOAL_CALC, cell_integer((int64_t)op.size)),
                     cell_if(op.type != GOAL_CALC && op.tag != GOAL_ANY, cell_integer(op.tag)),
                     cell_if(known->start_ps != WEIR_NEVER, cell_integer(known->start_ps)),
                     cell_if(known->end_ps != WEIR_NEVER, cell_integer(known->end_ps)),
                     cell_if(sends && known->arrived_ps != WEIR_NEVER, cell_integer(known->arrived_ps)),
                     cell_if(sends && known->flow != 0, cell_integer(known->flow)));
            good = write_csv_rows(frame, out);
        }
    return good;
}

bool run_timeline_csv(const struct run_result *result, FILE *out)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("job", NULL, WORD),          DATA_COLUMN("rank", NULL, INTEGER),
        DATA_COLUMN("host", NULL, INTEGER),      DATA_COLUMN("round", NULL, INTEGER),
        DATA_COLUMN("operation", NULL, INTEGER), DATA_COLUMN("kind", NULL, WORD),
        DATA_COLUMN("peer", NULL, INTEGER),      DATA_COLUMN("bytes", NULL, INTEGER),
        DATA_COLUMN("tag", NULL, INTEGER),       DATA_COLUMN("start_ps", NULL, INTEGER),
        DATA_COLUMN("end_ps", NULL, INTEGER),    DATA_COLUMN("arrived_ps", NULL, INTEGER),
        DATA_COLUMN("flow", NULL, INTEGER),
    };
    struct data_frame *frame = data_frame_new_row(DATA_COLUMNS(columns));
    bool good = !data_frame_failed(frame);
    if (good)
        write_csv(frame, out); /* its heading */
    for (uint32_t i = 0; i < result->scenario->config.traffic_count && good; i++)
        if (sim_job(result->sim, i) != NULL)
            good = put_operations(frame, result, i, out);
    data_frame_free(frame);
    return good;
}

/* What each says of a flow; endless ones are left out, as no list has them. */
bool run_flows_list(const struct run_result *result, FILE *out)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("start_ps", NULL, INTEGER), DATA_COLUMN("source", NULL, INTEGER),
        DATA_COLUMN("destination", NULL, INTEGER), DATA_COLUMN("bytes", NULL, INTEGER), DATA_COLUMN("tag", NULL, WORD)};
    const struct records *records = sim_records(result->sim);
    struct data_frame *frame = data_frame_new_row(DATA_COLUMNS(columns));
    bool good = !data_frame_failed(frame);
    if (good)
        write_csv(frame, out); /* its heading */
    for (uint32_t i = 0; i < records->count && good; i++) {
        const struct flow_record *flow = &records->at[i];
        if (flow->bytes == FLOW_ENDLESS)
            continue;
        data_row(frame, cell_integer(flow->start_ps), cell_integer(flow->source), cell_integer(flow->destination),
                 cell_integer(flow->bytes), cell_text(result->scenario->config.tag_names[flow->tag]));
        good = write_csv_rows(frame, out);
    }
    data_frame_free(frame);
    return good;
}

bool run_flows_cm(const struct run_result *result, FILE *out)
{
    const struct records *records = sim_records(result->sim);
    uint32_t count = 0, id = 0;
    for (uint32_t i = 0; i < records->count; i++)
        count += records->at[i].bytes != FLOW_ENDLESS;
    fprintf(out, "Nodes %" PRIu32 "\nConnections %" PRIu32 "\n", result->scenario->topology.hosts, count);
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *flow = &records->at[i];
        if (flow->bytes != FLOW_ENDLESS)
            fprintf(out, "%" PRIu32 "->%" PRIu32 " id %" PRIu32 " start %" PRId64 " size %" PRId64 "\n", flow->source,
                    flow->destination, ++id, (int64_t)flow->start_ps, flow->bytes);
    }
    return true;
}
