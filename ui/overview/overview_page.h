// The page Overview: one reading a second while it is seen, and from each figure the list that it counts.
#pragma once

#include "ui/db/session.h"
#include "ui/overview/overview_words.h"
#include "ui/shell/desk_page.h"

#include <QTimer>

#include <array>

namespace tekil::ui {
class Button;
class Hatch;
class Label;
class MessageBand;
} // namespace tekil::ui

namespace tekil::ui::overview {

class BooksLine;
class EngineList;

class OverviewPage : public DeskPage {
    Q_OBJECT
public:
    explicit OverviewPage(Session* session, QWidget* parent = nullptr);

    QString id() const override;
    QString word() const override;
    Icon icon() const override { return Icon::Overview; }
    QStringList statusParts() const override;
    void focusContent() override;
    void refreshNow() override;
    void tick() override;

    const std::optional<Reading>& reading() const { return m_reading; }
    MetricTile* tile(Tile which) const { return m_tiles[static_cast<std::size_t>(which)]; }
    BooksLine* books() const { return m_books; }
    EngineList* engines() const { return m_engines; }
    FlowDiagram* flow() const { return m_flow; }
    MessageBand* failure() const { return m_failure; }

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void build();
    void addKeys();
    void wake();
    void ask();
    void take(const Answer& answer);
    void show();
    void retranslate();
    std::int64_t shownAtUs() const;

    Session* m_session;
    Label *m_title, *m_scope, *m_flowTitle, *m_flowScope;
    MessageBand* m_failure;
    std::array<MetricTile*, kTiles> m_tiles{};
    BooksLine* m_books;
    FlowDiagram* m_flow;
    EngineList* m_engines;
    Hatch* m_hatch;
    QTimer m_poll;
    quint64 m_asked = 0; // the question that is under way
    std::chrono::nanoseconds m_askedAt{0};
    std::optional<Reading> m_reading;
    std::int64_t m_readAtUs = 0; // this machine's clock
    bool m_failed = false;
};

} // namespace tekil::ui::overview
