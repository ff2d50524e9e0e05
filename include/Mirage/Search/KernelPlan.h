//===- KernelPlan.h - What a kernel loads and stores ---------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the program's maxima were removed (Stabilizers.h), a kernel may store a
// tensor *relative* to exp(scale), so that neither grows beyond all bounds; the
// scale is then one more tensor beside it, which the structure does not have.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_KERNELPLAN_H
#define MIRAGE_SEARCH_KERNELPLAN_H

#include "Mirage/Search/Structure.h"
#include "Mirage/Search/TargetProgram.h"
#include <optional>

namespace mlir::mirage::search {

/// A tensor in device memory as one kernel sees it.
struct KernelTensor {
  StoredTensor stored;
  /// The tensor's scale, as a position in the same list.
  std::optional<unsigned> scale = std::nullopt;
};

struct KernelPlan {
  unsigned position = 0; ///< how many kernels are before it
  KernelStructure kernel;
  /// The kernel's inputs, then scales.
  std::vector<KernelTensor> inputs;
  /// Where they come from: a result of that kernel, or an input of the program.
  struct Source {
    std::optional<unsigned> kernel;
    unsigned number = 0;
  };
  std::vector<Source> sources;
  /// The kernel's results, then scales.
  std::vector<KernelTensor> results;
  /// By result of the kernel: an output of the program, stored for itself.
  llvm::SmallVector<bool> isOutput;

  /// At the given extents by name, parts included.
  llvm::SmallVector<TensorSpec>
  getInputTypes(llvm::ArrayRef<int64_t> extents) const;
  llvm::SmallVector<TensorSpec>
  getResultTypes(llvm::ArrayRef<int64_t> extents) const;
};

/// Plans all kernels of a structure; none if some exponential of theirs cannot
/// be kept small, where the program's are (TargetProgram::isStripped).
std::optional<std::vector<KernelPlan>> planKernels(const TargetProgram &program,
                                                   const Structure &structure);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_KERNELPLAN_H
