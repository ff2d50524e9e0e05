//===- RandomStatement.h - Makes up PTX instructions ---------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_FUZZ_RANDOMSTATEMENT_H
#define MIRAGE_TEST_FUZZ_RANDOMSTATEMENT_H

#include "OpcodeTable.h"
#include <random>
#include <string>

namespace mlir::mirage::fuzz {

using RandomEngine = std::minstd_rand;

/// A number from 0 up to `count`, which is not 0.
inline size_t pick(RandomEngine &random, size_t count) {
  return random() % count;
}

/// Makes up instructions of the forms and operands that the emulator's table
/// states, so that most of them decode. They use what the kernels of Corpus/ptx
/// declare: %p<8>, %h<8>, %r<8>, %rd<8> and %q<8> of 1, 16, 32, 64 and 128
/// bits, of which %rd0 to %rd3 start as addresses of buffers and %r0 as one in
/// shared memory; the parameter p0; the array `smem`; the labels $L0 to $L3;
/// the list $T of labels.
class StatementMaker {
public:
  /// One line without its end.
  std::string make(RandomEngine &random) const;
  /// The same of a form of the table.
  std::string make(RandomEngine &random, const emulator::Row &row) const;
  llvm::ArrayRef<const emulator::Row *> getRows() const { return rows; }

private:
  emulator::OpcodeTable table;
  std::vector<const emulator::Row *> rows = table.getRows();
};

} // namespace mlir::mirage::fuzz

#endif // MIRAGE_TEST_FUZZ_RANDOMSTATEMENT_H
