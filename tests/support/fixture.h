/*
 * fixture.h - an MMU under test: built from a config, a policy name and its settings, fed one packet at a time.
 *
 *   struct fixture f;
 *   fixture_config(&f, 4, 2, 1000);                 4 ports, 2 classes, 1000 cells of 1 byte
 *   f.config.private_cells[1] = 10;                 whatever differs from the usual values
 *   fixture_build(&f, "dt", "alpha=0.5,1");         settings as on the command line: name=value:name=value
 *   assert_true(fixture_accepts(&f, 0, 1, 300, now));
 *   fixture_free(&f);
 *
 * The config points into the fixture, so a fixture is never copied. Anything that fails here fails the test.
 */
#ifndef TESTS_SUPPORT_FIXTURE_H
#define TESTS_SUPPORT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "lib/core/mmu_internal.h"
#include "tests/support/error_line.h"
#include "weir/mmu.h"
#include "weir/random.h"

#define FIXTURE_SETTINGS_MAX 512u

struct fixture {
    struct weir_mmu_config config;
    struct weir_values values;
    void *memory;
    struct weir_mmu *mmu;
    uint64_t sent;         /* packets offered so far; handles count up from 1 */
    uint32_t flags;        /* of the packets sent from now on */
    weir_port input;       /* of the packets sent from now on */
    struct weir_flow flow; /* likewise, where the config gives flows */
};

/* The usual config, with room for 4096 packets and 64 losses per call. To be adjusted before fixture_build. */
static inline void fixture_config(struct fixture *f, uint32_t ports, uint32_t classes, weir_cells buffer_cells)
{
    memset(f, 0, sizeof *f);
    weir_mmu_config_init(&f->config, ports, classes, buffer_cells);
    f->config.packets_max = 4096;
    f->config.evictions_max = 64;
}

/* Defaults, then each "name=value" of the colon-separated settings; null or "" leaves the defaults. */
static inline void fixture_values(struct weir_values *values, const struct weir_policy *policy, const char *settings)
{
    char text[FIXTURE_SETTINGS_MAX] = "";
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    weir_values_init(values, policy);
    if (settings != NULL) {
        assert_true(strlen(settings) < sizeof text);
        memcpy(text, settings, strlen(settings));
    }
    for (char *name = text; *name != '\0';) {
        char *next = name + strcspn(name, ":");
        if (*next == ':')
            *next++ = '\0';
        char *equals = strchr(name, '=');
        if (equals == NULL)
            fail_msg("setting '%s' is not name=value", name);
        *equals = '\0';
        if (!weir_values_set(values, policy, name, equals + 1, &error))
            fail_msg("%s", ERROR_LINE(&error));
        name = next;
    }
}

/* Builds the MMU with this egress policy; the rest is as the config says. */
static inline void fixture_build(struct fixture *f, const char *policy, const char *settings)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    f->config.egress = weir_policy_find(policy);
    if (f->config.egress == NULL)
        fail_msg("no policy '%s'", policy);
    fixture_values(&f->values, f->config.egress, settings);
    f->config.egress_values = &f->values;
    if (!weir_mmu_config_check(&f->config, &error))
        fail_msg("%s", ERROR_LINE(&error));
    size_t size = (weir_mmu_size(&f->config) + 63) / 64 * 64;
    f->memory = aligned_alloc(64, size);
    assert_non_null(f->memory);
    memset(f->memory, 0xa5, size); /* an MMU must not count on clean memory */
    f->mmu = weir_mmu_init(f->memory, &f->config);
    assert_non_null(f->mmu);
}

static inline void fixture_free(struct fixture *f)
{
    free(f->memory);
    f->memory = NULL;
    f->mmu = NULL;
}

/* A packet of `bytes` arrives for (port, class). */
static inline const struct weir_effects *fixture_send(struct fixture *f, uint32_t port, uint32_t tc, uint32_t bytes,
                                                      weir_ps now)
{
    const struct weir_packet packet = {.handle = ++f->sent,
                                       .output = {port},
                                       .input = f->input,
                                       .tc = {tc},
                                       .bytes = bytes,
                                       .flags = f->flags,
                                       .flow = &f->flow};
    return weir_mmu_arrive(f->mmu, &packet, now);
}

/* Sends; why it was refused, or WEIR_REASON_NONE when it entered. */
static inline enum weir_reason fixture_offer(struct fixture *f, uint32_t port, uint32_t tc, uint32_t bytes, weir_ps now)
{
    const struct weir_effects *effects = fixture_send(f, port, tc, bytes, now);
    return effects->accepted ? WEIR_REASON_NONE : effects->reason;
}

static inline bool fixture_accepts(struct fixture *f, uint32_t port, uint32_t tc, uint32_t bytes, weir_ps now)
{
    return fixture_send(f, port, tc, bytes, now)->accepted;
}

