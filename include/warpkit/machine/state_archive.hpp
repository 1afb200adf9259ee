#pragma once
/// \file
/// The state of a value as bytes, and back: what a checkpoint of a machine is made of.
///
/// One walk does both, so that what is written is what is read. A type is walked
///   - by `each_stored(f)`, which calls f with lvalues of what is to be stored (base/stored_members.hpp), or, where it
///     is made again by whoever loads, `static constexpr bool made_again = true`: nothing is stored;
///   - as a number, a standard container, a heap_array or a ring;
///   - member by member, if it is an aggregate of at most 48 members and no bases;
///   - by `each_member(f) const` (base/hash.hpp): members that it hands out are loaded, what it makes of members must
///     be the same, and what it leaves out keeps the value that it has;
///   - as its bytes, if hash_into would take these.
/// A pointer to constants stays what it is; anything else is refused by name when it is walked. A value is loaded over
/// one that was made alike: with the same numbers, which need not be stored then, and where a kernel has begun with the
/// same program.
///
/// Numbers take as many bytes as they are large, the largest of their type a single one, since `never` is frequent; of
/// 32 elements in a row that are alike, one is written.

#include <warpkit/base/error.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpkit {

class state_archive;

namespace detail {

struct any_stored {
    template <class T>
    operator T() const noexcept;
};
/// Only a base of T.
template <class T>
struct any_base {
    template <class U>
    requires(std::is_base_of_v<U, T> && !std::is_same_v<U, T>) operator U() const noexcept;
};
/// Whether an aggregate can be made of so many parts: some, then one in braces, then more.
template <class T, std::size_t... I>
constexpr bool takes_parts(std::index_sequence<I...>) {
    return requires { T{(static_cast<void>(I), any_stored{})...}; };
}
template <class T, std::size_t... Before, std::size_t... In, std::size_t... Behind>
constexpr bool takes_parts(std::index_sequence<Before...>, std::index_sequence<In...>,
                           std::index_sequence<Behind...>) {
    return requires {
        T{(static_cast<void>(Before), any_stored{})...,
          {(static_cast<void>(In), any_stored{})...},
          (static_cast<void>(Behind), any_stored{})...};
    };
}
template <std::size_t N>
using up_to = std::make_index_sequence<N>;
/// Of how many parts at most; an array, without braces of its own, counts with all its elements.
template <class T, std::size_t N = 0>
constexpr std::size_t initialisers_of() {
    if constexpr (N < 200 && takes_parts<T>(up_to<N + 1>()))
        return initialisers_of<T, N + 1>();
    else
        return N;
}
/// The elements of the array that begins with part `At` of N; 0 if there is none.
template <class T, std::size_t N, std::size_t At, std::size_t Size = 2>
constexpr std::size_t array_at() {
    if constexpr (At + Size > N)
        return 0;
    else if constexpr (takes_parts<T>(up_to<At>(), up_to<Size>(), up_to<N - At - Size>()) &&
                       !takes_parts<T>(up_to<At>(), up_to<Size>(), up_to<N - At - Size + 1>()))
        return Size;
    else
        return array_at<T, N, At, Size + 1>();
}
template <class T, std::size_t N, std::size_t At = 0, std::size_t Members = 0>
constexpr std::size_t members_from() {
    if constexpr (At == N) {
        return Members;
    } else if constexpr (takes_parts<T>(up_to<At>(), up_to<0>(), up_to<N - At - 1>())) {
        return members_from<T, N, At + 1, Members + 1>();
    } else {
        constexpr auto size = array_at<T, N, At>();
        if constexpr (size == 0)
            return 0;
        else
            return members_from<T, N, At + size, Members + 1>();
    }
}
/// How many members an aggregate has, as a structured binding counts them; 0 where it is not known to have 1 to 48.
template <class T>
constexpr std::size_t parts_of() {
    if constexpr (std::is_aggregate_v<T> && !requires { T{any_base<T>()}; }) {
        constexpr auto n = members_from<T, initialisers_of<T>()>();
        return n <= 48 ? n : 0;
    } else {
        return 0;
    }
}

/// Not what a base says of itself alone.
template <class T>
concept stores_itself = requires(T& t, state_archive& a) {
    t.each_stored(a);
}
&&(
    !requires(T & t) { t.stored_of(); } ||
    requires(T & t) {
        { t.stored_of() } -> std::same_as<T*>;
    });
template <class T>
concept made_again = requires {
    requires T::made_again;
};
/// To a program, say, that whoever loads has begun with.
template <class T>
concept points_to_constants = std::is_pointer_v<T> && std::is_const_v<std::remove_pointer_t<T>>;
template <class T>
concept stored_map = requires(T& t) {
    typename T::key_type;
    typename T::mapped_type;
    t.clear();
};
template <class T>
concept stored_set = !stored_map<T> && requires(T & t) {
    typename T::key_type;
    t.clear();
};
template <class T>
concept stored_list = requires(T& t) {
    t.emplace_back();
    t.pop_back();
    t.begin();
    { t.size() } -> std::convertible_to<std::size_t>;
};
template <class T>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;
template <class T>
inline constexpr bool is_heap_array = false;
template <class T>
inline constexpr bool is_heap_array<heap_array<T>> = true;
template <class T>
inline constexpr bool is_ring = false;
template <class T>
inline constexpr bool is_ring<ring<T>> = true;
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

} // namespace detail

