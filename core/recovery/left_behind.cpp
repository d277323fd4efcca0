#include "core/recovery/left_behind.h"

#include "sql_queries.h"

#include <unistd.h>

namespace tekil::recovery {

std::string LeftBehind::text() const
{
    std::string out = std::to_string(processing) + " payments under way, of which " + std::to_string(maybeSent)
                      + " may have reached their provider; " + std::to_string(unknown) + " unknown; "
                      + std::to_string(claimed) + " requests not yet accepted";
    for (std::size_t i = 0; i < engines.size(); ++i)
        out += (i == 0 ? "; killed: " : ", ") + engines[i];
    return out;
}

Result<LeftBehind> findLeftBehind(db::Connection& owner, const std::vector<std::int64_t>& living)
{
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    LeftBehind left;
    const auto lost = owner.run(sql::recovery::lostInstances, db::Params().add(std::string_view(host)).add(living));
    if (!lost)
        return lost.error();
    for (int row = 0; row < lost->count(); ++row)
        left.engines.push_back(std::string(lost->text(row, 0)) + " (pid " + std::to_string(lost->int64(row, 1)) + ")");
    const auto counts = owner.run(sql::recovery::leftBehind, {}, db::Mode::Reads);
    if (!counts)
        return counts.error();
    left.claimed = counts->int64(0, 0);
    left.processing = counts->int64(0, 1);
    left.maybeSent = counts->int64(0, 2);
    left.unknown = counts->int64(0, 3);
    return left;
}

Result<AfterRestore> treatAfterRestore(db::Connection& owner)
{
    const auto rows = owner.run(sql::recovery::afterRestore, db::Params().add(Uuid::next()));
    if (!rows)
        return rows.error();
    return AfterRestore{rows->int64(0, 0), rows->int64(0, 1), rows->int64(0, 2), rows->int64(0, 3)};
}

} // namespace tekil::recovery
