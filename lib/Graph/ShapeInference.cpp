//===- ShapeInference.cpp - The shape rules of the operator table ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Graph/LevelRules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir::mirage;

/// Reduced dimensions: in range, ascending, without repeats.
static llvm::Error checkDims(llvm::ArrayRef<int64_t> dims, unsigned rank) {
  for (auto [position, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= rank)
      return llvm::createStringError("expects dimensions in [0, " +
                                     llvm::Twine(rank) + "), got " +
                                     llvm::Twine(dim));
    if (position > 0 && dims[position - 1] >= dim)
      return llvm::createStringError("expects ascending dimensions, got " +
                                     toString(dims));
  }
  return llvm::Error::success();
}

static Shape reduceShape(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int64_t> dims) {
  Shape result(shape);
  for (int64_t dim : dims)
    result[dim] = 1;
  return result;
}

static llvm::Expected<Shape>
inferElementwise(llvm::ArrayRef<TensorSpec> operands,
                 llvm::ArrayRef<int64_t> resultShape) {
  if (operands.empty())
    return Shape(resultShape);
  Shape shape = operands[0].shape;
  for (const TensorSpec &operand : operands.drop_front()) {
    std::optional<Shape> joined = broadcastShapes(shape, operand.shape);
    if (!joined)
      return llvm::createStringError("expects shapes that broadcast, got " +
                                     toString(shape) + " and " +
                                     toString(operand.shape));
    shape = *joined;
  }
  return shape;
}

static llvm::Expected<Shape> inferReduction(const Attributes &attributes,
                                            const TensorSpec &operand) {
  if (attributes.dims.empty())
    return llvm::createStringError(
        "expects at least one reduced dimension, got none");
  if (llvm::Error error = checkDims(attributes.dims, operand.getRank()))
    return std::move(error);
  return reduceShape(operand.shape, attributes.dims);
}

static llvm::Expected<Shape> inferMatmul(const TensorSpec &lhs,
                                         const TensorSpec &rhs) {
  if (lhs.getRank() < 2 || rhs.getRank() < 2)
    return llvm::createStringError(
        "expects operands of rank 2 or more, got ranks " +
        llvm::Twine(lhs.getRank()) + " and " + llvm::Twine(rhs.getRank()));
  unsigned k = lhs.getRank() - 1, n = rhs.getRank() - 2;
  if (lhs.shape[k] != rhs.shape[n])
    return llvm::createStringError("expects dim(lhs, " + llvm::Twine(k) +
                                   ") = dim(rhs, " + llvm::Twine(n) +
                                   "), got " + llvm::Twine(lhs.shape[k]) +
                                   " and " + llvm::Twine(rhs.shape[n]));
  std::optional<Shape> batch =
      broadcastShapes(llvm::ArrayRef(lhs.shape).drop_back(2),
                      llvm::ArrayRef(rhs.shape).drop_back(2));
  if (!batch)
    return llvm::createStringError(
        "expects batch dimensions that broadcast, got " + toString(lhs.shape) +
        " and " + toString(rhs.shape));
  batch->push_back(lhs.shape[k - 1]);
  batch->push_back(rhs.shape.back());
  return *batch;
}

static llvm::Expected<Shape> inferTranspose(llvm::ArrayRef<int64_t> permutation,
                                            const TensorSpec &operand) {
  llvm::SmallVector<bool> seen(operand.getRank(), false);
  Shape shape;
  for (int64_t dim : permutation) {
    if (dim < 0 || dim >= operand.getRank() || seen[dim])
      break;
    seen[dim] = true;
    shape.push_back(operand.shape[dim]);
  }
  if (shape.size() != operand.getRank() || permutation.size() != shape.size())
    return llvm::createStringError("expects a permutation of " +
                                   llvm::Twine(operand.getRank()) +
                                   " dimensions, got " + toString(permutation));
  return shape;
}

static llvm::Expected<Shape> inferReshape(const TensorSpec &operand,
                                          llvm::ArrayRef<int64_t> resultShape) {
  TensorSpec result{Shape(resultShape), operand.element};
  if (result.getNumElements() != operand.getNumElements())
    return llvm::createStringError("expects as many elements as the operand, " +
                                   llvm::Twine(operand.getNumElements()) +
                                   ", got " +
                                   llvm::Twine(result.getNumElements()));
  return result.shape;
}

