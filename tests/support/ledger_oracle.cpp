#include "tests/support/ledger_oracle.h"

#include "core/base/json.h"

#include <libpq-fe.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

namespace tekil::test {

namespace {

__extension__ using Sum = __int128; // no sum of int64 rows leaves it

[[noreturn]] void die(const std::string& what)
{
    std::fprintf(stderr, "ledger oracle: %s\n", what.c_str());
    std::abort();
}

std::string textOf(Sum value)
{
    std::string digits;
    for (Sum rest = value; rest != 0; rest /= 10)
        digits.insert(digits.begin(), static_cast<char>('0' + (rest % 10 < 0 ? -(rest % 10) : rest % 10)));
    return (value < 0 ? "-" : "") + (digits.empty() ? "0" : digits);
}

std::int64_t number(const std::string& text)
{
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size())
        die("not a number: " + text);
    return value;
}

// Minor units by text alone: "12.50" is 1250, "500" is 500.
std::string withoutPoint(std::string text)
{
    if (const std::size_t point = text.find('.'); point != std::string::npos)
        text.erase(point, 1);
    text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
    return text;
}

using Row = std::vector<std::string>; // NULL is the empty text

struct Closer {
    void operator()(PGconn* connection) const { PQfinish(connection); }
};

// One snapshot for all reads, so that an engine at work does not look inconsistent.
class Reader {
public:
    explicit Reader(const std::string& dsn) : m_connection(PQconnectdb(dsn.c_str()))
    {
        read("begin isolation level repeatable read read only");
    }
    std::vector<Row> read(const char* sql)
    {
        PGresult* const result = PQexec(m_connection.get(), sql);
        const ExecStatusType status = PQresultStatus(result);
        if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
            die(std::string(sql) + ": " + PQerrorMessage(m_connection.get()));
        std::vector<Row> rows;
        for (int row = 0; row < PQntuples(result); ++row) {
            Row& values = rows.emplace_back();
            for (int column = 0; column < PQnfields(result); ++column)
                values.emplace_back(PQgetvalue(result, row, column));
        }
        PQclear(result);
        return rows;
    }

private:
    std::unique_ptr<PGconn, Closer> m_connection;
};

struct Payment {
    std::string id, merchant, account, collection, invoice, type, currency, status;
    std::int64_t amount = 0;
};

class Bookkeeper {
public:
    explicit Bookkeeper(const std::string& dsn) : m_reader(dsn)
    {
        for (const Row& row :
             m_reader.read("select operation_id, merchant_id, account_id, collection_account_id, invoice_id, "
                           "payment_type, currency, status, amount_minor from tekil.payment"))
            m_payments[row[0]] = {row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], number(row[8])};
    }

    void judgeLedger();
    void judgeAccounts();
    void judgePayments();
    void judgeHistories();
    void judgeRecords();
    void judgeMessages();
    void judgeBank(const std::vector<BankCharge>& bank);
    std::vector<std::string> complaints() && { return std::move(m_complaints); }

private:
    void expect(bool holds, const std::string& complaint)
    {
        if (!holds)
            m_complaints.push_back(complaint);
    }

    Reader m_reader;
    std::map<std::string, Payment> m_payments;
    std::map<std::string, std::set<std::tuple<std::string, std::int64_t, std::string>>> m_entriesOf; // by transaction
    std::map<std::string, Sum> m_posted;   // by account, credits positive
    std::map<std::string, Sum> m_reserved; // by account, active ones
    std::vector<std::string> m_complaints;
};

void Bookkeeper::judgeLedger()
{
    std::map<std::pair<std::string, std::string>, Sum> sums;
    std::map<std::string, std::size_t> lines;
    for (const Row& row :
         m_reader.read("select transaction_id, account_id, amount_minor, currency from tekil.ledger_entry")) {
        const std::int64_t amount = number(row[2]);
        sums[{row[0], row[3]}] += amount;
        m_posted[row[1]] += amount;
        ++lines[row[0]];
        m_entriesOf[row[0]].emplace(row[1], amount, row[3]);
    }
    for (const auto& [key, sum] : sums)
        expect(sum == 0, "transaction " + key.first + " sums to " + textOf(sum) + " " + key.second);
    std::set<std::string> known;
    for (const Row& row : m_reader.read("select transaction_id, kind, operation_id from tekil.ledger_transaction")) {
        known.insert(row[0]);
        expect(lines[row[0]] >= 2, "transaction " + row[0] + " has fewer than two entries");
        if (row[1] == "funding")
            continue;
        const auto payment = m_payments.find(row[2]);
        expect(payment != m_payments.end() && payment->second.status == "Completed",
               "transaction " + row[0] + " charges a payment that is not Completed");
        expect(row[0] == row[2] && lines[row[0]] == 2, "transaction " + row[0] + " is not one charge of two entries");
    }
    for (const auto& [transaction, count] : lines)
        expect(known.contains(transaction), "the entries of " + transaction + " belong to no transaction");
}

