#include "core/base/money.h"

#include <limits>

namespace tekil {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

// A number's parts as its text has them: digits without the point, and how many of them stand after it.
struct Decimal {
    bool negative = false;
    std::string digits;
    std::int64_t scale = 0;
};

Error invalid(const char* why)
{
    return Error{ErrorCode::AmountInvalid, why};
}

// The JSON number grammar, to the letter: no leading plus, no leading zeros, digits on both sides of the point.
Result<Decimal> readDecimal(std::string_view text)
{
    constexpr std::size_t kMaxLength = 64; // far beyond what int64 and any exponent need
    if (text.empty() || text.size() > kMaxLength)
        return invalid("not a decimal number of 1 to 64 characters");
    Decimal out;
    std::size_t at = 0;
    if (text[at] == '-') {
        out.negative = true;
        ++at;
    }
    const std::size_t whole = at;
    while (at < text.size() && isDigit(text[at]))
        out.digits += text[at++];
    if (at == whole || (text[whole] == '0' && at - whole > 1))
        return invalid("not a decimal number");
    if (at < text.size() && text[at] == '.') {
        const std::size_t point = ++at;
        while (at < text.size() && isDigit(text[at]))
            out.digits += text[at++];
        if (at == point)
            return invalid("not a decimal number: no digit after the point");
        out.scale = static_cast<std::int64_t>(at - point);
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        bool minus = false;
        if (at < text.size() && (text[at] == '+' || text[at] == '-'))
            minus = text[at++] == '-';
        const std::size_t first = at;
        std::int64_t power = 0;
        while (at < text.size() && isDigit(text[at])) {
            if (power < 1'000'000)
                power = power * 10 + (text[at] - '0');
            ++at;
        }
        if (at == first)
            return invalid("not a decimal number: no digit in the exponent");
        out.scale += minus ? power : -power;
    }
    if (at != text.size())
        return invalid("not a decimal number");
    return out;
}

} // namespace

Result<std::int64_t> minorFromDecimal(std::string_view text, int exponent)
{
    auto decimal = readDecimal(text);
    if (!decimal)
        return decimal.error();
    std::string digits = decimal->digits;
    while (!digits.empty() && digits.back() == '0') { // 1.500 is 1.5
        digits.pop_back();
        --decimal->scale;
    }
    digits.erase(0, digits.find_first_not_of('0'));
    if (digits.empty())
        return std::int64_t{0};
    if (decimal->scale > exponent)
        return invalid("more decimals than the currency has");
    const std::int64_t zeros = exponent - decimal->scale;
    constexpr std::int64_t kMaxDigits = 19;
    if (static_cast<std::int64_t>(digits.size()) + zeros > kMaxDigits)
        return Error{ErrorCode::AmountOverflow, "beyond what an amount can hold"};
    digits.append(static_cast<std::size_t>(zeros), '0');
    std::int64_t minor = 0;
    for (const char digit : digits) {
        if (__builtin_mul_overflow(minor, 10, &minor) || __builtin_sub_overflow(minor, digit - '0', &minor))
            return Error{ErrorCode::AmountOverflow, "beyond what an amount can hold"};
    }
    if (!decimal->negative && __builtin_sub_overflow(std::int64_t{0}, minor, &minor))
        return Error{ErrorCode::AmountOverflow, "beyond what an amount can hold"};
    return minor;
}

std::string decimalFromMinor(std::int64_t minor, int exponent)
{
    std::string digits = std::to_string(minor);
    const bool negative = digits.front() == '-';
    if (negative)
        digits.erase(0, 1);
    const auto decimals = static_cast<std::size_t>(exponent);
    if (digits.size() <= decimals)
        digits.insert(0, decimals + 1 - digits.size(), '0');
    if (decimals > 0)
        digits.insert(digits.size() - decimals, 1, '.');
    return negative ? "-" + digits : digits;
}

Result<Money> Money::fromDecimal(std::string_view text, Currency currency)
{
    const auto minor = minorFromDecimal(text, currency.exponent());
    if (!minor)
        return minor.error();
    return Money(*minor, currency);
}

Result<Money> Money::plus(Money other) const
{
    if (!(m_currency == other.m_currency))
        return Error{ErrorCode::CurrencyMixed, "a sum of two currencies"};
    std::int64_t sum = 0;
    if (__builtin_add_overflow(m_minor, other.m_minor, &sum))
        return Error{ErrorCode::AmountOverflow, "beyond what an amount can hold"};
    return Money(sum, m_currency);
}

Result<Money> Money::minus(Money other) const
{
    if (!(m_currency == other.m_currency))
        return Error{ErrorCode::CurrencyMixed, "a difference of two currencies"};
    std::int64_t difference = 0;
    if (__builtin_sub_overflow(m_minor, other.m_minor, &difference))
        return Error{ErrorCode::AmountOverflow, "beyond what an amount can hold"};
    return Money(difference, m_currency);
}

} // namespace tekil
