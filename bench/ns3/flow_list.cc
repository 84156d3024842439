/*
 * flow_list.cc - reading the list. The format is that of weir's own flow lists, so that one file feeds both.
 */
#include "flow_list.hh"

#include <algorithm>
#include <fstream>
#include <sstream>

constexpr uint16_t first_port = listen_port + 1;

std::string FlowList::add(const std::string &line)
{
    std::istringstream fields(line);
    int64_t start_ns, source, destination, bytes;
    if (!(fields >> start_ns >> source >> destination >> bytes))
        return "expected `start_ns src dst bytes [tag]`";
    auto hosts = static_cast<int64_t>(by_source.size());
    if (source < 0 || destination < 0 || source >= hosts || destination >= hosts || source == destination)
        return "expected two different hosts from 0 to " + std::to_string(hosts - 1);
    if (start_ns < 0 || bytes < 1)
        return "expected a start of at least 0 and a size of at least 1";
    std::vector<uint32_t> &siblings = by_source[source];
    if (siblings.size() > size_t{UINT16_MAX} - first_port)
        return "host " + std::to_string(source) + " has more flows than TCP has ports";
    auto port = static_cast<uint16_t>(first_port + siblings.size());
    siblings.push_back(static_cast<uint32_t>(flows.size()));
    flows.push_back({start_ns, static_cast<uint32_t>(source), static_cast<uint32_t>(destination),
                     static_cast<uint64_t>(bytes), port, -1});
    return "";
}

std::string FlowList::read(const std::string &path, uint32_t hosts)
{
    by_source.resize(hosts);
    std::ifstream file(path);
    if (!file)
        return path + ": cannot be opened";
    std::string line;
    for (uint32_t number = 1; std::getline(file, line); number++) {
        line.erase(std::min(line.find('#'), line.size()));
        if (line.find_first_not_of(" \t\r") == std::string::npos)
            continue;
        std::string complaint = add(line);
        if (!complaint.empty())
            return path + ":" + std::to_string(number) + ": " + complaint;
    }
    return "";
}

uint32_t FlowList::find(uint32_t host, uint16_t port) const
{
    return by_source.at(host).at(port - first_port);
}
