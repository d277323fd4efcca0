// Words for numbers, money and times, in the reader's language. Money never passes through a double, and times arrive
// as microseconds since 1970 UTC; a QDateTime is made only to be shown.
#pragma once

#include <QString>
#include <QTimeZone>

#include <cstdint>

namespace tekil::ui {

enum class Language : std::uint8_t { English, Turkish };

class Formatter {
public:
    Formatter() = default;
    Formatter(Language language, const QTimeZone& zone) : m_language(language), m_zone(zone) {}

    Language language() const { return m_language; }
    const QTimeZone& zone() const { return m_zone; }

    QString amount(std::int64_t minor, int exponent) const;                         // −1,250.00 | −1.250,00
    QString money(std::int64_t minor, int exponent, const QString& currency) const; // −1,250.00 TRY
    QString sheetAmount(std::int64_t minor, int exponent) const;                    // -1250.00 | -1250,00, for sheets
    QString count(std::int64_t number) const;                                       // 2,418 | 2.418
    QString percent(std::int64_t tenths) const;                                     // 6.1% | %6,1

    QString full(std::int64_t us) const;                         // 2026-03-05 14:07:09.118 +03
    QString timeOfDay(std::int64_t us) const;                    // 14:07:09.118
    QString shortTime(std::int64_t us) const;                    // 14:07:09
    QString date(std::int64_t us) const;                         // 2026-03-05 | 05.03.2026
    QString dayName(std::int64_t us) const;                      // Thu 5 Mar | 5 Mart Per
    QString offset(std::int64_t us) const;                       // +03, +05:30
    QString inList(std::int64_t us, std::int64_t nowUs) const;   // of today: the time alone; else date and time

    QString age(std::int64_t us) const;      // two units from a minute on: 52 s, 14 min 44 s | 14 dk 44 sn
    QString duration(std::int64_t us) const; // 6 ms, 5.009 s, else as age

private:
    QString grouped(QString digits) const;

    Language m_language = Language::English;
    QTimeZone m_zone = QTimeZone::utc();
};

// The formatter every widget and model reads at the moment it shows something.
const Formatter& formatter();

// Sets it and lets every window show its texts anew.
void setFormatter(const Formatter& now);

} // namespace tekil::ui
