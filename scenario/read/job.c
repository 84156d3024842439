/*
 * job.c - the files of traffic of kind job. A binary one is used where the system maps it, so that its size costs no
 * memory of the program's own; text becomes the same image.
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

static bool read_goal(struct build *build, const char *path)
{
    struct scenario_list *list = read_list_of(build);
    struct weir_error *error = build->reader.error;
    void *at;
    size_t size = 0;
    if (!map_file(path, &at, &size, error))
        return false;
    list->job_image = at;
    list->job_mapped = size;
    if (!goal_is(at, size)) {
        size_t image_size = 0;
        unsigned char *image = goal_from_text(at, size, &image_size, error);
        unmap(at, size);
        list->job_image = image;
        list->job_mapped = 0;
        size = image_size;
        if (image == NULL)
            return false;
    }
    return goal_open(&list->goal, list->job_image, size, NULL, error);
}

#define CHAKRA_RANKS_MAX 65536u

/* PREFIX.RANK.et, if there is such a file of rank 0, for as many ranks as there are files. */
static bool chakra_path(char path[PATH_MAX], const char *prefix, uint32_t rank)
{
    int length = snprintf(path, PATH_MAX, "%s.%" PRIu32 ".et", prefix, rank);
    return length > 0 && length < PATH_MAX && access(path, R_OK) == 0;
}

static bool read_chakra(struct build *build, const char *prefix, const struct traffic_item *item)
{
    struct scenario_list *list = read_list_of(build);
    struct weir_error *error = build->reader.error;
    char path[PATH_MAX];
    uint32_t ranks = 0, wrong = 0, mapped = 0;
    size_t size = 0;
    while (ranks < CHAKRA_RANKS_MAX && chakra_path(path, prefix, ranks))
        ranks++;
    struct chakra_file *files = calloc((size_t)ranks + 1, sizeof *files);
    bool good = files != NULL || weir_fail_memory(error);
    for (uint32_t r = 0; good && r < ranks; r++) {
        void *at;
        chakra_path(path, prefix, r);
        wrong = r;
        good = map_file(path, &at, &files[r].size, error);
        files[r].bytes = at;
        mapped += good;
        if (good && files[r].size >= 2 && files[r].bytes[0] == 0x1f && files[r].bytes[1] == 0x8b)
            good = weir_fail(error, WEIR_ERROR_MALFORMED, "is compressed (expected the trace itself: gunzip it)");
    }
    if (good)
        list->job_image = chakra_to_goal(files, ranks, &item->collective, &size, &wrong, error);
    for (uint32_t r = 0; r < mapped; r++)
        unmap((void *)(uintptr_t)files[r].bytes, files[r].size);
    free(files);
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
static bool make_collective(struct build *build, const struct node *map, struct traffic_item *item,
                            struct traffic_job_settings *job)
{
    struct scenario_list *list = read_list_of(build);
    struct weir_error *error = build->reader.error;
    struct collective *collective = &item->collective;
    uint32_t hosts = item->traffic.source_count > 0 ? item->traffic.source_count : build->reader.scale.hosts;
    uint64_t all = job->placement == TRAFFIC_PLACE_LISTED ? job->listed : (uint64_t)hosts * job->ranks_per_host;
    uint32_t ranks = item->collective_ranks > 0 ? item->collective_ranks : all < 1000000 ? (uint32_t)all : 1000000;
    size_t size = 0;
    if (!collective_check(collective, ranks, error))
        return reader_place(&build->reader, map, NULL);
    list->job_image = collective_image(collective, ranks, &size);
    if (list->job_image == NULL)
        return weir_fail_memory(error);
    job->collective_bytes = collective->bytes;
    job->bus_factor = collective_bus_factor(collective->operation, ranks);
    return goal_open(&list->goal, list->job_image, size, NULL, error);
}

bool read_job(struct build *build, const struct node *map, struct traffic_item *item)
{
    struct reader *reader = &build->reader;
    const struct node *at = node_find(map, "file"), *placed = node_find(map, "placement_file");
    const struct read_image_of what = {"file", at != NULL ? at->text : ""};
    const struct sim_transport *transport = &build->scenario->config.transports[item->traffic.transport];
    struct traffic_job_settings *job = arena_take(reader->arena, sizeof *job);
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
    if (at == NULL && !make_collective(build, map, item, job))
        return false;
    read_list_of(build)->path = item->file;
    char chakra[PATH_MAX];
    bool traced = at != NULL && access(item->file, F_OK) != 0 && chakra_path(chakra, item->file, 0);
    if (at != NULL && !(traced ? read_chakra(build, item->file, item) : read_goal(build, item->file)))
        return read_place_in_file(build, at, &what);
    job->goal = &read_list_of(build)->goal;
    item->traffic.job = job;
    return true;
}
