/*
 * job.c - the files of traffic of kind job. A binary one is used where the system maps it, so that its size costs no
 * memory of the program's own; text becomes the same image. Any of them may be gzip.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if !defined(__wasi__)
#include <sys/mman.h>
#endif
#include <sys/stat.h>
#include <unistd.h>

#include "scenario/read/read.h"
#include "scenario/read/traffic_item.h"
#include "sim/jobs/chakra.h"
#include "sim/jobs/simai.h"

#if defined(__wasi__) /* the playground, which reads no files */
static void *map(int fd, size_t size)
{
    (void)fd;
    (void)size;
    errno = ENOTSUP;
    return NULL;
}

static void unmap(void *at, size_t size)
{
    (void)at;
    (void)size;
}
#else
static void *map(int fd, size_t size)
{
    void *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    return at != MAP_FAILED ? at : NULL;
}

static void unmap(void *at, size_t size)
{
    munmap(at, size);
}
#endif

void job_file_free(struct scenario_list *list)
{
    goal_close(&list->goal);
    if (list->job_mapped > 0)
        unmap(list->job_image, list->job_mapped);
    else
        free(list->job_image);
    list->job_image = NULL;
    list->job_mapped = 0;
}

/* The whole file, mapped; *at null with an error. */
static bool map_file(const char *path, void **at, size_t *size, struct weir_error *error)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *at = NULL;
    if (fd < 0)
        return weir_fail(error, WEIR_ERROR_READ, "cannot open: %s", strerror(errno));
    if (fstat(fd, &about) != 0)
        weir_fail(error, WEIR_ERROR_READ, "%s", strerror(errno));
    else if (!S_ISREG(about.st_mode))
        weir_fail(error, WEIR_ERROR_INPUT, "is not a regular file");
    else if (about.st_size == 0)
        weir_fail(error, WEIR_ERROR_INPUT, "is empty (expected a job in GOAL's text or binary form)");
    else if ((*at = map(fd, (size_t)about.st_size)) == NULL)
        weir_fail(error, WEIR_ERROR_READ, "cannot map it: %s", strerror(errno));
    else
        *size = (size_t)about.st_size;
    close(fd);
    return *at != NULL;
}

/* What a job's file leaves open. */
struct job_how {
    struct collective_choice choice;
    uint32_t ranks, room; /* as given, 0: as the file says; for how many there is room */
};

/* A file of a job: mapped, or from malloc when it was compressed. */
struct job_file {
    void *at;
    size_t size;
    bool mapped;
};

static void file_free(const struct job_file *file)
{
    if (file->mapped)
        unmap(file->at, file->size);
    else
        free(file->at);
}

/* False with an error; there is then nothing to free. */
static bool file_read(const struct build *build, const char *path, struct job_file *file)
{
    struct weir_error *error = build->reader.error;
    *file = (struct job_file){.mapped = true};
    if (!map_file(path, &file->at, &file->size, error))
        return false;
    const uint8_t *bytes = file->at;
    if (file->size < 2 || bytes[0] != 0x1f || bytes[1] != 0x8b)
        return true;
    size_t size = file->size;
    uint8_t *copy = malloc(size);
    bool good = copy != NULL || weir_fail_memory(error);
    if (good)
        memcpy(copy, bytes, size);
    file_free(file);
    if (good && build->files->unpack == NULL)
        good = weir_fail(error, WEIR_ERROR_MALFORMED, "is compressed (expected the file itself: gunzip it)");
    if (good && build->files->unpack(&copy, &size, error)) {
        *file = (struct job_file){copy, size, false};
        return true;
    }
    free(copy);
    return false;
}

/* Text becomes an image. */
static unsigned char *read_text(struct build *build, const struct job_file *file, const struct node *map,
                                const struct job_how *how, size_t *size)
{
    struct weir_error *error = build->reader.error;
    struct simai_about about;
    if (!simai_is(file->at, file->size)) {
        if (how->ranks == 0)
            return goal_from_text(file->at, file->size, size, error);
        weir_fail(error, WEIR_ERROR_INPUT, "ranks: the file itself says how many there are (expected no 'ranks')");
        return NULL;
    }
    const struct simai_setup setup = {.ranks = how->ranks, .room = how->room, .choice = &how->choice};
    unsigned char *image = simai_to_goal(file->at, file->size, &setup, size, &about, error);
    bool told = image == NULL || about.stages < 2 ||
                read_warn(build, node_find(map, "file"),
                          "file: %" PRIu32 " pipeline stages run the same %" PRIu32
                          " layers at once: a workload text does not say what they send each other",
                          about.stages, about.layers);
    if (told)
        return image;
    free(image);
    weir_fail_memory(error);
    return NULL;
}

