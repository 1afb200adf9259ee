// A header that names something of the standard library includes, itself or by way of our own headers, a header
// that the standard says declares it. That it compiles alone is not enough: one standard library's headers happen to
// include others of its own, and another's do not.
#include "house/include_graph.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// Which standard header declares which names of those that the library uses.
std::map<std::string, std::string> const& declared() {
    static std::map<std::string, std::string> const all = {
        {"algorithm", "all_of any_of clamp copy count count_if equal fill find find_if for_each_n is_sorted "
                      "lexicographical_compare lower_bound max max_element min min_element minmax none_of "
                      "pop_heap push_heap remove remove_if replace reverse rotate set_union sort stable_sort "
                      "swap_ranges unique upper_bound"},
        {"array", "array to_array"},
        {"atomic", "atomic memory_order_acq_rel memory_order_acquire memory_order_relaxed "
                   "memory_order_release"},
        {"bit", "bit_cast bit_ceil bit_floor bit_width countl_zero countr_one countr_zero endian "
                "has_single_bit popcount rotl rotr"},
        {"bitset", "bitset"},
        {"cctype", "tolower"},
        {"charconv", "chars_format from_chars to_chars"},
        {"chrono", "chrono"},
        {"cmath", "abs ceil fabs floor fma frexp isfinite ldexp nan signbit sqrt"},
        {"concepts", "constructible_from convertible_to copy_constructible copyable default_initializable "
                     "equality_comparable integral invocable regular same_as unsigned_integral"},
        {"cstddef", "byte nullptr_t ptrdiff_t size_t"},
        {"cstdint", "int16_t int32_t int64_t int8_t uint16_t uint32_t uint64_t uint8_t uintptr_t"},
        {"cstdio", "FILE fclose ferror fflush fopen fprintf fread fseek fwrite remove rename size_t "
                   "snprintf tmpfile"},
        {"cstdlib", "abort abs calloc free size_t"},
        {"cstring", "memchr memcmp memcpy memmove memset size_t"},
        {"ctime", "size_t timespec"},
        {"deque", "deque"},
        {"exception", "current_exception exception exception_ptr rethrow_exception"},
        {"filesystem", "filesystem"},
        {"fstream", "ifstream"},
        {"functional", "function less"},
        {"initializer_list", "begin end initializer_list size"},
        {"iomanip", "setw"},
        {"ios", "ios streamoff streamsize"},
        {"iosfwd", "ostream"},
        {"iostream", "cout"},
        {"iterator", "back_inserter begin data end prev size"},
        {"limits", "numeric_limits"},
        {"map", "begin end erase_if map multimap size"},
        {"memory", "addressof enable_shared_from_this make_shared make_unique shared_ptr unique_ptr"},
        {"mutex", "lock_guard mutex"},
        {"new", "align_val_t bad_alloc bad_array_new_length launder"},
        {"numeric", "iota"},
        {"optional", "nullopt optional"},
        {"ostream", "endl flush ostream"},
        {"random", "random_device"},
        {"set", "begin end set size"},
        {"span", "begin end size span"},
        {"stdexcept", "runtime_error"},
        {"string", "begin end erase_if size streamoff string to_string"},
        {"string_view", "begin end size string_view"},
        {"system_error", "errc error_code generic_category"},
        {"thread", "this_thread thread"},
        {"tuple", "apply make_tuple tuple tuple_size"},
        {"type_traits",
         "bool_constant conditional_t has_unique_object_representations_v is_aggregate_v is_arithmetic_v "
         "is_array_v is_base_of_v is_class_v is_const_v is_constant_evaluated is_constructible_v "
         "is_copy_constructible_v is_default_constructible_v is_empty_v is_enum_v is_final_v "
         "is_floating_point_v is_integral_v is_lvalue_reference_v is_member_pointer_v is_pointer_v "
         "is_polymorphic_v is_same_v "
         "is_signed_v is_standard_layout_v is_trivially_copyable_v is_trivially_destructible_v "
         "is_unsigned_v is_void_v make_unsigned_t remove_const_t remove_cvref_t remove_pointer_t "
         "remove_reference_t "
         "type_identity underlying_type"},
        {"unordered_map", "begin end erase_if size unordered_map unordered_multimap"},
        {"utility", "as_const declval exchange forward index_sequence index_sequence_for make_index_sequence "
                    "move pair swap"},
        {"variant", "get_if variant variant_alternative_t variant_size_v visit"},
        {"vector", "begin end erase_if size vector"},
    };
    return all;
}

