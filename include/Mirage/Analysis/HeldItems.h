//===- HeldItems.h - Thread graphs on tiles in registers --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_HELDITEMS_H
#define MIRAGE_ANALYSIS_HELDITEMS_H

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

/// Of a placed thread graph: lanes wait for their warp before it, behind which
/// to both assemblers memory may have changed, so that it reads anew what a
/// step before it has read. --mirage-read-anew decides it.
inline constexpr llvm::StringLiteral kReadsAnewAttr = "mirage.reads_anew";

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_HELDITEMS_H
