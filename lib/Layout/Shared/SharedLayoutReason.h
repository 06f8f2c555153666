//===- SharedLayoutReason.h - Why a layout was chosen -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_LAYOUT_SHARED_SHAREDLAYOUTREASON_H
#define TILEWRIGHT_LIB_LAYOUT_SHARED_SHAREDLAYOUTREASON_H

#include "tilewright/Layout/Shared/AccessSubspaces.h"
#include "tilewright/Layout/Shared/SharedLayoutChoice.h"

namespace tilewright {

/// The bounds of a choice whose winner is known, one an access. It was free, or
/// restricted to some layouts.
llvm::SmallVector<SharedAccessBound>
boundAccesses(llvm::ArrayRef<int64_t> shape, unsigned elementBytes,
              llvm::ArrayRef<SharedAccess> accesses,
              llvm::ArrayRef<AccessSubspaces> subspaces,
              const SharedLayoutChoice &choice, bool isFree);

/// The reason of a choice of which all else is known.
std::string explainChoice(const SharedLayoutChoice &choice,
                          llvm::ArrayRef<SharedAccess> accesses);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LAYOUT_SHARED_SHAREDLAYOUTREASON_H
