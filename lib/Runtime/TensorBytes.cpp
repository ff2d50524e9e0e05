//===- TensorBytes.cpp - Tensors as the caller binds them -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Runtime/TensorBytes.h"
#include "Mirage/Reference/RandomInputs.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace mlir::mirage;

/// Calls `visit` with the place of each element, in row-major order.
static void forEachPlace(const ArtifactTensor &tensor,
                         llvm::function_ref<void(int64_t)> visit) {
  llvm::ArrayRef<int64_t> shape = tensor.type.shape;
  Shape index(shape.size(), 0);
  int64_t place = 0;
  for (int64_t left = tensor.type.getNumElements(); left > 0; --left) {
    visit(place);
    for (size_t dim = shape.size(); dim-- > 0;) {
      place += tensor.strides[dim];
      if (++index[dim] < shape[dim])
        break;
      place -= shape[dim] * tensor.strides[dim];
      index[dim] = 0;
    }
  }
}

std::vector<uint8_t> mlir::mirage::scatter(const ArtifactTensor &tensor,
                                           const HostTensor &values) {
  assert(values.type == tensor.type && "values of the tensor's type");
  if (tensor.isRowMajor())
    return values.bytes;
  size_t width = getSizeBytes(tensor.type.element);
  std::vector<uint8_t> bytes(tensor.getSizeBytes(), kUndefinedByte);
  const uint8_t *next = values.bytes.data();
  forEachPlace(tensor, [&](int64_t place) {
    std::memcpy(bytes.data() + place * width, next, width);
    next += width;
  });
  return bytes;
}

HostTensor mlir::mirage::gather(const ArtifactTensor &tensor,
                                std::vector<uint8_t> bytes) {
  if (tensor.isRowMajor())
    return {tensor.type, std::move(bytes)};
  size_t width = getSizeBytes(tensor.type.element);
  HostTensor values{tensor.type,
                    std::vector<uint8_t>(tensor.type.getSizeBytes())};
  uint8_t *next = values.bytes.data();
  forEachPlace(tensor, [&](int64_t place) {
    std::memcpy(next, bytes.data() + place * width, width);
    next += width;
  });
  return values;
}

std::vector<emulator::ByteRange>
mlir::mirage::findGaps(const ArtifactTensor &tensor) {
  if (tensor.isRowMajor())
    return {};
  size_t width = getSizeBytes(tensor.type.element);
  std::vector<bool> isElement(tensor.getSizeBytes() / width);
  forEachPlace(tensor, [&](int64_t place) { isElement[place] = true; });
  std::vector<emulator::ByteRange> gaps;
  for (size_t place = 0; place < isElement.size(); ++place) {
    if (isElement[place])
      continue;
    if (gaps.empty() || gaps.back().end != place * width)
      gaps.push_back({place * width, place * width});
    gaps.back().end += width;
  }
  return gaps;
}

std::optional<Shape> mlir::mirage::findConflict(const ArtifactTensor &tensor,
                                                const HostTensor &values) {
  if (tensor.isRowMajor())
    return std::nullopt;
  HostTensor seen = gather(tensor, scatter(tensor, values));
  auto first = std::mismatch(values.bytes.begin(), values.bytes.end(),
                             seen.bytes.begin())
                   .first;
  if (first == values.bytes.end())
    return std::nullopt;
  int64_t element =
      (first - values.bytes.begin()) / getSizeBytes(tensor.type.element);
  Shape index(tensor.type.getRank());
  for (size_t dim = index.size(); dim-- > 0;) {
    index[dim] = element % tensor.type.shape[dim];
    element /= tensor.type.shape[dim];
  }
  return index;
}

HostTensor mlir::mirage::makeRandomInput(const ArtifactTensor &tensor,
                                         const Graph &program, unsigned input,
                                         uint64_t seed, unsigned threads) {
  HostTensor values = makeNormalTensor(
      tensor.type, getTypicalDeviation(program, input), seed, input, threads);
  return findConflict(tensor, values) ? gather(tensor, scatter(tensor, values))
                                      : values;
}
