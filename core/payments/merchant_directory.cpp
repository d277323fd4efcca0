#include "core/payments/merchant_directory.h"

#include "core/base/clock.h"
#include "sql_queries.h"

#include <algorithm>
#include <vector>

namespace tekil::payments {

namespace {

using namespace std::chrono_literals;

constexpr auto kRemembered = 2s; // a disabled merchant is out after this; the claim asks the rows themselves
constexpr std::size_t kMaxEntries = 100'000; // beyond, all are forgotten: keys that were guessed fill it too

std::string bytesOf(const Sha256& hash)
{
    return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

} // namespace

Admitted MerchantDirectory::admit(Entry& entry)
{
    if (!entry.known)
        return {Error{ErrorCode::Forbidden, "the merchant's API key is not known"}};
    if (entry.disabled)
        return {Error{ErrorCode::Forbidden, "this merchant is disabled"}};
    if (entry.ratePerSecond > 0) {
        const auto wait = entry.bucket.take(entry.ratePerSecond, bootTime());
        if (wait.count() > 0)
            return {Error{ErrorCode::RateLimited,
                          "this merchant may send " + std::to_string(entry.ratePerSecond) + " requests a second"},
                    wait};
    }
    return {entry.merchant};
}

void MerchantDirectory::find(std::string_view apiKey, OnMerchant onMerchant)
{
    const Sha256 hash = sha256(apiKey);
    Admitted found{Error{ErrorCode::NotFound, ""}};
    bool remembered = false;
    {
        const std::lock_guard lock(m_mutex);
        const auto entry = m_entries.find(bytesOf(hash));
        if (entry != m_entries.end() && bootTime() - entry->second.readAt < kRemembered) {
            found = admit(entry->second);
            remembered = true;
        }
    }
    if (remembered)
        onMerchant(std::move(found));
    else
        read(hash, std::move(onMerchant));
}

void MerchantDirectory::read(const Sha256& hash, OnMerchant onMerchant)
{
    const auto run = [this, hash, onMerchant](db::Connection& connection) -> Result<void> {
        const auto rows = connection.run(sql::setup::merchantByKey, db::Params().add(std::vector<Sha256>{hash}),
                                         db::Mode::Reads);
        if (!rows)
            return rows.error();
        Admitted found{Error{ErrorCode::NotFound, ""}};
        {
            const std::lock_guard lock(m_mutex);
            if (m_entries.size() >= kMaxEntries)
                m_entries.clear();
            Entry& entry = m_entries[bytesOf(hash)];
            entry.readAt = bootTime();
            entry.known = rows->count() == 1;
            if (entry.known) {
                entry.merchant = {rows->int64(0, 1), std::string(rows->text(0, 2))};
                entry.disabled = rows->boolean(0, 3);
                entry.ratePerSecond = rows->int64(0, 4);
            }
            found = admit(entry);
        }
        onMerchant(std::move(found));
        return {};
    };
    const auto failed = [onMerchant](const Error& error) { onMerchant({error}); };
    if (!m_pipeline.pushLookUp(Chore{run, failed}))
        failed(Error{ErrorCode::Overloaded, "too many requests wait; send again later"});
}

} // namespace tekil::payments
