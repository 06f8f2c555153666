//===- AtomicFormsTest.cpp - The atomic instructions of each target -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Target/AtomicForms.h"
#include "tilewright/Target/Ptxas.h"
#include "llvm/Support/FormatVariadic.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace tilewright;

/// All that there are for a target.
static SmallVector<AtomicForm> listForms(const GpuTarget &target) {
  SmallVector<AtomicForm> forms;
  for (StringRef operation :
       {"add", "max", "min", "umax", "umin", "and", "or", "xor", "xchg", "cas"})
    for (StringRef type : {"i16", "i32", "i64", "f16", "bf16", "f32", "f64"})
      for (unsigned elements : {1, 2, 4, 8, 16})
        if (const AtomicForm *form =
                findAtomicForm(target, operation, type, elements))
          forms.push_back(*form);
  return forms;
}

static GpuTarget getTarget(StringRef name) {
  return cantFail(GpuTarget::parse(name));
}

TEST(AtomicForms, VectorsBeginWithSm90) {
  for (StringRef name : {"sm_80", "sm_86", "sm_89"}) {
    EXPECT_FALSE(findAtomicForm(getTarget(name), "add", "f32", 2));
    EXPECT_FALSE(findAtomicForm(getTarget(name), "add", "bf16", 1));
    EXPECT_TRUE(findAtomicForm(getTarget(name), "add", "f16", 2));
    EXPECT_FALSE(findAtomicForm(getTarget(name), "add", "f16", 4));
  }
  for (StringRef name : {"sm_90a", "sm_100a", "sm_120a"}) {
    EXPECT_EQ(findAtomicForm(getTarget(name), "add", "f32", 4)->instruction,
              "add.v4.f32");
    EXPECT_FALSE(findAtomicForm(getTarget(name), "add", "f32", 8));
    EXPECT_FALSE(findAtomicForm(getTarget(name), "add", "i32", 2));
    EXPECT_FALSE(findAtomicForm(getTarget(name), "max", "f32", 1));
  }
}

TEST(AtomicForms, WhereThereIsOneThereIsOneForHalf) {
  for (const GpuTarget &target : GpuTarget::all())
    for (const AtomicForm &form : listForms(target))
      if (form.elements > 1) {
        EXPECT_TRUE(findAtomicForm(target, form.operation, form.type,
                                   form.elements / 2))
            << form.instruction.str();
      }
}

/// "{%r0, %r0}", so many elements as the form takes.
static std::string makeOperand(const AtomicForm &form) {
  StringRef type = form.type.ltrim("bfi");
  unsigned bits = 0;
  type.getAsInteger(10, bits);
  unsigned bytes = bits / 8 * form.elements;
  unsigned wordBytes = bits == 64 ? 8 : std::min(bytes, 4u);
  std::string word = formatv("%r{0}", wordBytes * 8), list = word;
  for (unsigned count = bytes / wordBytes; count > 1; --count)
    list += ", " + word;
  return bytes == wordBytes ? list : "{" + list + "}";
}

static std::string makeModule(const GpuTarget &target) {
  std::string ptx =
      formatv(".version {0}.{1}\n.target {2}\n.address_size 64\n"
              ".visible .entry forms(.param .u64 p) {{\n"
              ".reg .b16 %r16;\n.reg .b32 %r32;\n.reg .b64 %r64;\n"
              ".reg .b64 %p;\nld.param.u64 %p, [p];\n",
              target.ptxVersion / 10, target.ptxVersion % 10, target.name);
  ptx += "mov.b16 %r16, 1;\nmov.b32 %r32, 1;\nmov.b64 %r64, 1;\n";
  for (const AtomicForm &form : listForms(target)) {
    std::string operand = makeOperand(form);
    std::string operands =
        form.operation == "cas" ? operand + ", " + operand : operand;
    ptx += formatv("atom.acq_rel.gpu.global.{0} {1}, [%p], {2};\n",
                   form.instruction, operand, operands);
    if (form.reduces)
      ptx += formatv("red.relaxed.sys.global.{0} [%p], {1};\n",
                     form.instruction, operands);
  }
  return ptx + "ret;\n}\n";
}

TEST(AtomicForms, PtxasKnowsThemAll) {
  auto ptxas = Ptxas::find();
  ASSERT_TRUE(static_cast<bool>(ptxas));
  if (!*ptxas)
    GTEST_SKIP() << "no ptxas on this machine";
  for (const GpuTarget &target : GpuTarget::all()) {
    auto output = (*ptxas)->assemble(makeModule(target), target);
    EXPECT_TRUE(static_cast<bool>(output))
        << target.name.str() << toString(output.takeError());
  }
}