static bool read_goal(struct build *build, const char *path, const struct node *map, const struct job_how *how)
{
    struct scenario_list *list = read_list_of(build);
    struct weir_error *error = build->reader.error;
    struct job_file file;
    if (!file_read(build, path, &file))
        return false;
    list->job_image = file.at;
    list->job_mapped = file.mapped ? file.size : 0;
    if (!goal_is(file.at, file.size)) {
        unsigned char *image = read_text(build, &file, map, how, &file.size);
        job_file_free(list);
        list->job_image = image;
        if (image == NULL)
            return false;
    }
    return goal_open(&list->goal, list->job_image, file.size, NULL, error);
}

#define CHAKRA_RANKS_MAX 65536u

/* PREFIX.RANK.et, if there is such a file of rank 0, for as many ranks as there are files. */
static bool chakra_path(char path[PATH_MAX], const char *prefix, uint32_t rank)
{
    int length = snprintf(path, PATH_MAX, "%s.%" PRIu32 ".et", prefix, rank);
    return length > 0 && length < PATH_MAX && access(path, R_OK) == 0;
}

static bool read_chakra(struct build *build, const char *prefix, const struct job_how *how)
{
    struct scenario_list *list = read_list_of(build);
    struct weir_error *error = build->reader.error;
    char path[PATH_MAX];
    uint32_t ranks = 0, wrong = 0, read = 0;
    size_t size = 0;
    while (ranks < CHAKRA_RANKS_MAX && chakra_path(path, prefix, ranks))
        ranks++;
    struct job_file *files = calloc((size_t)ranks + 1, sizeof *files);
    struct chakra_file *parts = calloc((size_t)ranks + 1, sizeof *parts);
    bool good = (files != NULL && parts != NULL) || weir_fail_memory(error);
    while (good && read < ranks) {
        chakra_path(path, prefix, read);
        wrong = read;
        good = file_read(build, path, &files[read]);
        if (good)
            parts[read] = (struct chakra_file){files[read].at, files[read].size};
        read += good;
    }
    if (good)
        list->job_image = chakra_to_goal(parts, ranks, &how->choice, &size, &wrong, error);
    for (uint32_t r = 0; r < read; r++)
        file_free(&files[r]);
    free(files);
    free(parts);
    if (list->job_image == NULL)
        return weir_fail_within(error, "rank %" PRIu32 ".et: ", wrong);
    return goal_open(&list->goal, list->job_image, size, NULL, error);
}

/* Hosts as numbers, one for each rank. */
static bool read_hosts(struct build *build, const struct node *at, const char *name, struct traffic_job_settings *job)
{
    struct reader *reader = &build->reader;
    const struct read_image_of what = {"placement_file", name};
    struct read_image image = {NULL, 0};
    const char *path;
    if (!read_image(build, at, &what, &path, &image)) {
        free(image.bytes);
        return false;
    }
    uint32_t *hosts = arena_take_array(reader->arena, image.size / 2 + 2, sizeof *hosts), line = 1;
    bool good = hosts != NULL || weir_fail_memory(reader->error);
    for (size_t i = 0; good && i < image.size;) {
        uint8_t c = image.bytes[i];
        if (c == '#') {
            while (i < image.size && image.bytes[i] != '\n')
                i++;
        } else if (c >= '0' && c <= '9') {
            uint64_t host = 0;
            for (; i < image.size && image.bytes[i] >= '0' && image.bytes[i] <= '9' && host <= UINT32_MAX; i++)
                host = 10 * host + (uint64_t)(image.bytes[i] - '0');
            if (host >= reader->scale.hosts)
                good = weir_fail(reader->error, WEIR_ERROR_RANGE,
                                 "line %" PRIu32 ": host %" PRIu64 " for rank %" PRIu32 " (expected 0 to %" PRIu32 ")",
                                 line, host, job->listed, reader->scale.hosts - 1);
            hosts[job->listed++] = (uint32_t)host;
        } else if (c == '\n' || c == ' ' || c == '\t' || c == '\r') {
            line += c == '\n';
            i++;
        } else {
            good = weir_fail(reader->error, WEIR_ERROR_MALFORMED,
                             "line %" PRIu32 ": not a number of a host (expected one for each rank)", line);
        }
    }
    free(image.bytes);
    job->hosts = hosts;
    job->placement = TRAFFIC_PLACE_LISTED;
    return good || read_place_in_file(build, at, &what);
}

