//===- ProductSums.h - Sums of products in registers ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over the loop of products on tensor cores: how many of them a thread can
// have, for those that cut their items, hold them, or say why they lie in
// shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_PRODUCTSUMS_H
#define MIRAGE_ANALYSIS_PRODUCTSUMS_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"

namespace mlir::mirage {

/// Registers of a thread for such sums, where a block has so many threads:
/// three eighths of those that there are, if that leaves what all code is
/// reckoned to take, and a third as for others (`countFreeRegisters`) if not.
/// Of 150 drawn programs of f16, bf16 and 8-bit floats whose sums take just
/// that, 64 to 384 threads, 1 spills, 24 bytes; with 768 threads 2 of 42, up to
/// 192.
int64_t countSumRegisters(unsigned numThreads);

/// A product that a sum over the loop grows with.
struct ProductSum {
  thread::GraphOp product;
  block::AccumulateOp sum;
};
SmallVector<ProductSum, 2> findProductSums(block::GraphOp graph);

/// A number of threads, the nearest to that of the block, which have registers
/// for all of these sums. None where there is none, or a product is on whole
/// rows, whose items are cut otherwise.
std::optional<int64_t> findThreadsForSums(block::GraphOp graph);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_PRODUCTSUMS_H
