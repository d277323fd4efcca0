// Result<T>: a value, or an error that a caller must look at. No exception crosses a folder.
#pragma once

#include "core/base/check.h"
#include "core/base/error_code.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tekil {

// What went wrong. The detail is a fact for logs and problem+json, in English, without secrets.
struct Error {
    ErrorCode code;
    std::string detail;
    std::string sqlState = {}; // five characters where PostgreSQL said so, else empty
};

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return m_state.index() == 0; }
    bool ok() const { return m_state.index() == 0; }

    T& value() &
    {
        TEKIL_CHECK(ok());
        return std::get<0>(m_state);
    }
    const T& value() const&
    {
        TEKIL_CHECK(ok());
        return std::get<0>(m_state);
    }
    T&& value() &&
    {
        TEKIL_CHECK(ok());
        return std::get<0>(std::move(m_state));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const
    {
        TEKIL_CHECK(!ok());
        return std::get<1>(m_state);
    }

private:
    std::variant<T, Error> m_state;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}

    explicit operator bool() const { return !m_error.has_value(); }
    bool ok() const { return !m_error.has_value(); }
    const Error& error() const
    {
        TEKIL_CHECK(m_error.has_value());
        return *m_error;
    }

private:
    std::optional<Error> m_error;
};

} // namespace tekil
