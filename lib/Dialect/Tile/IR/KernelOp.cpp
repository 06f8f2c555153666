//===- KernelOp.cpp - tile.kernel: syntax and checks ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include "ChannelOps.h"
#include "KernelClauses.h"
#include "WarpgroupDotOp.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "tilewright/Dialect/Tile/IR/ArgumentBounds.h"
#include "tilewright/Dialect/Tile/IR/KernelDescription.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// Names of the arguments
//===----------------------------------------------------------------------===//

StringRef KernelOp::getArgName(unsigned index) {
  return cast<StringAttr>(getArgNames()[index]).getValue();
}

/// As users write numbers: 12, not 12 : i64.
static std::string printWithoutType(Attribute attr) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  attr.print(stream, /*elideType=*/true);
  return text;
}

static ArrayRef<NamedAttribute> getAttrsOfArg(KernelOp kernel, unsigned index) {
  DictionaryAttr attrs = kernel.getArgAttrDict(index);
  return attrs ? attrs.getValue() : ArrayRef<NamedAttribute>();
}

int64_t KernelOp::getArgDivisibility(unsigned index) {
  auto attr = getArgAttrOfType<IntegerAttr>(index, kDivisibilityAttr);
  return attr ? attr.getInt() : 1;
}

bool KernelOp::isLegalDivisibility(int64_t divisibility) {
  return divisibility > 0 && divisibility <= kMaxDivisibility &&
         llvm::isPowerOf2_64(divisibility);
}

int64_t KernelOp::getNumThreads() {
  return int64_t(getNumWarpsOrDefault()) * lanesPerWarp;
}

bool KernelOp::isLegalNumWarps(int64_t numWarps, int64_t clusterBlocks) {
  return numWarps >= clusterBlocks &&
         numWarps <= kMaxWarpsPerBlock * clusterBlocks &&
         llvm::isPowerOf2_64(numWarps);
}

std::string KernelOp::listRequirements() {
  std::string list;
  for (uint32_t value = 0; value <= getMaxEnumValForRequirement(); ++value) {
    StringRef word = stringifyRequirement(static_cast<Requirement>(value));
    bool isLast = value == getMaxEnumValForRequirement();
    list += (value == 0 ? "" : isLast ? " and " : ", ") + word.str();
  }
  return list;
}

bool KernelOp::hasRequirement(Requirement requirement) {
  ArrayAttr words = getRequireAttr();
  return words && llvm::is_contained(words.getAsValueRange<StringAttr>(),
                                     stringifyRequirement(requirement));
}