/* The job of a collective, in place of a file's. */
static bool make_collective(struct build *build, const struct node *map, const struct traffic_item *item,
                            const struct job_how *how, struct traffic_job_settings *job)
{
    struct scenario_list *list = read_list_of(build);
    struct weir_error *error = build->reader.error;
    struct collective collective = item->collective;
    const uint32_t ranks = how->ranks > 0 ? how->ranks : how->room;
    const struct collective_members members = {NULL, ranks, 0};
    size_t size = 0;
    bool good = item->tuning != NULL ? collective_choose(&collective, &how->choice, &members, error)
                                     : collective_check(&collective, ranks, error);
    if (!good)
        return reader_place(&build->reader, map, NULL);
    list->job_image = collective_image(&collective, ranks, &size);
    if (list->job_image == NULL)
        return weir_fail_memory(error);
    job->collective_bytes = collective.bytes;
    job->bus_factor = collective_bus_factor(collective.operation, ranks);
    return goal_open(&list->goal, list->job_image, size, NULL, error);
}

static bool read_tuning(struct build *build, const struct node *map, const char *name, struct tuning *tuning)
{
    const struct node *at = node_find(map, "tuning"), *algorithm = node_find(map, "algorithm");
    const struct read_image_of what = {"tuning", name};
    struct read_image image = {NULL, 0};
    const char *path;
    if (algorithm != NULL)
        return reader_fail(&build->reader, algorithm,
                           "algorithm: 'tuning' is there too (expected one of them: its last line can be for all)");
    bool good = read_image(build, at, &what, &path, &image);
    if (good && !tuning_read(tuning, (const char *)image.bytes, image.size, build->reader.error))
        good = read_place_in_file(build, at, &what);
    free(image.bytes);
    return good;
}

/* The job itself, once it is known how. */
static bool read_operations(struct build *build, const struct node *map, const struct traffic_item *item,
                            const struct job_how *how, struct traffic_job_settings *job)
{
    const struct node *at = node_find(map, "file");
    const struct read_image_of what = {"file", at != NULL ? at->text : ""};
    char chakra[PATH_MAX];
    if (at == NULL)
        return make_collective(build, map, item, how, job);
    bool traced = access(item->file, F_OK) != 0 && chakra_path(chakra, item->file, 0);
    if (traced && how->ranks > 0)
        return reader_fail(&build->reader, node_find(map, "ranks"),
                           "ranks: each file of a trace is a rank (expected no 'ranks')");
    return (traced ? read_chakra(build, item->file, how) : read_goal(build, item->file, map, how)) ||
           read_place_in_file(build, at, &what);
}

bool read_job(struct build *build, const struct node *map, struct traffic_item *item)
{
    struct reader *reader = &build->reader;
    const struct node *at = node_find(map, "file"), *placed = node_find(map, "placement_file");
    const struct sim_transport *transport = &build->scenario->config.transports[item->traffic.transport];
    const struct topology *topology = &build->scenario->topology;
    struct traffic_job_settings *job = arena_take(reader->arena, sizeof *job);
    struct tuning tuning = {.lines = NULL};
    if (job == NULL)
        return weir_fail_memory(reader->error);
    *job = item->job;
    if (at != NULL && build->files == NULL)
        return reader_fail(reader, at, "file: files cannot be read here");
    if (transport->kind->ack == NULL)
        return reader_fail(reader, node_find(map, "transport"),
                           "transport: %s does not repeat what is lost, and a job would wait for ever (expected a "
                           "transport with feedback)",
                           transport->kind->name);
    if (item->job.stride > 1 && item->job.placement != TRAFFIC_PLACE_STRIDED)
        return reader_fail(reader, node_find(map, "stride"),
                           "stride: of the strided placement alone (expected "
                           "'placement: strided')");
    if (placed != NULL && node_find(map, "placement") != NULL)
        return reader_fail(reader, placed, "placement_file: 'placement' is there too (expected one of them)");
    if (placed != NULL && !read_hosts(build, placed, placed->text, job))
        return false;
    const uint64_t hosts = item->traffic.source_count > 0 ? item->traffic.source_count : reader->scale.hosts;
    const uint64_t room = job->placement == TRAFFIC_PLACE_LISTED ? job->listed : hosts * job->ranks_per_host;
    const uint32_t server = job->ranks_per_host * (topology_has_servers(topology) ? topology->server.hosts : 1);
    const struct job_how how = {.choice = {.usual = item->collective, .tuning = &tuning, .server = server},
                                .ranks = item->collective_ranks,
                                .room = room < 1000000 ? (uint32_t)room : 1000000};
    read_list_of(build)->path = item->file;
    bool good = (item->tuning == NULL || read_tuning(build, map, item->tuning, &tuning)) &&
                read_operations(build, map, item, &how, job);
    tuning_free(&tuning);
    job->goal = &read_list_of(build)->goal;
    item->traffic.job = job;
    return good;
}
