// Reads and works out formulas.
#include "formula.hpp"

#include <warpkit/config/settings.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace lab::figures {

using warpkit::error;

struct formula::node {
    enum class kind { number, machine, measured, call };
    kind what = kind::number;
    double value = 0;
    std::string name; // of a metric, a machine's number or a function
    std::string series;
    std::string place; // row or class
    std::vector<std::shared_ptr<node const>> parts;
};

namespace {

using node = formula::node;
using pointer = std::shared_ptr<node const>;

bool is_over_rows(std::string_view name) {
    for (auto const* const known : {"amean", "gmean", "hmean", "sum", "count", "largest", "smallest"})
        if (name == known) return true;
    return false;
}
bool is_function(std::string_view name) {
    for (auto const* const known : {"max", "min", "argmax", "abs", "ratio", "at"})
        if (name == known) return true;
    return is_over_rows(name);
}

class reader {
public:
    reader(std::string const& text, std::vector<std::string> const& series, std::set<std::string>& used,
           std::set<std::string>& places)
        : text_(text),
          known_(series),
          used_(used),
          places_(places) {}

    pointer whole() {
        auto result = all_of();
        if (!at_end()) fail("nothing may follow here");
        return result;
    }

private:
    [[noreturn]] void fail(std::string const& why) const {
        throw error("'" + text_ + "', at its character " + std::to_string(at_ + 1) + ": " + why);
    }
    void skip() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    }
    bool at_end() {
        skip();
        return at_ == text_.size();
    }
    bool take(std::string_view what) {
        skip();
        if (text_.compare(at_, what.size(), what) != 0) return false;
        at_ += what.size();
        return true;
    }
    static pointer call(std::string name, std::vector<pointer> parts) {
        auto n = std::make_shared<node>();
        n->what = node::kind::call;
        n->name = std::move(name);
        n->parts = std::move(parts);
        return n;
    }
    // comparison and comparison
    pointer all_of() {
        auto left = comparison();
        while (take("and ")) {
            auto right = comparison();
            left = call("and", {left, right});
        }
        return left;
    }
    pointer comparison() {
        auto left = sum();
        for (auto const* const sign : {"<=", ">=", "<", ">"})
            if (take(sign)) {
                auto right = sum();
                return call(sign, {left, right});
            }
        return left;
    }
    pointer sum() {
        auto left = product();
        for (;;) {
            if (take("+"))
                left = call("+", {left, product()});
            else if (take("-"))
                left = call("-", {left, product()});
            else
                return left;
        }
    }
    pointer product() {
        auto left = factor();
        for (;;) {
            if (take("*"))
                left = call("*", {left, factor()});
            else if (take("/"))
                left = call("/", {left, factor()});
            else
                return left;
        }
    }
    std::string word(std::string_view also) {
        skip();
        auto const from = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                      text_[at_] == '_' || also.find(text_[at_]) != also.npos))
            ++at_;
        return text_.substr(from, at_ - from);
    }
    pointer factor() {
        skip();
        if (take("-")) return call("-", {std::make_shared<node>(), factor()});
        if (take("(")) {
            auto inner = all_of();
            if (!take(")")) fail("a ')' is missing");
            return inner;
        }
        if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
            auto n = std::make_shared<node>();
            auto const [end, problem] =
                std::from_chars(text_.data() + at_, text_.data() + text_.size(), n->value);
            if (problem != std::errc()) fail("this is no number");
            at_ = static_cast<std::size_t>(end - text_.data());
            return n;
        }
        auto const name = word(".");
        if (name.empty()) fail("a name or a number is missing");
        if (take("(")) return function(name);
        auto n = std::make_shared<node>();
        n->name = name;
        n->what = node::kind::machine;
        if (take("@")) {
            n->what = node::kind::measured;
            n->series = word("*");
            use(n->series);
        }
        return n;
    }
    void use(std::string const& series) {
        if (series.find('*') != series.npos) fail("name@prefix* stands in max, min and argmax only");
        if (std::find(known_.begin(), known_.end(), series) == known_.end())
            fail("there is no series '" + series + "'" + warpkit::did_you_mean(series, known_));
        used_.insert(series);
    }
    pointer function(std::string const& name) {
        if (!is_function(name)) fail("there is no function '" + name + "'");
        auto n = std::make_shared<node>();
        n->what = node::kind::call;
        n->name = name;
        if (name == "at") {
            n->place = word("-+. ");
            while (!n->place.empty() && n->place.back() == ' ') n->place.pop_back();
            places_.insert(n->place);
            if (!take(",")) fail("at takes a row and a formula");
        }
        do {
            if (is_over_rows(name) && n->parts.size() == 1) {
                n->place = word("-+.");
                places_.insert(n->place);
            } else if (!several(*n)) {
                n->parts.push_back(all_of());
            }
        } while (take(","));
        if (!take(")")) fail("a ')' is missing");
        auto const count = n->parts.size();
        auto const wanted = name == "ratio" ? 2U : 1U;
        if (count < wanted || (count > wanted && name != "max" && name != "min" && name != "argmax"))
            fail(name + " takes " + (wanted == 1 ? "one formula" : "two formulas"));
        return n;
    }
    // name@prefix*: all series that begin so.
    bool several(node& to) {
        if (to.name != "max" && to.name != "min" && to.name != "argmax") return false;
        auto const before = at_;
        auto const name = word(".");
        auto const series = take("@") ? word("*") : std::string();
        skip();
        bool const ends = at_ < text_.size() && (text_[at_] == ',' || text_[at_] == ')');
        if (series.empty() || series.back() != '*' || !ends) {
            at_ = before;
            return false;
        }
        bool any = false;
        for (auto const& s : known_) {
            if (s.compare(0, series.size() - 1, series, 0, series.size() - 1) != 0) continue;
            auto n = std::make_shared<node>();
            n->what = node::kind::measured;
            n->name = name;
            n->series = s;
            to.parts.push_back(std::move(n));
            used_.insert(s);
            any = true;
        }
        if (!any) fail("no series begins as " + series);
        return true;
    }

    std::string const& text_;
    std::vector<std::string> const& known_;
    std::set<std::string>& used_;
    std::set<std::string>& places_;
    std::size_t at_ = 0;
};

