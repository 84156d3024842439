/*
 * flow_list.hh - the flows of a run, as a file lists them, and the rule by which TCP ports name a flow: everything else
 * of this program (transfers, routing, output) knows a flow by its place in the list.
 */
#ifndef NS3_FLOW_LIST_HH
#define NS3_FLOW_LIST_HH

#include <cstdint>
#include <string>
#include <vector>

struct Flow {
    int64_t start_ns;
    uint32_t source, destination; /* hosts */
    uint64_t bytes;
    uint16_t port;  /* of the sender: unique among the flows of its host */
    int64_t fct_ps; /* -1: unfinished */
};

/* Receivers listen on one port below those of the senders, so that it alone tells data from ACKs. */
constexpr uint16_t listen_port = 1000;

class FlowList
{
  public:
    /* Lines `start_ns src dst bytes [tag]`, `#` comments. Returns what is wrong with the file, or nothing. */
    std::string read(const std::string &path, uint32_t hosts);

    /* The flow of a packet that `host` sends from `port` to listen_port, or receives there from it. */
    uint32_t find(uint32_t host, uint16_t port) const;

    std::vector<Flow> flows;
    uint32_t first_id = 0; /* of the first flow, where flows are hashed and printed; the others follow */

  private:
    std::string add(const std::string &line);

    std::vector<std::vector<uint32_t>> by_source; /* [host]: its flows in the order of their ports */
};

#endif
