// Where a session connects and as whom, and how that is told to the PostgreSQL driver.
#pragma once

#include "core/base/result.h"

#include <QString>

namespace tekil::ui {

struct Profile {
    QString conninfo; // libpq's key words, a URI or service=…
    QString login;    // empty: what the conninfo or libpq's defaults say
};

// The parts as QSqlDatabase wants them. The options are quoted for libpq; the driver quotes the others itself.
struct DriverOptions {
    QString host;
    QString database;
    QString user;
    QString password;
    QString options;
};

inline constexpr int kConnectTimeoutSeconds = 5;
inline constexpr int kStatementTimeoutMs = 5'000;

// InvalidArgument, in libpq's words, where the conninfo cannot be read. The password replaces one in the conninfo.
Result<DriverOptions> driverOptions(const Profile& profile, const QString& password, const QString& purpose);

// The database's name for people, "pay-core@db1": what is connected to, without the login and without secrets.
QString placeOf(const Profile& profile);

// The login that a conninfo names, or empty.
QString loginIn(const QString& conninfo);

} // namespace tekil::ui
