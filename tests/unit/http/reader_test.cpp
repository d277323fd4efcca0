// How bytes become requests: whatever the pieces they come in, and strictly where another reader might see another
// request.
#include "core/http/request_reader.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace tekil;
using namespace tekil::http;
using namespace std::string_literals;

namespace {

struct Read {
    RequestReader::State state = RequestReader::State::Head;
    Request request;
    Refusal refusal;
    std::string rest;
};

// Gives the bytes in pieces of that size.
Read readIn(std::string_view bytes, std::size_t piece, ReaderLimits limits = {})
{
    RequestReader reader(limits);
    Read out;
    while (!bytes.empty()) {
        std::string_view part = bytes.substr(0, piece);
        bytes.remove_prefix(part.size());
        do
            out.state = reader.read(part);
        while (!part.empty() && out.state != RequestReader::State::Done && out.state != RequestReader::State::Refused);
        if (out.state == RequestReader::State::Done || out.state == RequestReader::State::Refused) {
            out.rest = std::string(part) + std::string(bytes);
            break;
        }
    }
    if (out.state == RequestReader::State::Done)
        out.request = reader.take();
    out.refusal = reader.refusal();
    return out;
}

constexpr const char* kChunked = "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";

} // namespace

class ReaderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void piecesOfAnySizeMakeTheSameRequest_data();
    void piecesOfAnySizeMakeTheSameRequest();
    void whatIsAmbiguousIsRefused_data();
    void whatIsAmbiguousIsRefused();
    void limitsAreExact();
};

void ReaderTest::piecesOfAnySizeMakeTheSameRequest_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("body");
    const auto row = [](const char* name, const std::string& bytes, const char* body) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray(body);
    };
    const std::string chunked = kChunked;
    row("no body", "GET /a HTTP/1.1\r\nHost: h\r\n\r\n", "");
    row("empty lines before it", "\r\n\r\nGET /a HTTP/1.1\r\nHost: h\r\n\r\n", "");
    row("length", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello", "hello");
    row("chunks", chunked + "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "hello");
    row("an empty chunked body", chunked + "0\r\n\r\n", "");
    row("extensions", chunked + "5;a=b;c=\"d e\"\r\nhello\r\n0 ;x\r\n\r\n", "hello");
    row("trailers", chunked + "5\r\nhello\r\n0\r\nIdempotency-Key: smuggled\r\nX: y\r\n\r\n", "hello");
    row("leading zeros and capitals", chunked + "00A\r\n0123456789\r\n0000\r\n\r\n", "0123456789");
    row("absolute form", "GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n", "");
    row("HTTP/1.0", "GET /a HTTP/1.0\r\n\r\n", "");
}

void ReaderTest::piecesOfAnySizeMakeTheSameRequest()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, body);
    const std::string next = "GET /next";
    for (std::size_t piece = 1; piece <= static_cast<std::size_t>(bytes.size()) + next.size(); ++piece) {
        const Read read = readIn(bytes.toStdString() + next, piece);
        QVERIFY2(read.state == RequestReader::State::Done, read.refusal.detail.c_str());
        QCOMPARE(read.request.body, body.toStdString());
        QVERIFY(read.request.target.ends_with("/a"));
        QCOMPARE(read.rest, next);
        QVERIFY(read.request.headers.find("Idempotency-Key") == nullptr);
    }
}

