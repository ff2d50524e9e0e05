//===- OriginalBlockGraph.cpp - Kernels in the original's JSON ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OriginalBlockGraph.h"
#include "Mirage/Graph/LevelRules.h"
#include "OriginalOperators.h"
#include "llvm/ADT/STLExtras.h"
#include <climits>

using namespace mlir::mirage;
using llvm::StringRef;
using llvm::Twine;

namespace {
/// One of the original's accumulators. Their names have begun with "forloop_"
/// since March 2025.
struct Accumulator {
  llvm::StringLiteral name;
  Opcode reduction;
  bool reducesLast;        ///< its last dimension as well
  bool isRescaled = false; ///< takes what reduction_max gives
};

constexpr Accumulator kAccumulators[] = {
    {"accum", Opcode::Sum, false},
    {"accum_nored", Opcode::Sum, false},
    {"accum_red_ld_sum", Opcode::Sum, true},
    {"accum_red_ld_mean", Opcode::Mean, true},
    {"accum_red_ld_rms", Opcode::Rms, true},
    {"accum_max", Opcode::Max, false},
    {"accum_nored_rescale", Opcode::Sum, false, true},
    {"accum_red_ld_sum_rescale", Opcode::Sum, true, true},
};

class BlockGraphReader {
public:
  BlockGraphReader(TileGraph &tiles, int64_t dimx)
      : tiles(tiles), dimx(dimx), operators(tiles) {}

  void read(const JSONCursor &list, llvm::ArrayRef<OriginalOperand> operands);

private:
  void addInput(const JSONCursor &operation, const OriginalOperand &operand);
  void addOperation(const JSONCursor &operation);
  void addOutput(const JSONCursor &operation);
  bool addConcat(const JSONCursor &operation, StringRef name);
  bool addReduction(const JSONCursor &operation, StringRef name);
  bool addAccumulator(const JSONCursor &operation, StringRef name);
  bool addExpOfRescaling(const JSONCursor &operation, StringRef name);
  ValueId accumulate(const JSONCursor &operation, const Accumulator &what,
                     llvm::ArrayRef<ValueId> operands);
  void addSumToDimx(const JSONCursor &operation, std::optional<int64_t> dim,
                    bool isAccumulated);

  int64_t getLastDim(ValueId value) const {
    return tiles.getType(value).getRank() - 1;
  }
  llvm::SmallVector<int, 3> readMap(const JSONCursor &map) const;
  const ValueId *findRescaling(const JSONCursor &tensor) const;

