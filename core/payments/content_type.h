// What a body must say of itself: JSON, in UTF-8, as it is.
#pragma once

#include "core/base/result.h"
#include "core/http/message.h"

namespace tekil::payments {

// UnsupportedMediaType: another Content-Type or none, a charset that is not UTF-8, or a Content-Encoding.
Result<void> checkJsonBody(const http::Headers& headers);

} // namespace tekil::payments
