//===- ExamplePrograms.h - The programs in examples/ ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_VERIFY_EXAMPLEPROGRAMS_H
#define MIRAGE_TEST_UNIT_VERIFY_EXAMPLEPROGRAMS_H

#include "Mirage/Graph/Graph.h"
#include <string>

namespace mlir::mirage::test {

/// A file in examples/ at small sizes, and what it has to equal: the program
/// that it is a µGraph of, if that is an example too, else itself.
struct ExamplePair {
  std::string name; ///< "mugraphs/lora.mlir"
  Graph program, example;
};

/// Every file, as mirage-opt records it (utils/record-examples.py) and
/// `withSmallerSizes` makes it small; at its own sizes where that cannot be, as
/// of shuffles, which need powers of two.
std::vector<ExamplePair> readExamplePairs();

/// The same of every file in benchmarks/ that has small sizes, with itself.
std::vector<ExamplePair> readBenchmarks();

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_VERIFY_EXAMPLEPROGRAMS_H
