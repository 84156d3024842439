/* test_mac_table.c - the table of addresses by itself, and against a list that is searched from end to end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "switch/dpdk/mac_table.h"
#include "weir/random.h"

#define AGING_PS (300 * WEIR_PS_PER_S)
#define STATION UINT64_C(0x020000000000)

static struct mac_table *table_new(uint32_t addresses_max, weir_ps aging_ps)
{
    void *memory = aligned_alloc(64, mac_table_size(addresses_max));
    assert_non_null(memory);
    memset(memory, 0xa5, mac_table_size(addresses_max));
    return mac_table_init(memory, addresses_max, aging_ps);
}

static void of_bytes__puts_the_first_byte_highest(void **state)
{
    (void)state;
    const uint8_t bytes[6] = {0x02, 0x11, 0x22, 0x33, 0x44, 0xf5};
    assert_true(mac_of_bytes(bytes) == UINT64_C(0x0211223344f5));
}

static void find__knows_what_was_learned(void **state)
{
    (void)state;
    struct mac_table *table = table_new(16, AGING_PS);
    assert_int_equal(mac_table_find(table, STATION, 0), MAC_NO_PORT);
    mac_table_learn(table, STATION, 0, 5);
    mac_table_learn(table, STATION + 1, 63, 5);
    assert_int_equal(mac_table_find(table, STATION, 6), 0);
    assert_int_equal(mac_table_find(table, STATION + 1, 6), 63);
    assert_int_equal(mac_table_find(table, STATION + 2, 6), MAC_NO_PORT);
    assert_int_equal(mac_table_count(table, 6), 2);
    free(table);
}

/* An empty place must not be taken for address zero at port zero. */
static void find__does_not_know_address_zero(void **state)
{
    (void)state;
    struct mac_table *table = table_new(4, AGING_PS);
    assert_int_equal(mac_table_find(table, 0, 0), MAC_NO_PORT);
    mac_table_learn(table, STATION, 0, 0);
    assert_int_equal(mac_table_find(table, 0, 1), MAC_NO_PORT);
    free(table);
}

static void learn__moves_an_address(void **state)
{
    (void)state;
    struct mac_table *table = table_new(16, AGING_PS);
    mac_table_learn(table, STATION, 3, 0);
    mac_table_learn(table, STATION, 4, 1);
    assert_int_equal(mac_table_find(table, STATION, 1), 4);
    mac_table_learn(table, STATION, 3, 1);
    assert_int_equal(mac_table_find(table, STATION, 1), 3);
    assert_int_equal(mac_table_count(table, 1), 1);
    free(table);
}

static void learn__forgets_with_age(void **state)
{
    (void)state;
    struct mac_table *table = table_new(16, AGING_PS);
    mac_table_learn(table, STATION, 3, 0);
    assert_int_equal(mac_table_find(table, STATION, AGING_PS), 3);
    assert_int_equal(mac_table_find(table, STATION, AGING_PS * 9 / 8), MAC_NO_PORT);
    assert_int_equal(mac_table_count(table, AGING_PS * 9 / 8), 0);
    for (weir_ps now = 0; now <= 20 * AGING_PS; now += AGING_PS / 16) /* it speaks often enough */
        mac_table_learn(table, STATION, 3, now);
    assert_int_equal(mac_table_find(table, STATION, 21 * AGING_PS), 3);
    assert_int_equal(mac_table_find(table, STATION, 22 * AGING_PS), MAC_NO_PORT);
    mac_table_learn(table, STATION, 5, 23 * AGING_PS);
    assert_int_equal(mac_table_find(table, STATION, 23 * AGING_PS), 5);
    assert_int_equal(mac_table_count(table, 23 * AGING_PS), 1);
    free(table);
}

static void learn__writes_only_when_something_changed(void **state)
{
    (void)state;
    struct mac_table *table = table_new(16, AGING_PS);
    size_t size = mac_table_size(16);
    uint8_t *before = malloc(size);
    assert_non_null(before);
    mac_table_learn(table, STATION, 3, 0);
    memcpy(before, table, size);
    mac_table_learn(table, STATION, 3, AGING_PS / 8 - 1);
    assert_memory_equal(before, table, size);
    mac_table_learn(table, STATION, 3, AGING_PS / 8);
    assert_memory_not_equal(before, table, size);
    free(before);
    free(table);
}

