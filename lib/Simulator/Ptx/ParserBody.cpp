//===- ParserBody.cpp - PTX function bodies -------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/ParserImpl.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilewright::sim {

bool Parser::parseBody() {
  if (!expect('{'))
    return false;
  const size_t outermost = scopes.size();
  while (true) {
    if (token.kind == Token::Kind::End)
      return fail("the text ends inside function '" + Twine(function->name) +
                  "'");
    if (token.is('}') && scopes.size() == outermost) {
      bump();
      return true;
    }
    if (!parseScopeItem())
      return false;
  }
}

bool Parser::parseScopeItem() {
  if (accept(';'))
    return true;
  if (accept('{')) {
    const auto number = static_cast<unsigned>(function->scopeParents.size());
    function->scopeParents.push_back(scopes.back().number);
    scopes.emplace_back();
    scopes.back().number = number;
    return true;
  }
  if (accept('}')) {
    scopes.pop_back();
    return true;
  }
  if (token.kind == Token::Kind::Dot)
    return parseBodyDirective();
  return parseStatement();
}

bool Parser::parseBodyDirective() {
  if (token.isDot("loc"))
    return parseLocDirective();
  if (token.isDot("file"))
    return parseFileDirective();
  if (token.isDot("pragma"))
    return skipToSemicolon();
  if (acceptDot("reg"))
    return parseRegisters();
  if (acceptDot("shared"))
    return parseVariable(Space::Shared, false);
  if (acceptDot("local"))
    return parseVariable(Space::Local, false);
  if (acceptDot("param"))
    return parseVariable(Space::Param, false);
  if (acceptDot("global"))
    return parseVariable(Space::Global, false);
  if (acceptDot("const"))
    return parseVariable(Space::Const, false);
  if (token.isDot("extern")) {
    bump();
    if (acceptDot("shared"))
      return parseVariable(Space::Shared, true);
  }
  return fail("directive '." + token.text + "' is not supported here");
}

/// After `name:`; the label stands before the next statement, unless a
/// `.branchtargets` or `.callprototype` follows it.
bool Parser::parseLabel(Token label) {
  std::string key = (Twine(scopes.back().number) + ":" + label.text).str();
  if (token.isDot("callprototype"))
    return skipToSemicolon();
  if (acceptDot("branchtargets")) {
    std::vector<StringRef> targets;
    do {
      if (!token.isIdentifier())
        return fail("expected a label before '" + token.text + "'");
      targets.push_back(token.text);
      bump();
    } while (accept(','));
    function->branchTables[key] = std::move(targets);
    return expect(';');
  }
  const auto at = static_cast<uint32_t>(function->statements.size());
  if (!function->labels.try_emplace(key, at).second)
    return fail("label '" + label.text + "' is defined twice");
  return true;
}

bool Parser::parseGuard(Statement &statement) {
  statement.guardNegated = accept('!');
  Operand predicate;
  if (!token.isIdentifier() || !resolveName(token.text, predicate))
    return fail("expected a predicate register before '" + token.text + "'");
  if (!predicate.isPredicate())
    return fail("'" + token.text + "' is not a predicate register");
  statement.guard = predicate.reg.slot;
  bump();
  return true;
}

bool Parser::parseStatement() {
  Statement statement;
  const char *begin = token.text.begin();
  statement.line = token.line;
  statement.loc = loc;
  statement.scope = scopes.back().number;
  if (accept('@') && !parseGuard(statement))
    return false;
  if (!token.isIdentifier())
    return fail("expected an instruction before '" + token.text + "'");
  Token opcode = token;
  bump();
  if (statement.guard < 0 && accept(':'))
    return parseLabel(opcode);
  statement.parts.push_back(opcode.text);
  while (token.kind == Token::Kind::Dot) {
    statement.parts.push_back(token.text);
    bump();
  }
  if (!token.is(';') && !parseOperandList(statement.operands, ';'))
    return false;
  statement.text = StringRef(begin, previousEnd - begin);
  if (!expect(';'))
    return false;
  function->statements.push_back(std::move(statement));
  return true;
}

/// Operands with commas between them, up to but not including `close`.
bool Parser::parseOperandList(std::vector<Operand> &operands, char close) {
  do {
    if (operands.size() > 256)
      return fail("too many operands");
    operands.emplace_back();
    Operand operand;
    if (!parseOperand(operand))
      return false;
    operands.back() = std::move(operand);
  } while (accept(','));
  if (!token.is(close))
    return fail("expected '" + Twine(close) + "' before '" + token.text + "'");
  return true;
}

bool Parser::parseOperand(Operand &operand) {
  if (depth == 8)
    return fail("operands are nested too deeply");
  ++depth;
  const bool ok = parseNestedOperand(operand);
  --depth;
  return ok;
}

