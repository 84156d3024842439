/*
 * dctcp.c - see dctcp.h.
 *
 * What is registered the plain way stays when its process ends, without a file system to pin it in: it is found again
 * among the maps of the machine by its name. What is held belongs to a link, which the kernel takes away with its last
 * descriptor; kernels before 6.4 have none for this, and there the process has to unregister it itself.
 */
#define _GNU_SOURCE 1
#include "switch/traffic/dctcp.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dctcp.skel.h> /* written by the build */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "switch/traffic/sockets.h"

/* Of the kernel, in newer headers than a system may have. */
#define MAP_WITH_LINK (1u << 13)
#define ATTACH_STRUCT_OPS ((enum bpf_attach_type)44)
enum { STATE_IN_USE = 1, STATE_READY = 3 };

#define VALUE_MAX 4096u

static const uint32_t zero_key;

static int quiet(enum libbpf_print_level level, const char *format, va_list arguments)
{
    (void)level, (void)format, (void)arguments;
    return 0;
}

static enum dctcp_state fail(struct weir_error *error, const char *what, int problem)
{
    if (problem == EPERM || problem == EACCES)
        weir_fail(error, WEIR_ERROR_SYSTEM, "%s: not permitted (expected root, with CAP_BPF and CAP_NET_ADMIN)", what);
    else if (access("/sys/kernel/btf/vmlinux", R_OK) != 0)
        weir_fail(error, WEIR_ERROR_SYSTEM, "%s: no /sys/kernel/btf/vmlinux (expected a kernel with BTF)", what);
    else
        weir_fail(error, WEIR_ERROR_SYSTEM, "%s: %s", what, strerror(problem));
    return DCTCP_FAILED;
}

/* How the map of a registered program stands in the kernel. */
struct found {
    int fd; /* -1: there is none */
    uint32_t state, btf_id;
};

/* The next map of the machine, with its description; -1: no more, or we may not see them (errno). */
static int next_map(uint32_t *id, struct bpf_map_info *info)
{
    while (bpf_map_get_next_id(*id, id) == 0) {
        uint32_t size = sizeof *info;
        int fd = bpf_map_get_fd_by_id(*id);
        if (fd < 0 && errno == ENOENT)
            continue; /* it has just gone */
        if (fd < 0)
            return -1;
        memset(info, 0, sizeof *info);
        if (bpf_obj_get_info_by_fd(fd, info, &size) == 0 && info->value_size <= VALUE_MAX)
            return fd;
        close(fd);
    }
    return -1;
}

static struct found find_registered(void)
{
    struct bpf_map_info info;
    uint32_t value[VALUE_MAX / sizeof(uint32_t)]; /* begins with a count of references and the state */
    uint32_t id = 0;
    for (int fd; (fd = next_map(&id, &info)) >= 0; close(fd)) {
        if (info.type != BPF_MAP_TYPE_STRUCT_OPS || strcmp(info.name, DCTCP_NAME) != 0 ||
            bpf_map_lookup_elem(fd, &zero_key, value) != 0)
            continue;
        if (value[1] == STATE_IN_USE || value[1] == STATE_READY)
            return (struct found){fd, value[1], info.btf_id};
    }
    return (struct found){-1, 0, 0};
}

/* Its constants are in another map, which was described by the same BTF. */
static void read_settings(uint32_t btf_id, struct dctcp_settings *settings)
{
    struct bpf_map_info info;
    struct dctcp_bpf__rodata constants;
    uint8_t value[VALUE_MAX];
    uint32_t id = 0;
    for (int fd; (fd = next_map(&id, &info)) >= 0; close(fd)) {
        if (info.btf_id != btf_id || info.type != BPF_MAP_TYPE_ARRAY || strstr(info.name, ".rodata") == NULL ||
            info.value_size < sizeof constants || bpf_map_lookup_elem(fd, &zero_key, value) != 0)
            continue;
        memcpy(&constants, value, sizeof constants);
        *settings = (struct dctcp_settings){constants.dctcp_gain, constants.dctcp_initial_alpha};
    }
}

