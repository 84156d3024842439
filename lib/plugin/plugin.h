/*
 * plugin.h - the policies that a program knows: those of the library, and those of the plug-ins that it has loaded
 * (include/weir/plugin.h). Whoever finds policies by a name that a user wrote asks here.
 *
 * A plug-in is loaded by who typed the command, and stays until the program ends. The library has no such list: it
 * takes policies as they are given to it. The list is the program's, and any thread may ask or add.
 */
#ifndef PLUGIN_PLUGIN_H
#define PLUGIN_PLUGIN_H

#include "weir/error.h"
#include "weir/plugin.h"

#define PLUGIN_POLICIES_MAX 32u
#define PLUGIN_DIGEST_MAX 17u

/* A policy of a plug-in, and where it is from. */
struct plugin_policy {
    const struct weir_policy *policy;
    const char *path;               /* of the file, from the root */
    char digest[PLUGIN_DIGEST_MAX]; /* of its content, hexadecimal */
};

/* Loads a plug-in and checks it: the ABI first, then what each policy says of itself. A file that is loaded already is
 * not loaded again. False with an error, which names the file. */
bool plugin_load(const char *path, struct weir_error *error);

/* The same for a policy that the program has: it stays the program's, and must outlive whoever uses it. One of a name
 * that was added before takes its place, for who asks from now on. */
bool plugin_add(const struct weir_policy *policy, struct weir_error *error);

/* Every policy: the library's, then those loaded, in their order. */
uint32_t plugin_policy_count(void);
const struct weir_policy *plugin_policy_at(uint32_t index);

/* The policy of a name; null: unknown. */
const struct weir_policy *plugin_policy_find(const char *name);

/* For an unknown name: what would make it known, if its source or its file lies near the current folder. "add
 * --policy-file x/x.so", for one. False: nothing of it is there. */
#define PLUGIN_HINT_MAX 128u
bool plugin_missing(const char *name, char hint[PLUGIN_HINT_MAX]);

/* The file that a policy is from; null: it is the library's own, or was added by the program. */
const struct plugin_policy *plugin_of_policy(const struct weir_policy *policy);

#endif
