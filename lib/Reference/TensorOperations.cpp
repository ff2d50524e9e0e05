//===- TensorOperations.cpp - Operators on whole tensors of doubles -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorOperations.h"
#include "Elementwise.h"
#include "Mirage/Reference/HostTensor.h"
#include "Mirage/Reference/ParallelFor.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;

/// Elements that one thread works on at a time.
constexpr int64_t kGrain = 1 << 15;

int64_t Tensor::getNumElements() const {
  return TensorSpec{shape, ElementType::F32}.getNumElements();
}

Tensor Tensor::allocate(llvm::ArrayRef<int64_t> shape) {
  Tensor tensor{Shape(shape), nullptr};
  tensor.data.reset(new double[tensor.getNumElements()]);
  return tensor;
}

Tensor Tensor::fill(llvm::ArrayRef<int64_t> shape, double value) {
  Tensor tensor = allocate(shape);
  std::fill_n(tensor.data.get(), tensor.getNumElements(), value);
  return tensor;
}

Tensor mlir::mirage::roundAsStored(const Tensor &value, ElementType type,
                                   const EvaluationOptions &options) {
  if (options.rounding == Rounding::Exact)
    return value;
  Tensor rounded = Tensor::allocate(value.shape);
  int64_t count = value.getNumElements();
  std::copy_n(value.data.get(), count, rounded.data.get());
  roundTo(type, llvm::MutableArrayRef(rounded.data.get(), count),
          options.threads);
  return rounded;
}

Tensor mlir::mirage::roundResult(const Graph &graph, const Node &operation,
                                 unsigned numResult, const Tensor &value,
                                 const EvaluationOptions &options) {
  ElementType type = graph.getType(operation.results[numResult]).element;
  bool isMoved =
      !operation.operands.empty() &&
      getOperatorInfo(operation.opcode).kind == OperatorKind::Movement &&
      operation.opcode != Opcode::Mask &&
      llvm::all_of(operation.operands, [&](ValueId operand) {
        return graph.getType(operand).element == type;
      });
  return isMoved ? value : roundAsStored(value, type, options);
}

void mlir::mirage::applyElementwiseInto(Tensor &result,
                                        const ScalarDefinition &definition,
                                        llvm::ArrayRef<Tensor> operands,
                                        llvm::ArrayRef<double> parameters,
                                        double size, unsigned threads) {
  llvm::SmallVector<StridedView, 2> views;
  for (const Tensor &operand : operands)
    views.push_back(StridedView::broadcast(operand, result.shape));
  parallelFor(threads, result.getNumElements(), kGrain,
              [&](int64_t begin, int64_t end) {
                ElementwiseEvaluator(definition, views, parameters, size)
                    .run(begin, end, result.data.get());
              });
}

Tensor mlir::mirage::applyElementwise(const ScalarDefinition &definition,
                                      llvm::ArrayRef<Tensor> operands,
                                      llvm::ArrayRef<double> parameters,
                                      double size,
                                      llvm::ArrayRef<int64_t> shape,
                                      unsigned threads) {
  Tensor result = Tensor::allocate(shape);
  applyElementwiseInto(result, definition, operands, parameters, size, threads);
  return result;
}

namespace {
/// Walks an operand row by row and joins each row into the elements of the
/// result that it belongs to.
template <typename Combine>
class Joiner {
public:
  Joiner(Tensor &result, const Tensor &operand, Combine combine)
      : target(StridedView::broadcast(result, operand.shape)),
        source(operand.data.get()), width(operand.shape.back()),
        combine(combine) {}

  void run(int64_t beginRow, int64_t endRow) {
    for (int64_t row = beginRow; row < endRow; ++row)
      joinRow(&target.at(row * width), source + row * width);
  }

private:
  void joinRow(double *into, const double *from) {
    if (target.isContiguousAlongRows()) {
      for (int64_t i = 0; i < width; ++i)
        into[i] = combine(into[i], from[i]);
      return;
    }
    double joined = *into;
    for (int64_t i = 0; i < width; ++i)
      joined = combine(joined, from[i]);
    *into = joined;
  }

