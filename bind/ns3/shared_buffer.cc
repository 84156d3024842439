/*
 * shared_buffer.cc - weir::SharedBuffer: settings, the MMU, and when it is called. What it is told and what it decides
 * pass through queue discs (port_queue_disc.cc), in ns-3's time.
 *
 * A table describes the settings, as a policy's table describes its parameters; libweir parses both, so that a text
 * means here what it means in a scenario.
 */
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "ns3/abort.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "weir/fixed.h"
#include "weir/ns3.hh"

namespace weir
{

NS_OBJECT_ENSURE_REGISTERED(SharedBuffer);

namespace
{

enum Setting : std::size_t {
    BUFFER,
    CELL,
    PRIVATE,
    SCHEDULER,
    QUANTUM,
    WEIGHTS,
    STRICT_FROM,
    ECN_KIND,
    ECN_LOW,
    ECN_HIGH,
    ECN_CHANCE,
    MEMORY_CELL,
    MEMORY_DEPTH,
    DESCRIPTORS,
    SETTINGS
};

const char *const scheduler_names[] = {"fifo", "strict", "rr", "wrr", "drr", "strict-drr", nullptr};
const char *const marking_names[] = {"none", "step", "red", nullptr};
constexpr int64_t space_max = INT64_C(1) << 47; /* 2^31 cells of 64 KiB */

/* In the order of Setting: name, unit, by class, default, range, choices, help. */
const weir_param setting_table[] = {
    {"Buffer", WEIR_UNIT_SPACE, false, 0, 0, space_max, nullptr, "The whole buffer; required."},
    {"Cell", WEIR_UNIT_SPACE, false, 1, 1, 65536, nullptr, "Unit of buffer space: a packet occupies whole cells."},
    {"Private", WEIR_UNIT_SPACE, true, 0, 0, space_max, nullptr, "Private minimum of each queue; by class."},
    {"Scheduler", WEIR_UNIT_CHOICE, false, 0, 0, 5, scheduler_names,
     "Which class of a port sends next: fifo, strict, rr, wrr, drr, strict-drr; a higher class is a higher priority."},
    {"Quantum", WEIR_UNIT_SPACE, false, 2000, 64, INT32_MAX, nullptr, "drr: per unit of weight and turn."},
    {"Weights", WEIR_UNIT_COUNT, true, 1, 1, 1000000, nullptr, "wrr and drr: the share of each class; by class."},
    {"StrictFrom", WEIR_UNIT_COUNT, false, 0, 0, 32, nullptr, "strict-drr: the lowest strict class."},
    {"EcnKind", WEIR_UNIT_CHOICE, true, 0, 0, 2, marking_names,
     "none; step: mark at or above EcnLow; red: with a chance that grows from EcnLow to EcnHigh; by class."},
    {"EcnLow", WEIR_UNIT_SPACE, true, 0, 0, space_max, nullptr,
     "Length of the queue, the arriving packet included; by class."},
    {"EcnHigh", WEIR_UNIT_SPACE, true, 0, 0, space_max, nullptr, "red: every packet is marked above it; by class."},
    {"EcnChance", WEIR_UNIT_RATIO, true, 0, 0, WEIR_Q16_ONE, nullptr, "red: the chance reached at EcnHigh; by class."},
    {"MemoryCell", WEIR_UNIT_SPACE, false, 200, 1, 1 << 20, nullptr, "Unit of one memory read."},
    {"MemoryDepth", WEIR_UNIT_COUNT, false, 8, 0, 1 << 20, nullptr,
     "Memory cells of bandwidth that may be saved up for expulsion."},
    {"Descriptors", WEIR_UNIT_COUNT, false, WEIR_AUTO, 1, 1 << 24, nullptr,
     "Packets that the buffer can hold, whatever their size; auto: as many as it has cells, at most 65536."},
};
static_assert(sizeof(setting_table) / sizeof(setting_table[0]) == SETTINGS, "a row for each setting");

[[noreturn]] void fail(const std::string &message)
{
    NS_FATAL_ERROR("weir::SharedBuffer: " << message);
    std::abort(); /* the macro does not say that it never returns */
}

[[noreturn]] void fail(const weir_error &error)
{
    char line[WEIR_ERROR_LINE_MAX];
    fail(weir_error_line(&error, line));
}

ByClass every_class(int64_t value)
{
    ByClass all;
    all.fill(value);
    return all;
}

/* One value, or one per class as far as they differ from the last. */
std::string format_values(const weir_param &param, const ByClass &of)
{
    uint32_t count = param.per_class ? WEIR_CLASSES_MAX : 1;
    while (count > 1 && of[count - 1] == of[count - 2])
        count--;
    std::string text;
    for (uint32_t i = 0; i < count; i++) {
        char word[64];
        weir_value_format(word, sizeof(word), &param, of[i]);
        text += (i ? "," : "") + std::string(word);
    }
    return text;
}

std::vector<std::string> split(const std::string &text, char at)
{
    std::vector<std::string> parts(1);
    for (char c : text) {
        if (c == at)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

/* By name, or the end. The headroom schemes of lossless classes are policies too, but of no use without PFC. */
const weir_policy *find_policy(const std::string &name)
{
    std::vector<const char *> names;
    for (size_t i = 0; i < weir_policy_count; i++)
        if (!(weir_policies[i]->needs & WEIR_NEED_INGRESS))
            names.push_back(weir_policies[i]->name);
    const weir_policy *found = weir_policy_find(name.c_str());
    if (found && found->needs & WEIR_NEED_INGRESS)
        fail("Policy: '" + name +
             "' is a headroom scheme of lossless classes, and this module has no PFC (expected a policy of lossy "
             "classes; weir's own simulator has both)");
    if (found)
        return found;
    const char *nearest = weir_nearest_name(name.c_str(), names.data(), names.size());
    std::string known = nearest ? std::string("did you mean '") + nearest + "'?" : "expected one of";
    for (size_t i = 0; !nearest && i < names.size(); i++)
        known += std::string(" ") + names[i];
    fail("Policy: unknown policy '" + name + "' (" + known + ")");
}

} // namespace

/* The file of a trace, and the buffer of its writer. */
struct SharedBuffer::Recording {
    std::string name;
    std::FILE *file;
    std::vector<uint8_t> bytes;
    weir_trace trace;
};

SharedBuffer::SharedBuffer() : values(SETTINGS), memory(nullptr, std::free)
{
}

SharedBuffer::~SharedBuffer()
{
    for (auto &disc : ports)
        disc->buffer = nullptr;
}

template <std::size_t i> void SharedBuffer::set_value(std::string text)
{
    const weir_param &param = setting_table[i];
    if (mmu)
        fail(std::string(param.name) + ": the buffer is built (expected before Install)");
    std::vector<std::string> parts = param.per_class ? split(text, ',') : std::vector<std::string>{text};
    if (parts.size() > WEIR_CLASSES_MAX)
        fail(std::string(param.name) + ": " + std::to_string(parts.size()) + " values (at most one per class)");
    for (uint32_t tc = 0; tc < WEIR_CLASSES_MAX; tc++) {
        weir_error error;
        const std::string &part = parts[std::min<size_t>(tc, parts.size() - 1)];
        if (!weir_value_parse(&param, part.c_str(), &values[i][tc], &error)) {
            weir_fail_within(&error, "%s: ", param.name);
            fail(error);
        }
    }
}

template <std::size_t i> std::string SharedBuffer::get_value() const
{
    return format_values(setting_table[i], values[i]);
}

template <std::size_t... i> ns3::TypeId SharedBuffer::add_settings(ns3::TypeId type, std::index_sequence<i...>)
{
    (type.AddAttribute(setting_table[i].name, setting_table[i].help,
                       ns3::StringValue(format_values(setting_table[i], every_class(setting_table[i].initial))),
                       ns3::MakeStringAccessor(&SharedBuffer::set_value<i>, &SharedBuffer::get_value<i>),
                       ns3::MakeStringChecker()),
     ...);
    return type;
}

ns3::TypeId SharedBuffer::GetTypeId()
{
    static ns3::TypeId type = add_settings(
        ns3::TypeId("weir::SharedBuffer")
            .SetParent<ns3::Object>()
            .SetGroupName("Weir")
            .AddConstructor<SharedBuffer>()
            .AddAttribute("Policy", "The policy and its parameters: dt, dt:alpha=0.5, occamy:alpha=8,1; required.",
                          ns3::StringValue(""),
                          ns3::MakeStringAccessor(&SharedBuffer::read_policy, &SharedBuffer::policy_text),
                          ns3::MakeStringChecker())
            .AddAttribute("Trim", "Trimming of packets without room: none. Queue discs of ns-3 cannot do it.",
                          ns3::StringValue("none"),
                          ns3::MakeStringAccessor(&SharedBuffer::read_trim, &SharedBuffer::trim_text),
                          ns3::MakeStringChecker())
            .AddAttribute("Classes", "Traffic classes of a port.", ns3::UintegerValue(1),
                          ns3::MakeUintegerAccessor(&SharedBuffer::classes),
                          ns3::MakeUintegerChecker<uint32_t>(1, WEIR_CLASSES_MAX))
            .AddAttribute("MemoryRate", "Read bandwidth of the memory; 0bps: the sum of the ports' rates.",
                          ns3::DataRateValue(ns3::DataRate(0)), ns3::MakeDataRateAccessor(&SharedBuffer::memory_rate),
                          ns3::MakeDataRateChecker())
            .AddAttribute("LinkHeader", "Bytes that the link's header adds to a packet; 2: PPP.", ns3::UintegerValue(2),
                          ns3::MakeUintegerAccessor(&SharedBuffer::link_header_bytes),
                          ns3::MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("Seed", "Of the draws of red.", ns3::UintegerValue(0),
                          ns3::MakeUintegerAccessor(&SharedBuffer::seed), ns3::MakeUintegerChecker<uint64_t>()),
        std::make_index_sequence<SETTINGS>());
    return type;
}

/* A queue disc may drop a packet, and tells the transport so; it has no way to hand it on without its payload. */
void SharedBuffer::read_trim(std::string text)
{
    if (text != "none")
        fail("Trim: '" + text +
             "' is not possible: queue discs of ns-3 drop packets whole, and its transports read no cut ones (expected "
             "none; `weir run` and weir-switch trim)");
}

std::string SharedBuffer::trim_text() const
{
    return "none";
}

void SharedBuffer::read_policy(std::string text)
{
    if (mmu)
        fail("Policy: the buffer is built (expected before Install)");
    policy_as_set = text;
    if (text.empty())
        return;
    std::vector<std::string> parts = split(text, ':');
    policy = find_policy(parts[0]);
    weir_values_init(&policy_values, policy);
    for (size_t i = 1; i < parts.size(); i++) {
        size_t equals = parts[i].find('=');
        if (equals == std::string::npos)
            fail("Policy: '" + parts[i] + "': expected PARAMETER=VALUE");
        weir_error error;
        if (!weir_values_set(&policy_values, policy, parts[i].substr(0, equals).c_str(),
                             parts[i].substr(equals + 1).c_str(), &error)) {
            weir_fail_within(&error, "Policy: %s: ", policy->name);
            fail(error);
        }
    }
}

std::string SharedBuffer::policy_text() const
{
    return policy_as_set;
}

void SharedBuffer::SetPolicy(const weir_policy &own)
{
    if (own.needs & WEIR_NEED_INGRESS)
        fail(std::string("Policy: '") + own.name + "' belongs to lossless classes, and this module has no PFC");
    policy_as_set = own.name;
    policy = &own;
    weir_values_init(&policy_values, policy);
}

void SharedBuffer::SetOracle(const weir_oracle &own)
{
    oracle = &own;
}

const weir_mmu *SharedBuffer::GetMmu() const
{
    return mmu;
}

ns3::Ptr<PortQueueDisc> SharedBuffer::AddPort(ns3::DataRate rate)
{
    if (mmu)
        fail("a port comes after Build");
    auto disc = ns3::CreateObject<PortQueueDisc>();
    disc->buffer = this;
    disc->port = static_cast<uint32_t>(ports.size());
    ports.push_back(disc);
    rates_bps.push_back(static_cast<weir_bps>(rate.GetBitRate()));
    return disc;
}

void SharedBuffer::fill_config()
{
    auto one = [this](Setting setting) { return values[setting][0]; };
    weir_mmu_config_init(&config, static_cast<uint32_t>(ports.size()), classes, one(BUFFER) / one(CELL));
    config.cell_bytes = static_cast<uint32_t>(one(CELL));
    config.rates_bps = rates_bps.data();
    if (one(DESCRIPTORS) != WEIR_AUTO)
        config.packets_max = static_cast<uint32_t>(one(DESCRIPTORS));
    config.scheduler.kind = static_cast<weir_scheduler_kind>(one(SCHEDULER));
    config.scheduler.quantum_bytes = static_cast<uint32_t>(one(QUANTUM));
    config.scheduler.strict_from = static_cast<uint32_t>(one(STRICT_FROM));
    for (uint32_t tc = 0; tc < classes; tc++) {
        auto cells = [&](Setting setting) { return weir_cells_for_bytes(values[setting][tc], one(CELL)); };
        config.private_cells[tc] = cells(PRIVATE);
        config.scheduler.weight[tc] = static_cast<uint32_t>(values[WEIGHTS][tc]);
        config.marking[tc] = {static_cast<weir_marking_kind>(values[ECN_KIND][tc]), cells(ECN_LOW), cells(ECN_HIGH),
                              values[ECN_CHANCE][tc]};
    }
    config.memory_bps = static_cast<weir_bps>(memory_rate.GetBitRate());
    config.memory_cell_bytes = static_cast<uint32_t>(one(MEMORY_CELL));
    config.memory_depth_cells = static_cast<uint32_t>(one(MEMORY_DEPTH));
    config.seed = seed;
    config.gives = WEIR_GIVES_FLOWS;
    config.egress = policy;
    config.egress_values = &policy_values;
    config.oracle = oracle;
}

void SharedBuffer::Build()
{
    if (mmu)
        fail("Build is called twice");
    if (!policy)
        fail("Policy is not set (expected a name: dt, lqd, occamy, ...)");
    if (policy->needs & WEIR_NEED_ORACLE && !oracle)
        fail("Policy: '" + policy_as_set + "' asks an oracle (expected SetOracle before Install)");
    fill_config();
    weir_error error;
    if (!weir_mmu_config_check(&config, &error))
        fail(error);
    size_t size = (weir_mmu_size(&config) + 63) / 64 * 64;
    memory.reset(std::aligned_alloc(64, size));
    if (!memory)
        fail("no memory for a buffer of " + std::to_string(config.packets_max) + " descriptors");
    mmu = weir_mmu_init(memory.get(), &config);
}

void SharedBuffer::Trace(const std::string &file)
{
    if (!mmu || recording || !ns3::Simulator::Now().IsZero())
        fail("Trace: " + file + ": expected once, after Build and before the simulation runs");
    recording = std::make_unique<Recording>();
    recording->name = file;
    recording->file = std::fopen(file.c_str(), "wb");
    if (!recording->file)
        fail("Trace: " + file + ": cannot be written: " + std::strerror(errno));
    recording->bytes.resize(WEIR_TRACE_BUFFER_MIN);
    recording->trace = {};
    recording->trace.buffer = recording->bytes.data();
    recording->trace.size = recording->bytes.size();
    recording->trace.context = recording->file;
    recording->trace.flush = [](void *file, const uint8_t *bytes, size_t count) {
        return std::fwrite(bytes, 1, count, static_cast<std::FILE *>(file)) == count;
    };
    recording->trace.hash_every = 1000;
    weir_trace_begin(&recording->trace, &config);
    weir_mmu_set_trace(mmu, &recording->trace);
}

/* Simulator::Destroy comes here, by way of the node: a trace is complete then, and not before. */
void SharedBuffer::DoDispose()
{
    expulsion.Cancel();
    for (auto &disc : ports)
        disc->buffer = nullptr;
    ports.clear();
    if (recording) {
        bool written = weir_trace_end(&recording->trace, mmu);
        written &= std::fclose(recording->file) == 0;
        if (!written)
            fail("Trace: " + recording->name + ": cannot be written: " + std::strerror(errno));
        recording.reset();
    }
    mmu = nullptr;
    memory.reset();
    ns3::Object::DoDispose();
}

static weir_ps now_ps()
{
    return ns3::Simulator::Now().GetPicoSeconds();
}

const weir_effects &SharedBuffer::arrive(const weir_packet &packet)
{
    return lose(*weir_mmu_arrive(mmu, &packet, now_ps()));
}

const weir_effects &SharedBuffer::depart(uint32_t port)
{
    return lose(*weir_mmu_depart(mmu, {port}, now_ps()));
}

/* Takes what the MMU gave up out of ns-3's queues, whichever port it waits at. */
const weir_effects &SharedBuffer::lose(const weir_effects &effects)
{
    for (uint32_t i = 0; i < effects.lost_count; i++)
        ports[effects.lost[i].account.i % ports.size()]->lose(effects.lost[i]);
    if (policy->needs & WEIR_NEED_EXPEL)
        wait_for_expulsion();
    return effects;
}

/* The clock of ns-3 may be coarser than weir's: an expulsion waits for the next moment that it has. */
void SharedBuffer::wait_for_expulsion()
{
    expulsion.Cancel();
    weir_ps due_ps = weir_mmu_next_event(mmu);
    if (due_ps > WEIR_TIME_MAX)
        return;
    ns3::Time due = ns3::PicoSeconds(due_ps);
    if (due.GetPicoSeconds() < due_ps)
        due += ns3::TimeStep(1);
    ns3::Time wait = due - ns3::Simulator::Now();
    expulsion = ns3::Simulator::Schedule(wait.IsNegative() ? ns3::Time(0) : wait, &SharedBuffer::expel, this);
}

void SharedBuffer::expel()
{
    lose(*weir_mmu_offer_expel(mmu, now_ps()));
}

} // namespace weir