static void add__is_never_moved_nor_forgotten(void **state)
{
    (void)state;
    struct mac_table *table = table_new(16, AGING_PS);
    mac_table_learn(table, STATION, 1, 0);
    assert_true(mac_table_add(table, STATION, 7));
    mac_table_learn(table, STATION, 2, 1);
    assert_int_equal(mac_table_find(table, STATION, 1), 7);
    assert_int_equal(mac_table_find(table, STATION, WEIR_TIME_MAX), 7);
    mac_table_forget_port(table, 7);
    assert_int_equal(mac_table_find(table, STATION, 1), 7);
    assert_int_equal(mac_table_count(table, WEIR_TIME_MAX), 1);
    free(table);
}

static void forget_port__forgets_what_was_learned_there(void **state)
{
    (void)state;
    struct mac_table *table = table_new(64, AGING_PS);
    for (uint32_t i = 0; i < 64; i++)
        mac_table_learn(table, STATION + i, i % 4, 0);
    assert_true(mac_table_add(table, STATION + 100, 2));
    mac_table_forget_port(table, 2);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(mac_table_find(table, STATION + i, 1), i % 4 == 2 ? MAC_NO_PORT : i % 4);
    assert_int_equal(mac_table_count(table, 1), 49);
    free(table);
}

/* The smallest table has two buckets of eight places: whichever sixteen addresses come, all find one. */
static void learn__uses_both_buckets_of_an_address(void **state)
{
    (void)state;
    for (uint32_t trial = 0; trial < 50; trial++) {
        struct mac_table *table = table_new(4, AGING_PS);
        for (uint32_t i = 0; i < 16; i++)
            mac_table_learn(table, STATION + 16 * trial + i, 1, 0);
        assert_int_equal(mac_table_count(table, 0), 16);
        free(table);
    }
}

/* What does not fit is not learned; nobody loses a place for it, and an address that was given gets one. */
static void learn__keeps_what_it_has_when_full(void **state)
{
    (void)state;
    struct mac_table *table = table_new(4, AGING_PS);
    uint32_t known = 0, given = 0;
    for (uint32_t i = 0; i < 16; i++)
        mac_table_learn(table, STATION + i, 1, 0);
    known = mac_table_count(table, 0);
    assert_int_equal(known, 16);
    for (uint32_t i = 0; i < 1000; i++)
        mac_table_learn(table, STATION + 1000 + i, 2, 1);
    assert_int_equal(mac_table_count(table, 1), known);
    for (uint32_t i = 0; i < 100; i++)
        given += mac_table_add(table, STATION + 5000 + i, 3);
    assert_int_equal(given, 16);
    assert_int_equal(mac_table_count(table, WEIR_TIME_MAX), given);
    mac_table_learn(table, STATION, 1, AGING_PS);
    assert_int_equal(mac_table_count(table, AGING_PS * 9 / 8), given);
    free(table);
}

/* Addresses as they are in networks: in sequence, of one maker, differing in one byte. None may crowd together so much
 * that an address finds no place. */
static void learn__has_room_for_addresses_of_any_pattern(void **state)
{
    (void)state;
    static const uint64_t steps[] = {1, 2, 0x100, 0x1000, 0x10000, 0x1000000, UINT64_C(0x100000000), 0x10001, 0x7f01};
    static const uint32_t counts[] = {1, 16, 256, 1000, 8192};
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            struct mac_table *table = table_new(counts[c], AGING_PS);
            for (uint32_t i = 0; i < counts[c]; i++)
                mac_table_learn(table, (STATION + i * steps[s]) % (UINT64_C(1) << 48) | UINT64_C(0x020000000000),
                                i % 60, 0);
            uint32_t missing = 0;
            for (uint32_t i = 0; i < counts[c]; i++)
                missing +=
                    mac_table_find(table, (STATION + i * steps[s]) % (UINT64_C(1) << 48) | STATION, 1) == MAC_NO_PORT;
            if (missing > 0)
                fail_msg("step %llx: %u of %u have no place", (unsigned long long)steps[s], missing, counts[c]);
            free(table);
        }
}