/// Writes values into bytes, or reads them from such.
class state_archive {
public:
    /// One that writes.
    state_archive() = default;
    /// One that reads these bytes, which must stay where they are.
    explicit state_archive(std::string_view bytes) noexcept
        : loading_(true),
          at_(bytes.data()),
          end_(bytes.data() + bytes.size()) {}

    bool loading() const noexcept { return loading_; }
    /// What was written.
    std::string const& bytes() const noexcept { return bytes_; }
    std::string take() noexcept { return std::move(bytes_); }
    /// Bytes that have not been read.
    std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
    /// Throws `error` unless all has been read.
    void end() const {
        if (loading_ && at_ != end_) damaged("there are bytes behind its end");
    }

    /// Writes, or reads, these. Throws `error` for a type that cannot be stored, and for bytes that are of no such
    /// values; what was read before stays.
    template <class... T>
    void operator()(T&... x) {
        (walk(x), ...);
    }

    /// Throws `error` unless T tells its members, or shows them: its bytes may be a pointer's.
    template <class T>
    static void require_members() {
        if constexpr (!detail::made_again<T> && !detail::stores_itself<T> && !detail::hash_members<T> &&
                      !std::is_empty_v<T> && detail::parts_of<T>() == 0)
            refuse<T>("it tells no members");
    }

    /// A number of elements: no more than the bytes that are left can be of.
    std::size_t count(std::size_t n) {
        std::uint64_t told = n;
        number(told);
        if (loading_ && told / block_ > left()) damaged("it ends too early");
        return static_cast<std::size_t>(told);
    }
    /// Throws `error`: the bytes are not of what they are read as.
    [[noreturn, gnu::cold, gnu::noinline]] static void damaged(char const* why) {
        throw error({"the stored state cannot be read: ", why});
    }

private:
    /// Through each_member(), which hands out constants.
    template <class T>
    struct members {
        state_archive& to;
        T& of;
        template <class... M>
        void operator()(M&&... m) const {
            (one(std::forward<M>(m)), ...);
        }

    private:
        template <class M>
        void one(M&& m) const {
            using member = std::remove_cvref_t<M>;
            if constexpr (std::is_empty_v<member>) {
                return;
            } else {
                if constexpr (std::is_lvalue_reference_v<M>) {
                    auto const begin = reinterpret_cast<std::uintptr_t>(std::addressof(of));
                    auto const at = reinterpret_cast<std::uintptr_t>(std::addressof(m));
                    if (at >= begin && at - begin + sizeof m <= sizeof of)
                        return to.walk(const_cast<member&>(m)); // of an object that is no constant
                }
                // A parameter, say: the same in all that were made alike.
                if constexpr (std::is_copy_constructible_v<member> && std::equality_comparable<member>) {
                    auto told = m;
                    to.walk(told);
                    if (told == m) return;
                }
                refuse<T>("its each_member hands out what is no member of its own, and changes");
            }
        }
    };

