// Copies and fills: of memory, boxes, symbols and arrays.
#include "copies.hpp"
#include "graphs.hpp"

#include <cstring>
#include <utility>
#include <vector>

using namespace warpkit::cuda;
using warpkit::bytes_of_rows;
using warpkit::device_address;
using warpkit::saturated_product;
using warpkit::saturated_sum;

namespace {

// One side of a copy: the device's bytes if the address is one of the device, otherwise the host's.
std::byte* side(session& s, void const* p, std::size_t bytes, bool on_device, char const* which) {
    if (auto* const found = s.find(p, bytes)) return found;
    auto const a = address(p);
    bool const looks =
        a >= warpkit::device_memory::base && a < warpkit::device_memory::base + s.memory().size();
    if (on_device || looks || s.block_at(p, bytes) != s.host_memory.end())
        throw failure(cudaErrorInvalidValue, std::string(which) + " " + std::to_string(bytes) + " bytes at " +
                                                 hexadecimal(p) +
                                                 " are not inside one allocation of the device");
    if (p == nullptr) throw failure(cudaErrorInvalidValue, std::string(which) + " a null pointer");
    if (!warpkit::lies_within(a, bytes, host_addresses))
        throw failure(cudaErrorInvalidValue, std::string(which) + " " + std::to_string(bytes) + " bytes at " +
                                                 hexadecimal(p) + ": no program has so much memory");
    return static_cast<std::byte*>(const_cast<void*>(p));
}
bool to_device(cudaMemcpyKind k) { return k == cudaMemcpyHostToDevice || k == cudaMemcpyDeviceToDevice; }
bool from_device(cudaMemcpyKind k) { return k == cudaMemcpyDeviceToHost || k == cudaMemcpyDeviceToDevice; }
void check_kind(cudaMemcpyKind k) {
    if (static_cast<unsigned>(k) > cudaMemcpyDefault)
        throw failure(cudaErrorInvalidMemcpyDirection, "no such cudaMemcpyKind: " + std::to_string(k));
}

void copy(session& s, void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind) {
    check_kind(kind);
    if (bytes == 0) return;
    auto* const d = side(s, to, bytes, to_device(kind), "copied to:");
    auto const* const f = side(s, from, bytes, from_device(kind), "copied from:");
    std::memmove(d, f, bytes);
}
void check_pitch(std::size_t width, std::size_t pitch, cudaError_t code) {
    if (pitch < width || pitch > most_pitch)
        throw failure(code, "rows of " + std::to_string(width) + " bytes, a pitch of " +
                                std::to_string(pitch) + "; there are pitches up to " +
                                std::to_string(most_pitch));
}
void copy_rows(session& s, void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
               std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    check_kind(kind);
    if (width == 0 || height == 0) return;
    check_pitch(width, to_pitch, cudaErrorInvalidPitchValue);
    check_pitch(width, from_pitch, cudaErrorInvalidPitchValue);
    auto* const d = side(s, to, bytes_of_rows(width, height, to_pitch), to_device(kind), "copied to:");
    auto const* const f =
        side(s, from, bytes_of_rows(width, height, from_pitch), from_device(kind), "copied from:");
    for (std::size_t y = 0; y < height; ++y) std::memmove(d + y * to_pitch, f + y * from_pitch, width);
}

// The bytes of an array from byte x of row y on, as far as it has rows of so many bytes there.
void* inside(session const& s, cudaArray const* a, std::size_t x, std::size_t y, std::size_t width,
             std::size_t height) {
    require_array(s, a);
    if (!warpkit::lies_within(x, width, a->row_bytes()) || !warpkit::lies_within(y, height, a->rows()))
        throw failure(cudaErrorInvalidValue,
                      std::to_string(height) + " rows of " + std::to_string(width) + " bytes from byte " +
                          std::to_string(x) + " of row " + std::to_string(y) + " on: the array has " +
                          std::to_string(a->rows()) + " of " + std::to_string(a->row_bytes()));
    return pointer(a->address + y * a->pitch + x);
}
// A run of bytes goes on in the next row.
void check_run(session const& s, cudaArray const* a, std::size_t x, std::size_t y, std::size_t bytes) {
    require_array(s, a);
    auto const row = a->row_bytes();
    if (x >= row ||
        !warpkit::lies_within(saturated_sum(saturated_product(y, row), x), bytes, row * a->rows()))
        throw failure(cudaErrorInvalidValue, std::to_string(bytes) + " bytes from byte " + std::to_string(x) +
                                                 " of row " + std::to_string(y) + " on: the array has " +
                                                 std::to_string(row * a->rows()));
}
void copy_run(session& s, cudaArray const* a, std::size_t x, std::size_t y, void* other, std::size_t bytes,
              cudaMemcpyKind kind, bool into_array) {
    check_run(s, a, x, y, bytes);
    auto* p = static_cast<std::byte*>(other);
    auto const row = a->row_bytes();
    if (bytes != 0) side(s, other, bytes, into_array ? from_device(kind) : to_device(kind), "copied:");
    while (bytes != 0) {
        auto* const at = inside(s, a, x, y, 0, 1);
        auto const part = row - x < bytes ? row - x : bytes;
        if (into_array)
            copy(s, at, p, part, kind);
        else
            copy(s, p, at, part, kind);
        bytes -= part;
        p += part;
        x = 0;
        ++y;
    }
}

cudaMemsetParams filled(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    return {to, pitch, static_cast<unsigned>(value), 1, width, height};
}
void fill_box(session& s, cudaPitchedPtr const& to, int value, cudaExtent const& extent) {
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return;
    check_pitch(extent.width, to.pitch, cudaErrorInvalidValue);
    if (extent.depth > 1 && extent.height > to.ysize)
        throw failure(cudaErrorInvalidValue,
                      "the memory has planes of " + std::to_string(to.ysize) + " rows");
    auto const plane = saturated_product(to.ysize, to.pitch);
    static_cast<void>(side(
        s, to.ptr, bytes_of_rows(bytes_of_rows(extent.width, extent.height, to.pitch), extent.depth, plane),
        true, "filled:"));
    for (std::size_t z = 0; z < extent.depth; ++z)
        fill_elements(s, filled(static_cast<std::byte*>(to.ptr) + z * plane, to.pitch, value, extent.width,
                                extent.height));
}

// A side of a copy of boxes is an array or a pitched pointer; x counts elements of an array, bytes otherwise.
struct box {
    device_address begin = 0;
    std::size_t pitch = 0; // from row to row
    std::size_t slice = 0; // from plane to plane
};
// Where a box of `width` bytes, rows and planes begins, all of which lie on this side.
box box_of(session& s, cudaArray const* a, cudaPos const& at, cudaPitchedPtr const& p, std::size_t element,
           std::size_t width, cudaExtent const& extent, bool on_device, char const* which) {
    if ((a != nullptr) == (p.ptr != nullptr))
        throw failure(cudaErrorInvalidValue,
                      std::string(which) + " expected either an array or a pitched pointer");
    auto const fits = [&](std::size_t offset, std::size_t count, std::size_t size, char const* direction) {
        if (!warpkit::lies_within(offset, count, size))
            throw failure(cudaErrorInvalidValue, std::string(which) + " " + std::to_string(count) + " from " +
                                                     std::to_string(offset) + " on in " + direction +
                                                     ": there are " + std::to_string(size));
    };
    box b;
    if (a != nullptr) {
        require_array(s, a);
        fits(at.x, extent.width, a->width, "x");
        fits(at.y, extent.height, a->height == 0 ? 1 : a->height, "y");
        fits(at.z, extent.depth, a->depth == 0 ? 1 : a->depth, "z");
        b.pitch = a->pitch;
        b.slice = a->pitch * (a->height == 0 ? 1 : a->height);
        b.begin = a->address + at.z * b.slice + at.y * b.pitch + at.x * element;
        return b;
    }
    check_pitch(width, p.pitch, cudaErrorInvalidPitchValue);
    if (extent.depth > 1 || at.z != 0) fits(at.y, extent.height, p.ysize, "y");
    b.pitch = p.pitch;
    b.slice = saturated_product(p.pitch, p.ysize);
    auto const offset = saturated_sum(
        saturated_sum(saturated_product(at.z, b.slice), saturated_product(at.y, b.pitch)), at.x);
    auto const bytes = bytes_of_rows(bytes_of_rows(width, extent.height, b.pitch), extent.depth, b.slice);
    static_cast<void>(side(s, p.ptr, saturated_sum(offset, bytes), on_device, which));
    b.begin = address(p.ptr) + offset;
    return b;
}
void copy_box(session& s, cudaMemcpy3DParms const& w) {
    check_kind(w.kind);
    for (auto const* a : {w.srcArray, w.dstArray})
        if (a != nullptr) require_array(s, a);
    auto const element = w.srcArray != nullptr   ? w.srcArray->element_bytes()
                         : w.dstArray != nullptr ? w.dstArray->element_bytes()
                                                 : 1;
    if (w.srcArray != nullptr && w.dstArray != nullptr && w.dstArray->element_bytes() != element)
        throw failure(cudaErrorInvalidValue, "arrays with elements of different sizes");
    auto const& extent = w.extent;
    auto const width = saturated_product(extent.width, element);
    if (width == 0 || extent.height == 0 || extent.depth == 0) return;
    auto const to =
        box_of(s, w.dstArray, w.dstPos, w.dstPtr, element, width, extent, to_device(w.kind), "copied to:");
    auto const from = box_of(s, w.srcArray, w.srcPos, w.srcPtr, element, width, extent, from_device(w.kind),
                             "copied from:");
    for (std::size_t z = 0; z < extent.depth; ++z)
        copy_rows(s, pointer(to.begin + z * to.slice), to.pitch, pointer(from.begin + z * from.slice),
                  from.pitch, width, extent.height, w.kind);
}

void to_symbol(session& s, void const* symbol, void const* from, std::size_t bytes, std::size_t offset,
               cudaMemcpyKind kind) {
    check_kind(kind);
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost)
        throw failure(cudaErrorInvalidMemcpyDirection, "a symbol is on the device");
    auto* const d = s.symbol_bytes(symbol, bytes, offset);
    if (bytes != 0) std::memmove(d, side(s, from, bytes, from_device(kind), "copied from:"), bytes);
}
void from_symbol(session& s, void* to, void const* symbol, std::size_t bytes, std::size_t offset,
                 cudaMemcpyKind kind) {
    check_kind(kind);
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice)
        throw failure(cudaErrorInvalidMemcpyDirection, "a symbol is on the device");
    auto const* const f = s.symbol_bytes(symbol, bytes, offset);
    if (bytes != 0) std::memmove(side(s, to, bytes, to_device(kind), "copied to:"), f, bytes);
}

