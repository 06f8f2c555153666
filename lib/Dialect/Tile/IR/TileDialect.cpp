//===- TileDialect.cpp - The tile dialect -----------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/InliningUtils.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/Batching.h"
#include "tilewright/Dialect/Tile/IR/ByWords.h"
#include "tilewright/Dialect/Tile/IR/ClusterPrograms.h"
#include "tilewright/Dialect/Tile/IR/FirstThread.h"
#include "tilewright/Dialect/Tile/IR/ProductParts.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"
#include "tilewright/Dialect/Tile/IR/ProgramOrder.h"
#include "tilewright/Dialect/Tile/IR/RegisterLayoutContext.h"
#include "tilewright/Dialect/Tile/IR/RowCopies.h"
#include "tilewright/Dialect/Tile/IR/Teams.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::tile;

#include "tilewright/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "tilewright/Dialect/Tile/IR/TileEnums.cpp.inc"
#include "tilewright/Dialect/Tile/IR/TileInterfaces.cpp.inc"

namespace {
/// All that a function of the language has may stand in a kernel.
struct Inlining : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Operation *, bool) const override {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override {
    return true;
  }
};
} // namespace

void TileDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "tilewright/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tilewright/Dialect/Tile/IR/TileRowCopyOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tilewright/Dialect/Tile/IR/TileProductPartOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tilewright/Dialect/Tile/IR/TileClusterOps.cpp.inc"
      >();
  addInterfaces<Inlining>();
  attachRegisterLayoutModels(getContext());
  attachBatchModels(getContext());
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

static LogicalResult verifyNumStages(Operation *op, Attribute value) {
  auto stages = dyn_cast<IntegerAttr>(value);
  if (!isa<LoopLikeOpInterface>(op) || !stages ||
      !stages.getType().isInteger(32) ||
      !KernelOp::isLegalNumStages(stages.getInt()))
    return op->emitError("'")
           << TileDialect::kNumStagesAttr << "' is an i32 from 1 to "
           << KernelOp::kMaxNumStages << ", on a loop";
  return success();
}

static LogicalResult verifyPrograms(Operation *op, Attribute value) {
  Operation *parent = op->getParentOp();
  bool isOutermost =
      isa_and_nonnull<KernelOp, RolesOp>(parent) ||
      (isa_and_nonnull<LoopLikeOpInterface>(parent) && isOverPrograms(parent));
  if (!isa<LoopLikeOpInterface>(op) || !isa<UnitAttr>(value) || !isOutermost)
    return op->emitError("'") << TileDialect::kProgramsAttr
                              << "' has no value and is on an outermost loop, "
                                 "or directly in one that has it";
  return success();
}

static LogicalResult verifyTeams(Operation *op, Attribute value) {
  auto teams = dyn_cast<IntegerAttr>(value);
  auto kernel = op->getParentOfType<KernelOp>();
  if (!isa<RolesOp>(op) || !teams || teams.getInt() != kMostTeams || !kernel ||
      kernel.getNumWarpsOrDefault() != int(tilewright::WarpgroupMma::warps))
    return op->emitError("'") << kTeamsAttr << "' is " << kMostTeams
                              << ", on tile.roles of a kernel of "
                              << tilewright::WarpgroupMma::warps << " warps";
  return success();
}

static LogicalResult verifyProductParts(Operation *op, Attribute value) {
  auto parts = dyn_cast<IntegerAttr>(value);
  auto kernel = dyn_cast<KernelOp>(op);
  if (!kernel || !parts || parts.getInt() < 2 ||
      parts.getInt() > kMostProductParts)
    return op->emitError("'") << kProductPartsAttr << "' is a number from 2 to "
                              << kMostProductParts << ", on a kernel";
  if (kernel.getPersistent() || kernel.getClusterBlocks() ||
      kernel.getBlockPrograms())
    return op->emitError("'")
           << kProductPartsAttr
           << "' is of a kernel whose programs several blocks run, one each: "
              "it is not persistent, and has no cluster_blocks and no "
              "block_programs";
  return success();
}

static LogicalResult verifyClusterPrograms(Operation *op, Attribute value) {
  auto programs = dyn_cast<DenseI32ArrayAttr>(value);
  auto kernel = dyn_cast<KernelOp>(op);
  auto isCount = [](int32_t count) {
    return count == 1 || count == 2 || count == 4;
  };
  if (!kernel || !programs || programs.size() != 3 ||
      !llvm::all_of(programs.asArrayRef(), isCount) ||
      countClusterPrograms(kernel) < 2 ||
      countClusterPrograms(kernel) > kMostClusterPrograms)
    return op->emitError("'")
           << kClusterProgramsAttr
           << "' are three numbers on a kernel, 1, 2 or 4 along each axis, of "
              "2 to "
           << kMostClusterPrograms << " programs";
  if (kernel.getClusterBlocks() || kernel.getBlockPrograms() ||
      kernel->hasAttr(kProductPartsAttr))
    return op->emitError("'")
           << kClusterProgramsAttr
           << "' is of a kernel whose blocks run one program each: it has no "
              "cluster_blocks, no block_programs and no '"
           << kProductPartsAttr << "'";
  return success();
}

static LogicalResult verifyByWords(Operation *op, Attribute value) {
  auto step = dyn_cast<IntegerAttr>(value);
  if (!isa<GlobalAccessOpInterface>(op) || !step ||
      std::abs(step.getValue().getSExtValue()) != 1)
    return op->emitError("'")
           << kByWordsAttr << "' is 1 or -1, on an access to global memory";
  return success();
}

