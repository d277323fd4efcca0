#include "core/base/clock.h"
#include "core/http/client.h"
#include "core/http/server.h"
#include "tests/support/raw_http.h"
#include "tests/support/test_main.h"

#include <QTest>
#include <atomic>
#include <future>
#include <optional>

using namespace tekil;
using namespace tekil::http;
using namespace std::chrono_literals;
using tekil::test::RawClient;
using tekil::test::RawServer;

namespace {

constexpr const char* kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

OutRequest charge(std::string body = "{}")
{
    return OutRequest{"POST", "/charges", {{"Idempotency-Key", "k1"}}, std::move(body)};
}

// A client and the waiting for its callbacks.
struct Caller {
    explicit Caller(std::uint16_t port, ClientOptions options = {})
    {
        options.baseUrl = "http://127.0.0.1:" + std::to_string(port) + "/base/";
        client = std::move(Client::create(loop, options).value());
    }
    Outcome send(OutRequest request)
    {
        std::promise<Outcome> promise;
        client->request(std::move(request), [&promise](Outcome outcome) { promise.set_value(std::move(outcome)); });
        return promise.get_future().get();
    }
    std::shared_ptr<Result<Lease>> acquire()
    {
        std::promise<std::shared_ptr<Result<Lease>>> promise;
        client->acquire(
            [&promise](Result<Lease> lease) { promise.set_value(std::make_shared<Result<Lease>>(std::move(lease))); });
        return promise.get_future().get();
    }
    static Outcome sendOn(Lease lease, std::chrono::nanoseconds sendBefore)
    {
        std::promise<Outcome> promise;
        std::move(lease).send(charge(), sendBefore,
                              [&promise](Outcome outcome) { promise.set_value(std::move(outcome)); });
        return promise.get_future().get();
    }

    Loop loop{{"test", 2, 0}};
    std::unique_ptr<Client> client;
};

bool isAnswered(const Outcome& outcome, int status)
{
    const auto* answered = std::get_if<Answered>(&outcome);
    return answered && answered->status == status;
}

} // namespace

class ClientTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void requestAndAnswerArriveWhole();
    void whenItWasWrittenIsToldWithAnAnswerAndWithSilence();
    void peerThatReadsAndClosesGetsTheRequestOnce_data();
    void peerThatReadsAndClosesGetsTheRequestOnce();
    void silenceIsNoAnswer();
    void unreadableAnswersAreNoAnswer_data();
    void unreadableAnswersAreNoAnswer();
    void answersOfEveryShapeAreRead_data();
    void answersOfEveryShapeAreRead();
    void anEmptyChunkedAnswerInPiecesIsRead();
    void redirectIsAnAnswerAndNotFollowed();
    void refusedConnectionIsNotSent();
    void unknownNameIsNotSent();
    void connectTimeoutIsNotSent();
    void passedSendBeforeIsNotSent();
    void connectionClosedWhileLeasedIsNotSent();
    void keptConnectionIsUsedAgain();
    void keptConnectionClosedByThePeerIsNotUsed();
    void keptConnectionThatSpokeIsNotUsed();
    void droppedLeaseGivesItsSlotAndConnectionBack();
    void waitersComeInOrderAndTheQueueIsBounded();
    void failedConnectionFreesItsSlot();
    void smuggledHeaderIsNotSent();
    void malformedBaseUrlIsRefused();
    void plainPeerBehindHttpsIsNotSent();
    void manyRequestsOverFewConnections();
};

void ClientTest::requestAndAnswerArriveWhole()
{
    std::promise<std::string> seen;
    const RawServer peer([&seen](RawClient& connection) {
        seen.set_value(connection.message());
        connection.send(kOk);
    });
    Caller caller(peer.port());
    const Outcome outcome = caller.send(charge("{\"a\":1}"));
    QVERIFY(isAnswered(outcome, 200));
    QCOMPARE(std::get<Answered>(outcome).body, std::string("ok"));
    QCOMPARE(seen.get_future().get(), "POST /base/charges HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(peer.port())
                                          + "\r\nIdempotency-Key: k1\r\nContent-Length: 7\r\n\r\n{\"a\":1}");
}

