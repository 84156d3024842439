/*
 * dctcp.bpf.c - Data Center TCP for kernels that have none: a congestion control that the kernel takes as a BPF program
 * (struct_ops) under the name "weir_dctcp". weir-traffic registers it (apps/weir-traffic/dctcp.c).
 *
 *   sender, once per window:   alpha = (1 - g) alpha + g (marked / acknowledged segments)
 *   sender, marks in a window: threshold = window (1 - alpha / 2), at most once per window: the kernel's CWR state
 *   sender, loss or timeout:   threshold = window / 2
 *   receiver:                  each ACK says whether the segments that it acknowledges were marked; when that changes,
 *                              what was held back is acknowledged at once, with the mark of before
 *
 * The kernel counts segments as delivered, and as marked when the ACK that delivered them had ECE set. A connection
 * whose peer does not speak ECN gets no marks: it goes on as Reno. In between, growth is Reno's, and a window shrinks
 * to its threshold in proportion to what is delivered (RFC 6937), as in the kernel itself.
 *
 * Kernels exist that leave out a call now and then (while their init process runs, for example). What ssthresh and
 * undo_cwnd then seem to return is garbage, and a window of billions. So the window is set here (cong_control), from
 * numbers of our own, and what a call left undone is made up for by the next.
 *
 * Of the kernel's structures only the fields used here are declared. libbpf finds their places in the running kernel
 * when the program is loaded (CO-RE), so that it can be compiled on any machine.
 *
 * RFC 8257; M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010.
 */
typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define IN_KERNEL __attribute__((preserve_access_index))

struct net {
    struct {
        __u8 sysctl_tcp_slow_start_after_idle;
    } ipv4;
} IN_KERNEL;

struct sock {
    struct {
        struct {
            struct net *net;
        } skc_net;
    } __sk_common;
    unsigned long sk_pacing_rate; /* bytes per second */
} IN_KERNEL;

struct inet_connection_sock {
    __u8 icsk_ca_state : 5;
    __u32 icsk_rto; /* jiffies */
    struct {
        __u8 pending;
    } icsk_ack;
    __u64 icsk_ca_priv[13];
} IN_KERNEL;

struct tcp_sock {
    __u32 snd_cwnd, snd_ssthresh; /* segments */
    __u32 snd_cwnd_cnt;
    __u32 snd_una, snd_nxt, high_seq; /* sequence numbers; high_seq: where a reduction ends */
    __u32 rcv_nxt;
    __u32 delivered, delivered_ce; /* segments */
    __u32 packets_out, sacked_out, lost_out, retrans_out;
    __u32 prr_out;  /* segments sent since a reduction began */
    __u32 lsndtime; /* jiffies */
    __u32 srtt_us;  /* eighths of a microsecond */
    __u32 mss_cache;
    __u8 ecn_flags;
} IN_KERNEL;

/* What the kernel calls; members that are not named here stay null. */
struct tcp_congestion_ops {
    void (*init)(struct sock *sk);
    __u32 (*ssthresh)(struct sock *sk);
    void (*cong_control)(struct sock *sk);
    void (*set_state)(struct sock *sk, __u8 state);
    void (*cwnd_event)(struct sock *sk, int event);
    void (*in_ack_event)(struct sock *sk, __u32 flags);
    __u32 (*undo_cwnd)(struct sock *sk);
    __u32 flags;
    char name[16];
};

enum {
    SOL_TCP = 6,
    TCP_CONGESTION = 13,
    TCP_CONG_NON_RESTRICTED = 1, /* for everybody, not only for root */
    TCP_CONG_NEEDS_ECN = 2,
    TCP_CA_CWR = 2,
    TCP_CA_RECOVERY = 3,
    CA_EVENT_TX_START = 0,
    CA_EVENT_LOSS = 3,
    CA_EVENT_ECN_NO_CE = 4,
    CA_EVENT_ECN_IS_CE = 5,
    ICSK_ACK_TIMER = 2,
    ICSK_ACK_NOW = 16,
    TCP_ECN_OK = 1,
    TCP_ECN_DEMAND_CWR = 4
};

#define ALPHA_ONE 65536u
#define WINDOW_MIN 2u

