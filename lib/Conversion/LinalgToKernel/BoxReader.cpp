//===- BoxReader.cpp - Where parts of tensors come from -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxReader.h"
#include "FindConstant.h"
#include "Mirage/Dialect/Operator/ScalarTensors.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::mirage;

static bool isStatic(ArrayRef<int64_t> numbers) {
  return !llvm::any_of(numbers, ShapedType::isDynamic);
}

static ArrayRef<int64_t> getShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// Patches
//===----------------------------------------------------------------------===//

static std::optional<Patch> findInserted(tensor::InsertSliceOp insert) {
  if (!isStatic(insert.getStaticOffsets()) ||
      !isStatic(insert.getStaticSizes()) || !insert.hasUnitStride())
    return std::nullopt;
  return Patch{insert.getSource(), insert.getDest(),
               Box{llvm::to_vector(insert.getStaticOffsets()),
                   llvm::to_vector(insert.getStaticSizes())}};
}

/// Negative padding would take elements away.
static std::optional<Patch> findPadded(tensor::PadOp pad) {
  Value number = pad.getConstantPaddingValue();
  auto isPadding = [](int64_t count) { return count >= 0; };
  if (!number || !findConstant(number) ||
      !pad.getSourceType().hasStaticShape() ||
      !llvm::all_of(pad.getStaticLow(), isPadding) ||
      !llvm::all_of(pad.getStaticHigh(), isPadding))
    return std::nullopt;
  return Patch{pad.getSource(), number,
               Box{llvm::to_vector(pad.getStaticLow()),
                   llvm::to_vector(pad.getSourceType().getShape())}};
}

std::optional<Patch> mlir::mirage::findPatch(Value tensor) {
  if (auto insert = tensor.getDefiningOp<tensor::InsertSliceOp>())
    return findInserted(insert);
  if (auto pad = tensor.getDefiningOp<tensor::PadOp>())
    return findPadded(pad);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

BoxReader::BoxReader(GraphDraft &draft, Operation *op, std::string &reason)
    : builder(draft.getBuilder()), draft(draft), location(op->getLoc()),
      element(getElementTypeOrSelf(op->getResult(0))), reason(reason) {}

Value BoxReader::slice(Value whole, const Box &box, ArrayRef<int64_t> strides) {
  bool isWhole = getShape(whole) == ArrayRef(box.sizes);
  if (isWhole)
    return whole;
  return kernel::SliceOp::create(builder, location, getType(box.sizes), whole,
                                 box.offsets, strides);
}

Value BoxReader::reshape(Value tensor, ArrayRef<int64_t> shape) {
  if (getShape(tensor) == shape)
    return tensor;
  return kernel::ReshapeOp::create(builder, location, getType(shape), tensor);
}

Value BoxReader::join(unsigned dim, ArrayRef<Value> parts) {
  int64_t dims[] = {dim};
  SmallVector<Value> flat;
  SmallVector<kernel::ConcatOp> joined;
  for (Value part : parts) {
    auto concat = part.getDefiningOp<kernel::ConcatOp>();
    if (concat && concat.getDims() == ArrayRef(dims)) {
      llvm::append_range(flat, concat.getParts());
      joined.push_back(concat);
    } else {
      flat.push_back(part);
    }
  }
  SmallVector<int64_t> shape(getShape(parts[0]));
  shape[dim] = 0;
  for (Value part : parts)
    shape[dim] += getShape(part)[dim];
  Value result =
      kernel::ConcatOp::create(builder, location, getType(shape), flat, dims);
  for (kernel::ConcatOp concat : joined)
    concat.erase();
  return result;
}

FailureOr<Value> BoxReader::readWhole(Value tensor) {
  return read(tensor, Box::whole(getShape(tensor)));
}

FailureOr<Value> BoxReader::read(Value source, const Box &given) {
  // A tensor of rank 0 is one of [1] in the graph.
  Box box = isScalarTensor(source.getType()) ? Box::whole({1}) : given;
  if (std::optional<double> number = findConstant(source))
    return Value(kernel::ConstantOp::create(
        builder, location, getType(box.sizes), llvm::APFloat(*number)));
  if (source.getDefiningOp<tensor::EmptyOp>()) {
    reason = "expects defined elements, got some of a tensor.empty";
    return failure();
  }
  if (auto problem = explainUnsupported(source.getType())) {
    reason = *problem;
    return failure();
  }
  if (std::optional<Patch> patch = findPatch(source))
    return readPatch(*patch, box);
  return slice(draft.getInput(source), box,
               SmallVector<int64_t>(box.getRank(), 1));
}

/// A source of lower rank has no dimensions for some where the place has size
/// 1.
FailureOr<Value> BoxReader::readInner(const Patch &patch, const Box &box) {
  auto type = cast<RankedTensorType>(patch.inner.getType());
  auto dropped = computeRankReductionMask(patch.place.sizes, type.getShape());
  Box inside;
  for (unsigned dim = 0; dim < box.getRank(); ++dim)
    if (!dropped || !dropped->contains(dim)) {
      inside.offsets.push_back(box.offsets[dim] - patch.place.offsets[dim]);
      inside.sizes.push_back(box.sizes[dim]);
    }
  FailureOr<Value> read = this->read(patch.inner, inside);
  if (failed(read))
    return failure();
  return reshape(*read, box.sizes);
}

/// Cuts the box along the first dimension in which the place neither holds it
/// nor misses it.
FailureOr<Value> BoxReader::readPatch(const Patch &patch, const Box &box) {
  auto getCuts = [&](unsigned dim) -> std::pair<int64_t, int64_t> {
    return {std::max(box.offsets[dim], patch.place.offsets[dim]),
            std::min(box.getEnd(dim), patch.place.getEnd(dim))};
  };
  std::optional<unsigned> split;
  for (unsigned dim = 0; dim < box.getRank(); ++dim) {
    auto [first, last] = getCuts(dim);
    if (first >= last)
      return read(patch.outer, box);
    if (!split && (first > box.offsets[dim] || last < box.getEnd(dim)))
      split = dim;
  }
  if (!split)
    return readInner(patch, box);
  auto [first, last] = getCuts(*split);
  int64_t bounds[] = {box.offsets[*split], first, last, box.getEnd(*split)};
  SmallVector<Value> parts;
  for (unsigned part = 0; part < 3; ++part) {
    if (bounds[part] == bounds[part + 1])
      continue;
    FailureOr<Value> read =
        readPatch(patch, box.cut(*split, bounds[part], bounds[part + 1]));
    if (failed(read))
      return failure();
    parts.push_back(*read);
  }
  return join(*split, parts);
}
