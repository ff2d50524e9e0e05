//===- ErrorPrefix.h - Says where an error was found ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_GRAPH_ERRORPREFIX_H
#define MIRAGE_LIB_GRAPH_ERRORPREFIX_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace mlir::mirage {

/// "operation 3 (matmul): " and what is wrong with it.
inline llvm::Error prefixError(const llvm::Twine &where, llvm::Error error) {
  return llvm::createStringError(where + ": " +
                                 llvm::toString(std::move(error)));
}

} // namespace mlir::mirage

#endif // MIRAGE_LIB_GRAPH_ERRORPREFIX_H
