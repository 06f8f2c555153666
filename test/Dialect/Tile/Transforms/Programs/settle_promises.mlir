// Promises of promises are one, name their groups, and are made of remainders.

// RUN: tile-opt %s --tile-settle-promises="nonzero=large nonzero-halves=m,end negative=short" | FileCheck %s

// CHECK-LABEL: tile.kernel @one
tile.kernel @one(%x: !tile.ptr<i32>, %n: index) {
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %i = tile.load %xs : tensor<128x!tile.ptr<i32>>
  // CHECK: %[[LOADED:.*]] = load
  // CHECK-NEXT: assume %[[LOADED]] divisibility [32] contiguity [16] :
  // CHECK-NOT: assume
  %a = tile.assume %i divisibility [16] : tensor<128xi32>
  %b = tile.assume %a contiguity [16] : tensor<128xi32>
  %c = tile.assume %b divisibility [32] : tensor<128xi32>
  %ps = tile.addptr %xs, %c : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %ps, %i : tensor<128x!tile.ptr<i32>>
  tile.return
}

// A tile that counts up has groups that are known.
// CHECK-LABEL: tile.kernel @groups
tile.kernel @groups(%x: !tile.ptr<i32>, %start: i32) {
  %starts = tile.splat %start : i32 -> tensor<128xi32>
  %iota = tile.iota 0 : tensor<128xi32>
  %i = arith.addi %starts, %iota : tensor<128xi32>
  // CHECK: assume %{{.*}} divisibility [128] contiguity [128] :
  %a = tile.assume %i divisibility [128] : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %ps = tile.addptr %xs, %a : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %ps, %i : tensor<128x!tile.ptr<i32>>
  tile.return
}

// CHECK-LABEL: tile.kernel @divisions
tile.kernel @divisions(%x: !tile.ptr<i32>, %m: i32 {tile.divisibility = 16}, %any: i32,
                       %shift: i32 {tile.divisibility = 16}) {
  %c128 = arith.constant 128 : i32
  %program = tile.program_id 0
  %pid = arith.index_cast %program : index to i32
  %start = arith.muli %pid, %c128 : i32
  %starts = tile.splat %start : i32 -> tensor<128xi32>
  %iota = tile.iota 0 : tensor<128xi32>
  %i = arith.addi %starts, %iota : tensor<128xi32>
  %ms = tile.splat %m : i32 -> tensor<128xi32>
  // CHECK: %[[REM:.*]] = arith.remsi
  // CHECK-NEXT: assume %[[REM]] divisibility [16] contiguity [16] :
  %rem = arith.remsi %i, %ms : tensor<128xi32>
  // CHECK: %[[DIV:.*]] = arith.divsi
  // CHECK-NEXT: assume %[[DIV]] constancy [16] :
  %div = arith.divsi %i, %ms : tensor<128xi32>
  // Nothing is known of the divisor, and the sign of a difference is not.
  // CHECK: arith.remsi
  // CHECK-NOT: assume
  %anys = tile.splat %any : i32 -> tensor<128xi32>
  %rest = arith.remsi %i, %anys : tensor<128xi32>
  %shifts = tile.splat %shift : i32 -> tensor<128xi32>
  %moved = arith.subi %i, %shifts : tensor<128xi32>
  %rolled = arith.remsi %moved, %ms : tensor<128xi32>
  %s1 = arith.addi %rem, %div : tensor<128xi32>
  %s2 = arith.addi %rest, %rolled : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %ps = tile.addptr %xs, %s1 : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %ps, %s2 : tensor<128x!tile.ptr<i32>>
  tile.return
}

