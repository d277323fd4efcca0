// Bytes of a connection become requests, without sockets: strict about framing, so that nobody who reads the same bytes
// (a proxy before us) sees another request than we do.
#pragma once

#include "core/http/message.h"
#include "core/http/problem.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tekil::http {

struct ReaderLimits {
    std::size_t headerBytes = 16 * 1024; // request line and headers together: 431 beyond
    std::size_t headerLines = 100; // 431 beyond
    std::size_t bodyBytes = 64 * 1024; // 413 beyond
};

// Why the server itself refuses a request. The connection ends with it: where the next request begins is not certain.
struct Refusal {
    ProblemType type = ProblemType::RequestInvalid;
    std::string detail;
};

// Reads one request. What it does not consume belongs to the next one.
class RequestReader {
public:
    enum class State : std::uint8_t {
        Head, // needs more of the head
        HeadDone, // told once, where a body follows; go on reading
        Body, // needs more of the body
        Done,
        Refused,
    };

    explicit RequestReader(ReaderLimits limits) : m_limits(limits) {}

    // Takes bytes from the front until the state changes or they are used up.
    State read(std::string_view& bytes);
    State state() const { return m_state; }

    const Refusal& refusal() const { return m_refusal; } // Refused
    // From HeadDone on.
    const Headers& headers() const { return m_request.headers; }
    int httpVersion() const { return m_version; } // 10 or 11
    bool keepAlive() const { return m_keepAlive; }
    bool expectsContinue() const { return m_expectsContinue; }
    Request take() { return std::move(m_request); } // Done

private:
    enum class Chunk : std::uint8_t { SizeLine, Data, DataEnd, Trailers };

    State refuse(ProblemType type, std::string detail);
    void readHead(std::string_view& bytes);
    bool checkLines(std::string_view head, std::size_t from, std::size_t& end);
    State parseHead(std::string_view head);
    State checkHead();
    State checkExpectation();
    void readFixed(std::string_view& bytes);
    void readChunked(std::string_view& bytes);
    bool readLine(std::string_view& bytes);
    void startChunk();
    void endTrailers();
    void readChunkData(std::string_view& bytes);

    const ReaderLimits m_limits;
    Request m_request;
    State m_state = State::Head;
    Refusal m_refusal;
    std::string m_head; // a head that comes in pieces
    std::size_t m_skipped = 0; // empty lines before the request
    std::size_t m_left = 0; // of the body or the chunk
    Chunk m_chunk = Chunk::SizeLine;
    std::string m_line; // of the chunked framing
    std::size_t m_frameBytes = 0; // of the chunked body beside its data
    std::size_t m_trailerBytes = 0;
    int m_version = 11;
    bool m_keepAlive = false;
    bool m_chunked = false;
    bool m_expectsContinue = false;
};

} // namespace tekil::http
