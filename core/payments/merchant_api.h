// The merchant API of design section 3: requests in, answers by its table.
#pragma once

#include "core/http/server.h"
#include "core/payments/merchant_directory.h"

#include <array>
#include <atomic>
#include <map>

namespace tekil::payments {

class MerchantApi {
public:
    explicit MerchantApi(Pipeline& pipeline) : m_pipeline(pipeline), m_directory(pipeline) {}

    // Runs on a loop thread and does not block; answers now or later.
    void handle(http::Request request, http::Responder responder);

    // From here on new requests are refused (503); those in flight go on.
    void drain() { m_draining = true; }
    std::uint64_t requests() const { return m_requests; }
    std::map<int, std::uint64_t> answers() const; // so far, by HTTP status

private:
    void reply(const http::Responder& responder, http::Response response);
    void refuse(const http::Responder& responder, const Error& error);
    void post(const http::Request& request, const http::Responder& responder, const Merchant& merchant);
    void get(const http::Request& request, const http::Responder& responder, const Merchant& merchant);

    Pipeline& m_pipeline;
    MerchantDirectory m_directory;
    std::atomic<bool> m_draining = false;
    std::atomic<std::uint64_t> m_requests = 0;
    std::array<std::atomic<std::uint64_t>, 600> m_answers{};
};

} // namespace tekil::payments
