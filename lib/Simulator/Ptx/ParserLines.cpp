//===- ParserLines.cpp - Lines of the source in PTX -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/Parser.h"
#include "Ptx/ParserImpl.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilewright::sim {

/// Who called an inlined function. PTX: "function_name F, inlined_at 1 20 7".
/// LLVM has no such attribute, but says in a comment "f.py:6:3 @[ f.py:20:7 ]",
/// with a chain of calls in brackets within brackets.
static std::vector<CallSite> parseCallChain(StringRef text) {
  std::vector<CallSite> chain;
  if (const size_t at = text.find("inlined_at"); at != StringRef::npos) {
    CallSite site;
    text = text.substr(at + strlen("inlined_at")).ltrim();
    if (!text.consumeInteger(10, site.fileNumber) &&
        !text.ltrim().consumeInteger(10, site.line))
      chain.push_back(site);
    return chain;
  }
  text = text.split("@[").second;
  while (!text.empty()) {
    auto [place, outer] = text.split("@[");
    place = place.trim(" ]");
    // The file may have colons, too; a column of 0 is left out.
    auto [file, line] = place.rsplit(':');
    CallSite site;
    if (auto [shorter, number] = file.rsplit(':');
        !number.getAsInteger(10, site.line))
      file = shorter;
    else
      line.getAsInteger(10, site.line);
    site.file = file.str();
    if (site.line != 0)
      chain.push_back(site);
    text = outer;
  }
  return chain;
}

std::string describeSource(const LocRef &loc, ArrayRef<std::string> files) {
  if (loc.line == 0 || loc.file >= files.size() || files[loc.file].empty())
    return "";
  return ", of " + files[loc.file] + ":" + std::to_string(loc.line);
}

/// All that the text names, which it may do behind where they are used.
std::vector<std::string> Parser::findFiles(StringRef text) {
  std::vector<std::string> files;
  for (StringRef line : split(text, '\n')) {
    line = line.trim();
    unsigned number = 0;
    if (!line.consume_front(".file"))
      continue;
    line = line.ltrim();
    if (line.consumeInteger(10, number) || number >= 1 << 16)
      continue;
    if (files.size() <= number)
      files.resize(number + 1);
    files[number] = line.split('"').second.split('"').first.str();
  }
  return files;
}

unsigned Parser::callChain(StringRef attributes) {
  if (!attributes.contains("@[") && !attributes.contains("inlined_at"))
    return 0;
  const auto [found, isNew] = callChains.try_emplace(
      attributes, static_cast<unsigned>(module.callChains.size()));
  if (isNew)
    module.callChains.push_back(parseCallChain(attributes));
  return found->second;
}

/// `.loc file line column`, then attributes of inlining to the line's end.
bool Parser::parseLocDirective() {
  const StringRef whole = lexer.lineFrom(token.end());
  bump();
  uint64_t file = 0, line = 0, column = 0;
  const unsigned textLine = token.line;
  if (!parseUnsigned(file) || !parseUnsigned(line))
    return false;
  if (token.kind == Token::Kind::Integer && token.line == textLine) {
    column = token.bits;
    bump();
  }
  loc = {static_cast<unsigned>(file), static_cast<unsigned>(line),
         static_cast<unsigned>(column), callChain(whole)};
  if (token.line == textLine && token.is(',')) {
    lexer.restOfLine();
    bump();
  }
  return true;
}

} // namespace tilewright::sim
