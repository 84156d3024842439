/*
 * test_scenario.c - documents to configs: what each section becomes, effective values, the reference.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenario/read/scenario.h"
#include "sim/transport/tcp.h"
#include "tests/support/error_line.h"

#define TOP "until: 1ms\n"
#define SINGLE "topology: {kind: single, hosts: 4, rate: 10Gbps, delay: 2us}\n"
#define LEAF_SPINE "topology: {kind: leaf-spine, leaves: 2, spines: 3, hosts_per_leaf: 4, spine_rate: 40Gbps}\n"
#define SWITCH "switch: {buffer: 100KB, policy: dt}\n"
#define TRANSPORTS "transports: {a: {kind: dctcp}, b: {kind: udp, rate: 1Gbps}}\n"
#define WIRE "wire: {mss: 1460B, header: 40B}\n"
#define TRAFFIC "traffic: [{kind: long, transport: a}]\n"

/* Builds the text with one change, or fails the test. */
static void build(struct scenario *scenario, const char *text, const char *change)
{
    struct document document;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    bool good = document_read(&document, "f", text, strlen(text), &error) &&
                (change == NULL || document_set(&document, "--set", change, &error)) &&
                scenario_build(scenario, &document, NULL, &error);
    document_free(&document);
    if (!good)
        fail_msg("%s", ERROR_LINE(&error));
}

static void scenario_build__smallest(void **state)
{
    struct scenario s;
    (void)state;
    build(&s, TOP SINGLE SWITCH TRANSPORTS TRAFFIC, NULL);
    assert_int_equal(s.config.until_ps, WEIR_PS_PER_MS);
    assert_int_equal(s.config.seed, 1);
    assert_ptr_equal(s.config.topology, &s.topology);
    assert_int_equal(s.topology.hosts, 4);
    assert_int_equal(s.topology.links[3].delay_ps, 2 * WEIR_PS_PER_US);
    assert_int_equal(s.config.tier_count, 1);
    assert_int_equal(s.config.tiers[0].mmu.buffer_cells, 100000);
    assert_string_equal(s.config.tiers[0].mmu.egress->name, "dt");
    assert_int_equal(s.config.transport_count, 2);
    assert_ptr_equal(s.config.transports[0].kind, &transport_dctcp);
    assert_ptr_equal(s.config.transports[1].kind, &transport_udp);
    assert_int_equal(s.config.traffic_count, 1);
    assert_null(s.name);
    scenario_free(&s);
}

static void scenario_build__wire_and_switch(void **state)
{
    struct scenario s;
    (void)state;
    build(&s,
          TOP SINGLE TRANSPORTS TRAFFIC "wire: {mss: 1400B, header: 100B, ack: 70B, gap: 20B}\n"
                                        "switch:\n"
                                        "  buffer: 410KB\n"
                                        "  cell: 100B\n"
                                        "  classes: 3\n"
                                        "  scheduler: strict-drr\n"
                                        "  strict_from: 2\n"
                                        "  quantum: 1pkt\n"
                                        "  weights: [1, 4]\n"
                                        "  private: [2KB, 0B, 1% buffer]\n"
                                        "  ecn: {kind: [step, red], low: 65pkt, high: [0B, 80% buffer], chance: 0.5}\n"
                                        "  policy: {name: occamy, alpha: [8, 1], select: longest}\n"
                                        "  memory_rate: 100Gbps\n"
                                        "  memory_depth: 4\n"
                                        "  descriptors: 77\n"
                                        "  ports_per_memory: 2\n",
          NULL);
    const struct weir_mmu_config *mmu = &s.config.tiers[0].mmu;
    assert_int_equal(s.config.wire.gap_bytes, 20);
    assert_int_equal(mmu->cell_bytes, 100);
    assert_int_equal(mmu->buffer_cells, 4100);
    assert_int_equal(mmu->classes, 3);
    assert_int_equal(mmu->scheduler.kind, WEIR_SCHED_STRICT_DRR);
    assert_int_equal(mmu->scheduler.strict_from, 2);
    assert_int_equal(mmu->scheduler.quantum_bytes, 1500);
    assert_int_equal(mmu->scheduler.weight[0], 1);
    assert_int_equal(mmu->scheduler.weight[2], 4);
    assert_int_equal(mmu->private_cells[0], 20);
    assert_int_equal(mmu->private_cells[1], 0);
    assert_int_equal(mmu->private_cells[2], 41);
    assert_int_equal(mmu->marking[0].kind, WEIR_MARK_STEP);
    assert_int_equal(mmu->marking[2].kind, WEIR_MARK_RED);
    assert_int_equal(mmu->marking[0].low_cells, 975);
    assert_int_equal(mmu->marking[1].high_cells, 3280);
    assert_int_equal(mmu->marking[1].high_chance, WEIR_Q16_ONE / 2);
    assert_int_equal(mmu->egress_values->of[0][0], 8 * WEIR_Q16_ONE);
    assert_int_equal(mmu->egress_values->of[0][2], WEIR_Q16_ONE);
    assert_int_equal(mmu->egress_values->of[2][0], 1);
    assert_int_equal(mmu->memory_bps, 100000000000);
    assert_int_equal(mmu->memory_depth_cells, 4);
    assert_int_equal(mmu->packets_max, 77);
    assert_int_equal(s.config.tiers[0].ports_per_mmu, 2);
    scenario_free(&s);
}

