// Money: a whole number of minor units and its currency. Nothing here knows floating point or a locale.
#pragma once

#include "core/base/currency.h"
#include "core/base/result.h"

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace tekil {

// The largest amount a request may carry (design: 10^15 minor units).
inline constexpr std::int64_t kMaxAmountMinor = 1'000'000'000'000'000;

// Reads exact decimal text (the JSON number grammar: "-12.50", "1e3") as minor units of `exponent` decimals.
// AmountInvalid: not a decimal, or it has more decimals than the currency. AmountOverflow: beyond int64.
Result<std::int64_t> minorFromDecimal(std::string_view text, int exponent);

// The text for machines: "-12.50", always with the currency's decimals, a dot, no grouping.
std::string decimalFromMinor(std::int64_t minor, int exponent);

class Money {
public:
    template <std::integral Int>
    constexpr Money(Int minor, Currency currency) : m_minor(minor), m_currency(currency)
    {
    }
    template <std::floating_point Float>
    Money(Float, Currency) = delete;

    // As minorFromDecimal, with the currency's exponent.
    static Result<Money> fromDecimal(std::string_view text, Currency currency);

    std::int64_t minor() const { return m_minor; }
    Currency currency() const { return m_currency; }
    std::string decimal() const { return decimalFromMinor(m_minor, m_currency.exponent()); }

    // AmountOverflow or CurrencyMixed where the result would not be exact.
    Result<Money> plus(Money other) const;
    Result<Money> minus(Money other) const;

    friend bool operator==(const Money& a, const Money& b) = default;

private:
    std::int64_t m_minor;
    Currency m_currency;
};

} // namespace tekil
