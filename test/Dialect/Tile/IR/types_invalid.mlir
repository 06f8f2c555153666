// Types that are none, by the constraints of TileTypes.td.

// RUN: tile-opt --split-input-file --verify-diagnostics %s

// C1 of pointers, views and shared tiles: what memory holds.
// expected-error@+1 {{memory holds integers of 8, 16, 32 or 64 bits and floats of 8 to 64 bits, not 'i1'}}
func.func private @f(!tile.ptr<i1>)

// -----
// expected-error@+1 {{not 'i128'}}
func.func private @f(!tile.ptr<i128>)

// -----
// expected-error@+1 {{not 'i0'}}
func.func private @f(!tile.ptr<i0>)

// -----
// expected-error@+1 {{not 'ui32'}}
func.func private @f(!tile.ptr<ui32>)

// -----
// expected-error@+1 {{not 'index'}}
func.func private @f(!tile.ptr<index>)

// -----
// expected-error@+1 {{not 'f80'}}
func.func private @f(!tile.ptr<f80>)

// -----
// expected-error@+1 {{not 'f4E2M1FN'}}
func.func private @f(!tile.ptr<f4E2M1FN>)

// -----
// expected-error@+1 {{not 'tensor<4xf32>'}}
func.func private @f(!tile.ptr<tensor<4xf32>>)

// -----
// expected-error@+1 {{not '!tile.ptr<f32>'}}
func.func private @f(!tile.ptr<!tile.ptr<f32>>)

// -----
// expected-error@+1 {{not 'i4'}}
func.func private @f(!tile.view<?xi4, [1]>)

// -----
// expected-error@+1 {{not 'i1'}}
func.func private @f(!tile.shared<64xi1>)

// -----
// C2 of views: a stride for each dimension.
// expected-error@+1 {{a view of rank 2 has 2 strides, not 1}}
func.func private @f(!tile.view<?x?xf32, [1]>)

// -----
// expected-error@+1 {{a view of rank 1 has 1 strides, not 0}}
func.func private @f(!tile.view<?xf32, []>)

// -----
// C3: rank 1 or more.
// expected-error@+1 {{a view has at least one dimension}}
func.func private @f(!tile.view<f32, []>)

// -----
// C4: no negative extents and strides.
// expected-error@+1 {{extents and strides of a view are not negative}}
func.func private @f(!tile.view<?xf32, [-1]>)

// -----
// expected-error@+1 {{expected ','}}
func.func private @f(!tile.view<?xf32>)

// -----
// C2 of shared tiles: powers of two, and the number of stages.
// expected-error@+1 {{the extents of a tile are powers of two, not 48}}
func.func private @f(!tile.shared<64x48xf32>)

// -----
// expected-error@+1 {{the extents of a tile are powers of two, not 48}}
func.func private @f(!tile.shared<48xf32>)

// -----
// expected-error@+1 {{the extents of a tile are powers of two, not 0}}
func.func private @f(!tile.shared<3x0xf32>)

// -----
// expected-error@+1 {{a shared tile has at least one stage}}
func.func private @f(!tile.shared<0x64x64xf32>)

// -----
// expected-error@+1 {{a shared tile has at least one dimension}}
func.func private @f(!tile.shared<f32>)

// -----
// expected-error@+1 {{expected static shape}}
func.func private @f(!tile.shared<?x64xf32>)

// -----
// C3: the layout is that of the shape.
// expected-error@+1 {{the layout is that of another shape}}
func.func private @f(!tile.shared<64x64xf32, #tile.shared_layout<32x32>>)

// -----
// expected-error@+1 {{the layout is that of another shape}}
func.func private @f(!tile.shared<2x3x64xf32, #tile.shared_layout<64>>)

// -----
// expected-error@+1 {{invalid kind of attribute specified}}
func.func private @f(!tile.shared<64xf32, #tile.register_layout<lane[32] register[2]>>)

// -----
// C4: 32-bit addresses.
// expected-error@+1 {{a shared tile takes less than 2^31 bytes}}
func.func private @f(!tile.shared<32768x16384xf32>)

// -----
// expected-error@+1 {{a shared tile takes less than 2^31 bytes}}
func.func private @f(!tile.shared<9223372036854775807x64xf32>)

// -----
// expected-error@+1 {{a shared tile takes less than 2^31 bytes}}
func.func private @f(!tile.shared<9223372036854775807x64xf32, #tile.shared_layout<64>>)

// -----
// expected-error@+1 {{a shared tile takes less than 2^31 bytes}}
func.func private @f(!tile.shared<2x64xf64, #tile.shared_layout<2x64, pad 1073741824 every 64>>)

// -----
// A stage begins at a multiple of 16 bytes.
// expected-error@+1 {{a shared tile takes less than 2^31 bytes}}
func.func private @f(!tile.shared<134217728x1xi8, #tile.shared_layout<1>>)

// -----

// !tile.shared, C5: stages overlap.
// expected-error @below {{stages that begin every 1024 bytes need a layout, and a multiple of 16 bytes with room for a stage}}
func.func private @stages(!tile.shared<3x64x64xf16, #tile.shared_layout<64x64>, every 1024>)

// -----

// C5: no multiple of 16.
// expected-error @below {{stages that begin every 8200 bytes need a layout, and a multiple of 16 bytes with room for a stage}}
func.func private @stages(!tile.shared<3x64x64xf16, #tile.shared_layout<64x64>, every 8200>)
