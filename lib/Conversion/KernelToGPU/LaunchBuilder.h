//===- LaunchBuilder.h - Kernels and their launches -------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_KERNELTOGPU_LAUNCHBUILDER_H
#define MIRAGE_LIB_CONVERSION_KERNELTOGPU_LAUNCHBUILDER_H

#include "Mirage/Analysis/LaunchSequence.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::mirage {

/// The name of a kernel of a function, such as PTX takes (PTX ISA, section
/// "Identifiers"): MLIR's symbols may have any character, "main.1" for one.
std::string getKernelName(StringRef function, unsigned number);

/// Of a kernel: a tensor, handed over by its address or as a tensor map.
struct KernelParameter {
  Value tensor;
  std::optional<TensorMap> map = std::nullopt;
};

/// The memrefs on the host of what a program reads and writes.
struct HostBuffers {
  SmallVector<Value> inputs, results;
  Value workspace; ///< of i8; null where there is none
};

struct BuiltLaunch {
  gpu::LaunchFuncOp op;
  /// Of each kernel of the launch what it reads, and then what it writes; last
  /// the tensor maps.
  SmallVector<KernelParameter> parameters;
  SmallVector<MemRefType> types; ///< by parameter
};

/// Extents along x, y and z, of some that leave the last ones out.
SmallVector<int64_t, 3> getExtents(ArrayRef<int64_t> byAxis);
/// Of the grid, in the order in which the GPU counts blocks.
SmallVector<int64_t, 3> getGridExtents(Launch &launch);
/// Dynamic shared memory, which the kernels of a launch have one after the
/// other.
int64_t getSharedBytes(Launch &launch);

/// Builds the launches of a program's kernels one by one, where its builder
/// stands.
class LaunchBuilder {
public:
  /// \param module  where the kernels go.
  LaunchBuilder(ImplicitLocOpBuilder &builder, const LaunchSequence &sequence,
                const StoragePlan &plan, gpu::GPUModuleOp module,
                HostBuffers buffers)
      : builder(builder), sequence(sequence), plan(plan), module(module),
        buffers(std::move(buffers)) {}

  /// Lowers the kernels of a launch of the sequence to one of this name.
  FailureOr<BuiltLaunch> build(Launch &launch, StringRef name);

private:
  gpu::LaunchFuncOp createLaunch(Launch &launch, gpu::GPUFuncOp kernel,
                                 ArrayRef<KernelParameter> parameters);
  Value getMemRef(Value tensor);

  ImplicitLocOpBuilder &builder;
  const LaunchSequence &sequence;
  const StoragePlan &plan;
  gpu::GPUModuleOp module;
  HostBuffers buffers;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_KERNELTOGPU_LAUNCHBUILDER_H
