// What the steps of the pipeline share: putting rows back to their operations, and arrays of a batch.
#pragma once

#include "core/payments/operation.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tekil::payments {

inline std::string milliseconds(std::chrono::milliseconds time) // an interval's text
{
    return std::to_string(time.count()) + " ms";
}

inline Answer refused(ErrorCode code, std::string detail)
{
    return Answer{.kind = Answer::Kind::Refused, .error = Error{code, std::move(detail)}};
}

// Puts each row to its operation by the operation id in the given column.
class ByOperation {
public:
    explicit ByOperation(const std::vector<OperationPtr>& batch)
    {
        for (const OperationPtr& operation : batch)
            m_operations.emplace(operation->id, operation);
    }
    OperationPtr take(Uuid id)
    {
        const auto found = m_operations.find(id);
        if (found == m_operations.end())
            return nullptr;
        OperationPtr operation = std::move(found->second);
        m_operations.erase(found);
        return operation;
    }
    std::vector<OperationPtr> rest() const
    {
        std::vector<OperationPtr> left;
        for (const auto& [id, operation] : m_operations)
            left.push_back(operation);
        return left;
    }

private:
    std::unordered_map<Uuid, OperationPtr> m_operations;
};

inline std::vector<Uuid> idsOf(const std::vector<OperationPtr>& batch)
{
    std::vector<Uuid> ids;
    ids.reserve(batch.size());
    for (const OperationPtr& operation : batch)
        ids.push_back(operation->id);
    return ids;
}

inline std::vector<std::int64_t> epochsOf(const std::vector<OperationPtr>& batch)
{
    std::vector<std::int64_t> epochs;
    epochs.reserve(batch.size());
    for (const OperationPtr& operation : batch)
        epochs.push_back(operation->epoch);
    return epochs;
}

} // namespace tekil::payments
