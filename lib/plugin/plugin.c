/*
 * plugin.c - see plugin.h. The list only grows, and a place in it is whole before the count says that it is there: who
 * reads takes no lock.
 */
#define _GNU_SOURCE 1
#include "lib/plugin/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_MAX_CHARS 24

static struct plugin_policy loaded[PLUGIN_POLICIES_MAX];
static _Atomic(const struct weir_policy *) current[PLUGIN_POLICIES_MAX]; /* of each place: that which its name means */
static atomic_uint loaded_count;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

uint32_t plugin_policy_count(void)
{
    return weir_policy_count + loaded_count;
}

const struct weir_policy *plugin_policy_at(uint32_t index)
{
    return index < weir_policy_count ? weir_policies[index] : current[index - weir_policy_count];
}

#define NO_PLACE UINT32_MAX

static uint32_t find_place(const char *name)
{
    for (uint32_t i = 0; i < loaded_count; i++)
        if (strcmp(plugin_policy_at(weir_policy_count + i)->name, name) == 0)
            return i;
    return NO_PLACE;
}

const struct weir_policy *plugin_policy_find(const char *name)
{
    uint32_t place = find_place(name);
    return place != NO_PLACE ? plugin_policy_at(weir_policy_count + place) : weir_policy_find(name);
}

#define PATH_CHARS 64u

static bool is_there(char path[PATH_CHARS], const char *folder, const char *ident, const char *end)
{
    snprintf(path, PATH_CHARS, "%s%s%s%s", folder, folder[0] != '\0' ? "/" : "", ident, end);
    return access(path, R_OK) == 0;
}

bool plugin_missing(const char *name, char hint[PLUGIN_HINT_MAX])
{
    char ident[NAME_MAX_CHARS + 1], path[PATH_CHARS];
    size_t length = strlen(name);
    if (length == 0 || length > NAME_MAX_CHARS || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != length)
        return false;
    for (size_t i = 0; i <= length; i++)
        ident[i] = name[i] == '-' ? '_' : name[i];
    if (is_there(path, "lib/policies", ident, ".c"))
        snprintf(hint, PLUGIN_HINT_MAX, "%s is not in this weir yet: build it with `make`", path);
    else if (is_there(path, name, ident, ".so") || is_there(path, "", ident, ".so"))
        snprintf(hint, PLUGIN_HINT_MAX, "add --policy-file %s", path);
    else if (is_there(path, name, ident, ".c"))
        snprintf(hint, PLUGIN_HINT_MAX, "`make -C %s`, then add --policy-file %s/%s.so", name, name, ident);
    else
        return false;
    return true;
}

const struct plugin_policy *plugin_of_policy(const struct weir_policy *policy)
{
    for (uint32_t i = 0; i < loaded_count; i++)
        if (loaded[i].policy == policy && loaded[i].path != NULL)
            return &loaded[i];
    return NULL;
}

static bool check_sizes(const struct weir_plugin *plugin, struct weir_error *error)
{
#define NAME(name) #name,
    static const char *const names[] = {WEIR_PLUGIN_STRUCTS(NAME)};
    static const uint32_t sizes[] = {WEIR_PLUGIN_STRUCTS(WEIR_PLUGIN_SIZE_)};
#undef NAME
    if (plugin->size_count != WEIR_PLUGIN_SIZES)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "was compiled for other structures: it has the sizes of %" PRIu32
                         ", this program of %u (compile it with the headers of weir " WEIR_VERSION ")",
                         plugin->size_count, (unsigned)WEIR_PLUGIN_SIZES);
    for (uint32_t i = 0; i < WEIR_PLUGIN_SIZES; i++)
        if (plugin->sizes[i] != sizes[i])
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "was compiled for other structures: struct %s has %" PRIu32 " bytes there and %" PRIu32
                             " here (compile it with the headers of weir " WEIR_VERSION ")",
                             names[i], plugin->sizes[i], sizes[i]);
    return true;
}

static bool check_abi(const struct weir_plugin *plugin, struct weir_error *error)
{
    if (plugin->magic != WEIR_PLUGIN_MAGIC)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "its weir_plugin is no descriptor (expected one made by WEIR_PLUGIN)");
    if (plugin->abi != WEIR_ABI)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "was compiled for ABI %" PRIu32 ", this program has ABI %d (compile it with the headers of "
                         "weir " WEIR_VERSION ")",
                         plugin->abi, WEIR_ABI);
    return check_sizes(plugin, error);
}

