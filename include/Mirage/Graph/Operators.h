//===- Operators.h - The operator table -------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row per operator, read by the dialects' verifiers, the search, the
// verifier, the float64 reference, the cost model and code generation. A new
// operator is a row here, an ODS entry and tests; none of these libraries
// names it.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_OPERATORS_H
#define MIRAGE_GRAPH_OPERATORS_H

#include "Mirage/Graph/ScalarDefinition.h"
#include "Mirage/Graph/TensorSpec.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace mlir::mirage {

/// The three levels of a µGraph: what runs on the whole GPU, in one thread
/// block, in one warp.
enum class Level : uint8_t { Kernel, Block, Thread };
llvm::StringRef getLevelName(Level level); // "kernel", "block", "thread"

enum class Opcode : uint8_t {
  // Elementwise, no operand: the shape is the result's own.
  Constant, ///< `value` everywhere
  // Elementwise, one operand.
  Exp,
  Exp2,
  Log,
  Square,
  Sqrt,
  Rsqrt,
  Reciprocal,
  Neg,
  Abs,
  Sigmoid,
  Silu,
  Gelu,
  GeluTanh,
  Relu,
  Tanh,
  Erf,
  Scale,   ///< x · factor
  Unscale, ///< x / divisor, whose inverse may be no f32
  Offset,  ///< x + offset
  Clamp,   ///< min(max(x, lo), hi)
  // Elementwise, two operands, NumPy broadcasting.
  Add,
  Sub,
  Mul,
  Div,
  Maximum,
  Minimum,
  Pow,
  Vanish, ///< x, but 0 where y is minus infinity
  // Reductions over `dims`, which keep size 1.
  Sum,
  Mean,
  Max,
  Rms, ///< root mean square
  // The mean of (x - mean x)², which accumulations carry out; no operator of
  // its own, as the operators above say it of a whole tensor.
  Variance,
  // Contraction of the last dimension of the left operand with the last but
  // one of the right; leading dimensions are batch dimensions and broadcast.
  Matmul,
  // The same by tensor cores, whose layouts a warp's fragments have.
  Mma,   ///< of a warp: mma.sync
  Wgmma, ///< of a warpgroup: wgmma.mma_async
  // Movement: elements keep their values.
  Transpose,  ///< result dimension i is operand dimension dims[i]
  Reshape,    ///< same elements in row-major order, another shape
  Broadcast,  ///< dimensions of size 1 stretch to the result's
  Cast,       ///< another element type
  Mask,       ///< elements beyond a tensor's extent become a constant
  Slice,      ///< result index i is operand index offsets + i · strides
  Concat,     ///< operands side by side along dims[0]
  CausalMask, ///< of the last two dimensions, (i, j) with j > i + offset is
              ///< -inf
  Shuffle,    ///< result element i is operand element i ^ dims (exclusive or)
  // The same tensor in another place.
  Load,          ///< a tile's window into registers
  Store,         ///< registers into a tile's window
  Ldmatrix,      ///< shared memory into the registers of 8x8 matrices
  ConvertLayout, ///< registers of some lanes into those of others
  CpAsync,       ///< device memory into shared memory, by a warp
  TmaLoad,       ///< device memory into shared memory, by the copy engine
  TmaStore,      ///< shared memory into device memory, by the copy engine
  // Composed of the above, by Mirage/Graph/ComposedOperators.h.
  RmsNorm,   ///< x / sqrt(mean(x²) + epsilon), times a weight
  LayerNorm, ///< (x - mean) / sqrt(variance + epsilon), times a weight, plus
             ///< a bias
  L2Norm,    ///< x / sqrt(sum(x²) + epsilon)
  Softmax,   ///< exp(x) / sum(exp(x))
  Repeat,    ///< the operand side by side until the result is full
  // From one phase of a tile graph to the next; with a second operand parts are
  // rescaled before they are added (docs/rationale/Block.md).
  Accumulate,
  // A nested tile graph: a kernel of its own, or one step of a block.
  Graph,
};
constexpr unsigned kNumOpcodes = static_cast<unsigned>(Opcode::Graph) + 1;

enum class OperatorKind : uint8_t {
  Elementwise, ///< `definition` is applied to each element
  Reduction,   ///< `finish(combine over elements of definition(x))`
  Contraction,
  Movement,
  Copy,     ///< the result is the operand, in another place
  Composed, ///< a small graph of other operators, which takes its place first
  Accumulate,
  Graph,
};

/// How a reduction joins two values: by what is associative and commutative.
/// Moments join more than one number for each value: how many elements there
/// are, their mean, and the sum of their squared differences from it.
enum class Combiner : uint8_t { Add, Max, Moments };
/// The element that changes nothing: 0 for Add; minus infinity for Max, and for
/// Moments, to which it is no element.
double getNeutral(Combiner combiner);
/// Of Add and Max.
double combine(Combiner combiner, double lhs, double rhs);

/// One row of the table.
struct OperatorInfo {
  Opcode opcode;
  llvm::StringRef name; ///< the mnemonic in IR: "silu"
  OperatorKind kind;
  uint8_t numOperands; ///< at least
  bool commutes = false;
  /// What the scalar attributes are called, in order: {"lo", "hi"}.
  llvm::SmallVector<llvm::StringRef, 2> parameters = {};
  /// Elementwise: the result. Reductions: what is done to each element first.
  ScalarDefinition definition = {};
  /// Reductions: how elements are joined, and what is done to the joined value
  /// (Argument 0), which may use the number of elements (Size).
  Combiner combiner = Combiner::Add;
  ScalarDefinition finish = {};
  /// The search takes the operator as one function atom first, and as its
  /// definition in a second round (docs/Search.md).
  bool isAtom = false;
  /// The levels that have the operator, from the outermost to the innermost:
  /// all, but that masks and accumulations need tiles. None where `outermost`
  /// lies inside `innermost`: what accumulations alone carry out.
  Level outermost = Level::Kernel, innermost = Level::Thread;
  /// How many operands may follow those that have to be there, or
  /// `kAnyNumber`.
  uint8_t numOptionalOperands = 0;
  static constexpr uint8_t kAnyNumber = 255;

