/*
 * test_dataplane.c - `dataplane` and `testbed` in documents, and documents as a software switch: what they
 * become, that it is the simulator's switch, and that what is shown reads back as the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenario/experiment/experiment.h"
#include "scenario/read/scenario.h"
#include "tests/support/error_line.h"

#define HOSTS "topology: {kind: single, hosts: 3, rates: [10Gbps, 10Gbps, 40Gbps], delay: 5us}\n"
#define SWITCH "switch: {buffer: 1MB, classes: 4, policy: {name: occamy, alpha: 8}}\n"
#define LOSSLESS "switch: {buffer: 1MB, classes: 4, policy: dt, lossless: 3, headroom: sih}\n"
#define RUN "until: 1ms\ntransports: {a: {kind: dctcp}}\ntraffic: [{kind: long, transport: a}]\n"
#define DEVICES "devices: [net_null0, net_null1, \"net_af_packet2,iface=veth2\"]"

/* Builds the text with one change; false: the error is in `error`. */
static bool try_build(struct scenario *scenario, const char *text, const char *change, bool for_switch,
                      struct weir_error *error)
{
    struct document document;
    *error = (struct weir_error){.code = WEIR_ERROR_NONE};
    *scenario = (struct scenario){.name = NULL};
    bool good = document_read(&document, "f", text, strlen(text), error) &&
                (change == NULL || document_set(&document, "--set", change, error)) &&
                (for_switch ? scenario_build_switch(scenario, &document, NULL, error)
                            : scenario_build(scenario, &document, NULL, error));
    document_free(&document);
    return good;
}

static void build(struct scenario *scenario, const char *text, const char *change, bool for_switch)
{
    struct weir_error error;
    if (!try_build(scenario, text, change, for_switch, &error))
        fail_msg("%s", ERROR_LINE(&error));
}

static void check_fails(const char *text, const char *expected)
{
    struct scenario scenario;
    struct weir_error error;
    assert_false(try_build(&scenario, text, NULL, true, &error));
    assert_string_equal(ERROR_LINE(&error), expected);
    scenario_free(&scenario);
}

/* What is shown is a scenario that is shown the same. */
static void check_round_trip(const struct scenario *scenario, bool for_switch)
{
    struct scenario again;
    char *text = node_text(scenario->effective);
    assert_non_null(text);
    build(&again, text, NULL, for_switch);
    char *shown = node_text(again.effective);
    assert_string_equal(text, shown);
    assert_memory_equal(scenario->dataplane.class_of_dscp, again.dataplane.class_of_dscp, DATAPLANE_DSCP_COUNT);
    assert_memory_equal(scenario->dataplane.cpus, again.dataplane.cpus, sizeof again.dataplane.cpus);
    assert_int_equal(scenario->dataplane.time_scale, again.dataplane.time_scale);
    free(shown);
    free(text);
    scenario_free(&again);
}

static void scenario_build_switch__smallest(void **state)
{
    struct scenario s;
    (void)state;
    build(&s, HOSTS SWITCH "dataplane: {" DEVICES "}\n", NULL, true);
    const struct dataplane_config *d = &s.dataplane;
    struct dataplane_config usual;
    dataplane_config_init(&usual);
    assert_true(s.has_dataplane);
    assert_int_equal(d->ports, 3);
    assert_string_equal(d->devices[2], "net_af_packet2,iface=veth2");
    assert_int_equal(d->mtu_bytes, usual.mtu_bytes);
    assert_int_equal(d->burst, usual.burst);
    assert_int_equal(d->time_scale, 1);
    assert_null(d->delays_ps);
    assert_int_equal(d->gap_bytes, 24); /* 1514 + 24 on the wire, as 1518 + 20 in the simulator */
    assert_int_equal(d->class_of_dscp[15], 1);
    assert_int_equal(d->class_of_dscp[63], 3); /* the last class takes what is above it */
    assert_int_equal(d->class_of_pcp[7], 3);
    assert_int_equal(d->sw.ports, 3);
    assert_int_equal(d->sw.ports_per_mmu, 3);
    assert_int_equal(d->sw.rates_bps[2], 40000000000);
    assert_int_equal(d->sw.mmu->buffer_cells, 1000000);
    assert_string_equal(d->sw.mmu->egress->name, "occamy");
    assert_int_equal(d->sw.mmu->egress_values->of[0][0], 8 * WEIR_Q16_ONE);
    check_round_trip(&s, true);
    scenario_free(&s);
}

