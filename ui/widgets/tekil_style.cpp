// How controls are drawn. Every colour comes from the widget's tokens, so nothing is cached across a theme switch.
#include "ui/widgets/tekil_style.h"

#include "ui/widgets/controls.h"
#include "ui/widgets/theme.h"

#include <QComboBox>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

bool has(const QStyleOption* option, QStyle::StateFlag flag)
{
    return option->state.testFlag(flag);
}

void drawFrame(QPainter& painter, const QRect& rect, const QColor& fill, const QColor& border, qreal width)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(rect, px(4), px(4));
    painter.restore();
    if (border.alpha() > 0)
        drawRing(painter, rect, width, px(4), border);
}

struct ControlLook {
    QColor fill, border, text;
    qreal width = 1;
};

ControlLook lookOf(const QStyleOption* option, const Tokens& t, Button::Weight weight)
{
    const bool enabled = has(option, QStyle::State_Enabled);
    const bool pressed = enabled && (has(option, QStyle::State_Sunken) || has(option, QStyle::State_On));
    const bool hover = enabled && has(option, QStyle::State_MouseOver);
    ControlLook look{t.base, t.control, t.ink};
    if (pressed || hover)
        look.fill = pressed ? t.lineStrong : t.hover;
    if (weight == Button::Weight::Primary) {
        look = {t.primary, t.primary, t.primaryText};
        if (pressed || hover)
            look.fill = t.ink2;
    }
    if (weight == Button::Weight::Quiet) {
        look.border = Qt::transparent;
        if (!pressed && !hover)
            look.fill = Qt::transparent;
    }
    if (!enabled) {
        look.text = t.ink3;
        look.border = weight == Button::Weight::Quiet ? QColor(Qt::transparent) : t.lineStrong;
        look.fill = weight == Button::Weight::Primary ? t.hover : look.fill;
    }
    if (enabled && has(option, QStyle::State_HasFocus)) {
        look.border = t.focus;
        look.width = px(2);
    }
    return look;
}

int iconSpace(const Button* button)
{
    return button && button->lineIcon() != Icon::None ? px(16) + px(8) : 0;
}

int capSpace(const Button* button)
{
    return button && !button->keyCap().isEmpty() ? keyCapSize(button->keyCap()).width() + px(8) : 0;
}

void drawButton(const QStyleOptionButton* option, QPainter* painter, const QWidget* widget)
{
    const Tokens& t = tokensFor(widget);
    const auto* button = qobject_cast<const Button*>(widget);
    const ControlLook look = lookOf(option, t, button ? button->weight() : Button::Weight::Plain);
    drawFrame(*painter, option->rect, look.fill, look.border, look.width);

    const bool menu = option->features.testFlag(QStyleOptionButton::HasMenu);
    const int text = option->fontMetrics.horizontalAdvance(option->text.left(option->text.size()));
    const int content = iconSpace(button) + text + capSpace(button) + (menu ? px(20) : 0);
    int x = option->rect.left() + std::max(px(8), (option->rect.width() - content) / 2);
    const int middle = option->rect.center().y() + 1;
    if (iconSpace(button) > 0)
        drawIcon(*painter, QRect(x, middle - px(8), px(16), px(16)), button->lineIcon(), look.text);
    x += iconSpace(button);
    painter->setPen(look.text);
    painter->setFont(widget ? widget->font() : faceFont(Face::Body, QFont::Medium));
    const int room = option->rect.right() - px(8) - x - capSpace(button) - (menu ? px(20) : 0) + 1;
    const QString shown = option->fontMetrics.elidedText(option->text, Qt::ElideRight, std::max(room, 0));
    painter->drawText(QPoint(x, baselineOf(option->rect)), shown);
    x += std::min(text, room);
    if (capSpace(button) > 0) {
        const QSize cap = keyCapSize(button->keyCap());
        const QRect box(QPoint(x + px(8), middle - cap.height() / 2), cap);
        drawKeyCap(*painter, box, button->keyCap(), has(option, QStyle::State_Enabled) ? t.ink2 : t.ink3, t);
    }
    if (menu)
        drawIcon(*painter, QRect(x + px(6), middle - px(7), px(14), px(14)), Icon::ChevronDown, look.text);
}

void drawField(const QStyleOption* option, QPainter* painter, const QWidget* widget)
{
    const Tokens& t = tokensFor(widget);
    const bool enabled = has(option, QStyle::State_Enabled);
    ControlLook look{enabled ? t.base : t.sunken, enabled ? t.control : t.lineStrong, t.ink};
    if (has(option, QStyle::State_HasFocus))
        look.border = t.focus, look.width = px(2);
    if (widget && widget->property(kFieldError).toBool())
        look.border = tokensOf(currentTheme()).failed, look.width = px(2);
    drawFrame(*painter, option->rect, look.fill, look.border, look.width);
}

