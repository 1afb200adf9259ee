/* libstdc++ writes __attribute__((__noinline__)) in this header, where CUDA's macro of that name must not stand. */
#pragma GCC system_header
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/basic_string.tcc>
#pragma pop_macro("__noinline__")