// Quotients by 0 are the dividend: a divisor is promised to be none where it is a product of what is none.
// CHECK-LABEL: tile.kernel @zero_divisors
tile.kernel @zero_divisors(%x: !tile.ptr<i32>, %m: i64 {tile.divisibility = 16}, %by: i32) {
  %c4 = arith.constant 4 : i32
  %iota = tile.iota 0 : tensor<128xi32>
  %low = arith.trunci %m : i64 to i32
  // CHECK-COUNT-2: arith.muli
  %product = arith.muli %low, %c4 : i32
  %perhaps = arith.muli %by, %c4 : i32
  %sum = arith.addi %product, %c4 : i32
  %products = tile.splat %product : i32 -> tensor<128xi32>
  %perhapses = tile.splat %perhaps : i32 -> tensor<128xi32>
  %sums = tile.splat %sum : i32 -> tensor<128xi32>
  // CHECK: %[[DIV:.*]] = arith.divsi
  // CHECK-NEXT: assume %[[DIV]] constancy [64] :
  // CHECK: arith.divsi
  // CHECK-NOT: assume
  %q1 = arith.divsi %iota, %products : tensor<128xi32>
  %q2 = arith.divsi %iota, %perhapses : tensor<128xi32>
  %q3 = arith.divsi %iota, %sums : tensor<128xi32>
  %s1 = arith.addi %q1, %q2 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %ps = tile.addptr %xs, %s1 : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %ps, %q3 : tensor<128x!tile.ptr<i32>>
  tile.return
}

// 2^16 * 2^16 and 4 * 2^30 are 0 in 32 bits, and not in 64.
// CHECK-LABEL: tile.kernel @wrapping_divisors
tile.kernel @wrapping_divisors(%x: !tile.ptr<i32>, %m: i32 {tile.divisibility = 16}, %large: i32 {tile.divisibility = 16}) {
  %c4 = arith.constant 4 : i32
  %iota = tile.iota 0 : tensor<128xi32>
  // CHECK-COUNT-3: arith.muli
  %square = arith.muli %m, %m : i32
  %mixed = arith.muli %m, %large : i32
  %fours = arith.muli %large, %c4 : i32
  %squares = tile.splat %square : i32 -> tensor<128xi32>
  %mixes = tile.splat %mixed : i32 -> tensor<128xi32>
  %foursTile = tile.splat %fours : i32 -> tensor<128xi32>
  // CHECK: %[[DIV:.*]] = arith.divsi
  // CHECK-NEXT: assume %[[DIV]] constancy [128] :
  // CHECK: arith.divsi
  // CHECK-NOT: assume
  %q1 = arith.divsi %iota, %squares : tensor<128xi32>
  %q2 = arith.divsi %iota, %mixes : tensor<128xi32>
  %q3 = arith.divsi %iota, %foursTile : tensor<128xi32>
  // CHECK: arith.trunci
  // CHECK: %[[WIDE:.*]] = arith.divsi
  // CHECK-NEXT: assume %[[WIDE]] constancy [128] :
  // CHECK: arith.divsi
  // CHECK-NOT: assume
  %wide = arith.extsi %m : i32 to i64
  %wideLarge = arith.extsi %large : i32 to i64
  %product = arith.muli %wide, %wideLarge : i64
  %low = arith.trunci %product : i64 to i32
  %products = tile.splat %product : i64 -> tensor<128xi64>
  %lows = tile.splat %low : i32 -> tensor<128xi32>
  %wideIota = arith.extsi %iota : tensor<128xi32> to tensor<128xi64>
  %q4 = arith.divsi %wideIota, %products : tensor<128xi64>
  %q5 = arith.divsi %iota, %lows : tensor<128xi32>
  %s1 = arith.addi %q1, %q2 : tensor<128xi32>
  %s2 = arith.addi %q3, %q5 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %ps = tile.addptr %xs, %s1 : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %qs = tile.addptr %ps, %q4 : tensor<128x!tile.ptr<i32>>, tensor<128xi64>
  tile.store %qs, %s2 : tensor<128x!tile.ptr<i32>>
  tile.return
}

