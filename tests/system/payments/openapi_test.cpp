// The description that GET /openapi.json gives, held against what the engine really answers: the status stands under
// that path and method, the media type, headers and body are the described ones, and nothing else comes.
#include "core/base/json.h"
#include "tests/support/engine_lab.h"
#include "tests/support/test_main.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

using namespace tekil;
using namespace tekil::test;

namespace {

using Complaints = std::vector<std::string>;

// Checks values by the part of JSON Schema that the description uses. A keyword that it does not know is a complaint:
// nothing of the description goes unread.
class Walker {
public:
    explicit Walker(const JsonValue& document) : m_document(document) {}

    // What a "$ref" points to, or the value itself.
    const JsonValue* resolve(const JsonValue* value) const
    {
        const JsonValue* const reference = value->find("$ref");
        if (reference == nullptr)
            return value;
        const JsonValue* found = &m_document;
        std::string_view rest = std::string_view(reference->text).substr(2);
        while (found != nullptr && !rest.empty()) {
            const std::size_t end = std::min(rest.find('/'), rest.size());
            found = found->find(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        if (found == nullptr)
            qFatal("nothing stands at %s", reference->text.c_str());
        return resolve(found);
    }

    Complaints check(const JsonValue& value, const JsonValue& reference, const std::string& where) const
    {
        const JsonValue& schema = *resolve(&reference);
        Complaints out;
        for (const JsonMember& rule : schema.members)
            if (const std::string fault = breach(value, schema, rule); !fault.empty())
                out.emplace_back(where).append(": ").append(fault);
        for (const JsonMember& member : value.members) {
            const JsonValue* const properties = schema.find("properties");
            const JsonValue* const property = properties != nullptr ? properties->find(member.name) : nullptr;
            std::string inside = where;
            inside.append(".").append(member.name);
            if (property != nullptr)
                for (std::string& complaint : check(member.value, *property, inside))
                    out.push_back(std::move(complaint));
            else if (schema.find("additionalProperties") != nullptr)
                out.push_back(inside.append(" is not described"));
        }
        return out;
    }

private:
    static bool isOfType(const JsonValue& value, std::string_view type)
    {
        switch (value.kind) {
        case JsonValue::Kind::Null: return type == "null";
        case JsonValue::Kind::Bool: return type == "boolean";
        case JsonValue::Kind::Number:
            return type == "number" || (type == "integer" && value.text.find_first_of(".eE") == std::string::npos);
        case JsonValue::Kind::String: return type == "string";
        case JsonValue::Kind::Array: return type == "array";
        case JsonValue::Kind::Object: return type == "object";
        }
        return false;
    }
    static bool isSame(const JsonValue& a, const JsonValue& b) { return a.kind == b.kind && a.text == b.text; }

    // What is wrong with `value` by one keyword of its schema; "" where nothing is.
    std::string breach(const JsonValue& value, const JsonValue& schema, const JsonMember& rule) const
    {
        const JsonValue& wanted = rule.value;
        if (rule.name == "type") {
            const bool fits = wanted.isString()
                                  ? isOfType(value, wanted.text)
                                  : std::any_of(wanted.items.begin(), wanted.items.end(),
                                                [&](const JsonValue& type) { return isOfType(value, type.text); });
            return fits ? "" : "is of another type";
        }
        if (rule.name == "const")
            return isSame(value, wanted) ? "" : "is not " + wanted.text + " but " + value.text;
        if (rule.name == "enum")
            return std::any_of(wanted.items.begin(), wanted.items.end(),
                               [&](const JsonValue& one) { return isSame(value, one); })
                       ? ""
                       : value.text + " is none of the described values";
        if (rule.name == "oneOf")
            return oneOf(value, wanted);
        if (rule.name == "required") {
            for (const JsonValue& name : wanted.items)
                if (value.find(name.text) == nullptr)
                    return "has no " + name.text;
            return "";
        }
        if (rule.name == "pattern")
            return QRegularExpression(QString::fromStdString(wanted.text))
                           .match(QString::fromStdString(value.text))
                           .hasMatch()
                       ? ""
                       : value.text + " does not match " + wanted.text;
        if (rule.name == "format")
            return isOfFormat(value.text, wanted.text) ? "" : value.text + " is no " + wanted.text;
        if (rule.name == "minLength")
            return value.text.size() >= std::stoul(wanted.text) ? "" : "is too short";
        if (rule.name == "maxLength")
            return value.text.size() <= std::stoul(wanted.text) ? "" : "is too long";
        if (rule.name == "minimum")
            return std::stoll(value.text) >= std::stoll(wanted.text) ? "" : value.text + " is too small";
        if (rule.name == "additionalProperties")
            return wanted.isBool() && !wanted.boolean ? "" : "additionalProperties is not false";
        if (rule.name == "properties")
            return schema.find("additionalProperties") != nullptr ? "" : "an object without additionalProperties";
        return rule.name == "description" ? "" : "its schema has an unknown keyword " + rule.name;
    }

    std::string oneOf(const JsonValue& value, const JsonValue& schemas) const
    {
        int fitting = 0;
        std::string faults;
        for (const JsonValue& schema : schemas.items) {
            const Complaints found = check(value, schema, "");
            fitting += found.empty() ? 1 : 0;
            faults += found.empty() ? "" : " | " + found.front();
        }
        return fitting == 1 ? "" : "fits " + std::to_string(fitting) + " of the described forms" + faults;
    }

    static bool isOfFormat(const std::string& text, const std::string& format)
    {
        const char* const pattern = format == "uuid"        ? "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
                                    : format == "date-time" ? R"(^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d+Z$)"
                                                            : "a^"; // another format fits nothing
        return QRegularExpression(QString::fromLatin1(pattern)).match(QString::fromStdString(text)).hasMatch();
    }

    const JsonValue& m_document;
};

// One request that was made and what came back.
struct Exchange {
    std::string name;
    std::string method;
    std::string path; // as the description writes it
    int status = 0;   // the expected one
    Reply reply;
};

constexpr std::array kDescribedHeaders{"Location", "Idempotent-Replayed", "Retry-After", "WWW-Authenticate", "Link",
                                       "Allow"};

} // namespace

class OpenApiTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase()
    {
        const std::string status = "select status from tekil.payment where operation_id = '" + m_waiting + "'";
        QVERIFY(m_lab->becomes(status, "Completed"));
        QCOMPARE(m_lab->judge(), std::string());
        m_lab.reset();
    }