void ClientTest::whenItWasWrittenIsToldWithAnAnswerAndWithSilence()
{
    const RawServer peer([](RawClient& connection) {
        connection.message();
        connection.send(kOk);
        connection.message();
        connection.close();
    });
    Caller caller(peer.port());
    const auto start = bootTime();
    const auto answered = std::get<Answered>(caller.send(charge())).sentAt;
    const auto between = bootTime();
    const auto silent = std::get<NoAnswer>(caller.send(charge())).sentAt;
    QVERIFY(start <= answered && answered <= between);
    QVERIFY(between <= silent && silent <= bootTime());
}

void ClientTest::peerThatReadsAndClosesGetsTheRequestOnce_data()
{
    QTest::addColumn<bool>("keptAlive");
    QTest::addColumn<bool>("reset");
    QTest::addColumn<int>("delayMs");
    QTest::newRow("fresh, FIN") << false << false << 0;
    QTest::newRow("fresh, RST") << false << true << 0;
    QTest::newRow("fresh, FIN after 300 ms") << false << false << 300;
    QTest::newRow("kept alive, FIN") << true << false << 0;
    QTest::newRow("kept alive, RST") << true << true << 0;
}

void ClientTest::peerThatReadsAndClosesGetsTheRequestOnce()
{
    QFETCH(bool, keptAlive);
    QFETCH(bool, reset);
    QFETCH(int, delayMs);
    std::atomic<int> charges = 0;
    const RawServer peer([&](RawClient& connection) {
        if (keptAlive) {
            connection.message();
            connection.send(kOk);
        }
        charges += connection.message().starts_with("POST /base/charges ") ? 1 : 0;
        std::this_thread::sleep_for(std::chrono::milliseconds(delayMs));
        if (reset)
            connection.closeWithReset();
        else
            connection.close();
    });
    Caller caller(peer.port());
    if (keptAlive)
        QVERIFY(isAnswered(caller.send(OutRequest{"GET", "/hello"}), 200));
    const Outcome outcome = caller.send(charge());
    QVERIFY(std::holds_alternative<NoAnswer>(outcome));
    std::this_thread::sleep_for(200ms); // time for a second attempt that must not come
    QCOMPARE(charges.load(), 1);
    QCOMPARE(peer.connections(), 1);
}

void ClientTest::silenceIsNoAnswer()
{
    std::promise<void> done;
    const RawServer peer([&done](RawClient& connection) {
        connection.message();
        connection.send("HTTP/1.1 200 OK\r\nContent-Le");
        done.get_future().wait();
    });
    Caller caller(peer.port(), {.timeout = 150ms});
    const Outcome outcome = caller.send(charge());
    done.set_value();
    QVERIFY(std::holds_alternative<NoAnswer>(outcome));
    QCOMPARE(std::get<NoAnswer>(outcome).why, std::string("no answer in time"));
}

