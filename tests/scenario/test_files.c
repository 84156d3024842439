/*
 * test_files.c - what people have in files: size distributions, links, flows with a header.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scenario/read/scenario.h"
#include "tests/support/error_line.h"

#define REST "until: 1ms\nswitch: {buffer: 100KB, policy: dt}\ntransports: {a: {kind: dctcp}}\n"
#define SINGLE REST "topology: {kind: single, hosts: 8}\n"
#define SIZES SINGLE "traffic: [{kind: poisson, transport: a, load: 0.5, sizes: {file: my.txt}}]\n"
#define FLOWS SINGLE "traffic: [{kind: list, transport: a, file: my.txt}]\n"
#define LINKS REST "topology: {kind: explicit, file: my.txt}\ntraffic: [{kind: long, transport: a}]\n"

static char folder[] = "/tmp/weir-files-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "%s/my.txt", folder);
    unlink(path);
    return rmdir(folder);
}

/* Builds a scenario beside a file my.txt; false after an error. */
static bool build(struct scenario *scenario, const char *text, const char *file, struct weir_error *error)
{
    const struct scenario_files files = {folder, NULL};
    struct document document;
    char path[64];
    snprintf(path, sizeof path, "%s/my.txt", folder);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(file, out);
    fclose(out);
    *error = (struct weir_error){.code = WEIR_ERROR_NONE};
    bool good =
        document_read(&document, "f", text, strlen(text), error) && scenario_build(scenario, &document, &files, error);
    document_free(&document);
    return good;
}

static void build_good(struct scenario *scenario, const char *text, const char *file)
{
    struct weir_error error;
    if (!build(scenario, text, file, &error))
        fail_msg("%s", ERROR_LINE(&error));
}

/* The end of the error, from the name of the file on. */
static void expect_error(const char *text, const char *file, const char *expected)
{
    struct scenario scenario = {.name = NULL};
    struct weir_error error;
    assert_false(build(&scenario, text, file, &error));
    const char *line = ERROR_LINE(&error), *name = strstr(line, "my.txt:");
    assert_string_equal(name != NULL ? name : line, expected);
    scenario_free(&scenario);
}

static void sizes__forms(void **state)
{
    static const char *const forms[] = {
        "0 0\n1000 0.25\n1e6 1\n",                                 /* ns-3, htsim: parts of 1 */
        "0 0\n1000 25\n1000000 100\n",                             /* HPCC: per cent */
        "# mine\r\n0, 0\r\n1000, 2.5e-1\r\n\r\n1000000, 1.0\r\n",  /* a spreadsheet */
        "cdf,size (KB)\n0,0\n0.250000000000000000001,1\n1,1000\n", /* a header, columns turned round, a unit */
        "\"bytes\"\t\"percent\"\t\"p\"\n0\t7\t0\n1000\t7\t25%\n1000000\t7\t100%", /* another column; no line end */
    };
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct scenario s;
        build_good(&s, SIZES, forms[i]);
        const struct size_table *table = s.config.traffic[0].sizes;
        assert_int_equal(table->count, 3);
        assert_true(table->points[1].bytes == 1000 && table->points[1].cumulative == 0.25);
        assert_true(table->points[2].bytes == 1000000 && table->points[2].cumulative == 1);
        scenario_free(&s);
    }
}

static void sizes__mistakes(void **state)
{
    (void)state;
    expect_error(SIZES, "0 0\n1000 x\n", "my.txt:2:6: sizes: 'x' is not a number");
    expect_error(SIZES, "1 1 0\n2 1 1\n", "my.txt:1:1: 3 columns (expected bytes, probability)");
    expect_error(SIZES, "size,part\n1,1\n",
                 "my.txt:1:1: the header names no column 'probability' (expected bytes, "
                 "probability)");
    expect_error(SIZES, "size,size,p\n", "my.txt:1:6: a second column 'bytes'");
    expect_error(SIZES, "size,p\n1\n", "my.txt:2:1: 1 fields (expected 2, as the header has)");
    expect_error(SIZES, "", "my.txt:1:1: sizes: size table own: it has no points");
    expect_error(SIZES, "0 0\n10 0.9\n",
                 "my.txt:1:1: sizes: size table own: point 2 (10 bytes, 0.9): the last cumulative probability is 1");
    expect_error(SIZES, "\x01 0\n", "my.txt:1:1: a control character (expected a text of columns)");
    expect_error(SINGLE "traffic: [{kind: poisson, transport: a, load: 0.5, sizes: my.cdf}]\n", "",
                 "f:5:59: sizes: unknown table 'my.cdf' (of a file: sizes: {file: my.cdf})");
}

