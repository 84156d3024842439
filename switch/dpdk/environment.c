/*
 * environment.c - starts DPDK: huge pages when there are enough of them, no PCI scan when no device needs one, nothing
 * shared with other processes, and one lcore for each processor of the modules besides the one that control runs on.
 *
 * DPDK keeps its state in globals and can be started once; so what is kept here is global too.
 */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>
#include <rte_memory.h>

#include "switch/dpdk/dataplane_internal.h"

#define ENVIRONMENT_ARGUMENTS (24u + DATAPLANE_PORTS_MAX)
#define ENVIRONMENT_TEXT 16384u
#define ENVIRONMENT_LCORES_TEXT 1024u
#define HUGE_FOLDER "/sys/kernel/mm/hugepages"

struct arguments {
    char *of[ENVIRONMENT_ARGUMENTS];
    uint32_t count;
    char text[ENVIRONMENT_TEXT];
    size_t used;
};

static struct {
    bool started;
    FILE *log;
    char error[WEIR_MESSAGE_MAX];
} environment;

/* Keeps the first thing that DPDK complains of: what follows are consequences. */
static ssize_t environment_log(void *cookie, const char *text, size_t size)
{
    (void)cookie;
    size_t length = size;
    while (length > 0 && text[length - 1] == '\n')
        length--;
    if (length == 0 || environment.error[0])
        return (ssize_t)size;
    if (length >= sizeof environment.error)
        length = sizeof environment.error - 1;
    memcpy(environment.error, text, length);
    environment.error[length] = '\0';
    return (ssize_t)size;
}

const char *environment_error(void)
{
    return environment.error;
}

void environment_forget_error(void)
{
    environment.error[0] = '\0';
}

bool environment_has_huge_pages(void)
{
    return rte_eal_has_hugepages() != 0;
}

static uint64_t environment_free_pages(const char *folder)
{
    char path[320];
    unsigned long long pages = 0;
    snprintf(path, sizeof path, HUGE_FOLDER "/%s/free_hugepages", folder);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    if (fscanf(file, "%llu", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages;
}

/* Whether one such page can be had: a control group may forbid it though there are some. */
static bool environment_try_page(uint64_t bytes)
{
    int size = __builtin_ctzll(bytes) << MAP_HUGE_SHIFT;
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | size, -1, 0);
    return page != MAP_FAILED && munmap(page, bytes) == 0;
}

static bool environment_huge_pages_are_free(uint64_t needed)
{
    uint64_t free_bytes = 0;
    DIR *folder = opendir(HUGE_FOLDER);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        unsigned long long kilobytes;
        if (sscanf(entry->d_name, "hugepages-%llukB", &kilobytes) != 1)
            continue;
        uint64_t pages = environment_free_pages(entry->d_name);
        if (pages > 0 && environment_try_page(kilobytes << 10))
            free_bytes += pages * (kilobytes << 10);
    }
    if (folder)
        closedir(folder);
    return free_bytes >= needed;
}

/* "0000:01:00.0" or "01:00.0", perhaps with arguments. */
static bool environment_is_pci(const char *device)
{
    unsigned domain, bus, slot, function;
    return sscanf(device, "%x:%x:%x.%x", &domain, &bus, &slot, &function) == 4 ||
           sscanf(device, "%x:%x.%x", &bus, &slot, &function) == 3;
}

static void arguments_add(struct arguments *arguments, const char *text)
{
    size_t room = sizeof arguments->text - arguments->used;
    char *to = arguments->text + arguments->used;
    int length = snprintf(to, room, "%s", text);
    if (length < 0 || (size_t)length >= room || arguments->count == ENVIRONMENT_ARGUMENTS - 1)
        return;
    arguments->of[arguments->count++] = to;
    arguments->used += (size_t)length + 1;
}

