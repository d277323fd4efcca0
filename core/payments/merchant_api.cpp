#include "core/payments/merchant_api.h"

#include "core/base/fault.h"
#include "core/base/json.h"
#include "core/http/problem.h"
#include "core/payments/content_type.h"
#include "core/payments/idempotency_key.h"
#include "core/payments/prefer.h"
#include "openapi_json.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace tekil::payments {

namespace {

using http::ProblemType;

constexpr std::string_view kCollection = "/payments";
constexpr std::string_view kDescription = "/openapi.json";

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

Result<std::string_view> readApiKey(const http::Headers& headers)
{
    const Error missing{ErrorCode::Unauthorized, "send the header Authorization: Bearer <merchant API key>"};
    const auto lines = headers.values("Authorization");
    if (lines.size() != 1)
        return missing;
    const std::size_t space = lines.front().find(' ');
    if (space == std::string_view::npos || !http::equalsIgnoringCase(lines.front().substr(0, space), "Bearer"))
        return missing;
    const std::string_view key = trimmed(lines.front().substr(space + 1));
    if (key.empty())
        return missing;
    return key;
}

std::string locationOf(Uuid operationId)
{
    return std::string(kCollection) + "/" + operationId.text();
}

http::Response withLocation(http::Response response, Uuid operationId)
{
    response.headers.set("Location", locationOf(operationId));
    return response;
}

http::ProblemExtra retryAfter(int seconds)
{
    return {.members = {}, .headers = {{"Retry-After", std::to_string(seconds)}}};
}

// The answer table of design section 3.
http::Response responseOf(const Answer& answer)
{
    switch (answer.kind) {
    case Answer::Kind::Ended: {
        auto response = withLocation(http::jsonResponse(answer.status, answer.body), answer.operationId);
        if (answer.replayed)
            response.headers.set("Idempotent-Replayed", "true");
        return response;
    }
    case Answer::Kind::Pending: {
        auto response = withLocation(http::jsonResponse(answer.status, answer.body), answer.operationId);
        response.headers.set("Retry-After", std::to_string(answer.retryAfterSeconds));
        return response;
    }
    case Answer::Kind::InFlight:
        return withLocation(http::problem(ProblemType::KeyInFlight,
                                          "the first request with this key has not ended; ask again later",
                                          retryAfter(answer.retryAfterSeconds)),
                            answer.operationId);
    case Answer::Kind::Mismatch:
        return http::problem(ProblemType::PayloadMismatch,
                             "this key was used for another request; send another operation with a key of its own");
    case Answer::Kind::Expired:
        return http::problem(ProblemType::KeyExpired,
                             "this key was used and its answer is no longer kept; it is never executed again");
    case Answer::Kind::Duplicate: {
        const http::ProblemExtra extra{.members = "\"operationId\":" + quoteJson(answer.operationId.text())
                                                  + ",\"location\":" + quoteJson(locationOf(answer.operationId)),
                                       .headers = {}};
        return withLocation(http::problem(ProblemType::DuplicateOperation,
                                          "this invoice has a payment that did not fail; look at its location", extra),
                            answer.operationId);
    }
    case Answer::Kind::Refused: {
        auto response = http::problemOf(answer.error);
        if (answer.retryAfterSeconds > 0)
            response.headers.set("Retry-After", std::to_string(answer.retryAfterSeconds));
        return response;
    }
    }
    return http::problem(ProblemType::Internal, "");
}

http::Response methodNotAllowed(std::string_view allowed)
{
    return http::problem(ProblemType::MethodNotAllowed, "allowed here: " + std::string(allowed),
                         {.members = {}, .headers = {{"Allow", std::string(allowed)}}});
}

} // namespace

void MerchantApi::reply(const http::Responder& responder, http::Response response)
{
    const auto status = static_cast<std::size_t>(response.status);
    if (status < m_answers.size())
        ++m_answers[status];
    responder.answer(std::move(response));
}

void MerchantApi::refuse(const http::Responder& responder, const Error& error)
{
    spdlog::debug("refused: {}: {}", nameOf(error.code), error.detail);
    reply(responder, http::problemOf(error));
}

std::map<int, std::uint64_t> MerchantApi::answers() const
{
    std::map<int, std::uint64_t> counts;
    for (std::size_t status = 0; status < m_answers.size(); ++status)
        if (const std::uint64_t count = m_answers[status])
            counts.emplace(static_cast<int>(status), count);
    return counts;
}

