//===- Phases.cpp - When values of a tile graph are known -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/Phases.h"
#include "Mirage/Graph/LevelRules.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>

using namespace mlir::mirage;

bool mlir::mirage::joinsIterations(Opcode opcode,
                                   const Attributes &attributes) {
  return opcode == Opcode::Accumulate && attributes.axis == Axis::Loop;
}

bool mlir::mirage::asksForPlace(Opcode opcode, const Attributes &attributes,
                                Axis axis) {
  return (opcode == Opcode::Mask || opcode == Opcode::CausalMask) &&
         (llvm::is_contained(attributes.axes, axis) ||
          llvm::is_contained(attributes.columnAxes, axis));
}

bool mlir::mirage::joinsBlocks(Opcode opcode, const Attributes &attributes) {
  return opcode == Opcode::Accumulate && attributes.axis != Axis::Loop;
}

Phase mlir::mirage::inferPhase(Opcode opcode, const Attributes &attributes,
                               llvm::ArrayRef<Phase> operands) {
  if (joinsIterations(opcode, attributes))
    return Phase::After;
  if (joinsBlocks(opcode, attributes))
    return getPhaseOfJoin(*llvm::max_element(operands));
  Phase phase = asksForPlace(opcode, attributes, Axis::Loop) ? Phase::Loop
                                                             : Phase::Invariant;
  for (Phase operand : operands)
    phase = std::max(phase, operand);
  return phase;
}

Phase mlir::mirage::getExecutionPhase(Opcode opcode,
                                      const Attributes &attributes,
                                      Phase result) {
  return joinsIterations(opcode, attributes) ? Phase::Loop : result;
}

llvm::SmallVector<Phase> mlir::mirage::computePhases(const TileGraph &graph) {
  llvm::SmallVector<Phase> phases(graph.getNumValues(), Phase::Invariant);
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    if (graph.tileInputs[input].loopMap != kReplicated)
      phases[input] = Phase::Loop;
  for (const Node &operation : graph.getNodes()) {
    llvm::SmallVector<Phase, 2> operands = llvm::map_to_vector<2>(
        operation.operands, [&](ValueId operand) { return phases[operand]; });
    Phase phase = inferPhase(operation.opcode, operation.attributes, operands);
    for (ValueId result : operation.results)
      phases[result] = phase;
  }
  return phases;
}

/// By value: whether the loop reads it, or what is joined for the loop does.
static llvm::BitVector findReadForLoop(const TileGraph &graph,
                                       llvm::ArrayRef<Phase> phases) {
  llvm::BitVector isRead(graph.getNumValues());
  for (auto [operation, phase] :
       llvm::reverse(llvm::zip_equal(graph.getNodes(), phases))) {
    bool isForLoop = phase == Phase::Loop ||
                     (phase == Phase::Joined &&
                      llvm::any_of(operation.results, [&](ValueId result) {
                        return isRead[result];
                      }));
    if (isForLoop)
      for (ValueId operand : operation.operands)
        isRead.set(operand);
  }
  return isRead;
}

llvm::SmallVector<Phase>
mlir::mirage::computeExecutionPhases(const TileGraph &graph) {
  llvm::SmallVector<Phase> values = computePhases(graph);
  llvm::SmallVector<Phase> phases =
      llvm::map_to_vector(graph.getNodes(), [&](const Node &operation) {
        return getExecutionPhase(operation.opcode, operation.attributes,
                                 values[operation.results[0]]);
      });
  llvm::BitVector isForLoop = findReadForLoop(graph, phases);
  llvm::BitVector isPutOff(values.size());
  for (auto [operation, phase] : llvm::zip_equal(graph.getNodes(), phases)) {
    auto isIn = [](const llvm::BitVector &set) {
      return [&set](ValueId value) { return set[value]; };
    };
    if (phase == Phase::Joined
            ? llvm::any_of(operation.results, isIn(isForLoop))
            : llvm::none_of(operation.operands, isIn(isPutOff)))
      continue;
    phase = Phase::AfterGrid;
    for (ValueId result : operation.results)
      isPutOff.set(result);
  }
  return phases;
}

static llvm::Error checkAxis(Axis axis, const TileGraph &header) {
  if (axis == Axis::Loop || static_cast<unsigned>(axis) < header.grid.size())
    return llvm::Error::success();
  return llvm::createStringError("expects the loop or one of the graph's " +
                                 llvm::Twine(header.grid.size()) +
                                 " grid axes, got " + getAxisName(axis));
}

/// The axes that cut a dimension exist, and are in the order in which they
/// count.
static llvm::Error checkCuttingAxes(llvm::ArrayRef<Axis> axes,
                                    const TileGraph &header) {
  for (auto [number, axis] : llvm::enumerate(axes)) {
    if (llvm::Error error = checkAxis(axis, header))
      return error;
    if (number > 0 && axes[number - 1] >= axis)
      return llvm::createStringError(
          "expects axes in the order x, y, z, loop, got " + getAxisName(axis) +
          " after " + getAxisName(axes[number - 1]));
  }
  return llvm::Error::success();
}

