//===- KernelSketch.cpp - What a kernel does, by names --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/KernelSketch.h"
#include "Mirage/Graph/LevelRules.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Graph/WarpRows.h"
#include "Mirage/Search/KernelTraffic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

LoadSketch::LoadSketch(const TargetProgram &program, const KernelPlan &plan,
                       ArrayRef<int64_t> extents)
    : program(program), plan(plan), extents(extents),
      operands(plan.getInputTypes(extents)),
      joinedAxes(getJoinedAxes(plan.kernel)),
      hasProducts(llvm::any_of(plan.kernel.operators, [](const auto &op) {
        return getOperatorInfo(op.opcode).kind == OperatorKind::Contraction;
      })) {
  for (const KernelTensor &input : plan.inputs)
    operandNames.push_back(toSet(input.stored.layout));
  for (const KernelTensor &result : plan.results)
    addResult(result.stored);
}

void LoadSketch::addResult(const StoredTensor &stored) {
  Result &result = results.emplace_back();
  result.bytes = getSizeBytes(stored.element);
  for (NameId name : stored.layout) {
    if (program.isPartOf(name, plan.position))
      result.axes.push_back(
          llvm::find(plan.kernel.gridNames, program.getPart(name)->of) -
          plan.kernel.gridNames.begin());
    else if (name != kNoName)
      result.bytes *= double(extents[name]);
  }
}

KernelWork::Load LoadSketch::getLoad(unsigned input,
                                     const TilingEnds &ends) const {
  const KernelStructure &kernel = plan.kernel;
  const TensorSpec &tensor = operands[input];
  NameSet names = operandNames[input];
  auto getTile = [&](ArrayRef<int64_t> tile) {
    return TensorSpec{
        DimensionNames::getShape(plan.inputs[input].stored.layout, tile),
        tensor.element};
  };
  bool isInLoop =
      kernel.loopName != kNoName && contains(names, kernel.loopName);
  KernelWork::Load load{getTile(ends.leastTile), tensor, isInLoop,
                        getTile(ends.mostTile), /*readers=*/1};
  for (auto [name, blocks] : llvm::zip_equal(kernel.gridNames, ends.leastGrid))
    load.readers *= contains(names, name) ? 1 : double(blocks);
  return load;
}

