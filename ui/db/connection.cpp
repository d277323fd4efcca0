// Runs statements over QPSQL, and tells a lost connection from a refused statement.
#include "ui/db/connection.h"

#include <QSqlDriver>
#include <QSqlError>
#include <QSqlField>
#include <QSqlQuery>
#include <QSqlRecord>
#include <QThread>
#include <QThreadPool>

#include <libpq-fe.h>
#include <sys/socket.h>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

PGconn* pgConnection(const QSqlDatabase& database)
{
    const QVariant handle = database.driver()->handle();
    // The name is that of the typedef or of the struct, as the driver was built.
    const QByteArrayView type(handle.typeName());
    if (type != "PGconn*" && type != "pg_conn*")
        return nullptr;
    return *static_cast<PGconn* const*>(handle.constData());
}

QString uniqueName()
{
    static std::atomic<unsigned> next{0};
    return u"tekil-%1"_s.arg(next.fetch_add(1));
}

// The words differ with the server's language; whether it is there at all does not.
OpenError::Kind kindOfRefusal(const QString& words, const DriverOptions& options)
{
    const auto quoted = [](QString value) {
        return u'\'' + value.replace(u'\\', u"\\\\"_s).replace(u'\'', u"\\'"_s) + u'\'';
    };
    QString conninfo = options.options;
    if (!options.host.isEmpty())
        conninfo += u" host="_s + quoted(options.host);
    if (!options.database.isEmpty())
        conninfo += u" dbname="_s + quoted(options.database);
    if (PQping(conninfo.toUtf8().constData()) != PQPING_OK)
        return OpenError::Kind::Unreachable;
    for (const QString& sign : {u"password authentication failed"_s, u"no password supplied"_s, u"parola"_s})
        if (words.contains(sign, Qt::CaseInsensitive))
            return OpenError::Kind::BadPassword;
    return OpenError::Kind::Refused;
}

} // namespace

std::int64_t Row::int64(int column) const
{
    bool isWhole = false;
    const std::int64_t value = m_cells.at(column).toLongLong(&isWhole);
    TEKIL_CHECK(isWhole && !isNull(column));
    return value;
}

bool Row::boolean(int column) const
{
    TEKIL_CHECK(m_cells.at(column).metaType().id() == QMetaType::Bool && !isNull(column));
    return m_cells.at(column).toBool();
}

QString Row::text(int column) const
{
    TEKIL_CHECK(isNull(column) || m_cells.at(column).metaType().id() == QMetaType::QString);
    return m_cells.at(column).toString();
}

void Wire::attach(void* connection)
{
    auto* pg = static_cast<PGconn*>(connection);
    const std::lock_guard lock(m_mutex);
    m_socket = PQsocket(pg);
    m_cancel = std::shared_ptr<pg_cancel>(PQgetCancel(pg), [](pg_cancel* one) { PQfreeCancel(one); });
}

void Wire::detach()
{
    const std::lock_guard lock(m_mutex);
    m_socket = -1;
    m_cancel.reset();
}

void Wire::cancel()
{
    std::shared_ptr<pg_cancel> cancel;
    {
        const std::lock_guard lock(m_mutex);
        cancel = m_cancel;
    }
    if (!cancel)
        return;
    // It opens a connection of its own, which can take long: not here.
    QThreadPool::globalInstance()->start([cancel] {
        char why[256];
        PQcancel(cancel.get(), why, sizeof why);
    });
}

void Wire::breakOff()
{
    const std::lock_guard lock(m_mutex);
    if (m_socket >= 0)
        ::shutdown(m_socket, SHUT_RDWR);
}

Connection::Connection(Profile profile, QString password, QString purpose, std::shared_ptr<Wire> wire)
    : m_profile(std::move(profile)), m_password(std::move(password)), m_purpose(std::move(purpose)),
      m_wire(std::move(wire)), m_name(uniqueName()), m_thread(QThread::currentThread())
{
    m_database = QSqlDatabase::addDatabase(u"QPSQL"_s, m_name);
    m_database.setNumericalPrecisionPolicy(QSql::HighPrecision);
}

Connection::~Connection()
{
    close();
    m_database = QSqlDatabase();
    QSqlDatabase::removeDatabase(m_name);
}

std::optional<OpenError> Connection::open()
{
    close();
    if (!m_database.isValid())
        return OpenError{OpenError::Kind::Options, u"the PostgreSQL driver of Qt (libqt6sql6-psql) is not installed"_s};
    const Result<DriverOptions> options = driverOptions(m_profile, m_password, m_purpose);
    if (!options)
        return OpenError{OpenError::Kind::Options, QString::fromStdString(options.error().detail)};
    m_database.setHostName(options->host);
    m_database.setDatabaseName(options->database);
    m_database.setUserName(options->user);
    m_database.setPassword(options->password);
    m_database.setConnectOptions(options->options);
    if (m_database.open()) {
        m_wire->attach(pgConnection(m_database));
        return std::nullopt;
    }
    const QString words = m_database.lastError().databaseText().simplified();
    return OpenError{kindOfRefusal(words, *options), words};
}

