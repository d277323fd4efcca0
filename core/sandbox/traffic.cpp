#include "core/sandbox/traffic.h"

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/money.h"

#include <spdlog/spdlog.h>

namespace tekil::sandbox {

namespace {

using namespace std::chrono_literals;

constexpr int kMaxTries = 6;

} // namespace

Result<std::unique_ptr<Traffic>> Traffic::start(http::Loop& loop, const std::string& engineUrl, DemoWorld world,
                                                std::chrono::milliseconds gap)
{
    // Shorter than a payment may take: what has not ended by then is retried with the same key.
    auto client = http::Client::create(loop, {.baseUrl = engineUrl, .timeout = 12s, .maxConnections = 32});
    if (!client)
        return client.error();
    std::unique_ptr<Traffic> traffic(new Traffic(loop, *std::move(client), std::move(world), gap));
    traffic->scheduleNext();
    return traffic;
}

Traffic::Traffic(http::Loop& loop, std::unique_ptr<http::Client> client, DemoWorld world, std::chrono::milliseconds gap)
    : m_loop(loop), m_client(std::move(client)), m_world(std::move(world)), m_gap(gap)
{
}

std::int64_t Traffic::below(std::int64_t limit)
{
    const std::lock_guard lock(m_mutex);
    return static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(limit));
}

void Traffic::scheduleNext()
{
    if (m_stopped)
        return;
    const auto wait = std::chrono::milliseconds(m_gap.count() / 4 + below(m_gap.count() * 3 / 2 + 1));
    m_loop.after(wait, [this] {
        sendNext();
        scheduleNext();
    });
}

void Traffic::sendNext()
{
    if (m_stopped)
        return;
    const Payment payment = makePayment();
    send(payment);
    const std::int64_t oddity = below(100);
    if (oddity < 12) { // a double click, or a client that was not patient
        for (std::int64_t i = 0; i <= below(3); ++i)
            m_loop.after(std::chrono::milliseconds(below(900)), [this, payment] { send(payment); });
    } else if (oddity < 14) { // the same key with other money
        Payment other = payment;
        other.body.insert(1, "\"description\":\"changed\",");
        m_loop.after(400ms, [this, other] { send(other); });
    } else if (oddity < 16) { // the same invoice with a new key
        Payment other = payment;
        other.key += "-again";
        m_loop.after(600ms, [this, other] { send(other); });
    }
}

Traffic::Payment Traffic::makePayment()
{
    const auto& merchant = m_world.merchants[static_cast<std::size_t>(below(std::ssize(m_world.merchants)))];
    // Most payments are in the first payers' currency.
    const std::int64_t choice = below(10);
    const std::int64_t payers = std::ssize(m_world.payers);
    const auto payer = static_cast<std::size_t>(choice < 7 ? below(std::min<std::int64_t>(2, payers)) : below(payers));
    const DemoPayer& from = m_world.payers[payer];
    std::int64_t minor = (1 + below(400)) * (1 + below(60)) * 10;
    if (from.currency.exponent() == 3)
        minor = minor / 10 * 10 + 5;
    const std::string number = std::to_string(wallClockMs() % 100'000'000);
    const std::string invoice = below(3) == 0 ? "FTR-2026-" + number : number;
    Payment payment;
    payment.apiKey = merchant.apiKey;
    payment.key = merchant.name + "-" + Uuid::random().text().substr(0, 13);
    JsonWriter body;
    if (invoice == number)
        body.raw("invoiceId", number);
    else
        body.member("invoiceId", invoice);
    body.raw("amount", decimalFromMinor(minor, from.currency.exponent())).member("currency", from.currency.code());
    body.number("accountId", from.accountId).member("customerId", "C-" + std::to_string(20'000 + below(900)));
    payment.body = body.take();
    return payment;
}

void Traffic::send(Payment payment)
{
    if (m_stopped)
        return;
    http::OutRequest request{.method = "POST", .path = "/payments", .body = payment.body};
    request.headers.add("Content-Type", "application/json");
    request.headers.add("Authorization", "Bearer " + payment.apiKey);
    request.headers.add("Idempotency-Key", "\"" + payment.key + "\"");
    request.headers.add("Prefer", "wait=5");
    m_client->request(std::move(request), [this, payment = std::move(payment)](const http::Outcome& outcome) {
        afterAnswer(payment, outcome);
    });
}

// A client as it should be: the same key until an end is told.
void Traffic::afterAnswer(Payment payment, const http::Outcome& outcome)
{
    if (m_stopped || ++payment.tries >= kMaxTries)
        return;
    const auto* answered = std::get_if<http::Answered>(&outcome);
    const bool again = !answered || answered->status == 202 || answered->status == 503 || answered->status == 429
                       || (answered->status == 409 && answered->headers.find("Retry-After") != nullptr);
    if (again)
        m_loop.after(2s * payment.tries, [this, payment] { send(payment); });
}

} // namespace tekil::sandbox
