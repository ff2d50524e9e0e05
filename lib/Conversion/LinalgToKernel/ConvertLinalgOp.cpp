//===- ConvertLinalgOp.cpp - One op as a kernel graph ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexedTensor.h"
#include "Mirage/Conversion/LinalgToKernel.h"
#include "ScalarTranslator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// A kernel graph that is not in the IR yet.
class GraphDraft {
public:
  explicit GraphDraft(Operation *op) : builder(op->getContext()), op(op) {
    builder.setInsertionPointToStart(&region.emplaceBlock());
  }
  ~GraphDraft() {
    // Uses point backwards only.
    while (!region.empty() && !region.front().empty())
      region.front().back().erase();
  }

  OpBuilder &getBuilder() { return builder; }

  /// The graph's argument for a tensor of the function.
  Value getInput(Value outer) {
    auto [found, isNew] = arguments.try_emplace(outer);
    if (isNew) {
      found->second = region.addArgument(outer.getType(), outer.getLoc());
      inputs.push_back(outer);
    }
    return found->second;
  }

  /// Replaces the op by the graph, which yields `results`.
  kernel::GraphOp replaceOp(RewriterBase &rewriter, ValueRange results) {
    Location location = op->getLoc();
    kernel::YieldOp::create(builder, location, results);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> inits =
        llvm::map_to_vector(op->getResultTypes(), [&](Type type) -> Value {
          auto tensor = cast<RankedTensorType>(type);
          return tensor::EmptyOp::create(rewriter, location, tensor.getShape(),
                                         tensor.getElementType());
        });
    auto graph = kernel::GraphOp::create(rewriter, location,
                                         op->getResultTypes(), inputs, inits);
    graph.getBody().takeBody(region);
    rewriter.replaceOp(op, graph.getResults());
    return graph;
  }

private:
  Region region;
  OpBuilder builder;
  Operation *op;
  DenseMap<Value, Value> arguments;
  SmallVector<Value> inputs;
};

/// Reads a structured op: what it does at one point of its loop nest, and which
/// elements that point takes and gives.
class LinalgOpReader {
public:
  LinalgOpReader(linalg::LinalgOp op, GraphDraft &draft, std::string &reason)
      : op(op), draft(draft), reason(reason), extents(op.getStaticLoopRanges()),
        builder(draft.getBuilder(), extents),
        translator(builder, op.getLoc(), op.getBlock(), leaf, reason) {}

  FailureOr<SmallVector<Value>> readResults();

private:
  LogicalResult check();
  FailureOr<SmallVector<int>> readMap(OpOperand &operand);
  FailureOr<BodyValue> readOperand(OpOperand &operand);
  FailureOr<BodyValue> readLeaf(Value value);
  FailureOr<Value> readResult(OpOperand &init);
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
} // namespace

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

LogicalResult LinalgOpReader::check() {
  if (!op.hasPureTensorSemantics())
    return fail("expects operands that are tensors, got memrefs");
  for (Type type : op->getResultTypes())
    if (std::optional<std::string> problem = explainUnsupportedTensor(type))
      return fail(*problem);
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
/// 0 that indexes a dimension of size 1.
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
  return loops;
}

