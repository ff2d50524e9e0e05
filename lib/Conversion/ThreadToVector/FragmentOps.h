//===- FragmentOps.h - Operations on fragments ------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each kind of operation does to the registers of one lane. Failures are
// fragments whose layouts do not fit each other; the sentence says which.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_THREADTOVECTOR_FRAGMENTOPS_H
#define MIRAGE_LIB_CONVERSION_THREADTOVECTOR_FRAGMENTOPS_H

#include "Fragment.h"
#include "Mirage/Graph/Operators.h"
#include "Mirage/Layout/MatrixDescriptor.h"
#include "Mirage/Layout/MatrixInstructions.h"

namespace mlir::mirage {

/// PTX that waits for all products that a warp has started (wgmma), but for the
/// last ones.
std::string waitForProducts(int64_t numPending);

/// Registers of a product before it is added up: the accumulator's, or zeros
/// where that has none.
Fragment startSum(OpBuilder &builder, Location location,
                  const Fragment &accumulator, const LinearLayout &layout);

/// An operand of wgmma that is read from shared memory.
struct DescribedOperand {
  /// Of the elements of 16 bits of k that each instruction takes, i64
  /// (Mirage/Layout/MatrixDescriptor.h).
  SmallVector<Value> descriptors;
  MatrixMajor major = MatrixMajor::K;
};

/// What four warps multiply together. The right operand is in shared memory.
struct WarpgroupOperands {
  const Fragment *lhsFragment = nullptr; ///< null where `lhs` is described
  DescribedOperand lhs, rhs;
  bool isBF16 = false; ///< else f16
  /// Whether registers of the left operand come from outside of the loop that
  /// the product is in, which waits for it.
  bool isLhsKept = false;
};

/// Builds operations on fragments at the builder's insertion point.
class FragmentOps {
public:
  FragmentOps(OpBuilder &builder, Location location,
              const LanePosition &position)
      : builder(builder), location(location), position(position) {}

  /// An elementwise operation of the table. Operands broadcast by NumPy's rule.
  Fragment apply(Opcode opcode, const Attributes &attributes,
                 ArrayRef<Fragment> operands, const LinearLayout &layout);

  /// The elements of a fragment where another layout of the same lanes has
  /// them. \param dims  by dimension of the fragment, the dimension of `layout`
  /// that it is, or -1 where it has size 1.
  Fragment rearrange(const Fragment &fragment, const LinearLayout &layout,
                     ArrayRef<int> dims);
  Fragment broadcast(const Fragment &fragment, const LinearLayout &layout);
  Fragment cast(const Fragment &fragment, Type elementType);

  /// Elements whose coordinate along `dim`, counted from `origin` (null for 0),
  /// is `extent` or more become `value`.
  Fragment mask(const Fragment &fragment, unsigned dim, Value origin,
                int64_t extent, double value);

  /// The part of a reduction that one lane does alone: the row's definition on
  /// each element, joined over `dims` in registers, and with `previous`, which
  /// has no registers at first. \param layout  of the result, which has size 1
  /// along `dims`.
  Fragment reduceRegisters(const OperatorInfo &reduction,
                           const Fragment &fragment, ArrayRef<int64_t> dims,
                           const LinearLayout &layout,
                           const Fragment &previous);
  /// The rest of it: joined over the lanes that `reduced` (the layout before)
  /// spreads over `dims`, then finished. \param size  elements joined in all.
  Fragment reduceLanes(const OperatorInfo &reduction, Fragment partial,
                       ArrayRef<int64_t> dims, const LinearLayout &reduced,
                       int64_t size);

  /// `accumulator + lhs · rhs` by instructions of tensor cores, tile by tile.
  /// An accumulator without registers counts zero, here and below.
  Fragment multiplyTiles(const MatrixInstruction &instruction,
                         const Fragment &lhs, const Fragment &rhs,
                         const Fragment &accumulator,
                         const LinearLayout &layout);
  /// The same by four warps together (wgmma).
  /// \param waits  whether they have read the operands when this is done; else
  ///               nothing may touch these, nor the result, before somebody
  ///               waits.
  Fragment multiplyByWarpgroup(const WarpgroupOperands &product,
                               const Fragment &accumulator,
                               const LinearLayout &layout, bool waits);
  /// The same in f32 by each lane, which holds all of k for its rows and
  /// columns.
  Fragment multiplyInLanes(const Fragment &lhs, const Fragment &rhs,
                           const Fragment &accumulator,
                           const LinearLayout &layout);

  /// Lane l receives what lane l ^ mask holds.
  Fragment shuffle(const Fragment &fragment, unsigned mask);
  /// The same fragment in another layout of one warp: registers are renamed
  /// where lanes agree, and exchanged by shuffles where they do not.
  Fragment convertLayout(const Fragment &fragment, const LinearLayout &layout);

private:
  SmallVector<Value> packSteps(const Fragment &lhs, unsigned numSteps);
  /// The tf32 that elements of f32 are rounded to, to the nearest with ties
  /// away from zero, as numbers of 32 bits.
  Fragment roundToTF32(const Fragment &fragment);
  /// Registers of 32 bits, each of two elements.
  SmallVector<Value> pack(const Fragment &fragment, ArrayRef<unsigned> numbers);

  OpBuilder &builder;
  Location location;
  const LanePosition &position;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_THREADTOVECTOR_FRAGMENTOPS_H