void Bookkeeper::judgeAccounts()
{
    for (const Row& row :
         m_reader.read("select account_id, amount_minor from tekil.balance_reservation where status = 'Active'"))
        m_reserved[row[0]] += number(row[1]);
    for (const Row& row :
         m_reader.read("select account_id, normal_side, may_overdraw, available_minor, reserved_minor, currency "
                       "from tekil.account")) {
        const std::string account = "account " + row[0];
        const Sum balance = Sum{number(row[3])} + number(row[4]);
        const Sum posted = row[1] == "debit" ? -m_posted[row[0]] : m_posted[row[0]];
        expect(balance == posted, account + " holds " + textOf(balance) + ", its entries say " + textOf(posted));
        expect(m_reserved[row[0]] == number(row[4]),
               account + " has reserved " + row[4] + ", its reservations say " + textOf(m_reserved[row[0]]));
        expect(row[2] == "t" || number(row[3]) >= 0, account + " is overdrawn: " + row[3]);
        expect(number(row[4]) >= 0, account + " has a negative reservation");
    }
}

void Bookkeeper::judgePayments()
{
    std::map<std::string, Row> reservations;
    for (const Row& row : m_reader.read(
             "select operation_id, account_id, amount_minor, currency, status from tekil.balance_reservation"))
        reservations[row[0]] = row;
    std::map<std::tuple<std::string, std::string, std::string>, std::string> holders;
    for (const Row& row :
         m_reader.read("select merchant_id, invoice_id, payment_type, operation_id from tekil.business_identity"))
        holders[{row[0], row[1], row[2]}] = row[3];
    for (const auto& [id, payment] : m_payments) {
        const std::string name = "payment " + id + " (" + payment.status + ")";
        const auto found = reservations.find(id);
        const std::string held = found == reservations.end() ? "none" : found->second[4];
        if (found != reservations.end())
            expect(found->second[1] == payment.account && number(found->second[2]) == payment.amount
                       && found->second[3] == payment.currency,
                   name + " has a reservation of other money");
        const auto holder = holders.find({payment.merchant, payment.invoice, payment.type});
        const bool holds = holder != holders.end() && holder->second == id;
        if (payment.status == "Completed") {
            expect(held == "Finalized", name + " has a reservation that is " + held);
            expect(m_entriesOf[id]
                       == decltype(m_entriesOf)::mapped_type{{payment.account, -payment.amount, payment.currency},
                                                             {payment.collection, payment.amount, payment.currency}},
                   name + " has not the two entries of its charge");
        } else if (payment.status == "Failed") {
            expect(held == "Released" || held == "none", name + " has a reservation that is " + held);
        } else {
            expect(held == "Active", name + " has a reservation that is " + held);
        }
        expect(payment.status == "Completed" || m_entriesOf[id].empty(), name + " has entries");
        expect(holds == (payment.status != "Failed"),
               name + (holds ? " still holds its invoice" : " does not hold its invoice"));
    }
}

void Bookkeeper::judgeHistories()
{
    static const std::set<std::pair<std::string, std::string>> kWays{{"Processing", "Completed"},
                                                                     {"Processing", "Failed"},
                                                                     {"Processing", "Unknown"},
                                                                     {"Unknown", "Completed"},
                                                                     {"Unknown", "Failed"}};
    std::map<std::string, std::string> at;
    for (const Row& row : m_reader.read("select operation_id, from_status, to_status from tekil.payment_state_change "
                                        "order by operation_id, version")) {
        const std::string was = at.contains(row[0]) ? at[row[0]] : "Processing";
        expect(row[1] == was && kWays.contains({row[1], row[2]}),
               "payment " + row[0] + " went from " + row[1] + " to " + row[2] + " but was " + was);
        at[row[0]] = row[2];
    }
    for (const auto& [id, payment] : m_payments)
        expect((at.contains(id) ? at[id] : "Processing") == payment.status,
               "payment " + id + " is " + payment.status + ", which its history does not say");
}

