"""Machines whose GPUs are joined by switches: inside a box, and from box to box along rails.

A box has one pure switch, which stands for all its NVSwitches: these share what a GPU sends evenly, so that together
they carry what one of their summed capacity does. GPUs are numbered first, box by box, then the switches of the boxes,
then the rails. GPU 3 of box 1 is the router `1.3`, the switch of that box `1.S`, and a rail `R0`.
"""

import numpy as np

from pavane.errors import InputError
from pavane.model.network import Network
from pavane.networks.gpus import boxes_of, name_of_boxes
from pavane.networks.layout import circle, layers
from pavane.networks.limits import allow_size, at_least
from pavane.networks.links import Links, two_way


def rails(num_boxes: int, size: int, inside: int = 1, outside: int = 1) -> Network:
    """Return N boxes of G GPUs on a switch each, and a rail for each number of a GPU: a switch across all boxes.

    INSIDE is the capacity between a GPU and the switch of its box, RAIL that between a GPU and its rail; both are 1
    unless given, which makes a network where only the shape counts. NVSwitch and InfiniBand differ by 9 to 12.
    """
    capacities = f",{inside},{outside}" if (inside, outside) != (1, 1) else ""
    name = f"rails:{num_boxes},{size}{capacities}"
    at_least(name, "N", num_boxes, 2)
    at_least(name, "G", size, 1)
    at_least(name, "INSIDE", inside, 1)
    at_least(name, "RAIL", outside, 1)
    return _boxes(name, num_boxes, size, (inside, outside), size)


def dgx_a100(num_boxes: int = 1) -> Network:
    """Return N DGX A100: 8 GPUs on NVSwitches, each with its own NIC to one of two rails, as ForestColl has them.

    A GPU has 300 GB/s each way to the NVSwitches and a NIC of 25 GB/s: capacities 12 and 1, in units of 25 GB/s. GPUs
    of even numbers are on rail R0, those of odd numbers on R1. One box has no rails.
    """
    return _boxes(name_of_boxes("dgx-a100", num_boxes), num_boxes, 8, (12, 1), 2 if num_boxes > 1 else 0)


def dgx_h100(num_boxes: int = 1) -> Network:
    """Return N DGX H100: 8 GPUs on NVSwitches, each with its own NIC to a rail of its own number.

    By NVIDIA's data sheet a GPU has 450 GB/s of NVLink each way, and a NIC of 400 Gb/s = 50 GB/s; in units of 50 GB/s
    these are capacities 9 and 1. The 8 rails are the rail-optimized network of NVIDIA's reference architecture. One box
    has no rails.
    """
    return _boxes(name_of_boxes("dgx-h100", num_boxes), num_boxes, 8, (9, 1), 8 if num_boxes > 1 else 0)


def dgx_2(num_boxes: int = 1) -> Network:
    """Return one or two DGX-2: 16 GPUs on NVSwitches, and cables between odd and even GPUs, as TE-CCL has them.

    A GPU has 125 GB/s each way to the switch; from odd GPU g a cable of 12.5 GB/s leads to GPU g - 1 of the other box:
    capacities 10 and 1, in units of 12.5 GB/s.
    """
    name = name_of_boxes("dgx-2", num_boxes)
    if num_boxes > 2:
        raise InputError(
            f"network {name}: N is {num_boxes}, but cables are published for two boxes; "
            f"give 1 or 2, or join boxes by rails: dgx-2@{num_boxes}"
        )
    num_gpus = 16 * num_boxes
    channels: list[tuple[int, int]] = []
    capacities: list[int] = []
    for gpu in range(num_gpus):
        switch = num_gpus + gpu // 16
        channels += [(gpu, switch), (switch, gpu)]
        capacities += [10, 10]
        if gpu % 2 and num_boxes == 2:
            channels.append((gpu, (gpu + 16) % 32 - 1))
            capacities.append(1)
    positions = layers(1, 16, 0)
    if num_boxes == 2:
        # The other box upside down below, so that cables run from row to row.
        upright, turned = positions + np.array([0.0, 5.0]), positions * np.array([1.0, -1.0])
        positions = np.concatenate([upright[:16], turned[:16], upright[16:], turned[16:]])
    names = _names(num_boxes, 16)
    boxes = boxes_of(num_boxes, 16, len(names), 1)
    return Network(name, names, channels, range(num_gpus), positions, capacities=capacities, boxes=boxes).of_gpus()


def nvl(num_gpus: int) -> Network:
    """Return N GPUs of one NVLink domain; `nvl:72` is the GB200 NVL72.

    A GPU has 18 NVLinks of 50 GB/s each way, one to each of 18 NVSwitches. The network has one switch and capacities of
    18 instead: what 18 links into one switch and 18 out of it carry in a step falls apart into one transfer a link and
    switch (Koenig), so that steps are the same, with an eighteenth of the channels.
    """
    name = f"nvl:{num_gpus}"
    at_least(name, "N", num_gpus, 2)
    allow_size(name, 2 * num_gpus)
    links = np.stack([np.arange(num_gpus), np.full(num_gpus, num_gpus)], axis=1)
    positions = np.concatenate([circle(num_gpus), np.zeros((1, 2))])
    names = [*map(str, range(num_gpus)), "S"]
    channels = two_way(links)
    capacities = np.full(len(channels), 18)
    return Network(name, names, channels, range(num_gpus), positions, capacities=capacities).of_gpus()


def _boxes(name: str, num_boxes: int, size: int, capacities: tuple[int, int], num_rails: int) -> Network:
    """Return boxes of GPUs on a switch; GPU g of each is on rail g modulo the number of rails, if there are rails."""
    num_gpus = num_boxes * size
    allow_size(name, num_gpus * (4 if num_rails else 2))
    gpus = np.arange(num_gpus)
    ways: list[Links] = [two_way(np.stack([gpus, num_gpus + gpus // size], axis=1))]
    if num_rails:
        rail = num_gpus + num_boxes + gpus % size % num_rails
        ways.append(two_way(np.stack([gpus, rail], axis=1)))
    # GPU by GPU: the link inside, then the one to the rail.
    channels = np.stack([way.reshape(-1, 2, 2) for way in ways], axis=1).reshape(-1, 2)
    carried = np.tile(np.repeat(capacities[: len(ways)], 2), num_gpus)
    names = _names(num_boxes, size) + [f"R{number}" for number in range(num_rails)]
    positions = layers(num_boxes, size, num_rails)
    boxes = boxes_of(num_boxes, size, len(names), 1)
    return Network(name, names, channels, range(num_gpus), positions, capacities=carried, boxes=boxes).of_gpus()


def _names(num_boxes: int, size: int) -> list[str]:
    """Return the names of GPUs and of the switches of boxes."""
    before = [f"{box}." * (num_boxes > 1) for box in range(num_boxes)]
    return [f"{box}{gpu}" for box in before for gpu in range(size)] + [f"{box}S" for box in before]
