#pragma once
// The forms that compilers emit for 181 public CUDA sources: clang 14 for sm_70, and nvcc 13 for sm_75
// (docs/model/ptx.md#measured-forms).
// An opcode, then the rest of each form.

namespace ptx_test {

inline constexpr char const* listed_forms[] = {
    "add .s64 .s32 .f32 .f64 .s16 .u64 .rn.f64 .rn.f32 .rz.f32 .cc.u32",
    "mul .f64 .wide.u32 .f32 .wide.s32 .lo.s32 .hi.u32 .wide.u16 .lo.s64 .lo.s16 .hi.s32 .wide.s16 .hi.u16 "
    ".rn.f32 .rn.f64 .lo.u32",
    "fma .rn.f64 .rn.f32 .rm.f32 .rz.f32",
    "ld .param.u64 .global.f32 .f32 .u32 .global.nc.f32 .global.nc.f64 .shared.f32 .param.u32 .global.f64 "
    ".shared.u32 .global.u32 .const.f32 .shared.u8 .volatile.shared.f32 .u8 .param.f32 .shared.v2.f64 "
    ".volatile.shared.f64 .shared.f64 .volatile.shared.u32 .const.u32 .global.u8 .const.u8 .shared.v4.f32 "
    ".local.f32 .param.f64 .const.u64 .shared.u16 .global.s32 .global.u64 .s32 .v2.u32 .global.nc.u32 .u16 "
    ".global.v2.u32 .s8 .const.f64 .param.u8 .f64 .s16 .shared.s16 .shared.u64 .volatile.global.u32 "
    ".global.v2.f64 .u64 .global.v4.u32 .local.u32 .v4.u32 .global.nc.v2.f32 .global.nc.v2.f64 "
    ".global.v2.f32 .param.v4.f32 .global.s8 .param.v2.f32 .local.u64 .v4.f32 .global.v4.f32 .global.u16 "
    ".const.v4.f32 .param.u16 .shared.s32 .volatile.u32 .const.u16 .param.b32 .local.v4.f32 .param.s32 "
    ".shared.v2.f32 .param.s8 .global.v4.u16 .const.s32 .const.v2.u32 .param.v2.f64 .local.u16 .local.v4.u8 "
    ".v2.u16 .param.v2.u8 .param.v4.u8 .shared.v4.u32 .local.u8 .global.nc.v4.f32 .param.v4.u32 "
    ".shared.v4.u8 .global.v4.u8 .shared.v2.u16 .global.nc.v2.u32 .global.nc.v4.u32 .acquire.cta.u32 "
    ".global.nc.u64 .shared.v2.u32",
    "mov .u32 .b64 .u64 .f64 .f32 .b32 .pred .u16",
    "st .global.f32 .f32 .global.f64 .u32 .shared.u32 .shared.f32 .global.u32 .volatile.shared.f32 .u8 "
    ".shared.f64 .local.u32 .volatile.shared.f64 .param.b64 .global.u8 .volatile.shared.u32 .param.b32 "
    ".shared.u8 .param.f32 .global.u64 .shared.u16 .local.f32 .u16 .shared.u64 .global.v2.f32 .global.v4.u8 "
    ".param.f64 .global.v2.f64 .v2.u32 .v2.f32 .volatile.global.u32 .global.v4.u32 .v4.u32 .global.v2.u32 "
    ".local.v4.f32 .global.v4.f32 .local.u64 .f64 .global.u16 .local.v2.f64 .local.f64 .shared.v4.u8 "
    ".volatile.u32 .param.b8 .volatile.shared.u64 .local.v4.u8 .v4.u8 .shared.v2.f32 .shared.v2.f64 "
    ".local.u8 .shared.v4.u32 .shared.v2.u16 .global.v2.u8 .shared.v2.u32 .local.v2.f32",
    "bra - .uni",
    "setp .eq.s32 .ne.s32 .ge.u32 .lt.u32 .lt.s32 .gt.u32 .gt.f64 .lt.f64 .gt.s32 .ge.s32 .ne.s16 .lt.f32 "
    ".gt.f32 .eq.b32 .eq.s16 .leu.f32 .geu.f32 .le.s32 .leu.f64 .le.u32 .eq.f32 .neu.f32 .gt.s16 .eq.f64 "
    ".neu.f64 .gtu.f64 .gt.u16 .ge.u64 .eq.s64 .ltu.f64 .lt.s16 .eq.b16 .lt.u16 .ge.s64 .ltu.f32 .ge.f32 "
    ".gtu.f32 .ge.f64 .eq.b64 .nan.f32 .lt.s64 .lt.u64 .gt.s64 .le.s64 .ne.s64 .ge.u16 .le.u16 .geu.f64 "
    ".le.f32 .ne.u32 .le.f64",
    "cvt .u64.u32 .u32.u64 .rn.f32.f64 .f64.f32 .rzi.s32.f64 .rni.f64.f64 .s64.s32 .u16.u32 .rn.f32.s32 "
    ".rn.f64.s32 .rni.f32.f32 .rzi.f32.f32 .u32.u16 .rn.f32.u32 .s32.s16 .rzi.s32.f32 .s16.s8 .sat.f32.f32 "
    ".rzi.u32.f32 .rn.f32.u16 .rzi.u16.f32 .s32.s8 .rmi.f32.f32 .rn.f64.u32 .rzi.f64.f64 .rn.f32.s16 "
    ".rpi.f32.f32 .u64.u16 .rpi.f64.f64 .u16.u64 .rn.f64.s64 .rni.s32.f32 .rni.s32.f64",
    "sub .f32 .f64 .s32 .s64 .s16 .cc.u32",
    "shr .u32 .s32 .u64 .s64 .u16 .s16",
    "shl .b64 .b32 .b16",
    "neg .f32 .f64 .s32 .s64",
    "cvta .to.global.u64 .shared.u64 .global.u64 .to.local.u64 .local.u64",
    "mad .lo.s32 .wide.u32 .lo.cc.u32",
    "and .b32 .b64 .pred .b16",
    "bar .sync .warp.sync",
    "shfl .sync.down.b32 .sync.bfly.b32 .sync.up.b32 .sync.idx.b32",
    "or .b64 .b32 .pred .b16",
    "selp .b32 .f32 .u32 .f64 .b64 .s32 .u16 .b16 .u64",
    "xor .b64 .b32 .pred .b16",
    "ret -",
    "rcp .rn.f64 .rn.f32 .approx.ftz.f64 .approx.ftz.f32",
    "div .rn.f32 .rn.f64 .s32 .approx.f32 .u32 .u16",
    "bfe .u64 .u32 .s32",
    "min .f64 .f32 .u32 .s32 .u16",
    "mul24 .lo.s32 .lo.u32",
    "sqrt .rn.f64 .rn.f32",
    "max .f64 .f32 .s32 .u32 .u16",
    "ex2 .approx.f32 .approx.ftz.f32",
    "tex .1d.v4.f32.s32 .2d.v4.f32.f32 .1d.v4.u32.s32 .2d.v4.u32.f32 .1d.v4.s32.s32 .1d.v4.f32.f32 "
    ".2d.v4.s32.f32",
    "not .b32 .pred .b64",
    "rsqrt .approx.f32 .approx.f64",
    "abs .f32 .s32 .f64",
    "atom .global.add.u32 .shared.add.u32 .inc.u32 .global.add.f32 .add.u32 .global.exch.b32 .global.or.b32 "
    ".global.min.s32 .global.min.u32 .shared.or.b32 .min.s32 .exch.b32 .global.max.u32 .global.inc.u32 "
    ".or.acq_rel.cta.b32",
    "lg2 .approx.f32",
    "vote .sync.ballot.b32 .sync.any.pred .sync.all.pred .any.pred .all.pred",
    "shf .l.wrap.b32 .r.wrap.b32",
    "call .uni",
    "cos .approx.f32",
    "sin .approx.f32",
    "rem .u32 .s32",
    "membar .gl",
    "clz .b32 .b64",
    "popc .b32",
    "barrier .sync",
    "prmt .b32",
    "bfi .b64 .b32",
    "copysign .f32",
    "red .and.release.cta.b32",
    "brev .b32",
    "bfind .shiftamt.u32",
    "madc .hi.u32 .hi.cc.u32 .lo.cc.u32",
    "addc .u32 .cc.u32",
    "subc .cc.u32 .u32",
};

} // namespace ptx_test
