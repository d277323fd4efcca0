#include "core/sandbox/demo.h"

#include "core/sandbox/bank.h"
#include "core/sandbox/traffic.h"

namespace tekil::sandbox {

namespace {

using namespace std::chrono_literals;

// A bank as it is on a bad day: mostly quick, sometimes slow, now and then a decline or no answer at all.
constexpr const char* kBankScript = R"({
  "seed": 20260305,
  "rules": [
    { "when": { "everyNth": 19 }, "do": "decline", "declineCode": "do_not_honor", "ms": 120 },
    { "when": { "everyNth": 47 }, "do": "drop", "how": "fin", "ms": 300 },
    { "when": { "everyNth": 61 }, "do": "delay", "ms": 4200 },
    { "when": { "everyNth": 83 }, "do": "error", "status": 503, "book": false },
    { "when": { "share": "0.3" }, "do": "delay", "ms": 350 },
    { "do": "delay", "ms": 60 }
  ]
})";

constexpr const char* kOldBankScript = R"({
  "seed": 1071, "idempotent": false, "inquiry": false,
  "rules": [
    { "when": { "everyNth": 37 }, "do": "drop", "how": "fin", "ms": 700 },
    { "when": { "everyNth": 23 }, "do": "decline", "declineCode": "insufficient_limit", "ms": 200 },
    { "do": "delay", "ms": 180 }
  ]
})";

} // namespace

struct Demo::Impl {
    http::Loop loop{{.name = "demo", .threads = 1}};
    std::unique_ptr<Bank> bank;
    std::unique_ptr<Bank> oldBank;
    std::unique_ptr<Traffic> traffic;
};

Demo::Demo(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}

Demo::~Demo()
{
    stop();
}

Result<std::unique_ptr<Demo>> Demo::start(DemoOptions options)
{
    auto impl = std::make_unique<Impl>();
    auto bank = Bank::start(impl->loop, {.listen = "127.0.0.1:0", .script = kBankScript});
    if (!bank)
        return bank.error();
    impl->bank = *std::move(bank);
    auto oldBank = Bank::start(impl->loop, {.listen = "127.0.0.1:0", .script = kOldBankScript});
    if (!oldBank)
        return oldBank.error();
    impl->oldBank = *std::move(oldBank);
    auto owner = db::Connection::open(options.ownerDsn, {.applicationName = "tekil demo"});
    if (!owner)
        return owner.error();
    auto world = seedDemo(*owner, options.directory, {.modern = impl->bank->url(), .old = impl->oldBank->url()});
    if (!world)
        return world.error();
    auto traffic = Traffic::start(impl->loop, options.engineUrl, *std::move(world), options.gap);
    if (!traffic)
        return traffic.error();
    impl->traffic = *std::move(traffic);
    return std::unique_ptr<Demo>(new Demo(std::move(impl)));
}

std::string Demo::bankUrl() const
{
    return m_impl->bank->url();
}

void Demo::stopTraffic()
{
    m_impl->traffic->stop();
}

void Demo::stop()
{
    if (!m_impl->traffic)
        return;
    m_impl->traffic->stop();
    m_impl->bank->drain(1s);
    m_impl->oldBank->drain(1s);
    m_impl->loop.stop();
    m_impl->traffic.reset();
    m_impl->bank.reset();
    m_impl->oldBank.reset();
}

} // namespace tekil::sandbox
