//===- MovementEvaluation.cpp - Elements that keep their values -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphEvaluator.h"
#include "TileCopies.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace mlir::mirage;

void GraphEvaluator::evaluateShuffle(Frame &frame, const Node &operation) {
  ValueId operand = operation.operands[0], value = operation.results[0];
  const Shape &shape = frame.graph.getType(value).shape;
  uint32_t *result = allocate(frame, value);
  size_t size = countElements(shape);
  for (size_t i = 0; i < frame.countInstancesOf(value) * size; ++i) {
    size_t from =
        i - i % size + shuffleIndex(i % size, shape, operation.attributes.dims);
    std::memcpy(result + i * words, frame.values[operand] + from * words,
                words * sizeof(uint32_t));
  }
}

void GraphEvaluator::evaluateMovement(Frame &frame, const Node &operation) {
  ValueId operand = operation.operands[0], value = operation.results[0];
  if (operation.opcode == Opcode::Mask)
    return evaluateMask(frame, operation);
  if (operation.opcode == Opcode::Shuffle)
    return evaluateShuffle(frame, operation);
  if (operation.opcode == Opcode::CausalMask)
    return evaluateCausalMask(frame, operation);
  if (operation.opcode == Opcode::Concat)
    return evaluateConcat(frame, operation);
  if (operation.opcode == Opcode::Cast || operation.opcode == Opcode::Reshape)
    return share(frame, value, operand);
  const Shape &from = frame.graph.getType(operand).shape;
  const Shape &to = frame.graph.getType(value).shape;
  if (operation.opcode == Opcode::Broadcast &&
      countElements(from) == countElements(to))
    return share(frame, value, operand);
  Strides strides, own = getRowMajorStrides(from);
  int64_t begin = 0;
  if (operation.opcode == Opcode::Transpose) {
    for (int64_t dim : operation.attributes.dims)
      strides.push_back(own[dim]);
  } else if (operation.opcode == Opcode::Slice) {
    begin = getOffset(operation.attributes.offsets, own);
    for (auto [stride, step] :
         llvm::zip_equal(operation.attributes.strides, own))
      strides.push_back(stride * step);
  } else {
    assert(operation.opcode == Opcode::Broadcast &&
           "a movement without a rule");
    strides = getBroadcastStrides(from, to);
  }
  uint32_t *result = allocate(frame, value);
  OffsetWalk rows;
  rows.addDimension(frame.countInstancesOf(value), countElements(from));
  rows.addDimensions(llvm::ArrayRef(to).drop_back(),
                     llvm::ArrayRef(strides).drop_back());
  size_t rowWords = to.back() * words;
  for (size_t first = 0; first < countWords(frame, value); first += rowWords) {
    copyRow(result + first,
            frame.values[operand] + (rows.getOffset() + begin) * words,
            to.back(), strides.back(), words);
    rows.advance();
  }
}

/// Of each instance and each index of the dimensions before the one that is
/// concatenated along, what the operands have there stands in one piece.
void GraphEvaluator::evaluateConcat(Frame &frame, const Node &operation) {
  int64_t dim = operation.attributes.dims[0];
  ValueId value = operation.results[0];
  llvm::ArrayRef<int64_t> shape = frame.graph.getType(value).shape;
  AxisSet axes = frame.getAxes(value);
  size_t outer =
      frame.countInstances(axes) * countElements(shape.take_front(dim));
  size_t pitch = countElements(shape.drop_front(dim)) * words;
  uint32_t *target = allocate(frame, value);
  WordArena::Mark mark = arena.mark();
  for (ValueId operand : operation.operands) {
    llvm::ArrayRef<int64_t> own = frame.graph.getType(operand).shape;
    const uint32_t *source =
        stretch(frame, getTiles(frame, operand), own, axes);
    size_t piece = countElements(own.drop_front(dim)) * words;
    for (size_t i = 0; i < outer; ++i)
      std::memcpy(target + i * pitch, source + i * piece,
                  piece * sizeof(uint32_t));
    target += piece;
  }
  arena.release(mark);
}
