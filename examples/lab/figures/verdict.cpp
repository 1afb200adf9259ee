// The rule by which ours is held against the paper's.
#include "results.hpp"

#include <algorithm>
#include <cmath>

namespace lab::figures {

char const* word_of(verdict v) {
    switch (v) {
    case verdict::agrees:
        return "agrees";
    case verdict::direction:
        return "direction";
    case verdict::against:
        return "against";
    case verdict::waits:
        break;
    }
    return "waits";
}

verdict judge(std::optional<double> ours, double paper, std::optional<double> neutral, bool in_percent,
              bool exact) {
    if (!ours) return verdict::waits;
    if (exact) return *ours == paper ? verdict::agrees : verdict::against;
    auto const unit = in_percent ? 100.0 : 1.0;
    auto const effect = paper - neutral.value_or(0);
    auto const own = *ours - neutral.value_or(0);
    auto const near =
        std::fabs(own - effect) <= std::max(0.25 * std::fabs(effect), neutral ? 0.02 * unit : 0.0);
    bool same_way = false;
    if (!neutral)
        same_way = own == effect || (own * effect > 0 && own / effect <= 2 && effect / own <= 2);
    else if (std::fabs(effect) < 0.01 * unit)
        same_way = std::fabs(own) <= 0.05 * unit;
    else
        same_way = own * effect > 0;
    return !same_way ? verdict::against : near ? verdict::agrees : verdict::direction;
}

std::optional<double> rank_correlation(std::vector<std::pair<double, double>> const& pairs) {
    if (pairs.size() < 3) return {};
    auto const ranks = [&](auto value) {
        std::vector<double> all;
        for (auto const& p : pairs) {
            double below = 0;
            double same = 0;
            for (auto const& q : pairs) {
                below += value(q) < value(p) ? 1 : 0;
                same += value(q) == value(p) ? 1 : 0;
            }
            all.push_back(below + (same + 1) / 2);
        }
        return all;
    };
    auto const x = ranks([](auto const& p) { return p.first; });
    auto const y = ranks([](auto const& p) { return p.second; });
    auto const mean = (static_cast<double>(pairs.size()) + 1) / 2;
    double xy = 0;
    double xx = 0;
    double yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    if (xx == 0 || yy == 0) return {};
    return xy / std::sqrt(xx * yy);
}

std::vector<std::string> rule_in_words() {
    return {
        "A value that tells a change (a ratio, neutral at 1; a difference, neutral at 0) agrees in direction "
        "if it is on the "
        "same side of neutral as the paper's; where the paper's effect is below 1 % (or one point), if ours "
        "is at most "
        "5 % (or five points).",
        "A value that tells no change (a share, a count, a mean latency) agrees in direction within a factor "
        "of two.",
        "It agrees in magnitude if it is away from the paper's by at most a quarter of the paper's effect, "
        "or of its value; "
        "2 % of a ratio, or two points of a difference, are always near enough.",
        "A number of the machine is the paper's, or against it. A claim in words holds, or is against it.",
        "A column of a table with at least five values is one check: it agrees in direction if Spearman's "
        "rank correlation with the "
        "paper's is at least 0.5, and in magnitude if half of its values do.",
        "An experiment is ours: its answers are no checks of the paper. Beside each mean that is not near "
        "stand the experiments which show the cause.",
        "'agrees' is direction and magnitude, 'direction' the direction alone, 'against' neither, 'waits' "
        "what can not "
        "run yet. A figure agrees if all its checks do; its verdict is 'direction' if more of them agree in "
        "direction "
        "than not. Means are over the rows that can run; where some wait, their number stands beside."};
}

std::size_t figure_result::with(verdict v) const {
    return static_cast<std::size_t>(
        std::count_if(checks.begin(), checks.end(), [v](check const& c) { return c.result == v; }));
}

verdict figure_result::overall() const {
    auto const good = with(verdict::agrees);
    auto const half = with(verdict::direction);
    auto const bad = with(verdict::against);
    if (good + half + bad == 0) return verdict::waits;
    if (bad == 0) return half == 0 ? verdict::agrees : verdict::direction;
    return good + half > bad ? verdict::direction : verdict::against;
}

} // namespace lab::figures
