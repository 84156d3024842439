/*
 * mark.bpf.c - for test_traffic_dctcp.sh: a filter on the way in that marks packets as a congested switch does, every
 * tenth large one or all of them.
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

#include <bpf/bpf_helpers.h>

#define BPF_MAP_TYPE_ARRAY 2
#define LARGE_BYTES 500u

struct __sk_buff {
    __u32 len;
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64);
} seen SEC(".maps");

const char mark_license[] SEC("license") = "Dual BSD/GPL";

static int mark(struct __sk_buff *packet, __u32 every)
{
    __u32 key = 0;
    __u64 *count = bpf_map_lookup_elem(&seen, &key);
    if (count && packet->len > LARGE_BYTES && ++*count % every == 0)
        bpf_skb_ecn_set_ce(packet);
    return 0;
}

SEC("classifier/all")
int mark_all(struct __sk_buff *packet)
{
    return mark(packet, 1);
}

SEC("classifier/tenth")
int mark_tenth(struct __sk_buff *packet)
{
    return mark(packet, 10);
}