void ClientTest::unreadableAnswersAreNoAnswer_data()
{
    QTest::addColumn<QByteArray>("answer");
    const auto row = [](const char* name, const QByteArray& answer) { QTest::newRow(name) << answer; };
    row("nothing of HTTP", "hello\r\n\r\n");
    row("cut off body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort");
    row("cut off head", "HTTP/1.1 200 OK\r\nContent-Le");
    row("two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!");
    row("length and chunked", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    row("unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nxx");
    row("cut off chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab");
    row("too long", "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + QByteArray(300000, 'x'));
    row("too long without a length", "HTTP/1.1 200 OK\r\n\r\n" + QByteArray(300000, 'x'));
    row("endless head", "HTTP/1.1 200 OK\r\nX: " + QByteArray(40000, 'x'));
    row("many headers", "HTTP/1.1 200 OK\r\n" + QByteArray("X: 123456789\r\n").repeated(4000) + "\r\n");
    row("interim answer only", "HTTP/1.1 100 Continue\r\n\r\n");
    row("other protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n");
}

void ClientTest::unreadableAnswersAreNoAnswer()
{
    QFETCH(QByteArray, answer);
    const RawServer peer([&answer](RawClient& connection) {
        connection.message();
        connection.send(answer.toStdString());
    });
    Caller caller(peer.port(), {.timeout = 2000ms});
    QVERIFY(std::holds_alternative<NoAnswer>(caller.send(charge())));
    QCOMPARE(peer.connections(), 1);
}

void ClientTest::answersOfEveryShapeAreRead_data()
{
    QTest::addColumn<QByteArray>("answer");
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("chunked") << QByteArray("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")
                             << QByteArray("ok");
    QTest::newRow("until closed") << QByteArray("HTTP/1.0 200 OK\r\n\r\nok") << QByteArray("ok");
    QTest::newRow("after interim answers")
        << QByteArray("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n"
                      "Content-Length: 2\r\n\r\nok")
        << QByteArray("ok");
    QTest::newRow("large") << "HTTP/1.1 200 OK\r\nContent-Length: 262144\r\n\r\n" + QByteArray(262144, 'y')
                           << QByteArray(262144, 'y');
    QTest::newRow("empty") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") << QByteArray();
}

void ClientTest::answersOfEveryShapeAreRead()
{
    QFETCH(QByteArray, answer);
    QFETCH(QByteArray, body);
    const RawServer peer([&answer](RawClient& connection) {
        connection.message();
        for (std::size_t at = 0; at < static_cast<std::size_t>(answer.size()); at += 1000)
            connection.send(answer.toStdString().substr(at, 1000));
    });
    Caller caller(peer.port());
    const Outcome outcome = caller.send(charge());
    QVERIFY(isAnswered(outcome, 200));
    QCOMPARE(std::get<Answered>(outcome).body, body.toStdString());
}

void ClientTest::anEmptyChunkedAnswerInPiecesIsRead()
{
    const RawServer peer([](RawClient& connection) {
        connection.message();
        for (const char* part :
             {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "0", "\r", "\n", "\r", "\n"}) {
            connection.send(part);
            std::this_thread::sleep_for(20ms); // so that each comes by itself
        }
    });
    Caller caller(peer.port());
    const Outcome outcome = caller.send(charge("{}"));
    QVERIFY(isAnswered(outcome, 200));
    QCOMPARE(std::get<Answered>(outcome).body, std::string());
}

void ClientTest::redirectIsAnAnswerAndNotFollowed()
{
    const RawServer peer([](RawClient& connection) {
        connection.message();
        connection.send("HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n");
        connection.message(200ms);
    });
    Caller caller(peer.port());
    QVERIFY(isAnswered(caller.send(charge()), 307));
    QCOMPARE(peer.connections(), 1);
}

void ClientTest::refusedConnectionIsNotSent()
{
    Caller caller(test::freePort());
    const Outcome outcome = caller.send(charge());
    QVERIFY(std::holds_alternative<NotSent>(outcome));
    QVERIFY(!std::get<NotSent>(outcome).why.empty());
}

void ClientTest::unknownNameIsNotSent()
{
    Loop loop;
    const auto client = Client::create(loop, {.baseUrl = "http://no-such-host.invalid"});
    std::promise<Outcome> promise;
    (*client)->get("/", [&promise](Outcome outcome) { promise.set_value(std::move(outcome)); });
    QVERIFY(std::holds_alternative<NotSent>(promise.get_future().get()));
}

void ClientTest::connectTimeoutIsNotSent()
{
    // A listener that never accepts a TLS client: the handshake is what does not come to its end.
    std::promise<void> done;
    const RawServer peer([&done](RawClient&) { done.get_future().wait(); });
    Loop loop;
    const auto client = Client::create(
        loop, {.baseUrl = "https://127.0.0.1:" + std::to_string(peer.port()), .connectTimeout = 150ms});
    std::promise<Outcome> promise;
    (*client)->get("/", [&promise](Outcome outcome) { promise.set_value(std::move(outcome)); });
    const Outcome outcome = promise.get_future().get();
    done.set_value();
    QVERIFY(std::holds_alternative<NotSent>(outcome));
}

void ClientTest::passedSendBeforeIsNotSent()
{
    std::atomic<int> requests = 0;
    const RawServer peer([&requests](RawClient& connection) {
        while (!connection.message(500ms).empty()) {
            ++requests;
            connection.send(kOk);
        }
    });
    Caller caller(peer.port());
    auto late = caller.acquire();
    QVERIFY(late->ok());
    QVERIFY(std::holds_alternative<NotSent>(Caller::sendOn(std::move(**late), bootTime())));
    auto inTime = caller.acquire(); // the same connection: nothing was written to it
    QVERIFY(isAnswered(Caller::sendOn(std::move(**inTime), bootTime() + 10s), 200));
    QCOMPARE(requests.load(), 1);
    QCOMPARE(peer.connections(), 1);
}

void ClientTest::connectionClosedWhileLeasedIsNotSent()
{
    const RawServer peer([](RawClient&) {});
    Caller caller(peer.port());
    auto lease = caller.acquire();
    QVERIFY(lease->ok());
    std::this_thread::sleep_for(50ms);
    QVERIFY(std::holds_alternative<NotSent>(Caller::sendOn(std::move(**lease), kNoSendDeadline)));
}

void ClientTest::keptConnectionIsUsedAgain()
{
    const RawServer peer([](RawClient& connection) {
        while (!connection.message(500ms).empty())
            connection.send(kOk);
    });
    Caller caller(peer.port());
    for (int i = 0; i < 5; ++i)
        QVERIFY(isAnswered(caller.send(charge()), 200));
    QCOMPARE(peer.connections(), 1);
}

void ClientTest::keptConnectionClosedByThePeerIsNotUsed()
{
    const RawServer peer([](RawClient& connection) {
        connection.message();
        connection.send(kOk);
    });
    Caller caller(peer.port());
    for (int i = 1; i <= 3; ++i) {
        QVERIFY(isAnswered(caller.send(charge()), 200));
        std::this_thread::sleep_for(30ms);
        QCOMPARE(peer.connections(), i);
    }
}

void ClientTest::keptConnectionThatSpokeIsNotUsed()
{
    std::atomic<int> served = 0;
    const RawServer peer([&served](RawClient& connection) {
        connection.message();
        connection.send(kOk);
        if (served++ == 0) {
            std::this_thread::sleep_for(20ms);
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison");
            connection.message(100ms);
        }
    });
    Caller caller(peer.port());
    QVERIFY(isAnswered(caller.send(charge()), 200));
    std::this_thread::sleep_for(60ms);
    const Outcome second = caller.send(charge());
    QVERIFY(isAnswered(second, 200));
    QCOMPARE(std::get<Answered>(second).body, std::string("ok"));
    QCOMPARE(peer.connections(), 2);
}

void ClientTest::droppedLeaseGivesItsSlotAndConnectionBack()
{
    const RawServer peer([](RawClient& connection) {
        connection.message(2s);
        connection.send(kOk);
    });
    Caller caller(peer.port(), {.maxConnections = 1});
    for (int i = 0; i < 3; ++i)
        QVERIFY(caller.acquire()->ok());
    QVERIFY(isAnswered(caller.send(charge()), 200));
    QCOMPARE(peer.connections(), 1);
}

void ClientTest::waitersComeInOrderAndTheQueueIsBounded()
{
    const RawServer peer([](RawClient& connection) {
        while (!connection.message(500ms).empty())
            connection.send(kOk);
    });
    Caller caller(peer.port(), {.maxConnections = 1, .maxWaiting = 3});
    auto first = caller.acquire();
    std::vector<int> order;
    std::promise<void> all;
    for (int i = 0; i < 3; ++i)
        caller.client->acquire([&order, &all, i](const Result<Lease>& lease) {
            order.push_back(lease.ok() ? i : -1);
            if (order.size() == 3)
                all.set_value();
        });
    const auto refused = caller.acquire();
    QVERIFY(!refused->ok());
    QCOMPARE(refused->error().code, ErrorCode::Overloaded);
    QVERIFY(order.empty());
    first.reset();
    all.get_future().wait();
    QCOMPARE(order, (std::vector<int>{0, 1, 2}));
}

void ClientTest::failedConnectionFreesItsSlot()
{
    Caller caller(test::freePort(), {.maxConnections = 1});
    for (int i = 0; i < 5; ++i)
        QVERIFY(std::holds_alternative<NotSent>(caller.send(charge())));
}

void ClientTest::smuggledHeaderIsNotSent()
{
    std::atomic<int> requests = 0;
    const RawServer peer([&requests](RawClient& connection) {
        while (!connection.message(300ms).empty()) {
            ++requests;
            connection.send(kOk);
        }
    });
    Caller caller(peer.port());
    OutRequest request = charge();
    request.headers.add("X", "a\r\nY: b");
    QVERIFY(std::holds_alternative<NotSent>(caller.send(std::move(request))));
    QVERIFY(std::holds_alternative<NotSent>(caller.send(OutRequest{"GET", "/a b"})));
    QVERIFY(isAnswered(caller.send(charge()), 200));
    QCOMPARE(requests.load(), 1);
}

void ClientTest::malformedBaseUrlIsRefused()
{
    Loop loop;
    for (const char* url : {"", "bank", "ftp://bank", "http://", "http://:80", "http://bank:0", "http://bank:99999",
                            "http://bank:8x", "http://user@bank", "http://bank/?x=1", "http://[::1", "http://a b"})
        QVERIFY2(!Client::create(loop, {.baseUrl = url}).ok(), url);
    for (const char* url : {"http://bank", "https://bank:8443/v1/", "http://[::1]:8080/x"})
        QVERIFY2(Client::create(loop, {.baseUrl = url}).ok(), url);
}

void ClientTest::plainPeerBehindHttpsIsNotSent()
{
    const RawServer peer([](RawClient& connection) { connection.send("HTTP/1.1 400 Bad Request\r\n\r\n"); });
    Loop loop;
    const auto client = Client::create(loop, {.baseUrl = "https://127.0.0.1:" + std::to_string(peer.port())});
    std::promise<Outcome> promise;
    (*client)->get("/", [&promise](Outcome outcome) { promise.set_value(std::move(outcome)); });
    const Outcome outcome = promise.get_future().get();
    QVERIFY(std::holds_alternative<NotSent>(outcome));
    QVERIFY(std::get<NotSent>(outcome).why.find("TLS") != std::string::npos);
}

void ClientTest::manyRequestsOverFewConnections()
{
    Loop serving{{"serve", 2, 0}};
    const auto server = Server::start(serving, {"127.0.0.1:0", [](Request request, const Responder& responder) {
                                                    responder.answer({200, {}, std::move(request.body)});
                                                }});
    Caller caller((*server)->port(), {.maxConnections = 8});
    constexpr int kRequests = 2000;
    std::atomic<int> good = 0;
    std::atomic<int> ended = 0;
    for (int i = 0; i < kRequests; ++i)
        caller.client->request(charge(std::to_string(i)), [&good, &ended, i](const Outcome& outcome) {
            const auto* answered = std::get_if<Answered>(&outcome);
            good += answered && answered->body == std::to_string(i) ? 1 : 0;
            ++ended;
        });
    QTRY_COMPARE_WITH_TIMEOUT(ended.load(), kRequests, 20'000);
    QCOMPARE(good.load(), kRequests);
    QVERIFY((*server)->counts().accepted <= 8);
}

TEKIL_TEST(ClientTest)
#include "client_test.moc"
