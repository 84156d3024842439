/*
 * transport.c - the table of transports, and settings of any of them. See transport.h.
 */
#include "sim/transport/transport.h"

#include <string.h>

const struct transport *const transport_table[] = {
#define TRANSPORT(name) &transport_##name,
#include "sim/transport/registry.def"
#undef TRANSPORT
    NULL,
};

const struct transport *transport_find(const char *name)
{
    for (const struct transport *const *at = transport_table; *at; at++) {
        if (strcmp((*at)->name, name) == 0)
            return *at;
    }
    return NULL;
}

void sim_transport_init(struct sim_transport *transport, const struct transport *kind)
{
    assert(kind->settings.size <= TRANSPORT_PARAMS_BYTES);
    *transport = (struct sim_transport){.kind = kind};
    settings_init(&kind->settings, transport->params);
}

bool sim_transport_init_kernel(struct sim_transport *transport)
{
    return settings_init_kernel(&transport->kind->settings, transport->params);
}

bool sim_transport_set(struct sim_transport *transport, const char *name, int64_t value)
{
    const struct setting *setting = settings_find(&transport->kind->settings, name);
    if (setting)
        setting_store(setting, transport->params, value);
    return setting != NULL;
}

bool sim_transport_check(const struct sim_transport *transport, const struct sim_wire *wire, struct weir_error *error)
{
    const struct transport *kind = transport->kind;
    return settings_check(&kind->settings, transport->params, error) &&
           (!kind->check || kind->check(transport->params, wire, error));
}
