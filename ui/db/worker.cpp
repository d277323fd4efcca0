// Reads again once where only the connection was lost: reading twice is harmless.
#include "ui/db/worker.h"

#include "core/base/clock.h"

#include <QCoreApplication>
#include <QElapsedTimer>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

std::atomic<int>& runningThreads()
{
    static std::atomic<int> count{0};
    return count;
}

constexpr char kStopped[] = "57014";

} // namespace

Worker::Worker(const Profile& profile, const QString& password, const QString& purpose)
    : m_profile(profile), m_password(password), m_purpose(purpose)
{
}

Result<QVector<Rows>> Worker::attempt(const Request& request)
{
    if (!m_connection)
        m_connection = std::make_unique<Connection>(m_profile, m_password, m_purpose, m_wire);
    if (!m_connection->isOpen())
        if (const std::optional<OpenError> error = m_connection->open())
            return Error{ErrorCode::DatabaseUnavailable, error->detail.toStdString()};
    return m_connection->runTogether(request.queries);
}

void Worker::run(const Request& request)
{
    Answer answer;
    answer.id = request.id;
    if (request.cancelled->load()) {
        answer.error = Error{ErrorCode::StatementFailed, "cancelled before it began", kStopped};
        Q_EMIT answered(answer);
        return;
    }
    m_busySince = bootTime().count();
    m_current = request.id;
    QElapsedTimer timer;
    timer.start();
    answer.askedAtUs = wallClockUs();
    Result<QVector<Rows>> result = attempt(request);
    const auto worthAgain = [&](const Error& error) {
        if (request.cancelled->load())
            return false;
        // A stop that was meant for the request before this one: neither asked for nor out of time.
        const bool strayStop = error.sqlState == kStopped && timer.elapsed() < kStatementTimeoutMs - 500;
        return strayStop || (error.code == ErrorCode::DatabaseUnavailable && timer.elapsed() < 1000);
    };
    if (!result && worthAgain(result.error())) {
        answer.askedAtUs = wallClockUs();
        result = attempt(request);
    }
    m_current = 0;
    m_busySince = 0;
    if (result)
        answer.rows = std::move(result).value();
    else
        answer.error = result.error();
    Q_EMIT answered(answer);
}

void Worker::end()
{
    m_connection.reset();
    QThread::currentThread()->quit();
}

QThread* startThread(QObject* worker, const QString& name)
{
    auto* thread = new QThread;
    thread->setObjectName(name);
    worker->moveToThread(thread);
    ++runningThreads();
    QObject::connect(thread, &QThread::finished, worker, &QObject::deleteLater);
    QObject::connect(thread, &QThread::finished, thread, [thread] {
        thread->wait();
        --runningThreads();
        thread->deleteLater();
    });
    thread->start();
    return thread;
}

void waitForThreads(std::chrono::milliseconds within)
{
    QElapsedTimer timer;
    timer.start();
    while (runningThreads() > 0 && timer.elapsed() < within.count()) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QThread::msleep(5);
    }
}

} // namespace tekil::ui