void KernelOp::addRequirement(Requirement requirement) {
  if (hasRequirement(requirement))
    return;
  SmallVector<Attribute> words;
  if (ArrayAttr old = getRequireAttr())
    words = llvm::to_vector(old);
  words.push_back(
      StringAttr::get(getContext(), stringifyRequirement(requirement)));
  setRequireAttr(ArrayAttr::get(getContext(), words));
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  for (auto [argument, name] : llvm::zip(
           region.getArguments(), getArgNames().getAsValueRange<StringAttr>()))
    setName(argument, name);
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// A number is a number: `num_warps = 4` is taken for `num_warps = 4 : i32`.
static void narrowNumber(Builder &builder, NamedAttrList &attributes,
                         StringRef name) {
  auto number = dyn_cast_or_null<IntegerAttr>(attributes.get(name));
  if (number && number.getType().isSignlessInteger(64) &&
      number.getValue().isSignedIntN(32))
    attributes.set(
        name, builder.getI32IntegerAttr(static_cast<int32_t>(number.getInt())));
}

static ParseResult parseAttributes(OpAsmParser &parser,
                                   OperationState &result) {
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (StringAttr number : {KernelOp::getNumWarpsAttrName(result.name),
                            KernelOp::getNumStagesAttrName(result.name),
                            KernelOp::getCopyWarpsAttrName(result.name),
                            KernelOp::getClusterBlocksAttrName(result.name)})
    narrowNumber(parser.getBuilder(), result.attributes, number);
  // One of another kind would be left out silently.
  return KernelOp::verifyInherentAttrs(
      result.name, result.attributes, [&]() -> InFlightDiagnostic {
        return parser.emitError(where)
               << "'" << KernelOp::getOperationName() << "' op ";
      });
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  ClauseParser clauses(parser);
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true, /*allowAttrs=*/true) ||
      clauses.parse(result) || parseAttributes(parser, result) ||
      clauses.check(name, parser.getNameLoc(), arguments))
    return failure();

  // The names in the source are the names on the command line.
  SmallVector<Attribute> names;
  SmallVector<Type> types;
  for (const OpAsmParser::Argument &argument : arguments) {
    names.push_back(builder.getStringAttr(argument.ssaName.name.drop_front()));
    types.push_back(argument.type);
  }
  result.addAttribute(getArgNamesAttrName(result.name),
                      builder.getArrayAttr(names));
  result.addAttribute(
      getFunctionTypeAttrName(result.name),
      TypeAttr::get(builder.getFunctionType(types, /*results=*/{})));
  call_interface_impl::addArgAndResultAttrs(
      builder, result, arguments, /*resultAttrs=*/{},
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
  const llvm::SMLoc brace = parser.getCurrentLocation();
  Region &body = *result.addRegion();
  if (failed(parser.parseRegion(body, arguments)))
    return failure();
  // Without arguments it has no block then.
  if (body.empty() || body.front().empty())
    return parser.emitError(brace, "is empty: a kernel ends with tile.return");
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(
      getBody().getArguments(), printer, [&](BlockArgument argument) {
        printer.printRegionArgument(
            argument, getAttrsOfArg(*this, argument.getArgNumber()));
      });
  printer << ')';
  for (StringRef clause : kClauses)
    if (Attribute texts = (*this)->getAttr(clause)) {
      printer.printNewline();
      printer << "    " << clause << ' ' << texts;
    }
  SmallVector<StringRef> elided = {
      getSymNameAttrName(), getFunctionTypeAttrName(), getArgNamesAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName()};
  elided.append(std::begin(kClauses), std::end(kClauses));
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), elided);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// What the command line and the clauses can say.
static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// A divisibility that stands on an argument.
static LogicalResult verifyDivisibility(KernelOp kernel, unsigned index,
                                        Attribute attr) {
  StringRef name = kernel.getArgName(index);
  auto value = dyn_cast<IntegerAttr>(attr);
  bool isLegal = value && value.getValue().getSignificantBits() <= 64 &&
                 KernelOp::isLegalDivisibility(value.getValue().getSExtValue());
  if (!isLegal)
    return kernel.emitOpError("the divisibility of '")
           << name << "' is a power of two from 1 to 2^30, not "
           << printWithoutType(attr);
  if (isa<FloatType>(kernel.getArgumentTypes()[index]))
    return kernel.emitOpError("'")
           << name << "' is a float: only integers and pointers have a "
           << "divisibility";
  return success();
}

static LogicalResult verifyBounds(KernelOp kernel, unsigned index,
                                  Attribute attr) {
  if (areLegalBounds(attr, kernel.getArgumentTypes()[index]))
    return success();
  return kernel.emitOpError("the bounds of '")
         << kernel.getArgName(index)
         << "' are array<i64: LEAST, MOST> on an integer, not "
         << printWithoutType(attr);
}

/// `tile.disjoint` or `tile.may_overlap`.
static LogicalResult verifyOverlap(KernelOp kernel, unsigned index,
                                   NamedAttribute attr) {
  StringRef name = kernel.getArgName(index);
  if (!isa<UnitAttr>(attr.getValue()))
    return kernel.emitOpError("'")
           << attr.getName().strref() << "' of argument '" << name
           << "' stands alone, without a value";
  if (!isa<PtrType>(kernel.getArgumentTypes()[index]))
    return kernel.emitOpError("'")
           << name << "' is no pointer: only what pointers reach may overlap "
           << "or be disjoint";
  if (kernel.getArgAttr(index, KernelOp::kDisjointAttr) &&
      kernel.getArgAttr(index, KernelOp::kMayOverlapAttr))
    return kernel.emitOpError("argument '")
           << name << "' has '" << KernelOp::kDisjointAttr << "' and '"
           << KernelOp::kMayOverlapAttr << "', which contradict each other";
  return success();
}

