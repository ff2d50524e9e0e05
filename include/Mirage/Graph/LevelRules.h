//===- LevelRules.h - What a level of a µGraph may hold ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of `verify` that are no matter of shapes, stated once for plain
// graphs and for IR: which operators a level has, how results are stored there,
// and how large anything may be.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_LEVELRULES_H
#define MIRAGE_GRAPH_LEVELRULES_H

#include "Mirage/Graph/Operators.h"
#include "Mirage/Graph/TensorSpec.h"

namespace mlir::mirage {

/// The most elements that a tensor has, blocks that a grid has and iterations
/// that a loop has. The work of a matmul of such tensors fits in 64 bits.
constexpr int64_t kMaxCount = int64_t(1) << 40;

/// The product of factors that are at least 1 (an empty product is 1), or
/// nothing if it exceeds `kMaxCount`.
std::optional<int64_t> multiplyCounts(llvm::ArrayRef<int64_t> factors);

/// Fails for tensors without a dimension, with a size below 1, or with more
/// than `kMaxCount` elements.
llvm::Error checkTensorType(const TensorSpec &type);

/// The threads of a block that has so many along each of its axes; fails where
/// these are more than any block has. The rest is for `verifyMaps` to say.
llvm::Expected<unsigned> countThreads(llvm::ArrayRef<int64_t> block);

/// Fails for operators that a level lacks by the operator table.
llvm::Error checkLevel(Opcode opcode, Level level);

/// Fails where an accumulation carries more than its result from one part to
/// the next, as a variance does, and is not one over the loop of a block.
llvm::Error checkCarried(Opcode opcode, Level level,
                         const Attributes &attributes);

/// Fails where a result is stored as its level does not do: a reshape is a view
/// and keeps its operand's element type, and so does a repetition; in tile
/// graphs every movement does but `Cast`, since rounding is an operation of its
/// own there. Fails as well where elements are set to an infinity, as masks do,
/// and the result's type has none.
llvm::Error checkElement(Opcode opcode, Level level,
                         const Attributes &attributes,
                         llvm::ArrayRef<TensorSpec> operands,
                         ElementType result);

/// Whether an accumulation is the sum, or the maximum, of its operand element
/// by element, with nothing before or behind it: not one that reduces
/// dimensions, averages, or rescales what it adds up.
bool accumulatesElements(const Attributes &attributes, size_t numOperands);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_LEVELRULES_H
