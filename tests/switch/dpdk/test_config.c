/* test_config.c - the configuration of the software switch: what can be built, and what the messages say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "switch/dpdk/config.h"
#include "tests/support/error_line.h"
#include "weir/policy.h"

#define PORTS 4u

/* A config with its parts, to be spoiled. */
struct sample {
    struct dataplane_config config;
    struct weir_mmu_config mmu;
    const char *devices[DATAPLANE_PORTS_MAX + 1];
    struct dataplane_address addresses[3];
    weir_ps delays_ps[PORTS];
};

static void sample_init(struct sample *s)
{
    static const char *const names[PORTS] = {"net_null0", "net_null1", "net_null2", "net_null3"};
    memset(s, 0, sizeof *s);
    memcpy(s->devices, names, sizeof names);
    for (uint32_t i = 0; i < 3; i++)
        s->addresses[i] = (struct dataplane_address){.mac = {2, 0, 0, 0, 0, (uint8_t)i}, .port = i};
    weir_mmu_config_init(&s->mmu, PORTS, 8, 100000);
    s->mmu.egress = weir_policy_find("dt");
    dataplane_config_init(&s->config);
    s->config.devices = s->devices;
    s->config.ports = PORTS;
    s->config.sw = (struct weir_switch_config){.ports = PORTS, .ports_per_mmu = PORTS, .mmu = &s->mmu};
    s->config.addresses = s->addresses;
    s->config.address_count = 3;
    s->config.delays_ps = s->delays_ps;
}

static void init__maps_eight_classes(void **state)
{
    (void)state;
    struct dataplane_config config;
    memset(&config, 0xaa, sizeof config);
    dataplane_config_init(&config);
    assert_int_equal(config.class_of_dscp[0], 0);
    assert_int_equal(config.class_of_dscp[7], 0);
    assert_int_equal(config.class_of_dscp[8], 1);
    assert_int_equal(config.class_of_dscp[63], 7);
    assert_int_equal(config.class_of_pcp[5], 5);
    assert_int_equal(config.mtu_bytes, 1500);
    assert_int_equal(config.time_scale, 1);
    assert_true(config.learning && config.flooding);
    assert_null(config.delays_ps);
    assert_int_equal(config.cpus[DATAPLANE_RX].count, 0);
}

static void one_class(struct sample *s)
{
    s->mmu.classes = 1; /* the default map goes to 7: the highest class takes what would be above it */
}

static void one_processor_for_all(struct sample *s)
{
    for (uint32_t m = 0; m < DATAPLANE_MODULES; m++)
        s->config.cpus[m] = (struct dataplane_cpus){.cpu = {1}, .count = 1};
}

static void pipeline(struct sample *s)
{
    one_processor_for_all(s);
    s->config.cpus[DATAPLANE_RX] = (struct dataplane_cpus){.cpu = {2, 3, 4, 5}, .count = 4};
    s->config.cpus[DATAPLANE_TX] = (struct dataplane_cpus){.cpu = {6, 7}, .count = 2};
}

static void lossless(struct sample *s)
{
    s->mmu.lossless_mask = 0x88;
    s->mmu.ingress = weir_policy_find("sih");
}

static void bounds(struct sample *s)
{
    s->config.mtu_bytes = 16000;
    s->config.burst = DATAPLANE_BURST_MAX;
    s->config.time_scale = 1000000;
    s->config.mbufs = PORTS * (s->config.device_rx_frames + s->config.burst) + 1;
    s->delays_ps[PORTS - 1] = WEIR_PS_PER_S;
    s->config.learning = s->config.flooding = false;
    s->config.aging_ps = 0;
}

static void nothing(struct sample *s)
{
    (void)s;
}

static void check__accepts(void **state)
{
    (void)state;
    static void (*const changes[])(struct sample *) = {nothing,  one_class, one_processor_for_all,
                                                       pipeline, lossless,  bounds};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct sample s;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        sample_init(&s);
        changes[i](&s);
        if (!dataplane_config_check(&s.config, &error))
            fail_msg("change %zu: %s", i, ERROR_LINE(&error));
    }
}

