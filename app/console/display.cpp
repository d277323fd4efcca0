// Connects to the socket of the display that the environment names, as a client would, and hangs up.
#include "app/console/display.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace tekil::console {

namespace {

std::string fromEnvironment(const char* name)
{
    const char* const value = std::getenv(name);
    return value ? value : "";
}

bool answersUnix(const std::string& path, bool isAbstract)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() + 2 > sizeof address.sun_path)
        return false;
    std::memcpy(address.sun_path + (isAbstract ? 1 : 0), path.data(), path.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool answers = fd >= 0 && ::connect(fd, reinterpret_cast<sockaddr*>(&address), length) == 0;
    if (fd >= 0)
        ::close(fd);
    return answers;
}

bool answersTcp(const std::string& host, const std::string& port)
{
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0)
        return false;
    bool answers = false;
    for (const addrinfo* one = found; one && !answers; one = one->ai_next) {
        const int fd = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        answers = fd >= 0 && ::connect(fd, one->ai_addr, one->ai_addrlen) == 0;
        if (fd >= 0)
            ::close(fd);
    }
    ::freeaddrinfo(found);
    return answers;
}

// "[host]:number[.screen]"; the number counts from port 6000.
bool answersX11(const std::string& display)
{
    const std::size_t colon = display.rfind(':');
    if (colon == std::string::npos)
        return false;
    const std::string number = display.substr(colon + 1, display.find('.', colon) - colon - 1);
    if (number.empty() || number.size() > 4 || number.find_first_not_of("0123456789") != std::string::npos)
        return false;
    const std::string host = display.substr(0, colon);
    const std::string path = "/tmp/.X11-unix/X" + number;
    if (host.empty() || host == "unix")
        return answersUnix(path, false) || answersUnix(path, true);
    return answersTcp(host, std::to_string(6000 + std::atoi(number.c_str())));
}

bool answersWayland(const std::string& display)
{
    const bool isPath = display.front() == '/';
    return answersUnix(isPath ? display : fromEnvironment("XDG_RUNTIME_DIR") + '/' + display, false);
}

} // namespace

std::optional<std::string> missingDisplay()
{
    const std::string platform = fromEnvironment("QT_QPA_PLATFORM");
    // Only these two need a display server.
    if (!platform.empty() && !platform.starts_with("xcb") && !platform.starts_with("wayland"))
        return std::nullopt;
    const std::string x11 = fromEnvironment("DISPLAY"), wayland = fromEnvironment("WAYLAND_DISPLAY");
    if (x11.empty() && wayland.empty())
        return "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set; "
               "run it in a desktop session, or use tekild for an engine without a window";
    if ((!wayland.empty() && answersWayland(wayland)) || (!x11.empty() && answersX11(x11)))
        return std::nullopt;
    return "the display " + (x11.empty() ? wayland : x11) + " does not answer; look at DISPLAY and WAYLAND_DISPLAY";
}

} // namespace tekil::console
