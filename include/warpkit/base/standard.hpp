#pragma once
/// \file
/// The language that the headers are written in. Every header includes this one, mostly through another, before it says
/// anything itself: a compiler that reads an older language is told so in one line, and not by what it stumbles over.

#if !defined(__cplusplus) || (__cplusplus < 202002L && (!defined(_MSVC_LANG) || _MSVC_LANG < 202002L))
#error "warpkit needs C++20; older C++: <warpkit/facade/facade.hpp>, C: <warpkit/facade/warpkit.h>, with libwarpkit"
// A file that is missing is where every compiler stops.
#include "warpkit_needs_cxx20"
#endif