bool Parser::parseNestedOperand(Operand &operand) {
  if (accept('{')) {
    operand.kind = Operand::Kind::Vector;
    return parseOperandList(operand.elements, '}') && expect('}');
  }
  if (accept('(')) {
    operand.kind = Operand::Kind::List;
    if (accept(')'))
      return true;
    return parseOperandList(operand.elements, ')') && expect(')');
  }
  if (accept('['))
    return parseAddress(operand);
  if (accept('!')) {
    if (!token.isIdentifier() || !resolveName(token.text, operand) ||
        !operand.isPredicate())
      return fail("expected a predicate register after '!'");
    operand.negated = true;
    bump();
    return true;
  }
  if (token.isIdentifier())
    return parseIdentifierOperand(operand);
  const bool negative = accept('-');
  if (!negative)
    accept('+');
  operand.bits = token.bits;
  switch (token.kind) {
  case Token::Kind::Integer:
    operand.kind = Operand::Kind::Integer;
    if (negative)
      operand.bits = -operand.bits;
    break;
  case Token::Kind::Float:
    operand.kind = Operand::Kind::Float;
    operand.bits ^= uint64_t(negative) << 63;
    break;
  case Token::Kind::FloatBits:
    operand.kind = Operand::Kind::FloatBits;
    operand.bits ^= uint64_t(negative) << 31;
    break;
  default:
    return fail("expected an operand before '" + token.text + "'");
  }
  bump();
  return true;
}

/// `+4`, `+-4`, `-4`, any number of them.
bool Parser::parseOffset(int64_t &offset) {
  while (token.is('+') || token.is('-')) {
    bool negative = token.is('-');
    bump();
    if (accept('-'))
      negative = !negative;
    uint64_t value = 0;
    if (!parseUnsigned(value))
      return false;
    offset = static_cast<int64_t>(static_cast<uint64_t>(offset) +
                                  (negative ? -value : value));
  }
  return true;
}

/// After `[`: a base with an offset, and for tensors `, {coordinates}`.
bool Parser::parseAddress(Operand &operand) {
  operand.kind = Operand::Kind::Address;
  Operand base;
  if (!parseOperand(base))
    return false;
  if (base.kind != Operand::Kind::Register &&
      base.kind != Operand::Kind::Symbol && base.kind != Operand::Kind::Integer)
    return fail("an address is a register, a variable or a number");
  operand.offset = base.offset;
  base.offset = 0;
  operand.elements.push_back(std::move(base));
  if (!parseOffset(operand.offset))
    return false;
  if (accept(',')) {
    Operand coordinates;
    if (!parseOperand(coordinates))
      return false;
    operand.elements.push_back(std::move(coordinates));
  }
  return expect(']');
}

/// True and filled in for a register or variable that is in scope.
bool Parser::resolveName(StringRef name, Operand &operand) {
  StringRef prefix = name.rtrim("0123456789");
  for (const Scope &scope : reverse(scopes)) {
    auto reg = scope.registers.find(name);
    if (reg != scope.registers.end() && reg->second.count == 0) {
      operand.kind = Operand::Kind::Register;
      operand.reg = {reg->second.type, reg->second.firstSlot};
      return true;
    }
    reg = scope.registers.find(prefix);
    uint32_t index = 0;
    if (reg != scope.registers.end() &&
        !name.drop_front(prefix.size()).getAsInteger(10, index) &&
        index < reg->second.count) {
      operand.kind = Operand::Kind::Register;
      operand.reg = {reg->second.type,
                     reg->second.firstSlot + static_cast<int32_t>(index)};
      return true;
    }
    auto variable = scope.variables.find(name);
    if (variable != scope.variables.end()) {
      operand.kind = Operand::Kind::Symbol;
      operand.symbol = variable->second;
      operand.name = name;
      return true;
    }
  }
  return false;
}

bool Parser::parseIdentifierOperand(Operand &operand) {
  Token name = token;
  bump();
  if (name.text == "_") {
    operand.kind = Operand::Kind::Sink;
  } else if (name.text == "WARP_SZ") {
    operand.kind = Operand::Kind::Integer;
    operand.bits = 32;
    return true;
  } else if (resolveName(name.text, operand)) {
    if (operand.kind == Operand::Kind::Symbol)
      return parseOffset(operand.offset);
    if (token.kind == Token::Kind::Dot)
      return fail("selecting '." + token.text +
                  "' of a register is not supported");
  } else if (name.text.starts_with("%")) {
    std::string full = name.text.str();
    if (token.kind == Token::Kind::Dot) {
      full += ("." + token.text).str();
      bump();
    }
    auto special = specialRegisterFromName(full);
    if (!special)
      return fail("'" + Twine(full) +
                  "' is neither a declared register nor a special register "
                  "that the simulator models");
    operand.kind = Operand::Kind::Special;
    operand.special = *special;
    return true;
  } else {
    operand.kind = Operand::Kind::Name;
    operand.name = name.text;
    return true;
  }
  if (!accept('|'))
    return true;
  Operand pair;
  pair.kind = Operand::Kind::Pair;
  pair.elements.resize(2);
  pair.elements[0] = std::move(operand);
  if (!token.isIdentifier() ||
      (token.text != "_" && !resolveName(token.text, pair.elements[1])))
    return fail("expected a register after '|'");
  bump();
  operand = std::move(pair);
  return true;
}

} // namespace tilewright::sim
