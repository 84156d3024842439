/*
 * test_counters.c - every form in which a switch shows what it counted, and what is said of it beside the sane switch.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "operate/counters/counters.h"
#include "tests/support/sonic_text.h"

static void add(struct counters *counters, const char *text)
{
    struct weir_error error;
    if (!counters_add(counters, "dump", text, strlen(text), &error))
        fail_msg("%s", error.text);
}

static int64_t most(const struct counters *counters, enum counters_kind kind, const char *object, uint32_t index)
{
    const struct counters_series *series = counters_find(counters, kind, object, index);
    return series != NULL ? series->most : -1;
}

static void tables__are_read(void **state)
{
    (void)state;
    struct counters counters;
    counters_init(&counters);
    add(&counters, "Ingress shared pool occupancy per PG:\n"
                   "       Port    PG0    PG3    PG4\n-----------  -----  -----  -----\n"
                   "  Ethernet0      0   1024    N/A\n  Ethernet4      5      6      7\n");
    add(&counters, "Ingress headroom per PG:\n Port PG0 PG3\n ---- --- ---\n Ethernet0 0 99\n");
    add(&counters, "Egress shared pool occupancy per unicast queue:\n Port UC0 UC1\n ---- --- ---\n Ethernet0 3 4\n");
    add(&counters, "  Port Rx    PFC0    PFC3\n-------  ------  ------\nEthernet0  0  1,234\n\n"
                   "  Port Tx    PFC0    PFC3\n-------  ------  ------\nEthernet0  0  12,345,678\n");
    add(&counters, "Shared pool maximum occupancy:\n Pool Bytes\n ---- -----\n ingress_lossless_pool 4242\n");
    add(&counters, "Headroom pool maximum occupancy:\n Pool Bytes\n ---- -----\n ingress_lossless_pool 42\n");
    add(&counters, "     Port    TxQ    Counter/pkts    Counter/bytes    Drop/pkts    Drop/bytes\n"
                   "Ethernet0    UC3             100           100000           17          1700\n");
    add(&counters, "Port  TxQ  WredDrp/pkts  WredDrp/bytes  EcnMarked/pkts  EcnMarked/bytes\nEthernet0 UC3 1 2 33 4\n");
    add(&counters, "QUEUE STATUS STORM DETECTED/RESTORED TX OK/DROP\n----- ---\nEthernet4:4 operational 2/1 0/100\n");
    assert_int_equal(most(&counters, COUNTERS_SHARED, "Ethernet0", 3), 1024);
    assert_int_equal(most(&counters, COUNTERS_SHARED, "Ethernet0", 4), -1);
    assert_int_equal(most(&counters, COUNTERS_SHARED, "Ethernet4", 4), 7);
    assert_int_equal(most(&counters, COUNTERS_HEADROOM, "Ethernet0", 3), 99);
    assert_int_equal(most(&counters, COUNTERS_QUEUE, "Ethernet0", 1), 4);
    assert_int_equal(most(&counters, COUNTERS_PFC_HEARD, "Ethernet0", 3), 1234);
    assert_int_equal(most(&counters, COUNTERS_PFC_SENT, "Ethernet0", 3), 12345678);
    assert_int_equal(most(&counters, COUNTERS_POOL, "ingress_lossless_pool", 0), 4242);
    assert_int_equal(most(&counters, COUNTERS_POOL_HEADROOM, "ingress_lossless_pool", 0), 42);
    assert_int_equal(most(&counters, COUNTERS_QUEUE_DROPPED, "Ethernet0", 3), 17);
    assert_int_equal(most(&counters, COUNTERS_QUEUE_SENT, "Ethernet0", 3), 100);
    assert_int_equal(most(&counters, COUNTERS_MARKED, "Ethernet0", 3), 33);
    assert_int_equal(most(&counters, COUNTERS_STORMS, "Ethernet4", 4), 2);
    counters_free(&counters);
}

static void json_and_csv__are_read(void **state)
{
    (void)state;
    static const char *const dumps[] = {
        "{\"Ethernet0|3\": {\"SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES\": \"77\"},"
        " \"Ethernet0\": {\"SAI_PORT_STAT_PFC_3_TX_PKTS\": 5}}",
        "[{\"port\": \"Ethernet0\", \"pg\": 3, \"SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES\": 77},"
        " {\"port\": \"Ethernet0\", \"SAI_PORT_STAT_PFC_3_TX_PKTS\": 5}]",
        "{\"COUNTERS_PG_NAME_MAP\": {\"type\": \"hash\", \"value\": {\"Ethernet0:3\": \"oid:0x1a\"}},"
        " \"COUNTERS_PORT_NAME_MAP\": {\"value\": {\"Ethernet0\": \"oid:0x1\"}},"
        " \"COUNTERS:oid:0x1\": {\"value\": {\"SAI_PORT_STAT_PFC_3_TX_PKTS\": \"5\"}},"
        " \"USER_WATERMARKS:oid:0x1a\": {\"value\": {\"SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES\": "
        "\"77\"}}}",
        "object,counter,value\nEthernet0|3,SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES,77\n"
        "Ethernet0,SAI_PORT_STAT_PFC_3_TX_PKTS,5\n",
        "port,pg,SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES,SAI_PORT_STAT_PFC_3_TX_PKTS\r\n"
        "Ethernet0,3,77,5\r\n",
    };
    for (size_t i = 0; i < sizeof dumps / sizeof dumps[0]; i++) {
        struct counters counters;
        counters_init(&counters);
        add(&counters, dumps[i]);
        assert_int_equal(most(&counters, COUNTERS_SHARED, "Ethernet0", 3), 77);
        assert_int_equal(most(&counters, COUNTERS_PFC_SENT, "Ethernet0", 3), 5);
        counters_free(&counters);
    }
}

static void put(uint8_t *message, size_t *used, uint64_t value, uint32_t bytes)
{
    while (bytes-- > 0)
        message[(*used)++] = (uint8_t)(value >> 8 * bytes);
}

/* A message with a template of a time and two counters, and one with two records. */
static size_t make_ipfix(uint8_t message[256])
{
    size_t used = 0;
    put(message, &used, 10, 2); /* version */
    put(message, &used, 16 + 28, 2);
    put(message, &used, 0, 12); /* time, sequence, domain */
    put(message, &used, 2, 2);  /* a set of templates */
    put(message, &used, 28, 2);
    put(message, &used, 256, 2); /* its number, three fields */
    put(message, &used, 3, 2);
    put(message, &used, 325, 2); /* observationTimeNanoseconds */
    put(message, &used, 8, 2);
    put(message, &used, 0x8000 | 7, 2);
    put(message, &used, 8, 2);
    put(message, &used, 26u << 16 | 5, 4); /* INGRESS_PRIORITY_GROUP, SHARED_WATERMARK_BYTES */
    put(message, &used, 0x8000 | 2, 2);
    put(message, &used, 8, 2);
    put(message, &used, 1u << 16 | 110, 4); /* PORT, PFC_3_TX_PKTS */
    put(message, &used, 10, 2);
    put(message, &used, 16 + 4 + 48, 2);
    put(message, &used, 0, 12);
    put(message, &used, 256, 2);
    put(message, &used, 4 + 48, 2);
    put(message, &used, 1000, 8);
    put(message, &used, 900, 8);
    put(message, &used, 1, 8);
    put(message, &used, 2000, 8);
    put(message, &used, 800, 8);
    put(message, &used, 6, 8);
    return used;
}

