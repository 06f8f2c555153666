; Kernels as LLVM's NVPTX back end writes them.
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [1056 x float] undef, align 16
@dynamic = external addrspace(3) global [0 x i32], align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare <4 x half> @llvm.fma.v4f16(<4 x half>, <4 x half>, <4 x half>)

; One 32 x 32 tile, 32 threads, a row each.
define ptx_kernel void @transpose(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %load
load:
  %r = phi i32 [ 0, %entry ], [ %r.next, %load ]
  %row = mul i32 %r, 32
  %at = add i32 %row, %tid
  %p = getelementptr float, ptr addrspace(1) %in, i32 %at
  %v = load float, ptr addrspace(1) %p
  %srow = mul i32 %r, 33
  %sat = add i32 %srow, %tid
  %s = getelementptr float, ptr addrspace(3) @tile, i32 %sat
  store float %v, ptr addrspace(3) %s
  %r.next = add i32 %r, 1
  %more = icmp ult i32 %r.next, 32
  br i1 %more, label %load, label %sync
sync:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %store
store:
  %c = phi i32 [ 0, %sync ], [ %c.next, %store ]
  %tcol = mul i32 %tid, 33
  %tat = add i32 %tcol, %c
  %t = getelementptr float, ptr addrspace(3) @tile, i32 %tat
  %w = load float, ptr addrspace(3) %t
  %orow = mul i32 %c, 32
  %oat = add i32 %orow, %tid
  %q = getelementptr float, ptr addrspace(1) %out, i32 %oat
  store float %w, ptr addrspace(1) %q
  %c.next = add i32 %c, 1
  %again = icmp ult i32 %c.next, 32
  br i1 %again, label %store, label %done
done:
  ret void
}

; Inline assembly with its own registers and a label, as MLIR emits it.
define ptx_kernel void @inlineAssembly(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %tid
  %v = load i32, ptr addrspace(1) %p
  %d = call i32 asm sideeffect "{\0A.reg .pred p;\0A.reg .b32 t;\0Asetp.gt.s32 p, $1, 10;\0Amov.b32 t, $1;\0A@!p bra SKIP;\0Ashl.b32 t, t, 1;\0ASKIP:\0Aadd.s32 $0, t, 1;\0A}", "=r,r"(i32 %v)
  %e = call i32 asm sideeffect "{\0A.reg .pred p;\0A.reg .b32 t;\0Asetp.gt.s32 p, $1, 20;\0Amov.b32 t, $1;\0A@!p bra SKIP;\0Ashl.b32 t, t, 1;\0ASKIP:\0Aadd.s32 $0, t, 1;\0A}", "=r,r"(i32 %d)
  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %e, i32 1, i32 31)
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store i32 %x, ptr addrspace(1) %q
  ret void
}

; Vectors of halves, an alloca, and a generic pointer to shared memory.
define ptx_kernel void @mixed(ptr %in, ptr %out) {
  %slot = alloca [8 x half], align 16
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr <4 x half>, ptr %in, i32 %tid
  %v = load <4 x half>, ptr %p, align 8
  %f = call <4 x half> @llvm.fma.v4f16(<4 x half> %v, <4 x half> %v, <4 x half> splat (half 1.0))
  store <4 x half> %f, ptr %slot, align 16
  %n = and i32 %tid, 3
  %e = getelementptr half, ptr %slot, i32 %n
  %h = load half, ptr %e
  %x = fpext half %h to float
  %g = addrspacecast ptr addrspace(3) @dynamic to ptr
  %s = getelementptr float, ptr %g, i32 %tid
  store float %x, ptr %s
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %o = xor i32 %tid, 1
  %so = getelementptr float, ptr %g, i32 %o
  %y = load float, ptr %so
  %q = getelementptr float, ptr %out, i32 %tid
  store float %y, ptr %q
  ret void
}
