// The driver's arrays, their copies, textures and surfaces: the runtime's in other words.
#include "driver_modules.hpp"

using namespace warpkit::cuda;

namespace {

cudaChannelFormatDesc channels(CUarray_format format, unsigned count) {
    if (count != 1 && count != 2 && count != 4)
        throw failure(cudaErrorInvalidValue, "expected 1, 2 or 4 channels, found " + std::to_string(count));
    auto const of = [count](int bits, cudaChannelFormatKind kind) {
        return cudaChannelFormatDesc{bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 2 ? bits : 0,
                                     kind};
    };
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
        return of(8, cudaChannelFormatKindUnsigned);
    case CU_AD_FORMAT_UNSIGNED_INT16:
        return of(16, cudaChannelFormatKindUnsigned);
    case CU_AD_FORMAT_UNSIGNED_INT32:
        return of(32, cudaChannelFormatKindUnsigned);
    case CU_AD_FORMAT_SIGNED_INT8:
        return of(8, cudaChannelFormatKindSigned);
    case CU_AD_FORMAT_SIGNED_INT16:
        return of(16, cudaChannelFormatKindSigned);
    case CU_AD_FORMAT_SIGNED_INT32:
        return of(32, cudaChannelFormatKindSigned);
    case CU_AD_FORMAT_HALF:
        return of(16, cudaChannelFormatKindFloat);
    case CU_AD_FORMAT_FLOAT:
        return of(32, cudaChannelFormatKindFloat);
    }
    throw failure(cudaErrorInvalidValue, "expected a CUarray_format, found " + std::to_string(format));
}
CUarray_format format_of(cudaChannelFormatDesc const& d) {
    bool const is_signed = d.f == cudaChannelFormatKindSigned;
    if (d.f == cudaChannelFormatKindFloat) return d.x == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
    if (d.x == 8) return is_signed ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8;
    if (d.x == 16) return is_signed ? CU_AD_FORMAT_SIGNED_INT16 : CU_AD_FORMAT_UNSIGNED_INT16;
    return is_signed ? CU_AD_FORMAT_SIGNED_INT32 : CU_AD_FORMAT_UNSIGNED_INT32;
}
unsigned channels_of(cudaChannelFormatDesc const& d) { return d.z != 0 ? 4 : d.y != 0 ? 2 : 1; }

// One side of a copy as the runtime has it: an array, or memory of rows.
struct copy_side {
    cudaArray_t array = nullptr;
    cudaPos at{};
    cudaPitchedPtr memory{};
    bool on_device = true;
};
copy_side side_of(CUmemorytype type, void const* host, CUdeviceptr device, CUarray array, std::size_t x,
                  std::size_t y, std::size_t z, std::size_t pitch, std::size_t rows, std::size_t width) {
    copy_side s;
    if (type == CU_MEMORYTYPE_ARRAY) {
        require(array, "the array");
        auto const element = array->element_bytes();
        if (x % element != 0 || width % element != 0)
            throw failure(cudaErrorInvalidValue, "expected whole elements of " + std::to_string(element) +
                                                     " bytes, found " + std::to_string(width) + " from " +
                                                     std::to_string(x) + " on");
        s.array = array;
        s.at = {x / element, y, z};
        return s;
    }
    s.on_device = type != CU_MEMORYTYPE_HOST;
    auto* const p = s.on_device ? pointer(device) : const_cast<void*>(host);
    s.memory = {p, pitch == 0 ? x + width : pitch, x + width, rows};
    s.at = {x, y, z};
    return s;
}
} // namespace

