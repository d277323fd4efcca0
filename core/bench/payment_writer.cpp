#include "core/bench/payment_writer.h"

#include "core/base/clock.h"
#include "core/base/money.h"

namespace tekil::bench {

namespace {

constexpr std::int64_t kInvoicesAMs = 1'000; // more than one writer can write
constexpr std::int64_t kLeastMinor = 100;
constexpr std::int64_t kMostMinor = 99'999;

} // namespace

PaymentWriter::PaymentWriter(const Site& site, Keys keys, const std::string& prefer)
    : m_firstAccount(site.parties().firstAccount), m_accounts(site.options().accounts), m_keys(keys),
      m_invoice(wallClockMs() * kInvoicesAMs), m_random(static_cast<std::uint32_t>(m_invoice))
{
    for (const std::string& apiKey : site.parties().apiKeys)
        m_heads.push_back("POST /payments HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
                          + (prefer.empty() ? std::string() : "Prefer: " + prefer + "\r\n") + "Authorization: Bearer "
                          + apiKey + "\r\nIdempotency-Key: ");
}

void PaymentWriter::write(std::string& out)
{
    const std::size_t place = m_random() % m_accounts;
    const std::int64_t minor = kLeastMinor + static_cast<std::int64_t>(m_random()) % (kMostMinor - kLeastMinor);
    std::string body = "{\"invoiceId\":";
    body += std::to_string(m_invoice++);
    body += ",\"accountId\":";
    body += std::to_string(m_firstAccount + static_cast<std::int64_t>(place));
    body += ",\"amount\":";
    body += decimalFromMinor(minor, 2);
    body += ",\"currency\":\"TRY\"}";
    out += m_heads[place % m_heads.size()];
    out += (m_keys == Keys::V7 ? Uuid::next() : Uuid::random()).text();
    out += "\r\nContent-Length: ";
    out += std::to_string(body.size());
    out += "\r\n\r\n";
    out += body;
}

} // namespace tekil::bench