static llvm::Expected<Shape>
inferBroadcast(const TensorSpec &operand, llvm::ArrayRef<int64_t> resultShape) {
  std::optional<Shape> joined = broadcastShapes(operand.shape, resultShape);
  if (!joined || llvm::ArrayRef(*joined) != resultShape)
    return llvm::createStringError(
        "expects a result that " + toString(operand.shape) +
        " broadcasts to, got " + toString(resultShape));
  return *joined;
}

static llvm::Expected<Shape> inferMask(const Attributes &attributes,
                                       const TensorSpec &operand) {
  if (attributes.dims.size() != 1)
    return llvm::createStringError("expects one masked dimension, got " +
                                   llvm::Twine(attributes.dims.size()));
  if (llvm::Error error = checkDims(attributes.dims, operand.getRank()))
    return std::move(error);
  if (attributes.extent < 1)
    return llvm::createStringError("expects an extent of at least 1, got " +
                                   llvm::Twine(attributes.extent));
  return operand.shape;
}

static llvm::Expected<Shape> inferShuffle(llvm::ArrayRef<int64_t> offset,
                                          const TensorSpec &operand) {
  if (offset.size() != operand.getRank())
    return llvm::createStringError("expects a coordinate for each of " +
                                   llvm::Twine(operand.getRank()) +
                                   " dimensions, got " + toString(offset));
  for (auto [coordinate, size] : llvm::zip_equal(offset, operand.shape))
    if (!llvm::isPowerOf2_64(size) || coordinate < 0 || coordinate >= size)
      return llvm::createStringError(
          "expects coordinates within a fragment with sizes that are powers of "
          "two, got " +
          toString(offset) + " for " + toString(operand.shape));
  return operand.shape;
}

/// Factors belong to accumulators: they are the same along what is summed.
static llvm::Error checkRescale(const Attributes &attributes,
                                const TensorSpec &rescale,
                                llvm::ArrayRef<int64_t> result) {
  if (attributes.reduction != Opcode::Sum)
    return llvm::createStringError(
        "expects a sum where parts are rescaled, got " +
        getOperatorInfo(attributes.reduction).name);
  std::optional<Shape> joined = broadcastShapes(rescale.shape, result);
  if (!joined || llvm::ArrayRef(*joined) != result)
    return llvm::createStringError(
        "expects a rescaling value that broadcasts to the result's shape " +
        toString(result) + ", got " + toString(rescale.shape));
  return llvm::Error::success();
}

static llvm::Expected<Shape>
inferAccumulate(const Attributes &attributes,
                llvm::ArrayRef<TensorSpec> operands) {
  const TensorSpec &operand = operands[0];
  if (!isReduction(attributes.reduction))
    return llvm::createStringError(
        "expects a reduction to accumulate with, got " +
        getOperatorInfo(attributes.reduction).name);
  if (llvm::Error error = checkDims(attributes.dims, operand.getRank()))
    return std::move(error);
  Shape result = reduceShape(operand.shape, attributes.dims);
  if (operands.size() > 1)
    if (llvm::Error error = checkRescale(attributes, operands[1], result))
      return std::move(error);
  return result;
}

/// The last element that a slice reads in one dimension.
static llvm::Error checkSliced(int64_t offset, int64_t stride, int64_t size,
                               int64_t operandSize) {
  if (offset < 0)
    return llvm::createStringError("expects offsets of at least 0, got " +
                                   llvm::Twine(offset));
  if (stride < 1)
    return llvm::createStringError("expects strides of at least 1, got " +
                                   llvm::Twine(stride));
  // Nothing overflows that is compared with a size.
  if (offset < operandSize && (size - 1) <= (operandSize - 1 - offset) / stride)
    return llvm::Error::success();
  return llvm::createStringError(
      "expects elements among the " + llvm::Twine(operandSize) +
      " of the operand's dimension, got " + llvm::Twine(size) + " from " +
      llvm::Twine(offset) + " on with stride " + llvm::Twine(stride));
}

