// Where sums need many registers, a warpgroup copies and leaves its own to those that compute.

// RUN: tile-opt --tile-placement=target=sm_90a %examples/gemm_f16_nn.mlir | FileCheck %s
// RUN: sed -e "s/num_warps = 4/num_warps = 8/" %examples/gemm_f16_nn.mlir | tile-opt --tile-placement=target=sm_90a | FileCheck %s --check-prefix=FEW
// RUN: sed -e "s/tensor<128x128x/tensor<128x256x/g; s/tensor<64x128x/tensor<64x256x/; s/num_warps = 4/num_warps = 8/" %examples/gemm_f16_nn.mlir \
// RUN:   | tile-opt --tile-placement=target=sm_90a | FileCheck %s --check-prefix=LARGE
// RUN: tile-compile %examples/gemm_f16_nn.mlir --target=sm_90a -o - | FileCheck %s --check-prefix=PTX

// 128 sums a thread; two blocks have room for their slots, and 128 registers for each thread when they begin.
// CHECK: copy_warps = 4
// CHECK: } {blocks = 2 : i32, copy_registers = 40 : i32, main_registers = 216 : i32}

// PTX: .reqntid 256
// PTX: .minnctapersm 2
// PTX: setmaxnreg.inc.sync.aligned.u32{{.*}}216
// PTX: setmaxnreg.dec.sync.aligned.u32{{.*}}40

// One block with 12 warps.
// LARGE: copy_warps = 4
// LARGE: } {blocks = 1 : i32, copy_registers = 40 : i32, main_registers = 232 : i32}

// 64 sums a thread: a warp is enough.
// FEW: copy_warps = 1
// FEW-NOT: main_registers
