#include "core/providers/provider_store.h"

#include "sql_queries.h"

#include <charconv>

namespace tekil::providers {

namespace {

// "{402,403}"
std::vector<int> readIntArray(std::string_view text)
{
    std::vector<int> numbers;
    const char* at = text.data();
    const char* end = text.data() + text.size();
    while (at < end) {
        int number = 0;
        const auto [stop, error] = std::from_chars(at, end, number);
        if (error == std::errc())
            numbers.push_back(number);
        at = error == std::errc() ? stop : at + 1;
    }
    return numbers;
}

} // namespace

Result<std::int64_t> addProvider(db::Connection& connection, const NewProvider& provider)
{
    db::Params params;
    params.add(provider.name).add(provider.url).add(provider.canIdempotent).add(provider.canInquiry);
    params.add(provider.timeout.count()).add(provider.keyWindow.count()).add(provider.inquiryGrace.count());
    params.add(provider.notFoundFinal);
    const auto rows = connection.run(sql::setup::addProvider, params);
    if (rows)
        return rows->int64(0, 0);
    if (rows.error().sqlState == "23505")
        return Error{ErrorCode::AlreadyExists, "there is a provider " + provider.name + " already"};
    if (rows.error().sqlState == "23514")
        return Error{ErrorCode::InvalidArgument,
                     "a provider has a name of a-z, 0-9, _ and -, an http:// or https:// URL, and a time-out of 100ms "
                     "to 2m"};
    return rows.error();
}

Result<ProviderRow> readProvider(db::Connection& connection, std::int64_t id)
{
    const auto rows = connection.run(sql::setup::provider, db::Params().add(id), db::Mode::Reads);
    if (!rows)
        return rows.error();
    if (rows->count() != 1)
        return Error{ErrorCode::NotFound, "provider " + std::to_string(id) + " is not in the database"};
    return ProviderRow{.id = id,
                       .name = std::string(rows->text(0, 1)),
                       .baseUrl = std::string(rows->text(0, 2)),
                       .canIdempotent = rows->boolean(0, 3),
                       .canInquiry = rows->boolean(0, 4),
                       .timeout = std::chrono::milliseconds(rows->int64(0, 5)),
                       .maxConcurrency = static_cast<std::size_t>(rows->int64(0, 6)),
                       .definiteRefusals = readIntArray(rows->text(0, 7)),
                       .sendDeadline = std::chrono::milliseconds(rows->int64(0, 8)),
                       .breaker = {.window = std::chrono::milliseconds(rows->int64(0, 11)),
                                   .minCalls = rows->int64(0, 9),
                                   .percent = rows->int64(0, 10),
                                   .openFor = std::chrono::milliseconds(rows->int64(0, 12))}};
}

} // namespace tekil::providers