static llvm::Error checkAxes(Opcode opcode, const Attributes &attributes,
                             const TileGraph &header) {
  if (opcode == Opcode::Accumulate)
    return checkAxis(attributes.axis, header);
  if (llvm::Error error = checkCuttingAxes(attributes.axes, header))
    return error;
  return checkCuttingAxes(attributes.columnAxes, header);
}

/// The elements of the dimension that tiles of this size are cut from, with the
/// padding of the last ones.
static llvm::Error checkPositions(llvm::ArrayRef<Axis> axes, int64_t tile,
                                  const TileGraph &header) {
  llvm::SmallVector<int64_t, 4> factors = {tile};
  for (Axis axis : axes)
    factors.push_back(header.getExtent(axis));
  if (multiplyCounts(factors))
    return llvm::Error::success();
  return llvm::createStringError(
      "expects tiles that make up at most 2^40 elements along a masked "
      "dimension, got more");
}

static llvm::Error checkJoinedCount(const Attributes &attributes,
                                    llvm::ArrayRef<int64_t> shape,
                                    const TileGraph &header) {
  llvm::SmallVector<int64_t, 4> factors = {header.getExtent(attributes.axis)};
  for (int64_t dim : attributes.dims)
    factors.push_back(shape[dim]);
  if (multiplyCounts(factors))
    return llvm::Error::success();
  return llvm::createStringError(
      "expects at most 2^40 elements to join into one, got more");
}

/// Numbers of elements that come of tiles and axes together stay in range.
static llvm::Error checkCounts(Opcode opcode, const Attributes &attributes,
                               llvm::ArrayRef<TensorSpec> types,
                               const TileGraph &header) {
  if (opcode == Opcode::Accumulate)
    return checkJoinedCount(attributes, types[0].shape, header);
  if (opcode == Opcode::Mask)
    return checkPositions(attributes.axes, types[0].shape[attributes.dims[0]],
                          header);
  if (opcode != Opcode::CausalMask)
    return llvm::Error::success();
  llvm::ArrayRef<int64_t> matrix = llvm::ArrayRef(types[0].shape).take_back(2);
  if (llvm::Error error = checkPositions(attributes.axes, matrix[0], header))
    return error;
  return checkPositions(attributes.columnAxes, matrix[1], header);
}

static llvm::StringRef describe(Phase phase) {
  return isBeforeLoop(phase)    ? "that the loop does not change"
         : phase == Phase::Loop ? "of the loop"
                                : "from after it";
}

static llvm::Error checkJoinedIterations(llvm::ArrayRef<Phase> operands,
                                         const TileGraph &header) {
  for (auto [number, operand] : llvm::enumerate(operands))
    if (operand > Phase::Loop || (operand < Phase::Loop && header.loop > 1))
      return llvm::createStringError(
          "expects a value of the loop to accumulate over it, got operand " +
          llvm::Twine(number) + " " + describe(operand));
  return llvm::Error::success();
}

static llvm::Error checkJoinedBlocks(llvm::ArrayRef<Phase> operands,
                                     Axis axis) {
  const Phase *inLoop = llvm::find(operands, Phase::Loop);
  if (inLoop == operands.end())
    return llvm::Error::success();
  return llvm::createStringError(
      "expects no value of the loop to accumulate over " + getAxisName(axis) +
      ", got operand " + llvm::Twine(inLoop - operands.begin()) +
      " of the loop");
}

llvm::Error mlir::mirage::checkInTileGraph(Opcode opcode,
                                           const Attributes &attributes,
                                           llvm::ArrayRef<Phase> operands,
                                           llvm::ArrayRef<TensorSpec> types,
                                           const TileGraph &header) {
  if (llvm::Error error = checkAxes(opcode, attributes, header))
    return error;
  if (llvm::Error error = checkCounts(opcode, attributes, types, header))
    return error;
  if (joinsIterations(opcode, attributes))
    return checkJoinedIterations(operands, header);
  if (joinsBlocks(opcode, attributes))
    return checkJoinedBlocks(operands, attributes.axis);
  const Phase *inLoop = llvm::find(operands, Phase::Loop);
  const Phase *after = llvm::find_if(
      operands, [](Phase operand) { return operand >= Phase::After; });
  if (after == operands.end())
    return llvm::Error::success();
  if (inLoop != operands.end())
    return llvm::createStringError(
        "expects operands of one phase, got operand " +
        llvm::Twine(inLoop - operands.begin()) + " of the loop and operand " +
        llvm::Twine(after - operands.begin()) +
        " from after it; an accumulate over the loop leads from "
        "one to the other");
  if (inferPhase(opcode, attributes, {}) == Phase::Loop)
    return llvm::createStringError(
        "expects a value of the loop to mask along it, got "
        "operand " +
        llvm::Twine(after - operands.begin()) + " from after it");
  return llvm::Error::success();
}
