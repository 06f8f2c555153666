//===- WarpgroupMultiply.cpp - wgmma --------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma.mma_async of all types but b1, and the instructions that order it.
// Products are in WarpgroupProduct.h, what is under way in Warpgroup.h.
//
//===----------------------------------------------------------------------===//

#include "Families/Warpgroup.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

/// The modifiers and target that all of wgmma have.
void decodeCommon(Decoder &d, Instr &i, InstrKind kind, ExecFn exec) {
  i.kind = kind;
  i.exec = exec;
  i.syncMask = Instr::syncAll;
  if (d.target() != "sm_90a")
    d.error("wgmma needs .target sm_90a, and the module is for " + d.target());
  if (!d.take("sync") || !d.take("aligned"))
    d.error("wgmma needs .sync.aligned");
}

Step fenceExec(Warp &warp, const Instr &, uint32_t mask) {
  if (isWholeWarp(warp, mask))
    warp.productRegisters.fence();
  return Step::Next;
}

void decodeFence(Decoder &d, Instr &i) {
  decodeCommon(d, i, InstrKind::Fence, &fenceExec);
  d.expectOperands(0, 0);
}

Step commitExec(Warp &warp, const Instr &, uint32_t mask) {
  if (isWholeWarp(warp, mask))
    commitProducts(warp);
  return Step::Next;
}

void decodeCommit(Decoder &d, Instr &i) {
  decodeCommon(d, i, InstrKind::Barrier, &commitExec);
  d.expectOperands(0, 0);
}

Step waitExec(Warp &warp, const Instr &instr, uint32_t mask) {
  if (isWholeWarp(warp, mask))
    waitForProducts(warp, instr.extra);
  return Step::Next;
}

void decodeWait(Decoder &d, Instr &i) {
  decodeCommon(d, i, InstrKind::Barrier, &waitExec);
  d.expectOperands(1, 1);
  i.extra = static_cast<uint64_t>(d.immediate(0));
}

Step multiplyExec(Warp &warp, const Instr &instr, uint32_t mask) {
  return isWholeWarp(warp, mask) ? issueProduct(warp, instr) : Step::Next;
}

/// "m64n128k16"; false if it is malformed or not of wgmma.
bool parseShape(StringRef shape, uint64_t &n, unsigned &k) {
  return shape.consume_front("m64n") && !shape.consumeInteger(10, n) &&
         shape.consume_front("k") && !shape.consumeInteger(10, k) &&
         shape.empty();
}

/// N is a multiple of 8 up to 256; for integers above 32, of 16.
bool isColumns(uint64_t n, bool isInteger) {
  return n != 0 && n <= 256 && n % 8 == 0 &&
         (!isInteger || n <= 32 || n % 16 == 0);
}

bool isTypes(const ProductPlan &plan) {
  switch (plan.a) {
  case Element::F16:
    return plan.b == plan.a &&
           (plan.result == Result::F16 || plan.result == Result::F32);
  case Element::BF16:
  case Element::TF32:
    return plan.b == plan.a && plan.result == Result::F32;
  case Element::E4M3:
  case Element::E5M2:
    return (plan.b == Element::E4M3 || plan.b == Element::E5M2) &&
           (plan.result == Result::F16 || plan.result == Result::F32);
  case Element::S8:
  case Element::U8:
    return (plan.b == Element::S8 || plan.b == Element::U8) &&
           plan.result == Result::S32;
  default:
    return false;
  }
}

int32_t takeScale(Decoder &d, size_t index) {
  const Operand &scale = d.operand(index);
  if (scale.isPredicate())
    return d.predicateSource(scale);
  const int64_t value = d.immediate(index);
  if (value != 0 && value != 1)
    d.error("scale-d is a predicate, 0 or 1");
  return value == 0 ? scaleZero : scaleOne;
}

/// True for -1, of imm-scale-a and imm-scale-b.
bool takeNegation(Decoder &d, size_t index) {
  const int64_t value = d.immediate(index);
  if (value != 1 && value != -1)
    d.error("imm-scale-a and imm-scale-b are 1 or -1");
  return value == -1;
}

bool takeTranspose(Decoder &d, size_t index) {
  const int64_t value = d.immediate(index);
  if (value != 0 && value != 1)
    d.error("imm-trans-a and imm-trans-b are 0 or 1");
  return value == 1;
}

/// The constants after scale-d: scales of floats, transposes of 16 bits.
void decodeConstants(Decoder &d, ProductPlan &plan) {
  const bool isInteger = !isFloat(plan.a);
  const bool mayTranspose = elementBits(plan.a) == 16;
  const size_t scales = isInteger ? 0 : 2;
  const size_t transposes = !mayTranspose ? 0 : plan.isAInRegisters ? 1 : 2;
  d.expectOperands(4 + scales + transposes, 4 + scales + transposes);
  if (d.failed())
    return;
  if (!isInteger) {
    plan.negatesA = takeNegation(d, 4);
    plan.negatesB = takeNegation(d, 5);
  }
  if (transposes == 2)
    plan.isAMNMajor = takeTranspose(d, 6);
  if (transposes != 0)
    plan.isBMNMajor = takeTranspose(d, 5 + transposes);
}

void decodeMultiply(Decoder &d, Instr &i) {
  decodeCommon(d, i, InstrKind::Matrix, &multiplyExec);
  ProductPlan plan = {};
  unsigned k = 0;
  if (!parseShape(d.takeNext(), i.extra, k))
    return d.error("the shape is not supported");
  plan.saturates = d.take("satfinite");
  plan.result = takeResult(d);
  plan.a = takeElement(d);
  plan.b = takeElement(d);
  if (d.failed())
    return;
  const bool isInteger = !isFloat(plan.a);
  if (!isTypes(plan) || !isColumns(i.extra, isInteger) || k != plan.k() ||
      (plan.saturates && !isInteger))
    return d.error("the combination of shape and types is not supported");
  plan.isAInRegisters = d.operand(1).kind == Operand::Kind::Vector;
  decodeConstants(d, plan);
  if (d.failed())
    return;
  std::memcpy(i.attr.data(), &plan, sizeof(plan));
  const auto fragments = static_cast<size_t>(i.extra / fragmentColumns);
  addRegisters(d, i, 0, fragments * resultRegisters(plan.result, fragmentRows),
               Type::B32, /*isDestination=*/true);
  if (plan.isAInRegisters)
    addRegisters(d, i, 1, 4, Type::B32, /*isDestination=*/false);
  d.watchRegisters();
  if (!plan.isAInRegisters)
    i.ops.push_back(d.source(1, Type::B64));
  i.ops.push_back(d.source(2, Type::B64));
  i.ops.push_back(takeScale(d, 3));
}

} // namespace

void registerWarpgroupMultiply(OpcodeTable &table) {
  table.add("wgmma.fence", decodeFence);
  table.add("wgmma.commit_group", decodeCommit);
  table.add("wgmma.wait_group", decodeWait);
  table.add("wgmma.mma_async", decodeMultiply);
}

} // namespace tilewright::sim