static void scenario_build_switch__everything(void **state)
{
    struct scenario s;
    (void)state;
    build(&s,
          HOSTS SWITCH "wire: {gap: 12B}\n"
                       "dataplane:\n"
                       "  " DEVICES "\n"
                       "  mtu: 9000B\n"
                       "  mbufs: 4096\n"
                       "  burst: 16\n"
                       "  rx_frames: 512\n"
                       "  tx_frames: 128\n"
                       "  cpus: {rx: [0, 4-5], forwarding: 1, tx: 2-3, expulsion: 1}\n"
                       "  sleeps: yes\n"
                       "  classify: pcp\n"
                       "  dscp: {1: [10, 20-23], 3: 48-63}\n"
                       "  pcp: {0: 7}\n"
                       "  learning: no\n"
                       "  flooding: no\n"
                       "  aging: 5s\n"
                       "  addresses: {\"02:00:00:00:00:0A\": 2}\n"
                       "  delay_line: yes\n"
                       "  paced_inputs: yes\n"
                       "  huge_pages: no\n"
                       "  scale: 7\n",
          "dataplane.scale=100", true);
    const struct dataplane_config *d = &s.dataplane;
    assert_int_equal(d->mtu_bytes, 9000);
    assert_int_equal(d->mbufs, 4096);
    assert_int_equal(d->burst, 16);
    assert_int_equal(d->device_rx_frames, 512);
    assert_int_equal(d->device_tx_frames, 128);
    assert_int_equal(d->cpus[DATAPLANE_RX].count, 3);
    assert_int_equal(d->cpus[DATAPLANE_RX].cpu[2], 5);
    assert_int_equal(d->cpus[DATAPLANE_FORWARD].cpu[0], 1);
    assert_int_equal(d->cpus[DATAPLANE_TX].cpu[1], 3);
    assert_int_equal(d->cpus[DATAPLANE_EXPEL].count, 1);
    assert_true(d->sleeps);
    assert_int_equal(d->classify, DATAPLANE_CLASSIFY_PCP);
    assert_int_equal(d->class_of_dscp[10], 1);
    assert_int_equal(d->class_of_dscp[23], 1);
    assert_int_equal(d->class_of_dscp[19], 2); /* not named: as ever */
    assert_int_equal(d->class_of_pcp[7], 0);
    assert_false(d->learning);
    assert_false(d->flooding);
    assert_int_equal(d->aging_ps, 5 * WEIR_PS_PER_S);
    assert_int_equal(d->address_count, 1);
    assert_int_equal(d->addresses[0].mac[5], 10);
    assert_int_equal(d->addresses[0].port, 2);
    assert_int_equal(d->delays_ps[1], 5 * WEIR_PS_PER_US);
    assert_true(d->paced_inputs);
    assert_true(d->no_huge);
    assert_int_equal(d->time_scale, 100);
    assert_int_equal(d->gap_bytes, 16);
    check_round_trip(&s, true);
    scenario_free(&s);
}

