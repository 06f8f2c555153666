"""A kernel as an operator of PyTorch: silu(gate) * up, with gradients, also under torch.compile.

Tensors of a GPU are used in place; those of the CPU run in the simulator, so that this works
without a GPU:

    python examples/torch/silu_mul.py
"""

import math
from typing import Any

import torch

import tilewright
import tilewright.language as tl

BLOCK = 1024


@tilewright.jit
def forward_kernel(gate, up, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    g = tl.load(gate + i, mask=inside).to(tl.float32)
    u = tl.load(up + i, mask=inside).to(tl.float32)
    tl.store(out + i, (g * tl.sigmoid(g) * u).to(out.dtype.element_ty), mask=inside)


@tilewright.jit
def backward_kernel(grad, gate, up, gate_grad, up_grad, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    of_out = tl.load(grad + i, mask=inside).to(tl.float32)
    g = tl.load(gate + i, mask=inside).to(tl.float32)
    u = tl.load(up + i, mask=inside).to(tl.float32)
    s = tl.sigmoid(g)
    of_gate = of_out * u * s * (1 + g * (1 - s))
    tl.store(gate_grad + i, of_gate.to(gate_grad.dtype.element_ty), mask=inside)
    tl.store(up_grad + i, (of_out * g * s).to(up_grad.dtype.element_ty), mask=inside)


def launch(kernel: Any, *tensors: Any) -> None:
    n = math.prod(tensors[0].shape)
    kernel[(tilewright.cdiv(n, BLOCK),)](*tensors, n, BLOCK=BLOCK)


# What PyTorch sees is the operator alone: torch.compile neither looks into it nor takes it apart.
@torch.library.custom_op("tilewright_examples::silu_mul", mutates_args=())
def silu_mul(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    gate, up = gate.contiguous(), up.contiguous()
    out = torch.empty_like(gate)
    launch(forward_kernel, gate, up, out)
    return out


@silu_mul.register_fake
def _(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """The shape and type of the result, for tensors without values."""
    return torch.empty_like(gate, memory_format=torch.contiguous_format)


# Backward is an operator too: it must not be looked into either.
@torch.library.custom_op("tilewright_examples::silu_mul_backward", mutates_args=())
def silu_mul_backward(
    grad: torch.Tensor, gate: torch.Tensor, up: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    grad, gate, up = grad.contiguous(), gate.contiguous(), up.contiguous()
    gate_grad, up_grad = torch.empty_like(gate), torch.empty_like(up)
    launch(backward_kernel, grad, gate, up, gate_grad, up_grad)
    return gate_grad, up_grad


@silu_mul_backward.register_fake
def _(
    grad: torch.Tensor, gate: torch.Tensor, up: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    contiguous = torch.contiguous_format
    return (
        torch.empty_like(gate, memory_format=contiguous),
        torch.empty_like(up, memory_format=contiguous),
    )


def keep_inputs(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(*inputs)


def compute_gradients(ctx: Any, grad: Any) -> Any:
    return silu_mul_backward(grad, *ctx.saved_tensors)


silu_mul.register_autograd(compute_gradients, setup_context=keep_inputs)


class FeedForward(torch.nn.Module):
    """What transformers have between their attentions."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.gate = torch.nn.Linear(width, hidden)
        self.up = torch.nn.Linear(width, hidden)
        self.down = torch.nn.Linear(hidden, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(silu_mul(self.gate(x), self.up(x)))


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    gate, up = (torch.randn(37, 51, device=device, requires_grad=True) for _ in range(2))
    expected = torch.nn.functional.silu(gate) * up
    tilewright.testing.assert_close(silu_mul(gate, up), expected, atol=1e-5)
    wanted = torch.autograd.grad(expected.sum(), (gate, up))
    found = torch.autograd.grad(silu_mul(gate, up).sum(), (gate, up))
    for ours, theirs in zip(found, wanted, strict=True):
        tilewright.testing.assert_close(ours, theirs, atol=1e-5)
    torch.library.opcheck(silu_mul, (gate.detach(), up.detach()))

    model = FeedForward(16, 40).to(device)
    x = torch.randn(5, 16, device=device)
    plain = model(x)
    backend = "inductor" if device == "cuda" else "aot_eager"
    compiled = torch.compile(model, fullgraph=True, backend=backend)
    tilewright.testing.assert_close(compiled(x), plain, atol=1e-5)
    compiled(x).sum().backward()
    assert model.gate.weight.grad is not None
    print(f"silu_mul is right on {device}, alone and under torch.compile")


if __name__ == "__main__":
    main()