/* A leaf has 4 ports of 10 Gb/s and 3 of 40, a spine 2 of 40. */
static void scenario_build__tiers(void **state)
{
    struct scenario s;
    (void)state;
    build(&s,
          TOP LEAF_SPINE TRANSPORTS TRAFFIC "switch:\n"
                                            "  buffer: 10KB per port\n"
                                            "  ecn: {kind: step, low: 50% buffer}\n"
                                            "  policy: {name: dt, alpha: 2}\n"
                                            "  tiers: {spine: {policy: lqd, private: 1KB}}\n",
          NULL);
    assert_int_equal(s.config.tier_count, 2);
    assert_int_equal(s.config.tiers[0].mmu.buffer_cells, 70000);
    assert_int_equal(s.config.tiers[1].mmu.buffer_cells, 20000);
    assert_int_equal(s.config.tiers[0].mmu.marking[0].low_cells, 35000);
    assert_int_equal(s.config.tiers[1].mmu.marking[0].low_cells, 10000);
    assert_string_equal(s.config.tiers[0].mmu.egress->name, "dt");
    assert_string_equal(s.config.tiers[1].mmu.egress->name, "lqd");
    assert_int_equal(s.config.tiers[0].mmu.egress_values->of[0][0], 2 * WEIR_Q16_ONE);
    assert_int_equal(s.config.tiers[1].mmu.private_cells[0], 1000);
    scenario_free(&s);
    build(&s, TOP LEAF_SPINE TRANSPORTS TRAFFIC "switch: {buffer: 9.6KB per Gbps, policy: dt}\n", NULL);
    assert_int_equal(s.config.tiers[0].mmu.buffer_cells, 1536000);
    assert_int_equal(s.config.tiers[1].mmu.buffer_cells, 768000);
    scenario_free(&s);
}

static void scenario_build__traffic(void **state)
{
    struct scenario s;
    (void)state;
    build(&s,
          TOP SINGLE SWITCH TRANSPORTS WIRE
          "traffic:\n"
          "  - {kind: query, transport: a, tag: q, destinations: h0, sources: h1-h3, fan_out: 6, bytes: 10% buffer,\n"
          "     rate: 100/s, from: 10us, until: 900us}\n"
          "  - {kind: poisson, transport: a, sizes: [[1KB, 0], [3KB, 1]], load: 60%, pattern: permutation}\n"
          "  - {kind: long, transport: b, tag: q, sources: h0, destinations: h1, concurrency: 3}\n"
          "  - {kind: incast, transport: a, destination: h2, bytes: 10pkt, rounds: 4, interval: 100us}\n",
          NULL);
    const struct traffic_settings *t = s.config.traffic;
    assert_int_equal(s.config.traffic_count, 4);
    assert_int_equal(t[0].kind, TRAFFIC_QUERY);
    assert_int_equal(t[0].bytes, 10000);
    assert_int_equal(t[0].fan_out, 6);
    assert_true(t[0].rate_per_s == 100);
    assert_int_equal(t[0].source_first, 1);
    assert_int_equal(t[0].source_count, 3);
    assert_int_equal(t[0].destination_count, 1);
    assert_int_equal(t[0].from_ps, 10 * WEIR_PS_PER_US);
    assert_int_equal(t[0].until_ps, 900 * WEIR_PS_PER_US);
    assert_true(t[1].load == 0.6);
    assert_true(t[1].sizes->mean_bytes == 2000);
    assert_int_equal(t[1].pattern, TRAFFIC_PATTERN_PERMUTATION);
    assert_int_equal(t[1].until_ps, s.config.until_ps);
    assert_int_equal(t[1].source_count, 0);
    assert_int_equal(t[2].transport, 1);
    assert_int_equal(t[2].bytes, 0);
    assert_int_equal(t[2].concurrency, 3);
    assert_int_equal(t[2].tag, t[0].tag);
    assert_int_equal(t[3].bytes, 14600);
    assert_int_equal(t[3].destination_first, 2);
    assert_int_equal(t[3].rounds, 4);
    assert_int_equal(s.config.tag_count, 3);
    assert_string_equal(s.config.tag_names[t[0].tag], "q");
    assert_string_equal(s.config.tag_names[t[3].tag], "incast");
    scenario_free(&s);
}