  bool takes(size_t count) const {
    return count >= numOperands &&
           (numOptionalOperands == kAnyNumber ||
            count <= size_t(numOperands) + numOptionalOperands);
  }
  bool existsAt(Level level) const {
    return outermost <= level && level <= innermost;
  }
  /// Whether `finish` uses the number of elements, as a mean does; `count` has
  /// a meaning for these alone.
  bool averages() const;
  /// How many numbers an accumulation carries for each element of its result.
  unsigned getNumCarried() const {
    return combiner == Combiner::Moments ? 3 : 1;
  }
};

const OperatorInfo &getOperatorInfo(Opcode opcode);
llvm::ArrayRef<OperatorInfo> getOperatorTable(); ///< in the order of Opcode
std::optional<Opcode> parseOpcode(llvm::StringRef name);

/// Whether each element of a result is made of one of each operand, the one in
/// its place or, where a dimension is stretched, the only one.
inline bool isElementwise(Opcode opcode) {
  return getOperatorInfo(opcode).kind == OperatorKind::Elementwise ||
         opcode == Opcode::Cast || opcode == Opcode::Broadcast;
}

inline bool isReduction(Opcode opcode) {
  return getOperatorInfo(opcode).kind == OperatorKind::Reduction;
}

/// A place that tiles are cut by: an axis of the grid, or the loop.
/// In a thread graph the grid counts the work items that the warps share.
enum class Axis : uint8_t { X, Y, Z, Loop };
llvm::StringRef getAxisName(Axis axis); // "x", "y", "z", "loop"
std::optional<Axis> parseAxis(llvm::StringRef name);

/// Compile-time arguments of one operation; what each opcode uses is said
/// beside the field.
struct Attributes {
  /// Elementwise: the row's parameters, in order. Mask: the constant.
  llvm::SmallVector<double, 2> scalars;
  /// Reductions, norms and softmax: the reduced dimensions, ascending.
  /// Transpose: the permutation. Mask and Concat: the one dimension. Shuffle:
  /// how far apart elements change places, by dimension. Accumulate: dimensions
  /// that are reduced as well, ascending, or none.
  llvm::SmallVector<int64_t, 4> dims;
  /// Mean and Rms, and Accumulate with these: how many elements the result
  /// averages; 0 means as many as there are (which padding would falsify).
  /// Read by `getAveragedCount`.
  int64_t count = 0;
  /// Accumulate: the reduction that is carried out, one with kind Reduction.
  Opcode reduction = Opcode::Sum;
  /// Accumulate: the axis that is joined.
  Axis axis = Axis::Loop;
  /// Mask: the axes that cut the dimension, outermost first, and the extent of
  /// the whole dimension. Element `i` of the tile at coordinates c is element
  /// `linear(c) · tile + i` of the dimension; from `extent` on it is masked.
  /// CausalMask: the axes that cut the rows; none at the kernel level.
  llvm::SmallVector<Axis, 2> axes;
  int64_t extent = 0;
  /// CausalMask: the axes that cut the columns.
  llvm::SmallVector<Axis, 2> columnAxes;
  /// CausalMask: how far the last kept column of a row lies behind the row's
  /// own number, counted in the whole tensor.
  int64_t offset = 0;
  /// Slice: by dimension, the operand's index of the first element, and how far
  /// neighbours are apart.
  llvm::SmallVector<int64_t, 4> offsets, strides;

  bool operator==(const Attributes &other) const;
};

/// How many elements each result of a reduction or accumulation averages:
/// `count` if it is stated, else all that are joined.
/// \param operand  the shape of which `dims` are reduced.
/// \param numOperands  how many operands of that shape are joined: the extent
///                    of an accumulation's axis.
int64_t getAveragedCount(const Attributes &attributes,
                         llvm::ArrayRef<int64_t> operand,
                         int64_t numOperands = 1);

/// The row-major number of the element that a Shuffle puts at number `index`:
/// its coordinates are those of `index`, exclusive or `offset`.
int64_t shuffleIndex(int64_t index, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> offset);

/// The shape of an operation's result, or an error that says what was expected
/// and found. `resultShape` is read by Constant, Reshape, Broadcast, Slice and
/// Repeat, which state it.
/// Operand counts, attributes and shapes are all checked; Graph has no shape
/// rule of its own.
llvm::Expected<Shape> inferShape(Opcode opcode, const Attributes &attributes,
                                 llvm::ArrayRef<TensorSpec> operands,
                                 llvm::ArrayRef<int64_t> resultShape = {});

/// The element type of a result inside a tile graph: f32, but for movements,
/// which keep their operand's (Cast states its own).
ElementType inferTileElement(Opcode opcode,
                             llvm::ArrayRef<TensorSpec> operands);

/// Floating-point operations of one operation, by the definition: 2·M·N·K for
/// a matmul, arithmetic of the term times elements otherwise; a composed
/// operator's are those of its definition.
int64_t countFlops(Opcode opcode, const Attributes &attributes,
                   llvm::ArrayRef<TensorSpec> operands,
                   const TensorSpec &result);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_OPERATORS_H
