// Carries out `lab replay`.
#include <warpkit/report/text.hpp>

#include "catalogue.hpp"
#include "lab.hpp"
#include "logs.hpp"

#include <algorithm>
#include <iostream>

namespace lab {

using namespace warpkit;
using report::alignment;

void replay(std::string const& file, std::vector<std::string> const& schedulers) {
    auto texts = schedulers;
    for (auto const& text : texts) check_policy({"warp_scheduler", text});
    if (texts.empty())
        for (auto const& r : replayers()) texts.push_back(r.scheduler);

    auto const log = testing::event_log::read(file);
    std::cout << log.header().title << ", core " << log.header().core << ", recorded under "
              << log.header().scheduler << ": " << report::with_thousands(log.records()) << " events in "
              << report::with_thousands(log.size()) << " bytes\n";
    report::text_table table({{"scheduler", alignment::left},
                              {"decisions", alignment::right},
                              {"agrees", alignment::right},
                              {"%", alignment::right}});
    std::vector<testing::replay_result> parted;
    for (auto const& text : texts) {
        auto const r = std::find_if(replayers().begin(), replayers().end(), [&](replayer const& known) {
            return known.scheduler == policy_of(text);
        });
        auto const result = r->run(log, text);
        table.add_row({text, report::with_thousands(result.decisions), report::with_thousands(result.agreed),
                       report::fixed(100 * result.agreement(), 2)});
        if (result.first) parted.push_back(result);
    }
    print_table("schedulers", table);
    if (!parted.empty()) std::cout << "\nWhere they part first:\n";
    for (auto const& p : parted) std::cout << "  " << p.first->text(p.recorded, p.policy) << '\n';
}

} // namespace lab
