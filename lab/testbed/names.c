/*
 * names.c - how what belongs to a testbed is called, and which testbeds there are: see testbed.h.
 */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/testbed/testbed.h"

static const char name_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

bool testbed_name_is_good(const char *name)
{
    size_t length = strlen(name);
    return length > 0 && length < TESTBED_NAME_MAX && strspn(name, name_letters) == length;
}

void testbed_space(const char *name, uint32_t host, char space[TESTBED_SPACE_MAX])
{
    if (host == TESTBED_SWITCH)
        snprintf(space, TESTBED_SPACE_MAX, "weir-%s-switch", name);
    else
        snprintf(space, TESTBED_SPACE_MAX, "weir-%s-h%u", name, host);
}

void testbed_path(const char *name, const char *file, char path[TESTBED_PATH_MAX])
{
    snprintf(path, TESTBED_PATH_MAX, TESTBED_FOLDER "/testbed-%s/%s", name, file);
}

/* The name behind `before`; what follows it in `rest`. */
static bool name_in(const char *entry, const char *before, char name[TESTBED_NAME_MAX], const char **rest)
{
    size_t skip = strlen(before);
    if (strncmp(entry, before, skip) != 0)
        return false;
    snprintf(name, TESTBED_NAME_MAX, "%.*s", (int)strspn(entry + skip, name_letters), entry + skip);
    *rest = entry + skip + strlen(name);
    return testbed_name_is_good(name);
}

bool testbed_of_space(const char *space, char name[TESTBED_NAME_MAX])
{
    static const char digits[] = "0123456789";
    const char *rest;
    if (!name_in(space, "weir-", name, &rest))
        return false;
    if (strncmp(rest, "-h", 2) == 0)
        return rest[2] != '\0' && rest[2 + strspn(rest + 2, digits)] == '\0';
    return strcmp(rest, "-switch") == 0;
}

static bool testbed_of_folder(const char *folder, char name[TESTBED_NAME_MAX])
{
    const char *rest;
    return name_in(folder, "testbed-", name, &rest) && rest[0] == '\0';
}

struct names {
    char (*at)[TESTBED_NAME_MAX];
    size_t count;
    bool short_of_memory;
};

static void names_add(struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->at[i], name) == 0)
            return;
    void *at = realloc(names->at, (names->count + 1) * sizeof *names->at);
    if (at == NULL) {
        names->short_of_memory = true;
        return;
    }
    names->at = at;
    snprintf(names->at[names->count++], TESTBED_NAME_MAX, "%s", name);
}

static void names_gather(struct names *names, const char *folder,
                         bool (*belongs)(const char *entry, char name[TESTBED_NAME_MAX]))
{
    char name[TESTBED_NAME_MAX];
    DIR *entries = opendir(folder);
    for (const struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;)
        if (belongs(entry->d_name, name))
            names_add(names, name);
    if (entries != NULL)
        closedir(entries);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

bool testbed_each(testbed_visit *visit, void *context)
{
    struct names names = {.at = NULL};
    names_gather(&names, "/run/netns", testbed_of_space);
    names_gather(&names, TESTBED_FOLDER, testbed_of_folder);
    if (names.count > 1)
        qsort(names.at, names.count, sizeof *names.at, by_name);
    for (size_t i = 0; i < names.count && !names.short_of_memory; i++)
        visit(context, names.at[i]);
    free(names.at);
    return !names.short_of_memory;
}

struct search {
    const char *name;
    bool found;
};

static void compare(void *context, const char *name)
{
    struct search *search = context;
    search->found = search->found || strcmp(search->name, name) == 0;
}

bool testbed_is_there(const char *name)
{
    struct search search = {.name = name};
    return !testbed_each(compare, &search) || search.found;
}

static bool is_program(const char *path)
{
    return access(path, X_OK) == 0;
}

/* Beside this program: in the same folder when installed, in a folder of its name where they are built. */
static bool find_beside(const char *program, char path[4096])
{
    char self[2048];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return false;
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    snprintf(path, 4096, "%s/%s", self, program);
    if (is_program(path))
        return true;
    snprintf(path, 4096, "%s/../%s/%s", self, program, program);
    return is_program(path);
}

bool testbed_program(const char *program, char path[4096])
{
    const char *given = strcmp(program, "weir-switch") == 0    ? getenv("WEIR_SWITCH")
                        : strcmp(program, "weir-traffic") == 0 ? getenv("WEIR_TRAFFIC")
                                                               : NULL;
    if (given != NULL) {
        snprintf(path, 4096, "%s", given);
        return is_program(path);
    }
    if (strncmp(program, "weir-", 5) == 0 && find_beside(program, path))
        return true;
    const char *folders = getenv("PATH");
    for (const char *at = folders != NULL ? folders : ""; *at != '\0';) {
        size_t length = strcspn(at, ":");
        snprintf(path, 4096, "%.*s/%s", (int)length, at, program);
        if (length > 0 && is_program(path))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}
