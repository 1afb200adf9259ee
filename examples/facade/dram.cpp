// DRAM channels: each scheduler with each page policy behind virtual functions.
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/atlas.hpp>
#include <warpkit/dram/bank_queues.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/page_policy.hpp>
#include <warpkit/dram/par_bs.hpp>
#include <warpkit/dram/shared_queue.hpp>
#include <warpkit/dram/standards.hpp>
#include "common.hpp"

#include <memory>

using namespace warpkit;

struct warpkit_dram {
    virtual ~warpkit_dram() = default;
    virtual warpkit_dram* copy() const = 0;
    virtual bool equals(warpkit_dram const& other) const noexcept = 0;
    virtual bool can_accept(dram::request const& r) const noexcept = 0;
    virtual void push(dram::request const& r, cycle now) noexcept = 0;
    virtual void tick(cycle now, void (*done)(void*, std::uint64_t), void* user) = 0;
    virtual cycle next_event(cycle now) const noexcept = 0;
    virtual bool idle() const noexcept = 0;
    virtual std::uint32_t open_row(std::uint32_t bank) const noexcept = 0;
    virtual dram::channel_counters counters() const noexcept = 0;

    dram::timing numbers;
    dram::address_mapping map;
};

namespace {

/// Any of the page policies but open_page, which a channel of its own has for less.
class chosen_page {
public:
    static constexpr char const* name() noexcept { return "page"; }
    static constexpr bool asks = true;
    enum class kind : std::uint8_t { open_page, closed_page, timeout_page, auto_precharge_page };
    static constexpr parameter_word<kind> words[] = {
        {dram::open_page::name(), kind::open_page},
        {dram::closed_page::name(), kind::closed_page},
        {dram::timeout_page::name(), kind::timeout_page},
        {dram::auto_precharge_page::name(), kind::auto_precharge_page}};
    kind is = kind::open_page;
    dram::timeout_page timeout;

    cycle closes_after(dram::page_use use) const noexcept {
        if (is == kind::closed_page) return dram::closed_page{}.closes_after(use);
        return is == kind::timeout_page ? timeout.closes_after(use) : never;
    }
    bool closes_itself(dram::page_use) const noexcept { return is == kind::auto_precharge_page; }
    template <class F>
    void each_member(F&& f) const {
        f(is, timeout);
    }
    friend bool operator==(chosen_page const&, chosen_page const&) = default;
};

/// What the text says beside the scheduler's own parameters.
struct dram_settings {
    enum class seat : std::uint8_t { fr_fcfs, fcfs, par_bs, atlas, shared_queue, bank_queues };
    static constexpr parameter_word<seat> schedulers[] = {{"fr_fcfs", seat::fr_fcfs},
                                                          {"fcfs", seat::fcfs},
                                                          {"par_bs", seat::par_bs},
                                                          {"atlas", seat::atlas},
                                                          {"shared_queue", seat::shared_queue},
                                                          {"bank_queues", seat::bank_queues}};
    static constexpr parameter_word<dram::command_bus> buses[] = {
        {"single", dram::command_bus::single},
        {"single_and_row", dram::command_bus::single_and_row},
        {"dual", dram::command_bus::dual}};
    static constexpr parameter_word<dram::write_end> ends[] = {{"data", dram::write_end::data},
                                                               {"command", dram::write_end::command},
                                                               {"acceptance", dram::write_end::acceptance}};
    seat scheduler = seat::fr_fcfs;
    dram::queue_sizes queues;
    chosen_page page;
    dram::command_bus bus = dram::command_bus::single_and_row;
    bool refresh = false;
    dram::answer_times answers;
    dram::timing numbers;

