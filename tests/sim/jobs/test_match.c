/*
 * test_match.c - matching against a list that is searched from its beginning.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/jobs/goal.h"
#include "sim/jobs/match.h"
#include "weir/random.h"

enum { LISTED_MAX = 4000 };

struct listed {
    struct match_key key;
    uint32_t number;
    bool message, gone;
};

static bool fits(const struct match_key *receive, const struct match_key *message)
{
    return receive->round == message->round && (receive->source == GOAL_ANY || receive->source == message->source) &&
           (receive->tag == GOAL_ANY || receive->tag == message->tag);
}

/* The number that the newcomer is matched with; UINT32_MAX: it waits. */
static uint32_t list_add(struct listed *list, uint32_t *count, struct listed added)
{
    for (uint32_t i = 0; i < *count; i++) {
        struct listed *other = &list[i];
        if (other->gone || other->message == added.message ||
            !(added.message ? fits(&other->key, &added.key) : fits(&added.key, &other->key)))
            continue;
        other->gone = true;
        return other->number;
    }
    list[(*count)++] = added;
    return UINT32_MAX;
}

static void match__is_that_of_a_list(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        static struct listed list[LISTED_MAX];
        struct weir_random random = {.key = weir_hash(seed, 1)};
        struct match match = {.items = NULL};
        uint32_t count = 0, sources = 1 + weir_random_below(&random, 6), any = weir_random_below(&random, 3);
        for (uint32_t i = 0; i < LISTED_MAX; i++) {
            struct listed added = {.number = i, .message = weir_random_below(&random, 2)};
            added.key = (struct match_key){weir_random_below(&random, 2), weir_random_below(&random, sources),
                                           weir_random_below(&random, 3)};
            if (!added.message && weir_random_below(&random, 4) < any)
                added.key.source = GOAL_ANY;
            if (!added.message && weir_random_below(&random, 4) < any)
                added.key.tag = GOAL_ANY;
            uint32_t other = UINT32_MAX, expected = list_add(list, &count, added);
            enum match_result result = (added.message ? match_message : match_receive)(&match, &added.key, i, &other);
            assert_int_equal(result, expected == UINT32_MAX ? MATCH_WAITS : MATCH_FOUND);
            assert_int_equal(other, expected);
            uint32_t oldest = UINT32_MAX, first = UINT32_MAX;
            for (uint32_t k = 0; i % 64 == 0 && k < count && first == UINT32_MAX; k++)
                first = !list[k].gone && !list[k].message ? list[k].number : UINT32_MAX;
            if (i % 64 == 0)
                assert_int_equal(match_oldest(&match, &oldest), first != UINT32_MAX);
            if (i % 64 == 0)
                assert_int_equal(oldest, first);
        }
        match_free(&match);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(match__is_that_of_a_list)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