void MerchantApi::handle(http::Request request, http::Responder responder)
{
    ++m_requests;
    const bool isGet = request.method == "GET" || request.method == "HEAD";
    if (request.path == kDescription) {
        reply(responder,
              isGet ? http::jsonResponse(200, std::string(resources::openapi)) : methodNotAllowed("GET, HEAD"));
        return;
    }
    const bool collection = request.path == kCollection;
    const bool item = request.path.starts_with("/payments/") && request.path.find('/', 10) == std::string::npos;
    if (!collection && !item) {
        refuse(responder, Error{ErrorCode::NotFound, "the API has /payments and /payments/{operationId}; "
                                                     "/openapi.json describes it"});
        return;
    }
    if (!isGet && !(collection && request.method == "POST")) {
        reply(responder, methodNotAllowed(collection ? "GET, HEAD, POST" : "GET, HEAD"));
        return;
    }
    if (m_draining) {
        refuse(responder, Error{ErrorCode::Draining, "this engine is being shut down; send again"});
        return;
    }
    const auto key = readApiKey(request.headers);
    if (!key) {
        auto response = http::problemOf(key.error());
        response.headers.set("WWW-Authenticate", "Bearer");
        reply(responder, std::move(response));
        return;
    }
    const std::string apiKey(*key);
    m_directory.find(apiKey, [this, isGet, request = std::move(request), responder](const Admitted& admitted) {
        if (admitted.merchant || admitted.wait.count() > 0)
            responder.trust(); // its key is right
        if (admitted.wait.count() > 0)
            reply(responder, http::problem(ProblemType::RateLimited, admitted.merchant.error().detail,
                                           retryAfter(static_cast<int>(
                                               std::chrono::ceil<std::chrono::seconds>(admitted.wait).count()))));
        else if (!admitted.merchant)
            refuse(responder, admitted.merchant.error());
        else if (isGet)
            get(request, responder, *admitted.merchant);
        else
            post(request, responder, *admitted.merchant);
    });
}

void MerchantApi::post(const http::Request& request, const http::Responder& responder, const Merchant& merchant)
{
    if (const auto json = checkJsonBody(request.headers); !json) {
        refuse(responder, json.error());
        return;
    }
    auto key = readIdempotencyKey(request.headers.values("Idempotency-Key"));
    if (!key) {
        refuse(responder, key.error());
        return;
    }
    auto payment = readPaymentRequest(request.body);
    if (!payment) {
        refuse(responder, payment.error());
        return;
    }
    m_pipeline.submit({.merchantId = merchant.id,
                       .key = *std::move(key),
                       .request = *std::move(payment),
                       .wait = readWait(request.headers.values("Prefer")),
                       .onAnswer = [this, responder](const Answer& answer) {
                           fault::at(fault::ReplyBefore);
                           reply(responder, responseOf(answer));
                       }});
}

void MerchantApi::get(const http::Request& request, const http::Responder& responder, const Merchant& merchant)
{
    PaymentQuery query{.merchantId = merchant.id, .operationId = std::nullopt, .key = std::nullopt, .onView = {}};
    const Error nothing{ErrorCode::NotFound, "this merchant has no such payment"};
    if (request.path != kCollection) {
        const auto id = Uuid::fromText(std::string_view(request.path).substr(kCollection.size() + 1));
        if (!id) {
            refuse(responder, nothing);
            return;
        }
        query.operationId = *id;
    } else {
        const auto keys = request.queryValues("idempotencyKey");
        if (keys.size() != 1 || request.query.size() != 1) {
            refuse(responder, Error{ErrorCode::RequestInvalid, "ask with one query member: idempotencyKey=<key>"});
            return;
        }
        auto key = readIdempotencyKey({keys.front()});
        if (!key) {
            refuse(responder, key.error());
            return;
        }
        query.key = *std::move(key);
    }
    query.onView = [this, responder, nothing](const Result<std::optional<PaymentView>>& view) {
        if (!view)
            refuse(responder, view.error());
        else if (!*view)
            refuse(responder, nothing);
        else
            reply(responder, http::jsonResponse(200, (*view)->body));
    };
    m_pipeline.lookUp(std::move(query));
}

} // namespace tekil::payments