static void ipfix__is_read(void **state)
{
    (void)state;
    uint8_t message[256];
    size_t size = make_ipfix(message);
    struct counters counters;
    struct weir_error error;
    counters_init(&counters);
    assert_true(counters_add(&counters, "t", (const char *)message, size, &error));
    assert_int_equal(counters.unnamed, 4);
    assert_int_equal(counters.values, 0);
    add(&counters, "{\"HIGH_FREQUENCY_TELEMETRY_SESSION|p|BUFFER_PG\": {\"object_names\": \"Ethernet0|3\", "
                   "\"object_ids\": \"7\"}, \"HIGH_FREQUENCY_TELEMETRY_SESSION|p|PORT\": {\"value\": "
                   "{\"object_names\": \"Ethernet4,Ethernet0\", \"object_ids\": \"1,2\"}}}");
    assert_true(counters_add(&counters, "t", (const char *)message, size, &error));
    const struct counters_series *shared = counters_find(&counters, COUNTERS_SHARED, "Ethernet0", 3);
    assert_non_null(shared);
    assert_int_equal(shared->most, 900);
    assert_int_equal(shared->last, 800);
    const struct counters_series *sent = counters_find(&counters, COUNTERS_PFC_SENT, "Ethernet0", 3);
    assert_int_equal(sent->last - sent->first, 5);
    for (size_t cut = 1; cut < size; cut++) { /* every cut is an error, unless it is behind a message */
        bool good = counters_add(&counters, "t", (const char *)message, cut, &error);
        assert_true(good == (cut == 44));
    }
    counters_free(&counters);
}