/* Each spoils one thing. */
#define SPOIL(name, statement)                                                                                         \
    static void name(struct sample *s)                                                                                 \
    {                                                                                                                  \
        struct dataplane_config *config = &s->config;                                                                  \
        (void)config;                                                                                                  \
        statement;                                                                                                     \
    }
SPOIL(no_ports, config->ports = 0)
SPOIL(many_ports, config->ports = 65)
SPOIL(no_devices, config->devices = NULL)
SPOIL(missing_device, s->devices[2] = NULL)
SPOIL(empty_device, s->devices[3] = "")
SPOIL(same_device, s->devices[3] = s->devices[1])
SPOIL(small_mtu, config->mtu_bytes = 63)
SPOIL(large_mtu, config->mtu_bytes = 16001)
SPOIL(few_rx, config->device_rx_frames = 31)
SPOIL(many_tx, config->device_tx_frames = 32769)
SPOIL(no_burst, config->burst = 0)
SPOIL(large_burst, config->burst = 257)
SPOIL(few_mbufs, config->mbufs = PORTS * (config->device_rx_frames + config->burst))
SPOIL(two_forward, pipeline(s); config->cpus[DATAPLANE_FORWARD].count = 2)
SPOIL(two_expel, pipeline(s); config->cpus[DATAPLANE_EXPEL].count = 2)
SPOIL(five_rx, pipeline(s); config->cpus[DATAPLANE_RX].count = 5)
SPOIL(absurd_count, pipeline(s); config->cpus[DATAPLANE_TX].count = UINT32_MAX)
SPOIL(same_cpu, pipeline(s); config->cpus[DATAPLANE_TX].cpu[1] = 6)
SPOIL(far_cpu, pipeline(s); config->cpus[DATAPLANE_RX].cpu[0] = 1024)
SPOIL(no_expel, pipeline(s); config->cpus[DATAPLANE_EXPEL].count = 0)
SPOIL(no_memory, config->sw.mmu = NULL)
SPOIL(other_ports, config->sw.ports = 3)
SPOIL(bad_switch, config->sw.ports_per_mmu = 0)
SPOIL(no_policy, s->mmu.egress = NULL)
SPOIL(high_lossless, s->mmu.classes = 16; lossless(s); s->mmu.lossless_mask = 0x180)
SPOIL(no_quanta, config->pfc_quanta = 0)
SPOIL(many_quanta, lossless(s); config->pfc_quanta = 65536)
SPOIL(unknown_classify, config->classify = (enum dataplane_classify)3)
SPOIL(dscp_class, s->mmu.classes = 2; config->class_of_dscp[10] = 2)
SPOIL(pcp_class, config->class_of_pcp[3] = 8)
SPOIL(no_aging, config->aging_ps = 0)
SPOIL(no_learned, config->addresses_max = 0)
SPOIL(many_addresses, config->address_count = 4097)
SPOIL(no_way, config->learning = config->flooding = false; config->address_count = 0)
SPOIL(address_port, s->addresses[1].port = 4)
SPOIL(group_address, s->addresses[2].mac[0] = 3)
SPOIL(zero_address, memset(s->addresses[0].mac, 0, 6))
SPOIL(same_address, s->addresses[2].mac[5] = 1)
SPOIL(large_gap, config->gap_bytes = 1025)
SPOIL(negative_delay, s->delays_ps[3] = -1)
SPOIL(long_delay, s->delays_ps[0] = WEIR_PS_PER_S + 1)
SPOIL(no_scale, config->time_scale = 0)
SPOIL(large_scale, config->time_scale = 1000001)

SPOIL(small_trim, s->mmu.trim[0] = ((struct weir_trim){.bytes = 63, .to = {1}, .causes = 1}))
SPOIL(large_trim, s->mmu.trim[0] = ((struct weir_trim){.bytes = 1514, .to = {1}, .causes = 1}))
SPOIL(trim_of_nothing, config->trim_dscp[3] = 10)

