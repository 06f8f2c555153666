//===- FuzzTest.cpp - No text breaks the parsers --------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecTestUtils.h"
#include <random>

using namespace tilewright::spec;

namespace {

const llvm::StringLiteral validTexts[] = {
    "ceildiv(M, 64) * ceildiv(N, 64)",
    "min(M, N, 3) + max(K, -2) % 7 / (N - 1)",
    "A[M, K]",
    "Y[i] = alpha * X[i]",
    "C[m, n] = max(0, sum(k, A[m, k] * B[k, n]) + X[n])",
    "C[i, j] = exp(C[i, j] - max(k, C[i, k])) / sum(k, exp(C[i, k]))",
    "Y[i] = f16(X[(i + 1) % N]) * 1.5e-3 + H[min(i, N - 1)]",
    "I[i] = i32(tanh(X[i])) / J[i] % 3 + ceildiv(i, 2) + K",
    "I[N] in 0 .. M - 1",
    "X[N] in -0.5 .. 1e2",
    "Y[i] = select(X[i] <= 0.5, erf(X[i]), pow(alpha, 2)) + (i != 3)",
    "Y[i] = within(f16, A[I[i], J[I[i]]] * inf) + rsqrt(-X[J[i] % 2])",
    "I[i] = i8(floor(X[i] * 300)) + select(X[i] - X[0] == 0, 1 / J[i], i)",
};

/// Reads \p text as everything it could be. Whatever is accepted must be
/// usable.
void tryAll(llvm::StringRef text, unsigned &accepted) {
  IntScope scope = {{"M", 3}, {"N", 5}, {"K", 0}};
  if (llvm::Expected<IntExpr> expr = IntExpr::parse(text)) {
    ++accepted;
    llvm::consumeError(expr->evaluate(scope).takeError());
  } else {
    EXPECT_FALSE(llvm::toString(expr.takeError()).empty());
  }
  if (llvm::Expected<TensorShape> shape = TensorShape::parse(text)) {
    ++accepted;
    llvm::consumeError(shape->evaluate(scope).takeError());
  } else {
    EXPECT_FALSE(llvm::toString(shape.takeError()).empty());
  }

  KernelDescription description = describeKernel({text.str()});
  description.shapes[5] = "I[N] in 0 .. M - 1";
  description.shapes[6] = "J[N] in -1 .. 3";
  llvm::Expected<KernelSpec> spec = KernelSpec::create(description);
  if (!spec) {
    EXPECT_FALSE(llvm::toString(spec.takeError()).empty());
    return;
  }
  ++accepted;
  Binding binding = llvm::cantFail(spec->bind(
      llvm::cantFail(ScalarValues::parse(*spec, "M=3 N=5 K=4 alpha=0.5"))));
  llvm::Expected<ReferenceProgram> program =
      ReferenceProgram::compile(*spec, spec->getReferences()[0], binding);
  if (!program) {
    EXPECT_FALSE(llvm::toString(program.takeError()).empty());
    return;
  }
  // Large enough for every tensor and type.
  std::vector<double> zeros(64);
  std::vector<const void *> tensors(spec->getArguments().size(), zeros.data());
  ReferenceEvaluator evaluator(*program, tensors);
  std::vector<ReferenceValue> values(2);
  if (program->getElementCount() > 1)
    evaluator.evaluate({0, program->getElementCount() - 1}, values);
}

TEST(Fuzz, RandomBytes) {
  std::mt19937_64 random = makeRandom(11);
  unsigned accepted = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    std::string text(random() % 40, '\0');
    for (char &c : text)
      c = static_cast<char>(random());
    tryAll(text, accepted);
  }
}

TEST(Fuzz, RandomTokens) {
  const llvm::StringLiteral tokens[] = {
      "(",      ")",   "[",   "]",   ",",       "=",     "+",    "-", "*",
      "/",      "%",   "M",   "N",   "X",       "A",     "Y",    "i", "k",
      "max",    "sum", "exp", "f16", "i32",     "alpha", "1.5",  "0", "7",
      " ",      "1e",  "K",   "I",   "ceildiv", "<",     "==",   "!", "select",
      "within", "erf", "in",  "..",  "inf",     "J",     "atan2"};
  std::mt19937_64 random = makeRandom(12);
  unsigned accepted = 0;
  for (unsigned i = 0; i < 40000; ++i) {
    std::string text = i % 2 ? "Y[i] =" : "";
    for (unsigned count = random() % 12; count; --count)
      text += tokens[random() % std::size(tokens)];
    tryAll(text, accepted);
  }
  EXPECT_GT(accepted, 100u);
}

TEST(Fuzz, MutationsOfValidTexts) {
  std::mt19937_64 random = makeRandom(13);
  unsigned accepted = 0;
  for (unsigned i = 0; i < 40000; ++i) {
    std::string text = validTexts[random() % std::size(validTexts)].str();
    for (unsigned count = random() % 4; count && !text.empty(); --count) {
      size_t at = random() % text.size();
      switch (random() % 4) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, 1 + random() % 5);
        break;
      case 2:
        text.insert(at, text.substr(random() % text.size(), random() % 9));
        break;
      default:
        std::swap(text[at], text[random() % text.size()]);
        break;
      }
    }
    tryAll(text, accepted);
  }
  EXPECT_GT(accepted, 1000u);
}

} // namespace
