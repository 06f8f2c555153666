// A and B are viewed only, C may overlap, P, Q and M are pointers, one of them viewed too; U has no use.
tile.kernel @overlap(%A: !tile.ptr<f32>, %B: !tile.ptr<f32> {tile.divisibility = 4 : i64},
                     %C: !tile.ptr<f32> {tile.may_overlap}, %P: !tile.ptr<f32>,
                     %Q: !tile.ptr<f32> {tile.may_overlap}, %M: !tile.ptr<f32>, %U: !tile.ptr<f32>, %n: index) {
  %a = tile.view %A, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %moved = tile.addptr %B, %n : !tile.ptr<f32>, index
  %b = tile.view %moved, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %c = tile.view %C, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %ps = tile.splat %P : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %Q, %n : !tile.ptr<f32>, index
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %m = tile.view %M, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %ms = tile.splat %M : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  tile.return
}