/* One word, as in scenario files: a-z, 0-9, and `joint` between them, a letter first. */
static bool is_word(const char *name, char joint)
{
    size_t length = name != NULL ? strlen(name) : 0;
    if (length == 0 || length > NAME_MAX_CHARS || name[0] < 'a' || name[0] > 'z' || name[length - 1] == joint)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!(name[i] >= 'a' && name[i] <= 'z') && !(name[i] >= '0' && name[i] <= '9') && name[i] != joint)
            return false;
    return true;
}

static bool check_param(const struct weir_policy *policy, uint32_t index, struct weir_error *error)
{
    const struct weir_param *param = &policy->params[index];
    const char *wrong = NULL;
    if (!is_word(param->name, '_'))
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "policy %s: parameter %" PRIu32 " has no usable name (expected a-z, 0-9 and _)", policy->name,
                         index);
    if (strcmp(param->name, "name") == 0 || strcmp(param->name, "file") == 0)
        wrong = "has a name that scenarios use for something else (expected another one)";
    else if (weir_param_find(policy, param->name) != (int)index)
        wrong = "is there twice (expected once)";
    else if ((unsigned)param->unit > WEIR_UNIT_CHOICE)
        wrong = "has an unknown unit";
    else if (param->help == NULL)
        wrong = "has no help (expected one sentence)";
    else if (param->unit == WEIR_UNIT_CHOICE && param->choices == NULL)
        wrong = "has no choices (expected a list)";
    else if (param->min > param->max ||
             (param->initial != WEIR_AUTO && (param->initial < param->min || param->initial > param->max)))
        wrong = "has a default out of its range (expected min <= initial <= max)";
    return wrong == NULL ||
           weir_fail(error, WEIR_ERROR_INPUT, "policy %s: parameter %s %s", policy->name, param->name, wrong);
}

/* What core and the readers of scenarios rely on; `known`: a policy of this name is there, and may be. */
static bool check_policy(const struct weir_policy *policy, bool known, struct weir_error *error)
{
    if (policy == NULL || !is_word(policy->name, '-'))
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "a policy has no usable name (expected at most %d of a-z, 0-9 and -, a letter first)",
                         NAME_MAX_CHARS);
    const char *wrong = NULL;
    if (!known && plugin_policy_find(policy->name) != NULL)
        wrong = "there is one of this name already (expected another name)";
    else if (policy->title == NULL || policy->source == NULL)
        wrong = "no title or no source (expected both)";
    else if (policy->state_size == NULL || policy->init == NULL || policy->admit == NULL)
        wrong = "state_size, init or admit is missing (expected all three)";
    else if ((policy->needs & WEIR_NEED_INGRESS) && policy->pause_mask == NULL)
        wrong = "pause_mask is missing (expected of a headroom scheme)";
    else if ((policy->needs & (WEIR_NEED_EXPEL | WEIR_NEED_DEQUEUE)) && policy->victim == NULL)
        wrong = "victim is missing (expected of a policy that expels, or drops what is about to leave)";
    else if (policy->param_count > WEIR_PARAMS_MAX || (policy->param_count > 0 && policy->params == NULL))
        wrong = "too many parameters, or none where some are counted";
    if (wrong != NULL)
        return weir_fail(error, WEIR_ERROR_INPUT, "policy %s: %s", policy->name, wrong);
    for (uint32_t i = 0; i < policy->param_count; i++)
        if (!check_param(policy, i, error))
            return false;
    return true;
}

static void put_policy(const struct weir_policy *policy, const char *path, const char *digest)
{
    uint32_t place = loaded_count;
    loaded[place] = (struct plugin_policy){.policy = policy, .path = path};
    snprintf(loaded[place].digest, sizeof loaded[place].digest, "%s", digest);
    current[place] = policy;
    loaded_count = place + 1;
}

