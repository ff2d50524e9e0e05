//===- WarpgroupProducts.cpp - Products of four warps together ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma (PTX ISA 9.7.15) runs beside the warps that started it, on registers
// that they must not touch meanwhile. All instructions of one product are one
// statement here, from the fence to the wait, so that nothing comes between. Of
// a graph in flight the wait is a statement of its own, mirage_thread.await,
// which has the result's registers as operands and as results: to LLVM, too,
// what is read behind it is nothing that was there before.
//
//===----------------------------------------------------------------------===//

#include "GraphLowering.h"
#include "Mirage/Analysis/AheadProducts.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Conversion/SwizzledTiles.h"
#include "Mirage/Layout/MatrixDescriptor.h"
#include "OperandForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::mirage;

/// Of k that one instruction takes, in elements of 16 bits.
static constexpr int64_t kStep = kMatrixStepBytes / 2;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

namespace {
/// Operands of a statement by their numbers, which constraints and text share.
struct Statement {
  unsigned numResults;
  bool addsUp; ///< results start from an accumulator
  unsigned numSteps;
  bool waits;
  bool isLhsInPlace; ///< the left operand has descriptors, too
  MatrixMajor lhsMajor, rhsMajor;

  unsigned getFirstLhs() const { return addsUp ? 2 * numResults : numResults; }
  /// Of a step: registers, or a descriptor.
  unsigned getLhsSize() const { return isLhsInPlace ? 1 : 4; }
  unsigned getFirstRhs() const {
    return getFirstLhs() + getLhsSize() * numSteps;
  }
  std::string getConstraints() const;
  std::string getLhs(unsigned step) const;
  std::string getText(int64_t columns, StringRef type) const;
};
} // namespace

std::string mlir::mirage::waitForProducts(int64_t numPending) {
  return llvm::formatv("wgmma.wait_group.sync.aligned {0};", numPending);
}

static std::string listOperands(unsigned first, unsigned count) {
  std::string list;
  for (unsigned number : llvm::seq(first, first + count))
    list += (list.empty() ? "$" : ", $") + std::to_string(number);
  return "{" + list + "}";
}

/// Results are written while operands are still to be read.
std::string Statement::getConstraints() const {
  SmallVector<std::string> list(numResults, addsUp ? "=f" : "=&f");
  if (addsUp)
    for (unsigned number = 0; number < numResults; ++number)
      list.push_back(std::to_string(number));
  list.append(getLhsSize() * numSteps, isLhsInPlace ? "l" : "r");
  list.append(numSteps, "l");
  list.push_back("~{memory}");
  return llvm::join(list, ",");
}

std::string Statement::getLhs(unsigned step) const {
  unsigned first = getFirstLhs() + getLhsSize() * step;
  return isLhsInPlace ? "$" + std::to_string(first) : listOperands(first, 4);
}

/// Behind the predicate come factors of the operands, 1 or -1, and which of
/// those in shared memory are MN-major.
std::string Statement::getText(int64_t columns, StringRef type) const {
  std::string flags = "1, 1";
  if (isLhsInPlace)
    flags += lhsMajor == MatrixMajor::MN ? ", 1" : ", 0";
  flags += rhsMajor == MatrixMajor::MN ? ", 1" : ", 0";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\n.reg .pred first, later;\nsetp.ne.b32 first, " << addsUp
     << ", 0;\nsetp.ne.b32 later, 1, 0;\nwgmma.fence.sync.aligned;\n";
  std::string results = listOperands(0, numResults);
  for (unsigned step = 0; step < numSteps; ++step)
    os << "wgmma.mma_async.sync.aligned.m64n" << columns << "k" << kStep
       << ".f32." << type << "." << type << " " << results << ", "
       << getLhs(step) << ", $" << getFirstRhs() + step << ", "
       << (step == 0 ? "first" : "later") << ", " << flags << ";\n";
  os << "wgmma.commit_group.sync.aligned;\n";
  if (waits)
    os << waitForProducts(/*numPending=*/0) << "\n";
  os << "}";
  return text;
}

