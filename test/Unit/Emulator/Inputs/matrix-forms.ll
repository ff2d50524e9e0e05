; What llc 22 prints of the intrinsics for matrices, warpgroups, narrow floats and
; bytes, and of the inline assembly that the NVVM dialect makes of wgmma. The PTX
; beside this file is made from it, as it is, by
;   llc -mcpu=sm_90a -mattr=+ptx86 matrix-forms.ll -o matrix-forms.ptx
target triple = "nvptx64-nvidia-cuda"

declare void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32)
define ptx_kernel void @setmaxnreg_inc_sync_aligned_u32() {
  call void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32 240)
  ret void
}

declare void @llvm.nvvm.setmaxnreg.dec.sync.aligned.u32(i32)
define ptx_kernel void @setmaxnreg_dec_sync_aligned_u32() {
  call void @llvm.nvvm.setmaxnreg.dec.sync.aligned.u32(i32 240)
  ret void
}

declare void @llvm.nvvm.wgmma.fence.sync.aligned()
define ptx_kernel void @wgmma_fence_sync_aligned() {
  call void @llvm.nvvm.wgmma.fence.sync.aligned()
  ret void
}

declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()
define ptx_kernel void @wgmma_commit_group_sync_aligned() {
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  ret void
}

declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64)
define ptx_kernel void @wgmma_wait_group_sync_aligned() {
  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 1)
  ret void
}

declare i32 @llvm.nvvm.prmt.b4e(i32,i32,i32)
define ptx_kernel void @prmt_b4e(ptr %p, i32 %x0, i32 %x1, i32 %x2) {
  %r = call i32 @llvm.nvvm.prmt.b4e(i32 %x0, i32 %x1, i32 %x2)
  store i32 %r, ptr %p
  ret void
}

declare i32 @llvm.nvvm.fns(i32,i32,i32)
define ptx_kernel void @fns(ptr %p, i32 %x0, i32 %x1, i32 %x2) {
  %r = call i32 @llvm.nvvm.fns(i32 %x0, i32 %x1, i32 %x2)
  store i32 %r, ptr %p
  ret void
}

declare i32 @llvm.nvvm.bmsk.clamp(i32,i32)
define ptx_kernel void @bmsk_clamp(ptr %p, i32 %x0, i32 %x1) {
  %r = call i32 @llvm.nvvm.bmsk.clamp(i32 %x0, i32 %x1)
  store i32 %r, ptr %p
  ret void
}

declare i32 @llvm.nvvm.bmsk.wrap(i32,i32)
define ptx_kernel void @bmsk_wrap(ptr %p, i32 %x0, i32 %x1) {
  %r = call i32 @llvm.nvvm.bmsk.wrap(i32 %x0, i32 %x1)
  store i32 %r, ptr %p
  ret void
}

declare i32 @llvm.nvvm.idp2a.s.s(i32,i32,i1,i32)
define ptx_kernel void @idp2a_s_s(ptr %p, i32 %x0, i32 %x1, i32 %x3) {
  %r = call i32 @llvm.nvvm.idp2a.s.s(i32 %x0, i32 %x1, i1 false, i32 %x3)
  store i32 %r, ptr %p
  ret void
}

declare i32 @llvm.nvvm.idp2a.u.s(i32,i32,i1,i32)
define ptx_kernel void @idp2a_u_s(ptr %p, i32 %x0, i32 %x1, i32 %x3) {
  %r = call i32 @llvm.nvvm.idp2a.u.s(i32 %x0, i32 %x1, i1 true, i32 %x3)
  store i32 %r, ptr %p
  ret void
}

declare i32 @llvm.nvvm.idp4a.s.u(i32,i32,i32)
define ptx_kernel void @idp4a_s_u(ptr %p, i32 %x0, i32 %x1, i32 %x2) {
  %r = call i32 @llvm.nvvm.idp4a.s.u(i32 %x0, i32 %x1, i32 %x2)
  store i32 %r, ptr %p
  ret void
}

