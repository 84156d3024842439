/*
 * testbed.h - hosts as network namespaces on this machine, a switch between them, and the TCP of the kernel: what
 * the parts of `weir testbed` share.
 *
 *   testbed_settings   what a scenario asks of hosts: rates, addresses, TCP
 *   testbed_network    namespaces, links, addresses, pacing
 *   testbed_process    programs inside of them               testbed_real_time   which of them go before others
 *   testbed_switch     what is between the hosts
 *   testbed_up         all of it, with the switch            testbed_down   all of it away again
 *   testbed_guard      sees to that, should this process die
 *   testbed_point      one run: traffic, records, counters   testbed_result what it gave
 *
 * A testbed has a name. Everything that belongs to it is found by that name alone, whichever process made it:
 * namespaces weir-NAME-h0, weir-NAME-h1 ... and weir-NAME-switch, what runs in them, and the folder
 * /run/weir/testbed-NAME.
 */
#ifndef TESTBED_TESTBED_H
#define TESTBED_TESTBED_H

#include "scenario/read/scenario.h"

#define TESTBED_NAME_MAX 17u  /* with the zero that ends it */
#define TESTBED_SPACE_MAX 48u /* name of a namespace */
#define TESTBED_PATH_MAX 128u /* of a file in the folder */
#define TESTBED_MESSAGE_MAX 256u
#define TESTBED_HOSTS_MAX 64u /* ports that weir-switch can have */
#define TESTBED_NAME "default"
#define TESTBED_FOLDER "/run/weir" /* of all testbeds; only root writes there */
#define TESTBED_NETWORK "10.77.0.0"

struct testbed_switch; /* switch.h */

/* What bmv2 needs to know of the switch. */
struct testbed_bmv2_settings {
    uint32_t cell_bytes, buffer_cells;
    uint32_t admit_margin_cells, drop_margin_cells;
    const char *alpha;                     /* the action of the program that stands for it */
    uint64_t threshold_cells;              /* of an empty buffer */
    bool expels;                           /* Occamy; else DT */
    uint32_t sync_pps;                     /* SYNC packets */
    uint32_t queue_pps[TESTBED_HOSTS_MAX]; /* full frames that a port sends */
};

/* What a scenario asks of the hosts and their links. Times and rates are those of the machine: scaled. */
struct testbed_settings {
    uint32_t hosts;
    uint32_t scale;
    uint32_t network;                     /* IPv4, the byte of hosts 0; host i has 1 + i there */
    uint64_t rate_bps[TESTBED_HOSTS_MAX]; /* at which a host sends */
    uint32_t overhead_bytes;              /* of a frame on the wire, beyond what the kernel counts */
    uint32_t mtu_bytes;
    uint32_t initial_window; /* segments */
    uint32_t min_rto_ms;     /* 0: no transport has one, the kernel's stays */
    bool quick_acks;         /* an ACK for every segment */
    bool restart_idle;       /* unused windows shrink */
    bool ecn;                /* of CUBIC and Reno; DCTCP brings its own */
    bool dctcp;
    weir_q16 dctcp_gain, dctcp_initial; /* g, and alpha of a new connection */
    uint32_t warm_up;                   /* connections between two hosts that are open from the start */
    bool placed;                        /* the scenario says on which processors the switch runs */
    const struct testbed_switch *sw;
    struct testbed_bmv2_settings bmv2; /* where it is that one */
};

struct testbed {
    char name[TESTBED_NAME_MAX];
    struct testbed_settings settings;
    const char *scenario;      /* as typed, for people */
    bool stays;                /* it is to be there when this process has ended */
    bool real_time;            /* its programs go before all others of the machine */
    int switch_pid, dctcp_pid; /* 0: none */
};

/* False and one line in `error` when the testbed cannot do what the scenario says. `network` null: TESTBED_NETWORK.
 */
bool testbed_settings_read(struct testbed_settings *settings, const struct scenario *scenario, const char *network,
                           struct weir_error *error);

/* "10.77.0.1,10.77.0.2,...": to be freed; null: out of memory. */
char *testbed_addresses(const struct testbed_settings *settings);
void testbed_address(const struct testbed_settings *settings, uint32_t host, char text[16]);
void testbed_mac(uint32_t host, char text[18]);

#define TESTBED_SWITCH UINT32_MAX /* in the place of a host */

/* "weir-NAME-h3", "weir-NAME-switch". */
void testbed_space(const char *name, uint32_t host, char space[TESTBED_SPACE_MAX]);

/* The other way round; false: it is not a namespace of a testbed. */
bool testbed_of_space(const char *space, char name[TESTBED_NAME_MAX]);

/* /run/weir/testbed-NAME/FILE; file "" is the folder with a slash. */
void testbed_path(const char *name, const char *file, char path[TESTBED_PATH_MAX]);

/* Letters and digits: true when it can name a testbed. */
bool testbed_name_is_good(const char *name);

/* Calls `visit` for each name of which a namespace or a folder is there, each once, in order. */
typedef void testbed_visit(void *context, const char *name);
bool testbed_each(testbed_visit *visit, void *context); /* false: out of memory */
bool testbed_is_there(const char *name);

/* Before anything is made: root, namespaces and programs are there. */
bool testbed_possible(const struct testbed_switch *sw, struct weir_error *error);

/* Programs of weir, wherever they are: WEIR_SWITCH or WEIR_TRAFFIC, beside this one, or on the path. False: nowhere. */
bool testbed_program(const char *program, char path[4096]);

/* Namespaces, links and addresses of bed->settings. */
bool testbed_network_make(const struct testbed *bed, struct weir_error *error);

/*
 * Makes everything for a scenario, of which `text` is all that is effective. The caller holds a guard, and takes
 * down what is there when this fails.
 */
bool testbed_up(struct testbed *bed, const char *text, struct weir_error *error);

/* Ends what runs in the namespaces of this name and removes them and the folder. Missing things are not errors.
 * False: something is still there. */
bool testbed_down(const char *name);

/* What testbed_up leaves for `status`, and what is read of it. */
bool testbed_state_write(const struct testbed *bed);
struct testbed_state {
    char scenario[256];
    uint32_t hosts, scale;
    int switch_pid, dctcp_pid;
    char addresses[40]; /* "10.77.0.1 ... 10.77.0.8" */
};
bool testbed_state_read(const char *name, struct testbed_state *state);

/* Whether the switch of a state runs: alive, no zombie, and in the namespace of the switch. */
bool testbed_switch_runs(const char *name, const struct testbed_state *state);

#endif
