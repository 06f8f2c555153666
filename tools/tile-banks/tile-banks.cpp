//===- tile-banks.cpp - Draws the banks of a shared tile ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which bank each element of a tile is in, and which lanes of an access wait
// for one another, before and after a layout is chosen. Layouts are written as
// in tile IR, without the name of the attribute.
//
//===----------------------------------------------------------------------===//

#include "Tools.h"

#include "common/NamedParser.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "tile-banks/CsvCheck.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Layout/Drawing/BankDrawing.h"
#include "tilewright/Layout/Shared/SharedLayoutChoice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace tilewright;
using namespace tilewright::banks;

namespace {
struct CommandLine {
  cl::OptionCategory category{"Tilewright options"};
  cl::opt<std::string> layout{
      cl::Positional, cl::desc("LAYOUT"),
      cl::value_desc("such as \"32x32, swizzle<5,0,5>\""), cl::cat(category)};
  cl::opt<std::string> access{
      "access", cl::value_desc("REGISTERS"),
      cl::desc("Who holds what, such as \"lane[32,1] register[1,32]\""),
      cl::cat(category)};
  NamedOption<SharedAccessKind> kind{
      "kind", cl::init(SharedAccessKind::Load), cl::desc("What it does"),
      cl::cat(category),
      cl::values(
          clEnumValN(SharedAccessKind::Load, "load", "Load (default)"),
          clEnumValN(SharedAccessKind::Store, "store", "Store"),
          clEnumValN(SharedAccessKind::LoadMatrix, "ldmatrix", "ldmatrix"),
          clEnumValN(SharedAccessKind::StoreMatrix, "stmatrix", "stmatrix"))};
  cl::opt<unsigned> bytes{"bytes", cl::init(4), cl::value_desc("N"),
                          cl::desc("Bytes of an element"), cl::cat(category)};
  cl::opt<unsigned> vector{"vector", cl::init(0), cl::value_desc("N"),
                           cl::desc("Elements a lane; 0: as many as it can"),
                           cl::cat(category)};
  cl::opt<unsigned> instruction{"instruction", cl::init(0), cl::value_desc("N"),
                                cl::desc("Which instruction of the access"),
                                cl::cat(category)};
  cl::opt<unsigned> warp{"warp", cl::init(0), cl::value_desc("N"),
                         cl::desc("Of which warp"), cl::cat(category)};
  cl::opt<unsigned> rows{"rows", cl::init(32), cl::value_desc("N"),
                         cl::desc("Rows to print at most"), cl::cat(category)};
  cl::opt<unsigned> columns{"columns", cl::init(32), cl::value_desc("N"),
                            cl::desc("Columns to print at most"),
                            cl::cat(category)};
  cl::opt<std::string> svg{"svg", cl::value_desc("FILE"),
                           cl::desc("Draw a picture"), cl::cat(category)};
  cl::opt<std::string> html{
      "html", cl::value_desc("FILE"),
      cl::desc("Write a page that steps through the lanes"), cl::cat(category)};
  cl::opt<std::string> check{
      "check", cl::value_desc("FILE.csv"),
      cl::desc("Compare the bank model with counted wavefronts"),
      cl::cat(category)};
};
} // namespace

/// Reads an attribute of the dialect; the error is what its parser says.
template <typename Attr>
static Expected<Attr> parseAttr(mlir::MLIRContext &context, StringRef name,
                                StringRef text) {
  std::string why;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          if (why.empty())
                                            why = diagnostic.str();
                                          return mlir::success();
                                        });
  auto attr = dyn_cast_or_null<Attr>(mlir::parseAttribute(
      ("#tile." + name + "<" + text + ">").str(), &context));
  if (attr)
    return attr;
  if (why.empty())
    why = "it has another form";
  if (why == "expected '>'") // Which stands behind the text, and not in it.
    why = "a comma is missing, or it should have ended";
  return createStringError("'" + text + "' is no layout: " + why);
}

