/*
 * ranks.c - see ranks.h.
 */
#define _GNU_SOURCE 1
#include "lab/spread/ranks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lab/spread/makers.h"
#include "lab/spread/work.h"
#include "lab/store/code.h"

#define TEXT_MAX 1000u

enum letter {
    LETTER_READY,  /* to rank 0: makes `number` runs at a time; `digest` of the plans; the name of its machine */
    LETTER_UNFIT,  /* to rank 0: cannot make runs; why */
    LETTER_MAKE,   /* from rank 0: run `number` of file `file` */
    LETTER_PARCEL, /* to rank 0: that run */
};

struct letter_head {
    uint32_t kind, file, number, unused;
    uint64_t digest;
    char host[RANKS_HOST_MAX];
};

static struct spread_ranks job = {.alone = true, .spoken = -1};

/* The words of rank 0 are enough: what another one says goes to rank 0, if it has to be known. */
static void be_silent(void)
{
    job.spoken = memfd_create("messages", MFD_CLOEXEC);
    if (job.spoken < 0)
        return;
    fflush(NULL);
    dup2(job.spoken, STDOUT_FILENO);
    dup2(job.spoken, STDERR_FILENO);
}

void spread_ranks_begin(void)
{
    struct cluster_job found;
    if (!cluster_find_job(&found) || found.size < 2)
        return;
    job.alone = false;
    job.there = cluster_start(&job.cluster, &found, &job.error);
    if (found.rank > 0)
        be_silent();
}

struct spread_ranks *spread_ranks_find(int *code)
{
    *code = job.alone || job.there ? CLI_OK : cli_report(&job.error);
    return job.there ? &job : NULL;
}

void spread_ranks_warn(const struct spread_choice *choice)
{
    uint32_t tasks;
    if (!choice->quiet && cluster_find_tasks(&tasks))
        cli_error(CLI_OK,
                  "warning: srun has started %u tasks without MPI, and each makes these runs by itself ('srun "
                  "--mpi=pmix' lets them share the runs)",
                  tasks);
}

bool spread_ranks_split(const struct spread_choice *choice, const struct plan *plans)
{
    if (choice->ranks == NULL || choice->file_count != 1 || choice->print_config || choice->list)
        return false;
    bool one = plans->runs == 1 || (choice->only.count > 0 && plans->todo_count == 1);
    return one && !plans->real[plans->todo[0]];
}

uint32_t spread_ranks_here(const struct spread_ranks *ranks)
{
    return ranks != NULL ? ranks->cluster.job.here : 1;
}

uint32_t spread_ranks_count(const struct spread_ranks *ranks)
{
    return ranks != NULL ? ranks->cluster.job.size : 1;
}

void spread_ranks_end(int code)
{
    if (job.there) {
        fflush(NULL);
        cluster_end(&job.cluster, code);
    }
    for (uint32_t i = 0; job.at != NULL && i < job.cluster.job.size; i++)
        free(job.at[i].items);
    free(job.at);
    if (job.spoken >= 0)
        close(job.spoken);
    job = (struct spread_ranks){.alone = true, .spoken = -1};
}

static uint64_t add_text(uint64_t sum, const char *text)
{
    for (; *text != '\0'; text++)
        sum = (sum ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return (sum ^ 1) * UINT64_C(0x100000001b3);
}

/* What runs there are, and what would make them. */
static uint64_t digest_of(const struct plan *plans, uint32_t files)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (uint32_t file = 0; file < files; file++) {
        for (uint32_t run = 0; run < plans[file].runs; run++)
            sum = add_text(add_text(sum, plans[file].ids[run]), plans[file].codes[run]);
        sum = add_text(sum, "");
    }
    return sum;
}

uint64_t spread_ranks_digest(const struct plan *plan, uint32_t run)
{
    return add_text(digest_of(plan, 1), plan->ids[run]) + plan->threads;
}

