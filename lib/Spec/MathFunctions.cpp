//===- MathFunctions.cpp - The functions of real numbers ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathFunctions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cstdint>

using namespace tilewright;
using namespace tilewright::spec;

/// The f32 that `x` is, without the low 13 of its 23 bits: tensor cores read 10
/// (PTX ISA, "Alternate Floating-Point Data Formats", tf32). A NaN stays one.
static double truncateToTF32(double x) {
  if (std::isnan(x))
    return x;
  auto bits = llvm::bit_cast<uint32_t>(static_cast<float>(x));
  return llvm::bit_cast<float>(bits & ~uint32_t(0x1fff));
}

//===----------------------------------------------------------------------===//
// What a kernel's function is off
//===----------------------------------------------------------------------===//

/// IEEE 754 asks for it.
static double roundsOnce(double, double result) { return std::fabs(result); }

/// Compiled kernels are within 7 units in the last place, 14 roundoffs
/// (docs/reference/MathToNVVMPasses.md); the tolerance makes 16 of 2.
static double rounds(double, double result) { return 2 * std::fabs(result); }

/// Kernels without such a function multiply the argument by a constant and take
/// a power of two, which loses the argument's last place.
static double roundsArgument(double x, double result) {
  return result == 0 ? 0 : result * (1 + std::fabs(x));
}

/// The hardware's instruction has an error that is absolute near 1 (lg2), or
/// kernels make the function of others so that it has one near 0 (tanh).
static double roundsAbsolutely(double, double result) {
  return 1 + std::fabs(result);
}

static double roundsBelowOne(double, double) { return 1; }

//===----------------------------------------------------------------------===//
// What it makes of an argument that is off
//===----------------------------------------------------------------------===//

/// The spread of base^x where log(base) is \p rate.
static double getExponentialSpread(double result, double ux, double rate) {
  double exponent = rate * ux;
  if (result == 0 || std::isinf(result))
    return 0;
  // Saves a call where nothing is lost.
  return result * (exponent < 0x1p-10 ? exponent * (1 + exponent)
                                      : std::expm1(exponent));
}
static double ofExp(double, double, double result, double ux, double) {
  return getExponentialSpread(result, ux, 1);
}
static double ofExp2(double, double, double result, double ux, double) {
  return getExponentialSpread(result, ux, 0.69314718055994531);
}

/// The slope of sine and cosine is at most 1.
static double ofWave(double, double, double, double ux, double) {
  return std::fmin(ux, 2);
}

static double ofTan(double x, double, double result, double ux, double) {
  // |cos(x)| is at most the distance to the nearest pole.
  if (std::fabs(std::cos(x)) <= ux)
    return HUGE_VAL;
  return getMonotoneSpread([](double end) { return std::tan(end); }, x, result,
                           ux);
}

/// Around the origin every angle is possible.
static double ofAtan2(double y, double x, double result, double uy, double ux) {
  constexpr double turn = 6.283185307179586;
  if (std::fabs(x) <= ux && std::fabs(y) <= uy)
    return turn;
  double spread = 0;
  for (double otherX : {x - ux, x + ux})
    spread = std::fmax(
        spread,
        getMonotoneSpread([&](double end) { return std::atan2(end, otherX); },
                          y, result, uy));
  return spread;
}

double MathFunction::getSpread(double x, double y, double result, double ux,
                               double uy) const {
  if (spread)
    return spread(x, y, result, ux, uy);
  auto atSecond = [&](double second) {
    return getMonotoneSpread([&](double end) { return value(end, second); }, x,
                             result, ux);
  };
  return uy == 0 ? atSecond(y) : std::fmax(atSecond(y - uy), atSecond(y + uy));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// A function of one number, as \c value takes it.
#define UNARY(call) [](double x, double) -> double { return call; }

static constexpr MathFunction functions[] = {
    {"acos", 1, UNARY(std::acos(x)), rounds, nullptr},
    {"asin", 1, UNARY(std::asin(x)), rounds, nullptr},
    {"atan", 1, UNARY(std::atan(x)), rounds, nullptr},
    {"atan2", 2, [](double y, double x) { return std::atan2(y, x); }, rounds,
     ofAtan2},
    {"ceil", 1, UNARY(std::ceil(x)), nullptr, nullptr},
    {"cos", 1, UNARY(std::cos(x)), rounds, ofWave},
    {"erf", 1, UNARY(std::erf(x)), rounds, nullptr},
    {"erfc", 1, UNARY(std::erfc(x)), rounds, nullptr},
    {"exp", 1, UNARY(std::exp(x)), roundsArgument, ofExp},
    {"exp2", 1, UNARY(std::exp2(x)), rounds, ofExp2},
    {"expm1", 1, UNARY(std::expm1(x)), rounds, nullptr},
    {"floor", 1, UNARY(std::floor(x)), nullptr, nullptr},
    {"log", 1, UNARY(std::log(x)), roundsAbsolutely, nullptr},
    {"log10", 1, UNARY(std::log10(x)), roundsAbsolutely, nullptr},
    {"log1p", 1, UNARY(std::log1p(x)), rounds, nullptr},
    {"log2", 1, UNARY(std::log2(x)), roundsAbsolutely, nullptr},
    {"pow", 2, [](double x, double y) { return std::pow(x, y); }, rounds,
     nullptr},
    {"round", 1, UNARY(std::round(x)), nullptr, nullptr},
    {"roundeven", 1, UNARY(std::nearbyint(x)), nullptr, nullptr},
    {"rsqrt", 1, UNARY(1 / std::sqrt(x)), rounds, nullptr},
    {"sin", 1, UNARY(std::sin(x)), rounds, ofWave},
    {"sqrt", 1, UNARY(std::sqrt(x)), roundsOnce, nullptr},
    {"tan", 1, UNARY(std::tan(x)), rounds, ofTan},
    {"tanh", 1, UNARY(std::tanh(x)), roundsBelowOne, nullptr},
    {"tf32", 1, UNARY(truncateToTF32(x)), nullptr, nullptr},
    {"trunc", 1, UNARY(std::trunc(x)), nullptr, nullptr},
};

#undef UNARY

llvm::ArrayRef<MathFunction> spec::getMathFunctions() { return functions; }

const MathFunction *spec::findMathFunction(llvm::StringRef name) {
  const MathFunction *found =
      llvm::find_if(functions, [&](const MathFunction &function) {
        return function.name == name;
      });
  return found == std::end(functions) ? nullptr : found;
}
