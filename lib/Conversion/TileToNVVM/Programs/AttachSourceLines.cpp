//===- AttachSourceLines.cpp - Lines and calls of the source for PTX ------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilewright {
#define GEN_PASS_DEF_ATTACHSOURCELINES
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace {

using Places = SmallVector<FileLineColRange>;

/// Adds the line that `location` stands for, and those of the calls around it,
/// innermost first.
void collectPlaces(Location location, Places &places) {
  if (auto place = dyn_cast<FileLineColRange>(location)) {
    places.push_back(place);
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collectPlaces(call.getCallee(), places);
    collectPlaces(call.getCaller(), places);
  } else if (auto named = dyn_cast<NameLoc>(location)) {
    collectPlaces(named.getChildLoc(), places);
  } else if (auto opaque = dyn_cast<OpaqueLoc>(location)) {
    collectPlaces(opaque.getFallbackLocation(), places);
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    // LLVM would make line 0 of several, which helps nobody.
    for (Location part : fused.getLocations()) {
      size_t before = places.size();
      collectPlaces(part, places);
      if (places.size() != before)
        return;
    }
  }
}

/// The place as translation to LLVM IR wants it, with its file as scope.
Location makeScoped(FileLineColRange place, LLVM::DISubprogramAttr function) {
  MLIRContext *context = place.getContext();
  auto file = LLVM::DIFileAttr::get(context, place.getFilename().getValue(),
                                    /*directory=*/"");
  auto scope = LLVM::DILexicalBlockFileAttr::get(function, file,
                                                 /*discriminator=*/0);
  Location point = FileLineColLoc::get(
      place.getFilename(), place.getStartLine(), place.getStartColumn());
  return FusedLoc::get(context, {point}, scope);
}

/// What translation does right by itself: a line, in a scope or in none.
bool isPlain(Location location) {
  if (auto fused = dyn_cast<FusedLoc>(location))
    return fused.getLocations().size() == 1 &&
           isa<FileLineColLoc>(fused.getLocations().front());
  return isa<FileLineColLoc, UnknownLoc>(location);
}

struct AttachSourceLines
    : tilewright::impl::AttachSourceLinesBase<AttachSourceLines> {
  void runOnOperation() override {
    getOperation()->walk([](LLVM::LLVMFuncOp function) {
      auto location = dyn_cast<FusedLocWith<LLVM::DISubprogramAttr>>(
          Location(function.getLoc()));
      if (!location)
        return;
      function.getBody().walk([&](Operation *op) {
        if (isPlain(op->getLoc()))
          return;
        Places places;
        collectPlaces(op->getLoc(), places);
        if (places.empty())
          return;
        Location chain =
            makeScoped(places.pop_back_val(), location.getMetadata());
        while (!places.empty())
          chain = CallSiteLoc::get(
              makeScoped(places.pop_back_val(), location.getMetadata()), chain);
        op->setLoc(chain);
      });
    });
  }
};

} // namespace
