// Merchants' programs in bad weather: they pay, come again with the same key until they are told an end, send things
// twice at once, and now and then use a key for something else. What they are told is written down and compared.
#pragma once

#include "tests/support/site.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <thread>

namespace tekil::test {

// One operation as its merchant knows it.
struct Deed {
    std::size_t provider = 0;
    std::string body, key;
    bool wasSeen = false; // an answer proved that the key was claimed
    std::string end = {}; // the final body, once it was told
};

struct Told {
    int status = 0; // 0: no answer
    std::int64_t ms = 0;
};

class Clients {
public:
    // Where the engines are; a port of 0 is one that is away.
    using Ports = std::array<std::atomic<std::uint16_t>, 2>;

    Clients(const Ports& ports, std::uint64_t seed, std::size_t count);
    ~Clients() { stop(); }
    void stop(); // each ends what it is at

    // In calm: every deed is asked for once more at this port. What is not ended and may not stay so is a complaint.
    void settle(std::uint16_t port);
    std::vector<std::string> complaints() const;
    std::size_t deeds() const;
    std::vector<Told> told() const;

private:
    void live(std::uint64_t seed);
    void pay(std::mt19937_64& random);
    void again(std::mt19937_64& random, bool asAnother);
    void bring(std::size_t deed, std::mt19937_64& random, int tries);
    Reply ask(const Deed& deed, const std::string& body, std::size_t engine);
    void hear(std::size_t index, const Deed& asAsked, const Reply& reply);
    void complain(const std::string& what);
    Deed deedOf(std::size_t index) const;

    const Ports& m_ports;
    std::atomic<bool> m_stopping = false;
    mutable std::mutex m_mutex;
    std::vector<Deed> m_deeds;
    std::vector<Told> m_told;
    std::vector<std::string> m_complaints;
    std::vector<std::thread> m_threads;
};

} // namespace tekil::test
