// Reads conninfos with libpq's own parser, so that whatever psql takes the console takes too.
#include "ui/db/profile.h"

#include <QMap>

#include <libpq-fe.h>

#include <memory>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

using Words = QMap<QString, QString>;

struct FreeOptions {
    void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

Result<Words> wordsOf(const QString& conninfo)
{
    char* message = nullptr;
    const std::unique_ptr<PQconninfoOption, FreeOptions> options(
        PQconninfoParse(conninfo.toUtf8().constData(), &message));
    if (!options) {
        const QString why = QString::fromUtf8(message ? message : "out of memory").trimmed();
        PQfreemem(message);
        return Error{ErrorCode::InvalidArgument, why.toStdString()};
    }
    Words words;
    for (const PQconninfoOption* option = options.get(); option->keyword; ++option)
        if (option->val)
            words.insert(QString::fromUtf8(option->keyword), QString::fromUtf8(option->val));
    return words;
}

QString quoted(QString value)
{
    return u'\'' + value.replace(u'\\', u"\\\\"_s).replace(u'\'', u"\\'"_s) + u'\'';
}

void putUnlessGiven(Words& words, const QString& word, const QString& value)
{
    if (!words.contains(word))
        words.insert(word, value);
}

// What every session of the console sets: read only, short of patience, and told apart in pg_stat_activity.
void putSessionSettings(Words& words, const QString& purpose)
{
    const QString settings = u"-c default_transaction_read_only=on -c statement_timeout=%1 -c lock_timeout=2000"
                             " -c idle_in_transaction_session_timeout=20000 -c client_min_messages=error"_s.arg(
                                 kStatementTimeoutMs);
    words[u"options"_s] = (words.value(u"options"_s) + u' ' + settings).trimmed();
    words[u"application_name"_s] = u"tekil console, "_s + purpose;
    putUnlessGiven(words, u"connect_timeout"_s, QString::number(kConnectTimeoutSeconds));
    putUnlessGiven(words, u"keepalives_idle"_s, u"5"_s);
    putUnlessGiven(words, u"keepalives_interval"_s, u"2"_s);
    putUnlessGiven(words, u"keepalives_count"_s, u"3"_s);
    putUnlessGiven(words, u"tcp_user_timeout"_s, u"10000"_s);
}

} // namespace

Result<DriverOptions> driverOptions(const Profile& profile, const QString& password, const QString& purpose)
{
    Result<Words> parsed = wordsOf(profile.conninfo);
    if (!parsed)
        return parsed.error();
    Words words = std::move(parsed).value();
    putSessionSettings(words, purpose);
    DriverOptions out;
    out.host = words.take(u"host"_s);
    out.database = words.take(u"dbname"_s);
    const QString namedUser = words.take(u"user"_s);
    out.user = profile.login.isEmpty() ? namedUser : profile.login;
    const QString namedPassword = words.take(u"password"_s);
    out.password = password.isEmpty() ? namedPassword : password;
    QStringList options;
    for (auto word = words.cbegin(); word != words.cend(); ++word) {
        // The driver reads a semicolon in its options as a space, whatever the quotes.
        if (word.value().contains(u';'))
            return Error{ErrorCode::InvalidArgument,
                         "the connection option " + word.key().toStdString() + " may not hold a semicolon"};
        options << word.key() + u'=' + quoted(word.value());
    }
    out.options = options.join(u' ');
    return out;
}

QString placeOf(const Profile& profile)
{
    const Result<Words> words = wordsOf(profile.conninfo);
    if (!words)
        return {};
    if (words->contains(u"service"_s))
        return words->value(u"service"_s);
    const QString host = words->value(u"host"_s);
    const QString database = words->value(u"dbname"_s);
    return host.isEmpty() || host.startsWith(u'/') ? database : database + u'@' + host;
}

QString loginIn(const QString& conninfo)
{
    const Result<Words> words = wordsOf(conninfo);
    return words ? words->value(u"user"_s) : QString();
}

} // namespace tekil::ui