void drawTab(const QStyleOptionTab* option, QPainter* painter, const QWidget* widget)
{
    const Tokens& t = tokensFor(widget);
    const bool chosen = has(option, QStyle::State_Selected);
    painter->save();
    if (has(option, QStyle::State_MouseOver) && !chosen)
        painter->fillRect(option->rect, t.hover);
    painter->setFont(faceFont(Face::Body, chosen ? QFont::DemiBold : QFont::Normal));
    painter->setPen(chosen ? t.ink : t.ink2);
    painter->drawText(option->rect, Qt::AlignCenter, option->text);
    if (chosen)
        painter->fillRect(option->rect.adjusted(px(8), option->rect.height() - px(2), -px(8), 0), t.ink);
    if (has(option, QStyle::State_HasFocus) && chosen)
        drawRing(*painter, option->rect, px(2), px(4), t.focus);
    painter->restore();
}

void drawMenuItem(const QStyleOptionMenuItem* option, QPainter* painter, const QWidget* widget)
{
    const Tokens& t = tokensFor(widget);
    if (option->menuItemType == QStyleOptionMenuItem::Separator) {
        const int y = option->rect.center().y();
        return drawHairline(*painter, QRect(option->rect.left(), y, option->rect.width(), 1), Qt::TopEdge, t.line);
    }
    const bool enabled = has(option, QStyle::State_Enabled);
    if (enabled && has(option, QStyle::State_Selected))
        painter->fillRect(option->rect, t.hover);
    const QRect inner = option->rect.adjusted(px(8), 0, -px(12), 0);
    const QColor ink = enabled ? t.ink : t.ink3;
    if (option->checkType != QStyleOptionMenuItem::NotCheckable && option->checked)
        drawIcon(*painter, QRect(inner.left(), inner.center().y() - px(7), px(14), px(14)), Icon::Check, ink);
    painter->setPen(ink);
    painter->setFont(option->font);
    const QStringList parts = option->text.split(u'\t');
    const QRect words = inner.adjusted(px(22), 0, 0, 0);
    painter->drawText(words, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextShowMnemonic, parts.first());
    if (parts.size() > 1) {
        painter->setPen(t.ink3);
        painter->drawText(words, Qt::AlignVCenter | Qt::AlignRight, parts.at(1));
    }
    if (option->menuItemType == QStyleOptionMenuItem::SubMenu)
        drawIcon(*painter, QRect(inner.right() - px(14), inner.center().y() - px(7), px(14), px(14)),
                 Icon::ChevronRight, ink);
}

void drawCombo(const QStyleOptionComboBox* option, QPainter* painter, const QWidget* widget)
{
    const Tokens& t = tokensFor(widget);
    const ControlLook look = lookOf(option, t, Button::Weight::Plain);
    drawFrame(*painter, option->rect, look.fill, look.border, look.width);
    const QRect r = option->rect;
    drawIcon(*painter, QRect(r.right() - px(8) - px(14), r.center().y() - px(6), px(14), px(14)), Icon::ChevronDown,
             look.text);
}

void drawScrollBar(const QStyleOptionSlider* option, QPainter* painter, const QRect& handle, const QWidget* widget)
{
    const Tokens& t = tokensFor(widget);
    painter->fillRect(option->rect, t.base);
    if (option->maximum <= option->minimum)
        return;
    const bool held = has(option, QStyle::State_Sunken) || has(option, QStyle::State_MouseOver);
    const int thick = px(5);
    QRect bar = handle;
    if (option->orientation == Qt::Vertical)
        bar = QRect(handle.left() + (handle.width() - thick) / 2, handle.top(), thick, handle.height());
    else
        bar = QRect(handle.left(), handle.top() + (handle.height() - thick) / 2, handle.width(), thick);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(held ? t.control : t.lineStrong);
    painter->drawRoundedRect(bar, thick / 2.0, thick / 2.0);
    painter->restore();
}