declare i32 @llvm.nvvm.mul24.i(i32,i32)
define ptx_kernel void @mul24_i(ptr %p, i32 %x0, i32 %x1) {
  %r = call i32 @llvm.nvvm.mul24.i(i32 %x0, i32 %x1)
  store i32 %r, ptr %p
  ret void
}

declare i32 @llvm.nvvm.mul24.ui(i32,i32)
define ptx_kernel void @mul24_ui(ptr %p, i32 %x0, i32 %x1) {
  %r = call i32 @llvm.nvvm.mul24.ui(i32 %x0, i32 %x1)
  store i32 %r, ptr %p
  ret void
}

declare i32 @llvm.nvvm.sad.i(i32,i32,i32)
define ptx_kernel void @sad_i(ptr %p, i32 %x0, i32 %x1, i32 %x2) {
  %r = call i32 @llvm.nvvm.sad.i(i32 %x0, i32 %x1, i32 %x2)
  store i32 %r, ptr %p
  ret void
}

declare i16 @llvm.nvvm.sad.us(i16,i16,i16)
define ptx_kernel void @sad_us(ptr %p, i16 %x0, i16 %x1, i16 %x2) {
  %r = call i16 @llvm.nvvm.sad.us(i16 %x0, i16 %x1, i16 %x2)
  store i16 %r, ptr %p
  ret void
}

declare i64 @llvm.nvvm.sad.ull(i64,i64,i64)
define ptx_kernel void @sad_ull(ptr %p, i64 %x0, i64 %x1, i64 %x2) {
  %r = call i64 @llvm.nvvm.sad.ull(i64 %x0, i64 %x1, i64 %x2)
  store i64 %r, ptr %p
  ret void
}

declare {i32,i1} @llvm.nvvm.elect.sync(i32)
define ptx_kernel void @elect_sync(ptr %p, i32 %x0) {
  %r = call {i32,i1} @llvm.nvvm.elect.sync(i32 %x0)
  store {i32,i1} %r, ptr %p
  ret void
}

declare void @llvm.nvvm.fence.acquire.sync_restrict.space.cluster.scope.cluster()
define ptx_kernel void @fence_acquire_sync_restrict_space_cluster_scope_cluster() {
  call void @llvm.nvvm.fence.acquire.sync_restrict.space.cluster.scope.cluster()
  ret void
}

declare void @llvm.nvvm.fence.release.sync_restrict.space.cta.scope.cluster()
define ptx_kernel void @fence_release_sync_restrict_space_cta_scope_cluster() {
  call void @llvm.nvvm.fence.release.sync_restrict.space.cta.scope.cluster()
  ret void
}

declare i32 @llvm.nvvm.f2tf32.rz.relu(float)
define ptx_kernel void @f2tf32_rz_relu(ptr %p, float %x0) {
  %r = call i32 @llvm.nvvm.f2tf32.rz.relu(float %x0)
  store i32 %r, ptr %p
  ret void
}

declare i16 @llvm.nvvm.ff.to.e4m3x2.rn.relu(float,float)
define ptx_kernel void @ff_to_e4m3x2_rn_relu(ptr %p, float %x0, float %x1) {
  %r = call i16 @llvm.nvvm.ff.to.e4m3x2.rn.relu(float %x0, float %x1)
  store i16 %r, ptr %p
  ret void
}

declare i16 @llvm.nvvm.f16x2.to.e5m2x2.rn.relu(<2 x half>)
define ptx_kernel void @f16x2_to_e5m2x2_rn_relu(ptr %p, <2 x half> %x0) {
  %r = call i16 @llvm.nvvm.f16x2.to.e5m2x2.rn.relu(<2 x half> %x0)
  store i16 %r, ptr %p
  ret void
}

declare <2 x half> @llvm.nvvm.e5m2x2.to.f16x2.rn.relu(i16)
define ptx_kernel void @e5m2x2_to_f16x2_rn_relu(ptr %p, i16 %x0) {
  %r = call <2 x half> @llvm.nvvm.e5m2x2.to.f16x2.rn.relu(i16 %x0)
  store <2 x half> %r, ptr %p
  ret void
}

