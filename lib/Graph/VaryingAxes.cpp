//===- VaryingAxes.cpp - Which blocks hold different values ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/VaryingAxes.h"
#include "Mirage/Graph/Phases.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::mirage;

/// Empty for the loop, which is no axis of the grid, and where there is one
/// block along the axis.
static AxisSet getIfSeveral(const TileGraph &header, Axis axis) {
  bool isSeveral = axis != Axis::Loop && header.getExtent(axis) > 1;
  return isSeveral ? toAxisSet(axis) : 0;
}

AxisSet mlir::mirage::getVaryingAxes(const TileGraph &header, unsigned input) {
  AxisSet varying = 0;
  for (auto [axis, dim] : llvm::enumerate(header.tileInputs[input].gridMap))
    if (dim != kReplicated)
      varying |= getIfSeveral(header, static_cast<Axis>(axis));
  return varying;
}

AxisSet mlir::mirage::inferVaryingAxes(const TileGraph &header, Opcode opcode,
                                       const Attributes &attributes,
                                       llvm::ArrayRef<AxisSet> operands) {
  AxisSet varying = 0;
  for (AxisSet operand : operands)
    varying |= operand;
  // Axes of a mask are those whose coordinates it asks for.
  for (Axis axis :
       llvm::concat<const Axis>(attributes.axes, attributes.columnAxes))
    varying |= getIfSeveral(header, axis);
  if (joinsBlocks(opcode, attributes))
    varying &= ~getIfSeveral(header, attributes.axis);
  return varying;
}

llvm::Error mlir::mirage::checkOutputJoins(const TileGraph &header,
                                           unsigned output, AxisSet varying) {
  for (auto [number, dim] :
       llvm::enumerate(header.tileOutputs[output].gridMap)) {
    Axis axis = static_cast<Axis>(number);
    if (dim == kReplicated && (varying & getIfSeveral(header, axis)))
      return llvm::createStringError(
          "result " + llvm::Twine(output) +
          ": expects a dimension to join along " + getAxisName(axis) +
          ", or a sum, since what is yielded differs along it, got neither");
  }
  return llvm::Error::success();
}

llvm::SmallVector<AxisSet>
mlir::mirage::computeVaryingAxes(const TileGraph &graph) {
  llvm::SmallVector<AxisSet> varying;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    varying.push_back(getVaryingAxes(graph, input));
  for (const Node &operation : graph.getNodes()) {
    llvm::SmallVector<AxisSet, 2> operands;
    for (ValueId operand : operation.operands)
      operands.push_back(varying[operand]);
    varying.append(operation.results.size(),
                   inferVaryingAxes(graph, operation.opcode,
                                    operation.attributes, operands));
  }
  return varying;
}

llvm::Error mlir::mirage::checkOutputJoins(const TileGraph &graph) {
  llvm::SmallVector<AxisSet> varying = computeVaryingAxes(graph);
  for (auto [number, output] : llvm::enumerate(graph.getOutputs()))
    if (llvm::Error error = checkOutputJoins(graph, number, varying[output]))
      return error;
  return llvm::Error::success();
}
