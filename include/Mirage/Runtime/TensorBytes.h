//===- TensorBytes.h - Tensors as the caller binds them ------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_RUNTIME_TENSORBYTES_H
#define MIRAGE_RUNTIME_TENSORBYTES_H

#include "Mirage/Artifact/Artifact.h"
#include "Mirage/Emulator/Launch.h"
#include "Mirage/Reference/HostTensor.h"

namespace mlir::mirage {

/// Of bytes that nobody has written: 0xff in each is a NaN in all element
/// types.
constexpr uint8_t kUndefinedByte = 0xff;

/// A row-major tensor by the strides of `tensor`. Gaps are undefined. Of
/// elements that share a place the last one stands there.
std::vector<uint8_t> scatter(const ArtifactTensor &tensor,
                             const HostTensor &values);

/// A row-major tensor from what lies by the strides of `tensor`.
HostTensor gather(const ArtifactTensor &tensor, std::vector<uint8_t> bytes);

/// The first element, by its index, in whose place another number stands after
/// all: strides may show one place several times, and numbers must then agree.
std::optional<Shape> findConflict(const ArtifactTensor &tensor,
                                  const HostTensor &values);

/// A random tensor for an input of `program`, typical of it
/// (Mirage/Reference/RandomInputs.h). Elements that share a place have the same
/// number.
HostTensor makeRandomInput(const ArtifactTensor &tensor, const Graph &program,
                           unsigned input, uint64_t seed, unsigned threads);

/// The bytes between elements, in ascending order.
std::vector<emulator::ByteRange> findGaps(const ArtifactTensor &tensor);

} // namespace mlir::mirage

#endif // MIRAGE_RUNTIME_TENSORBYTES_H