static void assert_link(const struct scenario *s, uint32_t link, uint32_t a, uint32_t b, weir_ps delay_ps)
{
    const struct topology_link *at = &s->topology.links[link];
    assert_int_equal(at->a, a);
    assert_int_equal(at->b, b);
    assert_true(at->rate_bps >= 10000000000);
    assert_int_equal(at->delay_ps, delay_ps);
}

static void links__forms(void **state)
{
    struct scenario s;
    (void)state;
    /* Names: a node with one link is a host; both kinds are numbered as they appear. */
    build_good(&s, LINKS, "leaf2 leaf1\nweb leaf1 10Gbps 2us\nmail leaf2 10G 2us\n");
    assert_int_equal(s.topology.hosts, 2);
    assert_link(&s, 0, 2, 3, WEIR_PS_PER_US);
    assert_link(&s, 1, 0, 3, 2 * WEIR_PS_PER_US);
    assert_link(&s, 2, 1, 2, 2 * WEIR_PS_PER_US);
    scenario_free(&s);
    /* Our names are what they say. */
    build_good(&s, LINKS, "latency_us,dst,src,rate_Gbps\n3,s0,h1,10\n3,s0,h0,10\n");
    assert_link(&s, 0, 1, 2, 3 * WEIR_PS_PER_US);
    assert_link(&s, 1, 0, 2, 3 * WEIR_PS_PER_US);
    scenario_free(&s);
    /* HPCC: nodes, switches, links; which are switches; then links. Hosts keep their order. */
    build_good(&s, LINKS, "4 2 3\n1 3\n2 1 10Gbps 0.001ms\n1 3 10Gbps 1000ns\n3 0 10Gbps 1us\n");
    assert_int_equal(s.topology.hosts, 2);
    assert_link(&s, 0, 1, 2, WEIR_PS_PER_US);
    assert_link(&s, 1, 2, 3, WEIR_PS_PER_US);
    assert_link(&s, 2, 3, 0, WEIR_PS_PER_US);
    scenario_free(&s);
}

static void links__mistakes(void **state)
{
    (void)state;
    expect_error(LINKS, "# none\n", "f:4:34: file: 'my.txt': no links in it");
    expect_error(LINKS, "h0 s0 10\nh1 s0\n", "my.txt:1:7: rate: '10' needs a unit (bps, Kbps, Mbps, Gbps, Tbps)");
    expect_error(LINKS, "4 2 3\n1 3\n2 9 10Gbps\n",
                 "f:4:34: link 1: node '9' (expected a number below 4, as the first line says)");
    expect_error(REST "topology: {kind: explicit, hosts: 3, file: my.txt}\ntraffic: [{kind: long, transport: a}]\n", "",
                 "f:4:28: 'hosts' beside 'file' (expected one of them: the file says which nodes and links there are)");
}

static void flows__any_order_and_units(void **state)
{
    struct scenario s;
    (void)state;
    build_good(&s, FLOWS, "dst,id,size_KB,src,start_us,tag\nh3,1,1.5,2,20,x\n1,2,2MB,h0,3ms,\n");
    const struct traffic_settings *t = &s.config.traffic[0];
    assert_int_equal(t->listed, 2);
    assert_int_equal(t->flows[0].start_ps, 20 * WEIR_PS_PER_US);
    assert_int_equal(t->flows[0].source, 2);
    assert_int_equal(t->flows[0].destination, 3);
    assert_int_equal(t->flows[0].bytes, 1500);
    assert_string_equal(s.config.tag_names[t->flows[0].tag], "x");
    assert_int_equal(t->flows[1].start_ps, 3 * WEIR_PS_PER_MS);
    assert_int_equal(t->flows[1].bytes, 2000000);
    assert_string_equal(s.config.tag_names[t->flows[1].tag], "list");
    scenario_free(&s);
}

