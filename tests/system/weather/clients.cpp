#include "tests/system/weather/clients.h"

namespace tekil::test {

namespace {

using namespace std::chrono_literals;

constexpr std::array kAmounts{"11.00", "11.00", "11.00", "11.00", "11.00", "11.00",
                              "12.00", "13.00", "14.00", "15.00", "16.00", "18.00"};
constexpr std::size_t kMostComplaints = 50;

std::size_t below(std::mt19937_64& random, std::size_t limit)
{
    return static_cast<std::size_t>(random() % limit);
}

} // namespace

Clients::Clients(const Ports& ports, std::uint64_t seed, std::size_t count) : m_ports(ports)
{
    for (std::size_t i = 0; i < count; ++i)
        m_threads.emplace_back([this, seed, i] { live(seed * 1'000 + i); });
}

void Clients::stop()
{
    m_stopping = true;
    for (std::thread& thread : m_threads)
        if (thread.joinable())
            thread.join();
}

void Clients::complain(const std::string& what)
{
    const std::lock_guard lock(m_mutex);
    if (m_complaints.size() < kMostComplaints)
        m_complaints.push_back(what);
}

std::vector<std::string> Clients::complaints() const
{
    const std::lock_guard lock(m_mutex);
    return m_complaints;
}

std::size_t Clients::deeds() const
{
    const std::lock_guard lock(m_mutex);
    return m_deeds.size();
}

std::vector<Told> Clients::told() const
{
    const std::lock_guard lock(m_mutex);
    return m_told;
}

Deed Clients::deedOf(std::size_t index) const
{
    const std::lock_guard lock(m_mutex);
    return m_deeds[index];
}

Reply Clients::ask(const Deed& deed, const std::string& body, std::size_t engine)
{
    const std::uint16_t port = m_ports[engine];
    if (port == 0)
        return {};
    Texts headers = Site::headers(deed.provider, deed.key);
    headers.emplace_back("Prefer: wait=5");
    const auto began = std::chrono::steady_clock::now();
    Reply reply = exchange(port, "POST", "/payments", headers, body, 12s);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
    const std::lock_guard lock(m_mutex);
    m_told.push_back({reply.status, took.count()});
    return reply;
}

// What is told of the right payload under its key.
void Clients::hear(std::size_t index, const Deed& asAsked, const Reply& reply)
{
    const bool ended = reply.status == 201 || reply.status == 402;
    if (!ended && reply.status != 202 && reply.status != 409 && reply.status != 503 && reply.status != 0)
        complain("answered " + std::to_string(reply.status) + ": " + reply.body);
    if (reply.status == 409 && reply.problem() != "key-in-flight")
        complain("a retry was told " + reply.problem());
    const std::lock_guard lock(m_mutex);
    Deed& deed = m_deeds[index];
    deed.wasSeen = deed.wasSeen || ended || reply.status == 202 || reply.status == 409;
    if (!ended) {
        if (!asAsked.end.empty() && (reply.status == 202 || reply.status == 409)
            && m_complaints.size() < kMostComplaints)
            m_complaints.push_back("in flight after its end: " + deed.end);
        return;
    }
    if (deed.end.empty())
        deed.end = reply.body;
    else if (deed.end != reply.body && m_complaints.size() < kMostComplaints)
        m_complaints.push_back("told two ends: " + deed.end + " and " + reply.body);
}

void Clients::bring(std::size_t index, std::mt19937_64& random, int tries)
{
    for (int i = 0; i < tries && deedOf(index).end.empty(); ++i) {
        const Deed deed = deedOf(index);
        const Reply reply = ask(deed, deed.body, below(random, 2));
        hear(index, deed, reply);
        if (reply.status == 0 || reply.status >= 409 || reply.status == 202)
            std::this_thread::sleep_for(std::chrono::milliseconds(20 + below(random, 400)));
    }
}

void Clients::pay(std::mt19937_64& random)
{
    std::size_t index = 0;
    {
        const std::lock_guard lock(m_mutex);
        index = m_deeds.size();
        m_deeds.push_back({.provider = below(random, kProviderClasses.size()),
                           .body = payment(kAmounts[below(random, kAmounts.size())]),
                           .key = freshKey()});
    }
    if (below(random, 8) == 0) { // a double click: both engines at the same instant
        const Deed deed = deedOf(index);
        std::thread other([&] { hear(index, deed, ask(deed, deed.body, 1)); });
        hear(index, deed, ask(deed, deed.body, 0));
        other.join();
    }
    bring(index, random, 6);
}

void Clients::again(std::mt19937_64& random, bool asAnother)
{
    std::size_t index = 0;
    {
        const std::lock_guard lock(m_mutex);
        if (m_deeds.empty())
            return;
        index = below(random, m_deeds.size());
    }
    if (!asAnother)
        return bring(index, random, 2);
    const Deed deed = deedOf(index);
    if (!deed.wasSeen)
        return;
    const Reply reply = ask(deed, payment("99.00"), below(random, 2));
    if (reply.status != 422 && reply.status != 503 && reply.status != 0)
        complain("another payload under a used key was answered " + std::to_string(reply.status) + ": " + reply.body);
}

void Clients::live(std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    while (!m_stopping) {
        const std::size_t roll = below(random, 100);
        if (roll < 76)
            pay(random);
        else
            again(random, roll >= 90);
        std::this_thread::sleep_for(std::chrono::milliseconds(5 + below(random, 60)));
    }
}

void Clients::settle(std::uint16_t port)
{
    std::atomic<std::size_t> next = 0;
    const std::size_t all = deeds();
    const auto work = [&] {
        while (true) {
            const std::size_t index = next++;
            if (index >= all)
                return;
            const Deed deed = deedOf(index);
            const auto headers = Site::headers(deed.provider, deed.key);
            Reply reply;
            for (int i = 0; i < 40; ++i) { // one that was never claimed begins only now
                reply = exchange(port, "POST", "/payments", headers, deed.body, 20s);
                hear(index, deed, reply);
                if (reply.status == 201 || reply.status == 402 || reply.status == 409)
                    break;
                std::this_thread::sleep_for(100ms);
            }
            if (reply.status != 201 && reply.status != 402 && reply.status != 409)
                complain("in calm answered " + std::to_string(reply.status) + ": " + reply.body);
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back(work);
    for (std::thread& thread : threads)
        thread.join();
}

} // namespace tekil::test