static void scenario_build__events(void **state)
{
    struct scenario s;
    (void)state;
    build(&s,
          TOP "topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 1, parallel: 2}\n" SWITCH TRANSPORTS
              TRAFFIC "failures:\n"
              "  - {when: 500us, at: s2, to: s0, parallel: 1, state: up}\n"
              "  - {when: 100us, at: s0, to: s2, parallel: 1}\n"
              "measure:\n"
              "  goodput_interval: 10us\n"
              "  probes: [{at: s0, to: h0, class: 0}, {at: s2, to: s1, interval: 1us, points: 9}]\n"
              "routing: {ecmp: packet, ecmp_seed: 7, reroute: 3us}\n"
              "host: {nic: queue, queue: 12, queue_full: drop, jitter: 100ns, drift: 50}\n",
          NULL);
    const struct sim_config *c = &s.config;
    assert_int_equal(c->change_count, 2);
    assert_int_equal(c->changes[0].when, 100 * WEIR_PS_PER_US);
    assert_false(c->changes[0].up);
    assert_true(c->changes[1].up);
    assert_int_equal(c->changes[0].link, c->changes[1].link);
    const struct topology_link *link = &s.topology.links[c->changes[0].link];
    assert_int_equal(link->a + link->b, 2 + 0 + 2 + 2); /* the nodes of s0 and s2 */
    assert_int_equal(c->goodput_interval_ps, 10 * WEIR_PS_PER_US);
    assert_int_equal(c->probe_count, 2);
    assert_int_equal(c->probes[0].sw, 0);
    assert_int_equal(c->probes[0].tc, 0);
    assert_int_equal(c->probes[0].interval_ps, 0);
    assert_int_equal(c->probes[1].sw, 2);
    assert_int_equal(c->probes[1].tc, SIM_ALL_CLASSES);
    assert_int_equal(c->probes[1].points_max, 9);
    assert_int_equal(c->ecmp, SIM_ECMP_PACKET);
    assert_int_equal(c->ecmp_seed, 7);
    assert_int_equal(c->hosts.nic, SIM_NIC_QUEUE);
    assert_int_equal(c->hosts.queue_packets, 12);
    assert_true(c->hosts.queue_drops);
    assert_int_equal(c->hosts.jitter_ps, 100 * WEIR_PS_PER_NS);
    assert_int_equal(c->hosts.drift_ppm, 50);
    assert_int_equal(c->reroute_ps, 3 * WEIR_PS_PER_US);
    scenario_free(&s);
}

static void scenario_build__explicit(void **state)
{
    struct scenario s;
    (void)state;
    build(&s,
          TOP SWITCH TRANSPORTS TRAFFIC
          "topology:\n"
          "  kind: explicit\n"
          "  hosts: 2\n"
          "  switches: 2\n"
          "  links: [{a: h0, b: s0}, {a: s0, b: s1, rate: 1Gbps, delay: 7us}, {a: h1, b: s1}]\n",
          NULL);
    assert_int_equal(s.topology.link_count, 3);
    assert_int_equal(s.topology.links[1].a, 2);
    assert_int_equal(s.topology.links[1].b, 3);
    assert_int_equal(s.topology.links[1].rate_bps, 1000000000);
    char name[16];
    scenario_node_name(&s.topology, 1, name);
    assert_string_equal(name, "h1");
    scenario_node_name(&s.topology, 3, name);
    assert_string_equal(name, "s1");
    scenario_free(&s);
}

