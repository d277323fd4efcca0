// A wire that a test can cut, delay and stall: it listens on a port of its own and carries bytes to a TCP or Unix
// address, before PostgreSQL as before a bank. It runs on a thread of its own; every call may come from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace tekil::test {

enum class Way : std::uint8_t { ToServer, ToClient, Both };

class CuttingProxy {
public:
    // "127.0.0.1:5432", or a Unix socket's path. The target is connected to anew for each client.
    explicit CuttingProxy(std::string target);
    ~CuttingProxy();
    CuttingProxy(const CuttingProxy&) = delete;
    CuttingProxy& operator=(const CuttingProxy&) = delete;

    std::uint16_t port() const;

    void pass();                                       // everything as it comes, what was held back included
    void cut();                                        // resets what is open and refuses what comes, until pass()
    void resetOpen();                                  // resets what is open; new clients are served
    void delay(std::chrono::milliseconds by, Way way); // each byte that much later
    void stall(Way way);                               // bytes wait, and nobody is told: a pulled cable
    void swallow(Way way);                             // bytes are taken and never arrive
    void halfClose(Way way);                           // no more bytes this way on what is open now
    void acceptNothing();                              // clients connect and nobody speaks to them

    int open() const;       // pairs that are connected now
    int accepted() const;   // clients that ever came
    std::int64_t carried(Way way) const; // bytes that arrived

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace tekil::test
