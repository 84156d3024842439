/*
 * test_allocation.c - what topologies, routes, measurement and summaries do when memory runs short: every
 * allocation of a piece of work fails in turn. Each time the work says so and holds nothing; the first run in which no
 * allocation fails succeeds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sim/net/measure.h"
#include "sim/summary.h"
#include "sim/topology/routes.h"
#include "tests/support/failing_alloc.h"

#define GBPS ((weir_bps)1000000000)

static const struct topology_leaf_spine shape = {3, 2, 2, 2, GBPS, GBPS, 0, 0};

/* A piece of work frees all that it made, and says whether it could be done. */
typedef bool work_function(const struct topology *t);

static bool build_and_free(struct topology *t, bool built, const struct weir_error *error)
{
    if (!built) {
        assert_non_null(strstr(error->text, "out of memory"));
        assert_null(t->links);
    }
    topology_free(t);
    return built;
}

static bool work_shapes(const struct topology *t)
{
    struct topology own;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const struct topology_explicit list = {t->hosts, t->switches, t->links, t->link_count};
    const struct topology_single single = {2, NULL, GBPS, 0};
    const struct topology_dumbbell dumbbell = {1, 1, GBPS, GBPS, 0, 0};
    const struct topology_fat_tree tree = {4, GBPS, 0};
    return build_and_free(&own, topology_leaf_spine(&own, &shape, &error), &error) &&
           build_and_free(&own, topology_single(&own, &single, &error), &error) &&
           build_and_free(&own, topology_dumbbell(&own, &dumbbell, &error), &error) &&
           build_and_free(&own, topology_fat_tree(&own, &tree, &error), &error) &&
           build_and_free(&own, topology_explicit(&own, &list, &error), &error);
}

static bool work_routes(const struct topology *t)
{
    struct routes r;
    bool up[18] = {false};
    if (!routes_init(&r, t, (struct routes_hash){.seed = 1})) {
        assert_null(r.group);
        return false;
    }
    bool done = routes_compute(&r, t, up) && routes_compute(&r, t, NULL);
    routes_free(&r);
    return done;
}

static bool work_measure(const struct topology *t)
{
    const uint32_t ports[] = {6, 6, 6, 6, 6}, mmus[] = {1, 2, 1, 3, 1};
    struct sim_config config;
    struct measure m;
    sim_config_init(&config);
    config.topology = t;
    config.tag_count = 2;
    config.probe_count = 1;
    config.until_ps = 100;
    config.goodput_interval_ps = 10;
    if (!measure_init(&m, &config, ports, mmus, false)) {
        assert_null(m.sw);
        return false;
    }
    bool done = true;
    for (uint32_t i = 0; i < 1000 && done; i++)
        done = series_add(&m.probe[0], &(struct series_point){.when = i}, 5000);
    assert_true(!m.probe[0].full && m.probe[0].count == (done ? 1000 : m.probe[0].room));
    measure_free(&m);
    return done;
}

static bool work_summary(const struct topology *t)
{
    const struct summary_filter filter = {.tag = SUMMARY_ANY, .max_bytes = INT64_MAX, .until_ps = WEIR_NEVER};
    const weir_bps host_bps = GBPS;
    const struct traffic_settings traffic = {.kind = TRAFFIC_QUERY};
    const struct sim_config config = {.topology = t, .wire = {.mss_bytes = 1000}, .traffic = &traffic};
    const struct summary_network network = {&config, &host_bps, 10};
    struct records records = {0};
    struct summary_flows flows;
    struct summary_groups groups;
    bool done = true;
    for (uint32_t i = 0; done && i < 1000; i++)
        done = records_add(&records, &(struct flow_record){.id = i, .group = i / 10, .bytes = 1, .finish_ps = 5});
    done = done && summary_flows(&records, &filter, 10, &flows) && summary_groups(&records, &filter, &network, &groups);
    records_free(&records);
    return done;
}

static void every_allocation_may_fail(work_function *work)
{
    struct topology t;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    assert_true(topology_leaf_spine(&t, &shape, &error));
    bool failed = true;
    uint64_t n = 0;
    while (failed) {
        failing_alloc_start(++n);
        bool done = work(&t);
        failed = failing_alloc_stop();
        if (done == failed || failing_alloc_held() != 0)
            fail_msg("allocation %llu: done %d, %lld blocks not freed", (unsigned long long)n, done,
                     (long long)failing_alloc_held());
    }
    assert_true(n > 3);
    topology_free(&t);
}

static void topology__survives(void **state)
{
    (void)state;
    every_allocation_may_fail(work_shapes);
}

static void routes__survive(void **state)
{
    (void)state;
    every_allocation_may_fail(work_routes);
}

static void measure__survives(void **state)
{
    (void)state;
    every_allocation_may_fail(work_measure);
}

static void summary__survives(void **state)
{
    (void)state;
    every_allocation_may_fail(work_summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topology__survives),
        cmocka_unit_test(routes__survive),
        cmocka_unit_test(measure__survives),
        cmocka_unit_test(summary__survives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
