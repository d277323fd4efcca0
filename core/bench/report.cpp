#include "core/bench/report.h"

#include "core/base/json.h"
#include "core/base/money.h"

#include <algorithm>

namespace tekil::bench {

std::string fixed(std::int64_t value, int decimals)
{
    return decimalFromMinor(value, decimals);
}

std::string ratio(std::int64_t numerator, std::int64_t denominator)
{
    constexpr int kHundredths = 100;
    return denominator == 0 ? "n/a" : fixed((numerator * kHundredths + denominator / 2) / denominator, 2);
}

void Report::figure(std::string name, std::string label, std::string number, std::string unit)
{
    m_figures.push_back({std::move(name), std::move(label), std::move(number), std::move(unit)});
}

void Report::circumstance(std::string name, std::string label, std::string text)
{
    m_circumstances.push_back({std::move(name), std::move(label), std::move(text), {}});
}

void Report::refuse(std::string why)
{
    if (m_refusal.empty())
        m_refusal = std::move(why);
}

std::string Report::table() const
{
    std::string text = m_measurement + "\n";
    if (refused())
        return text + "  No figures: " + m_refusal + "\n";
    std::size_t labels = 0;
    std::size_t values = 0;
    for (const auto* lines : {&m_figures, &m_circumstances})
        for (const Line& line : *lines)
            labels = std::max(labels, line.label.size());
    for (const Line& line : m_figures)
        values = std::max(values, line.value.size());
    for (const Line& line : m_figures) {
        text += "  " + line.label + std::string(labels - line.label.size(), ' ') + "  "
                + std::string(values - line.value.size(), ' ') + line.value;
        text += (line.unit.empty() ? "" : " " + line.unit) + "\n";
    }
    text += "\n";
    for (const Line& line : m_circumstances)
        text += "  " + line.label + std::string(labels - line.label.size(), ' ') + "  " + line.value + "\n";
    for (const std::string& note : m_notes)
        text += "  " + note + "\n";
    return text;
}

std::string Report::json() const
{
    JsonWriter writer;
    writer.member("measurement", m_measurement).boolean("valid", !refused());
    if (refused())
        return writer.member("why", m_refusal).take();
    JsonWriter figures;
    for (const Line& line : m_figures) {
        if (line.value == "n/a")
            figures.null(line.name);
        else
            figures.raw(line.name, line.value);
    }
    JsonWriter circumstances;
    for (const Line& line : m_circumstances)
        circumstances.member(line.name, line.value);
    std::string notes;
    for (const std::string& note : m_notes)
        notes += (notes.empty() ? "" : ",") + quoteJson(note);
    return writer.raw("figures", figures.take())
        .raw("circumstances", circumstances.take())
        .raw("notes", "[" + notes + "]")
        .take();
}

} // namespace tekil::bench
