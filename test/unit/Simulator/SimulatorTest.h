//===- SimulatorTest.h - Fixtures of the simulator's tests ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TEST_UNIT_SIMULATOR_SIMULATORTEST_H
#define TILEWRIGHT_TEST_UNIT_SIMULATOR_SIMULATORTEST_H

#include "tilewright/Simulator/Launch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

namespace tilewright::sim {

inline Module parseOrDie(std::string ptx) {
  llvm::Expected<Module> module = Module::parse(std::move(ptx));
  if (module)
    return *module;
  ADD_FAILURE() << llvm::toString(module.takeError());
  return Module();
}

/// A file of test/Simulator/kernels.
inline Module loadKernels(llvm::StringRef name) {
  auto buffer = llvm::MemoryBuffer::getFile(
      llvm::Twine(TILEWRIGHT_SIMULATOR_KERNELS) + "/" + name);
  if (!buffer) {
    ADD_FAILURE() << "cannot read " << name.str();
    return Module();
  }
  return parseOrDie((*buffer)->getBuffer().str());
}

/// Wraps a body in a module with one kernel, "test", of three pointers and an
/// integer, and common registers: %r<64>, %rd<64>, %h<32>, %f<64>, %d<32> and
/// %p<16>.
inline std::string wrapKernel(const std::string &body,
                              const std::string &globals = "",
                              const std::string &target = "sm_90a") {
  return ".version 8.8\n.target " + target + "\n.address_size 64\n" + globals +
         "\n.visible .entry test(.param .u64 a, .param .u64 b, .param .u64 c, "
         ".param .u32 n) {\n.reg .b32 %r<64>;\n.reg .b64 %rd<64>;\n"
         ".reg .b16 %h<32>;\n.reg .f32 %f<64>;\n.reg .f64 %d<32>;\n"
         ".reg .pred %p<16>;\n" +
         body + "\nret;\n}\n";
}

/// A device with helpers for typed buffers.
class DeviceTest : public testing::Test {
protected:
  template <class T> uint64_t upload(llvm::ArrayRef<T> data) {
    const uint64_t address = blank<T>(data.size());
    llvm::cantFail(
        device.write(address, {reinterpret_cast<const uint8_t *>(data.data()),
                               data.size() * sizeof(T)}));
    return address;
  }
  template <class T> uint64_t upload(const std::vector<T> &data) {
    return upload(llvm::ArrayRef<T>(data));
  }
  /// Uninitialised memory for `count` values.
  template <class T> uint64_t blank(size_t count) {
    return llvm::cantFail(device.allocate(count * sizeof(T)));
  }
  template <class T> std::vector<T> download(uint64_t address, size_t count) {
    std::vector<T> data(count);
    llvm::cantFail(
        device.read(address, {reinterpret_cast<uint8_t *>(data.data()),
                              count * sizeof(T)}));
    return data;
  }
  /// Launches and expects the launch itself to be possible.
  LaunchReport run(const Module &module, llvm::StringRef kernel, Dim3 grid,
                   Dim3 block, const ArgumentBlock &arguments,
                   uint64_t dynamicShared = 0) {
    auto report = launch(module, kernel, device, grid, block, dynamicShared,
                         arguments.bytes(), options);
    if (report)
      return *report;
    ADD_FAILURE() << llvm::toString(report.takeError());
    return LaunchReport();
  }
  /// The same, and expects no finding.
  LaunchReport runClean(const Module &module, llvm::StringRef kernel, Dim3 grid,
                        Dim3 block, const ArgumentBlock &arguments,
                        uint64_t dynamicShared = 0) {
    LaunchReport report =
        run(module, kernel, grid, block, arguments, dynamicShared);
    EXPECT_TRUE(report.completed);
    for (const Finding &finding : report.findings)
      ADD_FAILURE() << describe(finding);
    return report;
  }
  static std::string describe(const Finding &finding) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << finding;
    return text;
  }
  /// The kinds of the findings, each once: a race may show at both sides.
  static std::set<FindingKind> kinds(const LaunchReport &report) {
    std::set<FindingKind> found;
    for (const Finding &finding : report.findings)
      found.insert(finding.kind);
    return found;
  }

  Gpu device;
  LaunchOptions options;
  std::mt19937 random{12345};
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_TEST_UNIT_SIMULATOR_SIMULATORTEST_H
