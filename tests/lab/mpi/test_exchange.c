/*
 * test_exchange.c - batches between ranks: processes of this test, each with a link to the test, which is the courier
 * of all of them and counts what goes by courier.
 */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/mpi/cluster.h"
#include "lab/mpi/courier.h"

#define RANKS 3u
#define ROUNDS 50u
#define ALARM_S 1000 /* a rank that waits for ever is killed */

/* What ranks do, and what the courier does to them. */
struct job {
    uint32_t ranks;
    const char *machine[RANKS]; /* null: the one of the test */
    uint32_t leaves_after;      /* rank 1 dies after so many of ROUNDS; 0: nobody does */
    bool shuts;                 /* then the courier closes all links, instead of telling rank 0 */
    bool holds;                 /* what rank 1 sends last comes together with the news that it is lost */
};

/* The courier. */
struct office {
    const struct job *job;
    pid_t process[RANKS];
    int link[RANKS]; /* -1: closed */
    uint32_t batches;
    uint8_t *held;
    size_t held_size;
};

static size_t size_of(uint32_t from, uint32_t to, uint32_t round)
{
    return round % 7 == 0 ? 0 : (size_t)round * round * (40 * from + 77 * to + 1);
}

static uint8_t byte_of(uint32_t from, uint32_t to, uint32_t round, size_t i)
{
    return (uint8_t)(i * 31 + from * 7 + to * 3 + round);
}

/* One round; false: something else than batches came, which *event tells, or a batch is wrong. */
static bool do_round(struct cluster *cluster, uint32_t round, enum cluster_event *event, struct cluster_news *news)
{
    struct cluster_batch out[RANKS] = {{.bytes = NULL}}, in[RANKS];
    uint32_t own = cluster->job.rank;
    for (uint32_t r = 0; r < cluster->job.size; r++) {
        uint8_t *bytes = malloc(size_of(own, r, round) + 1);
        for (size_t i = 0; i < size_of(own, r, round); i++)
            bytes[i] = byte_of(own, r, round, i);
        out[r] = (struct cluster_batch){bytes, size_of(own, r, round)};
    }
    *event = cluster_exchange(cluster, out, in, news);
    bool good = *event == CLUSTER_BATCH;
    for (uint32_t r = 0; r < cluster->job.size; r++)
        free((void *)(uintptr_t)out[r].bytes);
    for (uint32_t r = 0; good && r < cluster->job.size; r++) {
        good = r == own || in[r].size == size_of(r, own, round);
        for (size_t i = 0; r != own && good && i < in[r].size; i++)
            good = in[r].bytes[i] == byte_of(r, own, round, i);
    }
    return good;
}

/* Exit status: 0: all rounds; 10 + event: that came in the round after rank 1 died; 1: anything else. */
static void be_rank(const struct job *job, uint32_t rank, int link)
{
    struct cluster cluster = {.job = {.rank = rank, .size = job->ranks, .here = 1}, .link = link, .parent = getppid()};
    struct cluster_news news = {.bytes = NULL};
    enum cluster_event event = CLUSTER_BATCH;
    uint32_t last = job->leaves_after > 0 ? job->leaves_after : ROUNDS, round = 1;
    alarm(ALARM_S);
    if (job->machine[rank] != NULL)
        setenv("WEIR_MACHINE", job->machine[rank], 1);
    while (round <= last && do_round(&cluster, round, &event, &news))
        round++;
    if (round <= last)
        _exit(1);
    if (job->leaves_after > 0 && rank == 1)
        _exit(0);
    if (job->leaves_after > 0) {
        do_round(&cluster, round, &event, &news);
        _exit(event == CLUSTER_LOST && news.rank != 1 ? 1 : 10 + (int)event);
    }
    cluster_end(&cluster, 0);
    _exit(0);
}

static bool read_all(int link, void *bytes, size_t size)
{
    for (size_t got = 0; got < size;) {
        ssize_t more = recv(link, (char *)bytes + got, size - got, 0);
        if (more <= 0)
            return false;
        got += (size_t)more;
    }
    return true;
}