    template <class T>
    [[noreturn, gnu::cold, gnu::noinline]] static void refuse(char const* why) {
        throw error(
            {"the state of ", policy_name<T>(), " cannot be stored: ", why,
             "; give it `template <class F> void each_stored(F&& f)`, which calls f with its members"});
    }

    template <class T>
    void walk(T& x) {
        if constexpr (detail::made_again<T>) {
        } else if constexpr (detail::stores_itself<T>) {
            x.each_stored(*this);
        } else if constexpr (detail::is_number<T>) {
            scalar(x);
        } else if constexpr (std::is_array_v<T> || detail::is_std_array<T>) {
            elements(x);
        } else if constexpr (detail::is_heap_array<T>) {
            resize(x, count(x.size()));
            elements(x);
        } else if constexpr (detail::is_ring<T>) {
            walk_ring(x);
        } else if constexpr (std::is_same_v<T, std::string>) {
            auto const size = count(x.size());
            if (loading_) x.resize(size);
            raw(x.data(), size);
        } else if constexpr (detail::is_pair<T>) {
            walk(x.first);
            walk(x.second);
        } else if constexpr (detail::is_optional<T>) {
            bool has = x.has_value();
            scalar(has);
            if (loading_ && has != x.has_value()) has ? void(x.emplace()) : x.reset();
            if (has) walk(*x);
        } else if constexpr (detail::stored_map<T> || detail::stored_set<T>) {
            walk_tree(x);
        } else if constexpr (detail::stored_list<T>) {
            walk_list(x);
        } else if constexpr (std::is_empty_v<T> || std::is_member_pointer_v<T> ||
                             detail::points_to_constants<T>) { // no state
        } else if constexpr (detail::parts_of<T>() != 0) {
            parts(x);
        } else if constexpr (detail::hash_members<T>) {
            x.each_member(members<T>{*this, x});
        } else if constexpr (std::is_class_v<T> && detail::hash_bytes<T>) {
            raw(std::addressof(x), sizeof x);
        } else {
            refuse<T>("it tells no members");
        }
    }