static LogicalResult verifyArgument(KernelOp kernel, unsigned index) {
  StringRef name = kernel.getArgName(index);
  if (!isIdentifier(name))
    return kernel.emitOpError("argument ")
           << index << " needs a name of letters, digits and _ that begins "
           << "with no digit, since the command line uses it; '" << name
           << "' is none";
  Type type = kernel.getArgumentTypes()[index];
  bool isArgument =
      isa<PtrType, IndexType, FloatType>(type) || type.isSignlessInteger();
  if (!isArgument)
    return kernel.emitOpError("argument '")
           << name << "' is a pointer, an integer, an index or a float, not "
           << type;
  for (NamedAttribute attr : getAttrsOfArg(kernel, index)) {
    StringRef attrName = attr.getName().strref();
    LogicalResult legal = success();
    if (attrName == KernelOp::kDivisibilityAttr)
      legal = verifyDivisibility(kernel, index, attr.getValue());
    else if (attrName == KernelOp::kDisjointAttr ||
             attrName == KernelOp::kMayOverlapAttr)
      legal = verifyOverlap(kernel, index, attr);
    else if (attrName == kBoundsAttr)
      legal = verifyBounds(kernel, index, attr.getValue());
    else if (attrName.starts_with("tile."))
      return kernel.emitOpError("argument '")
             << name << "' has an unknown attribute '" << attrName << "'; '"
             << KernelOp::kDivisibilityAttr << "', '" << kBoundsAttr << "', '"
             << KernelOp::kDisjointAttr << "' and '"
             << KernelOp::kMayOverlapAttr << "' are known";
    if (failed(legal))
      return failure();
  }
  return success();
}

static LogicalResult verifyArguments(KernelOp kernel) {
  if (kernel.getArgNames().size() != kernel.getNumArguments())
    return kernel.emitOpError("has ")
           << kernel.getNumArguments() << " arguments but names "
           << kernel.getArgNames().size() << " of them";
  llvm::StringSet<> names;
  for (unsigned index = 0; index < kernel.getNumArguments(); ++index) {
    if (failed(verifyArgument(kernel, index)))
      return failure();
    if (!names.insert(kernel.getArgName(index)).second)
      return kernel.emitOpError("has two arguments named '")
             << kernel.getArgName(index) << "'";
  }
  return success();
}

/// The clauses parse, name only arguments, and fit one another.
static LogicalResult verifyClauses(KernelOp kernel) {
  if (!kernel.getShapes() && !kernel.getGrid() && !kernel.getReference())
    return success();
  FailureOr<spec::KernelDescription> description = describeClauses(kernel);
  if (failed(description))
    return kernel.emitOpError("has an argument of a type that a launch cannot "
                              "pass: integers have 1, 8, 16, 32 or 64 bits, "
                              "floats are f8E4M3FN, f8E5M2, f16, bf16, f32 or "
                              "f64");
  llvm::Expected<spec::KernelSpec> spec =
      spec::KernelSpec::create(*description);
  if (!spec)
    return kernel.emitOpError(llvm::toString(spec.takeError()));
  return success();
}

/// Attributes that nobody reads are most often misspelt.
static LogicalResult verifyAttributes(KernelOp kernel) {
  for (NamedAttribute attr : kernel->getDiscardableAttrs())
    if (!attr.getName().strref().contains('.'))
      return kernel.emitOpError("has an unknown attribute '")
             << attr.getName().strref() << "'; 'num_warps', 'num_stages' "
             << "and 'require' are known";
  return success();
}

/// What is required are words that there are, each once.
static LogicalResult verifyRequirements(KernelOp kernel) {
  llvm::StringSet<> seen;
  if (ArrayAttr words = kernel.getRequireAttr())
    for (StringRef word : words.getAsValueRange<StringAttr>()) {
      if (!symbolizeRequirement(word))
        return kernel.emitOpError("cannot require '")
               << word << "': " << KernelOp::listRequirements() << " are known";
      if (!seen.insert(word).second)
        return kernel.emitOpError("requires '") << word << "' twice";
    }
  return success();
}

