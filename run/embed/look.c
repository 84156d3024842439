/*
 * look.c - what a simulation says of itself. See embed.h. Measures are made when the first one is asked for, and kept
 * until time goes on.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/embed/embed.h"
#include "run/measures/names.h"
#include "sim/engine/packet.h"

void embed_forget(struct weir_sim *self)
{
    if (self->result == NULL)
        return;
    measures_free(&self->measures);
    run_result_free(self->result);
    free(self->result);
    self->result = NULL;
}

static bool look(struct weir_sim *self, struct weir_error *error)
{
    if (self->state == WEIR_SIM_FAILED) {
        if (error != NULL)
            *error = self->run.error;
        return false;
    }
    if (self->result != NULL)
        return true;
    self->result = malloc(sizeof *self->result);
    if (self->result == NULL)
        return weir_fail_memory(error);
    self->measures = (struct measures){.values = NULL};
    if (run_measure(&self->run, self->result) && run_measures_make(&self->measures, self->result))
        return true;
    embed_forget(self);
    return weir_fail_memory(error);
}

void weir_sim_progress(const struct weir_sim *self, struct weir_sim_progress *progress)
{
    EMBED_CALL(self);
    EMBED_ASSERT(progress != NULL, "there is no room for the progress");
    struct sim_progress totals = {.until = self->run.scenario.config.until_ps}; /* a run that failed may have nothing */
    if (run_sim(&self->run) != NULL)
        totals = sim_totals(run_sim(&self->run));
    *progress = (struct weir_sim_progress){.state = self->state,
                                           .now = self->now_ps,
                                           .until = totals.until,
                                           .packet_hops = totals.packet_hops,
                                           .flows_started = totals.flows_started,
                                           .flows_ended = totals.flows_ended};
}

uint64_t weir_sim_digest(const struct weir_sim *self)
{
    EMBED_CALL(self);
    return run_sim(&self->run) != NULL ? sim_digest(run_sim(&self->run)) : 0;
}

const char *weir_sim_id(const struct weir_sim *self)
{
    EMBED_CALL(self);
    return self->id;
}

const char *weir_sim_config(const struct weir_sim *self)
{
    EMBED_CALL(self);
    return self->config;
}

const char *weir_sim_tag(const struct weir_sim *self, uint32_t tag)
{
    EMBED_CALL(self);
    return tag < self->run.scenario.config.tag_count ? self->run.scenario.config.tag_names[tag] : NULL;
}

const char *weir_sim_warning(const struct weir_sim *self, uint32_t number)
{
    EMBED_CALL(self);
    const struct scenario_warning *warning = self->run.scenario.warnings;
    for (; warning != NULL && number > 0; number--)
        warning = warning->next;
    return warning != NULL ? warning->text : NULL;
}

static bool refuse_name(const struct weir_sim *self, const char *name, struct weir_error *error)
{
    const struct sim_config *config = &self->run.scenario.config;
    const struct run_measure_names names = {config->tag_names, config->tag_count, false};
    char nearest[RUN_MEASURE_NAME_MAX];
    if (run_measure_known(&names, name))
        return true;
    if (run_measure_nearest(&names, name, nearest))
        return weir_fail_unknown(error, name, "no run of this scenario has a measure '%.80s' (did you mean '%s'?)",
                                 name, nearest);
    return weir_fail_unknown(error, name, "no run of this scenario has a measure '%.80s'", name);
}

bool weir_sim_measure(struct weir_sim *self, const char *name, double *value, struct weir_error *error)
{
    EMBED_CALL(self);
    EMBED_ASSERT(name != NULL && value != NULL, "the name is null, or there is no room for the value");
    *value = NAN;
    if (!look(self, error))
        return false;
    for (uint32_t i = 0; i < self->measures.value_count; i++)
        if (strcmp(self->measures.values[i].name, name) == 0) {
            *value = self->measures.values[i].value;
            return true;
        }
    return refuse_name(self, name, error);
}

/* There is no more of something: no mistake. */
static bool end_list(struct weir_error *error)
{
    if (error != NULL)
        *error = (struct weir_error){.code = WEIR_ERROR_NONE};
    return false;
}

bool weir_sim_value_at(struct weir_sim *self, uint32_t number, struct weir_sim_value *value, struct weir_error *error)
{
    EMBED_CALL(self);
    EMBED_ASSERT(value != NULL, "there is no room for the value");
    if (!look(self, error))
        return false;
    if (number >= self->measures.value_count)
        return end_list(error);
    const struct measure_value *found = &self->measures.values[number];
    *value = (struct weir_sim_value){found->name, found->unit, found->value};
    return true;
}

