//===- Passes.td - Passes from Mirage IR to Mirage IR ----------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TRANSFORMS_PASSES_TD
#define MIRAGE_TRANSFORMS_PASSES_TD

include "Mirage/Options/CheckedPass.td"
include "Mirage/Transforms/LaunchPasses.td"
include "mlir/Pass/PassBase.td"

// Passes run on any op, a module as well as one function in it, so that a plain
// flag of mirage-opt works and other pipelines may nest them where they like.

def AssignDefaultBlocksPass : CheckedPass<"mirage-assign-default-blocks"> {
  let summary = "gives each operator of a kernel graph its default block graph";
  let description = [{
    Every kernel-level operator becomes a `mirage_block.graph` of its own that
    computes it alone, so that a program, or what is left of it after the
    search, compiles and runs. Tiles are cut until all of a block fit its shared memory,
    with those that --mirage-load-as-stored adds. One whose tiles no block can hold, however small
    they are cut, is split into several first: reductions by dimension, others
    after neighbouring dimensions are merged, else in halves. Rows of what is
    computed element by element are one dimension where they end inside sectors of
    device memory. Reshapes, transposes, slices and concats stay: they are views. Blocks have the threads and stages with which they are predicted to
    take least.

    A matmul's block graph may in addition say which call of a library computes the
    same (`mirage_block.library_matmul`, docs/Runtime.md). It does where the library has
    the matmul, of tensors that lie as these do, and is predicted to take less than half of
    the time; or always or never. Where only the result lies as no library writes it, the
    result is row-major, and a copy stands behind it.
    Example: test/Transforms/assign-default-blocks.mlir
  }];
  let options = [
    Option<"libraryKernels", "library-kernels", TextType, /*default=*/"\"auto\"",
           "Matmuls that are left to a library, where the machine that runs them has one: auto "
           "(where it is predicted to take less than half of our kernel's time), never or always">,
    Option<"stages", "stages", NumberType<"0", "kMaxStages">.type, /*default=*/"0",
           "Stages of loads in the loops, 1 to 16; fewer where no more fit, or the loop is shorter; 0: what is predicted to take least">,
    TargetOption<"GPU whose shared memory tiles must fit">];
  let dependentDialects = ["::mlir::mirage::block::MirageBlockDialect"];
}

def ExpandComposedPass : Pass<"mirage-expand-composed"> {
  let summary = "writes norms, softmax and repetitions as the operators they stand for";
  let description = [{
    Each composed operator becomes the small graph of simpler ones that is its
    definition (`Mirage/Graph/ComposedOperators.h`), with f32 between the steps. A
    softmax subtracts the maximum. Run before --mirage-assign-default-blocks: a
    composed operator is several kernels.
    Example: test/Transforms/expand-composed.mlir
  }];
}

def ExpectOpsPass : CheckedPass<"mirage-expect-ops"> {
  let summary = "says so where there is nothing for a phase to begin with";
  let description = [{
    Looks for an op with one of the names given. Without one it says so at the
    first op that stands there instead: passes that find nothing to do are silent
    otherwise, and the user of a pipeline waits for what never comes. Changes
    nothing. Example: test/Pipelines/nothing-to-compile.test
  }];
  let options = [
    ListOption<"ops", "ops", "std::string",
               "Names of ops, such as mirage_kernel.graph, of which one is enough">,
    Option<"phase", "phase", TextType, /*default=*/"\"\"",
           "What begins with these ops">,
    Option<"isRequired", "required", TruthType, /*default=*/"true",
           "Whether it is an error that there are none, or only a remark">];
}

def PrintAbstractExpressionsPass : CheckedPass<"mirage-print-abstract-expressions"> {
  let summary = "prints what each value of a kernel graph means, in normal form";
  let description = [{
    For each `mirage_kernel.graph`, composed operators expanded, prints the
    abstract expression of every value by which the search prunes, one line each:
    its number, operator, named dimensions and form (docs/Expressions.md). Goes
    to standard error and changes nothing. Fails where the search would refuse
    the graph, as for a reshape that splits a dimension.
    Example: test/Transforms/print-abstract-expressions.mlir
  }];
  let options = [
    Option<"atoms", "atoms", TextType, /*default=*/"\"functions\"",
           "What silu, rms and the like, however they are spelled, are read as: "
           "functions, written-out, or both in turn">];
}