    void itIsServedToAnybody();
    void anAnswerIsAsDescribed_data();
    void anAnswerIsAsDescribed();
    void everyDescribedProblemWasMet();
    void theWalkerSeesWhatIsNotDescribed();

private:
    void note(const char* name, const char* method, const char* path, int status, Reply reply)
    {
        m_exchanges.push_back({name, method, path, status, std::move(reply)});
    }
    Texts as(const std::string& apiKey, const std::string& key) const
    {
        return {"Authorization: Bearer " + apiKey, "Content-Type: application/json", "Idempotency-Key: " + key};
    }
    Reply head(const std::string& target) const;
    void pay();
    void payInVain();
    void askBadly();
    void ask();
    Complaints complaintsOf(const Exchange& exchange) const;

    std::unique_ptr<EngineLab> m_lab;
    JsonValue m_document;
    std::vector<Exchange> m_exchanges;
    std::string m_paid;    // operation ids
    std::string m_failed;
    std::string m_waiting;
};

void OpenApiTest::initTestCase()
{
    m_lab = std::make_unique<EngineLab>();
    m_document = parseJson(m_lab->send("GET", "/openapi.json", {}).body).value();
    pay();
    payInVain();
    askBadly();
    ask();
}

// HEAD has the length of a body that does not come.
Reply OpenApiTest::head(const std::string& target) const
{
    RawClient client(m_lab->engine().port());
    client.send("HEAD " + target + " HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\nAuthorization: Bearer "
                + m_lab->apiKey() + "\r\n\r\n");
    const std::string message = client.untilClosed(std::chrono::seconds(10));
    return {statusOf(message), bodyOf(message), message.substr(0, message.find("\r\n\r\n"))};
}

void OpenApiTest::pay()
{
    const auto post = [this](const char* name, int status, const std::string& body, const std::string& key,
                             const Texts& more = {}) {
        note(name, "post", "/payments", status, m_lab->post(body, key, more));
        return m_exchanges.back().reply;
    };
    m_lab->script(R"({"rules":[{"when":{"amount":"41.00"},"do":"decline"},
                               {"when":{"amount":"31.00"},"do":"delay","ms":3000},
                               {"when":{"amount":"32.00"},"do":"pending"}]})");
    const std::string key = freshKey();
    const std::string body = payment("10.00");
    const Reply paid = post("paid", 201, body, key);
    m_paid = paid.member("operationId");
    post("paid, replayed", 201, body, key);
    post("another payload", 422, payment("11.00"), key);
    post("another key for the invoice", 409, body, freshKey());
    post("invoice as a number", 201, R"({"invoiceId":7,"amount":"1.00","currency":"TRY"})", freshKey());
    post("invoice as a text", 201, R"({"invoiceId":"A-7","amount":1.00,"currency":"TRY"})", freshKey());

    const std::string declinedKey = freshKey();
    const std::string declined = payment("41.00");
    m_failed = post("declined", 402, declined, declinedKey).member("operationId");
    post("declined, replayed", 402, declined, declinedKey);
    const std::string poor = m_lab->openAccount("TRY", "0.50");
    post("too little", 402, payment("1.00", "TRY", ",\"accountId\":" + poor), freshKey());

    const std::string slowKey = freshKey();
    const std::string slow = payment("31.00");
    m_waiting = post("not waited for", 202, slow, slowKey, {"Prefer: respond-async"}).member("operationId");
    post("still in flight", 409, slow, slowKey);
    const std::string unknownKey = freshKey();
    const std::string unknown = payment("32.00");
    const Reply pending = post("pending at the provider", 202, unknown, unknownKey);
    QCOMPARE(pending.member("status"), std::string("Unknown"));
    post("unknown, in flight", 409, unknown, unknownKey);
    m_lab->sql("update tekil.idempotency_record set expires_at = created_at where operation_id = '" + m_paid + "'");
    post("expired", 409, body, key);
}

