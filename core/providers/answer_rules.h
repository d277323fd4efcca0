// What an answer of a provider proves (design, section 4), read from its bytes alone.
#pragma once

#include "core/http/client.h"
#include "core/providers/provider.h"

namespace tekil::providers {

ChargeOutcome classify(const http::Outcome& outcome, const Charge& charge, const ProviderRow& provider);
InquiryOutcome classifyInquiry(const http::Outcome& outcome, Uuid operationId, Money amount);

} // namespace tekil::providers
