//===- ModuleTarget.h - Which GPU a module is for ---------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_MODULETARGET_H
#define MIRAGE_ANALYSIS_MODULETARGET_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"
#include <optional>
#include <string>

namespace mlir::mirage {

/// The GPU that code is made for where `op` stands: `option`, which is what
/// `target=` of a pass says, if it is not empty; else the chip of the first
/// `#nvvm.target` among the attributes of the modules that `op` is or is in,
/// alone or in an array; else sm_90a. Every pass that takes `target=` asks
/// here.
/// \returns failure, after an error that lists the GPUs known, for any other.
FailureOr<std::string> resolveTarget(mlir::Operation *op, StringRef option);

/// What is wrong with a target: "expects one of the targets sm_80, ..., got
/// 'blah'". None where nothing is.
std::optional<std::string> explainUnknownTarget(StringRef target);

/// Whether that GPU, one that is known, has instructions that convert between
/// 8-bit floats and wider ones (PTX ISA, 9.7.9: sm_89 and later).
bool hasFloat8Conversions(StringRef target);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_MODULETARGET_H
