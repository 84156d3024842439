/*
 * test_create.c - simulations in a program: built from a text, run in steps of any length, stopped, several at once.
 */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/embedded.h"
#include "tests/support/failing_alloc.h"

static void weir_sim_step__steps_change_nothing(void **state)
{
    static const weir_ps steps[] = {WEIR_NEVER, WEIR_PS_PER_MS, 7 * WEIR_PS_PER_US + 1, 300 * WEIR_PS_PER_NS};
    uint64_t whole = digest_of(INCAST);
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct weir_sim *sim = embedded(INCAST);
        struct weir_sim_progress progress = {.now = 0};
        weir_ps until = 0;
        while (progress.state == WEIR_SIM_RUNNING) {
            until = steps[i] == WEIR_NEVER ? WEIR_NEVER : until + steps[i];
            weir_sim_step(sim, until, NULL);
            weir_sim_progress(sim, &progress);
            if (progress.state == WEIR_SIM_RUNNING)
                assert_int_equal(progress.now, until);
        }
        assert_int_equal(progress.state, WEIR_SIM_DONE);
        assert_int_equal(progress.now, progress.until);
        assert_int_equal(progress.flows_ended, 16);
        assert_int_equal(weir_sim_digest(sim), whole);
        weir_sim_free(sim);
    }
}

/* Nothing happens for 3 ms: time goes on all the same, and no step ends the run before its time. */
static void weir_sim_step__through_silence(void **state)
{
    struct weir_sim *sim = embedded(INCAST);
    struct weir_sim_progress before, after;
    (void)state;
    assert_int_equal(weir_sim_step(sim, 3900 * WEIR_PS_PER_US, NULL), WEIR_SIM_RUNNING);
    weir_sim_progress(sim, &before);
    assert_int_equal(weir_sim_step(sim, 3950 * WEIR_PS_PER_US, NULL), WEIR_SIM_RUNNING);
    assert_int_equal(weir_sim_step(sim, WEIR_PS_PER_US, NULL), WEIR_SIM_RUNNING); /* has been */
    weir_sim_progress(sim, &after);
    assert_int_equal(before.packet_hops, after.packet_hops);
    assert_int_equal(after.now, 3950 * WEIR_PS_PER_US);
    assert_int_equal(weir_sim_step(sim, 8 * WEIR_PS_PER_MS, NULL), WEIR_SIM_DONE);
    assert_int_equal(weir_sim_step(sim, WEIR_NEVER, NULL), WEIR_SIM_DONE);
    weir_sim_free(sim);
}

static void weir_sim_stop__goes_on_later(void **state)
{
    struct weir_sim *sim = embedded(INCAST);
    struct weir_sim_progress progress;
    (void)state;
    weir_sim_stop(sim);
    assert_int_equal(weir_sim_step(sim, WEIR_NEVER, NULL), WEIR_SIM_RUNNING);
    weir_sim_progress(sim, &progress);
    assert_int_equal(progress.now, 0);
    assert_int_equal(weir_sim_step(sim, WEIR_NEVER, NULL), WEIR_SIM_DONE);
    assert_int_equal(weir_sim_digest(sim), digest_of(INCAST));
    weir_sim_free(sim);
}

struct job {
    const char *text;
    uint64_t digest;
};

static void *simulate(void *context)
{
    struct job *job = context;
    const struct weir_sim_source source = {.size = sizeof source, .text = job->text};
    struct weir_sim *sim = weir_sim_create(&source, NULL);
    for (weir_ps until = 0; sim != NULL && weir_sim_step(sim, until, NULL) == WEIR_SIM_RUNNING;)
        until += 100 * WEIR_PS_PER_US;
    job->digest = sim != NULL ? weir_sim_digest(sim) : 0;
    weir_sim_free(sim);
    return NULL;
}

