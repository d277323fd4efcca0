#include "core/providers/http_provider.h"

#include "core/base/fault.h"
#include "core/base/json.h"

#include <algorithm>

namespace tekil::providers {

namespace {

const http::Outcome kLost = http::NoAnswer{"a fault that was asked for: no answer"};

class HttpSlot : public Slot {
public:
    HttpSlot(http::Lease lease, ProviderRow row) : m_lease(std::move(lease)), m_row(std::move(row)) {}

    void charge(Charge charge, OnOutcome onOutcome) && override
    {
        http::OutRequest request{.method = "POST", .path = "/charges", .body = charge.body};
        request.headers.add("Content-Type", "application/json");
        request.headers.add("Idempotency-Key", charge.operationId.text());
        request.headers.add("Send-Before", charge.sendBefore);
        const auto sendBefore = fault::at(fault::SendBefore) ? std::chrono::nanoseconds(0) : charge.sendBeforeBoot;
        std::move(m_lease).send(std::move(request), sendBefore,
                                [charge = std::move(charge), row = std::move(m_row),
                                 onOutcome = std::move(onOutcome)](const http::Outcome& outcome) {
                                    const bool lost = fault::at(fault::AnswerReceived);
                                    onOutcome(classify(lost ? kLost : outcome, charge, row));
                                });
    }

private:
    http::Lease m_lease;
    ProviderRow m_row;
};

} // namespace

Result<std::shared_ptr<Provider>> HttpProvider::create(http::Loop& loop, ProviderRow row)
{
    auto client = http::Client::create(
        loop, {.baseUrl = row.baseUrl,
               .timeout = row.timeout,
               .connectTimeout = std::min<std::chrono::milliseconds>(row.timeout, std::chrono::milliseconds(2'000)),
               .maxConnections = row.maxConcurrency});
    if (!client)
        return client.error();
    return std::shared_ptr<Provider>(std::make_shared<HttpProvider>(std::move(row), *std::move(client)));
}

HttpProvider::HttpProvider(ProviderRow row, std::unique_ptr<http::Client> client)
    : m_row(std::move(row)), m_client(std::move(client))
{
}

std::string HttpProvider::chargeBody(Uuid operationId, std::string_view merchantReference, Money amount) const
{
    return JsonWriter()
        .member("operationId", operationId.text())
        .member("merchantReference", merchantReference)
        .member("amount", amount.decimal())
        .member("currency", amount.currency().code())
        .take();
}

void HttpProvider::inquire(Uuid operationId, Money amount, OnInquiry onInquiry)
{
    if (fault::at(fault::InquiryBefore)) {
        onInquiry(classifyInquiry(kLost, operationId, amount));
        return;
    }
    m_client->get("/charges/" + operationId.text(),
                  [operationId, amount, onInquiry = std::move(onInquiry)](const http::Outcome& outcome) {
                      const bool lost = fault::at(fault::InquiryAfter);
                      onInquiry(classifyInquiry(lost ? kLost : outcome, operationId, amount));
                  });
}

void HttpProvider::acquire(OnSlot onSlot)
{
    m_client->acquire([row = m_row, onSlot = std::move(onSlot)](Result<http::Lease> lease) {
        if (lease.ok() && fault::at(fault::SlotAcquired))
            lease = Error{ErrorCode::NotSent, "a fault that was asked for: no connection"};
        if (!lease) {
            onSlot(lease.error());
            return;
        }
        onSlot(std::unique_ptr<Slot>(std::make_unique<HttpSlot>(*std::move(lease), row)));
    });
}

} // namespace tekil::providers