KernelWork LoadSketch::getWork(const TilingEnds &ends) const {
  KernelWork work;
  work.loop = ends.leastLoop;
  work.mostIterations = ends.mostLoop;
  work.mayBeOneStream = ends.leastLoop == 1 && !hasProducts;
  work.numBlocks = multiplyCounts(ends.leastGrid).value_or(kMaxCount);
  work.mostBlocks = multiplyCounts(ends.mostGrid).value_or(kMaxCount);
  for (unsigned input = 0; input < operands.size(); ++input) {
    work.loads.push_back(getLoad(input, ends));
    const KernelWork::Load &load = work.loads.back();
    int64_t bytes = getRingStride(load.tile.getSizeBytes());
    Phase phase = load.isInLoop ? Phase::Loop : Phase::Invariant;
    work.sharedBytes +=
        spreadOverPhases(bytes, phase, phase, ends.mostLoop > 1);
    work.stageBytes += load.isInLoop ? bytes : 0;
  }
  for (const Result &result : results) {
    double bytes = result.bytes;
    for (unsigned axis : result.axes)
      bytes *= double(ends.leastGrid[axis]);
    work.storedBytes += bytes;
  }
  // Which axis is joined first, and what stands between two joins, is up to the
  // operators.
  for (unsigned axis : joinedAxes)
    work.joins.push_back({/*bytes=*/0, ends.leastGrid[axis],
                          joinedAxes.size() == 1
                              ? ends.mostGrid[axis]
                              : std::numeric_limits<int64_t>::max()});
  return work;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Whether warps may hold a value that they compute: of all of which this is
/// said in the end (`areRowsHeld`).
static bool mayBeHeld(const TileGraph &graph, const PossibleWarpRows &rows,
                      ValueId value) {
  return !llvm::is_contained(graph.getOutputs(), value) &&
         llvm::all_of(llvm::enumerate(graph.getNodes()), [&](auto reader) {
           auto [number, node] = reader;
           return !llvm::is_contained(node.operands, value) ||
                  rows.ofRows[number] || rows.ofColumns[number];
         });
}

KernelSketch::KernelSketch(const TargetProgram &program, const KernelPlan &plan,
                           ArrayRef<int64_t> extents)
    : plan(plan), extents(extents), loads(program, plan, extents),
      kernel(program, plan, /*partial=*/0) {
  SmallVector<Phase> phases = computePhases(kernel.getGraph());
  SmallVector<Phase> executed = computeExecutionPhases(kernel.getGraph());
  PossibleWarpRows rows = findPossibleWarpRows(kernel.getGraph());
  for (auto [number, node] : llvm::enumerate(kernel.getGraph().getNodes())) {
    operations.push_back(read(node, phases));
    operations.back().executed = executed[number];
    operations.back().leavesRows = rows.ofRows[number];
    operations.back().leavesColumns = rows.ofColumns[number];
    operations.back().mayBeHeld =
        mayBeHeld(kernel.getGraph(), rows, node.results[0]);
  }
  joins = listJoins(kernel.getGraph());
  isRepeated = findRepeated(kernel.getGraph());
}

KernelSketch::Operation KernelSketch::read(const Node &node,
                                           ArrayRef<Phase> phases) const {
  Operation operation;
  operation.node = &node;
  operation.known = phases[node.results[0]];
  operation.isStep = !mayBeNoStep(kernel.getGraph(), node);
  ArrayRef<NameId> layout = kernel.getLayout(node.results[0]);
  operation.result = toSet(layout);
  for (ValueId operand : node.operands) {
    operation.operands.push_back(toSet(kernel.getLayout(operand)));
    operation.isInLoop |= phases[operand] == Phase::Loop;
  }
  if (getOperatorInfo(node.opcode).kind == OperatorKind::Contraction) {
    operation.summed = operation.operands[0] & ~operation.result;
    operation.rows = layout[layout.size() - 2];
    operation.columns = layout.back();
  }
  return operation;
}

static int64_t countElements(NameSet names, ArrayRef<int64_t> tile) {
  int64_t elements = 1;
  for (; names != 0; names &= names - 1)
    elements *= tile[llvm::countr_zero(names)];
  return elements;
}

/// Elements of these names in all blocks and iterations, at the least.
double KernelSketch::countAll(NameSet names, bool isInLoop,
                              const TilingEnds &ends) const {
  double elements = 1;
  for (NameSet rest = names; rest != 0; rest &= rest - 1)
    elements *= double(extents[llvm::countr_zero(rest)]);
  for (auto [name, blocks] :
       llvm::zip_equal(plan.kernel.gridNames, ends.leastGrid))
    elements *= contains(names, name) ? 1 : double(blocks);
  bool isRepeated = isInLoop && !contains(names, plan.kernel.loopName);
  return isRepeated ? elements * double(ends.leastLoop) : elements;
}

KernelWork KernelSketch::getWork(const TilingEnds &ends) const {
  KernelWork work = loads.getWork(ends);
  for (unsigned input = 0; input < work.loads.size(); ++input)
    work.loads[input].isRepeated = isRepeated[input];
  work.operations.reserve(operations.size());
  for (const Operation &operation : operations)
    add(operation, ends, work);
  work.joins.clear();
  for (const JoinedParts &join : joins)
    add(join, ends, work);
  return work;
}

void KernelSketch::add(const JoinedParts &join, const TilingEnds &ends,
                       KernelWork &work) const {
  auto axis = static_cast<unsigned>(join.axis);
  KernelWork::Join &added = work.joins.emplace_back();
  added.numJoined = ends.leastGrid[axis];
  added.mostJoined = ends.mostGrid[axis];
  added.keepsBlocks = join.keepsBlocks;
  added.needsLoop = join.needsLoop;
  added.isBeforeLoop = join.isBeforeLoop;
  for (ValueId part : join.parts) {
    NameSet names = toSet(kernel.getLayout(part));
    double bytes = getSizeBytes(kernel.getGraph().getType(part).element);
    added.bytes += bytes * double(countElements(names, ends.leastTile));
    added.totalBytes += bytes * countAll(names, /*isInLoop=*/false, ends);
  }
  auto countBytes = [&](ArrayRef<ValueId> values) {
    double bytes = 0;
    for (ValueId value : values)
      bytes +=
          getSizeBytes(kernel.getGraph().getType(value).element) *
          double(countElements(toSet(kernel.getLayout(value)), ends.leastTile));
    return bytes;
  };
  added.ownBytes = countBytes(join.own);
  added.leftBytes = countBytes(join.left);
}

/// Whether some tiling has tiles of that layout with rows for warps to keep,
/// as Mirage/Graph/WarpRows.h asks of them.
static bool mayBeOnRows(ArrayRef<NameId> layout, const TilingEnds &ends) {
  auto hasPowerOf2 = [&](NameId name, int64_t least, int64_t most) {
    least = std::max(least, ends.leastTile[name]);
    most = std::min(most, ends.mostTile[name]);
    return int64_t(llvm::PowerOf2Ceil(least)) <= most;
  };
  for (auto [dim, name] : llvm::enumerate(llvm::reverse(layout))) {
    bool isLast = dim == 0, isRow = dim == 1;
    if (name == kNoName) {
      if (isRow)
        return false;
      continue;
    }
    bool isOne = !isRow && ends.leastTile[name] == 1;
    if (!isOne && !hasPowerOf2(name,
                               isLast  ? kRowElements
                               : isRow ? kWarpRows
                                       : 1,
                               isLast ? kMostRowElements : kMaxCount))
      return false;
  }
  return true;
}

void KernelSketch::add(const Operation &operation, const TilingEnds &ends,
                       KernelWork &work) const {
  const TileGraph &graph = kernel.getGraph();
  const Node &node = *operation.node;
  auto getSize = [&](NameSet names, ValueId value) {
    return TileSize{countElements(names, ends.leastTile),
                    graph.getType(value).element};
  };
  SmallVector<TileSize, 2> operands;
  for (auto [names, operand] :
       llvm::zip_equal(operation.operands, node.operands))
    operands.push_back(getSize(names, operand));
  TileSize result = getSize(operation.result, node.results[0]);
  KernelWork::Operation done = makeOperation(graph, node, result, operands);
  done.isInLoop = operation.isInLoop;
  done.isRepeated = isRepeated[node.results[0]];
  SmallVector<NameId> layout(kernel.getLayout(node.results[0]));
  done.isOnRows = operation.leavesRows && mayBeOnRows(layout, ends);
  if (operation.leavesColumns) {
    std::swap(layout.end()[-2], layout.end()[-1]);
    done.isOnRows |= mayBeOnRows(layout, ends);
  }
  auto countTotal = [&](NameSet names) {
    return countAll(names, operation.isInLoop, ends);
  };
  if (getOperatorInfo(node.opcode).kind == OperatorKind::Contraction) {
    done.total = countTotal(operation.result | operation.summed);
    findRings(work, graph, node, done);
    addProduct(operation, ends, done);
  } else {
    done.total = countTotal(operation.result);
    for (NameSet names : operation.operands)
      done.total = std::max(done.total, countTotal(names));
  }
  int64_t numCarried = node.getNumCarried();
  if (node.opcode == Opcode::Accumulate)
    work.accumulators += numCarried * result.elements;
  bool isTile = !(done.isOnRows && operation.mayBeHeld) &&
                !mayBeLoadedTransposed(graph, node);
  // Of a sum that warps keep there is one behind the loop.
  bool isSumOfRows = done.isOnRows && node.opcode == Opcode::Accumulate;
  if (isTile)
    work.sharedBytes +=
        spreadOverPhases(getRingStride(numCarried * result.getBytes()),
                         isSumOfRows ? operation.known : operation.executed,
                         operation.known, ends.mostLoop > 1);
  if (operation.isStep)
    work.operations.push_back(done);
}

void KernelSketch::addProduct(const Operation &operation,
                              const TilingEnds &ends,
                              KernelWork::Operation &product) const {
  product.length = countElements(operation.summed, ends.leastTile);
  if (!product.isOnTensorCores)
    return;
  auto getSize = [](NameId name, ArrayRef<int64_t> tile) {
    return name == kNoName ? 1 : tile[name];
  };
  product.matrixTiles =
      product.getInstructionsPerTile() *
      countMatrixTiles(
          product.elements, getSize(operation.rows, ends.leastTile),
          getSize(operation.columns, ends.leastTile), product.length);
  product.total *= product.getInstructionsPerTile() / kMatrixTileProducts;
  // Matrices have whole tiles of a size that is known.
  auto fill = [&](int64_t least, int64_t most, int64_t step) {
    if (least == most)
      product.total *= double(llvm::alignTo(least, step)) / double(least);
  };
  fill(getSize(operation.rows, ends.leastTile),
       getSize(operation.rows, ends.mostTile), kMatrixTileRows);
  fill(getSize(operation.columns, ends.leastTile),
       getSize(operation.columns, ends.mostTile), kMatrixTileColumns);
  fill(product.length, countElements(operation.summed, ends.mostTile),
       kMatrixTileLength);
}