declare <2 x half> @llvm.nvvm.ff2f16x2.rn.relu.satfinite(float,float)
define ptx_kernel void @ff2f16x2_rn_relu_satfinite(ptr %p, float %x0, float %x1) {
  %r = call <2 x half> @llvm.nvvm.ff2f16x2.rn.relu.satfinite(float %x0, float %x1)
  store <2 x half> %r, ptr %p
  ret void
}

declare <2 x bfloat> @llvm.nvvm.ff2bf16x2.rz.satfinite(float,float)
define ptx_kernel void @ff2bf16x2_rz_satfinite(ptr %p, float %x0, float %x1) {
  %r = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rz.satfinite(float %x0, float %x1)
  store <2 x bfloat> %r, ptr %p
  ret void
}

declare half @llvm.nvvm.f2f16.rn.relu.satfinite(float)
define ptx_kernel void @f2f16_rn_relu_satfinite(ptr %p, float %x0) {
  %r = call half @llvm.nvvm.f2f16.rn.relu.satfinite(float %x0)
  store half %r, ptr %p
  ret void
}

declare bfloat @llvm.nvvm.f2bf16.rz.satfinite(float)
define ptx_kernel void @f2bf16_rz_satfinite(ptr %p, float %x0) {
  %r = call bfloat @llvm.nvvm.f2bf16.rz.satfinite(float %x0)
  store bfloat %r, ptr %p
  ret void
}

declare {i32,i32,i32,i32} @llvm.nvvm.mma.m16n8k32.row.col.satfinite.s8(i32,i32,i32,i32,i32,i32,i32,i32,i32,i32)
define ptx_kernel void @mma_m16n8k32_row_col_satfinite_s8(ptr %p, i32 %x0, i32 %x1, i32 %x2, i32 %x3, i32 %x4, i32 %x5, i32 %x6, i32 %x7, i32 %x8, i32 %x9) {
  %r = call {i32,i32,i32,i32} @llvm.nvvm.mma.m16n8k32.row.col.satfinite.s8(i32 %x0, i32 %x1, i32 %x2, i32 %x3, i32 %x4, i32 %x5, i32 %x6, i32 %x7, i32 %x8, i32 %x9)
  store {i32,i32,i32,i32} %r, ptr %p
  ret void
}

declare {i32,i32,i32,i32} @llvm.nvvm.mma.m16n8k16.row.col.satfinite.s8(i32,i32,i32,i32,i32,i32,i32)
define ptx_kernel void @mma_m16n8k16_row_col_satfinite_s8(ptr %p, i32 %x0, i32 %x1, i32 %x2, i32 %x3, i32 %x4, i32 %x5, i32 %x6) {
  %r = call {i32,i32,i32,i32} @llvm.nvvm.mma.m16n8k16.row.col.satfinite.s8(i32 %x0, i32 %x1, i32 %x2, i32 %x3, i32 %x4, i32 %x5, i32 %x6)
  store {i32,i32,i32,i32} %r, ptr %p
  ret void
}

declare {float,float,float,float} @llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32(i32,i32,i32,i32,i32,i32,float,float,float,float)
define ptx_kernel void @mma_m16n8k32_row_col_f32_e4m3_e5m2_f32(ptr %p, i32 %x0, i32 %x1, i32 %x2, i32 %x3, i32 %x4, i32 %x5, float %x6, float %x7, float %x8, float %x9) {
  %r = call {float,float,float,float} @llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32(i32 %x0, i32 %x1, i32 %x2, i32 %x3, i32 %x4, i32 %x5, float %x6, float %x7, float %x8, float %x9)
  store {float,float,float,float} %r, ptr %p
  ret void
}

declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.count(i32,i32,i1)
define ptx_kernel void @barrier_cta_red_popc_aligned_count(ptr %p, i32 %x0, i32 %x1, i1 %x2) {
  %r = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.count(i32 %x0, i32 %x1, i1 %x2)
  store i32 %r, ptr %p
  ret void
}