cudaMemcpy3DParms warpkit::cuda::parameters_of(CUDA_MEMCPY3D const& w) {
    auto const from =
        side_of(w.srcMemoryType, w.srcHost, w.srcDevice, w.srcArray, w.srcXInBytes, w.srcY, w.srcZ,
                w.srcPitch, w.srcHeight == 0 ? w.srcY + w.Height : w.srcHeight, w.WidthInBytes);
    auto const to =
        side_of(w.dstMemoryType, w.dstHost, w.dstDevice, w.dstArray, w.dstXInBytes, w.dstY, w.dstZ,
                w.dstPitch, w.dstHeight == 0 ? w.dstY + w.Height : w.dstHeight, w.WidthInBytes);
    cudaMemcpy3DParms p{};
    p.srcArray = from.array;
    p.srcPos = from.at;
    p.srcPtr = from.memory;
    p.dstArray = to.array;
    p.dstPos = to.at;
    p.dstPtr = to.memory;
    auto const element = from.array != nullptr ? from.array->element_bytes()
                         : to.array != nullptr ? to.array->element_bytes()
                                               : 1;
    p.extent = {w.WidthInBytes / element, w.Height, w.Depth};
    bool const unified = w.srcMemoryType == CU_MEMORYTYPE_UNIFIED || w.dstMemoryType == CU_MEMORYTYPE_UNIFIED;
    p.kind = unified          ? cudaMemcpyDefault
             : from.on_device ? (to.on_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost)
                              : (to.on_device ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost);
    return p;
}
CUDA_MEMCPY3D warpkit::cuda::description_of(cudaMemcpy3DParms const& p) {
    auto const element = p.srcArray != nullptr   ? p.srcArray->element_bytes()
                         : p.dstArray != nullptr ? p.dstArray->element_bytes()
                                                 : 1;
    auto const type_of = [](cudaArray_t array, bool unified, bool on_host) {
        return array != nullptr ? CU_MEMORYTYPE_ARRAY
               : unified        ? CU_MEMORYTYPE_UNIFIED
               : on_host        ? CU_MEMORYTYPE_HOST
                                : CU_MEMORYTYPE_DEVICE;
    };
    bool const unified = p.kind == cudaMemcpyDefault;
    CUDA_MEMCPY3D w{};
    w.srcMemoryType =
        type_of(p.srcArray, unified, p.kind == cudaMemcpyHostToHost || p.kind == cudaMemcpyHostToDevice);
    w.dstMemoryType =
        type_of(p.dstArray, unified, p.kind == cudaMemcpyHostToHost || p.kind == cudaMemcpyDeviceToHost);
    w.srcArray = p.srcArray;
    w.dstArray = p.dstArray;
    if (w.srcMemoryType == CU_MEMORYTYPE_HOST)
        w.srcHost = p.srcPtr.ptr;
    else
        w.srcDevice = address(p.srcPtr.ptr);
    if (w.dstMemoryType == CU_MEMORYTYPE_HOST)
        w.dstHost = p.dstPtr.ptr;
    else
        w.dstDevice = address(p.dstPtr.ptr);
    w.srcXInBytes = p.srcPos.x * (p.srcArray != nullptr ? element : 1);
    w.srcY = p.srcPos.y, w.srcZ = p.srcPos.z;
    w.dstXInBytes = p.dstPos.x * (p.dstArray != nullptr ? element : 1);
    w.dstY = p.dstPos.y, w.dstZ = p.dstPos.z;
    w.srcPitch = p.srcPtr.pitch, w.srcHeight = p.srcPtr.ysize;
    w.dstPitch = p.dstPtr.pitch, w.dstHeight = p.dstPtr.ysize;
    w.WidthInBytes = p.extent.width * element, w.Height = p.extent.height, w.Depth = p.extent.depth;
    return w;
}

