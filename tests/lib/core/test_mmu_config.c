/*
 * test_mmu_config.c - what cannot be built is refused with its reason; what can be built needs the memory it says.
 */
#define _DEFAULT_SOURCE 1
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/error_line.h"
#include "tests/support/fixture.h"
#include "tests/support/headroom_policy.h"

/* Every mistake, made one at a time to a good config. */
struct mistake {
    void (*make)(struct weir_mmu_config *config);
    const char *message;
};

#define MISTAKE(name, code)                                                                                            \
    static void name(struct weir_mmu_config *c)                                                                        \
    {                                                                                                                  \
        code;                                                                                                          \
    }

static weir_bps slow_rates[2] = {10000000000, 999999};
static const struct weir_policy *const no_policy = NULL;
static const struct weir_uplink bad_uplinks[] = {{1, 2, 3, 0, 0, 0}, {-1, 2, 3, 0, 0, 0}};

static size_t endless(const struct weir_geometry *geometry)
{
    (void)geometry;
    return SIZE_MAX;
}

static size_t negative(const struct weir_geometry *geometry)
{
    return (size_t)(-(int64_t)geometry->ports);
}

static const struct weir_policy *of_size(size_t (*size)(const struct weir_geometry *geometry), const char *name)
{
    static struct weir_policy policy;
    policy = *weir_policy_find(name);
    policy.state_size = size;
    return &policy;
}

MISTAKE(no_ports, c->ports = 0)
MISTAKE(many_ports, c->ports = 65536)
MISTAKE(many_inputs, c->inputs = 65536)
MISTAKE(no_classes, c->classes = 0)
MISTAKE(many_classes, c->classes = 33)
MISTAKE(no_cell, c->cell_bytes = 0)
MISTAKE(large_cell, c->cell_bytes = 65537)
MISTAKE(no_buffer, c->buffer_cells = 0)
MISTAKE(large_buffer, c->buffer_cells = (weir_cells)INT32_MAX + 1)
MISTAKE(no_descriptors, c->packets_max = 0)
MISTAKE(many_descriptors, c->packets_max = UINT32_MAX)
MISTAKE(no_evictions, c->evictions_max = 0)
MISTAKE(many_evictions, c->evictions_max = 4097)
MISTAKE(negative_headroom, c->headroom_cells = -1)
MISTAKE(large_headroom, c->headroom_cells = 1001)
MISTAKE(negative_private, c->private_cells[1] = -1)
MISTAKE(large_private, c->private_cells[1] = 1001)
MISTAKE(negative_ingress_private, c->ingress_private_cells[0] = -1)
MISTAKE(large_ingress_private, c->ingress_private_cells[0] = 1001)
MISTAKE(privates_and_headroom, (c->private_cells[0] = 300, c->headroom_cells = 401))
MISTAKE(slow_port, c->rates_bps = slow_rates)
MISTAKE(fast_port, c->rate_bps = WEIR_RATE_BPS_MAX + 1)
MISTAKE(slow_input, c->input_rates_bps = slow_rates)
MISTAKE(slow_memory, c->memory_bps = 999999)
MISTAKE(no_memory_cell, c->memory_cell_bytes = 0)
MISTAKE(large_memory_cell, c->memory_cell_bytes = (1u << 20) + 1)
MISTAKE(deep_bucket, c->memory_depth_cells = (1u << 20) / 200 + 1)
MISTAKE(odd_scheduler, c->scheduler.kind = (enum weir_scheduler_kind)99)
MISTAKE(small_quantum, c->scheduler.quantum_bytes = 63)
MISTAKE(odd_marking, c->marking[1].kind = (enum weir_marking_kind)7)
MISTAKE(negative_marking, c->marking[1].low_cells = -1)
MISTAKE(negative_high_marking, c->marking[1].high_cells = -1)
MISTAKE(upside_down_marking, c->marking[1] = ((struct weir_marking){WEIR_MARK_RED, 5, 4, 0}))
MISTAKE(negative_chance, c->marking[0].high_chance = -1)
MISTAKE(large_chance, c->marking[0].high_chance = WEIR_Q16_ONE + 1)
MISTAKE(without_policy, c->egress = no_policy)
MISTAKE(ingress_as_egress, c->egress = &headroom_policy)
MISTAKE(egress_as_ingress, c->ingress = weir_policy_find("dt"))
MISTAKE(lossless_alone, c->lossless_mask = 1)
MISTAKE(lossless_beyond, (c->lossless_mask = 4, c->ingress = &headroom_policy))
MISTAKE(no_packets, (c->uplink.mtu_bytes = 0, c->ingress = &headroom_policy))
MISTAKE(long_uplink, (c->uplink.delay_ps = WEIR_PS_PER_S + 1, c->ingress = &headroom_policy))
MISTAKE(least_packets, (c->uplink.least_bytes = 1501, c->ingress = &headroom_policy))
MISTAKE(negative_uplink, (c->uplinks = bad_uplinks, c->ingress = &headroom_policy))
MISTAKE(without_oracle, c->egress = weir_policy_find("credence"))
MISTAKE(endless_state, c->egress = of_size(endless, "dt"))
MISTAKE(negative_state, c->egress = of_size(negative, "dt"))
MISTAKE(endless_scheme, c->ingress = of_size(endless, "sih"))

