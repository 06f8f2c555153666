//===- Parser.cpp - PTX directives and declarations -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/Parser.h"
#include "Ptx/ParserImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::sim {

/// No real kernel comes near; it keeps a typo from exhausting memory.
static constexpr uint64_t maximumVariableBytes = uint64_t(1) << 32;
static constexpr uint64_t maximumRegisters = 1 << 20;

Expected<ParsedModule> parsePtx(StringRef text) { return Parser(text).run(); }

Expected<ParsedModule> Parser::run() {
  scopes.emplace_back();
  while (token.kind != Token::Kind::End)
    if (!parseTopLevel())
      return createStringError(failure + describeSource(loc, findFiles(text)));
  return std::move(module);
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

bool Parser::fail(const Twine &message) {
  if (failure.empty())
    failure = ("line " + Twine(token.line) + ": " + message).str();
  return false;
}

bool Parser::accept(char c) {
  if (!token.is(c))
    return false;
  bump();
  return true;
}

bool Parser::expect(char c) {
  if (accept(c))
    return true;
  return fail("expected '" + Twine(c) + "' before '" + token.text + "'");
}

bool Parser::acceptDot(StringRef name) {
  if (!token.isDot(name))
    return false;
  bump();
  return true;
}

bool Parser::parseUnsigned(uint64_t &value) {
  if (token.kind != Token::Kind::Integer)
    return fail("expected a number before '" + token.text + "'");
  value = token.bits;
  bump();
  return true;
}

bool Parser::skipToSemicolon() {
  while (!token.is(';')) {
    if (token.kind == Token::Kind::End)
      return fail("the text ends inside a directive");
    bump();
  }
  bump();
  return true;
}

//===----------------------------------------------------------------------===//
// Module scope
//===----------------------------------------------------------------------===//

bool Parser::parseTopLevel() {
  bool isExtern = false;
  while (token.isDot("visible") || token.isDot("weak") ||
         token.isDot("common") || token.isDot("extern")) {
    isExtern |= token.isDot("extern");
    bump();
  }
  if (accept(';'))
    return true;
  if (token.kind != Token::Kind::Dot)
    return fail("expected a directive before '" + token.text + "'");
  if (token.isDot("version") || token.isDot("address_size")) {
    lexer.restOfLine();
    bump();
    return true;
  }
  if (token.isDot("target")) {
    module.target =
        lexer.restOfLine().split(',').first.split("//").first.trim().str();
    bump();
    return true;
  }
  if (acceptDot("entry"))
    return parseFunction(/*isEntry=*/true, isExtern);
  if (acceptDot("func"))
    return parseFunction(/*isEntry=*/false, isExtern);
  if (acceptDot("global"))
    return parseVariable(Space::Global, isExtern);
  if (acceptDot("const"))
    return parseVariable(Space::Const, isExtern);
  if (acceptDot("shared"))
    return parseVariable(Space::Shared, isExtern);
  if (token.isDot("file"))
    return parseFileDirective();
  if (token.isDot("section"))
    return skipSection();
  if (token.isDot("pragma") || token.isDot("alias"))
    return skipToSemicolon();
  return fail("directive '." + token.text + "' is not supported here");
}

/// `.file 1 "path"` or `.file 1 "folder" "name"`, with an optional time stamp
/// and size.
bool Parser::parseFileDirective() {
  bump();
  uint64_t number = 0;
  if (!parseUnsigned(number))
    return false;
  if (token.kind != Token::Kind::String)
    return fail("expected a file name");
  if (number < 1 << 16) {
    if (module.files.size() <= number)
      module.files.resize(number + 1);
    module.files[number] = token.text.str();
  }
  bump();
  if (token.kind == Token::Kind::String) {
    if (number < module.files.size())
      module.files[number] += ("/" + token.text).str();
    bump();
  }
  while (accept(',')) {
    uint64_t ignored = 0;
    if (!parseUnsigned(ignored))
      return false;
  }
  return true;
}

bool Parser::skipSection() {
  while (!token.is('{')) {
    if (token.kind == Token::Kind::End)
      return fail("the text ends inside a section");
    bump();
  }
  unsigned depth = 0;
  do {
    if (token.kind == Token::Kind::End)
      return fail("the text ends inside a section");
    depth += token.is('{');
    depth -= token.is('}');
    bump();
  } while (depth != 0);
  return true;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

bool Parser::addVariable(Variable variable, bool isExtern) {
  variable.isExtern = isExtern;
  const bool isFramed =
      function && (variable.space == Space::Local ||
                   (variable.space == Space::Param && !function->isEntry));
  // A `.param` declared inside any body belongs to a call, so it is framed too.
  const bool isCallParam =
      function && function->hasBody && variable.space == Space::Param;
  if (isFramed || isCallParam) {
    variable.space = Space::Local;
    variable.offset = alignTo(function->localBytes, variable.align);
    function->localBytes = variable.offset + variable.size;
  }
  if (function)
    variable.function = static_cast<int32_t>(module.functions.size());
  auto index = static_cast<int32_t>(module.variables.size());
  if (!scopes.back().variables.try_emplace(variable.name, index).second) {
    const Variable &old =
        module.variables[scopes.back().variables[variable.name]];
    if (!old.isExtern && !isExtern)
      return fail("'" + Twine(variable.name) + "' is declared twice");
    scopes.back().variables[variable.name] = index;
  }
  module.variables.push_back(std::move(variable));
  return true;
}

bool Parser::parseArrayShape(Variable &variable) {
  uint64_t elements = 1;
  while (accept('[')) {
    uint64_t extent = 0;
    if (!token.is(']') && !parseUnsigned(extent))
      return false;
    if (!expect(']'))
      return false;
    elements = SaturatingMultiply(elements, extent);
  }
  variable.size = SaturatingMultiply(variable.size, elements);
  if (variable.size > maximumVariableBytes)
    return fail("'" + Twine(variable.name) + "' is too large");
  return true;
}

/// `.align 16 .b8`, which all names that follow have in common; the size is
/// that of an element.
bool Parser::parseVariableType(Variable &variable) {
  bool sawType = false;
  unsigned vectorWidth = 1;
  uint64_t align = 0;
  while (token.kind == Token::Kind::Dot) {
    if (acceptDot("align")) {
      if (!parseUnsigned(align))
        return false;
      if (!isPowerOf2_64(align) || align > 1024)
        return fail("an alignment is a power of two up to 1024");
    } else if (token.isDot("v2") || token.isDot("v4")) {
      vectorWidth = token.text == "v2" ? 2 : 4;
      bump();
    } else if (token.isDot("ptr") || token.isDot("global") ||
               token.isDot("shared") || token.isDot("const") ||
               token.isDot("local") || token.isDot("param")) {
      bump(); // attributes of pointer parameters
    } else if (token.isDot("attribute")) {
      bump();
      while (!token.is(')') && token.kind != Token::Kind::End)
        bump();
      if (!expect(')'))
        return false;
    } else if (auto type = typeFromName(token.text);
               type && *type != Type::Pred) {
      // In `.u64 .ptr .global .align 16`, the alignment after the type is the
      // pointee's.
      variable.type = *type;
      sawType = true;
      bump();
      if (token.isDot("ptr")) {
        while (token.kind == Token::Kind::Dot ||
               token.kind == Token::Kind::Integer)
          bump();
      }
    } else {
      return fail("'." + token.text + "' is not expected in a declaration");
    }
  }
  if (!sawType)
    return fail("the declaration has no type");
  variable.size = uint64_t(typeBytes(variable.type)) * vectorWidth;
  variable.align = std::max<uint64_t>(align, variable.size);
  return true;
}

/// `name[64] = {...}`, of elements as large as `variable` is.
bool Parser::parseVariableName(Variable &variable, bool isExtern) {
  if (!token.isIdentifier())
    return fail("expected the name of a variable before '" + token.text + "'");
  variable.name = token.text.str();
  bump();
  // A name such as `param<4>` declares several; compilers do not write it.
  const bool isIncomplete = token.is('[');
  if (!parseArrayShape(variable))
    return false;
  if (isIncomplete && variable.size == 0 && variable.space != Space::Shared &&
      !isExtern && !token.is('='))
    return fail("'" + Twine(variable.name) + "' has no size");
  return !accept('=') || parseInitializer(variable);
}

/// `.align 16 .b8 name[64] = {...};` after the state space. Several names may
/// follow one type.
bool Parser::parseVariable(Space space, bool isExtern) {
  Variable variable;
  variable.space = space;
  if (!parseVariableType(variable))
    return false;
  while (true) {
    Variable next = variable;
    if (!parseVariableName(next, isExtern) ||
        !addVariable(std::move(next), isExtern))
      return false;
    if (space == Space::Param && function && !function->hasBody)
      return true; // the list's own comma follows
    if (!accept(','))
      return expect(';');
  }
}

bool Parser::parseInitializer(Variable &variable) {
  uint64_t at = 0;
  variable.init.assign(variable.size, 0);
  if (!token.is('{'))
    return parseInitializerItem(variable, at);
  unsigned depth = 0;
  do {
    if (accept('{')) {
      ++depth;
    } else if (accept('}')) {
      --depth;
    } else if (!accept(',')) {
      if (!parseInitializerItem(variable, at))
        return false;
    }
  } while (depth != 0);
  variable.size = variable.init.size();
  return true;
}

/// A number, or `name`, `generic(name)`, `name+8`.
bool Parser::parseInitializerItem(Variable &variable, uint64_t &at) {
  const unsigned bytes = typeBytes(variable.type);
  uint64_t bits = 0;
  bool negative = accept('-');
  if (token.kind == Token::Kind::Integer) {
    bits = negative ? -token.bits : token.bits;
    bump();
  } else if (token.kind == Token::Kind::FloatBits ||
             token.kind == Token::Kind::Float) {
    bits = token.bits;
    if (token.kind == Token::Kind::Float && variable.type == Type::F32)
      bits = llvm::bit_cast<uint32_t>(
          static_cast<float>(llvm::bit_cast<double>(bits)));
    if (negative)
      bits ^= uint64_t(1) << (typeBits(variable.type) - 1);
    bump();
  } else if (token.isIdentifier()) {
    const bool isGeneric = token.text == "generic";
    if (isGeneric) {
      bump();
      if (!expect('('))
        return false;
    }
    Relocation relocation{at, token.text.str(), 0};
    bump();
    if (isGeneric && !expect(')'))
      return false;
    if (accept('+')) {
      uint64_t addend = 0;
      if (!parseUnsigned(addend))
        return false;
      relocation.addend = static_cast<int64_t>(addend);
    }
    if (bytes != 8)
      return fail("an address needs a .b64 or .u64 variable");
    variable.relocations.push_back(std::move(relocation));
  } else {
    return fail("'" + token.text + "' is not supported in an initialiser");
  }
  if (variable.init.size() < at + bytes) {
    if (variable.size != 0)
      return fail("'" + Twine(variable.name) + "' has too many initial values");
    variable.init.resize(at + bytes);
  }
  for (unsigned i = 0; i != std::min(bytes, 8u); ++i)
    variable.init[at + i] = static_cast<uint8_t>(bits >> (8 * i));
  at += bytes;
  return true;
}

//===----------------------------------------------------------------------===//
// Registers and functions
//===----------------------------------------------------------------------===//

/// `.reg .b32 %r<100>;` or `.reg .pred p, q;`.
bool Parser::parseRegisters() {
  if (token.kind != Token::Kind::Dot)
    return fail("expected the type of a register");
  if (token.text == "v2" || token.text == "v4")
    return fail("vector registers are not supported");
  auto type = typeFromName(token.text);
  if (!type)
    return fail("'." + token.text + "' is not the type of a register");
  if (*type == Type::B128)
    return fail("128-bit registers are not supported");
  bump();
  do {
    if (!token.isIdentifier())
      return fail("expected the name of a register before '" + token.text +
                  "'");
    StringRef name = token.text;
    bump();
    uint64_t count = 0;
    if (accept('<')) {
      if (!parseUnsigned(count) || !expect('>'))
        return false;
      if (count == 0)
        continue;
    }
    uint32_t &total = *type == Type::Pred ? function->predicateCount
                                          : function->registerCount;
    const uint64_t slots = std::max<uint64_t>(count, 1);
    if (total + slots > maximumRegisters)
      return fail("too many registers");
    scopes.back().registers[name] = {*type, static_cast<int32_t>(total),
                                     static_cast<uint32_t>(count)};
    total += static_cast<uint32_t>(slots);
  } while (accept(','));
  return expect(';');
}

bool Parser::parseParameterList(std::vector<int32_t> &symbols) {
  if (!expect('('))
    return false;
  if (accept(')'))
    return true;
  do {
    if (token.isDot("reg"))
      return fail("register parameters of functions are not supported");
    if (!acceptDot("param"))
      return fail("expected '.param' before '" + token.text + "'");
    symbols.push_back(static_cast<int32_t>(module.variables.size()));
    if (!parseVariable(Space::Param, /*isExtern=*/false))
      return false;
  } while (accept(','));
  return expect(')');
}

bool Parser::parseTuningDirective() {
  if (token.isDot("pragma"))
    return skipToSemicolon();
  const StringRef name = token.text;
  bump();
  unsigned axis = 0;
  unsigned extents[3] = {1, 1, 1};
  uint64_t product = 1;
  while (token.kind == Token::Kind::Integer) {
    if (axis < 3)
      extents[axis] = static_cast<unsigned>(token.bits);
    product = SaturatingMultiply(product, token.bits);
    ++axis;
    bump();
    if (!accept(','))
      break;
  }
  const auto bounded = static_cast<unsigned>(std::min<uint64_t>(product, ~0u));
  if (name == "reqntid")
    llvm::copy(extents, function->requiredThreads);
  else if (name == "reqnctapercluster")
    llvm::copy(extents, function->requiredCluster);
  else if (name == "explicitcluster")
    function->isExplicitCluster = true;
  else if (name == "maxntid")
    function->maximumThreads = bounded;
  else if (name == "maxnreg")
    function->maximumRegisters = bounded;
  else if (name == "minnctapersm")
    function->minimumBlocks = bounded;
  return true;
}

bool Parser::parseFunction(bool isEntry, bool isExtern) {
  ParsedFunction parsed;
  function = &parsed;
  parsed.isEntry = isEntry;
  parsed.line = token.line;
  parsed.scopeParents.push_back(0);
  scopes.emplace_back();
  if (!isEntry && token.is('(') && !parseParameterList(parsed.results))
    return false;
  if (!token.isIdentifier())
    return fail("expected the name of a function before '" + token.text + "'");
  parsed.name = token.text.str();
  bump();
  if (token.is('(') && !parseParameterList(parsed.params))
    return false;
  while (token.kind == Token::Kind::Dot)
    if (!parseTuningDirective())
      return false;
  bool ok = true;
  if (!accept(';')) {
    if (isExtern)
      return fail("an external function has no body");
    parsed.hasBody = true;
    ok = parseBody();
  }
  scopes.pop_back();
  function = nullptr;
  // Where it failed stands in the message.
  if (ok)
    loc = LocRef();
  module.functions.push_back(std::move(parsed));
  return ok;
}

} // namespace tilewright::sim
