// OpenSSL reads from and writes to strings through a BIO of our own, so that an idle connection holds no buffer.
#include "core/http/tls.h"

#include "core/base/check.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sys/stat.h>

namespace tekil::http {

namespace {

constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20"; // of TLS 1.2; those of 1.3 are all sane

int bioRead(BIO* bio, char* target, int size)
{
    BIO_clear_retry_flags(bio);
    const int got = static_cast<TlsChannel*>(BIO_get_data(bio))->readInput(target, size);
    if (got > 0)
        return got;
    BIO_set_retry_read(bio);
    return -1;
}

int bioWrite(BIO* bio, const char* data, int size)
{
    BIO_clear_retry_flags(bio);
    return static_cast<TlsChannel*>(BIO_get_data(bio))->writeOutput(data, size);
}

long bioControl(BIO*, int command, long, void*) // NOLINT(google-runtime-int): OpenSSL's own type
{
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* stringBio()
{
    static BIO_METHOD* const method = [] {
        BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "tekil strings");
        TEKIL_CHECK(made != nullptr);
        BIO_meth_set_read(made, bioRead);
        BIO_meth_set_write(made, bioWrite);
        BIO_meth_set_ctrl(made, bioControl);
        return made;
    }();
    return method;
}

std::string lastError()
{
    const unsigned long code = ERR_get_error(); // NOLINT(google-runtime-int): OpenSSL's own type
    const char* reason = code != 0 ? ERR_reason_error_string(code) : nullptr;
    ERR_clear_error();
    return reason != nullptr ? reason : "it cannot be read as PEM";
}

Error wrong(const std::string& what, const std::string& file, const std::string& why)
{
    return Error{ErrorCode::IoFailed, what + " " + file + ": " + why};
}

Result<void> checkReadable(const std::string& what, const std::string& file)
{
    if (file.empty())
        return Error{ErrorCode::IoFailed, "TLS needs a certificate file and a key file: the " + what + " is missing"};
    errno = 0;
    struct stat about{};
    if (::stat(file.c_str(), &about) != 0)
        return wrong(what, file, std::strerror(errno));
    if (!S_ISREG(about.st_mode))
        return wrong(what, file, "it is not a file");
    errno = 0;
    if (!std::ifstream(file))
        return wrong(what, file, errno != 0 ? std::strerror(errno) : "it cannot be read");
    return {};
}

// A passphrase cannot be asked for here: without this OpenSSL would ask the terminal.
int noPassphrase(char*, int, int, void*)
{
    return -1;
}

// This server speaks HTTP/1.1, whatever else a client offers.
int chooseProtocol(SSL*, const unsigned char** out, unsigned char* outLength, const unsigned char* in,
                   unsigned int inLength, void*)
{
    static constexpr unsigned char kHttp11[] = "\x08http/1.1";
    unsigned char* chosen = nullptr;
    if (SSL_select_next_proto(&chosen, outLength, kHttp11, sizeof kHttp11 - 1, in, inLength) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

void warnOfDates(SSL_CTX* context, const std::string& file)
{
    X509* const certificate = SSL_CTX_get0_certificate(context);
    if (X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0)
        spdlog::warn("tls: the certificate {} has expired: clients will refuse it", file);
    else if (X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0)
        spdlog::warn("tls: the certificate {} is not valid yet: clients will refuse it", file);
}

void setRules(SSL_CTX* context)
{
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE
                                     | SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF); // tickets resume without memory of ours
    SSL_CTX_set_alpn_select_cb(context, chooseProtocol, nullptr);
    SSL_CTX_set_default_passwd_cb(context, noPassphrase);
}

} // namespace

Result<std::shared_ptr<const TlsContext>> TlsContext::load(const TlsFiles& files)
{
    for (const auto& [what, file] : {std::pair("TLS certificate", files.certificate), std::pair("TLS key", files.key)})
        if (const auto readable = checkReadable(what, file); !readable)
            return readable.error();
    ERR_clear_error();
    SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
    TEKIL_CHECK(context != nullptr);
    std::shared_ptr<const TlsContext> loaded(new TlsContext(context));
    setRules(context);
    if (SSL_CTX_set_cipher_list(context, kCiphers) != 1)
        return Error{ErrorCode::InvalidArgument, "TLS: this OpenSSL has none of the ciphers " + std::string(kCiphers)};
    if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1)
        return wrong("TLS certificate", files.certificate, lastError());
    if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1)
        return wrong("TLS key", files.key, lastError());
    if (SSL_CTX_check_private_key(context) != 1) {
        ERR_clear_error();
        return wrong("TLS key", files.key, "it does not belong to the certificate " + files.certificate);
    }
    warnOfDates(context, files.certificate);
    return loaded;
}

