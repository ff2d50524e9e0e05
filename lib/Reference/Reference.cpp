//===- Reference.cpp - What a µGraph computes, in float64 -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Reference/Reference.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Graph/MachineMemory.h"
#include "Mirage/Reference/ParallelFor.h"
#include "TensorOperations.h"
#include "TileCopy.h"
#include "TileWalk.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir::mirage;

/// Whether all elements of the result are such of one operand.
static bool movesOneTensor(const Node &operation) {
  return getOperatorInfo(operation.opcode).kind == OperatorKind::Movement &&
         operation.opcode != Opcode::Mask &&
         operation.opcode != Opcode::CausalMask &&
         operation.operands.size() == 1;
}

/// The matmul that gives a value, seen through movements; null if none does.
static const Node *findMatmul(const Graph &graph, ValueId value) {
  const Node *operation = graph.getDefinition(value);
  while (operation && movesOneTensor(*operation))
    operation = graph.getDefinition(operation->operands[0]);
  bool isMatmul = operation && getOperatorInfo(operation->opcode).kind ==
                                   OperatorKind::Contraction;
  return isMatmul ? operation : nullptr;
}

/// The most elements that are held in float64 for one value: of the program,
/// where all is there once, and of a tile, which every host thread has.
constexpr int64_t kLargestTensor = int64_t(1) << 31;
constexpr int64_t kLargestTile = int64_t(1) << 26;
/// The most iterations of all blocks together: an hour of a thread's time.
constexpr int64_t kMostIterations = int64_t(1) << 32;

static llvm::Error checkWork(const TileGraph &graph, const std::string &where) {
  int64_t blocks = 1, iterations = graph.loop, held = countHeldElements(graph);
  for (int64_t extent : graph.grid)
    if (llvm::MulOverflow(blocks, extent, blocks) || blocks > kMostIterations)
      blocks = kMostIterations + 1;
  if (llvm::MulOverflow(iterations, blocks, iterations) ||
      iterations > kMostIterations)
    return llvm::createStringError(
        where + "the reference walks at most " + llvm::Twine(kMostIterations) +
        " iterations of blocks, got a grid and a loop of more");
  if (llvm::MulOverflow(held, blocks, held) || held > kLargestTensor)
    return llvm::createStringError(
        where + "the reference holds at most " + llvm::Twine(kLargestTensor) +
        " elements of blocks that wait for each other, got " +
        llvm::Twine(blocks) + " blocks of " +
        llvm::Twine(countHeldElements(graph)));
  return llvm::Error::success();
}