declare i1 @llvm.nvvm.barrier.cta.red.and.aligned.count(i32,i32,i1)
define ptx_kernel void @barrier_cta_red_and_aligned_count(ptr %p, i32 %x0, i32 %x1, i1 %x2) {
  %r = call i1 @llvm.nvvm.barrier.cta.red.and.aligned.count(i32 %x0, i32 %x1, i1 %x2)
  store i1 %r, ptr %p
  ret void
}

declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32,i1)
define ptx_kernel void @barrier_cta_red_popc_aligned_all(ptr %p, i32 %x0, i1 %x1) {
  %r = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 %x0, i1 %x1)
  store i32 %r, ptr %p
  ret void
}

declare {float,float,float,float} @llvm.nvvm.mma.m16n8k4.row.col.tf32(i32,i32,i32,float,float,float,float)
define ptx_kernel void @mma_m16n8k4_row_col_tf32(ptr %p, i32 %x0, i32 %x1, i32 %x2, float %x3, float %x4, float %x5, float %x6) {
  %r = call {float,float,float,float} @llvm.nvvm.mma.m16n8k4.row.col.tf32(i32 %x0, i32 %x1, i32 %x2, float %x3, float %x4, float %x5, float %x6)
  store {float,float,float,float} %r, ptr %p
  ret void
}

declare {float,float,float,float} @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32,i32,i32,i32,i32,i32,float,float,float,float)
define ptx_kernel void @mma_m16n8k8_row_col_tf32(ptr %p, i32 %x0, i32 %x1, i32 %x2, i32 %x3, i32 %x4, i32 %x5, float %x6, float %x7, float %x8, float %x9) {
  %r = call {float,float,float,float} @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32 %x0, i32 %x1, i32 %x2, i32 %x3, i32 %x4, i32 %x5, float %x6, float %x7, float %x8, float %x9)
  store {float,float,float,float} %r, ptr %p
  ret void
}

declare {float,float,float,float} @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half>,<2 x half>,<2 x half>,<2 x half>,<2 x half>,<2 x half>,float,float,float,float)
define ptx_kernel void @mma_m16n8k16_row_col_f32_f32(ptr %p, <2 x half> %x0, <2 x half> %x1, <2 x half> %x2, <2 x half> %x3, <2 x half> %x4, <2 x half> %x5, float %x6, float %x7, float %x8, float %x9) {
  %r = call {float,float,float,float} @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %x0, <2 x half> %x1, <2 x half> %x2, <2 x half> %x3, <2 x half> %x4, <2 x half> %x5, float %x6, float %x7, float %x8, float %x9)
  store {float,float,float,float} %r, ptr %p
  ret void
}

declare {float,float,float,float} @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32,i32,i32,i32,i32,i32,float,float,float,float)
define ptx_kernel void @mma_m16n8k16_row_col_bf16(ptr %p, i32 %x0, i32 %x1, i32 %x2, i32 %x3, i32 %x4, i32 %x5, float %x6, float %x7, float %x8, float %x9) {
  %r = call {float,float,float,float} @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32 %x0, i32 %x1, i32 %x2, i32 %x3, i32 %x4, i32 %x5, float %x6, float %x7, float %x8, float %x9)
  store {float,float,float,float} %r, ptr %p
  ret void
}

declare {<2 x half>,<2 x half>} @llvm.nvvm.mma.m16n8k8.row.col.f16.f16(<2 x half>,<2 x half>,<2 x half>,<2 x half>,<2 x half>)
define ptx_kernel void @mma_m16n8k8_row_col_f16_f16(ptr %p, <2 x half> %x0, <2 x half> %x1, <2 x half> %x2, <2 x half> %x3, <2 x half> %x4) {
  %r = call {<2 x half>,<2 x half>} @llvm.nvvm.mma.m16n8k8.row.col.f16.f16(<2 x half> %x0, <2 x half> %x1, <2 x half> %x2, <2 x half> %x3, <2 x half> %x4)
  store {<2 x half>,<2 x half>} %r, ptr %p
  ret void
}