void OpenApiTest::payInVain()
{
    const std::string key = freshKey();
    const auto post = [this](const char* name, int status, const std::string& body, const Texts& headers) {
        note(name, "post", "/payments", status, m_lab->send("POST", "/payments", headers, body));
    };
    const Texts mine = as(m_lab->apiKey(), key);
    const std::string body = payment("1.00");
    post("no key", 400, body, {mine[0], mine[1]});
    post("two keys", 400, body, {mine[0], mine[1], mine[2], mine[2]});
    post("no JSON", 400, "{", mine);
    post("unknown member", 400, payment("1.00", "TRY", R"(,"colour":"red")"), mine);
    post("unknown provider", 400, payment("1.00", "TRY", R"(,"provider":"nobody")"), mine);
    post("an amount of nothing", 400, payment("0"), mine);
    post("no such currency", 400, payment("1.00", "try"), mine);
    post("another currency than the account's", 400, payment("1.00", "EUR"), mine);
    post("nobody", 401, body, {mine[1], mine[2]});
    post("a stranger", 403, body, as("tk_wrong", key));
    post("a foreign account", 404, payment("1.00", "TRY", R"(,"accountId":999999999)"), mine);
    post("too long a body", 413, std::string(65 * 1024, ' '), mine);
    post("a form", 415, body, {mine[0], "Content-Type: application/x-www-form-urlencoded", mine[2]});
    post("too long a header", 431, body, {mine[0], mine[1], mine[2], "X-Long: " + std::string(17 * 1024, 'x')});
    const std::string hasty = m_lab->addMerchant("hasty", m_lab->account(), {"--rate", "1"});
    Reply limited;
    for (int i = 0; i < 20 && limited.status != 429; ++i)
        limited = m_lab->send("POST", "/payments", as(hasty, key), "{}");
    note("too many", "post", "/payments", 429, limited);
}

