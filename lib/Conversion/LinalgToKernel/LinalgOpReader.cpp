//===- LinalgOpReader.cpp - Structured ops as kernel ops ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgOpReader.h"
#include "FindConstant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

LogicalResult LinalgOpReader::check() {
  if (!op.hasPureTensorSemantics())
    return fail("expects operands that are tensors, got memrefs");
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (ShapedType::isDynamic(extent) || extent < 1)
      return fail("expects loops of constant, positive extent, got loop " +
                  Twine(loop) + " of another");
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      reductionLoops.push_back(loop);
  return success();
}

/// The loop that indexes each dimension of an operand, or kUnit for a constant
/// 0 that indexes a dimension of size 1, and for what rank 0 is in a graph.
FailureOr<SmallVector<int>> LinalgOpReader::readMap(OpOperand &operand) {
  SmallVector<int> loops;
  ArrayRef<int64_t> shape = op.getShape(&operand);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    bool isUnit = constant && constant.getValue() == 0 && size == 1;
    if ((!dim && !isUnit) ||
        (dim && llvm::is_contained(loops, int(dim.getPosition())))) {
      llvm::raw_string_ostream(reason)
          << "expects operands indexed by distinct loops, or by 0 where the "
             "size is 1, got "
          << map;
      return failure();
    }
    loops.push_back(dim ? int(dim.getPosition()) : kUnit);
  }
  if (shape.empty())
    loops.push_back(kUnit);
  return loops;
}

FailureOr<BodyValue> LinalgOpReader::readOperand(OpOperand &operand) {
  if (std::optional<double> number = findConstant(operand.get()))
    return BodyValue(*number);
  if (operand.get().getDefiningOp<tensor::EmptyOp>())
    return fail("expects operands with defined elements, got tensor.empty");
  if (auto problem = explainUnsupported(operand.get().getType()))
    return fail(*problem);
  FailureOr<SmallVector<int>> loops = readMap(operand);
  if (failed(loops))
    return failure();
  return BodyValue(IndexedTensor{draft.getInput(operand.get()), *loops});
}

FailureOr<BodyValue> LinalgOpReader::readLeaf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock())
    return fail("expects a body that uses its arguments and constants only");
  OpOperand &operand = op->getOpOperand(argument.getArgNumber());
  if (op.isDpsInit(&operand) && !reductionLoops.empty())
    return fail("expects a reduction that uses its accumulator once, as an "
                "operand of addf, maximumf or minimumf");
  return readOperand(operand);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// A result has one element for each iteration of the parallel loops.
LogicalResult LinalgOpReader::checkResultLoops(ArrayRef<int> order) {
  for (int loop = 0, end = extents.size(); loop < end; ++loop) {
    bool isReduced = llvm::is_contained(reductionLoops, loop);
    bool isIndexing = llvm::is_contained(order, loop);
    if (isReduced ? isIndexing : !isIndexing && extents[loop] > 1)
      return fail("expects results indexed by all parallel loops and no other, "
                  "got loop " +
                  Twine(loop) + " of another kind");
  }
  return success();
}

FailureOr<BodyValue> LinalgOpReader::readYielded(OpOperand &init,
                                                 ArrayRef<int> order) {
  if (reductionLoops.empty())
    return translator.translate(op.getMatchingYieldValue(&init)->get());
  return readReduction(init, order);
}

/// A number may have a type that no tensor of a graph has, such as one without
/// elements, since what reads it takes it as a number.
FailureOr<ResultValue> LinalgOpReader::readResult(OpOperand &init) {
  Type type = init.get().getType(), element = getElementTypeOrSelf(type);
  std::optional<std::string> problem = explainUnsupported(type);
  if (problem && !convertElementType(element))
    return fail(*problem);
  FailureOr<SmallVector<int>> order = readMap(init);
  if (failed(order) || failed(checkResultLoops(*order)))
    return failure();
  FailureOr<BodyValue> value = readYielded(init, *order);
  if (failed(value))
    return failure();
  if (auto *number = std::get_if<double>(&*value))
    return ResultValue(*number);
  if (problem)
    return fail(*problem);
  builder.setLocation(op.getLoc());
  IndexedTensor stored =
      builder.convert(std::get<IndexedTensor>(*value), element);
  return ResultValue(builder.stretch(stored, *order).tensor);
}

ReadResults LinalgOpReader::readResults() {
  if (failed(check()))
    return failure();
  SmallVector<ResultValue> results;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    bool isUsed = !op.getTiedOpResult(&init).use_empty();
    FailureOr<ResultValue> result =
        isUsed ? readResult(init) : ResultValue(std::monostate());
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  return results;
}

ReadResults mlir::mirage::readLinalgOp(linalg::LinalgOp op, GraphDraft &draft,
                                       std::string &reason) {
  return LinalgOpReader(op, draft, reason).readResults();
}
