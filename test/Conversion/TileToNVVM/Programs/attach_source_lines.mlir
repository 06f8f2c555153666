// Each instruction gets one line of the source, and the calls around it, from the line to the kernel.

// RUN: tile-opt --attach-source-lines --mlir-print-debuginfo %s | FileCheck %s

#file = #llvm.di_file<"kernel.py" in "">
#unit = #llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_C, file = #file, isOptimized = true, emissionKind = DebugDirectivesOnly>
#kernel = #llvm.di_subprogram<id = distinct[1]<>, compileUnit = #unit, scope = #file, name = "kernel", file = #file, line = 18, subprogramFlags = "Definition|Optimized">

// CHECK-LABEL: llvm.func @kernel
llvm.func @kernel(%p: !llvm.ptr<1>, %v: i32) {
  // A line stays, in a scope or in none.
  // CHECK-NEXT: loc(#[[LINE:.*]])
  // CHECK-NEXT: loc(#[[BARE:.*]])
  llvm.store %v, %p : i32, !llvm.ptr<1> loc(fused<#kernel>["kernel.py":20:7])
  llvm.store %v, %p : i32, !llvm.ptr<1> loc("kernel.py":20:8)

  // Calls, however they are nested.
  // CHECK-NEXT: loc(#[[CALLS:.*]])
  // CHECK-NEXT: loc(#[[CHAIN:.*]])
  llvm.store %v, %p : i32, !llvm.ptr<1> loc(callsite(callsite("f.py":6:3 at "g.py":9:1) at "kernel.py":21:7))
  llvm.store %v, %p : i32, !llvm.ptr<1> loc(callsite("f.py":6:4 at callsite("g.py":9:2 at "kernel.py":21:8)))

  // The first of several lines, the first place of a range, and what has a name.
  // CHECK-NEXT: loc(#[[SEVERAL:.*]])
  // CHECK-NEXT: loc(#[[RANGE:.*]])
  // CHECK-NEXT: loc(#[[NAMED:.*]])
  llvm.store %v, %p : i32, !llvm.ptr<1> loc(fused["kernel.py":22:1, "kernel.py":30:1])
  llvm.store %v, %p : i32, !llvm.ptr<1> loc(fused["name"(unknown), "kernel.py":23:2 to 31:5])
  llvm.store %v, %p : i32, !llvm.ptr<1> loc("name"(callsite("f.py":6:5 at "kernel.py":24:3)))

  // Where there is no line, none is made up.
  // CHECK-NEXT: loc(#[[UNKNOWN:.*]])
  // CHECK-NEXT: loc(#[[NAME:.*]])
  // CHECK-NEXT: llvm.return
  llvm.store %v, %p : i32, !llvm.ptr<1> loc(unknown)
  llvm.store %v, %p : i32, !llvm.ptr<1> loc("name"(unknown))
  llvm.return loc(fused<#kernel>["kernel.py":25:1])
} loc(fused<#kernel>["kernel.py":18:1])

// Of a function without a scope nothing is changed.
// CHECK-LABEL: llvm.func @other
// CHECK-NEXT: loc(#[[OTHER:.*]])
llvm.func @other() {
  llvm.return loc(fused["kernel.py":26:1, "kernel.py":27:1])
} loc("kernel.py":18:1)

// CHECK-DAG: #[[BARE]] = loc("kernel.py":20:8)
// CHECK-DAG: #[[UNKNOWN]] = loc(unknown)
// CHECK-DAG: #[[NAME]] = loc("name")
// CHECK-DAG: #[[FIRST_OF_OTHER:.*]] = loc("kernel.py":26:1)
// CHECK-DAG: #[[SECOND_OF_OTHER:.*]] = loc("kernel.py":27:1)
// CHECK-DAG: #[[OTHER]] = loc(fused[#[[FIRST_OF_OTHER]], #[[SECOND_OF_OTHER]]])

// CHECK-DAG: #[[KERNEL:.*]] = #llvm.di_subprogram<
// CHECK-DAG: #[[AT_20:.*]] = loc("kernel.py":20:7)
// CHECK-DAG: #[[LINE]] = loc(fused<#[[KERNEL]]>[#[[AT_20]]])

// Each line is in the scope of its own file.
// CHECK-DAG: #[[FILE:.*]] = #llvm.di_file<"kernel.py" in "">
// CHECK-DAG: #[[F_FILE:.*]] = #llvm.di_file<"f.py" in "">
// CHECK-DAG: #[[G_FILE:.*]] = #llvm.di_file<"g.py" in "">
// CHECK-DAG: #[[SCOPE:.*]] = #llvm.di_lexical_block_file<scope = #[[KERNEL]], file = #[[FILE]], discriminator = 0>
// CHECK-DAG: #[[F_SCOPE:.*]] = #llvm.di_lexical_block_file<scope = #[[KERNEL]], file = #[[F_FILE]], discriminator = 0>
// CHECK-DAG: #[[G_SCOPE:.*]] = #llvm.di_lexical_block_file<scope = #[[KERNEL]], file = #[[G_FILE]], discriminator = 0>

// CHECK-DAG: #[[F_6_3:.*]] = loc("f.py":6:3)
// CHECK-DAG: #[[G_9_1:.*]] = loc("g.py":9:1)
// CHECK-DAG: #[[AT_21_7:.*]] = loc("kernel.py":21:7)
// CHECK-DAG: #[[F_IN_CALLS:.*]] = loc(fused<#[[F_SCOPE]]>[#[[F_6_3]]])
// CHECK-DAG: #[[G_IN_CALLS:.*]] = loc(fused<#[[G_SCOPE]]>[#[[G_9_1]]])
// CHECK-DAG: #[[LINE_OF_CALLS:.*]] = loc(fused<#[[SCOPE]]>[#[[AT_21_7]]])
// CHECK-DAG: #[[G_AT_CALLS:.*]] = loc(callsite(#[[G_IN_CALLS]] at #[[LINE_OF_CALLS]]))
// CHECK-DAG: #[[CALLS]] = loc(callsite(#[[F_IN_CALLS]] at #[[G_AT_CALLS]]))

// CHECK-DAG: #[[F_6_4:.*]] = loc("f.py":6:4)
// CHECK-DAG: #[[G_9_2:.*]] = loc("g.py":9:2)
// CHECK-DAG: #[[AT_21_8:.*]] = loc("kernel.py":21:8)
// CHECK-DAG: #[[F_IN_CHAIN:.*]] = loc(fused<#[[F_SCOPE]]>[#[[F_6_4]]])
// CHECK-DAG: #[[G_IN_CHAIN:.*]] = loc(fused<#[[G_SCOPE]]>[#[[G_9_2]]])
// CHECK-DAG: #[[LINE_OF_CHAIN:.*]] = loc(fused<#[[SCOPE]]>[#[[AT_21_8]]])
// CHECK-DAG: #[[G_AT_CHAIN:.*]] = loc(callsite(#[[G_IN_CHAIN]] at #[[LINE_OF_CHAIN]]))
// CHECK-DAG: #[[CHAIN]] = loc(callsite(#[[F_IN_CHAIN]] at #[[G_AT_CHAIN]]))

// CHECK-DAG: #[[AT_22:.*]] = loc("kernel.py":22:1)
// CHECK-DAG: #[[SEVERAL]] = loc(fused<#[[SCOPE]]>[#[[AT_22]]])
// CHECK-DAG: #[[AT_23:.*]] = loc("kernel.py":23:2)
// CHECK-DAG: #[[RANGE]] = loc(fused<#[[SCOPE]]>[#[[AT_23]]])
// CHECK-DAG: #[[F_6_5:.*]] = loc("f.py":6:5)
// CHECK-DAG: #[[AT_24:.*]] = loc("kernel.py":24:3)
// CHECK-DAG: #[[F_OF_NAMED:.*]] = loc(fused<#[[F_SCOPE]]>[#[[F_6_5]]])
// CHECK-DAG: #[[LINE_OF_NAMED:.*]] = loc(fused<#[[SCOPE]]>[#[[AT_24]]])
// CHECK-DAG: #[[NAMED]] = loc(callsite(#[[F_OF_NAMED]] at #[[LINE_OF_NAMED]]))