/* Set before the program is loaded; Q16. */
const volatile __u32 dctcp_gain = ALPHA_ONE / 16;
const volatile __u32 dctcp_initial_alpha = ALPHA_ONE;

/* Of each connection, in the 104 bytes that the kernel keeps for its congestion control; zero at first. Windows and
 * thresholds in segments. */
struct dctcp {
    __u32 alpha;                           /* Q16: the marked fraction of traffic */
    __u32 window_end;                      /* sequence number: an ACK beyond it ends the window of observation */
    __u32 old_delivered, old_marked;       /* the kernel's counts when it began; segments */
    __u32 window, threshold;               /* as they ought to be */
    __u32 window_first;                    /* of the route */
    __u32 window_before, threshold_before; /* when they were last reduced */
    __u32 reduction_end;                   /* high_seq of that reduction */
    __u32 reduction_delivered;             /* the kernel's count when it began */
    __u32 seen_delivered, seen_una;        /* at the last ACK */
    __u32 received_before;                 /* rcv_nxt when the last segment with data had arrived */
    __u8 started;
    __u8 reducing;   /* TCP_CA_CWR, TCP_CA_RECOVERY or 0 */
    __u8 marks_seen; /* DCTCP.CE: the last segment with data was marked */
};

extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;

const char dctcp_license[] SEC("license") = "Dual BSD/GPL";

static __u32 at_least(__u32 value, __u32 least)
{
    return value < least ? least : value;
}

static __u32 at_most(__u32 value, __u32 most)
{
    return value > most ? most : value;
}

static void window_begin(const struct tcp_sock *tp, struct dctcp *own)
{
    own->window_end = tp->snd_nxt;
    own->old_delivered = tp->delivered;
    own->old_marked = tp->delivered_ce;
}

