// Links between pages are followed by name; nothing is fetched from anywhere.
#include "ui/shell/help_window.h"

#include "ui/widgets/format.h"
#include "ui/widgets/theme.h"

#include <QBoxLayout>
#include <QEvent>
#include <QFile>
#include <QKeyEvent>
#include <QPointer>
#include <QTextBrowser>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

void HelpWindow::open(const QString& page)
{
    static QPointer<HelpWindow> window;
    if (!window)
        window = new HelpWindow;
    window->load(page);
    window->show();
    window->raise();
    window->activateWindow();
}

HelpWindow::HelpWindow() : m_text(new QTextBrowser)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setAttribute(Qt::WA_QuitOnClose, false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_text);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setOpenLinks(false);
    m_text->document()->setDocumentMargin(px(20));
    connect(m_text, &QTextBrowser::anchorClicked, this,
            [this](const QUrl& link) { load(link.toString().section(u'.', 0, 0)); });
    resize(px(640), px(720));
}

void HelpWindow::load(const QString& page)
{
    m_page = page;
    const QString language = formatter().language() == Language::Turkish ? u"tr"_s : u"en"_s;
    QFile file(u":/help/%1.%2.md"_s.arg(page, language));
    if (!file.open(QIODevice::ReadOnly))
        return;
    setWindowTitle(tr("Help"));
    m_text->setAccessibleName(tr("Help"));
    m_text->document()->setDefaultFont(faceFont(Face::Body));
    m_text->setMarkdown(QString::fromUtf8(file.readAll()));
}

void HelpWindow::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange && !m_page.isEmpty())
        load(m_page);
}

void HelpWindow::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        close();
    else
        QWidget::keyPressEvent(event);
}

} // namespace tekil::ui
