#pragma once
/// \file
/// Calibration data of the multithreading-degree decision: tables 5 to 7 of the thesis, as printed. Programs on
/// GPGPU-Sim 3.2.1's GTX480 without L2, with 8 KB of L1 (64 lines); 1 to 8 CTAs of 6 warps.

#include <warpkit/base/error.hpp>
#include <warpkit/cta/multithreading_degree.hpp>
#include <warpkit/cta/read_growth.hpp>

namespace warpkit::multithreading_tables {

/// One program at one degree.
struct row {
    double miss;      ///< table 5: cache miss rate
    double reads;     ///< table 5: DRAM reads of a CTA
    double read_rate; ///< table 5: their growth over the degree before; 1 at degree 1
    double time;      ///< table 6: cycles of a CTA
    double time_rate; ///< table 6: its growth; 1 at degree 1
    double latency;   ///< table 7: growth of the mean latency of a read; at degree 1 that latency in cycles
};
/// One program.
struct program {
    char const* name;
    double working_set; ///< lines of a CTA (section 5.1, "about"); 0: not given
    row degree[8];
};
inline constexpr double cache_lines = 64;

// "nbf" in tables 6 and 7, whose column of times has 91671 in parentheses for 9161 in degree 1.
inline constexpr program programs[] = {{"bfs",
                                        70,
                                        {{.41, 72.94, 1, 2582, 1, 329},
                                         {.40, 71.12, .98, 2897, 1.12, 1.09},
                                         {.40, 71.16, 1.00, 3351, 1.16, 1.08},
                                         {.40, 71.64, 1.01, 3875, 1.16, 1.06},
                                         {.41, 73.03, 1.02, 4601, 1.19, 1.07},
                                         {.43, 77.90, 1.07, 7097, 1.54, 1.43},
                                         {.46, 83.01, 1.07, 7831, 1.10, 1.02},
                                         {.49, 89.29, 1.08, 9412, 1.20, 1.04}}},
                                       {"nbfs",
                                        65,
                                        {{.13, 169.39, 1, 9161, 1, 374},
                                         {.22, 439.13, 2.59, 17261, 1.88, 1.06},
                                         {.33, 763.62, 1.74, 35438, 2.05, 1.46},
                                         {.45, 1125.74, 1.47, 73959, 2.09, 1.49},
                                         {.54, 1419.73, 1.26, 121446, 1.64, 1.08},
                                         {.58, 1545.29, 1.09, 159845, 1.32, 1.03},
                                         {.59, 1570.32, 1.02, 190175, 1.19, 1.01},
                                         {.59, 1570.32, 1.00, 217308, 1.14, 1.00}}},
                                       {"unstructured",
                                        0,
                                        {{.22, 1557.52, 1, 87292, 1, 302},
                                         {.44, 3406.75, 2.19, 164058, 1.88, 1.46},
                                         {.56, 4384.41, 1.29, 377487, 2.30, 1.74},
                                         {.63, 5007.40, 1.14, 566328, 1.50, 1.12},
                                         {.67, 5341.11, 1.07, 760938, 1.34, 1.04},
                                         {.67, 5341.11, 1.00, 915126, 1.20, 1.00},
                                         {.67, 5341.11, 1.00, 1065425, 1.16, 1.00},
                                         {.67, 5341.11, 1.00, 1217622, 1.14, 1.00}}}};

/// The program's first stage as it was measured.
constexpr tabled_reads table_of(program const& p) noexcept {
    tabled_reads t;
    t.degrees = 8;
    for (unsigned i = 0; i < 8; ++i) t.point[i] = {p.degree[i].miss, p.degree[i].reads};
    return t;
}

} // namespace warpkit::multithreading_tables

namespace warpkit {

/// The first stage as it is chosen by its parameters: the model, a program of the thesis' table 5, or a table that is
/// given as two lists.
class chosen_reads {
public:
    /// The model, or the table of one of the thesis' programs.
    enum class source : std::uint8_t { modelled, bfs, nbfs, unstructured };

    static constexpr char const* name() noexcept { return "chosen_reads"; }

    constexpr chosen_reads() = default;
    constexpr chosen_reads(modelled_reads const& model) noexcept : model_(model) {}
    constexpr chosen_reads(tabled_reads const& table) noexcept : table_(table) {
        for (unsigned i = 0; i < table.degrees && i < tabled_reads::most; ++i) {
            miss_.value[miss_.size++] = table.point[i].miss;
            reads_.value[reads_.size++] = table.point[i].reads;
        }
    }
    constexpr read_point at(unsigned degree, read_point before, degree_report const& r) const noexcept {
        return table_.degrees != 0 ? table_.at(degree, before, r) : model_.at(degree, before, r);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.model_);
        f(parameter{"table", "in its place: bfs, nbfs or unstructured of the thesis' table 5"}, self.from_,
          source_words_);
        f(parameter{"miss", "in its place: miss rates by degree, as in 0.2/0.4", 0, 1}, self.miss_);
        f(parameter{"reads", "and DRAM reads of a CTA, as in 100/250"}, self.reads_);
    }
    /// Throws `error` unless the lists are of one length, and no table is named beside them.
    void parameters_set() {
        table_ = tabled_reads();
        bool const listed = miss_.size != 0 || reads_.size != 0;
        if (miss_.size != reads_.size)
            raise_error(
                error("multithreading_degree: miss and reads are lists of the same length, one value for "
                      "each of up to " +
                      std::to_string(tabled_reads::most) + " degrees, as in miss=.2/.4:reads=100/250"));
        if (listed && from_ != source::modelled)
            raise_error(
                error("multithreading_degree: give a table of the thesis, or miss and reads, not both"));
        for (unsigned i = 0; i < miss_.size; ++i) table_.point[i] = {miss_.value[i], reads_.value[i]};
        table_.degrees = miss_.size;
        if (from_ != source::modelled)
            table_ = multithreading_tables::table_of(
                multithreading_tables::programs[static_cast<unsigned>(from_) - 1]);
    }
    friend bool operator==(chosen_reads const&, chosen_reads const&) = default;

private:
    static constexpr parameter_word<source> source_words_[] = {{"modelled", source::modelled},
                                                               {"bfs", source::bfs},
                                                               {"nbfs", source::nbfs},
                                                               {"unstructured", source::unstructured}};

    modelled_reads model_;
    source from_ = source::modelled;
    number_list<tabled_reads::most> miss_;
    number_list<tabled_reads::most> reads_;
    tabled_reads table_;
};
static_assert(read_growth<chosen_reads>);

template <>
inline constexpr char const* common_name<multithreading_degree<chosen_reads>> = "multithreading_degree";

} // namespace warpkit
