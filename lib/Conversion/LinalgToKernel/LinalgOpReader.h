//===- LinalgOpReader.h - Structured ops as kernel ops ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_LINALGOPREADER_H
#define MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_LINALGOPREADER_H

#include "OpReaders.h"
#include "ScalarTranslator.h"

namespace mlir::mirage {

/// Reads a structured op: what it does at one point of its loop nest, and which
/// elements that point takes and gives.
class LinalgOpReader {
public:
  LinalgOpReader(linalg::LinalgOp op, GraphDraft &draft, std::string &reason)
      : op(op), draft(draft), reason(reason), extents(op.getStaticLoopRanges()),
        builder(draft.getBuilder(), extents),
        translator(builder, op.getLoc(), op.getBlock(), leaf, reason) {}

  ReadResults readResults();

private:
  LogicalResult check();
  FailureOr<SmallVector<int>> readMap(OpOperand &operand);
  FailureOr<BodyValue> readOperand(OpOperand &operand);
  FailureOr<BodyValue> readLeaf(Value value);
  FailureOr<ResultValue> readResult(OpOperand &init);
  FailureOr<BodyValue> readYielded(OpOperand &init, ArrayRef<int> order);
  FailureOr<BodyValue> readReduction(OpOperand &init, ArrayRef<int> order);
  struct Accumulation;
  static std::optional<Accumulation> findAccumulation(Value yielded,
                                                      Value accumulator);
  FailureOr<std::optional<IndexedTensor>>
  readContraction(const Accumulation &accumulation, Type element,
                  ArrayRef<int> order);
  FailureOr<IndexedTensor> readReduced(const Accumulation &accumulation,
                                       Type element, ArrayRef<int> order);
  LogicalResult checkResultLoops(ArrayRef<int> order);
  LogicalResult fail(const Twine &message) {
    reason = message.str();
    return failure();
  }

  linalg::LinalgOp op;
  GraphDraft &draft;
  std::string &reason;
  SmallVector<int64_t> extents;
  SmallVector<int> reductionLoops;
  std::function<FailureOr<BodyValue>(Value)> leaf = [this](Value value) {
    return readLeaf(value);
  };
  IndexedBuilder builder;
  ScalarTranslator translator;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_LINALGOPREADER_H
