#include "command_line.hpp"
#include "support/program.hpp"

int main(int argc, char** argv) {
    return examples::guarded("lab", lab::less_memory, [&] { return lab::carry_out(argc, argv); });
}
