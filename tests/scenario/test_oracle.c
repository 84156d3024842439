/*
 * test_oracle.c - oracles and training rows of a scenario: what LQD loses, as labels, as a table and as Credence's
 * losses; forests and flips; and what a scenario says wrong about them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/forest/train.h"
#include "lib/trace/unpack.h"
#include "run/foresee.h"
#include "scenario/experiment/experiment.h"
#include "scenario/read/scenario.h"
#include "tests/support/error_line.h"
#include "weir/switch.h"
#include "weir/trace.h"

#define PORTS 8u
#define PACKET_BYTES 1000u
#define BUFFER_PACKETS 64u

/* Packets of one size into one switch, open loop, and a buffer that its ports divide. */
static const char open_loop[] =
    "until: 3ms\n"
    "topology: {kind: single, hosts: 8, rate: 10Gbps, delay: 1us}\n"
    "wire: {mss: 960B, header: 40B, gap: 20B}\n"
    "transports: {cbr: {kind: udp, rate: 10Gbps}}\n"
    "traffic:\n"
    "  - {kind: bursts, transport: cbr, tag: burst, rate: 4000/s, fan_out: 5, bytes: 200pkt, "
    "destination: h7}\n"
    "  - {kind: query, transport: cbr, tag: ground, rate: 4000/s, fan_out: 4, bytes: 80pkt}\n";

struct run {
    struct weir_training_row *rows;
    uint64_t count, room;
    uint64_t digest, lost;
    uint8_t *fates;
    uint64_t arrivals;
};

static bool take_row(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row)
{
    struct run *run = context;
    assert_int_equal(sw, 0);
    assert_int_equal(memory, 0);
    if (run->count == run->room) {
        run->room = run->room > 0 ? 2 * run->room : 1024;
        run->rows = realloc(run->rows, run->room * sizeof *run->rows);
        assert_non_null(run->rows);
    }
    run->rows[run->count++] = *row;
    return true;
}

static bool build(struct scenario *scenario, const char *rest, struct weir_error *error)
{
    static const struct scenario_files files = {".", trace_unpack};
    struct document document;
    char text[4096];
    snprintf(text, sizeof text, "%s%s", open_loop, rest);
    *scenario = (struct scenario){.name = NULL};
    bool good = document_read(&document, "test.yaml", text, strlen(text), error) &&
                scenario_build(scenario, &document, &files, error);
    document_free(&document);
    return good;
}

/* One run; `trace`, if not null, records its switch. */
static struct run make_run(const char *rest, struct weir_trace *trace)
{
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct run run = {.rows = NULL};
    if (!build(&scenario, rest, &error))
        fail_msg("%s", ERROR_LINE(&error));
    if (scenario_is_foreseen(&scenario))
        assert_int_equal(run_foresee(&scenario, NULL, NULL, &error), SIM_DONE);
    struct sim_training training = scenario.rows.settings;
    training.take = take_row;
    training.context = &run;
    scenario.config.training = &training;
    scenario.config.notes_fates = true;
    struct sim *sim = scenario_create(&scenario, &error);
    if (sim == NULL)
        fail_msg("%s", ERROR_LINE(&error));
    struct weir_mmu *mmu = weir_switch_mmu(sim_switch(sim, 0), 0);
    weir_bps rates[PORTS];
    struct weir_mmu_config config = sim_memory_config(sim, 0, 0, rates);
    if (trace != NULL) {
        weir_trace_begin(trace, &config);
        weir_mmu_set_trace(mmu, trace);
    }
    assert_int_equal(sim_run(sim, NULL, NULL), SIM_DONE);
    if (trace != NULL) {
        weir_mmu_set_trace(mmu, NULL);
        assert_true(weir_trace_end(trace, mmu));
    }
    run.digest = sim_digest(sim);
    const uint8_t *fates = sim_fates(sim, 0, 0, &run.arrivals);
    run.fates = malloc(run.arrivals / 8 + 1);
    assert_non_null(run.fates);
    memcpy(run.fates, fates, (run.arrivals + 7) / 8);
    for (uint64_t i = 0; i < run.arrivals; i++)
        run.lost += run.fates[i / 8] >> i % 8 & 1;
    assert_int_equal(sim_rows_missed(sim), 0);
    assert_int_equal(run.count, run.arrivals);
    sim_free(sim);
    scenario_free(&scenario);
    return run;
}

static void free_run(struct run *run)
{
    free(run->rows);
    free(run->fates);
}