// Does it when its turn comes: when a graph is launched, if the stream is captured.
template <class Do>
void in_order(session& s, cudaStream_t stream, Do const& copies, node_contents contents = {}) {
    if (s.capture(stream, cudaGraphNodeTypeMemcpy, copies, std::move(contents))) return;
    take_turn(s, stream);
    copies();
}
cudaMemcpy3DParms as_box_of_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                                 std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    cudaMemcpy3DParms p{};
    p.srcPtr = {const_cast<void*>(from), from_pitch, width, height};
    p.dstPtr = {to, to_pitch, width, height};
    p.extent = {width, height, 1};
    p.kind = kind;
    return p;
}
// The array's rows as a side of a copy of rows.
struct rows {
    void* begin;
    std::size_t pitch;
};
rows rows_of(session const& s, cudaArray const* a, std::size_t x, std::size_t y, std::size_t width,
             std::size_t height) {
    auto* const begin = inside(s, a, x, y, width, height);
    return {begin, a->rows() > 1 ? a->pitch : width};
}
void to_array(session& s, cudaArray_t to, std::size_t x, std::size_t y, void const* from, std::size_t pitch,
              std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    auto const d = rows_of(s, to, x, y, width, height);
    copy_rows(s, d.begin, d.pitch, from, pitch, width, height, kind);
}
void from_array(session& s, void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
                std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    auto const f = rows_of(s, from, x, y, width, height);
    copy_rows(s, to, pitch, f.begin, f.pitch, width, height, kind);
}
void check_between_arrays(cudaMemcpyKind kind) {
    check_kind(kind);
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        throw failure(cudaErrorInvalidMemcpyDirection, "arrays are on the device");
}
// Between devices, of which there is one.
cudaMemcpy3DParms between_devices(cudaMemcpy3DPeerParms const* what) {
    require(what, "the description");
    if (what->srcDevice != 0 || what->dstDevice != 0)
        throw failure(cudaErrorInvalidDevice, "there is one device, 0");
    cudaMemcpy3DParms p{};
    p.srcArray = what->srcArray;
    p.srcPos = what->srcPos;
    p.srcPtr = what->srcPtr;
    p.dstArray = what->dstArray;
    p.dstPos = what->dstPos;
    p.dstPtr = what->dstPtr;
    p.extent = what->extent;
    p.kind = cudaMemcpyDeviceToDevice;
    return p;
}
void require_peers(int to_device, int from_device) {
    if (to_device != 0 || from_device != 0) throw failure(cudaErrorInvalidDevice, "there is one device, 0");
}

} // namespace

