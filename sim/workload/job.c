/*
 * job.c - JOB: ranks on hosts, whose messages are flows (sim/jobs/job.h). Messages between ranks of one host take their
 * time at the host's local rate, one after another for each sender, and no network; those between hosts of one server
 * likewise at the server's rate, and arrive its delay later.
 *
 * All that happens to a rank happens at its host. A message's id is its place: (round, sender, which of its messages);
 * its cookie says which operation it is, its group the round.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/jobs/history.h"
#include "sim/workload/internal.h"

struct traffic_job {
    struct job *job;
    uint32_t *host;               /* [ranks] */
    uint32_t *first_rank, *ranks; /* [hosts + 1], [ranks]: those of each host */
    uint64_t *first_send;         /* [ranks]: of a round */
    weir_ps *local_free_ps;       /* [ranks] */
    weir_ps *server_free_ps;      /* likewise */
    weir_ps *wake_ps;             /* [hosts]: the first call of job_woken that is asked for */
    bool *begun;                  /* [hosts] */
    uint64_t sends;               /* of a round, those within hosts too */
    uint32_t flows;               /* of a round */
};

/* A step at one host. */
struct job_step {
    struct traffic_source *source;
    const struct traffic_sink *sink;
};

static bool job_step_wake(void *context, uint32_t rank, weir_ps when)
{
    const struct job_step *step = context;
    struct traffic_job *job = step->source->job;
    uint32_t host = job->host[rank];
    if (when >= job->wake_ps[host] || when >= step->source->config->until_ps)
        return true;
    job->wake_ps[host] = when;
    return step->sink->wake(step->sink->context, host, step->source->index, when);
}

static struct job_network job_network_of(struct job_step *step);

static bool job_is_flow(const struct traffic_source *source, uint32_t from, uint32_t to)
{
    const struct topology *t = source->traffic->given.topology;
    const uint32_t a = source->job->host[from], b = source->job->host[to];
    return a != b && !(topology_has_servers(t) && a / t->server.hosts == b / t->server.hosts);
}

/* Within the host or the server. */
static bool job_send_here(struct job_step *step, const struct job_message *message, weir_ps now)
{
    struct traffic_job *job = step->source->job;
    const struct job_network network = job_network_of(step);
    const struct topology_server *server = &step->source->traffic->given.topology->server;
    const bool one_host = job->host[message->from] == job->host[message->to];
    weir_bps rate = one_host ? step->source->config->job->local_bps : server->rate_bps;
    weir_ps *free_ps = one_host ? &job->local_free_ps[message->from] : &job->server_free_ps[message->from];
    if (*free_ps < now)
        *free_ps = now;
    if (rate > 0)
        *free_ps += (weir_ps)((double)message->bytes * 8 * ((double)WEIR_PS_PER_S / (double)rate) + 0.5);
    const weir_ps arrives_ps = *free_ps + (one_host ? 0 : server->delay_ps);
    if (job_history(job->job))
        history_at(job_history(job->job), message->round, message->place)->arrived_ps = arrives_ps;
    return job_arrives(job->job, message, arrives_ps, &network);
}

static bool job_step_send(void *context, const struct job_message *message, weir_ps now)
{
    struct job_step *step = context;
    struct traffic_source *source = step->source;
    const struct traffic_job *job = source->job;
    if (now >= source->config->until_ps)
        return true;
    if (!job_is_flow(source, message->from, message->to))
        return job_send_here(step, message, now);
    struct flow_request request = traffic_request(source, now);
    request.source = job->host[message->from];
    request.destination = job->host[message->to];
    request.bytes = (int64_t)message->bytes;
    request.group = message->round;
    request.group_flows = job->flows;
    request.cookie = message->place;
    uint64_t id = message->round * job->sends + job->first_send[message->from] + message->number;
    if (job_history(job->job))
        history_at(job_history(job->job), message->round, message->place)->flow = source->first_id + (uint32_t)id;
    return step->sink->start(step->sink->context, source->first_id + (uint32_t)id, &request);
}

static struct job_network job_network_of(struct job_step *step)
{
    return (struct job_network){.context = step, .send = job_step_send, .wake = job_step_wake};
}

/* Placement. */