declare {i32,i32,i32,i32} @llvm.nvvm.mma.m16n8k32.row.col.s8(i32,i32,i32,i32,i32,i32,i32,i32,i32,i32)
define ptx_kernel void @mma_m16n8k32_row_col_s8(ptr %p, i32 %x0, i32 %x1, i32 %x2, i32 %x3, i32 %x4, i32 %x5, i32 %x6, i32 %x7, i32 %x8, i32 %x9) {
  %r = call {i32,i32,i32,i32} @llvm.nvvm.mma.m16n8k32.row.col.s8(i32 %x0, i32 %x1, i32 %x2, i32 %x3, i32 %x4, i32 %x5, i32 %x6, i32 %x7, i32 %x8, i32 %x9)
  store {i32,i32,i32,i32} %r, ptr %p
  ret void
}

declare {i32,i32,i32,i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3))
define ptx_kernel void @ldmatrix_sync_aligned_m8n8_x4_trans_b16_p3(ptr %p, ptr addrspace(3) %x0) {
  %r = call {i32,i32,i32,i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %x0)
  store {i32,i32,i32,i32} %r, ptr %p
  ret void
}

declare i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3))
define ptx_kernel void @ldmatrix_sync_aligned_m8n8_x1_b16_p3(ptr %p, ptr addrspace(3) %x0) {
  %r = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3) %x0)
  store i32 %r, ptr %p
  ret void
}

declare void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3),i32,i32)
define ptx_kernel void @stmatrix_sync_aligned_m8n8_x2_trans_b16_p3(ptr addrspace(3) %x0, i32 %x1, i32 %x2) {
  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3) %x0, i32 %x1, i32 %x2)
  ret void
}

declare void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3),i32,i32,i32,i32)
define ptx_kernel void @stmatrix_sync_aligned_m8n8_x4_b16_p3(ptr addrspace(3) %x0, i32 %x1, i32 %x2, i32 %x3, i32 %x4) {
  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %x0, i32 %x1, i32 %x2, i32 %x3, i32 %x4)
  ret void
}

declare i32 @llvm.nvvm.prmt.f4e(i32,i32,i32)
define ptx_kernel void @prmt_f4e(ptr %p, i32 %x0, i32 %x1, i32 %x2) {
  %r = call i32 @llvm.nvvm.prmt.f4e(i32 %x0, i32 %x1, i32 %x2)
  store i32 %r, ptr %p
  ret void
}

declare i32 @llvm.nvvm.prmt.rc8(i32,i32)
define ptx_kernel void @prmt_rc8(ptr %p, i32 %x0, i32 %x1) {
  %r = call i32 @llvm.nvvm.prmt.rc8(i32 %x0, i32 %x1)
  store i32 %r, ptr %p
  ret void
}

declare i32 @llvm.nvvm.prmt.rc16(i32,i32)
define ptx_kernel void @prmt_rc16(ptr %p, i32 %x0, i32 %x1) {
  %r = call i32 @llvm.nvvm.prmt.rc16(i32 %x0, i32 %x1)
  store i32 %r, ptr %p
  ret void
}

declare i32 @llvm.nvvm.prmt.ecl(i32,i32)
define ptx_kernel void @prmt_ecl(ptr %p, i32 %x0, i32 %x1) {
  %r = call i32 @llvm.nvvm.prmt.ecl(i32 %x0, i32 %x1)
  store i32 %r, ptr %p
  ret void
}

declare i32 @llvm.nvvm.prmt.ecr(i32,i32)
define ptx_kernel void @prmt_ecr(ptr %p, i32 %x0, i32 %x1) {
  %r = call i32 @llvm.nvvm.prmt.ecr(i32 %x0, i32 %x1)
  store i32 %r, ptr %p
  ret void
}

