//===- LoopUnrolling.cpp - What LLVM is told of loops ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/LoopUnrolling.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::mirage;

/// What a loop carries, down to LLVM, of which so many iterations are to follow
/// each other; with one it is to stay as it is.
static LLVM::LoopAnnotationAttr makeUnrolling(Builder builder, int count) {
  bool isKept = count == 1;
  auto unroll = LLVM::LoopUnrollAttr::get(
      builder.getContext(),
      /*disable=*/isKept ? builder.getBoolAttr(true) : BoolAttr(),
      /*count=*/isKept ? IntegerAttr() : builder.getI32IntegerAttr(count),
      /*runtimeDisable=*/{}, /*full=*/{}, /*followupUnrolled=*/{},
      /*followupRemainder=*/{}, /*followupAll=*/{});
  return LLVM::LoopAnnotationAttr::get(
      builder.getContext(), /*disableNonforced=*/{}, /*vectorize=*/{},
      /*interleave=*/{}, unroll, /*unrollAndJam=*/{}, /*licm=*/{},
      /*distribute=*/{}, /*pipeline=*/{}, /*peeled=*/{}, /*unswitch=*/{},
      /*mustProgress=*/{}, /*isVectorized=*/{}, /*startLoc=*/{}, /*endLoc=*/{},
      /*parallelAccesses=*/{});
}

void mlir::mirage::setUnrolling(scf::ForOp loop, int count) {
  loop->setAttr("loop_annotation",
                makeUnrolling(Builder(loop.getContext()), count));
}
