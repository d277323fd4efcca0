// The guide, shown by F1: the pages of resources/help in the reader's language.
#pragma once

#include <QWidget>

class QTextBrowser;

namespace tekil::ui {

class HelpWindow : public QWidget {
    Q_OBJECT
public:
    // One window; raised when it is open already.
    static void open(const QString& page);

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    HelpWindow();
    void load(const QString& page);

    QTextBrowser* m_text;
    QString m_page;
};

} // namespace tekil::ui
