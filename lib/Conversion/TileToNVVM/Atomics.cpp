//===- Atomics.cpp - Atomic accesses to global memory ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element is one `atom`, or `red` where nobody wants what stood there. What
// has no instruction is computed by the thread, and exchanged for as long as
// somebody else was faster:
//
//   old = ld.volatile [p]
//   do { seen = old; old = atom.cas [p], seen, f(seen, value); }
//   while (old != seen)
//
// The order stands on the instruction if there is one; several, and loops, have
// a fence in front of them and behind them.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "RegisterValues.h"
#include "ThreadIndex.h"
#include "WarpShuffle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// ".add.u32" and the like; empty where the target has no such instruction.
static std::string getOperation(AtomicKind kind, Type type,
                                const GpuTarget &target) {
  unsigned bits = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type) && kind == AtomicKind::Add) {
    if (type.isBF16() && !target.bf16Arithmetic)
      return "";
    return type.isBF16()
               ? "add.noftz.bf16"
               : llvm::formatv("add{0}.f{1}", bits == 16 ? ".noftz" : "", bits)
                     .str();
  }
  if (bits < 32 || (isa<FloatType>(type) && kind != AtomicKind::Xchg))
    return "";
  static constexpr StringLiteral names[] = {"add.u", "max.s", "min.s",
                                            "max.u", "min.u", "and.b",
                                            "or.b",  "xor.b", "exch.b"};
  return llvm::formatv("{0}{1}", names[static_cast<unsigned>(kind)], bits);
}

static Value compute(OpBuilder &builder, Location loc, AtomicKind kind,
                     Value old, Value value) {
  bool isFloat = isa<FloatType>(old.getType());
  switch (kind) {
  case AtomicKind::Add:
    return isFloat ? Value(arith::AddFOp::create(builder, loc, old, value))
                   : Value(arith::AddIOp::create(builder, loc, old, value));
  case AtomicKind::Max:
    return isFloat ? Value(arith::MaximumFOp::create(builder, loc, old, value))
                   : Value(arith::MaxSIOp::create(builder, loc, old, value));
  case AtomicKind::Min:
    return isFloat ? Value(arith::MinimumFOp::create(builder, loc, old, value))
                   : Value(arith::MinSIOp::create(builder, loc, old, value));
  case AtomicKind::UMax:
    return arith::MaxUIOp::create(builder, loc, old, value);
  case AtomicKind::UMin:
    return arith::MinUIOp::create(builder, loc, old, value);
  case AtomicKind::And:
    return arith::AndIOp::create(builder, loc, old, value);
  case AtomicKind::Or:
    return arith::OrIOp::create(builder, loc, old, value);
  case AtomicKind::Xor:
    return arith::XOrIOp::create(builder, loc, old, value);
  case AtomicKind::Xchg:
    return value;
  }
  llvm_unreachable("a kind");
}

namespace {
/// Writes the accesses of one op.
class AtomicWriter {
public:
  template <typename Op>
  AtomicWriter(Op op, OpBuilder &builder)
      : builder(builder), loc(op.getLoc()),
        scope(stringifyAtomicScope(op.getScope())),
        order(stringifyAtomicOrder(op.getOrder())), releases(op.releases()),
        acquires(op.acquires()), isUsed(!op.getResult().use_empty()) {}

  /// Where the order stands from now on.
  void putOrder(bool onInstruction) { isOrdered = onInstruction; }
  void begin() { fence(!isOrdered && releases); }
  void end() { fence(!isOrdered && acquires); }