// A sum of two sizes of which one is not 0 is none either, and one of three may wrap around to it.
// CHECK-LABEL: tile.kernel @sums_of_sizes
tile.kernel @sums_of_sizes(%x: !tile.ptr<i32>, %m: i32 {tile.divisibility = 16}, %size: i32 {tile.divisibility = 16}, %short: i32 {tile.divisibility = 16}) {
  %iota = tile.iota 0 : tensor<128xi32>
  // CHECK-COUNT-4: arith.addi
  %two = arith.addi %m, %size : i32
  %three = arith.addi %two, %size : i32
  %perhaps = arith.addi %size, %size : i32
  %less = arith.addi %m, %short : i32
  %twos = tile.splat %two : i32 -> tensor<128xi32>
  %threes = tile.splat %three : i32 -> tensor<128xi32>
  %perhapses = tile.splat %perhaps : i32 -> tensor<128xi32>
  %lesses = tile.splat %less : i32 -> tensor<128xi32>
  // CHECK: %[[REM:.*]] = arith.remsi
  // CHECK-NEXT: assume %[[REM]] divisibility [16] contiguity [16] :
  // CHECK: arith.remsi
  // CHECK-NOT: assume
  %r1 = arith.remsi %iota, %twos : tensor<128xi32>
  %r2 = arith.remsi %iota, %threes : tensor<128xi32>
  %r3 = arith.remsi %iota, %perhapses : tensor<128xi32>
  %r4 = arith.remsi %iota, %lesses : tensor<128xi32>
  %s1 = arith.addi %r1, %r2 : tensor<128xi32>
  %s2 = arith.addi %r3, %r4 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %ps = tile.addptr %xs, %s1 : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %ps, %s2 : tensor<128x!tile.ptr<i32>>
  tile.return
}

// What a loop carries counts where it begins as a count and grows by counts, whichever loop it is.
// CHECK-LABEL: tile.kernel @carried
tile.kernel @carried(%x: !tile.ptr<f32>, %n: i32, %end: i32 {tile.divisibility = 16 : i64}) {
  %zero = arith.constant 0 : i32
  %block = arith.constant 128 : i32
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ends = tile.splat %end : i32 -> tensor<128xi32>
  %blocks = tile.num_programs 0
  %step = arith.index_cast %blocks : index to i32
  // CHECK: scf.while
  scf.while (%j = %zero) : (i32) -> (i32) {
    %more = arith.cmpi slt, %j, %n : i32
    scf.condition(%more) %j : i32
  } do {
  ^bb0(%j: i32):
    %start = arith.muli %j, %block : i32
    %starts = tile.splat %start : i32 -> tensor<128xi32>
    %iota = tile.iota 0 : tensor<128xi32>
    %offsets = arith.addi %starts, %iota : tensor<128xi32>
    // CHECK: %[[REM:.*]] = arith.remsi
    // CHECK-NEXT: assume %[[REM]] divisibility [16] contiguity [16]
    %columns = arith.remsi %offsets, %ends : tensor<128xi32>
    %ps = tile.addptr %xs, %columns : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %t = tile.load %ps : tensor<128x!tile.ptr<f32>>
    tile.store %ps, %t : tensor<128x!tile.ptr<f32>>
    %next = arith.addi %step, %j : i32
    scf.yield %next : i32
  }
  tile.return
}

// Not one that is doubled, that goes down, that begins anywhere or grows by what is not known.
// CHECK-LABEL: tile.kernel @carried_otherwise
// CHECK-NOT: assume
tile.kernel @carried_otherwise(%x: !tile.ptr<f32>, %n: i32, %end: i32 {tile.divisibility = 16 : i64}) {
  %zero = arith.constant 0 : i32
  %down = arith.constant -1 : i32
  %block = arith.constant 128 : i32
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ends = tile.splat %end : i32 -> tensor<128xi32>
  %iota = tile.iota 0 : tensor<128xi32>
  scf.while (%a = %zero, %b = %zero, %c = %n, %d = %zero) : (i32, i32, i32, i32) -> (i32, i32, i32, i32) {
    %more = arith.cmpi slt, %a, %n : i32
    scf.condition(%more) %a, %b, %c, %d : i32, i32, i32, i32
  } do {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %a0 = arith.muli %a, %block : i32
    %a1 = tile.splat %a0 : i32 -> tensor<128xi32>
    %a2 = arith.addi %a1, %iota : tensor<128xi32>
    %a3 = arith.remsi %a2, %ends : tensor<128xi32>
    %b0 = arith.muli %b, %block : i32
    %b1 = tile.splat %b0 : i32 -> tensor<128xi32>
    %b2 = arith.addi %b1, %iota : tensor<128xi32>
    %b3 = arith.remsi %b2, %ends : tensor<128xi32>
    %c0 = arith.muli %c, %block : i32
    %c1 = tile.splat %c0 : i32 -> tensor<128xi32>
    %c2 = arith.addi %c1, %iota : tensor<128xi32>
    %c3 = arith.remsi %c2, %ends : tensor<128xi32>
    %d0 = arith.muli %d, %block : i32
    %d1 = tile.splat %d0 : i32 -> tensor<128xi32>
    %d2 = arith.addi %d1, %iota : tensor<128xi32>
    %d3 = arith.remsi %d2, %ends : tensor<128xi32>
    %ab = arith.addi %a3, %b3 : tensor<128xi32>
    %cd = arith.addi %c3, %d3 : tensor<128xi32>
    %all = arith.addi %ab, %cd : tensor<128xi32>
    %ps = tile.addptr %xs, %all : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %t = tile.load %ps : tensor<128x!tile.ptr<f32>>
    tile.store %ps, %t : tensor<128x!tile.ptr<f32>>
    %one = arith.constant 1 : i32
    %a4 = arith.addi %a, %a : i32
    %b4 = arith.addi %b, %down : i32
    %c4 = arith.addi %c, %one : i32
    %d4 = arith.addi %d, %n : i32
    scf.yield %a4, %b4, %c4, %d4 : i32, i32, i32, i32
  }
  tile.return
}

