//===- StepBuilders.h - Steps of a block as thread graphs -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOTHREAD_STEPBUILDERS_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOTHREAD_STEPBUILDERS_H

#include "Mirage/Layout/WorkFragments.h"
#include "StepFusion.h"
#include "ThreadGraphBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include <functional>

namespace mlir::mirage {

/// Elements of a row, at most, that a lane of an elementwise step has side by
/// side. In a block without a loop lanes may load and store device memory with
/// them (--mirage-bypass-shared-memory): of the widest element type of its
/// inputs and outputs they are one access, so that neighbours share no sector,
/// which rows allow wherever tiles begin and end; and at least 4 bytes of it.
/// In a loop inputs lie in shared memory and outputs alone are stored so; what
/// goes to products is moved 16 bytes of 16-bit elements at a time.
RunLengths findRunLengths(block::GraphOp graph);

/// What is known of a step before it is built.
struct StepContext {
  RewriterBase &rewriter; ///< builds where it stands
  const StepFusion &fusion;
  unsigned numWarps; ///< that share the step
  /// Of a thread, for each sum over the loop that grows with a product's step.
  int64_t registersPerSum;
  bool hasLoop; ///< of the block graph
  /// Whether what steps leave may stay in registers
  /// (--mirage-hold-in-registers): not in a loop that multiplies.
  bool mayHold;
  RunLengths runs;

  StepContext(RewriterBase &rewriter, const StepFusion &fusion,
              block::GraphOp graph);
};

/// How elementwise steps spread a tile over lanes.
LinearLayout chooseElementwiseLayout(const StepContext &context,
                                     ArrayRef<int64_t> tile);

/// Builds the fragments of one thread graph out of values of the block graph.
class FragmentBuilder {
public:
  FragmentBuilder(const StepContext &context, Location location,
                  const WorkSplit &split)
      : context(context), graph(context.rewriter, location, split) {}

  /// Says what computes an operation of the group, its core.
  void setCore(Operation *op, Value fragment) {
    core = op;
    coreFragment = fragment;
  }
  /// A value as a fragment: computed here, if its operation belongs to this
  /// graph, else loaded; once for all that read it alike.
  /// \param dims    the dimension of the index space by dimension of the value,
  ///                -1 where it has size 1 and the index space is larger.
  /// \param layout  of the fragment.
  Value get(Value value, ArrayRef<int> dims, const LinearLayout &layout);
  /// The result of an elementwise operation.
  Value compute(Operation *op, ArrayRef<int> dims, const LinearLayout &layout);

  ThreadGraphBuilder &getGraph() { return graph; }

private:
  /// The join of parts, which all of them are read for.
  Value join(Operation *op, ArrayRef<int> dims, const LinearLayout &layout);

  struct Known {
    Value value;
    SmallVector<int> dims;
    Value fragment;
  };

  const StepContext &context;
  ThreadGraphBuilder graph;
  Operation *core = nullptr;
  Value coreFragment;
  SmallVector<Known> known;
};

/// How a step is cut, and what computes its core.
struct StepCore {
  WorkSplit split;
  SmallVector<int> dims; ///< of the index space, by dimension of the result
  LinearLayout layout;   ///< of a fragment of the result
  /// Null where all of the step is elementwise.
  std::function<Value(FragmentBuilder &)> emit = nullptr;
};

StepCore makeElementwiseCore(const StepContext &context, Operation *op);
/// How the items of a product that share its sum over k are cut.
struct ProductParts {
  /// Tiles of mma side by side that an item has.
  int64_t columns;
  /// Items that share a sum; the result has a dimension more in front, of that
  /// size.
  int64_t count;
};
/// \param parts  if sums are shared.
StepCore makeMatmulCore(const StepContext &context, Operation *op,
                        std::optional<ProductParts> parts = std::nullopt);
/// Of a reduction of several dimensions all but the last are steps of their
/// own, which are built here.
StepCore makeReductionCore(const StepContext &context, Operation *op);

/// Whether a sum over the loop grows with the step that a product is the core
/// of (Mirage/Analysis/ProductSums.h), so that its items are cut by the
/// registers that there are: it is not rescaled, and they are no whole rows.
bool growsSum(const StepFusion &fusion, Operation *product);

/// The type in which tensor cores multiply the operands of a product; null
/// where they do not.
Type getTensorCoreType(Operation *product);

/// The layout of a tile's fragments in a step that is shared out by whole rows;
/// none where the step of this op is not, or cannot be.
std::optional<LinearLayout> findWholeRows(Operation *op, Value tile);

/// By dimension of an elementwise operation's operand, the dimension of the
/// result that it is, or -1.
SmallVector<int> getResultDims(Operation *op, Value operand);

/// Lets warps that would have no item of a product share the sum over k, where
/// it is summed over the loop as well: each has a part of its own, which are
/// summed behind the loop.
void splitProducts(RewriterBase &rewriter, block::GraphOp graph);

/// Lets warps share the reduction of rows where the block has no loop: each
/// item reduces a part of a row, as long as what steps that are elementwise
/// have of it, and whoever needs the row joins its parts.
void splitReductions(RewriterBase &rewriter, block::GraphOp graph);

/// Builds the thread graph of a group at the rewriter's insertion point.
/// \returns the tile that takes the place of the root's result; null, with
/// nothing built, where its tiles would be cut along more dimensions than a
/// thread graph has axes: the operation stays, and is computed element by
/// element.
Value buildStep(const StepContext &context, Operation *root);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOTHREAD_STEPBUILDERS_H
