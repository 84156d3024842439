/*
 * what.c - the box at the top of the page: what was run. The network as a drawing, the switch, the policies with their
 * full names and every parameter, transports and traffic as the scenario writes them, the sweep, seeds and build.
 *
 * Most of it is as written (experiment->base); what an axis of the sweep sets says so. Policies are as effective: read
 * from the configurations of runs, one for each value of the axes that change a policy.
 */
#include <inttypes.h>
#include <string.h>

#include "scenario/read/scenario.h"
#include "show/draw/escape.h"
#include "show/draw/network.h"
#include "show/page/page.h"
#include "weir/policy.h"

#define POLICIES_SHOWN 24u

static void put_row(const char *name, FILE *out)
{
    fprintf(out, "<dt>%s</dt><dd>", name);
}

/* A list of scalars as "a, b", anything else on one line as the scenario would write it. */
static void put_value(const struct node *node, FILE *out)
{
    if (node->kind == NODE_SCALAR) {
        escape_markup(node->text, out);
        return;
    }
    fputc(node->kind == NODE_MAP ? '{' : '[', out);
    for (const struct node *child = node->first; child != NULL; child = child->next) {
        if (child->key != NULL) {
            escape_markup(child->key, out);
            fputs(": ", out);
        }
        put_value(child, out);
        fputs(child->next != NULL ? ", " : "", out);
    }
    fputc(node->kind == NODE_MAP ? '}' : ']', out);
}

/* The axis that sets PREFIX.NAME or something below it; null: none does. */
static const struct axis *axis_of(const struct experiment *experiment, const char *prefix, const char *name)
{
    char path[256];
    int length = snprintf(path, sizeof path, "%s.%s", prefix, name);
    for (uint32_t a = 0; a < experiment->axis_count; a++) {
        const struct axis *axis = &experiment->axes[a];
        for (uint32_t p = 0; p < axis->path_count; p++)
            if (strncmp(axis->paths[p], path, (size_t)length) == 0 &&
                (axis->paths[p][length] == '\0' || axis->paths[p][length] == '.'))
                return axis;
    }
    return NULL;
}

/* "max_window 400, bytes by Size of the burst": the keys of a map but `kind`, `tag` and `transport`. */
static void put_keys(const struct experiment *experiment, const struct node *map, const char *const prefixes[2],
                     FILE *out)
{
    for (const struct node *child = map->first; child != NULL; child = child->next) {
        if (strcmp(child->key, "kind") == 0 || strcmp(child->key, "tag") == 0 || strcmp(child->key, "transport") == 0)
            continue;
        const struct axis *axis = axis_of(experiment, prefixes[0], child->key);
        if (axis == NULL)
            axis = axis_of(experiment, prefixes[1], child->key);
        fputs(", ", out);
        escape_markup(child->key, out);
        fputc(' ', out);
        if (axis != NULL) {
            fputs("<em>by ", out);
            escape_markup(axis->title, out);
            fputs("</em>", out);
        } else {
            put_value(child, out);
        }
    }
}

static const char *text_of(const struct node *map, const char *key, const char *otherwise)
{
    const struct node *node = map != NULL && map->kind == NODE_MAP ? node_find(map, key) : NULL;
    return node != NULL && node->kind == NODE_SCALAR ? node->text : otherwise;
}

static void put_traffic(const struct experiment *experiment, const struct node *item, uint32_t number, FILE *out)
{
    char by_number[200], by_tag[200];
    const char *tag = text_of(item, "tag", "");
    snprintf(by_number, sizeof by_number, "traffic.%" PRIu32, number);
    snprintf(by_tag, sizeof by_tag, "traffic.%.180s", tag[0] != '\0' ? tag : "?");
    const char *const prefixes[] = {by_number, by_tag};
    fputs("<li><strong>", out);
    escape_markup(tag[0] != '\0' ? tag : text_of(item, "kind", "?"), out);
    fputs("</strong>: kind ", out);
    escape_markup(text_of(item, "kind", "?"), out);
    if (text_of(item, "transport", NULL) != NULL) {
        fputs(", transport ", out);
        escape_markup(text_of(item, "transport", ""), out);
    }
    put_keys(experiment, item, prefixes, out);
    fputs("</li>\n", out);
}

