// What happened to one record, oldest first: time, sign on a line, words, and a note at the right.
#pragma once

#include "ui/widgets/controls.h"
#include "ui/widgets/state_shape.h"

#include <QSet>
#include <QVector>
#include <QWidget>

#include <cstdint>
#include <optional>

class QVBoxLayout;

namespace tekil::ui {

struct TimelineEvent {
    std::int64_t atUs = 0;
    QString text;
    QString note;               // "+6 ms", "key shop-45982"
    QString group;              // which chip shows it
    Icon icon = Icon::None;     // None: a small circle
    std::optional<Shape> state; // a state was reached: its shape stands on the line and colours the words
    bool idle = false;          // nothing new was learnt: neighbouring ones are folded
};

struct TimelineGroup {
    QString id;
    QString word;
};

class Timeline : public QWidget {
    Q_OBJECT
public:
    explicit Timeline(QWidget* parent = nullptr);
    void setGroups(const QVector<TimelineGroup>& groups); // "All" stands before them
    void setEvents(const QVector<TimelineEvent>& events);
    QString chosenGroup() const { return m_group; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void rebuild();
    void choose(const QString& group);

    QVBoxLayout* m_rows;
    QWidget* m_chips;
    Label* m_title;
    QVector<TimelineGroup> m_groups;
    QVector<TimelineEvent> m_events;
    QSet<std::int64_t> m_unfolded; // times of the folds that were opened
    QString m_group;               // empty: all
};

} // namespace tekil::ui
