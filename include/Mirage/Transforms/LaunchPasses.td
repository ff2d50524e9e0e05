//===- LaunchPasses.td - Passes that decide how kernels run *- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TRANSFORMS_LAUNCHPASSES_TD
#define MIRAGE_TRANSFORMS_LAUNCHPASSES_TD

include "Mirage/Options/CheckedPass.td"
include "mlir/Pass/PassBase.td"

// How blocks of planned kernels are launched, in which order and with which
// warps that load for them, and where kernels leave their results in device
// memory.

def MergeLaunchesPass : CheckedPass<"mirage-merge-launches"> {
  let summary = "lets kernels that join blocks share a launch with those they join";
  let description = [{
    A kernel that joins what the blocks of the one before it left, along a grid axis,
    runs in the same launch where this takes less than a launch of its own: behind a
    barrier of the blocks along the axis, which are a cluster then; or, where one block
    is left of them, as what the last one to arrive goes on with. Which of these there
    can be follows from the number of blocks and the target
    (Mirage/Planning/LaunchBarrier.h). The second kernel carries
    `mirage.launch_barrier`, the first one its `cluster`. The first kernel of each launch
    carries `mirage.resident_blocks`: how many blocks an SM holds at a time, by their
    threads, shared memory and the registers that its code is taken to need, or is left to hold
    where there are fewer; the registers of its code are to be as many as that allows.
    Clusters that serve no join are dropped, with a remark, as there is no other code for
    them yet; and those that the target has not, with a warning: what joins blocks does without. Run after --mirage-plan-shared-memory and before
    --mirage-plan-device-memory.
    Example: test/Transforms/merge-launches.mlir
  }];
  let options = [
    TargetOption<"GPU whose SMs blocks run on">,
    Option<"mergesLaunches", "merge-launches", TruthType, /*default=*/"true",
           "false: each kernel has a launch of its own">];
}

def AddLoadingWarpsPass : CheckedPass<"mirage-add-loading-warps"> {
  let summary = "has warps that do nothing but load";
  let description = [{
    Where warps hand back the places of rings, the block gets
    warps beside its threads, which start all copies of the loop
    (`Mirage/Planning/WarpRoles.h`, also for what was measured): `mirage.loading_warps`, and
    `mirage.register_shares` where they leave registers to the others. Not where an SM holds
    several blocks. Run after --mirage-merge-launches.
    Example: test/Transforms/add-loading-warps.mlir
  }];
  let options = [
    TargetOption<"GPU that blocks run on">,
    Option<"addsLoadingWarps", "loading-warps", TruthType, /*default=*/"true",
           "false: the first thread of each block starts copies">];
}

def MakeBlocksPersistentPass : CheckedPass<"mirage-make-blocks-persistent"> {
  let summary = "has blocks go on with others of the grid";
  let description = [{
    Where warps load for the others (--mirage-add-loading-warps), the loop has nothing but
    products, a kernel is alone in its launch and its grid has more blocks than the GPU has
    SMs, as many are launched as there are SMs, and each computes one block of the grid
    after the other: `mirage.persistent_blocks` (`Mirage/Analysis/PersistentBlocks.h`;
    what was measured is in `Mirage/Planning/BlocksToLaunch.h`). The first tiles of the
    next one are loaded while the one before is computed and stored. So shared memory is
    planned anew, with rings that share their bytes with nothing; where that is too much,
    every block is launched. Run after --mirage-add-loading-warps.
    Example: test/Transforms/make-blocks-persistent.mlir
  }];
  let options = [
    TargetOption<"GPU that blocks run on">,
    Option<"makesPersistent", "persistent", TruthType, /*default=*/"true",
           "false: every block of the grid is launched">];
}

