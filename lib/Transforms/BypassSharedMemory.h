//===- BypassSharedMemory.h - Which tiles have no place ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TRANSFORMS_BYPASSSHAREDMEMORY_H
#define MIRAGE_LIB_TRANSFORMS_BYPASSSHAREDMEMORY_H

#include "Mirage/Dialect/Block/IR/Block.h"

namespace mlir::mirage {

/// For passes that change what it was decided on.
void forgetBypassing(block::GraphOp graph);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_TRANSFORMS_BYPASSSHAREDMEMORY_H
