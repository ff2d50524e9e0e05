//===- RingPlaces.h - When places of rings are filled again -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iteration of a loop refills the place of one that is `behind`, where warps
// hand places back one by one (Mirage/Analysis/TileForms.h), so that
// stages - behind iterations are on their way, the present one included. Passes
// decide by these rules, and the cost model expects it of them.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_PLANNING_RINGPLACES_H
#define MIRAGE_PLANNING_RINGPLACES_H

#include <cstdint>

namespace mlir::mirage {

/// How far behind the iteration is whose place the present one refills. With
/// two, warps that compute can be ahead of warps that multiply by most of an
/// iteration and none waits, where there are several warpgroups; but two
/// iterations have to stay on their way. Measured on an H100: attention of 128
/// rows, 64 keys and 4 places takes 600 us with two and 630 with one; a gated
/// MLP of 3 places 35 us and 25.3.
int64_t chooseHandBack(int64_t threads, int64_t stages);

/// Whether iterations start products of the next one, whose tiles have to be
/// there earlier (Mirage/Analysis/AheadProducts.h): where three iterations are
/// on their way, and of so many that it matters little that behind the last one
/// a product more is computed, of whatever lies in the next place. Measured on
/// an H100, with 64 keys and 3 places, two on their way: attention of depth 64
/// takes 386 us so and 318 otherwise, of depth 128 537 and 570; with three on
/// their way less in both.
bool canStartAhead(int64_t iterations, int64_t stages, int64_t behind);

/// Whether the next iteration is on its way, too, when one begins.
bool areTwoOnTheWay(int64_t stages, int64_t behind);

/// Whether an iteration may leave it to the next one to wait for a product:
/// that one hands the place of the product's operands back, and two iterations
/// stay on their way.
bool canWaitLate(int64_t stages, int64_t behind);

/// How far behind it is where products have both operands in places of rings,
/// and the next iteration may wait for them.
int64_t chooseLateHandBack(int64_t stages);

} // namespace mlir::mirage

#endif // MIRAGE_PLANNING_RINGPLACES_H
