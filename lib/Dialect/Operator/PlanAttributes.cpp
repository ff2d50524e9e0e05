//===- PlanAttributes.cpp - Decisions in attributes -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/PlanAttributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include "Mirage/Dialect/Operator/PlanAttributes.cpp.inc"

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// Which ops can have an attribute. Dialects of these are not known here.
enum class Holder : uint8_t {
  BlockGraph,
  ThreadGraph,
  PlacedGraph, ///< a block graph, or a thread graph once it is out of it
  PlacedStep,  ///< a thread graph out of its block graph
  Sum,         ///< an accumulation of a block
  Held,        ///< what can be held in registers
  StepOfBlock, ///< an op in the body of a block graph
  Program,
  Any, ///< for who reads it to say
};

enum class Kind : uint8_t { Unit, Number, Numbers, Text, Any };

struct PlanAttribute {
  StringLiteral name;
  Holder holder;
  Kind kind;
};
} // namespace

static constexpr PlanAttribute kAttributes[] = {
    {"mirage.admits_next_launch", Holder::BlockGraph, Kind::Unit},
    {"mirage.barrier", Holder::StepOfBlock, Kind::Unit},
    {"mirage.barrier_at_entry", Holder::BlockGraph, Kind::Unit},
    {"mirage.barrier_at_exit", Holder::BlockGraph, Kind::Unit},
    {"mirage.barrier_at_head", Holder::BlockGraph, Kind::Unit},
    {"mirage.bypasses", Holder::ThreadGraph, Kind::Unit},
    {"mirage.bypassing_inputs", Holder::BlockGraph, Kind::Numbers},
    {"mirage.ends_early", Holder::BlockGraph, Kind::Unit},
    {"mirage.copy_barriers", Holder::BlockGraph, Kind::Number},
    {"mirage.dependent_launch", Holder::BlockGraph, Kind::Unit},
    {"mirage.grid_order", Holder::BlockGraph, Kind::Numbers},
    {"mirage.hands_back_places", Holder::BlockGraph, Kind::Number},
    {"mirage.held", Holder::Held, Kind::Unit},
    {"mirage.held_shares", Holder::ThreadGraph, Kind::Unit},
    {"mirage.in_flight", Holder::ThreadGraph, Kind::Unit},
    {"mirage.input_offsets", Holder::BlockGraph, Kind::Numbers},
    {"mirage.input_row_paddings", Holder::BlockGraph, Kind::Numbers},
    {"mirage.input_swizzles", Holder::PlacedGraph, Kind::Numbers},
    {"mirage.joins_parts", Holder::BlockGraph, Kind::Unit},
    {"mirage.joins_row_parts", Holder::StepOfBlock, Kind::Unit},
    {"mirage.launch_barrier", Holder::BlockGraph, Kind::Text},
    {"mirage.loading_warps", Holder::BlockGraph, Kind::Number},
    {"mirage.multicast_cluster", Holder::BlockGraph, Kind::Numbers},
    {"mirage.offsets", Holder::StepOfBlock, Kind::Numbers},
    {"mirage.persistent_blocks", Holder::BlockGraph, Kind::Number},
    {"mirage.predicted_time", Holder::BlockGraph, Kind::Any},
    {"mirage.reads_anew", Holder::PlacedStep, Kind::Unit},
    {"mirage.register_shares", Holder::BlockGraph, Kind::Numbers},
    {"mirage.requested_shared_bytes", Holder::BlockGraph, Kind::Number},
    {"mirage.resident_blocks", Holder::BlockGraph, Kind::Number},
    {"mirage.row_paddings", Holder::StepOfBlock, Kind::Numbers},
    {"mirage.row_registers", Holder::BlockGraph, Kind::Number},
    {"mirage.running_scale", Holder::Sum, Kind::Unit},
    {"mirage.shared_bytes", Holder::BlockGraph, Kind::Number},
    {"mirage.starts_ahead", Holder::ThreadGraph, Kind::Unit},
    {"mirage.step", Holder::StepOfBlock, Kind::Number},
    {"mirage.thread_swizzles", Holder::PlacedGraph, Kind::Numbers},
    {"mirage.waits_late", Holder::ThreadGraph, Kind::Unit},
    {"mirage.whole_columns", Holder::StepOfBlock, Kind::Unit},
    {"mirage.whole_rows", Holder::StepOfBlock, Kind::Unit},
    {"mirage.workspace_bytes", Holder::Program, Kind::Number},
    {"mirage.workspace_offsets", Holder::BlockGraph, Kind::Numbers},
    // What is no plan.
    {"mirage.candidate", Holder::Any, Kind::Any},
    {"mirage.certificate", Holder::Any, Kind::Any},
    {"mirage.computing_threads", Holder::Any, Kind::Any},
    {"mirage.launch", Holder::Any, Kind::Any},
    {"mirage.lowered_for", Holder::Any, Kind::Text},
    {"mirage.name", Holder::Any, Kind::Any},
    {"mirage.op_locations", Holder::Any, Kind::Any},
    {"mirage.program", Holder::Any, Kind::Any},
    {"mirage.role", Holder::Any, Kind::Any},
    {"mirage.target", Holder::Any, Kind::Any},
    {"mirage.tensor_map_parameters", Holder::Any, Kind::Any},
};