void OpenApiTest::askBadly()
{
    const auto get = [this](const char* name, int status, const char* path, const char* target, const Texts& headers) {
        note(name, "get", path, status, m_lab->send("GET", target, headers));
    };
    const Texts mine{"Authorization: Bearer " + m_lab->apiKey()};
    get("by nothing", 400, "/payments", "/payments", mine);
    get("by an empty key", 400, "/payments", "/payments?idempotencyKey=", mine);
    get("by an unused key", 404, "/payments", "/payments?idempotencyKey=never", mine);
    get("by a key, as nobody", 401, "/payments", "/payments?idempotencyKey=never", {});
    get("by a key, as a stranger", 403, "/payments", "/payments?idempotencyKey=never", {"Authorization: Bearer x"});
    const char* const byId = "/payments/{operationId}";
    get("by an unknown id", 404, byId, "/payments/00000000-0000-7000-8000-000000000000", mine);
    get("by what is no id", 404, byId, "/payments/1", mine);
    get("by a broken id", 400, byId, "/payments/%zz", mine);
    get("by an id, as nobody", 401, byId, "/payments/1", {});
    get("by an id, as a stranger", 403, byId, "/payments/1", {"Authorization: Bearer x"});
    note("description, broken", "get", "/openapi.json", 431,
         m_lab->send("GET", "/openapi.json", {"X-Long: " + std::string(17 * 1024, 'x')}));
}

void OpenApiTest::ask()
{
    const char* const byId = "/payments/{operationId}";
    const std::string key = m_lab->sql("select idempotency_key from tekil.idempotency_record where operation_id = '"
                                       + m_failed + "'");
    note("paid, by id", "get", byId, 200, m_lab->get("/payments/" + m_paid));
    note("failed, by id", "get", byId, 200, m_lab->get("/payments/" + m_failed));
    note("waiting, by id", "get", byId, 200, m_lab->get("/payments/" + m_waiting));
    note("failed, by key", "get", "/payments", 200, m_lab->get("/payments?idempotencyKey=" + key));
    note("paid, by id, head", "head", byId, 200, head("/payments/" + m_paid));
    note("nothing, head", "head", byId, 404, head("/payments/1"));
    note("failed, by key, head", "head", "/payments", 200, head("/payments?idempotencyKey=" + key));
    note("no query, head", "head", "/payments", 400, head("/payments"));
    note("description", "get", "/openapi.json", 200, m_lab->send("GET", "/openapi.json", {}));
    note("description, head", "head", "/openapi.json", 200, head("/openapi.json"));
}

Complaints OpenApiTest::complaintsOf(const Exchange& exchange) const
{
    const Walker walker(m_document);
    const Reply& reply = exchange.reply;
    const JsonValue* const path = m_document.find("paths")->find(exchange.path);
    const JsonValue* const method = path != nullptr ? path->find(exchange.method) : nullptr;
    const JsonValue* const found = method != nullptr ? method->find("responses")->find(std::to_string(reply.status))
                                                     : nullptr;
    if (found == nullptr)
        return {"the status " + std::to_string(reply.status) + " is not described"};
    const JsonValue& described = *walker.resolve(found);
    Complaints out;
    const JsonValue* const headers = described.find("headers");
    for (const char* name : kDescribedHeaders) {
        const std::string text = reply.header(name);
        const JsonValue* const header = headers != nullptr ? headers->find(name) : nullptr;
        if (header == nullptr && !text.empty())
            out.push_back("the header " + std::string(name) + " is not described");
        if (header == nullptr)
            continue;
        const JsonValue* const required = header->find("required");
        if (text.empty() && required != nullptr && required->boolean)
            out.push_back("the header " + std::string(name) + " is missing");
        if (text.empty())
            continue;
        const JsonValue& schema = *header->find("schema");
        const JsonValue* const type = walker.resolve(&schema)->find("type");
        JsonValue value;
        value.kind = type != nullptr && type->text == "integer" ? JsonValue::Kind::Number : JsonValue::Kind::String;
        value.text = text;
        for (const std::string& complaint : walker.check(value, schema, name))
            out.push_back(complaint);
    }
    const JsonValue* const content = described.find("content");
    if (content == nullptr) {
        if (!reply.body.empty())
            out.emplace_back("a body came that is not described");
        return out;
    }
    const JsonValue* const media = content->find(reply.header("Content-Type"));
    if (media == nullptr) {
        out.push_back("the media type " + reply.header("Content-Type") + " is not described");
        return out;
    }
    const auto body = parseJson(reply.body);
    if (!body)
        return {"the body is no JSON"};
    for (const std::string& complaint : walker.check(*body, *media->find("schema"), "body"))
        out.push_back(complaint);
    return out;
}