static llvm::Expected<Shape> inferSlice(const Attributes &attributes,
                                        const TensorSpec &operand,
                                        llvm::ArrayRef<int64_t> resultShape) {
  unsigned rank = operand.getRank();
  if (attributes.offsets.size() != rank || attributes.strides.size() != rank)
    return llvm::createStringError(
        "expects an offset and a stride for each of " + llvm::Twine(rank) +
        " dimensions, got " + llvm::Twine(attributes.offsets.size()) + " and " +
        llvm::Twine(attributes.strides.size()));
  if (resultShape.size() != rank)
    return llvm::createStringError("expects a result of rank " +
                                   llvm::Twine(rank) + ", got " +
                                   toString(resultShape));
  for (unsigned dim = 0; dim < rank; ++dim)
    if (llvm::Error error =
            checkSliced(attributes.offsets[dim], attributes.strides[dim],
                        resultShape[dim], operand.shape[dim]))
      return std::move(error);
  return Shape(resultShape);
}

static llvm::Expected<Shape> inferConcat(const Attributes &attributes,
                                         llvm::ArrayRef<TensorSpec> operands) {
  if (attributes.dims.size() != 1)
    return llvm::createStringError(
        "expects one dimension to concatenate along, got " +
        llvm::Twine(attributes.dims.size()));
  Shape shape = operands[0].shape;
  if (llvm::Error error = checkDims(attributes.dims, shape.size()))
    return std::move(error);
  int64_t dim = attributes.dims[0];
  for (const TensorSpec &operand : operands.drop_front()) {
    Shape expected = shape;
    if (operand.shape.size() == shape.size())
      expected[dim] = operand.shape[dim];
    if (operand.shape != expected)
      return llvm::createStringError(
          "expects operands that differ in dimension " + llvm::Twine(dim) +
          " alone, got " + toString(operands[0].shape) + " and " +
          toString(operand.shape));
    shape[dim] += operand.shape[dim];
  }
  return shape;
}

static llvm::Expected<Shape> inferCausalMask(const Attributes &attributes,
                                             const TensorSpec &operand) {
  if (operand.getRank() < 2)
    return llvm::createStringError("expects rows and columns, got rank " +
                                   llvm::Twine(operand.getRank()));
  // Sums with coordinates do not overflow.
  if (attributes.offset < -kMaxCount || attributes.offset > kMaxCount)
    return llvm::createStringError("expects an offset of at most 2^40 to "
                                   "either side, got " +
                                   llvm::Twine(attributes.offset));
  return operand.shape;
}

/// That of what it stands for.
static llvm::Expected<Shape>
inferComposed(Opcode opcode, const Attributes &attributes,
              llvm::ArrayRef<TensorSpec> operands,
              llvm::ArrayRef<int64_t> resultShape) {
  llvm::Expected<Graph> definition =
      defineComposed(opcode, attributes, operands,
                     TensorSpec{Shape(resultShape), operands[0].element});
  if (!definition)
    return definition.takeError();
  return definition->getType(definition->getOutputs()[0]).shape;
}

/// "2", "1 to 3", "at least 1".
static std::string describeOperandCount(const OperatorInfo &info) {
  std::string least = std::to_string(info.numOperands);
  if (info.numOptionalOperands == OperatorInfo::kAnyNumber)
    return "at least " + least;
  if (info.numOptionalOperands == 0)
    return least;
  return least + " to " +
         std::to_string(info.numOperands + info.numOptionalOperands);
}

/// As few digits as are read as the same number.
static std::string print(double number) {
  std::string text;
  for (int digits = 6; digits <= 17; ++digits) {
    text = llvm::formatv("{0}", llvm::format("%.*g", digits, number));
    double read;
    if (!llvm::StringRef(text).getAsDouble(read) && read == number)
      break;
  }
  return text;
}

