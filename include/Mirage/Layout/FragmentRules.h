//===- FragmentRules.h - What operations ask of layouts ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation on fragments moves nothing between lanes, unless that is what it
// is for: each lane works on what it holds. So layouts of operands and result
// must agree, as far as the operation's dimensions are the same. Here is what
// that means for each kind of operation, for the verifier of `mirage_thread`
// and for its lowering. A row of 4 elements for each of 8 lanes, as an operand
// that has one element a row:
//
//   result  4x8   register {[0, 1], [0, 2]}  lane {[0, 4], [1, 0], [2, 0], 0,
//   0} operand 4x1   register {}                lane {[0, 0], [1, 0], [2, 0],
//   0, 0}
//
// The lanes that share a row of the result all hold the row's element of the
// operand. Messages count operands and bits from 0.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LAYOUT_FRAGMENTRULES_H
#define MIRAGE_LAYOUT_FRAGMENTRULES_H

#include "Mirage/Layout/LinearLayout.h"
#include "llvm/Support/Error.h"

namespace mlir::mirage {

/// For NumPy's broadcasting of a fragment of shape `operand` to one of rank
/// `rank`: by dimension of the operand, the dimension of the result that it is,
/// or -1 where it has size 1.
llvm::SmallVector<int> getBroadcastDims(llvm::ArrayRef<int64_t> operand,
                                        unsigned rank);

/// Fails unless every lane holds in `operand` what it needs for the elements
/// that it holds of `result`.
/// \param dims  by dimension of the operand, the dimension of the result that
///              it is, or -1 where it has size 1.
llvm::Error checkLanesAgree(const LinearLayout &operand,
                            const LinearLayout &result,
                            llvm::ArrayRef<int> dims);

/// The layout of what is left of a fragment when `dims` are reduced: lanes that
/// differed along them hold the same.
LinearLayout reduceLayout(const LinearLayout &operand,
                          llvm::ArrayRef<int64_t> dims);

/// Fails unless `result` is `reduceLayout(operand, dims)`, no lane bit stands
/// for reduced and for other dimensions at once, and no element of the operand
/// is joined twice: what is held more than once is so by lanes, or registers,
/// that hold all the same.
llvm::Error checkReduction(const LinearLayout &operand,
                           const LinearLayout &result,
                           llvm::ArrayRef<int64_t> dims);

/// Fails unless every lane holds all of k for the rows and columns of the
/// result that it holds. Matrices are the last two dimensions.
llvm::Error checkDotProducts(const LinearLayout &lhs, const LinearLayout &rhs,
                             const LinearLayout &result);

/// The lanes that a shuffle exchanges: the mask m for which lane l holds, with
/// every register, the element that is `offset` (by exclusive or) from that of
/// lane l ^ m. None if no lanes are so apart.
std::optional<unsigned> findShuffleMask(const LinearLayout &layout,
                                        llvm::ArrayRef<int64_t> offset);

} // namespace mlir::mirage

#endif // MIRAGE_LAYOUT_FRAGMENTRULES_H
