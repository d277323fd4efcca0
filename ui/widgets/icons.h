// Line icons on a grid of 16: one idea each, drawn in one colour with strokes of 1.3.
#pragma once

#include <QColor>
#include <QRectF>

#include <cstdint>

class QPainter;

namespace tekil::ui {

enum class Icon : std::uint8_t {
    None,
    Search,
    Filter,
    Columns,
    Export,
    Import,
    Copy,
    Open,
    Close,
    Pause,
    Play,
    Plus,
    Check,
    Lock,
    Key,
    Person,
    ChevronDown,
    ChevronUp,
    ChevronRight,
    ArrowRight,
    Dot,
    Question,
    Overview,
    Unknown,
    Approvals,
    Reconciliation,
    Payments,
    Accounts,
    Messages,
    Engines,
    Metrics,
    Audit,
    Setup,
    Settings,
};

void drawIcon(QPainter& painter, const QRectF& box, Icon icon, const QColor& color);

} // namespace tekil::ui
