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
#include "Mirage/Analysis/TileForms.h"
#include "Mirage/Layout/MatrixDescriptor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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
  if (product.lhsFragment)
    llvm::append_range(operands,
                       packSteps(*product.lhsFragment, rhs.descriptors.size()));
  else
    llvm::append_range(operands, product.lhs.descriptors);
  llvm::append_range(operands, rhs.descriptors);
  Type resultType = LLVM::LLVMStructType::getLiteral(
      builder.getContext(),
      SmallVector<Type>(order.size(), builder.getF32Type()));
  Value results = LLVM::InlineAsmOp::create(
                      builder, location, resultType, operands,
                      statement.getText(layout.getShape().back(),
                                        product.isBF16 ? "bf16" : "f16"),
                      statement.getConstraints(), /*has_side_effects=*/true,
                      /*is_align_stack=*/false, LLVM::TailCallKind::None,
                      LLVM::AsmDialectAttr::get(builder.getContext(),
                                                LLVM::AsmDialect::AD_ATT),
                      /*operand_attrs=*/ArrayAttr())
                      .getResult(0);
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
  if (graph->getNumResults() == 1 && header.loop == 1 &&
      (isOnlyProduct(graph) || startsFromBefore))
    return success();
  return graph.emitOpError()
         << "expects, where '" << kInFlightAttr
         << "' is stated, one step whose only result is a product of four "
            "warps, held in f32 as it is";
}

/// What a descriptor can say of an operand in place, beside what the op's own
/// verifier asks for: no zeros beyond the tile, and no part of a panel.
LogicalResult GraphLowering::checkOperandWindow(thread::WgmmaOp op,
                                                Value operand) {
  bool isLhs = operand == op.getLhs();
  StringRef name = isLhs ? "lhs" : "rhs";
  std::optional<thread::OperandWindow> found =
      thread::findOperandWindow(operand);
  std::optional<BoxedTile> boxed =
      found ? findBoxed(found->window.getArgNumber()) : std::nullopt;
  if (!boxed)
    return op.emitOpError() << "expects a window of a tile that the copy "
                               "engine has loaded as "
                            << name << " ('" << kInputSwizzlesAttr << "')";
  unsigned input = found->window.getArgNumber();
  auto tile = cast<ShapedType>(graph.getInputs()[input].getType());
  auto window = cast<ShapedType>(found->window.getType());
  for (int64_t dim = 0; dim < window.getRank(); ++dim)
    if (overhangs(header.getCuttingAxes(input, dim), window.getDimSize(dim),
                  tile.getDimSize(dim)))
      return op.emitOpError() << "expects a tile of whole windows as " << name
                              << ", got " << tile << " of " << window;
  int64_t columns = window.getShape().back();
  if (isLhs || found->getKFromBack(isLhs) == 0 ||
      columns % boxed->getPitchElements() == 0 || columns == boxed->rowElements)
    return success();
  return op.emitOpError() << "expects whole panels of "
                          << boxed->getPitchElements()
                          << " columns as rhs, got " << columns;
}

LogicalResult GraphLowering::checkWarpgroupProduct(thread::WgmmaOp op) {
  if (numThreads && *numThreads % (kWarpsOfGroup << kLaneBits) != 0)
    return op.emitOpError() << "expects a block of whole warpgroups, got "
                            << *numThreads << " threads";
  if (!thread::getFragmentLayout(op.getLhs().getType()) &&
      failed(checkOperandWindow(op, op.getLhs())))
    return failure();
  return checkOperandWindow(op, op.getRhs());
}

/// The first element of a window in its tile; of a left operand, the first of
/// the windows that four neighbours have, by the last axis of the items.
SmallVector<Value> GraphLowering::emitWindowOrigin(BlockArgument window,
                                                   bool isOfFour) {
  Value &last = coordinates[header.grid.empty() ? 0 : header.grid.size() - 1];
  Value own = last;
  if (isOfFour && own)
    last = arith::AndIOp::create(builder, location, own,
                                 emitIndex(builder, location, -kWarpsOfGroup));
  SmallVector<Value> origin;
  ArrayRef<int64_t> shape = cast<ShapedType>(window.getType()).getShape();
  for (auto [dim, size] : llvm::enumerate(shape))
    origin.push_back(
        emitOrigin(header.getCuttingAxes(window.getArgNumber(), dim), size));
  last = own;
  return origin;
}