void Bookkeeper::judgeRecords()
{
    std::set<std::string> recorded;
    for (const Row& row :
         m_reader.read("select operation_id, status, response_status, response_body, amount_minor, account_id, "
                       "merchant_id, currency, shrunk_at is not null from tekil.idempotency_record")) {
        recorded.insert(row[0]);
        const std::string name = "record " + row[0];
        const auto payment = m_payments.find(row[0]);
        const bool exists = payment != m_payments.end();
        expect(exists ? payment->second.status == row[1] : row[1] == "Processing",
               name + " is " + row[1] + ", its payment is not");
        const bool keepsItsAnswer = row[8] == "f";
        expect(row[2]
                   == (!keepsItsAnswer         ? ""
                       : row[1] == "Completed" ? "201"
                       : row[1] == "Failed"    ? "402"
                                               : ""),
               name + " answers " + row[2]);
        expect(row[3].empty() != (keepsItsAnswer && (row[1] == "Completed" || row[1] == "Failed")),
               name + " has an answer where none is final");
        expect(row[3].empty() || row[3].find("\"status\":\"" + row[1] + "\"") != std::string::npos,
               name + " answers another status");
        expect(!exists
                   || (payment->second.amount == number(row[4]) && payment->second.account == row[5]
                       && payment->second.merchant == row[6] && payment->second.currency == row[7]),
               name + " asked for another payment than there is");
    }
    for (const auto& [id, payment] : m_payments)
        expect(recorded.contains(id), "payment " + id + " has no record");
}

void Bookkeeper::judgeMessages()
{
    std::map<std::string, std::pair<std::int64_t, std::string>> last;
    for (const Row& row : m_reader.read(
             "select operation_id, sequence, kind from tekil.outbox_message order by operation_id, sequence")) {
        auto& [sequence, kind] = last[row[0]];
        expect(number(row[1]) == sequence + 1, "payment " + row[0] + " misses a message before " + row[1]);
        sequence = number(row[1]);
        kind = row[2];
    }
    for (const auto& [id, payment] : m_payments) {
        const std::string wanted = payment.status == "Processing" ? "PaymentRequested" : "Payment" + payment.status;
        expect(last.contains(id) && last[id].second == wanted, "payment " + id + " was not told as " + wanted);
    }
}

void Bookkeeper::judgeBank(const std::vector<BankCharge>& bank)
{
    std::map<std::string, int> times;
    std::map<std::string, std::string> exponents;
    for (const Row& row : m_reader.read("select code, exponent from tekil.currency"))
        exponents[row[0]] = row[1];
    for (const BankCharge& charge : bank) {
        ++times[charge.operationId];
        const auto payment = m_payments.find(charge.operationId);
        if (payment == m_payments.end()) {
            expect(false, "the bank charged " + charge.operationId + ", which is no payment");
            continue;
        }
        const std::size_t point = charge.amount.find('.');
        const std::size_t decimals = point == std::string::npos ? 0 : charge.amount.size() - point - 1;
        expect(std::to_string(decimals) == exponents[charge.currency] && charge.currency == payment->second.currency
                   && withoutPoint(charge.amount) == std::to_string(payment->second.amount),
               "the bank charged " + charge.amount + " " + charge.currency + " for " + charge.operationId);
    }
    // Money that was found at the bank after the payment had failed: told to people, and never booked as if it had not.
    std::set<std::string> told;
    for (const Row& row :
         m_reader.read("select operation_id, kind from tekil.reconciliation_case where kind = 'late_capture'"))
        told.insert(row[0]);
    for (const auto& [id, payment] : m_payments) {
        const int charged = times.contains(id) ? times[id] : 0;
        const bool fits = payment.status == "Completed" ? charged == 1
                          : payment.status == "Failed"  ? charged == (told.contains(id) ? 1 : 0)
                                                        : charged <= 1;
        expect(fits,
               "payment " + id + " is " + payment.status + " and was charged " + std::to_string(charged) + " times");
    }
}

Bookkeeper judged(const std::string& dsn)
{
    Bookkeeper bookkeeper(dsn);
    bookkeeper.judgeLedger();
    bookkeeper.judgeAccounts();
    bookkeeper.judgePayments();
    bookkeeper.judgeHistories();
    bookkeeper.judgeRecords();
    bookkeeper.judgeMessages();
    return bookkeeper;
}

} // namespace

std::vector<BankCharge> readBankLedger(std::string_view json)
{
    const auto ledger = parseJson(json);
    const JsonValue* const charges = ledger ? ledger->find("charges") : nullptr;
    if (charges == nullptr || !charges->isArray())
        die("not a bank's ledger: " + std::string(json.substr(0, 200)));
    std::vector<BankCharge> out;
    for (const JsonValue& charge : charges->items)
        out.push_back({charge.find("operationId")->text, charge.find("amount")->text, charge.find("currency")->text});
    return out;
}

std::vector<std::string> judgeBooks(const std::string& dsn)
{
    return judged(dsn).complaints();
}

std::vector<std::string> judgeBooks(const std::string& dsn, const std::vector<BankCharge>& bank)
{
    Bookkeeper bookkeeper = judged(dsn);
    bookkeeper.judgeBank(bank);
    return std::move(bookkeeper).complaints();
}

} // namespace tekil::test