// A program behind the end has less than nothing left, and numbers in memory may be anything. Arguments are sizes. Integers are bounded as they are.
// CHECK-LABEL: tile.kernel @extents
// CHECK-SAME: %[[M:M]]: index, %[[N:N]]: i32, %[[START:start]]: i32
// CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %[[START]] : i32
// CHECK: %[[LOADED:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: %[[ALL:.*]] = arith.muli %[[M]], %[[LOADED]] : index
// CHECK: %[[ROWS:.*]] = arith.maxsi %[[ALL]], %{{.*}} : index
// CHECK: %[[BOUNDED:.*]] = arith.maxsi %[[LEFT]], %{{.*}} : i32
// CHECK: %[[COLUMNS:.*]] = arith.index_cast %[[BOUNDED]] : i32 to index
// CHECK: view %{{.*}}, shape [%[[ROWS]], %[[COLUMNS]]]
// CHECK: view %{{.*}}, shape [%[[M]], 8]
tile.kernel @extents(%p: !tile.ptr<f32>, %sizes: !tile.ptr<i64>, %M: index, %N: i32, %start: i32) {
  %left = arith.subi %N, %start : i32
  %columns = arith.index_cast %left : i32 to index
  %loaded = tile.load %sizes : !tile.ptr<i64>
  %size = arith.index_cast %loaded : i64 to index
  %rows = arith.muli %M, %size : index
  %a = tile.view %p, shape [%rows, %columns], strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [64, 1]>
  %b = tile.view %p, shape [%M, 8], strides [8, 1] : !tile.ptr<f32> -> !tile.view<?x8xf32, [8, 1]>
  %t = tile.load_view %a[%M, %M] : !tile.view<?x?xf32, [64, 1]> -> tensor<8x8xf32>
  tile.store_view %t, %b[%M, %M] : tensor<8x8xf32>, !tile.view<?x8xf32, [8, 1]>
  tile.return
}

// The number is bounded that has the fewest bits, but not in front of a cast that cuts it.
// CHECK-LABEL: tile.kernel @extents_of_few_bits
// CHECK: %[[LOADED:.*]] = load %{{.*}} : !tile.ptr<i32>
// CHECK: %[[CUT:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK: %[[ROWS:.*]] = arith.maxsi %[[LOADED]], %{{.*}} : i32
// CHECK: %[[WIDE:.*]] = arith.extsi %[[ROWS]] : i32 to i64
// CHECK: %[[ROW_INDEX:.*]] = arith.index_cast %[[WIDE]] : i64 to index
// CHECK: %[[COLUMNS:.*]] = arith.maxsi %[[CUT]], %{{.*}} : i32
// CHECK: %[[COLUMN_INDEX:.*]] = arith.index_cast %[[COLUMNS]] : i32 to index
// CHECK: view %{{.*}}, shape [%[[ROW_INDEX]], %[[COLUMN_INDEX]]]
tile.kernel @extents_of_few_bits(%p: !tile.ptr<f32>, %sizes: !tile.ptr<i32>, %others: !tile.ptr<i64>, %M: index) {
  %loaded = tile.load %sizes : !tile.ptr<i32>
  %wide = arith.extsi %loaded : i32 to i64
  %rows = arith.index_cast %wide : i64 to index
  %other = tile.load %others : !tile.ptr<i64>
  %cut = arith.trunci %other : i64 to i32
  %columns = arith.index_cast %cut : i32 to index
  %a = tile.view %p, shape [%rows, %columns], strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [64, 1]>
  %t = tile.load_view %a[%M, %M] : !tile.view<?x?xf32, [64, 1]> -> tensor<8x8xf32>
  tile.store_view %t, %a[%M, %M] : tensor<8x8xf32>, !tile.view<?x?xf32, [64, 1]>
  tile.return
}