static const struct mistake mistakes[] = {
    {no_ports, "ports: 1 to 65535 are possible"},
    {many_ports, "ports: 1 to 65535 are possible"},
    {many_inputs, "input ports: 65535 at most"},
    {no_classes, "classes: 1 to 32 are possible"},
    {many_classes, "classes: 1 to 32 are possible"},
    {no_cell, "cell size: 1 to 65536 bytes are possible"},
    {large_cell, "cell size: 1 to 65536 bytes are possible"},
    {no_buffer, "buffer: 1 to 2147483647 cells are possible"},
    {large_buffer, "buffer: 1 to 2147483647 cells are possible"},
    {no_descriptors, "descriptors: at least one packet must fit"},
    {many_descriptors, "descriptors: at least one packet must fit"},
    {no_evictions, "evictions per call: 1 to 4096 are possible"},
    {many_evictions, "evictions per call: 1 to 4096 are possible"},
    {negative_headroom, "headroom: does not fit the buffer"},
    {large_headroom, "headroom: does not fit the buffer"},
    {negative_private, "private minimum: does not fit the buffer"},
    {large_private, "private minimum: does not fit the buffer"},
    {negative_ingress_private, "private minimum: does not fit the buffer"},
    {large_ingress_private, "private minimum: does not fit the buffer"},
    {privates_and_headroom, "private minimums and headroom together do not fit the buffer"},
    {slow_port, "port rate: 1 Mb/s to 100 Tb/s are possible"},
    {fast_port, "port rate: 1 Mb/s to 100 Tb/s are possible"},
    {slow_input, "input port rate: 1 Mb/s to 100 Tb/s are possible"},
    {slow_memory, "memory bandwidth: 0 (the sum of the ports) or at least 1 Mb/s"},
    {no_memory_cell, "memory cell: 1 byte to 1 MiB are possible"},
    {large_memory_cell, "memory cell: 1 byte to 1 MiB are possible"},
    {deep_bucket, "memory bucket: at most 1 MiB deep"},
    {odd_scheduler, "scheduler: unknown kind"},
    {small_quantum, "scheduler: the quantum must be at least 64 bytes"},
    {odd_marking, "marking: unknown kind"},
    {negative_marking, "marking: thresholds must be at least 0, the high one not below the low one"},
    {negative_high_marking, "marking: thresholds must be at least 0, the high one not below the low one"},
    {upside_down_marking, "marking: thresholds must be at least 0, the high one not below the low one"},
    {negative_chance, "marking: the probability must be 0 to 1"},
    {large_chance, "marking: the probability must be 0 to 1"},
    {without_policy, "policy: an egress policy is needed"},
    {ingress_as_egress, "policy: an egress policy is needed"},
    {egress_as_ingress, "ingress policy: this one belongs on the egress side"},
    {lossless_alone, "lossless classes need an ingress policy"},
    {lossless_beyond, "lossless classes: the mask names more classes than there are"},
    {no_packets, "uplink: headroom at least 0, delay 0 to 1 s, packets of 1 byte to 1 MiB, the smallest not "
                 "above the largest"},
    {long_uplink, "uplink: headroom at least 0, delay 0 to 1 s, packets of 1 byte to 1 MiB, the smallest not "
                  "above the largest"},
    {least_packets, "uplink: headroom at least 0, delay 0 to 1 s, packets of 1 byte to 1 MiB, the smallest not "
                    "above the largest"},
    {negative_uplink, "uplink: headroom at least 0, delay 0 to 1 s, packets of 1 byte to 1 MiB, the smallest not "
                      "above the largest"},
    {without_oracle, "policy: needs an oracle"},
    {endless_state, "policy dt: state_size asks for 18446744073709551615 bytes (expected at most 1073741824)"},
    {negative_state, "policy dt: state_size asks for 18446744073709551614 bytes (expected at most 1073741824)"},
    {endless_scheme, "policy sih: state_size asks for 18446744073709551615 bytes (expected at most 1073741824)"},
};

static void config_check__names_each_mistake(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct weir_mmu_config config;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        weir_mmu_config_init(&config, 2, 2, 1000);
        config.egress = weir_policy_find("dt");
        assert_true(weir_mmu_config_check(&config, &error));
        mistakes[i].make(&config);
        assert_false(weir_mmu_config_check(&config, &error));
        assert_string_equal(ERROR_LINE(&error), mistakes[i].message);
    }
}

static void size__is_all_that_init_touches(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < weir_policy_count; p++) {
        struct fixture f;
        if (weir_policies[p]->needs & (WEIR_NEED_ORACLE | WEIR_NEED_INGRESS))
            continue;
        fixture_config(&f, 5, 3, 500);
        f.config.gives = WEIR_GIVES_FLOWS;
        f.config.packets_max = 7;
        fixture_build(&f, weir_policies[p]->name, NULL);
        size_t size = weir_mmu_size(&f.config), page = (size_t)sysconf(_SC_PAGESIZE);
        size_t pages = (size + page - 1) / page * page;
        uint8_t *memory = mmap(NULL, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(memory != MAP_FAILED && size % 64 == 0);
        assert_int_equal(mprotect(memory + pages, page, PROT_NONE), 0); /* whoever takes a byte too many crashes */
        f.mmu = weir_mmu_init(memory + pages - size, &f.config);
        for (uint32_t port = 0; port < 5; port++)
            fixture_fill(&f, port, 2, 10, 0);
        fixture_drain(&f, 4, 1, 1);
        assert_null(weir_mmu_check(f.mmu));
        munmap(memory, pages + page);
        fixture_free(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(config_check__names_each_mistake),
        cmocka_unit_test(size__is_all_that_init_touches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