/// The registers of an accumulator in the order of the instruction: those of
/// eight columns after those of the eight before.
static SmallVector<unsigned> orderResults(const LinearLayout &layout) {
  LinearLayout tile = findMmaInstruction({16, 8, 16}, 16)->d;
  SmallVector<unsigned> numbers;
  for (int64_t column = 0; column < layout.getShape().back() / 8; ++column)
    llvm::append_range(numbers, findTileRegisters(layout, tile, 0, column));
  return numbers;
}

/// The registers of a left operand, of one step after the other.
SmallVector<Value> FragmentOps::packSteps(const Fragment &lhs,
                                          unsigned numSteps) {
  LinearLayout tile = findMmaInstruction({16, 8, 16}, 16)->a;
  SmallVector<Value> packed;
  for (unsigned step = 0; step < numSteps; ++step)
    for (Value pair : pack(lhs, findTileRegisters(lhs.layout, tile, 0, step)))
      packed.push_back(LLVM::BitcastOp::create(builder, location,
                                               builder.getI32Type(), pair));
  return packed;
}

static Value emitStatement(OpBuilder &builder, Location location, Type result,
                           ValueRange operands, StringRef text,
                           StringRef constraints) {
  return LLVM::InlineAsmOp::create(
             builder, location, result, operands, text, constraints,
             /*has_side_effects=*/true, /*is_align_stack=*/false,
             LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr::get(builder.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

/// Registers that the loop computes anew. ptxas 13.0 may give those of a left
/// operand that stays the same, and of a second product's, which changes, the
/// same numbers, and from the second iteration on the first product reads what
/// the second one has left (seen in SASS, and as NaN on an H200; 13.2 does
/// not). It sees through moves, and not that no grid has 2^31 blocks along z.
static void renew(OpBuilder &builder, Location location,
                  MutableArrayRef<Value> registers) {
  Type i32 = builder.getI32Type();
  Value zero =
      emitStatement(builder, location, i32, {},
                    "mov.u32 $0, %nctaid.z;\nshr.u32 $0, $0, 31;", "=r");
  for (Value &packed : registers)
    packed = emitStatement(builder, location, i32, {packed, zero},
                           "or.b32 $0, $1, $2;", "=r,r,r");
}

Fragment FragmentOps::multiplyByWarpgroup(const WarpgroupOperands &product,
                                          const Fragment &accumulator,
                                          const LinearLayout &layout,
                                          bool waits) {
  SmallVector<unsigned> order = orderResults(layout);
  const DescribedOperand &rhs = product.rhs;
  Statement statement{static_cast<unsigned>(order.size()),
                      !accumulator.registers.empty(),
                      static_cast<unsigned>(rhs.descriptors.size()),
                      waits,
                      !product.lhsFragment,
                      product.lhs.major,
                      rhs.major};
  SmallVector<Value> operands;
  if (statement.addsUp)
    for (unsigned number : order)
      operands.push_back(accumulator.registers[number]);
  if (product.lhsFragment) {
    SmallVector<Value> packed =
        packSteps(*product.lhsFragment, rhs.descriptors.size());
    if (product.isLhsKept)
      renew(builder, location, packed);
    llvm::append_range(operands, packed);
  } else {
    llvm::append_range(operands, product.lhs.descriptors);
  }
  llvm::append_range(operands, rhs.descriptors);
  Type resultType = LLVM::LLVMStructType::getLiteral(
      builder.getContext(),
      SmallVector<Type>(order.size(), builder.getF32Type()));
  Value results =
      emitStatement(builder, location, resultType, operands,
                    statement.getText(layout.getShape().back(),
                                      product.isBF16 ? "bf16" : "f16"),
                    statement.getConstraints());
  Fragment sum = startSum(builder, location, accumulator, layout);
  for (auto [position, number] : llvm::enumerate(order))
    sum.registers[number] = LLVM::ExtractValueOp::create(
        builder, location, results, static_cast<int64_t>(position));
  return sum;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

LogicalResult GraphLowering::checkInFlight() {
  // What came before may be what the accumulators start from.
  bool startsFromBefore = false;
  for (thread::AccumulateOp sum : accumulates) {
    std::optional<JoinedSum> joined = getJoinedSum(sum);
    startsFromBefore |= joined && isSumOfProduct(sum) &&
                        getStore(graph).getOperand() == joined->sum.getResult();
  }
  // Warps wait for as many products as they have started, of which all have as
  // many.
  if (graph->getNumResults() == 1 && header.loop == 1 && deal->isEven() &&
      (isOnlyProduct(graph) || startsFromBefore))
    return success();
  return graph.emitOpError()
         << "expects, where '" << kInFlightAttr
         << "' is stated, one step whose only result is a product of four "
            "warps, held in f32 as it is, of which all warps have as much";
}

/// What a descriptor can say of an operand in place, beside what the op's own
/// verifier asks for: no zeros beyond the tile, and no parts of panels.
LogicalResult GraphLowering::checkOperandWindow(thread::WgmmaOp op,
                                                bool isLhs) {
  StringRef name = isLhs ? "lhs" : "rhs";
  std::optional<thread::OperandWindow> operand =
      thread::findOperandWindow(isLhs ? op.getLhs() : op.getRhs(), isLhs);
  std::optional<BoxedTile> boxed =
      operand ? findSwizzled(graph, operand->window.getArgNumber())
              : std::nullopt;
  if (!boxed || !readForm(graph, operand->window.getArgNumber()).isBoxed())
    return op.emitOpError()
           << "expects a window of a tile that is swizzled, as "
              "the copy engine loads it, as "
           << name << " ('" << kInputSwizzlesAttr << "')";
  unsigned input = operand->window.getArgNumber();
  auto tile = cast<ShapedType>(graph.getInputs()[input].getType());
  auto window = cast<ShapedType>(operand->window.getType());
  for (int64_t dim = 0; dim < window.getRank(); ++dim)
    if (!header.areWhole(header.getCuttingAxes(input, dim),
                         window.getDimSize(dim), tile.getDimSize(dim)))
      return op.emitOpError() << "expects a tile of whole windows as " << name
                              << ", got " << tile << " of " << window;
  // Four left windows that lie side by side are one panel, as the tile has a
  // multiple of 64 then.
  int64_t columns = window.getShape().back();
  bool keepsPanels = operand->isKMajor()
                         ? boxed->keepToPanels(columns)
                         : isLhs || boxed->areWholePanels(columns);
  if (keepsPanels)
    return success();
  return op.emitOpError() << "expects windows that keep to panels of "
                          << boxed->pitchElements << " columns as " << name
                          << ", got " << columns;
}

LogicalResult GraphLowering::checkWarpgroupProduct(thread::WgmmaOp op) {
  if (numThreads && *numThreads % (kWarpsOfGroup << kLaneBits) != 0)
    return op.emitOpError() << "expects a block of whole warpgroups, got "
                            << *numThreads << " threads";
  if (deal && !deal->isOneEach() && deal->getNumShares() % kWarpsOfGroup != 0)
    return op.emitOpError() << "expects shares of whole warpgroups, got "
                            << deal->getNumShares();
  if (!thread::getFragmentLayout(op.getLhs().getType()) &&
      failed(checkOperandWindow(op, /*isLhs=*/true)))
    return failure();
  return checkOperandWindow(op, /*isLhs=*/false);
}

/// Where a window starts, or on the left the first of the windows that four
/// neighbours have. The swizzle is one of addresses, and not looked at: pieces
/// of a window's first row lie where a multiple of eight rows does.
Value GraphLowering::emitWindowAddress(const thread::OperandWindow &operand,
                                       const BoxedTile &boxed) {
  unsigned input = operand.window.getArgNumber();
  SmallVector<Value, 4> ofWindow = coordinates;
  if (Value &last = ofWindow[header.grid.size() - 1]; operand.isLhs && last)
    last = arith::AndIOp::create(builder, location, last,
                                 emitIndex(builder, location, -kWarpsOfGroup));
  SmallVector<Value> origin;
  ArrayRef<int64_t> shape =
      cast<ShapedType>(operand.window.getType()).getShape();
  for (auto [dim, size] : llvm::enumerate(shape))
    origin.push_back(
        emitOrigin(header.getCuttingAxes(input, dim), size, ofWindow));
  Value tile = graph.getInputs()[input];
  BoxedPosition position =
      emitBoxedPosition(builder, location, boxed,
                        cast<MemRefType>(tile.getType()).getShape(), origin);
  Value start = arith::AddIOp::create(builder, location, position.rowStart,
                                      position.column);
  Value bytes =
      arith::MulIOp::create(builder, location, start,
                            emitIndex(builder, location, boxed.elementBytes));
  return arith::AddIOp::create(
      builder, location,
      memref::ExtractAlignedPointerAsIndexOp::create(builder, location, tile),
      bytes);
}

/// By step of k. Where k runs along the tile's rows (K-major), steps are 32
/// bytes apart, in one panel after the other; else (MN-major) 16 rows.
DescribedOperand GraphLowering::describe(const thread::OperandWindow &operand) {
  BoxedTile boxed = *findSwizzled(graph, operand.window.getArgNumber());
  int64_t span = getSpanBytes(boxed.swizzle), panelBytes = boxed.numRows * span;
  bool isKMajor = operand.isKMajor();
  MatrixDescriptor form;
  form.swizzle = boxed.swizzle;
  form.strideBytes = 8 * span;
  // With a swizzle, rows of k need no other stride.
  form.leadingBytes = isKMajor ? kMatrixPieceBytes : panelBytes;
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, location, i64, value);
  };
  Value address = arith::IndexCastOp::create(builder, location, i64,
                                             emitWindowAddress(operand, boxed));
  // Above these bits an address has the block's rank in its cluster: so ptxas
  // makes them, and a matrix descriptor has no place for it (PTX ISA,
  // "Matrix Descriptor").
  Value inBlock = arith::AndIOp::create(builder, location, address,
                                        constant(kMatrixStartLimit - 1));
  Value start = arith::ShRUIOp::create(builder, location, inBlock, constant(4));
  Value first =
      arith::AddIOp::create(builder, location, start, constant(form.encode()));
  DescribedOperand described{{}, isKMajor ? MatrixMajor::K : MatrixMajor::MN};
  int64_t pitch = boxed.pitchElements;
  for (int64_t k = 0; k < operand.getSize(operand.getKDim()); k += kStep) {
    int64_t distance = isKMajor ? k / pitch * panelBytes +
                                      k % pitch * int64_t(boxed.elementBytes)
                                : k * span;
    described.descriptors.push_back(arith::AddIOp::create(
        builder, location, first, constant(distance >> 4)));
  }
  return described;
}

/// Whether a left operand is loaded from what is held, and was before the loop.
bool GraphLowering::isKeptByLoop(Value lhs) {
  auto load = lhs.getDefiningOp<thread::LoadOp>();
  auto window = load ? dyn_cast<BlockArgument>(load.getOperand()) : nullptr;
  auto loop = graph->getParentOfType<scf::ForOp>();
  if (!window || !loop || !isHeld(window.getArgNumber()))
    return false;
  Value held = graph.getInputs()[window.getArgNumber()];
  return !loop.getRegion().isAncestor(held.getParentRegion());
}

Fragment GraphLowering::multiplyTogether(thread::WgmmaOp op,
                                         const Fragment &accumulator,
                                         const LinearLayout &layout) {
  auto type = cast<RankedTensorType>(op.getLhs().getType());
  WarpgroupOperands operands;
  operands.isBF16 = type.getElementType().isBF16();
  if (auto window = thread::findOperandWindow(op.getLhs(), /*isLhs=*/true))
    operands.lhs = describe(*window);
  else
    operands.lhsFragment = &get(op.getLhs());
  bool waits = !graph->hasAttr(kInFlightAttr);
  operands.isLhsKept = waits && isKeptByLoop(op.getLhs());
  operands.rhs =
      describe(*thread::findOperandWindow(op.getRhs(), /*isLhs=*/false));
  return ops.multiplyByWarpgroup(operands, accumulator, layout, waits);
}