bool plugin_add(const struct weir_policy *policy, struct weir_error *error)
{
    pthread_mutex_lock(&adding);
    uint32_t place = policy != NULL && policy->name != NULL ? find_place(policy->name) : NO_PLACE;
    bool known = place != NO_PLACE && loaded[place].path == NULL;
    bool good = check_policy(policy, known, error);
    if (good && !known && loaded_count == PLUGIN_POLICIES_MAX)
        good = weir_fail(error, WEIR_ERROR_RANGE, "policy %s: is one too many (expected at most %u)", policy->name,
                         PLUGIN_POLICIES_MAX);
    if (good && known)
        current[place] = policy;
    else if (good)
        put_policy(policy, NULL, "");
    pthread_mutex_unlock(&adding);
    return good;
}

/* All policies of the plug-in, or none. */
static bool add_policies(const struct weir_plugin *plugin, const char *path, const char *digest,
                         struct weir_error *error)
{
    bool good = true;
    if (plugin->policy_count == 0 || plugin->policies == NULL)
        return weir_fail(error, WEIR_ERROR_INPUT, "has no policy (expected at least one)");
    if (plugin->policy_count > PLUGIN_POLICIES_MAX - loaded_count)
        return weir_fail(error, WEIR_ERROR_RANGE, "has too many policies (expected at most %u in all files)",
                         PLUGIN_POLICIES_MAX);
    for (uint32_t i = 0; i < plugin->policy_count && good; i++) {
        good = check_policy(plugin->policies[i], false, error);
        for (uint32_t k = 0; k < i && good; k++)
            good = strcmp(plugin->policies[k]->name, plugin->policies[i]->name) != 0 ||
                   weir_fail(error, WEIR_ERROR_INPUT,
                             "policy %s: there is one of this name already (expected another name)",
                             plugin->policies[k]->name);
    }
    for (uint32_t i = 0; i < plugin->policy_count && good; i++)
        put_policy(plugin->policies[i], path, digest);
    return good;
}

/* The descriptor of the object at `path`; null after an error. What could be loaded stays: its code may have run. */
static const struct weir_plugin *open_plugin(const char *path, struct weir_error *error)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) {
        const char *why = dlerror();
        size_t length = strlen(path);
        if (why != NULL && strncmp(why, path, length) == 0 && strncmp(why + length, ": ", 2) == 0)
            why += length + 2;
        weir_fail(error, WEIR_ERROR_INPUT, "cannot be loaded: %.300s", why != NULL ? why : "no reason given");
        return NULL;
    }
    const struct weir_plugin *plugin = dlsym(object, "weir_plugin");
    if (plugin == NULL)
        weir_fail(error, WEIR_ERROR_INPUT,
                  "is no policy file: there is no weir_plugin in it (expected WEIR_PLUGIN "
                  "of weir/plugin.h)");
    return plugin;
}

static bool load(const char *path, struct weir_error *error)
{
    char digest[PLUGIN_DIGEST_MAX];
    errno = 0;
    /* FNV-1a of the whole file. */
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    unsigned char bytes[4096];
    struct stat about;
    size_t count;
    FILE *in = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rbe") : NULL;
    if (in == NULL)
        return weir_fail(error, WEIR_ERROR_READ, "%s", errno != 0 ? strerror(errno) : "is not a regular file");
    while ((count = fread(bytes, 1, sizeof bytes, in)) > 0)
        for (size_t i = 0; i < count; i++)
            hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    bool failed = ferror(in) != 0;
    fclose(in);
    snprintf(digest, PLUGIN_DIGEST_MAX, "%016" PRIx64, hash);
    if (failed)
        return weir_fail(error, WEIR_ERROR_READ, "cannot read");
    const struct weir_plugin *plugin = open_plugin(path, error);
    return plugin != NULL && check_abi(plugin, error) && add_policies(plugin, path, digest, error);
}

static bool is_loaded(const char *path)
{
    for (uint32_t i = 0; i < loaded_count; i++)
        if (loaded[i].path != NULL && strcmp(loaded[i].path, path) == 0)
            return true;
    return false;
}

bool plugin_load(const char *path, struct weir_error *error)
{
    errno = 0;
    char *whole = realpath(path, NULL);
    bool good = whole != NULL ||
                (errno == ENOMEM ? weir_fail_memory(error) : weir_fail(error, WEIR_ERROR_READ, "%s", strerror(errno)));
    pthread_mutex_lock(&adding);
    bool there = good && is_loaded(whole);
    good = good && (there || load(whole, error));
    pthread_mutex_unlock(&adding);
    if (there || !good)
        free(whole);
    return good || weir_fail_at(error, path, 0, 0);
}
