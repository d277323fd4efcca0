#include "core/payments/key_events.h"

#include "sql_queries.h"

namespace tekil::payments {

void KeyEvents::note(std::int64_t merchantId, const std::string& key, Uuid operationId, std::string_view kind)
{
    const std::lock_guard lock(m_mutex);
    const Key name(merchantId, key, operationId, std::string(kind));
    const auto found = m_counts.find(name);
    if (found != m_counts.end())
        ++found->second;
    else if (m_counts.size() < kMaxKeys)
        m_counts.emplace(name, 1);
}

Result<void> KeyEvents::flush(db::Connection& connection, Uuid instance)
{
    Counts counts;
    {
        const std::lock_guard lock(m_mutex);
        counts.swap(m_counts);
    }
    if (counts.empty())
        return {};
    std::vector<std::int64_t> merchants;
    std::vector<std::string> keys;
    std::vector<Uuid> operations;
    std::vector<std::string> kinds;
    std::vector<std::int64_t> times;
    for (const auto& [name, count] : counts) {
        const auto& [merchant, key, operation, kind] = name;
        merchants.push_back(merchant);
        keys.push_back(key);
        operations.push_back(operation);
        kinds.push_back(kind);
        times.push_back(count);
    }
    db::Params params;
    params.add(merchants).add(keys).add(operations).add(kinds).add(instance).add(times);
    const auto written = connection.run(sql::payments::recordEvents, params);
    if (written)
        return {};
    // A row too many tells more than a row that is missing: what was in doubt is written again.
    const std::lock_guard lock(m_mutex);
    for (const auto& [name, count] : counts)
        m_counts[name] += count;
    return written.error();
}

} // namespace tekil::payments