    template <class T>
    void scalar(T& x) {
        if constexpr (std::is_floating_point_v<T>) {
            raw(std::addressof(x), sizeof x);
        } else if constexpr (std::is_same_v<T, bool>) {
            auto byte = static_cast<unsigned char>(x);
            raw(&byte, 1);
            if (byte > 1) damaged("a flag is neither 0 nor 1");
            x = byte != 0;
        } else if constexpr (sizeof(T) == 1) {
            raw(std::addressof(x), 1);
        } else {
            // One more than it is: the largest number becomes 0.
            using word =
                std::make_unsigned_t<typename std::conditional_t<std::is_enum_v<T>, std::underlying_type<T>,
                                                                 std::type_identity<T>>::type>;
            std::uint64_t told = static_cast<word>(static_cast<word>(x) + 1U);
            number(told);
            if (loading_ && told > static_cast<word>(-1)) damaged("a number is too large");
            x = static_cast<T>(static_cast<word>(told - 1));
        }
    }
    template <class T>
    void elements(T& x) {
        using element = std::remove_cvref_t<decltype(*std::begin(x))>;
        if constexpr (detail::is_number<element> && sizeof(element) == 1 && !std::is_same_v<element, bool>) {
            raw(std::data(x), std::size(x));
        } else {
            auto at = std::begin(x);
            for (auto left = std::size(x); left != 0;) {
                auto const n = left < block_ ? left : block_;
                n == block_ ? block(at) : some(at, n);
                left -= n;
            }
        }
    }
    template <class Iterator>
    void some(Iterator& at, std::size_t n) {
        for (; n != 0; --n) walk(*at++);
    }
    /// So many elements, of which one stands for all where they are alike: most of a large cache is empty.
    template <class Iterator>
    void block(Iterator& at) {
        bool alike = true;
        if (loading_) {
            scalar(alike);
            auto const* const one = at_;
            for (std::size_t i = 0; i < block_; ++i) {
                if (alike) at_ = one;
                walk(*at++);
            }
            return;
        }
        auto const flag = bytes_.size();
        bytes_.push_back(1);
        walk(*at++);
        auto const behind = bytes_.size();
        auto const one = behind - flag - 1;
        for (std::size_t i = 1; i < block_; ++i) {
            auto const begin = bytes_.size();
            walk(*at++);
            alike = alike && bytes_.size() - begin == one &&
                    bytes_.compare(begin, one, bytes_, flag + 1, one) == 0;
        }
        if (alike)
            bytes_.resize(behind);
        else
            bytes_[flag] = 0;
    }
    template <class T>
    static void resize(heap_array<T>& x, std::size_t size) {
        if (x.size() == size) return;
        if constexpr (std::is_default_constructible_v<T>)
            x = heap_array<T>(size);
        else
            damaged("it is of another machine");
    }
    template <class T>
    void walk_ring(ring<T>& x) {
        static constexpr std::uint64_t most = 1U << 24;
        std::uint64_t capacity = x.capacity();
        number(capacity);
        auto const size = count(x.size());
        if (size > capacity || capacity > most) damaged("a queue holds more than it can");
        if (loading_) {
            if (capacity != x.capacity()) x = ring<T>(static_cast<std::size_t>(capacity));
            x.clear();
            for (std::size_t i = 0; i < size; ++i) x.extend();
        }
        for (std::size_t i = 0; i < size; ++i) walk(x[i]);
    }
    template <class T>
    void walk_tree(T& x) {
        auto const size = count(x.size());
        if (!loading_) {
            for (auto const& e : x) {
                if constexpr (detail::stored_map<T>) {
                    walk(const_cast<typename T::key_type&>(e.first)); // which a writer does not change
                    walk(const_cast<typename T::mapped_type&>(e.second));
                } else {
                    walk(const_cast<typename T::key_type&>(e));
                }
            }
            return;
        }
        x.clear();
        for (std::size_t i = 0; i < size; ++i) {
            typename T::key_type key{};
            walk(key);
            if constexpr (detail::stored_map<T>)
                walk(x.emplace_hint(x.end(), std::move(key), typename T::mapped_type{})->second);
            else
                x.emplace_hint(x.end(), std::move(key));
        }
    }
    /// Elements that are there are loaded over, since they may know what is not stored.
    template <class T>
    void walk_list(T& x) {
        using element = typename T::value_type;
        auto const size = count(x.size());
        if constexpr (std::is_same_v<element, bool>) {
            if (loading_) x.resize(size);
            for (std::size_t i = 0; i < size; ++i) {
                bool is = x[i];
                scalar(is);
                x[i] = is;
            }
        } else {
            while (x.size() > size) x.pop_back();
            if constexpr (requires { x.reserve(size); }) {
                if (detail::is_number<element>) x.reserve(size);
            }
            while (x.size() < size) x.emplace_back();
            elements(x);
        }
    }
    template <class T>
    void parts(T& x);

    /// Seven bits a byte, the lowest first; all but the last have the highest bit.
    void number(std::uint64_t& n) {
        if (!loading_) {
            auto left = n;
            for (; left >= 0x80; left >>= 7) bytes_.push_back(static_cast<char>(left | 0x80));
            bytes_.push_back(static_cast<char>(left));
            return;
        }
        n = 0;
        for (unsigned shift = 0;; shift += 7) {
            if (at_ == end_) damaged("it ends too early");
            auto const byte = static_cast<unsigned char>(*at_++);
            if (shift == 63 && byte > 1) damaged("a number is too large");
            n |= std::uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80) return;
        }
    }
    void raw(void* x, std::size_t size) {
        if (!loading_) {
            bytes_.append(static_cast<char const*>(x), size);
            return;
        }
        if (static_cast<std::size_t>(end_ - at_) < size) damaged("it ends too early");
        if (size != 0) std::memcpy(x, at_, size);
        at_ += size;
    }

    static constexpr std::size_t block_ = 32; ///< elements of an array

    bool loading_ = false;
    char const* at_ = nullptr;
    char const* end_ = nullptr;
    std::string bytes_;
};

