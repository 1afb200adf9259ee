# warpkit::compiled: warpkit::warpkit for a program that simulates, without what such programs have in common: PTX front
# end, executor, the checks of numbers, and numbers and memory system of the preset gtx480 are compiled once, into a
# library of the project that asks for it, with its compiler and options. Made only where something links it.
get_property(warpkit_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(TARGET warpkit::compiled OR NOT CXX IN_LIST warpkit_languages)
    return()
endif()
# warpkit::translation has the PTX front end and the executor alone.
add_library(warpkit_translation STATIC EXCLUDE_FROM_ALL)
add_library(warpkit::translation ALIAS warpkit_translation)
target_link_libraries(warpkit_translation PUBLIC warpkit::warpkit)
target_compile_definitions(warpkit_translation PUBLIC WARPKIT_PTX_ELSEWHERE)
add_library(warpkit_compiled STATIC EXCLUDE_FROM_ALL)
add_library(warpkit::compiled ALIAS warpkit_compiled)
target_link_libraries(warpkit_compiled PUBLIC warpkit_translation)
target_compile_definitions(warpkit_compiled PUBLIC WARPKIT_COMPILED)
# A source that instantiates what the header declares as compiled elsewhere.
function(warpkit_compiled_part library header)
    get_filename_component(name ${header} NAME_WE)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/warpkit_compiled/${name}.cpp)
    set(text "#include <warpkit/${header}>\nnamespace warpkit {\n")
    foreach(instance IN LISTS ARGN)
        string(APPEND text "template ${instance};\n")
    endforeach()
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}}\n" @ONLY)
    target_sources(${library} PRIVATE ${file})
endfunction()
warpkit_compiled_part(warpkit_translation frontend/ptx/translation.hpp "struct ptx::translator<0>")
warpkit_compiled_part(warpkit_compiled config/program_runner.hpp "struct program_runner<0>")
warpkit_compiled_part(warpkit_compiled config/check.hpp "void detail::check_numbers<0>(gpu_parameters const&)")
warpkit_compiled_part(
    warpkit_compiled base/policy_text.hpp
    "void detail::set_places_as<0>(std::vector<detail::parameter_place>&, std::string_view, std::string const&)")
warpkit_compiled_part(warpkit_compiled config/presets.hpp "gpu_parameters detail::numbers_of<presets::detail::gtx480_numbers>()")
warpkit_compiled_part(
    warpkit_compiled config/compiled_presets.hpp
    "class memory_system<presets::gtx480::policies::memory>"
    "class crossbar_interconnect<noc::round_robin_arbitration>"
    "struct network_way<crossbar_interconnect<noc::round_robin_arbitration>>")
