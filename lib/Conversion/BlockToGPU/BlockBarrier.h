//===- BlockBarrier.h - Where threads of a block meet -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_BLOCKBARRIER_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_BLOCKBARRIER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::mirage {

/// The barrier of a block's threads, or of those that compute, which are the
/// first ones, where others have left to load (Mirage/Analysis/LoadingWarps.h).
class BlockBarrier {
public:
  BlockBarrier() = default;
  explicit BlockBarrier(int64_t numThreads) : numThreads(numThreads) {}

  void emit(ImplicitLocOpBuilder &builder) const;
  /// \param predicate  an i1.
  /// \returns whether it is true in any thread: an i1 that is the same in all.
  Value emitAny(ImplicitLocOpBuilder &builder, Value predicate) const;

private:
  /// The barrier's number, and how many threads it counts where not all.
  SmallVector<Value, 2> getOperands(ImplicitLocOpBuilder &builder) const;

  std::optional<int64_t> numThreads;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_BLOCKBARRIER_H