static void weir_sim_create__four_at_once(void **state)
{
    struct job jobs[4] = {
        {.text = INCAST}, {.text = INCAST "name: x\n"}, {.text = INCAST}, {.text = NETWORK TWO_SENDERS}};
    pthread_t threads[4];
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, simulate, &jobs[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(jobs[i].digest, digest_of(INCAST));
    assert_int_equal(jobs[3].digest, digest_of(NETWORK TWO_SENDERS));
}

/* A text, and the line that says what is wrong with it. */
static void weir_sim_create__says_what_is_wrong(void **state)
{
    static const struct {
        const char *text, *line;
    } cases[] = {
        {"until: 1ms\nswich: {}\n", "scenario:2:1: unknown key 'swich' in the scenario (did you mean 'switch'?)"},
        {INCAST "sweep: {policy: {switch.policy: [dt, nix]}}\n", NULL},
        {INCAST "testbed: {use: yes}\n", "testbed.use: real packets need `weir testbed run` (expected no)"},
        {"- 1\n", NULL},
        {"", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct weir_sim_source source = {.size = sizeof source, .text = cases[i].text, .run = i == 1};
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        assert_null(weir_sim_create(&source, &error));
        assert_int_not_equal(error.code, WEIR_ERROR_NONE);
        if (cases[i].line != NULL)
            assert_string_equal(ERROR_LINE(&error), cases[i].line);
        assert_null(weir_sim_create(&source, NULL));
    }
    struct weir_error error;
    assert_null(weir_sim_create(&(struct weir_sim_source){.text = INCAST}, &error));
    assert_string_equal(error.text, "the source has no size (expected .size = sizeof source)");
    assert_null(weir_sim_create(&(struct weir_sim_source){.size = sizeof(struct weir_sim_source)}, &error));
    assert_string_equal(error.text, "the source has no text (expected a scenario)");
}

static void weir_sim_create__files_need_a_folder(void **state)
{
    struct weir_sim_source source = {.size = sizeof source,
                                     .text = NETWORK "traffic: [{kind: list, transport: u, file: no-such.csv}]\n",
                                     .origin = "mine.yaml"};
    struct weir_error error;
    (void)state;
    assert_null(weir_sim_create(&source, &error));
    assert_non_null(strstr(error.text, "files cannot be read here"));
    assert_string_equal(error.place.origin, "mine.yaml");
    source.folder = "/nowhere";
    assert_null(weir_sim_create(&source, &error));
    assert_non_null(strstr(error.text, "No such file"));
}

/* A program that was compiled when the struct was shorter. */
static void weir_sim_create__source_of_before(void **state)
{
    struct weir_sim_source source = {.size = offsetof(struct weir_sim_source, set), .text = INCAST};
    (void)state;
    source.set_count = 99; /* whatever is behind its end */
    struct weir_sim *sim = weir_sim_create(&source, NULL);
    assert_non_null(sim);
    weir_sim_free(sim);
}

static void weir_sim_runs__of_a_sweep(void **state)
{
    static const char *const set[] = {"switch.policy.alpha=2", "seeds=3"};
    struct weir_sim_source source = {.size = sizeof source,
                                     .text = INCAST "sweep: {buffer: {switch.buffer: [100KB, 200KB]}}\n",
                                     .set = set,
                                     .set_count = 2};
    struct weir_error error;
    char name[256];
    (void)state;
    assert_int_equal(weir_sim_runs(&source, &error), 6);
    source.run = 4;
    assert_true(weir_sim_run_name(&source, name, &error));
    assert_string_equal(name, "buffer=200KB, seed 4");
    struct weir_sim *sim = weir_sim_create(&source, &error);
    assert_non_null(sim);
    assert_non_null(strstr(weir_sim_config(sim), "buffer: 200KB"));
    assert_non_null(strstr(weir_sim_config(sim), "alpha: 2"));
    weir_sim_free(sim);
    source.run = 6;
    assert_int_equal(weir_sim_runs(&source, &error), 0);
    assert_string_equal(error.text, "run 6: there are 6, counted from 0");
    assert_null(weir_sim_create(&source, &error));
}

static double lost_by(const char *policy, const char *oracle)
{
    const char *set[] = {policy, oracle};
    const struct weir_sim_source source = {
        .size = sizeof source, .text = NETWORK TWO_SENDERS, .set = set, .set_count = oracle != NULL ? 2 : 1};
    struct weir_error error;
    double lost = -1;
    struct weir_sim *sim = weir_sim_create(&source, &error);
    if (sim == NULL)
        fail_msg("%s", ERROR_LINE(&error));
    assert_int_equal(weir_sim_step(sim, WEIR_NEVER, &error), WEIR_SIM_DONE);
    assert_true(weir_sim_measure(sim, "lost.total", &lost, &error));
    weir_sim_free(sim);
    return lost;
}

/* What LQD loses is found out in the first step. */
static void weir_sim_step__perfect_oracle(void **state)
{
    (void)state;
    assert_true(lost_by("switch.policy=credence", "switch.oracle={answers: perfect}") ==
                lost_by("switch.policy=lqd", NULL));
    assert_true(lost_by("switch.policy=credence", "switch.oracle={answers: lost}") >
                lost_by("switch.policy=lqd", NULL));
}

static bool refuses;

static size_t no_state(const struct weir_geometry *geometry)
{
    (void)geometry;
    return 0;
}

static void no_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    (void)state, (void)view, (void)values;
}

static struct weir_verdict admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    (void)state, (void)view, (void)arrival;
    return refuses ? weir_refuse(WEIR_REASON_OVER_THRESHOLD) : weir_accept_if_room();
}