/* A head, and bytes behind it. */
static bool send_letter(struct spread_ranks *ranks, uint32_t rank, struct letter_head *head, const void *bytes,
                        size_t size)
{
    char *letter = malloc(sizeof *head + size);
    if (letter == NULL)
        return false;
    gethostname(head->host, RANKS_HOST_MAX - 1);
    memcpy(letter, head, sizeof *head);
    if (size > 0)
        memcpy(letter + sizeof *head, bytes, size);
    bool sent = cluster_send(&ranks->cluster, rank, letter, sizeof *head + size);
    free(letter);
    return sent;
}

/* The other ranks. */

struct server {
    struct spread_ranks *ranks;
    const struct plan *plans;
    struct spread_work work;
    uint32_t file;
};

static void turn(void *context, uint32_t file, struct pool_settings *settings)
{
    struct server *server = context;
    server->file = file;
    server->work.plan = &server->plans[file];
    *settings = spread_pool(&server->work, settings->jobs);
}

static int send_parcel(void *context, const struct pool_done *done, const char *version)
{
    struct server *server = context;
    const struct plan *plan = server->work.plan;
    struct letter_head head = {.kind = LETTER_PARCEL, .file = server->file, .number = done->item};
    struct parcel parcel = {.code = plan->codes[done->item], .version = version, .done = *done};
    size_t size;
    memcpy(parcel.id, plan->ids[done->item], sizeof parcel.id);
    uint8_t *bytes = parcel_pack(&parcel, &size);
    bool sent = bytes != NULL && send_letter(server->ranks, 0, &head, bytes, size);
    free(bytes);
    return sent ? CLI_OK : CLI_INTERNAL;
}

/* Why this rank has no plan: the last line that it has said, for rank 0 to tell. */
void spread_ranks_tell_unfit(struct spread_ranks *ranks)
{
    char said[TEXT_MAX + 1] = "";
    struct letter_head head = {.kind = LETTER_UNFIT};
    off_t size = ranks->spoken >= 0 ? lseek(ranks->spoken, 0, SEEK_END) : 0;
    ssize_t got = size > 0 ? pread(ranks->spoken, said, TEXT_MAX, size > (off_t)TEXT_MAX ? size - TEXT_MAX : 0) : 0;
    said[got > 0 ? got : 0] = '\0';
    if (got > 0 && said[got - 1] == '\n')
        said[got - 1] = '\0';
    const char *line = strrchr(said, '\n') != NULL ? strrchr(said, '\n') + 1 : said;
    size_t prefix = strlen(cli_program_name());
    if (strncmp(line, cli_program_name(), prefix) == 0 && line[prefix] == ':')
        line += prefix + 2;
    send_letter(ranks, 0, &head, line, strlen(line));
}

int spread_ranks_serve(struct spread_ranks *ranks, const struct spread_choice *choice, const struct plan *plans,
                       int code)
{
    uint32_t jobs = choice->jobs > 0 ? (uint32_t)choice->jobs : 1;
    struct server server = {
        .ranks = ranks, .plans = plans, .work = {.plan = plans, .jobs = jobs * spread_ranks_here(ranks)}};
    struct sweep_progress nobody = {.every = 0};
    const struct makers makers = {.settings = {.jobs = jobs, .work = spread_work, .context = &server.work},
                                  .ranks = ranks,
                                  .progress = &nobody,
                                  .keep = send_parcel,
                                  .turn = turn,
                                  .context = &server};
    struct letter_head ready = {.kind = LETTER_READY, .number = jobs};
    if (code != CLI_OK) {
        spread_ranks_tell_unfit(ranks);
        return CLI_OK; /* rank 0 says whether the job has failed */
    }
    ready.digest = digest_of(plans, choice->file_count);
    return send_letter(ranks, 0, &ready, NULL, 0) ? makers_run(&makers) : CLI_INTERNAL;
}

/* Rank 0. */