#define NAIVE_ADDRESSES 24u
#define NAIVE_AGING_PS 800

struct naive_entry {
    bool known, given;
    uint32_t port;
    weir_ps seen_ps; /* the last time */
};

/* Whether the table's answer is one that the list allows: between the aging time and an eighth more, both are. */
static bool naive_allows(const struct naive_entry *entry, uint32_t found, weir_ps now)
{
    if (!entry->known)
        return found == MAC_NO_PORT;
    weir_ps age = now - entry->seen_ps;
    if (entry->given || age < NAIVE_AGING_PS)
        return found == entry->port;
    return found == MAC_NO_PORT || (age < NAIVE_AGING_PS * 9 / 8 && found == entry->port);
}

static void naive_step(struct mac_table *table, struct naive_entry *list, struct weir_random *r, weir_ps now)
{
    uint32_t which = weir_random_below(r, NAIVE_ADDRESSES), port = weir_random_below(r, 3);
    struct naive_entry *entry = &list[which];
    uint64_t address = STATION + (uint64_t)which * which * 977;
    uint32_t draw = weir_random_below(r, 100);
    if (draw < 70) {
        mac_table_learn(table, address, port, now);
        if (!entry->given)
            *entry = (struct naive_entry){.known = true, .port = port, .seen_ps = now};
    } else if (draw < 71) {
        assert_true(mac_table_add(table, address, port));
        *entry = (struct naive_entry){.known = true, .given = true, .port = port};
    } else if (draw < 73) {
        mac_table_forget_port(table, port);
        for (uint32_t i = 0; i < NAIVE_ADDRESSES; i++)
            list[i].known &= list[i].given || list[i].port != port;
    }
}

/* Few addresses in a table that has room for all of them, and time that now and then leaps. */
static void table__agrees_with_a_list(void **state)
{
    (void)state;
    const char *more = getenv("WEIR_TEST_ROUNDS");
    uint32_t rounds = 300 * (more ? (uint32_t)strtoul(more, NULL, 10) : 1);
    for (uint32_t seed = 0; seed < rounds; seed++) {
        struct weir_random r = {.key = weir_hash(UINT64_C(0x3ac), seed)};
        struct mac_table *table = table_new(NAIVE_ADDRESSES, NAIVE_AGING_PS);
        struct naive_entry list[NAIVE_ADDRESSES] = {0};
        weir_ps now = 0;
        for (uint32_t step = 0; step < 400; step++) {
            uint32_t least = 0, most = 0;
            now += weir_random_below(&r, 100) ? weir_random_below(&r, 40) : 2 * NAIVE_AGING_PS;
            naive_step(table, list, &r, now);
            for (uint32_t i = 0; i < NAIVE_ADDRESSES; i++) {
                uint32_t found = mac_table_find(table, STATION + (uint64_t)i * i * 977, now);
                if (!naive_allows(&list[i], found, now))
                    fail_msg("seed %u step %u: address %u is found at port %u", seed, step, i, found);
                most += list[i].known && (list[i].given || now - list[i].seen_ps < NAIVE_AGING_PS * 9 / 8);
                least += list[i].known && (list[i].given || now - list[i].seen_ps < NAIVE_AGING_PS);
            }
            uint32_t count = mac_table_count(table, now);
            if (count < least || count > most)
                fail_msg("seed %u step %u: %u are counted, %u to %u are known", seed, step, count, least, most);
        }
        free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_bytes__puts_the_first_byte_highest),
        cmocka_unit_test(find__knows_what_was_learned),
        cmocka_unit_test(find__does_not_know_address_zero),
        cmocka_unit_test(learn__moves_an_address),
        cmocka_unit_test(learn__forgets_with_age),
        cmocka_unit_test(learn__writes_only_when_something_changed),
        cmocka_unit_test(add__is_never_moved_nor_forgotten),
        cmocka_unit_test(forget_port__forgets_what_was_learned_there),
        cmocka_unit_test(learn__uses_both_buckets_of_an_address),
        cmocka_unit_test(learn__keeps_what_it_has_when_full),
        cmocka_unit_test(learn__has_room_for_addresses_of_any_pattern),
        cmocka_unit_test(table__agrees_with_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
