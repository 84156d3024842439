/*
 * files.c - the files that a scenario names, read whole. Those of traffic, flow lists and packet arrivals, are given to
 * sim's readers.
 * How a trace is compressed is the application's business (scenario_files.unpack).
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scenario/read/flow_table.h"
#include "scenario/read/htsim.h"
#include "scenario/read/read.h"

#define FILE_BYTES_MAX (INT64_C(1) << 30)

/* Beside the scenario, unless the name starts at the root. */
const char *read_file_path(struct build *build, const char *name)
{
    char *path = NULL;
    if (build->files == NULL)
        return NULL;
    if (name[0] == '/')
        path = strdup(name);
    else if (asprintf(&path, "%s/%s", build->files->folder, name) < 0)
        path = NULL;
    errno = 0;
    char *whole = path != NULL ? realpath(path, NULL) : NULL; /* a file that is missing is found out by opening it */
    const char *found = whole != NULL ? whole : errno != ENOMEM ? path : NULL;
    const char *kept = found != NULL ? arena_text(build->reader.arena, found, strlen(found)) : NULL;
    free(whole);
    free(path);
    return kept;
}

static bool load_stream(FILE *in, struct read_image *image, struct weir_error *error)
{
    struct stat about;
    if (fstat(fileno(in), &about) != 0)
        return weir_fail(error, WEIR_ERROR_READ, "%s", strerror(errno));
    if (!S_ISREG(about.st_mode))
        return weir_fail(error, WEIR_ERROR_INPUT, "is not a regular file");
    if (about.st_size > FILE_BYTES_MAX)
        return weir_fail(error, WEIR_ERROR_RANGE, "is larger than 1 GiB");
    image->bytes = malloc((size_t)about.st_size + 1);
    if (image->bytes == NULL)
        return weir_fail_memory(error);
    image->size = fread(image->bytes, 1, (size_t)about.st_size, in);
    return !ferror(in) || weir_fail(error, WEIR_ERROR_READ, "%s", strerror(errno));
}

/* The error is one of the file. */
bool read_place_in_file(struct build *build, const struct node *at, const struct read_image_of *what)
{
    weir_fail_within(build->reader.error, "%s: '%s': ", what->key, error_text(what->name).text);
    return reader_place(&build->reader, at, NULL);
}

struct scenario_list *read_list_of(struct build *build)
{
    return &build->scenario->lists[build->scenario->config.traffic_count];
}

bool read_image(struct build *build, const struct node *at, const struct read_image_of *what, const char **path,
                struct read_image *image)
{
    struct reader *reader = &build->reader;
    if (build->files == NULL)
        return reader_fail(reader, at, "%s: files cannot be read here", what->key);
    *path = read_file_path(build, what->name);
    if (*path == NULL)
        return weir_fail_memory(reader->error);
    int fd = open(*path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not block us: load_stream refuses it */
    FILE *in = fd >= 0 ? fdopen(fd, "rb") : NULL;
    int error = errno;
    if (fd >= 0 && in == NULL)
        close(fd);
    if (in == NULL && error == ENOMEM)
        return weir_fail_memory(reader->error);
    if (in == NULL)
        return reader_fail(reader, at, "%s: '%s': cannot open: %s", what->key, error_text(what->name).text,
                           strerror(error));
    bool loaded = load_stream(in, image, reader->error);
    fclose(in);
    return loaded || read_place_in_file(build, at, what);
}

static bool parse_image(struct build *build, const struct read_file *file, const struct read_image *image,
                        struct traffic_settings *traffic)
{
    struct weir_error *error = build->reader.error;
    struct scenario_list *list = read_list_of(build);
    const struct flow_list_setup setup = {build->reader.scale.hosts, traffic->tag, &build->scenario->tags};
    const uint8_t *bytes = image->bytes;
    if (traffic->kind == TRAFFIC_LIST) {
        const char *text = (const char *)bytes;
        bool read = htsim_is(text, image->size) ? htsim_read_flows(&list->flows, text, image->size, &setup, build)
                    : flow_table_is(text, image->size) ? flow_table_read(&list->flows, text, image->size, &setup, build)
                                                       : flow_list_read(&list->flows, text, image->size, &setup, error);
        traffic->flows = list->flows.at;
        traffic->listed = list->flows.count;
        traffic->triggers = list->flows.triggers;
        traffic->trigger_count = list->flows.trigger_count;
        if (read && traffic->trigger_count > 0 && !traffic_triggers_apart(traffic, &traffic->triggers_apart))
            return weir_fail_memory(error);
        return read;
    }
    list->packets.class_of_dscp = file->class_of_dscp;
    bool read = file->pcap ? packet_arrivals_from_capture(&list->packets, bytes, image->size, setup.hosts, error)
                           : packet_arrivals_from_trace(&list->packets, bytes, image->size, setup.hosts, error);
    list->packets.class_of_dscp = NULL; /* the caller's */
    traffic->packets = list->packets.at;
    traffic->listed = list->packets.count;
    return read;
}

/* What was left out of a file must not go unnoticed. */
static bool warn_of(struct build *build, const struct node *at, const struct read_file *file,
                    const struct traffic_settings *traffic)
{
    const struct packet_arrivals *packets = &read_list_of(build)->packets;
    const char *things = traffic->kind == TRAFFIC_LIST ? "flows" : "packets";
    const struct error_text name = error_text(file->name);
    /* Entries of the list that will never be sent, since they start outside of the item's time. */
    uint64_t outside = 0;
    for (uint32_t i = 0; i < traffic->listed; i++) {
        weir_ps start = traffic->kind == TRAFFIC_LIST ? traffic->flows[i].start_ps : traffic->packets[i].start_ps;
        bool waits = traffic->kind == TRAFFIC_LIST && traffic->flows[i].waits > 0;
        outside += !waits && (start < traffic->from_ps || start >= traffic->until_ps);
    }
    if (packets->not_ip > 0 && !read_warn(build, at, "file: '%s': %" PRIu64 " of %" PRIu64 " frames left out: not IP",
                                          name.text, packets->not_ip, packets->not_ip + packets->cut + packets->count))
        return false;
    if (packets->cut > 0 &&
        !read_warn(build, at, "file: '%s': %" PRIu64 " of %" PRIu64 " frames left out: captured without addresses",
                   name.text, packets->cut, packets->not_ip + packets->cut + packets->count))
        return false;
    if (traffic->listed == 0)
        return read_warn(build, at, "file: '%s': no %s in it", name.text, things);
    return outside == 0 ||
           read_warn(build, at,
                     "file: '%s': %" PRIu64 " of %" PRIu32 " %s left out: they start before 'from' or at or "
                     "after 'until'",
                     name.text, outside, traffic->listed, things);
}

bool read_traffic_file(struct build *build, const struct node *at, const struct read_file *file,
                       struct traffic_settings *traffic)
{
    struct read_image image = {NULL, 0};
    bool packed =
        traffic->kind == TRAFFIC_PACKETS && !file->pcap && build->files != NULL && build->files->unpack != NULL;
    const struct read_image_of what = {"file", file->name};
    bool good = read_image(build, at, &what, &read_list_of(build)->path, &image);
    if (good && !((!packed || build->files->unpack(&image.bytes, &image.size, build->reader.error)) &&
                  parse_image(build, file, &image, traffic)))
        good = read_place_in_file(build, at, &what);
    free(image.bytes);
    return good && warn_of(build, at, file, traffic);
}
