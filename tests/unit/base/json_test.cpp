#include "core/base/json.h"
#include "tests/support/test_main.h"

#include <QTest>
#include <clocale>

using namespace tekil;

class JsonTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbersKeepTheirText();
    void stringsAreUtf8AndMembersKeepTheirOrder();
    void badInputIsRefusedAndNamed_data();
    void badInputIsRefusedAndNamed();
    void sixteenLevelsAreReadAndSeventeenAreNot();
    void everyPrefixOfAGoodTextIsRefused();
    void writtenTextReadsBackTheSame();
    void turkishLocaleChangesNothing();
};

void JsonTest::numbersKeepTheirText()
{
    for (const char* text : {"1000.00", "1e3", "1000", "0.1", "9223372036854775808", "3000000000", "-0", "1E+2",
                             "12345678901234567890123456789.000000000000000001"}) {
        const auto value = parseJson(std::string("{\"amount\":") + text + "}");
        QVERIFY2(value.ok(), text);
        QCOMPARE(value->find("amount")->kind, JsonValue::Kind::Number);
        QCOMPARE(value->find("amount")->text, std::string(text));
    }
}

void JsonTest::stringsAreUtf8AndMembersKeepTheirOrder()
{
    const auto value = parseJson(R"( {"b":"\u0054RY \ud83d\ude00","a":[true,false,null,{}],"":"x"} )");
    QVERIFY(value.ok());
    QCOMPARE(value->members[0].name, std::string("b"));
    QCOMPARE(value->members[0].value.text, std::string("TRY \xF0\x9F\x98\x80"));
    QCOMPARE(value->find("a")->items.size(), std::size_t(4));
    QVERIFY(value->find("a")->items[0].boolean);
    QVERIFY(value->find("a")->items[2].isNull());
    QVERIFY(value->find("a")->items[3].isObject());
    QCOMPARE(value->find("")->text, std::string("x"));
    QVERIFY(!value->find("A"));
}

void JsonTest::badInputIsRefusedAndNamed_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("named");
    const auto row = [](const char* name, QByteArray text, const char* named = "") {
        QTest::newRow(name) << text << QByteArray(named);
    };
    row("empty", "");
    row("white space only", " \r\n\t");
    row("byte order mark", "\xEF\xBB\xBF{}", "byte order mark");
    row("trailing bytes", "{} {}", "something else");
    row("trailing NUL", QByteArray("{}\0", 3));
    row("duplicate member", R"({"amount":1,"amount":100000})", "\"amount\"");
    row("duplicate after escapes", R"({"amount":1,"\u0061mount":2})", "\"amount\"");
    row("duplicate deep", R"({"a":[{"b":{"c":1,"d":2,"c":3}}]})", "\"a[0].b.c\"");
    row("NUL in a string", R"({"description":"a\u0000b"})", "\"description\"");
    row("NUL in a name", R"({"a\u0000":1})", "NUL");
    row("raw NUL", QByteArray("{\"a\":\"x\0y\"}", 11), "\"a\"");
    row("lone leading surrogate", R"({"a":"\ud800"})", "\"a\"");
    row("lone leading surrogate, then text", R"({"a":"\ud800xyzxyz"})", "\"a\"");
    row("lone trailing surrogate", R"({"a":"\udc00"})", "\"a\"");
    row("two leading surrogates", R"({"a":"\ud800\ud800"})", "\"a\"");
    row("invalid UTF-8", "{\"a\":\"\xFF\"}", "\"a\"");
    row("overlong UTF-8", "{\"a\":\"\xC0\xAF\"}", "\"a\"");
    row("surrogate in UTF-8", "{\"a\":\"\xED\xA0\x80\"}", "\"a\"");
    row("cut UTF-8", "{\"a\":\"\xE2\x82\"}", "\"a\"");
    row("invalid UTF-8 in a name", "{\"\xC3\x28\":1}");
    row("control character", "{\"a\":\"x\ny\"}", "\"a\"");
    row("single quotes", "{'a':1}");
    row("comment", "{/*x*/}");
    row("trailing comma", R"({"a":1,})");
    row("leading zero", R"({"a":01})");
    row("leading plus", R"({"a":+1})", "\"a\"");
    row("no digit after the point", R"({"a":1.})", "\"a\"");
    row("hexadecimal", R"({"a":0x10})");
    row("NaN", R"({"a":NaN})", "\"a\"");
    row("infinity", R"({"a":-Infinity})", "\"a\"");
    row("decimal comma", R"({"a":1,5})");
    row("unfinished", R"({"a":[1,2)", "\"a[2]\"");
    row("bad escape", R"({"a":"\x"})", "\"a\"");
}

void JsonTest::badInputIsRefusedAndNamed()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, named);
    const auto value = parseJson(text.toStdString());
    QVERIFY(!value.ok());
    QCOMPARE(value.error().code, ErrorCode::RequestInvalid);
    QVERIFY2(value.error().detail.find(named.toStdString()) != std::string::npos, value.error().detail.c_str());
}

void JsonTest::sixteenLevelsAreReadAndSeventeenAreNot()
{
    const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
    QVERIFY(parseJson(nested(16)).ok());
    QVERIFY(!parseJson(nested(17)).ok());
    QVERIFY(!parseJson(std::string(100'000, '[')).ok());
}

void JsonTest::everyPrefixOfAGoodTextIsRefused()
{
    const std::string text = R"({"a":"x\u00e9","b":[1.5e3,true,null],"c":{"d":-1}})";
    QVERIFY(parseJson(text).ok());
    for (std::size_t size = 0; size < text.size(); ++size)
        QVERIFY2(!parseJson(std::string_view(text).substr(0, size)).ok(), text.substr(0, size).c_str());
}

void JsonTest::writtenTextReadsBackTheSame()
{
    const std::string odd = "q\"b\\n\n\r\t\b\f\x01\x1f/\xC3\xA9 \xF0\x9F\x98\x80";
    const std::string text = JsonWriter()
                                 .member("odd", odd)
                                 .number("n", -5)
                                 .boolean("yes", true)
                                 .null("none")
                                 .raw("inner", JsonWriter().take())
                                 .take();
    const auto value = parseJson(text);
    QVERIFY(value.ok());
    QCOMPARE(value->find("odd")->text, odd);
    QCOMPARE(value->find("n")->text, std::string("-5"));
    QVERIFY(value->find("yes")->boolean);
    QVERIFY(value->find("none")->isNull());
    QVERIFY(value->find("inner")->isObject());
    QCOMPARE(quoteJson("a/b"), std::string("\"a/b\""));
}

void JsonTest::turkishLocaleChangesNothing()
{
    if (!std::setlocale(LC_ALL, "tr_TR.UTF-8"))
        QSKIP("the locale tr_TR.UTF-8 is not installed");
    const auto value = parseJson(R"({"amount":12.34,"TITLE":"INR"})");
    std::setlocale(LC_ALL, "C");
    QVERIFY(value.ok());
    QCOMPARE(value->find("amount")->text, std::string("12.34"));
    QCOMPARE(value->find("TITLE")->text, std::string("INR"));
}

TEKIL_TEST(JsonTest)
#include "json_test.moc"
