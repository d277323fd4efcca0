// Three lines: state, amount, id.
#include "ui/widgets/inspector_header.h"

#include "ui/widgets/format.h"

#include <QClipboard>
#include <QEvent>
#include <QGridLayout>
#include <QGuiApplication>
#include <QPainter>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

InspectorHeader::InspectorHeader(QWidget* parent)
    : QWidget(parent), m_age(new Label({}, Face::Body, QFont::Normal, Ink::Second)),
      m_amount(new Label({}, Face::Figure, QFont::Bold)),
      m_currency(new Label({}, Face::Body, QFont::Normal, Ink::Third)),
      m_id(new Label({}, Face::Mono, QFont::Normal, Ink::Second)), m_title(new Label({}, Face::Second, QFont::Bold)),
      m_subtitle(new Label({}, Face::Second, QFont::Normal, Ink::Second)), m_copyId(new IconButton(Icon::Copy, {})),
      m_copy(new IconButton(Icon::Copy, {})), m_open(new IconButton(Icon::Open, {})),
      m_close(new IconButton(Icon::Close, {}))
{
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(px(16), px(10), px(16), px(6));
    rows->setSpacing(px(4));
    auto* first = new QHBoxLayout;
    first->setSpacing(px(4));
    first->addWidget(m_age, 1);
    for (IconButton* button : {m_copy, m_open, m_close})
        first->addWidget(button);
    m_age->setElided(true);
    rows->addLayout(first);

    auto* second = new QHBoxLayout;
    second->setSpacing(px(6));
    second->addWidget(m_amount, 0, Qt::AlignBottom);
    second->addWidget(m_currency, 0, Qt::AlignBottom);
    m_currency->setContentsMargins(0, 0, 0, px(2));
    second->addStretch(1);
    auto* names = new QVBoxLayout;
    names->setSpacing(0);
    for (Label* label : {m_title, m_subtitle}) {
        label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        label->setSelectable();
        names->addWidget(label);
    }
    second->addLayout(names);
    rows->addLayout(second);

    auto* third = new QHBoxLayout;
    third->setSpacing(px(2));
    third->addWidget(m_id);
    third->addWidget(m_copyId);
    third->addStretch(1);
    rows->addLayout(third);
    m_amount->setSelectable();
    m_id->setSelectable();

    connect(m_copyId, &IconButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(m_head.id);
        Q_EMIT copyIdRequested(m_head.id);
    });
    connect(m_copy, &IconButton::clicked, this, &InspectorHeader::copyRequested);
    connect(m_open, &IconButton::clicked, this, &InspectorHeader::openRequested);
    connect(m_close, &IconButton::clicked, this, &InspectorHeader::closeRequested);
    retranslate();
}

void InspectorHeader::setHead(const InspectorHead& head)
{
    m_head = head;
    m_id->setText(head.id);
    m_title->setText(head.title);
    m_subtitle->setText(head.subtitle);
    showAmount();
    setAge(head.age);
}

void InspectorHeader::showAmount()
{
    m_amount->setText(formatter().amount(m_head.amount.minor, m_head.amount.exponent));
    m_currency->setText(m_head.amount.currency);
}

void InspectorHeader::setAge(const QString& age)
{
    m_head.age = age;
    const QFontMetrics metrics(faceFont(Face::Block, QFont::Bold));
    m_age->setContentsMargins(px(24) + metrics.horizontalAdvance(wordOf(m_head.shape)) + px(8), 0, 0, 0);
    m_age->setText(age);
    setAccessibleName(tr("%1 %2, %3").arg(wordOf(m_head.shape), age, m_amount->text() + u' ' + m_currency->text()));
    update();
}

void InspectorHeader::setInOwnWindow(bool own)
{
    m_open->setVisible(!own);
    m_close->setVisible(!own);
}

void InspectorHeader::retranslate()
{
    m_copyId->setIcon(Icon::Copy, tr("Copy the id"));
    m_copy->setIcon(Icon::Copy, tr("Copy a summary"));
    m_open->setIcon(Icon::Open, tr("Open in a window"));
    m_close->setIcon(Icon::Close, tr("Close"));
}

void InspectorHeader::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    const QRect line = m_age->geometry();
    const int size = px(16);
    drawShape(painter, QRect(line.left(), line.center().y() - size / 2 + 1, size, size), m_head.shape,
              Strength::Subject, t);
    painter.setFont(faceFont(Face::Block, QFont::Bold));
    painter.setPen(wordColorOf(m_head.shape, Strength::Subject, t));
    painter.drawText(QPoint(line.left() + px(24), baselineOf(line)), wordOf(m_head.shape));
}

void InspectorHeader::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        showAmount();
        setAge(m_head.age);
    }
}

} // namespace tekil::ui