/// How the kernel's programs are shared out to blocks.
static LogicalResult verifyBlocks(KernelOp kernel) {
  if (std::optional<int32_t> blocks = kernel.getClusterBlocks()) {
    if (*blocks < 2 || *blocks > KernelOp::kMaxClusterBlocks ||
        !llvm::isPowerOf2_32(*blocks))
      return kernel.emitOpError("cluster_blocks are a power of two from 2 to ")
             << KernelOp::kMaxClusterBlocks << ", not " << *blocks;
    if (kernel.getBlockPrograms() || kernel.getCopyWarps())
      return kernel.emitOpError(
          "has cluster_blocks: several blocks run a program, so that it has no "
          "block_programs and no copy_warps");
  }
  if (!KernelOp::isLegalNumWarps(kernel.getNumWarpsOrDefault(),
                                 kernel.getClusterBlocksOrOne())) {
    return kernel.emitOpError("num_warps is a power of two from ")
           << kernel.getClusterBlocksOrOne() << " to "
           << KernelOp::kMaxWarpsPerBlock * kernel.getClusterBlocksOrOne()
           << ", not " << kernel.getNumWarpsOrDefault();
  }
  std::optional<ArrayRef<int32_t>> programs = kernel.getBlockPrograms();
  if (!programs)
    return success();
  if (programs->size() != 3 || !llvm::all_of(*programs, [](int32_t count) {
        return count > 0 && llvm::isPowerOf2_32(count);
      }))
    return kernel.emitOpError("block_programs are three powers of two");
  if (kernel.getPersistent())
    return kernel.emitOpError("is persistent: its blocks run one program after "
                              "the other, and have no block_programs");
  return success();
}

LogicalResult KernelOp::verify() {
  if (std::optional<int32_t> stages = getNumStages())
    if (!isLegalNumStages(*stages))
      return emitOpError("num_stages is a number from 1 to ")
             << kMaxNumStages << ", not " << *stages;
  if (std::optional<int32_t> warps = getCopyWarps()) {
    if (*warps < 1 || *warps > 4)
      return emitOpError("copy_warps are 1 to 4, not ") << *warps;
    if (getNumWarpsOrDefault() + *warps > kMaxWarpsPerBlock)
      return emitOpError("a block has ")
             << kMaxWarpsPerBlock << " warps at the most, not num_warps and "
             << *warps << " that copy";
  }
  if (std::optional<int64_t> bytes = getSharedBytes(); bytes && *bytes < 0)
    return emitOpError("shared_bytes is not negative: ") << *bytes << " is";
  if (!getResultTypes().empty())
    return emitOpError("returns nothing: results go to memory");
  if (failed(verifyBlocks(*this)) || failed(verifyAttributes(*this)) ||
      failed(verifyRequirements(*this)) || failed(verifyArguments(*this)))
    return failure();
  return verifyClauses(*this);
}

/// Blocks of a persistent kernel are no programs, but have a loop over them.
static LogicalResult verifyNumbering(Operation *op, bool isPersistent) {
  if (isPersistent && isa<ProgramIdOp>(op))
    return op->emitOpError(
        "is not known in a persistent kernel, whose blocks "
        "run several programs each: count from tile.block_id");
  if (!isPersistent && isa<BlockIdOp, NumBlocksOp>(op))
    return op->emitOpError("is of persistent kernels; a program has a "
                           "tile.program_id");
  return success();
}

/// What several blocks do together are ordinary accesses and barriers.
static LogicalResult verifyAcrossBlocks(Operation *op) {
  auto access = dyn_cast<MemoryAccessOpInterface>(op);
  auto order = dyn_cast<MemoryOrderOpInterface>(op);
  if ((order && !isBarrier(op)) ||
      isa<HandOverOpInterface, SharedProductOpInterface>(op) ||
      (access &&
       llvm::any_of(access.getMemoryAccesses(), [](const MemoryAccess &each) {
         return each.end != AccessEnd::WithOp;
       })))
    return op->emitOpError(
        "goes on behind itself, which nobody waits for in a kernel whose "
        "programs several blocks run (cluster_blocks)");
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  int64_t numWarps = getNumWarpsOrDefault();
  WalkResult result = getBody().walk([&](Operation *op) {
    if (failed(verifyNumbering(op, getPersistent())) ||
        (getClusterBlocks() && failed(verifyAcrossBlocks(op))))
      return WalkResult::interrupt();
    SmallVector<RegisterLayoutAttr> attrs =
        llvm::map_to_vector(op->getResultTypes(), getRegisterLayout);
    if (auto copy = dyn_cast<CopyAsyncOp>(op))
      attrs.push_back(copy.getRegisters());
    for (RegisterLayoutAttr attr : attrs) {
      if (!attr)
        continue;
      int64_t lanes = attr.getLayout().inputSize("lane");
      if (lanes == lanesPerWarp && attr.getNumWarps() == numWarps)
        continue;
      op->emitOpError("has a register layout of ")
          << lanes << " lanes and " << attr.getNumWarps()
          << " warps; a warp has " << lanesPerWarp << " lanes, and the kernel "
          << numWarps << " warps";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return failure(failed(verifyHandOvers(*this)) ||
                 failed(verifyProductsUnderWay(*this)));
}