template <class T>
void state_archive::parts(T& x) {
    constexpr auto size = detail::parts_of<T>();
    if constexpr (size == 1) {
        auto& [WARPKIT_NAMED_1] = x;
        (*this)(WARPKIT_NAMED_1);
    } else if constexpr (size == 2) {
        auto& [WARPKIT_NAMED_2] = x;
        (*this)(WARPKIT_NAMED_2);
    } else if constexpr (size == 3) {
        auto& [WARPKIT_NAMED_3] = x;
        (*this)(WARPKIT_NAMED_3);
    } else if constexpr (size == 4) {
        auto& [WARPKIT_NAMED_4] = x;
        (*this)(WARPKIT_NAMED_4);
    } else if constexpr (size == 5) {
        auto& [WARPKIT_NAMED_5] = x;
        (*this)(WARPKIT_NAMED_5);
    } else if constexpr (size == 6) {
        auto& [WARPKIT_NAMED_6] = x;
        (*this)(WARPKIT_NAMED_6);
    } else if constexpr (size == 7) {
        auto& [WARPKIT_NAMED_7] = x;
        (*this)(WARPKIT_NAMED_7);
    } else if constexpr (size == 8) {
        auto& [WARPKIT_NAMED_8] = x;
        (*this)(WARPKIT_NAMED_8);
    } else if constexpr (size == 9) {
        auto& [WARPKIT_NAMED_9] = x;
        (*this)(WARPKIT_NAMED_9);
    } else if constexpr (size == 10) {
        auto& [WARPKIT_NAMED_10] = x;
        (*this)(WARPKIT_NAMED_10);
    } else if constexpr (size == 11) {
        auto& [WARPKIT_NAMED_11] = x;
        (*this)(WARPKIT_NAMED_11);
    } else if constexpr (size == 12) {
        auto& [WARPKIT_NAMED_12] = x;
        (*this)(WARPKIT_NAMED_12);
    } else if constexpr (size == 13) {
        auto& [WARPKIT_NAMED_13] = x;
        (*this)(WARPKIT_NAMED_13);
    } else if constexpr (size == 14) {
        auto& [WARPKIT_NAMED_14] = x;
        (*this)(WARPKIT_NAMED_14);
    } else if constexpr (size == 15) {
        auto& [WARPKIT_NAMED_15] = x;
        (*this)(WARPKIT_NAMED_15);
    } else if constexpr (size == 16) {
        auto& [WARPKIT_NAMED_16] = x;
        (*this)(WARPKIT_NAMED_16);
    } else if constexpr (size == 17) {
        auto& [WARPKIT_NAMED_17] = x;
        (*this)(WARPKIT_NAMED_17);
    } else if constexpr (size == 18) {
        auto& [WARPKIT_NAMED_18] = x;
        (*this)(WARPKIT_NAMED_18);
    } else if constexpr (size == 19) {
        auto& [WARPKIT_NAMED_19] = x;
        (*this)(WARPKIT_NAMED_19);
    } else if constexpr (size == 20) {
        auto& [WARPKIT_NAMED_20] = x;
        (*this)(WARPKIT_NAMED_20);
    } else if constexpr (size == 21) {
        auto& [WARPKIT_NAMED_21] = x;
        (*this)(WARPKIT_NAMED_21);
    } else if constexpr (size == 22) {
        auto& [WARPKIT_NAMED_22] = x;
        (*this)(WARPKIT_NAMED_22);
    } else if constexpr (size == 23) {
        auto& [WARPKIT_NAMED_23] = x;
        (*this)(WARPKIT_NAMED_23);
    } else if constexpr (size == 24) {
        auto& [WARPKIT_NAMED_24] = x;
        (*this)(WARPKIT_NAMED_24);
    } else if constexpr (size == 25) {
        auto& [WARPKIT_NAMED_25] = x;
        (*this)(WARPKIT_NAMED_25);
    } else if constexpr (size == 26) {
        auto& [WARPKIT_NAMED_26] = x;
        (*this)(WARPKIT_NAMED_26);
    } else if constexpr (size == 27) {
        auto& [WARPKIT_NAMED_27] = x;
        (*this)(WARPKIT_NAMED_27);
    } else if constexpr (size == 28) {
        auto& [WARPKIT_NAMED_28] = x;
        (*this)(WARPKIT_NAMED_28);
    } else if constexpr (size == 29) {
        auto& [WARPKIT_NAMED_29] = x;
        (*this)(WARPKIT_NAMED_29);
    } else if constexpr (size == 30) {
        auto& [WARPKIT_NAMED_30] = x;
        (*this)(WARPKIT_NAMED_30);
    } else if constexpr (size == 31) {
        auto& [WARPKIT_NAMED_31] = x;
        (*this)(WARPKIT_NAMED_31);
    } else if constexpr (size == 32) {
        auto& [WARPKIT_NAMED_32] = x;
        (*this)(WARPKIT_NAMED_32);
    } else if constexpr (size == 33) {
        auto& [WARPKIT_NAMED_33] = x;
        (*this)(WARPKIT_NAMED_33);
    } else if constexpr (size == 34) {
        auto& [WARPKIT_NAMED_34] = x;
        (*this)(WARPKIT_NAMED_34);
    } else if constexpr (size == 35) {
        auto& [WARPKIT_NAMED_35] = x;
        (*this)(WARPKIT_NAMED_35);
    } else if constexpr (size == 36) {
        auto& [WARPKIT_NAMED_36] = x;
        (*this)(WARPKIT_NAMED_36);
    } else if constexpr (size == 37) {
        auto& [WARPKIT_NAMED_37] = x;
        (*this)(WARPKIT_NAMED_37);
    } else if constexpr (size == 38) {
        auto& [WARPKIT_NAMED_38] = x;
        (*this)(WARPKIT_NAMED_38);
    } else if constexpr (size == 39) {
        auto& [WARPKIT_NAMED_39] = x;
        (*this)(WARPKIT_NAMED_39);
    } else if constexpr (size == 40) {
        auto& [WARPKIT_NAMED_40] = x;
        (*this)(WARPKIT_NAMED_40);
    } else if constexpr (size == 41) {
        auto& [WARPKIT_NAMED_41] = x;
        (*this)(WARPKIT_NAMED_41);
    } else if constexpr (size == 42) {
        auto& [WARPKIT_NAMED_42] = x;
        (*this)(WARPKIT_NAMED_42);
    } else if constexpr (size == 43) {
        auto& [WARPKIT_NAMED_43] = x;
        (*this)(WARPKIT_NAMED_43);
    } else if constexpr (size == 44) {
        auto& [WARPKIT_NAMED_44] = x;
        (*this)(WARPKIT_NAMED_44);
    } else if constexpr (size == 45) {
        auto& [WARPKIT_NAMED_45] = x;
        (*this)(WARPKIT_NAMED_45);
    } else if constexpr (size == 46) {
        auto& [WARPKIT_NAMED_46] = x;
        (*this)(WARPKIT_NAMED_46);
    } else if constexpr (size == 47) {
        auto& [WARPKIT_NAMED_47] = x;
        (*this)(WARPKIT_NAMED_47);
    } else if constexpr (size == 48) {
        auto& [WARPKIT_NAMED_48] = x;
        (*this)(WARPKIT_NAMED_48);
    }
}

/// A value as bytes.
template <class T>
std::string stored_bytes(T& x) {
    state_archive to;
    to(x);
    return to.take();
}
/// Loads what stored_bytes() gave over a value that was made alike. Throws `error` where the bytes are of no such
/// value.
template <class T>
void load_bytes(T& x, std::string_view bytes) {
    state_archive from(bytes);
    from(x);
    from.end();
}

} // namespace warpkit
