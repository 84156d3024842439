/*
 * read_files.c - the files that traffic names: flow lists and packet arrivals, read whole and given to sim's readers.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scenario/read.h"

#define FILE_BYTES_MAX (INT64_C(1) << 30)

struct image {
    char *bytes;
    size_t size;
};

/* Beside the scenario, unless the name starts at the root. */
static char *file_path(const char *folder, const char *name)
{
    char *path = NULL;
    if (name[0] == '/')
        return strdup(name);
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* Null when it could be read, else why not. */
static const char *load_stream(FILE *in, struct image *image)
{
    struct stat about;
    if (fstat(fileno(in), &about) != 0)
        return strerror(errno);
    if (!S_ISREG(about.st_mode))
        return "is not a regular file";
    if (about.st_size > FILE_BYTES_MAX)
        return "is larger than 1 GiB";
    image->bytes = malloc((size_t)about.st_size + 1);
    if (image->bytes == NULL)
        return strerror(ENOMEM);
    image->size = fread(image->bytes, 1, (size_t)about.st_size, in);
    return ferror(in) ? strerror(errno) : NULL;
}

static bool load_file(struct build *build, const struct node *at, const char *name, struct image *image)
{
    struct reader *reader = &build->reader;
    if (reader->folder == NULL)
        return reader_fail(reader, at, "file: files cannot be read here");
    char *path = file_path(reader->folder, name);
    if (path == NULL)
        return error_memory(reader->error);
    FILE *in = fopen(path, "rb");
    int error = errno;
    free(path);
    if (in == NULL && error == ENOMEM)
        return error_memory(reader->error);
    if (in == NULL)
        return reader_fail(reader, at, "file: '%s': cannot open: %s", error_text(name).text, strerror(error));
    const char *why = load_stream(in, image);
    fclose(in);
    if (why == NULL)
        return true;
    if (image->bytes == NULL && strcmp(why, strerror(ENOMEM)) == 0)
        return error_memory(reader->error);
    return reader_fail(reader, at, "file: '%s': %s", error_text(name).text, why);
}

static bool parse_image(struct build *build, const struct read_file *file, const struct image *image,
                        struct sim_traffic *traffic, char message[WEIR_MESSAGE_MAX])
{
    struct scenario_list *list = &build->scenario->lists[build->scenario->config.traffic_count];
    const struct flow_list_setup setup = {build->reader.scale.hosts, traffic->tag, &build->scenario->tags};
    const uint8_t *bytes = (const uint8_t *)image->bytes;
    if (traffic->kind == SIM_TRAFFIC_LIST) {
        bool read = flow_list_read(&list->flows, image->bytes, image->size, &setup, message);
        traffic->flows = list->flows.at;
        traffic->listed = list->flows.count;
        return read;
    }
    bool read = file->pcap ? packet_arrivals_from_pcap(&list->packets, bytes, image->size, setup.hosts, message)
                           : packet_arrivals_from_trace(&list->packets, bytes, image->size, setup.hosts, message);
    traffic->packets = list->packets.at;
    traffic->listed = list->packets.count;
    return read;
}

bool read_traffic_file(struct build *build, const struct node *at, const struct read_file *file,
                       struct sim_traffic *traffic)
{
    struct image image = {NULL, 0};
    char message[WEIR_MESSAGE_MAX] = "", named[WEIR_MESSAGE_MAX];
    bool good = load_file(build, at, file->name, &image);
    if (good && !parse_image(build, file, &image, traffic, message)) {
        snprintf(named, sizeof named, "file: '%s': %.180s", error_text(file->name).text, message);
        good = read_complain(build, at, named);
    }
    free(image.bytes);
    return good;
}