/* Not what is expected: one line with what is. */
static void others__are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"hello\n",
                                        "{\"a\": {\"b\": 1}}",
                                        "{",
                                        "a,b,c\n1,2,3\n",
                                        "object,counter,value\nEthernet0|3,SAI_QUEUE_STAT_PACKETS,many\n",
                                        "object,counter,value\nEthernet0|3\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct counters counters;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        counters_init(&counters);
        assert_false(counters_add(&counters, "dump", texts[i], strlen(texts[i]), &error));
        assert_true(error.code != WEIR_ERROR_NONE && strchr(error.text, '\n') == NULL);
        counters_free(&counters);
    }
}

struct verdict_case {
    int64_t own, other; /* per cent of what a group has when it pauses alone */
    int64_t headroom, sent;
    enum counters_verdict verdict;
    const char *alarm; /* null: none */
};

static void judge__says_what_the_model_does(void **state)
{
    (void)state;
    static const struct verdict_case cases[] = {
        {1, 1, 0, 0, COUNTERS_NO_PAUSE, NULL},
        {60, 95, 0, 5, COUNTERS_PERHAPS, NULL},
        {100, 0, 1024, 5, COUNTERS_PAUSE, NULL},
        {100, 0, 0, 0, COUNTERS_PAUSE, "sent no pause"},
        {150, 0, 0, 5, COUNTERS_BEYOND, "more than this configuration lets it"},
        {1, 1, 0, 5, COUNTERS_NO_PAUSE, "it paused, and held"},
        {100, 0, 65536, 5, COUNTERS_PAUSE, "headroom was full"},
        {100, 0, 60000, 5, COUNTERS_PAUSE, "headroom was 92 % full"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct verdict_case *c = &cases[i];
        struct sonic_given given = sonic_given_small();
        struct sonic_judged *judged = sonic_judge(sonic_sane, NULL, &given);
        struct counters counters;
        struct counters_judgement judgement;
        char text[1024];
        const struct sonic_group *of =
            model_group(&judged->model, sonic_find_port(judged->model.config, "Ethernet0"), 3);
        int64_t alone = model_alone(&judged->model, of->pool, of->dynamic_th, SONIC_ABSENT);
        assert_true(alone > 1000000);
        counters_init(&counters);
        snprintf(text, sizeof text,
                 "port,pg,SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES,"
                 "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES,SAI_PORT_STAT_PFC_3_TX_PKTS\n"
                 "Ethernet0,3,%lld,%lld,%lld\nEthernet4,3,%lld,0,0\n",
                 (long long)(alone * c->own / 100), (long long)c->headroom, (long long)c->sent,
                 (long long)(alone * c->other / 100));
        add(&counters, text);
        assert_true(counters_judge(&judgement, &counters, &judged->model));
        bool found = false, alarmed = c->alarm == NULL;
        for (uint32_t g = 0; g < judgement.groups.count; g++) {
            const struct counters_group *group = &JUDGED_GROUPS(&judgement)[g];
            if (group->group->number != 3 || strcmp(group->group->port->name, "Ethernet0") != 0)
                continue;
            found = true;
            assert_int_equal(group->verdict, c->verdict);
        }
        for (uint32_t a = 0; a < judgement.alarms.count; a++)
            if (strcmp(JUDGED_ALARMS(&judgement)[a].where, "Ethernet0 PG 3") == 0) {
                if (c->alarm == NULL)
                    fail_msg("case %zu: %s", i, JUDGED_ALARMS(&judgement)[a].text);
                alarmed |= strstr(JUDGED_ALARMS(&judgement)[a].text, c->alarm) != NULL;
            }
        assert_true(found);
        if (!alarmed)
            fail_msg("case %zu has no alarm with '%s'", i, c->alarm);
        counters_judgement_free(&judgement);
        counters_free(&counters);
        sonic_judged_free(judged);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables__are_read),
        cmocka_unit_test(json_and_csv__are_read),
        cmocka_unit_test(ipfix__is_read),
        cmocka_unit_test(others__are_refused),
        cmocka_unit_test(judge__says_what_the_model_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
