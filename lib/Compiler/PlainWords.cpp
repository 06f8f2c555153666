//===- PlainWords.cpp - MLIR's messages in the language's words -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlainWords.h"

#include "mlir/IR/MLIRContext.h"
#include "tilewright/Compiler/NearestName.h"
#include "tilewright/Dialect/Tile/Analysis/Language.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace tilewright;
using llvm::StringRef;

namespace {

/// What a message was about.
struct Subject {
  /// The whole of what the pattern matched, then its groups.
  SmallVector<StringRef> parts;
  /// The source, and the place of the message in it.
  StringRef source;
  size_t position;
  MLIRContext *context;
};

/// A message of MLIR's, and what it means.
struct Translation {
  StringRef pattern;
  std::string (*say)(const Subject &);
  bool keepsNotes = true;
};

} // namespace

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// "; did you mean 'tile.load_view'?", or where to look.
static std::string suggest(MLIRContext *context, StringRef unknown) {
  // Until an op of it is met, a dialect is not loaded.
  for (StringRef dialect : {"tile", "arith", "math", "scf"})
    context->getOrLoadDialect(dialect);
  auto [dialect, word] = unknown.split('.');
  // Of words that are as near, one of the dialect that is written there.
  SmallVector<StringRef> names, others;
  for (RegisteredOperationName name : context->getRegisteredOperations()) {
    bool isOther = name.getDialectNamespace() != dialect;
    if (tile::isInLanguage(name))
      (isOther ? others : names).push_back(name.getStringRef());
  }
  llvm::append_range(names, others);
  auto words = llvm::map_to_vector(
      names, [](StringRef name) { return name.split('.').second; });
  if (std::optional<size_t> nearest = findNearestName(word, words))
    return askForName(names[*nearest]);
  return "; docs/not-in-the-language.md says what to write instead of what "
         "there is not";
}

/// What follows the place of the message, without the space before it.
static StringRef getRest(const Subject &subject) {
  return subject.source.substr(subject.position).ltrim();
}

static std::string sayUnknownOp(const Subject &subject) {
  StringRef name = subject.parts[1], rest = getRest(subject);
  if (rest.consume_front(name) && rest.ltrim().starts_with("="))
    return "the name of a value begins with '%': %" + name.str();
  std::string full = name.contains('.') ? name.str() : "tile." + name.str();
  return "there is no op '" + full + "'" + suggest(subject.context, full);
}

/// Where an op should stand and something else does.
static std::string sayNoOp(const Subject &subject) {
  StringRef rest = getRest(subject);
  while (rest.consume_front("//"))
    rest = rest.drop_until([](char c) { return c == '\n'; }).ltrim();
  if (rest.empty())
    return "the text ends here, and a '}' is missing";
  std::string text = "an op is expected here, such as tile.splat";
  if (rest.starts_with("}"))
    return text + "; is a brace too many before it?";
  if (rest.starts_with("/*"))
    return text + "; comments begin with //";
  return text;
}

static std::string sayUnknownFunction(const Subject &subject) {
  return "there is no function '" + subject.parts[1].str() +
         "' in this source; a kernel calls private func.func, and no kernel";
}

static std::string sayUnknownDialect(const Subject &subject) {
  return "'" + subject.parts[1].str() +
         "' is not part of the language: " + tile::kLanguage.str();
}

/// The name of a value at the place of the message, as "%u".
static StringRef getValueName(const Subject &subject) {
  StringRef text = subject.source.substr(subject.position);
  return text.take_while([first = true](char c) mutable {
    bool isName =
        first ? c == '%' : llvm::isAlnum(c) || StringRef("_$.-").contains(c);
    first = false;
    return isName;
  });
}

