//===- StructureJSON.h - Structures in JSON ---------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structure as JSON, complete. Names are their numbers, -1 for none; members
// that say nothing are left out:
//
//   {"kernels": [{"grid": [1], "loop": 2, "inputs": [0, 1], "operators": [
//      {"operator": "accumulate", "reduction": "rms", "operands": [0],
//       "over": 2}, ...], "results": [5]}],
//    "results": [{"layout": [0, 1], "element": "f16"}], "outputs": [2]}
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_STRUCTUREJSON_H
#define MIRAGE_SEARCH_STRUCTUREJSON_H

#include "Mirage/Search/TargetProgram.h"
#include "llvm/Support/JSON.h"

namespace mlir::mirage {
class JSONCursor;
} // namespace mlir::mirage

namespace mlir::mirage::search {

llvm::json::Value toJSON(const KernelStructure &kernel);
llvm::json::Value toJSON(const Structure &structure);

/// Reads a structure of `program`: numbers in range, as many operands as each
/// operator takes, in phases that may meet, reductions over names that their
/// operand has, results with the names that were computed, outputs stored as
/// the program has them. That it computes the program is for a test to say.
/// Errors name the path of the offending member with what was expected and
/// found.
llvm::Expected<Structure> structureFromJSON(const llvm::json::Value &value,
                                            const TargetProgram &program);

/// The same inside a document. What is read means nothing if the cursor failed.
Structure readStructure(const JSONCursor &cursor, const TargetProgram &program);
/// A kernel by itself: what can be said without knowing which tensors it loads.
/// \param program  whose names and masks it has; null: not known.
KernelStructure readKernel(const JSONCursor &cursor,
                           const TargetProgram *program);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_STRUCTUREJSON_H