#define SWITCH "switch: {buffer: 64000B, policy: "
#define LQD SWITCH "{name: lqd, remove: tail}}\n"
#define VIRTUAL "measure: {rows: {counters: virtual}}\n"

static void assert_same_fates(const struct run *a, const struct run *b)
{
    assert_int_equal(a->arrivals, b->arrivals);
    for (uint64_t i = 0; i < a->arrivals; i++)
        if ((a->fates[i / 8] ^ b->fates[i / 8]) >> i % 8 & 1)
            fail_msg("arrival %llu has another fate", (unsigned long long)i);
}

static void rows__of_lqd_have_its_fates(void **state)
{
    (void)state;
    struct run lqd = make_run(LQD, NULL);
    assert_true(lqd.lost > 1000 && lqd.lost < lqd.arrivals / 2);
    for (uint64_t i = 0; i < lqd.count; i++) {
        assert_int_equal(lqd.rows[i].index, i);
        assert_int_equal(lqd.rows[i].lost, lqd.fates[i / 8] >> i % 8 & 1);
    }
    free_run(&lqd);
}

/* The virtual LQD beside any policy is the LQD that would run there: the same labels, and with its counters the same
 * rows. */
static void rows__of_a_virtual_lqd_are_those_of_lqd(void **state)
{
    static const char *const policies[] = {"dt}\n", "{name: occamy, alpha: 8}}\n", "cs}\n",
                                           "credence, oracle: {answers: kept}}\n"};
    (void)state;
    struct run lqd = make_run(LQD, NULL);
    for (uint32_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
        for (uint32_t virtual = 0; virtual < 2; virtual ++) {
            char text[256];
            snprintf(text, sizeof text, SWITCH "%s%s", policies[p], virtual ? VIRTUAL : "");
            struct run other = make_run(text, NULL);
            uint64_t differ = 0;
            assert_int_equal(other.count, lqd.count);
            for (uint64_t i = 0; i < lqd.count; i++) {
                assert_int_equal(other.rows[i].lost, lqd.rows[i].lost);
                differ += memcmp(other.rows[i].feature, lqd.rows[i].feature, sizeof lqd.rows[i].feature) != 0;
            }
            assert_int_equal(differ > 0, !virtual);
            free_run(&other);
        }
    }
    free_run(&lqd);
}

static void rows__change_nothing(void **state)
{
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    struct run with = make_run(SWITCH "dt}\n", NULL);
    assert_true(build(&scenario, SWITCH "dt}\n", &error));
    struct sim *sim = scenario_create(&scenario, &error);
    assert_non_null(sim);
    assert_int_equal(sim_run(sim, NULL, NULL), SIM_DONE);
    assert_int_equal(sim_digest(sim), with.digest);
    sim_free(sim);
    scenario_free(&scenario);
    free_run(&with);
}

static void credence__perfect_answers_lose_what_lqd_loses(void **state)
{
    (void)state;
    struct run lqd = make_run(LQD, NULL);
    struct run credence = make_run(SWITCH "credence, oracle: {answers: perfect}}\n", NULL);
    struct run kept = make_run(SWITCH "credence, oracle: {answers: kept}}\n", NULL);
    assert_same_fates(&lqd, &credence);
    assert_true(kept.lost != lqd.lost); /* it is the answers */
    free_run(&lqd);
    free_run(&credence);
    free_run(&kept);
}

/* A table of what LQD lost, as a run writes its rows, is the perfect answer; columns in any order. */
static void credence__a_table_answers_by_arrival(void **state)
{
    char path[64], text[256];
    (void)state;
    struct run lqd = make_run(LQD, NULL);
    snprintf(path, sizeof path, "table-%ld.csv", (long)getpid());
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("# answers\nlost,more,index,switch\n", out);
    for (uint64_t i = lqd.count; i-- > 0;)
        fprintf(out, "%d,x,%llu,s0\n", lqd.rows[i].lost, (unsigned long long)i);
    fputs("1,x,5,s0.1\n1,x,5,s7\n", out); /* nobody's */
    fclose(out);
    snprintf(text, sizeof text, SWITCH "credence, oracle: {table: %s}}\n", path);
    struct run credence = make_run(text, NULL);
    assert_same_fates(&lqd, &credence);
    remove(path);
    free_run(&lqd);
    free_run(&credence);
}

