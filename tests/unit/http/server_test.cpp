#include "core/base/json.h"
#include "core/http/problem.h"
#include "core/http/server.h"
#include "tests/support/raw_http.h"
#include "tests/support/test_main.h"

#include <QCoreApplication>
#include <QTest>
#include <clocale>
#include <future>
#include <mutex>
#include <set>

using namespace tekil;
using namespace tekil::http;
using namespace std::chrono_literals;
using tekil::test::RawClient;

namespace {

// Answers each request with its method, path and body; keeps what it saw.
struct Echo {
    explicit Echo(ServerLimits limits = {})
        : server(std::move(Server::start(loop, {"127.0.0.1:0",
                                                [this](Request request, const Responder& responder) {
                                                    serve(std::move(request), responder);
                                                },
                                                limits})
                               .value()))
    {
    }

    void serve(Request request, const Responder& responder)
    {
        Response response{200, {}, request.method + " " + request.path + " " + request.body};
        {
            const std::lock_guard lock(mutex);
            seen.push_back(std::move(request));
        }
        responder.trust();
        responder.answer(std::move(response));
    }
    Request last()
    {
        const std::lock_guard lock(mutex);
        return seen.empty() ? Request{} : seen.back();
    }
    std::size_t count()
    {
        const std::lock_guard lock(mutex);
        return seen.size();
    }
    RawClient connect() const { return RawClient(server->port()); }

    std::mutex mutex;
    std::vector<Request> seen;
    Loop loop{{"test", 2, 0}};
    std::unique_ptr<Server> server;
};

std::string typeOf(const std::string& message)
{
    const auto body = parseJson(test::bodyOf(message));
    return body.ok() && body->find("type") ? body->find("type")->text : "no problem";
}

constexpr const char* kGet = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n";

} // namespace

class ServerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void answersAndKeepsTheConnection();
    void requestInSingleBytesIsOneRequest();
    void pipelinedRequestsAreAnsweredInOrder();
    void chunkedBodyIsReadAndItsTrailersAreNoHeaders();
    void badFramingIsRefusedAndClosed_data();
    void badFramingIsRefusedAndClosed();
    void sizesBeyondTheLimitsAreRefused_data();
    void sizesBeyondTheLimitsAreRefused();
    void sizesAtTheLimitsAreTaken();
    void expectationIsMetBeforeTheBody();
    void tooLargeABodyIsRefusedBeforeItIsSent();
    void slowClientIsCut();
    void slowBodyIsCut();
    void idleConnectionIsClosed();
    void droppedResponderBecomesInternalError();
    void onlyTheFirstAnswerCounts();
    void lateAnswerFromAnotherThreadArrives();
    void headerNamesHaveNoCaseAndValuesDo_data();
    void headerNamesHaveNoCaseAndValuesDo();
    void twoHeaderLinesAreTwoValues();
    void queryIsDecoded();
    void oldClientsAreServed();
    void headGetsNoBody();
    void smuggledHeaderInAnAnswerBecomesInternalError();
    void connectionsBeyondTheLimitAreRefused();
    void takenPortIsNamedWithItsHolder();
    void malformedListenAddressIsRefused();
    void drainFinishesWhatIsInFlight();
    void drainLeavesPipelinedRequestsToBeSentAgain();
    void aSecondAnswerNeverOvertakesTheFirst();
    void otherExpectationsAreRefused();
    void hundredsOfConnectionsAtOnceAreServed();
    void problemTableIsWhole();
};

void ServerTest::answersAndKeepsTheConnection()
{
    Echo echo;
    RawClient client = echo.connect();
    for (int i = 0; i < 3; ++i) {
        client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello");
        const std::string answer = client.message();
        QCOMPARE(test::statusOf(answer), 200);
        QCOMPARE(test::bodyOf(answer), std::string("POST /a hello"));
    }
    QVERIFY(echo.last().remote.starts_with("127.0.0.1:"));
    QCOMPARE(echo.server->counts().accepted, std::uint64_t(1));
}

void ServerTest::requestInSingleBytesIsOneRequest()
{
    Echo echo;
    RawClient client = echo.connect();
    const std::string request = "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                                "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n";
    for (const char c : request) {
        client.send({&c, 1});
        std::this_thread::sleep_for(200us);
    }
    QCOMPARE(test::bodyOf(client.message()), std::string("POST /a hello"));
}