namespace warpkit::cuda {

void fill_elements(session& s, cudaMemsetParams const& what) {
    auto const width = saturated_product(what.width, what.elementSize);
    if (width == 0 || what.height == 0) return;
    if (what.height > 1) check_pitch(width, what.pitch, cudaErrorInvalidValue);
    if (address(what.dst) % what.elementSize != 0 || (what.height > 1 && what.pitch % what.elementSize != 0))
        throw failure(cudaErrorInvalidValue, "expected rows that begin at multiples of " +
                                                 std::to_string(what.elementSize) + " bytes");
    auto* const d = side(s, what.dst, bytes_of_rows(width, what.height, what.pitch), true, "filled:");
    for (std::size_t y = 0; y < what.height; ++y) {
        auto* const row = d + y * what.pitch;
        if (what.elementSize == 1)
            std::memset(row, static_cast<int>(what.value), width);
        else // little endian, as the device is
            for (std::size_t x = 0; x < width; x += what.elementSize)
                std::memcpy(row + x, &what.value, what.elementSize);
    }
}
void fill_elements(session& s, cudaMemsetParams const& what, cudaStream_t stream) {
    if (s.capture(
            stream, cudaGraphNodeTypeMemset, [what, &s] { fill_elements(s, what); }, what))
        return;
    take_turn(s, stream);
    fill_elements(s, what);
}

} // namespace warpkit::cuda

