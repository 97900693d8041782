"""Random regular networks."""

import numpy as np

from pavane.errors import InputError
from pavane.model.network import Network
from pavane.networks.limits import allow_size, at_least
from pavane.networks.links import Links, two_way
from pavane.networks.prng import Dice

# Tries before a pairing that cannot be repaired is drawn again; only tiny networks ever need it.
_PATIENCE = 1000


def random_regular(num_routers: int, degree: int, seed: int = 0) -> Network:
    """Return a connected network of N routers with D links each, no two parallel, that depends on the seed alone.

    Link ends are paired at random; then swaps remove loops and parallel links, and join the components.
    """
    name = f"random-regular:{num_routers},{degree},{seed}"
    at_least(name, "N", num_routers, 2)
    at_least(name, "D", degree, 1)
    at_least(name, "SEED", seed, 0)
    if degree >= num_routers:
        raise InputError(
            f"network {name}: D is {degree}, but a router has only {num_routers - 1} others; "
            f"give at most {num_routers - 1}"
        )
    if num_routers * degree % 2:
        raise InputError(f"network {name}: N*D is odd, but each link has two ends; make N or D even")
    if degree == 1 and num_routers > 2:
        raise InputError(f"network {name}: with D = 1 no more than 2 routers are connected; give D = 2 or more")
    allow_size(name, num_routers * degree)
    dice = Dice(seed)
    if 2 * degree > num_routers - 1:
        # More links than not: draw those to leave out.
        left_out = _simple_links(num_routers, num_routers - 1 - degree, dice)
        wanted = np.triu(np.ones((num_routers, num_routers), dtype=bool), 1)
        wanted[left_out.min(axis=1), left_out.max(axis=1)] = False
        links = np.argwhere(wanted)
    else:
        links = _simple_links(num_routers, degree, dice)
        _connect(num_routers, links, dice)
    return Network(name, num_routers, two_way(links))


def _simple_links(num_routers: int, degree: int, dice: Dice) -> Links:
    """Draw regular links without loops and without parallels."""
    while True:
        ends = np.repeat(np.arange(num_routers), degree)
        links = ends[np.argsort(dice.words(len(ends)), kind="stable")].reshape(-1, 2)
        if _mend(num_routers, links, dice):
            return links


def _mend(num_routers: int, links: Links, dice: Dice) -> bool:
    """Swap heads until no link is a loop or a parallel; False where no swap was found."""

    def key(a: int, b: int) -> int:
        return min(a, b) * num_routers + max(a, b)

    keys = links.min(axis=1) * num_routers + links.max(axis=1)
    _, first = np.unique(keys, return_index=True)
    is_bad = np.ones(len(links), dtype=bool)
    is_bad[first] = False
    is_bad |= links[:, 0] == links[:, 1]
    present = set(keys[~is_bad].tolist())
    for link in np.flatnonzero(is_bad).tolist():
        if not is_bad[link]:
            continue  # repaired as the partner of an earlier one
        a, b = links[link].tolist()
        for _ in range(_PATIENCE):
            other = dice.below(len(links))
            c, d = links[other].tolist()
            fresh = {key(a, d), key(c, b)}
            if a != d and c != b and len(fresh) == 2 and not fresh & present:
                break
        else:
            return False
        if not is_bad[other]:
            present.remove(key(c, d))
        present |= fresh
        links[link], links[other] = (a, d), (c, b)
        is_bad[link] = is_bad[other] = False
    return True


def _connect(num_routers: int, links: Links, dice: Dice) -> None:
    """Swap a link that router 0 reaches with one that it does not, until it reaches all."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(len(links), dtype=np.int32)
    while True:
        linked = csr_array((ones, (links[:, 0], links[:, 1])), shape=(num_routers, num_routers))
        _, parts = connected_components(linked, directed=False)
        reached = parts == parts[0]
        if reached.all():
            return
        inside = reached[links[:, 0]]
        near, far = np.flatnonzero(inside), np.flatnonzero(~inside)
        pair = [near[dice.below(len(near))], far[dice.below(len(far))]]
        links[pair, 1] = links[pair[::-1], 1]
