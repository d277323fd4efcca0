// Nothing here asks the database; everything is made of one reading.
#include "ui/overview/overview_words.h"

#include "ui/widgets/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace tekil::ui::overview {

using namespace Qt::Literals::StringLiterals;

namespace {

struct OverviewWords {
    Q_DECLARE_TR_FUNCTIONS(Overview)
};

constexpr int kNowSeconds = 10; // a tile's figure is of these; its line of the whole minute
constexpr std::int64_t kBooksStaleUs = 60'000'000;

std::int64_t since(std::int64_t thenUs, std::int64_t nowUs)
{
    return std::max<std::int64_t>(0, nowUs - thenUs);
}

using CountOf = std::function<std::int64_t(const FlowSecond&)>;

struct Sum {
    std::int64_t payments = 0, seconds = 0, peak = 0;
};

Sum sumOf(const QVector<FlowSecond>& flow, int last, const CountOf& countOf)
{
    Sum sum;
    for (auto i = std::max<qsizetype>(0, flow.size() - last); i < flow.size(); ++i) {
        if (!flow.at(i).seen)
            continue;
        const std::int64_t count = countOf(flow.at(i));
        sum.payments += count;
        sum.peak = std::max(sum.peak, count);
        ++sum.seconds;
    }
    return sum;
}

TileFace lineTile(const QString& name, const Reading& reading, const CountOf& countOf)
{
    TileFace face;
    face.name = name;
    const Sum now = sumOf(reading.flow, kNowSeconds, countOf), minute = sumOf(reading.flow, 60, countOf);
    const Rate rate = rateOf(now.payments, now.seconds);
    face.value = rate.figure;
    face.unit = rate.unit;
    if (minute.seconds > 0)
        face.note = OverviewWords::tr("peak %1", "the most in one second of the last minute")
                        .arg(formatter().count(minute.peak));
    SparkValues line;
    for (const FlowSecond& second : reading.flow)
        line.append(second.seen ? std::optional(countOf(second)) : std::nullopt);
    face.line = line;
    return face;
}

TileFace oldestTile(const QString& name, const std::optional<OpenPayment>& oldest, std::int64_t nowUs)
{
    TileFace face;
    face.name = name;
    face.value = oldest ? formatter().age(since(oldest->createdUs, nowUs)) : u"–"_s;
    if (oldest)
        face.words = OverviewWords::tr("since %1").arg(momentText(oldest->createdUs, nowUs));
    return face;
}

QString openCount(const Reading& reading, PaymentState state)
{
    const QString held = heldText(reading, state);
    return held.isEmpty() ? OverviewWords::tr("nothing is held") : OverviewWords::tr("%1 held").arg(held);
}

} // namespace

QString momentText(std::int64_t us, std::int64_t nowUs)
{
    const Formatter& words = formatter();
    return words.date(us) == words.date(nowUs) ? words.shortTime(us) : words.date(us) + u' ' + words.shortTime(us);
}

Rate rateOf(std::int64_t payments, std::int64_t seconds)
{
    if (seconds == 0)
        return {u"–"_s, {}};
    const std::int64_t tenths = (payments * 10 + seconds / 2) / seconds;
    if (payments == 0 || tenths >= 5)
        return {formatter().amount(tenths, 1), OverviewWords::tr("/s", "a second")};
    return {formatter().count(std::max<std::int64_t>(1, (payments * 60 + seconds / 2) / seconds)),
            OverviewWords::tr("/min", "a minute")};
}

QString heldText(const Reading& reading, PaymentState state)
{
    const StateCount* largest = nullptr;
    int others = -1;
    for (const StateCount& one : reading.counts)
        if (one.state == state && one.payments > 0) {
            ++others;
            if (!largest || one.payments > largest->payments)
                largest = &one;
        }
    if (!largest)
        return {};
    const QString money = formatter().money(largest->heldMinor, largest->exponent, largest->currency);
    return others > 0 ? OverviewWords::tr("%1 +%2", "money, and how many more currencies").arg(money).arg(others)
                      : money;
}

