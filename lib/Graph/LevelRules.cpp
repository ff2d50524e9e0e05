//===- LevelRules.cpp - What a level of a µGraph may hold -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/LevelRules.h"
#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>
#include <optional>

using namespace mlir::mirage;

std::optional<int64_t>
mlir::mirage::multiplyCounts(llvm::ArrayRef<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors)
    if (llvm::MulOverflow(product, factor, product) || product > kMaxCount)
      return std::nullopt;
  return product;
}

llvm::Error mlir::mirage::checkTensorType(const TensorSpec &type) {
  if (type.shape.empty())
    return llvm::createStringError("expects a rank of at least 1, got 0");
  for (int64_t size : type.shape)
    if (size < 1)
      return llvm::createStringError("expects sizes of at least 1, got " +
                                     llvm::Twine(size));
  if (!multiplyCounts(type.shape))
    return llvm::createStringError("expects at most 2^40 elements, got more");
  return llvm::Error::success();
}

llvm::Expected<unsigned>
mlir::mirage::countThreads(llvm::ArrayRef<int64_t> block) {
  for (int64_t size : block)
    if (size < 1)
      return llvm::createStringError(
          "expects at least 1 thread along each axis "
          "of a block, got " +
          llvm::Twine(size));
  std::optional<int64_t> threads = multiplyCounts(block);
  if (!threads || *threads > kMaxBlockThreads)
    return llvm::createStringError(
        "expects at most " + llvm::Twine(kMaxBlockThreads) +
        " threads of a block, got " + toString(block));
  return static_cast<unsigned>(*threads);
}

llvm::Error mlir::mirage::checkLevel(Opcode opcode, Level level) {
  const OperatorInfo &info = getOperatorInfo(opcode);
  if (info.existsAt(level))
    return llvm::Error::success();
  if (info.outermost > info.innermost)
    return llvm::createStringError(
        "expects operators of the " + getLevelName(level) + " level, got " +
        info.name + ", which accumulations alone carry out");
  return llvm::createStringError(
      "expects operators of the " + getLevelName(level) + " level, got " +
      info.name + ", which exists from the " + getLevelName(info.outermost) +
      " to the " + getLevelName(info.innermost) + " level only");
}

llvm::Error mlir::mirage::checkCarried(Opcode opcode, Level level,
                                       const Attributes &attributes) {
  const OperatorInfo &reduction = getOperatorInfo(attributes.reduction);
  if (opcode != Opcode::Accumulate || reduction.getNumCarried() == 1)
    return llvm::Error::success();
  if (level != Level::Block)
    return llvm::createStringError("expects a block to accumulate a " +
                                   reduction.name + ", got the " +
                                   getLevelName(level) + " level");
  if (attributes.axis == Axis::Loop)
    return llvm::Error::success();
  return llvm::createStringError("expects the loop to accumulate a " +
                                 reduction.name + " over, got " +
                                 getAxisName(attributes.axis));
}

/// The number to which an operation sets elements, if it does: a constant, and
/// what masks put in the place of others.
static std::optional<double> findStoredNumber(Opcode opcode,
                                              const Attributes &attributes) {
  if (opcode == Opcode::CausalMask)
    return -std::numeric_limits<double>::infinity();
  if (opcode == Opcode::Constant || opcode == Opcode::Mask)
    return attributes.scalars[0];
  return std::nullopt;
}

static llvm::Error checkStoredNumber(Opcode opcode,
                                     const Attributes &attributes,
                                     ElementType result) {
  std::optional<double> number = findStoredNumber(opcode, attributes);
  if (!number || !std::isinf(*number) || storesInfinities(result))
    return llvm::Error::success();
  return llvm::createStringError("expects a number that " +
                                 getElementTypeName(result) + " stores, got " +
                                 (*number < 0 ? "-inf" : "inf"));
}

llvm::Error mlir::mirage::checkElement(Opcode opcode, Level level,
                                       const Attributes &attributes,
                                       llvm::ArrayRef<TensorSpec> operands,
                                       ElementType result) {
  if (llvm::Error error = checkStoredNumber(opcode, attributes, result))
    return error;
  OperatorKind kind = getOperatorInfo(opcode).kind;
  bool moves = kind == OperatorKind::Movement || kind == OperatorKind::Copy;
  bool keeps = level == Level::Kernel
                   ? opcode == Opcode::Reshape || opcode == Opcode::Repeat
                   : moves && opcode != Opcode::Cast;
  const TensorSpec *other = llvm::find_if(
      operands, [&](const TensorSpec &type) { return type.element != result; });
  if (!keeps || other == operands.end())
    return llvm::Error::success();
  return llvm::createStringError(
      "expects a result of its operand's element type, " +
      getElementTypeName(other->element) + ", got " +
      getElementTypeName(result) + "; a cast rounds");
}

bool mlir::mirage::accumulatesElements(const Attributes &attributes,
                                       size_t numOperands) {
  const OperatorInfo &reduction = getOperatorInfo(attributes.reduction);
  return numOperands == 1 && attributes.dims.empty() &&
         reduction.definition.nodes().size() == 1 &&
         reduction.finish.nodes().size() == 1 && reduction.getNumCarried() == 1;
}