static std::string sayUndefined(const Subject &subject) {
  StringRef name = getValueName(subject);
  std::string text = "'" + name.str() + "' is not defined here";
  StringRef before = subject.source.take_front(subject.position);
  // Where a definition of that name stands, in a text that parses so far.
  llvm::Regex definition(llvm::Regex::escape(name) + "(:[0-9]+)? *[=:,]");
  if (name.empty() || !definition.match(before))
    return text;
  return text + ": what a kernel, a loop, a branch or a reduction defines is "
                "known inside of it only; scf.yield hands values out";
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isTileText(StringRef type) { return type.starts_with("tensor<"); }

/// A value of one type, where another is needed.
static std::string sayOtherType(const Subject &subject) {
  StringRef name = subject.parts[1], needed = subject.parts[2],
            given = subject.parts[3];
  std::string text = "'" + name.str() + "' is of type '" + given.str() +
                     "', where '" + needed.str() + "' is needed";
  if (isTileText(needed) && !isTileText(given))
    return text + "; tile.splat makes a tile of a scalar";
  if (needed == "i1" && isTileText(given))
    return text + "; scf.if and scf.while decide for the whole program, "
                  "arith.select chooses element by element";
  if (!isTileText(needed) && isTileText(given))
    return text + "; tile.reduce makes a scalar of a tile";
  return text;
}

static std::string sayOtherKindOfType(const Subject &subject) {
  StringRef op = subject.parts[1], kind = subject.parts[2],
            given = subject.parts[3];
  bool isTileNeeded = kind.contains("tensor");
  std::string text =
      "'" + op.str() + "' needs " +
      (isTileNeeded ? "a tile, tensor<...>" : "!" + kind.str() + "<...>") +
      ", not '" + given.str() + "'";
  if (isTileNeeded && given.starts_with("!tile.ptr<"))
    return text + "; for one element, let tile.load_view load a tensor<1x...>, "
                  "or tile.splat make a tile of pointers";
  return text;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static std::string sayWrongAttribute(const Subject &subject) {
  StringRef words = subject.parts[4];
  auto needed =
      StringSwitch<std::string>(words)
          .StartsWith("32-bit signless integer",
                      "a number with its type, such as 1 : i32")
          .StartsWith("64-bit signless integer",
                      "a number with its type, such as 1 : i64")
          .StartsWith("i32 dense array",
                      "an array of numbers, such as array<i32: 1, 2, 1>")
          .StartsWith("string", "a word in quotes")
          .StartsWith("unit", "a word alone, without a value")
          .Default(words.str());
  return "'" + subject.parts[2].str() + "' op '" + subject.parts[3].str() +
         "' is " + needed;
}

static std::string sayOtherYield(const Subject &subject, StringRef terminator,
                                 StringRef number, StringRef given,
                                 StringRef needed) {
  return "'" + subject.parts[1].str() + "' op: value " + number.str() + " of " +
         terminator.str() + " is of type '" + given.str() + "', where '" +
         needed.str() + "' is needed";
}

static std::string sayNumberExpected(const Subject &) {
  return "a number is expected here; tile.constant has infinity and NaN too, "
         "as in tile.constant -inf : tensor<64xf32>";
}

static std::string notInLanguage(const Subject &) {
  return "this op is not part of the language: " + tile::kLanguage.str();
}

static const Translation translations[] = {
    // Ops
    {"^Dialect `.*' not found for custom op '(.*)' *$", sayUnknownDialect,
     /*keepsNotes=*/false},
    {"^'func\\.call' op '([^']*)' does not reference", sayUnknownFunction},
    {"^'(func\\.[a-z_]+)' op ('|symbol)", sayUnknownDialect},
    {"^custom op '([^']*)' is unknown", sayUnknownOp, /*keepsNotes=*/false},
    {"^(unregistered operation|operation being parsed with an unregistered)|"
     "created with unregistered dialect",
     notInLanguage, /*keepsNotes=*/false},
    {"^expected operation name in quotes$", sayNoOp},
    {"^expected '{' to begin a region$",
     [](const Subject &) {
       return std::string("what the op is to do is expected here, in braces");
     }},
    {"^expected integer number of results$",
     [](const Subject &) {
       return std::string("after the name of a result, '=' and an op are "
                          "expected; tile.return takes no value");
     }},
    {"^'(.*)' op expects parent op '(.*)'$",
     [](const Subject &subject) {
       return "'" + subject.parts[1].str() + "' op stands directly in a '" +
              subject.parts[2].str() + "', and nowhere else";
     }},
    {"^'(.*)' op expects region #[0-9]+ to have 0 or 1 blocks$",
     [](const Subject &subject) {
       return "'" + subject.parts[1].str() +
              "' op has labels, and there are no jumps: loops are scf.for "
              "and scf.while, choices are scf.if";
     }},
    {"^(block with no terminator|empty block: expect)",
     [](const Subject &) {
       return std::string("the last op is missing after this one: a kernel "
                          "ends with tile.return, the region of a reduction "
                          "with tile.yield, that of a loop or a branch with "
                          "results with scf.yield");
     }},
    // Names of values
    {"^expected SSA operand$",
     [](const Subject &) {
       return std::string("the name of a value is expected here, such as %x; "
                          "tile.constant makes a value of a number");
     }},
    {"^use of undeclared SSA value name", sayUndefined},
    {"^redefinition of SSA value '(.*)'$",
     [](const Subject &subject) {
       return "'" + subject.parts[1].str() + "' is defined a second time";
     }},
    {"^'(.*)' op using value defined outside the region$",
     [](const Subject &subject) {
       return "'" + subject.parts[1].str() +
              "' op uses a value from outside of its reduction, whose region "
              "sees its own arguments only, and constants that are written "
              "in it";
     },
     /*keepsNotes=*/false},
    {"operand #([0-9]+) does not dominate this use$",
     [](const Subject &subject) {
       return "operand " + subject.parts[1].str() +
              " is used before it is defined, or outside of the loop or branch "
              "that defines it; scf.yield hands values out";
     }},
    {"^'(.*)' op along control flow edge from Operation (scf.[a-z]+) .*: "
     "region branch point has ([0-9]+) operands, but region successor needs "
     "([0-9]+)",
     [](const Subject &subject) {
       return "'" + subject.parts[1].str() + "' op: " + subject.parts[2].str() +
              " yields " + subject.parts[3].str() + " values, where " +
              subject.parts[4].str() + " are needed";
     },
     /*keepsNotes=*/false},
    {"^'(.*)' op ([0-9]+)-th region iter_arg and [0-9]+-th yielded value have "
     "different type: '(.*)' != '(.*)'$",
     [](const Subject &subject) {
       return sayOtherYield(subject, "scf.yield", subject.parts[2],
                            subject.parts[4], subject.parts[3]);
     }},
    {"^'(.*)' op along control flow edge from Operation (scf.[a-z]+) .*: "
     "successor operand type #([0-9]+) '(.*)' should match successor input "
     "type #[0-9]+ '(.*)'$",
     [](const Subject &subject) {
       return sayOtherYield(subject, subject.parts[2], subject.parts[3],
                            subject.parts[4], subject.parts[5]);
     },
     /*keepsNotes=*/false},
    {"^'(.*)' op expects the 'before' region to terminate with "
     "'scf.condition'$",
     [](const Subject &subject) {
       return "'" + subject.parts[1].str() +
              "' op: its first region ends with scf.condition(...), which says "
              "whether to go on and hands values on";
     },
     /*keepsNotes=*/false},
    // Types
    {"^expected ':'$",
     [](const Subject &) {
       return std::string("a type is expected here, after a colon, such as "
                          ": tensor<64x64xf32>");
     }},
    {"^expected 'x' in dimension list$",
     [](const Subject &) {
       return std::string("an 'x' is expected here: extents and the type of "
                          "elements are written as in tensor<64x32xf32>");
     }},
    {"^use of value '(.*)' expects different type than prior uses: '(.*)' vs "
     "'(.*)'$",
     sayOtherType},
    {"^custom op '(.*)' invalid kind of type specified: expected (.*), but "
     "found '(.*)'$",
     sayOtherKindOfType},
    {"^expected non-function type$",
     [](const Subject &) {
       return std::string("a type is expected here, such as index, f32, "
                          "tensor<64x64xf32> or !tile.ptr<f32>");
     }},
    {"^unknown  ?type `(.*)` in dialect `tile`$",
     [](const Subject &subject) {
       return "there is no type '!tile." + subject.parts[1].str() +
              "': there are !tile.ptr<f32>, !tile.view<?x?xf32, [?, 1]> and "
              "!tile.shared<64x64xf32>";
     }},
    {"^'(.*)' op integer return type must be signless$",
     [](const Subject &subject) {
       return "'" + subject.parts[1].str() +
              "' op: the types of integers have no sign, such as i32; ops are "
              "signed or unsigned";
     }},
    // Constants and attributes
    {"^expected (integer or floating point literal|constant integer or "
     "floating point value)$",
     sayNumberExpected},
    {"^expected attribute value$",
     [](const Subject &subject) {
       StringRef text = subject.source.substr(subject.position).ltrim();
       if (text.starts_with("inf") || text.starts_with("nan"))
         return sayNumberExpected(subject);
       return std::string("a value is expected here, such as 4 : i32");
     }},
    {"^floating point value not valid for specified type$|"
     "^integer literal not valid for specified type$",
     [](const Subject &) {
       return std::string("the constant before this is a number, and its type "
                          "is none of a number: a tile is tile.constant 1.0 : "
                          "tensor<64xf32>, or arith.constant dense<1.0> : "
                          "tensor<64xf32>");
     }},
    {"^unexpected decimal integer literal for a floating point value$",
     [](const Subject &) {
       return std::string("a float has a point in arith.constant, such as "
                          "1.0; tile.constant takes 1, too");
     },
     /*keepsNotes=*/false},
    {"^(custom op )?'(.*)' expected string or keyword containing one of the "
     "following enum "
     "values for attribute '(.*)' \\[(.*)\\]$",
     [](const Subject &subject) {
       return "'" + subject.parts[2].str() +
              "' takes one of these words here: " + subject.parts[4].str();
     }},
    {"^invalid attribute name$",
     [](const Subject &subject) {
       return std::string(getRest(subject).starts_with("#")
                              ? "comments begin with //, and not with #"
                              : "a name is expected here");
     }},
    {"^expected floating point literal$",
     [](const Subject &) {
       return std::string("a number, inf or nan is expected here");
     }},
    {"^(custom op '.*' )?'(.*)' op attribute '(.*)' failed to satisfy "
     "constraint: (.*[^ ]) *$",
     sayWrongAttribute},
};

/// Words in other messages.
static constexpr std::pair<StringRef, StringRef> words[] = {
    {"signless-integer-like", "an integer or a tile of integers"},
    {"signless-fixed-width-integer-like", "an integer or a tile of integers"},
    {"floating-point-like", "a float or a tile of floats"},
    {"bool-like", "an i1 or a tile of i1"},
    {"variadic of index", "index"},
    {"custom op '", "'"},
};

/// The words of notes.
static const Translation notes[] = {
    {"^prior use here$",
     [](const Subject &) { return std::string("it has its type from here"); }},
    {"^operand defined here",
     [](const Subject &) { return std::string("it is defined here"); }},
    {"^see existing",
     [](const Subject &) { return std::string("the first one is here"); }},
};

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// The offset of a place in the source; its end for any other place.
static size_t getPosition(Location location, StringRef source) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place)
    return source.size();
  size_t begin = 0;
  for (unsigned line = 1; line < place.getLine(); ++line) {
    begin = source.find('\n', begin);
    if (begin == StringRef::npos)
      return source.size();
    ++begin;
  }
  size_t column = std::max(1u, place.getColumn()) - 1;
  return std::min(begin + column, source.size());
}