/* Report missing permission, not a missing control. */
static bool is_registered(void)
{
    return socket_has_congestion(DCTCP_NAME) || errno == EPERM;
}

enum dctcp_state dctcp_look(struct dctcp_settings *settings, struct weir_error *error)
{
    *settings = (struct dctcp_settings){0, 0};
    if (!is_registered())
        return errno == ENOENT ? DCTCP_ABSENT : fail(error, "the kernel's congestion controls", errno);
    struct found found = find_registered();
    if (found.fd >= 0) {
        read_settings(found.btf_id, settings);
        close(found.fd);
    }
    return DCTCP_PRESENT;
}

/* Loaded; null: see errno. */
static struct dctcp_bpf *load(const struct dctcp_settings *settings, bool held)
{
    struct dctcp_bpf *program = dctcp_bpf__open();
    if (program == NULL)
        return NULL;
    program->rodata->dctcp_gain = settings->gain;
    program->rodata->dctcp_initial_alpha = settings->initial_alpha;
    if (held)
        bpf_map__set_map_flags(program->maps.weir_dctcp, MAP_WITH_LINK);
    int error = dctcp_bpf__load(program);
    if (error == 0)
        return program;
    dctcp_bpf__destroy(program);
    errno = -error;
    return NULL;
}

/* libbpf before 1.2 prepares the map for a link, and makes none. */
static int link_of(struct dctcp_bpf *program, const struct bpf_link *link)
{
    if (libbpf_major_version() > 1 || libbpf_minor_version() >= 2)
        return bpf_link__fd(link);
    return bpf_link_create(bpf_map__fd(program->maps.weir_dctcp), 0, ATTACH_STRUCT_OPS, NULL);
}

/* 0, or an error of errno. */
static int attach(struct dctcp_bpf *program, int *fd)
{
    struct bpf_link *link = bpf_map__attach_struct_ops(program->maps.weir_dctcp);
    if (link == NULL)
        return errno;
    int error = 0;
    if (fd != NULL) {
        *fd = link_of(program, link);
        error = *fd < 0 ? errno : 0;
    }
    bpf_link__disconnect(link); /* else it would be unregistered with the memory */
    bpf_link__destroy(link);
    return error;
}

enum dctcp_state dctcp_register(const struct dctcp_settings *settings, int *fd, struct weir_error *error)
{
    if (fd != NULL)
        *fd = -1;
    libbpf_set_print(quiet);
    if (is_registered())
        return DCTCP_PRESENT;
    struct dctcp_bpf *program = load(settings, fd != NULL);
    if (program == NULL && fd != NULL && errno == EINVAL) { /* no links here */
        program = load(settings, false);
        fd = NULL;
    }
    if (program == NULL)
        return fail(error, "cannot load " DCTCP_NAME, errno);
    int problem = attach(program, fd);
    dctcp_bpf__destroy(program);
    if (problem == EEXIST)
        return DCTCP_PRESENT;
    return problem == 0 ? DCTCP_ABSENT : fail(error, "cannot register " DCTCP_NAME, problem);
}

enum dctcp_state dctcp_unregister(struct weir_error *error)
{
    if (!is_registered())
        return DCTCP_ABSENT;
    struct found found = find_registered();
    if (found.fd < 0)
        return fail(error, "cannot find " DCTCP_NAME " in the kernel", errno);
    int problem = bpf_map_delete_elem(found.fd, &zero_key) == 0 ? 0 : errno;
    close(found.fd);
    if (problem == 0)
        return DCTCP_PRESENT;
    if (found.state == STATE_READY) {
        weir_fail(error, WEIR_ERROR_SYSTEM, DCTCP_NAME " is held by a process (end 'weir-traffic dctcp hold')");
        return DCTCP_FAILED;
    }
    return fail(error, "cannot unregister " DCTCP_NAME, problem);
}
