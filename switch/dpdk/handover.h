/*
 * handover.h - what goes from thread to thread through DPDK: frames by rings, pools and devices, and work by starting
 * and ending a processor. Its libraries are not built with ThreadSanitizer, so this shows it who owns what; in other
 * builds it is nothing.
 */
#ifndef DPDK_HANDOVER_H
#define DPDK_HANDOVER_H

#include <rte_mbuf.h>

#if defined __has_feature /* clang's way to say it */
#if __has_feature(thread_sanitizer) && !defined __SANITIZE_THREAD__
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

/* Before another thread may have it. */
static inline void hand_over(void *what)
{
#ifdef __SANITIZE_THREAD__
    __tsan_release(what);
#endif
    (void)what;
}

/* After another thread had it. */
static inline void take_over(void *what)
{
#ifdef __SANITIZE_THREAD__
    __tsan_acquire(what);
#endif
    (void)what;
}

static inline void mbufs_give(struct rte_mbuf *const *mbufs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        hand_over(mbufs[i]);
}

static inline void mbufs_take(struct rte_mbuf *const *mbufs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        take_over(mbufs[i]);
}

static inline void mbufs_free(struct rte_mbuf **mbufs, uint32_t count)
{
    mbufs_give(mbufs, count);
    rte_pktmbuf_free_bulk(mbufs, count);
}

static inline void mbuf_free(struct rte_mbuf *mbuf)
{
    mbufs_free(&mbuf, 1);
}

static inline struct rte_mbuf *mbuf_alloc(struct rte_mempool *pool)
{
    struct rte_mbuf *mbuf = rte_mbuf_raw_alloc(pool);
    if (mbuf) {
        take_over(mbuf);
        rte_pktmbuf_reset(mbuf);
    }
    return mbuf;
}

#endif
