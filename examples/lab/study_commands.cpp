// The commands that study kernels and policies without a table of runs.
#include "study_commands.hpp"

namespace lab {

void study_commands::declare(declare_command const& command, common_options& o) {
    addresses = command(
        "addresses",
        "Hold the lines that address pre-computation foretells for each block against those it touches",
        [&](CLI::App* c) {
            o.subjects(c);
            c->add_flag("--detail", detail, "Access by access");
            o.tables_as_json(c);
            c->footer("\nExample:\n  lab addresses --kernel hotspot,bfs --detail\n");
        });

    sharing = command("sharing", "Which blocks share which cache lines and DRAM rows", [&](CLI::App* c) {
        o.subjects(c);
        o.reads(c, "--launch", o.what.launch_files, "Of the PTX kernel of this launch file")
            ->expected(1)
            ->excludes("--kernel");
        o.tables_as_json(c);
        o.writes(c, "--picture", picture,
                 "Draw the lines that each two blocks share into this file: .svg or .pgm, or - (one "
                 "--kernel)");
        c->footer("\nExamples:\n  lab sharing\n  lab sharing --kernel hotspot --picture hotspot.svg\n");
    });

    degrees = command(
        "degrees",
        "The best number of blocks per core, by a sweep and by the decision scheme, at several L1 sizes",
        [&](CLI::App* c) {
            o.subjects(c);
            c->add_option("-s,--scheduler", o.what.schedulers, "Under which warp scheduler; gto by default");
            c->add_option("--l1", how.l1_sizes, "L1 sizes; the machine's own by default")->delimiter(',');
            c->add_option("--most", how.most, "The highest number of blocks; 8 by default")
                ->check(CLI::Range(1U, 8U));
            c->add_flag("--tables", how.tables,
                        "Print each kernel's measured first stage, for lab run --occupancy");
            c->add_flag("--saw", how.saw,
                        "Print what the decision saw of its CTA in each launch, and what it foretold");
            o.tables_as_json(c);
            c->add_flag("-q,--quiet", o.what.quiet, "No progress bar");
            c->footer("\nExample:\n  lab degrees --preset gtx480_v3 --set l2.enabled=0 --l1 8KiB,16KiB\n");
        });

    cost = command(
        "cost", "Print what the schedulers, or the named policies, would cost in hardware", [&](CLI::App* c) {
            c->add_option(
                 "name", costly,
                 "First a preset, of whose core, if not gtx480; then policies with their parameters, or "
                 "all, if not the schedulers")
                ->expected(0, -1);
            auto* const page =
                c->add_flag("--markdown", o.markdown, "As the page docs/reference/hardware_cost.md");
            o.tables_as_json(c);
            c->get_option("--json")->excludes(page);
            c->footer("\nExamples:\n  lab cost owl\n  lab cost elf:points=16 new_car:entries=16\n"
                      "  lab cost qv100 locality_aware:active=16 lrr\n");
        });
}

bool study_commands::asked() const { return addresses || sharing || degrees || cost; }

int study_commands::carry_out(common_options const& o) {
    if (addresses) return lab::addresses(o.what, detail, o.markdown);
    if (sharing) return lab::sharing(o.what, picture, o.markdown);
    if (cost) {
        lab::cost(costly, o.markdown);
        return 0;
    }
    how.markdown = o.markdown;
    return lab::degrees(o.what, how);
}

} // namespace lab
