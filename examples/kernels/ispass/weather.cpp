#include "kernels/host.hpp"
#include "weather.ptx.hpp"

#include <algorithm>
#include <cmath>

namespace warpkit::kernels::weather {
namespace {

constexpr parameter parameters[] = {
    {"nx", "columns", "of air from west to east", 30, 71, 1, 1024},
    {"ny", "columns", "of air from south to north", 20, 58, 1, 1024},
    {"levels", "levels", "of each column", 8, 27, 1, 64},
    {"steps", "steps", "of 20 seconds, one launch each", 1, 4, 1, 1000},
    seed,
};

constexpr float step = 20;

struct air {
    std::vector<float> temperature, vapour, cloud, ice, rain, snow, pressure, density, thickness, fallen;
};

void advance(air& a, std::size_t layer, std::size_t levels) {
    std::vector<float> rain_flux(levels), snow_flux(levels);
    for (std::size_t column = 0; column < layer; ++column) {
        for (std::size_t k = 0; k < levels; ++k) {
            auto const at = column + k * layer;
            auto const r = a.density[at] * a.rain[at];
            auto const s = a.density[at] * a.snow[at];
            auto const most = a.thickness[at] / step;
            rain_flux[k] = std::min(4.0f * r * std::sqrt(std::sqrt(r)), r * most);
            snow_flux[k] = std::min(0.8f * s * std::sqrt(std::sqrt(s)), s * most);
        }
        float rain_above = 0, snow_above = 0;
        for (auto k = levels; k-- > 0;) {
            auto const at = column + k * layer;
            auto const gain = step / (a.density[at] * a.thickness[at]);
            a.rain[at] += (rain_above - rain_flux[k]) * gain;
            a.snow[at] += (snow_above - snow_flux[k]) * gain;
            rain_above = rain_flux[k];
            snow_above = snow_flux[k];
        }
        a.fallen[column] += (rain_above + snow_above) * step;
        for (std::size_t k = 0; k < levels; ++k) {
            auto const at = column + k * layer;
            auto &t = a.temperature[at], &q = a.vapour[at], &c = a.cloud[at], &i = a.ice[at], &r = a.rain[at],
                 &s = a.snow[at];
            auto const above_pole = t - 29.65f;
            auto const saturated = 6.112f * std::exp(17.67f * (t - 273.15f) / above_pole);
            auto const holds = 622.0f * saturated / (a.pressure[at] - saturated);
            auto moved =
                std::max((q - holds) / (1 + 2.5f * holds * 4302.645f / (above_pole * above_pole)), -c);
            q -= moved;
            c += moved;
            t += 2.5f * moved;
            moved = std::min(step * (0.001f * std::max(c - 0.5f, 0.0f) + 0.0022f * c * std::sqrt(r)), c);
            c -= moved;
            r += moved;
            moved = std::min(step * 0.0001f * std::max(273.15f - t, 0.0f) * c, c);
            c -= moved;
            i += moved;
            t += 0.334f * moved;
            moved = std::min(step * 0.001f * std::max(i - 0.1f, 0.0f), i);
            i -= moved;
            s += moved;
            moved = std::min(step * 0.001f * std::max(t - 273.15f, 0.0f) * std::sqrt(s), s);
            s -= moved;
            r += moved;
            t -= 0.334f * moved;
            moved = std::min(step * 0.0001f * std::max(holds - q, 0.0f) * std::sqrt(r), r);
            r -= moved;
            q += moved;
            t -= 2.5f * moved;
        }
    }
}

void run(device& d, values const& v) {
    auto const nx = v.u32("nx");
    auto const ny = v.u32("ny");
    auto const nz = v.u32("levels");
    auto const layer = std::size_t{nx} * ny;
    random_numbers random(v["seed"]);
    // A standard atmosphere of 16 km, nearly saturated, with some of everything in it.
    air a;
    a.fallen.resize(layer);
    for (std::uint32_t k = 0; k < nz; ++k)
        for (std::size_t column = 0; column < layer; ++column) {
            auto const height = 16 * (static_cast<float>(k) + 0.5f) / static_cast<float>(nz);
            auto const t = std::max(290 - 6.5f * height, 216.0f) + 2 * random.unit();
            auto const p = 1000 * std::exp(-height / 7.5f);
            auto const saturated = 6.112f * std::exp(17.67f * (t - 273.15f) / (t - 29.65f));
            a.temperature.push_back(t);
            a.pressure.push_back(p);
            a.density.push_back(p / (2.87f * t));
            a.thickness.push_back(16000 / static_cast<float>(nz));
            a.vapour.push_back(622 * saturated / (p - saturated) * (0.8f + 0.4f * random.unit()));
            a.cloud.push_back(2 * random.unit());
            a.ice.push_back(random.unit());
            a.rain.push_back(3 * random.unit());
            a.snow.push_back(2 * random.unit());
        }

    auto const temperature = d.upload(a.temperature);
    auto const vapour = d.upload(a.vapour);
    auto const cloud = d.upload(a.cloud);
    auto const ice = d.upload(a.ice);
    auto const rain = d.upload(a.rain);
    auto const snow = d.upload(a.snow);
    auto const pressure = d.upload(a.pressure);
    auto const density = d.upload(a.density);
    auto const thickness = d.upload(a.thickness);
    auto const fallen = d.upload(a.fallen);
    for (auto left = v["steps"]; left > 0; --left) {
        d.launch("weather", {ceil_div(nx, 8), ceil_div(ny, 8)}, {8, 8}, 0, temperature, vapour, cloud, ice,
                 rain, snow, pressure, density, thickness, fallen, nx, ny, nz, step);
        advance(a, layer, nz);
    }
    constexpr float tolerance = 1e-4f;
    check_close(v, "temperature", d.download(temperature), a.temperature, tolerance);
    check_close(v, "vapour", d.download(vapour), a.vapour, tolerance);
    check_close(v, "cloud", d.download(cloud), a.cloud, tolerance);
    check_close(v, "ice", d.download(ice), a.ice, tolerance);
    check_close(v, "rain", d.download(rain), a.rain, tolerance);
    check_close(v, "snow", d.download(snow), a.snow, tolerance);
    check_close(v, "fallen", d.download(fallen), a.fallen, tolerance);
}

constexpr paper_row rows[] = {{paper::owl, "WP"}};

constexpr workload shipped[] = {{
    .name = "weather",
    .title = "cloud physics of a weather model, a thread per column of air",
    .origin = "WP (GPGPU-Sim's set, ISPASS 2009; WSM5 of WRF)",
    .rows = rows,
    .input = "a standard atmosphere with random amounts of vapour, water and ice",
    .differs = "Like it, not it: fewer processes, simpler rates. Launch shape and fields are the original's: "
               "72 CTAs of 8 x "
               "8, so at most six warps on a core of OWL's, and fluxes of all levels in local memory.",
    .ptx = weather_ptx,
    .ptx_name = "weather.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::weather