  /// The bits that were there; 0 where the predicate, which may be null, does
  /// not hold.
  Value write(Value pointer, StringRef operation, ValueRange operands,
              Value predicate) {
    Type type = operands.front().getType();
    unsigned bits = type.getIntOrFloatBitWidth();
    const char *registers = bits == 64 ? "l" : bits == 32 ? "r" : "h";
    // red does not acquire.
    bool isRed = !isUsed && operands.size() == 1 && !(isOrdered && acquires);
    std::string text, constraints;
    unsigned next = isRed ? 0 : 1;
    if (!isRed) {
      if (predicate)
        text = llvm::formatv("mov.b{0} $0, 0;\n", bits);
      // Written before the address is read: they must not share.
      constraints = llvm::formatv("={0}{1},", predicate ? "&" : "", registers);
    }
    SmallVector<Value> inputs;
    if (predicate) {
      inputs.push_back(predicate);
      text += llvm::formatv("@${0} ", next++);
      constraints += "b,";
    }
    text += llvm::formatv("{0}.{1}.{2}.global.{3} {4}[${5}]",
                          isRed ? "red" : "atom", isOrdered ? order : "relaxed",
                          scope, operation, isRed ? "" : "$0, ", next++);
    constraints += "l";
    inputs.push_back(pointer);
    for (Value operand : operands) {
      text += llvm::formatv(", ${0}", next++);
      constraints += llvm::formatv(",{0}", registers);
      inputs.push_back(operand);
    }
    Value old = emitPtx(builder, loc, isRed ? Type() : type, inputs, text + ";",
                        constraints + ",~{memory}");
    return isRed ? makeZero(type) : old;
  }

  /// The same by exchanges.
  Value exchange(Value pointer, AtomicKind kind, Value value, Value predicate) {
    Type bits = builder.getIntegerType(value.getType().getIntOrFloatBitWidth());
    if (!predicate)
      return exchange(pointer, kind, value);
    auto branch = scf::IfOp::create(builder, loc, TypeRange(bits), predicate,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, makeZero(bits));
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, exchange(pointer, kind, value));
    return branch.getResult(0);
  }

private:
  Value exchange(Value pointer, AtomicKind kind, Value value) {
    unsigned width = value.getType().getIntOrFloatBitWidth();
    Type bits = builder.getIntegerType(width);
    Value first = LLVM::LoadOp::create(builder, loc, bits, pointer,
                                       /*alignment=*/width / 8,
                                       /*isVolatile=*/true);
    auto loop = scf::WhileOp::create(
        builder, loc, TypeRange(bits), ValueRange(first),
        [&](OpBuilder &, Location, ValueRange arguments) {
          Value seen = arguments.front();
          Value next =
              compute(builder, loc, kind,
                      fromBits(builder, loc, seen, value.getType()), value);
          Value old =
              write(pointer, llvm::formatv("cas.b{0}", width).str(),
                    {seen, toBits(builder, loc, next)}, /*predicate=*/nullptr);
          Value isStale = arith::CmpIOp::create(
              builder, loc, arith::CmpIPredicate::ne, old, seen);
          scf::ConditionOp::create(builder, loc, isStale, old);
        },
        [&](OpBuilder &, Location, ValueRange arguments) {
          scf::YieldOp::create(builder, loc, arguments);
        });
    return loop.getResult(0);
  }

  void fence(bool isNeeded) {
    if (isNeeded)
      emitPtx(builder, loc, nullptr, {},
              llvm::formatv("fence.acq_rel.{0};", scope).str(), "~{memory}");
  }

  Value makeZero(Type type) {
    return arith::ConstantIntOp::create(builder, loc, type, 0);
  }

  OpBuilder &builder;
  Location loc;
  StringRef scope, order;
  bool releases, acquires, isUsed;
  bool isOrdered = false;
};

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Which registers are written, by which threads.
struct Holders {
  SmallVector<unsigned> registers;
  Value isHolder;

