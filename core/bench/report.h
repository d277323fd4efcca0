// What a measurement found: figures with their units, and the circumstances under which they hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tekil::bench {

// value / 10^decimals as text: fixed(12345, 2) is "123.45". Figures are whole numbers of a small unit.
std::string fixed(std::int64_t value, int decimals);
// numerator / denominator with two decimals; "n/a" where the denominator is zero.
std::string ratio(std::int64_t numerator, std::int64_t denominator);

class Report {
public:
    explicit Report(std::string measurement) : m_measurement(std::move(measurement)) {}

    // `number` must be a JSON number; `name` is the member's in camel case.
    void figure(std::string name, std::string label, std::string number, std::string unit = "");
    void figure(std::string name, std::string label, std::int64_t number, std::string unit = "")
    {
        figure(std::move(name), std::move(label), std::to_string(number), std::move(unit));
    }
    // Where and how it was measured.
    void circumstance(std::string name, std::string label, std::string text);
    void note(std::string text) { m_notes.push_back(std::move(text)); }
    // Takes the figures back: they do not hold, and why.
    void refuse(std::string why);
    bool refused() const { return !m_refusal.empty(); }
    const std::string& refusal() const { return m_refusal; }

    std::string table() const;
    std::string json() const;

private:
    struct Line {
        std::string name, label, value, unit;
    };
    std::string m_measurement;
    std::vector<Line> m_figures, m_circumstances;
    std::vector<std::string> m_notes;
    std::string m_refusal;
};

} // namespace tekil::bench