extern "C" {

cudaError_t cudaMemcpy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind) {
    return call("cudaMemcpy", [&](session& s) {
        take_turn(s);
        copy(s, to, from, bytes, kind);
    });
}
cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return call("cudaMemcpyAsync", [&](session& s) {
        in_order(
            s, stream, [=, &s] { copy(s, to, from, bytes, kind); }, as_box(to, from, bytes, kind));
    });
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, void const* from, int from_device, std::size_t bytes) {
    return call("cudaMemcpyPeer", [&](session& s) {
        require_peers(to_device, from_device);
        take_turn(s);
        copy(s, to, from, bytes, cudaMemcpyDeviceToDevice);
    });
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, void const* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
    return call("cudaMemcpyPeerAsync", [&](session& s) {
        require_peers(to_device, from_device);
        auto const kind = cudaMemcpyDeviceToDevice;
        in_order(
            s, stream, [=, &s] { copy(s, to, from, bytes, kind); }, as_box(to, from, bytes, kind));
    });
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return call("cudaMemcpy2D", [&](session& s) {
        take_turn(s);
        copy_rows(s, to, to_pitch, from, from_pitch, width, height, kind);
    });
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
    return call("cudaMemcpy2DAsync", [&](session& s) {
        in_order(
            s, stream, [=, &s] { copy_rows(s, to, to_pitch, from, from_pitch, width, height, kind); },
            as_box_of_rows(to, to_pitch, from, from_pitch, width, height, kind));
    });
}
cudaError_t cudaMemcpy3D(cudaMemcpy3DParms const* what) {
    return call("cudaMemcpy3D", [&](session& s) {
        require(what, "the description");
        take_turn(s);
        copy_box(s, *what);
    });
}
cudaError_t cudaMemcpy3DAsync(cudaMemcpy3DParms const* what, cudaStream_t stream) {
    return call("cudaMemcpy3DAsync", [&](session& s) {
        require(what, "the description");
        in_order(
            s, stream, [&s, w = *what] { copy_box(s, w); }, *what);
    });
}
cudaError_t cudaMemcpy3DPeer(cudaMemcpy3DPeerParms const* what) {
    return call("cudaMemcpy3DPeer", [&](session& s) {
        auto const w = between_devices(what);
        take_turn(s);
        copy_box(s, w);
    });
}
cudaError_t cudaMemcpy3DPeerAsync(cudaMemcpy3DPeerParms const* what, cudaStream_t stream) {
    return call("cudaMemcpy3DPeerAsync", [&](session& s) {
        auto const w = between_devices(what);
        in_order(
            s, stream, [&s, w] { copy_box(s, w); }, w);
    });
}
cudaError_t cudaMemcpyToSymbol(void const* symbol, void const* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
    return call("cudaMemcpyToSymbol", [&](session& s) {
        take_turn(s);
        to_symbol(s, symbol, from, bytes, offset, kind);
    });
}
cudaError_t cudaMemcpyToSymbolAsync(void const* symbol, void const* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return call("cudaMemcpyToSymbolAsync", [&](session& s) {
        in_order(s, stream, [=, &s] { to_symbol(s, symbol, from, bytes, offset, kind); });
    });
}
cudaError_t cudaMemcpyFromSymbol(void* to, void const* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind kind) {
    return call("cudaMemcpyFromSymbol", [&](session& s) {
        take_turn(s);
        from_symbol(s, to, symbol, bytes, offset, kind);
    });
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, void const* symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
    return call("cudaMemcpyFromSymbolAsync", [&](session& s) {
        in_order(s, stream, [=, &s] { from_symbol(s, to, symbol, bytes, offset, kind); });
    });
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, void const* from,
                              std::size_t bytes, cudaMemcpyKind kind) {
    return call("cudaMemcpyToArray", [&](session& s) {
        take_turn(s);
        copy_run(s, to, x, y, const_cast<void*>(from), bytes, kind, true);
    });
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, void const* from,
                                   std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return call("cudaMemcpyToArrayAsync", [&](session& s) {
        in_order(s, stream, [=, &s] { copy_run(s, to, x, y, const_cast<void*>(from), bytes, kind, true); });
    });
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind) {
    return call("cudaMemcpyFromArray", [&](session& s) {
        take_turn(s);
        copy_run(s, from, x, y, to, bytes, kind, false);
    });
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                     std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return call("cudaMemcpyFromArrayAsync", [&](session& s) {
        in_order(s, stream, [=, &s] { copy_run(s, from, x, y, to, bytes, kind, false); });
    });
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, void const* from,
                                std::size_t from_pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
    return call("cudaMemcpy2DToArray", [&](session& s) {
        take_turn(s);
        to_array(s, to, x, y, from, from_pitch, width, height, kind);
    });
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, void const* from,
                                     std::size_t from_pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
    return call("cudaMemcpy2DToArrayAsync", [&](session& s) {
        in_order(s, stream, [=, &s] { to_array(s, to, x, y, from, from_pitch, width, height, kind); });
    });
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t to_pitch, cudaArray_const_t from, std::size_t x,
                                  std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return call("cudaMemcpy2DFromArray", [&](session& s) {
        take_turn(s);
        from_array(s, to, to_pitch, from, x, y, width, height, kind);
    });
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t to_pitch, cudaArray_const_t from, std::size_t x,
                                       std::size_t y, std::size_t width, std::size_t height,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
    return call("cudaMemcpy2DFromArrayAsync", [&](session& s) {
        in_order(s, stream, [=, &s] { from_array(s, to, to_pitch, from, x, y, width, height, kind); });
    });
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y,
                                     cudaArray_const_t from, std::size_t from_x, std::size_t from_y,
                                     std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return call("cudaMemcpy2DArrayToArray", [&](session& s) {
        check_between_arrays(kind);
        auto const f = rows_of(s, from, from_x, from_y, width, height);
        take_turn(s);
        to_array(s, to, to_x, to_y, f.begin, f.pitch, width, height, cudaMemcpyDeviceToDevice);
    });
}
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from,
                                   std::size_t from_x, std::size_t from_y, std::size_t bytes,
                                   cudaMemcpyKind kind) {
    return call("cudaMemcpyArrayToArray", [&](session& s) {
        check_between_arrays(kind);
        check_run(s, from, from_x, from_y, bytes);
        check_run(s, to, to_x, to_y, bytes);
        take_turn(s);
        // The rows of the two need not be as long.
        std::vector<std::byte> run(bytes);
        copy_run(s, from, from_x, from_y, run.data(), bytes, cudaMemcpyDeviceToHost, false);
        copy_run(s, to, to_x, to_y, run.data(), bytes, cudaMemcpyHostToDevice, true);
    });
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
    return call("cudaMemset", [&](session& s) {
        take_turn(s);
        fill_elements(s, filled(to, bytes, value, bytes, 1));
    });
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    return call("cudaMemsetAsync",
                [&](session& s) { fill_elements(s, filled(to, bytes, value, bytes, 1), stream); });
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    return call("cudaMemset2D", [&](session& s) {
        take_turn(s);
        fill_elements(s, filled(to, pitch, value, width, height));
    });
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
    return call("cudaMemset2DAsync",
                [&](session& s) { fill_elements(s, filled(to, pitch, value, width, height), stream); });
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
    return call("cudaMemset3D", [&](session& s) {
        take_turn(s);
        fill_box(s, to, value, extent);
    });
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
    return call("cudaMemset3DAsync", [&](session& s) {
        if (s.capture(stream, cudaGraphNodeTypeMemset, [=, &s] { fill_box(s, to, value, extent); })) return;
        take_turn(s, stream);
        fill_box(s, to, value, extent);
    });
}

} // extern "C"
