//===- FakeState.cpp - What the fake driver holds -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>
#include <unistd.h>

using namespace fake;

std::optional<std::string> fake::getSetting(llvm::StringRef name) {
  const char *text = std::getenv("FAKE_CUDA");
  for (llvm::StringRef setting : llvm::split(text ? text : "", ',')) {
    auto [key, value] = setting.split('=');
    if (key == name)
      return value.str();
  }
  return std::nullopt;
}

int64_t fake::getNumber(llvm::StringRef name, int64_t otherwise) {
  std::optional<std::string> text = getSetting(name);
  int64_t number = 0;
  return text && llvm::to_integer(*text, number) ? number : otherwise;
}

bool fake::plays(llvm::StringRef name, llvm::StringRef kernel) {
  return getSetting(name) == kernel.str();
}

int64_t fake::getNumberOf(llvm::StringRef name, llvm::StringRef kernel,
                          int64_t otherwise) {
  std::string text = getSetting(name).value_or("");
  auto [played, number] = llvm::StringRef(text).split(':');
  int64_t value = 0;
  return played == kernel && llvm::to_integer(number, value) ? value
                                                             : otherwise;
}

State &fake::getState() {
  static State state;
  return state;
}

/// There is a report where nothing was called, too.
static const State &made = getState();

State::~State() {
  if (getSetting("report"))
    fprintf(stderr,
            "fake driver: %zu allocations, %zu objects, %d contexts left\n",
            memory.size(), objects.size(), contexts);
}

static thread_local CUcontext currentContext = nullptr;

void fake::setContext(CUcontext context) { currentContext = context; }
CUcontext fake::getContext() { return currentContext; }

CUresult fake::checkContext() {
  return currentContext ? kSuccess : kInvalidContext;
}

CUresult fake::enqueue(Work work) {
  State &state = getState();
  if (CUresult result = checkContext())
    return result;
  if (state.failure)
    return state.failure;
  if (!state.isCapturing)
    return work();
  state.captured.push_back(std::move(work));
  return kSuccess;
}

CUresult fake::wait() {
  if (CUresult result = checkContext())
    return result;
  if (getState().isCapturing)
    return kCaptureUnsupported;
  while (getState().hangs)
    pause();
  return getState().failure;
}

/// For the library that is played: puts work into the stream.
FAKE CUresult fakeEnqueue(void (*work)(void *), void *argument) {
  return enqueue([=] {
    constexpr double kMatmulUs = 2;
    work(argument);
    getState().clockUs += kMatmulUs;
    ++getState().generation;
    return kSuccess;
  });
}