/* Headroom and seed are those of the simulated switch, but for the sizes of real frames. */
static void scenario_build_switch__is_the_simulators(void **state)
{
    struct scenario s;
    struct weir_error error;
    weir_bps rates[3];
    (void)state;
    build(&s,
          RUN HOSTS LOSSLESS "seed: 5\nwire: {mss: 1482B, header: 40B}\npfc: {quanta: 1000, processing: 4000B}\n"
                             "dataplane: {" DEVICES "}\n",
          NULL, false);
    struct sim *sim = scenario_create(&s, &error);
    assert_non_null(sim);
    struct weir_mmu_config simulated = sim_memory_config(sim, 0, 0, rates);
    struct weir_mmu_config real = weir_switch_mmu_config(&s.dataplane.sw, 0);
    assert_int_equal(real.seed, simulated.seed);
    assert_int_equal(real.inputs, simulated.inputs);
    assert_int_equal(real.rates_bps[2], simulated.rates_bps[2]);
    assert_int_equal(real.buffer_cells, simulated.buffer_cells);
    assert_int_equal(real.uplinks[2].mtu_bytes, 1522);
    assert_int_equal(real.uplinks[2].headroom_cells, simulated.uplinks[2].headroom_cells);
    assert_int_equal(real.headroom_cells, simulated.headroom_cells);
    assert_true(real.headroom_cells > 0);
    assert_int_equal(s.dataplane.pfc_quanta, 1000);
    sim_free(sim);
    scenario_free(&s);
}

/* Four reactions of the link, in emulated time, come on top of what the paper has: 10 Gb/s * 4 * 1 ms / 10 = 500 kB. */
static void scenario_build_switch__reaction(void **state)
{
    struct scenario at_once, slow;
    (void)state;
    build(&at_once, HOSTS LOSSLESS "dataplane: {" DEVICES "}\n", NULL, true);
    assert_int_equal(at_once.dataplane.reaction_ps, DATAPLANE_REACTION_AUTO);
    const char *const text = HOSTS "switch: {buffer: 40MB, classes: 4, policy: dt, lossless: 3, headroom: sih}\n"
                                   "dataplane: {scale: 10, reaction: 1ms, " DEVICES "}\n";
    build(&slow, text, NULL, true);
    assert_int_equal(slow.dataplane.reaction_ps, WEIR_PS_PER_MS);
    for (uint32_t p = 0; p < 3; p++) {
        const struct weir_uplink *before = &at_once.dataplane.sw.uplinks[p], *after = &slow.dataplane.sw.uplinks[p];
        uint32_t more = p < 2 ? 500000 : 2000000;
        assert_int_equal(after->processing_bytes, before->processing_bytes + more);
        assert_true(after->headroom_cells >= before->headroom_cells + (weir_cells)more);
    }
    scenario_free(&at_once);
    scenario_free(&slow);
}

#define SLOW(more) "dataplane: {reaction: 1ms, " more DEVICES "}\n"
static void scenario_build_switch__reaction_errors(void **state)
{
    (void)state;
    check_fails(
        HOSTS LOSSLESS SLOW(""),
        "f:3:12: dataplane.reaction: a PAUSE of 65535 quanta lasts 3.36ms at 10Gbps, shorter than 4 reactions of "
        "1ms (expected a lower rate, a larger dataplane.scale, or processors that are away for less: "
        "dataplane.cpus)");
    check_fails(HOSTS LOSSLESS SLOW("scale: 10, "),
                "f:2:18: buffer: 1MB, and the headroom of the lossless classes needs 3100KB for reactions of 1ms "
                "(expected a larger buffer, lower rates, a larger dataplane.scale, or processors that are away for "
                "less: dataplane.cpus)");
    check_fails(HOSTS
                "switch: {buffer: 1MB, classes: 4, policy: dt, lossless: 3, headroom: sih, headroom_size: 8KB}\n" SLOW(
                    "scale: 10, "),
                "f:2:90: headroom_size: 8KB of a lossless queue at 10Gbps, which needs 521KB for reactions of 1ms "
                "(expected headroom_size: safe, or at least that)");
    /* Without the key, or without lossless classes, nothing is asked. */
    struct scenario s;
    build(&s, HOSTS SWITCH SLOW(""), NULL, true);
    scenario_free(&s);
}