#define OWN                                                                                                            \
    {                                                                                                                  \
        .name = "own", .title = "Own", .source = "none", .state_size = no_state, .init = no_init, .admit = admit       \
    }

static void weir_sim_add_policy__takes_the_place(void **state)
{
    static const struct weir_policy first = OWN, second = OWN;
    static const char *const set[] = {"switch.policy=own"};
    const struct weir_sim_source source = {.size = sizeof source, .text = INCAST, .set = set, .set_count = 1};
    struct weir_error error;
    (void)state;
    assert_null(weir_sim_create(&source, &error));
    assert_true(weir_sim_add_policy(&first, &error));
    assert_ptr_equal(weir_sim_find_policy("own"), &first);
    struct weir_sim *with_first = weir_sim_create(&source, &error);
    assert_true(weir_sim_add_policy(&second, &error));
    assert_ptr_equal(weir_sim_find_policy("own"), &second);
    assert_int_equal(weir_sim_step(with_first, WEIR_NEVER, &error), WEIR_SIM_DONE); /* goes on with its own */
    double lost[2];
    assert_true(weir_sim_measure(with_first, "lost.refused", &lost[0], &error));
    weir_sim_free(with_first);
    refuses = true;
    struct weir_sim *with_second = weir_sim_create(&source, &error);
    assert_int_equal(weir_sim_step(with_second, WEIR_NEVER, &error), WEIR_SIM_DONE);
    assert_true(weir_sim_measure(with_second, "lost.over-threshold", &lost[1], &error));
    assert_true(lost[1] > lost[0]);
    weir_sim_free(with_second);
}

static void weir_sim_add_policy__refuses(void **state)
{
    struct weir_policy policy = OWN;
    struct weir_error error;
    (void)state;
    policy.name = "dt";
    assert_false(weir_sim_add_policy(&policy, &error));
    assert_string_equal(error.text, "policy dt: there is one of this name already (expected another name)");
    policy.name = "No";
    assert_false(weir_sim_add_policy(&policy, &error));
    policy.name = "half";
    policy.needs = WEIR_NEED_EXPEL;
    assert_false(weir_sim_add_policy(&policy, &error));
    assert_string_equal(error.text,
                        "policy half: victim is missing (expected of a policy that expels, or drops what is "
                        "about to leave)");
    policy.needs = 0;
    policy.admit = NULL;
    assert_false(weir_sim_add_policy(&policy, &error));
    assert_false(weir_sim_add_policy(NULL, &error));
    assert_null(weir_sim_find_policy("half"));
    assert_false(weir_sim_load_policies("/nowhere/x.so", &error));
    assert_string_equal(error.place.origin, "/nowhere/x.so");
}

/* Whatever has failed, every look is an answer. True: all had theirs. */
static bool look_at_all(struct weir_sim *sim, struct weir_error *error)
{
    struct weir_sim_progress progress;
    struct weir_sim_value value;
    struct weir_sim_curve curve;
    struct weir_sim_flow flow;
    struct weir_sim_point point;
    double hops;
    weir_sim_progress(sim, &progress);
    assert_true(progress.until > 0 && progress.now <= progress.until);
    assert_non_null(weir_sim_id(sim));
    assert_non_null(weir_sim_config(sim));
    assert_non_null(weir_sim_tag(sim, 0));
    assert_null(weir_sim_tag(sim, 99));
    weir_sim_warning(sim, 0);
    weir_sim_digest(sim);
    weir_sim_flows(sim, 0, &flow, 1);
    weir_sim_points(sim, 0, 0, &point, 1);
    bool good = weir_sim_measure(sim, "hops", &hops, error) && weir_sim_value_at(sim, 0, &value, error) &&
                (progress.now == 0 || weir_sim_curve_at(sim, 0, &curve, error)) &&
                weir_sim_probe(sim, 0, error) != NULL;
    assert_true(!good || progress.state != WEIR_SIM_FAILED);
    return good;
}

