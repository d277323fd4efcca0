// HTTPS: which versions are served, how slow and wrong peers are cut, how connections end, and how certificates change.
#include "core/http/server.h"
#include "tests/support/raw_http.h"
#include "tests/support/test_main.h"
#include "tests/support/tls_client.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <future>

using namespace tekil;
using namespace tekil::http;
using namespace std::chrono_literals;
using tekil::test::RawClient;
using tekil::test::TlsClient;

namespace {

constexpr const char* kGet = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n";

} // namespace

class TlsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_handled = 0;
        test::writeCertificate(path("cert.pem"), path("key.pem"), "first");
    }
    void oldVersionsAreRefusedAndNewOnesServed_data();
    void oldVersionsAreRefusedAndNewOnesServed();
    void manyRequestsAndLargeOnesGoThrough();
    void aSlowHandshakeIsCut();
    void plainHttpIsToldToUseHttps();
    void whatIsNoTlsIsCut();
    void aCloseIsSaidWithCloseNotify();
    void aDrainClosesIdleConnectionsAndFinishesTheOthers();
    void aNewCertificateIsServedAfterAReload();
    void aBadFileIsNamed_data();
    void aBadFileIsNamed();

private:
    std::string path(const char* name) const { return m_directory.filePath(QLatin1String(name)).toStdString(); }
    std::unique_ptr<Server> start(ServerLimits limits = {}, Handler handler = {})
    {
        if (!handler)
            handler = [this](const Request& request, const Responder& responder) {
                ++m_handled;
                responder.answer({200, {}, "hello " + std::to_string(request.body.size()) + ";"});
            };
        auto server = Server::start(m_loop, {.listen = "127.0.0.1:0",
                                             .handler = std::move(handler),
                                             .limits = limits,
                                             .tls = TlsFiles{path("cert.pem"), path("key.pem")}});
        return std::move(server).value();
    }

    QTemporaryDir m_directory;
    std::atomic<int> m_handled = 0;
    Loop m_loop{{"test", 2, 0}};
};

void TlsTest::oldVersionsAreRefusedAndNewOnesServed_data()
{
    QTest::addColumn<int>("version");
    QTest::addColumn<bool>("served");
    QTest::newRow("1.0") << TLS1_VERSION << false;
    QTest::newRow("1.1") << TLS1_1_VERSION << false;
    QTest::newRow("1.2") << TLS1_2_VERSION << true;
    QTest::newRow("1.3") << TLS1_3_VERSION << true;
}

void TlsTest::oldVersionsAreRefusedAndNewOnesServed()
{
    QFETCH(int, version);
    QFETCH(bool, served);
    const auto server = start();
    QVERIFY(server->url().starts_with("https://127.0.0.1:"));
    TlsClient client(server->port(), version);
    QCOMPARE(client.isOpen(), served);
    if (served) {
        client.send(kGet);
        QVERIFY(client.receive("hello 0;").ends_with("hello 0;"));
    } else {
        QTRY_COMPARE(server->counts().handshakesFailed, std::uint64_t(1));
    }
    QCOMPARE(m_handled.load(), served ? 1 : 0);
}

