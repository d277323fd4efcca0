// The head is parsed by Beast, once and whole; line ends before that and the body's framing after it are read here.
#include "core/http/request_reader.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>

namespace tekil::http {

namespace {

namespace beast = boost::beast;

constexpr std::size_t kChunkLineBytes = 1024;        // a chunk's size with its extensions
constexpr std::size_t kTrailerBytes = 4096;          // all trailers together
constexpr std::size_t kFrameBytesPerBodyByte = 8;    // chunks of one byte cost five; extensions cost what they like
constexpr int kMaxSizeDigits = 8;

// Parses a whole head straight into a Request.
class HeadParser final : public beast::http::basic_parser<true> {
public:
    HeadParser(Request& request, std::size_t lines) : m_request(request), m_lines(lines) {}
    int httpVersion() const { return m_version; }

private:
    using View = beast::string_view;

    void on_request_impl(beast::http::verb, View method, View target, int version, beast::error_code&) override
    {
        m_version = version;
        m_request.method.assign(method.data(), method.size());
        m_request.target.assign(target.data(), target.size());
    }
    void on_response_impl(int, View, int, beast::error_code&) override {}
    void on_field_impl(beast::http::field, View name, View value, beast::error_code& ec) override
    {
        if (m_request.headers.size() >= m_lines)
            ec = beast::http::error::header_limit;
        else
            m_request.headers.add(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
    }
    void on_header_impl(beast::error_code&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, beast::error_code&) override {}
    std::size_t on_body_impl(View part, beast::error_code&) override { return part.size(); }
    void on_chunk_header_impl(std::uint64_t, View, beast::error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, View part, beast::error_code&) override { return part.size(); }
    void on_finish_impl(beast::error_code&) override {}

    Request& m_request;
    const std::size_t m_lines;
    int m_version = 11;
};

Refusal refusalOf(const beast::error_code& ec, const ReaderLimits& limits)
{
    using beast::http::error;
    if (ec == error::header_limit)
        return {ProblemType::HeadersTooLarge,
                "A request may have at most " + std::to_string(limits.headerLines) + " header lines."};
    if (ec == error::body_limit)
        return {ProblemType::PayloadTooLarge,
                "The body may have at most " + std::to_string(limits.bodyBytes) + " bytes."};
    if (ec == error::bad_content_length || ec == error::multiple_content_length || ec == error::bad_transfer_encoding)
        return {ProblemType::RequestInvalid,
                "Content-Length and Transfer-Encoding contradict each other or themselves: send one of them, once."};
    if (ec == error::bad_version)
        return {ProblemType::RequestInvalid, "This server speaks HTTP/1.0 and HTTP/1.1."};
    if (ec == error::bad_value || ec == error::bad_field || ec == error::bad_obs_fold)
        return {ProblemType::RequestInvalid, "A header line is not well-formed, or has a control character."};
    return {ProblemType::RequestInvalid, "The request is not well-formed HTTP."};
}

// What a method may begin with (RFC 9110, section 5.6.2).
bool isTokenCharacter(char c)
{
    constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
           || kMarks.find(c) != std::string_view::npos;
}

int hexDigit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool isText(std::string_view line)
{
    return std::none_of(line.begin(), line.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\t') || byte == 0x7F;
    });
}

// A chunk's size line without its line end: hexadecimal digits, then nothing or ";" and what is ignored.
bool readSize(std::string_view line, std::size_t& size)
{
    int digits = 0;
    size = 0;
    while (!line.empty() && hexDigit(line.front()) >= 0) {
        size = size * 16 + static_cast<std::size_t>(hexDigit(line.front()));
        line.remove_prefix(1);
        if (++digits > kMaxSizeDigits)
            return false;
    }
    while (digits > 0 && !line.empty() && (line.front() == ' ' || line.front() == '\t'))
        line.remove_prefix(1);
    return digits > 0 && (line.empty() || line.front() == ';') && isText(line);
}

} // namespace

RequestReader::State RequestReader::refuse(ProblemType type, std::string detail)
{
    m_refusal = {type, std::move(detail)};
    return m_state = State::Refused;
}

RequestReader::State RequestReader::read(std::string_view& bytes)
{
    if (m_state == State::Head) {
        readHead(bytes);
        if (m_state != State::HeadDone)
            return m_state;
        // Told now; the next call goes on with the body.
        m_state = State::Body;
        return State::HeadDone;
    }
    while (!bytes.empty() && m_state == State::Body)
        m_chunked ? readChunked(bytes) : readFixed(bytes);
    return m_state;
}

// Looks at the lines from `from` on. True: the head ends at `end`. A bare LF or CR, a NUL or a folded line is refused
// at once, since others may read a line end where we do not.
bool RequestReader::checkLines(std::string_view head, std::size_t from, std::size_t& end)
{
    // Another protocol is told at once: it may never send a line end.
    if (from == 0 && !head.empty() && head.front() != '\r' && !isTokenCharacter(head.front())) {
        refuse(ProblemType::RequestInvalid, "The request is not well-formed HTTP.");
        return false;
    }
    for (std::size_t i = from; i < head.size(); ++i) {
        const char c = head[i];
        if (c != '\n' && c != '\0' && (i == 0 || head[i - 1] != '\r'))
            continue;
        const bool lineEnd = c == '\n' && i > 0 && head[i - 1] == '\r';
        if (!lineEnd) {
            refuse(ProblemType::RequestInvalid,
                   c == '\0' ? "The request has a NUL character." : "Lines end with CR and LF together.");
            return false;
        }
        if (i >= 3 && head[i - 2] == '\n') {
            end = i + 1;
            return true;
        }
        if (i + 1 < head.size() && (head[i + 1] == ' ' || head[i + 1] == '\t')) {
            refuse(ProblemType::RequestInvalid, "A header line must not be folded.");
            return false;
        }
    }
    return false;
}

void RequestReader::readHead(std::string_view& bytes)
{
    if (m_head == "\r" && bytes.starts_with('\n')) { // an empty line that came in pieces
        m_head.clear();
        bytes.remove_prefix(1);
        m_skipped += 2;
    }
    if (m_head.empty()) {
        while (bytes.starts_with("\r\n")) { // RFC 9112, section 2.2: empty lines before a request are ignored
            bytes.remove_prefix(2);
            m_skipped += 2;
        }
    }
    const bool inPieces = !m_head.empty();
    const std::size_t before = m_head.size();
    if (inPieces)
        m_head += bytes;
    const std::string_view head = inPieces ? std::string_view(m_head) : bytes;
    std::size_t end = 0;
    // The last character of what was looked at before is looked at again: it may begin a line end or a fold.
    const bool whole = checkLines(head, before > 2 ? before - 2 : 0, end);
    if (m_state == State::Refused)
        return;
    if (m_skipped + (whole ? end : head.size()) > m_limits.headerBytes) {
        refuse(ProblemType::HeadersTooLarge,
               "Request line and headers may have " + std::to_string(m_limits.headerBytes) + " bytes together.");
        return;
    }
    if (!whole) {
        if (!inPieces)
            m_head = bytes;
        bytes = {};
        return;
    }
    bytes.remove_prefix(end - before);
    parseHead(head.substr(0, end));
    m_head = {};
}

RequestReader::State RequestReader::parseHead(std::string_view head)
{
    HeadParser parser(m_request, m_limits.headerLines);
    // Its own limit is kept out of the way: the size was looked at, and it would count differently.
    parser.header_limit(static_cast<std::uint32_t>(head.size() + 1));
    parser.body_limit(m_limits.bodyBytes);
    beast::error_code ec;
    parser.put(boost::asio::buffer(head.data(), head.size()), ec);
    if (ec && ec != beast::http::error::need_more) {
        m_refusal = refusalOf(ec, m_limits);
        return m_state = State::Refused;
    }
    if (!parser.is_header_done())
        return refuse(ProblemType::RequestInvalid, "The request is not well-formed HTTP.");
    m_version = parser.httpVersion();
    m_keepAlive = parser.keep_alive();
    m_chunked = parser.chunked();
    const auto length = parser.content_length();
    m_left = length ? static_cast<std::size_t>(*length) : 0; // within the body's limit
    if (checkHead() == State::Refused)
        return m_state;
    m_request.body.reserve(m_left);
    return m_state = m_chunked || m_left > 0 ? State::HeadDone : State::Done;
}

// What the grammar allows and an HTTP/1.1 server must refuse, or this one cannot do.
RequestReader::State RequestReader::checkHead()
{
    const Headers& headers = m_request.headers;
    const std::size_t hosts = headers.values("Host").size();
    if (hosts > 1 || (hosts == 0 && m_version == 11))
        return refuse(ProblemType::RequestInvalid, "Send exactly one header Host.");
    const auto codings = headers.values("Transfer-Encoding");
    const auto lengths = headers.values("Content-Length");
    const bool isList = !lengths.empty() && lengths[0].find(',') != std::string_view::npos; // also "5, 5"
    if (lengths.size() > 1 || isList || (!lengths.empty() && !codings.empty()))
        return refuse(ProblemType::RequestInvalid, "Send one Content-Length, or Transfer-Encoding: chunked, not both.");
    if (!codings.empty() && (codings.size() > 1 || !equalsIgnoringCase(codings[0], "chunked") || m_version != 11))
        return refuse(ProblemType::RequestInvalid, "The only transfer coding here is chunked, in HTTP/1.1.");
    return checkExpectation();
}

RequestReader::State RequestReader::checkExpectation()
{
    const auto expectations = m_request.headers.values("Expect");
    if (expectations.empty() || m_version != 11) // RFC 9110, section 10.1.1: ignored in HTTP/1.0
        return m_state;
    if (expectations.size() > 1 || !equalsIgnoringCase(expectations[0], "100-continue"))
        return refuse(ProblemType::ExpectationFailed, "The only expectation that is met here is 100-continue.");
    m_expectsContinue = true;
    return m_state;
}

void RequestReader::readFixed(std::string_view& bytes)
{
    const std::size_t size = std::min(m_left, bytes.size());
    m_request.body += bytes.substr(0, size);
    bytes.remove_prefix(size);
    m_left -= size;
    if (m_left == 0)
        m_state = State::Done;
}

// Takes up to and with the next line end into m_line. False: it has not come, or was refused.
bool RequestReader::readLine(std::string_view& bytes)
{
    const std::size_t limit = m_chunk == Chunk::Trailers ? kTrailerBytes : kChunkLineBytes;
    const std::size_t end = bytes.find('\n');
    const std::size_t size = end == std::string_view::npos ? bytes.size() : end + 1;
    m_frameBytes += size;
    if (m_line.size() + size > limit || m_frameBytes > kTrailerBytes + kFrameBytesPerBodyByte * m_limits.bodyBytes) {
        refuse(ProblemType::RequestInvalid, "The chunked body's framing is too long.");
        return false;
    }
    m_line += bytes.substr(0, size);
    bytes.remove_prefix(size);
    if (end == std::string_view::npos)
        return false;
    if (!m_line.ends_with("\r\n")) {
        refuse(ProblemType::RequestInvalid, "The chunked body is not well-formed: lines end with CR and LF together.");
        return false;
    }
    m_line.resize(m_line.size() - 2);
    return true;
}

void RequestReader::readChunked(std::string_view& bytes)
{
    if (m_chunk == Chunk::Data)
        return readChunkData(bytes);
    if (!readLine(bytes))
        return;
    switch (m_chunk) {
    case Chunk::SizeLine: startChunk(); break;
    case Chunk::DataEnd:
        if (!m_line.empty())
            refuse(ProblemType::RequestInvalid,
                   "The chunked body is not well-formed: a chunk is longer than its size.");
        m_chunk = Chunk::SizeLine;
        break;
    case Chunk::Trailers: endTrailers(); break;
    case Chunk::Data: break;
    }
    m_line.clear();
}

void RequestReader::startChunk()
{
    if (!readSize(m_line, m_left)) {
        refuse(ProblemType::RequestInvalid, "The chunked body is not well-formed: a chunk's size cannot be read.");
        return;
    }
    if (m_left > m_limits.bodyBytes - m_request.body.size()) {
        refuse(ProblemType::PayloadTooLarge,
               "The body may have at most " + std::to_string(m_limits.bodyBytes) + " bytes.");
        return;
    }
    m_chunk = m_left == 0 ? Chunk::Trailers : Chunk::Data;
}

// Trailers are read and dropped: they are no headers.
void RequestReader::endTrailers()
{
    m_trailerBytes += m_line.size() + 2;
    if (m_line.empty())
        m_state = State::Done;
    else if (m_trailerBytes > kTrailerBytes || !isText(m_line) || m_line.find(':') == std::string::npos)
        refuse(ProblemType::RequestInvalid, "The chunked body's trailers are not well-formed or too long.");
}

void RequestReader::readChunkData(std::string_view& bytes)
{
    const std::size_t size = std::min(m_left, bytes.size());
    m_request.body += bytes.substr(0, size);
    bytes.remove_prefix(size);
    m_left -= size;
    if (m_left == 0)
        m_chunk = Chunk::DataEnd;
}

} // namespace tekil::http
