// Sums of an f16 or bf16 that was made wide and an f32: from sm_100 on one instruction of PTX, which the simulator executes.

// DEFINE: %{type} =
// DEFINE: %{target} =
// DEFINE: %{compute} =
// DEFINE: %{reference} =
// DEFINE: %{expected} =
// DEFINE: %{fill} = sed -e "s/TYPE/%{type}/g; s/COMPUTE/%{compute}/; s/REFERENCE/%{reference}/" %s
// DEFINE: %{run} = %{fill} | tile-run - --target=%{target} --device=sim --check --specials --args n=1000
// DEFINE: %{ptx} = %{fill} | tile-compile - --target=%{target} -o - | FileCheck %s -DTYPE=%{type} --check-prefix=%{expected}

// ADD: add.rn.f32.[[TYPE]]
// SUB: sub.rn.f32.[[TYPE]]
// FMA: fma.rn.f32.[[TYPE]]

// REDEFINE: %{compute} = arith.addf %%a, %%c : tensor<64xf32>
// REDEFINE: %{reference} = A[i] + C[i]
// REDEFINE: %{expected} = ADD
// REDEFINE: %{type} = f16
// REDEFINE: %{target} = sm_100a
// RUN: %{run}
// RUN: %{ptx}
// REDEFINE: %{target} = sm_120a
// RUN: %{run}
// RUN: %{ptx}
// REDEFINE: %{type} = bf16
// RUN: %{run}
// RUN: %{ptx}
// REDEFINE: %{target} = sm_100a
// RUN: %{run}
// RUN: %{ptx}

// REDEFINE: %{compute} = arith.subf %%a, %%c : tensor<64xf32>
// REDEFINE: %{reference} = A[i] - C[i]
// REDEFINE: %{expected} = SUB
// RUN: %{run}
// RUN: %{ptx}
// REDEFINE: %{type} = f16
// RUN: %{run}
// RUN: %{ptx}
// REDEFINE: %{target} = sm_120a
// RUN: %{run}
// RUN: %{ptx}
// REDEFINE: %{type} = bf16
// RUN: %{run}
// RUN: %{ptx}

// REDEFINE: %{compute} = math.fma %%a, %%a, %%c : tensor<64xf32>
// REDEFINE: %{reference} = A[i] * A[i] + C[i]
// REDEFINE: %{expected} = FMA
// RUN: %{run}
// RUN: %{ptx}
// REDEFINE: %{type} = f16
// RUN: %{run}
// RUN: %{ptx}
// REDEFINE: %{target} = sm_100a
// RUN: %{run}
// RUN: %{ptx}
// REDEFINE: %{type} = bf16
// RUN: %{run}
// RUN: %{ptx}

tile.kernel @mixed(%A: !tile.ptr<TYPE>, %C: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index)
    shapes ["A[n]", "C[n]", "Y[n]"] grid ["ceildiv(n, 64)"] reference ["Y[i] = REFERENCE"]
    attributes {num_warps = 1 : i32} {
  %p = tile.program_id 0
  %size = arith.constant 64 : index
  %i = arith.muli %p, %size : index
  %av = tile.view %A, shape [%n], strides [1] : !tile.ptr<TYPE> -> !tile.view<?xTYPE, [1]>
  %cv = tile.view %C, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %yv = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %x = tile.load_view %av[%i] : !tile.view<?xTYPE, [1]> -> tensor<64xTYPE>
  %a = arith.extf %x : tensor<64xTYPE> to tensor<64xf32>
  %c = tile.load_view %cv[%i] : !tile.view<?xf32, [1]> -> tensor<64xf32>
  %y = COMPUTE
  tile.store_view %y, %yv[%i] : tensor<64xf32>, !tile.view<?xf32, [1]>
  tile.return
}
