// A certificate of a test's own, and a client that speaks TLS as it is told, over a plain blocking socket.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace tekil::test {

// Writes a self-signed certificate for `name` and its key.
inline void writeCertificate(const std::string& certificateFile, const std::string& keyFile, const char* name)
{
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 24 * 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* subject = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
    X509_set_issuer_name(certificate, subject);
    X509_sign(certificate, key, EVP_sha256());
    if (std::FILE* file = std::fopen(certificateFile.c_str(), "w")) {
        PEM_write_X509(file, certificate);
        std::fclose(file);
    }
    if (std::FILE* file = std::fopen(keyFile.c_str(), "w")) {
        PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
        std::fclose(file);
    }
    X509_free(certificate);
    EVP_PKEY_free(key);
}

class TlsClient {
public:
    // Connects to 127.0.0.1 and shakes hands with this version only, as TLS1_2_VERSION.
    TlsClient(std::uint16_t port, int version)
        : m_context(SSL_CTX_new(TLS_client_method())), m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        SSL_CTX_set_security_level(m_context,
                                   0); // old versions are offered, so that it is the server that refuses them
        SSL_CTX_set_cipher_list(m_context, "ALL:@SECLEVEL=0");
        SSL_CTX_set_min_proto_version(m_context, version);
        SSL_CTX_set_max_proto_version(m_context, version);
        const timeval patience{10, 0};
        setsockopt(m_socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        m_ssl = SSL_new(m_context);
        SSL_set_fd(m_ssl, m_socket);
        m_open = ::connect(m_socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0
                 && SSL_connect(m_ssl) == 1;
    }
    ~TlsClient()
    {
        SSL_free(m_ssl);
        SSL_CTX_free(m_context);
        ::close(m_socket);
    }
    TlsClient(const TlsClient&) = delete;
    TlsClient& operator=(const TlsClient&) = delete;

    bool isOpen() const { return m_open; }
    std::string version() const { return SSL_get_version(m_ssl); }
    // The name in the server's certificate.
    std::string peer() const
    {
        X509* certificate = SSL_get1_peer_certificate(m_ssl);
        char name[128] = {};
        if (certificate != nullptr)
            X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
        X509_free(certificate);
        return name;
    }
    void send(std::string_view bytes) { SSL_write(m_ssl, bytes.data(), static_cast<int>(bytes.size())); }
    // Until `end` has come, or the peer closes, or ten seconds.
    std::string receive(std::string_view end)
    {
        std::string all;
        char bytes[4096];
        while (end.empty() || all.find(end) == std::string::npos) {
            const int got = SSL_read(m_ssl, bytes, sizeof bytes);
            if (got <= 0) {
                m_endedWell = SSL_get_error(m_ssl, got) == SSL_ERROR_ZERO_RETURN;
                break;
            }
            all.append(bytes, static_cast<std::size_t>(got));
        }
        return all;
    }
    bool sawCloseNotify() const { return m_endedWell; }

private:
    SSL_CTX* m_context;
    int m_socket;
    SSL* m_ssl = nullptr;
    bool m_open = false;
    bool m_endedWell = false;
};

} // namespace tekil::test