static const Translation *match(ArrayRef<Translation> table, StringRef message,
                                SmallVector<StringRef> &parts) {
  for (const Translation &translation : table)
    if (llvm::Regex(translation.pattern).match(message, &parts))
      return &translation;
  return nullptr;
}

/// The message in other words, and whether its notes still say something.
static std::pair<std::string, bool> translate(const Diagnostic &diagnostic,
                                              StringRef source) {
  std::string message = diagnostic.str();
  Subject subject;
  subject.source = source;
  subject.context = diagnostic.getLocation()->getContext();
  if (const Translation *found = match(translations, message, subject.parts)) {
    subject.position = getPosition(diagnostic.getLocation(), source);
    return {found->say(subject), found->keepsNotes};
  }
  std::string plain = message;
  for (auto [word, plainWord] : words)
    if (size_t at = plain.find(word); at != std::string::npos)
      plain.replace(at, word.size(), plainWord);
  return {plain, true};
}

void tilewright::sayPlainly(Diagnostic &diagnostic, StringRef source) {
  auto [message, keepsNotes] = translate(diagnostic, source);
  Diagnostic plain(diagnostic.getLocation(), diagnostic.getSeverity());
  plain << message;
  llvm::append_range(plain.getMetadata(), diagnostic.getMetadata());
  if (keepsNotes)
    for (Diagnostic &note : diagnostic.getNotes()) {
      Subject noted;
      std::string words = note.str();
      if (const Translation *found = match(notes, words, noted.parts))
        words = found->say(noted);
      plain.attachNote(note.getLocation()) << words;
    }
  diagnostic = std::move(plain);
}

bool tilewright::isAftermath(const Diagnostic &diagnostic) {
  return StringRef(diagnostic.str())
      .starts_with("failed to legalize operation");
}
