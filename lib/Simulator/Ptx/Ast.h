//===- Ast.h - PTX text, parsed but not yet decoded -------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX as it was written, a statement an instruction, before anybody knows what
// the instruction does:
//
//   @%p1 ld.global.f32 %f1, [%rd1+16];
//
// is parts {"ld", "global", "f32"}, the operands Register %f1 and Address
// [%rd1] + 16, and guard %p1. Registers have their slots already; names of
// labels and functions are looked up when the statement is decoded (Decoder.h).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_PTX_AST_H
#define TILEWRIGHT_LIB_SIMULATOR_PTX_AST_H

#include "Ptx/SpecialRegister.h"
#include "Ptx/Type.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace tilewright::sim {

/// A `.loc` position; `file` is the number of a `.file` directive.
struct LocRef {
  unsigned file = 0;
  unsigned line = 0;
  unsigned column = 0;
  /// Number in ParsedModule::callChains.
  unsigned calls = 0;
};

/// Where an inlined function was called.
struct CallSite {
  std::string file; ///< empty: `fileNumber`, of a `.file` directive
  unsigned fileNumber = 0;
  unsigned line = 0;
};

/// A register file slot. Predicates have a file of their own.
struct RegisterRef {
  Type type = Type::None;
  int32_t slot = -1;
};

struct Operand {
  enum class Kind : uint8_t {
    Register,  ///< `reg`; a predicate when its type is Pred
    Special,   ///< %tid.x and its kin
    Integer,   ///< `bits`
    Float,     ///< `bits`: f64 pattern
    FloatBits, ///< `bits`: f32 pattern
    Symbol,    ///< variable number `symbol` + `offset`
    Name,      ///< a label or a function, resolved when decoding
    Address,   ///< [elements[0] + offset], then optional coordinates
    Vector,    ///< {elements}
    List,      ///< (elements), of a call
    Pair,      ///< elements[0] | elements[1]
    Sink       ///< _
  };
  Kind kind = Kind::Sink;
  bool negated = false; ///< `!` before a predicate
  RegisterRef reg;
  SpecialRegister special = SpecialRegister::TidX;
  uint64_t bits = 0;
  int64_t offset = 0;
  int32_t symbol = -1;
  llvm::StringRef name;
  std::vector<Operand> elements;

  bool isPredicate() const {
    return kind == Kind::Register && reg.type == Type::Pred;
  }
};

/// One instruction as written.
struct Statement {
  unsigned line = 0;
  LocRef loc;
  llvm::StringRef text;                        ///< up to the semicolon
  llvm::SmallVector<llvm::StringRef, 6> parts; ///< "ld", "global", "f32"
  std::vector<Operand> operands;
  int32_t guard = -1; ///< predicate slot
  bool guardNegated = false;
  unsigned scope = 0; ///< for labels
};

/// A bit of an initialiser that is an address: filled in at launch.
struct Relocation {
  uint64_t offset = 0;
  std::string symbol;
  int64_t addend = 0;
};

/// A variable of any state space. `offset` is its place in the function's
/// local frame, for local variables and the parameters of functions.
struct Variable {
  std::string name;
  Space space = Space::Global;
  Type type = Type::B8;
  uint64_t size = 0;
  unsigned align = 1;
  std::vector<uint8_t> init;
  std::vector<Relocation> relocations;
  bool isExtern = false;
  int32_t function = -1; ///< owner, or -1 at module scope
  uint64_t offset = 0;
};

struct ParsedFunction {
  std::string name;
  unsigned line = 0;
  bool isEntry = false;
  bool hasBody = false;
  std::vector<int32_t> params;  ///< symbols, in order
  std::vector<int32_t> results; ///< symbols, in order
  uint64_t localBytes = 0;
  uint32_t registerCount = 0;
  uint32_t predicateCount = 0;
  unsigned requiredThreads[3] = {0, 0, 0}; ///< .reqntid, 0: not given
  unsigned maximumThreads = 0;             ///< .maxntid product
  unsigned requiredCluster[3] = {0, 0, 0}; ///< .reqnctapercluster, 0: not given
  bool isExplicitCluster = false;          ///< .explicitcluster
  unsigned maximumRegisters = 0;           ///< .maxnreg
  unsigned minimumBlocks = 0;              ///< .minnctapersm
  std::vector<Statement> statements;
  /// Scope number -> parent; scope 0 is the body and its own parent.
  std::vector<unsigned> scopeParents;
  /// "scope:name" -> index of the statement that follows the label.
  llvm::StringMap<uint32_t> labels;
  /// "scope:name" -> the labels of a `.branchtargets` list.
  llvm::StringMap<std::vector<llvm::StringRef>> branchTables;

  /// Calls `find("scope:name")` from `scope` outward until it succeeds.
  template <class T>
  const T *lookup(const llvm::StringMap<T> &map, unsigned scope,
                  llvm::StringRef label) const {
    while (true) {
      auto it = map.find(std::to_string(scope) + ":" + label.str());
      if (it != map.end())
        return &it->second;
      if (scope == 0)
        return nullptr;
      scope = scopeParents[scope];
    }
  }
};

struct ParsedModule {
  std::string target;
  std::vector<ParsedFunction> functions;
  std::vector<Variable> variables;
  std::vector<std::string> files; ///< by number of `.file`
  /// Chains of calls of inlined functions, innermost call first; number 0 is
  /// that of code that was not inlined.
  std::vector<std::vector<CallSite>> callChains = {{}};
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_PTX_AST_H