static void put_transports_and_traffic(const struct experiment *experiment, FILE *out)
{
    const struct node *transports = experiment->base != NULL ? node_find(experiment->base, "transports") : NULL;
    const struct node *traffic = experiment->base != NULL ? node_find(experiment->base, "traffic") : NULL;
    uint32_t number = 0;
    if (transports != NULL && transports->kind == NODE_MAP) {
        put_row("Transports", out);
        fputs("<ul>\n", out);
        for (const struct node *child = transports->first; child != NULL; child = child->next)
            if (child->kind == NODE_MAP) {
                /* One transport. */
                char prefix[200];
                snprintf(prefix, sizeof prefix, "transports.%.180s", child->key);
                const char *const prefixes[] = {prefix, prefix};
                const struct axis *axis = axis_of(experiment, prefix, "kind");
                fputs("<li><strong>", out);
                escape_markup(child->key, out);
                fputs("</strong>: kind ", out);
                escape_markup(axis != NULL ? "by " : text_of(child, "kind", "?"), out);
                if (axis != NULL)
                    escape_markup(axis->title, out);
                put_keys(experiment, child, prefixes, out);
                fputs("</li>\n", out);
            }
        fputs("</ul></dd>\n", out);
    }
    if (traffic != NULL && traffic->kind == NODE_LIST) {
        put_row("Traffic", out);
        fputs("<ul>\n", out);
        for (const struct node *child = traffic->first; child != NULL; child = child->next, number++)
            if (child->kind == NODE_MAP)
                put_traffic(experiment, child, number, out);
        fputs("</ul></dd>\n", out);
    }
}

/* "Dynamic Threshold (dt), alpha 1" of {name: dt, alpha: 1}. */
static void put_policy(const struct node *map, FILE *out)
{
    const char *name = text_of(map, "name", "?");
    const struct weir_policy *policy = weir_policy_find(name);
    if (policy != NULL) {
        escape_markup(policy->title, out);
        fputs(" (<code>", out);
        escape_markup(name, out);
        fputs("</code>)", out);
    } else {
        escape_markup(name, out);
    }
    for (const struct node *child = map->first; child != NULL; child = child->next) {
        if (strcmp(child->key, "name") == 0)
            continue;
        fputs(", ", out);
        escape_markup(child->key, out);
        fputc(' ', out);
        put_value(child, out);
    }
}

/* The first finished run at or behind `from` with this value of an axis; UINT32_MAX: none. */
static uint32_t run_with(const struct table *table, uint32_t axis, uint32_t value)
{
    const struct experiment *experiment = &table->experiment;
    for (uint32_t run = 0; run < experiment_runs(experiment); run++)
        if (table->runs[run].finished && table->runs[run].config != NULL &&
            (axis == UINT32_MAX || experiment_value_at(experiment, run / experiment->seed_count, axis) == value))
            return run;
    return UINT32_MAX;
}

/* The policies of one run, with the label of the sweep where it has one. */
static bool put_policies_of(const struct table *table, uint32_t run, const char *label, FILE *out)
{
    static const char *const keys[] = {"policy", "headroom"};
    struct document document;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const char *config = table->runs[run].config;
    bool read = document_read(&document, "configuration", config, strlen(config), &error);
    const struct node *sw = read && document.root->kind == NODE_MAP ? node_find(document.root, "switch") : NULL;
    for (uint32_t i = 0; sw != NULL && sw->kind == NODE_MAP && i < 2; i++) {
        const struct node *policy = node_find(sw, keys[i]);
        if (policy == NULL || policy->kind != NODE_MAP)
            continue;
        fputs("<li>", out);
        if (label != NULL) {
            fputs("<strong>", out);
            escape_markup(label, out);
            fputs("</strong>: ", out);
        }
        put_policy(policy, out);
        fputs(i == 1 ? ", for lossless classes</li>\n" : "</li>\n", out);
    }
    document_free(&document);
    return error.code != WEIR_ERROR_MEMORY;
}

static bool put_policies(const struct table *table, FILE *out)
{
    bool whole = true;
    const struct experiment *experiment = &table->experiment;
    uint32_t axis = experiment_policy_axis(experiment);
    put_row("Policies", out);
    fputs("<ul>\n", out);
    for (uint32_t value = 0; value < (axis != UINT32_MAX ? experiment->axes[axis].count : 1); value++) {
        uint32_t run = value < POLICIES_SHOWN ? run_with(table, axis, value) : UINT32_MAX;
        if (run != UINT32_MAX)
            whole &= put_policies_of(table, run, axis != UINT32_MAX ? experiment->axes[axis].values[value].label : NULL,
                                     out);
        else if (value == POLICIES_SHOWN)
            fprintf(out, "<li>and %" PRIu32 " more</li>\n", experiment->axes[axis].count - POLICIES_SHOWN);
    }
    fputs("</ul></dd>\n", out);
    return whole;
}

static void put_switch_key(const struct experiment *experiment, const struct node *sw, const char *key,
                           const char *before, FILE *out)
{
    const struct axis *axis = axis_of(experiment, "switch", key);
    const struct node *node = node_find(sw, key);
    if (axis == NULL && node == NULL)
        return;
    fputs(before, out);
    if (axis != NULL) {
        fputs("<em>by ", out);
        escape_markup(axis->title, out);
        fputs("</em>", out);
    } else {
        put_value(node, out);
    }
}