TileFace tileFaceOf(Tile tile, const Reading& reading, std::int64_t nowUs)
{
    switch (tile) {
    case Tile::Payments:
        return lineTile(OverviewWords::tr("Payments"), reading, [](const FlowSecond& s) { return s.came; });
    case Tile::Completed:
        return lineTile(OverviewWords::tr("Completed"), reading,
                        [](const FlowSecond& s) { return s.completed + s.provedCompleted; });
    case Tile::Failed:
        return lineTile(OverviewWords::tr("Failed"), reading,
                        [](const FlowSecond& s) { return s.failed + s.provedFailed; });
    case Tile::OldestProcessing: {
        TileFace face = oldestTile(OverviewWords::tr("Oldest processing"), reading.oldestProcessing, nowUs);
        face.note = OverviewWords::tr("%n payments", nullptr,
                                      static_cast<int>(reading.payments(PaymentState::Processing)));
        face.moreWords = face.words;
        face.words = openCount(reading, PaymentState::Processing);
        return face;
    }
    case Tile::Unknown: {
        TileFace face;
        face.name = OverviewWords::tr("Unknown");
        const std::int64_t count = reading.payments(PaymentState::Unknown);
        face.value = formatter().count(count);
        face.asks = count > 0;
        if (count > 0)
            face.shape = Shape::Unknown;
        face.words = openCount(reading, PaymentState::Unknown);
        if (count > 0)
            face.moreWords = OverviewWords::tr("until there is proof");
        return face;
    }
    case Tile::OldestUnknown: {
        TileFace face = oldestTile(OverviewWords::tr("Oldest unknown"), reading.oldestUnknown, nowUs);
        if (reading.oldestUnknown)
            face.moreWords = u"…"_s + reading.oldestUnknown->operationId.right(8);
        else
            face.words = OverviewWords::tr("every outcome is known");
        return face;
    }
    }
    return {};
}

QString filterOf(PaymentState state)
{
    return u"state:"_s
           + QString::fromLatin1(nameOf(state).data(), static_cast<qsizetype>(nameOf(state).size())).toLower();
}

QString filterOf(Tile tile)
{
    switch (tile) {
    case Tile::Payments: return {};
    case Tile::Completed: return filterOf(PaymentState::Completed);
    case Tile::Failed: return filterOf(PaymentState::Failed);
    case Tile::OldestProcessing: return filterOf(PaymentState::Processing);
    case Tile::Unknown:
    case Tile::OldestUnknown: return filterOf(PaymentState::Unknown);
    }
    return {};
}

FlowFace flowFaceOf(const Reading& reading, std::int64_t nowUs)
{
    FlowFace face;
    const auto minute = [&](const CountOf& countOf) { return sumOf(reading.flow, 60, countOf); };
    const auto oldest = [nowUs](const std::optional<OpenPayment>& one) {
        return one ? OverviewWords::tr("oldest %1").arg(formatter().age(since(one->createdUs, nowUs))) : QString();
    };
    const auto count = [&](PaymentState state) { return formatter().count(reading.payments(state)); };
    const auto held = [&](PaymentState state) {
        const QString text = heldText(reading, state);
        return text.isEmpty() ? OverviewWords::tr("nothing is held") : text;
    };
    face.nodes.insert(PaymentState::Processing, {count(PaymentState::Processing), held(PaymentState::Processing),
                                                 oldest(reading.oldestProcessing), false});
    face.nodes.insert(PaymentState::Unknown,
                      {count(PaymentState::Unknown), held(PaymentState::Unknown), oldest(reading.oldestUnknown),
                       reading.payments(PaymentState::Unknown) > 0});
    face.nodes.insert(PaymentState::Completed,
                      {count(PaymentState::Completed), OverviewWords::tr("reservation finalized"),
                       OverviewWords::tr("in all"), false});
    face.nodes.insert(PaymentState::Failed, {count(PaymentState::Failed), OverviewWords::tr("reservation released"),
                                             OverviewWords::tr("in all"), false});
    for (const PaymentTransition& row : kPaymentTransitions) {
        const Sum sum = minute([&row](const FlowSecond& second) { return second.of(row); });
        face.ways.append({row.from, row.to, sum.payments, rateOf(sum.payments, sum.seconds).text()});
    }
    const Sum came = minute([](const FlowSecond& second) { return second.came; });
    face.cameAMinute = came.payments;
    face.came = rateOf(came.payments, came.seconds).text();
    return face;
}

