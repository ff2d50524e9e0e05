//===- EmitPTX.h - From gpu.module to PTX -----------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TARGET_PTX_EMITPTX_H
#define MIRAGE_TARGET_PTX_EMITPTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <string>

namespace mlir::mirage {

/// A GPU to make code for. The chip is one that `resolveTarget` takes: LLVM's
/// back end ends the process on some others rather than reporting them.
struct GPUTarget {
  std::string chip = "sm_90a";
  unsigned optLevel = 3; ///< of LLVM, 0 to 3

  /// The version of PTX that is printed, as a feature of LLVM's back end:
  /// "+ptx86". Depends on the chip alone.
  llvm::StringRef getFeatures() const;
};

/// Translates a module of LLVM and NVVM operations to PTX, in this process and
/// without any file of the CUDA toolkit.
/// \returns the text, or failure after an error at the module: what LLVM cannot
/// translate, or a call of a function that is not in the module (a libdevice
/// function, or an intrinsic that LLVM does not know and takes for one).
FailureOr<std::string> emitPTX(gpu::GPUModuleOp module,
                               const GPUTarget &target);

} // namespace mlir::mirage

#endif // MIRAGE_TARGET_PTX_EMITPTX_H
