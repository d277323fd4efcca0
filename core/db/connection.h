// A connection to PostgreSQL, its transactions and its rows. It tells a failed COMMIT from one whose answer was lost.
// A connection, its transaction and nothing else of it belongs to one thread; only cancel() may come from another.
#pragma once

#include "core/base/result.h"
#include "core/base/statement.h"
#include "core/db/params.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct pg_result;

namespace tekil::db {

// Set on every connect, and again on every reconnect.
struct ConnectionSettings {
    std::string applicationName = "tekil";
    int connectTimeoutSeconds = 10;
    int statementTimeoutMs = 30'000; // 0: none. A server that is silent for 5 s longer counts as lost
    int lockTimeoutMs = 5'000;       // 0: none
    int idleInTransactionTimeoutMs = 60'000;
    std::vector<std::pair<std::string, std::string>> extra = {}; // further settings of the session
};

// Whether a statement outside a transaction changes anything. An answer lost to a writing one is CommitInDoubt, to a
// reading one DatabaseUnavailable.
enum class Mode : std::uint8_t { Reads, Writes };

// What a statement returned. A column that is asked for what it is not, or a NULL that is read, is a bug.
class Rows {
public:
    Rows() = default;
    explicit Rows(pg_result* result) : m_result(result) {}

    int count() const;
    int columns() const;
    std::int64_t affected() const; // rows inserted, updated, deleted or selected
    std::string_view commandTag() const; // "INSERT 0 5", "COMMIT"

    bool isNull(int row, int column) const;
    std::string_view text(int row, int column) const;
    std::int64_t int64(int row, int column) const;
    bool boolean(int row, int column) const;
    Uuid uuid(int row, int column) const;
    std::string bytes(int row, int column) const; // bytea

    // The same where NULL means something.
    std::optional<std::string_view> optionalText(int row, int column) const;
    std::optional<std::int64_t> optionalInt64(int row, int column) const;
    std::optional<Uuid> optionalUuid(int row, int column) const;

private:
    struct Clear {
        void operator()(pg_result* result) const;
    };
    std::unique_ptr<pg_result, Clear> m_result;
};

struct Notification {
    std::string channel;
    std::string payload;
};

class Connection {
public:
    // The conninfo is libpq's: key words, a URI, service=…. DatabaseUnavailable, with the server's words.
    static Result<Connection> open(std::string_view conninfo, ConnectionSettings settings = {});

    Connection(Connection&&) noexcept;
    Connection& operator=(Connection&&) noexcept;
    ~Connection();

    // Runs a statement, prepared once per connection under its name: as a transaction of its own, or within the open
    // Transaction. An error within one leaves only its rollback. Errors: RequestInvalid (a NUL character in a text),
    // ConstraintViolated, SerializationFailed, PermissionDenied, StatementFailed, DatabaseUnavailable, CommitInDoubt.
    Result<Rows> run(const sql::Statement& statement, const Params& params = {}, Mode mode = Mode::Writes);
    // Runs a text of one or more statements; the last one's rows. No time limit but the server's.
    Result<Rows> exec(std::string_view sql, Mode mode = Mode::Writes);

    // Whether the next statement has a chance: connected as far as is known, no transaction left open, no stale plan.
    bool healthy() const;
    // Connects anew, with the same settings. An open Transaction of the old connection is lost and knows it.
    Result<void> reconnect();
    // Asks the server to end the statement that runs now (SQLSTATE 57014). From any thread.
    void cancel();
    int socket() const; // -1 when there is none
    int serverVersion() const; // 150004 for 15.4

    // What LISTEN brought since the last call, without waiting.
    Result<std::vector<Notification>> takeNotifications();

private:
    friend class Transaction;
    struct Wire;
    explicit Connection(std::unique_ptr<Wire> wire);
    std::unique_ptr<Wire> m_wire;
};

// A transaction (READ COMMITTED unless told otherwise); rolled back unless commit() succeeded. The connection must
// outlive it and has one at a time.
class Transaction {
public:
    static Result<Transaction> begin(Connection& connection);

    Transaction(Transaction&& other) noexcept;
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();

    Result<Rows> run(const sql::Statement& statement, const Params& params = {});
    Result<Rows> exec(std::string_view sql);
    // Success means that it is durable. CommitInDoubt: the answer was lost, or the commit is not yet on the standby:
    // ask, never repeat. Every other error: nothing of it happened.
    Result<void> commit();
    void rollback();

private:
    Transaction(Connection::Wire* wire, std::uint64_t session) : m_wire(wire), m_session(session) {}
    bool isLost() const;

    Connection::Wire* m_wire; // null once it has ended
    std::uint64_t m_session; // of the connection, so that a reconnect is noticed
};

// The conninfo without its password, for what may be shown; and whether it had one. An unreadable one is empty.
struct ShownConninfo {
    std::string text;
    bool hadPassword = false;
};
ShownConninfo withoutPassword(std::string_view conninfo);

} // namespace tekil::db
