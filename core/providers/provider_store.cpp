#include "core/providers/provider_store.h"

#include "sql_queries.h"

namespace tekil::providers {

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

} // namespace tekil::providers