static void flows__of_hpcc(void **state)
{
    struct scenario s;
    (void)state;
    build_good(&s, FLOWS, "2\r\n2 3 3 100 200000 2.0000000001\r\n0 1 3 100 2e5 2\n");
    const struct traffic_settings *t = &s.config.traffic[0];
    assert_int_equal(t->listed, 2);
    assert_int_equal(t->flows[0].start_ps, 2000 * WEIR_PS_PER_MS);
    assert_int_equal(t->flows[0].destination, 1);
    assert_int_equal(t->flows[1].start_ps, 2000 * WEIR_PS_PER_MS + 100);
    assert_int_equal(t->flows[1].source, 2);
    assert_int_equal(t->flows[1].bytes, 200000);
    scenario_free(&s);
}

static void flows__of_htsim(void **state)
{
    struct scenario s;
    (void)state;
    build_good(&s, FLOWS,
               "# a matrix\nnodes 4\nConnections 2\nTriggers 1\r\n3->1 id 7 msg start 2500 size 64 prio 0\n"
               "0->2 start 0 size 2000000 send_done_trigger 1\ntrigger id 1 oneshot\n");
    const struct traffic_settings *t = &s.config.traffic[0];
    assert_int_equal(t->listed, 2);
    assert_int_equal(t->flows[0].when_sent, 1);
    assert_int_equal(t->flows[0].bytes, 2000000);
    assert_int_equal(t->flows[1].source, 3);
    assert_int_equal(t->flows[1].destination, 1);
    assert_int_equal(t->flows[1].start_ps, 2500);
    scenario_free(&s);
    expect_error(FLOWS, "Nodes 9\n", "my.txt:1:7: file: 'my.txt': Nodes: '9' (expected a number from 1 to 8)");
    expect_error(FLOWS, "Nodes 8\nConnections 2\n0->1 start 0 size 1\n",
                 "my.txt:3:1: file: 'my.txt': Connections: 1 follow (expected 2, as the head says)");
    expect_error(FLOWS, "Nodes 8\n0->8 start 0 size 1\n",
                 "my.txt:2:1: file: 'my.txt': destination: '8' (expected a number from 0 to 7)");
    expect_error(FLOWS, "Nodes 8\n0->1 id 0 start 0 size 1\n",
                 "my.txt:2:9: file: 'my.txt': id: '0' (expected a number from 1 to 4294967295)");
    expect_error(FLOWS, "Nodes 8\n0->1 size 5\n",
                 "my.txt:2:1: file: 'my.txt': the flow has no 'start' (expected its time in picoseconds, or the "
                 "'trigger' that starts it)");
    expect_error(FLOWS, "Nodes 8\nfailure switch_type TOR switch_id 0 link_id 1\n",
                 "my.txt:2:1: file: 'my.txt': a link fails (expected that in the section 'failures' of the scenario)");
    expect_error(FLOWS, "Nodes 8\n0->1 start 0 size 5 prio 3\n",
                 "my.txt:2:26: file: 'my.txt': prio: 3 (expected 0, or none: a class belongs to a transport)");
}