void spread_ranks_plan(struct spread_ranks *ranks, const struct plan *plans, uint32_t files, uint32_t file)
{
    if (ranks->at == NULL) {
        ranks->at = calloc(ranks->cluster.job.size, sizeof *ranks->at); /* null: nobody but this rank makes runs */
        ranks->digest = digest_of(plans, files);
    }
    ranks->file = file;
    ranks->plan = &plans[file];
}

uint32_t spread_ranks_running(const struct spread_ranks *ranks)
{
    uint32_t running = 0;
    for (uint32_t i = 0; ranks->at != NULL && i < ranks->cluster.job.size; i++)
        running += ranks->at[i].running;
    return running;
}

uint32_t spread_ranks_jobs(const struct spread_ranks *ranks, uint32_t rank)
{
    return ranks->at != NULL ? ranks->at[rank].jobs : 0;
}

/* The rank with most room; 0: none has any. */
static uint32_t find_room(const struct spread_ranks *ranks)
{
    uint32_t best = 0, most = 0;
    for (uint32_t i = 1; ranks->at != NULL && i < ranks->cluster.job.size; i++)
        if (!ranks->at[i].lost && ranks->at[i].jobs - ranks->at[i].running > most) {
            best = i;
            most = ranks->at[i].jobs - ranks->at[i].running;
        }
    return best;
}

bool spread_ranks_have_room(const struct spread_ranks *ranks)
{
    return find_room(ranks) > 0;
}

bool spread_ranks_start(struct spread_ranks *ranks, uint32_t item)
{
    uint32_t to = find_room(ranks);
    struct rank *rank = &ranks->at[to];
    struct letter_head head = {.kind = LETTER_MAKE, .file = ranks->file, .number = item};
    if (!send_letter(ranks, to, &head, NULL, 0))
        return false;
    rank->items[rank->running++] = item;
    return true;
}

static char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *text_of(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int size = vasprintf(&text, format, arguments);
    va_end(arguments);
    return size >= 0 ? text : NULL;
}

static void take_ready(struct spread_ranks *ranks, uint32_t number, const struct letter_head *head,
                       struct ranks_news *news)
{
    struct rank *rank = &ranks->at[number];
    if (head->digest != ranks->digest) {
        news->text = text_of("rank %u on %s would make other runs than rank 0, or is another weir: goes on without it "
                             "(expected the same files and the same program everywhere)",
                             number, rank->host);
        return;
    }
    uint32_t *items = rank->items == NULL && head->number <= INT32_MAX ? calloc(head->number, sizeof *items) : NULL;
    if (items == NULL)
        return;
    rank->items = items;
    rank->jobs = head->number;
}

void spread_ranks_explain(const struct cluster_news *letter, struct weir_error *error)
{
    struct letter_head head = {.kind = LETTER_READY};
    if (letter->size >= sizeof head)
        memcpy(&head, letter->bytes, sizeof head);
    head.host[RANKS_HOST_MAX - 1] = '\0';
    if (head.kind == LETTER_UNFIT)
        weir_fail(error, WEIR_ERROR_SYSTEM, "rank %u on %s: %.*s", letter->rank, head.host,
                  (int)(letter->size - sizeof head), (const char *)letter->bytes + sizeof head);
    else
        weir_fail(error, WEIR_ERROR_SYSTEM,
                  "rank %u on %s would make other runs than rank 0, or is another weir (expected the same files and "
                  "the same program everywhere)",
                  letter->rank, head.host);
}

/* A rank whose runs others make now, if it was used at all. */
static enum ranks_event take_loss(struct spread_ranks *ranks, uint32_t number, struct ranks_news *news)
{
    if (ranks->at == NULL || ranks->at[number].jobs == 0 || ranks->at[number].lost)
        return RANKS_NEWS;
    struct rank *rank = &ranks->at[number];
    news->lost = rank->items;
    news->count = rank->running;
    news->text = text_of("rank %u on %s is lost: %u %s made again", number, rank->host, rank->running,
                         rank->running == 1 ? "run is" : "runs are");
    rank->lost = true;
    rank->running = 0;
    return RANKS_LOST;
}