  StridedView target;
  const double *source;
  int64_t width;
  Combine combine;
};
} // namespace

/// How many consecutive rows of an operand no two threads may take: those that
/// meet in one element of the result.
static int64_t getRowsPerPiece(const Tensor &result, const Tensor &operand) {
  llvm::ArrayRef<int64_t> outer = llvm::ArrayRef(operand.shape).drop_back();
  int64_t rows = 1;
  for (int64_t size : outer)
    rows *= size;
  for (auto [dim, size] : llvm::enumerate(outer)) {
    if (size == 1)
      continue;
    return result.shape[dim] == size ? rows / size : rows;
  }
  return rows;
}

template <typename Combine>
static void join(Tensor &result, const Tensor &operand, unsigned threads,
                 Combine combine) {
  int64_t width = operand.shape.back();
  int64_t rows = operand.getNumElements() / width;
  int64_t piece = getRowsPerPiece(result, operand);
  int64_t grain = std::max<int64_t>(1, kGrain / (width * piece)) * piece;
  parallelFor(threads, rows, grain, [&](int64_t begin, int64_t end) {
    Joiner<Combine>(result, operand, combine).run(begin, end);
  });
}

void mlir::mirage::combineInto(Tensor &result, const Tensor &operand,
                               Combiner combiner, unsigned threads) {
  switch (combiner) {
  case Combiner::Add:
    return join(result, operand, threads,
                [](double lhs, double rhs) { return lhs + rhs; });
  case Combiner::Max:
    return join(result, operand, threads, [](double lhs, double rhs) {
      return combine(Combiner::Max, lhs, rhs);
    });
  case Combiner::Moments:
    break;
  }
  llvm_unreachable("moments are what an accumulation carries (Moments.h)");
}

void mlir::mirage::reduceInto(Tensor &result, const Tensor &operand,
                              Opcode reduction, unsigned threads) {
  const OperatorInfo &info = getOperatorInfo(reduction);
  bool isIdentity = info.definition.nodes().size() == 1;
  combineInto(result,
              isIdentity ? operand
                         : applyElementwise(info.definition, operand, {}, 1,
                                            operand.shape, threads),
              info.combiner, threads);
}

Tensor mlir::mirage::finishReduction(const Tensor &joined, Opcode reduction,
                                     double size, unsigned threads) {
  return applyElementwise(getOperatorInfo(reduction).finish, joined, {}, size,
                          joined.shape, threads);
}

/// Copies a view into a tensor of its own.
static Tensor materialize(const StridedView &view, unsigned threads) {
  Tensor result = Tensor::allocate(view.getShape());
  parallelFor(threads, result.getNumElements(), kGrain,
              [&](int64_t begin, int64_t end) {
                view.gather(begin, end - begin, result.data.get() + begin);
              });
  return result;
}

Tensor mlir::mirage::transpose(const Tensor &operand,
                               llvm::ArrayRef<int64_t> dims, unsigned threads) {
  Shape from = getRowMajorStrides(operand.shape), shape, strides;
  for (int64_t dim : dims) {
    shape.push_back(operand.shape[dim]);
    strides.push_back(from[dim]);
  }
  return materialize(StridedView(operand.data.get(), shape, strides), threads);
}

Tensor mlir::mirage::broadcast(const Tensor &operand,
                               llvm::ArrayRef<int64_t> shape,
                               unsigned threads) {
  return materialize(StridedView::broadcast(operand, shape), threads);
}

/// Fragments are small.
static Tensor shuffle(const Tensor &operand, llvm::ArrayRef<int64_t> offset) {
  Tensor result = Tensor::allocate(operand.shape);
  for (int64_t i = 0, e = operand.getNumElements(); i < e; ++i)
    result.data.get()[i] =
        operand.data.get()[shuffleIndex(i, operand.shape, offset)];
  return result;
}

