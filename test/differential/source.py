# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program as source text."""

from __future__ import annotations

from differential.elements import INDEX, Element, Integer
from differential.program import DEFAULT_STAGES, Body, Node, Program, Type, Value, View


def write(program: Program) -> str:
    return _Writer(program).write()


def literal(element: Element, bits: int) -> str:
    if element.bits == 1:
        return "true" if bits else "false"
    if isinstance(element, Integer):
        return str(bits - (1 << element.bits) if bits >> (element.bits - 1) else bits)
    return f"0x{bits:0{element.bits // 4}X}"


class _Writer:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.names: dict[Value, str] = {}
        self.lines: list[str] = []
        self.depth = 1
        # Scalars that several accesses want, written before all else.
        self.constants: dict[int, str] = {}

    def name(self, value: Value) -> str:
        return self.names.setdefault(value, f"%v{len(self.names)}")

    def line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def fresh(self, text: str) -> str:
        """An op that no value of the graph stands for."""
        name = self.name(Value(Type(INDEX)))
        self.line(f"{name} = {text}")
        return name

    def constant(self, number: int) -> str:
        return self.constants.setdefault(number, f"%c{number}".replace("-", "_"))

    def write(self) -> str:
        program = self.program
        promise = " {tile.divisibility = 16}" if program.aligned else ""
        arguments = [f"%{m.name}: !tile.ptr<{m.element}>{promise}" for m in program.memories]
        for index, (value, _) in enumerate(program.scalars):
            self.names[value] = f"%s{index}"
            arguments.append(f"%s{index}: {value.type}")
        self.body(program.body)
        constants = [
            f"  {name} = arith.constant {number} : index"
            for number, name in sorted(self.constants.items())
        ]
        head = f"tile.kernel @random({', '.join(arguments)})"
        attributes = f"num_warps = {program.num_warps} : i32"
        if program.num_stages != DEFAULT_STAGES:
            attributes += f", num_stages = {program.num_stages} : i32"
        lines = [f"{head} attributes {{{attributes}}} {{"]
        if any("%program" in line for line in self.lines):
            lines.append("  %program = tile.program_id 0")
        return "\n".join([*lines, *constants, *self.lines, "  tile.return", "}", ""])

    def body(self, body: Body) -> None:
        for node in body.nodes:
            self.node(node)

    def node(self, node: Node) -> None:
        method = getattr(self, "_" + node.op.split(".")[1], None)
        if method is not None:
            method(node)
            return
        operands = ", ".join(self.name(v) for v in node.operands)
        source, result = node.operands[0].type, node.results[0].type
        if "to" in node.attributes:
            types = f"{source} to {result}"
        elif "->" in node.attributes:
            types = f"{source} -> {result}"
        else:
            types = str(result)
        suffix = node.attributes.get("suffix", "")
        self.line(f"{self.name(node.results[0])} = {node.op} {operands}{suffix} : {types}")

    # --- Ops with a form of their own ---

    def _constant(self, node: Node) -> None:
        type = node.results[0].type
        text = literal(type.element, node.attributes["bits"])
        value = text if type.shape is None else f"dense<{text}>"
        suffix = "" if text in ("true", "false") and type.shape is None else f" : {type}"
        self.line(f"{self.name(node.results[0])} = arith.constant {value}{suffix}")

    def _program_id(self, node: Node) -> None:
        self.names[node.results[0]] = "%program"

    def _num_programs(self, node: Node) -> None:
        self.line(f"{self.name(node.results[0])} = tile.num_programs 0")

    def _iota(self, node: Node) -> None:
        start, type = node.attributes["start"], node.results[0].type
        self.line(f"{self.name(node.results[0])} = tile.iota {start} : {type}")

    def _compare(self, node: Node) -> None:
        a, b = (self.name(v) for v in node.operands)
        made = f"{self.name(node.results[0])} = {node.op} {node.attributes['predicate']}"
        self.line(f"{made}, {a}, {b} : {node.operands[0].type}")

    _cmpi = _cmpf = _compare

    def _test(self, node: Node) -> None:
        operand = node.operands[0]
        self.line(f"{self.name(node.results[0])} = {node.op} {self.name(operand)} : {operand.type}")

    _isnan = _isinf = _isfinite = _isnormal = _test

    def _select(self, node: Node) -> None:
        names = ", ".join(self.name(v) for v in node.operands)
        condition, type = node.operands[0].type, node.results[0].type
        types = str(type) if condition.shape is None else f"{condition}, {type}"
        self.line(f"{self.name(node.results[0])} = arith.select {names} : {types}")

    def _dot(self, node: Node) -> None:
        names = ", ".join(self.name(v) for v in node.operands)
        types = ", ".join(str(v.type) for v in node.operands)
        tf32 = " tf32" if node.attributes.get("tf32") else ""
        self.line(f"{self.name(node.results[0])} = tile.dot {names}{tf32} : {types}")

    # --- Accesses ---

    def _view(self, view: View) -> tuple[str, str]:
        memory = view.memory
        extents = [self.constant(n) for n in view.extents]
        strides = ["1" if n == 1 else self.constant(n) for n in view.strides]
        static = ["1" if n == 1 else "?" for n in view.strides]
        if not view.dynamic:
            extents = [str(n) for n in view.extents]
            strides = static = [str(n) for n in view.strides]
        sizes = "?" if view.dynamic else None
        dims = "x".join(sizes or str(n) for n in view.extents)
        type = f"!tile.view<{dims}x{memory.element}, [{', '.join(static)}]>"
        lists = f"shape [{', '.join(extents)}], strides [{', '.join(strides)}]"
        text = f"tile.view %{memory.name}, {lists} : !tile.ptr<{memory.element}> -> {type}"
        return self.fresh(text), type

    def _block(self, view: View, offset: tuple[int, Value] | None) -> tuple[str, str, str]:
        """The view, its type, and the coordinates of this program's block."""
        name, type = self._view(view)
        moves = bool(view.step) and not view.start[0]
        at = ["" if moves and dim == 0 else self.constant(n) for dim, n in enumerate(view.start)]
        if view.step:
            step = self.fresh(f"arith.muli %program, {self.constant(view.step)} : index")
            at[0] = self.fresh(f"arith.addi {step}, {at[0]} : index") if view.start[0] else step
        if offset is not None:
            along, number = offset
            at[along] = self.fresh(f"arith.addi {at[along]}, {self.name(number)} : index")
        return name, type, ", ".join(at)

    def _load_view(self, node: Node) -> None:
        """Operands: a value for elements outside, and a number added to a coordinate."""
        operands = list(node.operands)
        other = operands.pop(0) if node.attributes["else"] else None
        offset = (node.attributes["along"], operands[0]) if operands else None
        view, type, at = self._block(node.attributes["view"], offset)
        outside = f" else {self.name(other)} : {other.type}" if other else ""
        made = f"{self.name(node.results[0])} = tile.load_view {view}[{at}]{outside}"
        self.line(f"{made} : {type} -> {node.results[0].type}")

    def _store_view(self, node: Node) -> None:
        value = node.operands[0]
        view, type, at = self._block(node.attributes["view"], None)
        self.line(f"tile.store_view {self.name(value)}, {view}[{at}] : {value.type}, {type}")

    def _pointers(self, node: Node, offsets: Value) -> tuple[str, str]:
        memory = node.attributes["memory"]
        base, scalar = f"%{memory.name}", f"!tile.ptr<{memory.element}>"
        shape = offsets.type.shape
        assert shape is not None
        type = f"tensor<{'x'.join(map(str, shape))}x{scalar}>"
        bias, step = node.attributes["bias"], node.attributes.get("step", 0)
        if bias:
            base = self.fresh(f"tile.addptr {base}, {self.constant(bias)} : {scalar}, index")
        if step:
            start = self.fresh(f"arith.muli %program, {self.constant(step)} : index")
            base = self.fresh(f"tile.addptr {base}, {start} : {scalar}, index")
        bases = self.fresh(f"tile.splat {base} : {scalar} -> {type}")
        name = self.name(offsets)
        return self.fresh(f"tile.addptr {bases}, {name} : {type}, {offsets.type}"), type

    def _load(self, node: Node) -> None:
        """Operands: offsets, perhaps a mask, perhaps what stands where it is false."""
        pointers, type = self._pointers(node, node.operands[0])
        names = [self.name(v) for v in node.operands[1:]]
        pairs = zip(("mask", "else"), names, strict=False)
        words = "".join(f" {word} {name}" for word, name in pairs)
        self.line(f"{self.name(node.results[0])} = tile.load {pointers}{words} : {type}")

    def _store(self, node: Node) -> None:
        """Operands: the value, offsets, perhaps a mask."""
        value, offsets, *mask = node.operands
        pointers, type = self._pointers(node, offsets)
        words = "".join(f" mask {self.name(v)}" for v in mask)
        self.line(f"tile.store {pointers}, {self.name(value)}{words} : {type}")

    def _atomic_rmw(self, node: Node) -> None:
        """Operands: offsets, the value, perhaps a mask. Of an exchange that compares: offsets, what
        is expected, what is written then, perhaps a mask."""
        pointers, type = self._pointers(node, node.operands[0])
        kind, count = node.attributes["kind"], 2 if node.op == "tile.atomic_cas" else 1
        names = [self.name(v) for v in node.operands[1:]]
        words = ", ".join([pointers, *names[:count]])
        words += "".join(f" mask {name}" for name in names[count:])
        words += f" order {node.attributes['order']} scope {node.attributes['scope']}"
        head = node.op if kind == "cas" else f"{node.op} {kind}"
        self.line(f"{self.name(node.results[0])} = {head} {words} : {type}")

    _atomic_cas = _atomic_rmw

    # --- Regions ---

    def nest(self, body: Body, terminator: str) -> None:
        self.depth += 1
        self.body(body)
        names = ", ".join(self.name(v) for v in body.yields)
        types = ", ".join(str(v.type) for v in body.yields)
        self.line(f"{terminator} {names} : {types}" if names else terminator)
        self.depth -= 1

    def _for(self, node: Node) -> None:
        """Operands: lower bound, upper bound, step, and what the loop carries."""
        low, high, step, *carried = node.operands
        counter, *arguments = node.bodies[0].arguments
        results = ", ".join(self.name(v) for v in node.results)
        inits = zip(arguments, carried, strict=True)
        pairs = ", ".join(f"{self.name(a)} = {self.name(init)}" for a, init in inits)
        types = ", ".join(str(v.type) for v in node.results)
        bounds = f"{self.name(low)} to {self.name(high)} step {self.name(step)}"
        head = f"{results} = scf.for {self.name(counter)} = {bounds}"
        self.line(f"{head} iter_args({pairs}) -> ({types}) {{")
        self.nest(node.bodies[0], "scf.yield")
        self.line("}")

    def _while(self, node: Node) -> None:
        """Operands: what the first region gets; it yields the condition and what goes on."""
        before, after = node.bodies
        results = ", ".join(self.name(v) for v in node.results)
        inits = zip(before.arguments, node.operands, strict=True)
        pairs = ", ".join(f"{self.name(a)} = {self.name(init)}" for a, init in inits)
        types = ", ".join(str(v.type) for v in node.operands)
        made = ", ".join(str(v.type) for v in node.results)
        self.line(f"{results} = scf.while ({pairs}) : ({types}) -> ({made}) {{")
        condition, *passed = before.yields
        self.nest(Body(nodes=before.nodes, yields=passed), f"scf.condition({self.name(condition)})")
        self.line("} do {")
        arguments = ", ".join(f"{self.name(v)}: {v.type}" for v in after.arguments)
        self.line(f"^bb0({arguments}):")
        self.nest(after, "scf.yield")
        self.line("}")

    def _if(self, node: Node) -> None:
        results = ", ".join(self.name(v) for v in node.results)
        types = ", ".join(str(v.type) for v in node.results)
        self.line(f"{results} = scf.if {self.name(node.operands[0])} -> ({types}) {{")
        self.nest(node.bodies[0], "scf.yield")
        self.line("} else {")
        self.nest(node.bodies[1], "scf.yield")
        self.line("}")

    def _combine(self, node: Node) -> None:
        sources = ", ".join(self.name(v) for v in node.operands)
        types = ", ".join(str(v.type) for v in node.operands)
        made = ", ".join(str(v.type) for v in node.results)
        results = ", ".join(self.name(v) for v in node.results)
        axis, body = node.attributes["axis"], node.bodies[0]
        where = f"axis {axis} reverse" if node.attributes.get("reverse") else f"axis {axis}"
        self.line(f"{results} = {node.op} {sources} {where} : {types} -> {made} {{")
        arguments = ", ".join(f"{self.name(v)}: {v.type}" for v in body.arguments)
        self.line(f"^bb0({arguments}):")
        self.nest(body, "tile.yield")
        self.line("}")

    _reduce = _scan = _combine