static void credence__flips(void **state)
{
    (void)state;
    struct run plain = make_run(SWITCH "credence, oracle: {answers: perfect}}\n", NULL);
    struct run zero = make_run(SWITCH "credence, oracle: {answers: perfect, flip: 0}}\n", NULL);
    struct run some = make_run(SWITCH "credence, oracle: {answers: perfect, flip: 0.1}}\n", NULL);
    struct run again = make_run(SWITCH "credence, oracle: {answers: perfect, flip: 0.1}}\n", NULL);
    struct run lost = make_run(SWITCH "credence, oracle: {answers: lost}}\n", NULL);
    struct run not_kept = make_run(SWITCH "credence, oracle: {answers: kept, flip: 1}}\n", NULL);
    assert_int_equal(zero.digest, plain.digest);
    assert_int_equal(some.digest, again.digest);
    assert_true(some.digest != plain.digest);
    assert_int_equal(lost.digest, not_kept.digest);
    free_run(&plain);
    free_run(&zero);
    free_run(&some);
    free_run(&again);
    free_run(&lost);
    free_run(&not_kept);
}

/* A trace in memory. */
struct recording {
    struct weir_trace trace;
    uint8_t *bytes;
    size_t size;
};

static bool record_bytes(void *context, const uint8_t *bytes, size_t count)
{
    struct recording *recording = context;
    recording->bytes = realloc(recording->bytes, recording->size + count);
    assert_non_null(recording->bytes);
    memcpy(recording->bytes + recording->size, bytes, count);
    recording->size += count;
    return true;
}

/* However wrong the answers: a packet is refused only when some queue holds its equal share. */
static void credence__always_wrong_stays_within_the_safeguard(void **state)
{
    static struct weir_trace_reader reader;
    static struct weir_record record;
    static uint8_t buffer[WEIR_TRACE_BUFFER_MIN];
    struct recording recording = {
        .trace = {.buffer = buffer, .size = sizeof buffer, .flush = record_bytes, .context = &recording}};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    uint32_t length[PORTS] = {0}, refused = 0;
    (void)state;
    struct run wrong = make_run(SWITCH "credence, oracle: {answers: perfect, flip: 1}}\n", &recording.trace);
    assert_true(weir_trace_open(&reader, recording.bytes, recording.size, NULL, &error));
    while (weir_trace_next(&reader, &record, &error) == WEIR_TRACE_RECORD && record.kind != WEIR_REC_END) {
        uint32_t longest = 0;
        for (uint32_t p = 0; p < PORTS; p++)
            longest = length[p] > longest ? length[p] : longest;
        if (record.kind == WEIR_REC_ARRIVE && record.accepted)
            length[record.packet.output.i]++;
        if (record.kind == WEIR_REC_ARRIVE && !record.accepted) {
            assert_true(longest * PORTS >= BUFFER_PACKETS);
            refused++;
        }
        if (record.kind == WEIR_REC_DEPART && record.departed)
            length[record.account.i]--;
        assert_int_equal(record.lost_count, 0);
    }
    assert_int_equal(record.kind, WEIR_REC_END);
    assert_int_equal(refused, wrong.lost);
    assert_true(refused > 1000);
    free(recording.bytes);
    free_run(&wrong);
}

/* A forest of LQD's rows, as a file. */
static void write_forest(const char *path, uint32_t threads, weir_ps average_ps, enum forest_counters counters)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct forest_rows rows = {0};
    struct forest_settings settings;
    struct run lqd = make_run(LQD, NULL);
    for (uint64_t i = 0; i < lqd.count; i++)
        assert_true(forest_rows_add(&rows, lqd.rows[i].feature, lqd.rows[i].lost, &error));
    forest_settings_init(&settings);
    settings.threads = threads;
    struct forest *forest = forest_train(&rows, &settings, NULL, NULL, &error);
    assert_non_null(forest);
    forest->average_ps = average_ps;
    forest->counters = counters;
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(forest_write(forest, out));
    fclose(out);
    forest_free(forest);
    forest_rows_free(&rows);
    free_run(&lqd);
}

static void read_id(const char *rest, char id[EXPERIMENT_ID_MAX])
{
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!build(&scenario, rest, &error))
        fail_msg("%s", ERROR_LINE(&error));
    assert_true(experiment_run_id(&scenario, "1", id));
    scenario_free(&scenario);
}

