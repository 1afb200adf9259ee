#pragma once
// The commands that study kernels and policies: blocks, and what schedulers would cost.

#include "common_options.hpp"

#include <string>
#include <vector>

namespace lab {

struct study_commands {
    void declare(declare_command const& command, common_options& o);
    // Whether one of them is to be done.
    bool asked() const;
    // Does it. The exit status.
    int carry_out(common_options const& o);

private:
    named_command addresses;
    named_command sharing;
    named_command degrees;
    named_command cost;
    bool detail = false;
    std::string picture;
    degrees_request how;
    std::vector<std::string> costly;
};

} // namespace lab