bool weir_sim_curve_at(struct weir_sim *self, uint32_t number, struct weir_sim_curve *curve, struct weir_error *error)
{
    EMBED_CALL(self);
    EMBED_ASSERT(curve != NULL, "there is no room for the curve");
    if (!look(self, error))
        return false;
    if (number >= self->measures.curve_count)
        return end_list(error);
    const struct measure_curve *found = &self->measures.curves[number];
    *curve = (struct weir_sim_curve){found->name, found->x_unit, found->y_unit, found->points, found->count};
    return true;
}

static struct weir_sim_flow flow_of(const struct flow_record *record)
{
    bool endless = record->bytes == FLOW_ENDLESS;
    return (struct weir_sim_flow){.id = record->id,
                                  .tag = record->tag,
                                  .traffic = record->traffic,
                                  .query = record->group != FLOW_NO_GROUP ? record->group : WEIR_SIM_NO_QUERY,
                                  .source = record->source,
                                  .destination = record->destination,
                                  .bytes = endless ? -1 : record->bytes,
                                  .delivered_bytes = record->delivered_bytes,
                                  .start_ps = record->start_ps,
                                  .finish_ps = record->finish_ps,
                                  .ideal_ps = endless ? WEIR_NEVER : record->ideal_ps,
                                  .timeouts = record->timeouts,
                                  .resent = record->again,
                                  .lost = record->lost,
                                  .packets_sent = record->sent,
                                  .packets_delivered = record->packets};
}

uint32_t weir_sim_flows(const struct weir_sim *self, uint32_t first, struct weir_sim_flow *flows, uint32_t room)
{
    EMBED_CALL(self);
    if (run_sim(&self->run) == NULL)
        return 0;
    const struct records *records = sim_records(run_sim(&self->run));
    uint32_t left = first < records->count ? records->count - first : 0, count = left < room ? left : room;
    for (uint32_t i = 0; i < count; i++)
        flows[i] = flow_of(&records->at[first + i]);
    return count;
}

uint32_t weir_sim_hosts(const struct weir_sim *self)
{
    EMBED_CALL(self);
    return self->run.scenario.topology.hosts;
}

uint32_t weir_sim_packets(const struct weir_sim *self, uint32_t first, struct weir_sim_packet *packets, uint32_t room)
{
    EMBED_CALL(self);
    uint32_t left = first < self->packet_count ? self->packet_count - first : 0, count = left < room ? left : room;
    for (uint32_t i = 0; i < count; i++) {
        const struct sim_packet_event *event = &self->packets[first + i];
        packets[i] = (struct weir_sim_packet){.when = event->when,
                                              .kind = run_follow_kind(event),
                                              .event = run_follow_step(event),
                                              .why = run_follow_why(event),
                                              .queue_bytes = event->queue_bytes,
                                              .source = event->source,
                                              .number = event->number,
                                              .destination = event->destination,
                                              .flow = event->flow,
                                              .tag = event->tag,
                                              .sequence = event->segment,
                                              .ack = event->ack,
                                              .bytes = event->bytes,
                                              .node = event->node,
                                              .next = run_follow_next(&self->neighbours, event),
                                              .hops = event->hops,
                                              .tc = event->tc,
                                              .feedback = event->flags & PACKET_ACK,
                                              .marked = event->flags & PACKET_MARKED,
                                              .resent = event->flags & PACKET_AGAIN};
    }
    return count;
}

uint32_t weir_sim_points(const struct weir_sim *self, uint32_t probe, uint32_t first, struct weir_sim_point *points,
                         uint32_t room)
{
    EMBED_CALL(self);
    const struct sim_config *config = &self->run.scenario.config;
    if (run_sim(&self->run) == NULL || probe >= sim_measure(run_sim(&self->run))->probe_count)
        return 0;
    const struct series *series = &sim_measure(run_sim(&self->run))->probe[probe];
    uint32_t left = first < series->count ? series->count - first : 0, count = left < room ? left : room;
    int64_t cell = sim_config_tier(config, self->run.scenario.topology.tier[config->probes[probe].sw])->mmu.cell_bytes;
    for (uint32_t i = 0; i < count; i++) {
        const struct series_point *point = &series->points[first + i];
        points[i] =
            (struct weir_sim_point){.when = point->when,
                                    .queue_bytes = point->queue_cells * cell,
                                    .threshold_bytes = point->threshold_cells < 0 ? -1 : point->threshold_cells * cell,
                                    .used_bytes = point->used_cells * cell};
    }
    return count;
}

const char *weir_sim_probe(struct weir_sim *self, uint32_t probe, struct weir_error *error)
{
    EMBED_CALL(self);
    if (!look(self, error))
        return NULL;
    if (probe >= sim_measure(run_sim(&self->run))->probe_count) {
        end_list(error);
        return NULL;
    }
    run_probe_name(self->result, probe, self->probe);
    return self->probe;
}
