// The description of the merchant API says what the code does: the same problems, limits and members.
#include "core/base/json.h"
#include "core/http/problem.h"
#include "core/payments/request.h"
#include "openapi_json.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <charconv>
#include <map>
#include <set>

using namespace tekil;

namespace {

// What a member of each name may be, as JSON without its quotes.
const std::map<std::string, std::string> kSamples{
    {"invoiceId", "\"A-1\""},  {"amount", "\"10.00\""},    {"currency", "\"TRY\""},  {"accountId", "101"},
    {"customerId", "\"c-1\""}, {"paymentType", "\"fee\""}, {"description", "\"d\""}, {"provider", "\"bank\""}};

std::string bodyOf(const std::map<std::string, std::string>& members)
{
    JsonWriter json;
    for (const auto& [name, value] : members)
        json.raw(name, value);
    return json.take();
}

} // namespace

class OpenApiTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_document = parseJson(resources::openapi).value(); }
    void itIsOfThisVersion();
    void everyProblemStandsInItAsTheTableHasIt();
    void itKnowsTheMembersOfAPayment();
    void itKnowsTheLongestTexts();

private:
    const JsonValue& at(std::initializer_list<const char*> path) const
    {
        const JsonValue* value = &m_document;
        for (const char* name : path) {
            value = value->find(name);
            if (value == nullptr)
                qFatal("the description has no %s", name);
        }
        return *value;
    }
    const JsonValue& payment() const { return at({"components", "schemas", "PaymentRequest"}); }

    JsonValue m_document;
};

void OpenApiTest::itIsOfThisVersion()
{
    QCOMPARE(at({"openapi"}).text, std::string("3.1.0"));
    QCOMPARE(at({"info", "version"}).text, std::string(TEKIL_VERSION));
}

void OpenApiTest::everyProblemStandsInItAsTheTableHasIt()
{
    std::set<std::string> described;
    for (const JsonMember& schema : at({"components", "schemas"}).members) {
        if (!schema.name.ends_with("Problem"))
            continue;
        const JsonValue& properties = *schema.value.find("properties");
        const auto value = [&properties](const char* name) { return properties.find(name)->find("const")->text; };
        described.insert(value("type") + " " + value("status") + " " + value("retry") + " " + value("title"));
    }
    std::set<std::string> known;
    for (const http::ProblemRow& row : http::problemTable())
        // Too little money is a payment's own end, told as such, and no problem.
        if (row.type != http::ProblemType::InsufficientFunds)
            known.insert("/problems/" + std::string(row.name) + " " + std::to_string(row.status) + " "
                         + std::string(nameOf(row.retry)) + " " + std::string(row.title));
    QVERIFY(described == known);
}

void OpenApiTest::itKnowsTheMembersOfAPayment()
{
    std::set<std::string> described, known;
    for (const JsonMember& member : payment().find("properties")->members)
        described.insert(member.name);
    for (const auto& [name, value] : kSamples)
        known.insert(name);
    QVERIFY(described == known);
    QVERIFY(payments::readPaymentRequest(bodyOf(kSamples)).ok());
    std::set<std::string> required;
    for (const JsonValue& name : payment().find("required")->items)
        required.insert(name.text);
    for (const auto& [name, value] : kSamples) {
        auto without = kSamples;
        without.erase(name);
        QVERIFY2(payments::readPaymentRequest(bodyOf(without)).ok() == !required.contains(name), name.c_str());
    }
}

void OpenApiTest::itKnowsTheLongestTexts()
{
    int limits = 0;
    for (const JsonMember& member : payment().find("properties")->members) {
        const JsonValue* longest = member.name == "invoiceId"
                                       ? at({"components", "schemas", "InvoiceId", "oneOf"}).items[1].find("maxLength")
                                       : member.value.find("maxLength");
        if (longest == nullptr)
            continue;
        std::size_t length = 0;
        std::from_chars(longest->text.data(), longest->text.data() + longest->text.size(), length);
        for (const std::size_t tried : {length, length + 1}) {
            auto members = kSamples;
            members[member.name] = quoteJson(std::string(tried, 'x'));
            QVERIFY2(payments::readPaymentRequest(bodyOf(members)).ok() == (tried == length), member.name.c_str());
        }
        ++limits;
    }
    QCOMPARE(limits, 5);
}

TEKIL_TEST(OpenApiTest)
#include "openapi_test.moc"