define ptx_kernel void @wgmma_f16(ptr %p, i64 %d, i64 %e) {
  %c = load {float, float, float, float, float, float, float, float}, ptr %p
  %c0 = extractvalue {float, float, float, float, float, float, float, float} %c, 0
  %c1 = extractvalue {float, float, float, float, float, float, float, float} %c, 1
  %c2 = extractvalue {float, float, float, float, float, float, float, float} %c, 2
  %c3 = extractvalue {float, float, float, float, float, float, float, float} %c, 3
  %c4 = extractvalue {float, float, float, float, float, float, float, float} %c, 4
  %c5 = extractvalue {float, float, float, float, float, float, float, float} %c, 5
  %c6 = extractvalue {float, float, float, float, float, float, float, float} %c, 6
  %c7 = extractvalue {float, float, float, float, float, float, float, float} %c, 7
  %r = call {float, float, float, float, float, float, float, float} asm sideeffect "{\0A.reg .pred p;\0Asetp.ne.b32 p, $18, 0;\0Awgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7}, $16, $17, p, $19, $20, $21, $22;\0A}\0A", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,l,l,n,n,n,n,n"(float %c0, float %c1, float %c2, float %c3, float %c4, float %c5, float %c6, float %c7, i64 %d, i64 %e, i32 1, i32 1, i32 -1, i32 0, i32 1)
  store {float, float, float, float, float, float, float, float} %r, ptr %p
  ret void
}

define ptx_kernel void @wgmma_f16_fragments(ptr %p, i32 %a0, i32 %a1, i32 %a2, i32 %a3, i64 %e) {
  %c = load {float, float, float, float}, ptr %p
  %c0 = extractvalue {float, float, float, float} %c, 0
  %c1 = extractvalue {float, float, float, float} %c, 1
  %c2 = extractvalue {float, float, float, float} %c, 2
  %c3 = extractvalue {float, float, float, float} %c, 3
  %r = call {float, float, float, float} asm sideeffect "{\0A.reg .pred p;\0Asetp.ne.b32 p, $13, 0;\0Awgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, p, $14, $15, $16;\0A}\0A", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l,n,n,n,n"(float %c0, float %c1, float %c2, float %c3, i32 %a0, i32 %a1, i32 %a2, i32 %a3, i64 %e, i32 1, i32 1, i32 -1, i32 1)
  store {float, float, float, float} %r, ptr %p
  ret void
}

define ptx_kernel void @wgmma_f16_sums(ptr %p, i64 %d, i64 %e) {
  %c = load {i32, i32, i32, i32}, ptr %p
  %c0 = extractvalue {i32, i32, i32, i32} %c, 0
  %c1 = extractvalue {i32, i32, i32, i32} %c, 1
  %c2 = extractvalue {i32, i32, i32, i32} %c, 2
  %c3 = extractvalue {i32, i32, i32, i32} %c, 3
  %r = call {i32, i32, i32, i32} asm sideeffect "{\0A.reg .pred p;\0Asetp.ne.b32 p, $10, 0;\0Awgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 {$0, $1, $2, $3}, $8, $9, p, $11, $12, $13, $14;\0A}\0A", "=r,=r,=r,=r,0,1,2,3,l,l,n,n,n,n,n"(i32 %c0, i32 %c1, i32 %c2, i32 %c3, i64 %d, i64 %e, i32 1, i32 1, i32 -1, i32 0, i32 1)
  store {i32, i32, i32, i32} %r, ptr %p
  ret void
}

define ptx_kernel void @wgmma_bf16(ptr %p, i64 %d, i64 %e) {
  %c = load {float, float, float, float}, ptr %p
  %c0 = extractvalue {float, float, float, float} %c, 0
  %c1 = extractvalue {float, float, float, float} %c, 1
  %c2 = extractvalue {float, float, float, float} %c, 2
  %c3 = extractvalue {float, float, float, float} %c, 3
  %r = call {float, float, float, float} asm sideeffect "{\0A.reg .pred p;\0Asetp.ne.b32 p, $10, 0;\0Awgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $8, $9, p, $11, $12, $13, $14;\0A}\0A", "=f,=f,=f,=f,0,1,2,3,l,l,n,n,n,n,n"(float %c0, float %c1, float %c2, float %c3, i64 %d, i64 %e, i32 1, i32 1, i32 -1, i32 0, i32 1)
  store {float, float, float, float} %r, ptr %p
  ret void
}