// Those that are negative in a launch are none.
// CHECK-LABEL: tile.kernel @negative_extents
// CHECK-SAME: %[[M:M]]: index, %[[SHORT:short]]: index
// CHECK: %[[ALL:.*]] = arith.muli %[[M]], %[[SHORT]] : index
// CHECK: %[[ROWS:.*]] = arith.maxsi %[[ALL]], %{{.*}} : index
// CHECK: %[[COLUMNS:.*]] = arith.maxsi %[[SHORT]], %{{.*}} : index
// CHECK: view %{{.*}}, shape [%[[ROWS]], %[[COLUMNS]]]
// CHECK: view %{{.*}}, shape [%[[M]], 8]
tile.kernel @negative_extents(%p: !tile.ptr<f32>, %M: index, %short: index) {
  %rows = arith.muli %M, %short : index
  %a = tile.view %p, shape [%rows, %short], strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [64, 1]>
  %b = tile.view %p, shape [%M, 8], strides [8, 1] : !tile.ptr<f32> -> !tile.view<?x8xf32, [8, 1]>
  %t = tile.load_view %a[%M, %M] : !tile.view<?x?xf32, [64, 1]> -> tensor<8x8xf32>
  tile.store_view %t, %b[%M, %M] : tensor<8x8xf32>, !tile.view<?x8xf32, [8, 1]>
  tile.return
}