static void close_link(struct office *office, uint32_t rank)
{
    close(office->link[rank]);
    office->link[rank] = -1;
}

/* Keeps it for when rank 1 is lost. */
static void hold(struct office *office, const struct frame_head *head, const uint8_t *bytes)
{
    office->held = realloc(office->held, sizeof *head + head->size);
    memcpy(office->held, head, sizeof *head);
    memcpy(office->held + sizeof *head, bytes, head->size);
    office->held_size = sizeof *head + head->size;
}

static void lose_rank(struct office *office, uint32_t rank)
{
    struct frame_head lost = {.kind = FRAME_LOST, .rank = rank};
    close_link(office, rank);
    if (office->job->shuts)
        for (uint32_t r = 0; r < office->job->ranks; r++)
            if (office->link[r] >= 0)
                close_link(office, r);
    if (rank == 0 || office->link[0] < 0)
        return;
    uint8_t *both = malloc(office->held_size + sizeof lost);
    if (office->held_size > 0)
        memcpy(both, office->held, office->held_size);
    memcpy(both + office->held_size, &lost, sizeof lost);
    assert_int_equal(send(office->link[0], both, office->held_size + sizeof lost, MSG_NOSIGNAL),
                     office->held_size + sizeof lost);
    free(both);
}

static void carry(struct office *office, uint32_t from)
{
    struct frame_head head;
    uint64_t round;
    if (!read_all(office->link[from], &head, sizeof head)) {
        lose_rank(office, from);
        return;
    }
    if (head.kind != FRAME_BATCH) { /* its end */
        close_link(office, from);
        return;
    }
    uint32_t to = head.rank;
    uint8_t *bytes = malloc(head.size);
    assert_true(read_all(office->link[from], bytes, head.size));
    memcpy(&round, bytes, sizeof round);
    office->batches++;
    head.rank = from;
    if (office->job->holds && from == 1 && round == office->job->leaves_after + 2) /* two rounds come before */
        hold(office, &head, bytes);
    else if (office->link[to] >= 0)
        frame_write(office->link[to], &head, bytes);
    free(bytes);
}

