// Payments as a page would have them, for the tests of the table and for the gallery.
#pragma once

#include "ui/widgets/record_model.h"

namespace tekil::ui {

inline constexpr std::int64_t kSampleNow = 1'772'709'718'000'000; // 2026-03-05 14:21:58 +03

// A model over plain rows that a test can change.
class SampleRecords : public RecordModel {
    Q_OBJECT
public:
    struct Row {
        QString id;
        Shape state;
        std::int64_t minor;
        int exponent;
        QString currency;
        std::int64_t createdUs;
        QString invoice, key, merchant;
        bool pending = false;
    };

    explicit SampleRecords(int rows = 0, QObject* parent = nullptr);
    const QVector<Column>& columns() const override { return m_columns; }
    int rowCount(const QModelIndex& parent = {}) const override;
    QString recordId(int row) const override { return m_rows.at(row).id; }
    QVariant raw(int row, int column) const override;
    bool isPending(int row) const override { return m_rows.at(row).pending; }
    RecordStatus status() const override { return m_status; }
    int heldBack() const override { return m_held; }
    void showHeldBack() override { setHeld(0); }
    void setFollowing(bool following) override { m_following = following; }

    bool atHead() const override { return m_atHead; }
    void setAtHead(bool atHead) { m_atHead = atHead; }

    static Row sample(int number);
    void insert(int at, const QVector<Row>& rows);
    void remove(int first, int count);
    void setState(int row, Shape state);
    void resetWith(const QVector<Row>& rows);
    void setStatus(const RecordStatus& status);
    void setHeld(int count);
    bool isFollowing() const { return m_following; }
    const QVector<Row>& rows() const { return m_rows; }

private:
    QVector<Column> m_columns;
    QVector<Row> m_rows;
    RecordStatus m_status;
    int m_held = 0;
    bool m_following = true;
    bool m_atHead = true;
};

} // namespace tekil::ui