static void triggers__of_htsim(void **state)
{
    struct scenario s;
    (void)state;
    /* Ids in any order, and used before they are described; flows that wait come last. */
    build_good(&s, FLOWS,
               "Nodes 4\n0->1 id 1 trigger 9 size 5 recv_done_trigger 4\n1->2 start 7 size 6 send_done_trigger 9\n"
               "1->3 start 5 size 7 recv_done_trigger 4\ntrigger id 9 oneshot\ntrigger id 4 barrier count 2\n"
               "2->3 id 3 trigger 4 size 8\n");
    const struct traffic_settings *t = &s.config.traffic[0];
    assert_int_equal(t->listed, 4);
    assert_int_equal(t->trigger_count, 2);
    assert_true(t->triggers_apart);
    assert_int_equal(t->flows[0].bytes, 7);
    assert_int_equal(t->flows[2].waits, 2);
    assert_int_equal(t->flows[2].when_there, 1);
    assert_int_equal(t->flows[3].waits, 1);
    assert_int_equal(t->triggers[0].kind, TRIGGER_BARRIER);
    assert_int_equal(t->triggers[0].count, 2);
    assert_null(s.warnings);
    scenario_free(&s);
    static const struct {
        const char *lines, *error;
    } cases[] = {
        {"0->1 id 2 trigger 1 size 5\n",
         "my.txt:2:1: file: 'my.txt': trigger 1: no line describes it (expected such as 'trigger id 1 oneshot')"},
        {"0->1 trigger 1 size 5\ntrigger id 1 oneshot\n",
         "my.txt:3:1: file: 'my.txt': trigger 1: flows wait for it, and none fires it (expected a flow with "
         "send_done_trigger or recv_done_trigger)"},
        {"0->1 trigger 1 start 4 size 5\n",
         "my.txt:2:1: file: 'my.txt': the flow has a 'start' and a 'trigger' (expected one of them)"},
        {"trigger id 1\n",
         "my.txt:2:1: file: 'my.txt': a trigger without a kind (expected such as 'trigger id 7 oneshot')"},
        {"trigger oneshot\n",
         "my.txt:2:1: file: 'my.txt': a trigger without 'id' (expected such as 'trigger id 7 oneshot')"},
        {"trigger id 0 oneshot\n", "my.txt:2:12: file: 'my.txt': id: '0' (expected a number from 1 to 4294967295)"},
        {"trigger id 1 once\n",
         "my.txt:2:14: file: 'my.txt': 'once' (expected id, oneshot, multishot, barrier or count)"},
        {"trigger id 1 oneshot\ntrigger id 1 multishot\n",
         "my.txt:3:1: file: 'my.txt': trigger 1: is there already, in line 2 (expected another id)"},
        {"trigger id 1 barrier\n",
         "my.txt:2:1: file: 'my.txt': a barrier without 'count' (expected 'barrier count N': how many ends it waits "
         "for)"},
        {"0->1 start 0 size 1 send_done_trigger 1\n0->2 start 0 size 1 send_done_trigger 1\n0->3 trigger 1 size 1\n"
         "trigger id 1 oneshot\n",
         "my.txt:5:1: file: 'my.txt': trigger 1: oneshot, and 2 ends fire it (expected one, or 'multishot', or "
         "'barrier count 2')"},
        {"0->1 start 0 size 1 send_done_trigger 1\n0->3 trigger 1 size 1\ntrigger id 1 barrier count 2\n",
         "my.txt:4:1: file: 'my.txt': trigger 1: a barrier for 2 ends, and 1 fire it (expected 'count 1')"},
        {"0->1 start 0 size 1 send_done_trigger 1\n0->3 trigger 1 size 1\n0->3 trigger 1 size 1\n"
         "trigger id 1 multishot\n",
         "my.txt:5:1: file: 'my.txt': trigger 1: multishot, and 1 ends fire it for 2 flows that wait (expected one "
         "for each)"},
        {"0->1 trigger 1 size 1 send_done_trigger 2\n0->3 trigger 2 size 1 send_done_trigger 1\n"
         "trigger id 1 oneshot\ntrigger id 2 oneshot\n",
         "my.txt:2:1: file: 'my.txt': the flow waits for trigger 1, and what fires that waits for this flow (expected "
         "some flow of the circle to have a 'start')"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "Nodes 8\n%s", cases[i].lines);
        expect_error(FLOWS, text, cases[i].error);
    }
}

/* Two servers of two hosts, each with a switch inside; one switch outside. */
#define SIMAI_HEAD "7 2 2 1 8 H100\n4 5 6\n"
#define SIMAI_OUTSIDE "0 6 400Gbps 0.0005ms 0\n1 6 400Gbps 0.0005ms 0\n2 6 400Gbps 0.0005ms 0\n3 6 400Gbps 0.0005ms 0\n"
#define SIMAI_INSIDE                                                                                                   \
    "0 4 2880Gbps 0.000025ms 0\n1 4 2880Gbps 0.000025ms 0\n2 5 2880Gbps 0.000025ms 0\n5 3 2880Gbps 0.000025ms 0\n"

