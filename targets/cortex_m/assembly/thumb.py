"""The table of the Thumb instructions that kernels consist of: those of ARMv6-M, and of ARMv7E-M.

A call makes an instruction: `add("r4", "r4", "r4", asr=31)`, `ldr("r3", post("r0", 4))`, `bne(back=1)`.
"""

from __future__ import annotations

from functools import partial

from tinyml.targets.composer.instructions import LocalLabel
from tinyml.targets.cortex_m.assembly.opcode import SHIFTS, TARGETS, Opcode

_FLAGS = ("flags",)
_COMPUTED = ("l l l", "l 255", "l = 255", "l l 7")
_STACK = "sp 508*4", "sp sp 508*4"

_flags = partial(Opcode, writes=_FLAGS)
_shifted = partial(Opcode, keywords=SHIFTS)
_load, _store = partial(Opcode, cycles="load"), partial(Opcode, cycles="store")
_several = partial(Opcode, cycles="several")
_branch = partial(Opcode, keywords=tuple(TARGETS), cycles="branch")
_branch_if = partial(_branch, short=("",), reads=_FLAGS)

add = _shifted("add", "w r v", ("h = h", "l sp 1020*4", *_STACK))
sub = _shifted("sub", "w r v", _STACK)
adds, subs = (_flags(name, "w r v", _COMPUTED) for name in ("adds", "subs"))
adcs = _flags("adcs", "w r v", ("l = l",), reads=_FLAGS)
rsb, rsbs = Opcode("rsb", "w r v"), _flags("rsbs", "w r v", ("l l 0",))
mul, muls = Opcode("mul", "w r r"), _flags("muls", "w r r", ("l l =",))
eors = _flags("eors", "w r v", ("l = l",))
lsls, asrs = _flags("lsls", "w r v", ("l l 31", "l = l")), _flags("asrs", "w r v", ("l l 32", "l = l"))
asr, lsl, lsr = (Opcode(name, "w r v") for name in ("asr", "lsl", "lsr"))
and_, orr = _shifted("and", "w r v"), _shifted("orr", "w r v")
mov, movs = Opcode("mov", "w m", ("h h",)), _flags("movs", "w v", ("l 255", "l l"))
movw, movt, mvn, bfi = Opcode("movw", "w i"), Opcode("movt", "u i"), Opcode("mvn", "w v"), Opcode("bfi", "u r i i")
cmp, cmn = _flags("cmp", "r v", ("h h", "l 255")), _flags("cmn", "r v")
it, mvneq = Opcode("it", "c", cycles="it", reads=_FLAGS), Opcode("mvneq", "u v", reads=_FLAGS)

mla, mls, smmlar = (Opcode(name, "w r r r") for name in ("mla", "mls", "smmlar"))
smlad, smlabb, smlabt = (Opcode(name, "w r r r") for name in ("smlad", "smlabb", "smlabt"))
smlal, smlald = Opcode("smlal", "u u r r"), Opcode("smlald", "u u r r")
smuad, sadd16, ssub16 = (Opcode(name, "w r r") for name in ("smuad", "sadd16", "ssub16"))
pkhbt, pkhtb = _shifted("pkhbt", "w r r"), _shifted("pkhtb", "w r r")
ssat, usat = _shifted("ssat", "w i r"), _shifted("usat", "w i r")
sxtb, sxth, sxtb16 = Opcode("sxtb", "w r", ("l l",)), Opcode("sxth", "w r", ("l l",)), _shifted("sxtb16", "w r")

ldr, ldrh, ldrb = (_load(name, "w a", (f"l a{bytes}",)) for name, bytes in (("ldr", 4), ("ldrh", 2), ("ldrb", 1)))
ldrsh, ldrsb = _load("ldrsh", "w a", ("l x",)), _load("ldrsb", "w a", ("l x",))
str_, strh, strb = (_store(name, "r a", (f"l a{bytes}",)) for name, bytes in (("str", 4), ("strh", 2), ("strb", 1)))
ldrd, strd = _several("ldrd", "w w d", words=2), _several("strd", "r r d", words=2)
ldm, ldmia = (_several(name, "p L", ("l list",), ("update",)) for name in ("ldm", "ldmia"))
stm, stmia = (_several(name, "p l", ("l list",), ("update",)) for name in ("stm", "stmia"))
push, pop = _several("push", "l", ("lr",)), _several("pop", "L", ("pc",))

b, bl = _branch("b", short=("",)), _branch("bl", short=("",), size=4, writes=("lr",))
beq, bne, bge, blt, bls = (_branch_if(name) for name in ("beq", "bne", "bge", "blt", "bls"))
cbz, bx = _branch("cbz", "r"), Opcode("bx", "r", ("h",), cycles="branch")
label = LocalLabel