/// What a number is called in IR and what may stand there: no NaN, and bounds
/// in order.
static llvm::Error checkScalars(const OperatorInfo &info,
                                llvm::ArrayRef<double> scalars) {
  if (scalars.size() != info.parameters.size())
    return llvm::createStringError(
        "expects " + llvm::Twine(info.parameters.size()) +
        " scalar attributes, got " + llvm::Twine(scalars.size()));
  for (auto [name, scalar] : llvm::zip_equal(info.parameters, scalars))
    if (std::isnan(scalar))
      return llvm::createStringError("expects a number as " + name +
                                     ", got NaN");
  if (info.opcode == Opcode::Clamp && scalars[0] > scalars[1])
    return llvm::createStringError(
        "expects the lower bound, lo, to be at most the upper one, hi, got " +
        print(scalars[0]) + " and " + print(scalars[1]));
  return llvm::Error::success();
}

/// A count belongs to what divides by one, itself or as an accumulation.
static llvm::Error checkCount(const OperatorInfo &info,
                              const Attributes &attributes) {
  if (attributes.count < 0)
    return llvm::createStringError("expects a count of at least 0, got " +
                                   llvm::Twine(attributes.count));
  const OperatorInfo &reduction = info.kind == OperatorKind::Accumulate
                                      ? getOperatorInfo(attributes.reduction)
                                      : info;
  if (attributes.count == 0 || reduction.averages())
    return llvm::Error::success();
  return llvm::createStringError("expects a count of what mean or rms "
                                 "average, got one of " +
                                 reduction.name);
}

static llvm::Error checkOperands(const OperatorInfo &info,
                                 const Attributes &attributes,
                                 llvm::ArrayRef<TensorSpec> operands) {
  if (!info.takes(operands.size()))
    return llvm::createStringError("expects " + describeOperandCount(info) +
                                   " operands, got " +
                                   llvm::Twine(operands.size()));
  if (llvm::Error error = checkScalars(info, attributes.scalars))
    return error;
  return checkCount(info, attributes);
}

llvm::Expected<Shape>
mlir::mirage::inferShape(Opcode opcode, const Attributes &attributes,
                         llvm::ArrayRef<TensorSpec> operands,
                         llvm::ArrayRef<int64_t> resultShape) {
  const OperatorInfo &info = getOperatorInfo(opcode);
  assert(info.kind != OperatorKind::Graph && "a graph states its own results");
  if (llvm::Error error = checkOperands(info, attributes, operands))
    return std::move(error);
  switch (info.kind) {
  case OperatorKind::Elementwise:
    return inferElementwise(operands, resultShape);
  case OperatorKind::Reduction:
    return inferReduction(attributes, operands[0]);
  case OperatorKind::Contraction:
    return inferMatmul(operands[0], operands[1]);
  case OperatorKind::Accumulate:
    return inferAccumulate(attributes, operands);
  case OperatorKind::Copy:
    return operands[0].shape;
  case OperatorKind::Composed:
    return inferComposed(opcode, attributes, operands, resultShape);
  case OperatorKind::Movement:
  case OperatorKind::Graph:
    break;
  }
  switch (opcode) {
  case Opcode::Transpose:
    return inferTranspose(attributes.dims, operands[0]);
  case Opcode::Reshape:
    return inferReshape(operands[0], resultShape);
  case Opcode::Broadcast:
    return inferBroadcast(operands[0], resultShape);
  case Opcode::Mask:
    return inferMask(attributes, operands[0]);
  case Opcode::Shuffle:
    return inferShuffle(attributes.dims, operands[0]);
  case Opcode::Slice:
    return inferSlice(attributes, operands[0], resultShape);
  case Opcode::Concat:
    return inferConcat(attributes, operands);
  case Opcode::CausalMask:
    return inferCausalMask(attributes, operands[0]);
  default:
    assert(opcode == Opcode::Cast && "a movement without a shape rule");
    return operands[0].shape;
  }
}

ElementType
mlir::mirage::inferTileElement(Opcode opcode,
                               llvm::ArrayRef<TensorSpec> operands) {
  OperatorKind kind = getOperatorInfo(opcode).kind;
  bool moves = kind == OperatorKind::Movement || kind == OperatorKind::Copy;
  return moves ? operands[0].element : ElementType::F32;
}
