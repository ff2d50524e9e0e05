//===- ReadMovement.cpp - Parts of tensors, and tensors made of parts -----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends join tensors by tensor.concat, or by inserting one after the other
// into a tensor.empty; and pad by tensor.pad, or by inserting into a fill. All
// of it is the same question: where does a box of the result come from? From
// the tensor that was put there last, else from what was there before:
//
//   %0 = insert_slice %a into %empty[0, 0] [8, 4]    box [0, 0] [8, 7]
//   %1 = insert_slice %b into %0[0, 4] [8, 3]        =  %a beside %b
//
//===----------------------------------------------------------------------===//

#include "FindConstant.h"
#include "OpReaders.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// A part of a tensor: where it starts and how far it reaches.
struct Box {
  SmallVector<int64_t> offsets, sizes;

  unsigned getRank() const { return sizes.size(); }
  int64_t getEnd(unsigned dim) const { return offsets[dim] + sizes[dim]; }
};

/// A tensor that holds `inner` at `place` and elsewhere what `outer` holds
/// there: a tensor, or the scalar that all is.
struct Patch {
  Value inner, outer;
  Box place;
};

/// Reads boxes of tensors as tensors of the draft.
class BoxReader {
public:
  BoxReader(GraphDraft &draft, Operation *op, std::string &reason)
      : builder(draft.getBuilder()), draft(draft), location(op->getLoc()),
        element(getElementTypeOrSelf(op->getResult(0))), reason(reason) {}

  FailureOr<Value> readWhole(Value tensor);
  FailureOr<Value> read(Value source, const Box &box);
  FailureOr<Value> readPatch(const Patch &patch, const Box &box);
  Value join(unsigned dim, ArrayRef<Value> parts);
  Value slice(Value whole, const Box &box, ArrayRef<int64_t> strides);
  Value reshape(Value tensor, ArrayRef<int64_t> shape);

private:
  FailureOr<Value> readInner(const Patch &patch, const Box &box);
  RankedTensorType getType(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, element);
  }

  OpBuilder &builder;
  GraphDraft &draft;
  Location location;
  Type element;
  std::string &reason;
};
} // namespace

//===----------------------------------------------------------------------===//
// Patches
//===----------------------------------------------------------------------===//

static bool isStatic(ArrayRef<int64_t> numbers) {
  return !llvm::any_of(numbers, ShapedType::isDynamic);
}

static ArrayRef<int64_t> getShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

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

static std::optional<Patch> findPatch(Value tensor) {
  if (auto insert = tensor.getDefiningOp<tensor::InsertSliceOp>())
    return findInserted(insert);
  if (auto pad = tensor.getDefiningOp<tensor::PadOp>())
    return findPadded(pad);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

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

/// Parts that were joined along the same dimension stand side by side in one
/// op.
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
  Value result = kernel::ConcatOp::create(builder, location, getType(shape),
                                          flat, dims);
  for (kernel::ConcatOp concat : joined)
    concat.erase();
  return result;
}

FailureOr<Value> BoxReader::readWhole(Value tensor) {
  SmallVector<int64_t> sizes(getShape(tensor));
  return read(tensor, Box{SmallVector<int64_t>(sizes.size(), 0), sizes});
}

FailureOr<Value> BoxReader::read(Value source, const Box &box) {
  if (std::optional<double> number = findConstant(source))
    return Value(kernel::ConstantOp::create(
        builder, location, getType(box.sizes), llvm::APFloat(*number)));
  if (source.getDefiningOp<tensor::EmptyOp>()) {
    reason = "expects defined elements, got some of a tensor.empty";
    return failure();
  }
  if (auto problem = explainUnsupportedTensor(source.getType())) {
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
  auto dropped =
      computeRankReductionMask(patch.place.sizes, type.getShape());
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
    Box piece = box;
    piece.offsets[*split] = bounds[part];
    piece.sizes[*split] = bounds[part + 1] - bounds[part];
    FailureOr<Value> read = readPatch(patch, piece);
    if (failed(read))
      return failure();
    parts.push_back(*read);
  }
  return join(*split, parts);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

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
  if (auto problem = explainUnsupportedTensor(op.getType())) {
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
  return SmallVector<ResultValue>{
      reader.reshape(part, op.getType().getShape())};
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
