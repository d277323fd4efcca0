// The generic adapter: the provider protocol of design section 7 over HTTP.
#pragma once

#include "core/http/client.h"
#include "core/providers/answer_rules.h"

namespace tekil::providers {

class HttpProvider : public Provider {
public:
    // InvalidArgument: the base URL is not one.
    static Result<std::shared_ptr<Provider>> create(http::Loop& loop, ProviderRow row);

    HttpProvider(ProviderRow row, std::unique_ptr<http::Client> client);
    const ProviderRow& row() const override { return m_row; }
    std::string chargeBody(Uuid operationId, std::string_view merchantReference, Money amount) const override;
    void acquire(OnSlot onSlot) override;
    void inquire(Uuid operationId, Money amount, OnInquiry onInquiry) override;

private:
    ProviderRow m_row;
    std::unique_ptr<http::Client> m_client;
};

} // namespace tekil::providers
