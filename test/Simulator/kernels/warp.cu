// Warp-level primitives, atomics, conversions and bit tricks.
// arch: sm_90
#include <cooperative_groups.h>
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

extern "C" __global__ void warpSum(const float *x, float *y) {
  float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    v += __shfl_xor_sync(0xffffffff, v, offset);
  __shared__ float parts[32];
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
      v += __shfl_down_sync(0xffffffff, v, offset);
    if (threadIdx.x == 0)
      y[blockIdx.x] = v;
  }
}

extern "C" __global__ void warpScan(const int *x, int *y) {
  int lane = threadIdx.x;
  int v = x[lane];
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d)
      v += other;
  }
  y[lane] = v;
}

extern "C" __global__ void votes(const int *x, uint32_t *y) {
  int v = x[threadIdx.x];
  uint32_t ballot = __ballot_sync(0xffffffff, v > 0);
  uint32_t same = __match_any_sync(0xffffffff, v);
  uint32_t sum = __reduce_add_sync(0xffffffff, static_cast<unsigned>(v));
  int most = __reduce_max_sync(0xffffffff, v);
  uint32_t flags = __any_sync(0xffffffff, v == 3) |
                   __all_sync(0xffffffff, v < 100) << 1;
  uint32_t *out = y + threadIdx.x * 5;
  out[0] = ballot;
  out[1] = same;
  out[2] = sum;
  out[3] = most;
  out[4] = flags;
}

extern "C" __global__ void histogram(const uint8_t *x, uint32_t *bins, int n) {
  __shared__ uint32_t local[16];
  if (threadIdx.x < 16)
    local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    atomicAdd(&local[x[i] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// The last block adds up what the others left: fences and a ticket.
__device__ unsigned ticket;
extern "C" __global__ void lastBlockSum(const float *x, float *parts,
                                        float *y) {
  __shared__ bool isLast;
  float v = x[blockIdx.x * 32 + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    v += __shfl_xor_sync(0xffffffff, v, offset);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = v;
    __threadfence();
    isLast = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (isLast && threadIdx.x == 0) {
    float sum = 0;
    for (int b = 0; b < gridDim.x; ++b)
      sum += __ldcg(parts + b);
    *y = sum;
  }
}

// Lanes of one warp take a lock in turn: needs independent progress.
extern "C" __global__ void spinLock(int *lock, int *count) {
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  __threadfence();
  int v = *reinterpret_cast<volatile int *>(count);
  *reinterpret_cast<volatile int *>(count) = v + 1;
  __threadfence();
  atomicExch(lock, 0);
}

// All blocks wait for each other: they must be under way together.
extern "C" __global__ void gridBarrier(int *arrived, int *x, int *y) {
  if (threadIdx.x == 0) {
    x[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x)
      ;
    __threadfence();
    y[blockIdx.x] = x[(blockIdx.x + 1) % gridDim.x];
  }
}

extern "C" __global__ void fp8(const float *x, uint8_t *e4, uint8_t *e5,
                               float *back) {
  int i = threadIdx.x;
  __nv_fp8_e4m3 a(x[i]);
  __nv_fp8_e5m2 b(x[i]);
  e4[i] = a.__x;
  e5[i] = b.__x;
  back[2 * i] = float(a);
  back[2 * i + 1] = float(b);
}

extern "C" __global__ void halves(const float *x, float *y) {
  int i = threadIdx.x;
  __half h = __float2half_rn(x[i]);
  __nv_bfloat16 b = __float2bfloat16_rn(x[i]);
  __half2 h2 = __halves2half2(h, __hadd(h, __float2half(1.0f)));
  h2 = __hfma2(h2, h2, __float2half2_rn(0.5f));
  y[4 * i] = __half2float(__hmul(h, h));
  y[4 * i + 1] = __bfloat162float(__hmul(b, b));
  y[4 * i + 2] = __low2float(h2);
  y[4 * i + 3] = __high2float(h2);
}

extern "C" __global__ void bitTricks(const uint32_t *x, uint32_t *y) {
  uint32_t a = x[2 * threadIdx.x], b = x[2 * threadIdx.x + 1];
  uint32_t *out = y + 8 * threadIdx.x;
  out[0] = __funnelshift_l(a, b, a & 31);
  out[1] = __byte_perm(a, b, 0x5140);
  out[2] = __brev(a) ^ __clz(b) ^ __popc(a) ^ __ffs(b);
  out[3] = __dp4a(static_cast<int>(a), static_cast<int>(b), 7);
  out[4] = __umulhi(a, b) + __mul24(a, b);
  uint64_t wide = (uint64_t(a) << 32 | b) * 0x123456789abcdefull;
  out[5] = wide >> 32;
  out[6] = (a & b) | (~a & (b ^ 0x5a5a5a5a));
  out[7] = __usad(a, b, 5) + a / (b | 1) + b % (a | 1);
}

extern "C" __global__ void doubles(const double *x, double *y) {
  double v = x[threadIdx.x];
  double *out = y + 6 * threadIdx.x;
  out[0] = sqrt(v);
  out[1] = 1.0 / v;
  out[2] = fma(v, v, -v);
  out[3] = __dadd_rz(v, 1e-17);
  out[4] = floor(v) + rint(v);
  out[5] = v / 3.0;
}

extern "C" __global__ void functions(const float *x, float *y) {
  float v = x[threadIdx.x];
  float *out = y + 6 * threadIdx.x;
  out[0] = expf(v);
  out[1] = logf(v);
  out[2] = sinf(v);
  out[3] = rsqrtf(v);
  out[4] = tanhf(v);
  out[5] = v / 3.7f;
}