void Connection::close()
{
    m_wire->detach();
    if (m_database.isValid())
        m_database.close();
}

bool Connection::isOpen() const
{
    if (!m_database.isOpen())
        return false;
    const PGconn* pg = pgConnection(m_database);
    return pg && PQstatus(pg) == CONNECTION_OK;
}

Error Connection::errorOf(const QSqlError& error) const
{
    const QString state = error.nativeErrorCode();
    const std::string detail = error.databaseText().simplified().toStdString();
    if (!isOpen() || state.startsWith(u"08"_s) || state == u"57P01"_s || state == u"57P02"_s || state == u"57P03"_s)
        return Error{ErrorCode::DatabaseUnavailable, detail, state.toStdString()};
    if (state == u"42501"_s)
        return Error{ErrorCode::PermissionDenied, detail, state.toStdString()};
    if (state == u"42883"_s || state == u"42P01"_s || state == u"42703"_s || state == u"3F000"_s)
        return Error{ErrorCode::SchemaMismatch, detail, state.toStdString()};
    return Error{ErrorCode::StatementFailed, detail, state.toStdString()};
}

Result<void> Connection::command(const QString& text)
{
    QSqlQuery query(m_database);
    if (!query.exec(text))
        return errorOf(query.lastError());
    return {};
}

// libpq is one thread's at a time: a second one would tear both answers.
Result<void> Connection::isOnItsThread() const
{
    if (QThread::currentThread() == m_thread)
        return {};
    qCritical("a connection was used from another thread than the one that made it");
    return Error{ErrorCode::InvalidArgument, "a connection was used from another thread than the one that made it"};
}

Result<Rows> Connection::run(const Query& query)
{
    if (const Result<void> here = isOnItsThread(); !here)
        return here.error();
    QSqlQuery statement(m_database);
    statement.setForwardOnly(query.streamed);
    if (!statement.prepare(query.text))
        return errorOf(statement.lastError());
    for (const auto& [name, value] : query.values)
        statement.bindValue(name, value);
    if (!statement.exec())
        return errorOf(statement.lastError());
    return readAll(statement, query);
}

Result<Rows> Connection::readAll(QSqlQuery& statement, const Query& query)
{
    const QSqlRecord columns = statement.record();
    for (int i = 0; i < columns.count(); ++i) {
        const int type = columns.field(i).metaType().id();
        if (type == QMetaType::QDateTime || type == QMetaType::QDate || type == QMetaType::QTime
            || type == QMetaType::Double) {
            const QByteArray what
                = (query.name + u": column "_s + columns.fieldName(i) + u" would lose digits"_s).toUtf8();
            qCritical("%s", what.constData());
            return Error{ErrorCode::InvalidArgument, what.toStdString()};
        }
    }
    Rows rows;
    rows.reserve(std::max(0, statement.size()));
    while (statement.next()) {
        QVariantList cells;
        cells.reserve(columns.count());
        for (int i = 0; i < columns.count(); ++i)
            cells << statement.value(i);
        rows.append(Row(std::move(cells)));
    }
    // The driver ends a broken answer like a whole one: what is shorter than it should be is no answer.
    if (statement.lastError().isValid())
        return errorOf(statement.lastError());
    if (!isOpen())
        return Error{ErrorCode::DatabaseUnavailable, "the connection was lost while the answer came"};
    if (statement.size() >= 0 && statement.size() != rows.size())
        return Error{ErrorCode::StatementFailed, "the answer broke off"};
    return rows;
}

Result<QVector<Rows>> Connection::runTogether(const QVector<Query>& queries)
{
    QVector<Rows> all;
    if (queries.size() == 1) {
        Result<Rows> one = run(queries.front());
        if (!one)
            return one.error();
        all.append(std::move(one).value());
        return all;
    }
    if (const Result<void> begun = command(u"begin isolation level repeatable read read only"_s); !begun)
        return begun.error();
    for (const Query& query : queries) {
        Result<Rows> one = run(query);
        if (!one) {
            if (isOpen() && !command(u"rollback"_s))
                close();
            return one.error();
        }
        all.append(std::move(one).value());
    }
    if (const Result<void> ended = command(u"commit"_s); !ended)
        return ended.error();
    return all;
}

} // namespace tekil::ui
