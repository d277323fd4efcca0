// Figures and sentences of the overview, in the reader's language.
#pragma once

#include "ui/overview/overview_reading.h"
#include "ui/widgets/flow_diagram.h"
#include "ui/widgets/metric_tile.h"

#include <functional>

namespace tekil::ui::overview {

// How many a second, over the seconds that were seen: "412.7", "/s"; few ones by the minute, so that none reads as
// zero.
struct Rate {
    QString figure, unit;
    QString text() const { return unit.isEmpty() ? figure : figure + QChar(u' ') + unit; }
};
Rate rateOf(std::int64_t payments, std::int64_t seconds);

// The money of a state, the largest sum first: "44,032.40 TRY +2" where there are two more currencies.
QString heldText(const Reading& reading, PaymentState state);

enum class Tile : std::uint8_t { Payments, Completed, Failed, OldestProcessing, Unknown, OldestUnknown };
inline constexpr int kTiles = 6;
TileFace tileFaceOf(Tile tile, const Reading& reading, std::int64_t nowUs);
// The list's filter for what the tile counts.
QString filterOf(Tile tile);
QString filterOf(PaymentState state);

FlowFace flowFaceOf(const Reading& reading, std::int64_t nowUs);

enum class BooksState : std::uint8_t { Never, Balance, Wrong, Stale };
BooksState booksStateOf(const Reading& reading, std::int64_t nowUs);
QString booksHeadline(BooksState state);
QString booksDetail(const Reading& reading, std::int64_t nowUs);
QString problemText(const BooksProblem& problem);
// Minor units of any length with the currency's decimals.
QString totalText(const QString& minor, int exponent);
// Whether the two sides are one sum, and what they differ by.
QString differenceText(const BooksTotal& total);

// A time of today to the second; the date before it on any other day.
QString momentText(std::int64_t us, std::int64_t nowUs);

QString engineWord(EngineState state);
QString engineAge(const EngineRow& engine, std::int64_t nowUs);

} // namespace tekil::ui::overview