static bool job_place(struct traffic_source *source, struct weir_error *error)
{
    const struct traffic_job_settings *settings = source->config->job;
    struct traffic_job *job = source->job;
    const uint32_t ranks = settings->goal->ranks, hosts = source->sources.count;
    const uint32_t used = (ranks + settings->ranks_per_host - 1) / settings->ranks_per_host;
    const uint64_t key = traffic_random(source, "placement", 0).key;
    if (settings->placement != TRAFFIC_PLACE_LISTED && used > hosts)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "%" PRIu32 " ranks need %" PRIu32 " hosts, and %" PRIu32
                         " take part (expected more hosts, or more ranks on each: 'ranks_per_host')",
                         ranks, used, hosts);
    if (settings->placement == TRAFFIC_PLACE_LISTED && settings->listed < ranks)
        return weir_fail(error, WEIR_ERROR_INPUT, "a placement of %" PRIu32 " ranks, and the job has %" PRIu32,
                         settings->listed, ranks);
    const uint32_t stride = settings->stride < hosts ? settings->stride : 1, row = (hosts + stride - 1) / stride;
    for (uint32_t r = 0; r < ranks; r++) {
        uint32_t i = r / settings->ranks_per_host;
        if (settings->placement == TRAFFIC_PLACE_RANDOM)
            i = shuffle_at(key, hosts, i);
        if (settings->placement == TRAFFIC_PLACE_STRIDED) {
            /* Column after column of a table whose rows have `stride` hosts, the last row maybe fewer. */
            uint32_t long_columns = hosts % stride ? hosts % stride : stride, in_long = long_columns * row;
            uint32_t column = i < in_long ? i / row : long_columns + (i - in_long) / (row - 1);
            uint32_t line = i < in_long ? i % row : (i - in_long) % (row - 1);
            i = line * stride + column;
        }
        job->host[r] = settings->placement == TRAFFIC_PLACE_LISTED ? settings->hosts[r] : source->sources.first + i;
        if (job->host[r] >= source->traffic->given.topology->hosts)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "rank %" PRIu32 " is placed on host %" PRIu32 ", and hosts are 0 to %" PRIu32, r,
                             job->host[r], source->traffic->given.topology->hosts - 1);
    }
    return true;
}

/* The ranks of each host. */
static void job_sort_ranks(const struct traffic_source *source, uint32_t ranks)
{
    const struct traffic_job *job = source->job;
    for (uint32_t r = 0; r < ranks; r++)
        job->first_rank[job->host[r] + 1]++;
    for (uint32_t h = 0; h < source->traffic->given.topology->hosts; h++) {
        job->first_rank[h + 1] += job->first_rank[h];
        job->wake_ps[h] = WEIR_NEVER;
    }
    for (uint32_t r = ranks; r-- > 0;)
        job->ranks[--job->first_rank[job->host[r] + 1]] = r;
    /* Each is now the first of its host, one place too far. */
    for (uint32_t h = 0; h < source->traffic->given.topology->hosts; h++)
        job->first_rank[h] = job->first_rank[h + 1];
    job->first_rank[source->traffic->given.topology->hosts] = ranks;
}

/* Counts messages, and looks whether each can be a flow. */
static bool job_count(struct traffic_source *source, struct weir_error *error)
{
    struct traffic_job *job = source->job;
    const struct goal *goal = source->config->job->goal;
    uint64_t flows = 0;
    for (uint32_t r = 0; r < goal->ranks; r++) {
        job->first_send[r] = job->sends;
        job->sends += goal->rank[r].sends;
        for (uint32_t i = 0; i < goal->rank[r].op_count; i++) {
            const struct goal_op op = goal_op(&goal->rank[r], i);
            if (op.type != GOAL_SEND || !job_is_flow(source, r, op.peer))
                continue;
            flows++;
            if (!traffic_check_bytes(source, (int64_t)op.size, error))
                return weir_fail_within(error, "rank %" PRIu32 ", operation %" PRIu32 ": ", r, i);
        }
    }
    uint32_t rounds = source->config->rounds;
    if (rounds == 0)
        return weir_fail(error, WEIR_ERROR_INPUT, "needs at least 1 round");
    if (job->sends > UINT32_MAX / rounds)
        return weir_fail(error, WEIR_ERROR_INPUT, "more than 4294967295 messages in %" PRIu32 " rounds", rounds);
    if ((uint64_t)rounds * goal->ranks > TRAFFIC_JOB_ENDS_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "rounds times ranks is more than %u", TRAFFIC_JOB_ENDS_MAX);
    job->flows = (uint32_t)flows;
    source->id_count = job->sends * rounds;
    return true;
}

