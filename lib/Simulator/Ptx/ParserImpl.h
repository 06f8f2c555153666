//===- ParserImpl.h - The PTX parser's state --------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_PTX_PARSERIMPL_H
#define TILEWRIGHT_LIB_SIMULATOR_PTX_PARSERIMPL_H

#include "Ptx/Lexer.h"
#include "Ptx/Parser.h"
#include "llvm/ADT/Twine.h"

namespace tilewright::sim {

/// Recursive descent over the tokens. Parse functions return false after the
/// first error, which `failure` holds.
class Parser {
public:
  explicit Parser(llvm::StringRef text) : lexer(text), text(text) { bump(); }
  llvm::Expected<ParsedModule> run();

private:
  // Directives (Parser.cpp).
  bool parseTopLevel();
  bool parseFunction(bool isEntry, bool isExtern);
  bool parseParameterList(std::vector<int32_t> &symbols);
  bool parseTuningDirective();
  bool parseVariable(Space space, bool isExtern);
  bool parseVariableType(Variable &variable);
  bool parseVariableName(Variable &variable, bool isExtern);
  bool parseInitializer(Variable &variable);
  bool parseInitializerItem(Variable &variable, uint64_t &at);
  bool parseArrayShape(Variable &variable);
  bool parseRegisters();
  bool parseFileDirective();
  bool parseLocDirective();
  unsigned callChain(llvm::StringRef attributes);
  bool skipSection();
  bool addVariable(Variable variable, bool isExtern);

  // Bodies (ParserBody.cpp).
  bool parseBody();
  bool parseScopeItem();
  bool parseBodyDirective();
  bool parseLabel(Token label);
  bool parseStatement();
  bool parseGuard(Statement &statement);
  bool parseOperand(Operand &operand);
  bool parseNestedOperand(Operand &operand);
  bool parseOperandList(std::vector<Operand> &operands, char close);
  bool parseAddress(Operand &operand);
  bool parseIdentifierOperand(Operand &operand);
  bool parseOffset(int64_t &offset);
  bool resolveName(llvm::StringRef name, Operand &operand);

  // Tokens.
  void bump() {
    previousEnd = token.end();
    token = lexer.next();
  }
  bool fail(const llvm::Twine &message);
  bool expect(char c);
  bool accept(char c);
  bool acceptDot(llvm::StringRef name);
  bool parseUnsigned(uint64_t &value);
  bool skipToSemicolon();

  struct RegisterRange {
    Type type;
    int32_t firstSlot;
    uint32_t count; ///< 0: one register with exactly this name
  };
  static std::vector<std::string> findFiles(llvm::StringRef text);

  struct Scope {
    unsigned number = 0;
    llvm::StringMap<RegisterRange> registers;
    llvm::StringMap<int32_t> variables;
  };

  Lexer lexer;
  llvm::StringRef text;
  Token token;
  const char *previousEnd = nullptr;
  std::string failure;
  ParsedModule module;
  ParsedFunction *function = nullptr;
  std::vector<Scope> scopes; ///< [0] is the module
  LocRef loc;
  llvm::StringMap<unsigned> callChains; ///< by the text that tells them
  unsigned depth = 0;                   ///< of nested operands
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_PTX_PARSERIMPL_H
