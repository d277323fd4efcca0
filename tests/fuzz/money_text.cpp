// Decimal text and minor units: whatever is read is written exactly, and read again as the same.
#include "core/base/money.h"
#include "tests/fuzz/property.h"

#include <cstdint>
#include <cstring>

using namespace tekil;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const int exponent : {0, 2, 3}) {
        const auto minor = minorFromDecimal(text, exponent);
        if (minor) {
            const std::string written = decimalFromMinor(*minor, exponent);
            const auto again = minorFromDecimal(written, exponent);
            fuzz::holds(again.ok() && *again == *minor, "text that was read comes back as the same money");
            fuzz::holds(decimalFromMinor(*again, exponent) == written, "an amount has one text");
            const std::string shifted = std::string(text) + "0";
            // Longer than 64 characters is refused, whatever they are.
            if (text.size() < 64 && text.find('.') != std::string_view::npos
                && text.find_first_of("eE") == std::string_view::npos)
                fuzz::holds(minorFromDecimal(shifted, exponent).ok() && *minorFromDecimal(shifted, exponent) == *minor,
                            "a zero behind the decimals changes nothing");
        }
        std::int64_t number = 0;
        std::memcpy(&number, data, size < sizeof number ? size : sizeof number);
        const auto back = minorFromDecimal(decimalFromMinor(number, exponent), exponent);
        fuzz::holds(back.ok() && *back == number, "every amount has a text that is read as itself");
    }
    return 0;
}
