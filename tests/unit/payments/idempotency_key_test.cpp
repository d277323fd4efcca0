// The header Idempotency-Key: what is a key, and which spellings are the same one.
#include "core/payments/idempotency_key.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <clocale>

using namespace tekil;
using payments::readIdempotencyKey;

namespace {

Result<std::string> read(const QByteArray& line)
{
    return readIdempotencyKey({std::string_view(line.constData(), static_cast<std::size_t>(line.size()))});
}

} // namespace

class IdempotencyKeyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void quotedAndBareAreOneKey_data();
    void quotedAndBareAreOneKey();
    void keysThatDifferInCaseAreTwoKeys();
    void whatIsNoKeyIsRefused_data();
    void whatIsNoKeyIsRefused();
    void noHeaderIsAnErrorOfItsOwn();
    void twoHeaderLinesAreRefusedEvenIfTheyAgree();
    void turkishLocaleChangesNothing();
};

void IdempotencyKeyTest::quotedAndBareAreOneKey_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("key");
    const auto row = [](const char* name, const QByteArray& line, const QByteArray& key) {
        QTest::newRow(name) << line << key;
    };
    row("bare", "K1", "K1");
    row("quoted", "\"K1\"", "K1");
    row("spaces around", " \t\"K1\" ", "K1");
    row("one character", "x", "x");
    row("a UUID", "8e03978e-40d5-43e8-bc93-6894a57f9324", "8e03978e-40d5-43e8-bc93-6894a57f9324");
    row("escaped quotation mark", R"("a\"b")", "a\"b");
    row("escaped backslash", R"("a\\b")", R"(a\b)");
    row("bare backslash", R"(a\b)", R"(a\b)");
    row("comma and semicolon, quoted", R"("a,b;c=1")", "a,b;c=1");
    row("space inside", "a b", "a b");
    row("spaces kept in quotes", "\" a \"", " a ");
    row("255 bare", QByteArray(255, 'k'), QByteArray(255, 'k'));
    row("255 quoted", "\"" + QByteArray(255, 'k') + "\"", QByteArray(255, 'k'));
    row("every printable character", R"("!#$%&'()*+,-./09:;<=>?@AZ[]^_`az{|}~")",
        "!#$%&'()*+,-./09:;<=>?@AZ[]^_`az{|}~");
}

void IdempotencyKeyTest::quotedAndBareAreOneKey()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, key);
    QCOMPARE(read(line).value(), key.toStdString());
}

void IdempotencyKeyTest::keysThatDifferInCaseAreTwoKeys()
{
    QVERIFY(read("Ab").value() != read("ab").value());
    QVERIFY(read("\"KEY-I\"").value() != read("key-i").value());
}

void IdempotencyKeyTest::whatIsNoKeyIsRefused_data()
{
    QTest::addColumn<QByteArray>("line");
    const auto row = [](const char* name, const QByteArray& line) { QTest::newRow(name) << line; };
    row("empty", "");
    row("blank", "  \t ");
    row("empty quoted", "\"\"");
    row("256 bare", QByteArray(256, 'k'));
    row("256 quoted", "\"" + QByteArray(256, 'k') + "\"");
    row("unterminated", "\"K1");
    row("only a quotation mark", "\"");
    row("closing only", "K1\"");
    row("wrong escape", R"("a\nb")");
    row("escape at the end", R"("a\)");
    row("parameter after quoted", "\"K1\";a=1");
    row("parameter after bare", "K1;a=1");
    row("list of quoted", "\"K1\", \"K2\"");
    row("list of bare", "K1,K2");
    row("text after quoted", "\"K1\"x");
    row("non-ASCII U+2026", "K\xE2\x80\xA6");
    row("non-ASCII quoted", "\"K\xE2\x80\xA6\"");
    row("Latin-1", "K\xFC");
    row("control character", "K\x01");
    row("tab inside", "K\tL");
    row("NUL", QByteArray("K\0L", 3));
    row("DEL", "K\x7F");
}

void IdempotencyKeyTest::whatIsNoKeyIsRefused()
{
    QFETCH(QByteArray, line);
    const auto key = read(line);
    QVERIFY(!key.ok());
    QCOMPARE(key.error().code, ErrorCode::KeyInvalid);
    QVERIFY(!key.error().detail.empty());
}

void IdempotencyKeyTest::noHeaderIsAnErrorOfItsOwn()
{
    QCOMPARE(readIdempotencyKey({}).error().code, ErrorCode::KeyMissing);
}

void IdempotencyKeyTest::twoHeaderLinesAreRefusedEvenIfTheyAgree()
{
    QCOMPARE(readIdempotencyKey({"K1", "K1"}).error().code, ErrorCode::KeyInvalid);
    QCOMPARE(readIdempotencyKey({"K1", "K2"}).error().code, ErrorCode::KeyInvalid);
}

void IdempotencyKeyTest::turkishLocaleChangesNothing()
{
    QVERIFY2(std::setlocale(LC_ALL, "tr_TR.UTF-8") != nullptr, "generate the locale tr_TR.UTF-8");
    const auto plain = read("Iı");
    const auto key = read("\"INVOICE-i\"");
    std::setlocale(LC_ALL, "C");
    QVERIFY(!plain.ok());
    QCOMPARE(key.value(), std::string("INVOICE-i"));
}

TEKIL_TEST(IdempotencyKeyTest)
#include "idempotency_key_test.moc"