// A quotient by what may be negative is no count: nothing is promised of what is divided by %m then.
// CHECK-LABEL: tile.kernel @negative_divisors
tile.kernel @negative_divisors(%x: !tile.ptr<i32>, %m: i32 {tile.divisibility = 16}, %size: i32, %short: i32) {
  %c128 = arith.constant 128 : i32
  %cm2 = arith.constant -2 : i32
  %one = arith.constant 1 : i32
  %iota = tile.iota 0 : tensor<128xi32>
  %ms = tile.splat %m : i32 -> tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %program = tile.program_id 0
  %pid = arith.index_cast %program : index to i32
  %loaded = tile.load %x : !tile.ptr<i32>
  %bySize = arith.divsi %pid, %size : i32
  %difference = arith.subi %size, %one : i32
  %byDifference = arith.divsi %pid, %difference : i32
  %most = arith.maxsi %loaded, %one : i32
  %byMost = arith.divsi %pid, %most : i32
  %byShort = arith.divsi %pid, %short : i32
  %sum = arith.addi %short, %size : i32
  %bySum = arith.divsi %pid, %sum : i32
  %byLoaded = arith.divsi %pid, %loaded : i32
  %byConstant = arith.divsi %pid, %cm2 : i32
  // CHECK-COUNT-7: arith.divsi %{{.*}} : i32
  %startSize = arith.muli %bySize, %c128 : i32
  %startsSize = tile.splat %startSize : i32 -> tensor<128xi32>
  %iSize = arith.addi %startsSize, %iota : tensor<128xi32>
  // CHECK: %[[REM:.*]] = arith.remsi
  // CHECK-NEXT: assume %[[REM]] divisibility [16] contiguity [16]
  %remSize = arith.remsi %iSize, %ms : tensor<128xi32>
  %psSize = tile.addptr %xs, %remSize : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %psSize, %iota : tensor<128x!tile.ptr<i32>>
  %startDifference = arith.muli %byDifference, %c128 : i32
  %startsDifference = tile.splat %startDifference : i32 -> tensor<128xi32>
  %iDifference = arith.addi %startsDifference, %iota : tensor<128xi32>
  // CHECK: %[[REM:.*]] = arith.remsi
  // CHECK-NEXT: assume %[[REM]] divisibility [16] contiguity [16]
  %remDifference = arith.remsi %iDifference, %ms : tensor<128xi32>
  %psDifference = tile.addptr %xs, %remDifference : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %psDifference, %iota : tensor<128x!tile.ptr<i32>>
  %startMost = arith.muli %byMost, %c128 : i32
  %startsMost = tile.splat %startMost : i32 -> tensor<128xi32>
  %iMost = arith.addi %startsMost, %iota : tensor<128xi32>
  // CHECK: %[[REM:.*]] = arith.remsi
  // CHECK-NEXT: assume %[[REM]] divisibility [16] contiguity [16]
  %remMost = arith.remsi %iMost, %ms : tensor<128xi32>
  %psMost = tile.addptr %xs, %remMost : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %psMost, %iota : tensor<128x!tile.ptr<i32>>
  %startShort = arith.muli %byShort, %c128 : i32
  %startsShort = tile.splat %startShort : i32 -> tensor<128xi32>
  %iShort = arith.addi %startsShort, %iota : tensor<128xi32>
  // CHECK: %[[REM:.*]] = arith.remsi
  // CHECK-NEXT: addptr
  %remShort = arith.remsi %iShort, %ms : tensor<128xi32>
  %psShort = tile.addptr %xs, %remShort : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %psShort, %iota : tensor<128x!tile.ptr<i32>>
  %startSum = arith.muli %bySum, %c128 : i32
  %startsSum = tile.splat %startSum : i32 -> tensor<128xi32>
  %iSum = arith.addi %startsSum, %iota : tensor<128xi32>
  // CHECK: %[[REM:.*]] = arith.remsi
  // CHECK-NEXT: addptr
  %remSum = arith.remsi %iSum, %ms : tensor<128xi32>
  %psSum = tile.addptr %xs, %remSum : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %psSum, %iota : tensor<128x!tile.ptr<i32>>
  %startLoaded = arith.muli %byLoaded, %c128 : i32
  %startsLoaded = tile.splat %startLoaded : i32 -> tensor<128xi32>
  %iLoaded = arith.addi %startsLoaded, %iota : tensor<128xi32>
  // CHECK: %[[REM:.*]] = arith.remsi
  // CHECK-NEXT: addptr
  %remLoaded = arith.remsi %iLoaded, %ms : tensor<128xi32>
  %psLoaded = tile.addptr %xs, %remLoaded : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %psLoaded, %iota : tensor<128x!tile.ptr<i32>>
  %startConstant = arith.muli %byConstant, %c128 : i32
  %startsConstant = tile.splat %startConstant : i32 -> tensor<128xi32>
  %iConstant = arith.addi %startsConstant, %iota : tensor<128xi32>
  // CHECK: %[[REM:.*]] = arith.remsi
  // CHECK-NEXT: addptr
  %remConstant = arith.remsi %iConstant, %ms : tensor<128xi32>
  %psConstant = tile.addptr %xs, %remConstant : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %psConstant, %iota : tensor<128x!tile.ptr<i32>>
  // The counter of a loop counts, too.
  scf.for %k = %one to %size step %one : i32 {
    %left = arith.subi %size, %k : i32
    %byLeft = arith.divsi %pid, %left : i32
    %start = arith.muli %byLeft, %c128 : i32
    %starts = tile.splat %start : i32 -> tensor<128xi32>
    %i = arith.addi %starts, %iota : tensor<128xi32>
    // CHECK: scf.for
    // CHECK: %[[REM:.*]] = arith.remsi
    // CHECK-NEXT: assume %[[REM]] divisibility [16] contiguity [16]
    %rem = arith.remsi %i, %ms : tensor<128xi32>
    %ps = tile.addptr %xs, %rem : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
    tile.store %ps, %iota : tensor<128x!tile.ptr<i32>>
  }
  tile.return
}