void ReaderTest::whatIsAmbiguousIsRefused_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const auto row = [](const char* name, const std::string& bytes) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes);
    };
    const std::string chunked = kChunked;
    const std::string post = "POST / HTTP/1.1\r\nHost: h\r\n";
    row("bare LF after the request line", "GET / HTTP/1.1\nHost: h\r\n\r\n");
    row("bare LF after a header", "GET / HTTP/1.1\r\nHost: h\n\r\n");
    row("bare LF at the end", "GET / HTTP/1.1\r\nHost: h\r\n\n");
    row("bare CR in a value", "GET / HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n");
    row("NUL in a value", "GET / HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n"s);
    row("NUL in the target", "GET /\0 HTTP/1.1\r\nHost: h\r\n\r\n"s);
    row("a folded line", "GET / HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n");
    row("a line folded with a tab", "GET / HTTP/1.1\r\nHost: h\r\nX: a\r\n\tb\r\n\r\n");
    row("a fold after the request line", "GET / HTTP/1.1\r\n Host: h\r\n\r\n");
    row("two equal lengths", post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello");
    row("two lengths", post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello");
    row("a list of lengths", post + "Content-Length: 5, 5\r\n\r\nhello");
    row("a hexadecimal length", post + "Content-Length: 0x5\r\n\r\nhello");
    row("length and chunked", post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    row("chunked and length", post + "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n");
    row("chunked twice", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    row("chunked with a tab before it", post + "Transfer-Encoding: \x0b" + "chunked\r\n\r\n0\r\n\r\n");
    row("an unknown coding", post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n");
    row("blank before the colon", "GET / HTTP/1.1\r\nHost: h\r\nContent-Length : 5\r\n\r\nhello");
    row("another protocol", "\x16\x03\x01\x02");
    row("no chunk size", chunked + "\r\nhello\r\n0\r\n\r\n");
    row("a signed chunk size", chunked + "+5\r\nhello\r\n0\r\n\r\n");
    row("a prefixed chunk size", chunked + "0x5\r\nhello\r\n0\r\n\r\n");
    row("an endless chunk size", chunked + "FFFFFFFFFFFFFFFFF\r\nhello");
    row("a chunk longer than its size", chunked + "4\r\nhello\r\n0\r\n\r\n");
    row("a chunk line with a bare LF", chunked + "5\nhello\r\n0\r\n\r\n");
    row("a chunk's end with a bare LF", chunked + "5\r\nhello\n0\r\n\r\n");
    row("a huge chunk extension", chunked + "5;" + std::string(5'000, 'x'));
    row("a control character in an extension", chunked + "5;a=\x01\r\nhello\r\n0\r\n\r\n");
    row("a trailer without a colon", chunked + "0\r\nsmuggled\r\n\r\n");
    row(
        "endless trailers", chunked + "0\r\n" + [] {
            std::string all;
            for (int i = 0; i < 1000; ++i)
                all += "X: y\r\n";
            return all;
        }());
}

void ReaderTest::whatIsAmbiguousIsRefused()
{
    QFETCH(QByteArray, bytes);
    for (const std::size_t piece : {std::size_t(1), std::size_t(7), static_cast<std::size_t>(bytes.size())}) {
        const Read read = readIn(bytes.toStdString(), piece);
        QCOMPARE(read.state, RequestReader::State::Refused);
        QCOMPARE(read.refusal.type, ProblemType::RequestInvalid);
    }
}

void ReaderTest::limitsAreExact()
{
    const ReaderLimits limits{.headerBytes = 100, .headerLines = 3, .bodyBytes = 10};
    const auto typeOf = [&limits](const std::string& bytes) {
        const Read read = readIn(bytes, 3, limits);
        return read.state == RequestReader::State::Done ? 200 : rowOf(read.refusal.type).status;
    };
    const std::string start = "POST / HTTP/1.1\r\nHost: h\r\n";
    const auto head = [&start](std::size_t size) {
        return start + "X: " + std::string(size - start.size() - 7, 'x') + "\r\n\r\n";
    };
    QCOMPARE(typeOf(head(100)), 200);
    QCOMPARE(typeOf(head(101)), 431);
    QCOMPARE(typeOf("POST /" + std::string(200, 'x')), 431);
    QCOMPARE(typeOf(start + "A: b\r\nC: d\r\n\r\n"), 200);
    QCOMPARE(typeOf(start + "A: b\r\nC: d\r\nE: f\r\n\r\n"), 431);
    QCOMPARE(typeOf(start + "Content-Length: 10\r\n\r\n0123456789"), 200);
    QCOMPARE(typeOf(start + "Content-Length: 11\r\n\r\n"), 413);
    const std::string chunked = start + "Transfer-Encoding: chunked\r\n\r\n";
    QCOMPARE(typeOf(chunked + "5\r\n01234\r\n5\r\n01234\r\n0\r\n\r\n"), 200);
    QCOMPARE(typeOf(chunked + "5\r\n01234\r\n6\r\n"), 413);
    QCOMPARE(typeOf(start + "Expect: 200-ok\r\n\r\n"), 417);
    QCOMPARE(typeOf(start + "Expect: 100-Continue\r\n\r\n"), 200);
    QCOMPARE(typeOf("GET / HTTP/1.0\r\nExpect: 200-ok\r\n\r\n"), 200);
}

TEKIL_TEST(ReaderTest)
#include "reader_test.moc"