void OpenApiTest::itIsServedToAnybody()
{
    const Reply reply = m_lab->send("GET", "/openapi.json", {"Authorization: Bearer nobody"});
    QCOMPARE(reply.status, 200);
    QCOMPARE(reply.header("Content-Type"), std::string("application/json"));
    const Reply bare = head("/openapi.json");
    QCOMPARE(bare.status, 200);
    QCOMPARE(bare.header("Content-Length"), std::to_string(reply.body.size()));
    QVERIFY(bare.body.empty());
    const Reply posted = m_lab->send("POST", "/openapi.json", {});
    QCOMPARE(posted.status, 405);
    QCOMPARE(posted.header("Allow"), std::string("GET, HEAD"));
}

void OpenApiTest::anAnswerIsAsDescribed_data()
{
    QTest::addColumn<std::size_t>("index");
    for (std::size_t i = 0; i < m_exchanges.size(); ++i)
        QTest::addRow("%s", m_exchanges[i].name.c_str()) << i;
}

void OpenApiTest::anAnswerIsAsDescribed()
{
    QFETCH(std::size_t, index);
    const Exchange& exchange = m_exchanges[index];
    QVERIFY2(exchange.reply.status == exchange.status, (exchange.reply.head + exchange.reply.body).c_str());
    std::string complaints;
    for (const std::string& complaint : complaintsOf(exchange))
        complaints += complaint + "\n";
    QVERIFY2(complaints.empty(), (complaints + exchange.reply.head + "\n" + exchange.reply.body).c_str());
}

// What the list above cannot bring about: a slow client is cut after ten seconds, the others are an engine in trouble.
void OpenApiTest::everyDescribedProblemWasMet()
{
    std::set<std::string> described,
        met{"request-timeout", "internal", "overloaded", "database-unavailable", "provider-unavailable", "draining"};
    for (const JsonMember& schema : m_document.find("components")->find("schemas")->members)
        if (schema.name.ends_with("Problem"))
            described.insert(schema.value.find("properties")->find("type")->find("const")->text.substr(10));
    for (const Exchange& exchange : m_exchanges)
        if (!exchange.reply.problem().empty())
            met.insert(exchange.reply.problem());
    met.insert(m_lab->send("DELETE", "/payments", {}).problem());
    met.insert(m_lab->send("POST", "/payments", {"Expect: something"}).problem());
    QVERIFY(described == met);
}

void OpenApiTest::theWalkerSeesWhatIsNotDescribed()
{
    const auto complains = [this](Exchange exchange, std::string_view from, std::string_view to) {
        const std::size_t at = exchange.reply.body.find(from);
        if (at == std::string::npos)
            return false;
        exchange.reply.body.replace(at, from.size(), to);
        return !complaintsOf(exchange).empty();
    };
    const Exchange& paid = m_exchanges.front();
    QVERIFY(complains(paid, "\"status\"", "\"extra\":1,\"status\""));
    QVERIFY(complains(paid, "\"invoiceId\"", "\"invoice\""));
    QVERIFY(complains(paid, "\"Completed\"", "\"Failed\""));
    QVERIFY(complains(paid, "\"10.00\"", "10.00"));
    QVERIFY(complains(paid, "\"TRY\"", "\"try\""));
    Exchange other = paid;
    other.reply.status = 200;
    QVERIFY(!complaintsOf(other).empty());
    other = paid;
    other.reply.head.replace(other.reply.head.find("Location"), 8, "Elsewhere");
    QVERIFY(!complaintsOf(other).empty());
    other = paid;
    other.reply.head += "\r\nRetry-After: 1";
    QVERIFY(!complaintsOf(other).empty());
}

TEKIL_TEST(OpenApiTest)
#include "openapi_test.moc"
