// A throw-away PostgreSQL cluster for each test executable, and a database for each test. The cluster is copied from a
// template that is made once per build and schema; it runs without fsync, ends with the executable, and trusts every
// login. It needs nothing of core/, so that ui tests can use it.
#pragma once

#include "tests/support/process.h"

#include <memory>
#include <string>
#include <string_view>

namespace tekil::test {

class TestCluster {
public:
    // Started at the first call. Aborts with one line why where it cannot be.
    static TestCluster& instance();
    TestCluster(const TestCluster&) = delete;
    TestCluster& operator=(const TestCluster&) = delete;
    ~TestCluster();

    const std::string& socketDirectory() const { return m_directory; }
    std::string dsn(std::string_view database, std::string_view user) const;
    // Kills the server as a crash would, and starts it again.
    void crashAndRestart();

private:
    TestCluster();
    void start();

    std::string m_directory; // holds data/ and the socket
    std::unique_ptr<Process> m_server;
};

// A database of its own, dropped at its end: with the schema, or empty (owned by tekil_owner, no schema tekil).
class TestDatabase {
public:
    enum class Content { Schema, Empty };

    explicit TestDatabase(Content content = Content::Schema);
    TestDatabase(const TestDatabase&) = delete;
    TestDatabase& operator=(const TestDatabase&) = delete;
    ~TestDatabase();

    const std::string& name() const { return m_name; }
    // A conninfo for tekil_owner, tekil_engine, postgres or any other login; no password is needed.
    std::string dsn(std::string_view user = "tekil_engine") const;
    // Runs SQL as the superuser and aborts where it fails. The first column of the first row, "" where there is none.
    std::string sql(const std::string& text) const;

private:
    std::string m_name;
};

} // namespace tekil::test
