//===- BulkTest.h - Kernels around bulk copies ------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TEST_UNIT_SIMULATOR_BULKTEST_H
#define TILEWRIGHT_TEST_UNIT_SIMULATOR_BULKTEST_H

#include "SimulatorTest.h"
#include "tilewright/Simulator/TensorMap.h"
#include <numeric>

namespace tilewright::sim {

/// Kernels of a tensor map and two pointers. They have the registers of
/// wrapKernel and begin with
///   %r1   the thread          %r10  an mbarrier for one arrival
///   %p1   not thread 0        %r11  `tile`, shared memory
///   %rd1, %rd2  the pointers  %rd3  the map
///   %r12  16 * thread + tile  %rd4, %rd5  the pointers + 16 * thread
class BulkTest : public DeviceTest {
protected:
  std::string attributes; ///< of the kernel
  std::string begin = "@!%p1 mbarrier.init.shared::cta.b64 [%r10], 1;\n"
                      "@!%p1 fence.mbarrier_init.release.cluster;\n"
                      "bar.sync 0;\n";
  unsigned tileBytes = 32768;
  unsigned threads = 64;
  Dim3 grid;
  TensorMap::Encoded map;
  uint64_t first = 0, second = 0;

  std::string kernelText(const std::string &body) const {
    return ".version 8.8\n.target sm_90a\n.address_size 64\n"
           ".visible .entry test(.param .align 64 .b8 map[128], .param .u64 a, "
           ".param .u64 b) " +
           attributes +
           " {\n.reg .b32 %r<64>;\n.reg .b64 %rd<64>;\n.reg .b16 %h<8>;\n"
           ".reg .b32 %acc<128>;\n.reg .pred %p<16>;\n.shared .align 1024 .b8 "
           "tile[" +
           std::to_string(tileBytes) +
           "];\n.shared .align 8 .b8 barrier[64];\n"
           "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n"
           "mov.u32 %r10, barrier;\nmov.u32 %r11, tile;\n"
           "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n"
           "mov.b64 %rd3, map;\ncvta.param.u64 %rd3, %rd3;\n"
           "shl.b32 %r13, %r1, 4;\nadd.u32 %r12, %r11, %r13;\n"
           "cvt.u64.u32 %rd6, %r13;\nadd.u64 %rd4, %rd1, %rd6;\n"
           "add.u64 %rd5, %rd2, %rd6;\n" +
           begin + body + "\nret;\n}\n";
  }
  LaunchReport runBody(const std::string &body) {
    return run(parseOrDie(kernelText(body)), "test", grid, {threads},
               ArgumentBlock().add(map).add(first).add(second));
  }
  void expectClean(const std::string &body) {
    for (int seed = 0; seed != 4; ++seed) {
      const LaunchReport report = runBody(body);
      EXPECT_TRUE(report.completed) << body;
      for (const Finding &finding : report.findings)
        ADD_FAILURE() << describe(finding);
      options.seed = seed;
    }
    options.seed.reset();
  }
  /// Expects findings of one kind only, one of which says this.
  void expectFinding(FindingKind kind, const std::string &what,
                     const std::string &body) {
    EXPECT_EQ(kinds(runBody(body)), std::set<FindingKind>{kind}) << body;
    expectAmong(kind, what, body);
  }
  /// The same, where the fault has consequences that are reported as well.
  void expectAmong(FindingKind kind, const std::string &what,
                   const std::string &body) {
    const LaunchReport report = runBody(body);
    bool found = false;
    std::string all;
    for (const Finding &finding : report.findings) {
      EXPECT_NE(finding.line, 0u);
      all += describe(finding) + "\n";
      found |= finding.kind == kind &&
               describe(finding).find(what) != std::string::npos;
    }
    EXPECT_TRUE(found) << what << "\n" << all;
  }
  std::vector<uint32_t> numbers(size_t count) {
    std::vector<uint32_t> values(count);
    std::iota(values.begin(), values.end(), 1000);
    return values;
  }
};

/// Thread 0 announces bytes at the mbarrier.
inline std::string expectText(unsigned bytes) {
  return "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r10], " +
         std::to_string(bytes) + ";\n";
}
/// All threads wait for a phase.
inline std::string waitText(int parity = 0, const std::string &label = "W") {
  return label + ": mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r10], " +
         std::to_string(parity) + "; @!%p3 bra " + label + ";\n";
}
/// Thread 0 copies from the second pointer.
inline std::string bulkLoadText(unsigned bytes, unsigned offset = 0) {
  return "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
         "::bytes [%r11+" +
         std::to_string(offset) + "], [%rd2+" + std::to_string(offset) + "], " +
         std::to_string(bytes) + ", [%r10];\n";
}
/// Each thread has 16 bytes of the tile, and of the first pointer.
inline const std::string readTile =
    "ld.shared.v4.b32 {%r20, %r21, %r22, %r23}, [%r12];\n";
inline const std::string writeOut =
    "st.global.v4.b32 [%rd4], {%r20, %r21, %r22, %r23};\n";
inline const std::string writeTile =
    "ld.global.v4.b32 {%r20, %r21, %r22, %r23}, [%rd5];\n"
    "st.shared.v4.b32 [%r12], {%r20, %r21, %r22, %r23};\n";
inline const std::string proxyFence = "fence.proxy.async.shared::cta;\n";
inline const std::string barrier = "bar.sync 0;\n";
inline const std::string commitBulk = "@!%p1 cp.async.bulk.commit_group;\n";
inline const std::string waitRead = "@!%p1 cp.async.bulk.wait_group.read 0;\n";
inline const std::string waitBulk = "@!%p1 cp.async.bulk.wait_group 0;\n";

} // namespace tilewright::sim

#endif // TILEWRIGHT_TEST_UNIT_SIMULATOR_BULKTEST_H