    template <class Self, class F>
    static void each_parameter(Self& self, F&& f) {
        f(parameter{"scheduler",
                    "which request is served next; shared_queue is Ramulator's, bank_queues DRAMsim3's"},
          self.scheduler, schedulers);
        f(parameter{"queue", "requests; where writes wait separately, reads", 1, 4096}, self.queues.reads);
        f(parameter{"write_queue", "writes, where they wait separately", 1, 4096}, self.queues.writes);
        f(parameter{"bank_queue", "requests of one bank (bank_queues)", 1, 4096}, self.queues.bank);
        f(parameter{"page", "when rows are closed"}, self.page.is, chosen_page::words);
        f(parameter{"timeout", "of timeout_page: DRAM cycles without a use"}, self.page.timeout.cycles);
        f(parameter{"bus", "commands that may share a cycle"}, self.bus, buses);
        f(parameter{"refresh", "at the interval of the standard, where it has one"}, self.refresh);
        f(parameter{"whole_burst", "a read ends with its last beat, not with its first"},
          self.answers.whole_burst);
        f(parameter{"writes_end", "with the first beat, the last command, or at once"}, self.answers.writes,
          ends);
        each_parameter_of(f, self.numbers);
    }
};

template <class Scheduler, class Page>
struct channel_of final : warpkit_dram {
    explicit channel_of(dram_settings const& s)
        : is(s.numbers, s.queues, s.bus, s.answers, page_of(s.page)) {}
    warpkit_dram* copy() const override { return std::make_unique<channel_of>(*this).release(); }
    bool equals(warpkit_dram const& other) const noexcept override {
        auto const* const same = dynamic_cast<channel_of const*>(&other);
        return same != nullptr && same->is == is;
    }
    bool can_accept(dram::request const& r) const noexcept override { return is.can_accept(r); }
    void push(dram::request const& r, cycle now) noexcept override { is.push(r, now); }
    void tick(cycle now, void (*done)(void*, std::uint64_t), void* user) override {
        is.tick(now, [&](dram::request const& r) {
            if (done != nullptr) done(user, r.token);
        });
    }
    cycle next_event(cycle now) const noexcept override { return is.next_event(now); }
    bool idle() const noexcept override { return is.idle(); }
    std::uint32_t open_row(std::uint32_t bank) const noexcept override { return is.open_row(bank); }
    dram::channel_counters counters() const noexcept override { return is.counters(); }

    dram::channel<Scheduler, Page> is;

private:
    static Page page_of(chosen_page const& p) {
        if constexpr (std::is_same_v<Page, chosen_page>)
            return p;
        else
            return {};
    }
};

/// What the text sets: the settings, and the parameters of the scheduler.
template <class Commands>
struct settable {
    dram_settings& numbers;
    Commands& scheduler;
    template <class Self, class F>
    static void each_parameter(Self& self, F&& f) {
        dram_settings::each_parameter(self.numbers, f);
        each_parameter_of(f, self.scheduler);
    }
    void parameters_set() { tell_parameters_set(scheduler); }
};

template <class Scheduler, class Page>
std::unique_ptr<warpkit_dram> channel_from(dram_settings s, std::string const& text) {
    auto made = std::make_unique<channel_of<Scheduler, Page>>(s);
    settable<std::remove_reference_t<decltype(made->is.scheduler())>> all{s, made->is.scheduler()};
    auto places = detail::places_in(all);
    detail::set_places(places, detail::policy_text(text, "dram"));
    all.parameters_set();
    return made;
}
/// Open pages, which are what most ask for, are looked at once and not at each command.
template <class Scheduler>
std::unique_ptr<warpkit_dram> channel_from(dram_settings const& s, std::string const& text) {
    if (s.page.is == chosen_page::kind::open_page) return channel_from<Scheduler, dram::open_page>(s, text);
    return channel_from<Scheduler, chosen_page>(s, text);
}

using ramulators = dram::shared_queue<dram::oldest_ready, dram::watermark_drain>;
using dramsim3s = dram::bank_queues<dram::head_closes<4>, dram::batch_drain>;

std::unique_ptr<warpkit_dram> made_for(dram_settings const& s, std::string const& text) {
    using seat = dram_settings::seat;
    switch (s.scheduler) {
    case seat::fcfs:
        return channel_from<dram::fcfs, chosen_page>(s, text);
    case seat::par_bs:
        return channel_from<dram::par_bs_of<run_time>, chosen_page>(s, text);
    case seat::atlas:
        return channel_from<dram::atlas_of<run_time>, chosen_page>(s, text);
    case seat::shared_queue:
        return channel_from<ramulators>(s, text);
    case seat::bank_queues:
        return channel_from<dramsim3s>(s, text);
    case seat::fr_fcfs:
        break;
    }
    return channel_from<dram::fr_fcfs>(s, text);
}

/// The settings that `text` makes of a standard's. What it does not name may be a parameter of the scheduler, which is
/// looked at when that is known: so only those of its texts that are settings are read.
dram_settings settings_of(dram::standard const& standard, detail::policy_text const& text) {
    dram_settings s;
    s.numbers = *standard.numbers;
    s.bus = standard.bus;
    auto places = detail::places_in(s);
    detail::policy_text own(text.name, "dram");
    for (std::size_t i = 0; i != text.keys.size(); ++i)
        for (auto const& p : places)
            if (text.keys[i] == p.about.name) {
                own.keys.push_back(text.keys[i]);
                own.values.push_back(text.values[i]);
                break;
            }
    detail::set_places(places, own);
    if (s.refresh && s.numbers.refi == 0) {
        if (standard.refi == 0)
            throw error(
                {standard.name, " has no interval of refresh; set refi and rfc, or refipb and rfcpb"});
        s.numbers.refi = standard.refi;
    }
    return s;
}

std::unique_ptr<warpkit_dram> dram_from(std::string_view text) {
    detail::policy_text const parts(text, "dram");
    std::vector<std::string> names;
    for (auto const& s : dram::standards) names.emplace_back(s.name);
    for (auto const& s : dram::standards) {
        if (parts.name != s.name) continue;
        auto const settings = settings_of(s, parts);
        auto made = made_for(settings, std::string(text));
        made->numbers = settings.numbers;
        made->map = dram::address_mapping(s.mapping, 1);
        made->map.check(settings.numbers);
        return made;
    }
    throw error({"there is no dram standard '", parts.name, '\'' + did_you_mean(parts.name, names),
                 "; there are: ", detail::list_of(names)});
}

/// False if it does not lie in one row.
bool request_of(warpkit_dram const& d, warpkit_dram_request const& from, dram::request& to) noexcept {
    auto const at = d.map.decode(from.address);
    auto const atom = d.numbers.atom_bytes();
    auto const first = at.column % atom;
    if (from.bytes == 0 || from.bytes > d.map.row_bytes()) return false;
    to.atoms = d.numbers.atoms_for(first + from.bytes);
    if (to.atoms > 1) { // neighbours in the address need not be neighbours in the row
        auto const last = d.map.decode(from.address + from.bytes - 1);
        if (last.bank != at.bank || last.row != at.row || last.column != at.column + from.bytes - 1)
            return false;
    }
    to.token = from.token;
    to.row = at.row;
    to.column = at.column;
    to.bank = static_cast<std::uint16_t>(at.bank);
    to.write = from.write != 0;
    if (from.core >= 0) {
        to.by.core = static_cast<std::uint16_t>(from.core);
        to.by.warp = static_cast<std::uint16_t>(from.warp);
        to.by.kernel = 0;
    }
    return true;
}

} // namespace

