//===- ExprParser.cpp - Parser of the index notation ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/ExprTree.h"
#include "tilewright/Spec/SpecError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <optional>

using namespace tilewright;
using namespace tilewright::spec;

namespace tilewright::spec {

/// Recursive descent, one character of look-ahead. Parse functions return the
/// new node's position, or nothing after recording the first error.
class ExprParser {
public:
  explicit ExprParser(llvm::StringRef text)
      : tree(std::make_shared<ExprTree>()) {
    tree->source = text.str();
    source = tree->source;
  }

  llvm::Expected<ExprTreeRef> parseWholeExpression() {
    if (!parseExpression() || !expectEnd())
      return takeError();
    return ExprTreeRef(tree);
  }

  llvm::Expected<ExprShape> parseWholeShape() {
    std::optional<unsigned> element = parseElement();
    if (!element)
      return takeError();
    ExprShape shape{tree, *element, std::nullopt};
    if (consumeWord("in")) {
      std::optional<unsigned> low = parseExpression();
      if (!low || !expectDots())
        return takeError();
      std::optional<unsigned> high = parseExpression();
      if (!high)
        return takeError();
      shape.range = {*low, *high};
    }
    if (!expectEnd())
      return takeError();
    return shape;
  }

  llvm::Expected<ExprStatement> parseWholeStatement() {
    std::optional<unsigned> left = parseElement();
    if (!left)
      return takeError();
    if (peek() == '=' && startsWith("==")) {
      fail("write '=' between the two sides; '==' compares two numbers");
      return takeError();
    }
    if (!expect('=', "between the two sides"))
      return takeError();
    std::optional<unsigned> right = parseExpression();
    if (!right || !expectEnd())
      return takeError();
    return ExprStatement{tree, *left, *right};
  }

private:
  using Result = std::optional<unsigned>;

  void skipSpace() {
    while (position < source.size() && llvm::isSpace(source[position]))
      ++position;
  }

  /// The next character that is no white space; NUL at the end.
  char peek() {
    skipSpace();
    return position < source.size() ? source[position] : '\0';
  }

  bool consume(char c) {
    if (position == source.size() || peek() != c)
      return false;
    ++position;
    return true;
  }

  bool startsWith(llvm::StringRef text) const {
    return source.substr(position).starts_with(text);
  }

  bool consumeWord(llvm::StringRef word) {
    skipSpace();
    unsigned begin = position;
    if (parseName() == word)
      return true;
    position = begin;
    return false;
  }

  /// What stands at the current position, for an error message.
  std::string describeNext() {
    skipSpace();
    if (position == source.size())
      return "the end";
    std::string text;
    llvm::raw_string_ostream os(text);
    os << '\'';
    os.write_escaped(source.substr(position, 1), /*UseHexEscapes=*/true);
    os << '\'';
    return text;
  }

  std::nullopt_t fail(const llvm::Twine &message, unsigned offset) {
    if (errorText.empty()) {
      errorText = message.str();
      errorColumn = offset + 1;
    }
    return std::nullopt;
  }
  std::nullopt_t fail(const llvm::Twine &message) {
    skipSpace();
    return fail(message, position);
  }
  llvm::Error takeError() { return makeSpecError(errorText, errorColumn); }

  bool expect(char c, llvm::StringRef where) {
    if (consume(c))
      return true;
    fail(llvm::Twine("expected '") + llvm::Twine(c) + "' " + where +
         ", found " + describeNext());
    return false;
  }

  bool expectDots() {
    if (peek() == '.' && startsWith("..")) {
      position += 2;
      return true;
    }
    fail("expected '..' between the ends of the range, found " +
         describeNext());
    return false;
  }

  bool expectEnd() {
    skipSpace();
    if (position == source.size())
      return true;
    fail("expected an operator or the end, found " + describeNext());
    return false;
  }

