#include "core/db/connection.h"

#include <libpq-fe.h>
#include <poll.h>
#include <spdlog/spdlog.h>

#include <charconv>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

namespace tekil::db {

namespace {

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;

constexpr int kAnswerGraceMs = 5'000; // beyond the server's own time limit, before a silent server counts as lost
constexpr std::size_t kLongestName = 63;

struct ClearResult {
    void operator()(PGresult* result) const { PQclear(result); }
};
using Answer = std::unique_ptr<PGresult, ClearResult>;

std::string firstLine(const char* text)
{
    std::string_view view = text == nullptr ? "" : text;
    view = view.substr(0, view.find('\n'));
    return std::string(view);
}

std::string field(const PGresult* result, int code)
{
    const char* value = PQresultErrorField(result, code);
    return value == nullptr ? std::string() : std::string(value);
}

bool isError(const PGresult* result)
{
    switch (PQresultStatus(result)) {
    case PGRES_BAD_RESPONSE:
    case PGRES_FATAL_ERROR: return true;
    default: return false;
    }
}

ErrorCode codeOf(std::string_view sqlState)
{
    const std::string_view group = sqlState.substr(0, 2);
    // The server cannot now (no disk, memory or connection, shutting down), or a plan is stale and a reconnect heals
    // it.
    if (group == "08" || group == "53" || group == "58" || sqlState.starts_with("57P0") || sqlState == "0A000"
        || sqlState == "26000")
        return ErrorCode::DatabaseUnavailable;
    // Somebody else was in the way, be it that waiting for it took longer than a statement may (57014).
    if (sqlState == "40001" || sqlState == "40P01" || sqlState == "55P03" || sqlState == "57014")
        return ErrorCode::SerializationFailed;
    if (group == "22" || group == "23" || sqlState == "P0001")
        return ErrorCode::ConstraintViolated;
    if (sqlState == "42501")
        return ErrorCode::PermissionDenied;
    return ErrorCode::StatementFailed;
}

Error errorOf(const PGresult* result)
{
    const std::string sqlState = field(result, PG_DIAG_SQLSTATE);
    std::string detail = field(result, PG_DIAG_MESSAGE_PRIMARY);
    if (detail.empty())
        detail = firstLine(PQresultErrorMessage(result));
    const std::string constraint = field(result, PG_DIAG_CONSTRAINT_NAME);
    if (!constraint.empty() && detail.find(constraint) == std::string::npos)
        detail += " (" + constraint + ")";
    return {codeOf(sqlState), std::move(detail), sqlState};
}

// The server itself took the transaction back: severity ERROR, in the protocol's own words. A FATAL one may have come
// after the commit.
bool isDefinite(const PGresult* result)
{
    return field(result, PG_DIAG_SEVERITY_NONLOCALIZED) == "ERROR";
}

std::string settingsText(PGconn* conn, const ConnectionSettings& settings)
{
    std::vector<std::pair<std::string, std::string>> all{
        {"TimeZone", "UTC"},
        {"search_path", "pg_catalog, pg_temp"},
        {"synchronous_commit", "on"},
        {"client_min_messages", "warning"},
        {"standard_conforming_strings", "on"},
        {"DateStyle", "ISO, YMD"},
        {"bytea_output", "hex"},
        {"default_transaction_isolation", "read committed"},
        {"statement_timeout", std::to_string(settings.statementTimeoutMs)},
        {"lock_timeout", std::to_string(settings.lockTimeoutMs)},
        {"idle_in_transaction_session_timeout", std::to_string(settings.idleInTransactionTimeoutMs)},
    };
    all.insert(all.end(), settings.extra.begin(), settings.extra.end());
    std::string out = "SELECT ";
    for (const auto& [name, value] : all) {
        const auto quoted = [conn](const std::string& text) {
            char* literal = PQescapeLiteral(conn, text.data(), text.size());
            const std::string copy = literal == nullptr ? "NULL" : literal;
            PQfreemem(literal);
            return copy;
        };
        out += out.size() > 7 ? ", " : "";
        out += "pg_catalog.set_config(" + quoted(name) + ", " + quoted(value) + ", false)";
    }
    return out;
}

} // namespace

void Rows::Clear::operator()(pg_result* result) const
{
    PQclear(result);
}

int Rows::count() const
{
    return PQntuples(m_result.get());
}

int Rows::columns() const
{
    return PQnfields(m_result.get());
}

std::int64_t Rows::affected() const
{
    const std::string_view digits = m_result ? PQcmdTuples(m_result.get()) : "";
    std::int64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

std::string_view Rows::commandTag() const
{
    return m_result ? PQcmdStatus(m_result.get()) : "";
}

bool Rows::isNull(int row, int column) const
{
    TEKIL_CHECK(row >= 0 && row < count() && column >= 0 && column < columns());
    return PQgetisnull(m_result.get(), row, column) == 1;
}

std::string_view Rows::text(int row, int column) const
{
    TEKIL_CHECK(!isNull(row, column));
    return {PQgetvalue(m_result.get(), row, column),
            static_cast<std::size_t>(PQgetlength(m_result.get(), row, column))};
}

std::int64_t Rows::int64(int row, int column) const
{
    const std::string_view digits = text(row, column);
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    TEKIL_CHECK(problem == std::errc() && end == digits.data() + digits.size());
    return value;
}

bool Rows::boolean(int row, int column) const
{
    const std::string_view word = text(row, column);
    TEKIL_CHECK(word == "t" || word == "f");
    return word == "t";
}

Uuid Rows::uuid(int row, int column) const
{
    const Result<Uuid> id = Uuid::fromText(text(row, column));
    TEKIL_CHECK(id.ok());
    return *id;
}

std::string Rows::bytes(int row, int column) const
{
    const std::string_view digits = text(row, column);
    TEKIL_CHECK(digits.starts_with("\\x") && digits.size() % 2 == 0);
    std::string out;
    out.reserve(digits.size() / 2 - 1);
    for (std::size_t i = 2; i < digits.size(); i += 2) {
        unsigned value = 0;
        const auto [end, problem] = std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
        TEKIL_CHECK(problem == std::errc() && end == digits.data() + i + 2);
        out += static_cast<char>(value);
    }
    return out;
}

std::optional<std::string_view> Rows::optionalText(int row, int column) const
{
    return isNull(row, column) ? std::nullopt : std::optional(text(row, column));
}

std::optional<std::int64_t> Rows::optionalInt64(int row, int column) const
{
    return isNull(row, column) ? std::nullopt : std::optional(int64(row, column));
}

std::optional<Uuid> Rows::optionalUuid(int row, int column) const
{
    return isNull(row, column) ? std::nullopt : std::optional(uuid(row, column));
}

struct Connection::Wire {
    std::string conninfo;
    ConnectionSettings settings;
    PGconn* conn = nullptr;
    std::mutex cancelMutex;
    PGcancel* cancelKey = nullptr; // guarded by cancelMutex
    std::uint64_t session = 0; // counts the connects
    std::map<std::string, std::string, std::less<>> prepared; // name to text
    bool planIsStale = false;
    bool notOnStandby = false; // a commit was cut short before the synchronous standby had it

    ~Wire() { disconnect(); }

    void disconnect();
    Result<void> connect();
    bool isConnected() const { return conn != nullptr && PQstatus(conn) == CONNECTION_OK; }
    bool inTransaction() const;
    Deadline deadline() const;
    bool waitForSocket(short events, const Deadline& until);
    bool flush(const Deadline& until);
    Answer await(const Deadline& until);
    Error lost(const PGresult* answer, bool mayHaveCommitted);
    Result<Rows> conclude(bool sent, const Deadline& until, bool mayHaveCommitted);
    Result<void> prepare(const sql::Statement& statement);
    Result<void> ready();
    Result<Rows> run(const sql::Statement& statement, const Params& params, Mode mode);
    Result<Rows> exec(std::string_view sql, Mode mode, const Deadline& until);
    static void onNotice(void* self, const PGresult* notice);
};

void Connection::Wire::disconnect()
{
    const std::lock_guard lock(cancelMutex);
    PQfreeCancel(cancelKey);
    cancelKey = nullptr;
    PQfinish(conn);
    conn = nullptr;
    prepared.clear();
    planIsStale = false;
}

void Connection::Wire::onNotice(void* self, const PGresult* notice)
{
    if (field(notice, PG_DIAG_SOURCE_FUNCTION) == "SyncRepWaitForLSN")
        static_cast<Wire*>(self)->notOnStandby = true;
    spdlog::debug("postgresql: {}", field(notice, PG_DIAG_MESSAGE_PRIMARY));
}

Result<void> Connection::Wire::connect()
{
    disconnect();
    ++session;
    const std::string timeout = std::to_string(settings.connectTimeoutSeconds);
    // What stands before dbname, the conninfo may change; what stands after it, it may not.
    const char* const names[] = {"connect_timeout",           "keepalives",
                                 "keepalives_idle",           "keepalives_interval",
                                 "keepalives_count",          "tcp_user_timeout",
                                 "fallback_application_name", "dbname",
                                 "client_encoding",           nullptr};
    const char* const values[] = {timeout.c_str(),  "1",    "10",   "5", "3", "20000", settings.applicationName.c_str(),
                                  conninfo.c_str(), "UTF8", nullptr};
    conn = PQconnectdbParams(names, values, 1);
    if (!isConnected()) {
        Error error{ErrorCode::DatabaseUnavailable,
                    conn == nullptr ? "out of memory" : firstLine(PQerrorMessage(conn))};
        disconnect();
        return error;
    }
    PQsetNoticeReceiver(conn, onNotice, this);
    PQsetnonblocking(conn, 1);
    {
        const std::lock_guard lock(cancelMutex);
        cancelKey = PQgetCancel(conn);
    }
    const auto until = Clock::now() + std::chrono::seconds(settings.connectTimeoutSeconds);
    if (Result<Rows> set = exec(settingsText(conn, settings), Mode::Reads, until); !set) {
        disconnect();
        return set.error();
    }
    return {};
}

bool Connection::Wire::inTransaction() const
{
    return isConnected() && PQtransactionStatus(conn) != PQTRANS_IDLE;
}

Deadline Connection::Wire::deadline() const
{
    if (settings.statementTimeoutMs == 0)
        return std::nullopt;
    return Clock::now() + std::chrono::milliseconds(settings.statementTimeoutMs + kAnswerGraceMs);
}

bool Connection::Wire::waitForSocket(short events, const Deadline& until)
{
    for (;;) {
        int timeoutMs = -1;
        if (until) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - Clock::now()).count();
            if (left <= 0)
                return false;
            timeoutMs = static_cast<int>(std::min<std::int64_t>(left, 3'600'000));
        }
        pollfd waiting{PQsocket(conn), events, 0};
        if (waiting.fd < 0)
            return false;
        const int ready = poll(&waiting, 1, timeoutMs);
        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
}

// Sends what libpq holds back; it reads meanwhile, since a server that cannot write does not read either.
bool Connection::Wire::flush(const Deadline& until)
{
    for (;;) {
        const int left = PQflush(conn);
        if (left <= 0)
            return left == 0;
        if (!waitForSocket(POLLIN | POLLOUT, until) || PQconsumeInput(conn) == 0)
            return false;
    }
}

// The answer to what was sent: the first error, else the last result. All are read, for a COMMIT's error comes after
// the statement's own success. Null: the connection is lost, or silent for too long.
Answer Connection::Wire::await(const Deadline& until)
{
    if (!flush(until) && isConnected())
        return nullptr;
    Answer kept;
    for (;;) {
        while (PQisBusy(conn) == 1)
            if (!waitForSocket(POLLIN, until) || PQconsumeInput(conn) == 0)
                return kept && isError(kept.get()) ? std::move(kept) : nullptr;
        Answer next(PQgetResult(conn));
        if (!next)
            return kept;
        const ExecStatusType status = PQresultStatus(next.get());
        TEKIL_CHECK(status != PGRES_COPY_IN && status != PGRES_COPY_OUT && status != PGRES_COPY_BOTH);
        if (!kept || !isError(kept.get()))
            kept = std::move(next);
    }
}

Error Connection::Wire::lost(const PGresult* answer, bool mayHaveCommitted)
{
    std::string detail = answer != nullptr ? field(answer, PG_DIAG_MESSAGE_PRIMARY) : std::string();
    if (detail.empty() && conn != nullptr)
        detail = firstLine(PQerrorMessage(conn));
    if (detail.empty())
        detail = "no answer from the database within the time limit";
    const std::string sqlState = answer != nullptr ? field(answer, PG_DIAG_SQLSTATE) : std::string();
    disconnect(); // whatever still comes over it belongs to nobody
    return {mayHaveCommitted ? ErrorCode::CommitInDoubt : ErrorCode::DatabaseUnavailable, std::move(detail), sqlState};
}

Result<Rows> Connection::Wire::conclude(bool sent, const Deadline& until, bool mayHaveCommitted)
{
    if (!sent)
        return isConnected() ? Error{ErrorCode::StatementFailed, firstLine(PQerrorMessage(conn))}
                             : lost(nullptr, false);
    notOnStandby = false;
    Answer answer = await(until);
    if (answer && isError(answer.get()) && isDefinite(answer.get())) {
        Error error = errorOf(answer.get());
        planIsStale = planIsStale || error.sqlState == "0A000" || error.sqlState == "26000";
        return error;
    }
    if (!answer || isError(answer.get()) || !isConnected())
        return lost(answer.get(), mayHaveCommitted);
    if (notOnStandby && mayHaveCommitted)
        return Error{ErrorCode::CommitInDoubt, "committed here, but not yet on the synchronous standby"};
    return Rows(answer.release());
}

// Whether a statement may be sent. A connection that the server closed while it was idle is found out here, so that it
// does not count as an answer lost.
Result<void> Connection::Wire::ready()
{
    if (!isConnected())
        return Error{ErrorCode::DatabaseUnavailable, "not connected to the database"};
    pollfd socket{PQsocket(conn), POLLIN, 0};
    while (poll(&socket, 1, 0) > 0)
        if (PQconsumeInput(conn) == 0)
            return lost(nullptr, false);
    return {};
}

Result<void> Connection::Wire::prepare(const sql::Statement& statement)
{
    if (const auto known = prepared.find(statement.name); known != prepared.end()) {
        TEKIL_CHECK(known->second == statement.text); // one name, one text
        return {};
    }
    TEKIL_CHECK(!statement.name.empty() && statement.name.size() <= kLongestName);
    const std::string name(statement.name);
    std::string text(statement.text);
    const Deadline until = deadline();
    const bool sent = PQsendPrepare(conn, name.c_str(), text.c_str(), 0, nullptr) == 1;
    if (Result<Rows> done = conclude(sent, until, false); !done)
        return Error{done.error().code, name + ": " + done.error().detail, done.error().sqlState};
    prepared.emplace(name, std::move(text));
    return {};
}

Result<Rows> Connection::Wire::run(const sql::Statement& statement, const Params& params, Mode mode)
{
    if (Result<void> can = ready(); !can)
        return can.error();
    if (params.firstInvalid() != 0)
        return Error{ErrorCode::RequestInvalid, std::string(statement.name) + ": parameter "
                                                    + std::to_string(params.firstInvalid())
                                                    + " contains a NUL character, which a text cannot hold"};
    const bool mayCommit = mode == Mode::Writes && !inTransaction();
    if (Result<void> known = prepare(statement); !known)
        return known.error();
    const std::string name(statement.name);
    const std::vector<const char*> values = params.pointers();
    const Deadline until = deadline();
    const bool sent = PQsendQueryPrepared(conn, name.c_str(), static_cast<int>(values.size()), values.data(), nullptr,
                                          nullptr, 0)
                      == 1;
    Result<Rows> rows = conclude(sent, until, mayCommit);
    if (!rows)
        return Error{rows.error().code, name + ": " + rows.error().detail, rows.error().sqlState};
    return rows;
}

Result<Rows> Connection::Wire::exec(std::string_view sql, Mode mode, const Deadline& until)
{
    if (Result<void> can = ready(); !can)
        return can.error();
    const std::string text(sql);
    TEKIL_CHECK(text.find('\0') == std::string::npos);
    const bool mayCommit = mode == Mode::Writes && !inTransaction();
    return conclude(PQsendQuery(conn, text.c_str()) == 1, until, mayCommit);
}

Result<Connection> Connection::open(std::string_view conninfo, ConnectionSettings settings)
{
    auto wire = std::make_unique<Wire>();
    wire->conninfo = conninfo;
    wire->settings = std::move(settings);
    if (Result<void> connected = wire->connect(); !connected)
        return connected.error();
    return Connection(std::move(wire));
}

Connection::Connection(std::unique_ptr<Wire> wire) : m_wire(std::move(wire)) {}
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;
Connection::~Connection() = default;

Result<Rows> Connection::run(const sql::Statement& statement, const Params& params, Mode mode)
{
    return m_wire->run(statement, params, mode);
}

Result<Rows> Connection::exec(std::string_view sql, Mode mode)
{
    return m_wire->exec(sql, mode, std::nullopt);
}

bool Connection::healthy() const
{
    return m_wire->isConnected() && !m_wire->inTransaction() && !m_wire->planIsStale;
}

Result<void> Connection::reconnect()
{
    return m_wire->connect();
}

void Connection::cancel()
{
    const std::lock_guard lock(m_wire->cancelMutex);
    char ignored[256];
    if (m_wire->cancelKey != nullptr)
        PQcancel(m_wire->cancelKey, ignored, sizeof ignored);
}

int Connection::socket() const
{
    return m_wire->isConnected() ? PQsocket(m_wire->conn) : -1;
}

int Connection::serverVersion() const
{
    return m_wire->isConnected() ? PQserverVersion(m_wire->conn) : 0;
}

Result<std::vector<Notification>> Connection::takeNotifications()
{
    if (!m_wire->isConnected())
        return Error{ErrorCode::DatabaseUnavailable, "not connected to the database"};
    if (PQconsumeInput(m_wire->conn) == 0)
        return m_wire->lost(nullptr, false);
    std::vector<Notification> out;
    while (PGnotify* notify = PQnotifies(m_wire->conn)) {
        out.push_back({notify->relname, notify->extra});
        PQfreemem(notify);
    }
    return out;
}

Result<Transaction> Transaction::begin(Connection& connection)
{
    Connection::Wire* wire = connection.m_wire.get();
    TEKIL_CHECK(!wire->inTransaction()); // one at a time
    if (Result<Rows> begun = wire->exec("BEGIN ISOLATION LEVEL READ COMMITTED", Mode::Reads, wire->deadline()); !begun)
        return begun.error();
    return Transaction(wire, wire->session);
}

Transaction::Transaction(Transaction&& other) noexcept
    : m_wire(std::exchange(other.m_wire, nullptr)), m_session(other.m_session)
{
}

Transaction::~Transaction()
{
    rollback();
}

bool Transaction::isLost() const
{
    return m_wire->session != m_session || !m_wire->isConnected();
}

Result<Rows> Transaction::run(const sql::Statement& statement, const Params& params)
{
    TEKIL_CHECK(m_wire != nullptr);
    if (isLost())
        return Error{ErrorCode::DatabaseUnavailable, "the transaction's connection is lost"};
    return m_wire->run(statement, params, Mode::Writes);
}

Result<Rows> Transaction::exec(std::string_view sql)
{
    TEKIL_CHECK(m_wire != nullptr);
    if (isLost())
        return Error{ErrorCode::DatabaseUnavailable, "the transaction's connection is lost"};
    return m_wire->exec(sql, Mode::Writes, std::nullopt);
}

Result<void> Transaction::commit()
{
    TEKIL_CHECK(m_wire != nullptr);
    Connection::Wire* wire = std::exchange(m_wire, nullptr);
    if (wire->session != m_session || !wire->ready())
        return Error{ErrorCode::DatabaseUnavailable, "the transaction's connection was lost before its COMMIT"};
    const Deadline until = wire->deadline();
    Result<Rows> answer = wire->conclude(PQsendQuery(wire->conn, "COMMIT") == 1, until, true);
    if (!answer)
        return answer.error();
    if (answer->commandTag() != "COMMIT")
        return Error{ErrorCode::StatementFailed, "the transaction had failed and was rolled back", "25P02"};
    return {};
}

void Transaction::rollback()
{
    Connection::Wire* wire = std::exchange(m_wire, nullptr);
    if (wire == nullptr || wire->session != m_session || !wire->inTransaction())
        return;
    if (Result<Rows> done = wire->exec("ROLLBACK", Mode::Reads, wire->deadline()); !done)
        wire->disconnect(); // the server rolls back what it loses sight of
}

ShownConninfo withoutPassword(std::string_view conninfo)
{
    ShownConninfo shown;
    PQconninfoOption* options = PQconninfoParse(std::string(conninfo).c_str(), nullptr);
    for (const PQconninfoOption* option = options; option != nullptr && option->keyword != nullptr; ++option) {
        if (option->val == nullptr)
            continue;
        if (std::string_view(option->keyword) == "password" || std::string_view(option->keyword) == "sslpassword") {
            shown.hadPassword = true;
            continue;
        }
        std::string value;
        for (const char* at = option->val; *at != '\0'; ++at) {
            if (*at == '\'' || *at == '\\')
                value += '\\';
            value += *at;
        }
        const bool plain = !value.empty() && value.find_first_of(" \t\\'=") == std::string::npos;
        shown.text += (shown.text.empty() ? "" : " ") + std::string(option->keyword) + "="
                      + (plain ? value : "'" + value + "'");
    }
    PQconninfoFree(options);
    return shown;
}

} // namespace tekil::db
