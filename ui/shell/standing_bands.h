// The bands between the frame and the page: the connection's, then the engine's. Never modal; gone when all is well.
#pragma once

#include "ui/shell/standing.h"

namespace tekil::ui {

class StandingBand : public MessageBand {
    Q_OBJECT
public:
    explicit StandingBand(QWidget* parent = nullptr);
    void showNotice(const std::optional<Notice>& notice);
    const std::optional<Notice>& notice() const { return m_notice; }
    Button* actButton() const { return m_act; }

Q_SIGNALS:
    void actRequested(tekil::ui::Notice::Act act);

private:
    QString actWord() const;

    std::optional<Notice> m_notice;
    Button *m_act, *m_details;
    bool m_showDetails = false;
};

} // namespace tekil::ui
