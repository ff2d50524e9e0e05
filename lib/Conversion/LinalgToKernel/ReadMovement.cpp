//===- ReadMovement.cpp - Parts of tensors, and tensors made of parts -----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxReader.h"
#include "FindConstant.h"
#include "IndexPattern.h"
#include "Mirage/Dialect/Operator/ScalarTensors.h"
#include "OpReaders.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::mirage;

static bool isStatic(ArrayRef<int64_t> numbers) {
  return !llvm::any_of(numbers, ShapedType::isDynamic);
}

static ReadResults toResults(FailureOr<Value> value) {
  if (failed(value))
    return failure();
  return SmallVector<ResultValue>{*value};
}

ReadResults mlir::mirage::readExtractSlice(tensor::ExtractSliceOp op,
                                           GraphDraft &draft,
                                           std::string &reason) {
  if (std::optional<double> number = findConstant(op.getSource()))
    return SmallVector<ResultValue>{*number};
  if (!isStatic(op.getStaticOffsets()) || !isStatic(op.getStaticSizes()) ||
      !isStatic(op.getStaticStrides())) {
    reason = "expects constant offsets, sizes and strides";
    return failure();
  }
  if (auto problem = explainUnsupported(op.getType())) {
    reason = *problem;
    return failure();
  }
  BoxReader reader(draft, op, reason);
  FailureOr<Value> whole = reader.readWhole(op.getSource());
  if (failed(whole))
    return failure();
  Value part = reader.slice(*whole,
                            Box{llvm::to_vector(op.getStaticOffsets()),
                                llvm::to_vector(op.getStaticSizes())},
                            op.getStaticStrides());
  auto type = cast<RankedTensorType>(getTypeInGraph(op.getType()));
  return SmallVector<ResultValue>{reader.reshape(part, type.getShape())};
}

ReadResults mlir::mirage::readConcat(tensor::ConcatOp op, GraphDraft &draft,
                                     std::string &reason) {
  BoxReader reader(draft, op, reason);
  SmallVector<Value> parts;
  for (Value input : op.getInputs()) {
    if (auto problem = explainUnsupportedTensor(input.getType())) {
      reason = *problem;
      return failure();
    }
    FailureOr<Value> part = reader.readWhole(input);
    if (failed(part))
      return failure();
    parts.push_back(*part);
  }
  return toResults(reader.join(op.getDim(), parts));
}

static std::string explainPatch(Operation *op) {
  if (isa<tensor::PadOp>(op))
    return "expects padding of constant, non-negative width by a constant";
  return "expects constant offsets and sizes, and strides of 1";
}

ReadResults mlir::mirage::readPatched(Operation *op, GraphDraft &draft,
                                      std::string &reason) {
  Value result = op->getResult(0);
  if (auto problem = explainUnsupportedTensor(result.getType())) {
    reason = *problem;
    return failure();
  }
  std::optional<Patch> patch = findPatch(result);
  if (!patch) {
    reason = explainPatch(op);
    return failure();
  }
  return toResults(BoxReader(draft, op, reason).readWhole(result));
}

//===----------------------------------------------------------------------===//
// Pieces chosen by indices
//===----------------------------------------------------------------------===//

namespace {
/// Reads what a structured op without operands takes from tensors around it, by
/// its indices:
///
///   %j = linalg.index 1
///   scf.if (%j < 4) { tensor.extract %a[%i, %j] }
///   else            { tensor.extract %b[%i, %j - 4] }
class PieceReader {
public:
  PieceReader(linalg::LinalgOp op, GraphDraft &draft, std::string &reason)
      : numLoops(op.getNumLoops()), boxes(draft, op, reason), reason(reason) {}

  FailureOr<Value> read(Value value, const Box &box);

private:
  FailureOr<Value> readChoice(scf::IfOp choice, Value value, const Box &box);
  FailureOr<Value> readElements(tensor::ExtractOp extract, const Box &box);
  FailureOr<Value> fail(const char *message) {
    reason = message;
    return failure();
  }

  unsigned numLoops;
  BoxReader boxes;
  std::string &reason;
};
} // namespace