/// Do tile, elements and access go together?
static Error checkAccess(SharedAccess access, const SharedLayout &layout) {
  if (!is_contained({1u, 2u, 4u, 8u, 16u}, access.elementBytes))
    return createStringError("elements of " + Twine(access.elementBytes) +
                             " bytes; expected 1, 2, 4, 8 or 16");
  if (access.requiredVector &&
      (!isPowerOf2_32(access.requiredVector) ||
       access.requiredVector > maxBytesPerLane / access.elementBytes))
    return createStringError("no instruction moves " +
                             Twine(access.requiredVector) + " elements of " +
                             Twine(access.elementBytes) + " bytes a lane");
  access.kind = SharedAccessKind::Load;
  access.requiredVector = 0;
  return chooseSharedLayout(layout.shape(), access.elementBytes, access,
                            {SharedLayoutPolicy::None})
      .takeError();
}

static Expected<std::vector<BankMap>> mapAll(const CommandLine &options) {
  mlir::MLIRContext context;
  context.loadDialect<tile::TileDialect>();
  auto layout = parseAttr<tile::SharedLayoutAttr>(context, "shared_layout",
                                                  options.layout);
  if (!layout)
    return layout.takeError();
  auto registers = parseAttr<tile::RegisterLayoutAttr>(
      context, "register_layout", options.access);
  if (!registers)
    return registers.takeError();
  const SharedLayout &after = layout->getLayout();
  SharedAccess access{options.kind, registers->getLayout(), options.bytes, 1,
                      options.vector};
  if (Error error = checkAccess(access, after))
    return std::move(error);

  std::vector<BankMap> maps;
  SharedLayout before = SharedLayout::rowMajor(after.shape());
  if (after != before) {
    Expected<BankMap> map =
        mapBanks(access, before, options.instruction, options.warp);
    if (map)
      maps.push_back(std::move(*map));
    else // The layout may be there to make the access possible.
      consumeError(map.takeError());
  }
  Expected<BankMap> map =
      mapBanks(access, after, options.instruction, options.warp);
  if (!map)
    return map.takeError();
  maps.push_back(std::move(*map));
  return maps;
}

static Error writeFile(StringRef path,
                       function_ref<void(raw_ostream &)> write) {
  std::error_code code;
  ToolOutputFile file(path, code, sys::fs::OF_Text);
  if (!code) {
    write(file.os());
    file.os().flush();
    code = file.os().error();
    file.os().clear_error();
  }
  if (code)
    return createStringError("cannot write '" + path + "': " + code.message());
  file.keep();
  return Error::success();
}

/// Returns the exit status.
static Expected<int> run(const CommandLine &options) {
  if (!options.check.empty()) {
    auto buffer = MemoryBuffer::getFileOrSTDIN(options.check, /*IsText=*/true);
    if (!buffer)
      return createStringError("cannot read '" + options.check +
                               "': " + buffer.getError().message());
    Expected<unsigned> differences =
        checkCsv(outs(), options.check, (*buffer)->getBuffer());
    if (!differences)
      return differences.takeError();
    return *differences ? 1 : 0;
  }
  if (options.layout.empty() || options.access.empty())
    return createStringError(
        "needs a layout and --access, such as \"32x32\" "
        "--access=\"lane[32,1] register[1,32]\", or --check");
  Expected<std::vector<BankMap>> maps = mapAll(options);
  if (!maps)
    return maps.takeError();
  if (!options.svg.empty())
    if (Error error = writeFile(options.svg,
                                [&](raw_ostream &os) { drawSvg(os, *maps); }))
      return std::move(error);
  if (!options.html.empty())
    if (Error error = writeFile(options.html, [&](raw_ostream &os) {
          drawHtml(os, {"Bank map", ""}, BankScene{options.access, *maps});
        }))
      return std::move(error);
  if (!options.svg.empty() || !options.html.empty())
    return 0;
  ListSeparator between("\n");
  for (const BankMap &map : *maps) {
    outs() << StringRef(between);
    drawText(outs(), map, outs().has_colors(), options.rows, options.columns);
  }
  outs() << StringRef(between);
  drawTextLegend(outs());
  return 0;
}

int tilewright::tileBanksMain(int argc, char **argv) {
  CommandLine options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Tilewright's view of shared-memory banks\n");
  Expected<int> status = run(options);
  if (status)
    return *status;
  WithColor::error(errs(), "tile-banks")
      << toString(status.takeError()) << "\n";
  return 1;
}
