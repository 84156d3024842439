/*
 * test_names.c - what is known of the names of measures before a run: all that runs have, and nothing that
 * is misspelled.
 */
#include "run/measures/names.h"
#include "tests/support/measured_run.h"

#define RICH                                                                                                           \
    "until: 20us\n"                                                                                                    \
    "topology: {kind: single, hosts: 3, rate: 8Gbps, delay: 0ps}\n"                                                    \
    "wire: {mss: 90B, header: 10B, ack: 10B, gap: 0B}\n"                                                               \
    "switch: {buffer: 300B, classes: 2, policy: lqd}\n"                                                                \
    "transports: {t: {kind: dctcp}, u: {kind: udp, rate: 8Gbps}}\n" TWO_SENDERS                                        \
    "- {kind: incast, transport: u, tag: \"</b> STAT\", sources: h0-h1, destination: h2, bytes: 1800B}\n"              \
    "- {kind: incast, transport: t, tag: lost, sources: h0-h1, destination: h2, bytes: 540B}\n"                        \
    "- {kind: long, transport: t, tag: fct, sources: h2, destinations: h0, bytes: 180B}\n"
#define RICH_PROBES "  probes: [{at: s0, to: h2}, {at: s0, to: h2}, {at: s0, to: h0, class: 1}]}\n"

/* Every name that a simulation with all kinds of measures makes, and its tags are texts of any kind. */
static void known__what_runs_have(void **state)
{
    static const char *const bins[] = {"[]", "[500B]", "[500B, 1KB]", "[500B, 1KB, 2KB]",
                                       "[1B, 2B, 3B, 4B, 5B, 6B, 7B, 900B]"};
    (void)state;
    for (size_t i = 0; i < sizeof bins / sizeof bins[0]; i++) {
        struct run r;
        char text[2048];
        snprintf(text, sizeof text, RICH "measure: {size_bins: %s, goodput_interval: 700ns,\n" RICH_PROBES, bins[i]);
        run(&r, text);
        struct run_measure_names names = {r.scenario.config.tag_names, r.scenario.config.tag_count, false};
        for (uint32_t k = 0; k < r.measures.value_count; k++)
            if (!run_measure_known(&names, r.measures.values[k].name))
                fail_msg("%s is not known", r.measures.values[k].name);
        names.curves = true;
        for (uint32_t k = 0; k < r.measures.curve_count; k++)
            if (!run_measure_known(&names, r.measures.curves[k].name))
                fail_msg("curve %s is not known", r.measures.curves[k].name);
        done(&r);
    }
}

static const char *const tags[] = {"query", "a.b", "a.b.fct", "</b>"};

static void known__misspelled(void **state)
{
    static const struct {
        const char *name, *nearest; /* null: none is near */
        bool curve;
    } cases[] = {
        {"query.qct.men", "query.qct.mean", false},
        {"query.qct.avg", "query.qct.mean", false},
        {"query.fct.median", "query.fct.p50", false},
        {"query.throughput", "query.goodput", false},
        {"qeury.qct.mean", "query.qct.mean", false},
        {"query.qct", "query.qct.mean", false},
        {"query.qct.mean.", "query.qct.mean", false},
        {"query.shrt.fct.p99", "query.short.fct.p99", false},
        {"query.bin0.flows", "query.bin1.flows", false},
        {"a.b.fct.flow", "a.b.fct.flows", false},
        {"lost.totl", "lost.total", false},
        {"lost.over_threshold", "lost.over-threshold", false},
        {"lost.none", NULL, false},
        {"probe.s0-h3.queue.men", "probe.s0-h3.queue.mean", false},
        {"probe.s1-s12.7-2.que.max", "probe.s1-s12.7-2.queue.max", false},
        {"probe.s0h3.queue.max", "probe.s0-h0.queue.max", false},
        {"probe.s0-h3", "probe.s0-h3.queue.mean", false},
        {"T.flows", NULL, false},
        {"query.STAT", NULL, false},
        {"entirely-else", NULL, false},
        {"query.qct.cdf", "query.qct.min", false},
        {"query.qct.mean", "query.qct.cdf", true},
        {"query.qct.cfd", "query.qct.cdf", true},
        {"goodput.qury", "goodput.query", true},
        {"probe.s0-h3.queu", "probe.s0-h3.queue", true},
        {"", NULL, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct run_measure_names names = {tags, sizeof tags / sizeof tags[0], cases[i].curve};
        char nearest[RUN_MEASURE_NAME_MAX];
        if (run_measure_known(&names, cases[i].name))
            fail_msg("%s is known", cases[i].name);
        bool found = run_measure_nearest(&names, cases[i].name, nearest);
        if (found != (cases[i].nearest != NULL) || (found && strcmp(nearest, cases[i].nearest) != 0))
            fail_msg("%s: '%s' is nearest", cases[i].name, found ? nearest : "nothing");
        if (found)
            assert_true(run_measure_known(&names, nearest));
    }
}

static void known__other_tags(void **state)
{
    static const char *const good[] = {"a.b.fct.mean", "a.b.fct.fct.mean", "</b>.lost", "a.b.long.fct.p50",
                                       "probe.s1-s12.7-2.queue.max"};
    const struct run_measure_names names = {tags, sizeof tags / sizeof tags[0], false};
    const struct run_measure_names none = {NULL, 0, false};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(run_measure_known(&names, good[i]));
    assert_false(run_measure_known(&none, "query.flows"));
    assert_true(run_measure_known(&none, "hops"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known__what_runs_have),
        cmocka_unit_test(known__misspelled),
        cmocka_unit_test(known__other_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
