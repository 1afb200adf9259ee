#pragma once
// What a column, a target or a claim of a figure says of the runs, as text: `ipc@owl / ipc@rr`, or
// `100 * (gmean(ipc@elf / ipc@gto) - 1)`.
//
//   name@series         a metric or counter (lab list metrics, lab list counters) of the run of a row under a series
//   name                a number of the figure's machine (lab list numbers)
//   + - * / ( )         as usual
//   < <= > >= and       1 or 0
//   max min argmax      of their arguments; name@prefix* stands for all series that begin so; argmax counts from 1
//   abs ratio           ratio(a, b): a / b, or 1 where both are 0
//   amean gmean hmean sum count largest smallest
//                       of what stands in them over the figure's rows, or over those of a class: amean(e, T1)
//   at(row, e)          of one row
//
// What needs a run that there is not has no value. Means are over the rows that have one; `count` counts them.

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lab::figures {

class formula {
public:
    // What a formula is about.
    struct subject {
        std::size_t rows = 0;
        // The value of a metric in the run of a row under a series.
        std::function<std::optional<double>(std::size_t row, std::string const& metric,
                                            std::string const& series)>
            measured;
        // A number of the machine. Throws `error` for what there is not.
        std::function<double(std::string const& name)> number;
        // Whether a row is of a class, or called so.
        std::function<bool(std::size_t row, std::string const& name)> is;
    };

    formula() = default;
    // Throws `error` that says where the text makes no sense. `series`: those that there are.
    formula(std::string text, std::vector<std::string> const& series);

    std::string const& text() const noexcept { return text_; }
    explicit operator bool() const noexcept { return root_ != nullptr; }
    // Of no row, or of one.
    std::optional<double> value(subject const& of, std::optional<std::size_t> row = {}) const;
    // The series that it asks for. `everywhere`: in all rows of the figure; else in the rows named by at().
    std::set<std::string> const& series() const noexcept { return series_; }
    // Names of rows and classes that it has.
    std::set<std::string> const& places() const noexcept { return places_; }
    // How many rows of those that it is over have a value; nothing where it is over none.
    struct coverage {
        std::size_t with = 0;
        std::size_t of = 0;
    };
    std::optional<coverage> covers(subject const& of) const;

    struct node;

private:
    std::string text_;
    std::shared_ptr<node const> root_;
    std::set<std::string> series_;
    std::set<std::string> places_;
};

} // namespace lab::figures
