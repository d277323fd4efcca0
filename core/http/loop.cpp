#include "core/http/loop.h"

#include "core/base/check.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tekil::http {

namespace asio = boost::asio;

struct Loop::Impl {
    explicit Impl(int count) : context(count), work(context.get_executor()) {}

    asio::io_context context;
    asio::executor_work_guard<asio::io_context::executor_type> work;
    std::vector<std::thread> threads;
};

namespace {

void prepareThread(const LoopOptions& options, int index)
{
    const std::string name = options.name.substr(0, 12) + "-" + std::to_string(index);
    pthread_setname_np(pthread_self(), name.c_str());
    if (options.niceness != 0) {
        // On Linux a nice value belongs to a thread. Without the right to lower it the thread keeps the one it has.
        const auto self = static_cast<id_t>(syscall(SYS_gettid));
        setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + options.niceness);
    }
}

} // namespace

Loop::Loop(LoopOptions options) : m_impl(std::make_unique<Impl>(std::max(1, options.threads)))
{
    for (int i = 0; i < std::max(1, options.threads); ++i)
        m_impl->threads.emplace_back([this, options, i] {
            prepareThread(options, i);
            m_impl->context.run();
        });
}

Loop::~Loop()
{
    stop();
}

void Loop::post(std::function<void()> work)
{
    asio::post(m_impl->context, std::move(work));
}

void Loop::after(std::chrono::nanoseconds delay, std::function<void()> work)
{
    auto timer = std::make_shared<asio::steady_timer>(m_impl->context, delay);
    timer->async_wait([timer, work = std::move(work)](const boost::system::error_code& ec) {
        if (!ec)
            work();
    });
}

void Loop::stop()
{
    TEKIL_CHECK(!runsHere());
    m_impl->context.stop();
    for (std::thread& thread : m_impl->threads)
        if (thread.joinable())
            thread.join();
}

bool Loop::runsHere() const
{
    return m_impl->context.get_executor().running_in_this_thread();
}

boost::asio::io_context& Loop::context()
{
    return m_impl->context;
}

} // namespace tekil::http