static bool job_prepare(struct traffic_source *source, struct weir_error *error)
{
    const struct traffic_job_settings *settings = source->config->job;
    if (!settings || !settings->goal || settings->ranks_per_host == 0)
        return weir_fail(error, WEIR_ERROR_INPUT, "needs a job, and at least 1 rank on a host");
    const uint32_t hosts = source->traffic->given.topology->hosts, ranks = settings->goal->ranks;
    struct traffic_job *job = source->job = calloc(1, sizeof *job);
    if (!job)
        return weir_fail_memory(error);
    job->host = malloc(ranks * sizeof *job->host);
    job->first_rank = calloc((size_t)hosts + 1, sizeof *job->first_rank);
    job->ranks = malloc(ranks * sizeof *job->ranks);
    job->first_send = malloc(ranks * sizeof *job->first_send);
    job->local_free_ps = calloc(2 * (size_t)ranks, sizeof *job->local_free_ps);
    job->server_free_ps = job->local_free_ps + (job->local_free_ps ? ranks : 0);
    job->wake_ps = malloc(hosts * sizeof *job->wake_ps);
    job->begun = calloc(hosts, sizeof *job->begun);
    if (!job->host || !job->first_rank || !job->ranks || !job->first_send || !job->local_free_ps || !job->wake_ps ||
        !job->begun)
        return weir_fail_memory(error);
    if (!job_place(source, error) || !job_count(source, error))
        return false;
    job_sort_ranks(source, ranks);
    struct job_settings engine = settings->engine;
    engine.rounds = source->config->rounds;
    job->job = job_new(settings->goal, &engine);
    source->stream_count = 1;
    return job->job || weir_fail_memory(error);
}

void traffic_job_free(struct traffic_job *job)
{
    if (!job)
        return;
    job_free(job->job);
    free(job->host);
    free(job->first_rank);
    free(job->ranks);
    free(job->first_send);
    free(job->local_free_ps);
    free(job->wake_ps);
    free(job->begun);
    free(job);
}

/* Running. */

static void job_open(struct traffic_source *source, struct traffic_stream *stream)
{
    stream->due_ps = source->config->from_ps;
}

/* Every host begins by itself. */
static bool job_launch(struct traffic_source *source, struct traffic_stream *stream, const struct traffic_sink *sink)
{
    struct traffic_job *job = source->job;
    weir_ps now = stream->due_ps;
    stream->due_ps = WEIR_NEVER;
    for (uint32_t h = 0; h < source->traffic->given.topology->hosts; h++) {
        if (job->first_rank[h] == job->first_rank[h + 1])
            continue;
        job->wake_ps[h] = now;
        if (!sink->wake(sink->context, h, source->index, now))
            return false;
    }
    return true;
}

static bool job_woken(struct traffic_source *source, uint32_t host, const struct traffic_sink *sink, weir_ps now)
{
    struct traffic_job *job = source->job;
    struct job_step step = {source, sink};
    const struct job_network network = job_network_of(&step);
    bool begins = !job->begun[host];
    if (job->wake_ps[host] <= now)
        job->wake_ps[host] = WEIR_NEVER;
    job->begun[host] = true;
    for (uint32_t i = job->first_rank[host]; i < job->first_rank[host + 1]; i++)
        if (!(begins ? job_begin : job_wake)(job->job, job->ranks[i], now, &network))
            return false;
    return true;
}

static bool job_ended(struct traffic_source *source, const struct flow_ended *flow, bool receiver,
                      const struct traffic_sink *sink, weir_ps now)
{
    const struct goal *goal = source->config->job->goal;
    struct job_step step = {source, sink};
    const struct job_network network = job_network_of(&step);
    if (now >= source->config->until_ps)
        return true; /* the job stands still */
    uint32_t from = goal_rank_of(goal, flow->cookie);
    const struct goal_op op = goal_op(&goal->rank[from], (uint32_t)(flow->cookie - goal->rank[from].first_place));
    const struct job_message message = {
        .from = from, .to = op.peer, .round = flow->group, .place = flow->cookie, .bytes = op.size};
    if (receiver && job_history(source->job->job))
        history_at(job_history(source->job->job), message.round, message.place)->arrived_ps = now;
    return (receiver ? job_arrived : job_sent)(source->job->job, &message, now, &network);
}

struct job *traffic_job_of(const struct traffic *traffic, uint32_t source)
{
    const struct traffic_job *job = traffic->sources[source].job;
    return job ? job->job : NULL;
}

uint32_t traffic_job_host(const struct traffic *traffic, uint32_t source, uint32_t rank)
{
    return traffic->sources[source].job->host[rank];
}

const struct traffic_kind traffic_job = {
    .prepare = job_prepare, .open = job_open, .launch = job_launch, .ended = job_ended, .woken = job_woken};