/* Sends one packet of `cells` whole cells that has to enter. */
static inline void fixture_fill(struct fixture *f, uint32_t port, uint32_t tc, weir_cells cells, weir_ps now)
{
    enum weir_reason reason = fixture_offer(f, port, tc, (uint32_t)cells * f->config.cell_bytes, now);
    if (reason != WEIR_REASON_NONE)
        fail_msg("%lld cells for (port %u, class %u) refused: %s", (long long)cells, port, tc,
                 weir_reason_name(reason));
}

/* The port sends one packet: bytes of it, or 0 when there was none. */
static inline uint32_t fixture_depart(struct fixture *f, uint32_t port, weir_ps now)
{
    const struct weir_effects *effects = weir_mmu_depart(f->mmu, (weir_port){port}, now);
    return effects->departed ? effects->bytes : 0;
}

/* The port sends `packets` packets, all of which have to be there. */
static inline void fixture_drain(struct fixture *f, uint32_t port, uint32_t packets, weir_ps now)
{
    for (uint32_t i = 0; i < packets; i++)
        assert_true(fixture_depart(f, port, now) > 0);
}

/* New parameter values from the last call on: those not named go to their defaults. */
static inline void fixture_change(struct fixture *f, const char *settings)
{
    fixture_values(&f->values, f->config.egress, settings);
    assert_non_null(weir_mmu_change(f->mmu, false, &f->values, f->mmu->now));
}

static inline weir_account fixture_account(const struct fixture *f, uint32_t port, uint32_t tc)
{
    return weir_account_of(&weir_mmu_view(f->mmu)->geometry, (weir_port){port}, (weir_class){tc});
}

/* Queue length, in cells of every pool. */
static inline weir_cells fixture_cells(const struct fixture *f, uint32_t port, uint32_t tc)
{
    return weir_view_length(weir_mmu_view(f->mmu), fixture_account(f, port, tc));
}

/* What the account holds of the shared pool. */
static inline weir_cells fixture_shared(const struct fixture *f, uint32_t port, uint32_t tc)
{
    return weir_view_shared(weir_mmu_view(f->mmu), fixture_account(f, port, tc));
}

/* Free cells of the shared pool. */
static inline weir_cells fixture_free_cells(const struct fixture *f)
{
    return weir_view_shared_free(weir_mmu_view(f->mmu));
}

static inline weir_cells fixture_threshold(const struct fixture *f, uint32_t port, uint32_t tc)
{
    return weir_mmu_threshold(f->mmu, fixture_account(f, port, tc));
}

/* What one step of fixture_check_lateness does to both MMUs. */
struct fixture_step {
    weir_ps now;
    bool arrives; /* else a departure */
    uint32_t port, tc, bytes;
};

static inline struct fixture_step fixture_next_step(const struct fixture *f, struct weir_random *random, weir_ps now)
{
    uint64_t bits = weir_random_bits(random);
    struct fixture_step step = {.now = now, .arrives = bits % 8 < 5};
    step.now += bits % 128 == 0 ? weir_random_below(random, 1000000) : weir_random_below(random, 2000);
    step.port = weir_random_below(random, f->config.ports);
    if (bits % 3 == 0)
        step.port = 0; /* one port is overloaded */
    step.tc = weir_random_below(random, f->config.classes);
    step.bytes = 1 + weir_random_below(random, (uint32_t)f->config.buffer_cells * f->config.cell_bytes / 40);
    return step;
}

static inline enum weir_reason fixture_take_step(struct fixture *f, const struct fixture_step *step)
{
    if (step->arrives)
        return fixture_offer(f, step->port, step->tc, step->bytes, step->now);
    fixture_depart(f, step->port, step->now);
    return WEIR_REASON_NONE;
}

/*
 * Two MMUs of this config serve the same random packets; one is also told of passing time, at random moments and when
 * it asks to be. Their verdicts must agree throughout. Steps are up to 2 ns apart, at times up to 1 us.
 */
static inline void fixture_check_lateness(const struct fixture *config, const char *policy, const char *settings,
                                          uint64_t seed)
{
    struct fixture late = *config, prompt = *config;
    struct weir_random random = weir_random_stream(seed, policy);
    weir_ps now = 0;
    fixture_build(&late, policy, settings);
    fixture_build(&prompt, policy, settings);
    for (uint32_t i = 0; i < 4000; i++) {
        struct fixture_step step = fixture_next_step(&late, &random, now);
        for (weir_ps due; (due = weir_mmu_next_event(prompt.mmu)) > now && due <= step.now; now = due)
            weir_mmu_advance(prompt.mmu, due);
        if (i % 4 == 0)
            weir_mmu_advance(prompt.mmu, now + (step.now - now) / 2);
        now = step.now;
        if (i % 3 == 0)
            weir_mmu_advance(prompt.mmu, now);
        enum weir_reason expected = fixture_take_step(&late, &step), found = fixture_take_step(&prompt, &step);
        if (expected != found || weir_mmu_hash(late.mmu) != weir_mmu_hash(prompt.mmu))
            fail_msg("seed %llu, step %u at %lld ps: %s without ticks, %s with them", (unsigned long long)seed, i,
                     (long long)now, weir_reason_name(expected), weir_reason_name(found));
    }
    fixture_free(&late);
    fixture_free(&prompt);
}

#endif