TlsContext::~TlsContext()
{
    SSL_CTX_free(m_context);
}

TlsChannel::TlsChannel(const TlsContext& context) : m_ssl(SSL_new(context.get()))
{
    TEKIL_CHECK(m_ssl != nullptr);
    BIO* const bio = BIO_new(stringBio());
    TEKIL_CHECK(bio != nullptr);
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(m_ssl, bio, bio);
    SSL_set_accept_state(m_ssl);
}

TlsChannel::~TlsChannel()
{
    SSL_free(m_ssl);
}

int TlsChannel::readInput(char* target, int size)
{
    const std::size_t count = std::min(m_input.size(), static_cast<std::size_t>(size));
    std::copy_n(m_input.begin(), count, target);
    m_input.remove_prefix(count);
    return static_cast<int>(count);
}

int TlsChannel::writeOutput(const char* data, int size)
{
    m_output.append(data, static_cast<std::size_t>(size));
    return size;
}

TlsChannel::State TlsChannel::fail()
{
    ERR_clear_error();
    return m_state = State::Failed;
}

TlsChannel::State TlsChannel::receive(std::string_view bytes, std::string& plain)
{
    if (m_state == State::Failed || m_state == State::PeerClosed)
        return m_state;
    // A TLS record begins with its type, 22 for a handshake; a method begins with a letter.
    if (!m_seen && !bytes.empty()) {
        m_seen = true;
        if (bytes.front() >= 'A' && bytes.front() <= 'Z') {
            m_sawPlainHttp = true;
            return fail();
        }
    }
    m_input = bytes;
    ERR_clear_error();
    if (m_state == State::Handshake) {
        const int done = SSL_accept(m_ssl);
        if (done != 1)
            return SSL_get_error(m_ssl, done) == SSL_ERROR_WANT_READ ? m_state : fail();
        m_state = State::Open;
    }
    char buffer[4096];
    while (true) {
        const int got = SSL_read(m_ssl, buffer, sizeof buffer);
        if (got > 0) {
            plain.append(buffer, static_cast<std::size_t>(got));
            continue;
        }
        const int why = SSL_get_error(m_ssl, got);
        if (why == SSL_ERROR_WANT_READ)
            return m_state;
        if (why == SSL_ERROR_ZERO_RETURN)
            return m_state = State::PeerClosed;
        return fail();
    }
}

bool TlsChannel::send(std::string_view plain)
{
    if (m_state != State::Open && m_state != State::PeerClosed)
        return false;
    std::size_t written = 0;
    ERR_clear_error();
    while (!plain.empty()) {
        if (SSL_write_ex(m_ssl, plain.data(), plain.size(), &written) != 1) {
            fail();
            return false;
        }
        plain.remove_prefix(written);
    }
    return true;
}

void TlsChannel::close()
{
    if ((m_state != State::Open && m_state != State::PeerClosed) || m_saidGoodbye)
        return;
    m_saidGoodbye = true;
    ERR_clear_error();
    SSL_shutdown(m_ssl);
    ERR_clear_error();
}

std::string TlsChannel::takeOutput()
{
    return std::exchange(m_output, {});
}

} // namespace tekil::http