static void links__of_simai(void **state)
{
    struct scenario s;
    (void)state;
    build_good(&s, LINKS, SIMAI_HEAD SIMAI_OUTSIDE SIMAI_INSIDE);
    assert_int_equal(s.topology.hosts, 4);
    assert_int_equal(s.topology.switches, 1);
    assert_int_equal(s.topology.link_count, 4);
    assert_link(&s, 3, 3, 4, WEIR_PS_PER_US / 2);
    assert_int_equal(s.topology.server.hosts, 2);
    assert_int_equal(s.topology.server.rate_bps, 2880000000000);
    assert_int_equal(s.topology.server.delay_ps, 50 * WEIR_PS_PER_NS);
    scenario_free(&s);
    /* What stands beside the file replaces what it says. */
    build_good(&s,
               REST "topology: {kind: explicit, file: my.txt, server_delay: 1us, server_rate: instant}\n"
                    "traffic: [{kind: long, transport: a}]\n",
               SIMAI_HEAD SIMAI_OUTSIDE SIMAI_INSIDE);
    assert_int_equal(s.topology.server.hosts, 2);
    assert_int_equal(s.topology.server.rate_bps, 0);
    assert_int_equal(s.topology.server.delay_ps, WEIR_PS_PER_US);
    scenario_free(&s);
    /* Without switches inside there are no servers. */
    build_good(&s, LINKS,
               "5 1 0 1 4 A100\n4\n0 4 400Gbps 1us 0\n1 4 400Gbps 1us 0\n2 4 400Gbps 1us 0\n3 4 400Gbps 1us 0\n");
    assert_int_equal(s.topology.server.hosts, 0);
    scenario_free(&s);
    expect_error(LINKS, SIMAI_HEAD SIMAI_OUTSIDE "0 4 2880Gbps 25ns 0\n",
                 "my.txt:7:1: ends after 5 links (expected 8, as the first line says)");
    expect_error(LINKS, SIMAI_HEAD SIMAI_INSIDE SIMAI_OUTSIDE "0 6 400Gbps 0.0005ms 0\n",
                 "my.txt:1:1: node 0, a host, has 2 links to switches outside of its server (expected 1: of a dual-ToR "
                 "network, keep one plane)");
    expect_error(LINKS, SIMAI_HEAD SIMAI_OUTSIDE "0 4 2880Gbps 25ns 0\n1 4 1440Gbps 25ns 0\n",
                 "my.txt:8:1: rate or delay differ from those of line 7 (expected the same for all links within "
                 "servers)");
    expect_error(LINKS, SIMAI_HEAD "4 6 400Gbps 1us 0\n",
                 "my.txt:3:1: links switch 4 within a server to switch 6 (expected a host: 0 to 6, of one server)");
    expect_error(
        LINKS, SIMAI_HEAD SIMAI_OUTSIDE "0 4 2880Gbps 25ns\n1 5 2880Gbps 25ns\n2 5 2880Gbps 25ns\n3 4 2880Gbps 25ns\n",
        "my.txt:1:1: node 1, a host, is linked to other switches within servers than node 0 (expected 2 hosts "
        "that follow each other in each server, as the first line says)");
    expect_error(REST "topology: {kind: single, hosts: 8, server_rate: 1Tbps}\ntraffic: [{kind: long, transport: a}]\n",
                 "", "f:4:49: server_rate: there are no servers (expected 'server' too: how many hosts each has)");
}

static const char htsim_tree[] =
    "Nodes 16\nTiers 3\nPodsize 4\nTier 0\ndownlink_speed_gbps 100\nRadix_Down 2\nRadix_Up "
    "2\nDownlink_Latency_ns 1000\nTier 1\nDownlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up "
    "2\nDownlink_Latency_ns 1000\nSwitch_Latency_ns 400\nTier 2\nDownlink_speed_Gbps "
    "200\nRadix_Down 4\nDownlink_Latency_ns 3000\n";