static llvm::Error checkSizes(const Graph &graph, int64_t largest,
                              const std::string &where) {
  for (ValueId value = 0; value < graph.getNumValues(); ++value) {
    int64_t elements = 1;
    for (int64_t size : graph.getType(value).shape)
      if (llvm::MulOverflow(elements, size, elements) || elements > largest)
        return llvm::createStringError(
            where + "the reference takes tensors of at most " +
            llvm::Twine(largest) + " elements, got %" + llvm::Twine(value) +
            " of type " + toString(graph.getType(value)));
  }
  for (auto [number, operation] : llvm::enumerate(graph.getNodes())) {
    if (!operation.body)
      continue;
    std::string inside =
        where + "operation " + std::to_string(number) + " (graph): ";
    if (llvm::Error error = checkSizes(*operation.body, kLargestTile, inside))
      return error;
    if (llvm::Error error = checkWork(*operation.body, inside))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error mlir::mirage::checkEvaluable(const Graph &graph) {
  if (llvm::Error error = verify(graph))
    return error;
  return checkSizes(expandComposed(graph), kLargestTensor, "");
}

static llvm::Error checkInputs(const Graph &graph,
                               llvm::ArrayRef<HostTensor> inputs) {
  if (inputs.size() != graph.getNumInputs())
    return llvm::createStringError(
        "expects " + llvm::Twine(graph.getNumInputs()) + " inputs, got " +
        llvm::Twine(inputs.size()));
  for (auto [number, input] : llvm::enumerate(inputs))
    if (input.type != graph.getType(number))
      return llvm::createStringError(
          "expects input " + llvm::Twine(number) + " of type " +
          toString(graph.getType(number)) + ", got " + toString(input.type));
  return llvm::Error::success();
}

namespace {
/// Evaluates a program kernel by kernel; values die after their last use.
class ProgramEvaluator {
public:
  ProgramEvaluator(const Graph &graph, const ReferenceOptions &options)
      : graph(graph), threads(resolveThreads(options.threads)),
        scales(options.scales), rounding(options.rounding),
        values(graph.getNumValues()), uses(graph.getNumValues(), 0) {
    for (const Node &operation : graph.getNodes())
      for (ValueId operand : operation.operands)
        ++uses[operand];
    for (ValueId output : graph.getOutputs())
      keep(output);
  }

  llvm::Expected<std::vector<ReferenceOutput>>
  run(llvm::ArrayRef<HostTensor> inputs) {
    for (auto [number, input] : llvm::enumerate(inputs)) {
      if (uses[number] == 0)
        continue;
      if (llvm::Error error = checkMemory(describe(number), 2 * count(number)))
        return std::move(error);
      values[number] = load(input);
    }
    for (const Node &operation : graph.getNodes()) {
      if (llvm::Error error = checkMemory(describe(operation.results[0]),
                                          countNewBytes(operation)))
        return std::move(error);
      evaluate(operation);
      for (ValueId operand : operation.operands)
        if (--uses[operand] == 0)
          values[operand] = Tensor();
    }
    std::vector<ReferenceOutput> outputs;
    for (ValueId output : graph.getOutputs()) {
      if (llvm::Error error =
              checkMemory("a copy of " + describe(output),
                          count(output) + countScaleBytes(output)))
        return std::move(error);
      llvm::BitVector ancestors = findAncestors(output);
      outputs.push_back({graph.getType(output), copy(values[output]),
                         getScales(output), findStoredTypes(output, ancestors),
                         mayBeRoundedToTF32(ancestors)});
    }
    return outputs;
  }

private:
  /// An output's value, and the operands that its scales are computed from.
  void keep(ValueId output) {
    ++uses[output];
    if (!scales)
      return;
    if (const Node *matmul = findMatmul(graph, output))
      for (ValueId operand : matmul->operands)
        ++uses[operand];
  }

  /// The values that a value is computed from, itself among them.
  llvm::BitVector findAncestors(ValueId value) const {
    llvm::BitVector isReached(graph.getNumValues());
    isReached.set(value);
    for (const Node &operation : llvm::reverse(graph.getNodes()))
      for (ValueId result : operation.results)
        if (isReached[result])
          for (ValueId operand : operation.operands)
            isReached.set(operand);
    return isReached;
  }

  std::vector<ElementType>
  findStoredTypes(ValueId output, const llvm::BitVector &ancestors) const {
    std::vector<ElementType> types = {graph.getType(output).element};
    for (const Node &operation : llvm::reverse(graph.getNodes()))
      for (ValueId result : operation.results)
        if (ancestors[result] &&
            !llvm::is_contained(types, graph.getType(result).element))
          types.push_back(graph.getType(result).element);
    return types;
  }

  static bool multiplies(const Node &operation) {
    return operation.body ? llvm::any_of(operation.body->getNodes(), multiplies)
                          : getOperatorInfo(operation.opcode).kind ==
                                OperatorKind::Contraction;
  }

  /// Whatever a product is of here: an equal graph may scale its operands, in
  /// f32, before and not behind it.
  bool mayBeRoundedToTF32(const llvm::BitVector &ancestors) const {
    return graph.f32Products == F32Products::TF32 &&
           llvm::any_of(graph.getNodes(), [&](const Node &operation) {
             auto isAncestor = [&](ValueId result) {
               return ancestors[result];
             };
             return llvm::any_of(operation.results, isAncestor) &&
                    multiplies(operation);
           });
  }

  Tensor load(const HostTensor &input) const {
    Tensor tensor = Tensor::allocate(input.type.shape);
    std::vector<double> decoded = decode(input, threads);
    llvm::copy(decoded, tensor.data.get());
    return tensor;
  }

  static std::vector<double> copy(const Tensor &tensor) {
    const double *data = tensor.data.get();
    return std::vector<double>(data, data + tensor.getNumElements());
  }

  std::string describe(ValueId value) const {
    return "%" + std::to_string(value) + " of type " +
           toString(graph.getType(value)) + ", in float64,";
  }

  /// Bytes of a value in float64.
  double count(ValueId value) const {
    return double(graph.getType(value).getNumElements()) * sizeof(double);
  }

  /// Bytes that an operation allocates for its results, and more than a tile.
  double countNewBytes(const Node &operation) const {
    ValueId result = operation.results[0];
    double bytes = 0, largest = 0;
    for (ValueId value : operation.results) {
      bytes += count(value);
      largest = std::max(largest, count(value));
    }
    bool isInPlace =
        operation.opcode == Opcode::Reshape ||
        (getOperatorInfo(operation.opcode).kind == OperatorKind::Elementwise &&
         llvm::any_of(operation.operands, [&](ValueId value) {
           return uses[value] == 1 && count(value) == count(result);
         }));
    return (isInPlace ? 0 : bytes) +
           (rounding == Rounding::Declared ? largest : 0);
  }

  /// Bytes that the scales of an output take while they are computed.
  double countScaleBytes(ValueId output) const {
    const Node *matmul = scales ? findMatmul(graph, output) : nullptr;
    if (!matmul)
      return 0;
    return count(matmul->operands[0]) + count(matmul->operands[1]) +
           count(output);
  }

  void evaluate(const Node &operation) {
    llvm::SmallVector<Tensor, 2> operands = llvm::map_to_vector<2>(
        operation.operands, [&](ValueId value) { return values[value]; });
    ValueId result = operation.results[0];
    const Attributes &attributes = operation.attributes;
    if (operation.body) {
      std::vector<Tensor> results =
          walkTiles(*operation.body, operands,
                    graph.getTypes(operation.results), {threads, rounding});
      for (auto [value, tensor] : llvm::zip_equal(operation.results, results))
        values[value] = tensor;
    } else if (operation.opcode == Opcode::CausalMask) {
      values[result] = maskAbove(operands[0], attributes.offset);
    } else if (Tensor *dying = findDying(operation, operands)) {
      values[result] = *dying;
      applyElementwiseInto(values[result],
                           getOperatorInfo(operation.opcode).definition,
                           operands, attributes.scalars, 1, threads);
    } else {
      values[result] = applyOperation(operation, operands,
                                      graph.getType(result).shape, threads);
    }
    for (auto [number, value] : llvm::enumerate(operation.results))
      values[value] = roundResult(graph, operation, number, values[value],
                                  {threads, rounding});
  }

  /// Of an elementwise operation, an operand that nothing else reads, in whose
  /// place the result may be: memory that has never been touched costs more
  /// than most arithmetic. Null if there is none.
  Tensor *findDying(const Node &operation,
                    llvm::MutableArrayRef<Tensor> operands) const {
    if (getOperatorInfo(operation.opcode).kind != OperatorKind::Elementwise)
      return nullptr;
    for (auto [value, tensor] : llvm::zip_equal(operation.operands, operands))
      // Once in `values`, and once here: no view of it is alive.
      if (uses[value] == 1 && tensor.data.use_count() == 2 &&
          tensor.shape == graph.getType(operation.results[0]).shape)
        return &tensor;
    return nullptr;
  }

  Tensor takeMagnitudes(ValueId value) const {
    return applyElementwise(getOperatorInfo(Opcode::Abs).definition,
                            values[value], {}, 1, values[value].shape, threads);
  }

  /// The matmul of magnitudes, moved as the result is.
  Tensor computeScales(ValueId value) const {
    const Node &operation = *graph.getDefinition(value);
    const Shape &shape = graph.getType(value).shape;
    if (getOperatorInfo(operation.opcode).kind == OperatorKind::Contraction)
      return multiply(takeMagnitudes(operation.operands[0]),
                      takeMagnitudes(operation.operands[1]), shape, threads);
    return applyMovement(operation, computeScales(operation.operands[0]), shape,
                         threads);
  }

  std::vector<double> getScales(ValueId output) const {
    if (!scales || !findMatmul(graph, output))
      return {};
    return copy(computeScales(output));
  }

  const Graph &graph;
  unsigned threads;
  bool scales;
  Rounding rounding;
  std::vector<Tensor> values; ///< by ValueId; null before and after their life
  std::vector<unsigned> uses;
};
} // namespace

double mlir::mirage::countReferenceBytes(const Graph &graph) {
  double inputs = 0, atOnce = 0, outputs = 0;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input) {
    if (llvm::none_of(graph.getNodes(), [&](const Node &operation) {
          return llvm::is_contained(operation.operands, input);
        }))
      continue;
    double elements = graph.getType(input).getNumElements();
    inputs += elements;
    atOnce = std::max(atOnce, inputs + elements); // decoded, and then copied
  }
  for (ValueId output : graph.getOutputs())
    outputs += graph.getType(output).getNumElements();
  return std::max(atOnce, outputs) * sizeof(double);
}

llvm::Expected<std::vector<ReferenceOutput>>
mlir::mirage::evaluateReference(const Graph &graph,
                                llvm::ArrayRef<HostTensor> inputs,
                                const ReferenceOptions &options) {
  if (llvm::Error error = checkEvaluable(graph))
    return std::move(error);
  if (llvm::Error error = checkInputs(graph, inputs))
    return std::move(error);
  Graph expanded = expandComposed(graph);
  return ProgramEvaluator(expanded, options).run(inputs);
}
