//===- RepeatedReads.h - What steps read that were before -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two products of one left operand, which warps hold, are code without a loop:
//
//   items of the first read windows of the operand, of all steps
//   items of the second read the same ones
//
// LLVM, and behind it ptxas, have the second use what the first has loaded, and
// keep all of it until then, whether there are registers or not.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_THREADTOVECTOR_REPEATEDREADS_H
#define MIRAGE_LIB_CONVERSION_THREADTOVECTOR_REPEATEDREADS_H

#include "Mirage/Dialect/Thread/IR/Thread.h"

namespace mlir::mirage {

/// Has placed thread graphs wait for the lanes of their warp where, beside
/// tiles that are held, no registers are left for what they read of shared
/// memory and others before them have read: to both assemblers memory may have
/// changed there.
/// \param graphs  in the order of the program.
void separateRepeatedReads(ArrayRef<thread::GraphOp> graphs);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_THREADTOVECTOR_REPEATEDREADS_H