namespace {

CUDA_MEMCPY3D in_three(CUDA_MEMCPY2D const& w) {
    CUDA_MEMCPY3D t{};
    t.srcXInBytes = w.srcXInBytes;
    t.srcY = w.srcY;
    t.srcMemoryType = w.srcMemoryType;
    t.srcHost = w.srcHost;
    t.srcDevice = w.srcDevice;
    t.srcArray = w.srcArray;
    t.srcPitch = w.srcPitch;
    t.dstXInBytes = w.dstXInBytes;
    t.dstY = w.dstY;
    t.dstMemoryType = w.dstMemoryType;
    t.dstHost = w.dstHost;
    t.dstDevice = w.dstDevice;
    t.dstArray = w.dstArray;
    t.dstPitch = w.dstPitch;
    t.WidthInBytes = w.WidthInBytes;
    t.Height = w.Height;
    t.Depth = 1;
    return t;
}
// What a call of the runtime says, after what must hold before; `name` is the function of this API.
template <class Prepare, class Then>
CUresult then(char const* name, Prepare const& prepare, Then const& runtime) {
    auto e = call(name, [&](session&) { prepare(); });
    if (e == cudaSuccess) e = runtime();
    return e == cudaErrorInvalidPitchValue ? CUDA_ERROR_INVALID_VALUE : result(e);
}
CUresult copy(char const* name, CUDA_MEMCPY3D const* what) {
    cudaMemcpy3DParms p{};
    return then(
        name,
        [&] {
            require(what, "the description");
            p = parameters_of(*what);
        },
        [&] { return cudaMemcpy3D(&p); });
}
CUresult copy(char const* name, CUDA_MEMCPY3D const* what, CUstream stream) {
    cudaMemcpy3DParms p{};
    return then(
        name,
        [&] {
            require(what, "the description");
            p = parameters_of(*what);
        },
        [&] { return cudaMemcpy3DAsync(&p, stream); });
}
CUDA_MEMCPY3D of_array(CUarray to, std::size_t to_offset, CUarray from, std::size_t from_offset,
                       std::size_t bytes) {
    CUDA_MEMCPY3D w{};
    if (to != nullptr) w.dstMemoryType = CU_MEMORYTYPE_ARRAY, w.dstArray = to, w.dstXInBytes = to_offset;
    if (from != nullptr)
        w.srcMemoryType = CU_MEMORYTYPE_ARRAY, w.srcArray = from, w.srcXInBytes = from_offset;
    w.WidthInBytes = bytes;
    w.Height = w.Depth = 1;
    return w;
}

cudaResourceDesc resource_of(CUDA_RESOURCE_DESC const& given) {
    cudaResourceDesc r{};
    switch (given.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        r.resType = cudaResourceTypeArray;
        r.res.array.array = given.res.array.hArray;
        return r;
    case CU_RESOURCE_TYPE_LINEAR:
        r.resType = cudaResourceTypeLinear;
        r.res.linear.devPtr = pointer(given.res.linear.devPtr);
        r.res.linear.desc = channels(given.res.linear.format, given.res.linear.numChannels);
        r.res.linear.sizeInBytes = given.res.linear.sizeInBytes;
        return r;
    case CU_RESOURCE_TYPE_PITCH2D:
        r.resType = cudaResourceTypePitch2D;
        r.res.pitch2D.devPtr = pointer(given.res.pitch2D.devPtr);
        r.res.pitch2D.desc = channels(given.res.pitch2D.format, given.res.pitch2D.numChannels);
        r.res.pitch2D.width = given.res.pitch2D.width;
        r.res.pitch2D.height = given.res.pitch2D.height;
        r.res.pitch2D.pitchInBytes = given.res.pitch2D.pitchInBytes;
        return r;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        r.resType = cudaResourceTypeMipmappedArray;
        r.res.mipmap.mipmap = given.res.mipmap.hMipmappedArray;
        return r;
    default:
        throw failure(cudaErrorInvalidValue, "no such CUresourcetype: " + std::to_string(given.resType));
    }
}
// Integers are read as numbers from 0 or -1 to 1 unless the texture says otherwise; floats as they are.
cudaTextureDesc texture_of(CUDA_TEXTURE_DESC const& given, cudaResourceDesc const& r) {
    cudaTextureDesc t{};
    for (int i = 0; i < 3; ++i) t.addressMode[i] = static_cast<cudaTextureAddressMode>(given.addressMode[i]);
    t.filterMode = static_cast<cudaTextureFilterMode>(given.filterMode);
    auto const& d = r.resType == cudaResourceTypeArray            ? r.res.array.array->format
                    : r.resType == cudaResourceTypeMipmappedArray ? r.res.mipmap.mipmap->levels[0]->format
                    : r.resType == cudaResourceTypeLinear         ? r.res.linear.desc
                                                                  : r.res.pitch2D.desc;
    bool const as_it_is =
        (given.flags & CU_TRSF_READ_AS_INTEGER) != 0 || d.f == cudaChannelFormatKindFloat || d.x == 32;
    t.readMode = as_it_is ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
    t.normalizedCoords = (given.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0 ? 1 : 0;
    t.sRGB = (given.flags & CU_TRSF_SRGB) != 0 ? 1 : 0;
    for (int i = 0; i < 4; ++i) t.borderColor[i] = given.borderColor[i];
    t.maxAnisotropy = given.maxAnisotropy;
    t.mipmapFilterMode = static_cast<cudaTextureFilterMode>(given.mipmapFilterMode);
    t.mipmapLevelBias = given.mipmapLevelBias;
    t.minMipmapLevelClamp = given.minMipmapLevelClamp;
    t.maxMipmapLevelClamp = given.maxMipmapLevelClamp;
    t.seamlessCubemap = (given.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0 ? 1 : 0;
    return t;
}

} // namespace

extern "C" {

CUresult cuArray3DCreate(CUarray* array, CUDA_ARRAY3D_DESCRIPTOR const* what) {
    cudaChannelFormatDesc format{};
    return then(
        "cuArray3DCreate",
        [&] {
            require(array, "the result");
            require(what, "the description");
            format = channels(what->Format, what->NumChannels);
        },
        [&] {
            return cudaMalloc3DArray(array, &format, {what->Width, what->Height, what->Depth}, what->Flags);
        });
}
CUresult cuArrayCreate(CUarray* array, CUDA_ARRAY_DESCRIPTOR const* what) {
    cudaChannelFormatDesc format{};
    return then(
        "cuArrayCreate",
        [&] {
            require(array, "the result");
            require(what, "the description");
            format = channels(what->Format, what->NumChannels);
        },
        [&] { return cudaMallocArray(array, &format, what->Width, what->Height, 0); });
}
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* what, CUarray array) {
    if (what == nullptr) return CUDA_ERROR_INVALID_VALUE;
    cudaChannelFormatDesc format{};
    cudaExtent extent{};
    unsigned flags = 0;
    auto const e = cudaArrayGetInfo(&format, &extent, &flags, array);
    if (e == cudaSuccess)
        *what = {extent.width, extent.height, extent.depth, format_of(format), channels_of(format), flags};
    return result(e);
}
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* what, CUarray array) {
    if (what == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY3D_DESCRIPTOR whole{};
    auto const e = cuArray3DGetDescriptor(&whole, array);
    if (e == CUDA_SUCCESS) *what = {whole.Width, whole.Height, whole.Format, whole.NumChannels};
    return e;
}
CUresult cuArrayDestroy(CUarray array) { return result(cudaFreeArray(array)); }

CUresult cuMipmappedArrayCreate(CUmipmappedArray* array, CUDA_ARRAY3D_DESCRIPTOR const* what,
                                unsigned levels) {
    cudaChannelFormatDesc format{};
    return then(
        "cuMipmappedArrayCreate",
        [&] {
            require(array, "the result");
            require(what, "the description");
            format = channels(what->Format, what->NumChannels);
        },
        [&] {
            return cudaMallocMipmappedArray(array, &format, {what->Width, what->Height, what->Depth}, levels,
                                            what->Flags);
        });
}
CUresult cuMipmappedArrayGetLevel(CUarray* level, CUmipmappedArray array, unsigned number) {
    return result(cudaGetMipmappedArrayLevel(level, array, number));
}
CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) { return result(cudaFreeMipmappedArray(array)); }

CUresult cuMemcpy2D(CUDA_MEMCPY2D const* what) {
    if (what == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto const w = in_three(*what);
    return copy("cuMemcpy2D", &w);
}
CUresult cuMemcpy2DUnaligned(CUDA_MEMCPY2D const* what) { return cuMemcpy2D(what); }
CUresult cuMemcpy2DAsync(CUDA_MEMCPY2D const* what, CUstream stream) {
    if (what == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto const w = in_three(*what);
    return copy("cuMemcpy2DAsync", &w, stream);
}
CUresult cuMemcpy3D(CUDA_MEMCPY3D const* what) { return copy("cuMemcpy3D", what); }
CUresult cuMemcpy3DAsync(CUDA_MEMCPY3D const* what, CUstream stream) {
    return copy("cuMemcpy3DAsync", what, stream);
}
CUresult cuMemcpyHtoA(CUarray to, std::size_t offset, void const* from, std::size_t bytes) {
    auto w = of_array(to, offset, nullptr, 0, bytes);
    w.srcMemoryType = CU_MEMORYTYPE_HOST;
    w.srcHost = from;
    return to == nullptr ? CUDA_ERROR_INVALID_VALUE : copy("cuMemcpyHtoA", &w);
}
CUresult cuMemcpyDtoA(CUarray to, std::size_t offset, CUdeviceptr from, std::size_t bytes) {
    auto w = of_array(to, offset, nullptr, 0, bytes);
    w.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    w.srcDevice = from;
    return to == nullptr ? CUDA_ERROR_INVALID_VALUE : copy("cuMemcpyDtoA", &w);
}
CUresult cuMemcpyAtoH(void* to, CUarray from, std::size_t offset, std::size_t bytes) {
    auto w = of_array(nullptr, 0, from, offset, bytes);
    w.dstMemoryType = CU_MEMORYTYPE_HOST;
    w.dstHost = to;
    return from == nullptr ? CUDA_ERROR_INVALID_VALUE : copy("cuMemcpyAtoH", &w);
}
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, std::size_t offset, std::size_t bytes) {
    auto w = of_array(nullptr, 0, from, offset, bytes);
    w.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    w.dstDevice = to;
    return from == nullptr ? CUDA_ERROR_INVALID_VALUE : copy("cuMemcpyAtoD", &w);
}
CUresult cuMemcpyAtoA(CUarray to, std::size_t to_offset, CUarray from, std::size_t from_offset,
                      std::size_t bytes) {
    auto w = of_array(to, to_offset, from, from_offset, bytes);
    return to == nullptr || from == nullptr ? CUDA_ERROR_INVALID_VALUE : copy("cuMemcpyAtoA", &w);
}
CUresult cuMemcpyHtoAAsync(CUarray to, std::size_t offset, void const* from, std::size_t bytes,
                           CUstream stream) {
    auto w = of_array(to, offset, nullptr, 0, bytes);
    w.srcMemoryType = CU_MEMORYTYPE_HOST;
    w.srcHost = from;
    return to == nullptr ? CUDA_ERROR_INVALID_VALUE : copy("cuMemcpyHtoAAsync", &w, stream);
}
CUresult cuMemcpyAtoHAsync(void* to, CUarray from, std::size_t offset, std::size_t bytes, CUstream stream) {
    auto w = of_array(nullptr, 0, from, offset, bytes);
    w.dstMemoryType = CU_MEMORYTYPE_HOST;
    w.dstHost = to;
    return from == nullptr ? CUDA_ERROR_INVALID_VALUE : copy("cuMemcpyAtoHAsync", &w, stream);
}

CUresult cuTexObjectCreate(CUtexObject* object, CUDA_RESOURCE_DESC const* resource,
                           CUDA_TEXTURE_DESC const* texture, CUDA_RESOURCE_VIEW_DESC const* view) {
    cudaResourceDesc r{};
    cudaTextureDesc t{};
    return then(
        "cuTexObjectCreate",
        [&] {
            require(resource, "the resource");
            require(texture, "the texture");
            if (view != nullptr)
                throw failure(cudaErrorNotSupported,
                              "views of a resource are not supported: pass a null pointer");
            r = resource_of(*resource);
            if (r.resType == cudaResourceTypeArray) require(r.res.array.array, "the array");
            if (r.resType == cudaResourceTypeMipmappedArray) require(r.res.mipmap.mipmap, "the array");
            t = texture_of(*texture, r);
        },
        [&] { return cudaCreateTextureObject(object, &r, &t, nullptr); });
}
CUresult cuTexObjectDestroy(CUtexObject object) { return result(cudaDestroyTextureObject(object)); }
CUresult cuSurfObjectCreate(CUsurfObject* object, CUDA_RESOURCE_DESC const* resource) {
    cudaResourceDesc r{};
    return then(
        "cuSurfObjectCreate",
        [&] {
            require(resource, "the resource");
            r = resource_of(*resource);
        },
        [&] { return cudaCreateSurfaceObject(object, &r); });
}
CUresult cuSurfObjectDestroy(CUsurfObject object) { return result(cudaDestroySurfaceObject(object)); }

// As cudaOccupancyMaxPotentialBlockSize does it.
CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                          CUoccupancyB2DSize shared, std::size_t shared_bytes, int limit) {
    if (grid == nullptr || block == nullptr) return CUDA_ERROR_INVALID_VALUE;
    int cores = 0;
    int most = 0;
    auto e = cuDeviceGetAttribute(&cores, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
    if (e == CUDA_SUCCESS) e = cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    if (limit > 0 && limit < most) most = limit;
    int best = 0;
    for (int threads = most / 32 * 32; e == CUDA_SUCCESS && threads > 0; threads -= 32) {
        int blocks = 0;
        e = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads,
                                                        shared == nullptr ? shared_bytes : shared(threads));
        if (blocks * threads > best) {
            best = blocks * threads;
            *block = threads;
            *grid = blocks * cores;
        }
    }
    return e == CUDA_SUCCESS && best == 0 ? CUDA_ERROR_INVALID_VALUE : e;
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared, std::size_t shared_bytes,
                                                   int limit, unsigned) {
    return cuOccupancyMaxPotentialBlockSize(grid, block, function, shared, shared_bytes, limit);
}

} // extern "C"