define ptx_kernel void @wgmma_tf32(ptr %p, i64 %d, i64 %e) {
  %c = load {float, float, float, float}, ptr %p
  %c0 = extractvalue {float, float, float, float} %c, 0
  %c1 = extractvalue {float, float, float, float} %c, 1
  %c2 = extractvalue {float, float, float, float} %c, 2
  %c3 = extractvalue {float, float, float, float} %c, 3
  %r = call {float, float, float, float} asm sideeffect "{\0A.reg .pred p;\0Asetp.ne.b32 p, $10, 0;\0Awgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, $8, $9, p, $11, $12;\0A}\0A", "=f,=f,=f,=f,0,1,2,3,l,l,n,n,n"(float %c0, float %c1, float %c2, float %c3, i64 %d, i64 %e, i32 1, i32 1, i32 -1)
  store {float, float, float, float} %r, ptr %p
  ret void
}

define ptx_kernel void @wgmma_e4m3_e5m2(ptr %p, i64 %d, i64 %e) {
  %c = load {float, float, float, float, float, float, float, float, float, float, float, float}, ptr %p
  %c0 = extractvalue {float, float, float, float, float, float, float, float, float, float, float, float} %c, 0
  %c1 = extractvalue {float, float, float, float, float, float, float, float, float, float, float, float} %c, 1
  %c2 = extractvalue {float, float, float, float, float, float, float, float, float, float, float, float} %c, 2
  %c3 = extractvalue {float, float, float, float, float, float, float, float, float, float, float, float} %c, 3
  %c4 = extractvalue {float, float, float, float, float, float, float, float, float, float, float, float} %c, 4
  %c5 = extractvalue {float, float, float, float, float, float, float, float, float, float, float, float} %c, 5
  %c6 = extractvalue {float, float, float, float, float, float, float, float, float, float, float, float} %c, 6
  %c7 = extractvalue {float, float, float, float, float, float, float, float, float, float, float, float} %c, 7
  %c8 = extractvalue {float, float, float, float, float, float, float, float, float, float, float, float} %c, 8
  %c9 = extractvalue {float, float, float, float, float, float, float, float, float, float, float, float} %c, 9
  %c10 = extractvalue {float, float, float, float, float, float, float, float, float, float, float, float} %c, 10
  %c11 = extractvalue {float, float, float, float, float, float, float, float, float, float, float, float} %c, 11
  %r = call {float, float, float, float, float, float, float, float, float, float, float, float} asm sideeffect "{\0A.reg .pred p;\0Asetp.ne.b32 p, $26, 0;\0Awgmma.mma_async.sync.aligned.m64n24k32.f32.e4m3.e5m2 {$0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11}, $24, $25, p, $27, $28;\0A}\0A", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,l,l,n,n,n"(float %c0, float %c1, float %c2, float %c3, float %c4, float %c5, float %c6, float %c7, float %c8, float %c9, float %c10, float %c11, i64 %d, i64 %e, i32 1, i32 1, i32 -1)
  store {float, float, float, float, float, float, float, float, float, float, float, float} %r, ptr %p
  ret void
}

define ptx_kernel void @wgmma_s8(ptr %p, i64 %d, i64 %e) {
  %c = load {i32, i32, i32, i32}, ptr %p
  %c0 = extractvalue {i32, i32, i32, i32} %c, 0
  %c1 = extractvalue {i32, i32, i32, i32} %c, 1
  %c2 = extractvalue {i32, i32, i32, i32} %c, 2
  %c3 = extractvalue {i32, i32, i32, i32} %c, 3
  %r = call {i32, i32, i32, i32} asm sideeffect "{\0A.reg .pred p;\0Asetp.ne.b32 p, $10, 0;\0Awgmma.mma_async.sync.aligned.m64n8k32.satfinite.s32.s8.u8 {$0, $1, $2, $3}, $8, $9, p;\0A}\0A", "=r,=r,=r,=r,0,1,2,3,l,l,n"(i32 %c0, i32 %c1, i32 %c2, i32 %c3, i64 %d, i64 %e, i32 1)
  store {i32, i32, i32, i32} %r, ptr %p
  ret void
}

