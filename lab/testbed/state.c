/*
 * state.c - what is written down about a testbed, for people and for `weir testbed status`: see testbed.h.
 * Nothing depends on it: testbed_down finds what is there by itself.
 */
#define _GNU_SOURCE 1
#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cli/output.h"
#include "lab/testbed/testbed.h"

bool testbed_state_write(const struct testbed *bed)
{
    const struct testbed_settings *settings = &bed->settings;
    char path[TESTBED_PATH_MAX], control[TESTBED_PATH_MAX], first[16], last[16];
    testbed_path(bed->name, "state.json", path);
    testbed_path(bed->name, "switch.sock", control);
    testbed_address(settings, 0, first);
    testbed_address(settings, settings->hosts - 1, last);
    json_t *state = json_pack("{s:s, s:o, s:i, s:i, s:s, s:s, s:i, s:i, s:s}", "name", bed->name, "scenario",
                              output_json_string(bed->scenario), "hosts", (int)settings->hosts, "scale",
                              (int)settings->scale, "first_address", first, "last_address", last, "switch_pid",
                              bed->switch_pid, "dctcp_pid", bed->dctcp_pid, "control", control);
    bool written = state != NULL && json_dump_file(state, path, JSON_INDENT(2)) == 0;
    json_decref(state);
    return written;
}

/* A zombie has no namespace, and a process that got the number of a dead one is elsewhere. */
bool testbed_switch_runs(const char *name, const struct testbed_state *state)
{
    char space[TESTBED_SPACE_MAX], path[TESTBED_PATH_MAX];
    struct stat its, named;
    testbed_space(name, TESTBED_SWITCH, space);
    snprintf(path, sizeof path, "/run/netns/%s", space);
    if (state->switch_pid <= 0 || stat(path, &named) != 0)
        return false;
    snprintf(path, sizeof path, "/proc/%d/ns/net", state->switch_pid);
    return stat(path, &its) == 0 && its.st_dev == named.st_dev && its.st_ino == named.st_ino;
}

bool testbed_state_read(const char *name, struct testbed_state *state)
{
    char path[TESTBED_PATH_MAX];
    const char *scenario, *first, *last;
    int hosts, scale;
    *state = (struct testbed_state){.hosts = 0};
    testbed_path(name, "state.json", path);
    json_t *root = json_load_file(path, 0, NULL);
    bool read = root != NULL && json_unpack(root, "{s:s, s:i, s:i, s:s, s:s, s:i, s:i}", "scenario", &scenario, "hosts",
                                            &hosts, "scale", &scale, "first_address", &first, "last_address", &last,
                                            "switch_pid", &state->switch_pid, "dctcp_pid", &state->dctcp_pid) == 0;
    if (read) {
        snprintf(state->scenario, sizeof state->scenario, "%s", scenario);
        snprintf(state->addresses, sizeof state->addresses, "%.15s ... %.15s", first, last);
        state->hosts = (uint32_t)hosts;
        state->scale = (uint32_t)scale;
    }
    json_decref(root);
    return read;
}
