/*
 * ranks.c - see ranks.h. A letter is copied where it is sent; who has all of a round takes them. A rank whose thread
 * has ended is lost: whoever waits for it is told.
 */
#include "tests/support/ranks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 4u /* of which letters are kept: who posts may be one ahead of who fetches */

struct mail {
    unsigned char *bytes;
    size_t size;
    uint64_t round; /* 0: none yet */
};

struct office {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t ranks;
    bool gone[RANKS_MAX];
    struct mail mail[ROUNDS][RANKS_MAX][RANKS_MAX]; /* by round: from, to */
    struct ranks_run *run;
};

struct member {
    struct office *office;
    struct sim_ranks ranks;
    struct sim_config config;
    uint64_t round, posted;
    pthread_t thread;
};

/* False: out of memory. */
static bool post(struct member *member, const struct sim_letter *out)
{
    struct office *office = member->office;
    for (uint32_t r = 0; r < office->ranks; r++) {
        struct mail *mail = &office->mail[member->posted % ROUNDS][member->ranks.own][r];
        if (r == member->ranks.own)
            continue;
        free(mail->bytes);
        mail->bytes = malloc(out[r].size + 1);
        if (mail->bytes == NULL)
            return false;
        memcpy(mail->bytes, out[r].size > 0 ? out[r].bytes : "", out[r].size);
        mail->size = out[r].size;
        mail->round = member->posted;
        office->run->letters++;
        office->run->bytes += out[r].size;
    }
    pthread_cond_broadcast(&office->changed);
    return true;
}

static bool fetch(struct member *member, struct sim_letter *in, struct weir_error *error)
{
    struct office *office = member->office;
    for (uint32_t r = 0; r < office->ranks; r++) {
        struct mail *mail = &office->mail[member->round % ROUNDS][r][member->ranks.own];
        if (r == member->ranks.own)
            continue;
        while (mail->round < member->round && !office->gone[r])
            pthread_cond_wait(&office->changed, &office->lock);
        if (mail->round != member->round)
            return weir_fail(error, WEIR_ERROR_SYSTEM, "rank %u is lost", r);
        in[r] = (struct sim_letter){mail->bytes, mail->size};
    }
    return true;
}

static bool is_near(void *context)
{
    (void)context;
    return true;
}

static bool post_letters(void *context, const struct sim_letter *out, struct weir_error *error)
{
    struct member *member = context;
    struct office *office = member->office;
    const struct ranks_run *run = office->run;
    if (++member->posted == run->leaves_at && member->ranks.own == run->leaves)
        return weir_fail(error, WEIR_ERROR_SYSTEM, "leaves");
    pthread_mutex_lock(&office->lock);
    bool good = post(member, out) || weir_fail_memory(error);
    pthread_mutex_unlock(&office->lock);
    return good;
}

static bool fetch_letters(void *context, struct sim_letter *in, struct weir_error *error)
{
    struct member *member = context;
    member->round++;
    pthread_mutex_lock(&member->office->lock);
    bool good = fetch(member, in, error);
    pthread_mutex_unlock(&member->office->lock);
    return good;
}

static bool exchange(void *context, const struct sim_letter *out, struct sim_letter *in, struct weir_error *error)
{
    return post_letters(context, out, error) && fetch_letters(context, in, error);
}

static void *live(void *context)
{
    struct member *member = context;
    struct office *office = member->office;
    struct ranks_run *run = office->run;
    uint32_t own = member->ranks.own;
    run->sim[own] = sim_create(&member->config, &run->error[own]);
    if (run->sim[own] != NULL)
        run->status[own] = sim_run(run->sim[own], own == 0 ? run->progress : NULL, run->context);
    pthread_mutex_lock(&office->lock);
    office->gone[own] = true;
    pthread_cond_broadcast(&office->changed);
    pthread_mutex_unlock(&office->lock);
    return NULL;
}

void ranks_run(struct ranks_run *run, const struct sim_config *config, uint32_t ranks)
{
    struct office *office = calloc(1, sizeof *office);
    struct member *member = calloc(ranks, sizeof *member);
    pthread_mutex_init(&office->lock, NULL);
    pthread_cond_init(&office->changed, NULL);
    office->ranks = ranks;
    office->run = run;
    for (uint32_t i = 0; i < ranks; i++) {
        member[i].office = office;
        member[i].ranks = (struct sim_ranks){.count = ranks,
                                             .own = i,
                                             .context = &member[i],
                                             .exchange = exchange,
                                             .is_near = is_near,
                                             .post = post_letters,
                                             .fetch = fetch_letters};
        member[i].config = *config;
        member[i].config.ranks = &member[i].ranks;
    }
    for (uint32_t i = 1; i < ranks; i++)
        pthread_create(&member[i].thread, NULL, live, &member[i]);
    live(&member[0]);
    for (uint32_t i = 1; i < ranks; i++)
        pthread_join(member[i].thread, NULL);
    for (uint32_t i = 0; i < ROUNDS * ranks * ranks; i++)
        free(office->mail[i % ROUNDS][i / ROUNDS / ranks][i / ROUNDS % ranks].bytes);
    pthread_cond_destroy(&office->changed);
    pthread_mutex_destroy(&office->lock);
    free(member);
    free(office);
}

void ranks_run_free(struct ranks_run *run)
{
    for (uint32_t i = 0; i < RANKS_MAX; i++)
        sim_free(run->sim[i]);
}
