// Bytes as a socket gives them → requests → key, preference, body → canonical hash. The way in, without network or
// database.
#include "core/base/json.h"
#include "core/http/request_reader.h"
#include "core/payments/content_type.h"
#include "core/payments/idempotency_key.h"
#include "core/payments/prefer.h"
#include "core/payments/request.h"
#include "tests/fuzz/property.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace tekil;
using http::RequestReader;

namespace {

// Every request in the bytes, given in pieces of that size, and how it ended.
struct Reading {
    std::vector<http::Request> requests;
    bool refused = false;
    int status = 0;
};

Reading readAll(std::string_view bytes, std::size_t piece)
{
    Reading out;
    auto reader = std::make_unique<RequestReader>(http::ReaderLimits{});
    while (!bytes.empty()) {
        std::string_view part = bytes.substr(0, piece);
        bytes.remove_prefix(part.size());
        while (!part.empty()) {
            const auto state = reader->read(part);
            if (state == RequestReader::State::Refused) {
                out.refused = true;
                out.status = http::rowOf(reader->refusal().type).status;
                return out;
            }
            if (state == RequestReader::State::Done) {
                out.requests.push_back(reader->take());
                reader = std::make_unique<RequestReader>(http::ReaderLimits{});
            }
        }
    }
    return out;
}

// The same request written anew: other order, other number form, every optional member only where it was.
std::string writtenAnew(const payments::PaymentRequest& request)
{
    JsonWriter json;
    if (request.provider)
        json.member("provider", *request.provider);
    if (request.description)
        json.member("description", *request.description);
    if (request.paymentType)
        json.member("paymentType", *request.paymentType);
    if (request.customerId)
        json.member("customerId", *request.customerId);
    if (request.accountId)
        json.number("accountId", *request.accountId);
    json.member("currency", request.amount.currency().code());
    json.member("amount", request.amount.decimal());
    if (request.invoiceIsNumber)
        json.raw("invoiceId", request.invoiceId);
    else
        json.member("invoiceId", request.invoiceId);
    return json.take();
}

void readBody(std::string_view body)
{
    const auto request = payments::readPaymentRequest(body);
    if (!request)
        return;
    fuzz::holds(request->amount.minor() > 0 && request->amount.minor() <= kMaxAmountMinor,
                "an amount is in its bounds");
    const auto again = payments::readPaymentRequest(writtenAnew(*request));
    fuzz::holds(again.ok(), "what was read can be written and read again");
    fuzz::holds(payments::canonicalHash(*request) == payments::canonicalHash(*again), "the hash is that of the values");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    readBody(bytes); // the body's reader also without a frame around it
    const Reading whole = readAll(bytes, std::max<std::size_t>(size, 1));
    const Reading pieces = readAll(bytes, 1 + size % 7);
    fuzz::holds(whole.refused == pieces.refused && whole.status == pieces.status
                    && whole.requests.size() == pieces.requests.size(),
                "pieces make no difference");
    for (std::size_t i = 0; i < whole.requests.size(); ++i) {
        const http::Request& request = whole.requests[i];
        fuzz::holds(request.target == pieces.requests[i].target && request.body == pieces.requests[i].body,
                    "pieces make no other request");
        fuzz::holds(request.headers.values("Content-Length").size() + request.headers.values("Transfer-Encoding").size()
                        <= 1,
                    "a request has one length");
        fuzz::holds(request.body.size() <= 64 * 1024 && request.headers.size() <= 100, "limits hold");
        std::string path;
        http::Query query;
        if (http::parseTarget(request.target, path, query))
            fuzz::holds(path.find('\0') == std::string::npos, "a path has no NUL");
        const auto wait = payments::readWait(request.headers.values("Prefer"));
        fuzz::holds(wait.count() >= 0 && wait <= payments::kLongestWait, "a wait is in its bounds");
        (void)payments::readIdempotencyKey(request.headers.values("Idempotency-Key"));
        if (payments::checkJsonBody(request.headers))
            readBody(request.body);
    }
    return 0;
}
