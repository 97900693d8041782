"""The communication of a phase as problems: one for all groups, or one for each, solved at the same time.

Private messages of all groups are one problem, a list of pairs, whose schedule is searched as a whole. A broadcast has
one set of receivers for all its messages, so each group is a problem of its own and the schedules run side by side. A
broadcast can also be sent directly, as private messages from the root to each member; then all groups are one problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pavane.campaign.workload_model.groups import Layout, members_of, pairs_of
from pavane.campaign.workload_model.workload import Communicate, Workload
from pavane.errors import InputError
from pavane.model.collectives import kind_of
from pavane.model.messages import PATTERN_OF, Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules

Groups = tuple[tuple[int, ...], ...]


class Variant(NamedTuple):
    """One way to communicate what a phase needs."""

    how: str
    """In words; empty for the default."""
    problems: tuple[Problem, ...]
    """One for all, or one for each group, at the same time."""
    share: float = 1.0
    """The bytes of a message for each byte that the phase names."""
    is_bounded: bool = True
    """Whether the bounds of these problems hold for every variant of the phase."""


@dataclass(frozen=True)
class WorkloadTask:
    """The communication of a phase on a network, in all variants that are tried."""

    variants: tuple[Variant, ...]

    @property
    def num_messages(self) -> int:
        """Return the number of messages of all groups; of reductions and allreduces, of results and parts."""
        return sum(len(problem.distinct_ends) for problem in self.variants[0].problems)

    @property
    def key(self) -> tuple[str, ...]:
        """Return a key that equal tasks share."""
        return tuple(problem.digest() for variant in self.variants for problem in variant.problems)


class Setting(NamedTuple):
    """A workload on a network: its layout, the value of every name, and the rules, without combining."""

    workload: Workload
    network: Network
    layout: Layout
    names: dict[str, float]
    rules: Rules


def task_of(phase: Communicate, setting: Setting) -> WorkloadTask | None:
    """Return the task of a phase; None if there is nothing to send."""
    _, network, layout, names, rules = setting
    try:
        if phase.collective == "pairs":
            pairs = pairs_of(phase, layout)
            return _of_pairs(network, rules, pairs) if pairs else None
        groups = members_of(phase, setting.workload, layout)
        if not groups:
            return None
        roots = [_root(phase, names, group) for group in groups]
        kind = kind_of(phase.collective)
        if PATTERN_OF[kind] == "private":
            return _private(phase, network, rules, groups, roots)
        return _in_groups(kind, network, rules, groups, roots)
    except InputError as error:
        text = str(error)
        raise (error if text.startswith(("phases[", "groups.")) else InputError(f"{phase.where}: {text}")) from None


def _root(phase: Communicate, names: dict[str, float], group: tuple[int, ...]) -> int:
    index = 0 if phase.root is None else phase.root.count(names, 0)
    if index >= len(group):
        raise InputError(
            f"{phase.where}.root: {index} is not an index in a group of {len(group)}; give 0 to {len(group) - 1}"
        )
    return group[index]


def _of_pairs(
    network: Network, rules: Rules, pairs: Sequence[tuple[int, int]], sizes: Sequence[tuple[int, int, int]] = ()
) -> WorkloadTask:
    problem = Problem(network, Collective("PAIRS", pairs=tuple(sorted(pairs)), sizes=tuple(sizes)), rules)
    return WorkloadTask((Variant("", (problem,)),))


def _private(
    phase: Communicate, network: Network, rules: Rules, groups: Groups, roots: Sequence[int]
) -> WorkloadTask | None:
    kind, sizes = kind_of(phase.collective), phase.sizes
    pairs = _pairs_in(kind, groups, roots)
    units = []
    if sizes is not None:
        if sizes.table and len(sizes.table) != network.num_processors:
            raise InputError(
                f"{phase.where}.sizes: the table has {len(sizes.table)} rows and {network.name} has "
                f"{network.num_processors} processors; give as many, or units in turn, as in {{to: [1, 2]}}"
            )
        units = [(sender, receiver, sizes.units(sender, receiver)) for sender, receiver in pairs]
        pairs = [pair for pair, unit in zip(pairs, units, strict=True) if unit[2]]
        if not pairs:
            return None
    if len(groups) > 1:
        return _of_pairs(network, rules, pairs, [unit for unit in units if unit[2]])
    collective = Collective(kind, *_ends(kind, groups[0], roots[0]), sizes=tuple(units))
    return WorkloadTask((Variant("", (Problem(network, collective, rules),)),))


def _in_groups(kind: str, network: Network, rules: Rules, groups: Groups, roots: Sequence[int]) -> WorkloadTask:
    """Return broadcasts, reductions or sums of each group."""

    def problems(parts: int | None = None) -> tuple[Problem, ...]:
        made = []
        for group, root in zip(groups, roots, strict=True):
            senders, receivers = _ends(kind, group, root)
            made.append(Problem(network, Collective(kind, senders, receivers[:parts]), rules))
        return tuple(made)

    if kind == "ALLREDUCE":
        if len({len(group) for group in groups}) > 1:
            # Parts of groups of different size differ in bytes, so whole vectors are added up.
            return WorkloadTask((Variant("in one part", problems(1)),))
        size = len(groups[0])
        return WorkloadTask((Variant(f"in {size} parts", problems(), 1 / size), Variant("in one part", problems(1))))
    variants = [Variant("", problems())]
    if len(groups) > 1:
        pairs = _pairs_in(kind, groups, roots)
        variants.append(Variant("directly", _of_pairs(network, rules, pairs).variants[0].problems, is_bounded=False))
    return WorkloadTask(tuple(variants))


def _ends(kind: str, group: tuple[int, ...], root: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the senders and the receivers of a collective in one group."""
    others = tuple(member for member in group if member != root)
    if kind in ("OAB", "OAS"):
        return (root,), others
    if kind in ("AOG", "AOR"):
        return others, (root,)
    return group, group


def _pairs_in(kind: str, groups: Groups, roots: Sequence[int]) -> list[tuple[int, int]]:
    """Return senders and receivers if every message were private."""
    pairs = []
    for group, root in zip(groups, roots, strict=True):
        senders, receivers = _ends(kind, group, root)
        pairs += [(sender, receiver) for sender in senders for receiver in receivers if sender != receiver]
    return sorted(pairs)