/* The connection's state; begins it when init was left out. */
static struct dctcp *dctcp_of(struct sock *sk)
{
    struct dctcp *own = (struct dctcp *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
    const struct tcp_sock *tp = (const struct tcp_sock *)sk;
    if (own->started)
        return own;
    own->started = 1;
    own->alpha = dctcp_initial_alpha;
    own->window = own->window_first = tp->snd_cwnd;
    own->threshold = tp->snd_ssthresh;
    own->seen_delivered = tp->delivered;
    own->seen_una = tp->snd_una;
    own->received_before = tp->rcv_nxt;
    window_begin(tp, own);
    return own;
}

SEC("struct_ops/dctcp_init")
void BPF_PROG(dctcp_init, struct sock *sk)
{
    char reno[] = "reno";
    if (((struct tcp_sock *)sk)->ecn_flags & TCP_ECN_OK)
        dctcp_of(sk);
    else
        bpf_setsockopt(sk, SOL_TCP, TCP_CONGESTION, reno, sizeof(reno));
}

/* alpha (1 - g) is rounded down and the rest up: it comes to 0 without marks, and to 1 with nothing else. */
static void alpha_update(const struct tcp_sock *tp, struct dctcp *own)
{
    __u32 delivered = tp->delivered - own->old_delivered;
    __u32 marked = tp->delivered_ce - own->old_marked;
    if (delivered == 0)
        return;
    __u64 part = marked < delivered ? (__u64)marked * ALPHA_ONE / delivered : ALPHA_ONE;
    __u64 kept = (__u64)own->alpha * (ALPHA_ONE - dctcp_gain) / ALPHA_ONE;
    own->alpha = at_most((__u32)(kept + (part * dctcp_gain + ALPHA_ONE - 1) / ALPHA_ONE), ALPHA_ONE);
}

/* Before the kernel reacts to the ACK. */
SEC("struct_ops/dctcp_in_ack_event")
void BPF_PROG(dctcp_in_ack_event, struct sock *sk, __u32 flags)
{
    const struct tcp_sock *tp = (const struct tcp_sock *)sk;
    struct dctcp *own = dctcp_of(sk);
    if ((__s32)(tp->snd_una - own->window_end) <= 0)
        return;
    alpha_update(tp, own);
    window_begin(tp, own);
}

static __u32 reduced(const struct dctcp *own, __u32 window, __u8 state)
{
    if (state == TCP_CA_CWR)
        return at_least(window - (__u32)((__u64)window * own->alpha / (2 * ALPHA_ONE)), WINDOW_MIN);
    return at_least(window / 2, WINDOW_MIN);
}

/* The kernel wants a threshold; what counts is set by reduction_begin. */
SEC("struct_ops/dctcp_ssthresh")
__u32 BPF_PROG(dctcp_ssthresh, struct sock *sk)
{
    const struct dctcp *own = dctcp_of(sk);
    return reduced(own, ((struct tcp_sock *)sk)->snd_cwnd, TCP_CA_CWR);
}

/* Once for each reduction of the kernel's. A loss during one for marks halves the window from where that one began. */
static void reduction_begin(struct sock *sk, __u8 state)
{
    struct tcp_sock *tp = (struct tcp_sock *)sk;
    struct dctcp *own = dctcp_of(sk);
    if (own->reducing && own->reduction_end == tp->high_seq) {
        if (state == TCP_CA_RECOVERY && own->reducing == TCP_CA_CWR)
            own->threshold = at_most(own->threshold, reduced(own, own->window_before, state));
        own->reducing = state;
        return;
    }
    if (own->reducing)
        tp->snd_cwnd = own->window = own->threshold; /* the last one is over */
    own->reducing = state;
    own->reduction_end = tp->high_seq;
    own->reduction_delivered = tp->delivered;
    own->window_before = at_most(tp->snd_cwnd, own->window);
    own->threshold_before = own->threshold;
    own->threshold = reduced(own, own->window_before, state);
}

SEC("struct_ops/dctcp_set_state")
void BPF_PROG(dctcp_set_state, struct sock *sk, __u8 state)
{
    if (state == TCP_CA_CWR || state == TCP_CA_RECOVERY)
        reduction_begin(sk, state);
}

/* Proportional rate reduction: RFC 6937, with the bound by slow start. */
static void reduction_continue(struct tcp_sock *tp, struct dctcp *own, __u32 delivered)
{
    __u32 flying = tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
    __s64 since = tp->delivered - own->reduction_delivered;
    __s64 more;
    if (flying > own->threshold) {
        __u32 before = at_least(own->window_before, 1);
        more = (__s64)(((__u64)since * own->threshold + before - 1) / before) - tp->prr_out;
    } else {
        more = since - tp->prr_out;
        more = more > delivered ? more : delivered;
        more = more + 1 < (__s64)own->threshold - flying ? more + 1 : (__s64)own->threshold - flying;
    }
    if (more < 0)
        more = 0;
    if (more == 0 && tp->prr_out == 0)
        more = 1; /* the retransmission that begins it */
    tp->snd_cwnd = at_least(flying + (__u32)more, 1);
}

/* For the sizes of bursts, as the kernel does it: above the window's rate, so that it does not slow growth. */
static void pacing_update(struct sock *sk, const struct tcp_sock *tp)
{
    __u32 percent = tp->snd_cwnd < tp->snd_ssthresh / 2 ? 200 : 120;
    __u64 bytes = (__u64)at_least(tp->snd_cwnd, tp->packets_out) * tp->mss_cache;
    if (tp->srtt_us)
        sk->sk_pacing_rate = bytes * 8 * 10000 * percent / tp->srtt_us;
}

/* After every ACK: the window. */
SEC("struct_ops/dctcp_cong_control")
void BPF_PROG(dctcp_cong_control, struct sock *sk)
{
    struct tcp_sock *tp = (struct tcp_sock *)sk;
    struct dctcp *own = dctcp_of(sk);
    __u8 state = BPF_CORE_READ_BITFIELD((struct inet_connection_sock *)sk, icsk_ca_state);
    __u32 delivered = tp->delivered - own->seen_delivered;
    tp->snd_cwnd = own->window = at_most(tp->snd_cwnd, own->window); /* the kernel alone never makes it larger */
    if (state == TCP_CA_CWR || state == TCP_CA_RECOVERY) {
        reduction_begin(sk, state);
        reduction_continue(tp, own, delivered);
    } else if (own->reducing) {
        own->reducing = 0;
        if (state < TCP_CA_CWR)
            tp->snd_cwnd = own->threshold;
    }
    tp->snd_ssthresh = own->threshold;
    if (!own->reducing && tp->snd_una != own->seen_una)
        tcp_reno_cong_avoid(sk, 0, delivered);
    own->window = tp->snd_cwnd;
    own->seen_delivered = tp->delivered;
    own->seen_una = tp->snd_una;
    pacing_update(sk, tp);
}

static void timeout_happened(struct sock *sk)
{
    struct tcp_sock *tp = (struct tcp_sock *)sk;
    struct dctcp *own = dctcp_of(sk);
    own->window_before = own->window;
    own->threshold_before = own->threshold;
    own->threshold = reduced(own, own->window, TCP_CA_RECOVERY);
    own->reducing = 0;
    tp->snd_ssthresh = own->threshold;
}

/* A window says little about the network when nothing was sent for a timeout: RFC 2861, and the kernel's setting. */
static void idle_over(struct sock *sk)
{
    struct tcp_sock *tp = (struct tcp_sock *)sk;
    struct dctcp *own = dctcp_of(sk);
    const struct net *net = sk->__sk_common.skc_net.net;
    __u32 idle = (__u32)bpf_jiffies64() - tp->lsndtime;
    __u32 rto = at_least(((struct inet_connection_sock *)sk)->icsk_rto, 1);
    if (idle <= rto || !net->ipv4.sysctl_tcp_slow_start_after_idle || tp->snd_cwnd <= own->window_first)
        return;
    own->threshold = at_least(own->threshold, tp->snd_cwnd / 2 + tp->snd_cwnd / 4);
    own->window = at_least(tp->snd_cwnd >> at_most(idle / rto, 31), own->window_first);
    tp->snd_cwnd = own->window;
    tp->snd_ssthresh = own->threshold;
    tp->snd_cwnd_cnt = 0;
}

static void echo_set(struct tcp_sock *tp, __u8 marked)
{
    if (marked)
        tp->ecn_flags |= TCP_ECN_DEMAND_CWR;
    else
        tp->ecn_flags &= ~TCP_ECN_DEMAND_CWR;
}

/* The receiver's state machine: RFC 8257, figure 1. The kernel has already counted the new segment in rcv_nxt. */
static void segment_arrived(struct sock *sk, __u8 marked)
{
    struct tcp_sock *tp = (struct tcp_sock *)sk;
    struct inet_connection_sock *icsk = (struct inet_connection_sock *)sk;
    struct dctcp *own = dctcp_of(sk);
    if (marked != own->marks_seen) {
        if (icsk->icsk_ack.pending & ICSK_ACK_TIMER) {
            echo_set(tp, own->marks_seen);
            bpf_tcp_send_ack(tp, own->received_before);
        }
        icsk->icsk_ack.pending |= ICSK_ACK_NOW;
    }
    own->marks_seen = marked;
    own->received_before = tp->rcv_nxt;
    echo_set(tp, marked);
}

SEC("struct_ops/dctcp_cwnd_event")
void BPF_PROG(dctcp_cwnd_event, struct sock *sk, int event)
{
    if (event == CA_EVENT_ECN_IS_CE || event == CA_EVENT_ECN_NO_CE)
        segment_arrived(sk, event == CA_EVENT_ECN_IS_CE);
    else if (event == CA_EVENT_LOSS)
        timeout_happened(sk);
    else if (event == CA_EVENT_TX_START)
        idle_over(sk);
}

/* The loss was none. */
SEC("struct_ops/dctcp_undo_cwnd")
__u32 BPF_PROG(dctcp_undo_cwnd, struct sock *sk)
{
    struct dctcp *own = dctcp_of(sk);
    own->window = at_least(own->window, own->window_before);
    own->threshold = at_least(own->threshold, own->threshold_before);
    own->reducing = 0;
    return own->window;
}

SEC(".struct_ops")
struct tcp_congestion_ops weir_dctcp = {
    .init = (void *)dctcp_init,
    .ssthresh = (void *)dctcp_ssthresh,
    .cong_control = (void *)dctcp_cong_control,
    .set_state = (void *)dctcp_set_state,
    .cwnd_event = (void *)dctcp_cwnd_event,
    .in_ack_event = (void *)dctcp_in_ack_event,
    .undo_cwnd = (void *)dctcp_undo_cwnd,
    .flags = TCP_CONG_NEEDS_ECN | TCP_CONG_NON_RESTRICTED,
    .name = "weir_dctcp",
};
