//===- NativeTarget.h - The target of this machine's GPU ------ -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_PIPELINES_NATIVETARGET_H
#define MIRAGE_LIB_PIPELINES_NATIVETARGET_H

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::mirage {

/// As `target=` says it.
inline constexpr llvm::StringLiteral kNativeTarget = "native";

struct NativeTarget {
  std::string name;       ///< "sm_90a"
  bool isPortable = true; ///< not the device's own: it has none here
};

/// The target for a device of this compute capability (90 for 9.0) whose blocks
/// may have so much shared memory: with all that its architecture has, where
/// Mirage knows it; else the best of sm_90, sm_80 and sm_89 that asks for no
/// more shared memory: PTX for these runs on all later devices, whose drivers
/// compile it (PTX ISA, "PTX Module Directives: .target").
/// \returns an error for a device that is older than all of them.
llvm::Expected<NativeTarget> chooseTarget(int computeCapability,
                                          int64_t sharedBytes);

/// A pass on modules that asks a GPU, by its number, and leaves the answer as
/// the module's `#nvvm.target`, in the place of one that is there: all passes
/// without `target=` go by it. A remark says so where the device is newer than
/// Mirage. Fails, after a diagnostic, where there is no driver or no device.
std::unique_ptr<Pass> createNativeTargetPass(unsigned gpu);
/// Makes it known as --mirage-native-target.
void registerNativeTargetPass();

} // namespace mlir::mirage

#endif // MIRAGE_LIB_PIPELINES_NATIVETARGET_H