  Holders(Value pointers, OpBuilder &builder, Location loc) {
    ThreadIndex thread(builder, loc);
    RegisterLayoutAttr layout = getRegisterLayout(pointers.getType());
    if (!layout) {
      registers = {0};
      isHolder = thread.isFirst();
      return;
    }
    SharedAccessPlan plan =
        planGlobalAccess(layout.getLayout(), /*elementBytes=*/8,
                         /*contiguousDim=*/0, /*vectorElements=*/1,
                         /*isStore=*/true);
    for (ArrayRef<unsigned> instruction : plan.instructions)
      registers.push_back(instruction.front());
    isHolder = thread.isCanonical(plan.idleLanes, plan.idleWarps);
  }
};

template <typename Op> struct AtomicPattern : OpConversionPattern<Op> {
  using Adaptor = typename Op::template GenericAdaptor<ArrayRef<ValueRange>>;
  AtomicPattern(const TypeConverter &converter, MLIRContext *mlirContext,
                const LoweringContext &context)
      : OpConversionPattern<Op>(converter, mlirContext), context(context) {}

  LogicalResult
  matchAndRewrite(Op op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = getElementTypeOrSelf(op.getResult());
    Holders holders(op.getPtr(), rewriter, loc);
    AtomicWriter writer(op, rewriter);
    writer.putOrder(holders.registers.size() == 1 && hasInstruction(op, type));
    writer.begin();
    SmallVector<Value> olds(adaptor.getPtr().size());
    for (unsigned reg : holders.registers) {
      Value predicate = holders.isHolder;
      if (!adaptor.getMask().empty()) {
        Value mask = adaptor.getMask()[reg];
        predicate =
            predicate
                ? Value(arith::AndIOp::create(rewriter, loc, predicate, mask))
                : mask;
      }
      Value old = write(op, adaptor, reg, predicate, writer, rewriter);
      olds[reg] = fromBits(rewriter, loc, old, type);
    }
    writer.end();
    if (RegisterLayoutAttr layout = getRegisterLayout(op.getResult().getType()))
      olds = takeRegisters(olds, canonicalRegisters(layout.getLayout()));
    rewriter.replaceOpWithMultiple(op, {olds});
    return success();
  }

private:
  bool hasInstruction(AtomicRMWOp op, Type type) const {
    return !getOperation(op.getKind(), type, context.target).empty();
  }
  bool hasInstruction(AtomicCASOp, Type) const { return true; }

  Value write(AtomicRMWOp op, Adaptor adaptor, unsigned reg, Value predicate,
              AtomicWriter &writer, OpBuilder &builder) const {
    Value pointer = adaptor.getPtr()[reg], value = adaptor.getValue()[reg];
    std::string operation =
        getOperation(op.getKind(), value.getType(), context.target);
    if (operation.empty())
      return writer.exchange(pointer, op.getKind(), value, predicate);
    return writer.write(pointer, operation,
                        {toBits(builder, op.getLoc(), value)}, predicate);
  }
  Value write(AtomicCASOp op, Adaptor adaptor, unsigned reg, Value predicate,
              AtomicWriter &writer, OpBuilder &builder) const {
    Value expected = toBits(builder, op.getLoc(), adaptor.getExpected()[reg]);
    Value desired = toBits(builder, op.getLoc(), adaptor.getDesired()[reg]);
    unsigned bits = expected.getType().getIntOrFloatBitWidth();
    return writer.write(adaptor.getPtr()[reg],
                        llvm::formatv("cas.b{0}", bits).str(),
                        {expected, desired}, predicate);
  }

  const LoweringContext &context;
};
} // namespace

LogicalResult tonvvm::checkOnce(OnceOpInterface op) {
  if (!isHeldByOthers(op))
    return success();
  return op.emitOpError("leaves its result in one of the threads that hold it: "
                        "run tile-share-results first");
}

void tonvvm::populateAtomicPatterns(RewritePatternSet &patterns,
                                    const TypeConverter &converter,
                                    const LoweringContext &context) {
  patterns.add<AtomicPattern<AtomicRMWOp>, AtomicPattern<AtomicCASOp>>(
      converter, patterns.getContext(), context);
}