static void credence__a_forest_of_its_simulation(void **state)
{
    char a[64], b[64], text[256], id[3][EXPERIMENT_ID_MAX];
    (void)state;
    snprintf(a, sizeof a, "a-%ld.forest", (long)getpid());
    snprintf(b, sizeof b, "b-%ld.forest", (long)getpid());
    write_forest(a, 1, 24 * WEIR_PS_PER_US, FOREST_COUNTERS_REAL);
    write_forest(b, 3, 24 * WEIR_PS_PER_US, FOREST_COUNTERS_REAL);
    snprintf(text, sizeof text, SWITCH "credence, oracle: {model: %s}}\n", a);
    struct run one = make_run(text, NULL);
    read_id(text, id[0]);
    snprintf(text, sizeof text, SWITCH "credence, oracle: {model: %s}}\n", b);
    struct run two = make_run(text, NULL);
    read_id(text, id[1]);
    snprintf(text, sizeof text, SWITCH "credence, oracle: {models: {s0: %s}, flip: 0}}\n", b);
    struct run own = make_run(text, NULL);
    struct run kept = make_run(SWITCH "credence, oracle: {answers: kept}}\n", NULL);
    assert_int_equal(one.digest, two.digest);
    assert_int_equal(own.digest, two.digest);
    assert_true(kept.digest != one.digest);
    assert_string_equal(id[0], id[1]); /* the name of the file is no matter, */
    write_forest(b, 1, 0, FOREST_COUNTERS_REAL);
    snprintf(text, sizeof text, SWITCH "credence, oracle: {model: %s}}\n", b);
    read_id(text, id[2]);
    assert_string_not_equal(id[0], id[2]); /* what is in it is */
    free_run(&one);
    free_run(&two);
    free_run(&own);
    free_run(&kept);
    remove(a);
    remove(b);
}

/* Two MMUs of one switch: each has its own table, and what is effective is a scenario again. */
static void scenario__oracles_are_of_single_memories(void **state)
{
    char table[64], model[64], rest[512];
    struct scenario scenario, again;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const int64_t feature[WEIR_FEATURE_COUNT] = {0};
    (void)state;
    snprintf(table, sizeof table, "memories-%ld.csv", (long)getpid());
    FILE *out = fopen(table, "w");
    assert_non_null(out);
    fputs("switch,index,lost\ns0,9000,1\ns0.1,3,1\ns0.1,4,0\n", out);
    fclose(out);
    snprintf(rest, sizeof rest,
             "switch: {buffer: 64000B, ports_per_memory: 5, policy: credence, oracle: {table: %s}}\n", table);
    if (!build(&scenario, rest, &error))
        fail_msg("%s", ERROR_LINE(&error));
    assert_int_equal(scenario.oracle_count, 2);
    for (uint64_t i = 0; i < 10000; i++)
        for (uint32_t m = 0; m < 2; m++) {
            const struct weir_oracle *oracle = scenario.config.oracles[0][m];
            assert_int_equal(oracle->predict(oracle, i, feature), i == (m == 0 ? 9000 : 3));
        }
    scenario_free(&scenario);
    remove(table);

    snprintf(model, sizeof model, "memories-%ld.forest", (long)getpid());
    write_forest(model, 1, 24 * WEIR_PS_PER_US, FOREST_COUNTERS_REAL);
    snprintf(rest, sizeof rest, SWITCH "credence, oracle: {models: {s0: %s}, flip: 0.5}}\n", model);
    assert_true(build(&scenario, rest, &error));
    char *text = node_text(scenario.effective);
    assert_non_null(text);
    const char *models = strstr(text, "models:");
    assert_non_null(models);
    assert_non_null(strstr(models, "s0: /"));
    struct document document;
    static const struct scenario_files files = {"/", trace_unpack};
    char id[2][EXPERIMENT_ID_MAX];
    assert_true(document_read(&document, "effective.yaml", text, strlen(text), &error));
    if (!scenario_build(&again, &document, &files, &error))
        fail_msg("%s", ERROR_LINE(&error));
    assert_true(experiment_run_id(&scenario, "1", id[0]) && experiment_run_id(&again, "1", id[1]));
    assert_string_equal(id[0], id[1]);
    document_free(&document);
    scenario_free(&scenario);
    scenario_free(&again);
    free(text);
    remove(model);
}

static void assert_wrong(const char *rest, const char *expected)
{
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (build(&scenario, rest, &error))
        fail_msg("no error; expected '%s'", expected);
    if (strstr(ERROR_LINE(&error), expected) == NULL)
        fail_msg("'%s' where '%s' was expected", ERROR_LINE(&error), expected);
    scenario_free(&scenario);
}

