// TLS for a listener, without sockets: ciphertext in, plain text out, and the other way round.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct bio_st;
struct ssl_ctx_st;
struct ssl_st;

namespace tekil::http {

struct TlsFiles {
    std::string certificate; // PEM: the server's certificate first, then its chain
    std::string key;         // PEM, without a passphrase
};

// A certificate with its key, as new connections use it. TLS 1.2 and 1.3, forward secrecy only.
class TlsContext {
public:
    // InvalidArgument names the file and what is wrong with it.
    static Result<std::shared_ptr<const TlsContext>> load(const TlsFiles& files);
    ~TlsContext();
    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;

    ssl_ctx_st* get() const { return m_context; }

private:
    explicit TlsContext(ssl_ctx_st* context) : m_context(context) {}
    ssl_ctx_st* m_context;
};

// One connection's TLS, as its server. Belongs to one thread at a time. Holds no buffers while nothing goes on.
class TlsChannel {
public:
    enum class State : std::uint8_t { Handshake, Open, PeerClosed, Failed };

    explicit TlsChannel(const TlsContext& context);
    ~TlsChannel();
    TlsChannel(const TlsChannel&) = delete;
    TlsChannel& operator=(const TlsChannel&) = delete;

    // Takes what came from the peer; what it says is appended to `plain`.
    State receive(std::string_view bytes, std::string& plain);
    State state() const { return m_state; }
    // False: not open (any more).
    bool send(std::string_view plain);
    void close(); // says close_notify, where the handshake was done and nothing failed
    // What is to be written to the peer: of the handshake, of send() and of close(), alerts too.
    std::string takeOutput();
    // The first bytes were no TLS but plain HTTP.
    bool sawPlainHttp() const { return m_sawPlainHttp; }

    int readInput(char* target, int size); // for OpenSSL
    int writeOutput(const char* data, int size);

private:
    State fail();

    ssl_st* m_ssl;
    State m_state = State::Handshake;
    std::string_view m_input;
    std::string m_output;
    bool m_seen = false;
    bool m_sawPlainHttp = false;
    bool m_saidGoodbye = false;
};

} // namespace tekil::http
