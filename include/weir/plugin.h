/*
 * plugin.h - policies in their own files, for `weir run --policy-file my.so`.
 *
 * A plug-in is a shared object with one descriptor, which names its policies and says what it was compiled against. It
 * is written with the headers alone and linked with nothing: what it calls of the library, its host has.
 *
 *     static const struct weir_policy mine = {.name = "mine", ...};
 *     WEIR_PLUGIN(&mine)
 *
 *     cc -shared -fPIC $(pkg-config --cflags weir) FILE -o mine.so
 *
 * A policy keeps its state in the MMU and has no variables that change: a host may run MMUs on several
 * threads.
 *
 * A host looks at the descriptor before anything else, and refuses a plug-in of another ABI or with other sizes: its
 * policy would read memory that is something else.
 */
#ifndef WEIR_PLUGIN_H
#define WEIR_PLUGIN_H

#include "weir/policy.h"
#include "weir/version.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_PLUGIN_MAGIC UINT32_C(0x77656972) /* "weir" */

/* What crosses the border between a policy and its host. */
#define WEIR_PLUGIN_STRUCTS(X)                                                                                         \
    X(weir_policy)                                                                                                     \
    X(weir_param)                                                                                                      \
    X(weir_values)                                                                                                     \
    X(weir_view)                                                                                                       \
    X(weir_geometry)                                                                                                   \
    X(weir_holding)                                                                                                    \
    X(weir_pools)                                                                                                      \
    X(weir_port_state)                                                                                                 \
    X(weir_rank_run)                                                                                                   \
    X(weir_uplink)                                                                                                     \
    X(weir_reserve)                                                                                                    \
    X(weir_arrival)                                                                                                    \
    X(weir_verdict)                                                                                                    \
    X(weir_question)                                                                                                   \
    X(weir_victim)                                                                                                     \
    X(weir_event)                                                                                                      \
    X(weir_flow_view)                                                                                                  \
    X(weir_flow_entry)                                                                                                 \
    X(weir_flow_shape)

#define WEIR_PLUGIN_COUNT_(name) +1
#define WEIR_PLUGIN_SIZE_(name) (uint32_t)sizeof(struct name),
#define WEIR_PLUGIN_SIZES (0 WEIR_PLUGIN_STRUCTS(WEIR_PLUGIN_COUNT_))

/* The descriptor. The first five fields stay where they are in every ABI. */
struct weir_plugin {
    uint32_t magic;                            /* WEIR_PLUGIN_MAGIC */
    uint32_t abi;                              /* WEIR_ABI */
    const char *version;                       /* WEIR_VERSION */
    uint32_t size_count;                       /* WEIR_PLUGIN_SIZES */
    uint32_t policy_count;                     /* at least one */
    uint32_t sizes[WEIR_PLUGIN_SIZES];         /* bytes, ordered as WEIR_PLUGIN_STRUCTS */
    const struct weir_policy *const *policies; /* [policy_count] */
};

extern const struct weir_plugin weir_plugin __attribute__((visibility("default")));

/* Defines the descriptor; the arguments are pointers to the policies. Once in a plug-in, outside of functions. */
#define WEIR_PLUGIN(...)                                                                                               \
    static const struct weir_policy *const weir_plugin_policies[] = {__VA_ARGS__};                                     \
    const struct weir_plugin weir_plugin = {WEIR_PLUGIN_MAGIC,                                                         \
                                            WEIR_ABI,                                                                  \
                                            WEIR_VERSION,                                                              \
                                            WEIR_PLUGIN_SIZES,                                                         \
                                            sizeof weir_plugin_policies / sizeof weir_plugin_policies[0],              \
                                            {WEIR_PLUGIN_STRUCTS(WEIR_PLUGIN_SIZE_)},                                  \
                                            weir_plugin_policies};

#ifdef __cplusplus
}
#endif

#endif