static void put_switch(const struct experiment *experiment, const struct node *root, FILE *out)
{
    const struct node *sw = node_find(root, "switch");
    if (sw == NULL || sw->kind != NODE_MAP)
        return;
    put_row("Switches", out);
    fputs("buffer ", out);
    put_switch_key(experiment, sw, "buffer", "", out);
    const struct node *tiers = node_find(sw, "tiers");
    for (const struct node *tier = tiers != NULL && tiers->kind == NODE_MAP ? tiers->first : NULL; tier != NULL;
         tier = tier->next) {
        if (text_of(tier, "buffer", NULL) == NULL)
            continue;
        fputs(" (", out);
        escape_markup(tier->key, out);
        fputc(' ', out);
        escape_markup(text_of(tier, "buffer", ""), out);
        fputc(')', out);
    }
    put_switch_key(experiment, sw, "classes", ", classes ", out);
    put_switch_key(experiment, sw, "lossless", ", lossless ", out);
    put_switch_key(experiment, sw, "scheduler", ", scheduler ", out);
    const struct node *ecn = node_find(sw, "ecn");
    if (axis_of(experiment, "switch", "ecn") != NULL)
        put_switch_key(experiment, sw, "ecn", ", ECN ", out);
    else if (ecn != NULL && ecn->kind == NODE_MAP && node_find(ecn, "kind") != NULL &&
             strcmp(text_of(ecn, "kind", "?"), "none") != 0) {
        /* "step, low 98670B": what a kind of marking does not use is nothing. */
        fputs(", ECN ", out);
        put_value(node_find(ecn, "kind"), out);
        for (const struct node *child = ecn->first; child != NULL; child = child->next) {
            bool unused =
                child->kind == NODE_SCALAR && (strcmp(child->text, "0") == 0 || strcmp(child->text, "0B") == 0);
            if (unused || strcmp(child->key, "kind") == 0)
                continue;
            fputs(", ", out);
            escape_markup(child->key, out);
            fputc(' ', out);
            put_value(child, out);
        }
    }
    fputs("</dd>\n", out);
}

static bool put_network(const struct document *document, FILE *out)
{
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    char text[NETWORK_TEXT_MAX];
    if (scenario_build_network(&scenario, document, &error)) {
        network_put_inline(&scenario.topology, out);
        fputs("<dl>\n", out);
        put_row("Network", out);
        escape_markup(text_of(node_find(document->root, "topology"), "kind", "?"), out);
        fprintf(out, ": %s</dd>\n", network_text(&scenario.topology, text));
    } else {
        fputs("<dl>\n", out);
    }
    scenario_free(&scenario);
    return error.code != WEIR_ERROR_MEMORY;
}

static void put_seeds_and_build(const struct report *report, FILE *out)
{
    const struct table *table = report->table;
    const struct experiment *experiment = &table->experiment;
    const char *until = text_of(experiment->base, "until", NULL);
    put_row("Runs", out);
    fprintf(out, "seed%s %" PRIu64, experiment->seed_count == 1 ? "" : "s", experiment->first_seed);
    if (experiment->seed_count > 1)
        fprintf(out, "\u2013%" PRIu64, experiment->first_seed + experiment->seed_count - 1);
    if (until != NULL) {
        fputs(", each until ", out);
        escape_markup(until, out);
    }
    fputs("</dd>\n", out);
    put_row("Build", out);
    fputs("weir ", out);
    escape_markup(table->version != NULL ? table->version : "?", out);
    fputs("</dd>\n", out);
}

bool page_put_what(const struct report *report, FILE *out)
{
    const struct table *table = report->table;
    uint32_t run = run_with(table, UINT32_MAX, 0);
    bool whole = true;
    struct document document;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    fputs("<section id=\"what\" class=\"what\" aria-labelledby=\"what-title\">\n<h2 id=\"what-title\">What was "
          "run</h2>\n",
          out);
    const char *config = run != UINT32_MAX ? table->runs[run].config : NULL;
    bool read = config != NULL && document_read(&document, "configuration", config, strlen(config), &error);
    if (read && document.root->kind == NODE_MAP && node_find(document.root, "topology") != NULL) {
        whole = put_network(&document, out);
        put_switch(&table->experiment, document.root, out);
        whole &= put_policies(table, out);
    } else {
        fputs("<dl>\n", out);
    }
    if (config != NULL)
        document_free(&document);
    put_transports_and_traffic(&table->experiment, out);
    const struct experiment *experiment = &table->experiment;
    if (experiment->axis_count != 0) {
        put_row("Sweep", out);
        for (uint32_t a = 0; a < experiment->axis_count; a++) {
            const struct axis *axis = &experiment->axes[a];
            fputs(a > 0 ? "<br>" : "", out);
            escape_markup(axis->title, out);
            fputs(": ", out);
            for (uint32_t i = 0; i < axis->count; i++) {
                if (axis->count > 12 && i == 6)
                    i = axis->count - 1;
                fputs(i == 0 ? "" : axis->count > 12 && i == axis->count - 1 ? ", \u2026, " : ", ", out);
                escape_markup(axis->values[i].label, out);
            }
        }
        fputs("</dd>\n", out);
    }
    put_seeds_and_build(report, out);
    fputs("</dl>\n</section>\n", out);
    return whole && error.code != WEIR_ERROR_MEMORY;
}