  TileGraph &tiles;
  int64_t dimx; ///< what reductions "to dimx" leave
  OriginalOperators operators;
  /// Before accumulators were operators, in August 2024, outputs were sums over
  /// the loop.
  bool hasAccumulators = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

/// The original does not look at maps of axes with one block.
llvm::SmallVector<int, 3>
BlockGraphReader::readMap(const JSONCursor &map) const {
  llvm::SmallVector<int, 3> dims;
  for (auto [extent, dim] :
       llvm::zip_equal(tiles.grid, readOriginalTriple(map, INT_MIN, INT_MAX)))
    dims.push_back(extent == 1 ? kReplicated : dim);
  for (int dim : dims)
    if (dim < kReplicated)
      map.fail("expects a map to dimensions, or to -1, got " + Twine(dim));
  return dims;
}

void BlockGraphReader::addInput(const JSONCursor &operation,
                                const OriginalOperand &operand) {
  JSONCursor tensor = operation["dtensor"];
  int64_t guid = tensor["guid"].integer();
  if (guid != operand.guid)
    tensor["guid"].fail("expects the kernel's tensors in their order, " +
                        Twine(operand.guid) + ", got " + Twine(guid));
  auto gridMap = readMap(operation["input_map"]);
  int loopMap = operation["forloop_dim"].integer(kReplicated, INT_MAX);
  if (operation.failed())
    return;
  llvm::Expected<ValueId> added =
      operators.builder.addInput(operand.type, gridMap, loopMap);
  if (!added)
    return operation.fail(llvm::toString(added.takeError()));
  operators.defineResult(operation, *added);
}

void BlockGraphReader::addOutput(const JSONCursor &operation) {
  ValueId value = 0;
  for (const JSONCursor &tensor :
       readOriginalTensors(operation, "input_tensors", 1))
    value = operators.find(tensor);
  if (operation.has("epilogue") &&
      operation["epilogue"].string() != "tb_epilogue_none")
    operation["epilogue"].expect("tb_epilogue_none, as programs run on one "
                                 "GPU");
  if (operation.has("forloop_dim"))
    operation["forloop_dim"].integer(kReplicated, kReplicated);
  auto gridMap = readMap(operation["output_map"]);
  if (!hasAccumulators && tiles.loop > 1)
    value = accumulate(operation, kAccumulators[0], value);
  if (operation.failed())
    return;
  if (llvm::Error error = operators.builder.addOutput(value, gridMap))
    operation.fail(llvm::toString(std::move(error)));
}

//===----------------------------------------------------------------------===//
// Reductions and accumulators
//===----------------------------------------------------------------------===//

/// \param dim  none: the last one.
void BlockGraphReader::addSumToDimx(const JSONCursor &operation,
                                    std::optional<int64_t> dim,
                                    bool isAccumulated) {
  auto operands = operators.findOperands(operation, 1);
  if (operation.failed())
    return;
  llvm::Expected<ValueId> sum = operators.builder.addSumTo(
      operands[0], dim.value_or(getLastDim(operands[0])), dimx, isAccumulated);
  if (!sum)
    return operation.fail("reduction_dimx: " + llvm::toString(sum.takeError()));
  operators.defineResult(operation, *sum);
}

ValueId BlockGraphReader::accumulate(const JSONCursor &operation,
                                     const Accumulator &what,
                                     llvm::ArrayRef<ValueId> operands) {
  if (operation.failed())
    return 0;
  Attributes attributes;
  attributes.reduction = what.reduction;
  attributes.axis = Axis::Loop;
  if (what.reducesLast)
    attributes.dims = {getLastDim(operands[0])};
  return operators.add(operation, Opcode::Accumulate, operands, attributes);
}

const ValueId *BlockGraphReader::findRescaling(const JSONCursor &tensor) const {
  auto found = operators.rescalings.find(tensor["guid"].integer());
  return found == operators.rescalings.end() ? nullptr : &found->second;
}

bool BlockGraphReader::addAccumulator(const JSONCursor &operation,
                                      StringRef name) {
  name.consume_front("forloop_");
  if (name == "accum_redtox_ld_sum") {
    addSumToDimx(operation, /*dim=*/std::nullopt, /*isAccumulated=*/true);
    return true;
  }
  const Accumulator *what = llvm::find_if(
      kAccumulators, [&](const Accumulator &it) { return it.name == name; });
  if (what == std::end(kAccumulators))
    return false;
  llvm::SmallVector<ValueId, 2> operands;
  for (auto [number, tensor] : llvm::enumerate(readOriginalTensors(
           operation, "input_tensors", what->isRescaled ? 2 : 1))) {
    const ValueId *largest = number == 1 ? findRescaling(tensor) : nullptr;
    if (number == 1 && !largest)
      tensor["guid"].expect("what a reduction_max gave, or its exponential");
    operands.push_back(largest ? *largest : operators.find(tensor));
  }
  operators.defineResult(operation, accumulate(operation, *what, operands));
  return true;
}

bool BlockGraphReader::addReduction(const JSONCursor &operation,
                                    StringRef name) {
  std::optional<int64_t> toDimx =
      parseOriginalDim(name, "reduction_", "_to_dimx");
  std::optional<int64_t> ofMaxima =
      parseOriginalDim(name, "reduction_", "_max");
  if (!toDimx && !ofMaxima)
    return false;
  if (toDimx) {
    addSumToDimx(operation, toDimx, /*isAccumulated=*/false);
    return true;
  }
  auto operands = operators.findOperands(operation, 1);
  if (operation.failed())
    return true;
  Attributes attributes;
  attributes.dims = {*ofMaxima};
  ValueId largest = operators.add(operation, Opcode::Max, operands, attributes);
  std::vector<JSONCursor> results =
      readOriginalTensors(operation, "output_tensors", 2);
  if (operation.failed())
    return true;
  operators.define(results[0], largest);
  operators.rescalings[results[1]["guid"].integer()] = largest;
  return true;
}

/// Before a sum is rescaled, the original takes the exponential.
bool BlockGraphReader::addExpOfRescaling(const JSONCursor &operation,
                                         StringRef name) {
  if (name != "exp")
    return false;
  std::vector<JSONCursor> operands =
      readOriginalTensors(operation, "input_tensors", 1);
  std::vector<JSONCursor> results =
      readOriginalTensors(operation, "output_tensors", 1);
  if (operation.failed())
    return true;
  const ValueId *largest = findRescaling(operands[0]);
  if (largest)
    operators.rescalings[results[0]["guid"].integer()] = *largest;
  return largest;
}

//===----------------------------------------------------------------------===//
// Other operators
//===----------------------------------------------------------------------===//

bool BlockGraphReader::addConcat(const JSONCursor &operation, StringRef name) {
  std::optional<int64_t> dim = parseOriginalDim(name, "concat_");
  if (!dim)
    return false;
  Attributes attributes;
  attributes.dims = {*dim};
  auto parts = operators.findOperands(operation, 2);
  operators.defineResult(
      operation, operators.add(operation, Opcode::Concat, parts, attributes));
  return true;
}

void BlockGraphReader::addOperation(const JSONCursor &operation) {
  std::string type = operation["op_type"].string();
  StringRef name = type;
  if (operation.failed() || isOriginalInput(operation))
    return;
  if (name == "tb_output_op")
    return addOutput(operation);
  if (name.consume_front("tb_") && name.consume_back("_op") &&
      (addExpOfRescaling(operation, name) ||
       operators.addOperator(operation, name) ||
       addReduction(operation, name) || addAccumulator(operation, name) ||
       addConcat(operation, name)))
    return;
  operation["op_type"].expect("an operator of block graphs that Mirage has");
}

void BlockGraphReader::read(const JSONCursor &list,
                            llvm::ArrayRef<OriginalOperand> operands) {
  std::vector<JSONCursor> operations = list.array();
  size_t numInputs = 0;
  for (const JSONCursor &operation : operations) {
    hasAccumulators |=
        StringRef(operation["op_type"].string()).contains("_accum");
    if (!isOriginalInput(operation))
      continue;
    if (numInputs < operands.size())
      addInput(operation, operands[numInputs]);
    ++numInputs;
  }
  if (numInputs != operands.size())
    list.fail("expects an input for each of " + Twine(operands.size()) +
              " tensors that the kernel takes, got " + Twine(numInputs));
  for (const JSONCursor &operation : operations)
    addOperation(operation);
  if (tiles.getOutputs().empty())
    list.fail("expects a tb_output_op, got none");
}

std::shared_ptr<const TileGraph>
mlir::mirage::readOriginalBlockGraph(const JSONCursor &block,
                                     llvm::ArrayRef<OriginalOperand> operands) {
  auto tiles = std::make_shared<TileGraph>();
  std::array<int64_t, 3> grid =
      readOriginalTriple(block["grid_dim"], 1, INT_MAX);
  tiles->grid.assign(grid.begin(), grid.end());
  llvm::Expected<unsigned> threads =
      countThreads(readOriginalTriple(block["block_dim"], 1, kMaxBlockThreads));
  if (threads)
    tiles->threads = *threads;
  else
    block["block_dim"].fail(llvm::toString(threads.takeError()));
  tiles->loop = block["forloop_range"].integer(1);
  int64_t dimx = block["reduction_dimx"].integer(1);
  if (block.failed())
    return tiles;
  if (llvm::Error error = verifyMaps(*tiles, {}, {}, {})) {
    block.fail(llvm::toString(std::move(error)));
    return tiles;
  }
  BlockGraphReader(*tiles, dimx).read(block["operators"], operands);
  return tiles;
}