def OverlapLaunchesPass : CheckedPass<"mirage-overlap-launches"> {
  let summary = "lets launches begin before those before them have ended";
  let description = [{
    From sm_90 on the first kernel of each launch but a function's first carries
    `mirage.dependent_launch`: its blocks start before all is done that those of the launch
    before did to device memory, and wait until it is before they touch any (programmatic
    dependent launch; PTX ISA, "griddepcontrol"). So what it takes to launch and to get
    ready is behind them by then. They start when the others have left, or as soon as all of
    these have begun, where the first kernel of that launch carries
    `mirage.admits_next_launch`: if they come to lie on the SMs as evenly as otherwise
    (`Mirage/Planning/EarlyLaunch.h`). For that a launch may ask for more shared memory than
    it uses (`mirage.requested_shared_bytes`). Passes that plan blocks anew forget both. Run
    after --mirage-plan-shared-memory, --mirage-merge-launches,
    --mirage-make-blocks-persistent and --mirage-multicast-boxes.
    Example: test/Transforms/overlap-launches.mlir
  }];
  let options = [
    TargetOption<"GPU that launches are for">,
    Option<"overlapsLaunches", "overlap-launches", TruthType, /*default=*/"true",
           "false: each launch begins when the one before it has ended">];
}

def OrderGridPass : Pass<"mirage-order-grid"> {
  let summary = "says which blocks start side by side";
  let description = [{
    A GPU starts blocks along the grid's first axis, then along the next. Blocks that run
    at a time should read the same: so the axis comes first along which operands of most
    bytes are the same. Heads and rows of queries are the axes of attention's grid; the
    keys of one head are read by all its rows while they are in L2. The first kernel of a
    launch carries `mirage.grid_order`, the axes by number, where it is another order than
    x, y, z. Launches that join blocks of clusters keep theirs.
    Example: test/Transforms/order-grid.mlir
  }];
}

def EndLoopsEarlyPass : CheckedPass<"mirage-end-loops-early"> {
  let summary = "has blocks leave a loop of which a causal mask hides the rest";
  let description = [{
    Where a causal mask hides, from some iteration on, all that an iteration computes with
    of a block's rows, and every accumulation over the loop takes what changes nothing of
    that (`Mirage/Analysis/CausalLoop.h`), the block graph carries `mirage.ends_early`. Its
    blocks then do as many iterations as anything is left of, and those that do most come
    first where the graph is launched alone. Blocks of a cluster that loads together
    (`mirage.multicast_cluster`) all do as many as before. Run after
    --mirage-multicast-boxes.
    Example: test/Transforms/end-loops-early.mlir
  }];
}

def MulticastBoxesPass : CheckedPass<"mirage-multicast-boxes"> {
  let summary = "has clusters load the boxes that their blocks have in common";
  let description = [{
    Where warps hand places of rings back, blocks along an axis of the grid that does not
    cut a boxed input can be a cluster that loads its boxes once, each block some of them
    (`Mirage/Planning/MulticastCluster.h`). The first kernel of a launch then carries
    `mirage.multicast_cluster`, extents by grid axis (`Mirage/Analysis/Multicast.h`).
    Clusters are of 2, 4, 8 or 16 blocks, as many as divide the grid along each axis. With
    a number, those are taken for which L2 gives the fewest bytes. With "auto" that for
    which the cost model has the kernel take least, and none unless that is less than
    without: L2 gives less, but blocks wait for each other at the start, and clusters find
    fewer SMs. The model says so of large products, which L2 binds. On an H200 attention
    of 4096 rows was 1 % faster in clusters of 2, and all else no faster or slower
    (docs/Architecture.md): pipelines do not ask for it. Of blocks that
    --mirage-merge-launches has made clusters, these are the only ones. Of persistent blocks
    whole clusters are launched, no more than find SMs. Run after --mirage-order-grid.
    Example: test/Transforms/multicast-boxes.mlir
  }];
  let options = [
    TargetOption<"GPU that blocks run on">,
    Option<"multicast", "multicast", TextType, /*default=*/"\"auto\"",
           "Whether clusters load boxes together: never, auto (where that is predicted to take "
           "less) or the number of blocks that a cluster has at the most">];
}

def PlanDeviceMemoryPass : Pass<"mirage-plan-device-memory"> {
  let summary = "gives each tensor between kernels a place in the workspace";
  let description = [{
    A result of a kernel that the function returns is written into the caller's
    buffer, every other one into the workspace, where tensors that are not live
    together share bytes; time is counted in launches, which kernels may share
    (--mirage-merge-launches). Block graphs carry `mirage.workspace_offsets`, the
    function `mirage.workspace_bytes`. Functions without kernel graphs stay as they
    are.
    Example: test/Transforms/plan-device-memory.mlir
  }];
}

#endif // MIRAGE_TRANSFORMS_LAUNCHPASSES_TD
