// The header Idempotency-Key: the IETF draft's quoted string and the bare form are the same key.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace tekil::payments {

inline constexpr std::size_t kMaxKeyLength = 255;

// Reads the key from all header lines of that name. 1 to 255 printable ASCII characters, compared byte for byte.
// KeyMissing: no line. KeyInvalid: two lines, a list, parameters, an unterminated or wrongly escaped string, any other
// character. A key with a comma, a semicolon or a quotation mark can only be sent in the quoted form.
Result<std::string> readIdempotencyKey(const std::vector<std::string_view>& lines);

} // namespace tekil::payments