static char *effective_text(const struct scenario *scenario)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    node_print(scenario->effective, out);
    fclose(out);
    return text;
}

/* The effective values are a scenario that has them all, and the same config. */
static void scenario_build__effective_values_read_back(void **state)
{
    static const char text[] = TOP LEAF_SPINE TRANSPORTS WIRE
        "name: x\ntitle: \"<script>alert('a: b')</script> \\\"q\\\"\"\n"
        "switch:\n"
        "  buffer: 10KB per port\n"
        "  classes: 2\n"
        "  weights: [3, 1]\n"
        "  ecn: {kind: step, low: [10pkt, 50% buffer]}\n"
        "  policy: {name: tdt, nec: 10% buffer}\n"
        "  tiers: {spine: {buffer: 3MB}}\n"
        "failures: [{when: 1us, at: s0, to: s2}]\n"
        "measure: {probes: [{at: s0, to: h0}]}\n"
        "traffic:\n"
        "  - {kind: poisson, transport: a, sizes: [[1KB, 0], [3KB, 1]], load: 33.3%}\n"
        "  - {kind: bursts, transport: b, tag: \"#1, 'two'\", bytes: 5pkt, rate: 0.5/s,\n"
        "     destination: h1}\n";
    struct scenario first, again;
    (void)state;
    build(&first, text, NULL);
    char *shown = effective_text(&first);
    build(&again, shown, NULL);
    char *shown_again = effective_text(&again);
    assert_string_equal(shown_again, shown);
    assert_non_null(strstr(shown, "load: 0.333\n"));
    assert_non_null(strstr(shown, "low: [15KB, 35KB]\n"));
    assert_memory_equal(&first.policy_values, &again.policy_values, sizeof first.policy_values);
    assert_int_equal(first.config.tiers[1].mmu.buffer_cells, again.config.tiers[1].mmu.buffer_cells);
    assert_memory_equal(first.config.transports, again.config.transports, 2 * sizeof *first.config.transports);
    assert_true(first.config.traffic[0].load == again.config.traffic[0].load);
    free(shown);
    free(shown_again);
    scenario_free(&first);
    scenario_free(&again);
}

/* A preset is where other keys begin, wherever they stand; what is shown does not need it. */
static void scenario_build__preset(void **state)
{
    static const char text[] =
        TOP SINGLE SWITCH TRAFFIC "transports: {a: {kind: cubic, undo: no, rack: no, preset: kernel, min_rto: 5ms},\n"
                                  "  b: {kind: dctcp, preset: kernel}, c: {kind: newreno, preset: paper}}\n";
    struct scenario first, again;
    struct sim_transport plain;
    (void)state;
    build(&first, text, NULL);
    const struct tcp_params *a = tcp_params(&first.config.transports[0]), *b = tcp_params(&first.config.transports[1]);
    assert_true(!a->rack && !a->undo && a->prr && a->keep_connections);
    assert_int_equal(a->min_rto_ps, 5 * WEIR_PS_PER_MS);
    assert_int_equal(a->hystart, TCP_HYSTART_CLASSIC);
    assert_int_equal(b->min_rto_ps, 200 * WEIR_PS_PER_MS);
    assert_true(b->rack && b->undo);
    assert_int_equal(b->hystart, TCP_HYSTART_OFF);
    sim_transport_init(&plain, &transport_newreno);
    assert_memory_equal(tcp_params(&first.config.transports[2]), tcp_params(&plain), sizeof(struct tcp_params));
    char *shown = effective_text(&first);
    assert_null(strstr(shown, "preset"));
    assert_non_null(strstr(shown, "hystart: classic"));
    build(&again, shown, NULL);
    assert_memory_equal(first.config.transports, again.config.transports, 3 * sizeof *first.config.transports);
    free(shown);
    scenario_free(&first);
    scenario_free(&again);
}