void warpkit_dram_request_init(warpkit_dram_request* r) { *r = {0, 0, 1, 0, -1, WARPKIT_NO_WARP}; }
char const* warpkit_dram_catalogue(void) {
    return facade::kept_text([] {
        std::string all;
        for (auto const& s : dram::standards) all += std::string(s.name) + ": " + s.says + '\n';
        all +=
            "each with these, and those of its scheduler:\n" + facade::listed(parameters_of(dram_settings{}));
        auto const of = [&all]<class S>() {
            all += std::string(S::name()) + ":\n" + facade::listed(parameters_of(S{}));
        };
        of.operator()<dram::par_bs_of<run_time>>();
        of.operator()<dram::atlas_of<run_time>>();
        all += "shared_queue:\n" + facade::listed(parameters_of(ramulators{}));
        of.operator()<dramsim3s>();
        return all;
    });
}
warpkit_dram* warpkit_dram_create(char const* text, warpkit_error* error) {
    return facade::guarded(error, [&] { return dram_from(facade::text_of(text)).release(); });
}
warpkit_dram* warpkit_dram_copy(warpkit_dram const* d, warpkit_error* error) {
    return facade::guarded(error, [&] { return d->copy(); });
}
void warpkit_dram_destroy(warpkit_dram* d) { delete d; }
int warpkit_dram_equal(warpkit_dram const* a, warpkit_dram const* b) { return a->equals(*b); }
std::uint32_t warpkit_dram_atom_bytes(warpkit_dram const* d) { return d->numbers.atom_bytes(); }
std::uint64_t warpkit_dram_capacity(warpkit_dram const* d) { return d->map.capacity(); }
int warpkit_dram_can_accept(warpkit_dram const* d, warpkit_dram_request const* request) {
    dram::request r;
    return request_of(*d, *request, r) && d->can_accept(r);
}
int warpkit_dram_push(warpkit_dram* d, warpkit_dram_request const* request, std::uint64_t now) {
    dram::request r;
    if (!request_of(*d, *request, r) || !d->can_accept(r)) return 0;
    d->push(r, now);
    return 1;
}
void warpkit_dram_tick(warpkit_dram* d, std::uint64_t now, void (*done)(void*, std::uint64_t), void* user) {
    d->tick(now, done, user);
}
std::uint64_t warpkit_dram_next_event(warpkit_dram const* d, std::uint64_t now) { return d->next_event(now); }
int warpkit_dram_idle(warpkit_dram const* d) { return d->idle(); }
std::uint32_t warpkit_dram_open_row(warpkit_dram const* d, std::uint32_t bank) {
    return bank < d->numbers.banks ? d->open_row(bank) : WARPKIT_UNTOLD;
}
static_assert(dram::no_row == WARPKIT_UNTOLD);
void warpkit_dram_get_counters(warpkit_dram const* d, warpkit_dram_counters* to) {
    auto const c = d->counters();
    *to = {c.reads,       c.writes,      c.read_atoms,      c.write_atoms, c.activates,
           c.precharges,  c.refreshes,   c.requests_served, c.row_hits,    c.bus_busy_cycles,
           c.busy_cycles, c.bank_cycles, c.bank_busy_cycles};
}
