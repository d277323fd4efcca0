// The demonstration: a simulated bank with faults, merchants, accounts, people, and live traffic with retries and
// duplicates through the merchant API, as strangers would send it.
#pragma once

#include "core/base/result.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace tekil::sandbox {

struct DemoOptions {
    std::string ownerDsn;            // tekil_owner: seeds what is missing
    std::string engineUrl;           // the merchant API that the traffic goes to
    std::filesystem::path
        directory; // the workspace: DIR/demo-logins (0600) and DIR/demo-merchants (0600) are kept here
    std::chrono::milliseconds gap{180}; // between two payments, on average
};

class Demo {
public:
    // Seeds merchants, accounts, the bank and the people that are missing, starts the bank and the traffic.
    static Result<std::unique_ptr<Demo>> start(DemoOptions options);
    ~Demo(); // stop()

    std::string bankUrl() const;
    // Ends the traffic first, then the bank; to be called before the engine drains.
    void stopTraffic();
    void stop();

private:
    struct Impl;
    explicit Demo(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace tekil::sandbox