static void scenario_build__set(void **state)
{
    static const struct {
        const char *change, *shown;
    } cases[] = {
        {"seed=42", "seed: 42\n"},
        {"switch.policy=occamy", "    name: occamy\n    alpha: 8\n"},
        {"switch.policy={name: dt, alpha: 0.25}", "    alpha: 0.25\n"},
        {"wire.mss=9000B", "  mss: 9KB\n"},
        {"transports.a.min_rto=200us", "    min_rto: 200us\n"},
        {"traffic.0.load=0.9", "    load: 0.9\n"},
        {"switch.ecn={kind: step, low: 3KB}", "    kind: step\n    low: 3KB\n"},
        {"switch.policy.alpha=3", "    name: dt\n    alpha: 3\n"},
        {"measure.size_bins=[2pkt, 1MB]", "  size_bins: [2896B, 1MB]\n"},
        {"measure.size_bins=[]", "  size_bins: []\n"},
        {"measure.goodput_interval=1us", "  size_bins: [100KB, 1MB]\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scenario s;
        build(&s, TOP SINGLE SWITCH TRANSPORTS "traffic: [{kind: poisson, transport: a, sizes: hadoop, load: 0.1}]\n",
              cases[i].change);
        char *shown = effective_text(&s);
        if (strstr(shown, cases[i].shown) == NULL)
            fail_msg("%s: '%s' is not in\n%s", cases[i].change, cases[i].shown, shown);
        free(shown);
        scenario_free(&s);
    }
}

/* A mistake of the command line is reported there, not in the file. */
static void scenario_build__set_mistakes(void **state)
{
    static const struct {
        const char *change, *message;
    } cases[] = {
        {"switch.bufer=1MB", "--set switch.bufer=1MB: unknown key 'bufer' in switch (did you mean 'buffer'?)"},
        {"switch.buffer=1", "--set switch.buffer=1: buffer: '1' needs a unit (B, KB, KiB, MB, MiB, GB, GiB, pkt; B to "
                            "MB also 'per port' and 'per Gbps')"},
        {"switch.policy.beta=1", "--set switch.policy.beta=1: unknown key 'beta' in policy dt (expected name, alpha)"},
        {"switch.ecn.low=1KB", "--set switch.ecn.low=1KB: ecn: 'low' without 'kind' (expected kind: step or red)"},
        {"switch.buffer=2147483648B", "f:3:9: switch: buffer: 1 to 2147483647 cells are possible"},
        {"transports.a.max_window=65536",
         "--set transports.a.max_window=65536: max_window: '65536' is out of range (1 to 65535)"},
        {"measure.size_bins=[1KB, 1KB]",
         "--set measure.size_bins=[1KB, 1KB]: size_bins: '1KB' is not above the one before (expected growing sizes)"},
        {"measure.size_bins=[1KB,2KB,3KB,4KB,5KB,6KB,7KB,8KB,9KB]",
         "--set measure.size_bins=[1KB,2KB,3KB,4KB,5KB,6KB,7KB,8KB,9KB]: size_bins: 9 sizes (expected at most 8)"},
        {"sed=1", "--set sed=1: unknown key 'sed' in the scenario (did you mean 'seed'?)"},
    };
    static const char text[] = TOP SINGLE SWITCH TRANSPORTS TRAFFIC;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct document document;
        struct scenario scenario = {.name = NULL};
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        assert_true(document_read(&document, "f", text, strlen(text), &error));
        assert_false(document_set(&document, "--set", cases[i].change, &error) &&
                     scenario_build(&scenario, &document, NULL, &error));
        assert_string_equal(ERROR_LINE(&error), cases[i].message);
        scenario_free(&scenario);
        document_free(&document);
    }
}

static void scenario_build__no_folder(void **state)
{
    static const char text[] =
        TOP SINGLE SWITCH TRANSPORTS "traffic: [{kind: list, transport: a, file: /etc/passwd}]\n";
    struct document document;
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    assert_true(document_read(&document, "f", text, strlen(text), &error));
    assert_false(scenario_build(&scenario, &document, NULL, &error));
    assert_string_equal(ERROR_LINE(&error), "f:5:44: file: files cannot be read here");
    scenario_free(&scenario);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenario_build__smallest),
        cmocka_unit_test(scenario_build__wire_and_switch),
        cmocka_unit_test(scenario_build__tiers),
        cmocka_unit_test(scenario_build__traffic),
        cmocka_unit_test(scenario_build__events),
        cmocka_unit_test(scenario_build__explicit),
        cmocka_unit_test(scenario_build__effective_values_read_back),
        cmocka_unit_test(scenario_build__preset),
        cmocka_unit_test(scenario_build__set),
        cmocka_unit_test(scenario_build__set_mistakes),
        cmocka_unit_test(scenario_build__no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
