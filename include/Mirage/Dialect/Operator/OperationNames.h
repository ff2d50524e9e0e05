//===- OperationNames.h - Which op of a µGraph code is for ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that is generated for an op of a µGraph says so in its locations: they
// are named after the op, by --mirage-name-operations, and stay what they were
// inside:
//
//   loc("3:mirage_block.matmul"("model.mlir":12:8))
//
// The number tells apart what the search has made of one place in the input.
// What passes do to locations, fusing them or putting them at call sites, keeps
// the name to be found. PTX numbers the ops that are left (`.loc 1 4 1` is the
// fourth), and the artifact has the list.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_OPERATIONNAMES_H
#define MIRAGE_DIALECT_OPERATOR_OPERATIONNAMES_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace mlir::mirage {

/// The location of an op, named after it.
/// \param number  of the op among those that are named.
Location nameAfter(Operation *op, unsigned number);

/// An op of a µGraph by its location.
struct NamedOperation {
  unsigned number;
  StringRef name;   ///< "mirage_block.matmul"
  Location written; ///< where the user wrote it, as far as that is known
};
/// The first that a location names; none if it names none.
std::optional<NamedOperation> findNamedOperation(Location location);

/// The first place in a file that a location has; null if it has none.
FileLineColLoc findFile(Location location);

} // namespace mlir::mirage

#endif // MIRAGE_DIALECT_OPERATOR_OPERATIONNAMES_H
