//===- RegisterBudget.h - What may take registers of a thread ---*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warps hold tiles, rows and sums in registers, and compute with what is left.
// How much of either there may be is said here, for the passes that decide and
// the cost model that expects what they will decide. What the assembler makes
// of it is known behind all of them: budgets are such that few programs of
// those that were drawn spill, and that no more is left than code takes.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_PLANNING_REGISTERBUDGET_H
#define MIRAGE_PLANNING_REGISTERBUDGET_H

#include "Mirage/Planning/RegisterPlacement.h"
#include <cstdint>

namespace mlir::mirage {

/// What sums over a loop add up, what leaves most registers for them first.
enum class SumSource {
  TensorProducts,
  RoundedProducts, ///< in tf32, for which f32 operands are rounded
  Others
};

/// What operands and addresses of products take beside sums.
constexpr int64_t kRegistersBesideSums = 48;

/// Of a thread of a block that has so many, in registers of 32 bits. All
/// targets have the same.
class RegisterBudget {
public:
  explicit RegisterBudget(int64_t threads);

  int64_t getAll() const { return all; }
  /// What code that is not known yet is reckoned to leave.
  int64_t getBesideCode() const;

  /// For sums that a loop carries: a third of what each would have if all were
  /// dealt evenly, since such sums come even to warps (of 416 threads 52, out
  /// of 128). For those of products on tensor cores alone three eighths,
  /// rounded up to what two m16n8 products leave, so that 192 x 128 have
  /// registers with 384 threads; but no more than leave `kRegistersBesideSums`,
  /// or 56 where operands are there twice, and a third, as for
  /// others, if that is more. Of 40 drawn programs of 800 to 1024 threads 6
  /// spill, and 18 would if 40 were left.
  int64_t getForSums(SumSource source) const;

  /// For rows that go from step to step (Mirage/Graph/WarpRows.h): half,
  /// rounded up. Operands, addresses and what a step computes with have the
  /// rest.
  int64_t getForRows() const { return (all + 1) / 2; }
  /// For these, and operands that a loop reads in each iteration.
  int64_t getForRowsAndOperands() const { return all * 5 / 8; }
  /// For these, and results of products that start ahead of what reads them;
  /// the last quarter is for what rows are computed with.
  int64_t getForRowsAndProductsAhead() const { return all * 3 / 4; }

  /// For what steps of a block without a loop hand on.
  HeldRegisters getForSteps() const;
  /// For what those of a loop hand on that takes no products: what sums leave
  /// of their third.
  int64_t getForStepsOfLoop(int64_t takenBySums) const;

  /// Whether a step may keep what others before it have read, beside tiles that
  /// are held and the fragments that an item computes with at a time.
  bool hasRoomForReads(int64_t reads, int64_t held, int64_t fragments) const {
    return reads + held + fragments + kAddressRegisters <= all;
  }

private:
  /// Of what an item computes with: addresses and counters.
  static constexpr int64_t kAddressRegisters = 16;

  int64_t all;
  int64_t even; ///< if warps did not get them by fours
};

} // namespace mlir::mirage

#endif // MIRAGE_PLANNING_REGISTERBUDGET_H
