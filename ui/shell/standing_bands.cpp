// Details take the place of what to do, and go back with a second click.
#include "ui/shell/standing_bands.h"

namespace tekil::ui {

StandingBand::StandingBand(QWidget* parent)
    : MessageBand(Kind::Warning, parent), m_act(addButton({})), m_details(addButton({}, Button::Weight::Quiet))
{
    connect(m_act, &Button::clicked, this, [this] {
        if (m_notice)
            Q_EMIT actRequested(m_notice->act);
    });
    connect(m_details, &Button::clicked, this, [this] {
        m_showDetails = !m_showDetails;
        showNotice(m_notice);
    });
    hide();
}

QString StandingBand::actWord() const
{
    switch (m_notice->act) {
    case Notice::Act::None: return {};
    case Notice::Act::TryNow: return tr("Try now");
    case Notice::Act::SignIn: return tr("Sign in again");
    case Notice::Act::StartEngine: return tr("Start it again");
    }
    return {};
}

void StandingBand::showNotice(const std::optional<Notice>& notice)
{
    m_notice = notice;
    setVisible(notice.has_value());
    if (!notice)
        return;
    setKind(notice->kind);
    const bool hasDetails = !notice->detail.isEmpty();
    setText(notice->sentence, m_showDetails && hasDetails ? notice->detail : notice->whatToDo);
    m_act->setVisible(notice->act != Notice::Act::None);
    m_act->setText(actWord());
    m_details->setVisible(hasDetails);
    m_details->setText(tr("Details"));
}

} // namespace tekil::ui