static void scenario__says_what_is_wrong(void **state)
{
    char text[256], name[64];
    (void)state;
    assert_wrong(SWITCH "credence}\n", "policy credence asks an oracle, and 'oracle' is missing");
    assert_wrong(SWITCH "credence, oracle: {flip: 0.5}}\n", "nobody answers");
    assert_wrong(SWITCH "credence, oracle: {answers: kept, table: x}}\n", "several answer");
    assert_wrong(SWITCH "credence, oracle: {answers: right}}\n", "right");
    assert_wrong(SWITCH "credence, oracle: {model: none.forest}}\n", "model: 'none.forest': cannot open");
    assert_wrong(SWITCH "credence, oracle: {models: {s1: x}}}\n", "unknown switch 's1' (expected s0 to s0)");
    assert_wrong(SWITCH "dt}\nmeasure: {rows: {switches: [s4]}}\n", "unknown switch 's4'");
    snprintf(name, sizeof name, "wrong-%ld", (long)getpid());
    write_forest(name, 1, 48 * WEIR_PS_PER_US, FOREST_COUNTERS_REAL);
    snprintf(text, sizeof text, SWITCH "credence, oracle: {model: %s}}\n", name);
    assert_wrong(text, "model: learnt from averages over 48us, and tau of policy credence is 24us");
    snprintf(text, sizeof text, SWITCH "{name: credence, tau: 48us}, oracle: {model: %s}}\n", name);
    struct run run = make_run(text, NULL);
    free_run(&run);
    write_forest(name, 1, 24 * WEIR_PS_PER_US, FOREST_COUNTERS_VIRTUAL);
    snprintf(text, sizeof text, SWITCH "credence, oracle: {model: %s}}\n", name);
    assert_wrong(text, "model: learnt from virtual counters, and policy credence shows real ones");
    snprintf(text, sizeof text, SWITCH "{name: credence, counters: virtual}, oracle: {model: %s}}\n", name);
    run = make_run(text, NULL);
    free_run(&run);
    static const struct {
        const char *table, *error;
    } tables[] = {{"", "no columns"},
                  {"switch,index\n", "line 1: no column 'lost'"},
                  {"switch,index,lost\ns0,1\n", "line 2: column 'lost' is missing"},
                  {"switch,index,lost\ns0,-1,1\n", "line 2: index: no number of an arrival"},
                  {"switch,index,lost\ns0,99999999999999999999,1\n", "line 2: index: no number of an arrival"},
                  {"switch,index,lost\ns0,1,2\n", "line 2: lost: neither 0 nor 1"}};
    for (uint32_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        FILE *out = fopen(name, "w");
        assert_non_null(out);
        fputs(tables[i].table, out);
        fclose(out);
        snprintf(text, sizeof text, SWITCH "credence, oracle: {table: %s}}\n", name);
        assert_wrong(text, tables[i].error);
    }
    remove(name);
}

#define ONLINE(rest) SWITCH "credence, oracle: {online: {every: 500, rows: 2000}" rest "}}\n"

/* The forest of a simulation that learns: before it all is kept, then it is asked; the same again, another with other
 * settings. */
static void online__learns_while_it_is_asked(void **state)
{
    char id[3][EXPERIMENT_ID_MAX];
    (void)state;
    struct run online = make_run(ONLINE(""), NULL), again = make_run(ONLINE(""), NULL);
    struct run flipped = make_run(ONLINE(", flip: 1"), NULL),
               kept = make_run(SWITCH "credence, oracle: {answers: kept}}\n", NULL);
    struct run late = make_run(SWITCH "credence, oracle: {online: {every: 10000000}}}\n", NULL);
    assert_int_equal(online.digest, again.digest);
    assert_true(online.digest != kept.digest);
    assert_true(online.digest != flipped.digest);
    assert_int_equal(late.digest, kept.digest); /* no forest yet */
    read_id(ONLINE(""), id[0]);
    read_id(SWITCH "credence, oracle: {online: {every: 500, rows: 2001}}}\n", id[1]);
    read_id(SWITCH "credence, oracle: {answers: kept}}\n", id[2]);
    assert_string_not_equal(id[0], id[1]);
    assert_string_not_equal(id[0], id[2]);
    free_run(&online);
    free_run(&again);
    free_run(&flipped);
    free_run(&kept);
    free_run(&late);
}