/// The elements that a slice picks lie in a view of the whole.
static Tensor slice(const Tensor &operand, const Attributes &attributes,
                    llvm::ArrayRef<int64_t> shape, unsigned threads) {
  Shape strides = getRowMajorStrides(operand.shape);
  int64_t begin = 0;
  for (auto [offset, step, stride] :
       llvm::zip_equal(attributes.offsets, attributes.strides, strides)) {
    begin += offset * stride;
    stride *= step;
  }
  return materialize(StridedView(operand.data.get() + begin, shape, strides),
                     threads);
}

/// Of each index of the dimensions before `dim`, what an operand has there is
/// one piece of the result.
static Tensor concat(llvm::ArrayRef<Tensor> operands, unsigned dim,
                     llvm::ArrayRef<int64_t> shape) {
  Tensor result = Tensor::allocate(shape);
  auto count = [](llvm::ArrayRef<int64_t> sizes) {
    return TensorSpec{Shape(sizes), ElementType::F32}.getNumElements();
  };
  int64_t outer = count(shape.take_front(dim));
  int64_t pitch = count(shape.drop_front(dim));
  double *target = result.data.get();
  for (const Tensor &operand : operands) {
    int64_t piece = count(llvm::ArrayRef(operand.shape).drop_front(dim));
    for (int64_t i = 0; i < outer; ++i)
      std::copy_n(&operand.data[i * piece], piece, target + i * pitch);
    target += piece;
  }
  return result;
}

Tensor mlir::mirage::applyMovement(const Node &operation,
                                   llvm::ArrayRef<Tensor> operands,
                                   llvm::ArrayRef<int64_t> shape,
                                   unsigned threads) {
  const Tensor &operand = operands[0];
  switch (operation.opcode) {
  case Opcode::Slice:
    return slice(operand, operation.attributes, shape, threads);
  case Opcode::Concat:
    return concat(operands, operation.attributes.dims[0], shape);
  case Opcode::Transpose:
    return transpose(operand, operation.attributes.dims, threads);
  case Opcode::Broadcast:
    return broadcast(operand, shape, threads);
  case Opcode::Shuffle:
    return shuffle(operand, operation.attributes.dims);
  default:
    assert((operation.opcode == Opcode::Reshape ||
            operation.opcode == Opcode::Cast) &&
           "a movement that the reference does not know");
    return Tensor{Shape(shape), operand.data};
  }
}

static Tensor applyReduction(const Node &operation, const Tensor &operand,
                             llvm::ArrayRef<int64_t> shape, unsigned threads) {
  const OperatorInfo &info = getOperatorInfo(operation.opcode);
  Tensor joined = Tensor::fill(shape, getNeutral(info.combiner));
  reduceInto(joined, operand, operation.opcode, threads);
  return finishReduction(joined, operation.opcode,
                         getAveragedCount(operation.attributes, operand.shape),
                         threads);
}

Tensor mlir::mirage::applyOperation(const Node &operation,
                                    llvm::ArrayRef<Tensor> operands,
                                    llvm::ArrayRef<int64_t> shape,
                                    unsigned threads) {
  const OperatorInfo &info = getOperatorInfo(operation.opcode);
  switch (info.kind) {
  case OperatorKind::Elementwise:
    return applyElementwise(info.definition, operands,
                            operation.attributes.scalars, 1, shape, threads);
  case OperatorKind::Reduction:
    return applyReduction(operation, operands[0], shape, threads);
  case OperatorKind::Contraction:
    return multiply(operands[0], operands[1], shape, threads);
  case OperatorKind::Movement:
    return applyMovement(operation, operands, shape, threads);
  case OperatorKind::Copy:
    return operands[0];
  case OperatorKind::Accumulate:
  case OperatorKind::Composed:
  case OperatorKind::Graph:
    break;
  }
  llvm_unreachable("the tile graph's walk takes care of it");
}
