//===- AheadProducts.h - Products of the next iteration ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four warps that multiply together start a product, and tensor cores carry it
// out beside them (wgmma). What an iteration computes out of its product comes
// first, or else tensor cores stand still meanwhile; so it starts that of the
// next one before (FlashAttention-3, Shah et al. 2024, section 3.2, has this
// pipeline within a warpgroup):
//
//   S0 = Q·K0
//   loop i:   start S' = Q·K(i+1)
//             P = exp(S - ...)              while tensor cores compute S'
//             O = O + P·V(i)
//             wait for S'
//
// `mirage.starts_ahead` on a thread graph says so of its product. It costs the
// registers of one more S, and reads a ring of places one iteration earlier.
//
// Nor has an iteration to wait for the product that its sum grows with. The
// next one does, before it writes the registers of P:
//
//   loop i:   start S' = Q·K(i+1)
//             E = exp(S - ...)              meanwhile O + P·V(i-1), then S'
//             wait for O (and S');  P = E in f16
//             start O = O + P·V(i)
//             wait for S', but not for O
//
// `mirage.waits_late` says that. The place of V(i) is handed back an iteration
// later. Of a product by itself, both of whose operands tensor cores read where
// the copy engine put them, there are no registers to wait for:
//
//   loop i:   wait for the tiles;  start O = O + X(i)·W(i)
//             other steps on X(i) or W(i), if there are
//             wait for the product of i - 1, hand its place back
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_AHEADPRODUCTS_H
#define MIRAGE_ANALYSIS_AHEADPRODUCTS_H

#include "Mirage/Dialect/Thread/IR/Thread.h"

namespace mlir::mirage {

/// Of a step of a block: each iteration carries it out for the next one.
inline constexpr llvm::StringLiteral kStartsAheadAttr = "mirage.starts_ahead";
/// Of a step of a block that a sum grows with: the next iteration waits for its
/// product.
inline constexpr llvm::StringLiteral kWaitsLateAttr = "mirage.waits_late";
/// Of a thread graph on places: it starts products, and does not wait.
inline constexpr llvm::StringLiteral kInFlightAttr = "mirage.in_flight";

/// Whether a thread graph is a product of four warps in one step and nothing
/// else: what it leaves, in f32, is what tensor cores leave.
bool isOnlyProduct(thread::GraphOp graph);
/// Whether a value of a thread graph is the sum over its one step of a product
/// of four warps, which nothing else reads.
bool isSumOfProduct(Value value);

/// Fails unless a step can be carried out an iteration ahead:
///  - it is a product of four warps and nothing else, whose result is held and
///    no sum;
///  - it depends on nothing that an iteration computes: on tiles of before the
///    loop, and of rings, which the copy engine fills;
///  - warps hand places back one by one, so late that the next iteration's tile
///    is on its way before an iteration begins (`mirage.hands_back_places`).
llvm::Error verifyStartsAhead(thread::GraphOp graph);

/// Whether a thread graph's product of four warps reads both operands where
/// they lie, and no registers.
bool readsPlacesAlone(thread::GraphOp graph);

/// The step of the loop that computes the left operand of a graph's product,
/// which warps hold; null if there is none.
thread::GraphOp findLeftStep(thread::GraphOp graph);

/// Fails unless the next iteration can be the one that waits for a product:
///  - it is a product of four warps and nothing else, that a sum grows with;
///  - it reads places alone; or the loop computes its left operand, in a step
///    that the next iteration has to wait for anyway: each iteration writes the
///    same registers. What that step reads of the loop is held in f32, so that
///    it can be made to wait;
///  - warps hand places back one by one, two iterations later or more, and the
///    next tile is on its way before an iteration begins.
llvm::Error verifyWaitsLate(thread::GraphOp graph);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_AHEADPRODUCTS_H
