/* NVTX: marks and ranges for a profiler. There is none: they are taken and mean nothing. */
#ifndef WARPKIT_CUDA_NV_TOOLS_EXT_H
#define WARPKIT_CUDA_NV_TOOLS_EXT_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_SUCCESS 0
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st* nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st* nvtxStringHandle_t;
typedef enum { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef union {
    char const* ascii;
    wchar_t const* unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct {
    uint16_t version;
    uint16_t size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType;
    int32_t reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

/* A function of two spellings: of char and of wchar_t. */
#define WARPKIT_NVTX static __inline__ __attribute__((unused))
#define WARPKIT_NVTX_2(result, name, value)                                                                  \
    WARPKIT_NVTX result name##A(char const* text) {                                                          \
        (void)text;                                                                                          \
        return value;                                                                                        \
    }                                                                                                        \
    WARPKIT_NVTX result name##W(wchar_t const* text) {                                                       \
        (void)text;                                                                                          \
        return value;                                                                                        \
    }
WARPKIT_NVTX_2(void, nvtxMark, (void)0)
WARPKIT_NVTX_2(int, nvtxRangePush, 0)
WARPKIT_NVTX_2(nvtxRangeId_t, nvtxRangeStart, 0)
WARPKIT_NVTX_2(nvtxDomainHandle_t, nvtxDomainCreate, NULL)
WARPKIT_NVTX void nvtxMarkEx(nvtxEventAttributes_t const* a) { (void)a; }
WARPKIT_NVTX int nvtxRangePushEx(nvtxEventAttributes_t const* a) {
    (void)a;
    return 0;
}
WARPKIT_NVTX int nvtxRangePop(void) { return 0; }
WARPKIT_NVTX nvtxRangeId_t nvtxRangeStartEx(nvtxEventAttributes_t const* a) {
    (void)a;
    return 0;
}
WARPKIT_NVTX void nvtxRangeEnd(nvtxRangeId_t id) { (void)id; }
WARPKIT_NVTX void nvtxDomainDestroy(nvtxDomainHandle_t d) { (void)d; }
WARPKIT_NVTX void nvtxDomainMarkEx(nvtxDomainHandle_t d, nvtxEventAttributes_t const* a) { (void)d, (void)a; }
WARPKIT_NVTX int nvtxDomainRangePushEx(nvtxDomainHandle_t d, nvtxEventAttributes_t const* a) {
    (void)d, (void)a;
    return 0;
}
WARPKIT_NVTX int nvtxDomainRangePop(nvtxDomainHandle_t d) {
    (void)d;
    return 0;
}
WARPKIT_NVTX nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t d, nvtxEventAttributes_t const* a) {
    (void)d, (void)a;
    return 0;
}
WARPKIT_NVTX void nvtxDomainRangeEnd(nvtxDomainHandle_t d, nvtxRangeId_t id) { (void)d, (void)id; }
WARPKIT_NVTX nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t d, char const* text) {
    (void)d, (void)text;
    return NULL;
}
WARPKIT_NVTX void nvtxNameCudaDeviceA(int device, char const* text) { (void)device, (void)text; }
WARPKIT_NVTX void nvtxNameCudaStreamA(void* stream, char const* text) { (void)stream, (void)text; }
WARPKIT_NVTX void nvtxNameCategoryA(uint32_t category, char const* text) { (void)category, (void)text; }
WARPKIT_NVTX void nvtxDomainNameCategoryA(nvtxDomainHandle_t d, uint32_t category, char const* text) {
    (void)d, (void)category, (void)text;
}
WARPKIT_NVTX void nvtxNameOsThreadA(uint32_t thread, char const* text) { (void)thread, (void)text; }
WARPKIT_NVTX void nvtxInitialize(void const* reserved) { (void)reserved; }
#undef WARPKIT_NVTX_2

#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA

#endif
