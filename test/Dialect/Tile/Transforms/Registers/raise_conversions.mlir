// What is computed only to be converted is computed where elements have fewer copies.

// RUN: tile-opt --tile-raise-conversions %s | FileCheck %s

#copies = #tile.register_layout<lane*8 lane[4] register[4]>
#own = #tile.register_layout<lane[16] lane*2>

// The sum and the largest number have other uses, or are no computation; what was converted back is taken as it was.
// CHECK-LABEL: tile.kernel @entropy
// CHECK: %[[MOST:.*]] = load %{{.*}} : tensor<16x!tile.ptr<f32>, #[[COPIES:.*]]>
// CHECK: %[[SUM:.*]] = load
// CHECK: %[[PICKED:.*]] = load %{{.*}} : tensor<16x!tile.ptr<f32>, #[[OWN:.*]]>
// CHECK: %[[SUMS:.*]] = convert_layout %[[SUM]]
// CHECK: %[[LOG:.*]] = math.log %[[SUMS]] : tensor<16xf32, #[[OWN]]>
// CHECK: %[[MOSTS:.*]] = convert_layout %[[MOST]]
// CHECK: %[[LSE:.*]] = arith.addf %[[MOSTS]], %[[LOG]] : tensor<16xf32, #[[OWN]]>
// CHECK-NOT: convert_layout %[[LSE]]
// CHECK: %[[LOSS:.*]] = arith.subf %[[LSE]], %[[PICKED]] : tensor<16xf32, #[[OWN]]>
// CHECK: %[[ONES:.*]] = splat %{{.*}} : f32 -> tensor<16xf32, #[[OWN]]>
// CHECK: %[[MORE:.*]] = arith.addf %[[LOSS]], %[[ONES]]
// CHECK: store %{{.*}}, %[[LSE]]
// CHECK: store %{{.*}}, %[[MORE]]
// CHECK: store %{{.*}}, %[[MOST]]
tile.kernel @entropy(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %one: f32) attributes {num_warps = 1 : i32} {
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>, #copies>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>, #own>
  %most = tile.load %xs : tensor<16x!tile.ptr<f32>, #copies>
  %sum = tile.load %xs : tensor<16x!tile.ptr<f32>, #copies>
  %picked = tile.load %ys : tensor<16x!tile.ptr<f32>, #own>
  %log = math.log %sum : tensor<16xf32, #copies>
  %lse = arith.addf %most, %log : tensor<16xf32, #copies>
  %out = tile.convert_layout %lse : tensor<16xf32, #copies> -> tensor<16xf32, #own>
  %back = tile.convert_layout %picked : tensor<16xf32, #own> -> tensor<16xf32, #copies>
  %loss = arith.subf %lse, %back : tensor<16xf32, #copies>
  %ones = tile.splat %one : f32 -> tensor<16xf32, #copies>
  %more = arith.addf %loss, %ones : tensor<16xf32, #copies>
  %out2 = tile.convert_layout %more : tensor<16xf32, #copies> -> tensor<16xf32, #own>
  tile.store %ys, %out : tensor<16x!tile.ptr<f32>, #own>
  tile.store %ys, %out2 : tensor<16x!tile.ptr<f32>, #own>
  tile.store %xs, %most : tensor<16x!tile.ptr<f32>, #copies>
  tile.return
}

// Not where there would be more conversions, where the result is used as it is too, or where it has fewer registers already.
// CHECK-LABEL: tile.kernel @stays
// CHECK: %[[S:.*]] = arith.addf
// CHECK: convert_layout %[[S]]
// CHECK: %[[L:.*]] = math.log
// CHECK: convert_layout %[[L]]
// CHECK: %[[W:.*]] = math.log
// CHECK: convert_layout %[[W]]
tile.kernel @stays(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) attributes {num_warps = 1 : i32} {
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>, #copies>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>, #own>
  %a = tile.load %xs : tensor<16x!tile.ptr<f32>, #copies>
  %b = tile.load %xs : tensor<16x!tile.ptr<f32>, #copies>
  %sum = arith.addf %a, %b : tensor<16xf32, #copies>
  %out = tile.convert_layout %sum : tensor<16xf32, #copies> -> tensor<16xf32, #own>
  tile.store %ys, %out : tensor<16x!tile.ptr<f32>, #own>
  %c = tile.load %xs : tensor<16x!tile.ptr<f32>, #copies>
  %log = math.log %c : tensor<16xf32, #copies>
  %out2 = tile.convert_layout %log : tensor<16xf32, #copies> -> tensor<16xf32, #own>
  tile.store %ys, %out2 : tensor<16x!tile.ptr<f32>, #own>
  tile.store %xs, %log : tensor<16x!tile.ptr<f32>, #copies>
  %d = tile.load %ys : tensor<16x!tile.ptr<f32>, #own>
  %wide = math.log %d : tensor<16xf32, #own>
  %out3 = tile.convert_layout %wide : tensor<16xf32, #own> -> tensor<16xf32, #copies>
  tile.store %xs, %out3 : tensor<16x!tile.ptr<f32>, #copies>
  tile.return
}

// What is converted and stored before anything is computed of it stays so.
// CHECK-LABEL: tile.kernel @stored_before
// CHECK: %[[A:.*]] = load
// CHECK: %[[X:.*]] = convert_layout %[[A]]
// CHECK: store %{{.*}}, %[[X]]
// CHECK: %[[CONVERTED:.*]] = convert_layout %[[A]]
// CHECK: %[[LOG:.*]] = math.log %[[CONVERTED]]
// CHECK: store %{{.*}}, %[[LOG]]
tile.kernel @stored_before(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) attributes {num_warps = 1 : i32} {
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>, #copies>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>, #own>
  %a = tile.load %xs : tensor<16x!tile.ptr<f32>, #copies>
  %x = tile.convert_layout %a : tensor<16xf32, #copies> -> tensor<16xf32, #own>
  tile.store %ys, %x : tensor<16x!tile.ptr<f32>, #own>
  %log = math.log %a : tensor<16xf32, #copies>
  %out = tile.convert_layout %log : tensor<16xf32, #copies> -> tensor<16xf32, #own>
  tile.store %ys, %out : tensor<16x!tile.ptr<f32>, #own>
  tile.return
}
