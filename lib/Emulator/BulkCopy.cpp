//===- BulkCopy.cpp - Copies that the copy engine makes -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BulkCopy.h"

#include <cstring>

using namespace mlir::mirage::emulator;

void BulkCopy::carryOut() const {
  for (const Piece &piece : pieces) {
    if (!piece.from)
      std::memset(piece.to, 0, piece.bytes);
    else if (combine)
      combine(piece.to, piece.from, piece.bytes);
    else
      std::memmove(piece.to, piece.from, piece.bytes);
  }
}