BooksState booksStateOf(const Reading& reading, std::int64_t nowUs)
{
    if (!reading.problems.isEmpty())
        return BooksState::Wrong;
    if (!reading.books)
        return BooksState::Never;
    return since(reading.books->endedUs, nowUs) > kBooksStaleUs ? BooksState::Stale : BooksState::Balance;
}

QString booksHeadline(BooksState state)
{
    switch (state) {
    case BooksState::Never: return OverviewWords::tr("Books not checked");
    case BooksState::Balance: return OverviewWords::tr("Books balance");
    case BooksState::Wrong: return OverviewWords::tr("Books do not balance");
    case BooksState::Stale: return OverviewWords::tr("Books not checked now");
    }
    return {};
}

QString booksDetail(const Reading& reading, std::int64_t nowUs)
{
    if (!reading.books)
        return OverviewWords::tr("an engine checks them every 10 s; none has yet");
    const BooksCheck& check = *reading.books;
    const Formatter& words = formatter();
    const QString checked = OverviewWords::tr("checked %1, %2 ago")
                                .arg(words.shortTime(check.endedUs), words.age(since(check.endedUs, nowUs)));
    if (booksStateOf(reading, nowUs) == BooksState::Stale)
        return OverviewWords::tr("%1: no engine checks").arg(checked);
    return checked + u" · "_s
           + OverviewWords::tr("%1 accounts, %2 entries in %3")
                 .arg(words.count(check.accounts), words.count(check.entries), words.duration(check.tookUs));
}

QString problemText(const BooksProblem& problem)
{
    QString subject = problem.subject;
    if (problem.kind == u"account"_s)
        subject = OverviewWords::tr("Account %1").arg(problem.subject);
    else if (problem.kind == u"reserved"_s)
        subject = OverviewWords::tr("Reserved on account %1").arg(problem.subject);
    else if (problem.kind == u"transaction"_s)
        subject = OverviewWords::tr("Transaction %1").arg(problem.subject);
    return subject + u": "_s + problem.problem;
}

QString totalText(const QString& minor, int exponent)
{
    bool fits = false;
    const qlonglong value = minor.toLongLong(&fits);
    // Beyond 64 bits the digits stand as they are, with the currency's decimals parted off.
    return fits ? formatter().amount(value, exponent)
                : minor.left(minor.size() - exponent) + (exponent > 0 ? u"."_s : QString()) + minor.right(exponent);
}

QString differenceText(const BooksTotal& total)
{
    bool one = false, other = false;
    const qlonglong credit = total.credit.toLongLong(&one), debit = total.debit.toLongLong(&other);
    if (one && other)
        return formatter().amount(credit - debit, total.exponent);
    return total.credit == total.debit ? formatter().amount(0, total.exponent) : u"≠"_s;
}

QString engineWord(EngineState state)
{
    switch (state) {
    case EngineState::Running: return OverviewWords::tr("runs");
    case EngineState::Draining: return OverviewWords::tr("drains");
    case EngineState::Silent: return OverviewWords::tr("silent");
    case EngineState::Stopped: return OverviewWords::tr("stopped");
    }
    return {};
}

QString engineAge(const EngineRow& engine, std::int64_t nowUs)
{
    const QString age = formatter().age(since(engine.heartbeatUs, nowUs));
    return engine.state == EngineState::Running || engine.state == EngineState::Draining
               ? OverviewWords::tr("%1 ago").arg(age)
               : OverviewWords::tr("for %1").arg(age);
}

} // namespace tekil::ui::overview
