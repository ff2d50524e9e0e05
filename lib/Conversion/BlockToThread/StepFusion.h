//===- StepFusion.h - Operations that are one step of a block ---*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of a block graph that one thread graph computes, so that what
// leads from one to the next never leaves registers. Each such group ends in a
// root, whose result is the only one that others read:
//
//   square x    \                     p = a · b   core
//   sum         / core and root       exp p       root
//
// A group has at most one *core*, a matrix product or a reduction, which
// decides how the step is cut into items and fragments. What is elementwise
// before a reduction is computed on the elements as they come; what is
// elementwise behind a core, element by element on its result; operands beside
// it are loaded as that is spread. An operand of a product is loaded transposed
// where a transpose stands before it. Parts of rows are joined where
// elementwise operations read the rows, and are no core.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOTHREAD_STEPFUSION_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOTHREAD_STEPFUSION_H

#include "Mirage/Dialect/Block/IR/Block.h"

namespace mlir::mirage {

/// Of operations that thread graphs have.
enum class StepKind : uint8_t { Elementwise, Reduction, Contraction };

/// None for what the conversion of blocks carries out itself: an accumulate
/// belongs to the loop, masks depend on the coordinates of the block, a reshape
/// is another view of the same bytes, and warps have no parts and no constants.
std::optional<StepKind> getStepKind(Operation *op);

/// Of a reduction of rows that joins the parts which warps have reduced
/// (`splitReductions`): so few that each item joins those that it needs.
inline constexpr llvm::StringLiteral kJoinsRowPartsAttr =
    "mirage.joins_row_parts";

/// Whether an operation, which may be null, is a transpose that a product reads
/// past, along the rows of the tile before it.
bool isReadTransposed(Operation *op);

class StepFusion {
public:
  explicit StepFusion(block::GraphOp graph);

  /// Whether the thread graph of its user computes an operation.
  bool isFused(Operation *op) const;
  /// The root of the group that an operation belongs to.
  Operation *getRoot(Operation *op) const;
  /// The core of a root's group; null where all is elementwise.
  Operation *getCore(Operation *root) const;

private:
  struct Group {
    Operation *core = nullptr;
    unsigned numOperands = 0; ///< tiles that are loaded
  };
  /// What is known of an operation whose group is.
  struct Member {
    Operation *root;
    /// Whether elements of its result are elements of the root's.
    bool isAligned;
    /// Whether a reduction of the group reads it, at once or through others.
    bool isReduced = false;
    /// Whether it is loaded, transposed, as an operand of a product.
    bool isOperandOfProduct = false;
  };

  /// The operation that alone uses `op`, if both run in one phase.
  Operation *findUser(Operation *op) const;
  bool tryFuse(Operation *op, StepKind kind);

  DenseMap<Value, Phase> phases;
  DenseMap<Operation *, Group> groups; ///< by root
  DenseMap<Operation *, Member> members;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOTHREAD_STEPFUSION_H
