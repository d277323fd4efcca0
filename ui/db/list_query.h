// Fills the slots of a list statement from the fragments that stand in its own file. No SQL is made anywhere else.
//
// A file of sql/console/<noun>/ holds a statement and, where it has slots, the fragments for them:
//     select … from console.payment p where true
//     {{where}} {{after}} {{order}}
//     limit :limit
//     --@ where state
//     and p.status = :state
#pragma once

#include "core/base/statement.h"
#include "ui/db/connection.h"

#include <QMap>
#include <QStringList>

namespace tekil::ui {

// A statement without slots, and its values.
Query statement(const sql::Statement& source, QVector<std::pair<QString, QVariant>> values = {});

class ListQuery {
public:
    explicit ListQuery(const sql::Statement& source);

    bool has(const QString& slot, const QString& name) const;
    // Puts the fragment into its slot; each at most once. A name that the file lacks is a bug.
    ListQuery& where(const QString& name, QVector<std::pair<QString, QVariant>> values);
    ListQuery& after(const QString& name, QVector<std::pair<QString, QVariant>> values);
    ListQuery& order(const QString& name);
    ListQuery& value(const QString& name, const QVariant& value); // of the statement itself, as ":limit"
    Query build() const;

private:
    ListQuery& put(const QString& slot, const QString& name, QVector<std::pair<QString, QVariant>> values);

    QString m_name;
    QString m_body;
    QMap<QString, QString> m_fragments; // "where state" → text
    QMap<QString, QStringList> m_chosen; // slot → fragment texts
    QStringList m_used;
    QVector<std::pair<QString, QVariant>> m_values;
};

} // namespace tekil::ui