/// Of an op itself, or of what its step stands in; none of any.
static ArrayRef<StringRef> getOps(Holder holder) {
  static constexpr StringRef kBlockGraph[] = {"mirage_block.graph"},
                             kThreadGraph[] = {"mirage_thread.graph"},
                             kGraph[] = {"mirage_block.graph",
                                         "mirage_thread.graph"},
                             kSum[] = {"mirage_block.accumulate"},
                             kHeld[] = {"mirage_thread.graph",
                                        "mirage_block.accumulate",
                                        "mirage_block.mask",
                                        "mirage_block.causal_mask"},
                             kProgram[] = {"func.func", "mirage_kernel.graph"};
  switch (holder) {
  case Holder::BlockGraph:
  case Holder::StepOfBlock:
    return kBlockGraph;
  case Holder::ThreadGraph:
  case Holder::PlacedStep:
    return kThreadGraph;
  case Holder::PlacedGraph:
    return kGraph;
  case Holder::Sum:
    return kSum;
  case Holder::Held:
    return kHeld;
  case Holder::Program:
    return kProgram;
  case Holder::Any:
    return {};
  }
  llvm_unreachable("all holders are handled");
}

static std::string getName(Holder holder) {
  std::string names = llvm::join(getOps(holder), " and ");
  if (holder == Holder::PlacedGraph)
    return names + " outside of one";
  if (holder == Holder::PlacedStep)
    return names + " outside of a mirage_block.graph";
  return holder == Holder::StepOfBlock ? "ops in the body of a " + names
                                       : names;
}

static bool isIn(ArrayRef<StringRef> ops, Operation *op) {
  return op && llvm::is_contained(ops, op->getName().getStringRef());
}

static bool isHolder(Holder holder, Operation *op) {
  if (holder == Holder::Any)
    return true;
  Operation *parent = op->getParentOp();
  // What a step reads is said by the graph that it is a step of.
  bool isPlaced = holder == Holder::PlacedGraph || holder == Holder::PlacedStep;
  if (isPlaced && isIn(getOps(Holder::BlockGraph), parent))
    return false;
  return isIn(getOps(holder), holder == Holder::StepOfBlock ? parent : op);
}

static StringRef getName(Kind kind) {
  switch (kind) {
  case Kind::Unit:
    return "a unit attribute";
  case Kind::Number:
    return "an i64";
  case Kind::Numbers:
    return "an array of i64";
  case Kind::Text:
    return "a string";
  case Kind::Any:
    return "any attribute";
  }
  llvm_unreachable("all kinds are handled");
}

static bool isOf(Kind kind, Attribute value) {
  switch (kind) {
  case Kind::Unit:
    return isa<UnitAttr>(value);
  case Kind::Number: {
    auto number = dyn_cast<IntegerAttr>(value);
    return number && number.getType().isSignlessInteger(64);
  }
  case Kind::Numbers:
    return isa<DenseI64ArrayAttr>(value);
  case Kind::Text:
    return isa<StringAttr>(value);
  case Kind::Any:
    return true;
  }
  llvm_unreachable("all kinds are handled");
}

void MirageDialect::initialize() {}

LogicalResult MirageDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute named) {
  StringRef name = named.getName();
  const PlanAttribute *row =
      llvm::find_if(kAttributes, [&](const PlanAttribute &attribute) {
        return attribute.name == name;
      });
  if (row == std::end(kAttributes))
    return op->emitOpError()
           << "expects no '" << name << "', which is no attribute of Mirage";
  if (!isHolder(row->holder, op))
    return op->emitOpError() << "expects no '" << name << "', which is of "
                             << getName(row->holder);
  if (!isOf(row->kind, named.getValue()))
    return op->emitOpError() << "expects " << getName(row->kind) << " as '"
                             << name << "', got " << named.getValue();
  return success();
}
