// One QPSQL connection, made, used and ended on one thread; and its wire, by which other threads may stop it.
#pragma once

#include "core/base/result.h"
#include "ui/db/profile.h"

#include <QSqlDatabase>
#include <QString>
#include <QVariant>
#include <QVector>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

class QSqlError;
class QSqlQuery;
class QThread;
struct pg_cancel;

namespace tekil::ui {

// A statement with its values, ready to run. Made from sql/console by ListQuery or statement().
struct Query {
    QString name; // "payments.list", for logs and error reports
    QString text;
    QVector<std::pair<QString, QVariant>> values; // ":name" and value
    bool streamed = false; // row by row instead of all in libpq's memory first: for what is large
};

// One row of an answer. A column that is asked for what it is not is a bug.
class Row {
public:
    explicit Row(QVariantList cells) : m_cells(std::move(cells)) {}
    bool isNull(int column) const { return m_cells.at(column).isNull(); }
    std::int64_t int64(int column) const;
    std::int64_t int64Or(int column, std::int64_t absent) const { return isNull(column) ? absent : int64(column); }
    bool boolean(int column) const;
    QString text(int column) const; // empty where NULL
    int size() const { return static_cast<int>(m_cells.size()); }

private:
    QVariantList m_cells;
};
using Rows = QVector<Row>;

// What may be done to a connection from any thread, without waiting.
class Wire {
public:
    void cancel();   // asks the server to end the running statement (57014)
    void breakOff(); // ends the socket: whoever waits on it gets an error at once

private:
    friend class Connection;
    void attach(void* pgConnection);
    void detach();

    std::mutex m_mutex;
    int m_socket = -1;
    std::shared_ptr<pg_cancel> m_cancel;
};

// Why an open failed: whether the server is there, and what it said.
struct OpenError {
    enum class Kind : std::uint8_t { Unreachable, BadPassword, Refused, Options };
    Kind kind;
    QString detail;
};

class Connection {
public:
    Connection(Profile profile, QString password, QString purpose, std::shared_ptr<Wire> wire);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Waits at most kConnectTimeoutSeconds for each address.
    std::optional<OpenError> open();
    void close();
    bool isOpen() const;

    // DatabaseUnavailable (the connection is gone), PermissionDenied, SchemaMismatch (something is not there),
    // StatementFailed (57014: stopped), each with its SQLSTATE; all rows or an error, never some of them.
    // InvalidArgument, and a loud line, for bugs: another thread than the one that made it, or a column whose type
    // loses digits on its way (timestamps keep milliseconds, numeric becomes a double).
    Result<Rows> run(const Query& query);
    // All in one read-only transaction of one snapshot.
    Result<QVector<Rows>> runTogether(const QVector<Query>& queries);

    QSqlDriver* driver() const { return m_database.driver(); }

private:
    Result<void> command(const QString& text);
    Result<Rows> readAll(QSqlQuery& statement, const Query& query);
    Result<void> isOnItsThread() const;
    Error errorOf(const QSqlError& error) const;

    Profile m_profile;
    QString m_password;
    QString m_purpose;
    std::shared_ptr<Wire> m_wire;
    QString m_name;
    QThread* m_thread;
    QSqlDatabase m_database;
};

} // namespace tekil::ui