  /// Appends a node over \p operands and bounds the tree's depth.
  Result add(ExprNode node) {
    unsigned depth = 1;
    for (unsigned operand : node.operands)
      depth = std::max(depth, depths[operand] + 1);
    if (depth > ExprTree::maxDepth)
      return fail(tooDeep, node.begin);
    tree->nodes.push_back(std::move(node));
    depths.push_back(depth);
    return tree->nodes.size() - 1;
  }

  Result addBinary(ExprKind kind, unsigned left, unsigned right) {
    ExprNode node{kind, tree->nodes[left].begin, tree->nodes[right].end};
    node.operands = {left, right};
    return add(std::move(node));
  }

  std::optional<ExprKind> consumeComparison() {
    constexpr std::pair<llvm::StringLiteral, ExprKind> operators[] = {
        {"<=", ExprKind::LessEqual}, {">=", ExprKind::GreaterEqual},
        {"==", ExprKind::Equal},     {"!=", ExprKind::NotEqual},
        {"<", ExprKind::Less},       {">", ExprKind::Greater}};
    skipSpace();
    for (const auto &[text, kind] : operators)
      if (startsWith(text)) {
        position += text.size();
        return kind;
      }
    return std::nullopt;
  }

  Result parseExpression() {
    Result left = parseSum();
    if (!left)
      return std::nullopt;
    std::optional<ExprKind> kind = consumeComparison();
    if (!kind)
      return left;
    Result right = parseSum();
    if (!right)
      return std::nullopt;
    skipSpace();
    unsigned next = position;
    if (consumeComparison())
      return fail("comparisons do not follow one another: write "
                  "(a < b) * (b < c) for 'and', max(a < b, b < c) for 'or'",
                  next);
    return addBinary(*kind, *left, *right);
  }

  Result parseSum() {
    Result left = parseTerm();
    while (left) {
      ExprKind kind;
      if (consume('+'))
        kind = ExprKind::Add;
      else if (consume('-'))
        kind = ExprKind::Subtract;
      else
        break;
      Result right = parseTerm();
      left = right ? addBinary(kind, *left, *right) : std::nullopt;
    }
    return left;
  }

  Result parseTerm() {
    Result left = parseUnary();
    while (left) {
      ExprKind kind;
      if (consume('*'))
        kind = ExprKind::Multiply;
      else if (consume('/'))
        kind = ExprKind::Divide;
      else if (consume('%'))
        kind = ExprKind::Remainder;
      else
        break;
      Result right = parseUnary();
      left = right ? addBinary(kind, *left, *right) : std::nullopt;
    }
    return left;
  }

  Result parseUnary() {
    if (++nesting > ExprTree::maxDepth)
      return fail(tooDeep);
    Result result = parseNegationOrPrimary();
    --nesting;
    return result;
  }

  Result parseNegationOrPrimary() {
    if (peek() != '-')
      return parsePrimary();
    unsigned begin = position++;
    Result operand = parseUnary();
    if (!operand)
      return std::nullopt;
    ExprNode node{ExprKind::Negate, begin, tree->nodes[*operand].end};
    node.operands = {*operand};
    return add(std::move(node));
  }

  Result parsePrimary() {
    char next = peek();
    if (llvm::isDigit(next) || (next == '.' && !startsWith("..")))
      return parseNumber();
    if (llvm::isAlpha(next) || next == '_')
      return parseNameOrCallOrElement();
    if (next == '(')
      return parseParenthesised();
    if (next == '/' && position > 0 && source[position - 1] == '/')
      return fail("write '/' for '//': between integers it drops the fraction",
                  position - 1);
    return fail("expected a number, a name or '(', found " + describeNext());
  }

  Result parseParenthesised() {
    unsigned begin = position++;
    Result inner = parseExpression();
    if (!inner || !expect(')', "to close the parenthesis"))
      return std::nullopt;
    // The text of an operation keeps its parentheses: "(a + b)".
    ExprNode &node = tree->nodes[*inner];
    bool isOperation = node.kind >= ExprKind::Negate;
    if (isOperation) {
      node.begin = begin;
      node.end = position;
    }
    return inner;
  }