static void scenario_build_switch__errors(void **state)
{
    (void)state;
    check_fails(HOSTS SWITCH, "f:1:1: dataplane: 'devices' is missing (expected 3, one per host; or --device)");
    check_fails(HOSTS SWITCH "dataplane: {devices: [a]}\n", "f:3:22: devices: 1 are here (expected 3, one per host)");
    check_fails(SWITCH, "f:1:1: the scenario: 'topology' is missing (weir-switch needs it)");
    check_fails(HOSTS, "f:1:1: the scenario: 'switch' is missing (weir-switch needs it)");
    check_fails(HOSTS SWITCH "trafic: []\n", "f:3:1: unknown key 'trafic' in the scenario (did you mean 'traffic'?)");
    check_fails("topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2}\n" SWITCH,
                "f:1:18: topology: kind leaf-spine has no software switch (expected kind: single)");
    check_fails(HOSTS "switch: {buffer: 10KB, classes: 4, policy: dt, lossless: 3, headroom: sih}\ndataplane: "
                      "{" DEVICES "}\n",
                "f:2:9: headroom: does not fit the buffer");
}

/* The rest of an experiment may be there and is left alone; the watchdog is missed. */
static void scenario_build_switch__whole_experiment(void **state)
{
    struct scenario s;
    (void)state;
    build(&s,
          RUN HOSTS LOSSLESS "pfc: {watchdog: {detect: 1ms}}\nsweep: {n: {switch.buffer: [1MB, 2MB]}}\n"
                             "dataplane: {" DEVICES "}\ntestbed: {use: yes}\n",
          NULL, true);
    assert_int_equal(s.config.traffic_count, 0);
    assert_non_null(s.warnings);
    assert_non_null(strstr(s.warnings->text, "pfc.watchdog has no effect"));
    scenario_free(&s);
}

static void scenario_build__sections_only_where_written(void **state)
{
    struct scenario s;
    (void)state;
    build(&s, RUN HOSTS SWITCH, NULL, false);
    assert_false(s.has_dataplane);
    assert_false(s.testbed.has);
    assert_false(s.testbed.use);
    assert_int_equal(s.testbed.scale, 100);
    assert_null(node_find(s.effective, "dataplane"));
    assert_null(node_find(s.effective, "testbed"));
    scenario_free(&s);
    build(&s, RUN HOSTS SWITCH "dataplane: {scale: 10}\n", "testbed.use=yes", false);
    assert_true(s.has_dataplane);
    assert_null(s.dataplane.devices);
    assert_int_equal(s.dataplane.sw.ports, 3);
    assert_true(s.testbed.has);
    assert_true(s.testbed.use);
    assert_int_equal(s.testbed.initial_window, 10);
    check_round_trip(&s, false);
    scenario_free(&s);
}

/* An axis over both worlds. */
static void experiment_run__sweeps_testbed_use(void **state)
{
    static const char text[] =
        RUN HOSTS SWITCH "testbed: {scale: 50}\n"
                         "sweep: {where: {testbed.use: [no, yes], labels: [simulation, real]}}\n";
    struct document document, run;
    struct weir_error error;
    struct experiment experiment;
    (void)state;
    assert_true(document_read(&document, "f", text, strlen(text), &error));
    assert_true(experiment_read(&experiment, &document, false, &error));
    assert_int_equal(experiment_runs(&experiment), 2);
    for (uint32_t i = 0; i < 2; i++) {
        struct scenario s;
        char name[256];
        assert_true(experiment_run(&experiment, i, &run, &error));
        assert_true(scenario_build(&s, &run, NULL, &error));
        experiment_run_name(&experiment, i, name);
        assert_string_equal(name, i == 0 ? "where=simulation, seed 1" : "where=real, seed 1");
        assert_int_equal(s.testbed.use, i == 1);
        assert_int_equal(s.testbed.scale, 50);
        scenario_free(&s);
        document_free(&run);
    }
    experiment_free(&experiment);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenario_build_switch__smallest),
        cmocka_unit_test(scenario_build_switch__everything),
        cmocka_unit_test(scenario_build_switch__is_the_simulators),
        cmocka_unit_test(scenario_build_switch__reaction),
        cmocka_unit_test(scenario_build_switch__reaction_errors),
        cmocka_unit_test(scenario_build_switch__errors),
        cmocka_unit_test(scenario_build_switch__whole_experiment),
        cmocka_unit_test(scenario_build__sections_only_where_written),
        cmocka_unit_test(experiment_run__sweeps_testbed_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
