//===- FragmentVerifier.cpp - What operators ask of layouts ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Layout/FragmentRules.h"
#include "Mirage/Layout/Fragments.h"
#include "Mirage/Layout/MatrixInstructions.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;
using namespace mlir::mirage::thread;

//===----------------------------------------------------------------------===//
// Where values lie
//===----------------------------------------------------------------------===//

static LogicalResult expectFragment(Operation *op, Value value) {
  if (thread::getFragmentLayout(value.getType()))
    return success();
  return op->emitOpError()
         << "expects a fragment, with a #mirage_thread.layout, got "
         << value.getType();
}

static LogicalResult expectWindow(Operation *op, Value value) {
  if (!cast<RankedTensorType>(value.getType()).getEncoding())
    return success();
  return op->emitOpError() << "expects a window, without a layout, got "
                           << value.getType();
}

static LinearLayout getLayout(Value value) {
  return *thread::getFragmentLayout(value.getType());
}

static LogicalResult report(Operation *op, llvm::Error error) {
  if (!error)
    return success();
  return op->emitOpError() << llvm::toString(std::move(error));
}

//===----------------------------------------------------------------------===//
// Rows of the table
//===----------------------------------------------------------------------===//

/// By dimension of the operand, the dimension of the result that it is.
static SmallVector<int> getResultDims(Operation *op, Value operand) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(operand.getType()).getShape();
  auto transpose = dyn_cast<TransposeOp>(op);
  if (!transpose)
    return getBroadcastDims(
        shape, cast<RankedTensorType>(op->getResult(0).getType()).getRank());
  SmallVector<int> dims(shape.size());
  for (auto [to, from] : llvm::enumerate(transpose.getDims()))
    dims[from] = to;
  return dims;
}

static LogicalResult verifyLanesAgree(Operation *op) {
  LinearLayout result = getLayout(op->getResult(0));
  for (Value operand : op->getOperands())
    if (failed(report(op, checkLanesAgree(getLayout(operand), result,
                                          getResultDims(op, operand)))))
      return failure();
  return success();
}

/// Elements of a reshape keep their place in row-major order, and so do lanes.
static LogicalResult verifyReshape(ReshapeOp op) {
  LinearLayout result = getLayout(op.getResult());
  return report(
      op, checkLanesAgree(getLayout(op.getOperand()).reshape(result.getShape()),
                          result,
                          llvm::to_vector(llvm::seq<int>(result.getRank()))));
}

static LogicalResult verifyReduction(Operation *op, Opcode opcode) {
  Attributes attributes = readOperatorAttributes(op);
  return report(op,
                checkReduction(getLayout(op->getOperand(0)),
                               getLayout(op->getResult(0)), attributes.dims));
}

