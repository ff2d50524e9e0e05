//===- TestSizes.h - How large tests are ------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_TESTSIZES_H
#define MIRAGE_TEST_UNIT_TESTSIZES_H

#include "llvm/ADT/StringRef.h"
#include <cstdlib>

namespace mlir::mirage::test {

/// Whether the larger sizes of tests are asked for (utils/check.sh --full).
inline bool isFullSize() {
  const char *sizes = std::getenv("MIRAGE_TEST_SIZES");
  return sizes && llvm::StringRef(sizes) == "full";
}

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_TESTSIZES_H
