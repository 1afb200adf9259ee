#pragma once
/// \file
/// All members of a class, told by their number alone: for who stores its state (machine/state_archive.hpp). A member
/// more or less than is said does not compile, so that none is forgotten.

#include <warpkit/base/standard.hpp>

// (The list is what C++20 leaves of reflection: a structured binding names as many as there are.)
#define WARPKIT_NAMED_1 member_1
#define WARPKIT_NAMED_2 WARPKIT_NAMED_1, member_2
#define WARPKIT_NAMED_3 WARPKIT_NAMED_2, member_3
#define WARPKIT_NAMED_4 WARPKIT_NAMED_3, member_4
#define WARPKIT_NAMED_5 WARPKIT_NAMED_4, member_5
#define WARPKIT_NAMED_6 WARPKIT_NAMED_5, member_6
#define WARPKIT_NAMED_7 WARPKIT_NAMED_6, member_7
#define WARPKIT_NAMED_8 WARPKIT_NAMED_7, member_8
#define WARPKIT_NAMED_9 WARPKIT_NAMED_8, member_9
#define WARPKIT_NAMED_10 WARPKIT_NAMED_9, member_10
#define WARPKIT_NAMED_11 WARPKIT_NAMED_10, member_11
#define WARPKIT_NAMED_12 WARPKIT_NAMED_11, member_12
#define WARPKIT_NAMED_13 WARPKIT_NAMED_12, member_13
#define WARPKIT_NAMED_14 WARPKIT_NAMED_13, member_14
#define WARPKIT_NAMED_15 WARPKIT_NAMED_14, member_15
#define WARPKIT_NAMED_16 WARPKIT_NAMED_15, member_16
#define WARPKIT_NAMED_17 WARPKIT_NAMED_16, member_17
#define WARPKIT_NAMED_18 WARPKIT_NAMED_17, member_18
#define WARPKIT_NAMED_19 WARPKIT_NAMED_18, member_19
#define WARPKIT_NAMED_20 WARPKIT_NAMED_19, member_20
#define WARPKIT_NAMED_21 WARPKIT_NAMED_20, member_21
#define WARPKIT_NAMED_22 WARPKIT_NAMED_21, member_22
#define WARPKIT_NAMED_23 WARPKIT_NAMED_22, member_23
#define WARPKIT_NAMED_24 WARPKIT_NAMED_23, member_24
#define WARPKIT_NAMED_25 WARPKIT_NAMED_24, member_25
#define WARPKIT_NAMED_26 WARPKIT_NAMED_25, member_26
#define WARPKIT_NAMED_27 WARPKIT_NAMED_26, member_27
#define WARPKIT_NAMED_28 WARPKIT_NAMED_27, member_28
#define WARPKIT_NAMED_29 WARPKIT_NAMED_28, member_29
#define WARPKIT_NAMED_30 WARPKIT_NAMED_29, member_30
#define WARPKIT_NAMED_31 WARPKIT_NAMED_30, member_31
#define WARPKIT_NAMED_32 WARPKIT_NAMED_31, member_32
#define WARPKIT_NAMED_33 WARPKIT_NAMED_32, member_33
#define WARPKIT_NAMED_34 WARPKIT_NAMED_33, member_34
#define WARPKIT_NAMED_35 WARPKIT_NAMED_34, member_35
#define WARPKIT_NAMED_36 WARPKIT_NAMED_35, member_36
#define WARPKIT_NAMED_37 WARPKIT_NAMED_36, member_37
#define WARPKIT_NAMED_38 WARPKIT_NAMED_37, member_38
#define WARPKIT_NAMED_39 WARPKIT_NAMED_38, member_39
#define WARPKIT_NAMED_40 WARPKIT_NAMED_39, member_40
#define WARPKIT_NAMED_41 WARPKIT_NAMED_40, member_41
#define WARPKIT_NAMED_42 WARPKIT_NAMED_41, member_42
#define WARPKIT_NAMED_43 WARPKIT_NAMED_42, member_43
#define WARPKIT_NAMED_44 WARPKIT_NAMED_43, member_44
#define WARPKIT_NAMED_45 WARPKIT_NAMED_44, member_45
#define WARPKIT_NAMED_46 WARPKIT_NAMED_45, member_46
#define WARPKIT_NAMED_47 WARPKIT_NAMED_46, member_47
#define WARPKIT_NAMED_48 WARPKIT_NAMED_47, member_48
#define WARPKIT_NAMED_49 WARPKIT_NAMED_48, member_49
#define WARPKIT_NAMED_50 WARPKIT_NAMED_49, member_50
#define WARPKIT_NAMED_51 WARPKIT_NAMED_50, member_51
#define WARPKIT_NAMED_52 WARPKIT_NAMED_51, member_52
#define WARPKIT_NAMED_53 WARPKIT_NAMED_52, member_53
#define WARPKIT_NAMED_54 WARPKIT_NAMED_53, member_54
#define WARPKIT_NAMED_55 WARPKIT_NAMED_54, member_55
#define WARPKIT_NAMED_56 WARPKIT_NAMED_55, member_56
#define WARPKIT_NAMED_57 WARPKIT_NAMED_56, member_57
#define WARPKIT_NAMED_58 WARPKIT_NAMED_57, member_58
#define WARPKIT_NAMED_59 WARPKIT_NAMED_58, member_59
#define WARPKIT_NAMED_60 WARPKIT_NAMED_59, member_60
#define WARPKIT_NAMED_61 WARPKIT_NAMED_60, member_61
#define WARPKIT_NAMED_62 WARPKIT_NAMED_61, member_62
#define WARPKIT_NAMED_63 WARPKIT_NAMED_62, member_63
#define WARPKIT_NAMED_64 WARPKIT_NAMED_63, member_64

/// In a class, public: it has so many non-static data members, counted with private ones, none of them in a base; they
/// are its state. `each_stored(f)` calls f with all of them, and `stored_of()` tells whose they are: what is derived
/// from it may have more.
#define WARPKIT_STORED_MEMBERS(number)                                                                       \
    auto stored_of() noexcept { return this; }                                                               \
    template <class F>                                                                                       \
    void each_stored(F&& f) {                                                                                \
        auto& [WARPKIT_NAMED_##number] = *this;                                                              \
        f(WARPKIT_NAMED_##number);                                                                           \
    }
