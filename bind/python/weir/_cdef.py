"""Declarations of libweir and libweir-sim for cffi, written by tools/api --cdef; a test keeps them up to date."""

CDEF = """
const char *weir_version(void);
typedef int64_t weir_ps;
typedef int64_t weir_cells;
typedef int64_t weir_bps;
typedef int64_t weir_q16;
typedef struct {
    uint32_t i;
} weir_port;
typedef struct {
    uint32_t i;
} weir_class;
typedef struct {
    uint32_t i;
} weir_account;
enum weir_reason {
    WEIR_REASON_NONE,
    WEIR_REASON_NO_ROOM,
    WEIR_REASON_OVER_THRESHOLD,
    WEIR_REASON_PREDICTED,
    WEIR_REASON_NO_DESCRIPTOR,
    WEIR_REASON_TOO_LARGE,
    WEIR_REASON_COUNT,
    WEIR_REASON_INVALID = (255)
};
enum weir_cause {
    WEIR_CAUSE_REFUSED,
    WEIR_CAUSE_PUSHOUT,
    WEIR_CAUSE_EXPELLED,
    WEIR_CAUSE_DEQUEUE,
    WEIR_CAUSE_FLUSHED,
    WEIR_CAUSE_COUNT
};
const char *weir_reason_name(enum weir_reason reason);
const char *weir_cause_name(enum weir_cause cause);
enum weir_marking_kind { WEIR_MARK_NONE, WEIR_MARK_STEP, WEIR_MARK_RED };
struct weir_marking {
    enum weir_marking_kind kind;
    weir_cells low_cells;
    weir_cells high_cells;
    weir_q16 high_chance;
};
struct weir_int_stamp {
    weir_ps now;
    weir_cells queue_cells;
    int64_t sent_cells;
    weir_bps rate_bps;
};
_Bool weir_marking_decide(const struct weir_marking *marking, weir_cells queue_cells, uint64_t seed, uint64_t index);
enum weir_error_code {
    WEIR_ERROR_NONE,
    WEIR_ERROR_MEMORY,
    WEIR_ERROR_MALFORMED,
    WEIR_ERROR_RANGE,
    WEIR_ERROR_UNKNOWN,
    WEIR_ERROR_INPUT,
    WEIR_ERROR_READ,
    WEIR_ERROR_WRITE,
    WEIR_ERROR_SYSTEM,
    WEIR_ERROR_BUSY,
    WEIR_ERROR_VIOLATION,
    WEIR_ERROR_MISSING
};
struct weir_error_place {
    char origin[200];
    uint32_t line, column;
    const char *part;
    uint64_t number;
};
struct weir_error {
    enum weir_error_code code;
    struct weir_error_place place;
    char name[64];
    char text[512];
};
_Bool weir_fail(struct weir_error *error, enum weir_error_code code, const char *format, ...)
;
_Bool weir_fail_memory(struct weir_error *error);
_Bool weir_fail_unknown(struct weir_error *error, const char *name, const char *format, ...)
;
_Bool weir_fail_in(struct weir_error *error, const char *part, uint64_t number);
_Bool weir_fail_at(struct weir_error *error, const char *origin, uint32_t line, uint32_t column);
_Bool weir_fail_within(struct weir_error *error, const char *format, ...);
const char *weir_error_line(const struct weir_error *error, char line[800]);
enum weir_unit {
    WEIR_UNIT_RATIO,
    WEIR_UNIT_COUNT,
    WEIR_UNIT_TIME,
    WEIR_UNIT_SPACE,
    WEIR_UNIT_FLAG,
    WEIR_UNIT_CHOICE,
};
struct weir_param {
    const char *name;
    enum weir_unit unit;
   _Bool per_class;
    int64_t initial;
    int64_t min, max;
    const char *const *choices;
    const char *help;
};
struct weir_values {
    int64_t of[16][32];
};
struct weir_policy;
void weir_values_init(struct weir_values *values, const struct weir_policy *policy);
_Bool weir_values_set(struct weir_values *values, const struct weir_policy *policy, const char *name, const char *text,
                     struct weir_error *error);
int weir_value_format(char *out, size_t size, const struct weir_param *param, int64_t value);
int weir_param_find(const struct weir_policy *policy, const char *name);
_Bool weir_value_parse(const struct weir_param *param, const char *text, int64_t *value, struct weir_error *error);
const char *weir_nearest_name(const char *name, const char *const *names, size_t count);
struct weir_geometry {
    uint32_t ports;
    uint32_t classes;
    uint32_t accounts;
    uint32_t lossy_accounts;
    uint32_t cell_bytes;
    weir_cells buffer_cells;
    weir_cells shared_cells;
    weir_cells headroom_cells;
    uint32_t lossless_mask;
};
struct weir_pools {
    weir_cells used_cells;
    weir_cells shared_cells;
    weir_cells headroom_cells;
};
struct weir_holding {
    weir_cells cells;
    weir_cells shared_cells;
    int64_t sent_cells;
    int32_t headroom_cells;
    int32_t private_limit;
};
struct weir_port_state {
    weir_bps rate_bps;
    weir_cells cells;
    weir_cells shared_cells;
    int64_t sent_cells;
    uint32_t backlog_mask;
    uint32_t paused_mask;
    int32_t headroom_cells;
   _Bool busy;
   _Bool paused;
    uint8_t padding[16];
};
struct weir_uplink {
    weir_cells headroom_cells;
    weir_ps delay_ps;
    uint32_t mtu_bytes;
    uint32_t least_bytes;
    uint32_t gap_bytes;
    uint32_t processing_bytes;
};
struct weir_rank_run {
    uint32_t first, count;
    weir_cells length;
};
struct weir_oracle;
struct weir_order;
struct weir_view {
    struct weir_geometry geometry;
    const struct weir_pools *pools;
    const unsigned char *accounts;
    const struct weir_port_state *port;
    struct weir_order *order;
    const uint32_t *rank_order;
    const uint32_t *rank_of;
    const uint32_t *rank_run_of;
    const struct weir_rank_run *rank_run;
    const struct weir_oracle *oracle;
    const struct weir_uplink *uplink;
};
weir_cells weir_view_peak(const struct weir_view *v);
weir_account weir_view_longest(const struct weir_view *v);
const weir_cells *weir_view_class_peaks(const struct weir_view *v);
weir_account weir_view_class_longest(const struct weir_view *v, weir_class tc);
weir_account weir_view_next_above(const struct weir_view *v, weir_account last, const weir_cells *class_threshold);
enum weir_flag {
    WEIR_FLAG_LOSSLESS = 1,
    WEIR_FLAG_ECN = 2,
    WEIR_FLAG_UNSCHEDULED = 4,
};
struct weir_arrival {
    weir_ps now;
    uint64_t index;
    weir_account account;
    weir_port port;
    weir_class tc;
    weir_cells cells;
    weir_cells need_cells;
    uint32_t flags;
};
enum weir_decision {
    WEIR_REFUSE,
    WEIR_ACCEPT_IF_ROOM,
    WEIR_ACCEPT,
};
enum weir_charge {
    WEIR_CHARGE_SHARED,
    WEIR_CHARGE_HEADROOM,
    WEIR_CHARGE_PRIVATE,
};
struct weir_verdict {
    uint32_t bits; /* decision | reason << 8 | charge << 16 */
};
enum weir_why {
    WEIR_WHY_PUSHOUT,
    WEIR_WHY_EXPEL,
    WEIR_WHY_DEQUEUE,
};
struct weir_question {
    enum weir_why why;
    weir_ps now;
    const struct weir_arrival *arrival;
    weir_account leaving;
};
struct weir_victim {
    weir_account account;
   _Bool tail;
};
struct weir_event {
    weir_ps now;
    weir_account account;
    weir_port port;
    weir_class tc;
    weir_cells cells;
    enum weir_cause cause;
    enum weir_reason reason;
    weir_cells shared_before;
};
enum weir_need {
    WEIR_NEED_LONGEST = 1,
    WEIR_NEED_RANKS = 2,
    WEIR_NEED_EXPEL = 4,
    WEIR_NEED_DEQUEUE = 8,
    WEIR_NEED_ORACLE = 16,
    WEIR_NEED_INGRESS = 32,
    WEIR_NEED_LOSSY = 64,
    WEIR_NEED_LOSSLESS = 128,
};
struct weir_reserve {
    const struct weir_uplink *uplinks;
    const weir_bps *rates_bps;
    struct weir_uplink uplink;
    weir_bps rate_bps;
};
struct weir_policy {
    const char *name;
    const char *title;
    const char *source;
    const char *deviations;
    const char *headroom;
    uint32_t needs;
    const struct weir_param *params;
    uint32_t param_count;
    size_t (*state_size)(const struct weir_geometry *geometry);
    void (*init)(void *state, const struct weir_view *view, const struct weir_values *values);
    void (*change)(void *state, const struct weir_view *view, const struct weir_values *values);
    struct weir_verdict (*admit)(void *state, const struct weir_view *view, const struct weir_arrival *arrival);
    struct weir_victim (*victim)(const void *state, const struct weir_view *view, const struct weir_question *question);
    void (*on_enqueue)(void *state, const struct weir_view *view, const struct weir_event *event);
    void (*on_dequeue)(void *state, const struct weir_view *view, const struct weir_event *event);
    void (*on_drop)(void *state, const struct weir_view *view, const struct weir_event *event);
    void (*on_idle)(void *state, const struct weir_view *view, weir_port port, weir_ps now);
    void (*on_tick)(void *state, const struct weir_view *view, weir_ps now);
    weir_ps (*next_tick)(const void *state, const struct weir_view *view);
    uint32_t (*pause_mask)(const void *state, const struct weir_view *view, weir_port port, uint32_t asked,
                          _Bool *port_level);
    weir_cells (*resume_level)(const void *state, const struct weir_view *view, weir_port port);
    weir_cells (*reserve)(const struct weir_geometry *geometry, const struct weir_reserve *inputs,
                          const struct weir_values *values);
    weir_cells (*headroom_limit)(const void *state, const struct weir_view *view, weir_port port);
    weir_cells (*threshold)(const void *state, const struct weir_view *view, weir_account account);
    const char *(*mode)(const void *state, const struct weir_view *view, weir_account account);
    weir_cells (*expel_level)(const void *state, const struct weir_view *view);
    uint32_t (*group)(const struct weir_geometry *geometry, const struct weir_values *values, uint32_t tc);
};
extern const struct weir_policy *weir_policies[];
extern uint32_t weir_policy_count;
const struct weir_policy *weir_policy_find(const char *name);
enum weir_scheduler_kind {
    WEIR_SCHED_FIFO,
    WEIR_SCHED_STRICT,
    WEIR_SCHED_RR,
    WEIR_SCHED_WRR,
    WEIR_SCHED_DRR,
    WEIR_SCHED_STRICT_DRR,
    WEIR_SCHED_COUNT
};
struct weir_scheduler_config {
    enum weir_scheduler_kind kind;
    uint32_t quantum_bytes;
    uint32_t weight[32];
    uint32_t strict_from;
};
struct weir_scheduler_state {
    uint32_t cursor;
    uint32_t credit_mask;
   _Bool credited;
    int64_t credit[32];
};
struct weir_mmu;
struct weir_trace;
struct weir_mmu_config {
    uint32_t ports;
    uint32_t inputs;
    uint32_t classes;
    uint32_t cell_bytes;
    weir_cells buffer_cells;
    weir_cells headroom_cells;
    weir_cells private_cells[32];
    weir_cells ingress_private_cells[32];
    uint32_t packets_max;
    uint32_t evictions_max;
    const weir_bps *rates_bps;
    const weir_bps *input_rates_bps;
    weir_bps rate_bps;
    const struct weir_uplink *uplinks;
    struct weir_uplink uplink;
    uint32_t lossless_mask;
    struct weir_scheduler_config scheduler;
    struct weir_marking marking[32];
    weir_bps memory_bps;
    uint32_t memory_cell_bytes;
    uint32_t memory_depth_cells;
    uint64_t seed;
    const struct weir_policy *egress;
    const struct weir_values *egress_values;
    const struct weir_policy *ingress;
    const struct weir_values *ingress_values;
    const struct weir_oracle *oracle;
};
void weir_mmu_config_init(struct weir_mmu_config *config, uint32_t ports, uint32_t classes, weir_cells buffer_cells);
_Bool weir_mmu_config_check(const struct weir_mmu_config *config, struct weir_error *error);
weir_cells weir_mmu_headroom_cells(const struct weir_mmu_config *config);
size_t weir_mmu_size(const struct weir_mmu_config *config);
struct weir_mmu *weir_mmu_init(void *memory, const struct weir_mmu_config *config);
struct weir_packet {
    uint64_t handle;
    weir_port output;
    weir_port input;
    weir_class tc;
    uint32_t bytes;
    uint32_t flags;
};
struct weir_lost {
    uint64_t handle;
    uint32_t index;
    weir_account account;
    enum weir_cause cause;
};
struct weir_pause_edge {
    weir_port port;
    uint32_t pause_mask;
    uint32_t resume_mask;
   _Bool port_pause, port_resume;
};
struct weir_effects {
   _Bool accepted;
   _Bool marked;
   _Bool departed;
   _Bool lossless;
    enum weir_reason reason;
    uint32_t lost_count;
    uint32_t edge_count;
    uint64_t index;
    uint64_t handle;
    uint32_t bytes;
    uint32_t departed_index;
    weir_account account;
    weir_port input;
    weir_class tc;
    struct weir_int_stamp stamp;
    weir_ps blocked_until;
    const struct weir_lost *lost;
    const struct weir_pause_edge *edges;
};
const struct weir_effects *weir_mmu_arrive(struct weir_mmu *mmu, const struct weir_packet *packet, weir_ps now);
const struct weir_effects *weir_mmu_pass(struct weir_mmu *mmu, const struct weir_packet *packet, weir_ps now);
const struct weir_effects *weir_mmu_depart(struct weir_mmu *mmu, weir_port port, weir_ps now);
const struct weir_effects *weir_mmu_offer_expel(struct weir_mmu *mmu, weir_ps now);
const struct weir_effects *weir_mmu_pause_received(struct weir_mmu *mmu, weir_port port, uint32_t class_mask,
                                                   weir_ps until, weir_ps now);
const struct weir_effects *weir_mmu_flush(struct weir_mmu *mmu, weir_port port, weir_ps now);
const struct weir_effects *weir_mmu_flush_classes(struct weir_mmu *mmu, weir_port port, uint32_t class_mask,
                                                  weir_ps now);
const struct weir_effects *weir_mmu_advance(struct weir_mmu *mmu, weir_ps now);
weir_ps weir_mmu_next_event(const struct weir_mmu *mmu);
_Bool weir_mmu_has_events(const struct weir_mmu *mmu);
const struct weir_effects *weir_mmu_change(struct weir_mmu *mmu, _Bool ingress, const struct weir_values *values,
                                           weir_ps now);
const struct weir_view *weir_mmu_view(const struct weir_mmu *mmu);
const struct weir_view *weir_mmu_ingress_view(const struct weir_mmu *mmu);
const struct weir_policy *weir_mmu_policy(const struct weir_mmu *mmu);
uint32_t weir_mmu_packets(const struct weir_mmu *mmu);
void weir_mmu_cells_by_input(const struct weir_mmu *mmu, weir_account account, weir_cells *held);
weir_cells weir_mmu_threshold(const struct weir_mmu *mmu, weir_account account);
weir_cells weir_mmu_ingress_threshold(const struct weir_mmu *mmu, weir_account account);
const char *weir_mmu_mode(const struct weir_mmu *mmu, weir_account account);
weir_cells weir_mmu_headroom_limit(const struct weir_mmu *mmu, weir_port input);
void weir_mmu_set_trace(struct weir_mmu *mmu, struct weir_trace *trace);
uint64_t weir_mmu_hash(const struct weir_mmu *mmu);
const char *weir_mmu_check(const struct weir_mmu *mmu);
enum weir_watermark_view { WEIR_WM_PERIODIC, WEIR_WM_USER, WEIR_WM_PERSISTENT, WEIR_WM_COUNT };
struct weir_account_counters {
    uint64_t packets, bytes;
    uint64_t dropped_packets, dropped_bytes;
    uint64_t refused_by_reason[WEIR_REASON_COUNT];
    uint64_t dropped_by_cause[WEIR_CAUSE_COUNT];
    uint64_t marked_packets;
    uint64_t current_bytes;
    uint64_t watermark_bytes[WEIR_WM_COUNT];
};
struct weir_pool_counters {
    uint64_t current_bytes;
    uint64_t shared_bytes;
    uint64_t headroom_bytes;
    uint64_t watermark_bytes[WEIR_WM_COUNT];
    uint64_t headroom_watermark_bytes[WEIR_WM_COUNT];
    uint64_t memory_read_bytes;
    uint64_t expelled_bytes;
};
struct weir_group_counters {
    uint64_t packets;
    uint64_t refused_packets;
    uint64_t dropped_packets;
    uint64_t current_bytes;
    uint64_t shared_bytes;
    uint64_t headroom_bytes;
    uint64_t watermark_bytes[WEIR_WM_COUNT];
    uint64_t shared_watermark_bytes[WEIR_WM_COUNT];
    uint64_t headroom_watermark_bytes[WEIR_WM_COUNT];
    uint64_t pauses, resumes;
};
struct weir_pause_counters {
    uint64_t class_pauses, class_resumes;
    uint64_t port_pauses, port_resumes;
};
struct weir_account_counters weir_mmu_account_counters(const struct weir_mmu *mmu, weir_account account);
struct weir_pool_counters weir_mmu_pool_counters(const struct weir_mmu *mmu);
struct weir_group_counters weir_mmu_group_counters(const struct weir_mmu *mmu, weir_account ingress_account);
struct weir_pause_counters weir_mmu_pause_counters(const struct weir_mmu *mmu, weir_port input);
void weir_mmu_clear_watermarks(struct weir_mmu *mmu, enum weir_watermark_view view);
struct weir_sim;
struct weir_sim_source {
    size_t size;
    const char *text;
    const char *origin;
    const char *folder;
    const char *const *set;
    uint32_t set_count;
    uint32_t run;
};
uint32_t weir_sim_runs(const struct weir_sim_source *source, struct weir_error *error);
_Bool weir_sim_run_name(const struct weir_sim_source *source, char name[256], struct weir_error *error);
struct weir_sim *weir_sim_create(const struct weir_sim_source *source, struct weir_error *error);
void weir_sim_free(struct weir_sim *sim);
enum weir_sim_state {
    WEIR_SIM_RUNNING,
    WEIR_SIM_DONE,
    WEIR_SIM_FAILED
};
enum weir_sim_state weir_sim_step(struct weir_sim *sim, weir_ps until, struct weir_error *error);
void weir_sim_stop(struct weir_sim *sim);
struct weir_sim_progress {
    enum weir_sim_state state;
    weir_ps now;
    weir_ps until;
    uint64_t packet_hops;
    uint64_t flows_started, flows_ended;
};
void weir_sim_progress(const struct weir_sim *sim, struct weir_sim_progress *progress);
uint64_t weir_sim_digest(const struct weir_sim *sim);
const char *weir_sim_id(const struct weir_sim *sim);
const char *weir_sim_config(const struct weir_sim *sim);
const char *weir_sim_tag(const struct weir_sim *sim, uint32_t tag);
const char *weir_sim_warning(const struct weir_sim *sim, uint32_t number);
_Bool weir_sim_measure(struct weir_sim *sim, const char *name, double *value, struct weir_error *error);
struct weir_sim_value {
    const char *name;
    const char *unit;
    double value;
};
struct weir_sim_curve {
    const char *name;
    const char *x_unit, *y_unit;
    const double *points;
    uint32_t count;
};
_Bool weir_sim_value_at(struct weir_sim *sim, uint32_t number, struct weir_sim_value *value, struct weir_error *error);
_Bool weir_sim_curve_at(struct weir_sim *sim, uint32_t number, struct weir_sim_curve *curve, struct weir_error *error);
struct weir_sim_flow {
    uint32_t id, tag;
    uint32_t traffic;
    uint32_t query;
    uint32_t source, destination;
    int64_t bytes;
    int64_t delivered_bytes;
    weir_ps start_ps, finish_ps, ideal_ps;
    uint32_t timeouts, resent, lost;
    uint32_t unused;
    uint64_t packets_sent, packets_delivered;
};
uint32_t weir_sim_flows(const struct weir_sim *sim, uint32_t first, struct weir_sim_flow *flows, uint32_t room);
struct weir_sim_point {
    weir_ps when;
    int64_t queue_bytes, threshold_bytes, used_bytes;
};
uint32_t weir_sim_points(const struct weir_sim *sim, uint32_t probe, uint32_t first, struct weir_sim_point *points,
                         uint32_t room);
const char *weir_sim_probe(struct weir_sim *sim, uint32_t probe, struct weir_error *error);
_Bool weir_sim_load_policies(const char *path, struct weir_error *error);
_Bool weir_sim_add_policy(const struct weir_policy *policy, struct weir_error *error);
const struct weir_policy *weir_sim_find_policy(const char *name);
"""