void ServerTest::pipelinedRequestsAreAnsweredInOrder()
{
    Echo echo;
    RawClient client = echo.connect();
    std::string all;
    for (int i = 0; i < 200; ++i)
        all += "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx";
    client.send(all);
    for (int i = 0; i < 200; ++i)
        QCOMPARE(test::bodyOf(client.message()), "POST /" + std::to_string(i) + " x");
}

void ServerTest::chunkedBodyIsReadAndItsTrailersAreNoHeaders()
{
    Echo echo;
    RawClient client = echo.connect();
    client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                "4;ext=1\r\nWiki\r\n5\r\npedia\r\n0\r\nIdempotency-Key: smuggled\r\n\r\n");
    QCOMPARE(test::bodyOf(client.message()), std::string("POST / Wikipedia"));
    QVERIFY(!echo.last().headers.find("Idempotency-Key"));
}

void ServerTest::badFramingIsRefusedAndClosed_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const auto row = [](const char* name, const char* bytes) { QTest::newRow(name) << QByteArray(bytes); };
    row("length and chunked",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    row("chunked and length",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n");
    row("two lengths", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello");
    row("two lengths in one line", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5, 6\r\n\r\nhello");
    row("negative length", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n");
    row("length with a plus", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +5\r\n\r\nhello");
    row("endless length", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n");
    row("unknown coding", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n");
    row("coding after chunked", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, gzip\r\n\r\n");
    row("coding before chunked", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n");
    row("chunked in HTTP/1.0", "POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    row("bad chunk size", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
    row("endless chunk size", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n");
    row("no host", "GET / HTTP/1.1\r\n\r\n");
    row("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
    row("blank before the colon", "GET / HTTP/1.1\r\nHost: h\r\nContent-Length : 5\r\n\r\nhello");
    row("control character in a value", "GET / HTTP/1.1\r\nHost: h\r\nIdempotency-Key: a\x01"
                                        "b\r\n\r\n");
    row("HTTP/2.0", "GET / HTTP/2.0\r\nHost: h\r\n\r\n");
    row("no HTTP at all", "\x16\x03\x01\x02\x00\x01\r\n\r\n");
    row("broken percent escape", "GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n");
    row("NUL in the path", "GET /%00 HTTP/1.1\r\nHost: h\r\n\r\n");
    row("asterisk form", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n");
}

void ServerTest::badFramingIsRefusedAndClosed()
{
    QFETCH(QByteArray, bytes);
    Echo echo;
    RawClient client = echo.connect();
    client.send(bytes.toStdString());
    const std::string answer = client.message();
    QCOMPARE(test::statusOf(answer), 400);
    QCOMPARE(typeOf(answer), std::string("/problems/request-invalid"));
    QVERIFY(answer.find("Content-Type: application/problem+json\r\n") != std::string::npos);
    QVERIFY(answer.find("Connection: close\r\n") != std::string::npos);
    client.untilClosed();
    QVERIFY(client.wasClosed());
    QVERIFY(!client.wasReset());
    QCOMPARE(echo.count(), std::size_t(0));
}

void ServerTest::sizesBeyondTheLimitsAreRefused_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("type");
    const QByteArray post = "POST / HTTP/1.1\r\nHost: h\r\n";
    const auto row = [](const char* name, const QByteArray& bytes, int status, const char* type) {
        QTest::newRow(name) << bytes << status << QByteArray(type);
    };
    row("long target", "GET /" + QByteArray(17 * 1024, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n", 431, "headers-too-large");
    row("target without an end", "GET /" + QByteArray(40 * 1024, 'a'), 431, "headers-too-large");
    row("one long header", post + "X: " + QByteArray(17 * 1024, 'a') + "\r\n\r\n", 431, "headers-too-large");
    QByteArray many = post;
    for (int i = 0; i < 4000; ++i)
        many += "X-Header-" + QByteArray::number(i) + ": value\r\n";
    row("many headers", many, 431, "headers-too-large");
    row("headers just beyond", post + QByteArray("X: " + QByteArray(95, 'a') + "\r\n").repeated(164) + "\r\n", 431,
        "headers-too-large");
    row("target and headers together",
        "GET /" + QByteArray(9000, 'a') + " HTTP/1.1\r\nHost: h\r\nX: " + QByteArray(9000, 'a') + "\r\n\r\n", 431,
        "headers-too-large");
    row("length", post + "Content-Length: 65537\r\n\r\n", 413, "payload-too-large");
    row("length and body", post + "Content-Length: 200000\r\n\r\n" + QByteArray(200000, 'b'), 413, "payload-too-large");
    QByteArray chunks = post + "Transfer-Encoding: chunked\r\n\r\n";
    for (int i = 0; i < 20; ++i)
        chunks += "1000\r\n" + QByteArray(4096, 'c') + "\r\n";
    row("chunks", chunks, 413, "payload-too-large");
}

void ServerTest::sizesBeyondTheLimitsAreRefused()
{
    QFETCH(QByteArray, bytes);
    QFETCH(int, status);
    QFETCH(QByteArray, type);
    Echo echo;
    RawClient client = echo.connect();
    client.send(bytes.toStdString());
    const std::string answer = client.message();
    QCOMPARE(test::statusOf(answer), status);
    QCOMPARE(typeOf(answer), "/problems/" + type.toStdString());
    client.untilClosed();
    QVERIFY(!client.wasReset());
    QCOMPARE(echo.count(), std::size_t(0));
}

void ServerTest::sizesAtTheLimitsAreTaken()
{
    Echo echo;
    RawClient client = echo.connect();
    const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 65536\r\nX: ";
    const std::string body(65536, 'b');
    client.send(head + std::string(16 * 1024 - head.size() - 4, 'a') + "\r\n\r\n" + body);
    QCOMPARE(test::statusOf(client.message()), 200);
    QCOMPARE(echo.last().body, body);
}

void ServerTest::expectationIsMetBeforeTheBody()
{
    Echo echo;
    RawClient client = echo.connect();
    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-Continue\r\n\r\n");
    QCOMPARE(client.message(), std::string("HTTP/1.1 100 Continue\r\n\r\n"));
    client.send("hello");
    QCOMPARE(test::bodyOf(client.message()), std::string("POST / hello"));
}

void ServerTest::tooLargeABodyIsRefusedBeforeItIsSent()
{
    Echo echo;
    RawClient client = echo.connect();
    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 70000\r\nExpect: 100-continue\r\n\r\n");
    QCOMPARE(test::statusOf(client.message()), 413);
}

void ServerTest::slowClientIsCut()
{
    Echo echo({.headerTimeout = 150ms});
    RawClient client = echo.connect();
    client.send("GET / HTTP/1.1\r\nHos");
    const std::string answer = client.message();
    QCOMPARE(test::statusOf(answer), 408);
    QCOMPARE(typeOf(answer), std::string("/problems/request-timeout"));
    client.untilClosed();
    QVERIFY(client.wasClosed());
    QCOMPARE(echo.server->counts().timedOut, std::uint64_t(1));
}

void ServerTest::slowBodyIsCut()
{
    Echo echo({.bodyTimeout = 150ms});
    RawClient client = echo.connect();
    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 50\r\n\r\nhel");
    for (int i = 0; i < 20; ++i) { // a drop now and then does not keep it alive
        client.send("x");
        std::this_thread::sleep_for(20ms);
    }
    QCOMPARE(test::statusOf(client.message()), 408);
    QCOMPARE(echo.count(), std::size_t(0));
}

void ServerTest::idleConnectionIsClosed()
{
    Echo echo({.firstTimeout = 150ms, .idleTimeout = 150ms});
    RawClient silent = echo.connect();
    RawClient client = echo.connect();
    client.send(kGet);
    QCOMPARE(test::statusOf(client.message()), 200);
    QCOMPARE(client.untilClosed(), std::string());
    QVERIFY(client.wasClosed());
    silent.untilClosed();
    QVERIFY(silent.wasClosed());
}

void ServerTest::droppedResponderBecomesInternalError()
{
    Loop loop;
    const auto server = Server::start(loop, {"127.0.0.1:0", [](Request, const Responder&) {}});
    RawClient client((*server)->port());
    for (int i = 0; i < 2; ++i) {
        client.send(kGet);
        const std::string answer = client.message();
        QCOMPARE(test::statusOf(answer), 500);
        QCOMPARE(typeOf(answer), std::string("/problems/internal"));
    }
}

void ServerTest::onlyTheFirstAnswerCounts()
{
    Loop loop;
    std::atomic<int> taken = 0;
    const auto server = Server::start(loop, {"127.0.0.1:0", [&taken](Request, const Responder& responder) {
                                                 taken += responder.answer(Response{200, {}, "first"}) ? 1 : 0;
                                                 taken += responder.answer(Response{200, {}, "second"}) ? 1 : 0;
                                                 taken += responder.cut(Responder::Cut::Fin) ? 1 : 0;
                                             }});
    RawClient client((*server)->port());
    for (int i = 1; i <= 2; ++i) {
        client.send(kGet);
        QCOMPARE(test::bodyOf(client.message()), std::string("first"));
        QTRY_COMPARE(taken.load(), i);
    }
}

void ServerTest::lateAnswerFromAnotherThreadArrives()
{
    Loop loop;
    std::promise<Responder> given;
    const auto server = Server::start(
        loop, {"127.0.0.1:0", [&given](Request, const Responder& responder) { given.set_value(responder); }});
    RawClient client((*server)->port());
    client.send(kGet);
    {
        const Responder responder = given.get_future().get();
        std::this_thread::sleep_for(50ms);
        QVERIFY(client.message(1ms).empty());
        QVERIFY(responder.answer(Response{202, {{"Location", "/payments/1"}}, "later"}));
    }
    const std::string answer = client.message();
    QCOMPARE(test::statusOf(answer), 202);
    QVERIFY(answer.find("Location: /payments/1\r\n") != std::string::npos);
}

void ServerTest::headerNamesHaveNoCaseAndValuesDo_data()
{
    QTest::addColumn<QByteArray>("locale");
    QTest::newRow("C") << QByteArray("C");
    QTest::newRow("Turkish") << QByteArray("tr_TR.UTF-8");
}

void ServerTest::headerNamesHaveNoCaseAndValuesDo()
{
    QFETCH(QByteArray, locale);
    if (!std::setlocale(LC_ALL, locale.constData()))
        QSKIP("the locale is not installed");
    Echo echo;
    RawClient client = echo.connect();
    for (const char* name : {"idempotency-key", "IDEMPOTENCY-KEY", "Idempotency-Key"}) {
        client.send(std::string("POST / HTTP/1.1\r\nHOST: h\r\nCONTENT-LENGTH: 2\r\n") + name + ": \"Ib\"\r\n\r\nhi");
        QCOMPARE(test::bodyOf(client.message()), std::string("POST / hi"));
        QCOMPARE(echo.last().headers.values("Idempotency-Key"), std::vector<std::string_view>{"\"Ib\""});
    }
    std::setlocale(LC_ALL, "C");
    QVERIFY(equalsIgnoringCase("IDR", "idr"));
    QVERIFY(!equalsIgnoringCase("\xC4\xB0", "i"));
}

void ServerTest::twoHeaderLinesAreTwoValues()
{
    Echo echo;
    RawClient client = echo.connect();
    client.send("GET / HTTP/1.1\r\nHost: h\r\nIdempotency-Key: a\r\nidempotency-key:b \r\n\r\n");
    client.message();
    const Request request = echo.last();
    QCOMPARE(request.headers.values("Idempotency-Key"), (std::vector<std::string_view>{"a", "b"}));
}

void ServerTest::queryIsDecoded()
{
    Echo echo;
    RawClient client = echo.connect();
    client.send("GET /pay%6Dents?idempotencyKey=%22a%2Bb%22&x=1&x=2&empty HTTP/1.1\r\nHost: h\r\n\r\n");
    client.message();
    const Request request = echo.last();
    QCOMPARE(request.path, std::string("/payments"));
    QCOMPARE(request.queryValues("idempotencyKey"), std::vector<std::string_view>{"\"a+b\""});
    QCOMPARE(request.queryValues("x"), (std::vector<std::string_view>{"1", "2"}));
    QCOMPARE(request.queryValues("empty"), std::vector<std::string_view>{""});
    client.send("GET http://h/absolute?x=3 HTTP/1.1\r\nHost: h\r\n\r\n");
    client.message();
    QCOMPARE(echo.last().path, std::string("/absolute"));
}

void ServerTest::oldClientsAreServed()
{
    Echo echo;
    RawClient client = echo.connect();
    client.send("GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    QVERIFY(client.message().find("Connection: keep-alive\r\n") != std::string::npos);
    client.send("GET /old HTTP/1.0\r\n\r\n");
    QCOMPARE(test::bodyOf(client.untilClosed()), std::string("GET /old "));
    QVERIFY(client.wasClosed());
}

void ServerTest::headGetsNoBody()
{
    Echo echo;
    RawClient client = echo.connect();
    client.send("HEAD /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    const std::string answer = client.untilClosed();
    QVERIFY(answer.find("Content-Length: 8\r\n") != std::string::npos);
    QVERIFY(answer.ends_with("\r\n\r\n"));
}

void ServerTest::smuggledHeaderInAnAnswerBecomesInternalError()
{
    Loop loop;
    const auto server = Server::start(loop, {"127.0.0.1:0", [](Request, const Responder& responder) {
                                                 responder.answer({201, {{"Location", "/x\r\nSet-Cookie: a=b"}}, ""});
                                             }});
    RawClient client((*server)->port());
    client.send(kGet);
    const std::string answer = client.message();
    QCOMPARE(test::statusOf(answer), 500);
    QVERIFY(answer.find("Set-Cookie") == std::string::npos);
}

void ServerTest::connectionsBeyondTheLimitAreRefused()
{
    Echo echo({.connections = 2});
    RawClient one = echo.connect();
    one.send(kGet);
    QCOMPARE(test::statusOf(one.message()), 200);
    {
        RawClient two = echo.connect();
        two.send(kGet);
        QCOMPARE(test::statusOf(two.message()), 200);
        RawClient three = echo.connect();
        const std::string answer = three.message();
        QCOMPARE(test::statusOf(answer), 503);
        QCOMPARE(typeOf(answer), std::string("/problems/overloaded"));
        QVERIFY(answer.find("Retry-After: ") != std::string::npos);
        three.untilClosed();
        QVERIFY(three.wasClosed());
    }
    QTRY_COMPARE(echo.server->counts().open, std::size_t(1));
    RawClient four = echo.connect();
    four.send(kGet);
    QCOMPARE(test::statusOf(four.message()), 200);
}

void ServerTest::takenPortIsNamedWithItsHolder()
{
    Echo echo;
    const auto second = Server::start(echo.loop, {echo.server->address(), [](Request, const Responder&) {}});
    QVERIFY(!second.ok());
    QCOMPARE(second.error().code, ErrorCode::IoFailed);
    QVERIFY2(second.error().detail.find(echo.server->address()) != std::string::npos, second.error().detail.c_str());
    const std::string self = "pid " + std::to_string(QCoreApplication::applicationPid());
    QVERIFY2(second.error().detail.find(self) != std::string::npos, second.error().detail.c_str());
}

void ServerTest::malformedListenAddressIsRefused()
{
    Loop loop;
    for (const char* listen :
         {"", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:8x", "::1:8080", "name:80"}) {
        const auto server = Server::start(loop, {listen, [](Request, const Responder&) {}});
        QVERIFY2(!server.ok() && server.error().code == ErrorCode::InvalidArgument, listen);
    }
}

void ServerTest::drainFinishesWhatIsInFlight()
{
    Loop loop{{"test", 2, 0}};
    std::promise<Responder> given;
    const auto server = Server::start(loop, {"127.0.0.1:0", [&given](Request request, const Responder& responder) {
                                                 if (request.path == "/wait")
                                                     given.set_value(responder);
                                                 else
                                                     responder.answer({});
                                             }});
    RawClient idle((*server)->port());
    idle.send(kGet);
    idle.message();
    RawClient busy((*server)->port());
    busy.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    auto responder = std::make_unique<Responder>(given.get_future().get());
    auto drained = std::async(std::launch::async, [&server] { return (*server)->drain(5s); });
    idle.untilClosed();
    QVERIFY(idle.wasClosed());
    QVERIFY(drained.wait_for(20ms) == std::future_status::timeout);
    QVERIFY(!RawClient((*server)->port()).isConnected());
    responder->answer({200, {}, "done"});
    const std::string answer = busy.message();
    QCOMPARE(test::bodyOf(answer), std::string("done"));
    QVERIFY(answer.find("Connection: close\r\n") != std::string::npos);
    busy.close();
    QVERIFY(drained.get());
    responder.reset();
}

// RFC 9112, section 9.6: behind "Connection: close" nothing was done, and the client may send it again.
void ServerTest::drainLeavesPipelinedRequestsToBeSentAgain()
{
    Loop loop{{"test", 2, 0}};
    std::promise<Responder> given;
    std::atomic<int> handled = 0;
    const auto server = Server::start(loop, {"127.0.0.1:0", [&](const Request& request, const Responder& responder) {
                                                 ++handled;
                                                 if (request.path == "/wait")
                                                     given.set_value(responder);
                                                 else
                                                     responder.answer({});
                                             }});
    RawClient client((*server)->port());
    client.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\nPOST /second HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi");
    auto responder = std::make_unique<Responder>(given.get_future().get());
    (*server)->beginDrain();
    responder->answer({200, {}, "done"});
    const std::string answer = client.message();
    QCOMPARE(test::bodyOf(answer), std::string("done"));
    QVERIFY(answer.find("Connection: close\r\n") != std::string::npos);
    QCOMPARE(client.untilClosed(), std::string());
    QVERIFY(client.wasClosed() && !client.wasReset());
    QVERIFY((*server)->drain(5s));
    QCOMPARE(handled.load(), 1);
    responder.reset();
}

void ServerTest::aSecondAnswerNeverOvertakesTheFirst()
{
    Loop loop{{"test", 2, 0}};
    std::promise<Responder> given;
    std::atomic<int> handled = 0;
    const auto server = Server::start(loop, {"127.0.0.1:0", [&](const Request& request, const Responder& responder) {
                                                 ++handled;
                                                 if (request.path == "/slow")
                                                     given.set_value(responder);
                                                 else
                                                     responder.answer({200, {}, "quick"});
                                             }});
    RawClient client((*server)->port());
    client.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\nGET /quick HTTP/1.1\r\nHost: h\r\n\r\n");
    auto responder = std::make_unique<Responder>(given.get_future().get());
    QVERIFY(client.message(100ms).empty());
    responder->answer({200, {}, "slow"});
    responder.reset();
    QCOMPARE(test::bodyOf(client.message()), std::string("slow"));
    QCOMPARE(test::bodyOf(client.message()), std::string("quick"));
    QCOMPARE(handled.load(), 2);
}

void ServerTest::otherExpectationsAreRefused()
{
    Echo echo;
    RawClient client = echo.connect();
    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: something\r\n\r\n");
    const std::string answer = client.message();
    QCOMPARE(test::statusOf(answer), 417);
    QCOMPARE(typeOf(answer), std::string("/problems/expectation-failed"));
    client.untilClosed();
    QVERIFY(client.wasClosed());
    QCOMPARE(echo.count(), std::size_t(0));
}

void ServerTest::hundredsOfConnectionsAtOnceAreServed()
{
    Echo echo;
    std::vector<RawClient> clients;
    for (int i = 0; i < 400; ++i)
        clients.push_back(echo.connect());
    for (RawClient& client : clients)
        client.send(kGet);
    for (RawClient& client : clients)
        QCOMPARE(test::statusOf(client.message()), 200);
    QCOMPARE(echo.server->counts().open, std::size_t(400));
}

void ServerTest::problemTableIsWhole()
{
    std::set<std::string_view> names;
    for (const ProblemRow& row : problemTable()) {
        QVERIFY(names.insert(row.name).second);
        QVERIFY(row.status >= 400 && row.status < 600);
        if (row.status == 429 || row.status == 503 || row.type == ProblemType::KeyInFlight)
            QVERIFY(row.retryAfterSeconds > 0 && row.retry == RetryAdvice::SameKey);
    }
    const Response mismatch = problemOf(Error{ErrorCode::PayloadMismatch, "the key belongs to another amount"});
    const auto body = parseJson(mismatch.body);
    QCOMPARE(mismatch.status, 422);
    QCOMPARE(body->find("status")->text, std::string("422"));
    QCOMPARE(body->find("retry")->text, std::string("new-key"));
    const Response inside = problemOf(Error{ErrorCode::StatementFailed, "relation \"secret\" does not exist"});
    QVERIFY(inside.body.find("secret") == std::string::npos);
    const Response duplicate = problem(ProblemType::DuplicateOperation, "see its location",
                                       {"\"operationId\":\"x\"", {{"Location", "/payments/x"}}});
    QCOMPARE(parseJson(duplicate.body)->find("operationId")->text, std::string("x"));
    QCOMPARE(*duplicate.headers.find("location"), std::string("/payments/x"));
}

TEKIL_TEST(ServerTest)
#include "server_test.moc"