using result = std::optional<double>;
using rows = std::optional<std::size_t>;

result value_of(node const& n, formula::subject const& of, rows row);

result over_rows(node const& n, formula::subject const& of) {
    std::vector<double> values;
    for (std::size_t r = 0; r < of.rows; ++r) {
        if (!n.place.empty() && !of.is(r, n.place)) continue;
        if (auto const v = value_of(*n.parts.front(), of, r)) values.push_back(*v);
    }
    auto const count = static_cast<double>(values.size());
    if (n.name == "count") return count;
    if (values.empty()) return {};
    if (n.name == "largest") return *std::max_element(values.begin(), values.end());
    if (n.name == "smallest") return *std::min_element(values.begin(), values.end());
    double total = 0;
    for (auto const v : values) {
        if ((n.name == "gmean" || n.name == "hmean") && !(v > 0)) return {};
        total += n.name == "gmean" ? std::log(v) : n.name == "hmean" ? 1 / v : v;
    }
    if (n.name == "sum") return total;
    return n.name == "gmean" ? std::exp(total / count) : n.name == "hmean" ? count / total : total / count;
}

result value_of(node const& n, formula::subject const& of, rows row) {
    switch (n.what) {
    case node::kind::number:
        return n.value;
    case node::kind::machine:
        return of.number(n.name);
    case node::kind::measured:
        return row ? of.measured(*row, n.name, n.series) : result();
    case node::kind::call:
        break;
    }
    if (is_over_rows(n.name)) return over_rows(n, of);
    if (n.name == "at") {
        for (std::size_t r = 0; r < of.rows; ++r)
            if (of.is(r, n.place)) return value_of(*n.parts.front(), of, r);
        return {};
    }
    std::vector<double> v;
    for (auto const& part : n.parts) {
        auto const one = value_of(*part, of, row);
        if (!one) return {};
        v.push_back(*one);
    }
    if (n.name == "max") return *std::max_element(v.begin(), v.end());
    if (n.name == "min") return *std::min_element(v.begin(), v.end());
    if (n.name == "argmax") return static_cast<double>(std::max_element(v.begin(), v.end()) - v.begin() + 1);
    if (n.name == "abs") return std::fabs(v[0]);
    if (n.name == "ratio") return v[0] == v[1] ? 1.0 : v[1] == 0 ? result() : v[0] / v[1];
    if (n.name == "+") return v[0] + v[1];
    if (n.name == "-") return v[0] - v[1];
    if (n.name == "*") return v[0] * v[1];
    if (n.name == "/") return v[1] == 0 ? result() : v[0] / v[1];
    if (n.name == "<") return v[0] < v[1] ? 1.0 : 0.0;
    if (n.name == "<=") return v[0] <= v[1] ? 1.0 : 0.0;
    if (n.name == ">") return v[0] > v[1] ? 1.0 : 0.0;
    if (n.name == ">=") return v[0] >= v[1] ? 1.0 : 0.0;
    return v[0] != 0 && v[1] != 0 ? 1.0 : 0.0; // and
}

void cover(node const& n, formula::subject const& of, std::optional<formula::coverage>& least) {
    if (n.what == node::kind::call && is_over_rows(n.name)) {
        formula::coverage c;
        for (std::size_t r = 0; r < of.rows; ++r) {
            if (!n.place.empty() && !of.is(r, n.place)) continue;
            ++c.of;
            c.with += value_of(*n.parts.front(), of, r) ? 1 : 0;
        }
        if (!least || c.with < least->with) least = c;
        return;
    }
    for (auto const& part : n.parts) cover(*part, of, least);
}

} // namespace

formula::formula(std::string text, std::vector<std::string> const& series) : text_(std::move(text)) {
    root_ = reader(text_, series, series_, places_).whole();
}

std::optional<double> formula::value(subject const& of, std::optional<std::size_t> row) const {
    auto const v = root_ ? value_of(*root_, of, row) : result();
    return v && std::isfinite(*v) ? v : result();
}

std::optional<formula::coverage> formula::covers(subject const& of) const {
    std::optional<coverage> least;
    if (root_) cover(*root_, of, least);
    return least;
}

} // namespace lab::figures
