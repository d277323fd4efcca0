// How numbers, money and times are written in English and Turkish.
#include "ui/widgets/format.h"

#include "core/base/money.h"

#include <QApplication>
#include <QDateTime>
#include <QEvent>
#include <QLocale>
#include <QWidget>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr QChar kMinus(0x2212);
constexpr std::int64_t kMs = 1'000;
constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kHoursUntil = 3 * kDay; // an age is told in hours up to here, in days above

Formatter& current()
{
    static Formatter one;
    return one;
}

std::int64_t floorDivide(std::int64_t value, std::int64_t by)
{
    return value / by - (value % by < 0 ? 1 : 0);
}

QDateTime shown(std::int64_t us, const QTimeZone& zone)
{
    return QDateTime::fromMSecsSinceEpoch(floorDivide(us, kMs), zone);
}

QString twoUnits(std::int64_t whole, const QString& unit, std::int64_t part, const QString& partUnit)
{
    return u"%1 %2 %3 %4"_s.arg(whole).arg(unit).arg(part, 2, 10, QChar(u'0')).arg(partUnit);
}

} // namespace

QString Formatter::grouped(QString digits) const
{
    const QChar mark = m_language == Language::Turkish ? u'.' : u',';
    for (qsizetype at = digits.size() - 3; at > 0; at -= 3)
        digits.insert(at, mark);
    return digits;
}

QString Formatter::amount(std::int64_t minor, int exponent) const
{
    QString text = QString::fromStdString(decimalFromMinor(minor, exponent));
    const bool negative = text.startsWith(u'-');
    if (negative)
        text.remove(0, 1);
    const qsizetype dot = text.indexOf(u'.');
    QString out = grouped(dot < 0 ? text : text.left(dot));
    if (dot >= 0)
        out += (m_language == Language::Turkish ? u","_s : u"."_s) + text.mid(dot + 1);
    return negative ? kMinus + out : out;
}

QString Formatter::money(std::int64_t minor, int exponent, const QString& currency) const
{
    return amount(minor, exponent) + u' ' + currency;
}

QString Formatter::sheetAmount(std::int64_t minor, int exponent) const
{
    QString text = QString::fromStdString(decimalFromMinor(minor, exponent));
    if (m_language == Language::Turkish)
        text.replace(u'.', u',');
    return text;
}

QString Formatter::count(std::int64_t number) const
{
    return amount(number, 0);
}

QString Formatter::percent(std::int64_t tenths) const
{
    const QString number = amount(tenths, 1);
    if (m_language == Language::English)
        return number + u'%';
    return number.startsWith(kMinus) ? kMinus + (u'%' + number.mid(1)) : u'%' + number;
}

QString Formatter::full(std::int64_t us) const
{
    return date(us) + u' ' + timeOfDay(us) + u' ' + offset(us);
}

QString Formatter::timeOfDay(std::int64_t us) const
{
    return shown(us, m_zone).toString(m_language == Language::Turkish ? u"HH:mm:ss,zzz"_s : u"HH:mm:ss.zzz"_s);
}

QString Formatter::shortTime(std::int64_t us) const
{
    return shown(us, m_zone).toString(u"HH:mm:ss"_s);
}

QString Formatter::date(std::int64_t us) const
{
    return shown(us, m_zone).toString(m_language == Language::Turkish ? u"dd.MM.yyyy"_s : u"yyyy-MM-dd"_s);
}

QString Formatter::dayName(std::int64_t us) const
{
    const QDate day = shown(us, m_zone).date();
    return m_language == Language::Turkish
               ? QLocale(QLocale::Turkish, QLocale::Turkey).toString(day, u"d MMMM ddd"_s)
               : QLocale(QLocale::English, QLocale::UnitedKingdom).toString(day, u"ddd d MMM"_s);
}

QString Formatter::offset(std::int64_t us) const
{
    const int seconds = shown(us, m_zone).offsetFromUtc();
    const int minutes = std::abs(seconds) / 60;
    QString text = (seconds < 0 ? u"-%1"_s : u"+%1"_s).arg(minutes / 60, 2, 10, QChar(u'0'));
    if (minutes % 60 != 0)
        text += u":%1"_s.arg(minutes % 60, 2, 10, QChar(u'0'));
    return text;
}

QString Formatter::inList(std::int64_t us, std::int64_t nowUs) const
{
    const bool today = shown(us, m_zone).date() == shown(nowUs, m_zone).date();
    return today ? timeOfDay(us) : date(us) + u' ' + shortTime(us);
}

QString Formatter::age(std::int64_t us) const
{
    const bool turkish = m_language == Language::Turkish;
    us = std::max<std::int64_t>(us, 0);
    if (us < kMinute)
        return count(us / kSecond) + (turkish ? u" sn"_s : u" s"_s);
    if (us < kHour)
        return twoUnits(us / kMinute, turkish ? u"dk"_s : u"min"_s, us % kMinute / kSecond, turkish ? u"sn"_s : u"s"_s);
    if (us < kHoursUntil)
        return twoUnits(us / kHour, turkish ? u"sa"_s : u"h"_s, us % kHour / kMinute, turkish ? u"dk"_s : u"min"_s);
    return twoUnits(us / kDay, turkish ? u"gün"_s : u"d"_s, us % kDay / kHour, turkish ? u"sa"_s : u"h"_s);
}

QString Formatter::duration(std::int64_t us) const
{
    const bool turkish = m_language == Language::Turkish;
    const std::int64_t ms = std::max<std::int64_t>(us, 0) / kMs;
    if (ms < 1000)
        return count(ms) + u" ms"_s;
    if (ms < 60'000)
        return amount(ms, 3) + (turkish ? u" sn"_s : u" s"_s);
    return age(us);
}

const Formatter& formatter()
{
    return current();
}

void setFormatter(const Formatter& now)
{
    current() = now;
    for (QWidget* window : QApplication::topLevelWidgets()) {
        QEvent changed(QEvent::LanguageChange);
        QCoreApplication::sendEvent(window, &changed);
    }
}

} // namespace tekil::ui