  Result parseNumber() {
    unsigned begin = position;
    auto skipDigits = [&] {
      while (position < source.size() && llvm::isDigit(source[position]))
        ++position;
    };
    skipDigits();
    bool isReal = false;
    // Two points stand between the ends of a range.
    if (startsWith(".") && !startsWith("..")) {
      isReal = true;
      ++position;
      skipDigits();
    }
    llvm::StringRef rest = source.substr(position);
    if (rest.consume_front_insensitive("e")) {
      if (!rest.consume_front("+"))
        rest.consume_front("-");
      if (!rest.empty() && llvm::isDigit(rest.front())) {
        isReal = true;
        position = source.size() - rest.size();
        skipDigits();
      }
    }
    llvm::StringRef text = source.slice(begin, position);
    if (position < source.size() &&
        (llvm::isAlpha(source[position]) || source[position] == '_' ||
         (startsWith(".") && !startsWith(".."))))
      return fail("'" + text + source.substr(position, 1) +
                      "' is neither a number nor a name",
                  begin);

    ExprNode node{isReal ? ExprKind::Real : ExprKind::Integer, begin, position};
    bool failed = isReal
                      ? text.getAsDouble(node.real) || !std::isfinite(node.real)
                      : text.getAsInteger(10, node.integer);
    if (failed)
      return fail(text == "." ? llvm::Twine("'.' is no number")
                              : "the number '" + text + "' is out of range",
                  begin);
    return add(std::move(node));
  }

  llvm::StringRef parseName() {
    skipSpace();
    unsigned begin = position;
    while (position < source.size() &&
           (llvm::isAlnum(source[position]) || source[position] == '_'))
      ++position;
    return source.slice(begin, position);
  }

  Result parseNameOrCallOrElement() {
    skipSpace();
    unsigned begin = position;
    std::string name = parseName().str();
    unsigned end = position;
    char next = peek();
    if (next == '[' || next == '(')
      return parseOperands(std::move(name), begin);
    ExprNode node{ExprKind::Name, begin, end};
    node.name = std::move(name);
    return add(std::move(node));
  }

  /// Called at the bracket after a name.
  Result parseOperands(std::string name, unsigned begin) {
    bool isElement = source[position++] == '[';
    char close = isElement ? ']' : ')';
    ExprNode node{isElement ? ExprKind::Element : ExprKind::Call, begin, begin};
    if (!consume(close)) {
      do {
        Result operand = parseExpression();
        if (!operand)
          return std::nullopt;
        node.operands.push_back(*operand);
      } while (consume(','));
      if (!expect(close, isElement ? "or ',' in the index list"
                                   : "or ',' in the operand list"))
        return std::nullopt;
    }
    node.end = position;
    node.name = std::move(name);
    return add(std::move(node));
  }

  Result parseElement() {
    char next = peek();
    unsigned begin = position;
    if (!llvm::isAlpha(next) && next != '_')
      return fail("expected the name of a tensor, found " + describeNext());
    std::string name = parseName().str();
    if (peek() != '[')
      return fail("expected '[' after '" + name + "', found " + describeNext());
    return parseOperands(std::move(name), begin);
  }

  static constexpr llvm::StringLiteral tooDeep =
      "the expression is nested too deeply";

  std::shared_ptr<ExprTree> tree;
  llvm::StringRef source;
  unsigned position = 0;
  unsigned nesting = 0;
  std::vector<unsigned> depths;
  std::string errorText;
  unsigned errorColumn = 0;
};

} // namespace tilewright::spec

llvm::Expected<ExprTreeRef> spec::parseExpression(llvm::StringRef text) {
  return ExprParser(text).parseWholeExpression();
}

llvm::Expected<ExprShape> spec::parseShape(llvm::StringRef text) {
  return ExprParser(text).parseWholeShape();
}

llvm::Expected<ExprStatement> spec::parseStatement(llvm::StringRef text) {
  return ExprParser(text).parseWholeStatement();
}