/* Returns the exit status of rank 0; those of others are 0. */
static int run(const struct job *job, uint32_t *batches)
{
    struct office office = {.job = job};
    struct pollfd links[RANKS];
    int status, first = -1, open;
    for (uint32_t r = 0; r < job->ranks; r++) {
        int ends[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        office.link[r] = ends[0];
        office.process[r] = fork();
        if (office.process[r] == 0) {
            for (uint32_t i = 0; i <= r; i++)
                close(office.link[i]);
            be_rank(job, r, ends[1]);
        }
        close(ends[1]);
    }
    do {
        open = 0;
        for (uint32_t r = 0; r < job->ranks; r++) {
            links[r] = (struct pollfd){.fd = office.link[r], .events = POLLIN};
            open += office.link[r] >= 0;
        }
        if (open > 0)
            poll(links, job->ranks, -1);
        for (uint32_t r = 0; r < job->ranks; r++)
            if (office.link[r] >= 0 && links[r].revents != 0)
                carry(&office, r);
    } while (open > 0);
    for (uint32_t r = 0; r < job->ranks; r++) {
        assert_int_equal(waitpid(office.process[r], &status, 0), office.process[r]);
        assert_true(WIFEXITED(status));
        if (r == 0)
            first = WEXITSTATUS(status);
        else
            assert_int_equal(WEXITSTATUS(status), job->shuts && r != 1 ? 10 + CLUSTER_CLOSED : 0);
    }
    free(office.held);
    *batches = office.batches;
    return first;
}

/* Ranks of one machine ask couriers for nothing but where their shelves are. */
static void test_one_machine(void **state)
{
    uint32_t batches;
    (void)state;
    assert_int_equal(run(&(struct job){.ranks = 3}, &batches), 0);
    assert_int_equal(batches, 2 * 3 * 2);
}

static void test_two_machines(void **state)
{
    uint32_t batches;
    (void)state;
    assert_int_equal(run(&(struct job){.ranks = 3, .machine = {"a", "a", "b"}}, &batches), 0);
    assert_int_equal(batches, 2 * 3 * 2 + ROUNDS * 4);
    assert_int_equal(run(&(struct job){.ranks = 2, .machine = {"a", "b"}}, &batches), 0);
    assert_int_equal(batches, (2 + ROUNDS) * 2);
}

/* Who waits for a letter of a rank that has died is told, wherever that was. */
static void test_lost(void **state)
{
    uint32_t batches;
    (void)state;
    assert_int_equal(run(&(struct job){.ranks = 2, .leaves_after = 5}, &batches), 10 + CLUSTER_LOST);
    assert_int_equal(run(&(struct job){.ranks = 2, .leaves_after = 5, .machine = {"a", "b"}}, &batches),
                     10 + CLUSTER_LOST);
}

/* The news came with the last letter of a round, and was not wanted then. */
static void test_lost_with_its_letter(void **state)
{
    uint32_t batches;
    (void)state;
    assert_int_equal(run(&(struct job){.ranks = 2, .leaves_after = 5, .machine = {"a", "b"}, .holds = true}, &batches),
                     10 + CLUSTER_LOST);
}

static void test_closed(void **state)
{
    uint32_t batches;
    (void)state;
    assert_int_equal(run(&(struct job){.ranks = 3, .leaves_after = 5, .shuts = true}, &batches), 10 + CLUSTER_CLOSED);
    assert_int_equal(
        run(&(struct job){.ranks = 3, .leaves_after = 5, .shuts = true, .machine = {"a", "a", "b"}}, &batches),
        10 + CLUSTER_CLOSED);
}

/* What the environment says of a job, in the words of Open MPI; null: nothing. */
static void find_job__of_the_environment(void **state)
{
    static const struct {
        const char *rank, *size, *here;
        struct cluster_job job; /* size 0: there is none */
    } cases[] = {
        {"0", "1", NULL, {0, 1, 1, NULL, NULL}},
        {"9", "10", "9", {9, 10, 9, NULL, NULL}},
        {"10", "11", "10", {10, 11, 10, NULL, NULL}},
        {"1", "2", "0", {1, 2, 1, NULL, NULL}},
        {"1", "4", "2(x2)", {1, 4, 2, NULL, NULL}},
        {"2147483646", "2147483647", "1", {2147483646, INT32_MAX, 1, NULL, NULL}},
        {"0", "2147483648", "1", {.size = 0}},
        {"2", "2", "1", {.size = 0}},
        {NULL, "2", "1", {.size = 0}},
        {"1", NULL, "1", {.size = 0}},
        {"", "2", "1", {.size = 0}},
        {"-1", "2", "1", {.size = 0}},
        {"/", "2", "1", {.size = 0}},
        {":", "2", "1", {.size = 0}},
        {"1", "2;", "1", {.size = 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const values[] = {cases[i].rank, cases[i].size, cases[i].here};
        static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                                            "OMPI_COMM_WORLD_LOCAL_SIZE"};
        struct cluster_job job;
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(values[k] != NULL ? setenv(names[k], values[k], 1) : unsetenv(names[k]), 0);
        assert_int_equal(cluster_find_job(&job), cases[i].job.size > 0);
        if (cases[i].job.size > 0) {
            assert_int_equal(job.rank, cases[i].job.rank);
            assert_int_equal(job.size, cases[i].job.size);
            assert_int_equal(job.here, cases[i].job.here);
            assert_string_equal(job.name, "Open MPI");
        }
        for (uint32_t k = 0; k < 3; k++)
            unsetenv(names[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_machine), cmocka_unit_test(test_two_machines),
        cmocka_unit_test(test_lost),        cmocka_unit_test(test_lost_with_its_letter),
        cmocka_unit_test(test_closed),      cmocka_unit_test(find_job__of_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
