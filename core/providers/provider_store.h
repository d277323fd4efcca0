// Providers' rows: adding one, reading one.
#pragma once

#include "core/db/connection.h"
#include "core/providers/provider.h"

namespace tekil::providers {

struct NewProvider {
    std::string name; // a-z, 0-9, _ and -
    std::string url;
    bool canIdempotent = false;
    bool canInquiry = false;
    std::chrono::milliseconds timeout{5'000};
    std::chrono::milliseconds keyWindow{86'400'000};
    std::chrono::milliseconds inquiryGrace{30'000};
    bool notFoundFinal = false;
};

// Its id. AlreadyExists: the name is taken. InvalidArgument: a name, URL or time that cannot be.
Result<std::int64_t> addProvider(db::Connection& connection, const NewProvider& provider);

// How it is spoken to. NotFound.
Result<ProviderRow> readProvider(db::Connection& connection, std::int64_t id);

} // namespace tekil::providers
