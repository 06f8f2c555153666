// Several products of one loop with one left operand, made by the same instructions: columns that are no power of two together,
// stored along N and along K, in all types, with two warpgroups below each other, odd sizes, and no step along K. The result is right,
// and the PTX has an instruction of as many columns.

// DEFINE: %{in} = f16
// DEFINE: %{sum} = f32
// DEFINE: %{zero} = 0.0
// DEFINE: %{file} =
// DEFINE: %{wide} = 128
// DEFINE: %{narrow} = 64
// DEFINE: %{both} = 192
// DEFINE: %{m} = 64
// DEFINE: %{warps} = 4
// DEFINE: %{step} = 64
// DEFINE: %{options} =
// DEFINE: %{kernel} = sed -e "s/IN/%{in}/g; s/SUM/%{sum}/g; s/ZERO/%{zero}/g; s/WIDE/%{wide}/g; s/NARROW/%{narrow}/g; s/BOTH/%{both}/g" \
// DEFINE:     -e "s/ROWS/%{m}/g; s/WARPS/%{warps}/; s/STEP/%{step}/g" %t/%{file}.mlir > %t.mlir
// DEFINE: %{ptx} = tile-compile %t.mlir %{options} | FileCheck %s --check-prefix=COLUMNS -DN=%{both} --implicit-check-not=n%{wide}k --implicit-check-not=n%{narrow}k
// DEFINE: %{run} = tile-run %t.mlir %{options} --device=sim --target=sm_90a --check --specials --args
// DEFINE: %{runs} = %{kernel} && %{ptx} && %{run} "M=131 N=200 K=304" && %{run} "M=64 N=96 K=0" && %{run} "M=1 N=8 K=16"
// COLUMNS: wgmma.mma_async.sync.aligned.m64n[[N]]k

// RUN: split-file %s %t

// REDEFINE: %{file} = along_n
// RUN: %{runs}
// REDEFINE: %{options} = --tensor-maps=false
// RUN: %{runs}
// REDEFINE: %{options} = --num-stages=4
// REDEFINE: %{in} = bf16
// REDEFINE: %{m} = 128
// REDEFINE: %{warps} = 8
// RUN: %{runs}
// The narrow one in front.
// REDEFINE: %{wide} = 64
// REDEFINE: %{narrow} = 128
// RUN: %{runs}

// REDEFINE: %{file} = along_k
// RUN: %{runs}
// REDEFINE: %{options} = --tensor-maps=false
// REDEFINE: %{warps} = 4
// RUN: %{runs}
// REDEFINE: %{in} = i8
// REDEFINE: %{sum} = i32
// REDEFINE: %{zero} = 0
// REDEFINE: %{m} = 64
// REDEFINE: %{wide} = 32
// REDEFINE: %{narrow} = 16
// REDEFINE: %{both} = 48
// RUN: %{runs}
// REDEFINE: %{in} = f32
// REDEFINE: %{sum} = f32
// REDEFINE: %{zero} = 0.0
// REDEFINE: %{step} = 32
// REDEFINE: %{wide} = 16
// REDEFINE: %{narrow} = 8
// REDEFINE: %{both} = 24
// RUN: sed -i "s/A\[m, k\] \* B\[n, k\]/tf32(A[m, k]) * tf32(B[n, k])/; s/: tensor<ROWSxSTEPxIN>, /tf32&/" %t/along_k.mlir
// RUN: %{runs}

// Of a step of two rows of the mode, one descriptor does not serve both: two instructions do.
// REDEFINE: %{step} = 64
// RUN: %{kernel}
// RUN: tile-compile %t.mlir | FileCheck %s --check-prefix=APART
// APART: wgmma.mma_async.sync.aligned.m64n16k8
// APART: wgmma.mma_async.sync.aligned.m64n8k8
// RUN: %{run} "M=131 N=200 K=304"

