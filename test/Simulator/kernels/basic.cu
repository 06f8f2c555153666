// Copy, transpose, reduction, scan, divergence, local arrays, calls.
// arch: sm_80
#include <cstdint>

extern "C" __global__ void copy(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i];
}

extern "C" __global__ void transpose(const float *x, float *y, int rows,
                                     int cols) {
  __shared__ float tile[32][33];
  int c = blockIdx.x * 32 + threadIdx.x;
  int r = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (c < cols && r + j < rows)
      tile[threadIdx.y + j][threadIdx.x] = x[(r + j) * cols + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x;
  r = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (c < rows && r + j < cols)
      y[(r + j) * rows + c] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void blockSum(const float *x, float *y, int n) {
  extern __shared__ float partial[];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += x[blockIdx.x * n + i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s)
      partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    y[blockIdx.x] = partial[0];
}

extern "C" __global__ void collatz(const uint32_t *x, uint32_t *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint32_t v = x[i], steps = 0;
  while (v != 1) {
    if (v & 1)
      v = 3 * v + 1;
    else
      v >>= 1;
    ++steps;
  }
  y[i] = steps;
}

// An array indexed at run time lives in local memory.
extern "C" __global__ void localSort(const int *x, int *y) {
  int v[16];
  for (int i = 0; i < 16; ++i)
    v[i] = x[threadIdx.x * 16 + i];
  for (int i = 1; i < 16; ++i) {
    int key = v[i], j = i - 1;
    while (j >= 0 && v[j] > key) {
      v[j + 1] = v[j];
      --j;
    }
    v[j + 1] = key;
  }
  for (int i = 0; i < 16; ++i)
    y[threadIdx.x * 16 + i] = v[i];
}

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

struct Pair {
  float low;
  double high;
};
__device__ __noinline__ Pair split(double v) {
  return {static_cast<float>(v), v - static_cast<float>(v)};
}

extern "C" __global__ void calls(int *fib, double *parts) {
  fib[threadIdx.x] = fibonacci(threadIdx.x % 12);
  Pair p = split(1.0 / (threadIdx.x + 3));
  parts[2 * threadIdx.x] = p.low;
  parts[2 * threadIdx.x + 1] = p.high;
}

__constant__ float table[8] = {1, 2, 3, 5, 7, 11, 13, 17};
__device__ int counter;
__device__ const float *pointer = &table[2];

extern "C" __global__ void variables(float *y) {
  y[threadIdx.x] = table[threadIdx.x % 8] + pointer[threadIdx.x % 4];
  if (threadIdx.x == 0)
    counter = 7;
}

extern "C" __global__ void choose(const int *x, int *y) {
  int v = x[threadIdx.x], r;
  switch (v) {
  case 0: r = 11; break;
  case 1: r = v * 7; break;
  case 2: r = v << 9; break;
  case 3: r = v - 100; break;
  case 4: r = v ^ 0x55; break;
  case 5: r = v * v * v; break;
  case 6: r = ~v; break;
  default: r = -1;
  }
  y[threadIdx.x] = r;
}
