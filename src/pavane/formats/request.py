"""What people ask for, in words, as networks and problems: the same on the command line and on the web page.

A network is `family:parameters` or a file; lists of processors read `0-7,9` or `all`; a faulty link reads `A-B`, one
direction of it `A>B`. Errors name the options of the command line.
"""

from __future__ import annotations

import glob
import os
import re

from pavane.errors import InputError
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import FAMILIES, network


def network_from(text: str, form: str | None = None) -> Network | Problem:
    """Return the network, or the problem, that an argument names: a family with parameters, or a file.

    `form` names the format of the file where it is not to be recognized.
    """
    family = re.split(r"[:*]", text, maxsplit=1)[0]
    if family in FAMILIES or not (os.path.exists(text) or re.search(r"[/\\.]", text)):
        near = [] if family in FAMILIES else sorted(glob.glob(f"{glob.escape(text)}.*"))
        if near:
            raise InputError(f"there is no family or file {text!r}, but a file {near[0]}; name that")
        if form is not None and family in FAMILIES:
            raise InputError(f"--from {form} goes with a file, and {text} is of the catalogue; name a file")
        return network(text)
    from pavane.formats import read_network_or_problem

    return read_network_or_problem(text, form)


def problem_from(
    asked: str | Network,
    collective: str | None,
    *,
    switching: str | None,
    ports: str | None,
    duplex: str | None,
    routing: str | None,
    combining: bool,
    root: str | None,
    senders: str | None,
    receivers: str | None,
    pairs: str | None,
    fault: list[str] | None,
    form: str | None = None,
) -> Problem:
    """Return the problem that the arguments and options describe."""
    found = network_from(asked, form) if isinstance(asked, str) else asked
    text = asked if isinstance(asked, str) else asked.name
    if isinstance(found, Problem):
        given = {
            "COLLECTIVE": collective,
            "--switching": switching,
            "--ports": ports,
            "--duplex": duplex,
            "--routing": routing,
            "--combining": combining or None,
            "--root": root,
            "--senders": senders,
            "--receivers": receivers,
            "--pairs": pairs,
        }
        clashing = [option for option, value in given.items() if value is not None]
        if clashing:
            raise InputError(
                f"{text} is a whole problem, so it does not go with {clashing[0]}; change the file instead"
            )
        return Problem(without_faults(found.network, fault), found.collective, found.rules)
    if collective is None:
        raise InputError(f"no collective was named; put one behind {text}, for example aas")
    working = without_faults(found, fault)
    most = working.num_processors
    members = named(
        collective,
        working,
        root=None if root is None else _processor(root, "--root", working),
        senders=None if senders is None else processor_list(senders, "--senders", most),
        receivers=None if receivers is None else processor_list(receivers, "--receivers", most),
        pairs=None if pairs is None else _pair_list(pairs),
    )
    rules = Rules(
        switching or "wormhole",  # type: ignore[arg-type]
        "all" if ports in (None, "all") else _whole(ports, "--ports"),
        duplex or "full",  # type: ignore[arg-type]
        routing or "minimal",  # type: ignore[arg-type]
        combining,
    )
    return Problem(working, members, rules)


def without_faults(network: Network, faults: list[str] | None) -> Network:
    """Return the network without its faulty links: `A-B` goes both ways, `A>B` one."""
    for fault in faults or ():
        known = [
            (fault[:place], mark, fault[place + 1 :])
            for place, mark in enumerate(fault)
            if mark in "->" and {fault[:place], fault[place + 1 :]} <= set(network.routers)
        ]
        if not known:
            shown = ", ".join(network.routers[:6]) + (", ..." if network.num_routers > 6 else "")
            raise InputError(f"--fault {fault!r} names no two routers of {network.name}; write A-B or A>B with {shown}")
        tail, mark, head = known[0]
        a, b = network.router(tail), network.router(head)
        if mark == "-":
            network = network.without(links=[(a, b)])
            continue
        channels = [c for c in network.out_channels[a] if network.heads[c] == b]
        if not channels:
            raise InputError(f"--fault {fault!r}: {network.name} has no channel from router {tail} to router {head}")
        network = network.without(channels=channels[:1])
    return network


def processor_list(text: str, option: str, num_processors: int) -> list[int]:
    """Read a list like `0-7,9` or `all`."""
    if text.strip() == "all":
        return list(range(num_processors))
    listed: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", part, re.ASCII)
        if not ends:
            raise InputError(
                f"{option} {text!r}: {part.strip()!r} is no processor or range; write a list like 0-7,9 or all"
            )
        first = _whole(ends[1], option)
        last = first if ends[2] is None else _whole(ends[2], option)
        if last < first:
            raise InputError(f"{option} {text!r}: the range {part.strip()} runs backwards; write {last}-{first}")
        if last >= num_processors:
            raise InputError(
                f"{option} {text!r}: processor {last} is out of range; "
                f"the network has processors 0 to {num_processors - 1}"
            )
        listed += range(first, last + 1)
    return listed


def _processor(text: str, option: str, network: Network) -> int:
    if re.fullmatch(r"0|[1-9]\d{0,9}", text, re.ASCII):
        return int(text)
    hint = f"processors are numbered 0 to {network.num_processors - 1}"
    if text in network.routers and network.processors_on[network.router(text)]:
        hint = f"router {text} carries processor {network.processors_on[network.router(text)][0]}"
    raise InputError(f"{option} {text!r} is no processor number; {hint}")


def _pair_list(text: str) -> list[tuple[int, int]]:
    listed = []
    for part in text.split(","):
        ends = re.fullmatch(r"\s*(\d{1,9})\s*[>:]\s*(\d{1,9})\s*", part, re.ASCII)
        if not ends:
            raise InputError(f"--pairs {text!r}: {part.strip()!r} is no pair; write a list like '0>5,1>4'")
        listed.append((int(ends[1]), int(ends[2])))
    return listed


def _whole(text: str | None, option: str) -> int:
    if text is None or not re.fullmatch(r"-?\d{1,9}", text, re.ASCII):
        raise InputError(f"{option} {text!r} is no whole number that can be used")
    return int(text)
