// Tensor-core GEMM: cp.async pipeline, ldmatrix, mma.sync; and its pieces.
// arch: sm_80
#include <cstdint>
#include <cuda_fp16.h>

constexpr int BM = 128, BN = 128, BK = 32, STAGES = 3, PAD = 8;

__device__ inline uint32_t sharedAddress(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ inline void copy16(void *to, const void *from, bool valid) {
  int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   sharedAddress(to)),
               "l"(from), "r"(bytes));
}
__device__ inline void load4(uint32_t (&r)[4], const void *p) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
      : "r"(sharedAddress(p)));
}
__device__ inline void load4t(uint32_t (&r)[4], const void *p) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
      : "r"(sharedAddress(p)));
}
__device__ inline void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                           uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
      "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// C[m][n] = A[m][k] * B[k][n], all row-major; k and n are multiples of 8.
extern "C" __global__ void __launch_bounds__(256)
    gemm(const __half *A, const __half *B, float *C, int M, int N, int K) {
  extern __shared__ __align__(16) __half smem[];
  auto As = reinterpret_cast<__half(*)[BM][BK + PAD]>(smem);
  auto Bs = reinterpret_cast<__half(*)[BK][BN + PAD]>(smem +
                                                      STAGES * BM * (BK + PAD));
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 64;
  const int bm = blockIdx.y * BM, bn = blockIdx.x * BN;
  float acc[2][8][4] = {};

  auto issue = [&](int stage, int k0) {
    for (int i = tid; i < BM * BK / 8; i += 256) {
      int r = i / (BK / 8), c = i % (BK / 8) * 8;
      bool ok = bm + r < M && k0 + c < K;
      copy16(&As[stage][r][c], ok ? A + (bm + r) * K + k0 + c : A, ok);
    }
    for (int i = tid; i < BK * BN / 8; i += 256) {
      int r = i / (BN / 8), c = i % (BN / 8) * 8;
      bool ok = k0 + r < K && bn + c < N;
      copy16(&Bs[stage][r][c], ok ? B + (k0 + r) * N + bn + c : B, ok);
    }
  };

  const int tiles = (K + BK - 1) / BK;
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < tiles)
      issue(s, s * BK);
    asm volatile("cp.async.commit_group;");
  }
  for (int t = 0; t < tiles; ++t) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
    __syncthreads();
    if (t + STAGES - 1 < tiles)
      issue((t + STAGES - 1) % STAGES, (t + STAGES - 1) * BK);
    asm volatile("cp.async.commit_group;");
    const int stage = t % STAGES;
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[2][4], b[4][4];
      for (int i = 0; i < 2; ++i)
        load4(a[i], &As[stage][wm + i * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j)
        load4t(b[j], &Bs[stage][kk + lane % 16][wn + j * 16 + lane / 16 * 8]);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 8; ++j)
          mma(acc[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 8; ++j) {
      int r = bm + wm + i * 16 + lane / 4, c = bn + wn + j * 8 + lane % 4 * 2;
      for (int h = 0; h < 2; ++h)
        if (r + 8 * h < M && c < N)
          *reinterpret_cast<float2 *>(C + (r + 8 * h) * N + c) =
              make_float2(acc[i][j][2 * h], acc[i][j][2 * h + 1]);
    }
}

// SIMT GEMM for speed and for f32 chains in order.
extern "C" __global__ void sgemm(const float *A, const float *B, float *C,
                                 int N) {
  __shared__ float a[16][16], b[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int r = blockIdx.y * 16 + ty, c = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int k = 0; k < N; k += 16) {
    a[ty][tx] = A[r * N + k + tx];
    b[ty][tx] = B[(k + ty) * N + c];
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum = fmaf(a[ty][i], b[i][tx], sum);
    __syncthreads();
  }
  C[r * N + c] = sum;
}