static void check__says_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        void (*spoil)(struct sample *s);
        const char *message;
    } cases[] = {
        {no_ports, "ports: 0 are given, 1 to 64 are possible"},
        {many_ports, "ports: 65 are given, 1 to 64 are possible"},
        {no_devices, "devices: port 0 has none; every port needs one"},
        {missing_device, "devices: port 2 has none; every port needs one"},
        {empty_device, "devices: port 3 has none; every port needs one"},
        {same_device, "devices: ports 1 and 3 have the same, `net_null1`"},
        {small_trim, "trim: a size of 63 B does not hold the headers of a frame (expected at least 64 B)"},
        {large_trim, "trim: a size of 1514 B cuts nothing off a full frame of 1514 B (expected less, or a larger mtu)"},
        {trim_of_nothing, "trim_dscp: no class of the switch is trimmed (expected a section switch.trim)"},
        {small_mtu, "mtu: 63 bytes are given, 64 to 16000 are possible"},
        {large_mtu, "mtu: 16001 bytes are given, 64 to 16000 are possible"},
        {few_rx, "rx_frames: 31 are given, 32 to 32768 are possible"},
        {many_tx, "tx_frames: 32769 are given, 32 to 32768 are possible"},
        {no_burst, "burst: 0 frames are given, 1 to 256 are possible"},
        {large_burst, "burst: 257 frames are given, 1 to 256 are possible"},
        {few_mbufs,
         "mbufs: 4224 are too few, since the devices alone hold up to 4224; give more, or auto for as many as "
         "are needed"},
        {two_forward, "cpus: forwarding has 2, at most 1 can have work (it runs on one)"},
        {two_expel, "cpus: expulsion has 2, at most 1 can have work (it runs on one)"},
        {five_rx, "cpus: rx has 5, at most 4 can have work (one per port)"},
        {absurd_count, "cpus: tx has 4294967295, at most 4 can have work (one per port)"},
        {same_cpu, "cpus: tx has number 6 twice"},
        {far_cpu, "cpus: rx has number 1024, 0 to 1023 are possible"},
        {no_expel, "cpus: expulsion has none; give them to every module, or to none of them"},
        {no_memory, "switch: has no buffer"},
        {other_ports, "ports: the switch has 3, but there are 4 devices"},
        {bad_switch, "switch: 1 to 65535 ports, one to all of them per memory"},
        {no_policy, "policy: an egress policy is needed"},
        {high_lossless, "lossless classes: class 8 is one, but PFC knows classes 0 to 7 only"},
        {no_quanta, "pfc: a pause of 0 quanta is given, 1 to 65535 are possible"},
        {many_quanta, "pfc: a pause of 65536 quanta is given, 1 to 65535 are possible"},
        {unknown_classify, "classify: unknown kind; dscp, pcp and none are possible"},
        {dscp_class, "dscp: 10 is of class 2, but the last one is 1"},
        {pcp_class, "pcp: 3 is of class 8, but the last one is 7"},
        {no_aging, "aging: must be more than 0"},
        {no_learned, "learned addresses: 0 are given, 1 to 1048576 are possible"},
        {many_addresses, "addresses: 4097 are given, at most 4096 are possible"},
        {no_way, "addresses: without learning and flooding, some must be given, or no frame could ever be forwarded"},
        {address_port, "addresses: 02:00:00:00:00:01 is at port 4, but the last one is 3"},
        {group_address, "addresses: 03:00:00:00:00:02 is not a unicast address"},
        {zero_address, "addresses: 00:00:00:00:00:00 is not a unicast address"},
        {same_address, "addresses: 02:00:00:00:00:01 is given twice"},
        {large_gap, "gap: 1025 bytes are given, 0 to 1024 are possible"},
        {negative_delay, "delay: -1 ps at port 3, 0 to 1 s are possible"},
        {long_delay, "delay: 1000000000001 ps at port 0, 0 to 1 s are possible"},
        {no_scale, "scale: 0 is given, 1 to 1000000 are possible"},
        {large_scale, "scale: 1000001 is given, 1 to 1000000 are possible"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sample s;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        sample_init(&s);
        cases[i].spoil(&s);
        if (dataplane_config_check(&s.config, &error))
            fail_msg("accepted, instead of: %s", cases[i].message);
        assert_string_equal(ERROR_LINE(&error), cases[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init__maps_eight_classes),
        cmocka_unit_test(check__accepts),
        cmocka_unit_test(check__says_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
