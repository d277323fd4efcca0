// Which world this window acts on: a tag beside each title of an act, and a band across the window's top.
#pragma once

#include <QWidget>

#include <cstdint>

namespace tekil::ui {

enum class Environment : std::uint8_t { Prod, Test, Demo };
QString wordOf(Environment environment); // PROD, TEST, DEMO

class EnvironmentTag : public QWidget {
    Q_OBJECT
public:
    explicit EnvironmentTag(Environment environment, QWidget* parent = nullptr);
    void setEnvironment(Environment environment);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Environment m_environment;
};

class EnvironmentBand : public QWidget {
    Q_OBJECT
public:
    explicit EnvironmentBand(Environment environment, QWidget* parent = nullptr);
    void setEnvironment(Environment environment);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Environment m_environment;
};

} // namespace tekil::ui
