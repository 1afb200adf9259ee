/* cuFFT's extended interface, of one device: plans by the types of the data. */
#ifndef WARPKIT_CUDA_CUFFT_XT_H
#define WARPKIT_CUDA_CUFFT_XT_H
#define _CUFFTXT_H_ /* programs ask for it */

#include "cufft.h"

#if defined(__cplusplus)
extern "C" {
#endif
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long* n, long long* inembed, long long istride,
                                long long idist, cudaDataType in, long long* onembed, long long ostride,
                                long long odist, cudaDataType out, long long batch, size_t* bytes,
                                cudaDataType executed);
cufftResult cufftXtExec(cufftHandle plan, void* in, void* out, int direction);
#if defined(__cplusplus)
}
#endif

#endif
