/*
 * test_slotted.c - `slot` of a scenario: what it is read as, what it says wrong, and its measures on sequences that can
 * be followed by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run/run.h"
#include "tests/support/error_line.h"

#define SCENE                                                                                                          \
    "until: 1us\n"                                                                                                     \
    "topology: {kind: single, hosts: 4, rate: 8Gbps, delay: 0ps}\n"                                                    \
    "wire: {mss: 90B, header: 10B, ack: 10B, gap: 0B}\n"                                                               \
    "transports: {u: {kind: udp, rate: 8Gbps}}\n"                                                                      \
    "traffic: [{kind: long, transport: u, sources: h0, destinations: h1, bytes: 90B}]\n"

static bool build(struct scenario *scenario, const char *rest, struct weir_error *error)
{
    static const struct scenario_files files = {.folder = "."};
    struct document document;
    char text[4096];
    snprintf(text, sizeof text, SCENE "%s", rest);
    *scenario = (struct scenario){.name = NULL};
    bool good = document_read(&document, "test.yaml", text, strlen(text), error) &&
                scenario_build(scenario, &document, &files, error);
    document_free(&document);
    return good;
}

/* A run of the scene to its end, measured. */
struct finished {
    struct run run;
    struct measures measures;
};

static void make(struct finished *finished, const char *rest)
{
    static const struct scenario_files files = {.folder = "."};
    char text[4096];
    snprintf(text, sizeof text, SCENE "%s", rest);
    const struct run_source source = {.text = text, .size = strlen(text), .origin = "test.yaml", .files = &files};
    if (!run_open(&finished->run, &source, NULL))
        fail_msg("%s", ERROR_LINE(&finished->run.error));
    assert_int_equal(run_go(&finished->run, WEIR_NEVER), RUN_DONE);
    assert_true(run_measures(&finished->run, &finished->measures));
}

static void done(struct finished *finished)
{
    measures_free(&finished->measures);
    run_close(&finished->run);
}

/* NaN: it is not there. */
static double value_of(const struct finished *run, const char *name)
{
    for (uint32_t i = 0; i < run->measures.value_count; i++)
        if (strcmp(run->measures.values[i].name, name) == 0)
            return run->measures.values[i].value;
    return NAN;
}

static void expect(const struct finished *run, const char *name, double expected)
{
    double value = value_of(run, name);
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%s is %.17g, not %.17g", name, value, expected);
}

static void write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void read__ports_and_buffer_are_of_the_switch(void **state)
{
    struct scenario s;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    assert_true(build(&s, "switch: {buffer: 1KB, policy: cs}\nslot: {traffic: bursts}\n", &error));
    assert_true(s.slot.has);
    assert_int_equal(s.slot.ports, 4);
    assert_int_equal(s.slot.buffer, 10); /* full packets: 100 bytes */
    assert_int_equal(s.slot.slots, 1000);
    assert_int_equal(s.slot.cases, 1);
    assert_non_null(s.slot.generator);
    assert_null(s.slot.file);
    char *shown = node_text(s.effective);
    assert_non_null(strstr(shown, "interval: 1.375"));
    assert_non_null(strstr(shown, "width: ports"));
    assert_non_null(strstr(shown, "burst: usual"));
    free(shown);
    scenario_free(&s);
}

static void read__nothing_of_it_without_the_section(void **state)
{
    struct finished r;
    (void)state;
    make(&r, "switch: {buffer: 1KB, policy: cs}\n");
    assert_false(r.run.scenario.slot.has);
    assert_true(isnan(value_of(&r, "slot.sent")));
    char *shown = node_text(r.run.scenario.effective);
    assert_null(strstr(shown, "slot:"));
    free(shown);
    done(&r);
}

static void assert_wrong(const char *slot, const char *expected)
{
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    char rest[512];
    snprintf(rest, sizeof rest, "switch: {buffer: 1KB, policy: cs}\nslot: %s\n", slot);
    if (build(&scenario, rest, &error))
        fail_msg("no error; expected '%s'", expected);
    if (strstr(ERROR_LINE(&error), expected) == NULL)
        fail_msg("'%s' where '%s' was expected", ERROR_LINE(&error), expected);
    scenario_free(&scenario);
}

static void read__says_what_is_wrong(void **state)
{
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    char path[64], slot[128];
    (void)state;
    assert_wrong("{slots: 5}", "'traffic' is missing");
    assert_wrong("{traffic: burst}", "burst");
    assert_wrong("{traffic: bursts, slots: 0}", "slots");
    assert_wrong("{traffic: uniform, load: 1.5}", "load");
    assert_wrong("{traffic: file}", "'traffic: file' and 'file' go together");
    assert_wrong("{traffic: bursts, file: x.slots}", "'traffic: file' and 'file' go together");
    assert_wrong("{traffic: file, file: none.slots}", "file: 'none.slots': cannot open");
    snprintf(path, sizeof path, "wrong-%ld.slots", (long)getpid());
    snprintf(slot, sizeof slot, "{traffic: file, file: %s}", path);
    write_file(path, "");
    assert_wrong(slot, "nothing in it");
    write_file(path, "0 1\n0 4\n"); /* ports are 0 to 3 */
    assert_wrong(slot, ":2");
    remove(path);
    assert_false(build(&scenario, "switch: {buffer: 50B, policy: cs}\nslot: {traffic: bursts}\n", &error));
    assert_non_null(strstr(ERROR_LINE(&error), "slot: a buffer of 0 packets and 4 ports"));
    scenario_free(&scenario);
}

