//===- LaunchSequence.h - A program as a list of launches -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is compiled is a function that is nothing but kernel graphs, one after
// the other; or, in the midst of other ops, one kernel graph on memrefs. Each
// graph is nothing but `mirage_block.graph`s, the kernels, and views
// (TensorView.h). What lies in device memory is the function's arguments or the
// graph's memrefs, the results of kernels and those of concats; every other
// tensor is a view of one of these.
//
// Each kernel is launched by itself, or shares a launch with the one before it,
// where a barrier stands between them (`mirage.launch_barrier`,
// Mirage/Planning/LaunchBarrier.h).
//
// A launch may begin before the one before it has ended
// (`mirage.dependent_launch`, programmatic dependent launch): its blocks start
// when those of the other have left, or, if that one says so
// (`mirage.admits_next_launch`), as soon as all of them have begun; and wait
// until all that these did to device memory is done before they touch any.
// Since every launch that may begin early waits for the one before, which has
// waited for its own, nothing else about the order of launches changes.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_LAUNCHSEQUENCE_H
#define MIRAGE_ANALYSIS_LAUNCHSEQUENCE_H

#include "Mirage/Analysis/TensorView.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "Mirage/Planning/LaunchBarrier.h"
#include "Mirage/Planning/StorageProblem.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::mirage {

/// What the address of a workspace is a multiple of, in bytes, and so is that
/// of each tensor in it: what TMA wants of a tensor, and more than any vector
/// load does.
inline constexpr int64_t kBufferAlignment = 256;

/// What stands before a kernel that shares a launch.
struct SharedLaunch {
  LaunchBarrier barrier = LaunchBarrier::Launch;
  unsigned axis = 0; ///< of the grid, along which it joins blocks
};

/// Kernels that are launched together, one after the other.
struct Launch {
  SmallVector<block::GraphOp, 3> kernels;
  SmallVector<SharedLaunch, 2> shared; ///< by kernel, from the second one on
  bool isDependent = false; ///< may begin before the one before it has ended
  bool admitsNext = false;  ///< the one behind it may begin when it has begun
  /// How many blocks are launched, where they are persistent and it was read
  /// for a target; once that is known to be stated as it should.
  std::optional<int64_t> numPersistent = std::nullopt;

  bool has(LaunchBarrier barrier) const;
  /// The first kernel has most blocks, and all have as many threads.
  ArrayRef<int64_t> getGrid() { return kernels.front().getGrid(); }
  /// Extents by grid axis; none without clusters. Their blocks are joined by a
  /// kernel of the launch (`LaunchBarrier::Cluster`), or load boxes together
  /// (Multicast.h).
  ArrayRef<int64_t> getCluster();
  /// The same as the GPU counts blocks: extents in the order of the grid's
  /// axes, or all of it in one where blocks are persistent.
  SmallVector<int64_t, 3> getLaunchedCluster();
  /// The grid axes in the order in which a GPU counts blocks, the fastest one
  /// first: that of the first kernel's `mirage.grid_order`, or x, y, z.
  SmallVector<int64_t, 3> getGridOrder() const;
  /// Whether its blocks go on with others (PersistentBlocks.h).
  bool isPersistent();
};

/// What is compiled in `root`: the functions that have kernel graphs on
/// tensors, and the kernel graphs on memrefs, in the order of the IR.
SmallVector<Operation *> findPrograms(Operation *root);

class LaunchSequence {
public:
  /// \param program  a `func.func`, or a `mirage_kernel.graph` on memrefs.
  /// \param target   where it is launched; null for those who do not ask how
  ///                 many persistent blocks that takes.
  /// \returns failure after an error at the first op that is neither a kernel
  /// graph nor one that makes an empty tensor nor dead, or, inside a kernel
  /// graph, neither a block graph nor a view (--mirage-materialize-views makes
  /// copies of what cannot be one); and where a result of the program is not
  /// written by launches, or the same as another; and where an attribute has
  /// kernels share a launch that cannot.
  static FailureOr<LaunchSequence> read(Operation *program,
                                        const Target *target = nullptr);

  Operation *getProgram() const { return program; }
  ArrayRef<block::GraphOp> getKernels() const { return kernels; }
  ArrayRef<Launch> getLaunches() const { return launches; }
  /// The grid axis along which a kernel joins what the blocks of the one before
  /// it left: each of its blocks reads of these results only what was written
  /// by blocks with its own coordinates along all other axes. Its grid is the
  /// same as theirs, or has one block along the axis. Of several axes the one
  /// with the fewest blocks; none if it is no such kernel, or if a library does
  /// one of the two.
  std::optional<unsigned> findJoinedAxis(unsigned kernel) const;
  /// Whether a kernel reads what kernels wrote that stand before the one before
  /// it, from `first` on. It could not share a launch with these: what orders
  /// the blocks of two kernels says nothing of a third.
  bool readsFurtherUp(unsigned first, unsigned kernel) const;
  /// What in device memory an operand or a result of a kernel is a view of: an
  /// argument of the function, a memref that the graph reads, or a result of a
  /// kernel or a concat.
  Value getRoot(Value tensor) const { return views.at(tensor).root; }
  /// A buffer of the root's elements, seen as the tensor.
  MemRefType getBufferType(Value tensor) const;
  /// The buffer for a result of the program, as its kernel sees it.
  MemRefType getResultType(unsigned number) const;