def ExpandScalarsPass : Pass<"mirage-expand-scalars"> {
  let summary = "gives programs tensors of [1] for those of rank 0";
  let description = [{
    Arguments and results of functions that are tensors of rank 0, a loss or a learnt
    scale, become tensors of shape [1], as they are in graphs, and the reshapes in
    between go. So an artifact's inputs and outputs are what its kernels
    read and write. A function that others refer to keeps its type, as does one in which
    other ops read or make tensors of rank 0, or where no graph has tensors of such
    elements.
    Example: test/Transforms/expand-scalars.mlir
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def RecordProgramPass : Pass<"mirage-record-program"> {
  let summary = "keeps each function's program beside what becomes of it";
  let description = [{
    Leaves the graph of a function, as JSON, in its attribute `mirage.program`,
    where an artifact takes it from: numbers are checked against what was asked
    for. A function that has the attribute keeps it.
    Example: test/Transforms/record-program.mlir
  }];
}

def SetF32ProductsPass : CheckedPass<"mirage-set-f32-products"> {
  let summary = "lets tensor cores round operands of products to tf32, or not";
  let description = [{
    Has each kernel graph say how its products are taken of which neither f16 nor bf16
    holds both operands (`mirage_kernel.f32_products`): one by one in f32, or by tensor
    cores in tf32 (docs/Architecture.md, "Semantics that everything relies on"). All that
    comes later goes by the graph. So does a program that was recorded
    (`--mirage-record-program`). `--mirage-search-graph` and the pipelines do this
    first, where they have the option.
    Example: test/Transforms/set-f32-products.mlir
  }];
  let options = [
    Option<"f32Products", "f32-products", TextType, /*default=*/"\"exact\"",
           "exact (each product in f32), or tf32 (by tensor cores, operands rounded to 11 bits)">];
}

def MaterializeResultsPass : Pass<"mirage-materialize-results"> {
  let summary = "gives each result of a program a kernel that writes it";
  let description = [{
    A result of a kernel graph that is an input, another result, or a view that is
    not all of what a kernel writes, or does not lie by the strides that the
    function states for it, becomes a copy: a `mirage_kernel.broadcast` to the shape it
    has. So does what a function of tensors returns though it is an argument or returned
    already: in a kernel graph that copies it. A transpose or reshape with rows of its
    own, which alone reads what a kernel writes, is no copy: the kernel writes by the strides
    that put the view where the result is to lie. Run before
    --mirage-assign-default-blocks.
    Example: test/Transforms/materialize-results.mlir
  }];
  let dependentDialects = ["::mlir::mirage::kernel::MirageKernelDialect",
                           "::mlir::tensor::TensorDialect"];
}

def MaterializeViewsPass : Pass<"mirage-materialize-views"> {
  let summary = "copies what cannot be a view of another tensor";
  let description = [{
    Slices, transposes and reshapes are views, and kernels write what a
    `mirage_kernel.concat` puts together into its place. Where that cannot be, a
    `mirage_kernel.broadcast` to the same shape copies: after a view that rounds,
    before a reshape of elements at distances that no strides state, and of a part
    that is an argument, a view, read by others or stored otherwise.
    Run before --mirage-assign-default-blocks; canonicalization would fold these
    copies. Example: test/Transforms/materialize-views.mlir
  }];
  let dependentDialects = ["::mlir::mirage::kernel::MirageKernelDialect"];
}

def JoinTileRowsPass : Pass<"mirage-join-tile-rows"> {
  let summary = "makes one dimension of tiles of whole rows";
  let description = [{
    Where all that a block graph computes is elementwise, or summed over the loop
    element by element, tiles are whole rows, and rows end inside sectors of device
    memory, but tiles do not, its tensors and tiles have one dimension, between reshapes,
    which are views: lanes then load and store runs of elements, whatever the length of
    a row.
    Run after --mirage-materialize-views.
    Example: test/Transforms/join-tile-rows.mlir
  }];
  let dependentDialects = ["::mlir::mirage::kernel::MirageKernelDialect"];
}

def LoadAsStoredPass : CheckedPass<"mirage-load-as-stored"> {
  let summary = "has tiles that products read lie as their tensors do";
  let description = [{
    An input of a `mirage_block.graph` whose elements lie side by side along its columns, as
    those of a transposed tensor do, can be loaded in no wide accesses and by no copy
    engine. Products read tiles either way, so the tile is loaded as it lies, and a
    `mirage_block.transpose` stands before them, which takes nothing there: ldmatrix and
    wgmma read transposed tiles. Inputs that something else reads are left alone, and
    kernels that a library may do instead, which is told how tensors lie. Where the transpose
    is a step with a tile of its own (`Mirage/Graph/ExchangeSteps.h`), it is made only if the block
    still fits its shared memory.
    Example: test/Transforms/load-as-stored.mlir
  }];
  let options = [TargetOption<"GPU whose shared memory blocks have to fit">];
  let dependentDialects = ["::mlir::mirage::kernel::MirageKernelDialect",
                           "::mlir::mirage::block::MirageBlockDialect"];
}

def SplitGridSumsPass : Pass<"mirage-split-grid-sums"> {
  let summary = "adds up the parts of sums over the grid in a second kernel";
  let description = [{
    Where an output's `omap` sums over grid axes, each block keeps its part, in
    f32, along a new leading dimension, and a `mirage_kernel.sum` adds them.
    Unlike atomic additions this gives the same bits in every run. The sum has no
    block graph yet: run before --mirage-assign-default-blocks.
    Example: test/Transforms/split-grid-sums.mlir
  }];
  let dependentDialects = ["::mlir::mirage::kernel::MirageKernelDialect"];
}

def SplitGridJoinsPass : Pass<"mirage-split-grid-joins"> {
  let summary = "joins the blocks of a grid axis in kernels of their own";
  let description = [{
    Where a block graph accumulates over a grid axis, its blocks write what they
    have come to, and a second block graph goes on: its loop accumulates what
    the blocks along the axis wrote. An accumulation that reduces dimensions joins what each
    tile was reduced to. Inputs that are needed again are read
    again, and those that are joined as they are, by the loop. What the graph's loop reads of what blocks have joined is computed so ahead of
    it, by a graph without a loop (`Mirage/Graph/JoinsAhead.h`). Run before
    --mirage-assign-default-blocks; whether the second one needs a launch of its own is
    decided by --mirage-merge-launches.
    Example: test/Transforms/split-grid-joins.mlir
  }];
}

def SpreadBlocksPass : CheckedPass<"mirage-spread-blocks"> {
  let summary = "cuts the tiles of kernels that join parts, for SMs that have no block";
  let description = [{
    A kernel that joins what blocks left has one block for all of them, and walks through
    their parts in a loop: --mirage-split-grid-joins makes such, with the attribute
    `mirage.joins_parts`, by which they are known here. Where that leaves SMs
    without a block, and what it does goes element by element along a dimension of its
    results, the tiles are cut along this dimension, and the axis of the grid that it joined
    counts the pieces. It is done where reading the parts in fewer bytes takes less, a
    launch of its own included, without which the kernel might do
    (`Mirage/Planning/LaunchBarrier.h`).
    Example: test/Transforms/spread-blocks.mlir
  }];
  let options = [TargetOption<"GPU whose SMs blocks run on">];
}

def JoinPartsAtOncePass : Pass<"mirage-join-parts-at-once"> {
  let summary = "joins the parts that blocks left without a loop";
  let description = [{
    Where all that a kernel's loop does is to join parts, by sums and maxima, one in each
    iteration, and the parts of a block take no more than 64 KiB, they become one tile,
    and the accumulations reductions of it. A loop has two barriers for each part: attention
    of 2 heads, 256 queries and 4096 keys in 16 parts takes 10.0 us on an H200 with one, and
    6.3 without. Sums that are rescaled keep the loop. Run after --mirage-spread-blocks,
    which makes tiles small.
    Example: test/Transforms/join-parts-at-once.mlir
  }];
}

def SplitAccumulationsPass : Pass<"mirage-split-accumulations"> {
  let summary = "reduces tiles before they are accumulated";
  let description = [{
    An accumulation over the loop that reduces dimensions becomes a reduction of
    the tile, which all warps share, and an accumulation of what is left; averages
    are divided once, after the loop, also those that reduce no dimension, where
    threads have registers for the sum. One thread would otherwise add up what each
    element of the result stands for, number by number. Where an input is added up element
    by element, a cast to f32 makes a step of bringing its tile to registers, so that the
    sum can grow there (--mirage-hold-in-registers), if threads have registers for all of
    it. Run before --convert-mirage-block-to-thread.
    Example: test/Transforms/split-accumulations.mlir
  }];
}

def KeepRunningMaximaPass : Pass<"mirage-keep-running-maxima"> {
  let summary = "gives sums that are rescaled over the loop the maximum they are relative to";
  let description = [{
    A sum of parts that are rescaled is kept relative to the largest rescaling
    value so far. For each such value one accumulation of the maximum stands
    behind the last sum that it rescales: the sums are updated while it is still
    the old one. It is what the graph has of them already, or made here; then it
    has no use in the graph, and nothing that removes dead ops may run between
    this and the lowering.
    Example: test/Transforms/keep-running-maxima.mlir
  }];
}

def NameOperationsPass : Pass<"mirage-name-operations"> {
  let summary = "names the locations of a µGraph's ops after them";
  let description = [{
    Each op in a `mirage_kernel.graph`, and in the block graphs in it, gets a location that
    says which op it is, and has the one before inside
    (`Mirage/Dialect/Operator/OperationNames.h`). What is generated for it keeps that, down
    to PTX, whose `.loc` directives say for which op an instruction is; the artifact has the
    list (`opLocations` of its manifest), and `mirage-run` prints the op where the emulator
    finds a fault. Ops that have such a location keep it.
    Example: test/Transforms/name-operations.mlir
  }];
}

def GiveRowsToWarpsPass : Pass<"mirage-give-rows-to-warps"> {
  let summary = "has warps keep whole rows where steps of a block go from row to row";
  let description = [{
    A product on tensor cores whose rows are reduced, or multiplied once more, as in
    attention, is shared out by whole rows: each warp has 16 of them at a time, and so
    have all steps behind it that go from row to row (`Mirage/Graph/WarpRows.h` has the
    rule). Behind a transpose, as products with exchanged operands have it, these are the
    columns of what the steps leave. `mirage.whole_rows`, or `mirage.whole_columns`, on the ops says so, and `mirage.row_registers` on the graph
    how many registers of a thread they take. `--convert-mirage-block-to-thread` cuts
    their steps accordingly, and `--mirage-hold-in-registers` has them hand on what
    they compute in registers. Masks, of keys that a last tile has not or causal ones,
    replace elements there. Behind the loop rows go on on its sums, and what they leave
    for an output of a smaller type is cast to that before it is brought to shared memory.
    A graph whose rows take more than half of the registers that its threads can have is
    left alone.
    Example: test/Transforms/give-rows-to-warps.mlir
  }];
}

def HoldInRegistersPass : CheckedPass<"mirage-hold-in-registers"> {
  let summary = "keeps sums over the loop, and what steps hand on, in registers";
  let description = [{
    An accumulation over the loop of what a thread graph computes, element by element, is
    carried in the registers of the warps that compute it: `mirage.held` on the thread
    graph says so. It is brought to shared memory once, behind the loop. This is for sums
    and maxima of f32, of parts that nobody else reads; not for the maxima that rescaled sums
    are relative to, which lie in shared memory. Where a power of two of warps, all of which hold
    as much, have no registers for that, or some of them would repeat what others have, each
    item is a share (`mirage.held_shares`, Mirage/Layout/HeldTiles.h), of which warps have as
    many as come to them. Rows that warps have (`mirage.whole_rows`) are
    held from one step to the next, where all that reads them has the same rows; there
    maxima are carried, too, and sums are read behind the loop where they grew. In a block
    without a loop, and in one whose loop takes no products, all that one step computes and
    others of the same items read may be held, before, in and behind the loop. Where fewer items than warps are
    left, all steps of a chain have them as shares, those that only read what is held, too. Without a
    loop inputs that several steps read, or one behind others, are loaded by steps of
    their own at the head, if they can bypass shared memory; and up to
    four warps may do the same, if that is one access to each operand, and none to inputs. What is an output
    and is read on as well, or by two outputs, is stored from registers by a step of its own, and so are sums of a
    loop, but for those of products on tensor cores that nobody reads on. Of what may be held that
    is which saves most of shared memory's traffic
    (`Mirage/Planning/RegisterPlacement.h`), within what there are registers for
    (`Mirage/Planning/RegisterBudget.h`). Without a loop that is less where shares of warps lie in
    different rows, the places of which take registers, too; but not where the tiles would
    have no place in shared memory then.
    Examples: test/Transforms/hold-in-registers.mlir, hold-steps.mlir, hold-outputs.mlir
  }];
  let options = [
    TargetOption<"GPU whose shared memory tiles should fit">];
}

def BypassSharedMemoryPass : Pass<"mirage-bypass-shared-memory"> {
  let summary = "has lanes load inputs and store outputs themselves where they can";
  let description = [{
    An input of which one step reads each element once, in a block graph without a loop,
    needs no tile of shared memory. Nor does what a step leaves for an output alone, in any
    graph. Accesses of warps have to find sectors of device memory whole
    (`Mirage/Analysis/BypassingTiles.h` has the rules). What ldmatrix would read is loaded.
    `mirage.bypassing_inputs` on the graph and `mirage.bypasses` on the thread graph say so.
    Where tiles end beyond their tensors there are two versions of a step, of which one
    looks where; tiles that begin beyond them are loaded and stored as before.
    Example: test/Transforms/bypass-shared-memory.mlir
  }];
}

def ScaleRunningSumsPass : Pass<"mirage-scale-running-sums"> {
  let summary = "has parts of rescaled sums be relative to the running maximum at once";
  let description = [{
    Parts of a sum that is rescaled over the loop are relative to the maximum of their own
    tile, and the code of the loop corrects them, as well as the sum so far. Where warps
    hold all of it, parts may be relative to the maximum so far to begin with, if nothing
    else depends on what they are relative to (`Mirage/Analysis/RunningScale.h`); then
    products add their parts to the sum in their accumulators. `mirage.running_scale` on
    the accumulation of the maximum says so.
    Example: test/Transforms/scale-running-sums.mlir
  }];
}

def ScheduleBlockPass : Pass<"mirage-schedule-block"> {
  let summary = "orders the steps of each block graph and places its barriers";
  let description = [{
    Orders the steps of each phase (before, in and after the loop) by the longest
    chain of hazards that leads to them, and puts as few barriers between them as
    that chain needs; hazards from one iteration to the next count as well. Loads of
    several stages run ahead, and have a barrier at the head of each iteration. The
    ops are moved into that order and carry `mirage.step` and, where a barrier
    stands before them, `mirage.barrier`; the graph carries
    `mirage.barrier_at_entry` (before the loop), `mirage.barrier_at_head`
    (before each iteration) and `mirage.barrier_at_exit` (behind the loop, before sums
    come out of registers, so that they may lie where tiles of the loop lay). Ops whose
    results nothing reads are removed.
    Example: test/Transforms/schedule-block.mlir
  }];
}

def PlanSharedMemoryPass : CheckedPass<"mirage-plan-shared-memory"> {
  let summary = "gives each tile of a scheduled block graph a place";
  let description = [{
    Tiles that no stretch between two barriers touches together may share bytes;
    the value of an accumulator is live from before the loop to its last use.
    Offsets are multiples of 128. A tile that the loop loads has a ring of as many
    places as the graph has stages, from before the loop to its end. Up to 112 bytes
    stay free behind the rows of a tile, in steps of 16, so that what lanes read and write
    at once lies in different banks: as many as let the block take the fewest wavefronts
    (Mirage/Analysis/BankTraffic.h) of all choices that fit, found by branch and bound
    (Mirage/Planning/LayoutProblem.h). A choice fits if an SM holds as many blocks as
    with the bytes that the search reckons with (Mirage/Graph/TileMemory.h), as far as
    there are as many. Ops carry `mirage.offsets`, the graph `mirage.input_offsets` and
    `mirage.shared_bytes`; and where bytes stay free `mirage.row_paddings` and `mirage.input_row_paddings`.
    From sm_90 on the copy engine (TMA) may load the rings that ldmatrix or wgmma reads,
    if their tensors lie so that it can: such a tile is swizzled (Mirage/Layout/BoxedTile.h)
    and its places begin at multiples of eight spans. The graph carries
    `mirage.input_swizzles` then, and with `mirage.copy_barriers` where the mbarriers lie.
    Where there is no room behind rows, threads may swizzle a tile that they load, if steps of
    warps are all that reads it and its rows are a multiple of 32 bytes: `mirage.thread_swizzles`.
    Where the loop needs no barrier of the block for anything else, warps hand places back
    one by one: that is `mirage.hands_back_places`, the number of iterations behind whose
    place is refilled, which is 2 where there are several warpgroups and at least 4
    places. What follows the loop begins by reading what other threads added up in it,
    behind a barrier, and so may lie where the loop's tiles lay. Swizzled tiles may take
    more than others; where not all fit, as many bytes as can be are loaded so. A remark
    says where not all choices were tried. With copy-engine=false no tile is: a
    kernel then has no tensor map for a parameter, which a host would have to encode, and
    can be launched by any. A plan that does not fit is an error with the demand, the
    limit and the tiles.
    Example: test/Transforms/plan-shared-memory.mlir
  }];
  let options = [
    TargetOption<"GPU whose shared memory tiles must fit">,
    Option<"usesCopyEngine", "copy-engine", TruthType, /*default=*/"true",
           "false: threads load all tiles">];
}

def StartProductsAheadPass : Pass<"mirage-start-products-ahead"> {
  let summary = "has iterations start products of the next one before they compute with theirs";
  let description = [{
    A product of four warps runs beside them, and an iteration that first waits for its
    product and then computes with it has tensor cores stand still meanwhile. So each
    starts that of the next iteration before it computes (`Mirage/Analysis/AheadProducts.h`
    has the rule of which can be; `mirage.starts_ahead` on the thread graph says which
    are): where enough iterations are on their way (`Mirage/Planning/RingPlaces.h`), and
    three quarters of a thread's registers hold the rows that warps keep
    (`mirage.row_registers`) and one more result. There the next iteration is also the one
    to wait for products that sums grow with, if it can be (`mirage.waits_late`); of
    products both of whose operands are in places of rings it is so everywhere.
    Example: test/Transforms/start-products-ahead.mlir
  }];
}

def FormWarpgroupsPass : CheckedPass<"mirage-form-warpgroups"> {
  let summary = "lets four warps multiply together";
  let description = [{
    On sm_90a a step of warps that multiplies by `mirage_thread.mma` multiplies by
    `mirage_thread.wgmma` instead where four items that follow each other have the same
    right operand, which lies as the copy engine has loaded it, with whole panels of
    columns or, transposed, with rows of `k`: it is read where it is then, and takes no
    registers. So is a left operand that the engine has loaded, of which the four have 64
    rows that follow each other. Items take up to eight steps at a time. Run after
    --mirage-plan-shared-memory.
    Example: test/Transforms/form-warpgroups.mlir
  }];
  let options = [TargetOption<"GPU whose tensor cores multiply">];
}

def ReadAnewPass : Pass<"mirage-read-anew"> {
  let summary = "has products read again what one before has read, where registers are short";
  let description = [{
    Of placed steps of warps, as --convert-mirage-kernel-to-gpu leaves them: where one
    reads tiles in shared memory that others before it have read, assemblers keep what
    those have loaded. Where a thread has no registers for that, beside tiles that are
    held and fragments (`Mirage/Planning/RegisterBudget.h`), the step carries
    `mirage.reads_anew`: lanes wait for their warp before it, and it loads all anew. Run
    before --convert-mirage-thread-to-vector, which obeys.
    Example: test/Transforms/read-anew.test
  }];
}

def PredictTimesPass : CheckedPass<"mirage-predict-times"> {
  let summary = "leaves on each block graph what the search's cost model says of it";
  let description = [{
    Each `mirage_block.graph` carries as `mirage.predicted_time` what it is predicted to
    take if it is launched alone, and the parts of that, for --mirage-explain
    (`Mirage/Transforms/PredictedTime.h`). The cost model is that of the search, and speaks
    of operations on whole tiles: run after --mirage-assign-default-blocks and before
    --convert-mirage-block-to-thread. A block graph with thread graphs keeps the attribute
    that it has. Example: test/Transforms/predict-times.mlir
  }];
  let options = [TargetOption<"GPU that times are predicted for">];
}

def SearchGraphPass : CheckedPass<"mirage-search-graph"> {
  let summary = "replaces each kernel graph by the cheapest equal µGraph found";
  let description = [{
    For each `mirage_kernel.graph`: enumerates µGraphs up to the given sizes,
    drops those whose abstract expression cannot lead to the graph's, tests the
    rest for equality over finite fields, and keeps the cheapest that passes. A
    graph for which nothing cheaper is found is left as it is. The result
    depends on options and seed alone, not on the number of threads; only
    `time-limit-s` lets the machine in. With a `cache` it is what a search found
    earlier, tested again before it is used. Options: docs/Search.md, "Running a
    search", one list with those of the pipelines. Method: Wu et al., "Mirage: A
    Multi-Level Superoptimizer for Tensor Programs", OSDI 2025.
    Example: test/Transforms/search-graph.mlir
  }];
  let dependentDialects = ["::mlir::mirage::block::MirageBlockDialect"];
}

#endif // MIRAGE_TRANSFORMS_PASSES_TD
