//===- HeldItems.h - Thread graphs on tiles in registers --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_THREADTOVECTOR_HELDITEMS_H
#define MIRAGE_LIB_CONVERSION_THREADTOVECTOR_HELDITEMS_H

#include "Mirage/Dialect/Thread/IR/Thread.h"

namespace mlir::mirage {

/// How the items of a placed thread graph come to warps, where it reads tiles
/// or leaves results in registers.
struct HeldItems {
  ShareDeal deal;
  TileGraph items; ///< with the extents that code goes by
};

/// \returns none if it reads and leaves nothing in registers.
std::optional<HeldItems> findHeldItems(thread::GraphOp graph);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_THREADTOVECTOR_HELDITEMS_H