  /// Places in the workspace for what lies between launches: results that the
  /// function does not return, in the order in which they are first written.
  /// Time is counted in launches: a tensor is live from the one that writes it
  /// to the last one that reads it. (Between clusters of one launch there is no
  /// order.)
  StorageProblem makeStorageProblem() const;
  /// Leaves a plan in attributes: `mirage.workspace_offsets` on each kernel,
  /// for each result the offset in bytes of the tensor that it is, or is a part
  /// of, -1 where that is returned; and on the program
  /// `mirage.workspace_bytes`.
  void annotate(const StoragePlan &plan);
  /// The plan that attributes state, or failure after an error that says what
  /// is missing or does not hold.
  FailureOr<StoragePlan> readPlan() const;
  /// Where an operand or a result of a kernel lies.
  DeviceBuffer getBuffer(Value tensor, const StoragePlan &plan) const;

private:
  explicit LaunchSequence(Operation *program) : program(program) {}
  LogicalResult readBody();
  LogicalResult readFunction(func::FuncOp function);
  LogicalResult readGraph(kernel::GraphOp graph);
  LogicalResult readKernel(Operation &kernel);
  LogicalResult readView(Operation &view);
  LogicalResult checkParts(kernel::ConcatOp concat);
  LogicalResult readResults();
  ElementPlaces getResultPlaces(unsigned number) const;
  LogicalResult readLaunches();
  LogicalResult readDependence(unsigned launch);
  LogicalResult readAdmission(unsigned launch);
  LogicalResult addToLaunch(unsigned number, StringAttr barrier);
  LogicalResult checkBarrier(unsigned number, SharedLaunch shared);

  Operation *program;
  SmallVector<block::GraphOp> kernels;
  SmallVector<Launch> launches;
  SmallVector<Value> intermediates;
  DenseMap<Value, TensorView> views;
  DenseMap<Value, unsigned> resultIndex; ///< of the program, by root
};

inline constexpr llvm::StringLiteral kWorkspaceOffsetsAttr =
    "mirage.workspace_offsets";
/// Of a kernel whose loop walks through what the blocks of the one before left:
/// --mirage-split-grid-joins makes such.
inline constexpr llvm::StringLiteral kJoinsPartsAttr = "mirage.joins_parts";
inline constexpr llvm::StringLiteral kWorkspaceBytesAttr =
    "mirage.workspace_bytes";
/// Of a kernel that shares the launch of the one before it: "last_arrival"
/// or "cluster".
inline constexpr llvm::StringLiteral kLaunchBarrierAttr =
    "mirage.launch_barrier";
/// Of the first kernel of a launch that joins no clusters: its grid axes by
/// number, in the order in which blocks start, the fastest one first.
/// --mirage-order-grid decides it.
inline constexpr llvm::StringLiteral kGridOrderAttr = "mirage.grid_order";
/// Of the first kernel of a launch but the first: that it may begin before the
/// one before it has ended, a unit attribute. --mirage-overlap-launches decides
/// it.
inline constexpr llvm::StringLiteral kDependentLaunchAttr =
    "mirage.dependent_launch";
/// Of the first kernel of a launch: that the next one, which is dependent, may
/// begin as soon as all of its blocks have begun, a unit attribute.
/// --mirage-overlap-launches decides it, and the next.
inline constexpr llvm::StringLiteral kAdmitsNextLaunchAttr =
    "mirage.admits_next_launch";
/// Of the first kernel of a launch: the dynamic shared memory that its blocks
/// ask for, in bytes, if they use less. An SM holds fewer of them so
/// (Mirage/Planning/EarlyLaunch.h).
inline constexpr llvm::StringLiteral kRequestedSharedBytesAttr =
    "mirage.requested_shared_bytes";
/// What that states of a kernel, or 0.
int64_t getRequestedSharedBytes(block::GraphOp kernel);
/// Takes both decisions away from all kernels in `root`, for who changes which
/// launches there are, or their blocks.
void forgetEarlyLaunches(Operation *root);
/// Of the first kernel of a launch: how many blocks an SM is to hold at a time.
/// Their threads can have as many registers as this leaves them.
inline constexpr llvm::StringLiteral kResidentBlocksAttr =
    "mirage.resident_blocks";
/// What that states of a kernel, or 1.
int64_t getStatedResidentBlocks(block::GraphOp kernel);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_LAUNCHSEQUENCE_H