/* Rows come to the forest of their MMU whether or not others want them, and each simulation starts afresh. */
static void online__needs_nobody_else_for_its_rows(void **state)
{
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    struct run shared = make_run(ONLINE(""), NULL);
    if (!build(&scenario, ONLINE(""), &error))
        fail_msg("%s", ERROR_LINE(&error));
    for (uint32_t i = 0; i < 2; i++) {
        struct sim *sim = scenario_create(&scenario, &error);
        assert_non_null(sim);
        assert_int_equal(sim_run(sim, NULL, NULL), SIM_DONE);
        assert_int_equal(sim_digest(sim), shared.digest);
        const struct forest_online *online = &scenario.oracles[0].online;
        assert_int_equal(online->taken, shared.arrivals);
        assert_true(online->forests > 10 && online->forests <= shared.arrivals / 500);
        const struct forest_score score = forest_score_of(&online->judged);
        assert_true(score.precision > 0.5 && score.recall > 0.5);
        sim_free(sim);
    }
    scenario_free(&scenario);
    free_run(&shared);
}

/* Two MMUs, two forests. */
static void online__is_of_one_memory(void **state)
{
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    if (!build(&scenario,
               "switch: {buffer: 64000B, ports_per_memory: 5, policy: credence, oracle: {online: {every: 300}}}\n",
               &error))
        fail_msg("%s", ERROR_LINE(&error));
    struct sim *sim = scenario_create(&scenario, &error);
    assert_non_null(sim);
    assert_int_equal(sim_run(sim, NULL, NULL), SIM_DONE);
    const struct forest_online *a = &scenario.oracles[0].online, *b = &scenario.oracles[1].online;
    assert_true(a->forests > 0 && b->forests > 0);
    assert_true(a->taken != b->taken && forest_digest(a->answer) != forest_digest(b->answer));
    sim_free(sim);
    scenario_free(&scenario);
}

static void online__says_what_is_wrong(void **state)
{
    (void)state;
    assert_wrong(ONLINE(", answers: kept"), "several answer");
    assert_wrong(SWITCH "credence, oracle: {online: {every: 99}}}\n", "every");
    assert_wrong(SWITCH "credence, oracle: {online: {tree: 4}}}\n", "trees");
    assert_wrong(SWITCH "credence, oracle: {online: {trees: 257}}}\n", "trees");
    assert_wrong(ONLINE("") "measure: {rows: {average: 48us}}\n", "rows: an oracle learns from them (expected");
    assert_wrong(ONLINE("") "measure: {rows: {remove: head}}\n", "rows: an oracle learns from them (expected");
    assert_wrong(ONLINE("") "slot: {traffic: bursts}\n", "not in the slotted model");
    struct run other = make_run(SWITCH "{name: credence, tau: 48us, counters: virtual}, oracle: {online: {}}}\n", NULL);
    free_run(&other);
}

/* A perfect answer is no answer where senders react to what is lost. */
static void foresight__needs_open_loops(void **state)
{
    static const char *const closed[] = {"{kind: dctcp}", "{kind: none}"};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct document document;
        struct scenario scenario = {.name = NULL};
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        char text[512];
        snprintf(text, sizeof text,
                 "until: 1ms\ntopology: {kind: single, hosts: 4, rate: 10Gbps, delay: 1us}\n" SWITCH
                 "credence, oracle: {answers: perfect}}\ntransports: {t: %s}\n"
                 "traffic: [{kind: long, transport: t}]\n",
                 closed[i]);
        assert_true(document_read(&document, "test.yaml", text, strlen(text), &error));
        assert_false(scenario_build(&scenario, &document, NULL, &error));
        assert_non_null(strstr(ERROR_LINE(&error), "'answers: perfect' needs packets that come whatever is lost"));
        document_free(&document);
        scenario_free(&scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows__of_lqd_have_its_fates),
        cmocka_unit_test(rows__of_a_virtual_lqd_are_those_of_lqd),
        cmocka_unit_test(rows__change_nothing),
        cmocka_unit_test(credence__perfect_answers_lose_what_lqd_loses),
        cmocka_unit_test(credence__a_table_answers_by_arrival),
        cmocka_unit_test(credence__flips),
        cmocka_unit_test(credence__always_wrong_stays_within_the_safeguard),
        cmocka_unit_test(credence__a_forest_of_its_simulation),
        cmocka_unit_test(scenario__oracles_are_of_single_memories),
        cmocka_unit_test(scenario__says_what_is_wrong),
        cmocka_unit_test(online__learns_while_it_is_asked),
        cmocka_unit_test(online__needs_nobody_else_for_its_rows),
        cmocka_unit_test(online__is_of_one_memory),
        cmocka_unit_test(online__says_what_is_wrong),
        cmocka_unit_test(foresight__needs_open_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
