// Parses a list statement's file and puts the chosen fragments in place.
#include "ui/db/list_query.h"

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr QStringView kFragmentMark = u"--@ ";

QString textOf(std::string_view view)
{
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

} // namespace

Query statement(const sql::Statement& source, QVector<std::pair<QString, QVariant>> values)
{
    ListQuery query(source);
    for (const auto& [name, value] : values)
        query.value(name, value);
    return query.build();
}

ListQuery::ListQuery(const sql::Statement& source) : m_name(textOf(source.name))
{
    QString* into = &m_body;
    const QStringList lines = textOf(source.text).split(u'\n');
    for (const QString& line : lines) {
        if (line.startsWith(kFragmentMark))
            into = &m_fragments[line.mid(kFragmentMark.size()).simplified()];
        else if (!line.trimmed().startsWith(u"--"_s)) // the driver would look for values in comments too
            *into += line + u'\n';
    }
}

bool ListQuery::has(const QString& slot, const QString& name) const
{
    return m_fragments.contains(slot + u' ' + name);
}

ListQuery& ListQuery::put(const QString& slot, const QString& name, QVector<std::pair<QString, QVariant>> values)
{
    const QString key = slot + u' ' + name;
    TEKIL_CHECK(m_fragments.contains(key) && !m_used.contains(key));
    m_used << key;
    m_chosen[slot] << m_fragments.value(key).trimmed();
    m_values += values;
    return *this;
}

ListQuery& ListQuery::where(const QString& name, QVector<std::pair<QString, QVariant>> values)
{
    return put(u"where"_s, name, std::move(values));
}

ListQuery& ListQuery::after(const QString& name, QVector<std::pair<QString, QVariant>> values)
{
    return put(u"after"_s, name, std::move(values));
}

ListQuery& ListQuery::order(const QString& name)
{
    return put(u"order"_s, name, {});
}

ListQuery& ListQuery::value(const QString& name, const QVariant& value)
{
    m_values.append({name, value});
    return *this;
}

Query ListQuery::build() const
{
    QString text = m_body;
    for (const QString& slot : {u"where"_s, u"after"_s, u"order"_s})
        text.replace(u"{{"_s + slot + u"}}"_s, m_chosen.value(slot).join(u'\n'));
    TEKIL_CHECK(!text.contains(u"{{"_s));
    return {m_name, text.trimmed(), m_values};
}

} // namespace tekil::ui
