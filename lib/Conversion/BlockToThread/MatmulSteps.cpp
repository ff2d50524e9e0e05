//===- MatmulSteps.cpp - Steps that multiply matrices ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/F32ProductsAttribute.h"
#include "Mirage/Layout/Fragments.h"
#include "Mirage/Layout/WorkFragments.h"
#include "StepBuilders.h"
#include "StepFusion.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// The index space of a product is the batch dimensions of the result, then m,
/// n and k. Here is which of its dimensions each tile has.
struct MatmulDims {
  MatmulDims(RankedTensorType lhs, RankedTensorType rhs,
             RankedTensorType result);

  int m, n, k;
  SmallVector<int64_t> sizes;
  SmallVector<int> lhs, rhs, result;
};

/// The fragments of one item in one step, in the dimensions of the tiles.
struct MatmulFragments {
  SmallVector<int64_t> shape; ///< of the index space
  LinearLayout lhs, rhs, result;
};
} // namespace

MatmulDims::MatmulDims(RankedTensorType lhsTile, RankedTensorType rhsTile,
                       RankedTensorType resultTile)
    : m(resultTile.getRank() - 2), n(m + 1), k(m + 2),
      sizes(resultTile.getShape()) {
  sizes.push_back(lhsTile.getShape().back());
  auto mapBatch = [&](RankedTensorType tile, SmallVector<int> &dims) {
    int numBatch = tile.getRank() - 2, offset = m - numBatch;
    for (int dim = 0; dim < numBatch; ++dim)
      dims.push_back(tile.getDimSize(dim) == 1 ? -1 : offset + dim);
  };
  mapBatch(lhsTile, lhs);
  lhs.append({m, k});
  mapBatch(rhsTile, rhs);
  rhs.append({k, n});
  result = llvm::to_vector(llvm::seq<int>(resultTile.getRank()));
}

/// A layout as one of a fragment with `numBatch` more dimensions, of size 1,
/// before its own.
static LinearLayout addBatch(const LinearLayout &layout, unsigned numBatch) {
  SmallVector<int> dims(numBatch, -1);
  llvm::append_range(dims, llvm::seq<int>(layout.getRank()));
  return layout.project(dims);
}

/// Tiles of mma side by side that an item has.
static int64_t chooseColumns(const StepContext &context, Operation *op,
                             const MatmulDims &dims) {
  if (std::optional<LinearLayout> rows = findWholeRows(op, op->getResult(0)))
    return std::max<int64_t>(rows->getShape().back() / 8, 1);
  int64_t batch = 1;
  for (int dim = 0; dim < dims.m; ++dim)
    batch *= dims.sizes[dim];
  std::optional<int64_t> mostRegisters;
  if (growsSum(context.fusion, op))
    mostRegisters = context.registersPerSum;
  return chooseMmaColumns(batch, dims.sizes[dims.m], dims.sizes[dims.n],
                          context.numWarps, mostRegisters);
}

/// Of tf32 they are two instructions side by side along k, which together lie
/// as one of 16 bits does (Mirage/Layout/MatrixInstructions.h).
static MatmulFragments makeMmaFragments(const MatmulDims &dims,
                                        int64_t columns) {
  SmallVector<int64_t> shape(dims.m, 1);
  shape.append({16, 8 * columns, 16});
  LinearLayout a = getFragmentLayout(FragmentKind::MmaM16N8K16A);
  LinearLayout b =
      repeatFragment(getFragmentLayout(FragmentKind::MmaM16N8K16B), 1, columns);
  LinearLayout d =
      repeatFragment(getFragmentLayout(FragmentKind::MmaM16N8D), 1, columns);
  return {shape, addBatch(a, dims.lhs.size() - 2),
          addBatch(b, dims.rhs.size() - 2),
          addBatch(d, dims.result.size() - 2)};
}

static MatmulFragments chooseExactFragments(const MatmulDims &dims,
                                            unsigned numWarps,
                                            bool isRhsAlongK) {
  LinearLayout layout =
      chooseMatmulLayout(dims.sizes[dims.m], dims.sizes[dims.n],
                         dims.sizes[dims.k], numWarps, isRhsAlongK);
  SmallVector<int64_t> shape(dims.m, 1);
  llvm::append_range(shape, layout.getShape());
  enum { M, N, K };
  return {shape, addBatch(layout.project({M, K}), dims.lhs.size() - 2),
          addBatch(layout.project({K, N}), dims.rhs.size() - 2),
          addBatch(layout.project({M, N}), dims.result.size() - 2)};
}

/// The type that tensor cores multiply (for 8-bit operands why not those:
/// docs/rationale/Thread.md). None where products are exact in f32: an f32
/// operand may be beyond what 16 bits hold, and rounds only where a cast or the
/// kernel graph says so. All targets have instructions for tf32.
Type mlir::mirage::getTensorCoreType(Operation *product) {
  auto getElement = [&](unsigned operand) {
    return *convertElementType(
        getElementTypeOrSelf(product->getOperand(operand).getType()));
  };
  std::optional<ElementType> type = getTensorCoreElement(
      getElement(0), getElement(1), getF32Products(product));
  return type ? convertElementType(product->getContext(), *type) : Type();
}

StepCore mlir::mirage::makeMatmulCore(const StepContext &context, Operation *op,
                                      std::optional<ProductParts> parts) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  auto lhsTile = cast<RankedTensorType>(lhs.getType());
  auto rhsTile = cast<RankedTensorType>(rhs.getType());
  auto resultTile = cast<RankedTensorType>(op->getResult(0).getType());
  MatmulDims dims(lhsTile, rhsTile, resultTile);
  Type type = getTensorCoreType(op);
  MatmulFragments fragments =
      type ? makeMmaFragments(dims, parts ? parts->columns
                                          : chooseColumns(context, op, dims))
           : chooseExactFragments(dims, context.numWarps,
                                  isReadTransposed(rhs.getDefiningOp()));
  bool usesTensorCores = static_cast<bool>(type);
  Type f32 = Float32Type::get(op->getContext());
  if (!usesTensorCores)
    type = f32;
  auto emit = [=](FragmentBuilder &builder) {
    ThreadGraphBuilder &graph = builder.getGraph();
    Value a = graph.addCast(builder.get(lhs, dims.lhs, fragments.lhs), type);
    Value b = graph.addCast(builder.get(rhs, dims.rhs, fragments.rhs), type);
    Value product = usesTensorCores ? graph.addMma(a, b, fragments.result)
                                    : graph.addRow(Opcode::Matmul, {a, b}, {},
                                                   fragments.result, f32);
    Attributes accumulate;
    accumulate.axis = Axis::Loop;
    Value sum = graph.addRow(Opcode::Accumulate, product, accumulate,
                             fragments.result, f32);
    return !parts ? sum
                  : graph.addRow(Opcode::Reshape, sum, {},
                                 addBatch(fragments.result, 1), f32);
  };
  StepCore core{
      WorkSplit(dims.sizes, fragments.shape, dims.k, parts ? parts->count : 1),
      dims.result, fragments.result, emit};
  if (parts) {
    core.dims.insert(core.dims.begin(), dims.k);
    core.layout = addBatch(fragments.result, 1);
  }
  return core;
}
