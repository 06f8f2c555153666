//===- ProgramBuilder.h - Tile programs, op by op ---*- C++ -*- ===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A front end knows the dialects by their documentation, and this interface
// knows no op: types and attributes come as MLIR's text, parsed once each.
//
//   b = createProgramBuilder("add.py", 4, 0)
//   b->beginRegion({"i32"})                        // values
//   b->createOp("tile.iota", {}, {"tensor<128xi32>"}, {{"start", "0 : i64"}},
//   {}) unsigned region = b->endRegion() b->createOp("tile.kernel", {}, {},
//   {...}, {region}) b->finish()                                    // the
//   module as text
//
// Nothing here needs MLIR, so that who calls it may be in another library than
// the compiler; for the same reason no llvm::Error comes back, whose classes
// are known by the addresses that they have in one library.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_COMPILER_PROGRAMBUILDER_H
#define TILEWRIGHT_COMPILER_PROGRAMBUILDER_H

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tilewright {

class ProgramBuilder {
public:
  /// A value of the program. It must not outlive its builder.
  struct Value {
    const void *opaque;
  };
  /// Why something could not be built: a mistake of the front end.
  struct Refusal {
    std::string text;
  };
  template <typename T> using Result = std::variant<T, Refusal>;
  using Texts = std::vector<std::string>;
  using Attributes = std::vector<std::pair<std::string, std::string>>;

  virtual ~ProgramBuilder() = default;

  /// What follows stands in a function that is called here.
  virtual void enterCall(const std::string &file) = 0;
  virtual void leaveCall() = 0;
  /// Where in its file the next op comes from.
  virtual void setPlace(unsigned line, unsigned column) = 0;

  /// Opens a region; gives the arguments of its block.
  virtual Result<std::vector<Value>> beginRegion(const Texts &types) = 0;
  /// Closes it; gives its number, for the op that takes it.
  virtual unsigned endRegion() = 0;
  /// Goes on at the end of a region that was closed.
  virtual void resumeRegion(unsigned region) = 0;
  /// Ends that, and goes back to where it began.
  virtual void leaveRegion() = 0;

  virtual Result<std::vector<Value>>
  createOp(const std::string &name, const std::vector<Value> &operands,
           const Texts &types, const Attributes &attributes,
           const std::vector<unsigned> &regions) = 0;

  /// Whether numbers of a type, or of its elements, are floats.
  virtual Result<bool> hasFloats(const std::string &type) = 0;
  /// Rounded to nearest, ties to even; infinities and NaN too.
  virtual Result<Value> createFloat(const std::string &type, double number) = 0;
  /// An integer in the lowest bits of the type.
  virtual Result<Value> createInteger(const std::string &type,
                                      const std::string &digits) = 0;

  virtual std::string getType(Value value) const = 0;

  /// The module as text, with all places; a refusal where it is no program.
  virtual Result<std::string> finish() = 0;
};

/// `file`, `line` and `column`: where the kernel begins.
std::unique_ptr<ProgramBuilder>
createProgramBuilder(const std::string &file, unsigned line, unsigned column);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_PROGRAMBUILDER_H