/* Control may run on every processor that the process may use; each module's processor has its own lcore. */
static void arguments_lcores(struct arguments *arguments, const struct dataplane_config *config)
{
    char text[ENVIRONMENT_LCORES_TEXT];
    size_t used = 0;
    const char *comma = "";
    uint32_t cpus[DATAPLANE_LCORES_MAX], count = dataplane_cpus(config, cpus);
    cpu_set_t allowed;
    used += (size_t)snprintf(text, sizeof text, "0@(");
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (uint32_t cpu = 0; cpu < CPU_SETSIZE && used < sizeof text / 2; cpu++) {
        if (!CPU_ISSET(cpu, &allowed))
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", comma, cpu);
        comma = ",";
    }
    used += (size_t)snprintf(text + used, sizeof text - used, ")");
    for (uint32_t i = 0; i < count && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ",%u@%u", i + 1, cpus[i]);
    arguments_add(arguments, "--lcores");
    arguments_add(arguments, text);
    arguments_add(arguments, "--main-lcore=0");
}

static void arguments_memory(struct arguments *arguments, const struct dataplane_config *config)
{
    char text[32];
    uint64_t needed = memory_bytes(config);
    if (!config->no_huge && environment_huge_pages_are_free(needed)) {
        arguments_add(arguments, "--in-memory");
        return;
    }
    uint64_t mib = config->memory_mib ? config->memory_mib : (needed >> 20) + 1;
    arguments_add(arguments, "--no-huge");   /* which EAL does not let be combined with --in-memory; */
    arguments_add(arguments, "--no-shconf"); /* this is all of it that matters to ordinary pages */
    snprintf(text, sizeof text, "-m%llu", (unsigned long long)mib);
    arguments_add(arguments, text);
}

/* Looked at where EAL looks, which prints pages of help when one is missing. One that is kept from this process, as
 * isolated ones are, may still be asked for. */
static bool environment_has_cpus(const struct dataplane_config *config, struct weir_error *error)
{
    uint32_t cpus[DATAPLANE_LCORES_MAX], count = dataplane_cpus(config, cpus);
    char path[96];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/core_id", cpus[i]);
        if (access(path, F_OK) != 0)
            return weir_fail(error, WEIR_ERROR_SYSTEM,
                             "cpus: this machine has no processor %u (expected numbers that lscpu "
                             "calls online)",
                             cpus[i]);
    }
    return true;
}

static void environment_close_log(void)
{
    rte_openlog_stream(NULL);
    if (environment.log)
        fclose(environment.log);
    environment.log = NULL;
}

bool dataplane_environment(const struct dataplane_config *config, const char *program, struct weir_error *error)
{
    struct arguments arguments = {.count = 0};
    cpu_set_t before;
    if (environment.started) {
        weir_fail(error, WEIR_ERROR_SYSTEM, "DPDK was started before; a process can start it once");
        return false;
    }
    if (!dataplane_config_check(config, error) || !environment_has_cpus(config, error))
        return false;
    cookie_io_functions_t functions = {.write = environment_log};
    environment.log = fopencookie(NULL, "w", functions);
    if (environment.log) {
        setvbuf(environment.log, NULL, _IOLBF, 0);
        rte_openlog_stream(environment.log);
    }
    rte_log_set_global_level(RTE_LOG_ERR);
    bool pci = false;
    char allowed[512];
    arguments_add(&arguments, program);
    arguments_memory(&arguments, config);
    for (uint32_t p = 0; p < config->ports; p++) {
        if (!environment_is_pci(config->devices[p]))
            continue;
        snprintf(allowed, sizeof allowed, "--allow=%s", config->devices[p]);
        arguments_add(&arguments, allowed); /* else EAL takes every NIC that it has a driver for */
        pci = true;
    }
    if (!pci) {
        arguments_add(&arguments, "--no-pci");
        arguments_add(&arguments, "--iova-mode=va");
    }
    arguments_add(&arguments, "--file-prefix=weir"); /* a folder that stays empty: nothing is shared */
    arguments_add(&arguments, "--no-telemetry");
    arguments_add(&arguments, "--log-level=*:error");
    arguments_lcores(&arguments, config);
    sched_getaffinity(0, sizeof before, &before);
    if (rte_eal_init((int)arguments.count, arguments.of) < 0) {
        weir_fail(error, WEIR_ERROR_SYSTEM, "DPDK does not start (%s): %.180s", rte_strerror(rte_errno),
                  environment.error[0] ? environment.error : "no reason given");
        sched_setaffinity(0, sizeof before, &before);
        environment_close_log();
        return false;
    }
    environment.started = true;
    return true;
}

void dataplane_environment_end(void)
{
    if (!environment.started)
        return;
    rte_eal_cleanup();
    environment_close_log();
    environment.started = false;
}
