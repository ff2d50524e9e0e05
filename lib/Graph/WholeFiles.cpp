//===- WholeFiles.cpp - Files that are read and written as one ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/WholeFiles.h"
#include "Mirage/Graph/JSONCursor.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <unistd.h>

using namespace mlir::mirage;
namespace fs = llvm::sys::fs;

std::string mlir::mirage::joinPath(llvm::StringRef folder,
                                   llvm::StringRef name) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

llvm::Error mlir::mirage::createFolder(llvm::StringRef path) {
  std::error_code code =
      fs::create_directories(path, /*IgnoreExisting=*/true, fs::all_all);
  if (!code)
    return llvm::Error::success();
  return llvm::createStringError(
      code, path + ": cannot be created: " + code.message());
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// A stream ends the process if it goes and nobody has asked how it went.
static std::error_code writePieces(llvm::raw_fd_ostream &os,
                                   llvm::ArrayRef<llvm::StringRef> pieces) {
  for (llvm::StringRef piece : pieces)
    os << piece;
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  return code;
}

static std::error_code writeInPlace(llvm::StringRef path,
                                    llvm::ArrayRef<llvm::StringRef> pieces) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  return code ? code : writePieces(os, pieces);
}

namespace {
/// A new file beside another one, whose name it takes or which it leaves alone.
/// LLVM's own puts random letters in the place of each % of a path.
class FileBeside {
public:
  explicit FileBeside(llvm::StringRef path) : path(path) {
    constexpr unsigned kAttempts = 128; // at a name that nobody has
    for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
      name = llvm::formatv("{0}.{1:x-8}", path,
                           llvm::sys::Process::GetRandomNumber());
      error = fs::openFileForWrite(name, file, fs::CD_CreateNew);
      if (error != std::errc::file_exists)
        break;
    }
    if (!error)
      llvm::sys::RemoveFileOnSignal(name);
  }
  FileBeside(const FileBeside &) = delete;
  FileBeside &operator=(const FileBeside &) = delete;

  ~FileBeside() {
    if (error)
      return;
    ::close(file);
    if (!isKept)
      fs::remove(name);
    llvm::sys::DontRemoveFileOnSignal(name);
  }

  std::error_code replace(llvm::ArrayRef<llvm::StringRef> pieces) {
    llvm::raw_fd_ostream os(file, /*shouldClose=*/false);
    if (std::error_code code = writePieces(os, pieces))
      return code;
    std::error_code code = fs::rename(name, path);
    isKept = !code;
    return code;
  }

  std::error_code error; ///< why there is none

private:
  std::string path, name;
  int file = -1;
  bool isKept = false;
};
} // namespace

static std::error_code write(llvm::StringRef path,
                             llvm::ArrayRef<llvm::StringRef> pieces) {
  if (fs::exists(path) && !fs::is_regular_file(path))
    return writeInPlace(path, pieces);
  FileBeside beside(path);
  return beside.error ? writeInPlace(path, pieces) : beside.replace(pieces);
}

static llvm::Error explainWrite(llvm::StringRef path, std::error_code code) {
  if (!code)
    return llvm::Error::success();
  return llvm::createStringError(
      code, path + ": cannot be written: " + code.message());
}

llvm::Error
mlir::mirage::writeWholeFile(llvm::StringRef path,
                             llvm::ArrayRef<llvm::StringRef> pieces) {
  return explainWrite(path, write(path, pieces));
}

llvm::Error
mlir::mirage::replaceWholeFile(llvm::StringRef path,
                               llvm::ArrayRef<llvm::StringRef> pieces) {
  FileBeside beside(path);
  return explainWrite(path,
                      beside.error ? beside.error : beside.replace(pieces));
}

/// Either the file that is there can be written in place, or its folder takes
/// one beside it.
static std::error_code tryToWrite(llvm::StringRef path) {
  if (fs::is_directory(path))
    return std::make_error_code(std::errc::is_a_directory);
  if (fs::exists(path) && !fs::access(path, fs::AccessMode::Write))
    return std::error_code();
  return FileBeside(path).error;
}

llvm::Error mlir::mirage::checkWritable(llvm::StringRef path) {
  return explainWrite(path, tryToWrite(path));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static llvm::Error makeReadError(llvm::StringRef path, const llvm::Twine &why) {
  return llvm::createStringError(path + ": cannot be read: " + why);
}

static llvm::Error makeReadError(llvm::StringRef path) {
  return makeReadError(path, llvm::errnoAsErrorCode().message());
}

/// Bytes behind what there is; 0 at the end, negative on an error.
static ssize_t readMore(int file, llvm::SmallVectorImpl<char> &bytes) {
  constexpr size_t kPiece = 1 << 16;
  size_t size = bytes.size();
  bytes.resize_for_overwrite(size + kPiece);
  ssize_t count = llvm::sys::RetryAfterSignal(-1, ::read, file,
                                              bytes.data() + size, kPiece);
  bytes.truncate(size + std::max<ssize_t>(count, 0));
  return count;
}

/// Opening a pipe waits for somebody who writes it, unless told not to; then
/// reading finds its end at once where there is nobody.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readPipe(llvm::StringRef path) {
  constexpr size_t kMostBytes = size_t(1) << 30;
  int file = llvm::sys::RetryAfterSignal(-1, ::open, path.str().c_str(),
                                         O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return makeReadError(path);
  llvm::scope_exit close([&] { ::close(file); });
  llvm::SmallVector<char, 0> bytes;
  ssize_t count = readMore(file, bytes);
  if (count == 0)
    return makeReadError(path, "a pipe that nobody writes");
  if (::fcntl(file, F_SETFL, 0) != 0) // from here on it waits
    return makeReadError(path);
  do {
    count = readMore(file, bytes);
    if (count < 0)
      return makeReadError(path);
    if (bytes.size() > kMostBytes)
      return makeReadError(path, "a pipe with more than 1 GiB");
  } while (count > 0);
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes),
                                                         path);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::mirage::readWholeFile(llvm::StringRef path) {
  fs::file_status status;
  if (!fs::status(path, status)) { // else reading says why
    if (status.type() == fs::file_type::fifo_file)
      return readPipe(path);
    if (status.type() != fs::file_type::regular_file &&
        status.type() != fs::file_type::directory_file)
      return makeReadError(path, "not a regular file");
  }
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (buffer)
    return std::move(*buffer);
  return llvm::createStringError(
      buffer.getError(),
      path + ": cannot be read: " + buffer.getError().message());
}

llvm::Expected<llvm::json::Value>
mlir::mirage::readJSONFile(llvm::StringRef path) {
  auto buffer = readWholeFile(path);
  if (!buffer)
    return buffer.takeError();
  llvm::Expected<llvm::json::Value> value = parseJSON((*buffer)->getBuffer());
  if (value)
    return value;
  return llvm::createStringError(path + ": expects JSON, got " +
                                 llvm::toString(value.takeError()));
}