FailureOr<BodyValue> LinalgOpReader::readOperand(OpOperand &operand) {
  if (std::optional<double> number = findConstant(operand.get()))
    return BodyValue(*number);
  if (operand.get().getDefiningOp<tensor::EmptyOp>())
    return fail("expects operands with defined elements, got tensor.empty");
  if (auto problem = explainUnsupportedTensor(operand.get().getType()))
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
// Reductions
//===----------------------------------------------------------------------===//

static Value skipCasts(Value value) {
  while (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// What a body does with its accumulator: `combiner(accumulator, term)`.
struct LinalgOpReader::Accumulation {
  Opcode combiner; ///< Add, Maximum or Minimum
  Value term;
  Operation *op;
};

/// Casts around the accumulator would round at each step; that is dropped, as
/// is all rounding inside of a reduction.
auto LinalgOpReader::findAccumulation(Value yielded, Value accumulator)
    -> std::optional<Accumulation> {
  Operation *definition = skipCasts(yielded).getDefiningOp();
  if (!definition)
    return std::nullopt;
  std::optional<Opcode> combiner = findOpcode(definition);
  if (combiner != Opcode::Add && combiner != Opcode::Maximum &&
      combiner != Opcode::Minimum)
    return std::nullopt;
  for (unsigned side : {0, 1})
    if (skipCasts(definition->getOperand(side)) == accumulator)
      return Accumulation{*combiner, definition->getOperand(1 - side),
                          definition};
  return std::nullopt;
}

/// A sum of products over loops that both factors vary with, as a matmul. None
/// if the term is no such product, or no factor has a loop of its own.
FailureOr<std::optional<IndexedTensor>>
LinalgOpReader::readContraction(const Accumulation &accumulation, Type element,
                                ArrayRef<int> order) {
  std::optional<IndexedTensor> none;
  auto product = skipCasts(accumulation.term).getDefiningOp<arith::MulFOp>();
  if (accumulation.combiner != Opcode::Add || !product)
    return none;
  FailureOr<BodyValue> x = translator.translate(product.getLhs());
  if (failed(x))
    return failure();
  FailureOr<BodyValue> y = translator.translate(product.getRhs());
  if (failed(y))
    return failure();
  if (std::holds_alternative<double>(*x) || std::holds_alternative<double>(*y))
    return none;
  builder.setLocation(op.getLoc());
  return builder.contract(std::get<IndexedTensor>(*x),
                          std::get<IndexedTensor>(*y), reductionLoops, order,
                          element);
}

/// The reduction itself, without what it starts from.
FailureOr<IndexedTensor>
LinalgOpReader::readReduced(const Accumulation &accumulation, Type element,
                            ArrayRef<int> order) {
  auto contraction = readContraction(accumulation, element, order);
  if (failed(contraction))
    return failure();
  if (*contraction)
    return **contraction;
  FailureOr<BodyValue> term = translator.translate(accumulation.term);
  if (failed(term))
    return failure();
  auto *tensor = std::get_if<IndexedTensor>(&*term);
  if (!tensor)
    return fail("expects a reduction of a tensor's elements, got a constant");
  builder.setLocation(op.getLoc());
  switch (accumulation.combiner) {
  case Opcode::Add:
    return builder.reduce(Opcode::Sum, *tensor, reductionLoops, element);
  case Opcode::Maximum:
    return builder.reduce(Opcode::Max, *tensor, reductionLoops, element);
  default: { // min x = -max(-x)
    IndexedTensor negated = builder.unary(Opcode::Neg, *tensor, element);
    IndexedTensor largest =
        builder.reduce(Opcode::Max, negated, reductionLoops, element);
    return builder.unary(Opcode::Neg, largest, element);
  }
  }
}

/// Whether accumulating onto `number` is accumulating onto nothing.
static bool isNeutral(Opcode combiner, double number) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (combiner == Opcode::Add)
    return number == 0;
  return number == (combiner == Opcode::Maximum ? -infinity : infinity);
}

FailureOr<BodyValue> LinalgOpReader::readReduction(OpOperand &init,
                                                   ArrayRef<int> order) {
  Value yielded = op.getMatchingYieldValue(&init)->get();
  std::optional<Accumulation> accumulation =
      findAccumulation(yielded, op.getMatchingBlockArgument(&init));
  if (!accumulation)
    return fail("expects a reduction whose body ends in addf, maximumf or "
                "minimumf of the accumulator and something else");
  Type element = accumulation->op->getResult(0).getType();
  if (!convertElementType(element)) {
    llvm::raw_string_ostream(reason)
        << "expects an accumulator of f16, bf16 or f32, got " << element;
    return failure();
  }
  FailureOr<BodyValue> start = readOperand(init);
  if (failed(start))
    return failure();
  FailureOr<IndexedTensor> reduced = readReduced(*accumulation, element, order);
  if (failed(reduced))
    return failure();
  auto *number = std::get_if<double>(&*start);
  if (number && isNeutral(accumulation->combiner, *number))
    return BodyValue(*reduced);
  return translator.join(accumulation->combiner, *reduced, *start, element);
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

FailureOr<Value> LinalgOpReader::readResult(OpOperand &init) {
  FailureOr<SmallVector<int>> order = readMap(init);
  if (failed(order) || failed(checkResultLoops(*order)))
    return failure();
  FailureOr<BodyValue> value =
      reductionLoops.empty()
          ? translator.translate(op.getMatchingYieldValue(&init)->get())
          : readReduction(init, *order);
  if (failed(value))
    return failure();
  auto *tensor = std::get_if<IndexedTensor>(&*value);
  if (!tensor)
    return fail("expects results that depend on a tensor, got a constant");
  builder.setLocation(op.getLoc());
  Type element = getElementTypeOrSelf(init.get());
  return builder.stretch(builder.convert(*tensor, element), *order).tensor;
}

FailureOr<SmallVector<Value>> LinalgOpReader::readResults() {
  if (failed(check()))
    return failure();
  SmallVector<Value> results;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    FailureOr<Value> result = readResult(init);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Ops that are not of linalg
//===----------------------------------------------------------------------===//

/// arith and math on whole tensors: a body of one op, over the result's
/// indices.
static FailureOr<SmallVector<Value>>
readElementwiseOp(Operation *op, GraphDraft &draft, std::string &reason) {
  Type type = op->getResult(0).getType();
  for (Type used :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (auto problem = explainUnsupportedTensor(used)) {
      reason = *problem;
      return failure();
    }
  ArrayRef<int64_t> extents = cast<RankedTensorType>(type).getShape();
  auto loops = llvm::to_vector(llvm::seq<int>(0, extents.size()));
  IndexedBuilder builder(draft.getBuilder(), extents);
  auto leaf = [&](Value value) -> FailureOr<BodyValue> {
    return BodyValue(IndexedTensor{draft.getInput(value), loops});
  };
  ScalarTranslator translator(builder, op->getLoc(), nullptr, leaf, reason);
  FailureOr<BodyValue> value = translator.translateOp(op);
  if (failed(value))
    return failure();
  auto *tensor = std::get_if<IndexedTensor>(&*value);
  if (!tensor) {
    reason = "expects results that depend on a tensor, got a constant";
    return failure();
  }
  Type element = cast<RankedTensorType>(type).getElementType();
  return SmallVector<Value>{builder.convert(*tensor, element).tensor};
}

/// tensor.expand_shape and tensor.collapse_shape keep the row-major order.
static FailureOr<SmallVector<Value>>
readReshape(Operation *op, GraphDraft &draft, std::string &reason) {
  for (Type type : {op->getOperand(0).getType(), op->getResult(0).getType()})
    if (auto problem = explainUnsupportedTensor(type)) {
      reason = *problem;
      return failure();
    }
  Value operand = draft.getInput(op->getOperand(0));
  return SmallVector<Value>{kernel::ReshapeOp::create(
      draft.getBuilder(), op->getLoc(), op->getResult(0).getType(), operand)};
}

static FailureOr<SmallVector<Value>> readOp(Operation *op, GraphDraft &draft,
                                            std::string &reason) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return LinalgOpReader(structured, draft, reason).readResults();
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return readReshape(op, draft, reason);
  if (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return readElementwiseOp(op, draft, reason);
  reason = "expects an op of linalg, arith, math or a reshape of tensor";
  return failure();
}

/// An op that gives no tensor: one on memrefs, or one for what it does.
static std::optional<std::string> explainMissingResults(Operation *op) {
  if (op->getNumResults() > 0)
    return std::nullopt;
  for (Type type : op->getOperandTypes())
    if (isa<BaseMemRefType>(type)) {
      std::string text;
      llvm::raw_string_ostream(text) << "expects tensors, got " << type;
      return text;
    }
  return "expects an op that results in a tensor, got one without results";
}

FailureOr<kernel::GraphOp>
mlir::mirage::convertOpToKernelGraph(RewriterBase &rewriter, Operation *op,
                                     std::string &reason) {
  if (auto problem = explainMissingResults(op)) {
    reason = *problem;
    return failure();
  }
  GraphDraft draft(op);
  FailureOr<SmallVector<Value>> results = readOp(op, draft, reason);
  if (failed(results))
    return failure();
  return draft.replaceOp(rewriter, *results);
}