static LogicalResult verifyRow(Operation *op, Opcode opcode) {
  switch (getOperatorInfo(opcode).kind) {
  case OperatorKind::Elementwise:
    return verifyLanesAgree(op);
  case OperatorKind::Reduction:
  case OperatorKind::Accumulate:
    return verifyReduction(op, opcode);
  case OperatorKind::Contraction:
    return report(op, checkDotProducts(getLayout(op->getOperand(0)),
                                       getLayout(op->getOperand(1)),
                                       getLayout(op->getResult(0))));
  case OperatorKind::Movement:
    if (auto reshape = dyn_cast<ReshapeOp>(op))
      return verifyReshape(reshape);
    return verifyLanesAgree(op);
  case OperatorKind::Copy:
  case OperatorKind::Composed:
  case OperatorKind::Graph:
    break;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Operators of this level alone
//===----------------------------------------------------------------------===//

static LogicalResult verifyLdmatrix(LdmatrixOp op) {
  // C2
  RankedTensorType type = op.getType();
  if (type.getElementTypeBitWidth() != 16)
    return op.emitOpError()
           << "expects elements of 16 bits, got " << type.getElementType();
  // C3
  if (!planMatrixLoad(getLayout(op)))
    return op.emitOpError() << "expects a fragment that is made of 8x8 "
                               "matrices, as operands of mma are, got "
                            << type;
  return success();
}

static LogicalResult verifyConvertLayout(ConvertLayoutOp op) {
  // C2
  auto countWarpBits = [](Value value) {
    return getLayout(value).getBases(LayoutInput::Warp).size();
  };
  unsigned from = countWarpBits(op.getOperand()), to = countWarpBits(op);
  if (from != to)
    return op.emitOpError() << "expects fragments of as many warps, got "
                            << (1u << from) << " and " << (1u << to);
  return success();
}

static LogicalResult verifyShuffle(ShuffleOp op) {
  // C2
  if (op.getOperand().getType() != op.getType())
    return op.emitOpError()
           << "expects operand and result of one type, got "
           << op.getOperand().getType() << " and " << op.getType();
  // C3
  if (!findShuffleMask(getLayout(op), op.getDims()))
    return op.emitOpError() << "expects coordinates that lane bits stand for, "
                               "got ["
                            << op.getDims() << "]";
  return success();
}

/// Windows lead to windows, and which operand is a fragment is said by the op.
static LogicalResult verifyCopy(Operation *op) {
  Value from = op->getOperand(0), to = op->getResult(0);
  bool readsRegisters = isa<StoreOp, ConvertLayoutOp>(op);
  bool writesRegisters = isa<LoadOp, LdmatrixOp, ConvertLayoutOp>(op);
  // C1
  if (failed(readsRegisters ? expectFragment(op, from)
                            : expectWindow(op, from)) ||
      failed(writesRegisters ? expectFragment(op, to) : expectWindow(op, to)))
    return failure();
  if (auto ldmatrix = dyn_cast<LdmatrixOp>(op))
    return verifyLdmatrix(ldmatrix);
  if (auto convert = dyn_cast<ConvertLayoutOp>(op))
    return verifyConvertLayout(convert);
  return success();
}

/// Where a tile lies nothing is moved: tensor cores read it so.
static LogicalResult verifyTransposedWindow(TransposeOp op) {
  // C4
  if (failed(expectWindow(op, op.getResult())))
    return failure();
  for (Operation *user : op->getUsers())
    if (!isa<WgmmaOp>(user))
      return op.emitOpError()
             << "expects the transpose of a window to be an operand of "
             << WgmmaOp::getOperationName() << " alone, got one of "
             << user->getName();
  return success();
}

/// Fragments of a graph's items are spread over the warps that share an item.
static LogicalResult verifyWarps(Operation *op) {
  auto graph = dyn_cast_or_null<mirage::thread::GraphOp>(op->getParentOp());
  auto layout = thread::getFragmentLayout(op->getResult(0).getType());
  if (!graph || !layout)
    return success();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!thread::getShareDeal(type).isOneEach())
    return op->emitOpError() << "expects a fragment of warps, which have no "
                                "shares, got "
                             << type;
  unsigned warps = 1u << layout->getBases(LayoutInput::Warp).size();
  if (warps << kLaneBits == graph.getThreads())
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError() << "expects a fragment of the "
                        << (graph.getThreads() >> kLaneBits)
                        << " warps that share an item, got one of " << warps;
  diagnostic.attachNote(graph.getLoc()) << "in this graph";
  return diagnostic;
}

LogicalResult mlir::mirage::thread::detail::verifyFragments(Operation *op) {
  if (failed(verifyWarps(op)))
    return failure();
  Opcode opcode = cast<OperatorOpInterface>(op).getTableOpcode();
  if (getOperatorInfo(opcode).kind == OperatorKind::Copy)
    return verifyCopy(op);
  if (isa<MmaOp, WgmmaOp>(op)) // their own verifiers
    return success();
  if (auto transpose = dyn_cast<TransposeOp>(op);
      transpose && !thread::getFragmentLayout(op->getOperand(0).getType()))
    return verifyTransposedWindow(transpose);
  for (Value value : op->getOperands())
    if (failed(expectFragment(op, value)))
      return failure();
  if (failed(expectFragment(op, op->getResult(0))))
    return failure();
  if (auto shuffle = dyn_cast<ShuffleOp>(op))
    return verifyShuffle(shuffle);
  return verifyRow(op, opcode);
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

static int64_t countRowBytes(RankedTensorType type) {
  return type.getShape().back() * type.getElementTypeBitWidth() / 8;
}

LogicalResult CpAsyncOp::verify() {
  // C2
  int64_t bytes = getBytes(), row = countRowBytes(getType());
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return emitOpError() << "expects copies of 4, 8 or 16 bytes, got " << bytes;
  if (row % bytes != 0)
    return emitOpError() << "expects rows of a multiple of " << bytes
                         << " bytes, got " << row;
  return success();
}

/// PTX ISA 5.5 (tensors) and 9.7.9.27 (cp.async.bulk.tensor).
static LogicalResult verifyBox(Operation *op, std::optional<int64_t> swizzle) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  // C2
  if (type.getRank() > 5)
    return op->emitOpError()
           << "expects a box of rank 1 to 5, got " << type.getRank();
  for (int64_t size : type.getShape())
    if (size > 256)
      return op->emitOpError()
             << "expects a box with sizes of at most 256, got ["
             << type.getShape() << "]";
  // C3
  int64_t row = countRowBytes(type);
  if (row % 16 != 0)
    return op->emitOpError()
           << "expects rows of a multiple of 16 bytes, got " << row;
  // C4
  if (!swizzle)
    return success();
  if (*swizzle != 32 && *swizzle != 64 && *swizzle != 128)
    return op->emitOpError()
           << "expects a swizzle of 32, 64 or 128 bytes, got " << *swizzle;
  if (row > *swizzle)
    return op->emitOpError() << "expects rows of at most " << *swizzle
                             << " bytes, which the swizzle has, got " << row;
  return success();
}

LogicalResult TmaLoadOp::verify() { return verifyBox(*this, getSwizzle()); }
LogicalResult TmaStoreOp::verify() { return verifyBox(*this, getSwizzle()); }

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

/// 16-bit elements of one type, 8-bit floats of any, or f32; an f32 result.
static LogicalResult verifyTensorCoreTypes(Operation *op) {
  auto element = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  Type lhs = element(op->getOperand(0)), rhs = element(op->getOperand(1));
  unsigned bits = lhs.getIntOrFloatBitWidth();
  bool isKnown =
      ((bits == 16 || lhs.isF32()) && lhs == rhs) ||
      (bits == 8 && rhs.isIntOrFloat() && rhs.getIntOrFloatBitWidth() == 8);
  if (!isKnown)
    return op->emitOpError()
           << "expects operands of one 16-bit type, of 8-bit floats or of "
              "f32, got "
           << lhs << " and " << rhs;
  if (!element(op->getResult(0)).isF32())
    return op->emitOpError()
           << "expects a result of f32, got " << element(op->getResult(0));
  return success();
}

static LogicalResult verifyTiles(Operation *op, Value value,
                                 const LinearLayout &tile, StringRef name) {
  if (failed(expectFragment(op, value)))
    return failure();
  if (llvm::Error error = checkTiles(getLayout(value), tile))
    return op->emitOpError()
           << name << ": " << llvm::toString(std::move(error));
  return success();
}

LogicalResult MmaOp::verify() {
  // C2
  if (failed(verifyTensorCoreTypes(*this)))
    return failure();
  // C3
  unsigned bits =
      cast<RankedTensorType>(getLhs().getType()).getElementTypeBitWidth();
  std::optional<MatrixInstruction> instruction =
      findMmaInstruction(getShape(), bits);
  if (!instruction)
    return emitOpError() << "expects the shape of an instruction for " << bits
                         << " bits: [16, 8, "
                         << (bits == 16  ? "8] or [16, 8, 16]"
                             : bits == 8 ? "32]"
                                         : "8]")
                         << ", got [" << getShape() << "]";
  // C4
  if (failed(verifyTiles(*this, getLhs(), instruction->a, "lhs")) ||
      failed(verifyTiles(*this, getRhs(), instruction->b, "rhs")))
    return failure();
  return verifyTiles(*this, getResult(), instruction->d, "result");
}

std::optional<OperandWindow>
mlir::mirage::thread::findOperandWindow(Value operand, bool isLhs) {
  auto transpose = operand.getDefiningOp<TransposeOp>();
  Value window = transpose ? transpose.getOperand() : operand;
  auto argument = dyn_cast<BlockArgument>(window);
  if (!argument || thread::getFragmentLayout(window.getType()))
    return std::nullopt;
  return OperandWindow{argument, isLhs, transpose != nullptr};
}

bool mlir::mirage::thread::isReadByWgmma(BlockArgument window) {
  auto isRead = [](Operation *user) {
    if (isa<TransposeOp>(user))
      return llvm::all_of(user->getUsers(), llvm::IsaPred<WgmmaOp>);
    return isa<WgmmaOp>(user);
  };
  return !window.use_empty() && llvm::all_of(window.getUsers(), isRead);
}

/// Operations in a graph are verified before its header is.
std::optional<int64_t>
mlir::mirage::thread::getLastMap(mirage::thread::GraphOp graph,
                                 BlockArgument window) {
  unsigned number = window.getArgNumber();
  if (number >= graph.getImaps().size())
    return std::nullopt;
  auto imap = dyn_cast<DenseI64ArrayAttr>(graph.getImaps()[number]);
  if (!imap || imap.empty())
    return std::nullopt;
  return imap.asArrayRef().back();
}

bool mlir::mirage::thread::followsLastAxis(mirage::thread::GraphOp graph,
                                           BlockArgument window, int64_t dim) {
  ArrayRef<int64_t> fmaps = graph.getFmaps();
  unsigned number = window.getArgNumber();
  return getLastMap(graph, window) == dim && number < fmaps.size() &&
         fmaps[number] != dim;
}

/// C6: what four warps share is the same for four items, and what each has of a
/// left operand in place is next to what the others have.
static LogicalResult verifyFours(WgmmaOp op) {
  auto graph = dyn_cast_or_null<mirage::thread::GraphOp>(op->getParentOp());
  auto lhs = findOperandWindow(op.getLhs(), /*isLhs=*/true);
  auto rhs = findOperandWindow(op.getRhs(), /*isLhs=*/false);
  if (!graph || !rhs)
    return success();
  ArrayRef<int64_t> grid = graph.getGrid();
  if (grid.empty() || grid.back() % kWarpsOfGroup != 0)
    return op.emitOpError()
           << "expects a last axis of a multiple of " << kWarpsOfGroup
           << " items, got items(" << grid << ")";
  // What has no map the graph itself is told of.
  std::optional<int64_t> map = getLastMap(graph, rhs->window);
  if (map && *map != kReplicated)
    return op.emitOpError() << "expects the same window of rhs along the last "
                               "axis, got one that moves along dimension "
                            << *map;
  if (!lhs || !getLastMap(graph, lhs->window) ||
      followsLastAxis(graph, lhs->window, lhs->getOuterDim()))
    return success();
  return op.emitOpError()
         << "expects windows of lhs that follow each other along dimension "
         << lhs->getOuterDim()
         << " with the last axis, which no loop cuts as well, got dimension "
         << *getLastMap(graph, lhs->window);
}

/// C4 of an operand that is read in place.
static LogicalResult verifyOperandWindow(WgmmaOp op, Value operand,
                                         StringRef name) {
  if (failed(expectWindow(op, operand)))
    return failure();
  auto transpose = operand.getDefiningOp<TransposeOp>();
  if (!transpose || exchangesRowsAndColumns(transpose.getDims()))
    return success();
  return op.emitOpError() << "expects the last two dimensions of " << name
                          << " to change places, got dims ["
                          << transpose.getDims() << "]";
}

LogicalResult WgmmaOp::verify() {
  // C2
  if (failed(verifyTensorCoreTypes(*this)))
    return failure();
  RankedTensorType type = getType(),
                   lhs = cast<RankedTensorType>(getLhs().getType());
  if (lhs.getElementTypeBitWidth() != 16)
    return emitOpError() << "expects operands of a 16-bit type, got "
                         << lhs.getElementType();
  // C3
  ArrayRef<int64_t> shape = type.getShape();
  int64_t m = shape.size() < 2 ? 0 : shape.end()[-2], n = shape.back();
  if (m != 16 || n < 8 || n > 256 || !llvm::isPowerOf2_64(n))
    return emitOpError() << "expects a result of 16 rows and 8 to 256 columns, "
                            "a power of two, got ["
                         << shape << "]";
  if (lhs.getShape().back() % 16 != 0)
    return emitOpError() << "expects rows of lhs of a multiple of 16, got "
                         << lhs.getShape().back();
  // C4
  MatrixInstruction instruction = *findMmaInstruction({16, 8, 16}, 16);
  LogicalResult isLhsRight =
      thread::getFragmentLayout(getLhs().getType())
          ? verifyTiles(*this, getLhs(), instruction.a, "lhs")
          : verifyOperandWindow(*this, getLhs(), "lhs");
  if (failed(isLhsRight) || failed(verifyOperandWindow(*this, getRhs(), "rhs")))
    return failure();
  // C5
  if (failed(verifyTiles(*this, getResult(), instruction.d, "result")))
    return failure();
  return verifyFours(*this);
}

LogicalResult AwaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        ValueRange operands, DictionaryAttr,
                                        OpaqueProperties, RegionRange,
                                        SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

LogicalResult AwaitOp::verify() {
  // C1
  for (Type type : getOperandTypes())
    if (!getFragmentLayout(type) ||
        !cast<RankedTensorType>(type).getElementType().isF32())
      return emitOpError() << "expects tensors of f32 with layouts, got "
                           << type;
  // C2
  if (static_cast<int64_t>(getPending()) < 0)
    return emitOpError() << "expects 0 or more items pending, got "
                         << static_cast<int64_t>(getPending());
  return success();
}

std::optional<unsigned> ClipOp::find(unsigned dim) {
  const int64_t *found = llvm::find(getDims(), int64_t(dim));
  if (found == getDims().end())
    return std::nullopt;
  return found - getDims().begin();
}

LogicalResult ClipOp::verify() {
  // C1
  auto type = cast<MemRefType>(getTile().getType());
  if (!type.hasStaticShape())
    return emitOpError() << "expects a tile of static shape, got " << type;
  // C2
  int64_t next = 0;
  for (int64_t dim : getDims()) {
    if (dim < next || dim >= type.getRank())
      return emitOpError() << "expects dimensions of " << type
                           << " that increase, got [" << getDims() << "]";
    next = dim + 1;
  }
  if (getSizes().size() != getDims().size() ||
      getMultiples().size() != getDims().size())
    return emitOpError() << "expects a size and a number for each of "
                         << getDims().size() << " dimensions, got "
                         << getSizes().size() << " and "
                         << getMultiples().size();
  // C3
  for (auto [dim, multiple] : llvm::zip_equal(getDims(), getMultiples()))
    if (multiple < 1 || type.getDimSize(dim) % multiple != 0)
      return emitOpError() << "expects a divisor of " << type.getDimSize(dim)
                           << ", the size of dimension " << dim << ", got "
                           << multiple;
  return success();
}
