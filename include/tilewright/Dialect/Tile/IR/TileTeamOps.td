//===- TileTeamOps.td - Programs of a block in turn --------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td. Declared by Teams.h, which only those include who
// know of teams.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILETEAMOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILETEAMOPS

def Tile_TeamOp : Tile_Op<"team", [Pure, Tile_InfersRange]> {
  let summary = "Number of the team";
  let description = [{
    The `main` role of `tile.roles` with `tile.teams` is done by several teams of the kernel's `num_warps` warps, each as if there
    were no others, with programs of its own: while one team stores its results, the products of the other are made (ping-pong).

    ```mlir
    tile.roles main {
      %team = tile.team                                   // 0 or 1
      ...                                                 // %first: %block + %team * %blocks
      scf.for %program = %first to %programs step %step { // %step: 2 * %blocks
        tile.team_enter 0
        scf.for %k ... { tile.wait %c[%n] ...  tile.release %c[%n] ... }
        tile.team_leave 0
        tile.team_enter 1
        ...
        tile.team_leave 1
      } {tile.programs}
    } copy { ... } {tile.teams = 2 : i32}
    ```

    Constraint: (C1) in `main` of `tile.roles` with `tile.teams`.
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

class Tile_TurnOp<string opMnemonic> : Tile_Op<opMnemonic, [
    MemoryEffects<[MemRead<Tile_SharedMemory>, MemWrite<Tile_SharedMemory>,
                   MemRead<Tile_GlobalMemory>, MemWrite<Tile_GlobalMemory>]>]> {
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<1>]>:$part);
  let assemblyFormat = "$part attr-dict";
  let hasVerifier = 1;
}

def Tile_TeamEnterOp : Tile_TurnOp<"team_enter"> {
  let summary = "Wait until the other team is over with a part of its program";
  let description = [{
    A part of a program, numbered 0 or 1, is done by one team at a time, in the order of the programs: what it does to channels and to shared tiles comes behind
    what the other team did in that part of the program before. The first program waits for nobody.

    Constraint: (C1) in `main` of `tile.roles` with `tile.teams`.
  }];
}

def Tile_TeamLeaveOp : Tile_TurnOp<"team_leave"> {
  let summary = "Let the other team do its next part";
  let description = [{
    The threads of a team say that they are over with a part of their program (`tile.team_enter`), and go on.

    Constraint: (C1) in `main` of `tile.roles` with `tile.teams`.
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILETEAMOPS
