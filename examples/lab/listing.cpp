// How tables are printed, or kept for JSON.
#include <warpkit/base/output_file.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/report/text.hpp>

#include "lab.hpp"
#include "support/program.hpp"

#include <iostream>
#include <utility>

namespace lab {

using namespace warpkit;

namespace {
json_tables* collecting = nullptr;
} // namespace

json_tables::json_tables(std::string file) : file_(std::move(file)) {
    if (file_.empty()) return;
    printing_ = std::cout.rdbuf(nullptr);
    collecting = this;
}
json_tables::~json_tables() { stop(); }
void json_tables::stop() {
    if (printing_ == nullptr) return;
    std::cout.rdbuf(std::exchange(printing_, nullptr));
    std::cout.clear();
    collecting = nullptr;
}
bool json_tables::collects() noexcept { return collecting != nullptr; }
void json_tables::add(std::string name, report::text_table table) {
    tables_.emplace_back(std::move(name), std::move(table));
}
void json_tables::finish() {
    if (file_.empty()) return;
    stop();
    report::json_writer w;
    w.begin_object();
    for (auto const& [name, table] : tables_) {
        w.key(name);
        append_json(w, table);
    }
    write_file(file_, w.end_object().text());
}

void print_table(std::string const& name, report::text_table const& table, bool markdown, std::size_t keys) {
    if (collecting != nullptr)
        collecting->add(name, table);
    else if (markdown)
        table.print_markdown(std::cout);
    else if (examples::coloured(STDOUT_FILENO))
        table.print(std::cout, terminal_width(), keys, "\033[1m", "\033[0m");
    else
        table.print(std::cout, terminal_width(), keys);
}

} // namespace lab
