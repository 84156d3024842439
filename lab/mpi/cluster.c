/*
 * cluster.c - see cluster.h: the side of the process that has a courier.
 */
#define _GNU_SOURCE 1
#include "lab/mpi/cluster.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/mpi/courier.h"
#include "lab/mpi/exchange.h"
#include "lab/mpi/modules.h"

#define BLOCK 65536u

/* How each MPI gives a process its rank. */
static const struct {
    const char *rank, *size, *here, *name, *module, *package;
} kinds[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "Open MPI", "weir-mpi-openmpi.so",
     "libopenmpi-dev"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", "MPICH", "weir-mpi-mpich.so", "libmpich-dev"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE", "srun (Open MPI)", "weir-mpi-openmpi.so",
     "libopenmpi-dev"},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

/* A number of the environment; false: there is none. "2(x3)" is 2, on each of three machines. */
static bool find_number(const char *name, uint32_t *number)
{
    const char *text = getenv(name);
    char *end;
    unsigned long value = text != NULL && *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : ULONG_MAX;
    if (value > INT32_MAX || (*end != '\0' && *end != '('))
        return false;
    *number = (uint32_t)value;
    return true;
}

bool cluster_find_job(struct cluster_job *job)
{
    for (size_t i = 0; i < KINDS; i++) {
        *job = (struct cluster_job){.here = 1, .module = kinds[i].module, .name = kinds[i].name};
        if (!find_number(kinds[i].rank, &job->rank) || !find_number(kinds[i].size, &job->size) ||
            job->rank >= job->size)
            continue;
        if (!find_number(kinds[i].here, &job->here) || job->here == 0)
            job->here = 1;
        return true;
    }
    return false;
}

bool cluster_find_tasks(uint32_t *tasks)
{
    struct cluster_job job;
    uint32_t own;
    return !cluster_find_job(&job) && find_number("SLURM_STEP_NUM_TASKS", tasks) && *tasks > 1 &&
           find_number("SLURM_PROCID", &own) && own == 0;
}

static const char *package_of(const struct cluster_job *job)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].module, job->module) == 0)
            return kinds[i].package;
    return "";
}

/* Beside the program, as in a build folder, or where it was installed to. */
static bool find_module(const struct cluster_job *job, char path[PATH_MAX])
{
    char program[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    program[size > 0 ? size : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL) {
        *slash = '\0';
        if (snprintf(path, PATH_MAX, "%s/%s", program, job->module) < PATH_MAX && access(path, R_OK) == 0)
            return true;
    }
    return snprintf(path, PATH_MAX, "%s/%s", CLUSTER_MODULES, job->module) < PATH_MAX && access(path, R_OK) == 0;
}

static bool fork_courier(struct cluster *cluster, const char *module)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    fflush(NULL);
    pid_t process = getpid();
    cluster->courier = fork();
    if (cluster->courier == 0) {
        close(ends[0]);
        courier_run(cluster, module, ends[1], process);
    }
    int error = errno;
    close(ends[1]);
    if (cluster->courier < 0)
        close(ends[0]);
    else
        cluster->link = ends[0];
    errno = error;
    return cluster->courier > 0;
}

bool cluster_start(struct cluster *cluster, const struct cluster_job *job, struct weir_error *error)
{
    char module[PATH_MAX];
    *cluster = (struct cluster){.job = *job, .link = -1, .parent = getppid()};
    if (!find_module(job, module))
        return weir_fail(error, WEIR_ERROR_SYSTEM,
                         "started by %s as rank %u of %u, and this weir was built without it (build weir where %s is "
                         "installed, or leave mpirun out: --jobs uses the processors of one machine)",
                         job->name, job->rank, job->size, package_of(job));
    if (!fork_courier(cluster, module))
        return weir_fail(error, WEIR_ERROR_SYSTEM, "cannot start a process for MPI: %s", strerror(errno));
    return true;
}

bool cluster_send(struct cluster *cluster, uint32_t rank, const void *bytes, size_t size)
{
    const struct frame_head head = {.kind = FRAME_MESSAGE, .rank = rank, .size = size};
    return cluster->link >= 0 && frame_write(cluster->link, &head, bytes);
}

static bool make_room(struct cluster *cluster)
{
    if (cluster->room - cluster->size >= BLOCK)
        return true;
    size_t room = 2 * cluster->room + BLOCK;
    uint8_t *bytes = realloc(cluster->bytes, room);
    if (bytes == NULL)
        return false;
    cluster->bytes = bytes;
    cluster->room = room;
    return true;
}

/* The first whole frame of what has come; false: there is none. */
static bool take_frame(struct cluster *cluster, struct frame_head *head, struct cluster_news *news)
{
    if (cluster->size < sizeof *head)
        return false;
    memcpy(head, cluster->bytes, sizeof *head);
    if (cluster->size - sizeof *head < head->size)
        return false;
    *news = (struct cluster_news){.rank = head->rank, .bytes = malloc(head->size + 1), .size = head->size};
    if (news->bytes == NULL)
        return true;
    memcpy(news->bytes, cluster->bytes + sizeof *head, head->size);
    cluster->size -= sizeof *head + head->size;
    memmove(cluster->bytes, cluster->bytes + sizeof *head + head->size, cluster->size);
    return true;
}

enum cluster_event cluster_receive(struct cluster *cluster, struct cluster_news *news)
{
    struct frame_head head;
    while (!take_frame(cluster, &head, news)) {
        if (cluster->link < 0)
            return CLUSTER_CLOSED;
        if (!make_room(cluster))
            return CLUSTER_NO_MEMORY;
        ssize_t got = recv(cluster->link, cluster->bytes + cluster->size, cluster->room - cluster->size, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return CLUSTER_NOTHING;
        if (got <= 0)
            return CLUSTER_CLOSED;
        cluster->size += (size_t)got;
    }
    if (news->bytes == NULL)
        return CLUSTER_NO_MEMORY;
    if (head.kind != FRAME_LOST)
        return head.kind == FRAME_BATCH ? CLUSTER_BATCH : CLUSTER_MESSAGE;
    free(news->bytes);
    news->bytes = NULL;
    return CLUSTER_LOST;
}

bool cluster_is_alive(const struct cluster *cluster)
{
    return getppid() == cluster->parent;
}

void cluster_end(struct cluster *cluster, int code)
{
    bool alive = cluster_is_alive(cluster);
    const struct frame_head head = {.kind = alive ? FRAME_END : FRAME_BROKEN, .rank = (uint32_t)code};
    if (cluster->link >= 0) {
        frame_write(cluster->link, &head, NULL);
        close(cluster->link);
    }
    cluster->link = -1;
    if (cluster->courier > 0)
        while (waitpid(cluster->courier, NULL, 0) < 0 && errno == EINTR)
            ;
    cluster->courier = 0;
    exchange_free(cluster);
    free(cluster->bytes);
    cluster->bytes = NULL;
    cluster->size = cluster->room = 0;
}
