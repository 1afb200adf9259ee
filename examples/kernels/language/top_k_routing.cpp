#include "kernels/language/halves.hpp"
#include "top_k_routing.ptx.hpp"

namespace warpkit::kernels::top_k_routing {
namespace {

constexpr std::uint32_t block = 256;

constexpr parameter parameters[] = {
    {"tokens", "tokens", "of a batch", 1000, 32768, 1, 1u << 20},
    {"experts", "experts", "to choose from", 8, 8, 2, 64},
    seed,
};

void run(device& d, values const& v) {
    auto const tokens = v.u32("tokens");
    auto const experts = v.u32("experts");
    auto const ctas = ceil_div(tokens, block);
    random_numbers random(v["seed"]);
    // Some experts are liked better.
    auto const liked = random.units(experts);
    std::vector<float> logits;
    for (std::uint32_t i = 0; i < tokens * experts; ++i)
        logits.push_back(4 * random.unit() + liked[i % experts]);

    std::vector<std::int32_t> chosen;
    std::vector<double> weights;
    for (std::uint32_t token = 0; token < tokens; ++token) {
        auto const* const of = &logits[std::size_t{token} * experts];
        auto const best = std::max_element(of, of + experts) - of;
        std::ptrdiff_t second = best == 0 ? 1 : 0;
        for (std::ptrdiff_t e = 0; e < experts; ++e)
            if (e != best && of[e] > of[second]) second = e;
        auto const odds = std::exp(double{of[second]} - double{of[best]});
        chosen.insert(chosen.end(), {static_cast<std::int32_t>(best), static_cast<std::int32_t>(second)});
        weights.insert(weights.end(), {1 / (1 + odds), odds / (1 + odds)});
    }
    std::vector<std::int32_t> sources;
    for (std::int32_t e = 0; e < static_cast<std::int32_t>(experts); ++e)
        for (std::size_t i = 0; i < chosen.size(); ++i)
            if (chosen[i] == e) sources.push_back(static_cast<std::int32_t>(i));
    std::vector<std::int32_t> places(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i)
        places[static_cast<std::size_t>(sources[i])] = static_cast<std::int32_t>(i);

    auto const items = std::size_t{2} * tokens;
    auto const chosen_device = d.allocate<std::int32_t>(items);
    auto const weights_device = d.allocate<float>(items);
    auto const counts = d.allocate<std::int32_t>(std::size_t{experts} * ctas + 1);
    auto const sources_device = d.allocate<std::int32_t>(items);
    auto const places_device = d.allocate<std::int32_t>(items);
    d.launch("route_top_2", {ctas}, {block}, 0, d.upload(logits), chosen_device, weights_device, counts,
             tokens, experts);
    d.launch("route_offsets", {1}, {block}, 0, counts, experts * ctas);
    d.launch("route_places", {ctas}, {block}, 0, chosen_device, counts, sources_device, places_device, tokens,
             experts);
    check_equal(v, "chosen", d.download(chosen_device), chosen);
    check_equal(v, "sources", d.download(sources_device), sources);
    check_equal(v, "places", d.download(places_device), places);
    auto const found = d.download(weights_device);
    for (std::size_t i = 0; i < items; ++i)
        halves::check_number(v, "weights", i, double{found[i]}, weights[i], 0x1p-20, 0);
}

constexpr workload shipped[] = {
    {
        .name = "top_k_routing",
        .title = "two of the experts of each token, their weights, and the order of the experts' inputs: "
                 "three launches",
        .origin = "Mixtral 8x7B: 4 sequences of 8,192 tokens, 8 experts",
        .input = "logits uniform over a range of 4, shifted by expert, so that some are chosen more often",
        .differs = "Begins with the logits. The order is by token, whatever that of the CTAs; choices and "
                   "places are exact, weights checked to 2^-20. With 8 experts a thread reads a token's "
                   "logits, where vLLM has a warp.",
        .ptx = top_k_routing_ptx,
        .ptx_name = "top_k_routing.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::top_k_routing