static LogicalResult verifySecondAxisFirst(Operation *op, Attribute value) {
  if (!isa<FunctionOpInterface>(op) || !isa<UnitAttr>(value))
    return op->emitError("'")
           << kSecondAxisFirstAttr << "' has no value and is on a kernel";
  return success();
}

static LogicalResult verifyFirstThread(Operation *op, Attribute value) {
  bool takesTiles = anyOpIn(*op, hasTiles);
  if (!isa<FunctionOpInterface>(op) || !isa<UnitAttr>(value) || takesTiles)
    return op->emitError("'") << kFirstThreadAttr
                              << "' has no value and is on a kernel without "
                                 "tiles: one thread has all of it";
  return success();
}

static LogicalResult verifyTarget(Operation *op, Attribute value) {
  auto name = dyn_cast<StringAttr>(value);
  if (!name || !isa<ModuleOp>(op))
    return op->emitError("'")
           << TileDialect::kTargetAttr << "' is the name of a GPU, on a module";
  llvm::Expected<tilewright::GpuTarget> known =
      tilewright::GpuTarget::parse(name.getValue());
  if (!known)
    return op->emitError(llvm::toString(known.takeError()));
  return success();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  using Verifier = LogicalResult (*)(Operation *, Attribute);
  auto verify = llvm::StringSwitch<Verifier>(attribute.getName())
                    .Case(kTargetAttr, verifyTarget)
                    .Case(kNumStagesAttr, verifyNumStages)
                    .Case(kProgramsAttr, verifyPrograms)
                    .Case(kTeamsAttr, verifyTeams)
                    .Case(kProductPartsAttr, verifyProductParts)
                    .Case(kClusterProgramsAttr, verifyClusterPrograms)
                    .Case(kByWordsAttr, verifyByWords)
                    .Case(kSecondAxisFirstAttr, verifySecondAxisFirst)
                    .Case(kFirstThreadAttr, verifyFirstThread)
                    .Default(nullptr);
  return verify ? verify(op, attribute.getValue()) : success();
}

namespace tilewright::tile {

std::optional<GpuTarget> getTarget(Operation *op) {
  while (op && !op->hasAttrOfType<StringAttr>(TileDialect::kTargetAttr))
    op = op->getParentOp();
  if (!op)
    return std::nullopt;
  return llvm::cantFail(GpuTarget::parse(
      op->getAttrOfType<StringAttr>(TileDialect::kTargetAttr).getValue()));
}

GpuTarget getTargetOrDefault(Operation *op) {
  return getTarget(op).value_or(GpuTarget::getDefault());
}

bool isMemoryElementType(Type type) {
  if (!type.isIntOrFloat() || (type.isInteger() && !type.isSignlessInteger()))
    return false;
  unsigned bits = type.getIntOrFloatBitWidth();
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static bool isTileElementType(Type type) {
  if (isa<PtrType, IndexType>(type) || isMemoryElementType(type))
    return true;
  return type.isSignlessInteger() && type.getIntOrFloatBitWidth() >= 1 &&
         type.getIntOrFloatBitWidth() <= 64;
}

bool isTileType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0 ||
      !isTileElementType(tensor.getElementType()))
    return false;
  int64_t elements = 1;
  for (int64_t extent : tensor.getShape()) {
    if (extent <= 0 || !llvm::isPowerOf2_64(extent) ||
        extent > kMaxTileElements / elements)
      return false;
    elements *= extent;
  }
  return true;
}

unsigned getElementBytes(Type elementType) {
  if (isa<PtrType, IndexType>(elementType))
    return 8;
  return llvm::PowerOf2Ceil(
      llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8));
}

int64_t getByteSize(ShapedType tile) {
  return tile.getNumElements() * getElementBytes(tile.getElementType());
}

RegisterLayoutAttr getRegisterLayout(Type tileType) {
  auto tensor = dyn_cast<RankedTensorType>(tileType);
  return tensor ? dyn_cast_or_null<RegisterLayoutAttr>(tensor.getEncoding())
                : nullptr;
}

RankedTensorType withLayout(Type tile, RegisterLayoutAttr layout) {
  auto type = cast<RankedTensorType>(tile);
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}

bool isZero(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!op->hasTrait<MovesElements>())
      return matchPattern(op, m_Zero()) || matchPattern(op, m_PosZeroFloat());
    value = op->getOperand(0);
  }
  return false;
}

bool hasTiles(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

/// `element` in the place of each element.
static Type replaceElements(Type type, Type element) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? Type(tensor.clone(element)) : element;
}

Type getMaskType(Type type) {
  return replaceElements(type, IntegerType::get(type.getContext(), 1));
}

Type getPointee(Type pointers) {
  auto pointer = dyn_cast<PtrType>(getElementTypeOrSelf(pointers));
  return pointer ? replaceElements(pointers, pointer.getElementType()) : Type();
}

bool isHeldByOthers(OnceOpInterface op) {
  if (!op.isOnce() || op.getUnshared() || op->use_empty())
    return false;
  // All results have one layout.
  RegisterLayoutAttr layout = getRegisterLayout(op->getResult(0).getType());
  return !layout || layout.getLayout().zeroBasisMask("lane") != 0 ||
         layout.getLayout().zeroBasisMask("warp") != 0;
}

} // namespace tilewright::tile
