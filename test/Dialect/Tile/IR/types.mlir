// Every type of the dialect, with its parameters.

// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt --mlir-print-op-generic %s | tile-opt | FileCheck %s

// CHECK-LABEL: func.func private @pointers(!tile.ptr<i8>, !tile.ptr<i64>, !tile.ptr<f8E4M3FN>, !tile.ptr<f8E5M2>, !tile.ptr<bf16>, !tile.ptr<f64>)
func.func private @pointers(!tile.ptr<i8>, !tile.ptr<i64>, !tile.ptr<f8E4M3FN>, !tile.ptr<f8E5M2>, !tile.ptr<bf16>, !tile.ptr<f64>)

// CHECK-LABEL: func.func private @tiles(tensor<128x!tile.ptr<f32>>, tensor<4x1xi1>, tensor<1024xindex>, tensor<32x32xf32, #tile.register_layout<register[32,1] lane[1,32]>>)
func.func private @tiles(tensor<128x!tile.ptr<f32>>, tensor<4x1xi1>, tensor<1024xindex>, tensor<32x32xf32, #tile.register_layout<register[32,1] lane[1,32]>>)

// Static and dynamic extents and strides; zero is an extent, and a stride that repeats.
// CHECK-LABEL: func.func private @views(!tile.view<?x?xf32, [?, 1]>, !tile.view<1000xi8, [1]>, !tile.view<0x?xf16, [0, ?]>, !tile.view<?x16x16xbf16, [256, 16, 1]>)
func.func private @views(!tile.view<?x?xf32, [?, 1]>, !tile.view<1000xi8, [1]>, !tile.view<0x?xf16, [0, ?]>, !tile.view<?x16x16xbf16, [256, 16, 1]>)

// Without a layout and with one; with stages, whose number need be no power of two.
// CHECK-LABEL: func.func private @shared(!tile.shared<64x64xf32>, !tile.shared<64x64xf32, #tile.shared_layout<64x64, pad 1 every 64>>, !tile.shared<3x64x64xf32>, !tile.shared<3x64x64xf32, #tile.shared_layout<64x64>>, !tile.shared<5x8xi8, #tile.shared_layout<8>>)
func.func private @shared(!tile.shared<64x64xf32>, !tile.shared<64x64xf32, #tile.shared_layout<64x64, pad 1 every 64>>, !tile.shared<3x64x64xf32>, !tile.shared<3x64x64xf32, #tile.shared_layout<64x64>>, !tile.shared<5x8xi8, #tile.shared_layout<8>>)
