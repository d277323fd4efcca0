// ISO 4217 currencies with their exponents (the number of decimals of a minor unit).
#pragma once

#include "core/base/result.h"

#include <array>
#include <span>
#include <string_view>

namespace tekil {

// A currency of the table; two are equal when their codes are. There is no default currency.
class Currency {
public:
    // By its three-letter code, exactly as ISO 4217 writes it: upper case, ASCII. CurrencyInvalid otherwise.
    static Result<Currency> fromCode(std::string_view code);

    std::string_view code() const { return {m_code.data(), m_code.size()}; }
    int exponent() const { return m_exponent; }

    friend bool operator==(const Currency& a, const Currency& b) { return a.m_code == b.m_code; }

    constexpr Currency(const char (&code)[4], int exponent) : m_code{code[0], code[1], code[2]}, m_exponent(exponent) {}

private:
    std::array<char, 3> m_code;
    int m_exponent;
};

// Every currency Tekil knows, ordered by code; sql/migrations seeds the same rows, and a test holds the two equal.
// Source: ISO 4217 list one, funds codes and metals (exponent "N.A.") left out.
std::span<const Currency> allCurrencies();

} // namespace tekil