/* Every function, by way of two runs where an oracle knows the first; the error wanted or not. */
static bool call_everything(const struct weir_sim_source *source, struct weir_error *error)
{
    static struct weir_policy policy = OWN;
    char name[256];
    policy.name = "spare";
    if (weir_sim_runs(source, error) != 1 || !weir_sim_run_name(source, name, error) ||
        !weir_sim_add_policy(&policy, error))
        return false;
    struct weir_sim *sim = weir_sim_create(source, error);
    if (sim == NULL)
        return false;
    bool good = look_at_all(sim, error) && weir_sim_step(sim, WEIR_PS_PER_US, error) == WEIR_SIM_RUNNING &&
                look_at_all(sim, error) && weir_sim_step(sim, WEIR_NEVER, error) == WEIR_SIM_DONE &&
                look_at_all(sim, error);
    if (!good) {
        look_at_all(sim, NULL);
        weir_sim_step(sim, WEIR_NEVER, NULL);
        look_at_all(sim, NULL);
    }
    weir_sim_free(sim);
    return good;
}

static void weir_sim__memory_runs_short_in_every_function(void **state)
{
    static const char *const set[] = {"switch.policy=credence", "switch.oracle={answers: perfect}", "until=100us",
                                      "measure={probes: [{at: s0, to: h0, interval: 1us}]}"};
    const struct weir_sim_source source = {
        .size = sizeof source, .text = NETWORK TWO_SENDERS, .set = set, .set_count = 4};
    bool failed = true;
    uint64_t n = 0;
    (void)state;
    while (failed) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        failing_alloc_start(++n);
        bool good = call_everything(&source, n % 2 == 0 ? &error : NULL);
        failed = failing_alloc_stop();
        if (good == failed)
            fail_msg("allocation %" PRIu64 " %s", n, failed ? "was not missed" : "was missed");
        if (failed && n % 2 == 0 && error.code != WEIR_ERROR_MEMORY)
            fail_msg("allocation %" PRIu64 ": code %d: %s", n, (int)error.code, ERROR_LINE(&error));
        assert_int_equal(failing_alloc_held(), 0);
    }
    assert_true(n > 300);
}

/* What a child says that calls it, and ends by. */
static void assert_asserts(void (*misuse)(struct weir_sim *sim), const char *sentence)
{
    char said[4096] = "";
    int ends[2], status;
    struct weir_sim *sim = embedded(INCAST);
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        misuse(sim);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got, at = 0; (got = read(ends[0], said + at, sizeof said - 1 - (size_t)at)) > 0; at += got)
        said[at + got] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    weir_sim_free(sim);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    if (strstr(said, sentence) == NULL)
        fail_msg("'%s' is not in: %s", sentence, said);
}

static void ask_null(struct weir_sim *sim)
{
    (void)sim;
    weir_sim_step(NULL, 0, NULL);
}

static void ask_what_was_never_made(struct weir_sim *sim)
{
    static const uint64_t zeros[512];
    (void)sim;
    weir_sim_digest((const struct weir_sim *)(const void *)zeros);
}

static void run_nothing(struct weir_sim *sim)
{
    (void)sim;
    weir_sim_runs(NULL, NULL);
}

static void look_without_room(struct weir_sim *sim)
{
    weir_sim_progress(sim, NULL);
}

static void add_nothing(struct weir_sim *sim)
{
    weir_sim_add_message(sim, NULL, NULL, NULL);
}

static void find_without_room(struct weir_sim *sim)
{
    weir_sim_find_messages(sim, NULL, NULL, NULL);
}

static void go_on_without_room(struct weir_sim *sim)
{
    weir_sim_next(sim, 0, NULL, NULL);
}

static void time_null(struct weir_sim *sim)
{
    (void)sim;
    weir_sim_add_timer(NULL, 0, 0, NULL);
}

static struct weir_sim *deciding;
static void (*inward)(struct weir_sim *sim);