/*
 * B = 4 and twice "four packets for port 0, one for each other port". Complete sharing takes the four of port 0 and
 * sends one of them; of the second slot it takes one more: 5 in all. LQD pushes three out each time and sends 8, as the
 * optimum does. DT with alpha 1 takes 2 of port 0, 1 of port 1 (0 < 2) and 1 of port 2 (0 < 1), and has no place for
 * port 3: it sends 3. One of port 0 is left; then it takes one more of port 0 (1 < 3, then 2 >= 2), port 1 (0 < 2) and
 * port 2 (0 < 1): 3 are sent in that slot, 1 is left: 7.
 */
#define TWICE "0 0 0 0 1 2 3 # a burst\n0 0 0 0 1 2 3\n"

static void measures__of_a_file(void **state)
{
    static const struct {
        const char *policy;
        double sent, removed;
    } policies[] = {{"cs", 5, 0},
                    {"{name: lqd, remove: tail}", 8, 6},
                    {"{name: dt, alpha: 1}", 7, 0},
                    {"credence, oracle: {answers: perfect}", 8, 0}};
    char path[64], rest[512];
    (void)state;
    snprintf(path, sizeof path, "twice-%ld.slots", (long)getpid());
    write_file(path, TWICE);
    for (uint32_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        struct finished r;
        snprintf(rest, sizeof rest, "switch: {buffer: 400B, policy: %s}\nslot: {traffic: file, file: %s}\n",
                 policies[i].policy, path);
        make(&r, rest);
        expect(&r, "slot.arrived", 14);
        expect(&r, "slot.sent", policies[i].sent);
        expect(&r, "slot.removed", policies[i].removed);
        expect(&r, "slot.lqd_sent", 8);
        expect(&r, "slot.optimum_sent", 8);
        expect(&r, "slot.lqd_ratio", 8 / policies[i].sent);
        expect(&r, "slot.worst", 8 / policies[i].sent);
        expect(&r, "slot.lemma2", 2 / policies[i].sent);
        done(&r);
    }
    remove(path);
}

/* Perfect answers name the six that LQD loses; who always hears "lost" has the safeguard alone: one packet at a time,
 * B / N of them. */
static void measures__of_predictions(void **state)
{
    char path[64], rest[512];
    struct finished r;
    (void)state;
    snprintf(path, sizeof path, "predicted-%ld.slots", (long)getpid());
    write_file(path, TWICE);
    snprintf(rest, sizeof rest,
             "switch: {buffer: 400B, policy: credence, oracle: {answers: perfect}}\nslot: {traffic: file, file: %s}\n",
             path);
    make(&r, rest);
    expect(&r, "slot.predicted", 6);
    expect(&r, "slot.eta", 1);
    expect(&r, "slot.naive_sent", 8);
    expect(&r, "slot.theorem2", 1);
    done(&r);
    snprintf(rest, sizeof rest,
             "switch: {buffer: 400B, policy: credence, oracle: {answers: lost}}\nslot: {traffic: file, file: %s}\n",
             path);
    make(&r, rest);
    expect(&r, "slot.predicted", 14);
    expect(&r, "slot.naive_sent", 0);
    expect(&r, "slot.sent", 2);
    expect(&r, "slot.removed", 0);
    expect(&r, "slot.lemma2", 1);
    expect(&r, "slot.lemma2.broken", 0);
    done(&r);
    snprintf(rest, sizeof rest, "switch: {buffer: 400B, policy: cs}\nslot: {traffic: file, file: %s}\n", path);
    make(&r, rest);
    assert_true(isnan(value_of(&r, "slot.eta"))); /* nobody predicts */
    assert_true(isnan(value_of(&r, "slot.naive_sent")));
    done(&r);
    remove(path);
}

/* Sequences of one run have draws of their own, which are those of the seed. */
static void measures__of_cases(void **state)
{
    static const char rest[] = "switch: {buffer: 400B, policy: credence, oracle: {answers: perfect, flip: 0.3}}\n"
                               "slot: {traffic: uniform, slots: 50, cases: %u, load: 1}\nseed: %u\n";
    double sent[4];
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        static const uint32_t cases[] = {1, 20, 20, 20}, seed[] = {1, 1, 1, 2};
        char text[512];
        struct finished r;
        snprintf(text, sizeof text, rest, cases[i], seed[i]);
        make(&r, text);
        sent[i] = value_of(&r, "slot.sent");
        assert_true(value_of(&r, "slot.arrived") > 150 * cases[i]);
        assert_true(value_of(&r, "slot.optimum_ratio") <= value_of(&r, "slot.worst"));
        done(&r);
    }
    assert_true(sent[1] != 20 * sent[0]);
    assert_true(sent[1] == sent[2]);
    assert_true(sent[1] != sent[3]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__ports_and_buffer_are_of_the_switch),
        cmocka_unit_test(read__nothing_of_it_without_the_section),
        cmocka_unit_test(read__says_what_is_wrong),
        cmocka_unit_test(measures__of_a_file),
        cmocka_unit_test(measures__of_predictions),
        cmocka_unit_test(measures__of_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
