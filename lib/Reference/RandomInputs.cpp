//===- RandomInputs.cpp - Inputs to try a program with --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Reference/RandomInputs.h"
#include "Mirage/Reference/ParallelFor.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>

using namespace mlir::mirage;

/// Stafford's thirteenth variant of the 64-bit finalizer, as in SplitMix64.
static uint64_t mix(uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

/// The sum of the four 16-bit numbers that a word consists of.
static int64_t sumOfParts(uint64_t bits) {
  return (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) +
         (bits >> 48);
}

/// Element `index` of the stream `key`: the sum of eight uniform numbers 0 ...
/// 65535.
static int64_t drawSum(uint64_t key, uint64_t index) {
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;
  uint64_t first = mix(key + (2 * index + 1) * kGolden);
  uint64_t second = mix(key + (2 * index + 2) * kGolden);
  return sumOfParts(first) + sumOfParts(second);
}
static constexpr int64_t kNumSums = 8 * 65535 + 1;

/// Such sums have the mean 262140 and the variance 8 · (2^32 - 1) / 12.
static double normalize(int64_t sum) {
  constexpr double kDeviation = 53509.91992145008;
  return static_cast<double>(sum - 262140) / kDeviation;
}

/// Copies elements of `width` bytes from the table of all sums.
template <size_t width>
static void lookUpSums(uint64_t key, const HostTensor &table, HostTensor &to,
                       unsigned threads) {
  parallelFor(threads, to.type.getNumElements(), 1 << 16,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i)
                  std::memcpy(&to.bytes[i * width],
                              &table.bytes[drawSum(key, i) * width], width);
              });
}

static uint64_t getKey(uint64_t seed, uint64_t stream) {
  return mix(mix(seed) ^ mix(stream + 0x632be59bd9b4e019));
}

HostTensor mlir::mirage::makeNormalTensor(const TensorSpec &type,
                                          double deviation, uint64_t seed,
                                          uint64_t stream, unsigned threads) {
  const uint64_t key = getKey(seed, stream);
  const bool isLarge = type.getNumElements() > kNumSums;
  std::vector<double> values(isLarge ? kNumSums : type.getNumElements());
  parallelFor(threads, values.size(), 1 << 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      values[i] = deviation * normalize(isLarge ? i : drawSum(key, i));
  });
  if (!isLarge)
    return encode(type, values, threads);
  // There are fewer sums than elements: each is encoded once.
  HostTensor table = encode({{kNumSums}, type.element}, values, threads);
  HostTensor result{type, std::vector<uint8_t>(type.getSizeBytes())};
  switch (getSizeBytes(type.element)) {
  case 1:
    lookUpSums<1>(key, table, result, threads);
    break;
  case 2:
    lookUpSums<2>(key, table, result, threads);
    break;
  default:
    lookUpSums<4>(key, table, result, threads);
    break;
  }
  return result;
}

void mlir::mirage::readNormalElements(ElementType type, double deviation,
                                      uint64_t seed, uint64_t stream,
                                      size_t first,
                                      llvm::MutableArrayRef<double> values) {
  const uint64_t key = getKey(seed, stream);
  for (auto [place, value] : llvm::enumerate(values))
    value = deviation * normalize(drawSum(key, first + place));
  roundTo(type, values);
}

namespace {
/// Of a value that is the right operand of a matmul, itself or after movements:
/// how many elements are contracted, and which of its dimensions they are.
struct ContractedElements {
  int64_t size = 0; ///< 0 if there is no such matmul
  int dim = -1;     ///< -1 where a reshape hides it
};
} // namespace

/// The dimension that a movement makes dimension `dim` of its result.
static int getMovedDim(const Graph &graph, const Node &movement, int dim) {
  if (dim < 0 || movement.opcode == Opcode::Reshape)
    return -1;
  if (movement.opcode == Opcode::Transpose)
    return movement.attributes.dims[dim];
  return dim - static_cast<int>(graph.getType(movement.results[0]).getRank()) +
         static_cast<int>(graph.getType(movement.operands[0]).getRank());
}

static ContractedElements findContraction(const Graph &graph, ValueId value);

/// As one of the operands of a tile graph, tiles of which are contracted.
static ContractedElements findInTiles(const Graph &graph, const Node &operation,
                                      ValueId value) {
  for (auto [input, operand] : llvm::enumerate(operation.operands)) {
    if (operand != value)
      continue;
    ContractedElements found = findContraction(*operation.body, input);
    if (found.dim >= 0)
      found.size = graph.getType(value).shape[found.dim];
    if (found.size)
      return found;
  }
  return {};
}

static ContractedElements findContraction(const Graph &graph, ValueId value) {
  for (const Node &operation : graph.getNodes()) {
    ContractedElements found;
    if (operation.body)
      found = findInTiles(graph, operation, value);
    else if (operation.operands.empty() || operation.operands.back() != value)
      continue;
    OperatorKind kind = getOperatorInfo(operation.opcode).kind;
    if (kind == OperatorKind::Contraction) {
      int dim = static_cast<int>(graph.getType(value).getRank()) - 2;
      found = {graph.getType(value).shape[dim], dim};
    } else if (kind == OperatorKind::Movement) {
      found = findContraction(graph, operation.results[0]);
      found.dim = getMovedDim(graph, operation, found.dim);
    }
    if (found.size)
      return found;
  }
  return {};
}

double mlir::mirage::getTypicalDeviation(const Graph &program, unsigned input) {
  int64_t size = findContraction(program, input).size;
  return size ? 1 / std::sqrt(static_cast<double>(size)) : 1;
}

std::vector<HostTensor> mlir::mirage::makeRandomInputs(const Graph &program,
                                                       uint64_t seed,
                                                       unsigned threads) {
  std::vector<HostTensor> inputs;
  for (unsigned input = 0; input < program.getNumInputs(); ++input)
    inputs.push_back(makeNormalTensor(program.getType(input),
                                      getTypicalDeviation(program, input), seed,
                                      input, threads));
  return inputs;
}