static void links__of_htsim(void **state)
{
    struct scenario s;
    (void)state;
    build_good(&s, LINKS, htsim_tree);
    assert_int_equal(s.topology.hosts, 16);
    assert_int_equal(s.topology.switches, 8 + 8 + 4);
    assert_int_equal(s.topology.link_count, 3 * 16);
    assert_link(&s, 5, 5, 16 + 2, WEIR_PS_PER_US);
    assert_link(&s, 16 + 2 * 3, 16 + 3, 16 + 8 + 2, WEIR_PS_PER_US + 200 * WEIR_PS_PER_NS); /* half of a switch */
    assert_link(&s, 32 + 2 * 3 + 1, 16 + 8 + 3, 16 + 16 + 3, 3 * WEIR_PS_PER_US + 200 * WEIR_PS_PER_NS);
    assert_int_equal(s.topology.links[47].rate_bps, 200000000000);
    scenario_free(&s);
    build_good(&s, LINKS,
               "Nodes 8\nTiers 2\nPodsize 8\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 4\nRadix_Up 4\n"
               "Downlink_Latency_ns 1000\nTier 1\nDownlink_speed_Gbps 400\nRadix_Down 4\nDownlink_Latency_ns 500\n"
               "Bundle 2\nQueue_Down 10\n");
    assert_int_equal(s.topology.switches, 4);
    assert_int_equal(s.topology.link_count, 8 + 8);
    assert_link(&s, 8, 8, 10, WEIR_PS_PER_US / 2);
    assert_link(&s, 9, 8, 10, WEIR_PS_PER_US / 2); /* in parallel */
    assert_non_null(s.warnings);
    scenario_free(&s);
    expect_error(LINKS, "Nodes 16\nTiers 4\n", "my.txt:2:7: Tiers: '4' (expected a number from 2 to 3)");
    expect_error(LINKS, "Nodes 16\nTiers 2\nTier 0\nRadix 4\n",
                 "my.txt:4:1: 'Radix' (expected Tier, Downlink_speed_Gbps, Radix_Down, Radix_Up, "
                 "Downlink_Latency_ns, Switch_Latency_ns, Oversubscribed, Bundle, Queue_Down or Queue_Up)");
    expect_error(LINKS, "Nodes 16\nTiers 2\n",
                 "my.txt:2:1: tier 0: something is missing (expected Downlink_speed_Gbps, Radix_Down and, "
                 "below the top, Radix_Up)");
    expect_error(LINKS,
                 "Nodes 8\nTiers 2\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 4\nRadix_Up 4\nTier 1\n"
                 "Downlink_speed_Gbps 400\nRadix_Down 3\n",
                 "my.txt:9:1: tier 1: Radix_Down is 3 (expected 2, by the other numbers)");
}

static void flows__mistakes(void **state)
{
    (void)state;
    expect_error(FLOWS, "3\n0 1 3 100 2000 2\n",
                 "my.txt:2:1: file: 'my.txt': 1 flows follow (expected 3, as line 1 says)");
    expect_error(FLOWS, "1\n0 1 3 100 2000\n", "my.txt:2:1: file: 'my.txt': 5 fields (expected 6, as the header has)");
    expect_error(FLOWS, "start,src,dst,size\n5,0,1,9\n",
                 "my.txt:2:1: file: 'my.txt': start: '5' needs a unit (ps, ns, us, ms, s)");
    expect_error(FLOWS, "start_us,src,dst,size\n5,0,8,9\n",
                 "my.txt:2:5: file: 'my.txt': destination: 'h8' is not a host (expected a host h0 to h7)");
    expect_error(FLOWS, "start_us,src,dst,size\n5,1,1,9\n",
                 "my.txt:2:5: file: 'my.txt': destination: 'h1' is the source too (expected another host)");
    expect_error(FLOWS, "start_us,src,size\n5,1,9\n",
                 "my.txt:1:1: file: 'my.txt': the header names no column 'destination' (expected start, source, "
                 "destination, bytes, tag (optional))");
    expect_error(FLOWS, "start_us,src,dst,size\n5,1,2,0\n",
                 "my.txt:2:7: file: 'my.txt': bytes: '0B' is out of range (1B to 9223372036854775806B)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes__forms),
        cmocka_unit_test(sizes__mistakes),
        cmocka_unit_test(links__forms),
        cmocka_unit_test(links__mistakes),
        cmocka_unit_test(flows__any_order_and_units),
        cmocka_unit_test(flows__of_hpcc),
        cmocka_unit_test(flows__of_htsim),
        cmocka_unit_test(triggers__of_htsim),
        cmocka_unit_test(links__of_simai),
        cmocka_unit_test(links__of_htsim),
        cmocka_unit_test(flows__mistakes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
