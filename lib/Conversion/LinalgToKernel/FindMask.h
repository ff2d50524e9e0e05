//===- FindMask.h - Ops that hide elements by their place -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_FINDMASK_H
#define MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_FINDMASK_H

#include "IndexPattern.h"
#include "Mirage/Graph/Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <optional>
#include <string>

namespace mlir::mirage {

/// `masked` where index `column` is at most index `row` + `offset`; elsewhere
/// minus infinity, or 0. A row or column of kUnit is 0: j <= 3 hides all
/// columns from the fourth on in every row.
struct Mask {
  Value masked;
  int row, column;
  int64_t offset;
  bool hidesByZero = false;
  /// The lowest finite number of a type, where that stands for minus infinity
  /// (docs/rationale/Import.md).
  std::optional<double> lowest = std::nullopt;
};

/// The mask that a sum adds, 0 where it shows and minus infinity where it
/// hides, or that a product multiplies by, 1 and 0; on either side.
/// \param opcode    what `op` is.
/// \param numLoops  of what the op stands in, or the rank of its tensors.
std::optional<Mask> findJoinedMask(Operation *op, Opcode opcode,
                                   unsigned numLoops);

/// The mask that a selection is: of a value and minus infinity or 0, by
/// indices.
/// \param reason  set on failure.
FailureOr<Mask> findSelectedMask(arith::SelectOp select, unsigned numLoops,
                                 std::string &reason);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_FINDMASK_H