void TlsTest::manyRequestsAndLargeOnesGoThrough()
{
    const auto server = start();
    TlsClient client(server->port(), TLS1_3_VERSION);
    std::string all;
    for (int i = 0; i < 20; ++i)
        all += "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 60000\r\n\r\n" + std::string(60'000, 'b');
    std::thread sending([&client, &all] { client.send(all); });
    std::string answers;
    for (int i = 0; i < 20; ++i)
        answers += client.receive("hello 60000;");
    sending.join();
    QTRY_COMPARE(m_handled.load(), 20);
    QCOMPARE(server->counts().accepted, std::uint64_t(1));
}

void TlsTest::aSlowHandshakeIsCut()
{
    const auto server = start({.handshakeTimeout = 150ms});
    RawClient silent(server->port());
    RawClient half(server->port());
    half.send("\x16\x03\x01");
    QCOMPARE(silent.untilClosed(), std::string());
    QVERIFY(silent.wasClosed() && !silent.wasReset());
    half.untilClosed();
    QVERIFY(half.wasClosed());
    QCOMPARE(server->counts().timedOut, std::uint64_t(2));
}

void TlsTest::plainHttpIsToldToUseHttps()
{
    const auto server = start();
    RawClient client(server->port());
    client.send(kGet);
    const std::string answer = client.untilClosed();
    QCOMPARE(test::statusOf(answer), 400);
    QVERIFY(answer.find("https") != std::string::npos);
    QVERIFY(client.wasClosed() && !client.wasReset());
    QCOMPARE(m_handled.load(), 0);
}

void TlsTest::whatIsNoTlsIsCut()
{
    const auto server = start();
    RawClient client(server->port());
    client.send(std::string("\x16\x03\x01\x00\x05hello", 10) + std::string(2000, '\0'));
    client.untilClosed();
    QVERIFY(client.wasClosed() && !client.wasReset());
    QTRY_COMPARE(server->counts().open, std::size_t(0));
    QCOMPARE(m_handled.load(), 0);
}

void TlsTest::aCloseIsSaidWithCloseNotify()
{
    const auto server = start({.idleTimeout = 150ms});
    TlsClient asked(server->port(), TLS1_3_VERSION);
    asked.send("GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    QVERIFY(asked.receive({}).ends_with("hello 0;"));
    QVERIFY(asked.sawCloseNotify());
    TlsClient idle(server->port(), TLS1_2_VERSION);
    idle.send(kGet);
    QVERIFY(idle.receive({}).ends_with("hello 0;")); // until the server finds it idle
    QVERIFY(idle.sawCloseNotify());
}

void TlsTest::aDrainClosesIdleConnectionsAndFinishesTheOthers()
{
    std::promise<Responder> given;
    const auto server = start({}, [&given](const Request& request, const Responder& responder) {
        if (request.path == "/wait")
            given.set_value(responder);
        else
            responder.answer({200, {}, "hello;"});
    });
    TlsClient idle(server->port(), TLS1_3_VERSION);
    idle.send(kGet);
    QVERIFY(idle.receive("hello;").ends_with("hello;"));
    TlsClient busy(server->port(), TLS1_3_VERSION);
    busy.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    auto responder = std::make_unique<Responder>(given.get_future().get());
    auto drained = std::async(std::launch::async, [&server] { return server->drain(10s); });
    QCOMPARE(idle.receive({}), std::string());
    QVERIFY(idle.sawCloseNotify());
    responder->answer({200, {}, "done"});
    const std::string answer = busy.receive({});
    QVERIFY(answer.ends_with("done"));
    QVERIFY(answer.find("Connection: close\r\n") != std::string::npos);
    QVERIFY(busy.sawCloseNotify());
    QVERIFY(drained.get());
    responder.reset();
}

void TlsTest::aNewCertificateIsServedAfterAReload()
{
    const auto server = start();
    TlsClient before(server->port(), TLS1_3_VERSION);
    QCOMPARE(before.peer(), std::string("first"));
    test::writeCertificate(path("cert.pem"), path("key.pem"), "second");
    QVERIFY(server->reloadTls().ok());
    QCOMPARE(TlsClient(server->port(), TLS1_3_VERSION).peer(), std::string("second"));
    before.send(kGet);
    QVERIFY(before.receive("hello 0;").ends_with("hello 0;"));
    std::ofstream(path("key.pem")) << "no key";
    const auto again = server->reloadTls();
    QVERIFY(!again.ok());
    QVERIFY2(again.error().detail.find(path("key.pem")) != std::string::npos, again.error().detail.c_str());
    QCOMPARE(TlsClient(server->port(), TLS1_3_VERSION).peer(), std::string("second"));
}

void TlsTest::aBadFileIsNamed_data()
{
    QTest::addColumn<QByteArray>("certificate");
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QByteArray>("named");
    QTest::newRow("no certificate") << QByteArray("none.pem") << QByteArray("key.pem") << QByteArray("none.pem");
    QTest::newRow("no key") << QByteArray("cert.pem") << QByteArray("none.pem") << QByteArray("none.pem");
    QTest::newRow("no PEM") << QByteArray("text.pem") << QByteArray("key.pem") << QByteArray("text.pem");
    QTest::newRow("another key") << QByteArray("cert.pem") << QByteArray("key2.pem") << QByteArray("key2.pem");
    QTest::newRow("a directory") << QByteArray("cert.pem") << QByteArray(".") << QByteArray(".");
    QTest::newRow("a key with a passphrase")
        << QByteArray("cert.pem") << QByteArray("locked.pem") << QByteArray("locked.pem");
}

void TlsTest::aBadFileIsNamed()
{
    QFETCH(QByteArray, certificate);
    QFETCH(QByteArray, key);
    QFETCH(QByteArray, named);
    std::ofstream(path("text.pem")) << "hello";
    test::writeCertificate(path("cert2.pem"), path("key2.pem"), "other");
    EVP_PKEY* locked = EVP_EC_gen("P-256");
    std::FILE* file = std::fopen(path("locked.pem").c_str(), "w");
    unsigned char passphrase[] = "secret";
    PEM_write_PrivateKey(file, locked, EVP_aes_256_cbc(), passphrase, 6, nullptr, nullptr);
    std::fclose(file);
    EVP_PKEY_free(locked);
    const auto server = Server::start(m_loop, {.listen = "127.0.0.1:0",
                                               .handler = [](const Request&, const Responder&) {},
                                               .tls = TlsFiles{path(certificate.constData()), path(key.constData())}});
    QVERIFY(!server.ok());
    QCOMPARE(server.error().code, ErrorCode::IoFailed);
    const std::string& why = server.error().detail;
    QVERIFY2(why.find(path(named.constData())) != std::string::npos && why.find('\n') == std::string::npos,
             why.c_str());
}

TEKIL_TEST(TlsTest)
#include "tls_test.moc"