/// The address of an element of a boxed tile in a row where the pattern of the
/// swizzle begins, or of its first row's pieces: where descriptors start.
Value GraphLowering::emitBoxedAddress(Value tile, const BoxedTile &boxed,
                                      ArrayRef<Value> origin) {
  auto type = cast<MemRefType>(tile.getType());
  auto constant = [&](int64_t value) {
    return emitIndex(builder, location, value);
  };
  auto multiply = [&](Value value, int64_t factor) -> Value {
    return arith::MulIOp::create(builder, location, value, constant(factor));
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return arith::AddIOp::create(builder, location, lhs, rhs);
  };
  int64_t span = getSpanBytes(boxed.swizzle), pitch = boxed.getPitchElements();
  Value row = constant(0);
  for (auto [start, size] :
       llvm::zip_equal(origin.drop_back(), type.getShape().drop_back())) {
    row = multiply(row, size);
    if (start)
      row = add(row, start);
  }
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, location, tile);
  address = add(address, multiply(row, span));
  Value column = origin.back();
  if (!column)
    return address;
  Value panel =
      arith::DivUIOp::create(builder, location, column, constant(pitch));
  Value within =
      arith::RemUIOp::create(builder, location, column, constant(pitch));
  address = add(address, multiply(panel, boxed.numRows * span));
  return add(address, multiply(within, boxed.elementBytes));
}

/// By step of k. Where k runs along the tile's rows (K-major), steps are 32
/// bytes apart, in one panel after the other; else (MN-major) 16 rows.
DescribedOperand GraphLowering::describe(const thread::OperandWindow &operand,
                                         bool isLhs) {
  unsigned input = operand.window.getArgNumber();
  BoxedTile boxed = *findBoxed(input);
  int64_t span = getSpanBytes(boxed.swizzle), panelBytes = boxed.numRows * span;
  unsigned kFromBack = operand.getKFromBack(isLhs);
  MatrixDescriptor form;
  form.swizzle = boxed.swizzle;
  form.strideBytes = 8 * span;
  // With a swizzle, rows of k need no other stride.
  form.leadingBytes = kFromBack == 0 ? kMatrixPieceBytes : panelBytes;
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, location, i64, value);
  };
  Value address = emitBoxedAddress(graph.getInputs()[input], boxed,
                                   emitWindowOrigin(operand.window, isLhs));
  Value start = arith::ShRUIOp::create(
      builder, location,
      arith::IndexCastOp::create(builder, location, i64, address), constant(4));
  Value first =
      arith::AddIOp::create(builder, location, start, constant(form.encode()));
  DescribedOperand described{{},
                             kFromBack == 0 ? MatrixMajor::K : MatrixMajor::MN};
  int64_t size = cast<ShapedType>(operand.window.getType())
                     .getShape()
                     .drop_back(kFromBack)
                     .back();
  for (int64_t k = 0; k < size; k += kStep) {
    int64_t pitch = boxed.getPitchElements();
    int64_t distance =
        kFromBack != 0
            ? k * span
            : k / pitch * panelBytes + k % pitch * int64_t(boxed.elementBytes);
    described.descriptors.push_back(arith::AddIOp::create(
        builder, location, first, constant(distance >> 4)));
  }
  return described;
}

Fragment GraphLowering::multiplyTogether(thread::WgmmaOp op,
                                         const Fragment &accumulator,
                                         const LinearLayout &layout) {
  auto type = cast<RankedTensorType>(op.getLhs().getType());
  WarpgroupOperands operands;
  operands.isBF16 = type.getElementType().isBF16();
  if (auto window = thread::findOperandWindow(op.getLhs()))
    operands.lhs = describe(*window, /*isLhs=*/true);
  else
    operands.lhsFragment = &get(op.getLhs());
  operands.rhs =
      describe(*thread::findOperandWindow(op.getRhs()), /*isLhs=*/false);
  return ops.multiplyByWarpgroup(operands, accumulator, layout,
                                 /*waits=*/!graph->hasAttr(kInFlightAttr));
}