define ptx_kernel void @wgmma_s8_fragments(ptr %p, i32 %a0, i32 %a1, i32 %a2, i32 %a3, i64 %e) {
  %c = load {i32, i32, i32, i32, i32, i32, i32, i32}, ptr %p
  %c0 = extractvalue {i32, i32, i32, i32, i32, i32, i32, i32} %c, 0
  %c1 = extractvalue {i32, i32, i32, i32, i32, i32, i32, i32} %c, 1
  %c2 = extractvalue {i32, i32, i32, i32, i32, i32, i32, i32} %c, 2
  %c3 = extractvalue {i32, i32, i32, i32, i32, i32, i32, i32} %c, 3
  %c4 = extractvalue {i32, i32, i32, i32, i32, i32, i32, i32} %c, 4
  %c5 = extractvalue {i32, i32, i32, i32, i32, i32, i32, i32} %c, 5
  %c6 = extractvalue {i32, i32, i32, i32, i32, i32, i32, i32} %c, 6
  %c7 = extractvalue {i32, i32, i32, i32, i32, i32, i32, i32} %c, 7
  %r = call {i32, i32, i32, i32, i32, i32, i32, i32} asm sideeffect "{\0A.reg .pred p;\0Asetp.ne.b32 p, $21, 0;\0Awgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8 {$0, $1, $2, $3, $4, $5, $6, $7}, {$16, $17, $18, $19}, $20, p;\0A}\0A", "=r,=r,=r,=r,=r,=r,=r,=r,0,1,2,3,4,5,6,7,r,r,r,r,l,n"(i32 %c0, i32 %c1, i32 %c2, i32 %c3, i32 %c4, i32 %c5, i32 %c6, i32 %c7, i32 %a0, i32 %a1, i32 %a2, i32 %a3, i64 %e, i32 1)
  store {i32, i32, i32, i32, i32, i32, i32, i32} %r, ptr %p
  ret void
}

define ptx_kernel void @compare_olt_half(ptr %p, <2 x half> %a, <2 x half> %b) {
  %c = fcmp olt <2 x half> %a, %b
  %r = select <2 x i1> %c, <2 x half> %a, <2 x half> %b
  store <2 x half> %r, ptr %p
  ret void
}

define ptx_kernel void @compare_olt_bfloat(ptr %p, <2 x bfloat> %a, <2 x bfloat> %b) {
  %c = fcmp olt <2 x bfloat> %a, %b
  %r = select <2 x i1> %c, <2 x bfloat> %a, <2 x bfloat> %b
  store <2 x bfloat> %r, ptr %p
  ret void
}

define ptx_kernel void @compare_ugt_half(ptr %p, <2 x half> %a, <2 x half> %b) {
  %c = fcmp ugt <2 x half> %a, %b
  %r = select <2 x i1> %c, <2 x half> %a, <2 x half> %b
  store <2 x half> %r, ptr %p
  ret void
}

define ptx_kernel void @compare_ugt_bfloat(ptr %p, <2 x bfloat> %a, <2 x bfloat> %b) {
  %c = fcmp ugt <2 x bfloat> %a, %b
  %r = select <2 x i1> %c, <2 x bfloat> %a, <2 x bfloat> %b
  store <2 x bfloat> %r, ptr %p
  ret void
}

define ptx_kernel void @compare_une_half(ptr %p, <2 x half> %a, <2 x half> %b) {
  %c = fcmp une <2 x half> %a, %b
  %r = select <2 x i1> %c, <2 x half> %a, <2 x half> %b
  store <2 x half> %r, ptr %p
  ret void
}

define ptx_kernel void @compare_une_bfloat(ptr %p, <2 x bfloat> %a, <2 x bfloat> %b) {
  %c = fcmp une <2 x bfloat> %a, %b
  %r = select <2 x i1> %c, <2 x bfloat> %a, <2 x bfloat> %b
  store <2 x bfloat> %r, ptr %p
  ret void
}
