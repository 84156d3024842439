/*
 * platform.h - what a chip is like that no table of a configuration says: its cells, its buffer, its delays. From
 * operate/platforms/NAME.yaml, where each value stands with its source, and from options.
 */
#ifndef OPERATE_MODEL_PLATFORM_H
#define OPERATE_MODEL_PLATFORM_H

#include "operate/config/config.h"

/* Is a pool's xoff part of its size? */
enum platform_xoff { PLATFORM_XOFF_UNKNOWN, PLATFORM_XOFF_INSIDE, PLATFORM_XOFF_OUTSIDE };

/* An egress pool that is larger than what ingress pools share: as it is, or as large as that. */
enum platform_egress { PLATFORM_EGRESS_OWN, PLATFORM_EGRESS_INGRESS };

/* A group resumes xon_offset below its threshold of the moment, when it has drained xon_offset, or with no xon_offset
 * at xon. */
enum platform_resume { PLATFORM_RESUME_LIMIT, PLATFORM_RESUME_DRAINED, PLATFORM_RESUME_XON };

/* The threshold of a port holds beside that of a group, the group's is a share of it, or there is none. */
enum platform_port_alpha { PLATFORM_PORT_BESIDE, PLATFORM_PORT_NESTED, PLATFORM_PORT_NONE };

/* What a group may take of a shared headroom pool: its own xoff, or that of all groups of its port. */
enum platform_headroom_cap { PLATFORM_CAP_GROUP, PLATFORM_CAP_PORT };

/* Thresholds of groups and queues of one shared buffer; virtual output queues at the ingress, which are not judged; or
 * nobody outside of the vendor knows. */
enum platform_kind { PLATFORM_SHARED, PLATFORM_VOQ, PLATFORM_UNMODELLED };

/* Numbers are SONIC_ABSENT where nobody knows. */
struct platform {
    const char *name; /* null: none was found */
    const char *file;
    const char *port_alpha_off; /* hwskus, with blanks between them, whose profile of SAI turns port_alpha off */
    int64_t cell, mmu, pipes;   /* bytes, bytes, number */
    int64_t xoff;               /* enum platform_xoff; so the next four */
    int64_t headroom;           /* xoff of groups that have it to themselves, of a pool's size */
    int64_t group_minimums;     /* of lossless groups, of an ingress pool's size */
    int64_t queue_minimums;     /* of queues, in every pipe, of the lossless ingress pool's size */
    int64_t egress_minimums;    /* of queues, of their egress pool's size */
    int64_t egress_shared;      /* enum platform_egress */
    int64_t resume;             /* enum platform_resume */
    int64_t port_alpha;         /* enum platform_port_alpha */
    int64_t kind;               /* enum platform_kind */
    int64_t headroom_cap;       /* enum platform_headroom_cap */
    int64_t headroom_overhead, headroom_overhead_wide; /* cells of own headroom that no packet gets; of 8 lanes */
    int64_t pipeline_latency;                          /* KiB, in billionths; so the next two */
    int64_t mac_phy_delay;
    int64_t peer_response_time;              /* where the speed has no row of its own */
    int64_t gearbox_delay;                   /* ns */
    int64_t tile_delay;                      /* ns, of what is in flight between tiles */
    int64_t extra_xoff;                      /* bytes, beyond the formula */
    int64_t port_max_shp, port_reserved_shp; /* cells of the shared headroom pool that a port may have, and owns */
    int64_t max_headroom;                    /* bytes of headroom of a port */
    int64_t mirror_headroom;                 /* bytes that a port keeps for mirrored packets */
    int64_t descriptor_pool;                 /* bytes that the chip keeps for descriptors */
};

void platform_init(struct platform *platform);

/*
 * The platform of a configuration: `wanted` is a name or a file; null: by DEVICE_METADATA, its platform and hwsku. One
 * that is not known leaves everything unknown. False with an error: a file that cannot be read, a name that nothing
 * has. Texts go to the configuration's arena.
 */
bool platform_find(struct platform *platform, struct sonic_config *config, const char *wanted,
                   struct weir_error *error);

/* "208B": a value as text; and where it is from, once platform_find has read it. */
const char *platform_text(const struct platform *platform, const char *key, char text[64]);

/* Why thresholds of the chip are not judged; null: they are. */
const char *platform_unjudged(const struct platform *platform);

/* KiB in billionths as bytes; 0 where it is not known. */
double platform_kib_bytes(int64_t billionths);

#endif