/// What else a standard header declares, since the standard says that it includes another.
std::vector<std::string> included_by(std::string const& standard_header) {
    static std::map<std::string, std::vector<std::string>> const all = {
        {"array", {"initializer_list"}},         {"deque", {"initializer_list"}},
        {"iostream", {"ios", "ostream"}},        {"iterator", {"concepts", "initializer_list"}},
        {"map", {"initializer_list"}},           {"ostream", {"ios"}},
        {"set", {"initializer_list"}},           {"string", {"initializer_list", "string_view"}},
        {"unordered_map", {"initializer_list"}}, {"utility", {"initializer_list"}},
        {"vector", {"initializer_list"}}};
    auto const found = all.find(standard_header);
    return found == all.end() ? std::vector<std::string>() : found->second;
}

std::string const word_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

struct header {
    std::set<std::string> own;      ///< headers of the library that it includes
    std::set<std::string> standard; ///< and of the standard library, with all that are reached
    std::set<std::string> names;    ///< behind std::
    bool reached = false;
};
using headers = std::map<std::string, header>;

header read(std::string_view text) {
    header h;
    std::istringstream lines(house::without_comments(text));
    for (std::string line; std::getline(lines, line);) {
        std::string const begin = "#include <";
        if (line.compare(0, begin.size(), begin) == 0) {
            auto const name = line.substr(begin.size(), line.find('>') - begin.size());
            if (name.find("warpkit/") == 0)
                h.own.insert(name);
            else
                h.standard.insert(name);
        }
        for (auto at = line.find("std::"); at != line.npos; at = line.find("std::", at + 1)) {
            auto const end = line.find_first_not_of(word_letters, at + 5);
            h.names.insert(line.substr(at + 5, end == line.npos ? end : end - at - 5));
        }
    }
    return h;
}

std::set<std::string> const& reach(headers& all, header& h) {
    if (h.reached) return h.standard;
    h.reached = true;
    for (auto const& name : std::set<std::string>(h.standard))
        for (auto const& other : included_by(name)) h.standard.insert(other);
    for (auto const& name : h.own) {
        if (auto const found = all.find(name); found != all.end())
            h.standard.insert(reach(all, found->second).begin(), reach(all, found->second).end());
    }
    return h.standard;
}

/// "path: std::name is of <header>, which it does not reach", for all of them.
std::vector<std::string> not_included(headers& all) {
    std::map<std::string, std::set<std::string>> headers_of;
    for (auto const& [name, names] : declared()) {
        std::istringstream words(names);
        for (std::string word; words >> word;) headers_of[word].insert(name);
    }
    std::vector<std::string> found;
    for (auto& [path, h] : all) {
        for (auto const& name : h.names) {
            auto const& of = headers_of[name];
            std::string wanted;
            bool has = false;
            for (auto const& one : of) {
                has = has || reach(all, h).count(one) != 0;
                wanted += (wanted.empty() ? "<" : " or <") + one + ">";
            }
            if (of.empty())
                found.push_back(path + ": std::" + name + " is not in this test's table");
            else if (!has)
                found.push_back(path + ": std::" + name + " is of " + wanted + ", which it does not reach");
        }
    }
    return found;
}

} // namespace

TEST_CASE("what a header names of the standard library, it includes") {
    auto const root = std::filesystem::path(WARPKIT_SOURCE_DIR) / "include";
    headers all;
    for (auto const& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".hpp") continue;
        std::ifstream in(entry.path());
        all[entry.path().lexically_relative(root).generic_string()] =
            read(std::string(std::istreambuf_iterator<char>(in), {}));
    }
    CHECK(all.size() > 300);
    for (auto const& complaint : not_included(all)) {
        UNSCOPED_INFO(complaint);
        CHECK(complaint.empty());
    }
}

TEST_CASE("a standard header that is missing is told, and one that is reached is not") {
    headers all;
    all["warpkit/a.hpp"] =
        read("#include <string>\nstd::string s; std::string_view v; std::size_t n; // std::vector");
    all["warpkit/b.hpp"] =
        read("#include <warpkit/a.hpp>\nstd::string s; std::vector<int> v; std::unheard_of u;");
    CHECK(not_included(all) ==
          std::vector<std::string>{
              "warpkit/a.hpp: std::size_t is of <cstddef> or <cstdio> or <cstdlib> or <cstring> or <ctime>, "
              "which it does not reach",
              "warpkit/b.hpp: std::unheard_of is not in this test's table",
              "warpkit/b.hpp: std::vector is of <vector>, which it does not reach"});
}