static struct weir_verdict admit_and_call(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    (void)state, (void)view, (void)arrival;
    inward(deciding);
    return weir_accept_if_room();
}

/* A call while another one is under way: from within a policy, or from another thread. */
static void call_within(void (*call)(struct weir_sim *sim))
{
    static struct weir_policy policy = OWN;
    static const char *const set[] = {"switch.policy=inward"};
    const struct weir_sim_source source = {.size = sizeof source, .text = INCAST, .set = set, .set_count = 1};
    policy.name = "inward";
    policy.admit = admit_and_call;
    inward = call;
    assert_true(weir_sim_add_policy(&policy, NULL));
    deciding = weir_sim_create(&source, NULL);
    weir_sim_step(deciding, WEIR_NEVER, NULL);
}

static void look_now(struct weir_sim *sim)
{
    weir_sim_digest(sim);
}

static void *look_elsewhere(void *sim)
{
    weir_sim_digest(sim);
    return NULL;
}

static void look_from_thread(struct weir_sim *sim)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, look_elsewhere, sim) == 0)
        pthread_join(thread, NULL);
}

static void free_within(struct weir_sim *sim)
{
    (void)sim;
    call_within(weir_sim_free);
}

static void look_within(struct weir_sim *sim)
{
    (void)sim;
    call_within(look_now);
}

static void look_beside(struct weir_sim *sim)
{
    (void)sim;
    call_within(look_from_thread);
}

static void free_twice(struct weir_sim *sim)
{
    weir_sim_free(sim);
    weir_sim_free(sim);
}

static void ask_after_free(struct weir_sim *sim)
{
    weir_sim_free(sim);
    weir_sim_digest(sim);
}

static void weir_sim__misuse_ends_with_a_sentence(void **state)
{
    (void)state;
#ifdef WEIR_CHECKS
    assert_asserts(ask_null, "the simulation is null");
    assert_asserts(ask_what_was_never_made, "the simulation was freed, or never created");
#ifndef __SANITIZE_ADDRESS__ /* it ends the program with words of its own */
    assert_asserts(ask_after_free, "the simulation was freed, or never created");
    assert_asserts(free_twice, "the simulation was freed, or never created");
#endif
    assert_asserts(run_nothing, "the source is null");
    assert_asserts(look_without_room, "there is no room for the progress");
    assert_asserts(add_nothing, "the message is null");
    assert_asserts(find_without_room, "there is no room for the number of the traffic");
    assert_asserts(go_on_without_room, "there is no room for the event");
    assert_asserts(time_null, "the simulation is null");
    assert_asserts(free_within, "the simulation is in a call already");
    assert_asserts(look_within, "the simulation is in a call already");
    assert_asserts(look_beside, "the simulation is in a call already");
#endif
}

static void weir_sim_create__changes_that_are_not_there(void **state)
{
    static const char *const set[] = {"until=1ms", NULL};
    struct weir_sim_source source = {.size = sizeof source, .text = INCAST, .set = set, .set_count = 2};
    struct weir_error error;
    (void)state;
    assert_null(weir_sim_create(&source, &error));
    assert_string_equal(error.text, "the source has no change 1 (expected .set_count = 2 of them)");
    source.set = NULL;
    assert_int_equal(weir_sim_runs(&source, &error), 0);
    assert_string_equal(error.text, "the source has no change 0 (expected .set_count = 2 of them)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weir_sim_step__steps_change_nothing),
        cmocka_unit_test(weir_sim_step__through_silence),
        cmocka_unit_test(weir_sim_step__perfect_oracle),
        cmocka_unit_test(weir_sim_stop__goes_on_later),
        cmocka_unit_test(weir_sim_create__four_at_once),
        cmocka_unit_test(weir_sim_create__says_what_is_wrong),
        cmocka_unit_test(weir_sim_create__files_need_a_folder),
        cmocka_unit_test(weir_sim_create__source_of_before),
        cmocka_unit_test(weir_sim_runs__of_a_sweep),
        cmocka_unit_test(weir_sim__misuse_ends_with_a_sentence),
        cmocka_unit_test(weir_sim__memory_runs_short_in_every_function),
        cmocka_unit_test(weir_sim_create__changes_that_are_not_there),
        cmocka_unit_test(weir_sim_add_policy__takes_the_place),
        cmocka_unit_test(weir_sim_add_policy__refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