/* False: it is not what this rank was asked for. */
static bool take_parcel(struct spread_ranks *ranks, struct rank *rank, const struct letter_head *head,
                        const struct cluster_news *letter, struct ranks_news *news)
{
    struct parcel parcel;
    char name[CODE_NAME_MAX];
    uint32_t place = 0;
    while (place < rank->running && rank->items[place] != head->number)
        place++;
    if (place == rank->running || head->file != ranks->file)
        return false;
    if (!parcel_unpack(&parcel, letter->bytes + sizeof *head, letter->size - sizeof *head) ||
        strcmp(parcel.id, ranks->plan->ids[head->number]) != 0 ||
        code_compare(parcel.code, ranks->plan->codes[head->number], name) != CODE_SAME)
        return false;
    rank->items[place] = rank->items[--rank->running];
    news->done = parcel.done;
    news->done.item = head->number;
    news->version = parcel.version;
    return true;
}

static enum ranks_event take_letter(struct spread_ranks *ranks, struct cluster_news *letter, struct ranks_news *news)
{
    struct letter_head head;
    if (letter->size < sizeof head || ranks->at == NULL)
        return RANKS_NEWS;
    memcpy(&head, letter->bytes, sizeof head);
    head.host[RANKS_HOST_MAX - 1] = '\0';
    struct rank *rank = &ranks->at[letter->rank];
    snprintf(rank->host, sizeof rank->host, "%s", head.host);
    if (head.kind == LETTER_READY) {
        take_ready(ranks, letter->rank, &head, news);
    } else if (head.kind == LETTER_UNFIT) {
        news->text = text_of("rank %u on %s: %.*s: goes on without it", letter->rank, rank->host,
                             (int)(letter->size - sizeof head), (const char *)letter->bytes + sizeof head);
    } else if (head.kind == LETTER_PARCEL) {
        if (!take_parcel(ranks, rank, &head, letter, news))
            return take_loss(ranks, letter->rank, news);
        news->parcel = letter->bytes;
        letter->bytes = NULL;
        return RANKS_DONE;
    }
    return RANKS_NEWS;
}

/* In another rank: the ends of the job are all alike. */
static enum ranks_event take_request(enum cluster_event event, const struct cluster_news *letter,
                                     struct ranks_news *news)
{
    struct letter_head head;
    if (event == CLUSTER_NOTHING)
        return RANKS_NOTHING;
    if (event != CLUSTER_MESSAGE)
        return RANKS_CLOSED;
    if (letter->size != sizeof head)
        return RANKS_NEWS;
    memcpy(&head, letter->bytes, sizeof head);
    news->file = head.file;
    news->run = head.number;
    return RANKS_ASKED;
}

enum ranks_event spread_ranks_look(struct spread_ranks *ranks, struct ranks_news *news)
{
    struct cluster_news letter = {.bytes = NULL};
    *news = (struct ranks_news){.parcel = NULL};
    enum ranks_event event = RANKS_NOTHING;
    enum cluster_event received = cluster_receive(&ranks->cluster, &letter);
    news->rank = letter.rank;
    if (ranks->cluster.job.rank > 0) {
        event = take_request(received, &letter, news);
        free(letter.bytes);
        return event;
    }
    switch (received) {
    case CLUSTER_NOTHING:
        return RANKS_NOTHING;
    case CLUSTER_CLOSED:
        return RANKS_CLOSED;
    case CLUSTER_NO_MEMORY:
        return RANKS_NO_MEMORY;
    case CLUSTER_BATCH:
        news->text = text_of("rank %u would make one run, and rank 0 many: goes on without it (expected the same files "
                             "everywhere)",
                             letter.rank);
        event = RANKS_NEWS;
        break;
    case CLUSTER_MESSAGE:
        event = take_letter(ranks, &letter, news);
        break;
    case CLUSTER_LOST:
        event = take_loss(ranks, letter.rank, news);
        break;
    }
    free(letter.bytes);
    return event;
}
