"""Kautz and de Bruijn networks: routers are words, and channels shift a letter in (gecco08 section 2)."""

from itertools import product

from pavane.model.network import Network
from pavane.networks.layout import circle
from pavane.networks.limits import allow_size, at_least, power

_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"


def kautz(degree: int, diameter: int) -> Network:
    """Return the Kautz digraph: words of K letters out of D + 1, no two neighbours equal, in the order of a dictionary.

    One-way channels run from x1 x2 ... xK to x2 ... xK y. Routers are named by their words, with dots between the
    letters where there are more than 36.
    """
    name = f"kautz:{degree},{diameter}"
    at_least(name, "D", degree, 2)
    at_least(name, "K", diameter, 1)
    allow_size(name, (degree + 1) * power(degree, diameter))
    alphabet = range(degree + 1)
    words: list[tuple[int, ...]] = [(letter,) for letter in alphabet]
    for _ in range(diameter - 1):
        words = [(*word, letter) for word in words for letter in alphabet if letter != word[-1]]
    number = {word: i for i, word in enumerate(words)}
    channels = [
        (i, number[(*word[1:], letter)]) for word, i in number.items() for letter in alphabet if letter != word[-1]
    ]
    return Network(name, [_spelled(word, degree + 1) for word in words], channels, positions=circle(len(words)))


def de_bruijn(degree: int, diameter: int) -> Network:
    """Return the de Bruijn digraph of D^K routers, with one-way channels from i to D*i + y modulo D^K.

    Written to base D, numbers are words of K letters. Loops (at 00...0, 11...1 and so on) are dropped: a message
    is never sent to where it is.
    """
    name = f"de-bruijn:{degree},{diameter}"
    at_least(name, "D", degree, 2)
    at_least(name, "K", diameter, 1)
    allow_size(name, degree * power(degree, diameter))
    num_routers = degree**diameter
    shifts = ((i, (degree * i + y) % num_routers) for i, y in product(range(num_routers), range(degree)))
    return Network(name, num_routers, [(a, b) for a, b in shifts if a != b], positions=circle(num_routers))


def _spelled(word: tuple[int, ...], num_letters: int) -> str:
    if num_letters > len(_LETTERS):
        return ".".join(map(str, word))
    return "".join(_LETTERS[letter] for letter in word)