void drawCheck(const QStyleOption* option, QPainter* painter, const QWidget* widget, bool round)
{
    const Tokens& t = tokensFor(widget);
    const bool enabled = has(option, QStyle::State_Enabled);
    const bool on = has(option, QStyle::State_On);
    const QRectF box = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
    const qreal radius = round ? box.height() / 2 : px(3);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(!enabled ? t.lineStrong : on ? t.primary : t.control, 1));
    painter->setBrush(!enabled ? t.sunken : on ? t.primary : t.base);
    painter->drawRoundedRect(box, radius, radius);
    const QColor mark = enabled ? t.primaryText : t.ink3;
    if (on && round) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(mark);
        painter->drawEllipse(box.center(), box.width() / 5, box.width() / 5);
    } else if (on) {
        drawIcon(*painter, box.adjusted(1, 1, -1, -1), Icon::Check, mark);
    } else if (has(option, QStyle::State_NoChange)) {
        painter->fillRect(QRectF(box.left() + px(3), box.center().y() - 1, box.width() - 2 * px(3), 2), t.ink);
    }
    painter->restore();
}

void drawHeaderSection(const QStyleOption* option, QPainter* painter, const QWidget* widget)
{
    const Tokens& t = tokensFor(widget);
    painter->fillRect(option->rect, t.sunken);
    drawHairline(*painter, option->rect, Qt::BottomEdge, t.lineStrong);
}

void drawProgress(const QStyleOptionProgressBar* option, QPainter* painter, const QWidget* widget)
{
    const Tokens& t = tokensFor(widget);
    const int height = px(4);
    QRect bar(option->rect.left(), option->rect.center().y() - height / 2 + 1, option->rect.width(), height);
    painter->fillRect(bar, t.lineStrong);
    const qint64 range = static_cast<qint64>(option->maximum) - option->minimum;
    if (range > 0) {
        const qint64 done = static_cast<qint64>(option->progress) - option->minimum;
        bar.setWidth(static_cast<int>(bar.width() * std::clamp<qint64>(done, 0, range) / range));
        painter->fillRect(bar, t.ink2);
    }
}

void drawPopup(const QStyleOption* option, QPainter* painter, const QWidget* widget)
{
    const Tokens& t = tokensFor(widget);
    painter->fillRect(option->rect, t.raised);
    drawRing(*painter, option->rect, 1, 0, t.control);
}

} // namespace

TekilStyle::TekilStyle() : QProxyStyle(u"Fusion"_s) {}

void TekilStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                             const QWidget* widget) const
{
    if (element == CE_PushButton)
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option))
            return drawButton(button, painter, widget);
    if (element == CE_TabBarTab)
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option))
            return drawTab(tab, painter, widget);
    if (element == CE_MenuItem)
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option))
            return drawMenuItem(item, painter, widget);
    if (element == CE_ProgressBar)
        if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option))
            return drawProgress(bar, painter, widget);
    if (element == CE_HeaderSection || element == CE_HeaderEmptyArea)
        return drawHeaderSection(option, painter, widget);
    if (element == CE_ComboBoxLabel)
        if (const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option)) {
            const bool enabled = has(option, State_Enabled);
            const Tokens& t = tokensFor(widget);
            painter->setPen(enabled ? t.ink : t.ink3);
            const int room = option->rect.width() - px(12) - px(28);
            const QString text = option->fontMetrics.elidedText(combo->currentText, Qt::ElideRight, room);
            return painter->drawText(QPoint(option->rect.left() + px(12), baselineOf(option->rect)), text);
        }
    if (element == CE_MenuEmptyArea)
        return painter->fillRect(option->rect, tokensFor(widget).raised);
    QProxyStyle::drawControl(element, option, painter, widget);
}

void TekilStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                               const QWidget* widget) const
{
    switch (element) {
    case PE_PanelLineEdit: {
        const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
        if (frame && frame->lineWidth > 0)
            drawField(option, painter, widget);
        return;
    }
    case PE_FrameLineEdit: return;
    case PE_FrameTabBarBase: return drawHairline(*painter, option->rect, Qt::BottomEdge, tokensFor(widget).line);
    case PE_FrameTabWidget: return;
    case PE_IndicatorCheckBox: return drawCheck(option, painter, widget, false);
    case PE_IndicatorRadioButton: return drawCheck(option, painter, widget, true);
    case PE_PanelMenu:
    case PE_PanelTipLabel: return drawPopup(option, painter, widget);
    case PE_FrameMenu: return drawRing(*painter, option->rect, 1, 0, tokensFor(widget).control);
    case PE_FrameFocusRect: return drawRing(*painter, option->rect, px(2), px(3), tokensFor(widget).focus);
    case PE_PanelButtonTool:
        if (has(option, State_Enabled) && (has(option, State_MouseOver) || has(option, State_Sunken)))
            drawFrame(*painter, option->rect,
                      has(option, State_Sunken) ? tokensFor(widget).lineStrong : tokensFor(widget).hover,
                      Qt::transparent, 1);
        if (has(option, State_HasFocus))
            drawRing(*painter, option->rect, px(2), px(4), tokensFor(widget).focus);
        return;
    default: break;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void TekilStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                    const QWidget* widget) const
{
    if (control == CC_ComboBox)
        if (const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option))
            return drawCombo(combo, painter, widget);
    if (control == CC_ScrollBar)
        if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option))
            return drawScrollBar(bar, painter, subControlRect(CC_ScrollBar, option, SC_ScrollBarSlider, widget),
                                 widget);
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QRect TekilStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl sub,
                                 const QWidget* widget) const
{
    const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (control != CC_ScrollBar || !bar)
        return QProxyStyle::subControlRect(control, option, sub, widget);
    const bool vertical = bar->orientation == Qt::Vertical;
    const int length = vertical ? bar->rect.height() : bar->rect.width();
    const qint64 range = static_cast<qint64>(bar->maximum) - bar->minimum;
    const qint64 whole = range + bar->pageStep;
    const int handle = whole > 0
                           ? std::clamp<int>(static_cast<int>(length * static_cast<qint64>(bar->pageStep) / whole),
                                             std::min(px(32), length), length)
                           : length;
    const int start = sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition, length - handle,
                                              bar->upsideDown);
    const auto part = [&](int from, int size) {
        return vertical ? QRect(bar->rect.left(), bar->rect.top() + from, bar->rect.width(), size)
                        : QRect(bar->rect.left() + from, bar->rect.top(), size, bar->rect.height());
    };
    switch (sub) {
    case SC_ScrollBarSlider: return part(start, handle);
    case SC_ScrollBarGroove: return bar->rect;
    case SC_ScrollBarSubPage: return part(0, start);
    case SC_ScrollBarAddPage: return part(start + handle, length - start - handle);
    default: return {};
    }
}

QRect TekilStyle::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const
{
    if (element == SE_LineEditContents)
        return option->rect.adjusted(px(6), 0, -px(6), 0);
    return QProxyStyle::subElementRect(element, option, widget);
}

int TekilStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const
{
    switch (metric) {
    case PM_ScrollBarExtent: return px(9);
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight: return px(16);
    case PM_CheckBoxLabelSpacing:
    case PM_RadioButtonLabelSpacing: return px(8);
    case PM_MenuPanelWidth: return 1;
    case PM_MenuVMargin: return px(4);
    case PM_ToolTipLabelFrameWidth: return px(6);
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical: return 0;
    case PM_LayoutLeftMargin:
    case PM_LayoutRightMargin:
    case PM_LayoutTopMargin:
    case PM_LayoutBottomMargin: return px(16);
    case PM_LayoutHorizontalSpacing:
    case PM_LayoutVerticalSpacing: return px(8);
    case PM_SplitterWidth: return 1;
    default: return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int TekilStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                          QStyleHintReturn* answer) const
{
    switch (hint) {
    case SH_Widget_Animation_Duration: // values and popups change at once
    case SH_ComboBox_Popup:
    case SH_ScrollBar_Transient:
    case SH_EtchDisabledText:
    case SH_ItemView_ShowDecorationSelected:
    case SH_DitherDisabledText: return 0;
    case SH_ScrollBar_LeftClickAbsolutePosition: return 0;
    default: return QProxyStyle::styleHint(hint, option, widget, answer);
    }
}

QSize TekilStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                   const QWidget* widget) const
{
    if (type == CT_PushButton) {
        const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
        const auto* own = qobject_cast<const Button*>(widget);
        const int text = button ? button->fontMetrics.horizontalAdvance(button->text) : size.width();
        const bool menu = button && button->features.testFlag(QStyleOptionButton::HasMenu);
        return {text + iconSpace(own) + capSpace(own) + (menu ? px(20) : 0) + px(24), px(28)};
    }
    if (type == CT_ComboBox)
        return {size.width() + px(48), px(28)};
    if (type == CT_LineEdit)
        return {size.width() + px(16), px(28)};
    if (type == CT_TabBarTab)
        return {size.width() + px(4), px(34)};
    if (type == CT_MenuItem) {
        const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
        if (item && item->menuItemType == QStyleOptionMenuItem::Separator)
            return {size.width(), px(9)};
        return {size.width() + px(64), px(28)};
    }
    if (type == CT_HeaderSection)
        return {size.width(), px(28)};
    return QProxyStyle::sizeFromContents(type, option, size, widget);
}

} // namespace tekil::ui
