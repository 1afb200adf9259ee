// Textures: formats, references, objects.
#include "session.hpp"

#include <algorithm>
#include <iterator>

using namespace warpkit::cuda;
using warpkit::texel_kind;
using warpkit::texture_address_mode;
using warpkit::texture_binding;

namespace {

void set_format(texture_binding& t, cudaChannelFormatDesc const& f) {
    int const bits[] = {f.x, f.y, f.z, f.w};
    unsigned components = 0;
    for (int const b : bits) {
        if (b == 0) continue;
        if (b != f.x) throw failure(cudaErrorInvalidChannelDescriptor, "components of different sizes");
        ++components;
    }
    if (f.x % 8 != 0 || f.x == 0 || components == 3)
        throw failure(cudaErrorInvalidChannelDescriptor, "expected 1, 2 or 4 components of 8, 16 or 32 bits");
    t.components = static_cast<std::uint8_t>(components);
    t.component_bytes = static_cast<std::uint8_t>(f.x / 8);
    t.kind = f.f == cudaChannelFormatKindFloat    ? texel_kind::floating
             : f.f == cudaChannelFormatKindSigned ? texel_kind::signed_integer
                                                  : texel_kind::unsigned_integer;
}

constexpr std::size_t most_texels = std::size_t{1} << 27; ///< cudaDeviceProp::maxTexture1DLinear

std::size_t texel_bytes(cudaChannelFormatDesc const& f) {
    texture_binding t;
    set_format(t, f);
    return t.texel_bytes();
}

texture_binding of_linear(session& s, void const* p, cudaChannelFormatDesc const* format, std::size_t bytes) {
    if (format == nullptr) throw failure(cudaErrorInvalidChannelDescriptor, "no format");
    texture_binding t;
    set_format(t, *format);
    t.address = address(p);
    auto const there = s.memory().bytes_behind(t.address);
    if (there == 0) throw failure(cudaErrorInvalidValue, "this is no memory of the device");
    t.width = static_cast<std::uint32_t>((bytes < there ? bytes : there) / t.texel_bytes());
    t.outside = {texture_address_mode::border, texture_address_mode::border, texture_address_mode::border};
    return t;
}
texture_binding of_pitched(void const* p, cudaChannelFormatDesc const* format, std::size_t width,
                           std::size_t height, std::size_t pitch, session& s) {
    if (format == nullptr) throw failure(cudaErrorInvalidChannelDescriptor, "no format");
    texture_binding t;
    set_format(t, *format);
    t.address = address(p);
    auto const row = warpkit::saturated_product(width, t.texel_bytes());
    // Extents as cudaDeviceProp has them.
    if (width == 0 || height == 0 || width > 65536 || height > 65536 || pitch > 1U << 20 || pitch < row)
        throw failure(cudaErrorInvalidValue, std::to_string(width) + " x " + std::to_string(height) +
                                                 " texels with a pitch of " + std::to_string(pitch) +
                                                 " bytes");
    if (s.find(p, warpkit::bytes_of_rows(row, height, pitch)) == nullptr)
        throw failure(cudaErrorInvalidValue, "the rows are not inside one allocation of the device");
    t.width = static_cast<std::uint32_t>(width);
    t.height = static_cast<std::uint32_t>(height);
    t.pitch = pitch;
    return t;
}
texture_binding of_array(session const& s, cudaArray const* a) {
    s.arrays.require(a, cudaErrorInvalidValue, "array");
    texture_binding t;
    set_format(t, a->format);
    t.address = a->address;
    t.width = static_cast<std::uint32_t>(a->width);
    t.height = static_cast<std::uint32_t>(a->height == 0 ? 1 : a->height);
    t.depth = static_cast<std::uint32_t>(a->depth == 0 || a->layers != 0 ? 1 : a->depth);
    t.layers = static_cast<std::uint32_t>(a->layers);
    t.pitch = a->pitch;
    return t;
}
// A mipmap: its first level, and those behind it.
texture_binding of_levels(session const& s, cudaMipmappedArray const* a, cudaTextureDesc const& texture) {
    s.mipmapped_arrays.require(a, cudaErrorInvalidValue, "mipmapped array");
    if (texture.normalizedCoords == 0)
        throw failure(cudaErrorInvalidValue, "a mipmapped array is read by normalised coordinates");
    auto t = of_array(s, a->levels.front());
    for (std::size_t k = 1; k < a->levels.size(); ++k)
        t.smaller.push_back(of_array(s, a->levels[k]).level(0));
    t.between_levels = static_cast<warpkit::texture_filter>(texture.mipmapFilterMode);
    t.level_bias = texture.mipmapLevelBias;
    t.lowest_level = texture.minMipmapLevelClamp;
    t.highest_level = texture.maxMipmapLevelClamp;
    return t;
}
// What would give other numbers without a word.
void refuse_unknown(texture_binding const& t, cudaTextureDesc const& texture) {
    auto const refuse = [](char const* what) { throw failure(cudaErrorNotSupported, what); };
    if (texture.sRGB != 0 && t.normalised_values && t.component_bytes == 1)
        refuse("sRGB texels are not converted: set cudaTextureDesc::sRGB to 0, and convert in the kernel");
    if (texture.seamlessCubemap != 0 && t.filter == warpkit::texture_filter::linear && t.layers % 6 == 0 &&
        t.layers != 0)
        refuse("cubemaps are not filtered over the edges of their faces: set seamlessCubemap to 0");
    bool const coloured =
        std::any_of(t.border.begin(), t.border.end(), [](float component) { return component != 0; });
    if (coloured && t.kind != texel_kind::floating && !t.normalised_values)
        refuse("a border of integers is of zeros: set borderColor to 0, or read normalised values");
}
session::texture_object const& require_object(session const& s, cudaTextureObject_t object) {
    auto const known = s.texture_objects.find(object);
    if (known == s.texture_objects.end())
        throw failure(cudaErrorInvalidValue, "there is no texture object " + std::to_string(object));
    return known->second;
}
void no_offset(std::size_t* offset) {
    if (offset != nullptr) *offset = 0;
}

} // namespace

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
    return {x, y, z, w, f};
}
cudaError_t cudaBindTexture(std::size_t* offset, textureReference const* texture, void const* p,
                            cudaChannelFormatDesc const* format, std::size_t bytes) {
    return call("cudaBindTexture", [&](session& s) {
        auto const t = of_linear(s, p, format, bytes);
        s.bind(texture, &t);
        no_offset(offset);
    });
}
cudaError_t cudaBindTexture2D(std::size_t* offset, textureReference const* texture, void const* p,
                              cudaChannelFormatDesc const* format, std::size_t width, std::size_t height,
                              std::size_t pitch) {
    return call("cudaBindTexture2D", [&](session& s) {
        auto const t = of_pitched(p, format, width, height, pitch, s);
        s.bind(texture, &t);
        no_offset(offset);
    });
}
cudaError_t cudaBindTextureToArray(textureReference const* texture, cudaArray_const_t array,
                                   cudaChannelFormatDesc const*) {
    return call("cudaBindTextureToArray", [&](session& s) {
        auto const t = of_array(s, array);
        s.bind(texture, &t);
    });
}
cudaError_t cudaUnbindTexture(textureReference const* texture) {
    return call("cudaUnbindTexture", [&](session& s) { s.bind(texture, nullptr); });
}
cudaError_t cudaGetTextureAlignmentOffset(std::size_t* offset, textureReference const* texture) {
    return call("cudaGetTextureAlignmentOffset", [&](session& s) {
        require(offset, "the result");
        s.require_texture(texture);
        *offset = 0;
    });
}
cudaError_t cudaGetTextureReference(textureReference const** texture, void const* symbol) {
    return call("cudaGetTextureReference", [&](session& s) {
        require(texture, "the result");
        s.require_texture(static_cast<textureReference const*>(symbol));
        *texture = static_cast<textureReference const*>(symbol);
    });
}
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, cudaResourceDesc const* resource,
                                    cudaTextureDesc const* texture, cudaResourceViewDesc const* view) {
    return call("cudaCreateTextureObject", [&](session& s) {
        require(object, "the result");
        require(resource, "the resource");
        require(texture, "the description");
        if (texture->readMode > cudaReadModeNormalizedFloat || texture->filterMode > cudaFilterModeLinear ||
            texture->addressMode[0] > cudaAddressModeBorder ||
            texture->addressMode[1] > cudaAddressModeBorder ||
            texture->addressMode[2] > cudaAddressModeBorder)
            throw failure(cudaErrorInvalidValue, "an address, filter or read mode that there is not");
        if (view != nullptr)
            throw failure(cudaErrorNotSupported,
                          "views of a resource are not supported: pass a null pointer");
        texture_binding t;
        auto const& r = *resource;
        switch (r.resType) {
        case cudaResourceTypeLinear:
            if (auto const texels = r.res.linear.sizeInBytes / texel_bytes(r.res.linear.desc);
                texels > most_texels)
                throw failure(cudaErrorInvalidValue, std::to_string(texels) +
                                                         " texels: a linear texture has at most " +
                                                         std::to_string(most_texels));
            t = of_linear(s, r.res.linear.devPtr, &r.res.linear.desc, r.res.linear.sizeInBytes);
            break;
        case cudaResourceTypePitch2D:
            t = of_pitched(r.res.pitch2D.devPtr, &r.res.pitch2D.desc, r.res.pitch2D.width,
                           r.res.pitch2D.height, r.res.pitch2D.pitchInBytes, s);
            break;
        case cudaResourceTypeArray:
            t = of_array(s, r.res.array.array);
            break;
        case cudaResourceTypeMipmappedArray:
            t = of_levels(s, r.res.mipmap.mipmap, *texture);
            break;
        default:
            throw failure(cudaErrorInvalidValue, "no such cudaResourceType: " + std::to_string(r.resType));
        }
        if (r.resType != cudaResourceTypeLinear) {
            for (std::size_t i = 0; i < 3; ++i)
                t.outside[i] = static_cast<texture_address_mode>(texture->addressMode[i]);
            t.normalised_coordinates = texture->normalizedCoords != 0;
            t.filter = static_cast<warpkit::texture_filter>(texture->filterMode);
        }
        t.normalised_values =
            texture->readMode == cudaReadModeNormalizedFloat && t.kind != texel_kind::floating;
        if (r.resType != cudaResourceTypeLinear &&
            std::find(t.outside.begin(), t.outside.end(), texture_address_mode::border) != t.outside.end())
            std::copy(std::begin(texture->borderColor), std::end(texture->borderColor), t.border.begin());
        refuse_unknown(t, *texture);
        auto& textures = s.memory().textures();
        auto const handle = textures.reserve();
        try {
            textures.bind(handle, t);
        } catch (warpkit::error const& e) {
            throw failure(cudaErrorInvalidValue, e.what());
        }
        s.texture_objects[handle] = {r, *texture};
        *object = handle;
    });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
    return call("cudaDestroyTextureObject", [&](session& s) {
        require_object(s, object);
        s.memory().textures().unbind(object);
        s.texture_objects.erase(object);
    });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, cudaResourceDesc const* resource) {
    return call("cudaCreateSurfaceObject", [&](session& s) {
        require(object, "the result");
        require(resource, "the resource");
        if (resource->resType != cudaResourceTypeArray)
            throw failure(cudaErrorInvalidValue, "a surface is made of an array");
        auto& textures = s.memory().textures();
        auto const t = of_array(s, resource->res.array.array);
        auto const handle = textures.reserve();
        textures.bind(handle, t);
        s.surfaces[handle] = *resource;
        *object = handle;
    });
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
    return call("cudaDestroySurfaceObject", [&](session& s) {
        if (s.surfaces.erase(object) == 0)
            throw failure(cudaErrorInvalidValue, "there is no surface object " + std::to_string(object));
        s.memory().textures().unbind(object);
    });
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object) {
    return call("cudaGetTextureObjectResourceDesc", [&](session& s) {
        require(resource, "the result");
        *resource = require_object(s, object).resource;
    });
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
    return call("cudaGetTextureObjectTextureDesc", [&](session& s) {
        require(texture, "the result");
        *texture = require_object(s, object).texture;
    });
}
cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view, cudaTextureObject_t object) {
    return call("cudaGetTextureObjectResourceViewDesc", [&](session& s) {
        require(view, "the result");
        static_cast<void>(require_object(s, object));
        throw failure(cudaErrorInvalidValue, "the texture was made without a view of its resource");
    });
}
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t object) {
    return call("cudaGetSurfaceObjectResourceDesc", [&](session& s) {
        require(resource, "the result");
        auto const known = s.surfaces.find(object);
        if (known == s.surfaces.end())
            throw failure(cudaErrorInvalidValue, "there is no surface object " + std::to_string(object));
        *resource = known->second;
    });
}
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* texels, cudaChannelFormatDesc const* format,
                                                 int device) {
    return call("cudaDeviceGetTexture1DLinearMaxWidth", [&](session&) {
        require(texels, "the result");
        require(format, "the format");
        require_device(device);
        static_cast<void>(texel_bytes(*format));
        *texels = most_texels;
    });
}

} // extern "C"
