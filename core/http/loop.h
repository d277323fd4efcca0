// The threads that HTTP runs on: one event loop served by a few named threads.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace tekil::http {

struct LoopOptions {
    std::string name = "http"; // the threads show as "<name>-0", …; at most 12 characters count
    int threads = 1;
    int niceness = 0; // added to each thread's nice value; the console's engine uses 5
};

// Whoever gives work to a loop is destroyed before it. Callbacks must not throw.
class Loop {
public:
    explicit Loop(LoopOptions options = {});
    ~Loop(); // stops

    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    // Runs `work` soon, on any of the loop's threads; callable from any thread.
    void post(std::function<void()> work);
    // Runs `work` after the time has passed. Work whose time has not come when the loop stops is dropped unrun.
    void after(std::chrono::nanoseconds delay, std::function<void()> work);

    // Ends the threads after the callbacks that are running; not to be called on one of them. Idempotent.
    void stop();

    bool runsHere() const; // whether the caller is one of the loop's threads
    boost::asio::io_context& context();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace tekil::http
