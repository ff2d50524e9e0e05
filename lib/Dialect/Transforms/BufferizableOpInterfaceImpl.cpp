//===- BufferizableOpInterfaceImpl.cpp - Graphs on memrefs ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Transforms/BufferizableOpInterfaceImpl.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::mirage;
using namespace mlir::bufferization;

static constexpr llvm::StringLiteral kCategory = "mirage-bufferize";

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// Whether kernels can be made for where a buffer's elements lie.
static bool liesAsKnown(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         !ShapedType::isDynamic(offset) &&
         llvm::none_of(strides, ShapedType::isDynamic);
}

namespace {
/// Turns one graph on tensors into one on buffers.
class GraphBufferizer {
public:
  GraphBufferizer(kernel::GraphOp graph, RewriterBase &rewriter,
                  const BufferizationOptions &options,
                  BufferizationState &state)
      : graph(graph), rewriter(rewriter), options(options), state(state) {}

  LogicalResult run() {
    for (Value input : graph.getInputs())
      if (failed(addInput(input)))
        return failure();
    for (Value init : graph.getInits())
      if (failed(addInit(init)))
        return failure();
    auto onBuffers = kernel::GraphOp::create(rewriter, graph.getLoc(),
                                             TypeRange(), inputs, inits);
    onBuffers->setDiscardableAttrs(graph->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(graph.getBody(), onBuffers.getBody(),
                                onBuffers.getBody().end());
    for (auto [written, result] : llvm::zip_equal(inits, results))
      if (written != result && failed(options.createMemCpy(
                                   rewriter, graph.getLoc(), written, result)))
        return failure();
    replaceOpWithBufferizedValues(rewriter, graph, results);
    return success();
  }

private:
  LogicalResult addInput(Value tensor) {
    FailureOr<Value> buffer = getBuffer(rewriter, tensor, options, state);
    if (failed(buffer))
      return failure();
    auto type = cast<MemRefType>(buffer->getType());
    if (liesAsKnown(type)) {
      inputs.push_back(*buffer);
      return success();
    }
    FailureOr<Value> copy = allocate(type, "is copied before it is read");
    if (failed(copy))
      return failure();
    inputs.push_back(*copy);
    return options.createMemCpy(rewriter, graph.getLoc(), *buffer, *copy);
  }

  LogicalResult addInit(Value tensor) {
    FailureOr<Value> buffer = getBuffer(rewriter, tensor, options, state);
    if (failed(buffer))
      return failure();
    results.push_back(*buffer);
    auto type = cast<MemRefType>(buffer->getType());
    FailureOr<Value> written =
        liesAsKnown(type)
            ? buffer
            : allocate(type, "is copied to after a buffer beside it is "
                             "written");
    if (failed(written))
      return failure();
    inits.push_back(*written);
    return success();
  }

  /// A buffer beside one whose layout is dynamic.
  FailureOr<Value> allocate(MemRefType type, StringRef what) {
    remark::missed(graph.getLoc(),
                   remark::RemarkOpts::name("Copy").category(kCategory))
        << "a buffer whose strides or offset are not static " << what.str();
    auto plain =
        MemRefType::get(type.getShape(), type.getElementType(),
                        MemRefLayoutAttrInterface(), type.getMemorySpace());
    return options.createAlloc(rewriter, graph.getLoc(), plain, ValueRange());
  }

  kernel::GraphOp graph;
  RewriterBase &rewriter;
  const BufferizationOptions &options;
  BufferizationState &state;
  SmallVector<Value> inputs, inits; ///< of the graph on buffers
  SmallVector<Value> results;       ///< what is there in place of results
};

struct GraphModel
    : DstBufferizableOpInterfaceExternalModel<GraphModel, kernel::GraphOp> {
  /// An init says where to, and of what type; kernels overwrite all of it.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<kernel::GraphOp>(op).isDpsInit(&operand);
  }

  /// Tensors of the region are nobody's buffers yet.
  bool hasTensorSemantics(Operation *op) const {
    return !cast<kernel::GraphOp>(op).isOnBuffers();
  }

  AliasingOpOperandList
  getAliasingOpOperands(Operation *op, Value value,
                        const AnalysisState &state) const {
    if (isa<BlockArgument>(value))
      return {};
    return bufferization::detail::defaultGetAliasingOpOperands(value, state);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    return GraphBufferizer(cast<kernel::GraphOp>(op), rewriter, options, state)
        .run();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// What stands in graphs
//===----------------------------------------------------------------------===//

namespace {
/// An op of a graph's region has nothing to be bufferized.
template <typename OpT>
struct InnerModel
    : BufferizableOpInterface::ExternalModel<InnerModel<OpT>, OpT> {
  bool hasTensorSemantics(Operation *) const { return false; }
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }
  AliasingOpOperandList getAliasingOpOperands(Operation *, Value,
                                              const AnalysisState &) const {
    return {};
  }
  /// Without operands that were decided on in place, the default would put a
  /// copy before each.
  LogicalResult resolveConflicts(Operation *, RewriterBase &,
                                 const AnalysisState &,
                                 const BufferizationState &) const {
    return success();
  }
  LogicalResult bufferize(Operation *op, RewriterBase &,
                          const BufferizationOptions &,
                          BufferizationState &) const {
    return op->emitOpError(
        "expects to be bufferized with the graph that it stands in");
  }
};
} // namespace

/// Of a dialect's ops, those that stand in graphs.
template <typename... OpTs>
static void attachInnerModels(MLIRContext *context) {
  auto attach = [&](auto *op) {
    using OpT = std::remove_pointer_t<decltype(op)>;
    if constexpr (!std::is_same_v<OpT, kernel::GraphOp>)
      OpT::template attachInterface<InnerModel<OpT>>(*context);
  };
  (attach(static_cast<OpTs *>(nullptr)), ...);
}

void mlir::mirage::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, kernel::MirageKernelDialect *) {
        kernel::GraphOp::attachInterface<GraphModel>(*context);
        attachInnerModels<
#define GET_OP_LIST
#include "Mirage/Dialect/Kernel/IR/KernelOps.cpp.inc"
            >(context);
      });
  registry.addExtension(+[](MLIRContext *context, block::MirageBlockDialect *) {
    attachInnerModels<
#define GET_OP_LIST
#include "Mirage/Dialect/Block/IR/BlockOps.cpp.inc"
        >(context);
  });
  registry.addExtension(
      +[](MLIRContext *context, thread::MirageThreadDialect *) {
        attachInnerModels<
#define GET_OP_LIST
#include "Mirage/Dialect/Thread/IR/ThreadOps.cpp.inc"
            >(context);
      });
}
