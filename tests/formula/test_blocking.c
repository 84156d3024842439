/*
 * test_blocking.c - complete sharing with Poisson arrivals and exponential service has a product-form solution
 * (Kamoun & Kleinrock 1980): P(n_1, ..., n_N) = G * prod rho_i^n_i over sum n_i <= B, and an arrival is lost with the
 * probability that the buffer is full, whatever its port. The MMU is driven directly, one cell per packet; a packet
 * stays in the buffer while it is served, so the port departs it when its service ends.
 */
#include "tests/support/fixture.h"
#include "weir/random.h"

#define PORTS_MAX 4u
#define ARRIVALS 400000u
#define BATCHES 20u
#define MEAN_SERVICE_PS 1e6

/* P(sum n_i = B): the product form summed by convolution over the ports. */
static double theory_blocking(const double *rho, uint32_t ports, uint32_t buffer)
{
    double weight[64] = {1};
    double total = 0;
    for (uint32_t i = 0; i < ports; i++)
        for (uint32_t n = 1; n <= buffer; n++)
            weight[n] += rho[i] * weight[n - 1];
    for (uint32_t n = 0; n <= buffer; n++)
        total += weight[n];
    return weight[buffer] / total;
}

struct run {
    struct fixture f;
    struct weir_random random;
    double arrival_ps[PORTS_MAX], service_ps[PORTS_MAX]; /* next of each kind; service < 0: idle */
};

/* One event: the earliest arrival or end of service. Returns 1 for a lost arrival, 0 for a kept one, -1 else. */
static int run_step(struct run *r, const double *rho, uint32_t ports)
{
    uint32_t port = 0;
    bool service = false;
    double next = r->arrival_ps[0];
    for (uint32_t i = 0; i < ports; i++) {
        if (r->arrival_ps[i] < next) {
            next = r->arrival_ps[i];
            port = i;
            service = false;
        }
        if (r->service_ps[i] >= 0 && r->service_ps[i] < next) {
            next = r->service_ps[i];
            port = i;
            service = true;
        }
    }
    if (service) {
        assert_true(fixture_depart(&r->f, port, (weir_ps)next) > 0);
        bool more = fixture_cells(&r->f, port, 0) > 0;
        r->service_ps[port] = more ? next + weir_random_exponential(&r->random, MEAN_SERVICE_PS) : -1;
        return -1;
    }
    r->arrival_ps[port] = next + weir_random_exponential(&r->random, MEAN_SERVICE_PS / rho[port]);
    bool accepted = fixture_accepts(&r->f, port, 0, 1, (weir_ps)next);
    if (accepted && r->service_ps[port] < 0)
        r->service_ps[port] = next + weir_random_exponential(&r->random, MEAN_SERVICE_PS);
    return !accepted;
}

/* Loss measured in batches; the theory must lie within 4 standard errors of the batch mean. */
static void expect_blocking(const double *rho, uint32_t ports, uint32_t buffer)
{
    static struct run r;
    double sum = 0, squares = 0;
    memset(&r, 0, sizeof r);
    fixture_config(&r.f, ports, 1, buffer);
    r.f.config.packets_max = buffer + 1; /* memory runs out first; a check visits every descriptor */
    fixture_build(&r.f, "cs", NULL);
    r.random = weir_random_stream(7, "blocking");
    for (uint32_t i = 0; i < ports; i++) {
        r.arrival_ps[i] = weir_random_exponential(&r.random, MEAN_SERVICE_PS / rho[i]);
        r.service_ps[i] = -1;
    }
    for (uint32_t batch = 0; batch < BATCHES; batch++) {
        uint32_t arrivals = 0, lost = 0;
        while (arrivals < ARRIVALS / BATCHES) {
            int outcome = run_step(&r, rho, ports);
            arrivals += outcome >= 0;
            lost += outcome == 1;
        }
        double loss = (double)lost / arrivals;
        sum += loss;
        squares += loss * loss;
    }
    double mean = sum / BATCHES;
    double variance = (squares - sum * mean) / (BATCHES - 1) / BATCHES; /* of the mean */
    double theory = theory_blocking(rho, ports, buffer), off = mean - theory;
    print_message("%u ports, %u cells: loss %.5f, theory %.5f\n", ports, buffer, mean, theory);
    assert_true(off * off <= 16 * variance);
    fixture_free(&r.f);
}

static void cs__product_form(void **state)
{
    (void)state;
    expect_blocking((double[]){0.8}, 1, 6); /* M/M/1/6 */
    expect_blocking((double[]){0.9, 0.9}, 2, 5);
    expect_blocking((double[]){0.5, 0.8, 1.2}, 3, 8);
    expect_blocking((double[]){1.5, 0.2, 0.9, 0.7}, 4, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cs__product_form)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
