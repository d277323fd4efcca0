// Live traffic as strangers would send it: payments with retries after time-outs, double clicks, changed payloads under
// the same key and the same invoice under a new one. It is a client of the merchant API and knows nothing else.
#pragma once

#include "core/http/client.h"
#include "core/sandbox/demo_seed.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <random>

namespace tekil::sandbox {

class Traffic {
public:
    static Result<std::unique_ptr<Traffic>> start(http::Loop& loop, const std::string& engineUrl, DemoWorld world,
                                                  std::chrono::milliseconds gap);
    // No request is sent after this; those under way end by themselves.
    void stop() { m_stopped = true; }

private:
    struct Payment {
        std::string apiKey;
        std::string key;
        std::string body;
        int tries = 0;
    };

    Traffic(http::Loop& loop, std::unique_ptr<http::Client> client, DemoWorld world, std::chrono::milliseconds gap);
    void scheduleNext();
    void sendNext();
    Payment makePayment();
    void send(Payment payment);
    void afterAnswer(Payment payment, const http::Outcome& outcome);
    std::int64_t below(std::int64_t limit); // 0 … limit - 1

    http::Loop& m_loop;
    std::unique_ptr<http::Client> m_client;
    const DemoWorld m_world;
    const std::chrono::milliseconds m_gap;
    std::atomic<bool> m_stopped = false;
    std::mutex m_mutex;
    std::mt19937_64 m_random{std::random_device{}()};
};

} // namespace tekil::sandbox