// Nor by what a size is turned to. Multiples of a size that are taken by a mask are none below zero.
// CHECK-LABEL: tile.kernel @turned_divisors
tile.kernel @turned_divisors(%x: !tile.ptr<i32>, %m: i32 {tile.divisibility = 16}, %size: i32) {
  %c128 = arith.constant 128 : i32
  %zero = arith.constant 0 : i32
  %minusOne = arith.constant -1 : i32
  %mask = arith.constant -4 : i32
  %iota = tile.iota 0 : tensor<128xi32>
  %ms = tile.splat %m : i32 -> tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %program = tile.program_id 0
  %pid = arith.index_cast %program : index to i32
  %minus = arith.subi %zero, %size : i32
  %not = arith.xori %size, %minusOne : i32
  %times = arith.muli %size, %minusOne : i32
  %masked = arith.andi %size, %mask : i32
  %isLess = arith.cmpi slt, %pid, %size : i32
  %either = arith.select %isLess, %minus, %size : i32
  %byMinus = arith.divsi %pid, %minus : i32
  %byNot = arith.divsi %pid, %not : i32
  %byTimes = arith.divsi %pid, %times : i32
  %byEither = arith.divsi %pid, %either : i32
  %byMasked = arith.divsi %pid, %masked : i32
  // CHECK-COUNT-5: arith.divsi %{{.*}} : i32
  %startMinus = arith.muli %byMinus, %c128 : i32
  %startsMinus = tile.splat %startMinus : i32 -> tensor<128xi32>
  %iMinus = arith.addi %startsMinus, %iota : tensor<128xi32>
  // CHECK: %[[REM:.*]] = arith.remsi
  // CHECK-NEXT: addptr
  %remMinus = arith.remsi %iMinus, %ms : tensor<128xi32>
  %psMinus = tile.addptr %xs, %remMinus : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %psMinus, %iota : tensor<128x!tile.ptr<i32>>
  %startNot = arith.muli %byNot, %c128 : i32
  %startsNot = tile.splat %startNot : i32 -> tensor<128xi32>
  %iNot = arith.addi %startsNot, %iota : tensor<128xi32>
  // CHECK: %[[REM:.*]] = arith.remsi
  // CHECK-NEXT: addptr
  %remNot = arith.remsi %iNot, %ms : tensor<128xi32>
  %psNot = tile.addptr %xs, %remNot : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %psNot, %iota : tensor<128x!tile.ptr<i32>>
  %startTimes = arith.muli %byTimes, %c128 : i32
  %startsTimes = tile.splat %startTimes : i32 -> tensor<128xi32>
  %iTimes = arith.addi %startsTimes, %iota : tensor<128xi32>
  // CHECK: %[[REM:.*]] = arith.remsi
  // CHECK-NEXT: addptr
  %remTimes = arith.remsi %iTimes, %ms : tensor<128xi32>
  %psTimes = tile.addptr %xs, %remTimes : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %psTimes, %iota : tensor<128x!tile.ptr<i32>>
  %startEither = arith.muli %byEither, %c128 : i32
  %startsEither = tile.splat %startEither : i32 -> tensor<128xi32>
  %iEither = arith.addi %startsEither, %iota : tensor<128xi32>
  // CHECK: %[[REM:.*]] = arith.remsi
  // CHECK-NEXT: addptr
  %remEither = arith.remsi %iEither, %ms : tensor<128xi32>
  %psEither = tile.addptr %xs, %remEither : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %psEither, %iota : tensor<128x!tile.ptr<i32>>
  %startMasked = arith.muli %byMasked, %c128 : i32
  %startsMasked = tile.splat %startMasked : i32 -> tensor<128xi32>
  %iMasked = arith.addi %startsMasked, %iota : tensor<128xi32>
  // CHECK: %[[REM:.*]] = arith.remsi
  // CHECK-NEXT: assume %[[REM]] divisibility [16] contiguity [16]
  %remMasked = arith.remsi %iMasked, %ms : tensor<128xi32>
  %psMasked = tile.addptr %xs, %remMasked : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %psMasked, %iota : tensor<128x!tile.ptr<i32>>
  tile.return
}