/// The loop that an index is, with a constant added; none if it is another
/// function of the loops.
static std::optional<unsigned> findLoop(const LinearIndex &index) {
  std::optional<unsigned> loop;
  for (auto [number, coefficient] : llvm::enumerate(index.coefficients)) {
    if (coefficient == 0)
      continue;
    if (coefficient != 1 || loop)
      return std::nullopt;
    loop = number;
  }
  return loop;
}

FailureOr<Value> PieceReader::readChoice(scf::IfOp choice, Value value,
                                         const Box &box) {
  auto isBoolean = [](bool wanted) {
    return [wanted](Attribute attribute) {
      auto number = dyn_cast<IntegerAttr>(attribute);
      return number && number.getValue().isZero() != wanted;
    };
  };
  auto pattern = findIndexPattern(choice.getCondition(), numLoops);
  auto below = pattern ? findKept(*pattern, isBoolean(true), isBoolean(false))
                       : std::nullopt;
  std::optional<unsigned> dim = below ? findLoop(*below) : std::nullopt;
  if (!dim)
    return fail("expects a choice between tensors by whether an index is below "
                "a number");
  unsigned number = cast<OpResult>(value).getResultNumber();
  Value sources[] = {choice.thenYield().getOperand(number),
                     choice.elseYield().getOperand(number)};
  int64_t first = box.offsets[*dim], last = box.getEnd(*dim);
  int64_t middle = std::clamp(1 - below->constant, first, last);
  SmallVector<Value> parts;
  for (auto [source, begin, end] : {std::tuple(sources[0], first, middle),
                                    std::tuple(sources[1], middle, last)}) {
    if (begin == end)
      continue;
    FailureOr<Value> part = read(source, box.cut(*dim, begin, end));
    if (failed(part))
      return failure();
    parts.push_back(*part);
  }
  return parts.size() == 1 ? parts[0] : boxes.join(*dim, parts);
}

FailureOr<Value> PieceReader::readElements(tensor::ExtractOp extract,
                                           const Box &box) {
  Box source = box;
  ArrayRef<int64_t> shape = extract.getTensor().getType().getShape();
  bool isBox = shape.size() == box.getRank();
  for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
    auto pattern = findIndexPattern(index, numLoops);
    isBox &= pattern && !pattern->isStep() && findLoop(pattern->form) == dim;
    if (!isBox)
      return fail("expects an element at the indices of the loops, each with a "
                  "number added");
    source.offsets[dim] += pattern->form.constant;
    if (source.offsets[dim] < 0 || source.getEnd(dim) > shape[dim])
      return fail("expects elements that exist");
  }
  return boxes.read(extract.getTensor(), source);
}

FailureOr<Value> PieceReader::read(Value value, const Box &box) {
  if (findConstant(value))
    return boxes.read(value, box);
  if (auto choice = value.getDefiningOp<scf::IfOp>())
    return readChoice(choice, value, box);
  if (auto extract = value.getDefiningOp<tensor::ExtractOp>())
    return readElements(extract, box);
  return fail("expects elements of tensors where indices choose");
}

bool mlir::mirage::choosesPieces(linalg::LinalgOp op) {
  auto isIdentity = [](AffineMap map) { return map.isIdentity(); };
  Operation *yield = op.getBlock()->getTerminator();
  return op->getNumResults() == 1 && yield->getNumOperands() == 1 &&
         op.getNumLoops() == op.getNumParallelLoops() &&
         llvm::all_of(op.getIndexingMapsArray(), isIdentity) &&
         !findConstant(yield->getOperand(0)) &&
         isa_and_nonnull<scf::IfOp, tensor::ExtractOp>(
             yield->getOperand(0).getDefiningOp());
}

ReadResults mlir::mirage::readPieces(linalg::LinalgOp op, GraphDraft &draft,
                                     std::string &reason) {
  Type type = op->getResult(0).getType();
  if (auto problem = explainUnsupportedTensor(type)) {
    reason = *problem;
    return failure();
  }
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  return toResults(PieceReader(op, draft, reason)
                       .read(yielded, Box::whole(op.getStaticLoopRanges())));
}