//--- along_n.mlir
tile.kernel @along_n(%A: !tile.ptr<IN> {tile.divisibility = 16}, %B: !tile.ptr<IN> {tile.divisibility = 16}, %C: !tile.ptr<SUM>, %M: index, %N: index {tile.divisibility = 8}, %K: index {tile.divisibility = 16})
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(N, BOTH)", "ceildiv(M, ROWS)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n])"] attributes {num_warps = WARPS : i32} {
  %c0 = arith.constant 0 : index
  %step = arith.constant STEP : index
  %wide = arith.constant WIDE : index
  %both = arith.constant BOTH : index
  %rows = arith.constant ROWS : index
  %zero = arith.constant dense<ZERO> : tensor<ROWSxWIDExSUM>
  %none = arith.constant dense<ZERO> : tensor<ROWSxNARROWxSUM>
  %i = tile.program_id 1
  %j = tile.program_id 0
  %m = arith.muli %i, %rows : index
  %n = arith.muli %j, %both : index
  %rest = arith.addi %n, %wide : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<IN> -> !tile.view<?x?xIN, [?, 1]>
  %b = tile.view %B, shape [%K, %N], strides [%N, 1] : !tile.ptr<IN> -> !tile.view<?x?xIN, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<SUM> -> !tile.view<?x?xSUM, [?, 1]>
  %sums:2 = scf.for %k = %c0 to %K step %step iter_args(%x = %zero, %y = %none) -> (tensor<ROWSxWIDExSUM>, tensor<ROWSxNARROWxSUM>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xIN, [?, 1]> -> tensor<ROWSxSTEPxIN>
    %tb = tile.load_view %b[%k, %n] : !tile.view<?x?xIN, [?, 1]> -> tensor<STEPxWIDExIN>
    %tc = tile.load_view %b[%k, %rest] : !tile.view<?x?xIN, [?, 1]> -> tensor<STEPxNARROWxIN>
    %d = tile.dot %ta, %tb, %x : tensor<ROWSxSTEPxIN>, tensor<STEPxWIDExIN>, tensor<ROWSxWIDExSUM>
    %e = tile.dot %ta, %tc, %y : tensor<ROWSxSTEPxIN>, tensor<STEPxNARROWxIN>, tensor<ROWSxNARROWxSUM>
    scf.yield %d, %e : tensor<ROWSxWIDExSUM>, tensor<ROWSxNARROWxSUM>
  }
  tile.store_view %sums#0, %c[%m, %n] : tensor<ROWSxWIDExSUM>, !tile.view<?x?xSUM, [?, 1]>
  tile.store_view %sums#1, %c[%m, %rest] : tensor<ROWSxNARROWxSUM>, !tile.view<?x?xSUM, [?, 1]>
  tile.return
}

//--- along_k.mlir
tile.kernel @along_k(%A: !tile.ptr<IN> {tile.divisibility = 16}, %B: !tile.ptr<IN> {tile.divisibility = 16}, %C: !tile.ptr<SUM>, %M: index, %N: index {tile.divisibility = 8}, %K: index {tile.divisibility = 16})
    shapes ["A[M, K]", "B[N, K]", "C[M, N]"]
    grid ["ceildiv(N, BOTH)", "ceildiv(M, ROWS)"]
    reference ["C[m, n] = sum(k, A[m, k] * B[n, k])"] attributes {num_warps = WARPS : i32} {
  %c0 = arith.constant 0 : index
  %step = arith.constant STEP : index
  %wide = arith.constant WIDE : index
  %both = arith.constant BOTH : index
  %rows = arith.constant ROWS : index
  %zero = arith.constant dense<ZERO> : tensor<ROWSxWIDExSUM>
  %none = arith.constant dense<ZERO> : tensor<ROWSxNARROWxSUM>
  %i = tile.program_id 1
  %j = tile.program_id 0
  %m = arith.muli %i, %rows : index
  %n = arith.muli %j, %both : index
  %rest = arith.addi %n, %wide : index
  %a = tile.view %A, shape [%M, %K], strides [%K, 1] : !tile.ptr<IN> -> !tile.view<?x?xIN, [?, 1]>
  %b = tile.view %B, shape [%N, %K], strides [%K, 1] : !tile.ptr<IN> -> !tile.view<?x?xIN, [?, 1]>
  %c = tile.view %C, shape [%M, %N], strides [%N, 1] : !tile.ptr<SUM> -> !tile.view<?x?xSUM, [?, 1]>
  %sums:2 = scf.for %k = %c0 to %K step %step iter_args(%x = %zero, %y = %none) -> (tensor<ROWSxWIDExSUM>, tensor<ROWSxNARROWxSUM>) {
    %ta = tile.load_view %a[%m, %k] : !tile.view<?x?xIN, [?, 1]> -> tensor<ROWSxSTEPxIN>
    %lb = tile.load_view %b[%n, %k] : !tile.view<?x?xIN, [?, 1]> -> tensor<WIDExSTEPxIN>
    %lc = tile.load_view %b[%rest, %k] : !tile.view<?x?xIN, [?, 1]> -> tensor<NARROWxSTEPxIN>
    %tb = tile.trans %lb [1, 0] : tensor<WIDExSTEPxIN> -> tensor<STEPxWIDExIN>
    %tc = tile.trans %lc [1, 0] : tensor<NARROWxSTEPxIN> -> tensor<STEPxNARROWxIN>
    %d = tile.dot %ta, %tb, %x : tensor<ROWSxSTEPxIN>, tensor<STEPxWIDExIN>, tensor<ROWSxWIDExSUM>
    %e = tile.dot %ta, %tc, %y : tensor<ROWSxSTEPxIN>, tensor<STEPxNARROWxIN>, tensor<ROWSxNARROWxSUM>
    scf.yield %d, %e : tensor<ROWSxWIDExSUM>, tensor<ROWSxNARROWxSUM>
  }
  tile.store_view %sums#0, %c[%m, %n] : tensor<ROWSxWIDExSUM>, !tile.view<?x?xSUM, [?, 1]>
  tile.store_view %sums#1, %c[%m, %rest] : tensor<ROWSxNARROWxSUM>, !tile.view<?x?xSUM, [?, 1]>
  tile.return
}
